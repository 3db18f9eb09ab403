/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf --self-profile: what perf itself does, as spans of time of its threads.
 *
 *	span_begin("pass 1");
 *	...
 *	span_end();		// or span_end_bytes(n): so many bytes were read or written
 *
 * Spans of a thread nest.  A span is a phase, a block of a file, an object: something of a tenth
 * of a millisecond and more, never one sample.  While nobody asked, each of the two costs one
 * predictable branch.  Names are texts that live as long as the program; the component is that of the
 * source file.
 *
 * Threads: spans_start() before any other thread starts; spans by any thread; what was gathered is
 * looked at when no other thread of perf runs any more.  Those of base/threads.h work in a span with the name of the one
 * that their starter is in, and of threads that come one after the other the spans are those of one thread.
 */
#ifndef BASE_SPANS_H
#define BASE_SPANS_H

#include "base/strbuf.h"
#include "base/vec.h"

extern bool spans_on;

#define span_begin(name)                                                       \
	do {                                                                   \
		if (unlikely(spans_on))                                        \
			span_open(__FILE__, name);                             \
	} while (0)
#define span_end_bytes(n)                                                      \
	do {                                                                   \
		if (unlikely(spans_on))                                        \
			span_close(n);                                         \
	} while (0)
#define span_end() span_end_bytes(0)

/* By span_begin() and span_end() alone. */
void span_open(const char *file, const char *name);
void span_close(u64 bytes);

/* For base/threads.h alone: the span that this thread is in; name NULL: in none. */
struct span_place {
	const char *file, *name;
};
struct span_place span_here(void);
/* Between them lies all that a thread does which ends then. */
void span_thread_begins(struct span_place of_starter);
void span_thread_ends(void);

void spans_start(void);
void spans_stop(void);
/* All that was gathered; nothing is measured then. */
void spans_release(void);

/* One span; times in ns, start since spans_start(). */
struct timed_span {
	const char *file, *name; /* the path of the source file shows its component */
	u64 start, wall, self, cpu, bytes; /* self: outside of the spans within it */
};

/* All spans of one thread with one name. */
struct span_sum {
	const char *file, *name;
	u64 count, wall, self, cpu, bytes;
};

struct span_thread {
	struct span_thread *next;
	u32 number; /* 0: the thread that started; others in the order of their first spans */
	VEC(struct timed_span) spans; /* in the order of their ends; of very many, the first */
	u64 left_out;		/* those that are only in the sums */
	VEC(struct span_sum) sums;
};

/* What was measured: the threads in the order of their numbers. */
struct spans {
	const struct span_thread *threads;
	u32 thread_count;
	u64 wall, cpu; /* ns between start and stop; CPU: of all threads of the process */
};
struct spans spans_gathered(void);

/* spans_text.c: a document in the JSON of Chrome's trace viewer, and a table. */
void spans_json(const struct spans *s, const char *command, struct strbuf *b);
void spans_table(const struct spans *s, const char *command, struct strbuf *b);

#endif
