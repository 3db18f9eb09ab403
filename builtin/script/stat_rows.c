// SPDX-License-Identifier: GPL-2.0-or-later
/* What `perf stat record` wrote, as lines. */
#include "builtin/script/internal.h"
#include "builtin/script/stat_table.h"

struct stat_lines {
	struct strbuf *b;
	bool *headed;
};

static void add_row(void *arg, const struct stat_row *r)
{
	struct stat_lines *l = arg;

	if (!*l->headed)
		strbuf_f(l->b, "%3s %8s %15s %15s %15s %15s %s\n", "CPU", "THREAD", "VAL", "ENA",
			 "RUN", "TIME", "EVENT");
	*l->headed = true;
	strbuf_f(l->b, "%3d %8d %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " ", r->cpu,
		 r->thread, r->value, r->enabled, r->running, r->time);
	strbuf_printable(l->b, r->event->name);
	strbuf_char(l->b, '\n');
}

void script_add_stat(struct script *s, const struct record *rec, struct strbuf *b)
{
	static const struct stat_table_ops ops = { .row = add_row };
	struct stat_lines lines = { b, &s->stat_headed };

	if (!s->stat)
		s->stat = stat_table_new(s->set);
	stat_table_record(s->stat, rec, &ops, &lines);
}

void script_stat_release(struct script *s)
{
	stat_table_free(s->stat);
}
