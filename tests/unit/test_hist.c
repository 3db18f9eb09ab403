// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms of three samples, worked out by hand (outermost caller first):
 *
 *	A B C    period 10
 *	A B A B  period 5
 *	A        period 1
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/perf_abi.h"
#include "base/time_ranges.h"
#include "chains.h"
#include "hist/hist.h"

struct bench {
	struct world w;
	struct hist *h;
	struct hist_settings set;
	const struct hist_view *v;
};

static const u64 samples[][5] = {
	{ PERF_CONTEXT_KERNEL, TEXT + 0x3010, TEXT + 0x2010, TEXT + 0x1010 },
	{ PERF_CONTEXT_KERNEL, TEXT + 0x2010, TEXT + 0x1010, TEXT + 0x2020, TEXT + 0x1010 },
	{ PERF_CONTEXT_KERNEL, TEXT + 0x1020 },
};
static const u64 lengths[] = { 4, 5, 2 }, periods[] = { 10, 5, 1 };

static void add_sample(struct bench *b, struct hist_collector *c, int i)
{
	struct order_key key = when(50 + (u64)i);
	struct sample s = {
		.event = b->w.set.list.items[0],
		.cpumode = PERF_RECORD_MISC_KERNEL,
		.ip = samples[i][1],
		.period = periods[i],
		.id = { .pid = 10, .tid = 10, .cpu = (u32)i, .time = key.time },
		.chain = (const u8 *)samples[i],
		.chain_count = lengths[i],
	};
	struct hist_sample h = { .sample = &s, .key = &key, .task = b->w.task };

	h.comm = history_comm(b->w.h, b->w.task, &key);
	history_locate(b->w.h, b->w.task, s.cpumode, s.ip, &key, &h.leaf);
	hist_collector_add(c, &h);
}

/* Runs the samples through so many workers. */
static void run(struct bench *b, const char *sort, unsigned workers)
{
	struct hist_collector *c[3];
	struct reason r = REASON_INIT;

	world_init(&b->w);
	b->h = hist_new(&b->w.ctx, &b->w.set, b->w.h, b->w.images, &b->set);
	assert_int_equal(hist_set_keys(b->h, sort, NULL, false, &r), 0);
	for (unsigned i = 0; i < workers; i++)
		c[i] = hist_collector_new(b->h);
	for (int i = 0; i < 3; i++)
		add_sample(b, c[(unsigned)(2 - i) % workers], i);
	assert_int_equal(hist_finish(b->h, c, workers, b->w.symbols, &r), 0);
	for (unsigned i = 0; i < workers; i++)
		hist_collector_free(c[i]);
	assert_int_equal(hist_view_count(b->h), 1);
	b->v = hist_view(b->h, 0);
}

static void done(struct bench *b)
{
	hist_free(b->h);
	world_release(&b->w);
}

static void put_tree(struct bench *b, const struct call_tree *t, struct strbuf *out)
{
	vec_for_each(&t->frames, f)
		hist_frame_text(b->h, *f, out);
	strbuf_f(out, "%" PRIu64, t->period);
	if (t->own_period != t->period)
		strbuf_f(out, "-%" PRIu64, t->own_period);
	if (!t->children.count)
		return;
	strbuf_char(out, '(');
	vec_for_each(&t->children, c) {
		put_tree(b, *c, out);
		strbuf_char(out, ' ');
	}
	out->s[out->len - 1] = ')';
}

/* Returns "NAME total self TREE" of each entry, in order; trees as FRAMESperiod-own(children). */
static char *text_of(struct bench *b)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < b->v->entry_count; i++) {
		const struct hist_entry *e = b->v->entries[i];

		hist_frame_text(b->h, e->frame, &out);
		strbuf_f(&out, " %" PRIu64 " %" PRIu64 " ", e->total->period, e->self->period);
		if (e->tree)
			put_tree(b, e->tree, &out);
		strbuf_char(&out, '\n');
	}
	return strbuf_detach(&out);
}

static void check(struct bench *b, const char *sort, const char *want)
{
	for (unsigned workers = 1; workers <= 3; workers++) {
		char *got;

		run(b, sort, workers);
		got = text_of(b);
		assert_string_equal(got, want);
		free(got);
		done(b);
	}
}

