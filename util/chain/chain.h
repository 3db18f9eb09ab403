/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and call chains, collected, named and folded.
 *
 * Frame: (image, offset, space, is_return_address), a small id.
 * Chain node: (parent node, frame): outermost caller first, so that chains share
 * their callers; a chain is the id of its innermost (leaf) node.  0 = empty.
 * In front of both stands a hash of the whole raw chain and the address-space
 * versions it was resolved in, which makes a repeat one look-up.
 *
 * Phases: collect (chain_add, one collector per worker); frames_merge; name
 * (chains_name: symbols of all distinct frames, in parallel); frames_fold; and
 * nodes_merge of each collector, which merges and folds its chains at once.
 * Ids of one collector mean nothing in another; after the merge the map given
 * back translates them.  Nothing may be ordered by these ids.
 */
#ifndef CHAIN_CHAIN_H
#define CHAIN_CHAIN_H

#include "process/history.h"
#include "symbol/symbol.h"

typedef u32 frame_id;
typedef u32 chain_id; /* 0: no chain */

struct frame {
	u64 offset; /* in the image; with image 0 the raw address */
	u64 addr;   /* the address as recorded */
	u32 image;
	u8 cpumode;	  /* PERF_RECORD_MISC_KERNEL / _USER / guests: [k] [.] [g] [u] */
	bool is_return;	  /* a return address: look up offset - 1 where that is asked for */
	bool is_inlined;
	u32 symbol;	  /* number in the image's table, after naming; NO_SYMBOL */
};

struct chain_node {
	chain_id parent;
	frame_id frame;
	u32 depth; /* 1 for an outermost frame */
};

struct chains;

struct chains *chains_new(struct history *h);
void chains_free(struct chains *c);

/*
 * The chain of one sample: ips as recorded (leaf first, with context markers,
 * file byte order when swap).  max: frames kept (0: all).  A pc that is not in
 * the recorded chain is added by the caller as leaf with chain_push.
 * A chain with a context marker that nobody knows is damaged: it is dropped (0)
 * and counted, see chains_damaged().
 */
chain_id chain_add(struct chains *c, const struct task *t, u8 cpumode, const u8 *ips, u64 count,
		   bool swap, u32 max, const struct order_key *key);
/*
 * Its frames, leaf first, without keeping the chain: for who looks at each sample
 * once.  Good until the next chain_add or chain_frames.
 */
const frame_id *chain_frames(struct chains *c, const struct task *t, u8 cpumode, const u8 *ips,
			     u64 count, bool swap, u32 max, const struct order_key *key,
			     size_t *frames);
/* One frame on top of a chain (toward the leaf). */
chain_id chain_push(struct chains *c, chain_id parent, const struct frame *f);
frame_id frame_add(struct chains *c, const struct frame *f);

const struct chain_node *chain_get(const struct chains *c, chain_id id);
const struct frame *chain_frame(const struct chains *c, frame_id id);
/* All nodes by id; the pointer is good until the next one is added. */
const struct chain_node *chain_nodes(const struct chains *c);
u32 chains_count(const struct chains *c);  /* ids are 1 .. count */
u32 frames_count(const struct chains *c);  /* ids are 0 .. count - 1 */
u64 chains_damaged(const struct chains *c);

/*
 * Adds all frames of src to dst.  Returns the map of ids, src -> dst, count items;
 * the caller frees it.
 */
frame_id *frames_merge(struct chains *dst, const struct chains *src);
/*
 * Adds all chains of src to dst, frame f as frames[f].  Returns the map of ids,
 * count + 1 items; the caller frees it.
 */
chain_id *nodes_merge(struct chains *dst, const struct chains *src, const frame_id *frames);

/*
 * Resolve the symbol of every frame, with ctx->workers threads.  correct: a
 * return address is looked up one byte before, inside its call (a call at the
 * very end of a function would otherwise name the next one).
 */
void chains_name(struct chains *c, struct context *ctx, struct symbol_store *symbols,
		 bool correct);

/*
 * Symbolic frames: those that print alike become one.  frame_key(arg, frame)
 * gives what "alike" means (same symbol: (image, symbol); -g address: the
 * address).  Returns them as new chains without nodes, and the map of ids (count
 * items, malloc'ed), with which nodes_merge() makes the symbolic chains.  Of the
 * frames that became one the least (image path, address, kind) stands for all,
 * so that the choice does not depend on the order of collection.
 */
struct chains *frames_fold(const struct chains *c, const struct image_table *images,
			   u64 (*frame_key)(void *arg, const struct frame *f), void *arg,
			   frame_id **frame_map);

#endif
