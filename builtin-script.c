// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script: every sample as text, in time order. */
#include "builtin.h"
#include "script/command.h"

int cmd_script(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf script [<options>]", NULL };
	struct script_command c;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "script", .usage = usage, .settings = &c };
	int code;

	script_command_init(&c, ctx);
	script_command_rows(&c, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s': scripts cannot be run", argv[0]);
	if (!code)
		code = script_command_run(&c, &o);
	vec_release(&rows);
	script_command_release(&c);
	return code < 0 ? 0 : code;
}