static void test_children_caller(void **state)
{
	struct bench b = {
		.set = { .chains = true,
			 .children = true,
			 .graph = { .mode = CALL_GRAPH_GRAPH, .caller = true } },
	};

	(void)state;
	/* B is the leaf of the second sample, so its tree shows that chain whole. */
	check(&b, NULL,
	      "A 16 1 16-0(A16-1(B15-0(C10 AB5)))\n"
	      "B 15 5 15-0(BC10 ABAB5)\n"
	      "C 10 10 10-0(ABC10)\n");
}

static void test_children_callee(void **state)
{
	struct bench b = {
		.set = { .chains = true, .children = true, .graph = { .mode = CALL_GRAPH_GRAPH } },
	};

	(void)state;
	check(&b, NULL,
	      "A 16 1 16-0(A16-11(BA5))\n"
	      "B 15 5 15-0(BA15-10(BA5))\n"
	      "C 10 10 10-0(CBA10)\n");
}

static void test_no_children(void **state)
{
	struct bench b = {
		.set = { .chains = true, .graph = { .mode = CALL_GRAPH_GRAPH } },
	};

	(void)state;
	check(&b, NULL,
	      "C 0 10 10-0(CBA10)\n"
	      "B 0 5 5-0(BABA5)\n"
	      "A 0 1 1-0(A1)\n");
	b.set.graph.caller = true;
	check(&b, NULL,
	      "C 0 10 10-0(ABC10)\n"
	      "B 0 5 5-0(ABAB5)\n"
	      "A 0 1 1-0(A1)\n");
	/* all in one row */
	check(&b, "comm", "A 0 16 16-0(A16-1(B15-0(C10 AB5)))\n");
}

/*
 * Checks the threshold: 32 % of 16 is 5.12, of which perf takes 5, so a branch of 5 stays; 40 % is
 * 6.
 */
static void test_threshold(void **state)
{
	struct bench b = {
		.set = { .chains = true,
			 .graph = { .mode = CALL_GRAPH_GRAPH, .caller = true, .threshold = 32 } },
	};

	(void)state;
	check(&b, "comm", "A 0 16 16-0(A16-1(B15-0(C10 AB5)))\n");
	b.set.graph.threshold = 40;
	check(&b, "comm", "A 0 16 16-0(A16-1(B15-0(C10)))\n");
	b.set.graph.mode = CALL_GRAPH_FOLDED;
	b.set.graph.threshold = 0;
	check(&b, "comm", "A 0 16 16-0(ABC10 ABAB5 A16-1)\n");
}

static void test_filters(void **state)
{
	struct bench b = {
		.set = { .chains = true, .children = true, .relative = true },
	};

	(void)state;
	strlist_add(&b.set.symbols, "B");
	run(&b, NULL, 2);
	assert_int_equal(b.v->entry_count, 1);
	assert_int_equal(b.v->entries[0]->total->period, 15);
	assert_int_equal(hist_view_period(b.v, 0), 5); /* what passed by its leaf */
	assert_int_equal(b.v->totals[0].period, 16);
	done(&b);
	strlist_release(&b.set.symbols);
	b.set.pids = (u32[]){ 11 };
	b.set.pid_count = 1;
	run(&b, NULL, 1);
	assert_int_equal(b.v->entry_count, 0);
	assert_int_equal(b.v->totals[0].samples, 3);
	done(&b);
}

static size_t shown_fields(const struct bench *b)
{
	size_t count, shown = 0;
	const struct hist_field *f = hist_fields(b->h, &count);

	for (size_t i = 0; i < count; i++)
		shown += f[i].shown;
	return shown;
}

static u64 reversed(void *arg, const struct hist_view *v, const struct hist_entry *e)
{
	(void)arg;
	(void)v;
	return 1000 - e->self->period;
}

static u64 same_place(void *arg, const struct hist_view *v, const struct hist_entry *e)
{
	(void)arg;
	(void)v;
	(void)e;
	return 7;
}

