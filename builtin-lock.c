// SPDX-License-Identifier: GPL-2.0-or-later
/* perf lock: which tasks waited for which lock. */
#include <stdlib.h>
#include <string.h>

#include "analysis/record_events.h"
#include "builtin.h"
#include "builtin/lock/lock.h"
#include "cli/forward.h"
#include "cli/options.h"
#include "cli/say.h"
#include "record/command.h"

static const char *const subcommands[] = {
	"record", "report", "script", "info", "contention", NULL
};

static int record(struct context *ctx, struct lock *l, int argc, const char **argv)
{
	struct reason r = REASON_INIT;
	struct strlist args = { 0 };
	const char **words = NULL;
	int code;

	l->user = record_take_word(ctx, &argc, argv, "--user");
	if (lock_record_args(l, argc, argv, &args, &r)) {
		code = say_reason(&r);
	} else {
		words = record_argv(&args);
		code = cmd_record(ctx, (int)args.list.count, words);
	}
	free(words);
	strlist_release(&args);
	return code;
}

static int table(struct lock *l, enum lock_command which, const char *name, int argc,
		 const char **argv)
{
	const char *const usage[] = { name, NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "lock",
			     .usage = usage,
			     .settings = l,
			     .stop_at_command = which == LOCK_CONTENTION };
	int code;

	l->command = which;
	lock_option_rows(l, which, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc && !l->use_bpf)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	if (!code)
		code = lock_settle(l, &o);
	vec_release(&rows);
	return code ? code : lock_run(l, argc, argv);
}

/* Runs the subcommand, whose name may be shortened to three letters. */
static int run(struct context *ctx, struct lock *l, const struct options *o, int argc,
	       const char **argv)
{
	const char *what = argc ? argv[0] : "";

	if (subcommand_is(what, "record"))
		return record(ctx, l, argc - 1, argv + 1);
	if (subcommand_is(what, "report"))
		return table(l, LOCK_REPORT, "perf lock report [<options>]", argc, argv);
	if (subcommand_is(what, "contention"))
		return table(l, LOCK_CONTENTION, "perf lock contention [<options>]", argc, argv);
	if (subcommand_is(what, "info"))
		return table(l, LOCK_INFO, "perf lock info [<options>]", argc, argv);
	if (subcommand_is(what, "script"))
		return cmd_script(ctx, argc, argv);
	return options_subcommand_error(o, argc ? what : NULL);
}

int cmd_lock(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf lock [<options>] record [--user] [<record options>] [<command>]",
		"perf lock [<options>] report [<options>]",
		"perf lock [<options>] contention [<options>]",
		"perf lock [<options>] info [<options>]",
		"perf lock [<options>] script [<script options>]",
		NULL
	};
	struct lock l;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "lock",
			     .usage = usage,
			     .subcommands = subcommands,
			     .settings = &l,
			     .stop_at_command = true };
	int code;

	lock_init(&l, ctx);
	lock_option_rows(&l, LOCK_COMMON, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code)
		code = run(ctx, &l, &o, argc, argv);
	vec_release(&rows);
	lock_release(&l);
	return code < 0 ? 0 : code;
}
