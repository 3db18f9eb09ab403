// SPDX-License-Identifier: GPL-2.0-or-later
/* perf c2c: which cache lines processors fight over. */
#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "builtin/c2c/c2c.h"
#include "cli/say.h"
#include "record/forward.h"

static int record(struct c2c *c, struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf c2c record [<options>] [<command>]",
					     "perf c2c record [<options>] -- <command> [<options>]",
					     NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "c2c", .usage = usage, .stop_at_command = true };
	struct strlist line = { 0 };
	struct strbuf text = STRBUF_INIT;
	struct reason r = REASON_INIT;
	int code, err;

	c2c_record_rows(c, &rows);
	record_forward_rows(ctx, &rows, &c->words);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && c->events && !strcmp(c->events, "list")) {
		err = c2c_list_events(c, &text, &r);
		fputs(strbuf_cstr(&text), stderr);
		code = err ? say_reason(&r) : -1;
	}
	if (!code)
		code = c2c_record_words(c, &line, &r)
			       ? say_reason(&r)
			       : forward_run(ctx, &line, &c->words, argc, argv, cmd_record);
	vec_release(&rows);
	strbuf_release(&text);
	strlist_release(&line);
	return code;
}

static int report(struct c2c *c, int argc, const char **argv)
{
	static const char *const usage[] = { "perf c2c report [<options>]", NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "c2c", .usage = usage, .settings = c };
	int code;

	c2c_report_rows(c, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	if (!code)
		code = c2c_report(c);
	vec_release(&rows);
	return code;
}

int cmd_c2c(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf c2c {record|report}", NULL };
	static const char *const subcommands[] = { "record", "report", NULL };
	const struct option_row rows[] = {
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose, .help = "say more" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "c2c",
				   .usage = usage,
				   .rows = rows,
				   .subcommands = subcommands,
				   .stop_at_command = true };
	struct c2c c;
	int code;

	c2c_init(&c, ctx);
	code = options_parse(&o, &argc, argv);
	if (!code && !argc)
		code = options_subcommand_error(&o, NULL);
	else if (!code && subcommand_is(argv[0], "record"))
		code = record(&c, ctx, argc, argv);
	else if (!code && subcommand_is(argv[0], "report"))
		code = report(&c, argc, argv);
	else if (!code)
		code = options_subcommand_error(&o, argv[0]);
	c2c_release(&c);
	return code < 0 ? 0 : code;
}
