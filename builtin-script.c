// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script: every sample as text, in time order, or given to a script. */
#include "builtin.h"
#include "cli/pager.h"
#include "builtin/script/engine.h"
#include "builtin/script/command.h"
#include "builtin/stat/counting.h"

int cmd_script(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf script [<options>]",
		"perf script [<options>] record <script> [<record-options>] [<command>]",
		"perf script [<options>] report <script> [script-args]",
		"perf script [<options>] <script> [<record-options>] [args] [-- command]", NULL
	};
	static const char *const subcommands[] = { "record", "report", NULL };
	struct script_command c;
	struct engine_command e;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "script",
			     .usage = usage,
			     .settings = &c,
			     .subcommands = subcommands,
			     .stop_at_command = true };
	int code;

	script_command_init(&c, ctx);
	engine_command_init(&e, &c);
	e.stat_has = stat_has_option;
	engine_command_rows(&e, &rows);
	script_command_rows(&c, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	/* a script by its name runs other commands, which see to theirs themselves */
	if (!code && (!argc || e.script_text || e.generate))
		pager_start(ctx, "script");
	if (!code)
		code = engine_command_run(&e, &o, argc, argv);
	else
		code = code < 0 ? 0 : code;
	if (code < 0)
		code = script_command_run(&c, &o);
	vec_release(&rows);
	engine_command_release(&e);
	script_command_release(&c);
	return code;
}
