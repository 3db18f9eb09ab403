// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals end a program that runs live in order: after the first one it stops the events and
 * writes what is there; a second one also skips what can be skipped.
 *
 * The handlers only count, and write to an eventfd that the loop watches.
 */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/out.h"
#include "live/loop.h"

static int event_fd = -1;
static volatile sig_atomic_t ending_signal, ending_signals, switch_signal;
static atomic_bool *cancelled; /* set by a signal; NULL: there is nothing to cancel */

void loop_wake(void)
{
	u64 one = 1;
	int saved = errno;

	/* a full counter is readable already */
	if (write(event_fd, &one, sizeof(one)) < 0)
		errno = saved;
}

static void on_end(int sig)
{
	ending_signal = sig;
	if (++ending_signals > 1 && cancelled)
		atomic_store_explicit(cancelled, true, memory_order_relaxed);
	loop_wake();
}

static void on_child(int sig)
{
	(void)sig;
	loop_wake();
}

static void on_switch(int sig)
{
	(void)sig;
	switch_signal = 1;
	loop_wake();
}

static void install(int sig, void (*handler)(int))
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	sigemptyset(&act.sa_mask);
	/*
	 * nohup stays; shells make background jobs ignore SIGINT, yet kill -INT is how scripts end
	 * us
	 */
	if (sig == SIGHUP && !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN)
		return;
	sigaction(sig, &act, NULL);
}

int loop_signals(struct context *ctx, unsigned flags, int *wake_fd, struct reason *r)
{
	u64 count;

	if (event_fd < 0)
		event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	else if (read(event_fd, &count, sizeof(count)) < 0)
		count = 0; /* nothing was left of the time before */
	if (event_fd < 0)
		return reason_errno(r, errno, "cannot make an eventfd");
	*wake_fd = event_fd;
	cancelled = ctx ? &ctx->cancelled : NULL;
	ending_signal = ending_signals = 0;
	write_ends_by(&ending_signal);
	install(SIGINT, on_end);
	install(SIGTERM, on_end);
	install(SIGHUP, on_end);
	if (flags & LOOP_ALL_ENDS) {
		install(SIGPIPE, on_end);
		install(SIGQUIT, on_end);
	}
	install(SIGCHLD, on_child);
	return 0;
}

void loop_signal_switches(bool heeded)
{
	install(SIGUSR2, heeded ? on_switch : SIG_IGN);
}

bool loop_switch_signal(void)
{
	bool asked = switch_signal;

	switch_signal = 0;
	return asked;
}

int loop_ending_signal(void)
{
	return ending_signal;
}

int loop_ending_signals(void)
{
	return ending_signals;
}
