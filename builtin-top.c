// SPDX-License-Identifier: GPL-2.0-or-later
/* perf top: what runs now. */
#include "builtin.h"
#include "builtin/top/top.h"

int cmd_top(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf top [<options>]", NULL };
	struct top t;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "top", .usage = usage, .settings = &t };
	int code;

	top_init(&t, ctx);
	top_option_rows(&t, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(
			&o, "'%s': perf top runs no command; -p PID watches a process", argv[0]);
	vec_release(&rows);
	if (!code)
		code = top_run(&t);
	top_release(&t);
	return code < 0 ? 0 : code;
}
