// SPDX-License-Identifier: GPL-2.0-or-later
/* spe/packets.h: packets at their borders.  What records become is in tests/cli/spe.bats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "spe/packets.h"

/* Returns how many records there are, the last one, and how many bytes were skipped. */
static size_t count(const u8 *bytes, size_t size, struct spe_record *last, u64 *damaged)
{
	struct spe_reader s;
	struct spe_record r;
	size_t n = 0;

	spe_read_begin(&s, bytes, size);
	while (spe_read(&s, &r)) {
		*last = r;
		n++;
	}
	assert_ptr_equal(s.at, s.end);
	*damaged = s.damaged;
	return n;
}

#define COUNT(...)                                                                                 \
	count((const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }), &r, &damaged)

static void test_packets(void **state)
{
	struct spe_record r;
	u64 damaged;

	(void)state;
	/* a load, 7 cycles in all, of source 8; its end without a time */
	assert_int_equal(COUNT(0x49, 0, 0x98, 7, 0, 0x43, 8, 0x01), 1);
	assert_int_equal(damaged, 0);
	assert_int_equal(r.op, SPE_LOAD);
	assert_int_equal(r.latency, 7);
	assert_int_equal(r.source, 8);
	/* extended headers: counter 0, counter 8, which is another one */
	assert_int_equal(COUNT(0x49, 1, 0x20, 0x98, 9, 0, 0x21, 0x98, 5, 0, 0x01), 1);
	assert_int_equal(r.op, SPE_STORE);
	assert_int_equal(r.latency, 9);
	/* alignment to 4 bytes */
	assert_int_equal(COUNT(0x00, 0x21, 0x00, 0xff, 0x49, 0, 0x01), 1);
	assert_int_equal(damaged, 0);
}

static void test_cut(void **state)
{
	struct spe_record r;
	u64 damaged;

	(void)state;
	/* a payload, an extended header, an alignment that go on behind the end */
	assert_int_equal(COUNT(0x01, 0x71, 2, 3), 1);
	assert_int_equal(damaged, 3);
	assert_int_equal(COUNT(0x20), 0);
	assert_int_equal(damaged, 1);
	assert_int_equal(COUNT(0x2f, 0x00, 0x00), 0);
	assert_int_equal(damaged, 1);
	/* what was gathered before a byte that is no packet is dropped */
	assert_int_equal(COUNT(0x49, 0, 0xff, 0x98, 7, 0, 0x01), 1);
	assert_int_equal(r.op, 0);
	assert_int_equal(r.latency, 7);
	assert_int_equal(damaged, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_packets),
					    cmocka_unit_test(test_cut) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
