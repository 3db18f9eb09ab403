// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched: what the scheduler did, and how long tasks waited for it. */
#include <string.h>

#include "builtin.h"
#include "builtin/sched/sched.h"
#include "cli/forward.h"
#include "cli/options.h"

static const char *const names[] = {
	"record", "script", "latency", "timehist", "map", "waits", "replay", "stats", NULL,
};

static int (*const subcommands[])(struct sched *s, int argc, const char **argv) = {
	sched_record, sched_script, sched_latency, sched_timehist,
	sched_map,    sched_waits,  sched_replay,  sched_stats,
};

/*
 * Returns the index of a name, of which at least three letters must be given ("rec", "lat"), or -1.
 */
static int find(const char *typed)
{
	for (int i = 0; names[i]; i++)
		if (subcommand_is(typed, names[i]))
			return i;
	return -1;
}

int cmd_sched(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf sched [<options>] {record|script|latency|timehist}",
		"perf sched [<options>] {map|waits|replay|stats}",
		NULL,
	};
	struct options o = {
		.command = "sched", .usage = usage, .subcommands = names, .stop_at_command = true
	};
	option_rows rows = VEC_INIT;
	struct sched s;
	int code, which;

	sched_init(&s, ctx);
	s.record = cmd_record;
	s.script = cmd_script;
	sched_common_rows(&s, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && !argc) {
		code = options_subcommand_error(&o, NULL);
	} else if (!code) {
		which = find(argv[0]);
		code = which >= 0 ? subcommands[which](&s, argc, argv)
				  : options_subcommand_error(&o, argv[0]);
	}
	vec_release(&rows);
	sched_close(&s);
	return code < 0 ? 0 : code;
}
