/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the component: the tables of a history, which apply.c fills and history.c queries. See
 * process/internal.h for timelines and spaces.
 */
#ifndef PROCESS_TABLES_H
#define PROCESS_TABLES_H

#include <pthread.h>

#include "base/hash.h"
#include "base/vec.h"
#include "process/internal.h"

#define NO_PROCESS    UINT32_MAX
#define GUEST_UNKNOWN UINT32_MAX /* machine of guest records without a pid */

struct life {
	struct task task;
	u32 process;         /* NO_PROCESS: the one that has the pid at the queried time */
	u32 comms;           /* timeline of comm ids */
	_Atomic u32 unnamed; /* comm ":TID", UINT32_MAX until needed */
	u32 next_stranger;   /* task id + 1 */
	bool is_stranger;    /* in history.strangers */
	u64 exited_at;       /* time of its EXIT */
	bool exited;
	bool dropped; /* by history_compact(): the slot may be reused */
};

/* One life of a pid. */
struct process {
	u32 roots;    /* timeline of spaces */
	u32 new_root; /* during execve: only the new program's mappings */
	bool execs;   /* from its COMM to the first mapping of the new program */
	u8 exec_maps; /* and how many more it may map before that ends; 0: it has ended */
	bool dropped; /* as in struct life */
};

struct comms {
	struct strmap ids;     /* text -> id */
	struct segments texts; /* const char * by id; NULL: the id may be reused */
	VEC(u32) unused;
};

struct machine {
	u32 id;                /* 0 host, else guest pid */
	u32 kernel_roots;      /* timeline of spaces */
	struct mapping kernel; /* the kernel's own map; end 0 if unknown */
	u32 kernel_moves;      /* how often it was moved */
};

struct text_poke {
	struct order_key since;
	u64 addr, at; /* the changed address; offset of the bytes: the new ones, then the old */
	u32 size, old_size;
};
struct text_pokes { /* in order of time */
	VEC(struct text_poke) list;
	VEC(u8) bytes;
};
void text_pokes_add(struct text_pokes *t, const struct record_text_poke *p,
		    const struct order_key *since);
void text_pokes_release(struct text_pokes *t);

struct history {
	struct context *ctx;
	struct image_table *images;
	pthread_mutex_t lock; /* strangers, lives, comms */
	struct timelines times;
	struct spaces spaces;
	struct segments lives;     /* struct life by task id */
	struct segments processes; /* elements are struct process */
	struct map64 tids;         /* machine << 32 | tid -> timeline of task ids */
	struct map64 pids;         /* machine << 32 | pid -> timeline of processes */
	struct map64 strangers;
	struct comms comms;
	VEC(struct machine) machines;
	struct map64 machine_ids; /* -> index */
	struct mapping whole_kernel;
	struct map64 guests;               /* machine -> struct guest_maps * (guests.c) */
	char *guest_modules, *guest_mount; /* or NULL */
	bool guest_code;        /* the code of guests is in their hypervisors' address spaces */
	struct map64 cpu_ids;   /* event ids without a task of their own: they count all of a CPU */
	bool index_read;        /* cpu_ids is complete: the file has an index of its ids */
	struct map64 guest_ids; /* event id -> machine << 32 | vcpu (guest_ids.c) */
	atomic_bool whole_kernel_known;
	struct map64 cgroups; /* id -> path */
	struct strtab paths;
	struct text_pokes text_pokes; /* the pokes of the host's kernel */
	bool has_code;                /* history_map_code() was called */
	VEC(struct history_takeover) takeovers;
	u64 takeovers_dropped;
	u64 takeover_steps; /* lives examined for takeovers */

	struct order_key last; /* the key of the newest record applied */
	/* Adjacent records with maps of one space make one version. */
	u32 *batch_roots;
	u64 batch_end; /* position */

	/* For compact.c: slots to reuse, and the size after the last compaction. */
	VEC(u32) unused_lives, unused_processes;
	size_t compacted;
};

/*
 * Do the same as in history.h without "_within"; narrow holds, if not NULL, to the keys with the
 * same result.
 */
const struct task *history_task_within(struct history *h, u32 machine, u32 pid, u32 tid,
				       const struct order_key *key, struct key_range *holds);
u32 history_comm_within(const struct history *h, const struct task *t, const struct order_key *key,
			struct key_range *holds);
space_version history_space_within(const struct history *h, const struct task *t,
				   const struct order_key *key, struct key_range *holds);
space_version history_kernel_space_within(const struct history *h, u32 machine,
					  const struct order_key *key, struct key_range *holds);

/* Return what is not recorded of guests: a module of the given lists, or NULL; and all of it. */
const struct mapping *guest_module(struct history *h, u32 machine, u64 addr);
const struct mapping *whole_guest(struct history *h, u32 machine);
void guests_release(struct history *h);
void guests_each_image(const struct history *h, void (*fn)(void *arg, u32 image), void *arg);
/* Adds task 0 of a machine that is known to exist; it lives from the beginning. */
void history_add_idle(struct history *h, u32 machine);
/* Reads from an ID_INDEX record which ids are of guests, and which count all tasks of a CPU. */
int guest_ids_take(struct history *h, const struct record *rec, bool swap, struct reason *r);

u32 history_comm_add(struct history *h, const char *text);
const char **comm_slot(const struct comms *c, u32 id);
u64 stranger_hash(u32 machine, u32 pid, u32 tid);
struct life *history_life(const struct history *h, u32 index);
struct process *history_process(const struct history *h, u32 index);
/* Returns the newest life of a tid, or NULL. */
struct life *history_newest_life(const struct history *h, u32 machine, u32 tid);
/*
 * Makes a life in the newest process of its pid. If since is NULL, it lives from the beginning;
 * then the tid must have no life yet.
 */
struct life *history_new_life(struct history *h, u32 machine, u32 pid, u32 tid,
			      const struct order_key *since);
u32 history_newest_process(const struct history *h, u32 machine, u32 pid); /* or NO_PROCESS */
u32 history_new_process(struct history *h, u32 machine, u32 pid, const struct order_key *since);

#endif
