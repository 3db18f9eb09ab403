// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drops what no later query needs, so a live history grows only with what is running.
 *
 * Timelines and spaces are persistent: nothing can be removed from them. The versions that hold at
 * `before` or later are copied into new tables, and the old tables are freed. That renumbers spaces
 * and moves mappings. Others keep the numbers of tasks, processes and comms, so these stay in
 * place, and the slots of dropped ones are reused. A task is dropped if it exited before `before`,
 * or if its tid had a new life by then (its EXIT was lost); a process, if none of its tasks is
 * left; a comm, if no task has it.
 */
#include <string.h>

#include "process/tables.h"

/* Fewer timelines, nodes and mappings are not worth a compaction. */
enum { FEW = 16384 };

struct compaction {
	struct history *h;
	const struct order_key *before;
	const struct history_keep *keep;
	struct timelines times;
	struct spaces spaces;
	struct space_copy copy;
	VEC(struct version) versions;    /* the current timeline's versions, newest first */
	bool *lives, *processes, *comms; /* by number: stays */
};

static size_t entry_count(const struct history *h)
{
	return (size_t)segments_count(&h->times.versions) + segments_count(&h->spaces.nodes) +
	       segments_count(&h->spaces.mappings);
}

bool history_should_compact(const struct history *h)
{
	return entry_count(h) > 2 * h->compacted + FEW;
}

static bool ended(const struct compaction *c, const struct life *l)
{
	return l->exited && l->exited_at < c->before->time;
}

/* Finds the lives, and through them the processes, that can still be asked for. */

static void mark_life(struct compaction *c, u32 life)
{
	u32 process = history_life(c->h, life)->process;

	c->lives[life] = true;
	if (process != NO_PROCESS)
		c->processes[process] = true;
}

static void mark_timeline_of_tid(struct compaction *c, u32 newest)
{
	for (u32 at = newest; at;) {
		const struct version *v = timeline_version(&c->h->times, at);

		if (!ended(c, history_life(c->h, v->value)))
			mark_life(c, v->value);
		at = order_key_cmp(&v->since, c->before) <= 0 ? 0 : v->older;
	}
}

static void mark_lives(struct compaction *c)
{
	struct history *h = c->h;

	for (size_t i = 0; i < h->tids.space; i++)
		if (h->tids.slots[i].used)
			mark_timeline_of_tid(c, (u32)h->tids.slots[i].value);
	for (u32 i = 0; c->keep && c->keep->task && i < segments_count(&h->lives); i++)
		if (!c->lives[i] && c->keep->task(c->keep->arg, i))
			c->lives[i] = true;
}

/* Timelines */

/* Copies a timeline. stays says which values stay; NULL keeps all. */
static u32 copy_timeline(struct compaction *c, u32 newest, const bool *stays,
			 u32 (*value)(struct compaction *c, u32))
{
	u32 copy = 0;

	vec_clear(&c->versions);
	for (u32 at = newest; at;) {
		const struct version *v = timeline_version(&c->h->times, at);

		if (!stays || stays[v->value])
			vec_push(&c->versions, *v);
		at = order_key_cmp(&v->since, c->before) <= 0 ? 0 : v->older;
	}
	for (size_t i = c->versions.count; i-- > 0;) {
		const struct version *v = &c->versions.items[i];

		copy = timeline_add(&c->times, copy, &v->since, value(c, v->value));
	}
	return copy;
}

static u32 same_value(struct compaction *c, u32 value)
{
	(void)c;
	return value;
}

static u32 used_comm(struct compaction *c, u32 comm)
{
	c->comms[comm] = true;
	return comm;
}

static u32 copied_root(struct compaction *c, u32 root)
{
	return space_copy_root(&c->copy, root);
}

/* Copies the timelines of tids or pids; drops those that are empty now. */
static void copy_numbers(struct compaction *c, struct map64 *m, const bool *stays)
{
	struct map64 copy = { 0 };

	for (size_t i = 0; i < m->space; i++) {
		const struct map64_slot *s = &m->slots[i];
		u32 newest = s->used ? copy_timeline(c, (u32)s->value, stays, same_value) : 0;

		if (newest)
			*map64_put(&copy, s->key, NULL) = newest;
	}
	map64_release(m);
	*m = copy;
}

static void copy_life(struct compaction *c, struct life *l)
{
	u32 unnamed = atomic_load_explicit(&l->unnamed, memory_order_relaxed);

	l->comms = copy_timeline(c, l->comms, NULL, used_comm);
	if (unnamed != UINT32_MAX)
		c->comms[unnamed] = true;
	/* kept only for its name */
	if (l->process != NO_PROCESS && !c->processes[l->process])
		l->process = NO_PROCESS;
}

