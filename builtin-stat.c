// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: count events of a command, of tasks, of CPUs. */
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "builtin.h"
#include "builtin/stat/counting.h"
#include "cli/say.h"
#include "probe/session.h"

static void say(enum stat_said kind, const char *text)
{
	if (kind == STAT_SAID_NOTE)
		say_note("%s", text);
	else if (kind == STAT_SAID_WARNING)
		say_warning("%s", text);
	else
		out_text(STDERR_FILENO, text, strlen(text));
}

static int count(struct context *ctx, int argc, const char **argv)
{
	struct session_probes probes = { .ctx = ctx, .command = "stat" };
	const struct stat_host host = { .resolve = session_probe_resolve,
					.resolve_arg = &probes,
					.say = say };
	struct reason r = REASON_INIT;
	bool warn = false;
	int code = stat_count(ctx, &host, argc, argv, &warn, &r);

	session_probes_release(&probes);
	if (r.text) {
		say_reason(&r);
		return code;
	}
	if (warn)
		say_conditions(ctx);
	return code;
}

static int report(struct context *ctx, int argc, const char **argv)
{
	struct reason r = REASON_INIT;
	int code = stat_report(ctx, argc, argv, &r);

	if (r.text)
		return say_reason(&r);
	return code ? code : say_conditions(ctx);
}

int cmd_stat(struct context *ctx, int argc, const char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "report"))
		return report(ctx, argc - 1, argv + 1);
	return count(ctx, argc, argv);
}
