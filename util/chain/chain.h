/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and call chains, collected, named and folded.
 *
 *	collect		chain_add(), frame_add()	a struct chains for each worker
 *	    |
 *	merge		frames_merge()			all frames in one of them
 *	    |
 *	name		chains_name(), chains_lines()	symbols, lines and inlined functions
 *	    |
 *	fold		frames_fold()			what prints alike becomes one frame
 *	    |
 *	lists		lists_take(), lists_fold()	each worker's chains, with those frames
 *	    |
 *	look		chain_lists(), chains_tree()
 *
 * A pool keeps its chains between two tables: chain_keep() and chains_copy().
 *
 * Frame: (image, offset, space, is_return_address), a small id.
 * A collector keeps each distinct chain as a list of frames.  A hash of the whole raw
 * chain and the address-space versions that it was resolved in comes first, which
 * makes a repeat one look-up.
 * Merged chains are the lists of all collectors, unchanged except for folded frames;
 * chains that have become equal are not joined.  Callers that want a tree ask for
 * nodes (parent node, frame): outermost caller first, so chains share their callers.
 * 0 = empty, in all of them.
 *
 * Phases: collect (chain_add, one collector per worker); frames_merge; name
 * (chains_name: symbols of all distinct frames, in parallel; chains_lines: their
 * source lines, and a run of frames for each that holds inlined functions);
 * frames_fold; and lists_take and lists_fold of each collector, which expand and fold
 * its chains where they are.
 * Ids of one collector mean nothing in another; after the merge lists_first() and the
 * map given back translate them.  Nothing may be ordered by these ids.
 */
#ifndef CHAIN_CHAIN_H
#define CHAIN_CHAIN_H

#include "process/history.h"
#include "symbol/srcline.h"
#include "symbol/symbol.h"

typedef u32 frame_id;
typedef u32 chain_id; /* 0: no chain */
typedef u32 node_id;  /* 0: above all outermost frames */

struct frame {
	u64 offset; /* in the image; the raw address for image 0 */
	u64 addr;   /* the address as recorded */
	u32 image;
	u8 cpumode; /* PERF_RECORD_MISC_KERNEL / _USER / guests: [k] [.] [g] [u] */
	/*
	 * A return address: look up offset - 1 if requested. Callers that the unwinder found are
	 * not: they are inside their call already.
	 */
	bool is_return;
	bool named;  /* chains_name() has looked its symbol up */
	u32 symbol;  /* number in the image's table, after naming, or NO_SYMBOL */
	u32 inlined; /* 0 for that function itself, else one inlined there: chain_inlined() */
	u32 source;  /* 0 if no line is known, else chain_source() */
};

struct frame_source {
	const char *file; /* as in struct source_frame */
	u32 line;
};

/* A merged chain. */
struct chain_list {
	const frame_id *frames; /* leaf first */
	u32 count;
};

struct chain_node {
	node_id parent;
	frame_id frame;
	u32 depth; /* 1 for an outermost frame */
};

struct chains;

struct chains *chains_new(struct history *h);
void chains_free(struct chains *c);

/* The chain of a sample: leaf first, with context markers. */
struct recorded_chain {
	const u8 *ips; /* count u64, with the other byte order if swap */
	u64 count;
	u64 unwound; /* number of frames at the end that the unwinder found */
	u32 max;     /* limit of frames; 0 means all */
	bool swap;
	/* why it ends, by the caller's numbers; 0 if unknown. It distinguishes chains */
	u64 end;
};

/*
 * Returns the number of a chain among those of this collector, for lists_take(). A chain with an
 * unknown context marker is damaged: it is dropped (0) and counted for each sample, see
 * chains_damaged().
 */
chain_id chain_add(struct chains *c, const struct task *t, u8 cpumode,
		   const struct recorded_chain *r, const struct order_key *key);
/*
 * Returns its frames, leaf first, without keeping the chain: for callers that use each sample once.
 * Valid until the next chain_add or chain_frames.
 */
const frame_id *chain_frames(struct chains *c, const struct task *t, u8 cpumode,
			     const struct recorded_chain *r, const struct order_key *key,
			     size_t *frames);
frame_id frame_add(struct chains *c, const struct frame *f);
/*
 * Does the same for a frame that is not a return address and not inlined; faster for a known one.
 */
frame_id frame_met(struct chains *c, const struct frame *f);
/*
 * Says that chain_add() of the same comes soon: what it needs is fetched from memory
 * meanwhile.  Of one chain at a time; chain_add() without it is as good, but slower.
 */
void chain_announce(struct chains *c, const struct task *t, u8 cpumode,
		    const struct recorded_chain *r, const struct order_key *key);

/*
 * Returns the number of a chain of frames that c has already, leaf first: equal lists have one
 * number.
 */
chain_id chain_keep(struct chains *c, const frame_id *frames, size_t count);
/*
 * Does the same with frames of other chains: frame f is here numbers[f]. Equal lists may have
 * several numbers.
 */
chain_id chain_copy(struct chains *c, const frame_id *frames, size_t count,
		    const frame_id *numbers);
/* Copies frames and recorded chains with their numbers, without what only speeds up chain_add(). */
struct chains *chains_copy(const struct chains *c);
/*
 * Keeps only some frames and chains, in the same order, with new numbers. Input, by number: not 0
 * for what stays, including the frames of each chain that stays. Output: the new number + 1, or 0.
 * Chain 0 always stays. For chains whose frames came by frame_add() and chain_keep().
 */
