// SPDX-License-Identifier: GPL-2.0-or-later
/* perf c2c: the options of record and report, and what record is called with. */
#include <stdlib.h>
#include <string.h>

#include "builtin/c2c/c2c.h"
#include "spe/decode.h"

void c2c_init(struct c2c *c, struct context *ctx)
{
	*c = (struct c2c){ .side.callers.least = 0.5 };
	analysis_init(&c->a, ctx);
	c->a.traces = SPE_WANT_MEMORY;
}

void c2c_release(struct c2c *c)
{
	strlist_release(&c->words);
	memory_events_release(&c->choice);
	analysis_release(&c->a);
}

void c2c_record_rows(struct c2c *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Memory accesses" },
		{ OPTION_STRING, 'e', "event", &c->events, .arg = "EVENT[,EVENT]...",
		  .help = "these events, by a part of their names; 'list' shows them" },
		{ OPTION_U64, 'l', "ldlat", &c->latency, .arg = "CYCLES",
		  .given = &c->latency_given,
		  .help = "leave out loads that took fewer cycles (default: 30)" },
		{ OPTION_FLAG, 'u', "all-user", &c->all_user, .help = "only in user mode" },
		{ OPTION_FLAG, 'k', "all-kernel", &c->all_kernel, .help = "only in the kernel" },
		{ OPTION_COUNT, 'v', "verbose", &c->a.ctx->verbose,
		  .help = "show the command line of perf record; twice: attrs, too" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static int set_callers(const struct option_call *call, struct reason *r)
{
	struct c2c *c = call->settings;

	c->side.callers.wanted = !call->negated;
	return call->negated || !call->value ? 0 : callers_parse(&c->side.callers, call->value, r);
}

void c2c_report_rows(struct c2c *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 'd', "display", &c->display, .arg = "tot|lcl|rmt|peer",
		  .help = "sort by loads that hit modified lines (HITM) anywhere, in the local or "
			  "a remote "
			  "node, or by snoops of peer caches" },
		{ OPTION_STRING, 'c', "coalesce", &c->coalesce, .arg = "KEY[,KEY]...",
		  .help = "group the accesses of a line by pid, tid, iaddr, dso (default: iaddr)" },
		{ OPTION_CALLBACK, 'g', "call-graph", NULL, .set = set_callers,
		  .flags = OPT_LAST_DEFAULT, .arg = "caller|callee|none[,PERCENT]",
		  .help = "show who called the code; leave out branches below PERCENT (default: "
			  "callee,0.5)" },
		{ OPTION_FLAG, 0, "stitch-lbr", &c->side.callers.stitch,
		  .help = "extend chains of branch registers with those of the previous sample; "
			  "implies -g" },
		{ OPTION_STRING, 'M', "disassembler-style", &c->code.syntax, .arg = "STYLE",
		  .help = "syntax of functions opened in the browser (key a): att or intel; others "
			  "are passed to objdump" },
		{ OPTION_STRING, 0, "objdump", &c->code.objdump, .arg = "PATH",
		  .help = "disassemble with this objdump" },
		{ OPTION_COUNT, 'N', "node-info", &c->node_info,
		  .help = "show each node's share; twice: its CPUs" },
		{ OPTION_FLAG, 0, "show-all", &c->show_all,
		  .help = "also show lines with less than 0.1% of the column that is sorted by" },
		{ OPTION_FLAG, 0, "double-cl", &c->double_line,
		  .help = "treat adjacent lines as one, since CPUs fetch them in pairs" },
		{ OPTION_FLAG, 0, "full-symbols", &c->full_symbols, .help = "do not cut names" },
		{ OPTION_FLAG, 0, "no-source", &c->no_source, .help = "without source lines",
		  .flags = OPT_NO_NEGATE },
		{ OPTION_FLAG, 0, "stats", &c->stats, .help = "print only the totals" },
		{ OPTION_FLAG, 0, "stdio", &c->stdio, .help = "plain text" },
		{ OPTION_FLAG, 0, "tui", &c->tui,
		  .help = "browse in the terminal (default if there is one)" },
		{ OPTION_COUNT, 'v', "verbose", &c->a.ctx->verbose, .help = "say more" },
	};

	input_option_rows(rows, &c->a.open.input, &c->a.open.force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
	symbol_option_rows(rows, &c->a);
	line_option_rows(rows, &c->sources);
}

/* ---- record ---- */

static int find_events(struct c2c *c, struct reason *r)
{
	memory_events_find(&c->choice, NULL);
	c->choice.latency = c->latency;
	c->choice.latency_given = c->latency_given;
	return memory_events_require(&c->choice, r);
}

int c2c_list_events(struct c2c *c, struct strbuf *out, struct reason *r)
{
	int err = find_events(c, r);

	if (!err)
		memory_events_list(&c->choice, c->a.ctx->verbose > 0, out);
	return err;
}

int c2c_record_words(struct c2c *c, struct strlist *line, struct reason *r)
{
	int err = find_events(c, r);

	if (!err && c->events)
		err = memory_events_choose(&c->choice, c->events, r);
	else if (!err)
		err = memory_events_choose_ops(&c->choice, MEMORY_LOAD | MEMORY_STORE, r);
	if (err)
		return err;
	strlist_add(line, "record");
	if (memory_events_have_cost(&c->choice))
		strlist_add(line, "-W");
	strlist_add(line, "-d");
	strlist_add(line, "--phys-data");
	strlist_add(line, "--sample-cpu");
	err = memory_events_words(&c->choice, line, r);
	if (c->all_user)
		strlist_add(line, "--all-user");
	if (c->all_kernel)
		strlist_add(line, "--all-kernel");
	return err;
}
