// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of /tmp/perf-PID.map; and names to demangle. */
#include "fuzz.h"
#include "symbol/internal.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct symbol_list l = { VEC_INIT };
	struct symbol_table *t = symbol_table_new();
	char *text = xmalloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	perf_map_parse(text, size, &l);
	symbol_table_seal(t, &l);
	for (u32 i = 0; i < symbol_count(t); i++) {
		free(symbol_demangle(symbol_get(t, i)->name, true));
		symbol_find(t, symbol_get(t, i)->start);
	}
	symbol_table_free(t);
	free(text);
	return 0;
}
