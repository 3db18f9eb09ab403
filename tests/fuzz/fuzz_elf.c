// SPDX-License-Identifier: GPL-2.0-or-later
/* Every question that can be put to an ELF file. */
#include "fuzz.h"
#include "object/elf.h"
#include "symbol/internal.h"

static void ask_symbols(const struct elf *e)
{
	struct symbol_list l = { VEC_INIT };
	struct symbol_table *t = symbol_table_new();

	elf_symbols_add(&l, &(struct elf_symbol_source){ .object = e, .demangle = true });
	symbol_list_sort(&l);
	symbol_list_extend_ends(&l);
	symbol_list_drop_duplicates(&l, false);
	plt_symbols_add(&l, e, &t->names, true, true);
	symbol_list_sort(&l);
	symbol_list_drop_duplicates(&l, false);
	symbol_table_seal(t, &l);
	for (u32 i = 0; i < symbol_count(t); i++) {
		const struct symbol *s = symbol_get(t, i);

		symbol_find(t, s->start);
		symbol_find(t, symbol_end(s));
		symbol_by_name(t, s->name);
	}
	symbol_table_free(t);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf *e, *inner;
	struct build_id id;
	u64 v;
	u32 crc;

	if (elf_open_bytes(data, size, true, &e, NULL))
		return 0;
	elf_build_id(e, &id);
	elf_debuglink(e, &crc);
	elf_offset_to_addr(e, 0x1000, &v);
	elf_addr_to_offset(e, 0x1000, &v);
	for (u32 i = 0; i < elf_section_count(e); i++) {
		struct elf_bytes b;

		if (!elf_section_data(e, elf_section_at(e, i), &b, NULL))
			elf_bytes_release(&b);
	}
	if (!elf_open_debugdata(e, &inner, NULL))
		elf_close(inner);
	ask_symbols(e);
	elf_close(e);
	return 0;
}
