// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "record/internal.h"

#define MB (1ULL << 20)

static void expect(const struct loss_facts *f, const char *in_cause, const char *whole_remedy)
{
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;

	record_explain_loss(f, &cause, &remedy);
	assert_non_null(strstr(strbuf_cstr(&cause), in_cause));
	assert_string_equal(strbuf_cstr(&remedy), whole_remedy);
	strbuf_release(&cause);
	strbuf_release(&remedy);
}

/* A ring below the usual size comes first, whatever else was slow. */
static void small_rings(void **state)
{
	struct loss_facts f = { .lost = 1, .ring = 4096, .ring_may_grow = true, .ran_ns = 100,
				.waited_ns = 90, .emptying_ns = 90 };

	(void)state;
	expect(&f, "rings of 4 kB", "use larger rings: -m 2M");
	f.ring = 2 * MB;
	f.waited_ns = f.emptying_ns = 0;
	expect(&f, "rings of 2048 kB", "use larger rings: -m 8M");
}

static void no_cpu(void **state)
{
	struct loss_facts f = { .lost = 1, .ring = 2 * MB, .ring_may_grow = true, .ran_ns = 1000,
				.waited_ns = 400, .emptying_ns = 900 };

	(void)state;
	expect(&f, "waited for a CPU 40%",
	       "give it priority over what it watches: -r 1 (as root)");
	f.waited_ns = 100;
	f.freq_applies = true;
	f.freq = 4000;
	expect(&f, "writing them took 90%", "take fewer samples: -F 2000");
}

/* Each kind of recording has its own way to write less. */
static void less_to_write(void **state)
{
	struct loss_facts f = { .lost = 1, .ring = 512 * 1024, .ran_ns = 1000, .freq = 4000,
				.freq_applies = true, .stack_bytes = 8192 };

	(void)state;
	expect(&f, "rings of 512 kB", "copy less of the stack: --call-graph dwarf,4096");
	f.stack_bytes = 1024;
	expect(&f, "rings", "take fewer samples: -F 2000");
	f.freq_applies = false;
	expect(&f, "rings", "sample not each event but every tenth: -c 10");
	f.period = 100;
	expect(&f, "rings", "take fewer samples: -c 1000");
	f.ring = 64 * MB;
	f.ring_may_grow = true;
	expect(&f, "rings of 65536 kB", "take fewer samples: -c 1000");
}

/* Own samples go, wherever the ring wraps, also through a record; all else stays as it was. */
static void own_samples(void **state)
{
	enum { RECORDS = 9, SIZE = 32, ALL = RECORDS * SIZE, OURS = 4711 };
	const struct record_own own = { .pid = OURS, .pid_at = 16 };
	const u32 pids[RECORDS] = { OURS, 1, OURS, OURS, 2, OURS, 0, 3, OURS };
	u8 all[ALL] = { 0 }, want[ALL];
	struct strbuf out = STRBUF_INIT;
	size_t kept = 0;

	(void)state;
	for (u32 i = 0; i < RECORDS; i++) {
		/* one is no sample, though our number stands in it */
		u32 type = i == 5 ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SAMPLE;
		u16 size = SIZE;
		u8 *p = all + i * SIZE;

		memcpy(p, &type, 4);
		memcpy(p + 6, &size, 2);
		memcpy(p + 16, &pids[i], 4);
		p[24] = (u8)(i + 1);
		if (type == PERF_RECORD_SAMPLE && pids[i] == OURS)
			continue;
		memcpy(want + kept, p, SIZE);
		kept += SIZE;
	}
	for (size_t cut = 8; cut <= ALL; cut += 8) {
		u8 first[ALL], second[ALL];
		struct ring_data d = { first, cut < ALL ? second : NULL, cut, ALL - cut };
		struct record_counts c = { 0 };

		memcpy(first, all, cut);
		memcpy(second, all + cut, ALL - cut);
		assert_int_equal(record_tally(&c, &d, SIZE_MAX, &own), 4);
		assert_int_equal(c.own, 4);
		assert_int_equal(c.samples, 4);
		record_without_own(&d, &own, &out);
		assert_int_equal(out.len, kept);
		assert_memory_equal(out.s, want, kept);
		assert_int_equal(record_tally(&c, &d, ALL, &(struct record_own){ .pid = OURS }), 0);
		assert_int_equal(d.first_size + d.second_size, ALL);
		/* a piece ends with the record that makes it large enough */
		assert_int_equal(record_tally(&c, &d, 3 * SIZE - 1, &(struct record_own){ .pid = OURS }), 0);
		assert_int_equal(d.first_size, MIN(cut, 3 * SIZE));
		assert_int_equal(d.first_size + d.second_size, 3 * SIZE);
	}
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_rings),
		cmocka_unit_test(no_cpu),
		cmocka_unit_test(less_to_write),
		cmocka_unit_test(own_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
