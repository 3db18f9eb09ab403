/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of the scheduler's events, made up: tests of util/tasks and of commands on it.
 *
 *	struct sched_synth y;
 *	sched_synth_init(&y, false);
 *	sched_switch(&y, cpu, time, prev, state, next);	// tasks by tid, named "t<tid>"; 0: idle
 *	sched_wake(&y, cpu, time, waker, tid);
 *	...
 *	sched_synth_release(&y);
 */
#ifndef TESTS_SCHED_SYNTH_H
#define TESTS_SCHED_SYNTH_H

#include "synth.h"
#include "tracepoint/tracepoint.h"

enum {
	SWITCH_EVENT,
	WAKING_EVENT,
	WAKEUP_EVENT,
	NEW_EVENT,
	MIGRATE_EVENT,
	IOWAIT_EVENT,
	RUNTIME_EVENT,
	SCHED_EVENTS
};

struct sched_synth {
	struct synth s;
	struct tracepoint_formats *formats;
};

#define SCHED_COMMON                                                                               \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define SCHED_COMM_PID                                                                             \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                 \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"

static inline const char *sched_synth_format(int event)
{
	static const char *const formats[SCHED_EVENTS] = {
		"name: sched_switch\nID: 80\n" SCHED_COMMON
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
		"\nprint fmt: \"state=%s\", __print_flags(REC->prev_state, \"|\", { 0x01, \"S\" }, "
		"{ 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, "
		"\"Z\" }, "
		"{ 0x40, \"P\" }, { 0x80, \"I\" })\n",
		"name: sched_waking\nID: 81\n" SCHED_COMMON SCHED_COMM_PID "\nprint fmt: \"\"\n",
		"name: sched_wakeup\nID: 82\n" SCHED_COMMON SCHED_COMM_PID "\nprint fmt: \"\"\n",
		"name: sched_wakeup_new\nID: 83\n" SCHED_COMMON SCHED_COMM_PID
		"\nprint fmt: \"\"\n",
		"name: sched_migrate_task\nID: 84\n" SCHED_COMMON SCHED_COMM_PID
		"\tfield:int orig_cpu;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:int dest_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
		"name: sched_stat_iowait\nID: 85\n" SCHED_COMMON SCHED_COMM_PID
		"\tfield:u64 delay;\toffset:32;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n",
		"name: sched_stat_runtime\nID: 86\n" SCHED_COMMON SCHED_COMM_PID
		"\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n",
	};

	return formats[event];
}

static inline void sched_synth_init(struct sched_synth *y, bool swap)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
		.sample_type = SYNTH_SAMPLE_TYPE | PERF_SAMPLE_RAW,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_COMM | ATTR_TASK,
	};

	synth_init(&y->s, swap);
	y->formats = tracepoint_formats_new(swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__), 8);
	for (int i = 0; i < SCHED_EVENTS; i++) {
		const char *text = sched_synth_format(i);

		attr.config = 80 + (u64)i;
		synth_event(&y->s, &attr, NULL);
		if (tracepoint_formats_add(y->formats, "sched", text, strlen(text), NULL))
			abort();
	}
}

static inline void sched_synth_release(struct sched_synth *y)
{
	tracepoint_formats_free(y->formats);
	synth_release(&y->s);
}

static inline void sched_put_name(struct strbuf *raw, u32 tid)
{
	char name[16] = { 0 };

	if (tid)
		snprintf(name, sizeof(name), "t%u", tid);
	else
		snprintf(name, sizeof(name), "swapper");
	strbuf_add(raw, name, sizeof(name));
}

static inline void sched_begin(struct sched_synth *y, struct strbuf *raw, int event)
{
	synth_put(raw, 80 + (u64)event, 2, y->s.swap);
	synth_put(raw, 0, 6, y->s.swap);
}

static inline void sched_end(struct sched_synth *y, struct strbuf *raw, int event, u32 cpu,
			     u64 time, u32 tid)
{
	synth_sample(&y->s, .event = (u32)event, .mode = SYNTH_KERNEL, .pid = tid, .tid = tid,
		     .cpu = cpu, .time = time, .raw = raw->s, .raw_size = (u32)raw->len);
	strbuf_release(raw);
}

/* Adds a switch. state: as the kernel writes it: 0 running, 1 S, 2 D, 0x20 Z, 0x100 preempted */
static inline void sched_switch(struct sched_synth *y, u32 cpu, u64 time, u32 prev, u64 state,
				u32 next)
{
	struct strbuf raw = STRBUF_INIT;
	bool swap = y->s.swap;

	sched_begin(y, &raw, SWITCH_EVENT);
	sched_put_name(&raw, prev);
	synth_put(&raw, prev, 4, swap);
	synth_put(&raw, 120, 4, swap);
	synth_put(&raw, state, 8, swap);
	sched_put_name(&raw, next);
	synth_put(&raw, next, 4, swap);
	synth_put(&raw, 120, 4, swap);
	sched_end(y, &raw, SWITCH_EVENT, cpu, time, prev);
}

static inline void sched_of_task(struct sched_synth *y, int event, u32 cpu, u64 time, u32 by,
				 u32 tid, u64 a, u64 b)
{
	struct strbuf raw = STRBUF_INIT;

	sched_begin(y, &raw, event);
	sched_put_name(&raw, tid);
	synth_put(&raw, tid, 4, y->s.swap);
	synth_put(&raw, a, 4, y->s.swap);
	synth_put(&raw, b, 8, y->s.swap);
	sched_end(y, &raw, event, cpu, time, by);
}

static inline void sched_wake(struct sched_synth *y, u32 cpu, u64 time, u32 by, u32 tid)
{
	sched_of_task(y, WAKING_EVENT, cpu, time, by, tid, 0, 0);
}

static inline void sched_lost(struct sched_synth *y, u32 cpu, u64 time, u64 lost)
{
	y->s.cpu = cpu;
	synth_lost(&y->s, synth_id(0, 0), lost, time);
}

#endif
