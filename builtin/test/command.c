// SPDX-License-Identifier: GPL-2.0-or-later
/* What perf test does, once its options are known: lists, results as lines, workloads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "builtin/test/command.h"
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

int test_run_workload(const char *name, const char *control, int argc, const char **argv)
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

int test_list_workloads(void)
{
	for (const struct workload_row *w = workloads; w->name; w++) {
		char *usage = xasprintf("%s %s", w->name, w->args);

		printf("%-36s %s\n", usage, w->purpose);
		free(usage);
	}
	return 0;
}

int test_list(int argc, const char **argv)
{
	unsigned number = 0;

	for (const struct selftest_row *row = selftests; row->name; row++)
		if (selftest_selected(argc, argv, ++number, row->name))
			printf("%3u: %s\n", number, row->name);
	return 0;
}

int test_run(struct context *ctx, const struct selftest_settings *s, const char *junit, int argc,
	     const char **argv)
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
