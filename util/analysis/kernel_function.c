// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/kernel_function.h"

bool kernel_function_at(struct session *s, u64 addr, const struct order_key *when,
			struct kernel_function *out)
{
	static const struct order_key end = { .time = UINT64_MAX };
	struct history *h = session_history(s);
	const struct mapping *m =
		history_find(h, history_kernel_space(h, 0, when ? when : &end), addr);
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
	*out = (struct kernel_function){ .name = sym->name,
					 .start = addr - (offset - sym->start),
					 .module = im->kind == IMAGE_MODULE ? im->name : "" };
	return true;
}

struct symbol_search {
	struct session *session;
	const char *name;
	u64 found; /* 0: not found yet */
};

static void search_mapping(void *arg, const struct mapping *m)
{
	struct symbol_search *f = arg;
	const struct symbol_table *t;
	u32 n;

	if (f->found || image_get(session_images(f->session), m->image)->kind != IMAGE_KERNEL)
		return;
	t = symbols_of(session_symbols(f->session), m->image);
	n = symbol_by_name(t, f->name);
	if (n != NO_SYMBOL)
		f->found = symbol_get(t, n)->start - m->pgoff + m->start;
}

u64 kernel_symbol_address(struct session *s, const char *name)
{
	static const struct order_key end = { .time = UINT64_MAX };
	struct symbol_search f = { .session = s, .name = name };
	struct history *h = session_history(s);

	history_each_mapping(h, history_kernel_space(h, 0, &end), search_mapping, &f);
	return f.found;
}
