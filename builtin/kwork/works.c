// SPDX-License-Identifier: GPL-2.0-or-later
/* Events become spans of time, and those rows. */
#include <stdlib.h>
#include <string.h>

#include "builtin/kwork/internal.h"
#include "chain/chain.h"

enum { MOST_CPUS = 1 << 16 };

/* ---- lanes ---- */

static struct lane *lane_slow(struct lanes *l, u64 key, u32 *recent)
{
	u64 *slot = map64_put(&l->index, key, NULL);

	if (!*slot) {
		vec_push(&l->list, (struct lane){ .key = key });
		*slot = l->list.count;
	}
	*recent = (u32)*slot;
	return &l->list.items[*slot - 1];
}

static struct lane *lane_of(struct lanes *l, u64 key)
{
	u32 *recent = &l->recent[(key ^ key >> 28) % RECENT_LANES];

	if (*recent && l->list.items[*recent - 1].key == key)
		return &l->list.items[*recent - 1];
	return lane_slow(l, key, recent);
}

static void lanes_release(struct lanes *l)
{
	vec_for_each(&l->list, lane)
		free(lane->chain);
	vec_release(&l->list);
	map64_release(&l->index);
}

/* ---- losses ---- */

/*
 * Returns how many losses of records concern the event so far. If the number has changed between
 * two events, some were lost between them.
 */
static u32 losses_of(const struct works *w, const struct work_event *e)
{
	if (e->kind == KWORK_WORKQUEUE)
		return w->all_losses;
	return w->unplaced_losses + (e->cpu < w->losses.count ? w->losses.items[e->cpu] : 0);
}

void works_lost(void *arg, const struct tracer_gap *gap)
{
	struct works *w = arg;

	w->all_losses++;
	if (gap->cpu >= MOST_CPUS) {
		w->unplaced_losses++;
		return;
	}
	while (w->losses.count <= gap->cpu)
		vec_push(&w->losses, 0);
	w->losses.items[gap->cpu]++;
}

static void skip(struct works *w, enum kwork_event event)
{
	w->skipped[event]++;
}

/* Reports whether the moment is open and can be trusted; closes it if records were lost since. */
static bool is_open(struct works *w, struct moment *m, u32 losses, enum kwork_event began_with)
{
	if (!m->open || m->losses == losses)
		return m->open;
	m->open = false;
	skip(w, began_with);
	return false;
}

/* ---- rows ---- */

static bool is_row_of(const struct work *work, const struct work_event *e)
{
	return work->kind == e->kind && work->cpu == e->cpu && work->id == e->id &&
	       work->name == e->name;
}

static u32 row_of(struct works *w, const struct work_event *e)
{
	u64 hash = hash_combine(hash_combine(e->id, (u64)e->cpu << 8 | e->kind), e->name);
	u64 *first = map64_put(&w->by_hash, hash, NULL);

	for (u64 i = *first; i; i = w->list.items[i - 1].next)
		if (is_row_of(&w->list.items[i - 1], e))
			return (u32)i - 1;
	vec_push(&w->list, (struct work){ .kind = e->kind,
					  .cpu = e->cpu,
					  .id = e->id,
					  .name = e->name,
					  .next = (u32)*first });
	*first = w->list.count;
	return (u32)w->list.count - 1;
}

static void add_time(struct work *work, u64 from, u64 until)
{
	u64 time = until - from;

	if (!work->count++ || time > work->max) {
		work->max = time;
		work->max_from = from;
		work->max_until = until;
	}
	work->total += time;
}

/* ---- events ---- */

static void note_time(struct works *w, u64 time)
{
	if (!w->first)
		w->first = time;
	w->last = time;
}

/*
 * Notes that an item was activated. This happens once for each execution: a second time means that
 * its start was lost.
 */
static void activate(struct works *w, const struct work_event *e)
{
	u64 *slot = map64_put(&w->items, e->id, NULL);

	if (*slot) {
		skip(w, EVENT_RAISE);
	} else if (w->unused.count) {
		*slot = w->unused.items[--w->unused.count];
	} else {
		vec_push_zero(&w->activated);
		*slot = w->activated.count;
	}
	w->activated.items[*slot - 1] = (struct moment){ true, losses_of(w, e), e->time };
}

/*
 * Notes that work was raised. A softirq that is raised again while pending has been waiting since
 * the first time.
 */
