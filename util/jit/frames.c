// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves the unwind tables of one function to their place in an object of many.
 *
 * In memory they begin at the next multiple of 8 bytes after the code. A description (FDE) finds
 * its common part (CIE) by a distance that does not change when all are moved together. Only its
 * first address, which is relative to itself, is written again. Source: LSB, "Exception Frames";
 * DWARF 5, section 6.4.
 */
#include <string.h>

#include "base/bytes.h"
#include "jit/internal.h"

enum { RELATIVE_4_BYTES = 0x1b }; /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */

struct tables {
	const u8 *data;
	size_t size;
	bool swap;
};

/*
 * Returns the size of the entry at a place, including its length field; 0 if there is none or it
 * cannot be read.
 */
static size_t entry_size(const struct tables *t, size_t at)
{
	u32 length;

	if (at > t->size || t->size - at < 8)
		return 0;
	length = load_u32(t->data + at, t->swap);
	return length < 4 || length > t->size - at - 4 ? 0 : (size_t)length + 4;
}

static bool skip_leb(const u8 **p, const u8 *end)
{
	while (*p < end)
		if (!(*(*p)++ & 0x80))
			return true;
	return false;
}

/*
 * Reports whether the common part (CIE) at this place has version 1 and relative addresses of 4
 * bytes.
 */
static bool is_relative(const struct tables *t, size_t at)
{
	size_t size = entry_size(t, at);
	const u8 *p = t->data + at + 8, *end = t->data + at + size;
	const char *augmentation = (const char *)p + 1;

	if (size < 16 || load_u32(t->data + at + 4, t->swap) || p[0] != 1)
		return false;
	if (memcmp(augmentation, "zR", 3))
		return false;
	p += 4;
	/* skips code and data alignment, return address, length of the augmentation */
	if (!skip_leb(&p, end) || !skip_leb(&p, end) || p == end)
		return false;
	p++;
	return skip_leb(&p, end) && p < end && *p == RELATIVE_4_BYTES;
}

/*
 * Writes the first address of a description again. Returns false if the description cannot be
 * moved.
 */
static bool move(const struct tables *t, size_t at, u8 *to, u64 old_at, u64 addr, u64 base)
{
	u32 back = load_u32(t->data + at + 4, t->swap), value;
	u64 target;

	if (entry_size(t, at) < 16 || back > at + 4 || !is_relative(t, at + 4 - back))
		return false;
	/* relative to the start of the function */
	target = old_at + at + 8 + (u64)(s64)(s32)load_u32(t->data + at + 8, t->swap);
	value = (u32)(addr + target - (base + at + 8));
	value = load_u32(&value, t->swap);
	memcpy(to + 8, &value, sizeof(value));
	return true;
}

void jit_frames_add(const struct jit_entry *e, const struct jit_format *f, u64 addr, u64 base,
		    struct strbuf *out)
{
	const struct tables t = { e->eh_frame, e->eh_frame_size, f->swap };
	size_t start = out->len, at = 0, size;

	while ((size = entry_size(&t, at))) {
		strbuf_add(out, t.data + at, size);
		if (load_u32(t.data + at + 4, t.swap) &&
		    !move(&t, at, (u8 *)out->s + start + at, ALIGN_UP(e->size, 8), addr, base)) {
			strbuf_truncate(out, start);
			return;
		}
		at += size;
	}
}
