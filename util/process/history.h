/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes in time: the thread, comm and mapping at an order key.
 *
 * Machines (host and guests) with their address spaces and threads are built from side-band records
 * in ascending key order. Queries can then be about any earlier key. See "Processes in time" in
 * Documentation/design for the rules; each has a test in tests/unit/test_history.c.
 *
 * An address space is a persistent (path-copied) balanced tree by address: each mmap makes a new
 * root, a fork shares one, so a version costs O(log n) and a look-up is two binary searches. A
 * root's number (space_version) names the exact set of mappings: equal versions translate equal
 * addresses equally.
 *
 * Threads: history_apply and history_compact by one thread; all queries by many, while neither of
 * them runs. Life: history_free; what it returns lives as long as it does, or until the next
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

/* One life of a tid. pid -1 and 0 are as in perf: 0 is swapper. */
struct task {
	u32 id; /* dense, by order of first appearance; not for sorting output */
	u32 machine;
	u32 pid, tid;
	u32 generation; /* counts the uses of this tid */
};

struct history *history_new(struct context *ctx, struct image_table *images);
void history_free(struct history *h);
/*
 * Sets the places of guests' modules, which the file does not have: a copy of /proc/modules for all
 * guests, or DIR, in which DIR/PID is the root of the guest of process PID; NULL if unknown. At
 * most once, before the first query.
 */
void history_set_guests(struct history *h, const char *modules, const char *mount);
/*
 * Declares that the code of guests is mapped in their hypervisors, at the same addresses. Call it
 * before the first query.
 */
void history_set_guest_code(struct history *h);

/*
 * Live: forgets what no query about `before` or a later key needs. Drops tasks that exited before
 * it, with their comms and address spaces, and strangers. Tasks and comms that the caller still
 * uses keep their numbers and texts; the numbers of others are reused. Every struct mapping,
 * space_version and struct history_recent from before the call is invalid after it. Time:
 * proportional to the old size, so call it when history_should_compact().
 */
struct history_keep {
	bool (*task)(void *arg, u32 id);   /* NULL: uses none */
	bool (*comm)(void *arg, u32 comm); /* NULL: uses none */
	void *arg;
};
void history_compact(struct history *h, const struct order_key *before,
		     const struct history_keep *keep);
/* Reports whether it has grown so much that compacting costs little for each record. */
bool history_should_compact(const struct history *h);
/* Calls fn for every image that a mapping in the history names, for some more than once. */
void history_each_image(const struct history *h, void (*fn)(void *arg, u32 image), void *arg);

/* Reports whether history_apply() uses records of this type. */
bool history_wants(u32 type);
/* The code of a note: the kernel ended the events of a task at its exec of the object. */
#define EVENTS_ENDED "events-ended"
/*
 * Applies one side-band record (MMAP, MMAP2, COMM, FORK, EXIT, CGROUP, KSYMBOL, TEXT_POKE,
 * THREAD_MAP); ignores others. Keys must not descend: an earlier one is counted as late (condition
 * "late-sideband") and applied at the last key.
 */
int history_apply(struct history *h, const struct event_set *set, const struct record *rec,
		  const struct order_key *key, struct reason *r);

/*
 * Maps generated code of a process, which no record describes, from the key on. Keys as for
 * history_apply(). Anonymous memory that is mapped over it later does not hide it, since compilers
 * map and protect the memory of their code again and again.
 */
void history_map_code(struct history *h, u32 machine, u32 pid, const struct mapping *m,
		      const struct order_key *key);

/*
 * Returns the task that had this tid at the key, never NULL: unknown tids make a task ":TID"
 * (thread-safe). machine 0 is the host.
 */
const struct task *history_task(struct history *h, u32 machine, u32 pid, u32 tid,
				const struct order_key *key);
/* Return the interned comm of the task at the key, and its text (":1234" if it was never named). */
u32 history_comm(const struct history *h, const struct task *t, const struct order_key *key);
const char *history_comm_text(const struct history *h, u32 comm);
/*
 * Returns since when the task has had that comm: the time of its COMM or FORK record, 0 if it ran
 * before.
 */
u64 history_comm_since(const struct history *h, const struct task *t, const struct order_key *key);
/* Returns the time of its EXIT record, or 0. */
u64 history_ended_at(const struct history *h, const struct task *t);
/*
 * A thread that calls exec takes the number of its process's first thread, and keeps its counts.
 * Returns the n-th such event, in order of keys. Returns NULL if there is none, or
 * history_compact() has dropped it; that has dropped the first *dropped ones.
 */
struct history_takeover {
	u32 task, from; /* ids: the task of the process's number from now on, and the thread */
	struct order_key at;
};
const struct history_takeover *history_takeover(const struct history *h, u64 n, u64 *dropped);
/* Return tasks in order of id, including those that history_compact() dropped. */
u32 history_task_count(const struct history *h);
const struct task *history_task_by_id(const struct history *h, u32 id);

