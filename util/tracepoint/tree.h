/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A print format as a tree: it is C, the arguments of a printf. Nothing of it is looked up or
 * judged here.
 *
 *	"pid=%d %s", REC->pid, __print_symbolic(REC->why, { 1, "ONE" })
 */
#ifndef TRACEPOINT_TREE_H
#define TRACEPOINT_TREE_H

#include "base/hash.h"

enum tree_kind {
	TREE_NUMBER, /* text: as written, "1UL" */
	TREE_NAME,   /* text: a name that the kernel did not replace by its number */
	TREE_STRING, /* text: between the quotes, with escapes */
	TREE_FIELD,  /* text: the field's name */
	TREE_CAST,   /* (text)a */
	TREE_UNARY,  /* text: "-", "~", "!", "&" or "*"; a */
	TREE_BINARY, /* a text b */
	TREE_CHOICE, /* a ? b : c */
	TREE_INDEX,  /* a[b] */
	TREE_CALL,   /* text(args) */
	TREE_ROW,    /* { args } */
};

struct tree {
	enum tree_kind kind;
	const char *text;
	const struct tree *a, *b, *c;
	const struct tree *args, *next; /* next: in the args of another node */
};

/* Returns the character for a backslash and this letter. */
static inline char tree_escaped(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/*
 * Parses a format: its string, followed by its arguments, in memory. Returns NULL if it cannot be
 * parsed.
 */
const struct tree *tree_parse(const char *print_fmt, struct arena *memory);

#endif
