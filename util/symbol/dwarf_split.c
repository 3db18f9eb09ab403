// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF in other files: split units, of which the program keeps skeletons only (a
 * .dwo file each, or one .dwp package), and the parts that dwz shares.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/text.h"
#include "object/buildid.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf_numbers.h"

/* Returns path's directory, with the slash, before name; the caller frees it. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* .dwo: where the compiler left it, or beside the program */

static struct elf *open_dwo(const struct dwarf_unit *u)
{
	const char *const places[] = { u->dwarf->path, u->dwarf->recorded };
	const char *name = u->dwo_name;
	char *path = name[0] == '/' || !u->comp_dir ? xstrdup(name)
						    : xasprintf("%s/%s", u->comp_dir, name);
	struct elf *e = NULL;
	int err = elf_open(path, &e, NULL);

	free(path);
	for (size_t i = 0; err && i < ARRAY_SIZE(places); i++) {
		if (!places[i])
			continue;
		path = beside(places[i], last_part(name));
		err = elf_open(path, &e, NULL);
		free(path);
	}
	return err ? NULL : e;
}

/* .dwp: an index from a unit's id to its part of each section */

struct package_index {
	bool v5;
	u32 columns, units, slots;
	struct cursor ids, rows, names, offsets, sizes; /* at their first items */
};

static struct cursor take(struct cursor *c, u64 bytes)
{
	struct cursor part = *c;

	cursor_skip(c, bytes);
	part.end = c->p;
	return part;
}

static bool read_package_index(struct cursor c, struct package_index *x)
{
	u32 version = cursor_u32(&c);

	/* the older form has 32 bits of version, the standard's 16 and a padding */
	x->v5 = (version & 0xffff) == 5 || version >> 16 == 5;
	if (!x->v5 && version != 2)
		return false;
	x->columns = cursor_u32(&c);
	x->units = cursor_u32(&c);
	x->slots = cursor_u32(&c);
	if (c.bad || !x->columns || x->columns > 16 || !x->slots || x->slots & (x->slots - 1))
		return false;
	x->ids = take(&c, (u64)x->slots * 8);
	x->rows = take(&c, (u64)x->slots * 4);
	x->names = take(&c, (u64)x->columns * 4);
	x->offsets = take(&c, (u64)x->units * x->columns * 4);
	x->sizes = take(&c, (u64)x->units * x->columns * 4);
	return !c.bad;
}

static u32 item(struct cursor table, u64 index)
{
	cursor_skip(&table, index * 4);
	return cursor_u32(&table);
}

/* Returns the row of a unit, counted from 1, or 0 if it is not in the package. */
static u32 package_row(const struct package_index *x, u64 id)
{
	u32 mask = x->slots - 1;
	u32 slot = (u32)id & mask, step = ((u32)(id >> 32) & mask) | 1;

	for (u32 i = 0; i < x->slots; i++, slot = (slot + step) & mask) {
		struct cursor c = x->ids;
		u32 row = item(x->rows, slot);

		cursor_skip(&c, (u64)slot * 8);
		if (!row || cursor_u64(&c) == id)
			return row <= x->units ? row : 0;
	}
	return 0;
}

static int section_of_column(const struct package_index *x, u32 name)
{
	switch (name) {
	case 1:
		return S_INFO;
	case 3:
		return S_ABBREV;
	case 4:
		return S_LINE;
	case 6:
		return S_STR_OFFSETS;
	case 8:
		return x->v5 ? S_RNGLISTS : -1;
	default:
		return -1;
	}
}

/* Returns the unit's own slices of the package's sections. All units share the strings. */
static struct dwarf *cut_from_package(struct dwarf *package, const struct package_index *x, u32 row)
{
	struct dwarf *d = dwarf_new(NULL, package->path, "");

	d->swap = package->swap;
	for (int s = 0; s < S_COUNT; s++)
		d->sections[s] = (struct elf_bytes){ (const u8 *)"", 0, NULL };
	d->sections[S_STR] = package->sections[S_STR];
	d->sections[S_STR].owned = NULL;
	for (u32 i = 0; i < x->columns; i++) {
		int s = section_of_column(x, item(x->names, i));
		u64 at = (u64)(row - 1) * x->columns + i;
		u32 offset = item(x->offsets, at), size = item(x->sizes, at);
		const struct elf_bytes *whole = s < 0 ? NULL : &package->sections[s];

		if (whole && offset <= whole->size && size <= whole->size - offset)
			d->sections[s] = (struct elf_bytes){ whole->data + offset, size, NULL };
	}
	dwarf_list_units(d);
	return d;
}

/* Tries to open a package; length is that of the part of path that counts. */
static bool try_package(struct dwarf *d, const char *path, size_t length)
{
	char *name = xasprintf("%.*s.dwp", (int)length, path);
	struct elf *e;

	if (!elf_open(name, &e, NULL))
		d->package = dwarf_new(e, name, ".dwo");
	free(name);
	return d->package;
}

