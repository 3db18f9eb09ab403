// SPDX-License-Identifier: GPL-2.0-or-later
/* perf test: self-checks of machine and installation, and the bundled workloads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin.h"
#include "builtin/test/runner.h"
#include "builtin/test/workload.h"
#include "cli/options.h"
#include "cli/say.h"

struct printer {
	int verbose, width;
};

static bool is_colour(void)
{
	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

static void print_log(const char *log)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_str(&b, log);
	strbuf_printable_from(&b, 0);
	fputs(strbuf_cstr(&b), stdout);
	strbuf_release(&b);
}

static void print_result(void *arg, const struct selftest_run *run)
{
	const struct printer *p = arg;
	static const char *const words[] = { "Ok", "Skip", "FAILED!" };
	static const char *const colours[] = { "", "\033[33m", "\033[31m" };
	const char *colour = is_colour() ? colours[run->result] : "";

	printf("%3u: %-*s: %s%s%s", run->number, p->width, run->row->name, colour,
	       words[run->result], *colour ? "\033[m" : "");
	if (run->reason && *run->reason) {
		char *reason = printable_copy(run->reason);

		printf(" (%s)", reason);
		free(reason);
	}
	putchar('\n');
	if (run->log && (p->verbose > 1 || (p->verbose && run->result != SELFTEST_OK)))
		print_log(run->log);
	fflush(stdout);
}

static int run_workload(const char *name, const char *control, int argc, const char **argv)
{
	const struct workload_row *w = workload_find(name);
	struct reason r = REASON_INIT;
	const char *near;
	int err;

	if (!w) {
		say_error("there is no workload '%s'", name);
		near = workload_nearest(name);
		if (near)
			say_hint("did you mean '%s'? 'perf test --list-workloads' lists them",
				 near);
		else
			say_hint("'perf test --list-workloads' lists them");
		return EXIT_USAGE;
	}
	err = control ? workload_run_recorded(w, control, argc, argv, &r)
		      : workload_run(w, argc, argv, &r);
	return err ? say_reason(&r) : 0;
}

static int list_workloads(void)
{
	for (const struct workload_row *w = workloads; w->name; w++) {
		char *usage = xasprintf("%s %s", w->name, w->args);

		printf("%-36s %s\n", usage, w->purpose);
		free(usage);
	}
	return 0;
}

static int list_tests(int argc, const char **argv)
{
	unsigned number = 0;

	for (const struct selftest_row *row = selftests; row->name; row++)
		if (selftest_selected(argc, argv, ++number, row->name))
			printf("%3u: %s\n", number, row->name);
	return 0;
}

static int run_tests(struct context *ctx, const struct selftest_settings *s, const char *junit,
		     int argc, const char **argv)
{
	struct reason r = REASON_INIT;
	selftest_runs runs = VEC_INIT;
	struct printer p = { s->verbose, selftest_choose(s, argc, argv, &runs) };
	int code = 0;

	if (!runs.count) {
		say_error("no test is named '%s'", argv[0]);
		say_hint("'perf test list' shows them");
		return 1;
	}
	selftest_run(ctx, s, &runs, print_result, &p);
	vec_for_each(&runs, run)
		if (run->result == SELFTEST_FAILED)
			code = 1;
	if (junit && selftest_junit(junit, &runs, &r))
		code = say_reason(&r);
	selftest_runs_release(&runs);
	return code;
}

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
		return list_workloads();
	if (workload)
		return run_workload(workload, control, argc, argv);
	if (control)
		return options_usage_error(&o, "--record-ctl needs -w");
	if (!s.runs || !s.timeout)
		return options_usage_error(&o, "--%s needs a number above 0",
					   s.runs ? "timeout" : "runs-per-test");
	for (int i = 0; i < argc; i++)
		if (*argv[i] == '-')
			return options_usage_error(&o, "'%s' must come before the checks", argv[i]);
	if (argc && !strcmp(argv[0], "list"))
		return list_tests(argc - 1, argv + 1);
	return run_tests(ctx, &s, junit, argc, argv);
}
