// SPDX-License-Identifier: GPL-2.0-or-later
/* Split units: the program keeps skeletons, a .dwo file each has the rest. */
#include <stdlib.h>

#include "base/alloc.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf_numbers.h"

/* Where the compiler left it, or beside the program. */
static struct elf *open_dwo(const struct dwarf_unit *u)
{
	const char *name = u->dwo_name, *slash;
	char *path = name[0] == '/' || !u->comp_dir ? xstrdup(name) :
						      xasprintf("%s/%s", u->comp_dir, name);
	struct elf *e = NULL;

	if (elf_open(path, &e, NULL)) {
		free(path);
		slash = strrchr(u->dwarf->path, '/');
		path = xasprintf("%.*s%s", slash ? (int)(slash + 1 - u->dwarf->path) : 0,
				 u->dwarf->path, strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
		if (elf_open(path, &e, NULL))
			e = NULL;
	}
	free(path);
	return e;
}

/* The unit of this skeleton among those of the file. */
static struct dwarf_unit *find_split_unit(struct dwarf *d, const struct dwarf_unit *skeleton)
{
	for (u32 i = 0; i < d->unit_count; i++) {
		struct dwarf_unit *u = &d->units[i];

		if (u->tag == DW_TAG_compile_unit && u->dwo_id == skeleton->dwo_id)
			return u;
	}
	return NULL;
}

static struct dwarf_unit *open_split(struct dwarf_unit *u)
{
	struct dwarf *d = NULL;
	struct dwarf_unit *code = NULL;
	struct elf *e;

	e = open_dwo(u);
	if (e)
		d = dwarf_open_split(e, u->dwo_name, u);
	if (d)
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
	pthread_mutex_lock(&u->lock);
	code = atomic_load(&u->code);
	if (!code) {
		code = open_split(u);
		atomic_store_explicit(&u->code, code, memory_order_release);
	}
	pthread_mutex_unlock(&u->lock);
	return code;
}
