/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf --self-profile: what perf itself does: phases of its threads.
 *
 *	phase_begin("pass 1");
 *	...
 *	phase_end();              // or phase_end_bytes(n): this many bytes were read or written
 *
 * Phases of a thread nest. A phase is a pass, a block of a file, an object: something of a tenth of
 * a millisecond and more, never one sample. Without --self-profile, each of the two costs one
 * predictable branch. Names are texts that live as long as the program; the component is that of
 * the source file.
 *
 * Threads: phases_start() before any other thread starts; phases by any thread; results are read
 * when no other thread of perf runs any more. Threads of base/threads.h work in a phase with the
 * name of their starter's phase, and threads that come one after the other count as one thread.
 */
#ifndef BASE_SELF_PROFILE_H
#define BASE_SELF_PROFILE_H

#include "base/strbuf.h"
#include "base/vec.h"

extern bool phases_on;

#define phase_begin(name)                                                                          \
	do {                                                                                       \
		if (unlikely(phases_on))                                                           \
			phase_open(__FILE__, name);                                                \
	} while (0)
#define phase_end_bytes(n)                                                                         \
	do {                                                                                       \
		if (unlikely(phases_on))                                                           \
			phase_close(n);                                                            \
	} while (0)
#define phase_end() phase_end_bytes(0)

/* Opens a phase; only for phase_begin() and phase_end(). */
void phase_open(const char *file, const char *name);
void phase_close(u64 bytes);

/* For base/threads.h alone: the phase that this thread is in; name NULL: in none. */
struct phase_place {
	const char *file, *name;
};
struct phase_place phase_here(void);
/*
 * Begins a thread's phases; everything that the thread does is between this and the next function.
 */
void phase_thread_begins(struct phase_place of_starter);
void phase_thread_ends(void);

void phases_start(void);
void phases_stop(void);
/* Frees what was gathered, when nothing is measured any more. */
void phases_release(void);

/* One phase; times in ns, start since phases_start(). */
struct timed_phase {
	const char *file, *name;           /* the path of the source file shows its component */
	u64 start, wall, self, cpu, bytes; /* self: outside of the phases within it */
};

/* All phases of one thread with one name. */
struct phase_sum {
	const char *file, *name;
	u64 count, wall, self, cpu, bytes;
};

struct phase_thread {
	struct phase_thread *next;
	u32 number; /* 0: the thread that started; others in the order of their first phases */
	VEC(struct timed_phase) phases; /* in the order of their ends; of very many, the first */
	u64 left_out;                   /* those only in the sums */
	VEC(struct phase_sum) sums;
};

/* What was measured: the threads in the order of their numbers. */
struct phases {
	const struct phase_thread *threads;
	u32 thread_count;
	u64 wall, cpu; /* ns between start and stop; CPU: of all threads of the process */
};
struct phases phases_gathered(void);

/* self_profile_text.c: a document in the JSON of Chrome's trace viewer, and a table. */
void phases_json(const struct phases *s, const char *command, struct strbuf *b);
void phases_table(const struct phases *s, const char *command, struct strbuf *b);

#endif
