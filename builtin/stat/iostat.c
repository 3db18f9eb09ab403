// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf stat --iostat: what devices below each root port of an Intel server read and write.
 *
 * Source: Documentation/ABI/testing/sysfs-devices-mapping of Linux: uncore_iio_N/dieD names the
 * segment and bus below stack N of die D.  Events: Intel Xeon Scalable uncore performance
 * monitoring guide, IIO: DATA_REQ_OF_CPU (0x83) and DATA_REQ_BY_CPU (0xc0), reads with
 * mask 4, writes with mask 1, in units of 4 bytes over all parts of a stack.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/stat/internal.h"
#include "event/pmu.h"

static const struct {
	const char *name;
	unsigned event, umask;
} flows[] = {
	{ "Inbound Read(MB)", 0x83, 4 },
	{ "Inbound Write(MB)", 0x83, 1 },
	{ "Outbound Read(MB)", 0xc0, 4 },
	{ "Outbound Write(MB)", 0xc0, 1 },
};
enum { FLOWS = ARRAY_SIZE(flows), PORT_WIDTH = 16, VALUE_WIDTH = 20 };

/* Reports whether a port, "0000:3d", is among the requested ones ("0:3d,0000:00"). */
static bool is_wanted(const char *ports, const char *port)
{
	struct strlist list = { VEC_INIT };
	unsigned segment, bus, s, b;
	bool wanted = false;

	if (!*ports || !strcmp(ports, "list"))
		return true;
	if (sscanf(port, "%x:%x", &segment, &bus) != 2)
		return false;
	strlist_split(&list, ports, ",");
	vec_for_each(&list.list, it)
		wanted |= sscanf(*it, "%x:%x", &s, &b) == 2 && s == segment && b == bus;
	strlist_release(&list);
	return wanted;
}

static void add_ports(struct stat_events *e, const char *asked, const char *pmu)
{
	for (u32 die = 0;; die++) {
		char *port =
			sys_read_line(&e->sys, "/sys/bus/event_source/devices/%s/die%u", pmu, die);

		if (!port)
			return;
		if (is_wanted(asked, port))
			vec_push(&e->ports, (struct stat_port){ xstrdup(pmu), port, die, 0 });
		else
			free(port);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct stat_port *)a)->name, ((const struct stat_port *)b)->name);
}

int iostat_find_ports(struct stat_events *e, const char *asked, struct reason *r)
{
	struct strlist pmus = { VEC_INIT };
	bool any = false;

	pmu_match(&e->sys, "uncore_iio", &pmus);
	vec_for_each(&pmus.list, it) {
		any |= sys_exists(&e->sys, "/sys/bus/event_source/devices/%s/die0", *it);
		add_ports(e, asked, *it);
	}
	strlist_release(&pmus);
	vec_sort(&e->ports, by_name);
	if (e->ports.count)
		return 0;
	if (!any)
		return -EOPNOTSUPP;
	reason_set(r, ENOENT, "this machine has no root port '%s'", asked);
	reason_hint(r, "'perf iostat list' shows them");
	return -EINVAL;
}

void iostat_release(struct stat_events *e)
{
	vec_for_each(&e->ports, it) {
		free(it->pmu);
		free(it->name);
	}
	vec_release(&e->ports);
}

int iostat_add_events(struct stat_events *e, struct reason *r)
{
	int err = 0;

	vec_for_each(&e->ports, port) {
		const struct stat_port *before = e->ports.items;

		/* another die's port of the same stack: the same events, on another CPU */
		while (before < port && strcmp(before->pmu, port->pmu))
			before++;
		if (before < port) {
			port->first_event = before->first_event;
			continue;
		}
		port->first_event = (u32)e->set.list.count;
		for (size_t i = 0; !err && i < FLOWS; i++) {
			char *text = xasprintf("%s/event=0x%x,umask=0x%x,ch_mask=0xf,fc_mask=0x7/",
					       port->pmu, flows[i].event, flows[i].umask);

			err = event_parse(&e->parser, &e->set, text, r);
			free(text);
		}
	}
	return err;
}

/*
 * Returns the domain of an event's die. Dies are numbered over all sockets, in the order of their
 * CPUs' ids.
 */
static size_t domain_of(const struct stat_printer *p, const struct event *ev, u32 die)
{
	struct stat_domains dies;
	s32 *cpus = xcalloc(p->topology.cpus.count + 1, sizeof(*cpus));
	size_t n = 0, found = SIZE_MAX;

	vec_for_each(&p->topology.cpus, it)
		cpus[n++] = (s32)it->cpu;
	stat_domains_of_cpus(&dies, STAT_BY_DIE, &p->topology, cpus, n);
	for (size_t i = 0; i < ev->cpu_count; i++)
		for (size_t k = 0; k < n; k++)
			if (cpus[k] == (s32)ev->cpus[i] && dies.of_column[k] == die)
				for (size_t d = 0; d < p->domains.list.count; d++)
					if (p->domains.list.items[d].cpu == cpus[k])
						found = d;
	stat_domains_release(&dies);
	free(cpus);
	return found;
}

static void put_value(const struct stat_printer *p, struct strbuf *b, const struct stat_port *port,
		      size_t flow)
{
	const struct event *ev = p->events->set.list.items[port->first_event + flow];
	size_t domain = domain_of(p, ev, port->die);
	struct stat_reading reading = { 0 };
	char text[32] = "";

	if (domain != SIZE_MAX)
		stat_read(&p->table, domain, ev, &reading);
	if (reading.counted)
		snprintf(text, sizeof(text), "%.0f", reading.value * 4 / (1024 * 1024));
	if (p->ask->json)
		strbuf_f(b, ", \"%s\" : \"%s\"", flows[flow].name, text);
	else if (p->ask->separator)
		strbuf_f(b, "%s%s", text, p->ask->separator);
	else
		strbuf_f(b, "%*s ", VALUE_WIDTH, text);
}

static void put_head(const struct stat_printer *p, struct strbuf *b, const char *prefix)
{
	const char *separator = p->ask->separator;

	if (*prefix)
		strbuf_f(b, "%s%s", separator ? "time" : "#           time",
			 separator ? separator : " ");
	if (separator)
		strbuf_f(b, "port%s", separator);
	else
		strbuf_f(b, "%*s", -PORT_WIDTH, "port");
	for (size_t i = 0; i < FLOWS; i++)
		if (separator)
			strbuf_f(b, "%s%s", flows[i].name, separator);
		else
			strbuf_f(b, "%*s ", VALUE_WIDTH, flows[i].name);
	strbuf_char(b, '\n');
}

void iostat_print(const struct stat_printer *p, struct strbuf *b, const char *prefix, bool head)
{
	if (head && !p->ask->json)
		put_head(p, b, prefix);
	vec_for_each(&p->events->ports, port) {
		if (p->ask->json)
			strbuf_f(b, "{%s\"port\" : \"%s\"", prefix, port->name);
		else if (p->ask->separator)
			strbuf_f(b, "%s%s%s", prefix, port->name, p->ask->separator);
		else
			strbuf_f(b, "%s%*s", prefix, -PORT_WIDTH, port->name);
		for (size_t i = 0; i < FLOWS; i++)
			put_value(p, b, port, i);
		strbuf_str(b, p->ask->json ? "}\n" : "\n");
	}
}

void iostat_list(struct stat_printer *p)
{
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&p->events->ports, it)
		strbuf_f(&b, "S%u-%s<%s>\n", it->die, it->pmu, it->name);
	stat_write(p, &b);
	strbuf_release(&b);
}
