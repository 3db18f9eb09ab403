// SPDX-License-Identifier: GPL-2.0-or-later
/* perf test: self-checks of machine and installation, and the bundled workloads. */
#include <string.h>

#include "builtin.h"
#include "builtin/test/command.h"
#include "builtin/test/runner.h"
#include "cli/options.h"

int cmd_test(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf test [<options>] [<name fragment>|<number> ...]",
		"perf test [<options>] list [<name fragment> ...]",
		"perf test -w <workload> [<arguments>]",
		NULL,
	};
	static const char *const subcommands[] = { "list", NULL };
	struct selftest_settings s = { .runs = 1, .timeout = 30 };
	const char *junit = NULL, *workload = NULL, *control = NULL;
	bool list = false;
	const struct option_row rows[] = {
		{ OPTION_STRING, 's', "skip", &s.skip, "LIST",
		  "leave these out: numbers or name fragments, separated by commas" },
		{ OPTION_COUNT, 'v', "verbose", &s.verbose, NULL,
		  "show the log of failed checks; -vv: of all checks" },
		{ OPTION_FLAG, 'F', "dont-fork", &s.no_fork, NULL,
		  "run every check in this process, for a debugger" },
		{ OPTION_FLAG, 'S', "sequential", &s.sequential, NULL,
		  "run one check after the other, not in parallel" },
		{ OPTION_UINT, 'r', "runs-per-test", &s.runs, "N",
		  "run each check N times, up to its first failure" },
		{ OPTION_UINT, 0, "timeout", &s.timeout, "SECONDS",
		  "seconds after which a check has failed (30)" },
		{ OPTION_STRING, 0, "dso", &s.dso, "FILE",
		  "the file that the checks Symbols and Code read" },
		{ OPTION_STRING, 0, "objdump", &s.objdump, "PROGRAM",
		  "the objdump that the check Code runs" },
		{ OPTION_STRING, 'j', "junit", &junit, "FILE",
		  "write the results as JUnit XML, too" },
		{ OPTION_STRING, 'w', "workload", &workload, "NAME", "run a bundled workload" },
		{ OPTION_STRING, 0, "record-ctl", &control, "fifo:CTL[,ACK]",
		  "with -w: the workload alone is measured, by a perf record or stat with this "
		  "--control" },
		{ OPTION_FLAG, 0, "list-workloads", &list, NULL, "list the bundled workloads" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "test",
				   .usage = usage,
				   .rows = rows,
				   .subcommands = subcommands,
				   .stop_at_command = true };
	int err = options_parse(&o, &argc, argv);

	if (err)
		return err < 0 ? 0 : err;
	if (list)
		return test_list_workloads();
	if (workload)
		return test_run_workload(workload, control, argc, argv);
	if (control)
		return options_usage_error(&o, "--record-ctl needs -w");
	if (!s.runs || !s.timeout)
		return options_usage_error(&o, "--%s needs a number above 0",
					   s.runs ? "timeout" : "runs-per-test");
	for (int i = 0; i < argc; i++)
		if (*argv[i] == '-')
			return options_usage_error(&o, "'%s' must come before the checks", argv[i]);
	if (argc && !strcmp(argv[0], "list"))
		return test_list(argc - 1, argv + 1);
	return test_run(ctx, &s, junit, argc, argv);
}
