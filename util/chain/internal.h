/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the chain component: open-addressing tables over growing arrays.
 *
 *	frames:          content              -> frame id    (frame_slots), made when a frame is
 *		looked up by its content alone
 *	whole chains:    hash(raw ips, spaces) -> chain id   (seen)
 *	kept chains:     frames               -> chain id    (kept)
 *	nodes:           (parent, frame)      -> node id     (node_slots)
 *		of merged chains; hashed by the frames of the whole chain, so that the
 *		slots of all nodes of a chain can be fetched from memory at once
 *
 *	looked-up addresses: (place, address) -> frame id    (placed)
 *		with the whole key in the slot, so that only a new frame is looked at;
 *		a place (place_slots) is what an address maps to except for the address:
 *		of users' the image and how its offset is told from the address, so that
 *		processes which share an object share its slots; of the kernel's the space
 *
 * Slots hold id + 1 (0: free), but those of nodes the id, which is never 0; sizes are powers of
 * two, at most three quarters full, placed half full.
 */
#ifndef CHAIN_INTERNAL_H
#define CHAIN_INTERNAL_H

#include "base/hash.h"
#include "base/vec.h"
#include "chain/chain.h"

#define DAMAGED_CHAIN UINT32_MAX

/* A chain, identified by 96 bits of a hash with secret seeds. */
struct seen_chain {
	u64 a;
	u32 b;
	u32 chain; /* id + 1, or DAMAGED_CHAIN */
};

/* A chain in its collector: count frames from listed[start] on, leaf first. */
struct listed_chain {
	u64 start : 40;
	u64 count : 24; /* a record has 64 KB */
};

/* The spaces that a chain passes through, and the hash of everything that identifies it. */
struct announced {
	bool is;
	space_version user, kernel;
	struct hash128 hash;
};

/* The part of one collector, after the merge. */
struct list_part {
	u32 first, count; /* chains first + 1 .. first + count */
	frame_id *frames; /* their memory */
	size_t listed;    /* frames there */
};

/* A recently used mapping, by (space, address): see met_mapping(). */
struct met_mapping {
	u64 start, end; /* end 0 if unused */
	space_version space;
	u32 place;
};

/* The frames of one place differ only by address and is_return. */
struct place {
	u64 shift; /* for users': offset in the image = address + shift */
	/* for users'; 0 if unmapped. For others: the machine, as guests can share a space */
	u32 image;
	space_version space; /* for others, else 0 */
	u8 cpumode;
	bool is_space; /* others: addresses are looked up in it */
};

struct placed_frame {
	u64 addr;
	u32 kind;  /* place << 1 | is_return */
	u32 frame; /* id + 1 */
};

/* An address of the current chain. */
struct wanted_frame {
	u64 addr;
	u32 kind;
	u32 hash;
};

enum { MET_MAPPINGS = 64 };

/* A result of contents_of(). */
struct recent_contents {
	bool known;
	space_version space;
	u64 hash;
};

struct chains {
	struct history *history;
	u64 seed; /* seeds the hashes of places and addresses */
	VEC(struct frame) frames;
	VEC(struct listed_chain) recorded; /* [0] is the empty chain */
	VEC(frame_id) listed;
	VEC(u64) ends;                /* by chain, if known; may be shorter than recorded */
	VEC(struct chain_list) lists; /* merged; [0] is the empty chain */
	VEC(struct list_part) parts;
	struct chain_tree tree; /* nodes is NULL until chains_tree() has built it */
	struct chain_node *nodes;
	node_id *leaf_of;
	u32 *frame_slots, *node_slots;
	size_t frame_space, node_space;
	/* chains of chain_keep(), by their frames: number + 1 below the upper half of the hash */
	u64 *kept;
	size_t kept_space;
	u32 slotted; /* how many frames, from the first, are in frame_slots */
	struct seen_chain *seen;
	size_t seen_count, seen_space;
	struct announced announced;
	struct placed_frame *placed;
	size_t placed_count, placed_space;
	VEC(struct place) places;
	u32 *place_slots;
	size_t place_space;
	struct met_mapping met[MET_MAPPINGS];
	u32 last_place;        /* the last place that is not a user's */
	u32 place_met[64];     /* recent results of frame_met() */
	struct map64 contents; /* space_version -> a number for its mappings */
	size_t contents_cost;  /* mappings that were walked for it */
	struct recent_contents recent_contents[32];
	VEC(struct wanted_frame) wanted;
	VEC(frame_id) path; /* the frames of the chain being added, leaf first */
	u64 damaged;
	u32 node_count;                   /* the next id */
	struct strtab texts;              /* the texts that the two below refer to */
	VEC(struct symbol) inlined;       /* by frame.inlined; [0] is none */
	VEC(struct frame_source) sources; /* by frame.source; [0] is none */
};

/* Rebuilds the slots of frames, or of chains of chain_keep(), after renumbering. */
void frames_find_again(struct chains *c);
void chains_find_again(struct chains *c);
/* Frees places and addresses, with the tables to find them. */
void places_release(struct chains *c);
u32 place_add(struct chains *c, const struct place *p);
u32 placed_hash(const struct chains *c, u64 addr, u32 kind);
/* Returns the slot of a frame, or the empty slot for it. */
struct placed_frame *placed_slot(const struct chains *c, const struct wanted_frame *want);
frame_id placed_add(struct chains *c, struct placed_frame *slot, const struct wanted_frame *want,
		    frame_id id);
/* Makes room for this many more frames, so none moves while some are being prefetched. */
void placed_room(struct chains *c, u64 more);
/* Adds a frame that does not exist yet, as the caller knows. */
frame_id frame_push(struct chains *c, const struct frame *f);
/* Runs work on several threads over numbers 0 .. count - 1, in batches. */
void chain_in_parallel(struct context *ctx, size_t count, size_t batch,
		       void (*work)(void *arg, size_t from, size_t to), void *arg);

/* distinct.c: items 0 .. count - 1; items with one key may be alike. */
struct distinct {
	const u64 *keys; /* by item */
	u32 count;
	bool (*same)(const void *arg, u32 a, u32 b); /* compares two items; NULL: alike */
	/* reports whether a should represent both rather than b; NULL: the first does */
	bool (*before)(const void *arg, u32 a, u32 b);
	const void *arg;
};
/*
 * Classifies items. class gets, by item, the number of its class; stands, by class, one item, and
 * has room for count. Returns the number of classes, whose order depends on the number of threads.
 */
u32 chain_distinct(struct context *ctx, const struct distinct *d, u32 *class, u32 *stands);
bool frame_equal(const struct frame *a, const struct frame *b);
u64 frame_hash(const struct frame *f);

#endif
