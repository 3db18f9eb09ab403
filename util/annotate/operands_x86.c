// SPDX-License-Identifier: GPL-2.0-or-later
/* Operands of x86-64 instructions, from capstone's detail. */
#include <string.h>

#include "annotate/capstone_calls.h"
#include "annotate/operands.h"

/*
 * Returns the 64-bit register that this one is a part of, by DWARF number (System V ABI, figure
 * 3.36).
 */
static s8 dwarf_reg(unsigned reg)
{
	static const struct {
		u16 regs[4];
		s8 dwarf;
	} map[] = {
		{ { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL }, 0 },
		{ { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL }, 1 },
		{ { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL }, 2 },
		{ { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL }, 3 },
		{ { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL }, 4 },
		{ { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL }, 5 },
		{ { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL }, 6 },
		{ { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL }, 7 },
		{ { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B }, 8 },
		{ { X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B }, 9 },
		{ { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B }, 10 },
		{ { X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B }, 11 },
		{ { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B }, 12 },
		{ { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B }, 13 },
		{ { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B }, 14 },
		{ { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B }, 15 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		for (int k = 0; k < 4; k++)
			if (map[i].regs[k] == reg)
				return map[i].dwarf;
	return NO_REG;
}

static void memory(const cs_insn *insn, const cs_x86_op *op, struct operands *out)
{
	const x86_op_mem *m = &op->mem;

	out->has_memory = true;
	out->size = op->size;
	out->base = dwarf_reg(m->base);
	out->index = dwarf_reg(m->index);
	out->scale = (u8)m->scale;
	out->disp = m->disp;
	out->stores |= (op->access & CS_AC_WRITE) != 0;
	out->is_canary = m->segment == X86_REG_FS && m->disp == 0x28;
	if (m->base == X86_REG_RIP) {
		out->absolute = true;
		out->disp = (s64)(insn->address + insn->size + (u64)m->disp);
	} else if (m->base == X86_REG_INVALID && m->segment == X86_REG_INVALID) {
		out->absolute = true;
	} else if (m->segment != X86_REG_INVALID && !out->is_canary) {
		out->base = NO_REG; /* thread-local: the base is not a known pointer */
		out->index = NO_REG;
	}
}

static void set_kind(const cs_insn *insn, struct operands *out)
{
	const cs_x86 *d = &insn->detail->x86;
	const cs_x86_op *first = &d->operands[0], *second = &d->operands[1];
	bool to_reg = d->op_count == 2 && first->type == X86_OP_REG && first->size == 8;

	switch (insn->id) {
	case X86_INS_PUSH:
	case X86_INS_POP:
	case X86_INS_RET:
	case X86_INS_LEAVE:
		if (!out->has_memory)
			out->kind = OPERANDS_STACK;
		break;
	case X86_INS_CALL:
		out->kind = OPERANDS_CALL;
		break;
	case X86_INS_LEA:
		if (to_reg)
			out->kind = OPERANDS_ADDRESS;
		break;
	case X86_INS_MOV:
		if (to_reg && second->type == X86_OP_REG)
			out->kind = OPERANDS_COPY;
		else if (to_reg && second->type == X86_OP_MEM)
			out->kind = OPERANDS_LOAD;
		break;
	case X86_INS_ADD:
	case X86_INS_SUB:
		if (to_reg && second->type == X86_OP_IMM) {
			out->kind = OPERANDS_ADD;
			out->imm = insn->id == X86_INS_ADD ? second->imm : -second->imm;
		}
		break;
	default:
		break;
	}
	if (to_reg)
		out->dst = dwarf_reg(first->reg);
	if (to_reg && second->type == X86_OP_REG)
		out->src = dwarf_reg(second->reg);
	if (out->kind == OPERANDS_ADDRESS)
		out->has_memory = false;
}

void operands_fill(const struct capstone_calls *cs, csh handle, const cs_insn *insn,
		   struct operands *out)
{
	const cs_x86 *d = &insn->detail->x86;
	cs_regs read, written;
	u8 read_count, written_count;

	*out = (struct operands){
		.base = NO_REG, .index = NO_REG, .dst = NO_REG, .dst2 = NO_REG, .src = NO_REG
	};
	for (u8 i = 0; i < d->op_count; i++)
		if (d->operands[i].type == X86_OP_MEM)
			memory(insn, &d->operands[i], out);
	if (insn->id == X86_INS_NOP)
		out->has_memory = false;
	set_kind(insn, out);
	if (cs->regs_access(handle, insn, read, &read_count, written, &written_count))
		return;
	for (u8 i = 0; i < written_count; i++) {
		s8 reg = dwarf_reg(written[i]);

		if (reg != NO_REG)
			out->written |= 1u << reg;
	}
}
