// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's code as its own records changed it (TEXT_POKE). */
#include <string.h>

#include "process/tables.h"

void text_pokes_add(struct text_pokes *t, const struct record_text_poke *p, const struct order_key *since)
{
	if (!p->new_len)
		return; /* freed: nothing can be sampled there any more */
	vec_push(&t->list, (struct text_poke){
		.since = *since, .addr = p->addr, .at = t->bytes.count, .size = p->new_len, .old_size = p->old_len });
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
	u32 from = 0, to = (u32)h->text_pokes.list.count;

	while (from < to) {
		u32 mid = from + (to - from) / 2;

		if (order_key_cmp(&h->text_pokes.list.items[mid].since, key) <= 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* The part of it that is in [addr, end). */
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
		memcpy(bytes + (low - addr), h->text_pokes.bytes.items + p->at + (low - p->addr), high - low);
		if (low <= known && high > known)
			known = high;
	}
	/* What is changed later was as the first of these changes found it. */
	for (size_t i = count; i-- > made;) {
		const struct text_poke *p = &h->text_pokes.list.items[i];

		if (p->old_size == p->size && touches(p, addr, end, &low, &high))
			memcpy(bytes + (low - addr), h->text_pokes.bytes.items + p->at + p->size + (low - p->addr),
			       high - low);
	}
	return known - addr;
}
