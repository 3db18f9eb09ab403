// SPDX-License-Identifier: GPL-2.0-or-later
/* perf test: self-checks of machine and installation, and the bundled workloads. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "selftest/selftest.h"
#include "selftest/workload.h"

struct test_settings {
	const char *skip, *junit, *workload;
	bool no_fork, sequential, list_workloads;
	int verbose;
	unsigned runs, timeout; /* seconds for each run */
};

/* One check under way or done. */
struct test_run {
	const struct selftest_row *row;
	unsigned number; /* as printed, from 1 */
	bool skip;	 /* named by --skip */
	pid_t pid;
	double deadline; /* by the monotonic clock */
	int fd; /* the child's result byte, reason, NUL, log */
	enum selftest_result result;
	struct strbuf answer;
	const char *reason, *log;
	double seconds;
};

typedef VEC(struct test_run) test_runs;

/* A word selects by number, or by fragment of the name whatever the case. */
static bool selects(const char *word, unsigned number, const char *name)
{
	u64 n;

	if (isdigit((unsigned char)*word) && !parse_u64(word, &n))
		return n == number;
	return strcasestr(name, word) != NULL;
}

static bool selected(int argc, const char **argv, unsigned number, const char *name)
{
	for (int i = 0; i < argc; i++)
		if (selects(argv[i], number, name))
			return true;
	return argc == 0;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void run_row(struct context *ctx, const struct test_settings *s, const struct selftest_row *row,
		    struct strbuf *answer)
{
	struct selftest t = { .ctx = ctx, .verbose = s->verbose };
	enum selftest_result result = SELFTEST_OK;

	for (unsigned i = 0; i < s->runs && result == SELFTEST_OK; i++)
		result = row->run(&t);
	strbuf_char(answer, (char)('0' + result));
	strbuf_str(answer, strbuf_cstr(&t.reason));
	strbuf_char(answer, '\0');
	strbuf_str(answer, strbuf_cstr(&t.log));
	strbuf_release(&t.reason);
	strbuf_release(&t.log);
}

static void take_answer(struct test_run *run)
{
	struct strbuf *a = &run->answer;
	size_t reason_len;

	run->reason = run->log = "";
	if (!a->len)
		return;
	run->result = (enum selftest_result)(a->s[0] - '0');
	run->reason = a->s + 1;
	reason_len = strlen(run->reason);
	if (2 + reason_len <= a->len)
		run->log = a->s + 2 + reason_len;
}

static int start(struct context *ctx, const struct test_settings *s, struct test_run *run)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	run->pid = fork();
	if (run->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	if (!run->pid) {
		struct strbuf answer = STRBUF_INIT;

		run_row(ctx, s, run->row, &answer);
		write_all(fds[1], answer.s, answer.len);
		_exit(0);
	}
	close(fds[1]);
	run->fd = fds[0];
	run->deadline = now() + (double)s->timeout * s->runs;
	return 0;
}

/* The child's answer, until it closes its end: true; false when time is up. */
static bool read_answer(struct test_run *run)
{
	struct pollfd p = { .fd = run->fd, .events = POLLIN };

	for (;;) {
		double left = run->deadline - now();
		ssize_t n;

		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)MIN(left * 1000 + 1, 1e6)) <= 0)
			continue;
		n = read(run->fd, strbuf_grow(&run->answer, 4096), 4096);
		if (n <= 0)
			return true;
		run->answer.len += (size_t)n;
		run->answer.s[run->answer.len] = '\0';
	}
}

static void finish(struct test_run *run)
{
	bool in_time = read_answer(run);
	int status = 0;

	if (!in_time)
		kill(run->pid, SIGKILL);
	close(run->fd);
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	take_answer(run);
	if (in_time && !WIFSIGNALED(status) && run->answer.len)
		return;
	run->result = SELFTEST_FAILED;
	if (!in_time)
		run->reason = "no answer in time, see --timeout";
	else
		run->reason = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) :
						    "it ended without an answer";
}