/* Identifies the mappings at a time: 0 = none known. */
typedef u32 space_version;
space_version history_space(struct history *h, const struct task *t, const struct order_key *key);
space_version history_kernel_space(struct history *h, u32 machine, const struct order_key *key);
/* Returns the mapping at an address, or NULL. */
const struct mapping *history_find(const struct history *h, space_version space, u64 addr);

/*
 * perf's address resolution: cpumode picks user or kernel space of host or guest. Sets image (0 if
 * unmapped) and the offset in it.
 */
struct location {
	u32 image;
	u64 offset;
	const struct mapping *mapping; /* NULL if unmapped */
};
bool history_locate(struct history *h, const struct task *t, u8 cpumode, u64 addr,
		    const struct order_key *key, struct location *out);

/*
 * A thread's cache of recent results: most samples are of few tasks and few objects, and a result
 * is valid for long. Zero it before use; call history_forget() after each history_apply().
 */
enum { RECENT_TASKS = 32, RECENT_MAPPINGS = 32 };
struct key_range { /* since <= key < until */
	struct order_key since, until;
};
struct recent_task {
	const struct task *task; /* NULL if unused */
	u32 machine, pid, tid;   /* the requested task */
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
		u64 start, end; /* end 0 if unused */
		space_version space;
		const struct mapping *mapping; /* NULL if unmapped */
	} mappings[RECENT_MAPPINGS];
};
static inline void history_forget(struct history_recent *m)
{
	if (m->any)
		*m = (struct history_recent){ .any = false };
}
/*
 * Does the same as history_task() and history_comm(), with a cache. The result is valid until the
 * next call.
 */
struct recent_task *history_recall(struct history *h, struct history_recent *m, u32 machine,
				   u32 pid, u32 tid, const struct order_key *key);
/* Does the same as history_locate(), with a cache. */
bool history_recall_place(struct history *h, struct history_recent *m, struct recent_task *t,
			  u8 cpumode, u64 addr, const struct order_key *key, struct location *out);

/*
 * Returns the machine by cpumode: 0, or that of a guest, which pid (of its hypervisor) identifies.
 */
u32 history_machine(u8 cpumode, u32 pid);
/*
 * Does the same for a record of an event id. ID_INDEX records may say which guest's event it is,
 * and on which of its CPUs it counts; then pid is one inside the guest.
 */
u32 history_machine_by_id(const struct history *h, u8 cpumode, u32 pid, u64 id);
struct guest_place {
	u32 machine; /* pid of the hypervisor */
	s32 vcpu;    /* -1 for any */
};
/*
 * Reports whether the event of this id counts all tasks of a CPU, by ID_INDEX, rather than one task
 * and its children.
 */
bool history_counts_cpu(const struct history *h, u64 id);
/* Finds the guest of an id. Returns false if the id is not a guest's. */
bool history_guest_place(const struct history *h, u64 id, struct guest_place *out);

/* Calls fn for the mappings of a space in address order (report --mmaps). */
void history_each_mapping(const struct history *h, space_version space,
			  void (*fn)(void *arg, const struct mapping *m), void *arg);
/*
 * The kernel changes its own code, as its TEXT_POKE records show. A version is the state at a time:
 * the number of earlier changes.
 */
typedef u32 code_version;
#define LAST_CODE UINT32_MAX
code_version history_code_version(const struct history *h, const struct order_key *key);
/* Returns how many of the changes up to a version touched these bytes. */
u32 history_code_changes(const struct history *h, u64 addr, u64 size, code_version version);
/*
 * Changes bytes, `size` bytes of code at addr, to what they were in that version. Returns how many
 * of them, from the start on, the records provide: all, for code that was made while recording
 * (trampolines).
 */
u64 history_code(const struct history *h, u64 addr, u8 *bytes, size_t size, code_version version);
/*
 * The changes that touched a range of code, collected once for queries about many versions.
 * forms[n], n from 0 to count, identifies the bytes after n changes by a number that is equal for
 * equal bytes (64 bits of a hash whose seed no file knows). at[n] is the version right before
 * change n. Many threads may read it.
 */
struct code_forms {
	u32 count;
	code_version *at;
	u64 *forms;
};
/* Collects the changes of a range; bytes are those in the object's file. */
void code_forms_read(struct code_forms *f, const struct history *h, u64 addr, const u8 *bytes,
		     size_t size);
void code_forms_release(struct code_forms *f);
/*
 * Returns how many of them came before a version, like history_code_changes(), without a walk over
 * all changes.
 */
u32 code_forms_before(const struct code_forms *f, code_version version);
/* Returns a version after n of them. */
code_version code_forms_version(const struct code_forms *f, u32 n);
/* Returns the path of a cgroup id at any time, or NULL. */
const char *history_cgroup(const struct history *h, u64 id);

#endif
