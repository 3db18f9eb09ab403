// SPDX-License-Identifier: GPL-2.0-or-later
/* Debug information: units, abbreviations, DIEs, ranges, line programs, names. */
#include "fuzz.h"
#include "symbol/dwarf.h"

static void ask_unit(const struct dwarf *d, struct dwarf_unit *u)
{
	const struct unit_lines *l = unit_lines(u);
	struct dwarf_unit *code = u->dwo_name ? u : unit_with_code(u); /* no other files */
	const struct unit_calls *c = unit_calls(code);

	for (u32 n = 0; n < c->node_count && n < 1000; n++)
		call_name(c, &c->nodes[n], true, true);
	for (u32 n = 0; n < l->file_count && n < 1000; n++)
		line_file_path(u, l, n);
	for (u32 n = 0; n < l->row_count && n < 1000; n++) {
		lines_find(l, l->rows[n].addr);
		calls_find(c, l->rows[n].addr);
		dwarf_find_unit(d, l->rows[n].addr);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf *e;
	struct dwarf *d;

	if (elf_open_bytes(data, size, true, &e, NULL))
		return 0;
	if (elf_section(e, ".gnu_debugaltlink")) { /* names another file */
		elf_close(e);
		return 0;
	}
	d = dwarf_open(e, "fuzz");
	for (u32 i = 0; d && i < d->unit_count; i++)
		ask_unit(d, &d->units[i]);
	dwarf_close(d);
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned seed)
{
	return fuzz_mutate_section(data, size, max, seed, ".debug_");
}
