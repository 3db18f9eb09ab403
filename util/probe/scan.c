// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A string, and each of few offsets, is found by memchr on its rarest byte.  Many offsets are
 * found together: sixteen positions at a time are held against the range of the two upper bytes, which are small
 * numbers; what is left is looked up by the two lower bytes in a table of bits.
 */
#include "probe/scan.h"

#include <pthread.h>
#include <string.h>

#define LANES 16
typedef u8 lanes __attribute__((vector_size(LANES)));

/* Data below this size is not worth a second thread. */
#define SIZE_FOR_THREADS ((size_t)8 << 20)

/* More offsets than this are looked for together. */
#define FEW_OFFSETS 12

/* Bytes to be found one pass each. */
struct needle {
	const u8 *bytes;
	size_t size, rarest; /* rarest: which of its bytes is, in a sample of the data */
};

struct scan {
	const struct scan_request *q;
	struct needle needles[FEW_OFFSETS + 1];
	size_t needle_count;
	u8 offset_bytes[FEW_OFFSETS][4];
	u8 top[2];     /* greatest values of the uppermost byte, and of the one below */
	unsigned place[4]; /* where in the four bytes the lowest, ... uppermost one is */
	u64 low[65536 / 64]; /* of the two lower bytes: some offset has them */
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
			s->offset_bytes[i][j] = (u8)(q->offsets[i] >> 8 * (q->big_endian ? 3 - j : j));
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

/* Where to go on when an offset stands here; 0: none does. */
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

/* Positions at which the upper bytes are in range: a bit of each byte, first position lowest. */
static void in_range(const struct scan *s, const u8 *p, u64 out[2])
{
	lanes top, below, most = { 0 }, most_below = { 0 }, hit;

	most += s->top[0];
	most_below += s->top[1];
	memcpy(&top, p + s->place[3], LANES);
	memcpy(&below, p + s->place[2], LANES);
	hit = (lanes)((top <= most) & (below <= most_below));
	memcpy(out, &hit, LANES);
	for (unsigned i = 0; i < 2; i++) {
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			out[i] = __builtin_bswap64(out[i]);
		out[i] &= 0x0101010101010101;
	}
}

static void find_offsets(const struct scan *s, size_t from, size_t to)
{
	const struct scan_request *q = s->q;
	size_t at = from;

	while (at < to && q->size - at >= LANES + 4) {
		size_t next = at + LANES;
		u64 hit[2];

		in_range(s, q->data + at, hit);
		for (unsigned i = 0; i < 2; i++)
			for (u64 left = hit[i]; left && next == at + LANES; left &= left - 1) {
				size_t here = at + i * 8 + (unsigned)__builtin_ctzll(left) / 8;

				size_t told = look_at(s, here);

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
