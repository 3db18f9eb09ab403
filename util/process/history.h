/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes in time: which thread, comm and mapping held at an order key.
 *
 * What it is: machines (host and guests) with their address spaces and threads,
 * built from side-band records applied in ascending key order and then asked
 * about any earlier key.  See "Processes in time" in Documentation/design for
 * the rules; each has a test in tests/unit/test_history.c.
 *
 * An address space is a persistent (path-copied) balanced tree by address: each
 * mmap makes a new root, a fork shares one, so a version costs O(log n) and a
 * look-up is two binary searches.  A root's number (space_version) names the
 * exact set of mappings: equal versions translate equal addresses equally.
 *
 * Threads: history_apply and history_compact by one thread; all queries by many, when
 * neither of them runs.
 * Life: history_free; what it returns lives as long as it does, or until the next
 * history_compact(), which only live sessions call.
 */
#ifndef PROCESS_HISTORY_H
#define PROCESS_HISTORY_H

#include "base/context.h"
#include "event/sample.h"
#include "object/image.h"

struct history;

struct mapping {
	u64 start, end; /* addresses, end exclusive */
	u64 pgoff;      /* bytes: offset in the image of start */
	u32 image;
	u32 prot, flags;
};

/* One life of a tid. pid -1 and 0 follow perf: 0 is swapper. */
struct task {
	u32 id; /* dense, by order of first appearance; not for sorting output */
	u32 machine;
	u32 pid, tid;
	u32 generation; /* counts the uses of this tid */
};

struct history *history_new(struct context *ctx, struct image_table *images);
void history_free(struct history *h);
/*
 * Where guests' modules lie, of which the file does not tell: a copy of /proc/modules for all
 * guests, or DIR in which DIR/PID is the root of the guest of process PID; NULL: not known.
 * At most once, before the first query.
 */
void history_set_guests(struct history *h, const char *modules, const char *mount);
/*
 * The code that guests run is mapped in their hypervisors, at the same addresses. Before the first
 * query.
 */
void history_set_guest_code(struct history *h);

/*
 * Live: forget what no question about `before` or a later key needs.  Tasks that exited
 * before it go, with their comms and address spaces, and so do strangers.  Tasks and comms
 * that the caller says it still names keep their numbers and texts; the numbers of others
 * are used again.  Every struct mapping, space_version and struct history_recent from
 * before the call is invalid after it.
 * Time: proportional to what was there, so call it when history_should_compact().
 */
struct history_keep {
	bool (*task)(void *arg, u32 id);   /* NULL: none */
	bool (*comm)(void *arg, u32 comm); /* NULL: none */
	void *arg;
};
void history_compact(struct history *h, const struct order_key *before,
		     const struct history_keep *keep);
/* Has it grown enough since the last time that compacting costs little for each record? */
bool history_should_compact(const struct history *h);
/* Every image that a mapping in the history names; some more than once. */
void history_each_image(const struct history *h, void (*fn)(void *arg, u32 image), void *arg);

/* Does history_apply do anything with records of this type? */
bool history_wants(u32 type);
/* The code of a note: the kernel ended the events of a task at its exec of the object. */
#define EVENTS_ENDED "events-ended"
/*
 * Apply one side-band record (MMAP, MMAP2, COMM, FORK, EXIT, CGROUP, KSYMBOL, TEXT_POKE,
 * THREAD_MAP); others are ignored. Keys must not descend: an earlier one is counted as late
 * (condition "late-sideband") and applied at the last key.
 */
int history_apply(struct history *h, const struct event_set *set, const struct record *rec,
		  const struct order_key *key, struct reason *r);

/*
 * Generated code of a process, of which no record tells: from the key on it is mapped there.
 * Keys as for history_apply().  Anonymous memory that is mapped over it later leaves it, since
 * compilers map and protect the memory of their code again and again.
 */
void history_map_code(struct history *h, u32 machine, u32 pid, const struct mapping *m,
		      const struct order_key *key);

/*
 * The task that had this tid at the key.  Never NULL: unknown tids make a task
 * ":TID" (thread-safe).  machine 0 = host.
 */
const struct task *history_task(struct history *h, u32 machine, u32 pid, u32 tid,
				const struct order_key *key);
/* Interned comm of the task at the key: id and text (":1234" when never named). */
u32 history_comm(const struct history *h, const struct task *t, const struct order_key *key);
const char *history_comm_text(const struct history *h, u32 comm);
/*
 * Since when the task has had that comm: the time of its COMM or FORK record, 0 if it ran before.
 */
u64 history_comm_since(const struct history *h, const struct task *t, const struct order_key *key);
/* Time of its EXIT record; 0: none was seen. */
u64 history_ended_at(const struct history *h, const struct task *t);
/*
 * A thread that executes a program takes the number of its process's first thread, and counts on.
 * The n-th time that this happened, in order of keys; NULL: it has not, or it was dropped by
 * history_compact(), which has dropped the first *dropped ones.
 */
