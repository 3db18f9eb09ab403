/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events, and the set of them of a session (live or a file).
 *
 * One event is one perf_event_attr with its name and what belongs to it everywhere (unit, scale,
 * filter, group, ids). Commands keep what only they need in a structure of theirs, indexed by
 * event->index.
 * Life: event_set_init / event_set_release; the set owns its events. Threads: read-only once it is
 * filled.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "base/hash.h"
#include "base/perf_abi.h"
#include "base/reason.h"
#include "base/vec.h"

struct sample_filter;     /* event/sample_filter.h */
struct tracepoint_format; /* tracepoint/tracepoint.h */

enum term_switch { TERM_UNSET, TERM_ON, TERM_OFF };

struct event {
	u32 index; /* position in the set */
	struct perf_event_attr attr;
	char *name;   /* as typed, with its modifiers: "cycles:u" */
	char *unit;   /* the unit of the scaled count, or NULL */
	double scale; /* 1.0 if the event has none */
	char *filter; /* tracepoint filter, or NULL */
	/* the filter of an event other than a tracepoint, or NULL (event/sample_filter.h) */
	struct sample_filter *sample_filter;
	char *pmu;    /* name of the PMU it was opened on, or NULL */
	char *cgroup; /* or NULL */

	struct event *leader; /* itself outside of groups */
	u32 members;          /* the size of the group with its leader; 1 outside of groups */
	char *group_name;     /* name in "NAME{a,b}", or NULL; on the leader */

	VEC(u64) ids; /* kernel ids, in the order of the file */
	u32 *cpus;    /* CPUs it must be opened on (uncore), or NULL = the target's */
	u32 cpu_count;

	/* decided once by event_set_finish(), for the decoder */
	s16 id_from_start;  /* u64 slot of the id in a SAMPLE body, or -1 */
	s16 id_from_end;    /* likewise, counted from a side-band record's end, 1 = last */
	u16 sample_id_size; /* bytes that follow a side-band record's body */
	s16 time_from_start, time_from_end; /* the slots of the time, likewise */
	u64 planned;                        /* the sample_type that the following describes */
	u16 fixed_end; /* bytes of a SAMPLE up to its first part of variable size */
	/* bytes of a SAMPLE if all its parts have fixed sizes, or 0 */
	u16 words_end;
	bool plain; /* samples hold only fixed parts, a call chain and raw data */
	/*
	 * enum ibs_processor: what the registers in raw data also say (event/ibs.h); set by a
	 * file's reader
	 */
	u8 ibs;
	bool of_tracepoint; /* samples hold SAMPLE_OF_TRACEPOINT, with or without a call chain */

	const struct tracepoint_format *format; /* owned by the formats, or NULL */

	/* how it was requested; used by the openers */
	bool weak_group, leader_sampling, no_aggregate, percore;
	bool precise_max; /* modifier P */
	/* sampling: open on every online CPU, whatever the target's CPUs are */
	bool all_cpus;
	bool by_bpf;         /* modifier b: a BPF program reads it; it is not opened like others */
	bool retire_latency; /* modifier R: samples carry it */
	bool user_freq, user_period; /* set by a term or option, not a default */
	/* terms: their values are in attr unless there is a field below */
	bool own_max_stack, own_callgraph, own_inherit, own_overwrite;
	bool named; /* name=: the user chose the name instead of the event's text */
	/* ftrace:function: the kernel accepts it only without user call chains */
	bool function_tracer;
	bool own_cpus;       /* cpu=: the user chose the CPUs */
	bool per_package;    /* counts the same on every CPU of a package */
	bool snapshot;       /* the value is a level, not a count */
	u8 time;             /* enum term_switch: time= */
	char *callgraph;     /* call-graph=: "fp", "dwarf", "lbr", "no"; stack size in attr */
	u64 max_events;      /* nr=; 0 means no limit */
	char *metric_id;     /* or NULL */
	char *config1_text;  /* attr.config1 points to it while the event is opened; or NULL */
	char *driver_config; /* @NAME without the @: the target of the PMU's driver; or NULL */
	/* the first of the same event on several PMUs (uncore_imc_0, _1); NULL if single */
	struct event *instance_of;
	u8 tool; /* enum tool_event (event/names.h), counted by perf itself; 0 = none */
};

