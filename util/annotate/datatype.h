/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds which field of which type an instruction accesses.
 *
 * A memory operand's base register is followed to a variable: by the variable's location at that
 * place (DWARF), or by what earlier instructions in the block put into the register (copies, loads
 * through known types, address arithmetic, results of calls). Globals are found by address,
 * variables on the stack by the frame's base.
 *
 * A pointer's target is assumed to be an element of an array of its type: offsets are modulo its
 * size. capstone decodes instructions of x86-64; those of arm64 and powerpc need no library; libdw
 * reads types. Without a library, the result is unknown.
 * Threads: one at a time. Life: data_types_free() before annotator_free(); data_types owns the
 * texts.
 */
#ifndef ANNOTATE_DATATYPE_H
#define ANNOTATE_DATATYPE_H

#include "annotate/annotate.h"
#include "base/strbuf.h"

enum data_outcome {
	DATA_OK,
	DATA_NO_MEMORY,  /* the instruction accesses no memory */
	DATA_NO_DECODER, /* another machine, an unknown instruction, or no capstone */
	DATA_NO_DEBUG_INFO,
	DATA_NO_VARIABLE, /* the content of the register is unknown */
	DATA_NO_TYPE,     /* a pointer to void, code ... */
	DATA_BAD_OFFSET,  /* outside the variable */
	DATA_STACK,       /* push, pop, call, ret: the memory of no variable */
	DATA_CANARY,      /* the stack protector's word */
	DATA_OUTCOMES,
};
/* Returns the name of an outcome: "no_var" and so on. */
const char *data_outcome_name(enum data_outcome o);

struct data_type; /* one type of one object */

struct data_access {
	enum data_outcome outcome;
	const struct data_type *type; /* for DATA_OK */
	u64 offset;                   /* bytes in the type */
	u32 size;                     /* bytes accessed */
	const char *mnemonic;         /* the instruction's mnemonic, without suffix operands */
	bool stores;
};

struct data_types;
struct data_types *data_types_new(struct annotator *a);
void data_types_free(struct data_types *t);
/* Reports whether the operands of this machine's (EM_*) instructions are known. */
bool data_types_know(const struct data_types *t, u16 e_machine);
/* Forgets images; call it with annotator_sweep(). */
void data_types_sweep(struct data_types *t, const bool *named);
/* Finds the data that a line (code) of the annotation accesses. */
void data_access_at(struct data_types *t, const struct annotation *n, u32 line,
		    struct data_access *out);

/* Returns the name of a type: "struct point", "long int". */
const char *data_type_name(const struct data_type *t);
u64 data_type_size(const struct data_type *t);
/* Appends the field at an offset: "pos.x", or "" for a type without fields. */
void data_type_field(const struct data_type *t, u64 offset, struct strbuf *out);

/* The type's fields, outermost first: the type itself has depth 0. */
struct data_field {
	const char *type, *name; /* name "" for the type itself, or an unnamed part */
	u64 offset, size;        /* bytes from the start of the type */
	u32 depth;
	bool has_fields;
};
const struct data_field *data_type_fields(const struct data_type *t, size_t *count);

#endif
