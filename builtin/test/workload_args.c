// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of workloads, and the alarm that ends them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/text.h"
#include "builtin/test/workload.h"

volatile int workload_done;

int workload_number(int argc, const char **argv, int i, u64 max, u64 fallback, u64 *out,
		    struct reason *r)
{
	*out = fallback;
	if (i >= argc)
		return 0;
	if (parse_count(argv[i], out))
		return reason_usage(r, "'%s' is not a number", argv[i]);
	if (*out > max)
		return reason_usage(r, "%s is too large: at most %" PRIu64, argv[i], max);
	return 0;
}

int workload_seconds(int argc, const char **argv, int i, double *seconds, struct reason *r)
{
	enum { MOST = 86400 };
	size_t n;

	*seconds = 1;
	if (i >= argc)
		return 0;
	n = parse_decimal(argv[i], seconds);
	if (!n || argv[i][n])
		return reason_usage(r, "'%s' is not a number of seconds", argv[i]);
	if (*seconds > MOST)
		return reason_usage(r, "%s is too large: at most %d seconds", argv[i], MOST);
	return 0;
}

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
