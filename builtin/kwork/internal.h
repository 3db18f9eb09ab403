/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of perf kwork, and by their unit tests. */
#ifndef BUILTIN_KWORK_INTERNAL_H
#define BUILTIN_KWORK_INTERNAL_H

#include "base/hash.h"
#include "builtin/kwork/kwork.h"
#include "session/lines.h"
#include "tracer/tracer.h"

enum kwork_event { EVENT_RAISE, EVENT_ENTRY, EVENT_EXIT, EVENT_EVENTS };

/* ---- sort keys ---- */

enum sort_key {
	SORT_ID,
	SORT_COUNT,
	SORT_RUNTIME,
	SORT_MAX,
	SORT_AVERAGE,
	SORT_RATE,
	SORT_TID,
	SORT_KEYS,
};
struct sort_order {
	enum sort_key keys[SORT_KEYS];
	unsigned count;
};
/* options.c; -EINVAL with a reason that names the keys that there are. */
int kwork_sort_parse(enum kwork_view view, const char *text, struct sort_order *out,
		     struct reason *r) MUST_CHECK;
int kwork_kinds_parse(struct kwork *k, struct reason *r) MUST_CHECK;
bool kwork_has(const struct kwork *k, enum kwork_kind kind);
/* Returns the position of the kind in the requested list. */
unsigned kwork_kind_place(const struct kwork *k, enum kwork_kind kind);

/* ---- one row of a table ---- */

struct work {
	enum kwork_kind kind;
	u32 cpu;
	u64 id;   /* number of the interrupt or vector; address of the item */
	u32 name; /* in works.names; 0: not known */
	u32 next; /* with the same hash, plus one */
	/* for what the view shows: runtime or delay, ns */
	u64 count, total, max, max_from, max_until;
	char *title; /* works_title(), once it was requested */
};

/* Something that has begun, or waits to begin; open is false if there is nothing. */
struct moment {
	bool open;
	u32 losses; /* `seen` when it was noted; if it has changed, this is not trusted */
	u64 since;  /* ns */
};

/* What runs one piece of work at a time: an interrupt or softirq of a CPU, a worker thread. */
struct lane {
	u64 key;
	struct moment raised, entered; /* workers' items are raised elsewhere: works.items */
	u64 delayed_since;             /* when it was raised, for an entered one; 0: unknown */
	u64 id;                        /* for the last entry: the address of the item */
	u32 cpu, name;                 /* likewise */
	u32 row;                       /* the row of that entry, plus one */
	char *chain;                   /* text, or NULL */
};

enum { RECENT_LANES = 64 };
struct lanes {
	struct map64 index; /* key -> place in list, plus one */
	VEC(struct lane) list;
	u32 recent[RECENT_LANES]; /* likewise, by the key's last bits */
};

struct works {
	const struct kwork *k;
	struct session *session; /* NULL: counted in the kernel */
	struct out *out;
	struct session_lines *lines; /* timehist */
	VEC(struct work) list;
	struct map64 by_hash;
	struct strtab names;
	bool met_name;          /* --name was seen */
	bool has_lines;         /* timehist has a line */
	struct map64 functions; /* address -> name, plus one */
	VEC(u32) vectors;       /* softirq -> name, plus one */
	struct lanes lanes[KWORK_KINDS];
	struct map64 items; /* for workqueues, activated: address -> place in activated, plus one */
	VEC(struct moment) activated;
	VEC(u32) unused; /* places in it */
	VEC(u32) losses; /* by CPU */
	u32 all_losses, unplaced_losses;
	u64 skipped[EVENT_EVENTS];
	u64 first, last; /* times of the events that counted */
	u64 all_runtime, all_count;
	struct chains *chains; /* timehist -g */
	char *softirqs;        /* print format of the softirq events */
};

/* ---- works.c: events into spans of time, those into rows ---- */

struct work_event {
	enum kwork_kind kind;
	u64 time, key, id; /* key: what pairs its events on a CPU or thread */
	u32 cpu, name;
	const struct tracer_hit *hit;
};
void works_raise(struct works *w, const struct work_event *e);
void works_entry(struct works *w, const struct work_event *e);
void works_exit(struct works *w, const struct work_event *e);
void works_lost(void *arg, const struct tracer_gap *gap);
/* Ends the analysis: what is still open counts as skipped. */
void works_finish(struct works *w);
void works_release(struct works *w);
/* Returns the rows that have something to show, sorted; the caller frees the array. */
struct work **works_sorted(struct works *w, const struct sort_order *order, size_t *count);

/* names.c */
u32 works_softirq_name(struct works *w, const struct tracer_hit *hit, u64 vector);
u32 works_function_name(struct works *w, u64 address, const struct order_key *key);
/*
 * Finds the name of a softirq in a print format with { 1, "TIMER" }. Returns its length, or 0 if it
 * is not there.
 */
size_t softirq_name_in(const char *print_fmt, u64 vector, const char **name);
/*
 * Returns a row's title, which the row owns: "(s)RCU:9", "eth0:24", "(w)vmstat_update". It is cut
 * to the column as perf does, and padded to it.
 */
const char *works_title(const struct works *w, struct work *work);

/* print.c */
void kwork_print_table(struct works *w, const struct sort_order *order, struct strbuf *b);
void kwork_print_timehist_head(struct strbuf *b);
/* Says why the table has no rows. */
void kwork_explain_empty(const struct works *w);
/* What a line of timehist is made of; drawn by any thread. */
struct kwork_line {
	u64 since, until;
	u64 delay;         /* ns; UINT64_MAX: not known */
	const char *title; /* the row's */
	u32 cpu;
	char chain[]; /* "" without one */
};
void kwork_add_line(struct works *w, const struct lane *lane, u64 until);
void kwork_put_line(const void *arg, const void *facts, struct strbuf *b);
/* chains.c: " a <- b <- c", malloc'ed. */
char *kwork_chain_text(struct works *w, const struct session_sample *s);

/* events.c: tracepoints to the three functions above. */
int kwork_run_works(struct kwork *k, const struct sort_order *order, struct reason *r) MUST_CHECK;
/* top.c */
int kwork_run_top(struct kwork *k, const struct sort_order *order, struct reason *r) MUST_CHECK;
/* bpf.c: from its start until a signal */
int kwork_run_bpf(struct kwork *k, const struct sort_order *order, struct reason *r) MUST_CHECK;
/* Returns a hint with the command that records what is missing; the caller frees it. */
char *kwork_record_hint(const struct kwork *k);
bool kwork_keep(const struct kwork *k, const struct sample *s);

#endif
