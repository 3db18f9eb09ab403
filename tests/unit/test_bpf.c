// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF programs of our own: loaded, counted, sent through the ring, and gone again. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/context.h"
#include "bpf/bpf.h"
#include "bpf/check.h"
#include "bpf/internal.h"
#include "builtin/stat/bpf.h"
#include "counting.h"

enum { CALLS = 1000 };

static void need_bpf(void)
{
	struct reason r = REASON_INIT;

	if (!counts()) /* nor has it bpf() */
		skip();
	if (!bpf_usable("the test", &r))
		return;
	print_message("skipped: %s\n", r.text);
	reason_release(&r);
	skip();
}

/* Loads the program and attaches it to this process. It sends calls of number `only`. */
static struct bpf_run *running(u32 only, u32 ring_bytes)
{
	struct reason r = REASON_INIT;
	struct bpf_run *run = bpf_run_open("check", &r);
	struct context ctx = { .verbose = 0 };
	struct check_settings *settings;

	if (!run)
		fail_msg("%s", r.text);
	settings = bpf_run_variable(run, "settings", sizeof(*settings));
	assert_non_null(settings);
	settings->tgid = (u32)getpid();
	settings->only = only;
	assert_int_equal(bpf_run_map_entries(run, "events", ring_bytes), 0);
	assert_int_equal(bpf_run_map_entries(run, "nothing", 1), -ENOENT);
	if (bpf_run_load(&ctx, run, &r) || bpf_run_attach(run, &r))
		fail_msg("%s: %s", r.text, bpf_run_log(run));
	return run;
}

struct seen {
	u64 calls, wrong;
	s32 stack;
	u32 stop_after;
};

static int on_call(void *arg, const void *data, size_t size)
{
	struct seen *seen = arg;
	const struct check_call *call = data;

	if (size != sizeof(*call) || call->number != SYS_getppid || call->tid != (u32)gettid() ||
	    strcmp(call->comm, "bpf-test") != 0)
		seen->wrong++;
	seen->stack = call->stack;
	return ++seen->calls == seen->stop_after ? -ECANCELED : 0;
}

struct numbers {
	u64 getppid;
	size_t keys;
};

static int on_number(void *arg, const void *key, void *value)
{
	struct numbers *n = arg;
	const u64 *each = value;
	s64 number;

	memcpy(&number, key, sizeof(number));
	for (size_t i = 0; number == SYS_getppid && i < bpf_percpu_count(); i++)
		n->getppid += each[i];
	n->keys++;
	return 0;
}

static void calls_are_counted_and_sent(void **state)
{
	struct reason r = REASON_INIT;
	struct seen seen = { 0 };
	struct numbers numbers = { 0 };
	struct check_counts *counts;
	struct bpf_ring *ring;
	struct bpf_run *run;
	struct pollfd wait = { .events = POLLIN };
	u64 ips[8];
	s64 number = SYS_getppid;

	(void)state;
	need_bpf();
	prctl(PR_SET_NAME, "bpf-test");
	run = running(SYS_getppid, 1 << 16);
	ring = bpf_ring_open(bpf_run_map(run, "events"), &r);
	assert_non_null(ring);
	assert_int_equal(bpf_ring_size(ring), 1 << 16);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	wait.fd = bpf_ring_fd(ring);
	assert_int_equal(poll(&wait, 1, 5000), 1);
	/* a reader that has enough goes on behind the record that it stopped at */
	seen.stop_after = 10;
	assert_int_equal(bpf_ring_drain(ring, on_call, &seen), -ECANCELED);
	assert_int_equal(bpf_ring_drain(ring, on_call, &seen), CALLS - 10);
	assert_int_equal(seen.calls, CALLS);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(bpf_ring_used(ring), 0);
	counts = bpf_run_variable(run, "counts", sizeof(*counts));
	assert_non_null(counts);
	assert_int_equal(counts->sent, CALLS);
	assert_int_equal(counts->lost, 0);
	assert_true(counts->calls >= CALLS);
	assert_null(bpf_run_variable(run, "counts", sizeof(*counts) + 8));

	assert_int_equal(bpf_map_each(bpf_run_map(run, "by_number"), sizeof(s64),
				      bpf_percpu_count() * bpf_percpu_size(sizeof(u64)), on_number,
				      &numbers),
			 0);
	assert_int_equal(numbers.getppid, CALLS);
	assert_true(numbers.keys > 1);
	assert_int_equal(bpf_map_remove(bpf_run_map(run, "by_number"), &number), 0);
	assert_int_equal(bpf_map_remove(bpf_run_map(run, "by_number"), &number), -ENOENT);

	assert_true(seen.stack >= 0);
	assert_true(bpf_stack_read(bpf_run_map(run, "stacks"), seen.stack, ips, 8) >= 1);
	assert_int_equal(bpf_stack_read(bpf_run_map(run, "stacks"), 0x7fffffff, ips, 8), -ENOENT);
	bpf_ring_close(ring);

	/* nothing is counted once it is detached */
	bpf_run_detach(run);
	counts->calls = 0;
	syscall(SYS_getppid);
	assert_int_equal(counts->calls, 0);
	bpf_run_close(run);
}

