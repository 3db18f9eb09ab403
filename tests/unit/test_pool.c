// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms that live on: taking, decay, snapshots, and what a long life costs. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "base/perf_abi.h"
#include "chains.h"
#include "hist/pool_tables.h"
#include "hist/pool.h"

#define SECOND 1000000000ULL

struct bench {
	struct world w;
	struct hist_settings set;
	struct hist *h;
	struct hist_collector *c[2];
	struct hist_pool *pool;
	u64 weight; /* of the samples that come */
};

static void setup(struct bench *b, const char *sort)
{
	struct reason r = REASON_INIT;

	world_init(&b->w);
	b->h = hist_new(&b->w.ctx, &b->w.set, b->w.h, b->w.images, &b->set);
	assert_int_equal(hist_set_keys(b->h, sort, NULL, false, &r), 0);
	for (int i = 0; i < 2; i++)
		b->c[i] = hist_collector_new(b->h);
	b->pool = hist_pool_new(b->h, b->w.symbols);
}

static void teardown(struct bench *b)
{
	hist_pool_free(b->pool);
	for (int i = 0; i < 2; i++)
		hist_collector_free(b->c[i]);
	hist_free(b->h);
	world_release(&b->w);
}

/* Adds a sample of pid in a function that A called. */
static void add(struct bench *b, int worker, u32 pid, u64 ip, u64 period)
{
	const u64 ips[] = { PERF_CONTEXT_KERNEL, ip, in(A) };
	struct order_key key = when(50);
	struct task task = *b->w.task;
	struct sample s = {
		.event = b->w.set.list.items[0],
		.cpumode = PERF_RECORD_MISC_KERNEL,
		.ip = ip,
		.period = period,
		.weight = b->weight,
		.id = { .pid = pid, .tid = pid, .time = 50, .cpu = pid },
		.chain = (const u8 *)ips,
		.chain_count = 3,
	};
	struct hist_sample h = { .sample = &s, .key = &key, .task = &task };

	task.pid = task.tid = pid;
	h.comm = history_comm(b->w.h, b->w.task, &key);
	history_locate(b->w.h, b->w.task, s.cpumode, s.ip, &key, &h.leaf);
	hist_collector_add(b->c[worker], &h);
}

static struct hist *first_entries(struct bench *b, size_t most)
{
	struct reason r = REASON_INIT;
	struct hist *h = hist_pool_snapshot(b->pool, most, &r);

	assert_non_null(h);
	return h;
}

static struct hist *snapshot(struct bench *b)
{
	return first_entries(b, 0);
}

/* Returns "NAME total self, " of each entry in order. */
static char *text_of(const struct hist *h)
{
	struct strbuf out = STRBUF_INIT;
	const struct hist_view *v = hist_view(h, 0);

	for (size_t i = 0; i < v->entry_count; i++) {
		const struct hist_entry *e = v->entries[i];

		hist_frame_text(h, e->frame, &out);
		strbuf_f(&out, " %" PRIu64 " %" PRIu64 ", ", e->total->period, e->self->period);
	}
	return strbuf_detach(&out);
}

static void check(struct bench *b, const char *want)
{
	struct hist *h = snapshot(b);
	char *got = text_of(h);

	assert_string_equal(got, want);
	free(got);
	hist_free(h);
}

static void refresh(struct bench *b, u64 passed)
{
	struct hist_collector *const all[] = { b->c[0], b->c[1] };

	hist_pool_decay(b->pool, passed);
	hist_pool_take(b->pool, all, 2);
}

/*
 * Checks what holds for all snapshots: rows add up to the totals, and nothing is counted twice or
 * lost.
 */
static void check_sums(struct bench *b)
{
	struct hist *h = snapshot(b);
	const struct hist_view *v = hist_view(h, 0);
	u64 samples = 0, period = 0;
	struct hist_flow f;

	for (size_t i = 0; i < v->entry_count; i++) {
		samples += v->entries[i]->self->samples;
		period += v->entries[i]->self->period;
	}
	hist_pool_flow(b->pool, b->w.set.list.items[0], &f);
	assert_int_equal(samples, v->totals->samples);
	assert_int_equal(period, v->totals->period);
	assert_int_equal(f.held_samples, v->totals->samples);
	assert_int_equal(f.held_period, v->totals->period);
	assert_true(f.fresh_samples <= f.all_samples && f.held_samples <= f.all_samples);
	assert_true(f.held_period <= f.all_period);
	hist_free(h);
}

