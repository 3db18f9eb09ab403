// SPDX-License-Identifier: GPL-2.0-or-later
/* Reasons for failed searches: the names that are near. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/name.h"
#include "probe/places_internal.h"
#include "symbol/demangle.h"

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

/* Hints at similar names of C++ or Rust, as people see them. */
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
		reason_hint(r,
			    "'perf probe -F' with the same options lists the functions there are");
	strlist_release(&names);
	return -ENOENT;
}

/* Hints at a missing package. Returns false if none is to blame. */
static bool hint_package(const struct debuginfo *d, struct reason *r)
{
	char *package = debuginfo_unread_package(d);
	bool found = package;

	if (found)
		reason_hint(
			r,
			"libdw %s does not read '%s' (0.191 does): keep the .dwo files beside the "
			"program",
			dwfl_version(NULL), package);
	free(package);
	return found;
}

int probe_no_function(struct debuginfo *d, const char *function, const char *file, struct reason *r)
{
	struct names names = { VEC_INIT };
	char *missing = debuginfo_missing_split(d);
	const char *near;
	bool symbol;

	collect_names(d, &names);
	symbol = !file && names.list.count &&
		 bsearch(&function, names.list.items, names.list.count, sizeof(function),
			 compare_names);
	if (symbol) {
		vec_release(&names.list);
		if (missing)
			reason_set(r, ENOENT,
				   "'%s' is in the symbols of '%s' only: its debug information is "
				   "missing: '%s'",
				   function, d->path, missing);
		else
			reason_set(r, ENOENT,
				   "'%s' is in the symbols of '%s' only: its code has no debug "
				   "information",
				   function, d->path);
		if (!missing || !hint_package(d, r))
			reason_hint(
				r, "its entry, %%return, $argN and registers can be probed without "
				   "it");
		free(missing);
		return -ENOENT;
	}
	if (file)
		reason_set(r, ENOENT, "no function '%s' of '%s' in the debug information of '%s'",
			   function, file, d->path);
	else
		reason_set(r, ENOENT, "no function '%s' in the debug information of '%s'", function,
			   d->path);
	if (missing) {
		if (!hint_package(d, r))
			reason_hint(r, "some of it is missing: '%s'", missing);
		free(missing);
		vec_release(&names.list);
		return -ENOENT;
	}
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
		reason_hint(r,
			    "'perf probe -F' with the same options lists the functions there are");
	vec_release(&names.list);
	return -ENOENT;
}

int probe_no_file(struct debuginfo *d, const char *file, struct reason *r)
{
	struct names names = { VEC_INIT };
	const char *near;

	reason_set(r, ENOENT, "no source file '%s' in the debug information of '%s'", file,
		   d->path);
	vec_for_each(&d->units, u) {
		const char *name = unit_open(d, u) ? dwarf_diename(&u->die) : NULL;

		if (name)
			vec_push(&names.list, path_base(name));
	}
	near = nearest_name(path_base(file), names.list.items, names.list.count);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(
			r, "a file is named by the end of its path; -L FUNCTION shows the one of a "
			   "function");
	vec_release(&names.list);
	return -ENOENT;
}
