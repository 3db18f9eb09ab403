// SPDX-License-Identifier: GPL-2.0-or-later
/* perf diff: profiles of several recordings side by side. */
#include "builtin.h"
#include "builtin/diff/command.h"

int cmd_diff(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf diff [<options>] [BASELINE] [FILE]...", NULL };
	struct diff_command c;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "diff", .usage = usage, .settings = &c };
	int code;

	diff_command_init(&c, ctx);
	diff_command_rows(&c, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	vec_release(&rows);
	if (!code)
		code = diff_command_run(&c, argc, argv);
	diff_command_release(&c);
	return code < 0 ? 0 : code;
}
