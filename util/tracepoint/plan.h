/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint's print format, compiled: steps that write text from raw data.
 *
 * Compiled once from the format's text (compile.h) when every
 * construct in it is one of those below; immutable afterwards.  What is written
 * equals libtraceevent's pretty printing, but a print format is C: numbers have the
 * types that C gives them, where libtraceevent has 64 bits without a sign
 * (tests/differences: script-c-types).
 * Reading is by offsets that were fixed at compile time: the caller gives at
 * least min_size bytes.  Dynamic strings are checked against the real size.
 */
#ifndef TRACEPOINT_PLAN_H
#define TRACEPOINT_PLAN_H

#include "tracepoint/internal.h"

/* A type of C that numbers have: how many bytes, and does it have a sign? */
struct num_type {
	u8 size;
	bool is_signed;
};

/* A number: a small expression tree, nodes referred to by index. */
enum num_kind {
	NUM_CONST,        /* value */
	NUM_FIELD,        /* size bytes at offset */
	NUM_SIGNED,       /* the same, with its sign */
	NUM_CAST,         /* a, as a number of the type */
	NUM_BINARY,       /* a op b, both as numbers of the type as */
	NUM_NOT,          /* !a */
	NUM_INVERT,       /* ~a */
	NUM_CHOICE,       /* a ? b : c */
	NUM_ARRAY_LEN,    /* bytes of the dynamic array whose word is at offset */
	NUM_DYNAMIC_BYTE, /* the byte of this number (size) in it; value is added to where it is */
	NUM_SWAP,         /* a, its bytes turned round */
};

/* clang-format off */
enum num_op {
	OP_OR, OP_LOGICAL_OR, OP_AND, OP_LOGICAL_AND, OP_LESS, OP_LESS_EQUAL, OP_SHIFT_LEFT,
	OP_MORE, OP_MORE_EQUAL, OP_SHIFT_RIGHT, OP_EQUAL, OP_NOT_EQUAL, OP_PLUS, OP_MINUS,
	OP_TIMES, OP_DIVIDE, OP_MODULO, OP_XOR,
};
/* clang-format on */

struct num {
	enum num_kind kind;
	enum num_op op;
	u32 offset, size;
	u32 a, b, c;
	u64 value;
	/* of what it is: 64 bits, with the sign of the type where it has one */
	struct num_type type;
	struct num_type as;
};

/* A string. */
enum str_kind {
	STR_CONST,    /* text */
	STR_FIELD,    /* size bytes at offset, up to a NUL */
	STR_DYNAMIC,  /* word at offset says where; base is added */
	STR_CHOICE,   /* num ? a : b (strings) */
	STR_FLAGS,    /* num by the table, joined with text */
	STR_SYMBOLIC, /* num by the table */
	STR_POINTER,  /* the text that the kernel has at the address num */
	STR_HEX,      /* num bytes, at most b, of those at offset, text between them */
	STR_NUMBERS,  /* num numbers of b bytes each */
	STR_NOTHING,  /* not even padding */
};

struct table_row {
	u64 value;
	const char *text;
	bool is_unknown; /* a name that the kernel did not replace by its number: no value is it */
};

struct str {
	enum str_kind kind;
	const char *text;
	u32 offset, size, base;
	u32 num, a, b;
	u32 first_row, rows;
	bool is_dynamic; /* STR_HEX, STR_NUMBERS: word at offset says where */
};

/* How one number or string is laid out. */
struct layout {
	char conversion;        /* d u x X o p s c */
	s8 longs;               /* -2 char, -1 short, 0 int, 1 long, 2 long long */
	bool zero, left, plain; /* plain: printf is not needed */
	u16 width;
	s32 precision;          /* for strings; -1: none */
	char printf_format[24]; /* for a long long, or a char *, when not plain */
};

enum step_kind {
	STEP_TEXT,
	STEP_NUMBER,
	STEP_STRING,
	STEP_FUNCTION, /* %pS, %ps: the name of the function at an address */
	STEP_ADDRESS,  /* %pI4, %pU and the like: bytes of a field */
};