void works_raise(struct works *w, const struct work_event *e)
{
	struct lane *lane;
	u32 losses = losses_of(w, e);

	if (e->kind == KWORK_WORKQUEUE) {
		activate(w, e);
		return;
	}
	lane = lane_of(&w->lanes[e->kind], e->key);
	if (!is_open(w, &lane->raised, losses, EVENT_RAISE))
		lane->raised = (struct moment){ true, losses, e->time };
}

/* Returns when the item was activated, or 0 if that is unknown. */
static u64 take_item(struct works *w, const struct work_event *e)
{
	u64 *slot = map64_get(&w->items, e->id);
	struct moment *m;

	if (!slot)
		return 0;
	m = &w->activated.items[*slot - 1];
	vec_push(&w->unused, (u32)*slot);
	map64_remove(&w->items, e->id);
	return is_open(w, m, losses_of(w, e), EVENT_RAISE) ? m->since : 0;
}

static u64 take_raise(struct works *w, const struct work_event *e, struct lane *lane)
{
	if (e->kind == KWORK_WORKQUEUE)
		return take_item(w, e);
	if (!is_open(w, &lane->raised, losses_of(w, e), EVENT_RAISE))
		return 0;
	lane->raised.open = false;
	return lane->raised.since;
}

/* Returns the row of an entry. Most entries of a lane belong to the same row as the last one. */
static struct work *lane_row(struct works *w, const struct work_event *e, struct lane *lane)
{
	if (!lane->row || lane->id != e->id || lane->cpu != e->cpu || lane->name != e->name) {
		lane->id = e->id;
		lane->cpu = e->cpu;
		lane->name = e->name;
		lane->row = row_of(w, e) + 1;
	}
	return &w->list.items[lane->row - 1];
}

static void add_delay(struct works *w, const struct work_event *e, struct lane *lane)
{
	u64 raised = take_raise(w, e, lane);

	if (raised && raised <= e->time)
		add_time(lane_row(w, e, lane), raised, e->time);
	else
		skip(w, EVENT_ENTRY);
}

void works_entry(struct works *w, const struct work_event *e)
{
	struct lane *lane = lane_of(&w->lanes[e->kind], e->key);

	if (w->k->view == KWORK_LATENCY) {
		add_delay(w, e, lane);
		return;
	}
	note_time(w, e->time);
	if (lane->entered.open)
		skip(w, EVENT_ENTRY);
	lane_row(w, e, lane);
	lane->entered = (struct moment){ true, losses_of(w, e), e->time };
	if (w->k->view == KWORK_TIMEHIST)
		lane->delayed_since = take_raise(w, e, lane);
	if (w->chains) {
		free(lane->chain);
		lane->chain = kwork_chain_text(w, tracer_hit_sample(e->hit));
	}
}

/*
 * Counts the exit of work whose entry was not recorded; with --name, the entry may have been
 * filtered out.
 */
static void exit_alone(struct works *w)
{
	if (!w->k->name)
		skip(w, EVENT_EXIT);
}

void works_exit(struct works *w, const struct work_event *e)
{
	struct lane *lane = lane_of(&w->lanes[e->kind], e->key);
	struct moment *m = &lane->entered;

	if (!is_open(w, m, losses_of(w, e), EVENT_ENTRY) || lane->id != e->id ||
	    m->since > e->time) {
		exit_alone(w);
		return;
	}
	note_time(w, e->time);
	add_time(&w->list.items[lane->row - 1], m->since, e->time);
	if (w->k->view == KWORK_TIMEHIST)
		kwork_add_line(w, lane, e->time);
	m->open = false;
}

void works_finish(struct works *w)
{
	w->skipped[EVENT_RAISE] += w->items.count;
	for (unsigned i = 0; i < KWORK_KINDS; i++)
		vec_for_each(&w->lanes[i].list, lane) {
			w->skipped[EVENT_RAISE] += lane->raised.open;
			w->skipped[EVENT_ENTRY] += lane->entered.open;
		}
	vec_for_each(&w->list, work) {
		w->all_runtime += work->total;
		w->all_count += work->count;
	}
}

void works_release(struct works *w)
{
	for (unsigned i = 0; i < KWORK_KINDS; i++)
		lanes_release(&w->lanes[i]);
	map64_release(&w->items);
	vec_release(&w->activated);
	vec_release(&w->unused);
	vec_for_each(&w->list, work)
		free(work->title);
	vec_release(&w->list);
	vec_release(&w->losses);
	map64_release(&w->by_hash);
	map64_release(&w->functions);
	vec_release(&w->vectors);
	strtab_release(&w->names);
	session_lines_free(w->lines);
	chains_free(w->chains);
	free(w->softirqs);
}
