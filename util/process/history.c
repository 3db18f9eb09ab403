// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers queries about the past, and keeps the tables for them.
 *
 * A tid's timeline holds its lives (tasks), a pid's timeline its processes, a process's timeline
 * the roots of its address space, a task's its comms. What was first seen without a FORK has lived
 * from the beginning.
 */
#include "process/tables.h"

#include <stdio.h>

#define PID_NONE     UINT32_MAX
#define COMM_UNNAMED UINT32_MAX

static const struct order_key beginning;

/* comms */

const char **comm_slot(const struct comms *c, u32 id)
{
	return segments_at(&c->texts, sizeof(const char *), id);
}

static u32 next_comm(struct comms *c)
{
	u32 id;

	if (c->unused.count)
		return c->unused.items[--c->unused.count];
	segments_next(&c->texts, sizeof(const char *), &id);
	segments_publish(&c->texts);
	return id;
}

u32 history_comm_add(struct history *h, const char *text)
{
	struct comms *c = &h->comms;
	bool added;
	u64 *slot;
	u32 id;

	pthread_mutex_lock(&h->lock);
	slot = strmap_put(&c->ids, text, &added);
	if (added) {
		*slot = next_comm(c);
		*comm_slot(c, (u32)*slot) = strmap_key(slot);
	}
	id = (u32)*slot;
	pthread_mutex_unlock(&h->lock);
	return id;
}

const char *history_comm_text(const struct history *h, u32 comm)
{
	const char *text =
		comm < segments_count(&h->comms.texts) ? *comm_slot(&h->comms, comm) : NULL;

	return text ? text : "";
}

/* lives */

struct life *history_life(const struct history *h, u32 index)
{
	return segments_at(&h->lives, sizeof(struct life), index);
}

struct process *history_process(const struct history *h, u32 index)
{
	return segments_at(&h->processes, sizeof(struct process), index);
}

/* Adds a life. The caller holds h->lock or is the only thread. */
static struct life *add_life(struct history *h, u32 machine, u32 pid, u32 tid, u32 generation)
{
	bool again = h->unused_lives.count;
	u32 index;
	struct life *l;

	if (again) {
		index = h->unused_lives.items[--h->unused_lives.count];
		l = history_life(h, index);
	} else {
		l = segments_next(&h->lives, sizeof(*l), &index);
	}
	*l = (struct life){
		.task = { .id = index,
			  .machine = machine,
			  .pid = pid,
			  .tid = tid,
			  .generation = generation },
		.process = NO_PROCESS,
		.unnamed = COMM_UNNAMED,
	};
	if (!again)
		segments_publish(&h->lives);
	return l;
}

/* Returns the comm ":TID", which it makes on first use. */
static u32 unnamed_comm(const struct history *h, struct life *l)
{
	u32 comm = atomic_load_explicit(&l->unnamed, memory_order_relaxed);
	char text[16];

	if (comm != COMM_UNNAMED)
		return comm;
	snprintf(text, sizeof(text), ":%d", (s32)l->task.tid);
	comm = history_comm_add((struct history *)h, text);
	atomic_store_explicit(&l->unnamed, comm, memory_order_relaxed);
	return comm;
}

/*
 * Returns the hash of a task that no record announced, by (machine, pid, tid); such tasks are in
 * lists by it.
 */
u64 stranger_hash(u32 machine, u32 pid, u32 tid)
{
	return hash_combine((u64)machine << 32 | pid, tid);
}

static struct life *find_stranger(const struct history *h, u32 machine, u32 pid, u32 tid)
{
	const u64 *head = map64_get(&h->strangers, stranger_hash(machine, pid, tid));

	for (u32 at = head ? (u32)*head : 0; at;) {
		struct life *l = history_life(h, at - 1);

		if (l->task.machine == machine && l->task.pid == pid && l->task.tid == tid)
			return l;
		at = l->next_stranger;
	}
	return NULL;
}

static struct life *stranger(struct history *h, u32 machine, u32 pid, u32 tid)
{
	struct life *l;