enum address_kind { ADDRESS_MAC, ADDRESS_IP4, ADDRESS_IP6, ADDRESS_SOCKET, ADDRESS_UUID };

struct address {
	enum address_kind kind;
	u32 offset; /* where 6, 4, 16, 28 or 16 bytes stand */
	u32 base;   /* is_dynamic: the word at offset says where; base is added */
	bool is_dynamic;
	bool is_short;              /* IP6, SOCKET: runs of zeros left out; MAC: no colons */
	bool with_port;             /* SOCKET */
	bool with_flow, with_scope; /* SOCKET: of IPv6 */
	bool is_upper, is_guid; /* UUID: capital digits; the first three groups are little endian */
};

struct step {
	enum step_kind kind;
	struct layout layout;
	const char *text;
	u32 len;       /* the length of text */
	u32 index;     /* which num, str or address */
	u32 precision; /* num of "%.*s", when takes_precision */
	bool takes_precision;
	bool with_offset; /* STEP_FUNCTION */
};

/*
 * The steps as they are run: one for each number of a field, with the constant text before it, and
 * QUICK_STEP for every other step.
 */
enum quick_kind { QUICK_HEX, QUICK_DEC, QUICK_SIGNED, QUICK_POINTER, QUICK_STEP, QUICK_END };

struct quick {
	const char *text; /* before it; PLAN_PIECE bytes can be read at a time */
	u32 len;
	enum quick_kind kind;
	u32 at;   /* the field's offset, or the step's index */
	u32 room; /* bytes up to the next QUICK_STEP, with what is written beyond their end */
	u64 mask; /* of its value */
	u8 size;  /* of the field, bytes */
	/* above the sign of the field, of what it is cast to, and of what is shown */
	u8 sign_bits, cast_bits, cut_bits;
	u8 width;
	bool zero;
};
enum { PLAN_PIECE = 16 };

struct plan {
	VEC(struct num) nums;
	VEC(struct str) strs;
	VEC(struct table_row) rows;
	VEC(struct step) steps;
	VEC(struct address) addresses;
	VEC(u32) guards;         /* nums that must be small, see plan_compile_guards() */
	VEC(struct quick) quick; /* plan_make_quick() */
	bool is_printable; /* no data can make it write what strbuf_printable() would change */
	struct arena memory;
	u32 min_size; /* bytes that fixed offsets reach */
	u8 long_size;
};

/* NULL when the print format has a construct that plans do not know. */
struct plan *plan_compile(const struct tracepoint_format *t, u8 long_size);
void plan_free(struct plan *p);
/*
 * What must hold before libtraceevent may print raw data: the counts, indices and
 * widths that its print format takes from the data.  libtraceevent believes them.
 * NULL when one of them is beyond what plans can compute.
 */
struct plan *plan_compile_guards(const struct tracepoint_format *t, u8 long_size);
/*
 * Is the print format C, and do its functions take fields that there are? libtraceevent's parser
 * crashes on much that is not so, which only damaged files have.
 */
bool plan_understands(const struct tracepoint_format *t);
/* What addresses stand for; both may be unknown. */
struct plan_names {
	tracepoint_resolver resolve;
	void *resolve_arg;
	const struct map64 *strings; /* address -> pointer to the text */
};

/*
 * The guards of either kind of plan: true when raw, of which plan_run() says how much is readable,
 * may be printed by it.
 */
bool plan_guards_hold(const struct plan *p, const struct tracepoint_formats *f, const u8 *raw,
		      u32 raw_size);
enum { GUARD_MOST = 16384 }; /* elements, or columns */
/*
 * raw: readable for max(min_size, raw_size) bytes; the guards hold. true: what was written needs no
 * strbuf_printable().
 */
bool plan_run(const struct plan *p, const struct tracepoint_formats *f,
	      const struct plan_names *names, const u8 *raw, u32 raw_size, struct strbuf *out);
/* The value of a number that does not depend on raw data; false: it does. */
bool plan_constant(const struct plan *p, u32 num, u64 *value);
/* a->offset and what follows it, or the word there, lie in raw. */
void plan_write_address(const struct address *a, const u8 *raw, u32 raw_size, bool swap,
			struct strbuf *out);

#endif
