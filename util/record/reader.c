// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From rings to where their records go.
 *
 * The hot path is one poll, one writev for each ring that has data, and one walk
 * over record headers that are about to be copied anyway.  After a turn over all
 * rings a FINISHED_ROUND says that nothing older than the turn before can come,
 * and the file's header is brought up to date.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text.h"
#include "record/internal.h"
#include "sys/topology.h"

/* Finds the CPUs of the node to which a CPU belongs, in the lists of the topology. */
static void node_of(const struct numa_topology *numa, u32 cpu, struct cpu_list *out)
{
	vec_for_each(&numa->nodes, n) {
		struct cpu_list l = { 0 };

		if (parse_cpu_list(n->cpus, cpu + (1U << 16), &l.cpus, &l.count))
			continue;
		for (size_t i = 0; i < l.count; i++)
			if (l.cpus[i] == cpu) {
				*out = l;
				return;
			}
		free(l.cpus);
	}
}

static void set_affinity(struct record_reader *rd)
{
	struct recorder *rec = rd->rec;
	struct numa_topology numa = { 0 };

	if (rec->settings->affinity == AFFINITY_NONE)
		return;
	rd->where = xcalloc(live_ring_count(rec->live) + 1, sizeof(*rd->where));
	if (rec->settings->affinity == AFFINITY_NODE)
		numa_topology_read(rec->sys, &numa);
	vec_for_each(&rd->rings, ring) {
		s32 cpu = live_ring_cpu(rec->live, *ring);
		struct cpu_list *l = &rd->where[*ring];

		if (cpu < 0 || live_ring_is_added(rec->live, *ring))
			continue;
		if (rec->settings->affinity == AFFINITY_NODE) {
			node_of(&numa, (u32)cpu, l);
			continue;
		}
		l->cpus = xcalloc(1, sizeof(*l->cpus));
		l->cpus[0] = (u32)cpu;
		l->count = 1;
	}
	numa_topology_release(&numa);
}

static void go_to_ring(struct record_reader *rd, u32 ring)
{
	if (!rd->where || rd->here == ring + 1 || !rd->where[ring].count)
		return;
	run_on_cpus(rd->where[ring].cpus, rd->where[ring].count);
	rd->here = ring + 1;
}

void reader_init(struct record_reader *rd, struct recorder *rec, int wake_fd)
{
	rd->rec = rec;
	rd->own = record_own_samples(rec);
	record_count_events(rec, &rd->own);
	rd->since = clock_now();
	set_affinity(rd);
	loop_init(&rd->loop, wake_fd);
	vec_for_each(&rd->rings, ring)
		loop_add_ring(&rd->loop, rec->live, *ring);
	rd->extra = loop_add(&rd->loop, -1);
}

void reader_release(struct record_reader *rd)
{
	for (size_t i = 0; rd->where && i < rd->rings.count; i++)
		free(rd->where[rd->rings.items[i]].cpus);
	free(rd->where);
	rd->where = NULL;
	loop_release(&rd->loop);
	vec_release(&rd->rings);
	strbuf_release(&rd->others);
	vec_release(&rd->counts.of_event);
}

/*
 * Returns the time after which rings are emptied even below their watermark (half their size), so
 * kill -9 loses little. At first the time equals the recording's age, later it is a second or less.
 */
static u64 quiet_ns(const struct record_reader *rd)
{
	enum { FIRST_MS = 10, MOST_MS = 1000, LARGE_RING = 4 << 20 };

	const struct recorder *rec = rd->rec;
	u64 age = (clock_now() - rd->since) / 1000000;
	/* a program that is unwound live should be opened while it runs */
	bool often = rec->stacks || live_ring_size(rec->live) > LARGE_RING;

	age = MIN(MAX(age, (u64)FIRST_MS), (u64)(often ? MOST_MS / 10 : MOST_MS)) * 1000000;
	return rd->pace ? MIN(rd->pace, age) : age;
}

