// SPDX-License-Identifier: GPL-2.0-or-later
/* perf trace: system calls and other events, live. */
#include <string.h>

#include "builtin.h"
#include "builtin/trace/trace.h"

static int record(struct context *ctx, int argc, const char **argv)
{
	struct strlist words = { 0 };
	VEC(const char *) order = VEC_INIT; /* the parser moves other words to the front */
	int code;

	trace_record_arguments(&words, argc, argv);
	vec_for_each(&words.list, word)
		vec_push(&order, *word);
	vec_push(&order, NULL);
	code = cmd_record(ctx, (int)order.count - 1, order.items);
	vec_release(&order);
	strlist_release(&words);
	return code;
}

int cmd_trace(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf trace [<options>] [--] [<command>]",
		"perf trace record [<record options>] [--] [<command>]", NULL
	};
	static const char *const subcommands[] = { "record", NULL };
	struct trace *t;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "trace",
			     .usage = usage,
			     .subcommands = subcommands,
			     .stop_at_command = true };
	int code;

	if (argc > 1 && !strcmp(argv[1], "record"))
		return record(ctx, argc - 2, argv + 2);
	t = trace_new(ctx);
	o.settings = t;
	trace_option_rows(t, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code)
		code = trace_run(t, argc, argv);
	vec_release(&rows);
	trace_free(t);
	return code < 0 ? 0 : code;
}
