/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint's print format, compiled: steps that write text from raw data.
 *
 * It is compiled once from the format's text (compile.h) if every construct in it is one of those
 * below; immutable afterwards. The text equals libtraceevent's pretty printing, but a print format
 * is C: numbers have the types that C gives them, where libtraceevent uses unsigned 64 bits
 * (tests/differences: script-c-types).
 * Reading uses offsets that were fixed at compile time: the caller provides at least min_size
 * bytes. Dynamic strings are checked against the real size.
 */
#ifndef TRACEPOINT_PLAN_H
#define TRACEPOINT_PLAN_H

#include "tracepoint/internal.h"

/* A C type of numbers: its size in bytes, and whether it is signed. */
struct num_type {
	u8 size;
	bool is_signed;
};

/* A number: a node of a small expression tree, whose nodes refer to each other by index. */
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
	NUM_DYNAMIC_BYTE, /* the byte with this number (size) in it; value is added to its place */
	NUM_SWAP,         /* a, with its bytes swapped */
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
	/* of the result: 64 bits, signed if the type is */
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
	STR_POINTER,  /* the kernel's text at the address num */
	STR_HEX,      /* num bytes (at most b) at offset, separated by text */
	STR_NUMBERS,  /* num numbers of b bytes each */
	STR_NOTHING,  /* not even padding */
};

struct table_row {
	u64 value;
	const char *text;
	bool is_unknown; /* a name without a number: matches no value */
};

struct str {
	enum str_kind kind;
	const char *text;
	u32 offset, size, base;
	u32 num, a, b;
	u32 first_row, rows;
	bool is_dynamic; /* STR_HEX, STR_NUMBERS: the word at offset has the place */
};

/* The layout of one number or string. */
struct layout {
	char conversion;        /* d u x X o p s c */
	s8 longs;               /* -2 char, -1 short, 0 int, 1 long, 2 long long */
	bool zero, left, plain; /* plain: does not need printf */
	u16 width;
	s32 precision;          /* for strings; -1 means none */
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
	u32 offset; /* place of the 6, 4, 16, 28 or 16 bytes */
	u32 base;   /* is_dynamic: the word at offset has the place; base is added */
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
	u32 index;     /* index of a num, str or address */
	u32 precision; /* num of "%.*s", when takes_precision */
	bool takes_precision;
	bool with_offset; /* STEP_FUNCTION */
};

/*
 * The steps as they run: one for each number of a field, with the constant text before it, and
 * QUICK_STEP for every other step.
 */
enum quick_kind { QUICK_HEX, QUICK_DEC, QUICK_SIGNED, QUICK_POINTER, QUICK_STEP, QUICK_END };

struct quick {
	const char *text; /* before it; PLAN_PIECE bytes can be read together */
	u32 len;
	enum quick_kind kind;
	u32 at;   /* the field's offset, or the step's index */
	u32 room; /* bytes up to the next QUICK_STEP, including what is written beyond their end */
	u64 mask; /* of its value */
	u8 size;  /* of the field, bytes */
	/* bits above the sign of the field, of its cast type, and of what is shown */
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
	bool is_printable;       /* no data can make it write unprintable characters */
	struct arena memory;
	u32 min_size; /* bytes that fixed offsets need */
	u8 long_size;
};

/* Compiles a print format; returns NULL if it has a construct that plans cannot express. */
struct plan *plan_compile(const struct tracepoint_format *t, u8 long_size);
void plan_free(struct plan *p);
/*
 * Compiles what must hold before libtraceevent may print raw data: limits for the counts, indices
 * and widths that its print format takes from the data, which libtraceevent trusts. Returns NULL if
 * plans cannot compute one of them.
 */
struct plan *plan_compile_guards(const struct tracepoint_format *t, u8 long_size);
/*
 * Reports whether the print format is C, and its functions take fields that exist. libtraceevent's
 * parser crashes on many other formats, which only damaged files have.
 */
bool plan_understands(const struct tracepoint_format *t);
/* The names of addresses; both may be unknown. */
struct plan_names {
	tracepoint_resolver resolve;
	void *resolve_arg;
	const struct map64 *strings; /* address -> pointer to the text */
};

/*
 * Reports whether the guards of either kind of plan allow it to print raw. The requirements on raw
 * are those of plan_run().
 */
bool plan_guards_hold(const struct plan *p, const struct tracepoint_formats *f, const u8 *raw,
		      u32 raw_size);
enum { GUARD_MOST = 16384 }; /* elements, or columns */
/*
 * Prints raw, which must be readable for max(min_size, raw_size) bytes; the guards must hold.
 * Returns true if the text needs no strbuf_printable().
 */
bool plan_run(const struct plan *p, const struct tracepoint_formats *f,
	      const struct plan_names *names, const u8 *raw, u32 raw_size, struct strbuf *out);
/* Finds the value of a number that does not depend on raw data; returns false if it does. */
bool plan_constant(const struct plan *p, u32 num, u64 *value);
/* Writes an address. a->offset and what follows it, or the word there, must be in raw. */
void plan_write_address(const struct address *a, const u8 *raw, u32 raw_size, bool swap,
			struct strbuf *out);

#endif
