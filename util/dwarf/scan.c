// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds a string, or each of a few offsets, with memchr on its rarest byte.
 *
 * Many offsets are found together. They are divided into eight groups. For each half of each of an
 * offset's four bytes, a table of 16 entries has a bit for each group that has an offset with this
 * half byte there. ANDing the eight entries of a position leaves the groups that may have it. A
 * processor that looks up sixteen half bytes together does this for sixteen positions at a time.
 * Others compare sixteen positions with the range of the two upper bytes, which are small numbers.
 * A table of bits then checks the remaining ones by the two lower bytes.
 */
#include "dwarf/scan.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <tmmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define LANES 16
typedef u8 lanes __attribute__((vector_size(LANES)));

/* Smaller data is not worth a second thread. */
#define SIZE_FOR_THREADS ((size_t)8 << 20)

/* More offsets than this are searched together. */
#define FEW_OFFSETS 12

/* Bytes that are searched in one pass each. */
struct needle {
	const u8 *bytes;
	size_t size, rarest; /* rarest: which of its bytes is, in a sample of the data */
};

struct scan {
	const struct scan_request *q;
	struct needle needles[FEW_OFFSETS + 1];
	size_t needle_count;
	u8 offset_bytes[FEW_OFFSETS][4];
	u8 top[2];         /* greatest values of the uppermost byte, and of the one below */
	unsigned place[4]; /* where in the four bytes the lowest, ... uppermost one is */
	/* by the value of the two lower bytes: whether any offset has them */
	u64 low[65536 / 64];
	bool by_halves; /* this processor looks up sixteen entries at once */
	/* each byte as it lies in the data: groups by its lower and upper half */
	u8 halves[4][2][LANES];
};

struct part {
	const struct scan *s;
	size_t from, to;
};

static void add_needle(struct scan *s, const u32 *seen, const u8 *bytes, size_t size)
{
	struct needle *n = &s->needles[s->needle_count++];

	*n = (struct needle){ .bytes = bytes, .size = size };
	for (size_t i = 1; i < size; i++)
		if (seen[bytes[i]] < seen[bytes[n->rarest]])
			n->rarest = i;
}

static void prepare_needles(struct scan *s)
{
	const struct scan_request *q = s->q;
	size_t step = q->size / 4096 + 1;
	u32 seen[256] = { 0 };

	for (size_t i = 0; i < q->size; i += step)
		seen[q->data[i]]++;
	if (q->string_size)
		add_needle(s, seen, q->string, q->string_size);
	for (size_t i = 0; q->offset_count <= FEW_OFFSETS && i < q->offset_count; i++) {
		for (unsigned j = 0; j < 4; j++)
			s->offset_bytes[i][j] =
				(u8)(q->offsets[i] >> 8 * (q->big_endian ? 3 - j : j));
		add_needle(s, seen, s->offset_bytes[i], 4);
	}
}

static void prepare_offsets(struct scan *s)
{
	const struct scan_request *q = s->q;
	u8 second = 0;

	for (unsigned i = 0; i < 4; i++)
		s->place[i] = q->big_endian ? 3 - i : i;
	for (size_t i = 0; i < q->offset_count; i++) {
		u32 v = q->offsets[i];

		s->low[(v & 0xffff) / 64] |= BIT64(v % 64);
		s->top[0] = MAX(s->top[0], (u8)(v >> 24));
		second = MAX(second, (u8)(v >> 16));
	}
	s->top[1] = s->top[0] ? UINT8_MAX : second;
	/* Ascending offsets: those of a group share their upper bytes. */
	for (size_t i = 0; i < q->offset_count; i++)
		for (unsigned j = 0; j < 4; j++) {
			u8 byte = (u8)(q->offsets[i] >> 8 * j),
			   group = (u8)(1u << i * 8 / q->offset_count);

			s->halves[s->place[j]][0][byte & 15] |= group;
			s->halves[s->place[j]][1][byte >> 4] |= group;
		}
#if defined(__x86_64__)
	s->by_halves = !q->plain && __builtin_cpu_supports("ssse3");
#elif defined(__aarch64__)
	s->by_halves = !q->plain;
#endif
}

static void find_needle(const struct scan_request *q, const struct needle *n, size_t at, size_t to)
{
	if (q->size < n->size)
		return;
	to = MIN(to, q->size - n->size + 1);
	while (at < to) {
		const u8 *p = memchr(q->data + at + n->rarest, n->bytes[n->rarest], to - at);
		size_t next;

		if (!p)
			return;
		p -= n->rarest;
		at = (size_t)(p - q->data);
		next = memcmp(p, n->bytes, n->size) ? 0 : q->found(q->arg, at);
		at = MAX(at + 1, next);
	}
}

/* Returns where to go on when an offset is found here; 0: there is none. */
static size_t look_at(const struct scan *s, size_t at)
{
	const struct scan_request *q = s->q;
	const u8 *p = q->data + at;
	u32 v = (u32)(p[s->place[0]] | p[s->place[1]] << 8);

	if (!(s->low[v / 64] & BIT64(v % 64)))
		return 0;
	v |= (u32)p[s->place[2]] << 16 | (u32)p[s->place[3]] << 24;
	for (size_t i = 0; i < q->offset_count; i++)
		if (q->offsets[i] == v)
			return q->found(q->arg, at);
	return 0;
}