static void test_snapshots(void **state)
{
	struct bench b = {
		.set = { .chains = true,
			 .children = true,
			 .graph = { .mode = CALL_GRAPH_GRAPH, .caller = true } },
	};

	(void)state;
	setup(&b, "sym");
	check(&b, "");
	add(&b, 0, 10, in(B), 100);
	add(&b, 1, 10, in(B) + 4, 50);
	refresh(&b, 0);
	check(&b, "B 150 150, A 150 0, ");
	/* what is drawn does not change what is kept */
	check(&b, "B 150 150, A 150 0, ");
	add(&b, 1, 10, in(C), 10);
	refresh(&b, 0);
	check(&b, "A 160 0, B 150 150, C 10 10, ");
	check_sums(&b);
	hist_pool_zero(b.pool);
	check(&b, "");
	/* what was met before is known to the collectors, but no longer to the pool */
	add(&b, 0, 10, in(C), 30);
	add(&b, 0, 10, in(B), 20);
	refresh(&b, 0);
	check(&b, "A 50 0, C 30 30, B 20 20, ");
	check_sums(&b);
	/* and then not to the collectors either */
	hist_collector_clear(b.c[0]);
	add(&b, 0, 10, in(C), 25);
	refresh(&b, 0);
	check(&b, "A 75 0, C 55 55, B 20 20, ");
	check_sums(&b);
	teardown(&b);
}

/* Checks that a collector's tables do not grow with everything that it has ever seen. */
static void test_rested_collectors(void **state)
{
	struct bench b = { .set = { 0 } };
	size_t most = 0;

	(void)state;
	setup(&b, "sym");
	for (u32 i = 0; i < 200; i++) {
		for (u32 n = 0; n < 100; n++)
			add(&b, 0, 10, TEXT + 0x100000 + (i * 100 + n) * 16, 1000);
		add(&b, 0, 10, in(B), 1000);
		refresh(&b, 2 * SECOND);
		most = MAX(most, hist_collector_rows(b.c[0]));
	}
	/* the one that is always met makes its rows be kept for a while */
	assert_in_range(most, 1000, 3000);
	check_sums(&b);
	teardown(&b);
}

static void check_first(const struct hist *first, const struct hist *all, size_t most)
{
	const struct hist_view *v = hist_view(first, 0), *w = hist_view(all, 0);

	assert_in_range(v->entry_count, MIN(most, w->entry_count), w->entry_count);
	assert_int_equal(v->totals->samples, w->totals->samples);
	assert_int_equal(v->totals->period, w->totals->period);
	assert_int_equal(v->totals->shown_samples, w->totals->shown_samples);
	assert_int_equal(v->totals->shown_period, w->totals->shown_period);
	for (size_t i = 0; i < MIN(most, w->entry_count); i++) {
		const struct hist_entry *e = v->entries[i], *f = w->entries[i];

		assert_int_equal(e->self->period, f->self->period);
		assert_int_equal(e->self->samples, f->self->samples);
		assert_int_equal(hist_frame(first, e->frame)->offset,
				 hist_frame(all, f->frame)->offset);
	}
}

/*
 * Checks that the first entries alone are those of the whole table, whatever rows they are made of.
 */
static void test_first_entries(void **state)
{
	static const char *const sorts[] = { "sym", "pid,sym", "dso,sym" };
	struct bench b = { .set = { 0 } };
	size_t fewer = 0;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(sorts); k++) {
		setup(&b, sorts[k]);
		/* many of a function, each small; few that are large; equal ones */
		for (u32 i = 0; i < 3000; i++) {
			add(&b, 0, 10 + i % 3, in(B) + i % 64, 7);
			add(&b, 0, 10 + i % 2, TEXT + 0x100000 + (u64)(i * i % 331) * 16,
			    i % 5 ? 10 : 100 + i % 400);
		}
		refresh(&b, 0);
		for (size_t most = 1; most < 400; most = most * 3 + 1) {
			struct hist *all = snapshot(&b), *first = first_entries(&b, most);

			check_first(first, all, most);
			fewer += hist_view(first, 0)->entry_count <
				 hist_view(all, 0)->entry_count / 2;
			hist_free(first);
			hist_free(all);
		}
		teardown(&b);
	}
	assert_true(fewer >= 6);
}

/* Checks an entry of several rows, none of which is among the largest. */
static void test_first_rows(void **state)
{
	const struct row_ids rows[] = {
		{ .leaf = 0 }, { .leaf = 1 }, { .leaf = 0 }, { .leaf = 2 }, { .leaf = 3 }
	};
	const u64 periods[] = { 6, 10, 6, 9, 8 };
	const u32 bucket[] = { 0, 0x10001, 6, 0xffffffff };
	bool wanted[5];

	(void)state;
	assert_true(hist_first_rows(rows, periods, 5, 1, bucket, 4, 2, wanted));
	assert_true(wanted[0] && wanted[1] && wanted[2] && wanted[3] && !wanted[4]);
	assert_false(hist_first_rows(rows, periods, 5, 1, bucket, 4, 4, wanted));
}

/*
 * Checks that rows of a function for one event do not count for another event, and that an event
 * may have no rows.
 */
static void test_first_rows_of_events(void **state)
{
	const struct row_ids rows[] = {
		{ .leaf = 1, .event = 2 },
		{ .leaf = 0 },
		{ .leaf = 1 },
		{ .leaf = 3, .event = 2 },
		{ .leaf = 3 },
		{ .leaf = 2 },
		{ .leaf = 0, .event = 2 },
		{ .leaf = 2, .event = 2 },
	};
	const u64 periods[] = { 2, 12, 10, 20, 8, 9, 3, 0 };
	const u32 bucket[] = { 0, 1, 2, 3 };
	bool wanted[8];

	(void)state;
	assert_true(hist_first_rows(rows, periods, 8, 3, bucket, 4, 2, wanted));
	assert_true(wanted[1] && wanted[2] && !wanted[5] && !wanted[4]);
	assert_true(wanted[3] && wanted[6] && !wanted[0] && !wanted[7]);
}

