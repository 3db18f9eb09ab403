// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_pipe, read until the workload or the user ends it. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "builtin/ftrace/internal.h"
#include "record/record.h"

enum { PIECE = 1 << 14, PIECES = 16, WAIT_MS = 200 };

/*
 * Reads the available text, in a limited number of pieces, since the kernel can write faster than
 * we read.
 */
static int drain(int fd, unsigned most, ftrace_take take, void *arg, struct reason *r)
{
	char piece[PIECE]; /* a read of trace_pipe ends with a page */

	for (unsigned i = 0; i < most; i++) {
		ssize_t n = read(fd, piece, sizeof(piece));
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return reason_errno(r, errno, "cannot read the trace");
		if (n <= 0)
			return 0;
		err = take(arg, piece, (size_t)n);
		if (err)
			return err == -EPIPE ? err
					     : reason_errno(r, -err, "cannot write the trace");
	}
	return 0;
}

static bool ended(struct ftrace_run *run)
{
	struct workload *w = &run->workload;

	return loop_ending_signal() ||
	       (w->pid > 0 ? workload_wait(w, false) : !target_is_alive(&run->target));
}

static int follow(struct ftrace_run *run, int fd, ftrace_take take, void *arg, struct reason *r)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = run->wake_fd, .events = POLLIN } };
	int err = 0;

	while (!err && !ended(run)) {
		u64 count;

		if (poll(fds, 2, WAIT_MS) < 0 && errno != EINTR)
			return reason_errno(r, errno, "cannot wait for the trace");
		if (fds[1].revents && read(run->wake_fd, &count, sizeof(count)) < 0)
			err = 0;
		err = drain(fd, PIECES, take, arg, r);
	}
	return err;
}

static int start(struct ftrace_run *run, struct reason *r)
{
	const struct timespec delay = { (time_t)(run->f->delay / 1000000000),
					(long)(run->f->delay % 1000000000) };
	int err = 0;

	if (!run->f->delay)
		err = ftrace_place_write(run->place, "tracing_on", "1", r);
	if (!err && run->workload.pid > 0)
		err = workload_start(&run->workload, r);
	if (err || !run->f->delay)
		return err;
	nanosleep(&delay, NULL);
	return ftrace_place_write(run->place, "tracing_on", "1", r);
}

static void warn(const struct ftrace_run *run, u64 lost)
{
	bool latency = run->f->command == FTRACE_LATENCY;

	if (lost)
		condition_add(&run->f->ctx->conditions, CONDITION_WARNING, "ftrace-lost", NULL,
			      NULL, 1,
			      latency ? "measure with --use-bpf"
				      : "choose larger buffers with -m, or fewer functions",
			      "%" PRIu64 " events were lost because the kernel's buffers were full",
			      lost);
}

int ftrace_stream(struct ftrace_run *run, ftrace_take take, void *arg, struct reason *r)
{
	int fd = ftrace_place_pipe(run->place, r), err;
	u64 lost = ftrace_place_lost(run->place);

	err = fd < 0 ? fd : start(run, r);

	if (!err)
		err = follow(run, fd, take, arg, r);
	if (!err)
		err = ftrace_place_write(run->place, "tracing_on", "0", r);
	if (!err)
		err = drain(fd, UINT_MAX, take, arg, r);
	if (!err)
		warn(run, ftrace_place_lost(run->place) - lost);
	if (fd >= 0)
		close(fd);
	return err == -EPIPE ? 0 : err;
}
