// SPDX-License-Identifier: GPL-2.0-or-later
/* From what was counted to the next table; what no table needs any more is forgotten. */
#include <malloc.h>

#include "top/internal.h"

const struct session_ops top_session_ops = {
	.order = SESSION_ORDERED, .sample = top_count_sample,
};

void top_absorb(struct top *t, u64 passed)
{
	t->lasted = passed;
	t->last = t->fresh;
	t->fresh = (struct top_counts){ 0 };
	if (t->o.zero)
		hist_pool_zero(t->pool);
	else
		hist_pool_decay(t->pool, passed);
	hist_pool_take(t->pool, &t->collector, 1);
	top_count_losses(t);
	top_code_refresh(t);
}

struct hist *top_snapshot(struct top *t, struct reason *r)
{
	struct hist *h = hist_pool_snapshot(t->pool, r);

	t->tables += h != NULL;
	return h;
}

/* ---- forgetting ---- */

static bool keeps_task(void *arg, u32 id)
{
	const struct hist_pool_names *n = arg;

	return map64_get(&n->tasks, id);
}

static bool keeps_comm(void *arg, u32 comm)
{
	const struct hist_pool_names *n = arg;

	return map64_get(&n->comms, comm);
}

static bool keeps_image(void *arg, u32 image)
{
	const struct hist_pool_names *n = arg;

	return map64_get(&n->images, image);
}

struct forgetting {
	struct hist_pool_names names; /* first: the functions above get it */
	struct hist_pool *pool;
};

static void sweep(void *arg, const bool *named)
{
	const struct forgetting *f = arg;

	hist_pool_sweep(f->pool, named);
}

void top_forget(struct top *t)
{
	struct forgetting f = { .pool = t->pool };
	const struct session_keep keep = { keeps_task, keeps_comm, keeps_image, sweep, &f };

	hist_pool_names(t->pool, &f.names);
	if (session_compact(top_source_session(t->source), &keep)) {
		map64_release(&t->idle); /* images' numbers are used again */
		top_code_keep(t, keeps_image, &f.names);
		malloc_trim(0); /* what was freed lies in small pieces between what is kept */
	}
	hist_pool_names_release(&f.names);
}
