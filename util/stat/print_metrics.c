// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --metric-only: a line for each domain, a column for each ratio, without the
 * counts.  As in perf 6.1, rates per second and "CPUs utilized" are not ratios
 * here.  A column exists if its events do, so headings and values stay in line
 * in all intervals; a domain without a value has spaces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "stat/internal.h"

enum { COLUMN_WIDTH = 20 };

struct column {
	const struct event *ev;
	const char *unit;
	char *head;
};
struct columns {
	VEC(struct column) list;
};

static void add_column(struct columns *c, const struct event *ev, const char *unit)
{
	bool of_all = str_starts(unit, "of all");
	char *cgroup;

	vec_for_each(&c->list, it)
		if (it->ev == ev && !strcmp(it->unit, unit))
			return;
	cgroup = printable_copy(ev->cgroup ? ev->cgroup : "");
	vec_push(&c->list,
		 (struct column){ .ev = ev,
				  .unit = unit,
				  .head = xasprintf("%s%s%s%s%s", of_all ? ev->name : "",
						    of_all ? " " : "", unit + strspn(unit, " "),
						    *cgroup ? " " : "", cgroup) });
	free(cgroup);
}

static void find_columns(const struct stat_row *r, struct columns *c)
{
	const char *units[STAT_METRICS_MAX];

	vec_for_each(&r->table->set->list, ev)
		for (size_t i = 0, n = stat_metric_units(r->table, *ev, units); i < n; i++)
			add_column(c, *ev, units[i]);
}

static const struct stat_metric *find(const struct stat_row *r, const struct column *c,
				      struct stat_metric m[STAT_METRICS_MAX])
{
	size_t n = stat_metrics(r->table, r->domain, c->ev, m);

	for (size_t i = 0; i < n; i++)
		if (m[i].unit && !strcmp(m[i].unit, c->unit))
			return &m[i];
	return NULL;
}

static int column_width(const struct column *c)
{
	int head = (int)strlen(c->head);

	return MAX(head, (int)COLUMN_WIDTH);
}

/* Writes the number without spaces around it; for programs also without a unit. */
static void put_number(struct strbuf *b, const struct stat_metric *m, bool bare)
{
	char text[64];
	const char *at;
	size_t n;

	snprintf(text, sizeof(text), m->format, m->value);
	at = text + strspn(text, " ");
	n = bare ? strspn(at, "-0123456789.") : strlen(at);
	strbuf_add(b, at, n);
}

static void put_line(const struct stat_row *r, const struct columns *c)
{
	struct stat_metric m[STAT_METRICS_MAX];

	strbuf_str(r->b, r->prefix);
	stat_put_domain(r);
	vec_for_each(&c->list, it) {
		const struct stat_metric *one = find(r, it, m);
		char text[64] = "";

		if (r->style->separator) {
			if (one)
				put_number(r->b, one, true);
			strbuf_str(r->b, r->style->separator);
			continue;
		}
		if (one)
			snprintf(text, sizeof(text), one->format, one->value);
		strbuf_f(r->b, "%*s ", column_width(it), text);
	}
	strbuf_char(r->b, '\n');
}

static void put_object(const struct stat_row *r, const struct columns *c)
{
	struct stat_metric m[STAT_METRICS_MAX];
	size_t start;

	stat_json_begin(r);
	start = r->b->len;
	vec_for_each(&c->list, it) {
		const struct stat_metric *one = find(r, it, m);

		json_text(r->b, it->head);
		strbuf_str(r->b, " : \"");
		if (one)
			put_number(r->b, one, true);
		strbuf_str(r->b, "\", ");
	}
	if (r->b->len > start || str_ends(strbuf_cstr(r->b), ", "))
		strbuf_truncate(r->b, r->b->len - 2);
	strbuf_str(r->b, "}\n");
}

static void put_head_csv(const struct stat_row *r, const struct columns *c)
{
	static const char *const domains[] = {
		[STAT_BY_ALL] = "",
		[STAT_BY_CPU] = "cpu,",
		[STAT_BY_CORE] = "core,cpus,",
		[STAT_BY_CLUSTER] = "cluster,cpus,",
		[STAT_BY_DIE] = "die,cpus,",
		[STAT_BY_CACHE] = "cache,cpus,",
		[STAT_BY_SOCKET] = "socket,cpus,",
		[STAT_BY_NODE] = "node,cpus,",
		[STAT_BY_THREAD] = "comm-pid,",
	};
	const char *text = domains[r->table->domains->by];

	if (*r->prefix)
		strbuf_f(r->b, "time%s", r->style->separator);
	for (; *text; text++)
		if (*text == ',')
			strbuf_str(r->b, r->style->separator);
		else
			strbuf_char(r->b, *text);
	vec_for_each(&c->list, it)
		strbuf_f(r->b, "%s%s", it->head, r->style->separator);
	strbuf_char(r->b, '\n');
}

static void put_head_text(const struct stat_row *r, const struct columns *c)
{
	static const int widths[] = {
		[STAT_BY_ALL] = 0,      [STAT_BY_CPU] = 11,  [STAT_BY_CORE] = 21,
		[STAT_BY_CLUSTER] = 20, [STAT_BY_DIE] = 18,  [STAT_BY_CACHE] = 26,
		[STAT_BY_SOCKET] = 12,  [STAT_BY_NODE] = 12, [STAT_BY_THREAD] = 26,
	};

	/* with an interval, the header of the time is there already */
	if (!*r->prefix)
		strbuf_pad(r->b, ' ', widths[r->table->domains->by]);
	vec_for_each(&c->list, it)
		strbuf_f(r->b, "%*s ", column_width(it), it->head);
	strbuf_char(r->b, '\n');
}

void stat_print_metrics_only(struct stat_row *r)
{
	struct columns c = { VEC_INIT };

	find_columns(r, &c);
	r->cpus_counted = true;
	if (!r->style->json && !r->style->no_head) {
		if (r->style->separator)
			put_head_csv(r, &c);
		else
			put_head_text(r, &c);
	}
	for (r->domain = 0; r->domain < r->table->domains->list.count; r->domain++) {
		if (r->style->json)
			put_object(r, &c);
		else
			put_line(r, &c);
	}
	vec_for_each(&c.list, it)
		free(it->head);
	vec_release(&c.list);
}