static bool is_colour(void)
{
	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

static void print_result(const struct test_settings *s, const struct test_run *run, int width)
{
	static const char *const words[] = { "Ok", "Skip", "FAILED!" };
	static const char *const colours[] = { "", "\033[33m", "\033[31m" };
	const char *colour = is_colour() ? colours[run->result] : "";

	printf("%3u: %-*s: %s%s%s", run->number, width, run->row->name, colour, words[run->result],
	       *colour ? "\033[m" : "");
	if (run->reason && *run->reason)
		printf(" (%s)", run->reason);
	putchar('\n');
	if (run->log && (s->verbose > 1 || (s->verbose && run->result != SELFTEST_OK)))
		fputs(run->log, stdout);
	fflush(stdout);
}

static void run_one(struct context *ctx, const struct test_settings *s, struct test_run *run, bool started)
{
	double begin = now();

	if (run->skip) {
		run->result = SELFTEST_SKIP;
		run->reason = "user override";
		return;
	}
	if (s->no_fork) {
		run_row(ctx, s, run->row, &run->answer);
		take_answer(run);
	} else if (!started && start(ctx, s, run)) {
		run->result = SELFTEST_FAILED;
		run->reason = "cannot fork";
	} else {
		finish(run);
	}
	run->seconds = now() - begin;
}

static void xml_text(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			strbuf_str(b, "&lt;");
		else if (*s == '&')
			strbuf_str(b, "&amp;");
		else if (*s == '"')
			strbuf_str(b, "&quot;");
		else if ((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t')
			strbuf_char(b, *s);
	}
}

static void junit_case(struct strbuf *b, const struct test_run *run)
{
	static const char *const tags[] = { NULL, "skipped", "failure" };

	strbuf_str(b, "    <testcase classname=\"perf\" name=\"");
	xml_text(b, run->row->name);
	strbuf_f(b, "\" time=\"%.3f\">", run->seconds);
	if (tags[run->result]) {
		strbuf_f(b, "<%s message=\"", tags[run->result]);
		xml_text(b, run->reason);
		strbuf_str(b, "\"/>");
	}
	if (*run->log) {
		strbuf_str(b, "<system-out>");
		xml_text(b, run->log);
		strbuf_str(b, "</system-out>");
	}
	strbuf_str(b, "</testcase>\n");
}

static int write_junit(const char *path, const test_runs *runs, struct reason *r)
{
	unsigned counts[3] = { 0 };
	struct strbuf b = STRBUF_INIT;
	int fd, err;

	vec_for_each(runs, run)
		counts[run->result]++;
	strbuf_f(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		     "  <testsuite name=\"perf\" tests=\"%zu\" failures=\"%u\" skipped=\"%u\">\n",
		 runs->count, counts[SELFTEST_FAILED], counts[SELFTEST_SKIP]);
	vec_for_each(runs, run)
		junit_case(&b, run);
	strbuf_str(&b, "  </testsuite>\n</testsuites>\n");
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	err = fd < 0 ? -errno : write_all(fd, b.s, b.len);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	strbuf_release(&b);
	return err ? reason_errno(r, -err, "cannot write '%s'", path) : 0;
}

/* --skip LIST: numbers, or fragments of names. */
static bool is_skipped(const struct test_settings *s, unsigned number, const char *name)
{
	struct strlist words = { 0 };
	bool skip = false;

	if (!s->skip)
		return false;
	strlist_split(&words, s->skip, ",");
	vec_for_each(&words.list, w)
		skip |= selects(*w, number, name);
	strlist_release(&words);
	return skip;
}

static int gather(const struct test_settings *s, int argc, const char **argv, test_runs *runs)
{
	unsigned number = 0;
	int width = 0;

	for (const struct selftest_row *row = selftests; row->name; row++) {
		number++;
		width = MAX(width, (int)strlen(row->name));
		if (selected(argc, argv, number, row->name))
			vec_push(runs, (struct test_run){ .row = row, .number = number, .log = "",
							  .reason = "",
							  .skip = is_skipped(s, number, row->name) });
	}
	return width;
}

/* Checks run side by side unless asked otherwise; results print in order. */
static void run_all(struct context *ctx, const struct test_settings *s, test_runs *runs, int width)
{
	bool parallel = !s->sequential && !s->no_fork;
	size_t ahead = 0, most = (size_t)MAX(2L, sysconf(_SC_NPROCESSORS_ONLN));

	for (size_t i = 0; i < runs->count; i++) {
		struct test_run *run = &runs->items[i];

		for (; parallel && ahead < runs->count && ahead < i + most; ahead++)
			if (!runs->items[ahead].skip && start(ctx, s, &runs->items[ahead]))
				break;
		run_one(ctx, s, run, parallel && i < ahead);
		print_result(s, run, width);
	}
}

static int run_workload(const char *name, int argc, const char **argv)
{
	const struct workload_row *w = workload_find(name);
	struct reason r = REASON_INIT;

	if (!w) {
		VEC(const char *) names = VEC_INIT;
		const char *near;

		for (w = workloads; w->name; w++)
			vec_push(&names, w->name);
		near = nearest_name(name, names.items, names.count);
		say_error("there is no workload '%s'", name);
		if (near)
			say_hint("did you mean '%s'? 'perf test --list-workloads' lists them", near);
		else
			say_hint("'perf test --list-workloads' lists them");
		vec_release(&names);
		return 1;
	}
	return w->run(argc, argv, &r) ? say_reason(&r) : 0;
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
		if (selected(argc, argv, ++number, row->name))
			printf("%3u: %s\n", number, row->name);
	return 0;
}

static int run_tests(struct context *ctx, const struct test_settings *s, int argc, const char **argv)
{
	struct reason r = REASON_INIT;
	test_runs runs = VEC_INIT;
	int code = 0, width = gather(s, argc, argv, &runs);

	if (!runs.count) {
		say_error("no test is named '%s'", argv[0]);
		say_hint("'perf test list' shows them");
		return 1;
	}
	run_all(ctx, s, &runs, width);
	vec_for_each(&runs, run)
		if (run->result == SELFTEST_FAILED)
			code = 1;
	if (s->junit && write_junit(s->junit, &runs, &r))
		code = say_reason(&r);
	vec_for_each(&runs, run)
		strbuf_release(&run->answer);
	vec_release(&runs);
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
	struct test_settings s = { .runs = 1, .timeout = 30 };
	const struct option_row rows[] = {
		{ OPTION_STRING, 's', "skip", &s.skip, "LIST",
		  "leave these out: numbers or name fragments, separated by commas" },
		{ OPTION_COUNT, 'v', "verbose", &s.verbose, NULL,
		  "show what failed checks logged; -vv: what all logged" },
		{ OPTION_FLAG, 'F', "dont-fork", &s.no_fork, NULL,
		  "run every check in this process, for a debugger" },
		{ OPTION_FLAG, 'S', "sequential", &s.sequential, NULL,
		  "one check after the other, not side by side" },
		{ OPTION_UINT, 'r', "runs-per-test", &s.runs, "N",
		  "run each check N times, up to its first failure" },
		{ OPTION_UINT, 0, "timeout", &s.timeout, "SECONDS",
		  "a run of a check that takes longer has failed (30)" },
		{ OPTION_STRING, 'j', "junit", &s.junit, "FILE", "write the results as JUnit XML, too" },
		{ OPTION_STRING, 'w', "workload", &s.workload, "NAME", "run a bundled workload" },
		{ OPTION_FLAG, 0, "list-workloads", &s.list_workloads, NULL,
		  "list the bundled workloads" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "test", .usage = usage, .rows = rows,
				   .subcommands = subcommands, .stop_at_command = true };
	int err = options_parse(&o, &argc, argv);

	if (err)
		return err < 0 ? 0 : err;
	if (s.list_workloads)
		return list_workloads();
	if (s.workload)
		return run_workload(s.workload, argc, argv);
	if (!s.runs || !s.timeout)
		return options_usage_error(&o, "--%s needs a number above 0",
					   s.runs ? "timeout" : "runs-per-test");
	if (argc && !strcmp(argv[0], "list"))
		return list_tests(argc - 1, argv + 1);
	return run_tests(ctx, &s, argc, argv);
}