static void same_tree(const struct call_tree *a, const struct call_tree *b)
{
	assert_int_equal(a->period, b->period);
	assert_int_equal(a->frames.count, b->frames.count);
	assert_int_equal(a->children.count, b->children.count);
	for (size_t i = 0; i < a->children.count; i++)
		same_tree(a->children.items[i], b->children.items[i]);
}

/* Checks that call trees made on demand are the same as those made with the table. */
static void test_wanted_trees(void **state)
{
	struct bench b = {
		.set = { .chains = true,
			 .children = true,
			 .graph = { .mode = CALL_GRAPH_GRAPH, .caller = true } },
	};
	struct hist *all, *first;

	(void)state;
	setup(&b, "pid,sym");
	for (u32 i = 0; i < 20; i++)
		add(&b, 0, 10 + i % 2, in(i % 3 ? B : C) + i, 100 + i);
	refresh(&b, 0);
	all = snapshot(&b);
	first = first_entries(&b, 4);
	assert_int_equal(hist_view(all, 0)->entry_count, 3);
	for (size_t i = 0; i < 3; i++) {
		struct hist_entry *e = hist_view(first, 0)->entries[i];

		assert_null(e->tree);
		hist_want_tree(hist_view(first, 0), e);
		assert_non_null(e->tree);
		same_tree(e->tree, hist_view(all, 0)->entries[i]->tree);
		hist_want_tree(hist_view(all, 0), hist_view(all, 0)->entries[i]);
	}
	hist_free(first);
	hist_free(all);
	teardown(&b);
}

/* Adds a sample with these addresses as its chain, the first of which is its own. */
static void add_chain(struct bench *b, const u64 *addresses, size_t count, u64 period)
{
	u64 ips[16] = { PERF_CONTEXT_KERNEL };
	struct order_key key = when(50);
	struct sample s = {
		.event = b->w.set.list.items[0],
		.cpumode = PERF_RECORD_MISC_KERNEL,
		.ip = addresses[0],
		.period = period,
		.id = { .pid = 10, .tid = 10, .time = 50 },
		.chain = (const u8 *)ips,
		.chain_count = count + 1,
	};
	struct hist_sample h = { .sample = &s, .key = &key, .task = b->w.task };

	assert_true(count < ARRAY_SIZE(ips));
	memcpy(ips + 1, addresses, count * sizeof(*ips));
	h.comm = history_comm(b->w.h, b->w.task, &key);
	history_locate(b->w.h, b->w.task, s.cpumode, s.ip, &key, &h.leaf);
	hist_collector_add(b->c[0], &h);
}

/* Adds a few functions that occur often, and between them many addresses that occur seldom. */
static void add_chains(struct bench *b)
{
	u64 n = 1;

	for (u32 i = 0; i < 3000; i++) {
		u64 addresses[12];
		size_t count = 1 + i % 12;

		for (size_t k = 0; k < count; k++) {
			n = n * 6364136223846793005ULL + 1442695040888963407ULL;
			addresses[k] = n >> 62 ? in((int)(A + (n >> 40) % 3)) + (n >> 50) % 64
					       : TEXT + 0x100000 + (n >> 40) % 3000 * 16;
		}
		/* an address that looks like what stands for the others */
		if (i % 5 == 0)
			addresses[count / 2] = 0;
		/* functions of which nothing that is next to them is often met */
		if (i % 5 == 1 && count == 3)
			addresses[0] = in(E), addresses[1] = TEXT + 0x200000 + i * 16;
		if (i % 5 == 2 && count == 3)
			addresses[2] = in(D), addresses[1] = TEXT + 0x200000 + i * 16;
		add_chain(b, addresses, count, 1 + i % 7 + (i % 100 ? 0 : 200));
	}
}

static void put_tree(const struct hist *h, const struct call_tree *t, unsigned depth,
		     struct strbuf *out)
{
	strbuf_pad(out, ' ', (int)depth);
	strbuf_f(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 ":", t->period, t->samples, t->own_period);
	vec_for_each(&t->frames, f) {
		strbuf_char(out, ' ');
		hist_frame_text(h, *f, out);
	}
	strbuf_char(out, '\n');
	vec_for_each(&t->children, c)
		put_tree(h, *c, depth + 1, out);
}

/* Returns the first entries, without what does not affect their order, and their trees. */
static char *first_text(const struct hist *h, size_t most)
{
	const struct hist_view *v = hist_view(h, 0);
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < MIN(most, v->entry_count); i++) {
		struct hist_entry *e = v->entries[i];

		hist_want_tree(v, e);
		hist_frame_text(h, e->frame, &out);
		strbuf_f(&out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n",
			 e->total->period, e->total->samples, e->self->period, e->self->samples,
			 e->max_depth);
		if (e->tree)
			put_tree(h, e->tree, 1, &out);
	}
	return strbuf_detach(&out);
}

