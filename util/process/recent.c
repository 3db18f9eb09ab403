// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Caches results for the next query. Each is kept with the keys for which it holds, so queries in
 * any order of time get the same results as from the tables.
 */
#include "base/perf_abi.h"
#include "process/tables.h"

static const struct key_range always = { .until = { UINT64_MAX, UINT32_MAX, UINT64_MAX } };

static bool holds_at(const struct key_range *p, const struct order_key *key)
{
	return order_key_cmp(&p->since, key) <= 0 && order_key_cmp(key, &p->until) < 0;
}

static void look_up(struct history *h, struct recent_task *t, const struct order_key *key)
{
	t->holds = always;
	t->space_holds = (struct key_range){ .since = always.until }; /* unknown so far */
	t->task = history_task_within(h, t->machine, t->pid, t->tid, key, &t->holds);
	t->comm = history_comm_within(h, t->task, key, &t->holds);
}

struct recent_task *history_recall(struct history *h, struct history_recent *m, u32 machine,
				   u32 pid, u32 tid, const struct order_key *key)
{
	struct recent_task *t = &m->tasks[(tid ^ tid >> 5 ^ tid >> 10) % RECENT_TASKS];

	if (likely(t->task && t->tid == tid && t->pid == pid && t->machine == machine &&
		   holds_at(&t->holds, key)))
		return t;
	m->any = true;
	t->machine = machine;
	t->pid = pid;
	t->tid = tid;
	look_up(h, t, key);
	return t;
}

static space_version user_space(struct history *h, struct recent_task *t,
				const struct order_key *key)
{
	if (likely(holds_at(&t->space_holds, key)))
		return t->space;
	t->space_holds = always;
	t->space = history_space_within(h, t->task, key, &t->space_holds);
	return t->space;
}

static space_version kernel_space(struct history *h, struct history_recent *m,
				  const struct order_key *key)
{
	if (likely(holds_at(&m->kernel_holds, key)))
		return m->kernel;
	m->any = true;
	m->kernel_holds = always;
	m->kernel = history_kernel_space_within(h, 0, key, &m->kernel_holds);
	return m->kernel;
}

static struct recent_mapping *slot_of(struct history_recent *m, space_version space, u64 addr)
{
	return &m->mappings[(addr >> 12 ^ addr >> 17 ^ addr >> 32 ^ space) % RECENT_MAPPINGS];
}

/* Looks up the address in the space, and the addresses around it with the same result. */
static void look_up_place(struct history *h, struct recent_mapping *slot, struct recent_task *t,
			  u8 cpumode, u64 addr, const struct order_key *key)
{
	struct location at = { 0 };

	slot->mapping = space_around(&h->spaces, slot->space, addr, &slot->start, &slot->end);
	/* the kernel also has unmapped addresses */
	if (!slot->mapping && cpumode == PERF_RECORD_MISC_KERNEL) {
		history_locate(h, t->task, cpumode, addr, key, &at);
		slot->mapping = at.mapping;
	}
}

bool history_recall_place(struct history *h, struct history_recent *m, struct recent_task *t,
			  u8 cpumode, u64 addr, const struct order_key *key, struct location *out)
{
	const struct mapping *found;
	struct recent_mapping *slot;
	space_version space;

	if (cpumode == PERF_RECORD_MISC_USER)
		space = user_space(h, t, key);
	else if (cpumode == PERF_RECORD_MISC_KERNEL)
		space = kernel_space(h, m, key);
	else
		return history_locate(h, t->task, cpumode, addr, key, out);
	if (unlikely(!space)) /* which is that of the kernel and of a task alike */
		return history_locate(h, t->task, cpumode, addr, key, out);
	slot = slot_of(m, space, addr);
	if (unlikely(slot->space != space || addr < slot->start || addr >= slot->end)) {
		m->any = true;
		slot->space = space;
		look_up_place(h, slot, t, cpumode, addr, key);
	}
	found = slot->mapping;
	*out = (struct location){ .mapping = found,
				  .image = found ? found->image : 0,
				  .offset = found ? addr - found->start + found->pgoff : addr };
	return found;
}