void chains_shrink(struct chains *c, u32 *frames, u32 *chains);
/*
 * Ends adding to this collector: frees the tables for that, before the merged tables are made.
 * Keeps what was recorded.
 */
void chains_close(struct chains *c);
/* Returns how many chains c has recorded; they are 1 .. count. */
u32 chains_count(const struct chains *c);
/* Returns the end that chain_add() got for it. */
u64 chain_recorded_end(const struct chains *c, chain_id id);
/* Returns the frames of chain_add()'s chain, leaf first; valid until the next chain_add. */
const frame_id *chain_recorded(const struct chains *c, chain_id id, size_t *frames);

/* Returns all merged chains, by number; valid until the next lists_take() or chain_cut(). */
const struct chain_list *chain_lists(const struct chains *c);
const struct frame *chain_frame(const struct chains *c, frame_id id);
u32 frames_count(const struct chains *c); /* ids are 0 .. count - 1 */
u64 chains_damaged(const struct chains *c);
/* Returns the name, with the place of the function around it; NULL if the frame is not inlined. */
const struct symbol *chain_inlined(const struct chains *c, const struct frame *f);
/* Returns the source line, or NULL if it is unknown, or chains_lines() was not called. */
const struct frame_source *chain_source(const struct chains *c, const struct frame *f);

/*
 * Merges all frames into dst, which is empty, each once, on ctx->workers threads. maps[i] has the
 * ids in dst of src[i]'s frames; the caller frees them. The frames of src may be gone afterwards;
 * their chains stay.
 */
void frames_merge(struct chains *dst, struct context *ctx, struct chains *const *src, size_t count,
		  frame_id **maps);
/* Moves all recorded chains of src to dst. Returns the number of this part of dst. */
u32 lists_take(struct chains *dst, struct chains *src);
/* Chain n of a part, n > 0, is now chain lists_first() + n. */
chain_id lists_first(const struct chains *c, u32 part);
/* Returns how many frames the lists of this part have. */
size_t lists_frames(const struct chains *c, u32 part);
/*
 * Replaces frame f by frames[f] in this part; if runs and runs[f] are not NULL, by the frames
 * listed there: their number, then the frames, outermost first. Without runs it only changes from
 * .. to - 1 of lists_frames(). Call it once for each frame. Several parts, and without runs several
 * ranges of a part, may be done on separate threads.
 */
void lists_fold(struct chains *c, u32 part, const frame_id *frames, const u32 *const *runs,
		size_t from, size_t to);
/* Adds a chain: that one without its first frames, the callees. */
chain_id chain_cut(struct chains *c, chain_id id, u32 first);

/*
 * Merged chains as one tree, made on the first call, on ctx->workers threads. No chains may be
 * added after that. Ids ascend from parent to child; some stay unused, without frame and depth.
 */
struct chain_tree {
	const struct chain_node *nodes; /* [0] is above the outermost frames */
	const node_id *leaf_of;         /* by chain: the node of its innermost frame */
	u32 count;                      /* ids are 1 .. count */
};
const struct chain_tree *chains_tree(struct chains *c, struct context *ctx);

/*
 * Resolves the symbol of every frame without a name, on ctx->workers threads. With correct, a
 * return address is looked up one byte before, inside its call (a call at the very end of a
 * function would otherwise name the next one). lines is not NULL if chains_lines() follows. With
 * several threads, the first one that finds an object's user frame opens its debug information,
 * while the others continue naming.
 */
void chains_name(struct chains *c, struct context *ctx, struct symbol_store *symbols, bool correct,
		 struct line_store *lines);

/* Removes the names of frames in these images (renewed[image]): symbol_store_renew(). */
void chains_forget_names(struct chains *c, const bool *renewed);

/* The result of chains_lines(): by frame, the run that replaces it, or NULL. */
struct frame_runs {
	const u32 **of; /* by frame, of the frames before the call; see lists_fold() */
	u32 frames;
	struct arena memory;
};

struct frame_lines {
	bool correct; /* as for chains_name(), which is called first */
	bool inlines; /* make runs of users' frames */
	bool sources; /* find the lines of frames; without it no line table is read */
	bool kernel;  /* also lines of the kernel's frames */
};
/*
 * Finds the source line of every frame, and makes new frames, with lines, for the functions inlined
 * in one; on ctx->workers threads, each frame once. In a run the function itself comes first, with
 * the line of its call, and the innermost last.
 */
void chains_lines(struct chains *c, struct context *ctx, struct line_store *lines,
		  struct symbol_store *symbols, const struct frame_lines *o,
		  struct frame_runs *runs);
void frame_runs_release(struct frame_runs *runs);

/*
 * Folds symbolic frames: those that print alike become one. frame_key(arg, frame) defines "alike"
 * (same symbol: (image, symbol); -g address: the address). Returns them as new chains without
 * lists, and the map of ids (count items, malloc'ed), with which lists_fold() makes the symbolic
 * chains. Of equal frames the least (image path, address, kind) represents all, so the choice does
 * not depend on the order of collection. The data for inlined and source moves to the new chains.
 */
struct chains *frames_fold(struct chains *c, struct context *ctx, const struct image_table *images,
			   u64 (*frame_key)(void *arg, const struct frame *f), void *arg,
			   frame_id **frame_map);

#endif