/* Compares the first entries; returns true if most of the other entries were not made. */
static bool same_first(struct bench *b, size_t most)
{
	struct hist *all = snapshot(b), *first = first_entries(b, most);
	char *want = first_text(all, most), *got = first_text(first, most);
	bool fewer = hist_view(first, 0)->entry_count < hist_view(all, 0)->entry_count / 4;

	check_first(first, all, most);
	assert_string_equal(got, want);
	free(want);
	free(got);
	hist_free(first);
	hist_free(all);
	return fewer;
}

/*
 * Checks that the first entries and their trees are those of the whole table, also where callers
 * are totalled.
 */
static void test_first_callers(void **state)
{
	static const char *const sorts[] = { "sym", "dso,sym" };
	static const enum call_graph_mode modes[] = { CALL_GRAPH_GRAPH, CALL_GRAPH_FLAT,
						      CALL_GRAPH_FOLDED, CALL_GRAPH_FRACTAL,
						      CALL_GRAPH_NONE };
	size_t fewer = 0;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(sorts) * ARRAY_SIZE(modes) * 2; k++) {
		struct bench b = { .set = { .chains = true, .children = true } };

		b.set.graph.caller = k % 2;
		b.set.graph.mode = modes[k / 2 % ARRAY_SIZE(modes)];
		b.set.graph.threshold = 0.5;
		setup(&b, sorts[k / 2 / ARRAY_SIZE(modes)]);
		add_chains(&b);
		refresh(&b, 0);
		for (size_t most = 1; most < 100; most = most * 3 + 1)
			fewer += same_first(&b, most);
		/* some rows have faded */
		refresh(&b, 5 * SECOND);
		fewer += same_first(&b, 4);
		teardown(&b);
	}
	/* in all modes but the one in which small branches of small branches are drawn */
	assert_int_equal(fewer, ARRAY_SIZE(sorts) * (ARRAY_SIZE(modes) - 1) * 2 * 5);
}

/*
 * Checks that two frames of one bucket may belong to two entries, neither of which is the first
 * one.
 */
static void test_first_frames(void **state)
{
	const struct row_ids rows[] = { { .leaf = 0 },
					{ .leaf = 1 },
					{ .leaf = 2 },
					{ .leaf = 3 },
					{ .leaf = 2, .event = 1 },
					{ .leaf = 3, .event = 1 } };
	const u64 periods[] = { 5, 5, 9, 8, 4, 3 };
	const u32 bucket[] = { 0, 0, 1, 2 };
	struct event_set two;
	struct bench b = { .set = { .chains = true, .children = true } };
	struct chains *chains;
	bool wanted[4] = { false };

	(void)state;
	setup(&b, "dso,sym");
	chains = chains_new(b.w.h);
	for (u32 i = 0; i < 4; i++)
		frame_add(chains, &(struct frame){ .offset = i });
	assert_true(hist_first_frames(b.h, rows, periods, 4, chains, bucket, 4, 1, wanted));
	assert_true(wanted[0] && wanted[1] && wanted[2] && !wanted[3]);
	/* of a second event the same frame is the first one */
	memset(wanted, 0, sizeof(wanted));
	two = *b.h->events;
	two.list.count = 2;
	b.h->events = &two;
	assert_true(hist_first_frames(b.h, rows, periods, 6, chains, bucket, 4, 1, wanted));
	assert_true(wanted[0] && wanted[1] && wanted[2] && !wanted[3]);
	b.h->events = &b.w.set;
	chains_free(chains);
	teardown(&b);
}

/* Checks the decay: 7/8 for two seconds, in one step or in many. */
static void test_decay(void **state)
{
	struct bench b = { .set = { 0 } };
	struct hist_flow f;

	(void)state;
	for (u32 steps = 1; steps <= 40; steps += 13) {
		setup(&b, "sym");
		for (int i = 0; i < 8; i++)
			add(&b, i & 1, 10, in(B), 1000);
		refresh(&b, 0);
		for (u32 i = 0; i < steps; i++)
			hist_pool_decay(b.pool, 4 * SECOND / steps);
		check(&b, "B 0 6125, ");
		hist_pool_flow(b.pool, b.w.set.list.items[0], &f);
		assert_int_equal(f.held_samples, 6);
		assert_int_equal(f.held_period, 6125);
		assert_int_equal(f.all_samples, 8);
		assert_int_equal(f.all_period, 8000);
		assert_int_equal(f.fresh_samples, 0);
		teardown(&b);
	}
}

