// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening a file's DWARF, with the file that several share where it names one. */
#include "symbol/dwarf.h"

struct dwarf *dwarf_open(struct elf *elf, const char *path)
{
	struct dwarf *d = dwarf_new(elf, path, "");

	if (!d->unit_count) {
		dwarf_close(d);
		return NULL;
	}
	d->alt = dwarf_open_alt(d);
	dwarf_index_units(d);
	return d;
}
