// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which kind of branch a sample of a branch trace is: call, return, jump, interrupt.
 *
 * The trace has a branch's source and target; the instruction itself is read from the object.
 */
#include <string.h>

#include "builtin/script/internal.h"

enum { MOST_INSN = 16 }; /* bytes, of any machine */

/* clang-format off */
static const char *const names[] = {
	[KIND_UNKNOWN] = "", [KIND_BEGIN] = "tr strt", [KIND_END] = "tr end", [KIND_JUMP] = "jmp",
	[KIND_CONDITIONAL] = "jcc", [KIND_CALL] = "call", [KIND_RETURN] = "return",
	[KIND_SYSTEM_CALL] = "syscall", [KIND_SYSTEM_RETURN] = "sysret", [KIND_SOFTWARE_INTERRUPT] = "int",
	[KIND_INTERRUPT_RETURN] = "iret", [KIND_INTERRUPT] = "hw int",
};
/* clang-format on */

const char *branch_kind_name(enum branch_kind kind)
{
	return names[kind];
}

/*
 * Returns the kind of an instruction that changes the privilege level, on all machines that we
 * decode.
 */
static enum branch_kind kind_of_system(const char *text)
{
	static const struct {
		const char *mnemonic;
		enum branch_kind kind;
	} known[] = {
		{ "syscall", KIND_SYSTEM_CALL },     { "sysenter", KIND_SYSTEM_CALL },
		{ "svc", KIND_SYSTEM_CALL },         { "sc", KIND_SYSTEM_CALL },
		{ "scv", KIND_SYSTEM_CALL },         { "ecall", KIND_SYSTEM_CALL },
		{ "sysret", KIND_SYSTEM_RETURN },    { "sysretq", KIND_SYSTEM_RETURN },
		{ "sysretl", KIND_SYSTEM_RETURN },   { "sysexit", KIND_SYSTEM_RETURN },
		{ "sysexitq", KIND_SYSTEM_RETURN },  { "sysexitl", KIND_SYSTEM_RETURN },
		{ "rfscv", KIND_SYSTEM_RETURN },     { "int", KIND_SOFTWARE_INTERRUPT },
		{ "int3", KIND_SOFTWARE_INTERRUPT }, { "int1", KIND_SOFTWARE_INTERRUPT },
		{ "into", KIND_SOFTWARE_INTERRUPT }, { "iret", KIND_INTERRUPT_RETURN },
		{ "iretq", KIND_INTERRUPT_RETURN },  { "iretl", KIND_INTERRUPT_RETURN },
		{ "iretw", KIND_INTERRUPT_RETURN },  { "iretd", KIND_INTERRUPT_RETURN },
		{ "eret", KIND_INTERRUPT_RETURN },   { "rfid", KIND_INTERRUPT_RETURN },
		{ "hrfid", KIND_INTERRUPT_RETURN },
	};
	size_t length = strcspn(text, " \t");

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i].mnemonic) == length && !memcmp(known[i].mnemonic, text, length))
			return known[i].kind;
	return KIND_UNKNOWN;
}

static enum branch_kind kind_of_flow(u8 flow)
{
	switch (flow) {
	case FLOW_JUMP:
		return KIND_JUMP;
	case FLOW_BRANCH:
		return KIND_CONDITIONAL;
	case FLOW_CALL:
		return KIND_CALL;
	case FLOW_RETURN:
		return KIND_RETURN;
	default:
		return KIND_UNKNOWN;
	}
}

/*
 * Decodes the instruction at an address, whatever its target is. Its length is 0 if it cannot be
 * read.
 */
static struct branch decode_branch(struct script *s, const struct location *l)
{
	struct code_piece *piece =
		l->image ? code_piece_open(script_code(s), l->image, l->offset, MOST_INSN, NULL)
			 : NULL;
	struct strbuf text = STRBUF_INIT;
	struct branch b = { 0 };
	u8 flow;

	if (piece)
		b.length = (u8)code_piece_decode(piece, 0, &text, &flow);
	if (b.length)
		b.kind = kind_of_system(strbuf_cstr(&text));
	if (b.length && !b.kind)
		b.kind = kind_of_flow(flow);
	b.is_decoded = true;
	strbuf_release(&text);
	code_piece_free(piece);
	return b;
}

static struct branch instruction_at(struct script *s, const struct session_sample *ss)
{
	frame_id id = script_frame_of(s, ss->sample->ip, ss->sample->cpumode, &ss->leaf);

	while (s->branches.count <= id)
		vec_push(&s->branches, (struct branch){ 0 });
	if (!s->branches.items[id].is_decoded)
		s->branches.items[id] = decode_branch(s, &ss->leaf);
	return s->branches.items[id];
}

/* Reports whether something other than the instruction took the CPU into the kernel. */
static bool is_interrupt(const struct script *s, const struct branch *b, u64 from, u64 to)
{
	if (to < s->arch->kernel_start || b->kind == KIND_SYSTEM_CALL ||
	    b->kind == KIND_SOFTWARE_INTERRUPT)
		return false;
	return from < s->arch->kernel_start || (b->length && !b->kind);
}

struct branch script_branch(struct script *s, const struct session_sample *ss)
{
	u64 from = ss->sample->ip, to = ss->sample->addr;
	struct branch b;

	if (!from || !to)
		return (struct branch){ .kind = from ? KIND_END : to ? KIND_BEGIN : KIND_UNKNOWN };
	b = instruction_at(s, ss);
	if (is_interrupt(s, &b, from, to))
		return (struct branch){ .kind = KIND_INTERRUPT };
	return b;
}
