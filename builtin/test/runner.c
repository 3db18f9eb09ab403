// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks in processes of their own, side by side, and what they answer. */
#include "base/clock.h"
#include "builtin/test/runner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/out.h"
#include "base/text.h"

/* Reports whether a word selects the check, by its number or by part of its name in any case. */
static bool selects(const char *word, unsigned number, const char *name)
{
	u64 n;

	if (isdigit((unsigned char)*word) && !parse_count(word, &n))
		return n == number;
	return strcasestr(name, word) != NULL;
}

bool selftest_selected(int count, const char **words, unsigned number, const char *name)
{
	for (int i = 0; i < count; i++)
		if (selects(words[i], number, name))
			return true;
	return count == 0;
}

static double now(void)
{
	return (double)clock_now() / 1e9;
}

static void run_row(struct context *ctx, const struct selftest_settings *s,
		    const struct selftest_row *row, struct strbuf *answer)
{
	struct selftest t = {
		.ctx = ctx, .verbose = s->verbose, .dso = s->dso, .objdump = s->objdump
	};
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

static void take_answer(struct selftest_run *run)
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

static int start(struct context *ctx, const struct selftest_settings *s, struct selftest_run *run)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	run->pid = fork_bound(SIGTERM);
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

/* Reads the child's answer until it closes its end. Returns false when time is up. */
static bool read_answer(struct selftest_run *run)
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

static void finish(struct selftest_run *run)
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
		run->reason = WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
						  : "it ended without an answer";
}

static void run_one(struct context *ctx, const struct selftest_settings *s,
		    struct selftest_run *run, bool started)
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

/* Reports whether --skip LIST, of numbers or fragments of names, names the check. */
static bool is_skipped(const struct selftest_settings *s, unsigned number, const char *name)
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

int selftest_choose(const struct selftest_settings *s, int count, const char **words,
		    selftest_runs *runs)
{
	unsigned number = 0;
	int width = 0;

	for (const struct selftest_row *row = selftests; row->name; row++) {
		number++;
		width = MAX(width, (int)strlen(row->name));
		if (selftest_selected(count, words, number, row->name))
			vec_push(runs,
				 (struct selftest_run){ .row = row,
							.number = number,
							.log = "",
							.reason = "",
							.skip = is_skipped(s, number, row->name) });
	}
	return width;
}

/* Checks run side by side unless asked otherwise; results print in order. */
void selftest_run(struct context *ctx, const struct selftest_settings *s, selftest_runs *runs,
		  void (*done)(void *arg, const struct selftest_run *run), void *arg)
{
	bool parallel = !s->sequential && !s->no_fork;
	size_t ahead = 0, most = (size_t)MAX(2L, sysconf(_SC_NPROCESSORS_ONLN));

	for (size_t i = 0; i < runs->count; i++) {
		struct selftest_run *run = &runs->items[i];

		for (; parallel && ahead < runs->count && ahead < i + most; ahead++)
			if (!runs->items[ahead].skip && start(ctx, s, &runs->items[ahead]))
				break;
		run_one(ctx, s, run, parallel && i < ahead);
		done(arg, run);
	}
}

void selftest_runs_release(selftest_runs *runs)
{
	vec_for_each(runs, run)
		strbuf_release(&run->answer);
	vec_release(runs);
}
