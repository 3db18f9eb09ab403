/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program that runs until something happens waits for, in one place: signals, rings,
 * other descriptors (--control, a keyboard), and times.
 *
 *	loop_signals()		      handlers, and the descriptor that they make readable
 *	loop_init()
 *	loop_add_ring(), loop_add()   what else ends a wait
 *	loop_at()		      when the program has something to do next
 *	loop_wait()		      until one of these; again and again
 *	  loop_ready(), loop_is_due()	which one it was
 *	  loop_rings_alive()		whether any ring still has an event that feeds it
 *	loop_release()
 *
 * Units: times are ns of CLOCK_MONOTONIC.
 * Threads: a loop belongs to one thread, and there may be many.  Signals are those of the
 * process: loop_signals() is called once, by the main thread; loop_wake() by any.
 */
#ifndef LIVE_LOOP_H
#define LIVE_LOOP_H

#include <poll.h>

#include "base/context.h"
#include "base/vec.h"
#include "live/live.h"

/* Signals */

enum { LOOP_ALL_ENDS = 1 /* SIGPIPE and SIGQUIT, too, end the program in order */ };
/*
 * SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) are counted, and make
 * *wake_fd readable; so does the end of a child.  The second one cancels ctx (NULL: nothing).
 * The descriptor is the handlers', which stay: nobody closes it, and a later call gives the same.
 */
int loop_signals(struct context *ctx, unsigned flags, int *wake_fd, struct reason *r) MUST_CHECK;
/* What a signal does, without one, from any thread: the main loop's wait ends. */
void loop_wake(void);
/* The last signal that asked to end, or 0, and how many there were. */
int loop_ending_signal(void);
int loop_ending_signals(void);
/*
 * SIGUSR2: true: makes the descriptor readable, too; false: is ignored. Was there one since the
 * last call?
 */
void loop_signal_switches(bool heeded);
bool loop_switch_signal(void);

/* The wait */

#define LOOP_NEVER UINT64_MAX
enum { LOOP_TIMES = 8 };

struct loop {
	struct live *live;      /* has the rings; NULL: there are none */
	VEC(u32) rings;         /* the first of fds */
	VEC(struct pollfd) fds; /* wake, rings, others */
	u64 at[LOOP_TIMES];     /* by the program's own numbers */
};

/* wake_fd: an eventfd, which each wait empties; -1: none. */
void loop_init(struct loop *l, int wake_fd);
void loop_release(struct loop *l); /* the descriptors stay open */
/* All rings before the first loop_add(). */
void loop_add_ring(struct loop *l, struct live *live, u32 ring);
/* After live_reopen(): rings have other descriptors. */
void loop_rings_changed(struct loop *l);
/* Readable: its place, for the two below.  -1: nothing for now. */
size_t loop_add(struct loop *l, int fd);
void loop_set(struct loop *l, size_t place, int fd);
bool loop_ready(const struct loop *l, size_t place);

/* LOOP_NEVER is what each time is at first. */
void loop_at(struct loop *l, unsigned which, u64 when);
bool loop_is_due(const struct loop *l, unsigned which);
/*
 * The time after `due` that is any number of lengths later and not before now.  A late tick is not
 * repeated and does not shift later ones.
 */
u64 loop_next(u64 due, u64 length, u64 now);

/*
 * Until a descriptor has something, a signal comes, a time is due, or `until`.  1: it was a
 * descriptor or a signal; 0: a time; -errno.
 */
int loop_wait(struct loop *l, u64 until);
/*
 * After a wait: tasks that ended leave their descriptors hung up; others may still feed the ring.
 */
bool loop_rings_alive(struct loop *l);

/*
 * For programs that only wait: until the workload (NULL: none) has ended, or a signal asks to end,
 * or the time has come (LOOP_NEVER: never).  false: it was the time.
 */
bool loop_wait_end(struct workload *w, int wake_fd, u64 until);
/* The same; without a workload also until the target's threads have ended. */
bool loop_wait_target(const struct target *t, struct workload *w, int wake_fd, u64 until);
/*
 * The workload may still run when the user ended the program: it is asked to end, and made to by
 * the next signal.
 */
void loop_end_workload(struct workload *w);
/*
 * The same; a workload that ended by itself hands on its exit code. For every command but record
 * and stat.
 */
void loop_finish_workload(struct workload *w);

/* Did the program start a workload that ran to its end?  What shows nothing of it says so. */
bool loop_ran_workload(const struct workload *w);

/* Rings */

/* Where their records go. */
struct ring_sink {
	/*
	 * d: whole records, as they lie in the ring, which has their room back afterwards. It may
	 * be made smaller, to its first records: then those are taken, and the rest comes in the
	 * next call. Nothing at all: the ring keeps what it has.
	 */
	int (*take)(void *arg, u32 ring, struct ring_data *d, struct reason *r);
	void *arg;
};
/*
 * Empties a ring, unless it has fewer bytes than least.  What comes meanwhile stays, so that a
 * turn over all rings ends.  Does nothing with a ring that is overwritten.
 */
int ring_drain(struct live *live, u32 ring, size_t least, const struct ring_sink *to,
	       struct reason *r) MUST_CHECK;
/* Its first records, of `most` bytes or little more. */
void ring_data_cut(struct ring_data *d, size_t most);

#endif
