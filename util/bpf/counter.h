/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs that read counters and perf share.  Three images:
 *
 *	counter_tasks	 reads an event's counter at every context switch, and adds what was
 *			 counted to the CPU, or to the task or the user that leaves
 *	counter_cgroups	 reads all events when a CPU goes from one cgroup to another
 *	counter_program	 reads all events when another BPF program begins and ends
 *
 * Counts and times are differences modulo 2^64, so their sums are right even if a part was
 * subtracted before the whole was added.
 */
#ifndef BPF_COUNTER_H
#define BPF_COUNTER_H

#include "bpf/shared.h"

enum {
	COUNTER_EVENTS_MOST = 32, /* the most in one command, where a program reads all of them */
	COUNTER_LEVELS_MOST = 32, /* the deepest nesting of cgroups */
};

/* Like struct bpf_perf_event_value: times in ns. */
struct counter_value {
	u64 count, enabled, running;
};

struct counter_settings {
	u8 by_task;   /* counts tasks of the map "targets"; otherwise all, by CPU */
	u8 inherit;   /* also their children */
	u8 on_exec;   /* counting begins when such a task calls exec */
	u8 is_switch; /* the event is context-switches */
	u8 by_user;   /* counts everything that runs as `user` */
	u8 unused[3];
	u32 events; /* events of each CPU in the map of that name */
	u32 user;
};

struct counter_state {
	u32 enabled;
	u32 waiting;    /* tasks of "targets" that have not run yet */
	u64 no_storage; /* tasks that are not counted for lack of memory */
	u64 no_begin;   /* ends of a program whose beginning was not seen */
	u64 unread;     /* readings of an event that the kernel refused */
	/* readings that were dropped because the task's cgroup could not be read */
	u64 no_cgroup;
	/* readings not added to the outermost of more than COUNTER_LEVELS_MOST cgroups */
	u64 too_deep;
};

#endif