struct history_takeover {
	u32 task, from; /* ids: the task of the process's number from now on, and the thread */
	struct order_key at;
};
const struct history_takeover *history_takeover(const struct history *h, u64 n, u64 *dropped);
/* Tasks in order of id, also those that history_compact() dropped. */
u32 history_task_count(const struct history *h);
const struct task *history_task_by_id(const struct history *h, u32 id);

/* Names the mappings that held: 0 = none known. */
typedef u32 space_version;
space_version history_space(struct history *h, const struct task *t, const struct order_key *key);
space_version history_kernel_space(struct history *h, u32 machine, const struct order_key *key);
/* NULL when nothing is mapped there. */
const struct mapping *history_find(const struct history *h, space_version space, u64 addr);

/*
 * perf's address resolution: cpumode picks user or kernel space of host or
 * guest.  Fills image (0 when unmapped) and offset in it.
 */
struct location {
	u32 image;
	u64 offset;
	const struct mapping *mapping; /* NULL when unmapped */
};
bool history_locate(struct history *h, const struct task *t, u8 cpumode, u64 addr,
		    const struct order_key *key, struct location *out);

/*
 * A thread's cache of recent answers: most samples are of few tasks and few objects, and an answer
 * stays true for long.  Zero it before use; history_forget() after each history_apply().
 */
enum { RECENT_TASKS = 32, RECENT_MAPPINGS = 32 };
struct key_range { /* since <= key < until */
	struct order_key since, until;
};
struct recent_task {
	const struct task *task; /* NULL: nothing is kept here */
	u32 machine, pid, tid;   /* the task that was asked for */
	u32 comm;
	struct key_range holds; /* task and comm */
	struct key_range space_holds;
	space_version space;
};
struct history_recent {
	bool any;
	struct recent_task tasks[RECENT_TASKS];
	struct key_range kernel_holds;
	space_version kernel; /* the kernel of the host */
	struct recent_mapping {
		u64 start, end; /* end 0: nothing is kept here */
		space_version space;
		const struct mapping *mapping; /* NULL: nothing is mapped there */
	} mappings[RECENT_MAPPINGS];
};
static inline void history_forget(struct history_recent *m)
{
	if (m->any)
		*m = (struct history_recent){ .any = false };
}
/* history_task() and history_comm() of it; good until the next call. */
struct recent_task *history_recall(struct history *h, struct history_recent *m, u32 machine,
				   u32 pid, u32 tid, const struct order_key *key);
/* history_locate() */
bool history_recall_place(struct history *h, struct history_recent *m, struct recent_task *t,
			  u8 cpumode, u64 addr, const struct order_key *key, struct location *out);

/* Machine number: 0, or a guest's, which pid (of its hypervisor) names; by cpumode. */
u32 history_machine(u8 cpumode, u32 pid);
/*
 * The same of a record of an event id: ID_INDEX records may tell of which guest the
 * event is, and on which of its CPUs it counts; then pid is one inside of the guest.
 */
u32 history_machine_by_id(const struct history *h, u8 cpumode, u32 pid, u64 id);
struct guest_place {
	u32 machine; /* pid of the hypervisor */
	s32 vcpu;    /* -1: any */
};
/*
 * Does the event of this id count all tasks of a CPU, as ID_INDEX says, rather than one task and
 * its children?
 */
bool history_counts_cpu(const struct history *h, u64 id);
/* False: the id is not a guest's. */
bool history_guest_place(const struct history *h, u64 id, struct guest_place *out);

/* Walk the mappings of a space in address order (report --mmaps). */
void history_each_mapping(const struct history *h, space_version space,
			  void (*fn)(void *arg, const struct mapping *m), void *arg);
/*
 * The kernel changes its own code, and its TEXT_POKE records tell how.  A version: what
 * stood at a time, that is how many changes came before.
 */
typedef u32 code_version;
#define LAST_CODE UINT32_MAX
code_version history_code_version(const struct history *h, const struct order_key *key);
/* How many of the changes up to a version touched these bytes. */
u32 history_code_changes(const struct history *h, u64 addr, u64 size, code_version version);
/*
 * bytes: size bytes of code at addr, made what they were in that version.  Returns how many of them
 * from the start on the records gave: all, of code that was made while recording (trampolines).
 */
u64 history_code(const struct history *h, u64 addr, u8 *bytes, size_t size, code_version version);
/*
 * The changes that touched a range of code, collected once where many versions of it are asked
 * about.
 * forms[n], n from 0 to count: what the bytes were after n of them, as a number that is equal where
 * they are (64 bits of a hash whose seed no file knows). at[n]: the version right before the change
 * n.
 * Read-only use from many threads is fine.
 */
struct code_forms {
	u32 count;
	code_version *at;
	u64 *forms;
};
/* bytes: what the object's file holds there. */
void code_forms_read(struct code_forms *f, const struct history *h, u64 addr, const u8 *bytes,
		     size_t size);
void code_forms_release(struct code_forms *f);
/*
 * How many of them came before a version; as history_code_changes, without a walk over all changes.
 */
u32 code_forms_before(const struct code_forms *f, code_version version);
/* A version after n of them. */
code_version code_forms_version(const struct code_forms *f, u32 n);
/* Path of a cgroup id at any time, or NULL. */
const char *history_cgroup(const struct history *h, u64 id);

#endif