static void copy_lives(struct compaction *c)
{
	struct history *h = c->h;

	for (u32 i = 0; i < segments_count(&h->lives); i++) {
		struct life *l = history_life(h, i);

		if (c->lives[i]) {
			copy_life(c, l);
		} else if (!l->dropped) {
			l->dropped = true;
			vec_push(&h->unused_lives, i);
		}
	}
}

static void copy_processes(struct compaction *c)
{
	struct history *h = c->h;

	for (u32 i = 0; i < segments_count(&h->processes); i++) {
		struct process *p = history_process(h, i);

		if (c->processes[i]) {
			p->roots = copy_timeline(c, p->roots, NULL, copied_root);
			p->new_root = copied_root(c, p->new_root);
		} else if (!p->dropped) {
			p->dropped = true;
			vec_push(&h->unused_processes, i);
		}
	}
}

/* Names */

static void drop_comms(struct compaction *c)
{
	struct comms *comms = &c->h->comms;
	struct strmap ids = { 0 };

	for (u32 i = 0; i < segments_count(&comms->texts); i++) {
		const char **text = comm_slot(comms, i);
		bool kept = !i || c->comms[i] ||
			    (c->keep && c->keep->comm && c->keep->comm(c->keep->arg, i));

		if (*text && kept) {
			u64 *slot = strmap_put(&ids, *text, NULL);

			*slot = i;
			*text = strmap_key(slot);
		} else if (*text) {
			*text = NULL;
			vec_push(&comms->unused, i);
		}
	}
	strmap_release(&comms->ids);
	comms->ids = ids;
}

static void list_strangers(struct compaction *c)
{
	struct history *h = c->h;

	map64_release(&h->strangers);
	for (u32 i = 0; i < segments_count(&h->lives); i++) {
		struct life *l = history_life(h, i);
		u64 *head;

		if (!l->is_stranger || l->dropped)
			continue;
		head = map64_put(&h->strangers,
				 stranger_hash(l->task.machine, l->task.pid, l->task.tid), NULL);
		l->next_stranger = (u32)*head;
		*head = (u64)i + 1;
	}
}

static void begin(struct compaction *c)
{
	struct history *h = c->h;

	c->lives = xcalloc((size_t)segments_count(&h->lives) + 1, sizeof(*c->lives));
	c->processes = xcalloc((size_t)segments_count(&h->processes) + 1, sizeof(*c->processes));
	c->comms = xcalloc((size_t)segments_count(&h->comms.texts) + 1, sizeof(*c->comms));
	timelines_init(&c->times);
	spaces_init(&c->spaces);
	c->spaces.random = h->spaces.random;
	space_copy_init(&c->copy, &h->spaces, &c->spaces);
}

/* Replaces the old tables by the new ones. */
static void end(struct compaction *c)
{
	struct history *h = c->h;

	timelines_release(&h->times);
	h->times = c->times;
	spaces_release(&h->spaces);
	h->spaces = c->spaces;
	spaces_freeze(&h->spaces);
	h->batch_roots = NULL;
	h->compacted = entry_count(h);
	space_copy_release(&c->copy);
	vec_release(&c->versions);
	free(c->lives);
	free(c->processes);
	free(c->comms);
}

static void drop_takeovers(struct history *h, const struct order_key *before)
{
	size_t n = 0;

	while (n < h->takeovers.count && order_key_cmp(&h->takeovers.items[n].at, before) < 0)
		n++;
	h->takeovers.count -= n;
	h->takeovers_dropped += n;
	if (n)
		memmove(h->takeovers.items, h->takeovers.items + n,
			h->takeovers.count * sizeof(*h->takeovers.items));
}

void history_compact(struct history *h, const struct order_key *before,
		     const struct history_keep *keep)
{
	struct compaction c = { .h = h, .before = before, .keep = keep };

	drop_takeovers(h, before);
	begin(&c);
	mark_lives(&c);
	copy_numbers(&c, &h->tids, c.lives);
	copy_numbers(&c, &h->pids, c.processes);
	copy_lives(&c);
	copy_processes(&c);
	vec_for_each(&h->machines, m)
		m->kernel_roots = copy_timeline(&c, m->kernel_roots, NULL, copied_root);
	drop_comms(&c);
	list_strangers(&c);
	end(&c);
}

void history_each_image(const struct history *h, void (*fn)(void *arg, u32 image), void *arg)
{
	for (u32 i = 0; i < segments_count(&h->spaces.mappings); i++)
		fn(arg, space_mapping(&h->spaces, i)->image);
	vec_for_each(&h->machines, m)
		fn(arg, m->kernel.image);
	fn(arg, h->whole_kernel.image);
	guests_each_image(h, fn, arg);
}
