// SPDX-License-Identifier: GPL-2.0-or-later
/* perf ftrace: what functions the kernel runs. */
#include <string.h>

#include "builtin.h"
#include "builtin/ftrace/ftrace.h"
#include "cli/options.h"

int cmd_ftrace(struct context *ctx, int argc, const char **argv)
{
	static const char *const subcommands[] = { "trace", "latency", "profile", NULL };
	static const char *const usage[] = { "perf ftrace [trace] [<options>] [<command>]",
					     "perf ftrace latency [<options>] [<command>]",
					     "perf ftrace profile [<options>] [<command>]", NULL };
	enum ftrace_command command = FTRACE_TRACE;
	struct ftrace f;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "ftrace",
			     .usage = usage,
			     .subcommands = subcommands,
			     .settings = &f,
			     .stop_at_command = true };
	int code;

	if (argc > 1 && !strcmp(argv[1], "latency"))
		command = FTRACE_LATENCY;
	else if (argc > 1 && !strcmp(argv[1], "profile"))
		command = FTRACE_PROFILE;
	if (argc > 1 && (command != FTRACE_TRACE || !strcmp(argv[1], "trace"))) {
		argc--;
		argv++;
	}
	ftrace_init(&f, ctx);
	ftrace_option_rows(&f, command, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code)
		code = ftrace_settle(&f, &o, argc);
	vec_release(&rows);
	if (!code)
		code = ftrace_run(&f, argc, argv);
	ftrace_release(&f);
	return code < 0 ? 0 : code;
}
