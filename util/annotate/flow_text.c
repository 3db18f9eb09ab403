// SPDX-License-Identifier: GPL-2.0-or-later
/* Jumps, calls and returns, read from objdump's text of an instruction. */
#include <stdlib.h>
#include <string.h>

#include "annotate/internal.h"
#include "arch/machine.h"
#include "base/text.h"

/* A word of the text: not terminated. */
struct word {
	const char *at;
	size_t len;
};

static bool is(struct word w, const char *name)
{
	return strlen(name) == w.len && !memcmp(name, w.at, w.len);
}

static bool begins(struct word w, const char *with)
{
	size_t len = strlen(with);

	return w.len >= len && !memcmp(w.at, with, len);
}

static bool listed(const char *const *names, struct word w)
{
	for (; *names; names++)
		if (is(w, *names))
			return true;
	return false;
}

static u8 flow_of_x86(struct word w)
{
	static const char *const returns[] = { "ret", "retq", "retl", "retw", "lret", "lretq", "lretl", "lretw",
					       "retf", "iret", "iretq", "iretd", "iretw", "sysret", "sysretq",
					       "sysretl", "sysexit", "eretu", "erets", NULL };

	if (listed(returns, w))
		return FLOW_RETURN;
	if (begins(w, "call") || begins(w, "lcall"))
		return FLOW_CALL;
	if (begins(w, "jmp") || begins(w, "ljmp"))
		return FLOW_JUMP;
	return w.at[0] == 'j' || begins(w, "loop") ? FLOW_BRANCH : FLOW_NONE;
}

static u8 flow_of_arm64(struct word w)
{
	static const char *const returns[] = { "ret", "retaa", "retab", "eret", "eretaa", "eretab", NULL };
	static const char *const calls[] = { "bl", "blr", "blraa", "blrab", "blraaz", "blrabz", NULL };
	static const char *const jumps[] = { "b", "br", "braa", "brab", "braaz", "brabz", NULL };
	static const char *const branches[] = { "cbz", "cbnz", "tbz", "tbnz", NULL };

	if (listed(returns, w))
		return FLOW_RETURN;
	if (listed(calls, w))
		return FLOW_CALL;
	if (listed(jumps, w))
		return FLOW_JUMP;
	return listed(branches, w) || begins(w, "b.") || begins(w, "bc.") ? FLOW_BRANCH : FLOW_NONE;
}

static u8 flow_of_arm(struct word w, const char *operands)
{
	static const char *const calls[] = { "bl", "blx", NULL };

	if ((is(w, "bx") && strstr(operands, "lr")) || (begins(w, "pop") && strstr(operands, "pc")))
		return FLOW_RETURN;
	if (listed(calls, w))
		return FLOW_CALL;
	if (w.at[0] != 'b' || w.len > 3 || is(w, "bic") || is(w, "bfi") || is(w, "bfc"))
		return FLOW_NONE;
	return is(w, "b") || is(w, "bx") ? FLOW_JUMP : FLOW_BRANCH;
}

/* Every name of a branch begins with b; an l (or la) at its end makes it a call. */
static u8 flow_of_powerpc(struct word w)
{
	static const char *const others[] = { "bpermd", "brinc", "brh", "brw", "brd", "bcdadd.", "bcdsub.", NULL };
	static const char *const jumps[] = { "b", "ba", "bctr", NULL };

	if (w.at[0] != 'b' || listed(others, w) || begins(w, "bcd"))
		return FLOW_NONE;
	if (is(w, "blr"))
		return FLOW_RETURN;
	if (w.len > 1 && (w.at[w.len - 1] == 'l' || (w.len > 2 && !memcmp(w.at + w.len - 2, "la", 2))))
		return FLOW_CALL;
	return listed(jumps, w) ? FLOW_JUMP : FLOW_BRANCH;
}

