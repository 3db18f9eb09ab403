// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the usual content of print formats: constant text and numbers of fields.
 * The size of a run of them is known when the format is compiled, so they are written one after
 * another without checks or terminators between them.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/digits.h"
#include "base/text.h"
#include "tracepoint/plan_quick.h"

/* ---- making ---- */

/*
 * Finds the field of a number, and the bits that are left of its value. Returns false for other
 * numbers.
 */
static bool field_of(const struct plan *p, u32 index, struct quick *q)
{
	const struct num *n = &p->nums.items[index];
	bool is_cast = false;

	q->mask = UINT64_MAX;
	for (; n->kind == NUM_CAST; n = &p->nums.items[n->a]) {
		if (n->type.size == 8)
			continue;
		if (is_cast)
			return false;
		is_cast = true;
		q->cast_bits = n->type.is_signed ? (u8)(64 - 8 * n->type.size) : 0;
		q->mask = n->type.is_signed ? UINT64_MAX : UINT64_MAX >> (64 - 8 * n->type.size);
	}
	if (n->kind != NUM_FIELD && n->kind != NUM_SIGNED)
		return false;
	if (n->size != 1 && n->size != 2 && n->size != 4 && n->size != 8)
		return false;
	q->at = n->offset;
	q->size = (u8)n->size;
	q->sign_bits = n->kind == NUM_SIGNED ? (u8)(64 - 8 * n->size) : 0;
	return true;
}

/* Returns how many bits of a value the conversion does not show. */
static u8 cut_bits(const struct plan *p, const struct layout *l)
{
	switch (l->longs) {
	case -2:
		return 56;
	case -1:
		return 48;
	case 0:
		return 32;
	case 1:
		return p->long_size == 8 ? 0 : 32;
	default:
		return 0;
	}
}

static bool is_quick(const struct plan *p, const struct step *step, struct quick *q)
{
	const struct layout *l = &step->layout;

	if (step->kind != STEP_NUMBER || !l->plain || !field_of(p, step->index, q))
		return false;
	q->cut_bits = cut_bits(p, l);
	q->width = (u8)l->width;
	q->zero = l->zero;
	switch (l->conversion) {
	case 'x':
		q->kind = QUICK_HEX;
		break;
	case 'u':
		q->kind = QUICK_DEC;
		break;
	case 'd': /* printf places the sign in a column */
		q->kind = QUICK_SIGNED;
		if (l->width)
			return false;
		break;
	case 'p':
		q->kind = QUICK_POINTER;
		break;
	default:
		return false;
	}
	if (q->kind != QUICK_SIGNED)
		q->mask &= UINT64_MAX >> q->cut_bits;
	return true;
}

/* Tabs and line feeds are left as they are. */
static bool is_printable(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((u8)s[i] >= 0x7f || ((u8)s[i] < 0x20 && s[i] != '\t' && s[i] != '\n'))
			return false;
	return true;
}

static const char *keep_pieces(struct plan *p, const char *s, size_t n)
{
	char *copy = arena_alloc(&p->memory,
				 (n + PLAN_PIECE - 1) / PLAN_PIECE * PLAN_PIECE + PLAN_PIECE);

	memcpy(copy, s, n);
	return copy;
}

static void set_room(struct plan *p)
{
	u32 room = 0;

	for (size_t i = p->quick.count; i-- > 0;) {
		struct quick *q = &p->quick.items[i];

		if (q->kind == QUICK_STEP)
			room = 0; /* what follows reserves room again */
		room += q->len + PLAN_PIECE + q->width + 2 * DIGITS_ROOM;
		q->room = room;
	}
}

void plan_make_quick(struct plan *p)
{
	struct strbuf text = STRBUF_INIT;

	p->is_printable = true;
	for (u32 i = 0; i <= p->steps.count; i++) {
		const struct step *step = i < p->steps.count ? &p->steps.items[i] : NULL;
		struct quick q = { .kind = QUICK_END };

		if (step && step->kind == STEP_TEXT) {
			strbuf_add(&text, step->text, step->len);
			continue;
		}
		if (step && !is_quick(p, step, &q)) {
			q = (struct quick){ .kind = QUICK_STEP, .at = i };
			p->is_printable = false;
		}
		q.text = keep_pieces(p, strbuf_cstr(&text), text.len);
		q.len = (u32)text.len;
		p->is_printable &= is_printable(q.text, q.len);
		strbuf_clear(&text);
		vec_push(&p->quick, q);
	}
	strbuf_release(&text);
	set_room(p);
}

/* ---- running ---- */

static inline u64 value_of(const struct quick *q, const u8 *raw, bool swap)
{
	u64 v;

	switch (q->size) {
	case 8:
		v = load_u64(raw + q->at, swap);
		break;
	case 4:
		v = load_u32(raw + q->at, swap);
		break;
	case 2:
		v = load_u16(raw + q->at, swap);
		break;
	default:
		v = raw[q->at];
	}
	v = (u64)((s64)(v << q->sign_bits) >> q->sign_bits);
	return (u64)((s64)(v << q->cast_bits) >> q->cast_bits) & q->mask;
}

static inline char *put_text(char *to, const struct quick *q)
{
	for (u32 i = 0; i < q->len; i += PLAN_PIECE)
		memcpy(to + i, q->text + i, PLAN_PIECE);
	return to + q->len;
}

static inline char *fill(char *to, const struct quick *q, unsigned digits)
{
	for (unsigned i = digits; i < q->width; i++)
		*to++ = q->zero ? '0' : ' ';
	return to;
}

static inline char *put_number(char *to, const struct quick *q, u64 v)
{
	unsigned digits;

	switch (q->kind) {
	case QUICK_HEX:
		digits = digits_hex_count(v);
		return digits_hex_exact(fill(to, q, digits), v, digits);
	case QUICK_DEC:
		digits = digits_dec_count(v);
		return digits_dec_exact(fill(to, q, digits), v, digits);
	case QUICK_SIGNED:
		v = (u64)((s64)(v << q->cut_bits) >> q->cut_bits);
		if ((s64)v < 0) {
			*to++ = '-';
			v = -v;
		}
		return digits_dec(to, v);
	case QUICK_POINTER:
		if (!v) {
			memcpy(to, "(nil)", 5);
			return to + 5;
		}
		memcpy(to, "0x", 2);
		return digits_hex(to + 2, v);
	default:
		return to;
	}
}

bool plan_run(const struct plan *p, const struct tracepoint_formats *f,
	      const struct plan_names *names, const u8 *raw, u32 raw_size, struct strbuf *out)
{
	const struct plan_run run = { .plan = p,
				      .formats = f,
				      .names = names,
				      .raw = raw,
				      .raw_size = raw_size,
				      .out = out };
	const struct quick *q = p->quick.items;
	char *to = strbuf_grow(out, q->room);

	for (;; q++) {
		to = put_text(to, q);
		if (q->kind == QUICK_END)
			break;
		if (likely(q->kind != QUICK_STEP)) {
			to = put_number(to, q, value_of(q, raw, f->swap));
			continue;
		}
		out->len = (size_t)(to - out->s);
		plan_write_step(&run, &p->steps.items[q->at]);
		to = strbuf_grow(out, q[1].room);
	}
	out->len = (size_t)(to - out->s);
	*to = '\0';
	return p->is_printable;
}
