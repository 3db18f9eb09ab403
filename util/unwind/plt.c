// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the caller of a PLT stub without call frame information: in static programs (for indirect
 * functions) and with lld.
 *
 * A stub of x86-64 jumps through the GOT. For a function that is not bound yet, the jump goes to
 * the stub's second part, which pushes a number and jumps to the first stub, which pushes another
 * word. So the return address is as many words above the stack pointer as were pushed since the
 * last jump, and the first stub is entered with one on the stack. A stub, or two of 8 bytes, begins
 * at a multiple of 16 bytes.
 */
#include <elf.h>
#include <string.h>

#include "unwind/internal.h"

#define STUB 16u

static const struct elf_section *section_around(const struct elf *e, u64 addr)
{
	for (u32 i = 0; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (s && elf_section_is_plt(s) && addr >= s->addr && addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

/* The code of stubs: bytes of the instruction, and its effect on the stack. */
static const struct stub_code {
	u8 bytes[5], count, size;
	bool pushes, jumps;
} codes[] = {
	{ { 0xff, 0x25 }, 2, 6, .jumps = true },
	{ { 0xf2, 0xff, 0x25 }, 3, 7, .jumps = true },
	{ { 0xe9 }, 1, 5, .jumps = true },
	{ { 0xf2, 0xe9 }, 2, 6, .jumps = true },
	{ { 0xff, 0x35 }, 2, 6, .pushes = true },
	{ { 0x68 }, 1, 5, .pushes = true },
	{ { 0xf3, 0x0f, 0x1e, 0xfa }, 4, 4 },
	{ { 0x0f, 0x1f, 0x00 }, 3, 3 },
	{ { 0x0f, 0x1f, 0x40 }, 3, 4 },
	{ { 0x0f, 0x1f, 0x44 }, 3, 5 },
	{ { 0x66, 0x0f, 0x1f, 0x44 }, 4, 6 },
	{ { 0x0f, 0x1f, 0x80 }, 3, 7 },
	{ { 0x66, 0x90 }, 2, 2 },
	{ { 0x90 }, 1, 1 },
	{ { 0xcc }, 1, 1 },
};

static const struct stub_code *code_at(const u8 *p, u64 left)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].size <= left && !memcmp(p, codes[i].bytes, codes[i].count))
			return &codes[i];
	return NULL;
}

bool plt_pushed(const struct elf *e, u64 addr, u64 *bytes)
{
	const struct elf_section *s =
		elf_machine(e) == EM_X86_64 && elf_is_64(e) ? section_around(e, addr) : NULL;
	u64 at, end, offset, pushed;
	const u8 *data;
	size_t size;

	if (!s)
		return false;
	data = elf_data(e, &size);
	at = (addr - s->addr) / STUB * STUB;
	end = addr - s->addr;
	if (!elf_addr_to_offset(e, s->addr, &offset) || offset > size || s->size > size - offset)
		return false;
	data += offset;
	pushed = s->size >= 2 && data[0] == 0xff && data[1] == 0x35 && !at ? 8 : 0;
	while (at < end) {
		const struct stub_code *c = code_at(data + at, s->size - at);

		if (!c)
			return false;
		pushed = c->jumps ? 0 : pushed + (c->pushes ? 8 : 0);
		at += c->size;
	}
	*bytes = pushed;
	return at == end && code_at(data + at, s->size - at);
}