/*
 * Returns the positions, out of sixteen, at which a bit is set in the byte: first position lowest.
 */
static unsigned positions(lanes hit)
{
	unsigned out = 0;
	u64 half[2];

	memcpy(half, &hit, LANES);
	if (!(half[0] | half[1]))
		return 0;
	for (unsigned i = 0; i < LANES; i++)
		out |= (hit[i] != 0) << i;
	return out;
}

/* Positions at which the upper bytes are in range. */
static unsigned in_range(const struct scan *s, const u8 *p)
{
	lanes top, below, most = { 0 }, most_below = { 0 };

	most += s->top[0];
	most_below += s->top[1];
	memcpy(&top, p + s->place[3], LANES);
	memcpy(&below, p + s->place[2], LANES);
	return positions((lanes)((top <= most) & (below <= most_below)));
}

/*
 * From `at` on, the first sixteen positions some of which may have an offset, and which; or the
 * place where fewer than sixteen can be read.
 */
#if defined(__x86_64__)
__attribute__((target("ssse3"))) static size_t next_by_halves(const struct scan *s, size_t at,
							      size_t to, unsigned *which)
{
	const __m128i half = _mm_set1_epi8(15);
	__m128i lower[4], upper[4];

	for (unsigned j = 0; j < 4; j++) {
		lower[j] = _mm_loadu_si128((const void *)s->halves[j][0]);
		upper[j] = _mm_loadu_si128((const void *)s->halves[j][1]);
	}
	for (; at < to && s->q->size - at >= LANES + 4; at += LANES) {
		__m128i left = _mm_set1_epi8(-1);

		for (unsigned j = 0; j < 4; j++) {
			__m128i v = _mm_loadu_si128((const void *)(s->q->data + at + j));

			left = _mm_and_si128(left,
					     _mm_shuffle_epi8(lower[j], _mm_and_si128(v, half)));
			v = _mm_and_si128(_mm_srli_epi16(v, 4), half);
			left = _mm_and_si128(left, _mm_shuffle_epi8(upper[j], v));
		}
		*which = 0xffff ^
			 (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(left, _mm_setzero_si128()));
		if (*which)
			break;
	}
	return at;
}
#elif defined(__aarch64__)
static size_t next_by_halves(const struct scan *s, size_t at, size_t to, unsigned *which)
{
	for (; at < to && s->q->size - at >= LANES + 4; at += LANES) {
		uint8x16_t left = vdupq_n_u8(0xff);

		for (unsigned j = 0; j < 4; j++) {
			uint8x16_t v = vld1q_u8(s->q->data + at + j);

			left = vandq_u8(left, vqtbl1q_u8(vld1q_u8(s->halves[j][0]),
							 vandq_u8(v, vdupq_n_u8(15))));
			left = vandq_u8(left,
					vqtbl1q_u8(vld1q_u8(s->halves[j][1]), vshrq_n_u8(v, 4)));
		}
		*which = positions((lanes)left);
		if (*which)
			break;
	}
	return at;
}
#else
static size_t next_by_halves(const struct scan *s, size_t at, size_t to, unsigned *which)
{
	(void)s;
	(void)to;
	*which = 0xffff;
	return at;
}
#endif

static size_t next_positions(const struct scan *s, size_t at, size_t to, unsigned *which)
{
	if (s->by_halves)
		return next_by_halves(s, at, to, which);
	for (; at < to && s->q->size - at >= LANES + 4; at += LANES) {
		*which = in_range(s, s->q->data + at);
		if (*which)
			break;
	}
	return at;
}

static void find_offsets(const struct scan *s, size_t from, size_t to)
{
	const struct scan_request *q = s->q;
	size_t at = from;

	while (at < to && q->size - at >= LANES + 4) {
		size_t next;
		unsigned left = 0;

		at = next_positions(s, at, to, &left);
		if (!left)
			break;
		next = at + LANES;
		for (; left && next == at + LANES; left &= left - 1) {
			size_t told = look_at(s, at + (unsigned)__builtin_ctz(left));

			next = MAX(next, told);
		}
		at = next;
	}
	while (at < to && q->size - at >= 4) {
		size_t told = look_at(s, at);

		at = MAX(at + 1, told);
	}
}

static void *scan_part(void *arg)
{
	const struct part *part = arg;

	for (size_t i = 0; i < part->s->needle_count; i++)
		find_needle(part->s->q, &part->s->needles[i], part->from, part->to);
	if (part->s->q->offset_count > FEW_OFFSETS)
		find_offsets(part->s, part->from, part->to);
	return NULL;
}

void scan_bytes(const struct scan_request *q)
{
	struct scan s = { .q = q };
	struct part whole = { &s, 0, q->size }, low = whole, high = whole;
	pthread_t thread;

	if (!q->size)
		return;
	prepare_needles(&s);
	prepare_offsets(&s);
	low.to = high.from = q->middle;
	if (q->size < SIZE_FOR_THREADS || q->middle >= q->size || !q->middle ||
	    pthread_create(&thread, NULL, scan_part, &high)) {
		scan_part(&whole);
		return;
	}
	scan_part(&low);
	pthread_join(thread, NULL);
}
