// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of a pool: places of one function are one frame if the output cannot distinguish them. */
#include "hist/pool_tables.h"

static bool is_of_function(const struct hist_pool *p, const struct frame *f)
{
	return p->by_function && f->image && f->named && f->symbol != NO_SYMBOL;
}

/*
 * Returns the frame to keep: for any place of a function, its beginning. That makes ten times fewer
 * frames and rows.
 */
static struct frame kept_frame(const struct hist_pool *p, const struct frame *f)
{
	struct frame kept = *f;

	if (!is_of_function(p, f) ||
	    !symbol_start(symbols_of(p->symbols, f->image), f->symbol, &kept.offset))
		return kept;
	kept.addr = kept.offset; /* the same in all processes */
	kept.is_return = false;
	return kept;
}

bool hist_pool_function_key(const struct hist_pool *p, const struct frame *f, u64 *key)
{
	enum { MODE_BITS = 4 };

	*key = ((u64)f->image << MODE_BITS | f->cpumode) << 32 | f->symbol;
	return is_of_function(p, f) && !(f->cpumode >> MODE_BITS) && !f->inlined && !f->source;
}

static frame_id add_kept_frame(struct hist_pool *p, const struct frame *f)
{
	const struct frame kept = kept_frame(p, f);

	return frame_add(p->chains, &kept);
}

/* Finds most frames with one look-up: they are other places of known functions. */
frame_id hist_pool_find_frame(struct hist_pool *p, const struct frame *f)
{
	bool added;
	u64 key, *frame;

	if (!hist_pool_function_key(p, f, &key))
		return add_kept_frame(p, f);
	frame = map64_put(&p->functions, key, &added);
	if (added)
		*frame = add_kept_frame(p, f);
	return (frame_id)*frame;
}
