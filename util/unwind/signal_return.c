// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwinds signal frames whose return trampoline has no call frame information: those of Go and
 * musl.
 *
 * A signal handler returns to code that makes the system call rt_sigreturn, with the stack pointer
 * at what the kernel saved: a siginfo on arm64, then a ucontext with the registers. Source: the
 * kernel's uapi headers asm/sigcontext.h, asm/ucontext.h, asm/unistd.h.
 */
#include <elf.h>
#include <string.h>

#include "unwind/internal.h"

/* Describes where the kernel saved the registers of these DWARF numbers, in a row, and the pc. */
struct saved {
	u16 at, pc; /* bytes from the stack pointer */
	u8 count, regs[32];
};

static const struct saved x86_64_saved = {
	40, 168, 16, { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7 }
};
static const struct saved arm64_saved = {
	312, 568, 32, { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
			16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 }
};

static const struct trampoline {
	u16 machine;
	u8 size, code[9];
	const struct saved *saved;
} trampolines[] = {
	/* mov $15,%rax; syscall */
	{ EM_X86_64, 9, { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 }, &x86_64_saved },
	/* mov $15,%eax; syscall */
	{ EM_X86_64, 7, { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 }, &x86_64_saved },
	/* mov x8,#139; svc #0 */
	{ EM_AARCH64, 8, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 }, &arm64_saved },
};

static const struct trampoline *trampoline_at(const struct elf *e, u64 addr)
{
	size_t size;
	const u8 *data = elf_data(e, &size);
	u64 offset;

	if (!elf_is_64(e) || !elf_addr_to_offset(e, addr, &offset) || offset > size)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(trampolines); i++) {
		const struct trampoline *t = &trampolines[i];

		if (t->machine == elf_machine(e) && size - offset >= t->size &&
		    !memcmp(data + offset, t->code, t->size))
			return t;
	}
	return NULL;
}

enum unwind_end signal_return_step(const struct elf *e, u64 addr, unsigned sp,
				   struct unwind_regs *regs, const struct unwind_memory *m, u64 *pc)
{
	const struct trampoline *t = trampoline_at(e, addr);
	struct unwind_regs now = *regs;
	u64 at = regs->value[sp];

	if (!t || m->word != 8)
		return UNWIND_NO_CFI;
	if (!memory_read(m, at + t->saved->pc, 8, pc))
		return UNWIND_DUMP_ENDS;
	for (u8 i = 0; i < t->saved->count; i++) {
		u8 reg = t->saved->regs[i];

		if (!memory_read(m, at + t->saved->at + 8U * i, 8, &now.value[reg]))
			return UNWIND_DUMP_ENDS;
		now.known[reg] = true;
	}
	*regs = now;
	return UNWIND_LIMIT;
}
