// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of workloads and what they share. */
#include "selftest/workload.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"

const struct workload_row workloads[] = {
	{ "noploop", "[SECONDS]", "one thread that computes, named perf-noploop", workload_noploop },
	{ "thloop", "[SECONDS [THREADS]]", "threads (2) in test_loop(), all but one called from thfunc()", workload_thloop },
	{ "leafloop", "[SECONDS]", "parent() calls leaf(), which loops and calls nothing",
	  workload_leafloop },
	{ "sqrtloop", "[SECONDS]", "a child process that takes square roots", workload_sqrtloop },
	{ "brstack", "[LOOPS]", "calls, returns and jumps in a fixed pattern", workload_brstack },
	{ "datasym", "[SECONDS]", "loads and stores in the variable workload_datasym_buf1",
	  workload_datasym },
	{ "inlineloop", "[SECONDS]", "a loop two levels deep in inlined functions",
	  workload_inlineloop },
	{ "traploop", "[LOOPS]", "page faults, one a loop (1000 when not said)", workload_traploop },
	{ "landlock", "", "calls of the landlock system calls, one with bad arguments",
	  workload_landlock },
	{ "jitdump", "[SECONDS]", "code made at run time, described in jit-PID.dump and perf-PID.map",
	  workload_jitdump },
	{ "context_switch_loop", "[LOOPS]", "two processes that hand a byte to and fro",
	  workload_context_switch_loop },
	{ "named_threads", "[THREADS [LOOPS]]", "threads named thread0, thread1 ...",
	  workload_named_threads },
	{ "deterministic", "[LOOPS]", "exactly LOOPS getppid calls, page faults and writes",
	  workload_deterministic },
	{ "callchain", "[DEPTH [SECONDS]]", "callchain_step() inside itself DEPTH times",
	  workload_callchain },
	{ .name = NULL },
};

const struct workload_row *workload_find(const char *name)
{
	for (const struct workload_row *w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

const char *workload_nearest(const char *name)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct workload_row *w = workloads; w->name; w++)
		vec_push(&names, w->name);
	near = nearest_name(name, names.items, names.count);
	vec_release(&names);
	return near;
}

int workload_number(int argc, const char **argv, int i, u64 max, u64 fallback, u64 *out,
		    struct reason *r)
{
	*out = fallback;
	if (i >= argc)
		return 0;
	if (parse_u64(argv[i], out))
		return reason_set(r, EINVAL, "'%s' is not a number", argv[i]);
	if (*out > max)
		return reason_set(r, ERANGE, "%s is too large: at most %" PRIu64, argv[i], max);
	return 0;
}

int workload_seconds(int argc, const char **argv, int i, double *seconds, struct reason *r)
{
	enum { MOST = 86400 };
	char *end;

	*seconds = 1;
	if (i >= argc)
		return 0;
	*seconds = strtod(argv[i], &end);
	/* hexadecimal, infinite and missing numbers are taken by strtod(), too */
	if (end == argv[i] || *end || strspn(argv[i], "0123456789.") != strlen(argv[i]))
		return reason_set(r, EINVAL, "'%s' is not a number of seconds", argv[i]);
	if (*seconds > MOST)
		return reason_set(r, ERANGE, "%s is too large: at most %d seconds", argv[i], MOST);
	return 0;
}

volatile int workload_done;

static void on_alarm(int sig)
{
	(void)sig;
	workload_done = 1;
}

void workload_timer(double seconds)
{
	struct itimerval timer = { .it_value = { .tv_sec = (time_t)seconds } };
	struct sigaction sa = { .sa_handler = on_alarm };

	timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	workload_done = 0;
	if (timer.it_value.tv_sec || timer.it_value.tv_usec)
		setitimer(ITIMER_REAL, &timer, NULL);
	else
		workload_done = 1;
}