/*
 * Finds the package. PROG.dwp is beside PROG, which may be read from a cache and whose debug file
 * may be anywhere, or beside the debug file, PROG.debug. A package of another build does no harm,
 * since its units have other ids.
 */
static struct dwarf *find_package(struct dwarf *d)
{
	static const char debug[] = ".debug";
	const char *const places[] = { d->path, d->object, d->recorded };

	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; !d->package_tried && !d->package && i < ARRAY_SIZE(places); i++)
		if (places[i])
			(void)try_package(d, places[i], strlen(places[i]));
	if (!d->package_tried && !d->package && str_ends(d->path, debug))
		(void)try_package(d, d->path, strlen(d->path) - strlen(debug));
	d->package_tried = true;
	pthread_mutex_unlock(&d->lock);
	return d->package;
}

static struct dwarf *open_from_package(struct dwarf_unit *u)
{
	struct dwarf *package = find_package(u->dwarf), *d = NULL;
	const struct elf_section *s = package ? elf_section(package->elf, ".debug_cu_index") : NULL;
	struct package_index x;
	struct elf_bytes b;

	if (!s || elf_section_data(package->elf, s, &b, NULL))
		return NULL;
	if (read_package_index(cursor_at(b.data, b.size, 0, package->swap), &x)) {
		u32 row = package_row(&x, u->dwo_id);

		if (row)
			d = cut_from_package(package, &x, row);
	}
	elf_bytes_release(&b);
	return d;
}

/* Returns the unit of this skeleton among those of the file, or NULL. */
static struct dwarf_unit *find_split_unit(struct dwarf *d, const struct dwarf_unit *skeleton)
{
	for (u32 i = 0; i < d->unit_count; i++) {
		struct dwarf_unit *u = &d->units[i];

		if (u->tag == DW_TAG_compile_unit && u->dwo_id == skeleton->dwo_id)
			return u;
	}
	return NULL;
}

/* Adds the condition that the unit's .dwo file is missing, for the first such unit of a program. */
static void say_missing(const struct dwarf_unit *u)
{
	struct dwarf *d = u->dwarf;
	const char *name = u->dwo_name;
	const char *dir = name[0] != '/' && u->comp_dir ? u->comp_dir : "";

	if (!d->ctx || atomic_exchange(&d->missing_said, true))
		return;
	condition_add(
		&d->ctx->conditions, CONDITION_WARNING, "dwo-missing", d->program, NULL, 1,
		"put the .dwo files beside the program, or pack them where they are: dwp -e "
		"PROGRAM",
		"debug information of '%s' is missing: there is no '%s%s%s', and neither that "
		"file nor a .dwp "
		"package beside '%s'",
		d->program, dir, *dir ? "/" : "", name, d->recorded ? d->recorded : d->path);
}

static struct dwarf_unit *open_split(struct dwarf_unit *u)
{
	struct dwarf *d = open_from_package(u);
	struct dwarf_unit *code;
	struct elf *e;

	if (!d) {
		e = open_dwo(u);
		if (!e) {
			say_missing(u);
			return u;
		}
		d = dwarf_new(e, u->dwo_name, ".dwo");
	}
	dwarf_attach(d, u);
	code = find_split_unit(d, u);
	if (!code) {
		dwarf_close(d);
		return u;
	}
	u->split = d;
	return code;
}

struct dwarf_unit *unit_with_code(struct dwarf_unit *u)
{
	struct dwarf_unit *code;

	if (likely(!u->dwo_name))
		return u;
	code = atomic_load_explicit(&u->code, memory_order_acquire);
	if (code)
		return code;
	pthread_mutex_lock(&u->calls_lock);
	code = atomic_load(&u->code);
	if (!code) {
		code = open_split(u);
		atomic_store_explicit(&u->code, code, memory_order_release);
	}
	pthread_mutex_unlock(&u->calls_lock);
	return code;
}

/* dwz */

static bool is_alt(const struct elf *e, const struct build_id *want)
{
	struct build_id id;

	return elf_build_id(e, &id) && build_id_equal(&id, want);
}

struct dwarf *dwarf_open_alt(const struct dwarf *d)
{
	const struct elf_section *s = elf_section(d->elf, ".gnu_debugaltlink");
	struct build_id want = { .size = 0 };
	struct elf *e = NULL;
	struct dwarf *alt = NULL;
	struct elf_bytes b;
	char *path;
	size_t n;

	if (!s)
		return NULL;
	/* a file name, and after its NUL the file's build-id */
	b = elf_section_raw(d->elf, s);
	n = strnlen((const char *)b.data, b.size);
	if (!n || n + 1 >= b.size || b.size - n - 1 > sizeof(want.id))
		return NULL;
	want.size = (u8)(b.size - n - 1);
	memcpy(want.id, b.data + n + 1, want.size);
	path = b.data[0] == '/' ? xstrdup((const char *)b.data)
				: beside(d->path, (const char *)b.data);
	if (!elf_open(path, &e, NULL) && is_alt(e, &want))
		alt = dwarf_new(e, path, "");
	else
		elf_close(e);
	free(path);
	return alt;
}
