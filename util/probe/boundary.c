// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions are walked from the function's entry: x86 cannot be read backwards. */
#include "probe/boundary.h"

#include <capstone/capstone.h>

#include "arch/arch.h"
#include "base/library.h"

static struct {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
} capstone;

static bool ready(void)
{
	static const struct library_symbol symbols[] = {
		{ "cs_open", (void **)&capstone.open },
		{ "cs_close", (void **)&capstone.close },
		{ "cs_malloc", (void **)&capstone.malloc },
		{ "cs_free", (void **)&capstone.free },
		{ "cs_disasm_iter", (void **)&capstone.disasm_iter },
	};
	static int state; /* 1: yes, -1: no */

	if (!state) {
		const char *name = LIBRARY_VERSION("libcapstone.so.", CS_API_MAJOR);

		state = library_open(name, symbols, ARRAY_SIZE(symbols)) ? 1 : -1;
	}
	return state > 0;
}

/*
 * Returns the offset of the first instruction that is cut off at size or invalid, and sets *before
 * to that of the one before.
 */
static u64 walk(csh handle, const u8 *code, size_t size, u64 *before)
{
	const u8 *at = code;
	size_t left = size;
	uint64_t address = 0;
	cs_insn *insn = capstone.malloc(handle);

	while (left && capstone.disasm_iter(handle, &at, &left, &address, insn))
		*before = insn->address;
	capstone.free(insn, 1);
	return address;
}

int probe_on_boundary(const struct arch *arch, const u8 *code, size_t size, u64 *before)
{
	bool x86 = arch && arch->min_insn_size == 1;
	csh handle;
	u64 end;

	*before = 0;
	if (!arch)
		return -1;
	if (!x86) {
		*before = size - size % arch->min_insn_size;
		return size % arch->min_insn_size == 0;
	}
	if (!ready() ||
	    capstone.open(CS_ARCH_X86, arch->bits == 64 ? CS_MODE_64 : CS_MODE_32, &handle))
		return -1;
	end = walk(handle, code, size, before);
	capstone.close(&handle);
	if (end == size)
		return 1;
	/* Up to 15 bytes are one instruction that was cut; more is not code at all. */
	*before = end;
	return size - end < 15 ? 0 : -1;
}
