// SPDX-License-Identifier: GPL-2.0-or-later
/* Masks and shifts of a word: what is called the rest of it is what C computes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "config.h"
#ifdef HAVE_LIBDW
#include "probe/places_internal.h"

static u64 seed = 88172645463325252ULL;

static u64 next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* The word of a value whose word is w. */
static u64 meant(const struct fetch_value *v, u64 w)
{
	u64 bits = v->cut.bits ? v->cut.bits : 64, out;

	if (v->base == FETCH_CONSTANT)
		return v->number;
	out = w << (64 - v->cut.from - bits);
	out = v->cut.is_signed ? (u64)((s64)out >> (64 - bits)) : out >> (64 - bits);
	return out << v->cut.up;
}

static u64 random_mask(void)
{
	u64 ones = ~(u64)0 >> next() % 64;

	return next() % 8 ? ones << next() % 64 : next();
}

static bool step(struct fetch_value *v, u64 *real)
{
	static const unsigned widths[] = { 8, 16, 32, 64 };
	u64 n = next() % 64, mask = random_mask();
	unsigned bits = widths[next() % 4];

	switch (next() % 6) {
	case 0:
	case 1:
		*real &= mask;
		return fetch_keep(v, mask);
	case 2:
		*real <<= n;
		return fetch_shift_left(v, n);
	case 3:
		*real >>= n;
		return fetch_shift_right(v, n, false);
	case 4:
		*real = (u64)((s64)*real >> n);
		return fetch_shift_right(v, n, true);
	}
	/* to a signed number of these bits, and back to the word */
	*real = (u64)((s64)(*real << (64 - bits)) >> (64 - bits));
	return fetch_convert(v, bits, true);
}

static void test_random_operations(void **state)
{
	unsigned said = 0;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		struct fetch_value v = { .base = FETCH_REGISTER, .reg = 5 };
		u64 word = next(), real = word;
		bool good = true;

		for (unsigned n = 1 + (unsigned)(next() % 4); n && good && v.base == FETCH_REGISTER;
		     n--)
			good = step(&v, &real);
		if (!good)
			continue;
		said++;
		if (meant(&v, word) != real)
			fail_msg("run %u: %#llx of %#llx: from %u bits %u up %u signed %d", i,
				 (unsigned long long)real, (unsigned long long)word, v.cut.from,
				 v.cut.bits, v.cut.up, v.cut.is_signed);
	}
	assert_true(said > 50000);
}

static void test_what_is_no_part(void **state)
{
	struct fetch_value sum = { .base = FETCH_REGISTER, .pending = 1 },
			   whole = { .base = FETCH_REGISTER };

	(void)state;
	assert_false(fetch_keep(&sum, 0xff));
	assert_false(fetch_shift_right(&sum, 1, false));
	assert_false(fetch_keep(&whole, 0xf0f));
	whole = (struct fetch_value){ .base = FETCH_REGISTER };
	assert_true(fetch_keep(&whole, ~(u64)0) && !whole.cut.bits);
	assert_true(fetch_shift_right(&whole, 8, false) && fetch_keep(&whole, 0xff));
	assert_true(whole.cut.from == 8 && whole.cut.bits == 8 && !whole.cut.up &&
		    !whole.cut.is_signed);
	assert_int_equal(fetch_read(&whole, false, NULL), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_operations),
		cmocka_unit_test(test_what_is_no_part),
	};

	return cmocka_run_group_tests_name("parts of a word", tests, NULL, NULL);
}
#else
static void test_without(void **state)
{
	(void)state;
	skip(); /* libdw is missing */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_without) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
