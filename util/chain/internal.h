/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the chain room: open-addressing tables over growing arrays.
 *
 *	frames:          content              -> frame id    (frame_slots)
 *	whole chains:    hash(raw ips, spaces) -> chain id   (seen)
 *	recorded chains: frame ids, as a list -> chain id    (recorded_slots)
 *		of a collector; processes that run one program share them
 *	nodes:           (parent, frame)      -> node id     (node_slots)
 *		of merged chains; hashed by the frames of the whole chain, so that the
 *		slots of all nodes of a chain can be fetched from memory at once
 *
 * and a small two-way cache -> frame id: of the kernel's by (space, address),
 * so that a new chain needs no mapping look-up; of users' by what the address maps
 * to, so that processes which share an object share its slots.  Slots hold id + 1
 * (0: free), but those of nodes and recorded chains the id, which is never 0; sizes
 * are powers of two, at most three quarters full.
 */
#ifndef CHAIN_INTERNAL_H
#define CHAIN_INTERNAL_H

#include "base/hash.h"
#include "base/vec.h"
#include "chain/chain.h"

/* 96 bits of a hash with secret seeds stand for the chain. */
struct seen_chain {
	u64 a;
	u32 b;
	u32 chain; /* id + 1 */
};

/* A chain as its collector keeps it: count frames from listed[start] on, leaf first. */
struct listed_chain {
	u64 start;
	u32 count, hash;
};

/* What one collector had, after the merge. */
struct list_part {
	u32 first, count; /* chains first + 1 .. first + count */
	frame_id *frames; /* their memory */
	size_t listed;	  /* frames there */
};

/* Where a mapping ends and what it maps; the one that was looked at last. */
struct last_mapping {
	space_version space;
	u32 image;
	u64 start, end; /* end 0: none yet */
	u64 shift;	/* offset in the image = address + shift */
};

struct cached_frame {
	u64 addr, offset;    /* offset: of users' */
	u32 image;	     /* of users' */
	space_version space; /* of the kernel's, else 0 */
	u32 frame; /* id + 1 */
	u8 cpumode;
	bool is_return;
};

enum { FRAME_CACHE_FIRST = 1024, FRAME_CACHE_MOST = 1 << 17 };

struct chains {
	struct history *history;
	VEC(struct frame) frames;
	VEC(struct listed_chain) recorded; /* [0] is the empty chain */
	VEC(frame_id) listed;
	VEC(struct chain_list) lists; /* merged; [0] is the empty chain */
	VEC(struct list_part) parts;
	struct chain_tree tree; /* of nodes and leaf_of; nodes NULL: not made */
	struct chain_node *nodes;
	node_id *leaf_of;
	u32 *frame_slots, *recorded_slots, *node_slots;
	size_t frame_space, recorded_space, node_space;
	struct seen_chain *seen;
	size_t seen_count, seen_space;
	struct cached_frame *cache;
	size_t cache_size, cache_evictions;
	struct last_mapping last;
	VEC(frame_id) path; /* of the chain being added, leaf first */
	u64 damaged;
	u32 node_count; /* the next id */
	struct strtab texts;		   /* of the two below */
	VEC(struct symbol) inlined;	   /* by frame.inlined; [0] is none */
	VEC(struct frame_source) sources; /* by frame.source; [0] is none */
};

/* The work of several threads over numbers 0 .. count - 1, in batches. */
void chain_in_parallel(struct context *ctx, size_t count, size_t batch,
		       void (*work)(void *arg, size_t from, size_t to), void *arg);

#endif
