// SPDX-License-Identifier: GPL-2.0-or-later
/* mem find_bit: walking the set bits of a bitmap against testing each bit. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"

struct find_bit {
	struct bench *b;
	unsigned outer, inner, bits;
	u64 *map;
	volatile u64 seen; /* the result, which keeps the loops from being optimized away */
};

/* A call for each bit, as a loop's body would be. */
__attribute__((noinline)) static void found(struct find_bit *f, unsigned bit)
{
	f->seen += bit + 1;
}

__attribute__((noinline)) static unsigned next_bit(const u64 *map, unsigned bits, unsigned from)
{
	unsigned word = from / 64;
	u64 rest;

	if (from >= bits)
		return bits;
	rest = map[word] & ~0ULL << from % 64;
	while (!rest) {
		if (++word * 64 >= bits)
			return bits;
		rest = map[word];
	}
	return MIN(bits, word * 64 + (unsigned)__builtin_ctzll(rest));
}

static void walk(struct find_bit *f)
{
	for (unsigned bit = next_bit(f->map, f->bits, 0); bit < f->bits;
	     bit = next_bit(f->map, f->bits, bit + 1))
		found(f, bit);
}

static void test_each(struct find_bit *f)
{
	const volatile u64 *map = f->map;

	for (unsigned bit = 0; bit < f->bits; bit++)
		if (map[bit / 64] >> bit % 64 & 1)
			found(f, bit);
}

static void time_one(struct find_bit *f, void (*fn)(struct find_bit *f), struct figures *figures)
{
	u64 start = clock_now();

	for (unsigned i = 0; i < f->inner; i++)
		fn(f);
	figures_add(figures, (double)(clock_now() - start) / 1e3);
}

static void run_set(struct find_bit *f, unsigned set)
{
	struct figures walked = { 0 }, tested = { 0 };

	memset(f->map, 0, (f->bits + 63) / 64 * sizeof(*f->map));
	for (unsigned bit = 0; bit < f->bits; bit += f->bits / set)
		f->map[bit / 64] |= BIT64(bit % 64);
	for (unsigned i = 0; i < f->outer; i++) {
		time_one(f, walk, &walked);
		time_one(f, test_each, &tested);
	}
	bench_text(f->b, "%u operations %u bits set of %u bits\n", f->inner, set, f->bits);
	bench_text(f->b, "  Average for_each_set_bit took: %.3f usec (+- %.3f usec)\n", walked.mean,
		   figures_deviation(&walked));
	bench_text(f->b, "  Average test_bit loop took:    %.3f usec (+- %.3f usec)\n", tested.mean,
		   figures_deviation(&tested));
	if (f->b->format != BENCH_JSON)
		return;
	bench_metric(f->b, "bits", f->bits, "bits");
	bench_metric(f->b, "bits-set", set, "bits");
	bench_metric(f->b, "for_each_set_bit", walked.mean, "usec");
	bench_metric(f->b, "test_bit", tested.mean, "usec");
}

int bench_find_bit(struct bench *b, int argc, const char **argv)
{
	struct find_bit f = { .b = b, .outer = 5, .inner = 100000 };
	const struct option_row rows[] = {
		{ OPTION_UINT, 'i', "outer-iterations", &f.outer,
		  .help = "times that each is measured (default: 5)" },
		{ OPTION_UINT, 'j', "inner-iterations", &f.inner,
		  .help = "loops of each measurement (default: 100000)" },
		OPT_END_ROW,
	};
	enum { MOST_BITS = 2048 };
	int code = bench_options(b, rows, &argc, argv);

	if (code)
		return bench_parsed(code);
	if (!f.outer || !f.inner) {
		say_error("at least one iteration is needed");
		return EXIT_USAGE;
	}
	f.map = xcalloc(MOST_BITS / 64, sizeof(*f.map));
	for (f.bits = 1; f.bits <= MOST_BITS; f.bits *= 2)
		for (unsigned set = 1; set <= f.bits; set *= 2)
			run_set(&f, set);
	free(f.map);
	return 0;
}
