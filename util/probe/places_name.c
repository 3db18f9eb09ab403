// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols at places; releases places. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/places_internal.h"

/*
 * Ranks a symbol's name: one that begins as DWARF's does is better than an alias, a global better
 * than a local.
 */
static int rank(const struct probe_place *p, const char *name, int binding)
{
	return (str_starts(name, p->function) ? 4 : 0) + (binding == STB_GLOBAL ? 2 : 0) +
	       (binding == STB_WEAK ? 1 : 0);
}

/* Finds places whose symbol is not unique: several functions (static ones) have its name. */
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
			if (p->symbol && address != p->address - p->symbol_offset &&
			    !strcmp(name, p->symbol))
				p->symbol_is_unique = false;
	}
}

static void name_place(struct debuginfo *d, struct probe_place *p)
{
	int best = 0, best_symbol = 0, symbol;
	size_t at = 0;

	while ((symbol = debuginfo_symbol_over(d, p->address, &at)) >= 0) {
		const char *name;
		u64 address, size;
		int binding, new;

		debuginfo_symbol_at(d, symbol, &name, &address, &size, &binding);
		new = 1 + rank(p, name, binding);
		if (new < best || (new == best &&symbol > best_symbol))
			continue;
		best = new;
		best_symbol = symbol;
		free(p->symbol);
		p->symbol = xstrdup(name);
		p->symbol_offset = p->address - address;
	}
}

void probe_places_name(struct debuginfo *d, struct probe_places *places)
{
	vec_for_each(&places->list, p)
		name_place(d, p);
	if (d->is_kernel && places->list.count)
		find_namesakes(d, places);
}

/*
 * Reports whether the place is "put_pid.part.0" of "put_pid": the rest of a function, which it
 * calls itself.
 */
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

void probe_place_release(struct probe_place *p)
{
	free(p->function);
	free(p->symbol);
	free(p->file);
	free(p->scope);
	memset(p, 0, sizeof(*p));
}

void probe_places_release(struct probe_places *p)
{
	vec_for_each(&p->list, place)
		probe_place_release(place);
	vec_release(&p->list);
}
