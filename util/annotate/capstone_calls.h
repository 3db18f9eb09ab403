/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The capstone functions used here (internal); the library is opened on first use. */
#ifndef ANNOTATE_CAPSTONE_CALLS_H
#define ANNOTATE_CAPSTONE_CALLS_H

#include <capstone/capstone.h>

#include "annotate/internal.h"

struct capstone_calls {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
	__typeof__(cs_insn_name) *insn_name;
	__typeof__(cs_reg_name) *reg_name;
	__typeof__(cs_regs_access) *regs_access;
};

struct operands;
/* Fills in the operands of an x86 instruction (operands_x86.c). */
void operands_fill(const struct capstone_calls *cs, csh handle, const cs_insn *insn,
		   struct operands *out);

#endif
