// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Masks and shifts of a value, which the kernel's bit fields can express.
 *
 * The rest of a word w is its bits [from, from + bits), moved up by up. Above them are zeros or,
 * where it is signed, copies of the highest of them.
 */
#include "probe/places_internal.h"

static void begin(struct fetch_value *v)
{
	if (!v->cut.bits)
		v->cut.bits = 64;
}

/* Clears the cut where it is the whole word again. Returns true. */
static bool done(struct fetch_value *v)
{
	if (!v->cut.from && !v->cut.up && v->cut.bits == 64)
		v->cut.bits = 0;
	return true;
}

static bool nothing_left(struct fetch_value *v)
{
	*v = (struct fetch_value){ .base = FETCH_CONSTANT };
	return true;
}

/*
 * Reports whether the value can be cut. Neither a sum nor what is read at a part of an address is a
 * part of one word.
 */
static bool can_cut(const struct fetch_value *v)
{
	return !v->pending && !v->in_pieces && v->base != FETCH_IMPLIED;
}

static unsigned top_of(const struct fetch_value *v)
{
	return v->cut.up + v->cut.bits;
}

static bool drop_lowest(struct fetch_value *v, unsigned n)
{
	if (n >= v->cut.bits)
		return v->cut.is_signed ? false : nothing_left(v);
	v->cut.from += n;
	v->cut.bits -= n;
	return true;
}

bool fetch_keep(struct fetch_value *v, u64 mask)
{
	unsigned low, high;

	if (!can_cut(v))
		return false;
	begin(v);
	if (!mask)
		return nothing_left(v);
	low = (unsigned)__builtin_ctzll(mask);
	high = 64 - (unsigned)__builtin_clzll(mask);
	if (high - low != (unsigned)__builtin_popcountll(mask) ||
	    (v->cut.is_signed && high > top_of(v)))
		return false;
	if (high <= v->cut.up || low >= top_of(v))
		return nothing_left(v);
	if (high <= top_of(v)) {
		v->cut.bits = high - v->cut.up;
		v->cut.is_signed = false;
	}
	if (low > v->cut.up) {
		unsigned up = low;

		if (!drop_lowest(v, low - v->cut.up))
			return false;
		v->cut.up = up;
	}
	return done(v);
}

bool fetch_shift_left(struct fetch_value *v, u64 n)
{
	if (!can_cut(v) || n > 63)
		return false;
	begin(v);
	v->cut.up += (unsigned)n;
	if (v->cut.up > 63)
		return nothing_left(v);
	v->cut.bits = MIN(v->cut.bits, 64 - v->cut.up);
	return done(v);
}

bool fetch_shift_right(struct fetch_value *v, u64 n, bool arithmetic)
{
	if (!can_cut(v) || n > 63)
		return false;
	begin(v);
	if (top_of(v) == 64)
		v->cut.is_signed = arithmetic;
	else if (v->cut.is_signed && !arithmetic)
		return !n;
	if (n <= v->cut.up) {
		v->cut.up -= (unsigned)n;
		return done(v);
	}
	n -= v->cut.up;
	v->cut.up = 0;
	return drop_lowest(v, (unsigned)n) && done(v);
}

bool fetch_convert(struct fetch_value *v, unsigned bits, bool is_signed)
{
	if (bits >= 64)
		return true;
	if (!can_cut(v))
		return false;
	begin(v);
	if (bits > top_of(v) || v->cut.up >= bits)
		return v->cut.up < bits; /* wider: the value as it was, with its own sign */
	v->cut.bits = bits - v->cut.up;
	v->cut.is_signed = is_signed;
	return true;
}
