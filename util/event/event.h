/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events and the set of them that a session (live or a file) is about.
 *
 * What it is: one event = one perf_event_attr with its name and what belongs to
 * it everywhere (unit, scale, filter, group, ids).  What a single command needs
 * beside it lives in that command, keyed by event->index.
 * Life: event_set_init / event_set_release; the set owns its events.
 * Threads: read-only after it was filled.
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
	double scale; /* 1.0 when none */
	char *filter; /* tracepoint filter, or NULL */
	/* the filter of an event that is no tracepoint; NULL: none (event/sample_filter.h) */
	struct sample_filter *sample_filter;
	char *pmu;    /* name of the PMU it was opened on, or NULL */
	char *cgroup; /* or NULL */

	struct event *leader; /* itself when not in a group */
	u32 members;          /* the size of the group, leader included; 1 when single */
	char *group_name;     /* name in "NAME{a,b}", or NULL; on the leader */

	VEC(u64) ids; /* kernel ids, in the order of the file */
	u32 *cpus;    /* CPUs it must be opened on (uncore), or NULL = the target's */
	u32 cpu_count;

	/* decided once by event_set_finish(), for the decoder */
	s16 id_from_start;  /* u64 slot of the id in a SAMPLE body, -1: none */
	s16 id_from_end;    /* the same counted from a side-band record's end, 1 = last */
	u16 sample_id_size; /* bytes that follow a side-band record's body */
	s16 time_from_start, time_from_end; /* the same of the time */
	u64 planned;                        /* the sample_type for which what follows holds */
	u16 fixed_end; /* bytes of a SAMPLE up to its first part of no fixed size */
	/* bytes of a SAMPLE of which every part has a fixed size; 0: some have not */
	u16 words_end;
	bool plain; /* samples hold nothing but what is fixed, a call chain and raw data */
	/*
	 * enum ibs_processor: what the registers in raw data say, too (event/ibs.h); by a file's
	 * reader
	 */
	u8 ibs;
	bool of_tracepoint; /* they hold SAMPLE_OF_TRACEPOINT, with or without a call chain */

	const struct tracepoint_format *format; /* owned by the formats, or NULL */

	/* how it was asked for; used by the openers */
	bool weak_group, leader_sampling, no_aggregate, percore;
	bool precise_max; /* modifier P */
	/* sampling: open on every CPU that is online, whatever the target's CPUs are */
	bool all_cpus;
	bool by_bpf;         /* modifier b: read by a BPF program, not opened as the others */
	bool retire_latency; /* modifier R: samples carry it */
	bool user_freq, user_period; /* set by a term or option, not a default */
	/* terms: their values are in attr unless there is a field below */
	bool own_max_stack, own_callgraph, own_inherit, own_overwrite;
	bool named; /* name=: the name is the user's, not the event's text */
	/* ftrace:function: the kernel takes it only without user call chains */
	bool function_tracer;
	bool own_cpus;       /* cpu=: cpus are the user's */
	bool per_package;    /* counts the same on every CPU of a package */
	bool snapshot;       /* the value is a level, not a count */
	u8 time;             /* enum term_switch: time= */
	char *callgraph;     /* call-graph=: "fp", "dwarf", "lbr", "no"; stack size in attr */
	u64 max_events;      /* nr=; 0: no limit */
	char *metric_id;     /* or NULL */
	char *config1_text;  /* attr.config1 points to it while the event is opened; or NULL */
	char *driver_config; /* @NAME without the @: where the PMU's driver writes; or NULL */
	/* the same event on several PMUs (uncore_imc_0, _1): the first; NULL: single */
	struct event *instance_of;
	u8 tool; /* enum tool_event (event/names.h): counted by us; 0 = none */
};

/* What perf's own commands record of tracepoints, without call chains: see sample_tracepoint.h. */
#define SAMPLE_OF_TRACEPOINT                                                                       \
	((u64)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |      \
	       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW))

/* Parts of a sample that are one word each and stand after those of variable size. */
#define SAMPLE_LATE_WORDS                                                                          \
	((u64)(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |             \
	       PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |              \
	       PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE))

struct event_set {
	VEC(struct event *) list;
	struct map64 by_id; /* id -> index */
	/* decoder shortcuts, by event_set_finish() */
	bool same_id_position;                /* all events agree in their members id_from_... */
	bool swap;                            /* records are in the other byte order */
	u64 sample_type_any, sample_type_all; /* union and intersection */
	/* byte of a SAMPLE at which all events have their time; 0: they differ */
	u16 sample_time_at;
	u16 sample_id_at; /* the same of the id, if it is what distinguishes events */
	/*
	 * kernel ids are given out one after the other: those from near_first on, NULL where none
	 * is
	 */
	struct event **near;
	u64 near_first;
	u32 near_count;
	u32 last_parse; /* first event of the last event_parse(), for --filter */
};

void event_set_init(struct event_set *set);
void event_set_release(struct event_set *set);
/* A new event at the end, zeroed except for index, leader, members, scale; name is copied. */
struct event *event_set_add(struct event_set *set, const struct perf_event_attr *attr,
			    const char *name);
/* A copy at the end: everything but its place, group (leader itself), ids and cgroup. */
struct event *event_set_copy(struct event_set *set, const struct event *from);
/*
 * Returns the name of an event that no longer counts in the kernel: "cycles:ku" becomes "cycles:u".
 * The caller frees it.
 */
char *event_name_of_user_side(const char *name);
/*
 * The events from position first up to end become a group.  Tool events at its beginning stay
 * outside: they have no counter that others could be read with.
 */
void event_set_lead(struct event_set *set, size_t first, size_t end);
/* Free the events from position count on; only before ids were added. */
void event_set_truncate(struct event_set *set, size_t count);
void event_set_add_id(struct event_set *set, struct event *ev, u64 id);
/* Work out what the decoder needs; call when all events and ids are there. */
int event_set_finish(struct event_set *set, struct reason *r) MUST_CHECK;
/* NULL when the id is not known. id 0 with a single event: that event. */
struct event *event_by_any_id(const struct event_set *set, u64 id);
static inline struct event *event_by_id(const struct event_set *set, u64 id)
{
	u64 i = id - set->near_first;

	if (likely(i < set->near_count && set->near[i]))
		return set->near[i];
	return event_by_any_id(set, id);
}
/* By exact name; NULL if none. */
struct event *event_by_name(const struct event_set *set, const char *name);

/* Waits of record --off-cpu: its samples' periods are ns. */
#define EVENT_OF_WAITS "offcpu-time"
bool event_is_wait(const struct event *ev);
/* perf 6.16 and later: call chain and time of a wait are in the sample's raw data. */
bool event_has_wait_in_raw(const struct event *ev);
/* Do its samples have call chains, wherever they stand? */
bool event_has_chains(const struct event *ev);
bool event_set_has_chains(const struct event_set *set);
/* What samples tell, as PERF_SAMPLE_*: what they hold, and what is read out of their raw data. */
u64 event_tells(const struct event *ev);
u64 event_set_tells(const struct event_set *set);
static inline bool event_is_tracepoint(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_TRACEPOINT;
}

#endif
