// SPDX-License-Identifier: GPL-2.0-or-later
/* perf check feature: is an optional part built in? */
#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "cli/features.h"
#include "cli/options.h"
#include "cli/say.h"

static int unknown_feature(const char *name, int len)
{
	say_error("unknown feature '%.*s'", len, name);
	say_hint("'perf version --build-options' lists the names");
	return EXIT_USAGE;
}

/* names: "libelf,zstd" */
static int check_features(const char *names, bool quiet)
{
	int code = 0;

	while (*names) {
		size_t len = strcspn(names, ",");
		const struct feature *f = feature_find(names, len);

		if (!f)
			return unknown_feature(names, (int)len);
		if (!quiet)
			feature_print(f);
		if (!f->on)
			code = 1;
		names += len + (names[len] == ',');
	}
	return code;
}

int cmd_check(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf check [-q] feature NAME[,NAME]...", NULL };
	static const char *const subcommands[] = { "feature", NULL };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'q', "quiet", &ctx->quiet,
		  .help = "print nothing; the exit status is the answer" },
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "check", .usage = usage, .rows = rows, .subcommands = subcommands,
	};
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc < 1 || strcmp(argv[0], "feature"))
		return options_usage_error(&o, argc < 1 ? "nothing to check" :
					   "'%s' is not a feature that can be checked", argv[0]);
	if (argc != 2 || !*argv[1])
		return options_usage_error(&o, "give one list of features");
	return check_features(argv[1], ctx->quiet);
}
