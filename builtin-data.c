// SPDX-License-Identifier: GPL-2.0-or-later
/* perf data: recordings in other forms. */
#include <string.h>

#include "builtin.h"
#include "builtin/data/convert.h"
#include "cli/forward.h"
#include "cli/options.h"

static const char *const usage[] = { "perf data convert [<options>]", NULL };

static void add_rows(struct convert_settings *c, option_rows *rows)
{
	const struct option_row own[] = {
		{ OPTION_COUNT, 'v', "verbose", &c->a.ctx->verbose, .help = "report more" },
		{ OPTION_FLAG, 'q', "quiet", &c->a.ctx->quiet,
		  .help = "do not report what was converted" },
		{ OPTION_STRING, 0, "to-json", &c->to_json, .arg = "FILE",
		  .help = "write JSON (-: to standard output)" },
		{ OPTION_STRING, 0, "to-ctf", &c->to_ctf, .arg = "DIR",
		  .help = "write a trace in CTF 1.8" },
		{ OPTION_FLAG, 0, "tod", &c->tod, .help = "print wall-clock times" },
		{ OPTION_FLAG, 0, "all", &c->all,
		  .help = "convert records that are not samples, too (CTF)" },
		{ OPTION_STRING, 0, "time", &c->time, .arg = "START,STOP",
		  .help = "only samples in this time range" },
		OPT_END_ROW,
	};

	input_option_rows(rows, &c->a.open.input, &c->a.open.force);
	option_rows_add(rows, own, ARRAY_SIZE(own));
}

static int check(const struct convert_settings *c, const struct options *o, int argc,
		 const char **argv)
{
	if (argc)
		return options_usage_error(o, "'%s' is one argument too many", argv[0]);
	if (!c->to_json == !c->to_ctf)
		return options_usage_error(o, "give either --to-json or --to-ctf");
	if (c->all && c->to_json)
		return options_usage_error(o, "--all: JSON has only samples");
	return 0;
}

int cmd_data(struct context *ctx, int argc, const char **argv)
{
	static const char *const subcommands[] = { "convert", NULL };
	struct convert_settings c = { .to_json = NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "data",
			     .usage = usage,
			     .subcommands = subcommands,
			     .stop_at_command = true };
	int code;

	analysis_init(&c.a, ctx);
	add_rows(&c, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && !argc)
		code = options_subcommand_error(&o, NULL);
	if (!code && !subcommand_is(argv[0], "convert"))
		code = options_subcommand_error(&o, argv[0]);
	if (!code) {
		o.command = "data convert";
		o.stop_at_command = false;
		code = options_parse(&o, &argc, argv);
	}
	if (!code)
		code = check(&c, &o, argc, argv);
	vec_release(&rows);
	return code ? (code < 0 ? 0 : code) : convert_run(&c);
}
