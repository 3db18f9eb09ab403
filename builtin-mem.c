// SPDX-License-Identifier: GPL-2.0-or-later
/* perf mem: single memory accesses, by perf record and perf report. */
#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "builtin/mem/mem.h"
#include "builtin/report/forward.h"
#include "cli/say.h"
#include "record/forward.h"

static int record(struct mem *m, int argc, const char **argv)
{
	static const char *const usage[] = { "perf mem record [<options>] [<command>]",
					     "perf mem record [<options>] -- <command> [<options>]",
					     NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "mem", .usage = usage, .stop_at_command = true };
	struct strlist line = { 0 };
	struct strbuf text = STRBUF_INIT;
	struct reason r = REASON_INIT;
	int code, err;

	mem_record_rows(m, &rows);
	record_forward_rows(m->ctx, &rows, &m->words);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && m->events && !strcmp(m->events, "list")) {
		err = mem_list_events(m, &text, &r);
		fputs(strbuf_cstr(&text), stderr);
		code = err ? say_reason(&r) : -1;
	}
	if (!code)
		code = mem_record_words(m, &line, &r)
			       ? say_reason(&r)
			       : forward_run(m->ctx, &line, &m->words, argc, argv, cmd_record);
	vec_release(&rows);
	strbuf_release(&text);
	strlist_release(&line);
	return code;
}

static int report(struct mem *m, int argc, const char **argv)
{
	static const char *const usage[] = { "perf mem report [<options>]", NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "mem", .usage = usage };
	struct strlist line = { 0 };
	int code;

	mem_report_rows(m, &rows);
	report_forward_rows(m->ctx, &rows, &m->words);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && m->dump && (m->words.list.count || argc))
		code = options_usage_error(
			&o, "-D prints samples one by one and cannot be combined with '%s'",
			argc ? argv[0] : m->words.list.items[0]);
	if (!code && m->dump)
		code = mem_dump(m);
	else if (!code) {
		mem_report_words(m, &line);
		code = forward_run(m->ctx, &line, &m->words, argc, argv, cmd_report);
	}
	vec_release(&rows);
	strlist_release(&line);
	return code;
}

int cmd_mem(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf mem [<options>] {record|report}", NULL };
	static const char *const subcommands[] = { "record", "report", NULL };
	const struct option_row verbose = { OPTION_COUNT, 'v', "verbose", &ctx->verbose,
					    .help = "as after record and report" };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "mem",
			     .usage = usage,
			     .subcommands = subcommands,
			     .stop_at_command = true };
	struct mem m;
	int code;

	mem_init(&m, ctx);
	mem_option_rows(&m, &rows);
	option_rows_add(&rows, &verbose, 1);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && !argc && m.dump)
		code = mem_dump(&m);
	else if (!code && !argc)
		code = options_subcommand_error(&o, NULL);
	else if (!code && subcommand_is(argv[0], "record"))
		code = record(&m, argc, argv);
	else if (!code && subcommand_is(argv[0], "report"))
		code = report(&m, argc, argv);
	else if (!code)
		code = options_subcommand_error(&o, argv[0]);
	vec_release(&rows);
	mem_release(&m);
	return code < 0 ? 0 : code;
}
