// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/search.h"
#include "symbol/find_kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "object/cache.h"
#include "symbol/internal.h"

struct kernel_list_of_names {
	struct kallsyms k;
};

static void explain_hidden(const char *path, struct reason *r)
{
	const char *hint, *why = kallsyms_hidden(path, &hint);

	if (strcmp(path, "/proc/kallsyms"))
		reason_set(r, EPERM, "'%s' holds no addresses: %s", path, why);
	else
		reason_set(r, EPERM, "the kernel hides the addresses of its symbols: %s", why);
	reason_hint(r, "%s", hint);
}

int kernel_names_open(const char *path, struct kernel_list_of_names **out, struct reason *r)
{
	struct kernel_list_of_names *n = xcalloc(1, sizeof(*n));
	int err;

	if (!path)
		path = "/proc/kallsyms";
	err = kallsyms_read(path, &n->k, r);
	if (!err && n->k.all_zero) {
		explain_hidden(path, r);
		err = -EPERM;
	}
	if (!err && !n->k.parts.items[0].symbols.list.count)
		err = reason_set(r, EINVAL, "'%s' is not a list of kernel symbols", path);
	if (err) {
		kernel_names_free(n);
		return err;
	}
	vec_for_each(&n->k.parts, p) {
		symbol_list_sort(&p->symbols);
		symbol_list_extend_ends(&p->symbols);
	}
	*out = n;
	return 0;
}

void kernel_names_free(struct kernel_list_of_names *n)
{
	kallsyms_release(&n->k);
	free(n);
}

/*
 * Returns the end of a symbol. An alias at the same address has no extent of its own and shares its
 * neighbour's.
 */
static u64 end_of(const struct symbol_list *l, size_t i)
{
	size_t k = i;

	while (k + 1 < l->list.count && symbol_end(&l->list.items[k]) == l->list.items[i].start)
		k++;
	return symbol_end(&l->list.items[k]);
}

size_t kernel_names_find(struct kernel_list_of_names *n, const char *name,
			 void (*fn)(void *arg, const struct kernel_symbol *s), void *arg)
{
	size_t found = 0;

	vec_for_each(&n->k.parts, p) {
		for (size_t i = 0; i < p->symbols.list.count; i++) {
			const struct symbol *s = &p->symbols.list.items[i];

			if (strcmp(s->name, name))
				continue;
			fn(arg, &(struct kernel_symbol){ .name = s->name,
							 .module = p->module,
							 .start = s->start,
							 .end = end_of(&p->symbols, i) });
			found++;
		}
	}
	return found;
}

/* Returns how many symbols of a sorted list begin at or before the address. */
static size_t begun_at(const struct symbol_list *l, u64 addr)
{
	return lower_bound(i, 0, l->list.count, l->list.items[i].start <= addr);
}

bool kernel_names_at(struct kernel_list_of_names *n, u64 addr, struct kernel_symbol *out)
{
	vec_for_each(&n->k.parts, p) {
		size_t i = begun_at(&p->symbols, addr);
		const struct symbol *s = i ? &p->symbols.list.items[i - 1] : NULL;

		if (!s || addr >= MAX(end_of(&p->symbols, i - 1), s->start + 1))
			continue;
		*out = (struct kernel_symbol){ .name = s->name,
					       .module = p->module,
					       .start = s->start,
					       .end = end_of(&p->symbols, i - 1) };
		return true;
	}
	return false;
}
