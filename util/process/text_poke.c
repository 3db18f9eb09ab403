// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's code as its own records changed it (TEXT_POKE). */
#include <string.h>

#include "process/tables.h"

void text_pokes_add(struct text_pokes *t, const struct record_text_poke *p)
{
	if (!p->new_len)
		return; /* freed: nothing can be sampled there any more */
	vec_push(&t->list, (struct text_poke){
		.addr = p->addr, .at = t->bytes.count, .size = p->new_len });
	for (u32 i = 0; i < p->new_len; i++)
		vec_push(&t->bytes, p->bytes[p->old_len + i]);
}

void text_pokes_release(struct text_pokes *t)
{
	vec_release(&t->list);
	vec_release(&t->bytes);
}

u64 history_code(const struct history *h, u64 addr, u8 *bytes, size_t size, u32 *changes)
{
	u64 end = addr + size < addr ? UINT64_MAX : addr + size, known = addr;

	*changes = 0;
	vec_for_each(&h->text_pokes.list, p) {
		u64 low = MAX(p->addr, addr), high = MIN(p->addr + p->size, end);

		if (p->addr + p->size < p->addr || low >= high)
			continue;
		memcpy(bytes + (low - addr), h->text_pokes.bytes.items + p->at + (low - p->addr),
		       high - low);
		if (low <= known && high > known)
			known = high;
		++*changes;
	}
	return known - addr;
}
