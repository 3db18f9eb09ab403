// SPDX-License-Identifier: GPL-2.0-or-later
/* perf daemon: recordings in the background, as a configuration file says. */
#include <string.h>

#include "builtin.h"
#include "builtin/daemon/daemon.h"
#include "cli/forward.h"
#include "cli/options.h"

enum { START, STOP, SIGNAL, PING };
static const char *const subcommands[] = { "start", "stop", "signal", "ping", NULL };

/* Adds the options that may come before or after the subcommand. */
static void add_common(struct daemon_settings *s, option_rows *rows)
{
	const struct option_row common[] = {
		{ OPTION_COUNT, 'v', "verbose", &s->ctx->verbose, .help = "report more" },
		{ OPTION_STRING, 0, "config", &s->config, .arg = "FILE",
		  .help = "the configuration (default: /etc/perfconfig and ~/.perfconfig)" },
		{ OPTION_STRING, 0, "base", &s->base, .arg = "DIR",
		  .help = "the daemon's directory" },
		{ OPTION_STRING, 'x', "field-separator", &s->separator, .arg = "CHAR",
		  .flags = OPT_OPTIONAL, .given = &s->separated,
		  .help = "separate the fields of the list and of ping with this (default: ,)" },
	};

	option_rows_add(rows, common, ARRAY_SIZE(common));
}

static void add_own(struct daemon_settings *s, int command, option_rows *rows)
{
	const struct option_row foreground = { OPTION_FLAG, 'f', "foreground", &s->foreground,
					       .help = "stay in the foreground" };
	const struct option_row session = {
		OPTION_STRING, 0,
		"session",     &s->session,
		.arg = "NAME", .help = "only this session (default: all)"
	};

	if (command == START)
		option_rows_add(rows, &foreground, 1);
	if (command == SIGNAL || command == PING)
		option_rows_add(rows, &session, 1);
}

static int run_subcommand(struct daemon_settings *s, int command, int argc, const char **argv)
{
	static int (*const run[])(const struct daemon_settings *) = { daemon_start, daemon_stop,
								      daemon_signal, daemon_ping };
	static const char *const names[] = { "daemon start", "daemon stop", "daemon signal",
					     "daemon ping" };
	static const char *const usage[][2] = { { "perf daemon start [<options>]", NULL },
						{ "perf daemon stop [<options>]", NULL },
						{ "perf daemon signal [<options>]", NULL },
						{ "perf daemon ping [<options>]", NULL } };
	option_rows rows = VEC_INIT;
	struct options o = { .command = names[command], .usage = usage[command] };
	int code;

	add_own(s, command, &rows);
	add_common(s, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	vec_release(&rows);
	return code ? (code < 0 ? 0 : code) : run[command](s);
}

int cmd_daemon(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf daemon {start|stop|signal|ping} [<options>]",
					     "perf daemon [<options>]", NULL };
	struct daemon_settings s = { .ctx = ctx };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "daemon",
			     .usage = usage,
			     .subcommands = subcommands,
			     .stop_at_command = true };
	int code;

	add_common(&s, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	for (int i = 0; !code && argc && subcommands[i]; i++)
		if (subcommand_is(argv[0], subcommands[i])) {
			vec_release(&rows);
			return run_subcommand(&s, i, argc, argv);
		}
	if (!code && argc)
		code = options_subcommand_error(&o, argv[0]);
	vec_release(&rows);
	return code ? (code < 0 ? 0 : code) : daemon_list(&s);
}
