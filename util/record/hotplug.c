// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that go offline and return while they are recorded. Each of them has one warning at the end:
 * what is missing, from when to when.
 */
#include <stdio.h>

#include "record/internal.h"
#include "record/programs.h"

struct turn {
	struct recorder *rec;
	struct record_cpus *cpus;
	struct record_reader *rings;
	struct reader_pool *pool;
	struct reason *r;
	int err;
	bool halted; /* rings are empty, and the readers wait */
};

/* Adds ns as seconds, in tenths: "2.5". */
static void put_seconds(struct strbuf *b, u64 ns)
{
	strbuf_f(b, "%llu.%llu", (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns / 100000000 % 10));
}

static void say(struct recorder *rec, size_t cpu, const char *hint, const struct strbuf *text)
{
	char object[16];

	snprintf(object, sizeof(object), "CPU %d", live_cpu(rec->live, cpu));
	condition_add(&rec->ctx->conditions, CONDITION_WARNING, "cpu-offline", object, NULL, 1,
		      hint, "%s", strbuf_cstr(text));
}

static void say_back(struct recorder *rec, size_t cpu, u64 gone_at, u64 after)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_f(&b, "CPU %d went offline about ", live_cpu(rec->live, cpu));
	put_seconds(&b, gone_at);
	strbuf_str(&b, " s after the start and is recorded again from ");
	put_seconds(&b, after);
	strbuf_str(&b, " s on: what ran on it in between is missing");
	say(rec, cpu, NULL, &b);
	strbuf_release(&b);
}

static void say_gone(struct recorder *rec, size_t cpu, u64 gone_at, const char *why)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_f(&b, "CPU %d went offline about ", live_cpu(rec->live, cpu));
	put_seconds(&b, gone_at);
	strbuf_str(&b, " s after the start: nothing is recorded on it from then on");
	if (why)
		strbuf_f(&b, ", since its events could not be opened again: %s", why);
	say(rec, cpu, "when it is online again, record it again", &b);
	strbuf_release(&b);
}

/*
 * Reports whether events can be opened again. BPF programs and their filters are attached to events
 * that would be gone.
 */
static bool can_reopen(const struct recorder *rec)
{
	return live_can_reopen(rec->live) &&
	       !(rec->user_programs && rec->user_programs->list.count) && !rec->filters.list.count;
}

/*
 * Lets all readers empty their rings and wait. Returns false if that is impossible now, since the
 * file has no room for the contents of the rings.
 */
static bool halt_readers(struct turn *t)
{
	if (!t->halted) {
		t->err = readers_drain_and_halt(t->rec, t->rings, t->pool, t->r);
		t->halted = true;
	}
	return !t->err && !t->rec->left;
}

static bool back(void *arg, size_t cpu, u64 gone_at, u64 after)
{
	struct turn *t = arg;
	struct live *live = t->rec->live;

	if (!can_reopen(t->rec) || !halt_readers(t))
		return false;
	reason_release(&t->cpus->why);
	if (live_reopen(live, cpu, &t->cpus->why))
		return false;
	if (!live_cpu_is_added(live, cpu))
		say_back(t->rec, cpu, gone_at, after);
	return true;
}

int cpus_update(struct recorder *rec, struct record_cpus *c, struct record_reader *rings,
		struct reader_pool *pool, u64 now, struct reason *r)
{
	const struct offline_ops ops = { .back = back };
	struct turn t = { rec, c, rings, pool, r, 0, false };

	offline_look(&c->watch, rec->live, rec->sys, now, &ops, &t);
	if (!t.halted)
		return 0;
	loop_rings_changed(&rings->loop);
	if (pool) {
		readers_rings_changed(pool);
		readers_resume(pool);
	}
	return t.err;
}

void cpus_end(struct recorder *rec, struct record_cpus *c)
{
	for (size_t i = 0; i < c->watch.count; i++)
		if (c->watch.cpus[i].went_at && !live_cpu_is_added(rec->live, i))
			say_gone(rec, i, c->watch.cpus[i].went_at, c->why.text);
	offline_release(&c->watch);
	reason_release(&c->why);
}