/* Checks that a sample of weight 1 stays until half of it is gone, and is then forgotten. */
static void test_small_sums(void **state)
{
	struct bench b = { .set = { .chains = true } };
	struct hist_pool_size size;

	(void)state;
	setup(&b, "sym");
	add(&b, 0, 10, in(B), 1);
	refresh(&b, 0);
	for (int i = 0; i < 50; i++) {
		hist_pool_decay(b.pool, SECOND / 5);
		check(&b, "B 0 1, ");
		check_sums(&b);
	}
	hist_pool_decay(b.pool, SECOND / 2);
	check(&b, "");
	hist_pool_size(b.pool, &size);
	assert_int_equal(size.rows + size.frames + size.chains + size.keys, 0);
	teardown(&b);
}

/*
 * Checks rows that fade among others that stay: the latter go on in the same rows, and nothing else
 * is left of the former.
 */
static void test_faded(void **state)
{
	struct bench b = { .set = { .chains = true } };
	struct hist_pool_size size, later;
	struct hist *h;

	(void)state;
	setup(&b, "cpu,sym");
	for (u32 i = 0; i < 20; i++) {
		b.weight = i % 2 ? 7 : 1000;
		add(&b, 0, i % 2 ? 11 : 100 + i, i % 2 ? in(C) : in(B) + i, 1);
		b.weight = 7;
		add(&b, 1, 11, in(C) + 1, 10);
	}
	refresh(&b, 0);
	hist_pool_size(b.pool, &size);
	assert_int_equal(size.keys, 11);
	hist_pool_decay(b.pool, 12 * SECOND); /* to 0.45: what has one sample goes */
	hist_pool_size(b.pool, &size);
	assert_int_equal(size.keys, 1);
	assert_int_equal(size.rows, size.chains);
	assert_int_equal(size.frames, 2); /* C and its caller */
	check_sums(&b);
	h = snapshot(&b);
	assert_int_equal(hist_view(h, 0)->entry_count, 1);
	assert_in_range(hist_view(h, 0)->entries[0]->self->weight, 93, 95);
	hist_free(h);
	for (u32 i = 0; i < 4; i++)
		add(&b, 1, 11, in(C) + 1, 10);
	add(&b, 0, 11, in(C), 1);
	add(&b, 0, 11, in(C) + 2, 1); /* another place of a function that is there */
	refresh(&b, 0);
	hist_pool_size(b.pool, &later);
	assert_int_equal(later.rows, size.rows);
	assert_int_equal(later.frames, size.frames);
	assert_int_equal(later.chains, size.chains);
	check_sums(&b);
	h = snapshot(&b);
	assert_int_equal(hist_view(h, 0)->entry_count, 1);
	hist_free(h);
	add(&b, 0, 102, in(B) + 2, 1);
	refresh(&b, 0);
	hist_pool_size(b.pool, &later);
	assert_int_equal(later.rows, size.rows + 1);
	assert_int_equal(later.keys, 2);
	check_sums(&b);
	teardown(&b);
}

/* Checks that what an entry's frames have in common stays the same when some frames fade. */
static void test_first_of_faded(void **state)
{
	struct bench b = { .set = { .verbose = 1 } };
	const u64 nowhere = TEXT + 0x800000;
	struct hist *h;

	(void)state;
	setup(&b, "sym");
	for (u64 i = 0; i < 20; i++)
		add(&b, 0, 10, nowhere + i, 1);
	refresh(&b, 0);
	for (u64 i = 0; i < 24; i++)
		add(&b, 0, 10, in(B) + i % 6,
		    6); /* each place less than one of those below, all together more */
	for (u64 i = 0; i < 20; i++)
		add(&b, 0, 10, nowhere + 100 + i % 5, 10);
	refresh(&b, 0);
	hist_free(first_entries(&b, 2));
	hist_pool_decay(b.pool, 12 * SECOND);
	h = first_entries(&b, 2);
	/* six times what is left of 24 */
	assert_int_equal(hist_view(h, 0)->entries[0]->self->period, 66);
	hist_free(h);
	check_sums(&b);
	teardown(&b);
}

/*
 * Checks that a function is one row of a collector once its symbols are known, unless something
 * shows its places.
 */
