/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the chain room: three open-addressing tables over growing arrays.
 *
 *	whole chains:  hash128(raw ips, spaces)  -> chain id    (seen)
 *	nodes:         (parent, frame)           -> chain id    (node_slots)
 *		hashed by the frames of the whole chain, so that the slots of all
 *		nodes of a chain can be fetched from memory at once
 *	frames:        content                   -> frame id    (frame_slots)
 *
 * and a small direct-mapped cache -> frame id: of the kernel's by (space, address),
 * so that a new chain needs no mapping look-up; of users' by what the address maps
 * to, so that processes which share an object share its slots.  Slots hold id + 1
 * (0: free); sizes are powers of two, at most three quarters full.
 */
#ifndef CHAIN_INTERNAL_H
#define CHAIN_INTERNAL_H

#include "base/hash.h"
#include "base/vec.h"
#include "chain/chain.h"

struct seen_chain {
	struct hash128 hash;
	chain_id chain;
	bool used;
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
	VEC(struct chain_node) nodes; /* [0] is the empty chain */
	VEC(u32) hashes;	      /* path_hash() by node */
	u32 *frame_slots, *node_slots;
	size_t frame_space, node_space;
	struct seen_chain *seen;
	size_t seen_count, seen_space;
	struct cached_frame *cache;
	size_t cache_size, cache_evictions;
	struct last_mapping last;
	VEC(frame_id) path; /* of the chain being added, leaf first */
	VEC(u32) path_hashes; /* outermost first */
	u64 damaged;
	u32 shared_count; /* of nodes, while several threads add */
	struct strtab texts;		   /* of the two below */
	VEC(struct symbol) inlined;	   /* by frame.inlined; [0] is none */
	VEC(struct frame_source) sources; /* by frame.source; [0] is none */
};

/* The work of several threads over numbers 0 .. count - 1, in batches. */
void chain_in_parallel(struct context *ctx, size_t count, size_t batch,
		       void (*work)(void *arg, size_t from, size_t to), void *arg);

static inline u32 path_hash(u32 parent_hash, frame_id frame)
{
	return (u32)hash_u64(((u64)parent_hash << 32 | frame) + 0x9e3779b97f4a7c15ULL);
}
/* Room for so many nodes more; before node_add(). */
void nodes_reserve(struct chains *c, size_t more);
/*
 * As node_add(), by several threads at once, between nodes_open_shared() and
 * nodes_close_shared().  Ids still ascend from parent to child; where two threads add the
 * same node at the same time an id stays unused (a node without parent and depth).
 */
chain_id node_add_shared(struct chains *c, chain_id parent, frame_id frame, u32 hash);
chain_id node_add(struct chains *c, chain_id parent, frame_id frame, u32 hash);

#endif