/* Those of one operand call when they leave the link register out: "jal f", "jalr a5". */
static u8 flow_of_riscv(struct word w, const char *operands)
{
	static const char *const returns[] = { "ret", "mret", "sret", "uret", NULL };
	static const char *const jumps[] = { "j", "jr", "tail", "c.j", "c.jr", NULL };
	static const char *const calls[] = { "jal", "jalr", "call", "c.jal", "c.jalr", NULL };

	if (listed(returns, w))
		return FLOW_RETURN;
	if (listed(jumps, w))
		return FLOW_JUMP;
	if (listed(calls, w))
		return strncmp(operands, "zero,", 5) ? FLOW_CALL : FLOW_JUMP;
	/* beq bne blt bge bltu bgeu and their short forms; b.. of bit manipulation are bset bclr binv bext */
	if (begins(w, "bset") || begins(w, "bclr") || begins(w, "binv") || begins(w, "bext") || begins(w, "brev"))
		return FLOW_NONE;
	return w.at[0] == 'b' || begins(w, "c.b") ? FLOW_BRANCH : FLOW_NONE;
}

static u8 flow_of(u16 machine, struct word w, const char *operands)
{
	if (!w.len)
		return FLOW_NONE;
	switch (machine) {
	case ELF_MACHINE_386:
	case ELF_MACHINE_X86_64:
		return flow_of_x86(w);
	case ELF_MACHINE_AARCH64:
		return flow_of_arm64(w);
	case ELF_MACHINE_ARM:
		return flow_of_arm(w, operands);
	case ELF_MACHINE_PPC:
	case ELF_MACHINE_PPC64:
		return flow_of_powerpc(w);
	case ELF_MACHINE_RISCV:
		return flow_of_riscv(w, operands);
	default:
		return FLOW_NONE;
	}
}

/* The mnemonic, after the prefixes of x86 that are words of their own. */
static struct word mnemonic(const char *text)
{
	static const char *const prefixes[] = { "bnd", "notrack", "repz", "repnz", "rep", "lock", "data16", "addr32",
						"addr16", "cs", "ds", "es", "ss", "fs", "gs", NULL };
	struct word w = { text, strcspn(text, " ") };

	while (w.at[w.len] && (listed(prefixes, w) || begins(w, "rex"))) {
		w.at += w.len + strspn(w.at + w.len, " ");
		w.len = strcspn(w.at, " ");
	}
	return w;
}

const char *flow_kind_from_text(u16 machine, const char *text, struct insn *insn)
{
	struct word w = mnemonic(text);
	const char *operands = w.at + w.len + strspn(w.at + w.len, " ");

	insn->flow = flow_of(machine, w, operands);
	insn->has_target = false;
	return operands;
}

const char *comment_of(const char *operands)
{
	const char *slot = strstr(operands, " # ");

	return slot ? slot : operands + strcspn(operands, ";");
}

/* RISC-V's a0 to a7 look like numbers. */
static bool is_register(u16 machine, const char *operand)
{
	return machine == ELF_MACHINE_RISCV && operand[0] == 'a' && operand[1] >= '0' && operand[1] <= '7' &&
	       (!operand[2] || operand[2] == ' ');
}

/* A target is the last operand, before any comment: "1280 <inner+0x60>". */
void flow_from_text(u16 machine, const char *text, struct insn *insn)
{
	const char *operands = flow_kind_from_text(machine, text, insn);
	const char *comment = comment_of(operands), *last;
	char *end;

	if (!insn->flow || operands[0] == '*')
		return;
	last = strchr(operands, '<');
	if (!last || last > comment)
		last = comment;
	while (last > operands && last[-1] == ' ')
		last--;
	while (last > operands && last[-1] != ' ' && last[-1] != ',')
		last--;
	if (is_register(machine, last))
		return;
	insn->target = strtoull(last, &end, 16);
	insn->has_target = end > last && (*end == ' ' || !*end || *end == ';');
}