	pthread_mutex_lock(&h->lock);
	l = find_stranger(h, machine, pid, tid);
	if (!l) {
		u64 *head = map64_put(&h->strangers, stranger_hash(machine, pid, tid), NULL);

		l = add_life(h, machine, pid, tid, 0);
		l->is_stranger = true;
		l->next_stranger = (u32)*head;
		*head = (u64)l->task.id + 1;
	}
	pthread_mutex_unlock(&h->lock);
	return l;
}

static u64 number_key(u32 machine, u32 number)
{
	return (u64)machine << 32 | number;
}

struct life *history_newest_life(const struct history *h, u32 machine, u32 tid)
{
	const u64 *newest = map64_get(&h->tids, number_key(machine, tid));

	return newest ? history_life(h, timeline_version(&h->times, (u32)*newest)->value) : NULL;
}

struct life *history_new_life(struct history *h, u32 machine, u32 pid, u32 tid,
			      const struct order_key *since)
{
	u64 *newest = map64_put(&h->tids, number_key(machine, tid), NULL);
	struct life *l = NULL;
	u32 generation = since ? 1 : 0;

	if (*newest) {
		u32 older = timeline_version(&h->times, (u32)*newest)->value;

		generation = history_life(h, older)->task.generation + 1;
	} else if (!since) {
		l = find_stranger(h, machine, pid, tid);
	}
	if (!l)
		l = add_life(h, machine, pid, tid, generation);
	l->process = history_newest_process(h, machine, pid);
	*newest = timeline_add(&h->times, (u32)*newest, since ? since : &beginning, l->task.id);
	return l;
}

const struct task *history_task_within(struct history *h, u32 machine, u32 pid, u32 tid,
				       const struct order_key *key, struct key_range *holds)
{
	const u64 *newest = map64_get(&h->tids, number_key(machine, tid));
	u32 v = newest ? timeline_within(&h->times, (u32)*newest, key, holds) : 0;

	if (v) {
		struct life *l = history_life(h, timeline_version(&h->times, v)->value);

		if (l->task.pid == pid || pid == PID_NONE)
			return &l->task;
	}
	return &stranger(h, machine, pid, tid)->task;
}

const struct task *history_task(struct history *h, u32 machine, u32 pid, u32 tid,
				const struct order_key *key)
{
	return history_task_within(h, machine, pid, tid, key, NULL);
}

u32 history_comm_within(const struct history *h, const struct task *t, const struct order_key *key,
			struct key_range *holds)
{
	struct life *l = history_life(h, t->id);
	u32 v = timeline_within(&h->times, l->comms, key, holds);

	return v ? timeline_version(&h->times, v)->value : unnamed_comm(h, l);
}

u32 history_comm(const struct history *h, const struct task *t, const struct order_key *key)
{
	return history_comm_within(h, t, key, NULL);
}

u64 history_comm_since(const struct history *h, const struct task *t, const struct order_key *key)
{
	u32 v = timeline_within(&h->times, history_life(h, t->id)->comms, key, NULL);

	return v ? timeline_version(&h->times, v)->since.time : 0;
}

u64 history_ended_at(const struct history *h, const struct task *t)
{
	const struct life *l = history_life(h, t->id);

	return l->exited ? l->exited_at : 0;
}

const struct history_takeover *history_takeover(const struct history *h, u64 n, u64 *dropped)
{
	*dropped = h->takeovers_dropped;
	if (n < *dropped || n - *dropped >= h->takeovers.count)
		return NULL;
	return &h->takeovers.items[n - *dropped];
}

u32 history_task_count(const struct history *h)
{
	return segments_count(&h->lives);
}

const struct task *history_task_by_id(const struct history *h, u32 id)
{
	return id < history_task_count(h) ? &history_life(h, id)->task : NULL;
}

/* address spaces */

