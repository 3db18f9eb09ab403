// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched stats: the scheduler's own counters, before and after a workload. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "builtin/sched/internal.h"
#include "builtin/sched/stats.h"
#include "cli/forward.h"
#include "cli/say.h"
#include "data/schedstat_section.h"
#include "live/live.h"

static const char proc_file[] = "/proc/schedstat";

static int stats_read_text(const char *path, struct strbuf *b, struct reason *r)
{
	char piece[65536];
	int fd = file_open(path, r);
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read_all(fd, piece, sizeof(piece))) > 0)
		strbuf_add(b, piece, (size_t)n);
	close(fd);
	return n < 0 ? reason_errno(r, (int)-n, "cannot read '%s'", path) : 0;
}

static int read_now(struct strbuf *b, struct reason *r)
{
	int err;

	if (file_access(proc_file, R_OK)) {
		reason_set(r, ENOENT, "this kernel has no %s", proc_file);
		reason_hint(r,
			    "this needs a kernel with CONFIG_SCHEDSTATS; 'perf sched record' works "
			    "without it");
		return -ENOENT;
	}
	err = stats_read_text(proc_file, b, r);
	return err;
}

/*
 * Checks that the kernel counts. Counting costs a little and is off by default, so the user must
 * enable it.
 */
static int check_counting(struct reason *r)
{
	static const char path[] = "/proc/sys/kernel/sched_schedstats";
	struct strbuf b = STRBUF_INIT;
	bool off = !stats_read_text(path, &b, NULL) && b.len && b.s[0] == '0';

	strbuf_release(&b);
	if (!off)
		return 0;
	reason_set(r, EPERM, "the kernel counts nothing: kernel.sched_schedstats is 0");
	reason_hint(r, "sysctl kernel.sched_schedstats=1");
	return -EPERM;
}

/* Runs the workload. An interrupt ends it, and what was counted is still written. */
static int run_workload(const char **argv, int *code, struct reason *r)
{
	struct workload w = { .go_fd = -1, .error_fd = -1 };
	void (*before)(int);
	int err = workload_prepare(&w, argv, r);

	if (err)
		return err;
	before = signal(SIGINT, SIG_IGN);
	err = workload_start(&w, r);
	if (!err) {
		workload_wait(&w, true);
		*code = workload_exit_code(&w);
	}
	signal(SIGINT, before);
	return err;
}

static int measure(struct schedstat_texts *t, const char **argv, int *code, struct reason *r)
{
	int err = read_now(&t->before, r);

	if (!err)
		err = check_counting(r);
	if (!err)
		err = run_workload(argv, code, r);
	return err ? err : read_now(&t->after, r);
}

static void say_wrote(const char *output)
{
	char *shown = printable_copy(output);

	fprintf(stderr, "[ perf sched stats: Wrote samples to %s ]\n", shown);
	free(shown);
}

static int stats_record(struct sched *s, int argc, const char **argv)
{
	static const char *const usage[] = { "perf sched stats record [<options>] <command>",
					     NULL };
	const char *output = "perf.data";
	const struct option_row rows[] = {
		{ OPTION_STRING, 'o', "output", &output, .arg = "FILE",
		  .help = "file to write (perf.data)" },
		{ OPTION_COUNT, 'v', "verbose", &s->ctx->verbose, .help = "say more" },
		OPT_END_ROW,
	};
	struct options o = { .command = "sched stats record",
			     .usage = usage,
			     .rows = rows,
			     .stop_at_command = true };
	struct schedstat_texts t = { STRBUF_INIT, STRBUF_INIT };
	struct reason r = REASON_INIT;
	int code = options_parse(&o, &argc, argv), err;

	if (code)
		return code < 0 ? 0 : code;
	if (!argc)
		return options_usage_error(
			&o, "nothing to measure: give a command, such as 'sleep 10'");
	err = measure(&t, argv, &code, &r);
	if (!err)
		err = schedstat_section_write(s->ctx, output, &t, &r);
	strbuf_release(&t.before);
	strbuf_release(&t.after);
	if (err)
		return say_reason(&r);
	say_wrote(output);
	return code;
}

