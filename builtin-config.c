// SPDX-License-Identifier: GPL-2.0-or-later
/* perf config: read and write settings. */
#include "base/text.h"
#include "builtin.h"
#include "builtin/config/config.h"
#include "cli/options.h"

int cmd_config(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf config [--user | --system] SECTION.NAME[=VALUE]...",
		"perf config [--user | --system] --unset SECTION.NAME",
		"perf config [--user | --system] -l", NULL
	};
	struct config_settings s = { .unset = { VEC_INIT } };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'l', "list", &s.list, .help = "print every setting" },
		{ OPTION_LIST, 0, "unset", &s.unset, .arg = "NAME", .help = "remove a setting" },
		{ OPTION_FLAG, 0, "user", &s.user, .help = "read or write only ~/.perfconfig" },
		{ OPTION_FLAG, 0, "system", &s.system,
		  .help = "read or write only /etc/perfconfig" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "config", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);

	if (code)
		code = code < 0 ? 0 : code;
	else if (s.user && s.system)
		code = options_usage_error(&o, "--user and --system exclude each other");
	else if (s.list && (argc || s.unset.list.count))
		code = options_usage_error(&o, "--list takes no names");
	else if (!s.list && !argc && !s.unset.list.count)
		code = options_usage_error(&o, "nothing to read or write");
	else
		code = config_command_run(ctx, &s, argc, argv);
	strlist_release(&s.unset);
	return code;
}
