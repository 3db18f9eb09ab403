// SPDX-License-Identifier: GPL-2.0-or-later
/* From what was counted to the next table; what no table needs any more is forgotten. */
#include <malloc.h>

#include "base/clock.h"
#include "base/self_profile.h"
#include "builtin/top/internal.h"

void top_add_modes(struct top_counts *to, const struct top_counts *c)
{
	to->samples += c->samples;
	to->kernel += c->kernel;
	to->user += c->user;
	to->guest_kernel += c->guest_kernel;
	to->guest_user += c->guest_user;
	to->exact += c->exact;
}

/* What was counted since the last call becomes the last table's. */
static void count_modes(struct top *t)
{
	top_event_counts used = t->last_of;

	t->last_of = t->fresh;
	t->fresh = used;
	vec_clear(&t->fresh);
	t->last = (struct top_counts){ 0 };
	vec_for_each(&t->last_of, c)
		top_add_modes(&t->last, c);
	top_add_modes(&t->all, &t->last);
}

/* Adds the records that were lost, late and so on since the last call to t->last and t->all. */
static void count_losses(struct top *t)
{
	const struct session_stats *s = session_stats(t->session);
	struct top_counts *f = &t->last, *all = &t->all;

	f->lost = s->lost_events + s->lost_samples - all->lost;
	f->late = s->late - all->late;
	f->throttled = s->throttled - all->throttled;
	f->dropped =
		s->dropped + (t->watch ? feed_dropped(watch_feed(t->watch)) : 0) - all->dropped;
	all->lost += f->lost;
	all->late += f->late;
	all->throttled += f->throttled;
	all->dropped += f->dropped;
}

void top_count_up(struct top *t, u64 passed)
{
	t->lasted = passed;
	count_modes(t);
	count_losses(t);
	top_code_refresh(t);
}

void top_absorb_rows(struct top *t, u64 passed, bool zero)
{
	phase_begin("take in what was counted");
	if (zero)
		hist_pool_zero(t->pool);
	else
		hist_pool_decay(t->pool, passed);
	hist_pool_take(t->pool, &t->collector, 1);
	phase_end();
}

void top_absorb(struct top *t, u64 passed)
{
	top_count_up(t, passed);
	top_absorb_rows(t, passed, t->o.zero);
}

struct hist *top_make_table(struct top *t, size_t rows, struct reason *r)
{
	struct hist *h;

	phase_begin("make the next table");
	h = hist_pool_snapshot(t->pool, rows, r);
	phase_end();
	return h;
}

struct hist *top_snapshot(struct top *t, size_t rows, struct reason *r)
{
	struct hist *h;

	top_renew(t);
	h = top_make_table(t, rows, r);
	t->tables += h != NULL;
	return h;
}

void top_keep_table(struct top *t)
{
	hist_pool_names_release(&t->shown);
	hist_pool_names(t->pool, &t->shown);
}

/* ---- forgetting ---- */

/* What must not go: what the pool names, and what the table on the screen does. */
struct forgetting {
	struct top *t;
	bool known; /* usually nobody asks */
	struct hist_pool_names names;
};

static const struct hist_pool_names *names_of(struct forgetting *f)
{
	if (!f->known)
		hist_pool_names(f->t->pool, &f->names);
	f->known = true;
	return &f->names;
}

static bool keeps_task(void *arg, u32 id)
{
	struct forgetting *f = arg;

	return map64_get(&names_of(f)->tasks, id) || map64_get(&f->t->shown.tasks, id);
}

static bool keeps_comm(void *arg, u32 comm)
{
	struct forgetting *f = arg;

	return map64_get(&names_of(f)->comms, comm) || map64_get(&f->t->shown.comms, comm);
}

static bool keeps_image(void *arg, u32 image)
{
	struct forgetting *f = arg;

	return map64_get(&names_of(f)->images, image) || map64_get(&f->t->shown.images, image);
}

static void sweep(void *arg, const bool *named)
{
	const struct forgetting *f = arg;

	hist_pool_sweep(f->t->pool, named);
	top_code_sweep(f->t, named);
}

static u64 bytes(void *arg)
{
	const struct forgetting *f = arg;

	return hist_pool_bytes(f->t->pool);
}

static void trim(void *arg, const bool *named)
{
	const struct forgetting *f = arg;

	hist_pool_sweep(f->t->pool, named);
}

/*
 * Reading symbols leaves as much behind as it keeps, and so does each table that was drawn; but the
 * next table needs as much again, and the kernel's time to take pages back and give new ones.
 */
static bool is_time_to_trim(struct top *t)
{
	enum { WORTH_IT = 3 << 20 };
	const u64 often_enough = 3ULL * 1000000000; /* ns */
	u64 now = clock_now();

	if (now - t->trimmed < often_enough || mallinfo2().fordblks <= WORTH_IT)
		return false;
	t->trimmed = now;
	return true;
}

void top_forget(struct top *t)
{
	struct session *s = t->session;
	struct forgetting f = { .t = t };
	const struct session_keep keep = {
		.task = keeps_task,
		.comm = keeps_comm,
		.image = keeps_image,
		.sweep = sweep,
		.bytes = bytes,
		.trim = trim,
		.arg = &f,
	};
	bool any;

	phase_begin("forget what no table needs");
	top_beside_forget(t);
	any = session_compact(s, &keep);
	if (any)
		top_expand_forget(t);
	any |= session_trim(s, &keep);
	if (any) { /* numbers are used again */
		map64_release(&t->idle);
		hist_collector_clear(t->collector);
	}
	symbol_store_let_pages_go(session_symbols(s));
	if (is_time_to_trim(t))
		malloc_trim(0); /* what was freed lies in small pieces between what is kept */
	hist_pool_names_release(&f.names);
	phase_end();
}
