// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the rows of a unit's line table. */
#include <errno.h>

#include "base/search.h"
#include "dwarf/die.h"

// SPDX-License-Identifier: GPL-2.0-or-later
/* Line tables: rows of a unit, the lines of a range that can be probed. */
#include <errno.h>
#include <string.h>

#include "dwarf/die.h"

int unit_rows(struct unit *u, struct rows *out)
{
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(&u->die, &lines, &count) != 0)
		return -ENODATA;
	vec_reserve(&out->list, count);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		struct row row = { 0 };
		int number;

		if (!l || dwarf_lineaddr(l, &address) != 0 || dwarf_lineno(l, &number) != 0)
			continue;
		row.address = address;
		row.line = number > 0 ? (unsigned)number : 0;
		row.file = dwarf_linesrc(l, NULL, NULL);
		dwarf_linebeginstatement(l, &row.is_statement);
		dwarf_lineendsequence(l, &row.is_end);
		dwarf_lineprologueend(l, &row.is_prologue_end);
		vec_push(&out->list, row);
	}
	return 0;
}

void unit_rows_release(struct rows *rows)
{
	vec_release(&rows->list);
}

/* Returns the first row at or above the address. */
static size_t rows_lower_bound(const struct rows *rows, u64 address)
{
	return lower_bound(i, 0, rows->list.count, rows->list.items[i].address < address);
}

const struct row *unit_rows_at(const struct rows *rows, u64 address)
{
	const struct row *list = rows->list.items, *best = NULL;
	size_t i = rows_lower_bound(rows, address);
	u64 start;

	if (i == rows->list.count || list[i].address > address) {
		if (!i)
			return NULL;
		i = rows_lower_bound(rows, list[i - 1].address);
	}
	for (start = list[i].address; i < rows->list.count && list[i].address == start; i++) {
		if (list[i].is_end)
			continue;
		if (!best || (!best->is_statement && list[i].is_statement))
			best = &list[i];
	}
	return best;
}