/* Zooms, name parts and limits; nothing of it lasts. */
static void test_narrowing(void **state)
{
	struct bench b = { .set = { .chains = true, .children = true } };
	struct hist_zoom zoom;
	size_t count, shown;

	(void)state;
	run(&b, "dso,symbol", 2);
	shown = shown_fields(&b);
	zoom.field = &hist_fields(b.h, &count)[3];
	zoom.like = b.v->entries[1];
	assert_string_equal(zoom.field->column->name, "symbol");
	hist_narrow(b.h,
		    &(struct hist_narrowing){ .zooms = &zoom, .zoom_count = 1, .relative = true });
	assert_int_equal(b.v->entry_count, 1);
	assert_ptr_equal(b.v->entries[0], zoom.like);
	assert_int_equal(b.v->totals[0].shown_period, 5);
	assert_int_equal(hist_view_period(b.v, 0), 5);
	zoom.field--; /* all are of one dso, so its column says nothing */
	hist_narrow(b.h, &(struct hist_narrowing){ .zooms = &zoom, .zoom_count = 1 });
	assert_int_equal(b.v->entry_count, 3);
	assert_int_equal(shown_fields(&b), shown - 1);
	hist_narrow(b.h, &(struct hist_narrowing){ .symbol_part = "C" });
	assert_int_equal(b.v->entry_count, 1);
	assert_int_equal(b.v->entries[0]->self->period, 10);
	assert_int_equal(hist_view_period(b.v, 0), 16); /* everything again */
	hist_narrow(b.h, &(struct hist_narrowing){ .percent_limit = 90 });
	assert_int_equal(b.v->entry_count, 2);
	hist_narrow(b.h, &(struct hist_narrowing){ .most_entries = 2 });
	assert_int_equal(b.v->entry_count, 2);
	hist_narrow(b.h, &(struct hist_narrowing){ .least_samples = 1000 });
	assert_int_equal(b.v->entry_count, 0);
	hist_narrow(b.h, &(struct hist_narrowing){ .place = reversed });
	assert_int_equal(b.v->entry_count, 3);
	for (size_t i = 1; i < b.v->entry_count; i++)
		assert_true(b.v->entries[i]->self->period <= b.v->entries[i - 1]->self->period);
	hist_narrow(b.h, &(struct hist_narrowing){ .place = same_place });
	assert_ptr_equal(b.v->entries[1], zoom.like);
	hist_narrow(b.h, &(struct hist_narrowing){ 0 });
	assert_int_equal(b.v->entry_count, 3);
	assert_int_equal(shown_fields(&b), shown);
	assert_int_equal(b.v->totals[0].shown_period, 16);
	done(&b);
}

static void test_parent(void **state)
{
	struct bench b = {
		.set = { .chains = true, .parent = "^B$", .exclude_other = true },
	};

	(void)state;
	check(&b, "comm", "A 0 15 \n"); /* the sample of A alone has no such caller */
}

static void test_keys(void **state)
{
	struct bench b = { .set = { .chains = false } };
	struct strbuf cell = STRBUF_INIT;
	const struct hist_field *f;
	size_t count;

	(void)state;
	run(&b, "cpu,pid", 3);
	f = hist_fields(b.h, &count);
	assert_int_equal(count, 3);
	assert_string_equal(hist_header(b.h, &f[0]), "Overhead");
	assert_int_equal(b.v->entry_count, 3);
	for (u32 i = 0; i < 3; i++) {
		f[1].column->format(b.v, &f[1], b.v->entries[i], 0, &cell);
		strbuf_char(&cell, ' ');
	}
	assert_string_equal(strbuf_cstr(&cell), "000 001 002 ");
	strbuf_release(&cell);
	done(&b);
}

/*
 * Checks how many rows the collector has after the three samples, which are in three functions.
 * With chains or examples, the last one is not included yet.
 */
