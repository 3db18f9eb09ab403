// SPDX-License-Identifier: GPL-2.0-or-later
/* Recognizes jumps, calls and returns in objdump's text of an instruction. */
#include <stdlib.h>
#include <string.h>

#include "annotate/internal.h"
#include "arch/machine.h"

/* A word of the text, which is not NUL-terminated. */
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
	static const char *const returns[] = {
		"ret",     "retq",    "retl",    "retw",     "lret",     "lretq", "lretl", "lretw",
		"retf",    "iret",    "iretq",   "iretl",    "iretd",    "iretw", "uiret", "sysret",
		"sysretq", "sysretl", "sysexit", "sysexitq", "sysexitl", "eretu", "erets", NULL
	};

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
	static const char *const returns[] = { "ret",    "retaa",  "retab", "eret",
					       "eretaa", "eretab", "drps",  NULL };
	static const char *const calls[] = {
		"bl", "blr", "blraa", "blrab", "blraaz", "blrabz", NULL
	};
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

/*
 * Reports whether it is this name, maybe with a condition at its end ("bne" of "b"), as
 * *conditional says.
 */
static bool is_with_condition(struct word w, const char *name, bool *conditional)
{
	static const char *const conditions[] = { "eq", "ne", "cs", "hs", "cc", "lo",
						  "mi", "pl", "vs", "vc", "hi", "ls",
						  "ge", "lt", "gt", "le", NULL };
	struct word end = { w.at + strlen(name), w.len - strlen(name) };

	if (!begins(w, name))
		return false;
	*conditional = end.len == 2 && listed(conditions, end);
	return !end.len || *conditional;
}

/* Reports whether the word is ldm, ldmfd, ldmiane and so on. */
static bool is_load_multiple(struct word w, bool *conditional)
{
	static const char *const names[] = { "pop",   "ldm",   "ldmia", "ldmib", "ldmda", "ldmdb",
					     "ldmfd", "ldmed", "ldmfa", "ldmea", NULL };

	for (const char *const *name = names; *name; name++)
		if (is_with_condition(w, *name, conditional))
			return true;
	return false;
}

/*
 * Returns the flow of an instruction that sets the program counter: a return if the value comes
 * from lr or the stack.
 */
static u8 flow_of_arm_pc(struct word w, const char *operands, bool *conditional)
{
	static const char *const names[] = { "mov", "movs", "add", "sub", "subs", "ldr", NULL };

	if (is_load_multiple(w, conditional))
		return strstr(operands, "pc}") ? FLOW_RETURN : FLOW_NONE;
	if (strncmp(operands, "pc,", 3))
		return FLOW_NONE;
	operands += 3 + strspn(operands + 3, " ");
	for (const char *const *name = names; *name; name++)
		if (is_with_condition(w, *name, conditional))
			return !strncmp(operands, "lr", 2) || !strncmp(operands, "[sp]", 4)
				       ? FLOW_RETURN
				       : FLOW_JUMP;
	return FLOW_NONE;
}

static u8 flow_of_arm_always(struct word w, const char *operands, bool *conditional)
{
	static const char *const branches[] = { "cbz", "cbnz", NULL };
	static const char *const jumps[] = { "tbb", "tbh", NULL };

	if (is_with_condition(w, "bl", conditional) || is_with_condition(w, "blx", conditional))
		return FLOW_CALL;
	if (is_with_condition(w, "b", conditional))
		return FLOW_JUMP;
	if (is_with_condition(w, "bx", conditional) || is_with_condition(w, "bxj", conditional))
		return !strncmp(operands, "lr", 2) ? FLOW_RETURN : FLOW_JUMP;
	if (is_with_condition(w, "eret", conditional) || begins(w, "rfe"))
		return FLOW_RETURN;
	if (listed(branches, w))
		return FLOW_BRANCH;
	return listed(jumps, w) ? FLOW_JUMP : flow_of_arm_pc(w, operands, conditional);
}

/*
 * Returns the flow of an Arm instruction. If it does not always jump or return, it may fall
 * through, as branches do; .n and .w are sizes.
 */
static u8 flow_of_arm(struct word w, const char *operands)
{
	bool conditional = false;
	u8 flow;

	if (w.len > 2 && w.at[w.len - 2] == '.')
		w.len -= 2;
	flow = flow_of_arm_always(w, operands, &conditional);
	return conditional && (flow == FLOW_JUMP || flow == FLOW_RETURN) ? FLOW_BRANCH : flow;
}

/*
 * Returns the flow of a powerpc instruction. Every branch's name begins with b; an l (or la) at its
 * end makes it a call. A sign after it is a hint.
 */
static u8 flow_of_powerpc(struct word w)
{
	static const char *const returns[] = { "blr", "rfid", "hrfid", "urfid", "rfscv", "rfebb",
					       "rfi", "rfci", "rfdi",  "rfmci", "rfgi",  NULL };
	static const char *const others[] = { "bpermd", "brinc", "brh", "brw", "brd", NULL };
	static const char *const jumps[] = { "b", "ba", "bctr", "btar", NULL };

	if (listed(returns, w))
		return FLOW_RETURN;
	if (w.at[0] != 'b' || listed(others, w) || begins(w, "bcd"))
		return FLOW_NONE;
	if (w.at[w.len - 1] == '+' || w.at[w.len - 1] == '-')
		w.len--;
	if (w.len > 1 &&
	    (w.at[w.len - 1] == 'l' || (w.len > 2 && !memcmp(w.at + w.len - 2, "la", 2))))
		return FLOW_CALL;
	return listed(jumps, w) ? FLOW_JUMP : FLOW_BRANCH;
}

/*
 * Returns the flow of a RISC-V instruction. With one operand these are calls, which leave out the
 * link register: "jal f", "jalr a5".
 */
static u8 flow_of_riscv(struct word w, const char *operands)
{
	static const char *const returns[] = {
		"ret", "mret", "sret", "uret", "dret", "mnret", NULL
	};
	static const char *const jumps[] = { "j", "jr", "tail", "c.j", "c.jr", NULL };
	static const char *const calls[] = { "jal", "jalr", "call", "c.jal", "c.jalr", NULL };

	if (listed(returns, w))
		return FLOW_RETURN;
	if (listed(jumps, w))
		return FLOW_JUMP;
	if (listed(calls, w))
		return strncmp(operands, "zero,", 5) ? FLOW_CALL : FLOW_JUMP;
	/*
	 * beq bne blt bge bltu bgeu and their short forms; b.. of bit manipulation are bset bclr
	 * binv bext
	 */
	if (begins(w, "bset") || begins(w, "bclr") || begins(w, "binv") || begins(w, "bext") ||
	    begins(w, "brev"))
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

/* Returns the mnemonic, after the prefixes of x86 that are separate words. */
static struct word mnemonic(const char *text)
{
	static const char *const prefixes[] = { "bnd",    "notrack", "repz",   "repnz",
						"rep",    "lock",    "data16", "addr32",
						"addr16", "cs",      "ds",     "es",
						"ss",     "fs",      "gs",     NULL };
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

/* Reports whether the operand is a register. RISC-V's a0 to a7 look like numbers. */
static bool is_register(u16 machine, const char *operand)
{
	return machine == ELF_MACHINE_RISCV && operand[0] == 'a' && operand[1] >= '0' &&
	       operand[1] <= '7' && (!operand[2] || operand[2] == ' ');
}

/*
 * Finds the flow and the target, which is the last operand before any comment: "1280 <inner+0x60>".
 */
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
