// SPDX-License-Identifier: GPL-2.0-or-later
/* Call frame information: entries, and the rows of each function; the tables of 32-bit Arm. */
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

static void ask_exidx(const struct elf *e)
{
	static const u8 stack[1024];
	const struct unwind_memory memory = {
		.stack = stack, .start = 0x1000, .size = sizeof(stack), .word = 4
	};
	struct exidx *x = exidx_read(e);
	u64 pc;

	for (u32 i = 0; x && i < 1000; i++) {
		struct unwind_regs regs = { .value = { [13] = 0x1000 },
					    .known = { [13] = true, [14] = true } };

		exidx_step(x, 0x10000 + 16 * i + 2, &regs, &memory, &pc);
	}
	exidx_free(x);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf *e;

	if (elf_open_bytes(data, size, true, &e, NULL))
		return 0;
	ask(e, CFI_EH_FRAME);
	ask(e, CFI_DEBUG_FRAME);
	ask_exidx(e);
	elf_close(e);
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned seed)
{
	static const char *const sections[] = { ".eh_frame", ".debug_frame", ".ARM.exidx",
						".ARM.extab" };

	return fuzz_mutate_section(data, size, max, seed / 4, sections[seed % 4]);
}
