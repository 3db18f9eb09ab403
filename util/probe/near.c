// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols of places, and what was near when nothing was found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/name.h"
#include "probe/places_internal.h"
#include "symbol/demangle.h"

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
	int count = debuginfo_symbol_count(d);

	vec_for_each(&places->list, p)
		p->symbol_is_unique = p->symbol != NULL;
	for (int s = 0; s < count; s++) {
		const char *name;
		u64 address, size;
		int binding;

		if (!debuginfo_symbol_at(d, s, &name, &address, &size, &binding))
			continue;
		vec_for_each(&places->list, p)
			if (p->symbol && address != p->address - p->symbol_offset && !strcmp(name, p->symbol))
				p->symbol_is_unique = false;
	}
}

void probe_places_name(struct debuginfo *d, struct probe_places *places)
{
	VEC(struct by_address) sorted = VEC_INIT;
	int count = places->list.count ? debuginfo_symbol_count(d) : 0;
	int *ranks = xcalloc(places->list.count + 1, sizeof(int));

	for (size_t i = 0; i < places->list.count; i++)
		vec_push(&sorted, (struct by_address){ places->list.items[i].address, (u32)i });
	vec_sort(&sorted, compare_addresses);
	for (int s = 0; s < count; s++) {
		const char *name;
		u64 address, size;
		int binding;

		if (!debuginfo_symbol_at(d, s, &name, &address, &size, &binding))
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

void probe_places_drop_parts(struct probe_places *out)
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

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct names {
	VEC(const char *) list;
};

static void collect_names(struct debuginfo *d, struct names *names)
{
	int count = debuginfo_symbol_count(d);
	size_t kept = 0;

	for (int s = 0; s < count; s++) {
		const char *name;
		u64 address, size;
		int binding;

		if (debuginfo_symbol_at(d, s, &name, &address, &size, &binding))
			vec_push(&names->list, name);
	}
	vec_sort(&names->list, compare_names);
	for (size_t i = 0; i < names->list.count; i++)
		if (!kept || strcmp(names->list.items[kept - 1], names->list.items[i]) != 0)
			names->list.items[kept++] = names->list.items[i];
	names->list.count = kept;
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

/* The names as people see them, where the one that was looked for is of C++ or Rust. */
static int hint_qualified(struct debuginfo *d, const char *function, struct reason *r)
{
	bool parameters = name_has_parameters(function);
	int count = debuginfo_symbol_count(d);
	struct strlist names = { VEC_INIT };
	const char *near;

	for (int i = 0; i < count; i++) {
		u64 address, size;
		const char *name;
		int binding;
		char *full;

		if (!debuginfo_symbol_at(d, i, &name, &address, &size, &binding))
			continue;
		full = symbol_demangle(name, parameters);
		if (full)
			strlist_add(&names, full);
		free(full);
	}
	near = nearest_name(function, (const char *const *)names.list.items, names.list.count);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r, "'perf probe -F' with the same options lists the functions there are");
	strlist_release(&names);
	return -ENOENT;
}

int probe_no_function(struct debuginfo *d, const char *function, const char *file,
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
	if (name_is_qualified(function)) {
		vec_release(&names.list);
		return hint_qualified(d, function, r);
	}
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

int probe_no_file(struct debuginfo *d, const char *file, struct reason *r)
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