static void test_functions(void **state)
{
	const struct {
		const char *sort;
		size_t rows;
	} sorts[] = { { "sym", 1 }, { "symoff", 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		struct bench b = { .set = { 0 } };

		setup(&b, sorts[i].sort);
		for (u64 k = 0; k < 3; k++)
			add(&b, 0, 10, in(B) + k, 5);
		/* of which nobody has read the symbols */
		assert_int_equal(hist_collector_rows(b.c[0]), 3);
		refresh(&b, 0);
		for (u64 k = 0; k < 3; k++)
			add(&b, 1, 10, in(B) + k, 5);
		assert_int_equal(hist_collector_rows(b.c[1]), sorts[i].rows);
		refresh(&b, 0);
		if (sorts[i].rows == 1)
			check(&b, "B 0 30, ");
		check_sums(&b);
		teardown(&b);
	}
}

/* Checks that samples of tasks that a filter leaves out count only in totals, and decay as well. */
static void test_refused(void **state)
{
	u32 pids[] = { 10 };
	struct bench b = { .set = { .pids = pids, .pid_count = 1 } };
	struct hist *h;

	(void)state;
	setup(&b, "sym");
	add(&b, 0, 10, in(B), 800);
	add(&b, 0, 11, in(C), 1600);
	refresh(&b, 0);
	hist_pool_decay(b.pool, 2 * SECOND);
	h = snapshot(&b);
	assert_int_equal(hist_view(h, 0)->entry_count, 1);
	assert_int_equal(hist_view(h, 0)->entries[0]->self->period, 700);
	assert_int_equal(hist_view(h, 0)->totals->period, 2100);
	hist_free(h);
	teardown(&b);
}

/* Checks that exactly the names that rows need are reported; faded rows need none. */
static void test_names(void **state)
{
	struct bench b = { .set = { .chains = true } };
	struct hist_pool_names n;

	(void)state;
	setup(&b, "comm,pid,sym");
	hist_pool_names(b.pool, &n);
	assert_int_equal(n.images.count + n.comms.count + n.tasks.count, 0);
	add(&b, 0, 10, in(B), 1);
	refresh(&b, 0);
	hist_pool_names(b.pool, &n);
	assert_int_equal(n.images.count, 1);
	assert_non_null(map64_get(&n.tasks, b.w.task->id));
	assert_int_equal(n.comms.count, 1);
	hist_pool_names_release(&n);
	hist_pool_zero(b.pool);
	hist_pool_names(b.pool, &n);
	assert_int_equal(n.images.count + n.comms.count + n.tasks.count, 0);
	teardown(&b);
}

/* Adds an access to a level, by the bits of PERF_SAMPLE_DATA_SRC: L1 hit, or L2 miss. */
static void add_level(struct bench *b, u64 data_src)
{
	struct order_key key = when(50);
	struct sample s = {
		.event = b->w.set.list.items[0],
		.cpumode = PERF_RECORD_MISC_KERNEL,
		.ip = in(A),
		.period = 1,
		.data_src = data_src,
	};
	struct hist_sample h = { .sample = &s, .key = &key, .task = b->w.task };

	hist_collector_add(b->c[0], &h);
}

static void check_levels(struct bench *b, const char *want)
{
	struct strbuf out = STRBUF_INIT;
	struct hist *h = snapshot(b);
	const struct hist_view *v = hist_view(h, 0);
	size_t count;
	const struct hist_field *f = hist_fields(h, &count);

	for (size_t i = 0; i < v->entry_count; i++)
		for (size_t j = 0; j < count; j++)
			if (!strcmp(f[j].column->name, "mem")) {
				f[j].column->format(v, &f[j], v->entries[i], 0, &out);
				strbuf_f(&out, " %" PRIu64 ", ", v->entries[i]->self->samples);
			}
	assert_string_equal(strbuf_cstr(&out), want);
	strbuf_release(&out);
	hist_free(h);
}

/*
 * Checks that the text of a value is made once, but not kept longer than the table that it is in.
 */
static void test_words_of_values(void **state)
{
	enum { L1_HIT = (2 | 8) << 5, L2_MISS = (4 | 32) << 5 };
	struct bench b = { .set = { .expansion = HIST_ACCESSES } };

	(void)state;
	setup(&b, "mem");
	for (int i = 0; i < 3; i++)
		add_level(&b, L1_HIT);
	for (int i = 0; i < 2; i++)
		add_level(&b, L2_MISS);
	refresh(&b, 0);
	check_levels(&b, "L1 hit 3, L2 miss 2, ");
	/* in the other order: a number of the table before would name the other words */
	add_level(&b, L2_MISS);
	add_level(&b, L1_HIT);
	add_level(&b, L1_HIT);
	refresh(&b, 0);
	check_levels(&b, "L1 hit 5, L2 miss 3, ");
	teardown(&b);
}

/*
 * Simulates a week with a refresh every 30 s, each with 50 new processes that have addresses of
 * their own. After the first hour nothing may grow any more.
 */
static void test_week(void **state)
{
	enum { HOUR = 120, DAY = 24 * HOUR, REFRESHES = 7 * DAY, FRESH = 50 };
	struct bench b = { .set = { .chains = true, .children = true } };
	struct hist_pool_size first = { 0 }, last;
	/* memory, by day: it goes up and down with what waits to be dropped */
	size_t most[7] = { 0 };
	u32 pid = 100;

	(void)state;
	setup(&b, "pid,sym");
	for (u32 i = 0; i < REFRESHES; i++) {
		for (u32 n = 0; n < FRESH; n++, pid++) {
			add(&b, n & 1, pid, in(B + (int)(n % 3)) + pid % 251 * 4, 1000);
			add(&b, n & 1, pid, TEXT + 0x100000 + (u64)pid * 16, 1000);
		}
		refresh(&b, 30 * SECOND);
		if (i % HOUR == 0)
			check_sums(&b);
		if (i == HOUR)
			hist_pool_size(b.pool, &first);
		most[i / DAY] = MAX(most[i / DAY], mallinfo2().uordblks);
	}
	hist_pool_size(b.pool, &last);
	assert_true(last.rows <= first.rows + first.rows / 10);
	assert_true(last.frames <= first.frames + first.frames / 10);
	assert_true(last.chains <= first.chains + first.chains / 10);
	assert_true(last.keys <= first.keys + first.keys / 10);
	assert_true(most[6] <= most[0] + most[0] / 10);
	teardown(&b);
}

/* Adds a sample at an address in the image of a program that compiles itself. */
static void add_jit(struct bench *b, u32 image, u64 offset)
{
	struct order_key key = when(50);
	struct sample s = {
		.event = b->w.set.list.items[0],
		.cpumode = PERF_RECORD_MISC_USER,
		.ip = offset,
		.period = 1,
		.id = { .pid = 10, .tid = 10, .time = 50 },
	};
	struct hist_sample h = {
		.sample = &s,
		.key = &key,
		.task = b->w.task,
		.leaf = { .image = image, .offset = offset },
	};

	h.comm = history_comm(b->w.h, b->w.task, &key);
	hist_collector_add(b->c[0], &h);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/*
 * Renews the symbols. This is refused while reading has just taken a noticeable part of the time,
 * so it is tried again.
 */
static void renew(struct bench *b, struct symbol_store *symbols, u32 image)
{
	bool images[64] = { false };
	time_t end = time(NULL) + 60;

	assert_true(image_count(b->w.images) <= ARRAY_SIZE(images));
	do {
		assert_true(time(NULL) < end);
		images[image] = true;
	} while (!symbol_store_renew(symbols, images));
	hist_collector_clear(b->c[0]);
	hist_pool_renew(b->pool, images);
}

/*
 * Checks numbers of the first table that come back in the third one, where they belong to other
 * functions.
 */
static void test_renewed_twice(void **state)
{
	struct image jit = { .kind = IMAGE_JIT, .pid = getpid(), .path = "//anon" };
	char dir[] = "/tmp/test_pool.XXXXXX", tmp[64], path[100];
	struct bench b = { .set = { 0 } };
	struct symbol_store *symbols;
	u32 image;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(tmp, sizeof(tmp), "%s/tmp", dir);
	assert_int_equal(mkdir(tmp, 0700), 0);
	snprintf(path, sizeof(path), "%s/perf-%d.map", tmp, getpid());
	setup(&b, "sym");
	image = image_intern(b.w.images, &jit);
	symbols = symbol_store_new(&b.w.ctx, b.w.images,
				   &(struct symbol_options){ .kallsyms = b.w.kallsyms,
							     .symfs = dir,
							     .buildid_dir = "" });
	symbol_store_expect_changes(symbols);
	hist_pool_free(b.pool);
	b.pool = hist_pool_new(b.h, symbols);

	write_text(path, "1000 10 one\n2000 10 two\n");
	for (int i = 0; i < 8; i++)
		add_jit(&b, image, i < 6 ? 0x1008 : 0x2008);
	refresh(&b, 0);
	check(&b, "one 0 6, two 0 2, ");

	write_text(path, "1000 10 one\n2000 10 two\n3000 10 three\n");
	renew(&b, symbols, image);
	check(&b, "one 0 6, two 0 2, ");
	write_text(path, "500 10 zero\n1000 10 one\n2000 10 two\n3000 10 three\n");
	renew(&b, symbols, image);
	check(&b, "one 0 6, two 0 2, ");
	for (int i = 0; i < 4; i++)
		add_jit(&b, image, i < 3 ? 0x1008 : 0x508);
	refresh(&b, 0);
	check(&b, "one 0 9, two 0 2, zero 0 1, ");

	teardown(&b);
	symbol_store_free(symbols);
	unlink(path);
	rmdir(tmp);
	rmdir(dir);
}

/*
 * Checks that rows that differ in only one part are separate rows, which are found again, also
 * after others were removed.
 */
static void test_rows_of_pool(void **state)
{
	enum { COUNT = 3000 };
	struct hist_pool p = { 0 };

	(void)state;
	for (u32 part = 0; part < 4; part++) {
		for (u32 round = 0; round < 2; round++)
			for (u32 i = 0; i < COUNT; i++) {
				struct row_ids r = { 1, 1, 1, 1 };

				*(part == 0   ? &r.event
				  : part == 1 ? &r.key
				  : part == 2 ? &r.leaf
					      : &r.chain) = i + 2;
				assert_int_equal(hist_pool_row(&p, &r), part * COUNT + i);
			}
	}
	assert_int_equal(p.rows.count, 4 * COUNT);
	p.rows.count = COUNT;
	hist_pool_find_rows_again(&p);
	assert_int_equal(hist_pool_row(&p, &(struct row_ids){ COUNT + 1, 1, 1, 1 }), COUNT - 1);
	assert_int_equal(hist_pool_row(&p, &(struct row_ids){ 1, 2, 1, 1 }), COUNT);
	hist_pool_rows_release(&p);
}

/* ---- truth ---- */

enum { AN_END = 7 };

static u64 an_end(void *arg, u32 image, u64 offset)
{
	unsigned *asked = arg;

	++*asked;
	return offset ? (u64)image << 8 | AN_END : 0;
}

/* A sample in the program, which has no symbols, with a caller in it. */
static void add_user(struct bench *b, u32 cpu, u64 ip, u64 caller)
{
	const u64 ips[] = { PERF_CONTEXT_USER, ip, caller };
	struct order_key key = when(50);
	struct sample s = {
		.event = b->w.set.list.items[0],
		.cpumode = PERF_RECORD_MISC_USER,
		.ip = ip,
		.period = 1,
		.id = { .pid = 10, .tid = 10, .time = 50, .cpu = cpu },
		.chain = (const u8 *)ips,
		.chain_count = caller ? 3 : 0,
	};
	struct hist_sample h = { .sample = &s, .key = &key, .task = b->w.task };

	h.comm = history_comm(b->w.h, b->w.task, &key);
	history_locate(b->w.h, b->w.task, s.cpumode, s.ip, &key, &h.leaf);
	hist_collector_add(b->c[0], &h);
}

static u64 end_count(const struct hist_truth *t, u64 end)
{
	const u64 *n = map64_get(&t->ends, end);

	return n ? *n : 0;
}

/* Of all samples, in tables with all entries and with the first ones. */
static void check_truth(struct bench *b, const u64 want[5], u32 image)
{
	for (size_t most = 0; most < 2; most++) {
		struct hist *h = first_entries(b, most);
		const struct hist_truth *t = hist_truth(h, 0);

		assert_int_equal(t->samples, want[0]);
		assert_int_equal(t->named, want[1]);
		assert_int_equal(end_count(t, HIST_END_KERNEL), want[2]);
		assert_int_equal(end_count(t, (u64)image << 8 | AN_END), want[3]);
		assert_int_equal(end_count(t, HIST_END_NONE), want[4]);
		assert_int_equal(*map64_get(&t->unnamed, image), want[0] - want[1]);
		assert_int_equal(t->unnamed.count, 1);
		hist_free(h);
	}
}

/* Names and ends are of all rows, fade with them, and last when others go. */
static void test_truth(void **state)
{
	unsigned asked = 0;
	struct bench b = { .set = {
				   .chains = true,
				   .truth = true,
				   .services = { .chain_end = an_end, .chain_end_arg = &asked } } };
	u32 image = 0;

	(void)state;
	setup(&b, "cpu,sym");
	for (u32 id = 1; id < image_count(b.w.images); id++)
		if (!strcmp(image_get(b.w.images, id)->path, "/bin/prog"))
			image = id;
	add_user(&b, 1, 0x400100, 0x400900); /* this chain goes first */
	for (u32 i = 0; i < 16; i++)
		add(&b, i % 2, 11, in(B), 1);
	for (u32 i = 0; i < 24; i++)
		add_user(&b, 2, 0x400100 + i % 2, 0x400200);
	for (u32 i = 0; i < 8; i++)
		add_user(&b, 3, 0x400100, 0);
	refresh(&b, 0);
	assert_int_equal(asked, 3);
	check_truth(&b, (const u64[]){ 49, 16, 16, 25, 8 }, image);
	assert_int_equal(asked, 3);
	/* to 7/8; two rows of 12 become 10.5 each, which is rounded */
	refresh(&b, 2 * SECOND);
	check_truth(&b, (const u64[]){ 44, 14, 14, 23, 7 }, image);
	/* half of it: what had one sample goes, and chains have new numbers */
	hist_pool_decay(b.pool, 9 * SECOND);
	hist_pool_compact(b.pool);
	check_truth(&b, (const u64[]){ 24, 8, 8, 12, 4 }, image);
	for (u32 i = 0; i < 12; i++)
		add_user(&b, 2, 0x400100, 0x400200);
	refresh(&b, 0);
	check_truth(&b, (const u64[]){ 36, 8, 8, 24, 4 }, image);
	assert_int_equal(asked, 3);
	hist_pool_zero(b.pool);
	add(&b, 0, 11, in(B), 1);
	add_user(&b, 3, 0x400100, 0);
	refresh(&b, 0);
	check_truth(&b, (const u64[]){ 2, 1, 1, 0, 1 }, image);
	teardown(&b);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snapshots),       cmocka_unit_test(test_decay),
		cmocka_unit_test(test_small_sums),      cmocka_unit_test(test_refused),
		cmocka_unit_test(test_faded),           cmocka_unit_test(test_functions),
		cmocka_unit_test(test_first_of_faded),
		cmocka_unit_test(test_names),           cmocka_unit_test(test_week),
		cmocka_unit_test(test_words_of_values), cmocka_unit_test(test_rested_collectors),
		cmocka_unit_test(test_first_entries),   cmocka_unit_test(test_first_rows_of_events), cmocka_unit_test(test_first_rows),
		cmocka_unit_test(test_rows_of_pool),    cmocka_unit_test(test_truth),
		cmocka_unit_test(test_wanted_trees),    cmocka_unit_test(test_first_callers),
		cmocka_unit_test(test_first_frames),    cmocka_unit_test(test_renewed_twice),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
