/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of perf lock. */
#ifndef BUILTIN_LOCK_INTERNAL_H
#define BUILTIN_LOCK_INTERNAL_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "builtin/lock/lock.h"
#include "session/choice.h"
#include "tracer/state.h"
#include "tracer/tracer.h"

/* Flags of contention_begin. */
/* clang-format off */
enum {
	KIND_SPIN = 1, KIND_READ = 2, KIND_WRITE = 4, KIND_RT = 8, KIND_PERCPU = 16, KIND_MUTEX = 32,
	/* our own */
	KIND_FUTEX = 1 << 16, /* a lock of user space, with its kind, if that is known: */
	KIND_USER_MUTEX = 1 << 17, KIND_USER_RWLOCK = 1 << 18, KIND_USER_SEMAPHORE = 1 << 19,
	KIND_USER_CONDITION = 1 << 20, KIND_USER_BARRIER = 1 << 21, KIND_USER_JOIN = 1 << 22,
};
/* clang-format on */

/* ---- rows.c ---- */

enum { HISTOGRAM_SLOTS = 44 }; /* slot n: waits below 2^n ns, n 0: of 0 ns */

struct lock_frame {
	u64 ip;
	char *name;   /* "" when not known */
	bool runtime; /* of the C library, the loader, a language */
};

/* What a line shows: the locks of one place, one lock, one task ... */
struct lock_row {
	u64 key, addr;
	u32 flags, tid;
	char *name;                     /* the class, the caller, the task */
	u64 acquired, contended, waits; /* waits: contentions whose end was seen */
	u64 total, min, max;            /* ns; min UINT64_MAX: none */
	u64 slots[HISTOGRAM_SLOTS];
	struct lock_frame *frames;
	u32 depth;
	const char *lock_name; /* constant; NULL or "": it has none that is known */
	char *wakers;          /* user locks: the tasks that ended the waits; NULL: unknown */
	bool broken;           /* its events did not follow each other as they should */
};
struct lock_rows {
	VEC(struct lock_row) list;
	struct map64 by_key; /* index */
};
/* Returns a row, or NULL if there is none. */
struct lock_row *lock_row_find(struct lock_rows *rows, u64 key);
/*
 * Returns a row. An added one is zeroed except for key and min. Pointers are valid until the next
 * call.
 */
struct lock_row *lock_row_put(struct lock_rows *rows, u64 key, bool *added);
void lock_row_waited(struct lock_row *row, u64 ns);
void lock_row_merge(struct lock_row *row, const struct lock_row *other);
/* Merges rows of one name and waker, and with by_type of one type. */
void lock_rows_combine(struct lock_rows *rows, bool by_type);
void lock_rows_release(struct lock_rows *rows);
void lock_row_release(struct lock_row *row); /* what it points to */
u64 lock_row_average(const struct lock_row *row);

/* ---- columns.c ---- */

enum { LOCK_COLUMNS = 6 };
struct lock_column {
	const char *name, *head;
	int width;
	u64 (*value)(const struct lock_row *row);
	bool is_time;
};
struct lock_columns {
	const struct lock_column *shown[LOCK_COLUMNS];
	size_t count;
	const struct lock_column *sort;
};
int lock_columns_parse(struct lock_columns *c, enum lock_command command, const char *fields,
		       const char *key, struct reason *r) MUST_CHECK;
void lock_rows_sort(struct lock_rows *rows, const struct lock_columns *c);

/* ---- kinds.c ---- */

/* Returns the name of a type, such as "rwsem:W", or NULL for unknown flags. */
const char *lock_type_name(u32 flags);
/*
 * Checks that the text, such as "spinlock,rwsem", names types; lock_types_have() reports whether
 * flags are one of them.
 */
int lock_types_check(const char *text, struct reason *r) MUST_CHECK;
bool lock_types_have(const char *text, u32 flags);

/* ---- caller.c ---- */

struct lock_chain {
	u64 ips[128];
	u32 kernel, count; /* this many of the kernel, then the users' */
	u64 hash;
};
struct lock_callers {
	struct session *session;
	struct map64 functions; /* address -> 1: lock code, 2: not */
	struct map64 chains;    /* hash of a recorded chain -> lock_chain_hash() */
	u64 bounds[2][2];       /* text of lock and of scheduler functions; 0: not known */
	bool looked;
	unsigned max_stack, skip;
	bool user;               /* keep the users' frames, not the kernel's */
	struct lock_rows places; /* callers by their chains, for their names alone */
};
/*
 * Reads the part of the recorded chain that identifies the place, without lock code at its leaf
 * end.
 */
void lock_chain_read(struct lock_callers *c, const struct session_sample *s,
		     struct lock_chain *out);
/* Returns only the hash of that part. A chain seen before is not read again. */
u64 lock_chain_hash(struct lock_callers *c, const struct session_sample *s);
bool lock_is_lock_code(struct lock_callers *c, u64 addr);
/* Sets the row's name to its caller ("sym+0x12") and fills its frames with their names. */
void lock_row_name(struct lock_callers *c, struct lock_row *row, const struct lock_chain *chain,
		   const struct task *task, const struct order_key *key);
void lock_callers_release(struct lock_callers *c);
/* Adds the name of a frame: "sym+0x1f" or, for a user's address without a name, "[object+0x..]". */
void lock_frame_name(struct session *s, const struct task *task, const struct order_key *key,
		     bool kernel, u64 ip, bool is_return, struct strbuf *b);

/* ---- run.c ---- */