u32 history_newest_process(const struct history *h, u32 machine, u32 pid)
{
	const u64 *newest = map64_get(&h->pids, number_key(machine, pid));

	return newest ? timeline_version(&h->times, (u32)*newest)->value : NO_PROCESS;
}

u32 history_new_process(struct history *h, u32 machine, u32 pid, const struct order_key *since)
{
	u64 *newest = map64_put(&h->pids, number_key(machine, pid), NULL);
	u32 index;

	if (h->unused_processes.count) {
		index = h->unused_processes.items[--h->unused_processes.count];
		*history_process(h, index) = (struct process){ 0 };
	} else {
		segments_next(&h->processes, sizeof(struct process), &index);
		segments_publish(&h->processes);
	}
	*newest = timeline_add(&h->times, (u32)*newest, since ? since : &beginning, index);
	return index;
}

/* Returns the process that had a pid at the key. */
static u32 process_at(const struct history *h, u32 machine, u32 pid, const struct order_key *key,
		      struct key_range *holds)
{
	const u64 *newest = map64_get(&h->pids, number_key(machine, pid));

	return newest ? timeline_value_within(&h->times, (u32)*newest, key, NO_PROCESS, holds)
		      : NO_PROCESS;
}

space_version history_space_within(const struct history *h, const struct task *t,
				   const struct order_key *key, struct key_range *holds)
{
	u32 p = history_life(h, t->id)->process;

	if (p == NO_PROCESS)
		p = process_at(h, t->machine, t->pid, key, holds);
	return p == NO_PROCESS ? 0
			       : timeline_value_within(&h->times, history_process(h, p)->roots, key,
						       0, holds);
}

space_version history_space(struct history *h, const struct task *t, const struct order_key *key)
{
	return history_space_within(h, t, key, NULL);
}

static struct machine *history_find_machine(const struct history *h, u32 id)
{
	const u64 *at = map64_get(&h->machine_ids, id);

	return at ? &h->machines.items[*at] : NULL;
}

space_version history_kernel_space_within(const struct history *h, u32 machine,
					  const struct order_key *key, struct key_range *holds)
{
	const struct machine *m = history_find_machine(h, machine);

	return m ? timeline_value_within(&h->times, m->kernel_roots, key, 0, holds) : 0;
}

space_version history_kernel_space(struct history *h, u32 machine, const struct order_key *key)
{
	return history_kernel_space_within(h, machine, key, NULL);
}

const struct mapping *history_find(const struct history *h, space_version space, u64 addr)
{
	return space_find(&h->spaces, space, addr);
}

void history_each_mapping(const struct history *h, space_version space,
			  void (*fn)(void *arg, const struct mapping *m), void *arg)
{
	space_each(&h->spaces, space, fn, arg);
}

u32 history_machine(u8 cpumode, u32 pid)
{
	if (cpumode != PERF_RECORD_MISC_GUEST_KERNEL && cpumode != PERF_RECORD_MISC_GUEST_USER)
		return 0;
	return pid ? pid : GUEST_UNKNOWN;
}

/* Returns a mapping of all kernel addresses, for a file without a record of the kernel's map. */
static const struct mapping *whole_kernel(struct history *h)
{
	if (atomic_load_explicit(&h->whole_kernel_known, memory_order_acquire))
		return &h->whole_kernel;
	pthread_mutex_lock(&h->lock);
	h->whole_kernel.image = image_intern(
		h->images,
		&(struct image){ .kind = IMAGE_KERNEL, .path = "[kernel.kallsyms]", .pid = -1 });
	h->whole_kernel.end = UINT64_MAX;
	pthread_mutex_unlock(&h->lock);
	atomic_store_explicit(&h->whole_kernel_known, true, memory_order_release);
	return &h->whole_kernel;
}