static void test_rows_without_places(void **state)
{
	static const struct {
		const char *sort;
		size_t rows;
		bool browsed, chains, hide_unresolved;
		u32 picks;
	} cases[] = {
		{ .sort = "comm", .rows = 1 },
		{ .sort = "comm,pid", .rows = 1 },
		{ .sort = "cpu", .rows = 3 },
		{ .sort = "comm", .browsed = true, .rows = 3 },
		{ .sort = "comm", .chains = true, .rows = 2 },
		{ .sort = "comm", .hide_unresolved = true, .rows = 3 },
		{ .sort = "comm", .picks = 2, .rows = 2 },
		{ .sort = "comm,dso", .rows = 3 },
		{ .sort = "sym", .rows = 3 },
		{ .sort = "comm,dso_size", .rows = 3 },
		{ .sort = "weight", .rows = 3 },
		{ .sort = "parent", .rows = 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench b = {
			.set = { .only_rows = !cases[i].browsed,
				 .chains = cases[i].chains,
				 .hide_unresolved = cases[i].hide_unresolved,
				 .picks = cases[i].picks },
		};
		struct reason r = REASON_INIT;
		struct hist_collector *c;

		world_init(&b.w);
		b.h = hist_new(&b.w.ctx, &b.w.set, b.w.h, b.w.images, &b.set);
		assert_int_equal(hist_set_keys(b.h, cases[i].sort, NULL, false, &r), 0);
		c = hist_collector_new(b.h);
		for (int k = 0; k < 3; k++)
			add_sample(&b, c, k);
		if (hist_collector_rows(c) != cases[i].rows)
			fail_msg("-s %s: %zu rows", cases[i].sort, hist_collector_rows(c));
		assert_int_equal(hist_finish(b.h, &c, 1, b.w.symbols, &r), 0);
		assert_int_equal(hist_view(b.h, 0)->totals->samples, 3);
		hist_collector_free(c);
		done(&b);
	}
}

static void test_unknown_key(void **state)
{
	struct bench b = { .set = { .chains = false } };
	struct reason r = REASON_INIT;

	(void)state;
	world_init(&b.w);
	b.h = hist_new(&b.w.ctx, &b.w.set, b.w.h, b.w.images, &b.set);
	assert_int_equal(hist_set_keys(b.h, "comm,simbol", NULL, false, &r), -EINVAL);
	assert_string_equal(r.text, "unknown --sort key 'simbol'");
	assert_non_null(strstr(r.hint, "did you mean 'symbol'"));
	reason_release(&r);
	done(&b);
}

static void test_graph_words(void **state)
{
	struct call_graph_settings g = { .mode = CALL_GRAPH_NONE };
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(call_graph_parse(&g, "fractal,2.5,7,callee,address,count", &r), 0);
	assert_int_equal(g.mode, CALL_GRAPH_FRACTAL);
	assert_true(g.threshold == 2.5);
	assert_int_equal(g.print_limit, 7);
	assert_false(g.caller);
	assert_true(g.order_given && g.by_address);
	assert_int_equal(g.value, CALL_GRAPH_COUNT);
	assert_int_equal(call_graph_parse(&g, "graph,sideways", &r), -EINVAL);
	assert_string_equal(r.text, "unknown call graph setting 'sideways'");
	reason_release(&r);
}

static void test_time_ranges(void **state)
{
	static const char *const bad[] = { "",        "x",       "5",       "3,2",
					   "10%/11",  "0%/1",    "50%-20%", "101%",
					   "10%/nan", "10%/1e0", "nan%",    "0x5%",
					   "10%/0x2", "inf%",    "-5%",     "1,0x2" };
	struct time_ranges t = { VEC_INIT };

	(void)state;
	assert_int_equal(time_ranges_parse(&t, "7,18446744069414584", 0, 0, NULL), 0);
	assert_true(time_ranges_have(&t, UINT64_MAX));
	assert_false(time_ranges_have(&t, 6999999999));
	time_ranges_release(&t);
	assert_int_equal(time_ranges_parse(&t, "1.5,2 3,", 0, 0, NULL), 0);
	assert_false(time_ranges_have(&t, 1499999999));
	assert_true(time_ranges_have(&t, 1500000000) && time_ranges_have(&t, 2000000000));
	assert_false(time_ranges_have(&t, 2000000001));
	assert_true(time_ranges_have(&t, UINT64_MAX));
	time_ranges_release(&t);
	assert_int_equal(time_ranges_parse(&t, "1, 2 3, 4 5,", 0, 0, NULL), 0);
	assert_int_equal(t.list.count, 3);
	assert_true(t.list.items[0].from == 1000000000 && t.list.items[0].to == 2000000000);
	assert_true(t.list.items[1].from == 3000000000 && t.list.items[1].to == 4000000000);
	assert_true(t.list.items[2].from == 5000000000 && t.list.items[2].to == UINT64_MAX);
	time_ranges_release(&t);
	assert_int_equal(time_ranges_parse(&t, "10%/2,50%-100%", 1000, 2000, NULL), 0);
	assert_false(time_ranges_have(&t, 1099));
	assert_true(time_ranges_have(&t, 1100) && time_ranges_have(&t, 1200));
	assert_false(time_ranges_have(&t, 1201));
	assert_true(time_ranges_have(&t, 2000));
	time_ranges_release(&t);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(time_ranges_parse(&t, bad[i], 1000, 2000, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_caller),
		cmocka_unit_test(test_children_callee),
		cmocka_unit_test(test_no_children),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_parent),
		cmocka_unit_test(test_narrowing),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_rows_without_places),
		cmocka_unit_test(test_unknown_key),
		cmocka_unit_test(test_graph_words),
		cmocka_unit_test(test_time_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