static void a_full_ring_is_counted(void **state)
{
	struct reason r = REASON_INIT;
	struct seen seen = { 0 };
	struct check_counts *counts;
	struct bpf_ring *ring;
	struct bpf_run *run;
	const u64 each = ALIGN_UP(sizeof(struct check_call) + 8, 8), fit = 4096 / each;

	(void)state;
	need_bpf();
	prctl(PR_SET_NAME, "bpf-test");
	run = running(SYS_getppid, 4096);
	ring = bpf_ring_open(bpf_run_map(run, "events"), &r);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	counts = bpf_run_variable(run, "counts", sizeof(*counts));
	bpf_run_detach(run);
	assert_int_equal(counts->sent + counts->lost, CALLS);
	assert_in_range(counts->sent, fit - 1, fit);
	assert_int_equal(bpf_ring_drain(ring, on_call, &seen), counts->sent);
	bpf_ring_close(ring);
	bpf_run_close(run);
}

static void what_is_not_there_is_named(void **state)
{
	struct reason r = REASON_INIT;
	struct bpf_run *run;

	(void)state;
	need_bpf();
	assert_null(bpf_run_open("no-such-image", &r));
	assert_string_equal(r.text, "there is no BPF program 'no-such-image' in this perf");
	assert_null(bpf_run_open_file("/dev/null", "/dev/null", &r));
	assert_non_null(strstr(r.text, "'/dev/null' is not an object file of BPF programs"));
	run = bpf_run_open("check", &r);
	assert_string_equal(bpf_run_program_name(run, 0), "sys_enter");
	assert_null(bpf_run_program_name(run, 1));
	assert_int_equal(bpf_run_attach_one(run, "nothing", &r), -ENOENT);
	assert_string_equal(r.text, "'check' has no BPF program 'nothing'");
	assert_int_equal(bpf_run_map(run, "nothing"), -ENOENT);
	bpf_run_close(run);
	reason_release(&r);
}

/* In a child, since what an ordinary user may not do can not be tried in a process of root. */
/* Messages of libbpf with a log of this many lines "3: r0 = 3". */
static void add_refusal(struct strbuf *log, int lines)
{
	strbuf_str(log, "libbpf: prog 'f': BPF program load failed: Permission denied\n");
	strbuf_str(log, "libbpf: prog 'f': -- BEGIN PROG LOAD LOG --\n");
	for (int i = 1; i <= lines; i++)
		strbuf_f(log, "%d: r0 = %d\n", i, i);
	strbuf_str(log, "R1 invalid mem \x1b[2J\nprocessed 12 insns (limit 1000000)\n");
	strbuf_str(log, "-- END PROG LOAD LOG --\nlibbpf: failed to load object 'f.o'\n");
}

static void check_log_text(const char *log, bool all, const char *want)
{
	struct strbuf lines = STRBUF_INIT;

	verifier_log_text(&lines, "f.o", log, all);
	assert_string_equal(strbuf_cstr(&lines), want);
	strbuf_release(&lines);
}

static void the_end_of_the_verifier_s_log_is_shown(void **state)
{
	struct strbuf log = STRBUF_INIT, want = STRBUF_INIT;
	char *verdict;

	(void)state;
	add_refusal(&log, 30);
	verdict = verifier_verdict(log.s);
	assert_string_equal(verdict, "R1 invalid mem \x1b[2J");
	free(verdict);
	strbuf_str(&want,
		   "the BPF program 'f.o' was refused; the end of the log (-vv: all of it):\n");
	for (int i = 13; i <= 30; i++)
		strbuf_f(&want, "%d: r0 = %d\n", i, i);
	strbuf_str(&want, "R1 invalid mem \\x1b[2J\nprocessed 12 insns (limit 1000000)\n");
	check_log_text(log.s, false, want.s);

	strbuf_clear(&log);
	add_refusal(&log, 1);
	check_log_text(log.s, false,
		       "the BPF program 'f.o' was refused; the log:\n1: r0 = 1\n"
		       "R1 invalid mem \\x1b[2J\nprocessed 12 insns (limit 1000000)\n");
	check_log_text(log.s, true,
		       "the BPF program 'f.o' was refused; the log:\n"
		       "libbpf: prog 'f': BPF program load failed: Permission denied\n"
		       "libbpf: prog 'f': -- BEGIN PROG LOAD LOG --\n1: r0 = 1\n"
		       "R1 invalid mem \\x1b[2J\nprocessed 12 insns (limit 1000000)\n"
		       "-- END PROG LOAD LOG --\nlibbpf: failed to load object 'f.o'\n");
	check_log_text(
		"libbpf: map 'm': failed to create", false,
		"the BPF program 'f.o' was refused; the log:\nlibbpf: map 'm': failed to create\n");
	strbuf_release(&log);
	strbuf_release(&want);
}