static const struct mapping *find_kernel(struct history *h, u32 machine, u64 addr,
					 const struct order_key *key)
{
	const struct machine *m = history_find_machine(h, machine);
	const struct mapping *found = NULL;

	/*
	 * The kernel's record covers only its text; what follows, up to the first module, is also
	 * its own (.init.text: chains of idle tasks end there).
	 */
	if (m)
		found = space_below(&h->spaces, timeline_value(&h->times, m->kernel_roots, key, 0),
				    addr);
	if (found && addr >= found->end && found->image != m->kernel.image)
		found = NULL;
	if (!found && !machine && !(m && m->kernel.end))
		found = whole_kernel(h);
	if (machine && (!found || addr >= found->end)) {
		const struct mapping *module = guest_module(h, machine, addr);

		found = module                            ? module
			: !found && !(m && m->kernel.end) ? whole_guest(h, machine)
							  : found;
	}
	return found;
}

/* Returns the mapping of the same address in the guest's hypervisor if enabled, or NULL. */
static const struct mapping *guest_code_mapping(struct history *h, u32 machine, u64 addr,
						const struct order_key *key)
{
	const struct task *hypervisor;

	if (!h->guest_code || !machine || machine == GUEST_UNKNOWN)
		return NULL;
	hypervisor = history_task(h, 0, machine, machine, key);
	return history_find(h, history_space(h, hypervisor, key), addr);
}

/* Programs that test KVM run functions of their own as a kernel. */
static const struct mapping *find_guest_kernel(struct history *h, u32 machine, u64 addr,
					       const struct order_key *key)
{
	const struct mapping *own = guest_code_mapping(h, machine, addr, key);

	return own ? own : find_kernel(h, machine, addr, key);
}

bool history_locate(struct history *h, const struct task *t, u8 cpumode, u64 addr,
		    const struct order_key *key, struct location *out)
{
	const struct mapping *m = NULL;

	if (cpumode == PERF_RECORD_MISC_USER || cpumode == PERF_RECORD_MISC_GUEST_USER)
		m = space_find(&h->spaces, history_space(h, t, key), addr);
	else if (cpumode == PERF_RECORD_MISC_KERNEL)
		m = find_kernel(h, 0, addr, key);
	else if (cpumode == PERF_RECORD_MISC_GUEST_KERNEL)
		m = find_guest_kernel(h, t->machine, addr, key);
	if (!m && cpumode == PERF_RECORD_MISC_GUEST_USER)
		m = guest_code_mapping(h, t->machine, addr, key);
	out->mapping = m;
	out->image = m ? m->image : 0;
	out->offset = m ? addr - m->start + m->pgoff : addr;
	return m;
}

const char *history_cgroup(const struct history *h, u64 id)
{
	const u64 *path = map64_get(&h->cgroups, id);

	return path ? strtab_get(&h->paths, (u32)*path) : NULL;
}

/* life */

void history_add_idle(struct history *h, u32 machine)
{
	struct life *swapper;

	if (history_newest_life(h, machine, 0))
		return;
	swapper = history_new_life(h, machine, 0, 0, NULL);
	swapper->comms = timeline_add(&h->times, 0, &beginning, history_comm_add(h, "swapper"));
}

struct history *history_new(struct context *ctx, struct image_table *images)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->ctx = ctx;
	h->images = images;
	pthread_mutex_init(&h->lock, NULL);
	timelines_init(&h->times);
	spaces_init(&h->spaces);
	history_comm_add(h, "");
	history_add_idle(h, 0);
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	pthread_mutex_destroy(&h->lock);
	timelines_release(&h->times);
	spaces_release(&h->spaces);
	segments_release(&h->lives);
	segments_release(&h->processes);
	segments_release(&h->comms.texts);
	strmap_release(&h->comms.ids);
	vec_release(&h->comms.unused);
	vec_release(&h->unused_lives);
	vec_release(&h->takeovers);
	vec_release(&h->unused_processes);
	strtab_release(&h->paths);
	map64_release(&h->tids);
	map64_release(&h->pids);
	map64_release(&h->strangers);
	map64_release(&h->cgroups);
	map64_release(&h->machine_ids);
	vec_release(&h->machines);
	guests_release(h);
	text_pokes_release(&h->text_pokes);
	free(h);
}