/* Waits of a row that one task ended from one place. */
struct lock_wake {
	u32 row, tid, comm;
	const char *place;
	u64 count;
};
enum lock_fault { FAULT_ACQUIRE, FAULT_ACQUIRED, FAULT_CONTENDED, FAULT_RELEASE, LOCK_FAULTS };
struct lock_filters {
	bool open;
	VEC(u64) locks;         /* addresses */
	struct strlist callers; /* parts of names of functions */
	struct map64 chains;    /* hash of a chain -> 1: wanted, 2: not */
	struct map64 kinds;     /* hash of a user's chain -> its row's flags */
};
struct lock_result {
	struct lock *l;
	struct session *session;
	struct lock_rows rows;
	struct lock_columns columns;
	struct lock_filters filters;
	struct lock_callers callers;
	struct tracer_states pending; /* by task and lock */
	/* for --threads: lock_life_key() of those that had events -> comm */
	struct map64 threads;
	struct sample_choice choice;
	u32 *pids, *tids;
	size_t pid_count, tid_count;
	u64 faults[LOCK_FAULTS];
	u64 backwards;                /* waits that ended before they began */
	u64 lost;                     /* waits that BPF had no room for */
	u64 no_wait;                  /* those of them that are in a row, without their time */
	u64 no_stack;                 /* rows whose stacks BPF had no room for */
	u64 delayed;                  /* waits after which a delay was injected */
	struct event_set live_set;    /* the events of a live session */
	struct tracer_states futexes; /* by address: the task that woke last, see futex.c */
	VEC(struct lock_wake) wakes;
	struct map64 by_wake;
};
/*
 * Returns the key of a sample's task. The idle tasks of all CPUs share one tid, so their key
 * includes the CPU.
 */
static inline u64 lock_task_key_of(u32 tid, u32 cpu)
{
	return tid ? tid : (u64)cpu << 32;
}
u64 lock_task_key(const struct session_sample *s);
/*
 * Returns the key of a task's row: tid << 32, plus a number for each task, so another task that had
 * the tid before has its own row.
 */
u64 lock_life_key(const struct session_sample *s);
/* Notes that the task had an event, for the list of threads if that was requested. */
void lock_task_met(struct lock_result *res, const struct session_sample *s);
/* Reports whether -p, --tid and -C select the event with which something begins. */
bool lock_task_wanted(const struct lock_result *res, const struct sample *s);

/* ---- filters.c: -L, -S and -Y ---- */

/*
 * Opens the filters at the first event, when the session knows its kernel and can look up names of
 * locks.
 */
int lock_filters_open(struct lock_result *res, struct reason *r) MUST_CHECK;
/*
 * Finds a lock's address, as typed or of the kernel's variable of this name. Returns -ENOENT with a
 * reason if there is none.
 */
int lock_address(struct lock_result *res, const char *name, u64 *addr, struct reason *r) MUST_CHECK;
bool lock_wait_wanted(struct lock_result *res, const struct session_sample *s, u64 addr, u32 flags);
bool lock_chain_wanted(struct lock_result *res, const struct lock_chain *chain,
		       const struct task *task, const struct order_key *key);
void lock_filters_release(struct lock_filters *f);

/* contention.c, lockdep.c, futex.c: handlers; arg is struct lock_result */
int lock_on_begin(void *arg, const struct tracer_hit *hit, struct reason *r);
int lock_on_end(void *arg, const struct tracer_hit *hit, struct reason *r);
int lock_on_acquire(void *arg, const struct tracer_hit *hit, struct reason *r);
int lock_on_acquired(void *arg, const struct tracer_hit *hit, struct reason *r);
int lock_on_contended(void *arg, const struct tracer_hit *hit, struct reason *r);
int lock_on_release(void *arg, const struct tracer_hit *hit, struct reason *r);
int lock_on_futex(void *arg, const struct tracer_hit *hit, struct reason *r);
int lock_on_futex_done(void *arg, const struct tracer_hit *hit, struct reason *r);
void lock_futexes_finish(struct lock_result *res);
enum { LOCK_USER_CALLERS = 2 };
/*
 * Names a row by the program's own function with so many of its callers ("buy+0x17 <- serve <-
 * run"). Sets the kind of lock from the names of its frames.
 */
void lock_name_user_row(struct lock_row *row, u32 callers);
/* Reports whether -S and -Y select the frames of a wait of process pid. */
bool lock_user_chain_wanted(struct lock_result *res, const struct lock_chain *chain, u32 pid,
			    const struct task *task, const struct order_key *key);
enum { BEGIN_ADDR, BEGIN_FLAGS };
enum { END_ADDR };
enum { DEP_ADDR, DEP_NAME, DEP_FLAGS };
enum { FUTEX_ADDR, FUTEX_OP, FUTEX_ADDR2 };
enum { FUTEX_RET };

/* ---- print.c ---- */

void lock_print(struct lock_result *res, struct strbuf *b);
/* Adds the name of a lock that is a variable of the kernel, or nothing. */
void lock_symbol(const struct lock_result *res, const struct lock_row *row, struct strbuf *b);
void lock_print_info(struct lock_result *res, struct strbuf *b);
/* print_json.c */
void lock_print_json(struct lock_result *res, struct strbuf *b);

/* ---- delay.c: -J ---- */

/* Parses "TIME@LOCK"; lock: where the lock's name begins; NULL: not needed. */
int lock_parse_delay(const char *text, u64 *ns, const char **lock, struct reason *r) MUST_CHECK;
u8 lock_delay_kind(const struct lock *l); /* for the program's settings */
int lock_put_delays(struct lock_result *res, int map, struct reason *r) MUST_CHECK;

/* ---- live.c ---- */

/* Counts in the kernel until the workload ends or the user stops it, then makes the rows. */
int lock_run_live(struct lock_result *res, int argc, const char **argv,
		  struct reason *r) MUST_CHECK;

#endif
