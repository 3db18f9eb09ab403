// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the symbols of the ELF file beside its debug information. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/text.h"
#include "dwarf/die.h"

static void read_symbol(struct debuginfo *d, int i, struct function_symbol *out)
{
	GElf_Sym sym;
	GElf_Addr value;
	GElf_Word section;
	const char *name =
		dwfl_module_getsym_info(d->module, i, &sym, &value, &section, NULL, NULL);
	int type = name ? GELF_ST_TYPE(sym.st_info) : STT_NOTYPE;

	if (name && *name && section != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC))
		*out = (struct function_symbol){ name, value - d->bias, sym.st_size,
						 GELF_ST_BIND(sym.st_info) };
}

/*
 * Returns how many symbols there are. Reads all of them once, because libdwfl is slow, and a glob
 * uses all symbols for each of its functions.
 */
int debuginfo_symbol_count(struct debuginfo *d)
{
	if (!d->symbols_read) {
		int count = dwfl_module_getsymtab(d->module);

		d->symbols_read = true;
		for (int i = 0; i < count; i++)
			read_symbol(d, i, vec_push_zero(&d->symbols));
	}
	return (int)d->symbols.count;
}

bool debuginfo_symbol_at(struct debuginfo *d, int i, const char **name, u64 *address, u64 *size,
			 int *binding)
{
	const struct function_symbol *s = &d->symbols.items[i];

	*name = s->name;
	*address = s->address;
	*size = s->size;
	*binding = s->binding;
	return s->name != NULL;
}

static int compare_order(const void *a, const void *b)
{
	const struct symbol_order *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static u64 end_of(const struct function_symbol *s)
{
	u64 size = MAX(s->size, (u64)1);

	/* avoid overflow with a damaged size */
	return s->address + MIN(size, UINT64_MAX - s->address);
}

static void order_symbols(struct debuginfo *d)
{
	int count = debuginfo_symbol_count(d);
	u64 reach = 0;

	for (int i = 0; i < count; i++) {
		const struct function_symbol *s = &d->symbols.items[i];

		if (s->name)
			vec_push(&d->symbol_order, (struct symbol_order){ s->address, 0, i });
	}
	vec_sort(&d->symbol_order, compare_order);
	vec_for_each(&d->symbol_order, it) {
		reach = MAX(reach, end_of(&d->symbols.items[it->symbol]));
		it->reach = reach;
	}
}

/* Returns how many symbols begin at the address or before it. */
static size_t count_up_to(const struct debuginfo *d, u64 address)
{
	return lower_bound(i, 0, d->symbol_order.count,
			   d->symbol_order.items[i].address <= address);
}

int debuginfo_symbol_over(struct debuginfo *d, u64 address, size_t *at)
{
	if (!d->symbol_order.count)
		order_symbols(d);
	if (!*at)
		*at = count_up_to(d, address) + 1;
	while (*at > 1) {
		const struct symbol_order *o = &d->symbol_order.items[*at - 2];

		if (o->reach <= address)
			break;
		--*at;
		if (end_of(&d->symbols.items[o->symbol]) > address)
			return o->symbol;
	}
	*at = 1;
	return -1;
}

/*
 * Reports whether the name matches, also "malloc" for "malloc@@GLIBC_2.2.5": of several versions,
 * the default one.
 */
static bool is_symbol_name(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return !strncmp(name, wanted, n) && (!name[n] || !strncmp(name + n, "@@", 2));
}

/*
 * Reports whether the symbol is indirect: its code only chooses the function to call; ifunc.h finds
 * that one.
 */
static bool is_indirect(struct debuginfo *d, int i)
{
	GElf_Sym sym;
	GElf_Addr value;

	return dwfl_module_getsym_info(d->module, i, &sym, &value, NULL, NULL, NULL) &&
	       GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
}

struct unit *debuginfo_function_of_symbol(struct debuginfo *d, const char *wanted, Dwarf_Die *out)
{
	int count = debuginfo_symbol_count(d);

	for (int s = 0; s < count; s++) {
		u64 address, size, entry;
		struct unit *u;
		const char *name;
		int binding;

		if (!debuginfo_symbol_at(d, s, &name, &address, &size, &binding) ||
		    !is_symbol_name(name, wanted) || is_indirect(d, s))
			continue;
		u = debuginfo_unit_at(d, address);
		if (u && unit_function_at(u, address, out) && die_entry(out, &entry) &&
		    entry == address)
			return u;
	}
	return NULL;
}

static int compare_data_symbols(const void *a, const void *b)
{
	return strcmp(((const struct data_symbol *)a)->name, ((const struct data_symbol *)b)->name);
}

static void index_data_symbols(struct debuginfo *d)
{
	int count = dwfl_module_getsymtab(d->module);

	d->data_symbols_read = true;
	for (int s = 0; s < count; s++) {
		GElf_Sym sym;
		GElf_Addr value;
		GElf_Word section;
		const char *name =
			dwfl_module_getsym_info(d->module, s, &sym, &value, &section, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);

		/* Symbols of the linker itself, such as _end, have no type. */
		if (name && *name && section != SHN_UNDEF &&
		    (type == STT_OBJECT ||
		     (type == STT_NOTYPE && GELF_ST_BIND(sym.st_info) == STB_GLOBAL)))
			vec_push(&d->data_symbols, (struct data_symbol){ name, value - d->bias });
	}
	vec_sort(&d->data_symbols, compare_data_symbols);
}

bool debuginfo_symbol_address(struct debuginfo *d, const char *wanted, u64 *address)
{
	struct data_symbol key = { .name = wanted }, *found;

	if (!d->data_symbols_read)
		index_data_symbols(d);
	if (!d->data_symbols.count)
		return false;
	found = bsearch(&key, d->data_symbols.items, d->data_symbols.count, sizeof(key),
			compare_data_symbols);
	if (found)
		*address = found->address;
	return found != NULL;
}

bool debuginfo_symbol_covering(struct debuginfo *d, u64 address, const char *like,
			       const char **name, u64 *offset)
{
	int count = debuginfo_symbol_count(d), best = 0;

	for (int s = 0; s < count; s++) {
		GElf_Sym sym;
		GElf_Addr value;
		GElf_Word section;
		const char *n =
			dwfl_module_getsym_info(d->module, s, &sym, &value, &section, NULL, NULL);
		int is_like = n && like && str_starts(n, like) ? 2 : 1;

		value -= d->bias;
		if (!n || !*n || section == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) > STT_OBJECT ||
		    address < value || address - value >= MAX(sym.st_size, 1) || is_like <= best)
			continue;
		best = is_like;
		*name = n;
		*offset = address - value;
	}
	return best > 0;
}