/* What perf's own commands record of tracepoints, without call chains: see sample_tracepoint.h. */
#define SAMPLE_OF_TRACEPOINT                                                                       \
	((u64)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |      \
	       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW))

/* Parts of a sample that are one word each and come after those of variable size. */
#define SAMPLE_LATE_WORDS                                                                          \
	((u64)(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |             \
	       PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |              \
	       PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE))

struct event_set {
	VEC(struct event *) list;
	struct map64 by_id; /* id -> index */
	/* decoder shortcuts, by event_set_finish() */
	bool same_id_position;                /* all events agree in their members id_from_... */
	bool swap;                            /* records have the other byte order */
	u64 sample_type_any, sample_type_all; /* union and intersection */
	/* byte of a SAMPLE at which all events have their time; 0 if they differ */
	u16 sample_time_at;
	u16 sample_id_at; /* likewise of the id, if it distinguishes events */
	/* kernel ids are consecutive: events by id from near_first on, NULL for unused ids */
	struct event **near;
	u64 near_first;
	u32 near_count;
	u32 last_parse; /* first event of the last event_parse(), for --filter */
};

void event_set_init(struct event_set *set);
void event_set_release(struct event_set *set);
/*
 * Adds an event at the end, with all fields zero except index, leader, members, scale; copies the
 * name.
 */
struct event *event_set_add(struct event_set *set, const struct perf_event_attr *attr,
			    const char *name);
/* Adds a copy at the end: everything except its place, group (its own leader), ids and cgroup. */
struct event *event_set_copy(struct event_set *set, const struct event *from);
/*
 * Returns the name of an event that no longer counts in the kernel: "cycles:ku" becomes "cycles:u".
 * The caller frees it.
 */
char *event_name_of_user_side(const char *name);
/*
 * Makes a group of the events from position first up to end. Tool events at its beginning stay
 * outside: they have no counter that others could be read with.
 */
void event_set_lead(struct event_set *set, size_t first, size_t end);
/* Frees the events from position count on; only before ids were added. */
void event_set_truncate(struct event_set *set, size_t count);
void event_set_add_id(struct event_set *set, struct event *ev, u64 id);
/* Works out what the decoder needs; call it once all events and ids are there. */
int event_set_finish(struct event_set *set, struct reason *r) MUST_CHECK;
/* Returns the event of an id, or NULL. With a single event, id 0 means that event. */
struct event *event_by_any_id(const struct event_set *set, u64 id);
static inline struct event *event_by_id(const struct event_set *set, u64 id)
{
	u64 i = id - set->near_first;

	if (likely(i < set->near_count && set->near[i]))
		return set->near[i];
	return event_by_any_id(set, id);
}
/* Returns the event with exactly this name, or NULL. */
struct event *event_by_name(const struct event_set *set, const char *name);

/* Waits of record --off-cpu: its samples' periods are ns. */
#define EVENT_OF_WAITS "offcpu-time"
bool event_is_wait(const struct event *ev);
/*
 * Reports whether call chain and time of a wait are in the sample's raw data, as perf 6.16 and
 * later write them.
 */
bool event_has_wait_in_raw(const struct event *ev);
/* Reports whether its samples have call chains, wherever these are. */
bool event_has_chains(const struct event *ev);
bool event_set_has_chains(const struct event_set *set);
/*
 * Returns what samples provide, as PERF_SAMPLE_*: what they hold, and what their raw data provides.
 */
u64 event_tells(const struct event *ev);
u64 event_set_tells(const struct event_set *set);
static inline bool event_is_tracepoint(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_TRACEPOINT;
}

#endif
