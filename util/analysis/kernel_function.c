// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/kernel_function.h"

bool kernel_function_at(struct session *s, u64 addr, const struct order_key *when,
			struct kernel_function *out)
{
	static const struct order_key end = { .time = UINT64_MAX };
	struct history *h = session_history(s);
	const struct mapping *m = history_find(h, history_kernel_space(h, 0, when ? when : &end), addr);
	const struct symbol_table *t;
	const struct symbol *sym;
	const struct image *im;
	u64 offset;
	u32 n;

	if (!m)
		return false;
	im = image_get(session_images(s), m->image);
	t = symbols_of(session_symbols(s), m->image);
	offset = addr - m->start + m->pgoff;
	n = symbol_find(t, offset);
	if (n == NO_SYMBOL)
		return false;
	sym = symbol_get(t, n);
	*out = (struct kernel_function){ .name = sym->name, .start = addr - (offset - sym->start),
					 .module = im->kind == IMAGE_MODULE ? im->name : "" };
	return true;
}
