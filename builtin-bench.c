// SPDX-License-Identifier: GPL-2.0-or-later
/* perf bench: small workloads that measure the kernel, the memory and perf itself. */
#include <string.h>

#include "builtin.h"
#include "builtin/bench/bench.h"
#include "cli/options.h"

static int parse_format(const char *text, bool json, enum bench_format *format)
{
	if (json)
		*format = BENCH_JSON;
	else if (!text || !strcmp(text, "default"))
		*format = BENCH_DEFAULT;
	else if (!strcmp(text, "simple"))
		*format = BENCH_SIMPLE;
	else
		return -1;
	return 0;
}

int cmd_bench(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf bench [<common options>] <collection> <benchmark> [<options>]",
		"perf bench [--json] --compare A.json B.json", NULL
	};
	struct bench_settings s = { .ctx = ctx, .repeat = 10, .inject = cmd_inject };
	const char *format = NULL, *compare = NULL;
	bool json = false;
	const struct option_row rows[] = {
		{ OPTION_STRING, 'f', "format", &format, .arg = "default|simple",
		  .help = "how the figures are printed" },
		{ OPTION_FLAG, 'j', "json", &json,
		  .help = "print a JSON object for each benchmark" },
		{ OPTION_UINT, 'r', "repeat", &s.repeat, .arg = "N",
		  .help = "how often short benchmarks are repeated (default: 10)" },
		{ OPTION_STRING, 0, "compare", &compare, .arg = "FILE",
		  .help = "compare two files of --json, this one and the one that follows" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "bench",
				   .usage = usage,
				   .rows = rows,
				   .subcommands = bench_collections(),
				   .stop_at_command = true };
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (format && json)
		return options_usage_error(&o, "--format and --json exclude each other");
	if (compare && (argc != 1 || format))
		return options_usage_error(
			&o, "--compare takes two files of perf bench --json, and no --format");
	if (parse_format(format, json, &s.format))
		return options_usage_error(&o, "--format: '%s' is neither default nor simple",
					   format);
	if (!s.repeat)
		return options_usage_error(&o, "--repeat: a benchmark has to run at least once");
	if (compare)
		return bench_compare(compare, argv[0], s.format);
	return bench_run(&s, argc, argv);
}
