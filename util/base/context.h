/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The context every component is started with: settings that hold for the whole run,
 * the list of conditions, and the cancel token.
 *
 * A condition is a degradation that was survived (records skipped, samples
 * lost, objects without symbols).  Equal (code, object) pairs are merged: the
 * counts add up and the least order key is kept.  Components add them; the builtin
 * prints them once at the end, in order of their first key, as "warning:" lines
 * (see cli/say_conditions).
 *
 * Threads: any thread may add to any list, and merge into it; the list is looked at, sorted and
 * released when no other thread adds.  Workers have lists of their own all the same, so that their
 * order does not matter (condition_list_merge at the end).  Settings are read-only while workers
 * run; cancelled may be set from a signal handler.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/types.h"
#include "base/vec.h"

/*
 * The position of a record: (time, file number, position after decompression). Time 0 is before
 * everything; see "Order and time" in Documentation/design.
 */
struct order_key {
	u64 time; /* ns of the file's clock */
	u32 file;
	u64 position; /* bytes */
};

static inline int order_key_cmp(const struct order_key *a, const struct order_key *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	return 0;
}

/* What the degradation does to the exit code. */
enum condition_weight {
	CONDITION_NOTE,    /* worth saying with -v only */
	CONDITION_WARNING, /* said; exit 0 */
	CONDITION_DAMAGE,  /* reported; data was skipped; exit code 1 */
};

struct condition {
	const char *code; /* a literal, "file-truncated": groups and sorts */
	char *object;     /* what it happened to, or NULL; owned by the list */
	char *text;       /* one line for a person, without count; owned */
	char *hint;       /* or NULL; owned */
	enum condition_weight weight;
	u64 count;
	struct order_key first;
};

/* When a list has this many, conditions of further objects are merged into one for each code. */
#define CONDITIONS_MAX 1000

struct condition_list {
	VEC(struct condition) list;
	/* guards list while conditions are added; zero is its initial state */
	pthread_mutex_t lock;
};

/*
 * Adds count to the condition (code, object). The text and hint of the first one are kept. object
 * and hint may be NULL, first too (key 0).
 */
void condition_add(struct condition_list *l, enum condition_weight weight, const char *code,
		   const char *object, const struct order_key *first, u64 count, const char *hint,
		   const char *fmt, ...) PRINTF_LIKE(8, 9);
/* Reports whether the list has the condition, with exactly this key as its first. */
bool condition_known(struct condition_list *l, const char *code, const char *object,
		     const struct order_key *first);
/* Moves all of src into dst; src is empty afterwards. */
void condition_list_merge(struct condition_list *dst, struct condition_list *src);
/* Sorts by (first, code, object), for printing. */
void condition_list_sort(struct condition_list *l);
bool condition_list_damaged(const struct condition_list *l);
void condition_list_release(struct condition_list *l);

enum context_pager {
	CONTEXT_PAGER_AUTO,   /* commands that print much use one on a terminal */
	CONTEXT_PAGER_ALWAYS, /* -p: every command does, on a terminal */
	CONTEXT_PAGER_NEVER,  /* --no-pager */
};

struct config; /* cli/config.h */

/* What --debug can ask for.  -vv of a command asks for all of it. */
enum debug_topic {
	DEBUG_EVENT_OPEN, /* each perf_event_open: its arguments and its result */
	DEBUG_TOPICS,
};

struct context {
	int verbose; /* number of -v */
	bool quiet;  /* -q */
	/* the most lines that conditions take without -v; 0 = a few of each kind */
	unsigned most_lines;
	unsigned workers;            /* analysis threads; 0 = one per online CPU */
	const char *exec_path;       /* where scripts and filters are installed; NULL = nowhere */
	const char *buildid_dir;     /* build-id cache, "" = do not use one */
	const char *symfs;           /* prefix for objects, "" = none */
	const struct config *config; /* settings of the files; NULL = none were read */
	enum context_pager pager;
	const char *recorder; /* the command that makes what is read; NULL = perf record */
	/* perf kvm: which side events count that do not say so themselves (:G, :H) */
	bool count_guests, skip_host;
	/* that cpu-clock is used instead of cycles is a note, not a warning */
	bool expects_fallback;
	int debug[DEBUG_TOPICS]; /* levels of --debug, 0: not requested */
	/*
	 * Takes debug text, whole lines; NULL: nobody listens. Components ask context_debug()
	 * first.
	 */
	void (*debug_text)(void *arg, const char *lines);
	void *debug_arg;
	/*
	 * Replaces the line of progress on the terminal; NULL erases it. The pointer is NULL
	 * without a terminal.
	 */
	void (*progress)(const char *text);
	struct condition_list conditions;
	/*
	 * Whole lines of a command in front of perf record, printed once the recording has begun,
	 * so nothing comes before an error; owned by the front end. NULL means none.
	 */
	const char *said_at_start;
	/*
	 * Makes perf record cover all CPUs where the user names no tasks; set by a command in front
	 * of it.
	 */
	bool records_all;
	atomic_bool cancelled;
	/*
	 * The signal that ended the command, or 0. After all cleanup, perf.c dies by it, which also
	 * ends the shell's loop or script that runs perf.
	 */
	int ended_by;
};

/*
 * Returns how many threads an analysis runs on: workers, or one for each CPU that was online at the
 * first call. The C library reads a file to find out, which is too expensive for each table of top.
 */
unsigned context_workers(const struct context *ctx);

static inline bool context_debug(const struct context *ctx, enum debug_topic topic)
{
	return ctx->debug_text && (ctx->debug[topic] > 0 || ctx->verbose > 1);
}

static inline bool context_cancelled(const struct context *ctx)
{
	return atomic_load_explicit(&ctx->cancelled, memory_order_relaxed);
}

#endif
