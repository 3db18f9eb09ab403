// SPDX-License-Identifier: GPL-2.0-or-later
/* Call frame information: entries, and the rows of each function. */
#include "fuzz.h"
#include "unwind/internal.h"

static void ask(const struct elf *e, enum cfi_sections which)
{
	struct cfi *c = cfi_read(e, which);

	for (u32 i = 0; c && i < c->function_count && i < 1000; i++) {
		const struct cfi_rows *r = cfi_rows(c, &c->functions[i]);

		cfi_row_at(r, c->functions[i].low);
		cfi_row_at(r, c->functions[i].high);
		cfi_find(c, c->functions[i].low + 1);
	}
	cfi_free(c);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf *e;

	if (elf_open_bytes(data, size, true, &e, NULL))
		return 0;
	ask(e, CFI_EH_FRAME);
	ask(e, CFI_DEBUG_FRAME);
	elf_close(e);
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned seed)
{
	return fuzz_mutate_section(data, size, max, seed / 2, seed % 2 ? ".eh_frame" : ".debug_frame");
}
