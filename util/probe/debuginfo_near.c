// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF symbols beside the debug information, and what was near when nothing was found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/debuginfo_internal.h"

static bool symbol_at(struct debuginfo *d, int i, const char **name, u64 *address, u64 *size,
		      int *binding)
{
	GElf_Sym sym;
	GElf_Addr value;
	GElf_Word section;
	int type;

	*name = dwfl_module_getsym_info(d->module, i, &sym, &value, &section, NULL, NULL);
	if (!*name || !**name || section == SHN_UNDEF)
		return false;
	type = GELF_ST_TYPE(sym.st_info);
	*address = value - d->bias;
	*size = sym.st_size;
	*binding = GELF_ST_BIND(sym.st_info);
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static int symbol_count_of(struct debuginfo *d)
{
	return dwfl_module_getsymtab(d->module);
}

struct by_address {
	u64 address;
	u32 place;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct by_address *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static size_t first_at(const struct by_address *list, size_t count, u64 address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (list[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A name that begins as DWARF's does is better than an alias, a global than a local. */
static int rank(const struct probe_place *p, const char *name, int binding)
{
	return (str_starts(name, p->function) ? 4 : 0) + (binding == STB_GLOBAL ? 2 : 0) +
	       (binding == STB_WEAK ? 1 : 0);
}

/* Of several names alike (static functions) a name says too little. */
static void find_namesakes(struct debuginfo *d, struct probe_places *places)
{
	int count = symbol_count_of(d);

	vec_for_each(&places->list, p)
		p->symbol_is_unique = p->symbol != NULL;
	for (int s = 0; s < count; s++) {
		const char *name;
		u64 address, size;
		int binding;

		if (!symbol_at(d, s, &name, &address, &size, &binding))
			continue;
		vec_for_each(&places->list, p)
			if (p->symbol && address != p->address - p->symbol_offset && !strcmp(name, p->symbol))
				p->symbol_is_unique = false;
	}
}

void debuginfo_name_symbols(struct debuginfo *d, struct probe_places *places)
{
	VEC(struct by_address) sorted = VEC_INIT;
	int count = places->list.count ? symbol_count_of(d) : 0;
	int *ranks = xcalloc(places->list.count + 1, sizeof(int));

	for (size_t i = 0; i < places->list.count; i++)
		vec_push(&sorted, (struct by_address){ places->list.items[i].address, (u32)i });
	vec_sort(&sorted, compare_addresses);
	for (int s = 0; s < count; s++) {
		const char *name;
		u64 address, size;
		int binding;

		if (!symbol_at(d, s, &name, &address, &size, &binding))
			continue;
		for (size_t i = first_at(sorted.items, sorted.count, address);
		     i < sorted.count && sorted.items[i].address - address < MAX(size, 1); i++) {
			struct probe_place *p = &places->list.items[sorted.items[i].place];
			int *best = &ranks[sorted.items[i].place];
			int new = 1 + rank(p, name, binding);

			if (new <= *best)
				continue;
			*best = new;
			free(p->symbol);
			p->symbol = xstrdup(name);
			p->symbol_offset = p->address - address;
		}
	}
	free(ranks);
	vec_release(&sorted);
	if (d->is_kernel && places->list.count)
		find_namesakes(d, places);
}

/* "put_pid.part.0" of "put_pid": the rest of it, which it calls itself. */
static bool is_split_off(const struct probe_place *place)
{
	size_t n = place->function ? strlen(place->function) : 0;

	return place->symbol && !strncmp(place->symbol, place->function, n) &&
	       str_starts(place->symbol + n, ".part.");
}

static bool is_whole(const struct probe_place *place)
{
	return place->symbol && !place->symbol_offset && !is_split_off(place);
}

void debuginfo_drop_parts(struct probe_places *out)
{
	bool whole = false;
	size_t kept = 0;

	vec_for_each(&out->list, place)
		whole |= is_whole(place);
	for (size_t i = 0; i < out->list.count; i++) {
		struct probe_place *place = &out->list.items[i];

		if (whole && is_split_off(place))
			probe_place_release(place);
		else
			out->list.items[kept++] = *place;
	}
	out->list.count = kept;
}

/* "malloc" of "malloc@@GLIBC_2.2.5", too: of several versions the default one. */
static bool is_symbol_name(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return !strncmp(name, wanted, n) && (!name[n] || !strncmp(name + n, "@@", 2));
}

/* Its code only chooses the function that is called: ifunc.h finds that one. */
static bool is_indirect(struct debuginfo *d, int i)
{
	GElf_Sym sym;
	GElf_Addr value;

	return dwfl_module_getsym_info(d->module, i, &sym, &value, NULL, NULL, NULL) &&
	       GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
}

struct unit *debuginfo_function_of_symbol(struct debuginfo *d, const char *wanted, Dwarf_Die *out)
{
	int count = symbol_count_of(d);

	for (int s = 0; s < count; s++) {
		u64 address, size, entry;
		struct unit *u;
		const char *name;
		int binding;

		if (!symbol_at(d, s, &name, &address, &size, &binding) ||
		    !is_symbol_name(name, wanted) || is_indirect(d, s))
			continue;
		u = debuginfo_unit_at(d, address);
		if (u && unit_function_at(u, address, out) && die_entry(out, &entry) && entry == address)
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
	int count = symbol_count_of(d);

	d->data_symbols_read = true;
	for (int s = 0; s < count; s++) {
		GElf_Sym sym;
		GElf_Addr value;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(d->module, s, &sym, &value, &section,
							   NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);

		/* The linker's own, as _end, have no type. */
		if (name && *name && section != SHN_UNDEF &&
		    (type == STT_OBJECT || (type == STT_NOTYPE && GELF_ST_BIND(sym.st_info) == STB_GLOBAL)))
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
	int count = symbol_count_of(d), best = 0;

	for (int s = 0; s < count; s++) {
		GElf_Sym sym;
		GElf_Addr value;
		GElf_Word section;
		const char *n = dwfl_module_getsym_info(d->module, s, &sym, &value, &section, NULL,
							NULL);
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

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct names {
	VEC(const char *) list;
};

static void collect_names(struct debuginfo *d, struct names *names)
{
	int count = symbol_count_of(d);
	size_t kept = 0;

	for (int s = 0; s < count; s++) {
		const char *name;
		u64 address, size;
		int binding;

		if (symbol_at(d, s, &name, &address, &size, &binding))
			vec_push(&names->list, name);
	}
	vec_sort(&names->list, compare_names);
	for (size_t i = 0; i < names->list.count; i++)
		if (!kept || strcmp(names->list.items[kept - 1], names->list.items[i]) != 0)
			names->list.items[kept++] = names->list.items[i];
	names->list.count = kept;
}

int debuginfo_each_function(struct debuginfo *d, int (*visit)(void *arg, const char *name),
			    void *arg, struct reason *r)
{
	struct names names = { VEC_INIT };
	int err = 0;

	(void)r;
	collect_names(d, &names);
	vec_for_each(&names.list, n)
		if (!err)
			err = visit(arg, *n);
	vec_release(&names.list);
	return err;
}

static bool is_file(struct debuginfo *d, const char *name)
{
	vec_for_each(&d->units, u) {
		const char *path = unit_open(d, u) ? dwarf_diename(&u->die) : NULL;

		if (path && path_tail_matches(path, name))
			return true;
	}
	return false;
}

int debuginfo_no_function(struct debuginfo *d, const char *function, const char *file,
			  struct reason *r)
{
	struct names names = { VEC_INIT };
	const char *near;
	bool symbol;

	collect_names(d, &names);
	symbol = !file && names.list.count &&
		 bsearch(&function, names.list.items, names.list.count, sizeof(function), compare_names);
	if (symbol) {
		vec_release(&names.list);
		reason_set(r, ENOENT, "'%s' is in the symbols of '%s' only: its code has no debug information",
			   function, d->path);
		reason_hint(r, "its entry, %%return, $argN and registers can be probed without");
		return -ENOENT;
	}
	if (file)
		reason_set(r, ENOENT, "no function '%s' of '%s' in the debug information of '%s'",
			   function, file, d->path);
	else
		reason_set(r, ENOENT, "no function '%s' in the debug information of '%s'", function,
			   d->path);
	near = nearest_name(function, names.list.items, names.list.count);
	if (!file && strchr(function, '.') && is_file(d, function))
		reason_hint(r, "a source file takes a line or a pattern: %s:LINE", function);
	else if (near && strcmp(near, function) != 0)
		reason_hint(r, "did you mean '%s'?", near);
	else if (!file)
		reason_hint(r, "'perf probe -F' with the same options lists the functions there are");
	vec_release(&names.list);
	return -ENOENT;
}

int debuginfo_no_file(struct debuginfo *d, const char *file, struct reason *r)
{
	struct names names = { VEC_INIT };
	const char *near;

	reason_set(r, ENOENT,
		   "no source file '%s' in the debug information of '%s'", file, d->path);
	vec_for_each(&d->units, u) {
		const char *name = unit_open(d, u) ? dwarf_diename(&u->die) : NULL;

		if (name)
			vec_push(&names.list, path_base(name));
	}
	near = nearest_name(path_base(file), names.list.items, names.list.count);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r, "a file is named by the end of its path; -L FUNCTION shows the one of a function");
	vec_release(&names.list);
	return -ENOENT;
}

/* "the nearest lines that have are 7 and 9" */
int debuginfo_no_line(struct debuginfo *d, const struct probe_point *point, struct reason *r)
{
	struct probe_point all = { .function = point->function, .file = point->file,
				   .line_end = UINT32_MAX };
	unsigned wanted = point->line, below = 0, above = 0;
	bool has_below = false, has_above = false;
	struct probe_lines lines;

	reason_set(r, ENOENT, "line %u of '%s' has no code", point->line,
		   point->function ? point->function : point->file);
	if (debuginfo_lines(d, &all, &lines, NULL) < 0)
		return -ENOENT;
	vec_for_each(&lines.lines, l) {
		unsigned line = *l - lines.base;

		if (line < wanted) {
			below = line;
			has_below = true;
		} else if (!has_above) {
			above = line;
			has_above = true;
		}
	}
	if (has_below && has_above)
		reason_hint(r, "the nearest lines that have are %u and %u", below, above);
	else if (has_below || has_above)
		reason_hint(r, "the nearest line that has is %u", has_below ? below : above);
	probe_lines_release(&lines);
	return -ENOENT;
}