/*
 * Adapts the pace where a consumer reads records in their rings. The time between turns shrinks and
 * grows with what the fullest ring had at the last turn. A watermark cannot do this: it is set
 * before it is known how large rings may be.
 */
static void keep_pace(struct record_reader *rd)
{
	enum { LEAST_NS = 1000000, MOST_NS = 100000000 };

	u64 aim = rd->rec->stacks ? record_stacks_turn_bytes(rd->rec) : 0;

	if (!aim)
		return;
	if (!rd->pace)
		rd->pace = MOST_NS;
	if (rd->fullest > aim)
		rd->pace = MAX(rd->pace * aim / rd->fullest, (u64)LEAST_NS);
	else if (rd->fullest < aim / 2)
		rd->pace = MIN(rd->pace * 2, (u64)MOST_NS);
	rd->fullest = 0;
}

void reader_wait(struct record_reader *rd, int extra_fd)
{
	loop_set(&rd->loop, rd->extra, extra_fd);
	/* what a consumer has ready for the next file need not wait */
	rd->counts.wakeups +=
		loop_wait(&rd->loop, rd->left && rd->rec->sink ? 0 : clock_now() + quiet_ns(rd)) >
		0;
}

/*
 * Passes the records of a ring on to the consumer, if there is one, or to the file. If d is much
 * larger than `most` bytes, it is cut to its first records.
 */
static int pass_on(struct record_reader *rd, u32 ring, struct ring_data *d, size_t most,
		   struct reason *r)
{
	struct recorder *rec = rd->rec;
	struct ring_data others;
	struct data_writer *out;
	size_t own = record_tally(&rd->counts, d, most, &rd->own);
	int err;

	rd->taken += d->first_size + d->second_size;
	if (unlikely(rec->carried) && !rec->sink)
		carried_note(rec->carried, d);
	if (unlikely(own) && !(rec->sink && rec->sink->drops_own)) {
		/* in one piece: a write for each gap would also be sampled */
		record_without_own(d, &rd->own, &rd->others);
		others = (struct ring_data){ .first = (const u8 *)rd->others.s,
					     .first_size = rd->others.len };
		d = &others;
	}
	if (rec->sink)
		return rec->sink->take(rec->sink->arg, ring, d, r);
	out = rec->parts ? rec->parts[ring] : rec->writer;
	err = data_write2(out, d->first, d->first_size, d->second, d->second_size, r);
	/* the file of a single ring is made readable immediately */
	return !err && rec->parts ? data_flush(out, r) : err;
}

/*
 * Raises perf's priority, if permitted, when records arrive faster than perf gets CPU time to read
 * them. It then uses no more CPU time than before, but gets it in time.
 */
static void hurry(struct record_reader *rd)
{
	enum { FIRST = -20 };

	if (!rd->hurries && !setpriority(PRIO_PROCESS, 0, FIRST) && rd->rec->tell &&
	    rd->rec->ctx->verbose)
		rd->rec->tell("rings fill up: perf's priority was raised\n");
	rd->hurries = true;
}

/*
 * Reports whether a ring fills up. A worker that unwinds also takes CPU time, so the reader then
 * comes earlier.
 */
static bool fills_up(const struct recorder *rec, size_t there)
{
	u64 ring = live_ring_size(rec->live);

	return rec->stacks ? there >= ring / 8 : there / 3 > ring / 4;
}

static int take(void *arg, u32 ring, struct ring_data *d, struct reason *r)
{
	enum { PIECE = 1 << 20 };

	struct record_reader *rd = arg;
	u64 room = record_room(rd->rec);

	rd->left |= !room;
	if (!room) {
		d->first_size = d->second_size = 0;
		return 0;
	}
	go_to_ring(rd, ring);
	rd->fullest = MAX(rd->fullest, (u64)(d->first_size + d->second_size));
	if (unlikely(fills_up(rd->rec, d->first_size + d->second_size)))
		hurry(rd);
	/* while the next piece is written, the ring has room again for the previous one */
	return pass_on(rd, ring, d, (size_t)MIN(room, (u64)PIECE), r);
}

