/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which field of which type an instruction touches.
 *
 * A memory operand's base register is followed to a variable: by the variable's location
 * at that place (DWARF), or by what the instructions before it in the block put into the
 * register (copies, loads through known types, address arithmetic, results of calls).
 * Globals are found by address, variables on the stack by the frame's base.  A pointer's
 * target is taken for an element of an array of its type: offsets are modulo its size.
 * Instructions of x86-64 are read by capstone, those of arm64 and powerpc without a library, types
 * by libdw; what the libraries are missing for is not known.
 * Threads: one at a time.  Life: data_types_free() before annotator_free(); texts are
 * the data_types'.
 */
#ifndef ANNOTATE_DATATYPE_H
#define ANNOTATE_DATATYPE_H

#include "annotate/annotate.h"
#include "base/strbuf.h"

enum data_outcome {
	DATA_OK,
	DATA_NO_MEMORY,  /* the instruction names no memory */
	DATA_NO_DECODER, /* another machine, an instruction that is not known, or no capstone */
	DATA_NO_DEBUG_INFO,
	DATA_NO_VARIABLE, /* nothing says what the register holds */
	DATA_NO_TYPE,     /* a pointer to void, code ... */
	DATA_BAD_OFFSET,  /* outside of the variable */
	DATA_STACK,       /* push, pop, call, ret: the memory of no variable */
	DATA_CANARY,      /* the stack protector's word */
	DATA_OUTCOMES,
};
/* "no_var" ... */
const char *data_outcome_name(enum data_outcome o);

struct data_type; /* one type of one object */

struct data_access {
	enum data_outcome outcome;
	const struct data_type *type; /* DATA_OK */
	u64 offset;                   /* bytes in the type */
	u32 size;                     /* bytes accessed */
	const char *mnemonic;         /* the instruction's mnemonic, without suffix operands */
	bool stores;
};

struct data_types;
struct data_types *data_types_new(struct annotator *a);
void data_types_free(struct data_types *t);
/* Are the operands of this machine's (EM_*) instructions known? */
bool data_types_know(const struct data_types *t, u16 e_machine);
/* With annotator_sweep(). */
void data_types_sweep(struct data_types *t, const bool *named);
/* What line (code) of the annotation touches. */
void data_access_at(struct data_types *t, const struct annotation *n, u32 line,
		    struct data_access *out);

/* "struct point", "long int" */
const char *data_type_name(const struct data_type *t);
u64 data_type_size(const struct data_type *t);
/* "pos.x", or "" for a type without fields; appended. */
void data_type_field(const struct data_type *t, u64 offset, struct strbuf *out);

/* The type's fields, outermost first: the type itself has depth 0. */
struct data_field {
	const char *type, *name; /* name "": the type itself, or an unnamed part */
	u64 offset, size;        /* bytes from the type's begin */
	u32 depth;
	bool has_fields;
};
const struct data_field *data_type_fields(const struct data_type *t, size_t *count);

#endif
