/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache lines and, in each, which code accessed which byte: the tables that perf c2c shows.
 *
 *	lines_init() -> lines_add() for each sample in order of time -> lines_finish() -> read
 *
 * Several threads: each adds samples that follow each other in time to its own part
 * (lines_begin_part()), and lines_join() adds the parts to the whole, in order.
 *
 * A line is a cache line of one object (or, for private memory, of one process). An entry joins the
 * samples that agree in offset and in the keys of --coalesce.
 * Memory: by the number of lines and entries, not by that of samples. One thread for each object.
 * lines_release() frees everything.
 */
#ifndef BUILTIN_C2C_LINES_H
#define BUILTIN_C2C_LINES_H

#include "base/hash.h"
#include "base/vec.h"
#include "builtin/c2c/counts.h"
#include "data/nodes.h"
#include "session/session.h"

enum c2c_display { C2C_TOTAL, C2C_LOCAL, C2C_REMOTE, C2C_PEER };

/* Keys of an entry beside its offset; the order is the user's. */
enum c2c_key { C2C_KEY_NONE, C2C_KEY_PID, C2C_KEY_TID, C2C_KEY_CODE, C2C_KEY_DSO };
enum { C2C_KEYS = 8 };

/* Costs by what an access was, the dearest that fits it. */
enum c2c_cost {
	C2C_COST_REMOTE_HITM,
	C2C_COST_LOCAL_HITM,
	C2C_COST_REMOTE_PEER,
	C2C_COST_LOCAL_PEER,
	C2C_COST_LOAD,
	C2C_COSTS
};

/* What a line and an entry have in common. */
struct c2c_item {
	u64 *nodes;               /* set of the nodes that have its memory */
	u64 physical;             /* the last physical address */
	u64 first_physical;       /* of a part: since it was joined */
	u64 moves;                /* how often it changed */
	struct c2c_counts counts; /* of a line: once finished */
};

/* Counts of an entry by the node that the access came from. */
struct c2c_node_counts {
	u64 remote_hitm, local_hitm, peer, stores;
};

/* What each sample is compared by, apart from the sums, which are ten times as large. */
struct c2c_entry_key {
	u64 hash;
	u64 code, data, at; /* addresses as recorded; at: of the data in its object */
	u32 line;
	u32 pid, tid, dso; /* dso: an index into lines.dsos; if not keys: of the first sample */
};

struct c2c_entry {
	struct c2c_entry_key key;
	struct c2c_item item;
	u32 comm; /* the comm in the first sample */
	u8 cpumode;
	struct location leaf; /* where the code is */
	u64 *cpus;            /* set of the CPUs that accessed it */
	struct c2c_node_counts *by_node;
	u64 cost[C2C_COSTS], costs[C2C_COSTS]; /* sums, and how many */
	struct c2c_entry *whole; /* of a part: what it is joined to; NULL: not looked up yet */
	bool touched;            /* of a part: since it was joined */
};

struct c2c_line_key {
	u64 hash;
	u64 at;     /* where the line is in its object */
	u64 data;   /* the first address, as recorded */
	u32 object; /* a number of lines.objects; 0: unmapped */
	u32 pid;    /* the process whose private memory it is in, else 0 */
	u8 cpumode;
};

struct c2c_line {
	struct c2c_line_key key;
	struct c2c_item item;
	u32 index; /* as it is shown, from 0 */
	u32 whole; /* of a part: number in the whole + 1; 0: not looked up yet */
	VEC(struct c2c_entry *) entries;
};

typedef VEC(u32) c2c_numbers;

/* A file by its inode; zeros: memory without a file. */
struct c2c_object {
	u64 dev, ino, generation;
};

/*
 * Answers kept for the next sample. What an access counts as follows from its words; its entry from
 * its addresses, where these are mapped, and its task.
 */
struct c2c_met_hits {
	u64 data_src;
	bool is, addressed, mapped;
	struct c2c_hits hits;
	enum c2c_cost cost;
	struct c2c_node_counts by_node;
};
struct c2c_met_entry {
	u64 code, data;
	const struct task *task;
	const struct mapping *mapping; /* the data's */
	u32 image;                     /* the code's */
	u32 line;
	u8 cpumode;
	struct c2c_entry *entry; /* NULL: nothing is kept here */
};
enum { C2C_MET_HITS = 1 << 8, C2C_MET_ENTRIES = 1 << 11 }; /* by so many bits of a hash */

struct c2c_lines {
	/* before lines_init() */
	struct session *session;
	const struct data_nodes *nodes;
	enum c2c_key keys[C2C_KEYS]; /* ended by NONE */
	enum c2c_display display;
	u32 line_size; /* bytes, a power of two */
	bool show_all;

	struct c2c_counts total;
	struct c2c_counts shared; /* summed over the lines below, by lines_finish() */
	u64 shared_lines;         /* with accesses to data in another cache */
	/* samples whose CPU, or memory, the header does not know */
	u64 unknown_cpus, unknown_memory;
	bool no_cpus; /* samples do not say */

	VEC(struct c2c_line *) all;   /* in order of their keys once finished */
	VEC(struct c2c_line *) shown; /* the lines to show, the worst first */

	/* the component's own */
	struct arena memory;
	struct c2c_table {
		u32 *slots;
		size_t space;
	} line_table, entry_table;
	VEC(struct c2c_entry *) entries;
	struct map64 objects; /* hash of an identity -> number */
	VEC(struct c2c_object) object_list;
	struct strtab dsos;
	c2c_numbers object_of_image, dso_of_image; /* number + 1; 0: not looked up yet */
	struct c2c_met_hits met_hits[C2C_MET_HITS];
	struct c2c_met_entry met_entries[C2C_MET_ENTRIES];
	VEC(struct c2c_entry *) touched; /* of a part */
	struct c2c_lines *whole;         /* of a part; else NULL */
};

void lines_init(struct c2c_lines *l);
/* What a sample was added to, and as what. */
struct c2c_added {
	struct c2c_line *line;
	struct c2c_entry *entry;
	const struct c2c_hits *hits; /* until the next sample */
};
void lines_add(struct c2c_lines *l, const struct session_sample *s, struct c2c_added *what);
/*
 * Makes a table for part of the samples, with the settings of the whole. The caller calls
 * lines_release() and free().
 */
struct c2c_lines *lines_begin_part(struct c2c_lines *whole);
/*
 * Adds to the whole what the part has gathered since the last call; one call at a time, in order.
 */
void lines_join(struct c2c_lines *part);
/* Sorts; an entry that has nothing to show is dropped from its line. */
void lines_finish(struct c2c_lines *l);
void lines_release(struct c2c_lines *l);

/* Returns the count that lines are sorted by. */
enum c2c_count lines_metric(const struct c2c_lines *l);
u32 lines_cpu_words(const struct c2c_lines *l);
static inline bool set_has(const u64 *set, u32 bit)
{
	return set[bit / 64] >> bit % 64 & 1;
}

#endif
