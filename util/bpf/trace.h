/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs that trace system calls share with perf.
 *
 * A call is sent as one record once it has ended, unless it never ends, or something else may come
 * between its entry and its exit (`many`): then there are two records. Items follow a record, one
 * for each argument that was copied.
 */
#ifndef BPF_TRACE_H
#define BPF_TRACE_H

#include "bpf/shared.h"

enum {
	TRACE_ARGS = 6,
	/* the numbers of an ABI; those of 32-bit calls follow in `plans`, then all other numbers */
	TRACE_NUMBERS = 576,
	TRACE_PLANS = 2 * TRACE_NUMBERS + 2,
	TRACE_ROWS = 1024,  /* numbers from here on share a row of the tables */
	TRACE_DATA = 8192,  /* limit of an item's offset, in bytes */
	TRACE_TEXT = 4096,  /* limit of one text, in bytes */
	TRACE_BUCKETS = 24, /* for latencies, powers of two of ns from 256 on */
};

enum trace_how { /* as enum syscall_copy_how (syscalls/syscalls.h) */
		 TRACE_NONE,
		 TRACE_STRING,
		 TRACE_FIXED,
		 TRACE_LENGTH,
		 TRACE_LENGTH_AT,
		 TRACE_RESULT,
		 TRACE_TEXTS,
		 TRACE_COUNT,
		 TRACE_IOVEC,
		 TRACE_MSGHDR,
		 TRACE_MESSAGES,
		 TRACE_SIZED,
		 TRACE_SIZE_INSIDE,
		 TRACE_COMMAND,
};
enum { TRACE_ENTRY = 1, TRACE_EXIT = 2 };

/* How to handle the calls of one number. */
struct trace_plan {
	u8 enabled, ends; /* ends: exit, exit_group */
	u8 exec;          /* execve: 1, execveat: 2; the argument of argv */
	u8 copies;        /* TRACE_ENTRY, TRACE_EXIT of any argument */
	u8 count;
	u8 quiet; /* not shown, only followed: it changes descriptors */
	u8 _[2];
	struct trace_copy {
		u8 arg, how, when, length;
		u16 size;
		u8 word, _; /* bytes of a long */
	} list[TRACE_ARGS];
};

/* What the argument of a call with commands points to; `which` is an enum syscall_commands. */
struct trace_command_key {
	u32 command;
	u16 compat, which;
};
struct trace_command {
	u16 size;
	u8 when, _; /* TRACE_ENTRY, TRACE_EXIT */
};

enum { TRACE_BY_TASK, TRACE_BY_TOTAL, TRACE_BY_CGROUP };

struct trace_settings {
	u32 own_tgid, uid;
	u8 all, by_uid, by_cpu, by_cgroup;
	u8 inherit, failures_only, count_only, by_tid;
	u8 summary_by; /* TRACE_BY_* */
	u8 ends;       /* also send the end of each task, even without a call */
	u8 keeps_cpu;  /* the kernel lets programs keep other tasks off the CPU */
	u8 _;
	u32 buffer_limit; /* bytes of buffers; TRACE_TEXT limits texts */
	u32 kinds;        /* bits of enum trace_how that the plans of all traced calls need */
	u32 sides;        /* TRACE_ENTRY, TRACE_EXIT: when copies are needed */
	u64 least_duration;
	u64 cpus[16];
};

struct trace_counts {
	u64 sent, lost, no_memory, failed_copies;
	u64 no_row;           /* calls lost because the tables were full */
	u64 rows;             /* rows in the tables so far */
	u32 many;             /* TRACE_SEND_* */
	u32 paused;           /* 1 while tracing is paused */
	u32 nothing, _;       /* always 0 */
	u64 lost_by_cpu[256]; /* the last one counts all further CPUs */
};

/*
 * When the entry of a call is sent separately: never, if one task's lines come one by one; if the
 * call waits, because lines of other tasks come between; always, if events of the task itself do.
 */
enum { TRACE_SEND_CALLS, TRACE_SEND_WAITING, TRACE_SEND_ENTRIES };

enum trace_target_state { TRACE_RUNNING = 1, TRACE_BEFORE_EXEC };

enum {
	TRACE_HAS_ENTRY = 1,
	TRACE_HAS_EXIT = 2,
	TRACE_COMPAT = 4,      /* a call of the 32-bit ABI */
	TRACE_ENDED = 8,       /* the task is gone, its call never returned */
	TRACE_ENTRY_SENT = 16, /* HAS_EXIT alone: the entry had its own record */
	TRACE_X32 = 32,
	TRACE_LAST = 64, /* with TRACE_ENDED: the process has no other thread left */
};

struct trace_item {
	u8 arg, flags; /* TRACE_ITEM_* */
	u16 err;
	u32 size; /* bytes that follow, padded to 8 */
};
/* A vector: u64 length, u32 bytes that follow, u32 one of these kinds. */
enum { TRACE_VECTOR_BYTES = 1, TRACE_VECTOR_POINTER };
enum { TRACE_ITEM_OUT = 1, TRACE_ITEM_CUT = 2, TRACE_ITEM_LATE = 4 };

struct trace_call {
	u64 entry_time, exit_time; /* ns of CLOCK_MONOTONIC */
	u32 pid, tid, entry_tid, nr;
	u16 cpu;
	u8 flags;
	u8 retry;   /* bits of arguments that could not be copied at the entry */
	u32 size;   /* bytes of items */
	s64 result; /* with TRACE_ENDED the task's exit code, as wait() returns it */
	u64 lost;   /* records that this CPU has lost so far */
	u64 cgroup; /* of the task, with TRACE_BY_CGROUP; otherwise 0 */
	char comm[16];
	u64 args[TRACE_ARGS];
	/* items: struct trace_item and its bytes, padded to 8 */
};

/* -s: sums for each number of each task; or of all tasks, or of each cgroup, by CPU. */
enum { TRACE_SUMS = 131072 }; /* rows; memory is allocated as they come */
struct trace_sum_key {
	/*
	 * a cgroup; for tasks the tid, with the start time in the upper half, since tids are reused
	 */
	u64 who;
	u32 nr, compat; /* nr: at most TRACE_ROWS */
};
struct trace_sum {
	u64 calls, errors, total, min, max;
	u64 squares_low, squares_high; /* 128 bits: sum of squares of ns */
	u32 pid, _;
	char comm[16];
	u32 buckets[TRACE_BUCKETS];
};
struct trace_errno_key {
	u64 who;
	u32 nr;
	u16 compat, err;
};

#endif
