// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals end a recording in order: the first one stops the events and writes
 * what is there; a second one also skips what can be skipped.
 *
 * The handlers only count and write to an eventfd that the poll loop watches.
 */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/out.h"
#include "record/record.h"

static int event_fd = -1;
static volatile sig_atomic_t ending_signal, ending_signals, switch_signal;
static atomic_bool *cancelled;

void record_wake(void)
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
	if (++ending_signals > 1)
		atomic_store_explicit(cancelled, true, memory_order_relaxed);
	record_wake();
}

static void on_child(int sig)
{
	(void)sig;
	record_wake();
}

static void on_switch(int sig)
{
	(void)sig;
	switch_signal = 1;
	record_wake();
}

static void install(int sig, void (*handler)(int))
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	sigemptyset(&act.sa_mask);
	/* nohup stays; shells make background jobs ignore SIGINT, yet kill -INT is how scripts end us */
	if (sig == SIGHUP && !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN)
		return;
	sigaction(sig, &act, NULL);
}

int record_signals(struct context *ctx, int *wake_fd, struct reason *r)
{
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
		return reason_errno(r, errno, "cannot make an eventfd");
	*wake_fd = event_fd;
	cancelled = &ctx->cancelled;
	ending_signal = ending_signals = 0;
	write_ends_by(&ending_signal);
	install(SIGINT, on_end);
	install(SIGTERM, on_end);
	install(SIGHUP, on_end);
	install(SIGCHLD, on_child);
	signal(SIGUSR2, SIG_IGN);
	return 0;
}

void record_signal_switches(void)
{
	install(SIGUSR2, on_switch);
}

bool record_switch_signal(void)
{
	bool asked = switch_signal;

	switch_signal = 0;
	return asked;
}

int record_ending_signal(void)
{
	return ending_signal;
}

int record_ending_signals(void)
{
	return ending_signals;
}
