// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of runs, and when there are enough.  Documentation/design/versus.md has the reasons.
 */
#include "base/hash.h"
#include "builtin/stat/versus.h"

/*
 * Shuffles an order for each two rounds (Fisher and Yates), which the second of them has backwards.
 */
void versus_order(u64 round, u32 *order, size_t count)
{
	u64 block = round / 2;

	for (size_t i = 0; i < count; i++)
		order[i] = (u32)i;
	for (size_t i = count - 1; i; i--) {
		size_t other = hash_combine(block, i) % (i + 1);
		u32 kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	if (!(round % 2))
		return;
	for (size_t i = 0; i < count / 2; i++) {
		u32 kept = order[i];

		order[i] = order[count - 1 - i];
		order[count - 1 - i] = kept;
	}
}

/* Goes from 10 on by half as many more each time, in whole blocks of two rounds. */
u64 versus_next_checkpoint(u64 rounds)
{
	return rounds < VERSUS_LEAST ? VERSUS_LEAST
				     : MIN((rounds * 3 / 2 + 1) / 2 * 2, VERSUS_MOST);
}

double versus_quantile(u64 rounds, bool fixed)
{
	return statistics_student_quantile(VERSUS_LEVEL / 100.0,
					   (unsigned)(fixed ? rounds - 1 : VERSUS_LEAST - 1));
}

enum versus_end versus_is_last(struct versus_plan *p, u64 rounds, u64 passed,
			       bool (*narrow)(void *arg), void *arg)
{
	if (p->fixed)
		return rounds >= p->fixed ? VERSUS_FIXED : VERSUS_GOES_ON;
	if (p->last)
		return rounds >= p->last ? VERSUS_NARROW : VERSUS_GOES_ON;
	if (rounds < VERSUS_LEAST || rounds % 2)
		return VERSUS_GOES_ON;
	if (rounds >= VERSUS_MOST)
		return VERSUS_ROUNDS;
	/* the time for the next block, as it was on average */
	if (passed + passed / rounds * 2 > p->max_time)
		return VERSUS_TIME;
	if (!p->checkpoint)
		p->checkpoint = VERSUS_LEAST;
	if (rounds == p->checkpoint) {
		p->checkpoint = versus_next_checkpoint(rounds);
		if (narrow(arg))
			p->last = rounds + 2;
	}
	return VERSUS_GOES_ON;
}
