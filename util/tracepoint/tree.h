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
	TREE_NUMBER, /* text: as it is written, "1UL" */
	TREE_NAME,   /* text: a name that the kernel did not replace by its number */
	TREE_STRING, /* text: what is between the quotes, escapes and all */
	TREE_FIELD,  /* text: which */
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
	const struct tree *args, *next; /* next: of those that the args of another one are */
};

/* What a backslash and this letter stand for. */
static inline char tree_escaped(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* The format's string, followed by its arguments, in memory; NULL when it is not understood. */
const struct tree *tree_parse(const char *print_fmt, struct arena *memory);

#endif
