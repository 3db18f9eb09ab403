// SPDX-License-Identifier: GPL-2.0-or-later
#include "profile/threads.h"

#include "base/bytes.h"
#include "base/perf_abi.h"

enum { CGROUP_LINK = 6, LINK_BYTES = 16 }; /* index in PERF_RECORD_NAMESPACES, and size of a link */

/* Reads a switch record. Returns false if it is damaged, which the session reports. */
static bool switch_of(const struct event_set *events, const struct record *rec,
		      struct thread_change *out)
{
	struct reason damage = REASON_INIT;
	struct record_switch sw;
	const struct event *ev;
	struct sample_id id;
	bool good = !record_get_switch(events, rec, &sw, &damage) &&
		    !record_sample_id(events, rec, &id, &ev, &damage);

	if (good)
		*out = (struct thread_change){ id.tid, !sw.out };
	reason_release(&damage);
	return good;
}

/* Reads the start of a thread's counting from an exec record; its event may only begin there. */
static bool exec_of(const struct event_set *events, const struct record *rec,
		    const struct order_key *key, struct thread_change *out)
{
	struct reason damage = REASON_INIT;
	struct record_comm comm;
	bool good = !record_get_comm(events, rec, &comm, &damage) && comm.exec && key->time;

	if (good)
		*out = (struct thread_change){ comm.tid, true };
	reason_release(&damage);
	return good;
}

static bool exit_of(const struct event_set *events, const struct record *rec,
		    struct thread_change *out)
{
	struct reason damage = REASON_INIT;
	struct record_task task;
	bool good = !record_get_task(events, rec, &task, &damage);

	if (good)
		*out = (struct thread_change){ task.tid, false };
	reason_release(&damage);
	return good;
}

bool thread_change_of(const struct event_set *events, const struct record *rec,
		      const struct order_key *key, struct thread_change *out)
{
	bool good = false;

	if (rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE)
		good = switch_of(events, rec, out);
	else if (rec->type == PERF_RECORD_COMM)
		good = exec_of(events, rec, key, out);
	else if (rec->type == PERF_RECORD_EXIT)
		good = exit_of(events, rec, out);
	return good && out->tid && out->tid != UINT32_MAX; /* 0 is the idle task */
}

bool running_threads_apply(struct running_threads *t, const struct thread_change *c)
{
	if (c->runs)
		map64_put(&t->tids, c->tid, NULL);
	else
		map64_remove(&t->tids, c->tid);
	if (t->count == t->tids.count)
		return false;
	t->count = (u32)t->tids.count;
	return true;
}

void running_threads_release(struct running_threads *t)
{
	map64_release(&t->tids);
	t->count = 0;
}

/* ---- cgroup namespaces ---- */

static u64 number_of(struct cgroup_spaces *s, const struct cgroup_space *wanted)
{
	for (u64 hash = hash_combine(hash_u64(wanted->ino), wanted->dev);; hash++) {
		bool added;
		u64 *at = map64_put(&s->by_hash, hash, &added);
		const struct cgroup_space *have;

		if (added) {
			vec_push(&s->list, *wanted);
			*at = s->list.count;
		}
		have = &s->list.items[*at - 1];
		if (have->dev == wanted->dev && have->ino == wanted->ino)
			return *at;
	}
}

bool cgroup_spaces_record(struct cgroup_spaces *s, const struct event_set *events,
			  const struct record *rec, u32 *tid, u64 *number)
{
	struct reason damage = REASON_INIT;
	struct record_namespaces ns;
	bool good = !record_get_namespaces(events, rec, &ns, &damage) && ns.count > CGROUP_LINK;

	reason_release(&damage);
	if (good) {
		const u8 *link = ns.links + CGROUP_LINK * LINK_BYTES;
		const struct cgroup_space space = { load_u64(link, events->swap),
						    load_u64(link + 8, events->swap) };

		*tid = ns.tid;
		*number = number_of(s, &space);
	}
	return good;
}

const struct cgroup_space *cgroup_spaces_get(const struct cgroup_spaces *s, u64 number)
{
	return &s->list.items[number - 1];
}

void cgroup_spaces_release(struct cgroup_spaces *s)
{
	vec_release(&s->list);
	map64_release(&s->by_hash);
}
