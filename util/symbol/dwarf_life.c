// SPDX-License-Identifier: GPL-2.0-or-later
/* Life of one file's DWARF: its sections, and all that was read of its units. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "object/elf_module.h"
#include "symbol/dwarf.h"

static const char *const section_names[S_COUNT] = {
	[S_INFO] = "info",         [S_ABBREV] = "abbrev",     [S_STR] = "str",
	[S_LINE] = "line",         [S_LINE_STR] = "line_str", [S_RANGES] = "ranges",
	[S_RNGLISTS] = "rnglists", [S_ADDR] = "addr",         [S_STR_OFFSETS] = "str_offsets",
	[S_ARANGES] = "aranges",
};

static void load_section(struct dwarf *d, enum dwarf_section s, const char *suffix,
			 const struct module_layout *module)
{
	static const char *const prefixes[] = { ".debug_", ".zdebug_" };
	const struct elf_section *sec = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes) && !sec; i++) {
		char *name = xasprintf("%s%s%s", prefixes[i], section_names[s], suffix);

		sec = elf_section(d->elf, name);
		free(name);
	}
	if (!sec || elf_section_data(d->elf, sec, &d->sections[s], NULL))
		d->sections[s] = (struct elf_bytes){ (const u8 *)"", 0, NULL };
	else if (module->count)
		module_relocate(d->elf, module, sec, &d->sections[s]);
}

struct dwarf *dwarf_new(struct elf *elf, const char *path, const char *suffix)
{
	struct dwarf *d = xcalloc(1, sizeof(*d));
	struct module_layout module;

	d->path = xstrdup(path);
	pthread_mutex_init(&d->lock, NULL);
	d->elf = elf;
	if (elf) {
		d->swap = elf_is_swapped(elf);
		module_layout_read(&module, elf);
		for (int s = 0; s < S_COUNT; s++)
			load_section(d, s, suffix, &module);
		module_layout_release(&module);
		dwarf_list_units(d);
	}
	return d;
}

static void close_unit(struct dwarf_unit *u)
{
	unit_lines_free(u->lines);
	unit_calls_free(u->calls);
	dwarf_close(u->split);
	pthread_mutex_destroy(&u->lines_lock);
	pthread_mutex_destroy(&u->calls_lock);
}

void dwarf_close(struct dwarf *d)
{
	if (!d)
		return;
	for (u32 i = 0; i < d->unit_count; i++)
		close_unit(&d->units[i]);
	for (size_t i = 0; i < d->abbrevs_by_offset.space; i++)
		if (d->abbrevs_by_offset.slots[i].used)
			abbrevs_free((void *)(uintptr_t)d->abbrevs_by_offset.slots[i].value);
	map64_release(&d->abbrevs_by_offset);
	for (int s = 0; s < S_COUNT; s++)
		elf_bytes_release(&d->sections[s]);
	dwarf_close(d->alt);
	free(d->object);
	free(d->recorded);
	dwarf_close(d->package);
	free(d->units);
	code_ranges_release(&d->ranges);
	elf_close(d->elf);
	free(d->path);
	pthread_mutex_destroy(&d->lock);
	free(d);
}