static int empty_ring(struct record_reader *rd, u32 ring, u64 least, struct reason *r)
{
	const struct ring_sink to = { take, rd };
	int err = reader_take_aux(rd, ring, r);

	return err ? err : ring_drain(rd->rec->live, ring, least, &to, r);
}

static int end_round(struct recorder *rec, struct reason *r)
{
	struct strbuf round = STRBUF_INIT;
	int err;

	/* rings still have records older than this turn, so no round ends here */
	if (record_keeps_newest(rec->set) || rec->settings->flush_bytes)
		return 0;
	record_build_finished_round(&round);
	err = data_write(rec->writer, round.s, round.len, r);
	strbuf_release(&round);
	return err;
}

static int sink_turn(struct record_reader *rd, bool all, struct reason *r)
{
	int left = rd->rec->sink->turn(rd->rec->sink->arg, all, r);

	rd->left |= left > 0;
	return MIN(left, 0);
}

int reader_turn(struct record_reader *rd, u64 least, struct reason *r)
{
	struct recorder *rec = rd->rec;
	int err = 0;

	size_t n = rd->rings.count, begin = rd->first;

	rd->left = false;
	for (size_t i = 0; i < n && !err; i++) {
		bool left = rd->left;

		err = empty_ring(rd, rd->rings.items[(begin + i) % n], least, r);
		if (rd->left && !left)
			rd->first = (begin + i) % n;
	}
	keep_pace(rd);
	if (!err && rec->sink)
		return sink_turn(rd, false, r);
	if (err || rec->parts || rd->taken == rd->taken_at_round)
		return err; /* parts are in order without rounds */
	rd->taken_at_round = rd->taken;
	/* records left in rings belong to this round */
	err = rd->left ? 0 : end_round(rec, r);
	return err ? err : data_flush(rec->writer, r);
}

/*
 * Copies what the ring has besides samples (mappings, names, tasks), which also stays in the ring.
 */
static int write_side_band(struct record_reader *rd, u32 ring, struct reason *r)
{
	struct recorder *rec = rd->rec;
	struct strbuf *b = &rd->others;
	struct ring_data d;
	size_t to = 0;

	if (live_ring_is_backward(rec->live, ring) || !live_ring_get(rec->live, ring, &d))
		return 0;
	strbuf_clear(b);
	strbuf_add(b, d.first, d.first_size);
	strbuf_add(b, d.second, d.second_size);
	for (size_t at = 0, size; at + 8 <= b->len; at += size) {
		size = load_u16(b->s + at + 6, false);
		if (size < 8 || size > b->len - at)
			break; /* cannot happen: the kernel wrote this record */
		if (load_u32(b->s + at, false) == PERF_RECORD_SAMPLE)
			continue;
		memmove(b->s + to, b->s + at, size);
		to += size;
	}
	return to ? data_write(rec->parts ? rec->parts[ring] : rec->writer, b->s, to, r) : 0;
}

static int write_snapshot(struct record_reader *rd, u32 ring, struct reason *r)
{
	struct ring_data d;
	int err = 0;

	if (live_snapshot_get(rd->rec->live, ring, &d))
		err = pass_on(rd, ring, &d, SIZE_MAX, r);
	live_snapshot_done(rd->rec->live, ring);
	return err;
}

int reader_drain(struct record_reader *rd, struct reason *r)
{
	struct recorder *rec = rd->rec;
	int err = reader_turn(rd, 0, r);

	if (rd->left && !rec->sink)
		vec_for_each(&rd->rings, ring)
			if (!err)
				err = write_side_band(rd, *ring, r);
	vec_for_each(&rd->rings, ring)
		if (!err && live_ring_is_backward(rec->live, *ring))
			err = write_snapshot(rd, *ring, r);
	if (!err && rec->sink)
		err = sink_turn(rd, true, r);
	return err || rec->parts ? err : data_flush(rec->writer, r);
}

bool reader_alive(struct record_reader *rd)
{
	return loop_rings_alive(&rd->loop);
}