static void an_ordinary_user_is_told(void **state)
{
	int status = -1;
	pid_t child;

	(void)state;
	if (!bpf_built_in())
		skip();
	child = fork();
	if (!child) {
		struct reason r = REASON_INIT;
		bool told;

		if (geteuid() == 0 && setuid(65534))
			_exit(2);
		told = bpf_usable("--off-cpu", &r) == -EPERM && !bpf_run_open("check", NULL) &&
		       !strcmp(r.text,
			       "--off-cpu needs BPF, which only root and programs with CAP_BPF and "
			       "CAP_PERFMON may use") &&
		       strstr(r.hint, "setcap cap_bpf,cap_perfmon+ep");
		reason_release(&r);
		_exit(told ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static u64 count_said(struct context *ctx, const char *code)
{
	vec_for_each(&ctx->conditions.list, c)
		if (!strcmp(c->code, code))
			return c->count;
	return 0;
}

static struct bpf_run *loaded(const char *image)
{
	struct reason r = REASON_INIT;
	struct context ctx = { .verbose = 0 };
	struct bpf_run *run = bpf_run_open(image, &r);

	if (!run || bpf_run_load(&ctx, run, &r))
		fail_msg("%s: %s", image, r.text);
	return run;
}

/*
 * Checks that failed readings are reported. The map has room only for the event of CPU 0, which is
 * not open.
 */
static void readings_that_the_kernel_refuses_are_reported(void **unused)
{
	struct context ctx = { .verbose = 0 };
	struct counter_state *state;
	struct bpf_run *run;
	int err;

	(void)unused;
	need_bpf();
	run = loaded("counter_tasks");
	state = bpf_run_variable(run, "state", sizeof(*state));
	assert_non_null(state);
	assert_int_equal(bpf_program_run(bpf_run_program(run, "on_read"), 0), 0);
	counter_say_missing(&ctx, run, state);
	assert_int_equal(ctx.conditions.list.count, 0);
	err = bpf_program_run(bpf_run_program(run, "on_read"), 1);
	counter_say_missing(&ctx, run, state);
	/* there may be one CPU only */
	assert_int_equal(count_said(&ctx, "stat-unread"), err ? 0 : 1);
	bpf_run_close(run);
	condition_list_release(&ctx.conditions);
}

static void refusals_of_maps_are_reported_by_cause(void **unused)
{
	struct context ctx = { .verbose = 0 };
	struct bpf_run *run;
	u64 *count;

	(void)unused;
	need_bpf();
	run = loaded("kmem");
	bpf_run_say_missed(&ctx, run);
	assert_int_equal(ctx.conditions.list.count, 0);
	count = bpf_run_variable(run, "refused", sizeof(*count));
	assert_non_null(count);
	*count = 3;
	bpf_run_say_missed(&ctx, run);
	assert_int_equal(ctx.conditions.list.count, 1);
	assert_int_equal(count_said(&ctx, "bpf-refused"), 3);
	count = bpf_run_variable(run, "unfollowed", sizeof(*count));
	assert_non_null(count);
	*count = 4;
	bpf_run_say_missed(&ctx, run);
	assert_int_equal(count_said(&ctx, "bpf-unfollowed"), 4);
	bpf_run_close(run);
	condition_list_release(&ctx.conditions);
}

static u64 missed_once(int program)
{
	return program >= 0;
}

/* Checks that a second program that was left out where the first one ran has lost nothing. */
static void runs_that_another_program_took_over_are_not_missed(void **unused)
{
	struct reason r = REASON_INIT;
	struct context ctx = { .verbose = 0 };
	struct bpf_run *run;
	u64 before, *caught_up;

	(void)unused;
	need_bpf();
	run = loaded("trace");
	before = missed_runs(run, missed_once);
	assert_true(before > 2);
	bpf_run_close(run);
	run = bpf_run_open("trace", &r);
	assert_non_null(run);
	assert_int_equal(bpf_run_enable(run, "trace_enter_again", true), 0);
	assert_int_equal(bpf_run_enable(run, "trace_exit_again", true), 0);
	if (bpf_run_load(&ctx, run, &r))
		fail_msg("%s", r.text);
	assert_int_equal(missed_runs(run, missed_once), before);
	caught_up = bpf_run_variable(run, "caught_up", sizeof(*caught_up));
	assert_non_null(caught_up);
	*caught_up = 2;
	assert_int_equal(missed_runs(run, missed_once), before - 2);
	bpf_run_close(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_counted_and_sent),
		cmocka_unit_test(a_full_ring_is_counted),
		cmocka_unit_test(what_is_not_there_is_named),
		cmocka_unit_test(an_ordinary_user_is_told),
		cmocka_unit_test(the_end_of_the_verifier_s_log_is_shown),
		cmocka_unit_test(readings_that_the_kernel_refuses_are_reported),
		cmocka_unit_test(refusals_of_maps_are_reported_by_cause),
		cmocka_unit_test(runs_that_another_program_took_over_are_not_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