static int stats_report(struct sched *s, struct stats_cpus cpus, int argc, const char **argv,
			bool diff)
{
	static const char *const report_usage[] = { "perf sched stats report [<options>] [FILE]",
						    NULL };
	static const char *const diff_usage[] = {
		"perf sched stats diff [<options>] [BEFORE [AFTER]]", NULL
	};
	const char *input = NULL;
	const struct stats_cpus *only = NULL;
	const struct option_row rows[] = {
		{ OPTION_STRING, 'i', "input", &input, .arg = "FILE",
		  .help = "file to read (perf.data)" },
		{ OPTION_COUNT, 'v', "verbose", &s->ctx->verbose, .help = "show each CPU" },
		{ OPTION_STRING, 'C', "cpu", &cpus.text, .arg = "CPUS",
		  .help = "only these CPUs: 0-2,5" },
		OPT_END_ROW,
	};
	struct options o = { .command = diff ? "sched stats diff" : "sched stats report",
			     .usage = diff ? diff_usage : report_usage,
			     .rows = rows };
	struct reason r = REASON_INIT;
	struct out out;
	int code = options_parse(&o, &argc, argv), err;

	if (code)
		return code < 0 ? 0 : code;
	if (argc > (diff ? 2 : 1) - (input ? 1 : 0))
		return options_usage_error(&o, "'%s' is one file too many", argv[argc - 1]);
	if (cpus.text) {
		if (parse_cpu_list(cpus.text, 1 << 20, &cpus.list, &cpus.count))
			return options_usage_error(&o, "-C: '%s' is not a list of CPUs like 0,2-3",
						   cpus.text);
		only = &cpus;
	}
	if (!input)
		input = s->a.open.input;
	out_init(&out, STDOUT_FILENO);
	if (diff)
		err = stats_print_diff(s->ctx, only, argc > 0 ? argv[0] : "perf.data.old",
				       argc > 1 ? argv[1]
				       : input  ? input
						: "perf.data",
				       out_buf(&out), &r);
	else
		err = stats_print(s->ctx, only,
				  argc    ? argv[0]
				  : input ? input
					  : "perf.data",
				  out_buf(&out), &r);
	code = say_output(out_release(&out));
	free(cpus.list);
	return err ? say_reason(&r) : code;
}

int sched_stats(struct sched *s, int argc, const char **argv)
{
	static const char *const names[] = { "record", "report", "diff", NULL };
	static const char *const usage[] = { "perf sched stats [<options>] {record|report|diff}",
					     NULL };
	struct stats_cpus cpus = { 0 };
	const struct option_row rows[] = {
		{ OPTION_COUNT, 'v', "verbose", &s->ctx->verbose, .help = "show each CPU" },
		{ OPTION_STRING, 'C', "cpu", &cpus.text, .arg = "CPUS",
		  .help = "report and diff: only these CPUs: 0-2,5" },
		OPT_END_ROW,
	};
	struct options o = { .command = "sched stats",
			     .usage = usage,
			     .rows = rows,
			     .subcommands = names,
			     .stop_at_command = true };
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (!argc)
		return options_subcommand_error(&o, NULL);
	if (subcommand_is(argv[0], "record") && cpus.text)
		return options_usage_error(
			&o, "-C chooses what report and diff show; record keeps every CPU");
	if (subcommand_is(argv[0], "record"))
		return stats_record(s, argc, argv);
	if (subcommand_is(argv[0], "report") || subcommand_is(argv[0], "diff"))
		return stats_report(s, cpus, argc, argv, subcommand_is(argv[0], "diff"));
	return options_subcommand_error(&o, argv[0]);
}
