// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes with capstone: operands of x86, and text where libopcodes does not know the machine. One
 * handle for each kind of code, opened on first use.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate/capstone_calls.h"
#include "annotate/operands.h"
#include "arch/arch.h"
#include "arch/machine.h"
#include "base/alloc.h"
#include "base/library.h"
#include "base/text.h"

struct handle {
	u16 machine;
	bool big_endian;
	bool thumb; /* the short instructions of 32-bit Arm */
	bool att;   /* AT&T's syntax, which also reverses the order of operands in the details */
	csh handle;
	cs_insn *insn;
};

struct decoder {
	struct capstone_calls cs;
	bool intel;
	VEC(struct handle) handles;
};

static bool load(struct capstone_calls *cs)
{
	const struct library_symbol symbols[] = {
		{ "cs_open", (void **)&cs->open },
		{ "cs_close", (void **)&cs->close },
		{ "cs_option", (void **)&cs->option },
		{ "cs_malloc", (void **)&cs->malloc },
		{ "cs_free", (void **)&cs->free },
		{ "cs_disasm_iter", (void **)&cs->disasm_iter },
		{ "cs_insn_name", (void **)&cs->insn_name },
		{ "cs_reg_name", (void **)&cs->reg_name },
		{ "cs_regs_access", (void **)&cs->regs_access },
	};

	return library_open(LIBRARY_VERSION("libcapstone.so.", CS_API_MAJOR), symbols,
			    ARRAY_SIZE(symbols));
}

struct decoder *decoder_new(const char *syntax)
{
	struct capstone_calls cs;
	struct decoder *d;

	if (!load(&cs))
		return NULL;
	d = xcalloc(1, sizeof(*d));
	d->cs = cs;
	d->intel = syntax && !strcmp(syntax, "intel");
	return d;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	vec_for_each(&d->handles, h) {
		d->cs.free(h->insn, 1);
		d->cs.close(&h->handle);
	}
	vec_release(&d->handles);
	free(d);
}

static bool mode_of(u16 machine, bool big_endian, cs_arch *arch, cs_mode *mode)
{
	cs_mode order = big_endian ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN;

	switch (machine) {
	case ELF_MACHINE_386:
		*arch = CS_ARCH_X86;
		*mode = CS_MODE_32;
		return true;
	case ELF_MACHINE_X86_64:
		*arch = CS_ARCH_X86;
		*mode = CS_MODE_64;
		return true;
	case ELF_MACHINE_AARCH64:
		*arch = CS_ARCH_ARM64;
		*mode = order;
		return true;
	case ELF_MACHINE_ARM:
		*arch = CS_ARCH_ARM;
		*mode = CS_MODE_ARM | order;
		return true;
	case ELF_MACHINE_PPC64:
		*arch = CS_ARCH_PPC;
		*mode = CS_MODE_64 | order;
		return true;
	default:
		return false;
	}
}

static struct handle *handle_of(struct decoder *d, const struct arch *arch, u16 machine, bool att,
				bool thumb)
{
	struct handle h = { .machine = machine,
			    .big_endian = arch && arch->big_endian,
			    .att = att,
			    .thumb = thumb };
	cs_arch cs_arch;
	cs_mode cs_mode;

	vec_for_each(&d->handles, it)
		if (it->machine == machine && it->big_endian == h.big_endian && it->att == att &&
		    it->thumb == thumb)
			return it;
	if (!mode_of(machine, h.big_endian, &cs_arch, &cs_mode) ||
	    d->cs.open(cs_arch, thumb ? cs_mode | CS_MODE_THUMB : cs_mode, &h.handle))
		return NULL;
	d->cs.option(h.handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (att)
		d->cs.option(h.handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	h.insn = d->cs.malloc(h.handle);
	vec_push(&d->handles, h);
	return vec_last(&d->handles);
}

static struct handle *text_handle(struct decoder *d, const struct arch *arch, u16 machine,
				  bool thumb)
{
	return handle_of(d, arch, machine, machine_is_x86(machine) && !d->intel, thumb);
}

bool decoder_knows(struct decoder *d, const struct arch *arch, u16 machine)
{
	return d && text_handle(d, arch, machine, false);
}

/* Finds the address in the last immediate operand of a jump or call. */
static bool target_of(const struct handle *h, const cs_insn *insn, u64 *target)
{
	const cs_detail *d = insn->detail;

	switch (h->machine) {
	case ELF_MACHINE_386:
	case ELF_MACHINE_X86_64:
		if (d->x86.op_count != 1 || d->x86.operands[0].type != X86_OP_IMM)
			return false;
		*target = h->machine == ELF_MACHINE_386 ? (u32)d->x86.operands[0].imm
							: (u64)d->x86.operands[0].imm;
		return true;
	case ELF_MACHINE_AARCH64:
		if (!d->arm64.op_count ||
		    d->arm64.operands[d->arm64.op_count - 1].type != ARM64_OP_IMM)
			return false;
		*target = (u64)d->arm64.operands[d->arm64.op_count - 1].imm;
		return true;
	case ELF_MACHINE_ARM:
		if (!d->arm.op_count || d->arm.operands[d->arm.op_count - 1].type != ARM_OP_IMM)
			return false;
		*target = (u32)d->arm.operands[d->arm.op_count - 1].imm;
		return true;
	default:
		if (!d->ppc.op_count || d->ppc.operands[d->ppc.op_count - 1].type != PPC_OP_IMM)
			return false;
		*target = (u64)d->ppc.operands[d->ppc.op_count - 1].imm;
		return true;
	}
}

/* Writes capstone's text, with the target of a jump named as objdump names it. */
static void plain_text(const cs_insn *insn, const struct target_namer *names, struct insn *out)
{
	const char *last = strrchr(insn->op_str, ' ');

	strbuf_f(out->text, "%s", insn->mnemonic);
	if (!insn->op_str[0])
		return;
	strbuf_pad(out->text, ' ', 6 - (int)strlen(insn->mnemonic));
	strbuf_char(out->text, ' ');
	if (!out->has_target) {
		strbuf_str(out->text, insn->op_str);
		return;
	}
	if (last)
		strbuf_add(out->text, insn->op_str, (size_t)(last + 1 - insn->op_str));
	text_address(names, out->target, out->text);
}

bool decode(struct decoder *d, const struct arch *arch, u16 machine, const u8 *bytes, size_t size,
	    u64 address, const struct target_namer *names, struct insn *out)
{
	struct handle *h = text_handle(d, arch, machine, names->code && names->code->thumb);

	strbuf_clear(out->text);
	if (!h || !d->cs.disasm_iter(h->handle, &bytes, &size, &address, h->insn))
		return false;
	out->address = h->insn->address;
	out->size = h->insn->size;
	strbuf_f(out->text, "%s %s", h->insn->mnemonic, h->insn->op_str);
	flow_kind_from_text(machine, strbuf_cstr(out->text), out);
	strbuf_clear(out->text);
	out->has_target = out->flow && target_of(h, h->insn, &out->target);
	plain_text(h->insn, names, out);
	return true;
}

bool operands_of_x86_64(struct decoder *d, const u8 *bytes, size_t size, u64 address,
			struct operands *out)
{
	struct handle *h = d ? handle_of(d, NULL, ELF_MACHINE_X86_64, false, false) : NULL;

	if (!h || !d->cs.disasm_iter(h->handle, &bytes, &size, &address, h->insn))
		return false;
	operands_fill(&d->cs, h->handle, h->insn, out);
	return true;
}
