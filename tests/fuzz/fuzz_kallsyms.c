// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of /proc/kallsyms. */
#include "fuzz.h"
#include "symbol/internal.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = xmalloc(size + 1);
	struct kallsyms k = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	kallsyms_from_text(&k, text);
	vec_for_each(&k.parts, part) {
		struct symbol_table *t = symbol_table_new();

		kallsyms_part(&k, part->module);
		symbol_list_sort(&part->symbols);
		symbol_list_extend_ends(&part->symbols);
		symbol_list_drop_duplicates(&part->symbols, false);
		symbol_table_seal(t, &part->symbols);
		symbol_find(t, 0xffffffff81000000ULL);
		symbol_table_free(t);
	}
	kallsyms_release(&k);
	free(text);
	return 0;
}
