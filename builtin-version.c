// SPDX-License-Identifier: GPL-2.0-or-later
/* perf version: the version and the built-in features. */
#include <stdio.h>

#include "base/version.h"
#include "builtin.h"
#include "cli/features.h"
#include "cli/options.h"

int cmd_version(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf version [--build-options]", NULL };
	bool build_options = false;
	const struct option_row rows[] = {
		{ OPTION_FLAG, 0, "build-options", &build_options,
		  .help = "also print which optional parts are built in" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "version", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);

	(void)ctx;
	if (code)
		return code < 0 ? 0 : code;
	if (argc)
		return options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	printf("perf version %s\n", PERF_VERSION);
	for (const struct feature *f = features; build_options && f->name; f++)
		feature_print(f);
	if (build_options)
		licence_print();
	return 0;
}
