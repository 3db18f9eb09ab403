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

#include "base/out.h"
#include "builtin-stat.h"
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

/* Is a port, "0000:3d", among those that were asked for ("0:3d,0000:00")? */
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

static void add_ports(struct stat_settings *s, const char *pmu)
{
	for (u32 die = 0;; die++) {
		char *port = sys_read_line(&s->sys, "/sys/bus/event_source/devices/%s/die%u", pmu, die);

		if (!port)
			return;
		if (is_wanted(s->iostat, port))
			vec_push(&s->ports, (struct stat_port){ xstrdup(pmu), port, die, 0 });
		else
			free(port);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct stat_port *)a)->name, ((const struct stat_port *)b)->name);
}

int iostat_find_ports(struct stat_settings *s, struct reason *r)
{
	struct strlist pmus = { VEC_INIT };
	bool any = false;

	pmu_match(&s->sys, "uncore_iio", &pmus);
	vec_for_each(&pmus.list, it) {
		any |= sys_exists(&s->sys, "/sys/bus/event_source/devices/%s/die0", *it);
		add_ports(s, *it);
	}
	strlist_release(&pmus);
	vec_sort(&s->ports, by_name);
	if (s->ports.count)
		return 0;
	if (!any)
		return -EOPNOTSUPP;
	reason_set(r, ENOENT, "--iostat: this machine has no root port '%s'", s->iostat);
	reason_hint(r, "perf stat --iostat=list");
	return -EINVAL;
}

void iostat_release(struct stat_settings *s)
{
	vec_for_each(&s->ports, it) {
		free(it->pmu);
		free(it->name);
	}
	vec_release(&s->ports);
}

int iostat_add_events(struct stat_settings *s, struct reason *r)
{
	int err = 0;

	vec_for_each(&s->ports, port) {
		const struct stat_port *before = s->ports.items;

		/* another die's port of the same stack: the same events, on another CPU */
		while (before < port && strcmp(before->pmu, port->pmu))
			before++;
		if (before < port) {
			port->first_event = before->first_event;
			continue;
		}
		port->first_event = (u32)s->set.list.count;
		for (size_t i = 0; !err && i < FLOWS; i++) {
			char *text = xasprintf("%s/event=0x%x,umask=0x%x,ch_mask=0xf,fc_mask=0x7/",
					       port->pmu, flows[i].event, flows[i].umask);

			err = event_parse(&s->parser, &s->set, text, r);
			free(text);
		}
	}
	return err;
}

/* Dies are numbered over all sockets, in the order of their CPUs' ids. */
static size_t domain_of(const struct stat_session *q, const struct event *ev, u32 die)
{
	struct stat_domains dies;
	s32 *cpus = xcalloc(q->topology.cpus.count + 1, sizeof(*cpus));
	size_t n = 0, found = SIZE_MAX;

	vec_for_each(&q->topology.cpus, it)
		cpus[n++] = (s32)it->cpu;
	stat_domains_of_cpus(&dies, STAT_BY_DIE, &q->topology, cpus, n);
	for (size_t i = 0; i < ev->cpu_count; i++)
		for (size_t k = 0; k < n; k++)
			if (cpus[k] == (s32)ev->cpus[i] && dies.of_column[k] == die)
				for (size_t d = 0; d < q->domains.list.count; d++)
					if (q->domains.list.items[d].cpu == cpus[k])
						found = d;
	stat_domains_release(&dies);
	free(cpus);
	return found;
}

static void put_value(const struct stat_session *q, struct strbuf *b, const struct stat_port *port,
		      size_t flow)
{
	const struct event *ev = q->s->set.list.items[port->first_event + flow];
	size_t domain = domain_of(q, ev, port->die);
	struct stat_reading reading = { 0 };
	char text[32] = "";

	if (domain != SIZE_MAX)
		stat_read(&q->table, domain, ev, &reading);
	if (reading.counted)
		snprintf(text, sizeof(text), "%.0f", reading.value * 4 / (1024 * 1024));
	if (q->s->json)
		strbuf_f(b, ", \"%s\" : \"%s\"", flows[flow].name, text);
	else if (q->s->separator)
		strbuf_f(b, "%s%s", text, q->s->separator);
	else
		strbuf_f(b, "%*s ", VALUE_WIDTH, text);
}

static void put_head(const struct stat_session *q, struct strbuf *b, const char *prefix)
{
	const char *separator = q->s->separator;

	if (*prefix)
		strbuf_f(b, "%s%s", separator ? "time" : "#           time", separator ? separator : " ");
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

void iostat_print(const struct stat_session *q, struct strbuf *b, const char *prefix, bool head)
{
	if (head && !q->s->json)
		put_head(q, b, prefix);
	vec_for_each(&q->s->ports, port) {
		if (q->s->json)
			strbuf_f(b, "{%s\"port\" : \"%s\"", prefix, port->name);
		else if (q->s->separator)
			strbuf_f(b, "%s%s%s", prefix, port->name, q->s->separator);
		else
			strbuf_f(b, "%s%*s", prefix, -PORT_WIDTH, port->name);
		for (size_t i = 0; i < FLOWS; i++)
			put_value(q, b, port, i);
		strbuf_str(b, q->s->json ? "}\n" : "\n");
	}
}

void iostat_list(struct stat_session *q)
{
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&q->s->ports, it)
		strbuf_f(&b, "S%u-%s<%s>\n", it->die, it->pmu, it->name);
	stat_write(q, &b);
	strbuf_release(&b);
}
