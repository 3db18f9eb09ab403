// SPDX-License-Identifier: GPL-2.0-or-later
/* Applies the kernel's changes to its code, from its own records (TEXT_POKE). */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/search.h"
#include "process/tables.h"

void text_pokes_add(struct text_pokes *t, const struct record_text_poke *p,
		    const struct order_key *since)
{
	if (!p->new_len)
		return; /* freed: it can no longer be sampled */
	vec_push(&t->list, (struct text_poke){ .since = *since,
					       .addr = p->addr,
					       .at = t->bytes.count,
					       .size = p->new_len,
					       .old_size = p->old_len });
	for (u32 i = 0; i < p->new_len; i++)
		vec_push(&t->bytes, p->bytes[p->old_len + i]);
	for (u32 i = 0; i < p->old_len; i++)
		vec_push(&t->bytes, p->bytes[i]);
}

void text_pokes_release(struct text_pokes *t)
{
	vec_release(&t->list);
	vec_release(&t->bytes);
}

code_version history_code_version(const struct history *h, const struct order_key *key)
{
	return lower_bound(i, 0, (u32)h->text_pokes.list.count,
			   order_key_cmp(&h->text_pokes.list.items[i].since, key) <= 0);
}

/* Finds the part of the change in [addr, end). Returns false if there is none. */
static bool touches(const struct text_poke *p, u64 addr, u64 end, u64 *low, u64 *high)
{
	*low = MAX(p->addr, addr);
	*high = MIN(p->addr + p->size, end);
	return p->addr + p->size >= p->addr && *low < *high;
}

u32 history_code_changes(const struct history *h, u64 addr, u64 size, code_version version)
{
	u64 end = addr + size < addr ? UINT64_MAX : addr + size, low, high;
	u32 changes = 0;

	for (size_t i = 0; i < h->text_pokes.list.count && i < version; i++)
		changes += touches(&h->text_pokes.list.items[i], addr, end, &low, &high);
	return changes;
}

u64 history_code(const struct history *h, u64 addr, u8 *bytes, size_t size, code_version version)
{
	u64 end = addr + size < addr ? UINT64_MAX : addr + size, known = addr, low, high;
	size_t count = h->text_pokes.list.count, made = MIN(count, (size_t)version);

	for (size_t i = 0; i < made; i++) {
		const struct text_poke *p = &h->text_pokes.list.items[i];

		if (!touches(p, addr, end, &low, &high))
			continue;
		memcpy(bytes + (low - addr), h->text_pokes.bytes.items + p->at + (low - p->addr),
		       high - low);
		if (low <= known && high > known)
			known = high;
	}
	/* Bytes that are changed only later are as the first of those changes found them. */
	for (size_t i = count; i-- > made;) {
		const struct text_poke *p = &h->text_pokes.list.items[i];

		if (p->old_size == p->size && touches(p, addr, end, &low, &high))
			memcpy(bytes + (low - addr),
			       h->text_pokes.bytes.items + p->at + p->size + (low - p->addr),
			       high - low);
	}
	return known - addr;
}

/*
 * The value of each byte before the changes: unknown, or what the first later change found there.
 * Filled from the last change to the first.
 */
struct found_byte {
	u8 value;
	bool known;
};

/*
 * Returns what each change left, one after another: what the next change found there, or what it
 * wrote itself.
 */
static u8 *bytes_left(const struct history *h, const struct code_forms *f, u64 addr, u64 end,
		      struct found_byte *found)
{
	const struct text_pokes *t = &h->text_pokes;
	u64 low, high, total = 0;
	u8 *left;

	for (u32 i = 0; i < f->count; i++) {
		touches(&t->list.items[f->at[i]], addr, end, &low, &high);
		total += high - low;
	}
	left = xmalloc(total + 1);
	for (u32 i = f->count; i-- > 0;) {
		const struct text_poke *p = &t->list.items[f->at[i]];
		const u8 *new;

		touches(p, addr, end, &low, &high);
		new = t->bytes.items + p->at + (low - p->addr);
		total -= high - low;
		for (u64 a = low; a < high; a++, new ++) {
			struct found_byte *b = &found[a - addr];

			left[total + (a - low)] = b->known ? b->value : *new;
			if (p->old_size == p->size)
				*b = (struct found_byte){ new[p->size], true };
		}
	}
	return left;
}

void code_forms_read(struct code_forms *f, const struct history *h, u64 addr, const u8 *bytes,
		     size_t size)
{
	const struct text_pokes *t = &h->text_pokes;
	const u64 end = addr + size < addr ? UINT64_MAX : addr + size, seed = hash_str("code");
	struct found_byte *now;
	VEC(code_version) at = VEC_INIT;
	u64 low, high, form = 0;
	u8 *left, *next;

	for (size_t i = 0; i < t->list.count; i++)
		if (touches(&t->list.items[i], addr, end, &low, &high))
			vec_push(&at, (code_version)i);
	*f = (struct code_forms){ .count = (u32)at.count, .at = at.items };
	f->forms = xcalloc(at.count + 1, sizeof(*f->forms));
	now = xcalloc(size + 1, sizeof(*now));
	next = left = bytes_left(h, f, addr, end, now);
	for (size_t i = 0; i < size; i++)
		if (!now[i].known)
			now[i].value = bytes[i];
	/*
	 * The sum of the differences from the first form identifies a form: each change costs its
	 * own size.
	 */
	for (u32 i = 0; i < f->count; i++) {
		touches(&t->list.items[f->at[i]], addr, end, &low, &high);
		for (u64 a = low; a < high; a++, next++) {
			u8 *byte = &now[a - addr].value;

			form -= hash_combine(seed + (a - addr), *byte);
			form += hash_combine(seed + (a - addr), *next);
			*byte = *next;
		}
		f->forms[i + 1] = form;
	}
	free(left);
	free(now);
}

void code_forms_release(struct code_forms *f)
{
	free(f->at);
	free(f->forms);
	*f = (struct code_forms){ 0 };
}

u32 code_forms_before(const struct code_forms *f, code_version version)
{
	return lower_bound(i, 0, f->count, f->at[i] < version);
}

code_version code_forms_version(const struct code_forms *f, u32 n)
{
	return n ? f->at[n - 1] + 1 : 0;
}
