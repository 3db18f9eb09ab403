// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses to memory in one table: which of them are one row, in whatever order and however often
 * they come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/perf_abi.h"
#include "chains.h"
#include "hist/hist.h"

enum {
	LOAD = 1 << 1,
	HIT = 1 << 6,
	L1 = 1 << 8,
	L2 = 1 << 10,
	ROUNDS = 3,
	VARIANTS = 7,
	MANY = 200000
};

struct table {
	struct world w;
	struct hist_settings set;
	struct hist *h;
	struct hist_collector *c;
};

static void begin(struct table *t, const char *sort)
{
	struct reason r = REASON_INIT;

	*t = (struct table){ .set = { .expansion = HIST_ACCESSES } };
	world_init(&t->w);
	t->h = hist_new(&t->w.ctx, &t->w.set, t->w.h, t->w.images, &t->set);
	assert_int_equal(hist_set_keys(t->h, sort, NULL, false, &r), 0);
	t->c = hist_collector_new(t->h);
}

static const struct hist_view *end(struct table *t)
{
	struct reason r = REASON_INIT;

	assert_int_equal(hist_finish(t->h, &t->c, 1, t->w.symbols, &r), 0);
	hist_collector_free(t->c);
	assert_int_equal(hist_view_count(t->h), 1);
	return hist_view(t->h, 0);
}

static void release(struct table *t)
{
	hist_free(t->h);
	world_release(&t->w);
}

static struct sample first_access(const struct table *t)
{
	return (struct sample){
		.event = t->w.set.list.items[0],
		.cpumode = PERF_RECORD_MISC_KERNEL,
		.ip = TEXT + 0x1010,
		.addr = TEXT + 0x2010,
		.data_src = LOAD | HIT | L1,
		.weight = 5,
		.ins_lat = 7,
		.id = { .pid = 10, .tid = 10 },
	};
}

static void add(struct table *t, const struct sample *s)
{
	struct order_key key = when(50);
	struct hist_access access = {
		.code = { .addr = s->ip, .cpumode = s->cpumode },
		.data = { .addr = s->addr, .cpumode = PERF_RECORD_MISC_KERNEL },
	};
	struct hist_sample h = { .sample = s, .key = &key, .task = t->w.task, .access = &access };

	history_locate(t->w.h, t->w.task, s->cpumode, s->ip, &key, &h.leaf);
	history_locate(t->w.h, t->w.task, PERF_RECORD_MISC_KERNEL, s->addr, &key, &access.data.at);
	hist_collector_add(t->c, &h);
}

/* Returns the first access, or one that differs from it in one thing. */
static struct sample variant(const struct table *t, int which)
{
	struct sample s = first_access(t);

	switch (which) {
	case 1:
		s.data_src ^= L1 | L2;
		break;
	case 2:
		s.weight++;
		break;
	case 3:
		s.ins_lat++;
		break;
	case 4:
		s.addr += 8;
		break;
	case 5:
		s.ip = TEXT + 0x2010;
		break;
	case 6:
		s.phys_addr = 64;
		break;
	default:
		break;
	}
	return s;
}

/* Adds each variant so many times and checks the samples of all rows, the largest first. */
static void check(const char *sort, size_t rows, const u64 *samples)
{
	const struct hist_view *v;
	struct table t;
	u64 all = 0;

	begin(&t, sort);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < VARIANTS; i++) {
			struct sample s = variant(&t, i);

			add(&t, &s);
		}
	v = end(&t);
	assert_int_equal(v->entry_count, rows);
	for (size_t i = 0; i < v->entry_count; i++) {
		assert_int_equal(v->entries[i]->self->samples, samples[i]);
		all += v->entries[i]->self->period;
	}
	/* the second one's weight is one more */
	assert_int_equal(all, ROUNDS * (5 * VARIANTS + 1));
	release(&t);
}

static void test_rows_are_what_the_columns_see(void **state)
{
	(void)state;
	check("mem", 2, (const u64[]){ 18, 3 });
	check("local_weight", 2, (const u64[]){ 18, 3 });
	check("local_ins_lat", 2, (const u64[]){ 18, 3 });
	check("symbol_daddr", 2, (const u64[]){ 18, 3 });
	check("sym", 2, (const u64[]){ 18, 3 });
	check("symbol_iaddr", 2, (const u64[]){ 18, 3 });
	check("phys_daddr", 2, (const u64[]){ 18, 3 });
	check("mem,sym", 3, (const u64[]){ 15, 3, 3 });
	check("mem,local_weight,local_ins_lat,symbol_daddr,sym", 6,
	      (const u64[]){ 6, 3, 3, 3, 3, 3 });
	check("mem,local_weight,local_ins_lat,symbol_daddr,sym,phys_daddr", 7,
	      (const u64[]){ 3, 3, 3, 3, 3, 3, 3 });
}

static void many_rows(const char *sort, u64 count, void (*set)(struct sample *s, u64 n))
{
	const struct hist_view *v;
	struct table t;
	struct sample s;

	begin(&t, sort);
	s = first_access(&t);
	for (int round = 0; round < 2; round++)
		for (u64 n = 0; n < count; n++) {
			set(&s, n);
			add(&t, &s);
		}
	v = end(&t);
	assert_int_equal(v->entry_count, count);
	for (size_t i = 0; i < v->entry_count; i++)
		assert_int_equal(v->entries[i]->self->samples, 2);
	release(&t);
}

static void set_weight(struct sample *s, u64 n)
{
	s->weight = n;
}

static void set_latency(struct sample *s, u64 n)
{
	s->ins_lat = (u16)n;
}

static void set_code(struct sample *s, u64 n)
{
	s->ip = TEXT + n;
}

static void set_data(struct sample *s, u64 n)
{
	s->addr = TEXT + n;
}

/* Checks more rows than are remembered, so they evict each other. */
static void test_many_rows(void **state)
{
	(void)state;
	many_rows("local_weight", MANY, set_weight);
	many_rows("local_ins_lat", 1 << 16, set_latency);
	many_rows("symbol_iaddr", 1 << 14, set_code);
	many_rows("symbol_daddr", 1 << 14, set_data);
}

static void test_data_is_seen_where_a_column_shows_it(void **state)
{
	static const struct {
		const char *sort;
		bool sees;
	} cases[] = { { "mem,sym", false },
		      { "mem,dso_daddr", true },
		      { "dcacheline,comm", true },
		      { "symbol_iaddr,phys_daddr", false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct table t;

		begin(&t, cases[i].sort);
		assert_int_equal(hist_collector_sees_data(t.c), cases[i].sees);
		end(&t);
		release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_what_the_columns_see),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_data_is_seen_where_a_column_shows_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
