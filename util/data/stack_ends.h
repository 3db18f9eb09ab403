/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why user stacks ended that were unwound before they were written: by `record --call-graph
 * dwarf,live` or `inject --convert-callchain`.  The samples are ordinary call chains, which do not
 * say it, so it is in the section OURS, version 1.
 */
#ifndef DATA_STACK_ENDS_H
#define DATA_STACK_ENDS_H

#include "base/vec.h"
#include "data/reader.h"
#include "data/writer.h"

struct data_stack_end {
	u64 count;          /* stacks */
	const char *why;    /* "the recorded piece of stack is too small" */
	const char *object; /* path of the object in which they ended; "": not known */
};

struct data_stack_ends {
	bool known;       /* the file says it */
	u32 bytes;        /* that were copied of each stack; 0: not known */
	const char *mode; /* the value of --call-graph without the size: "dwarf,live" */
	VEC(struct data_stack_end) list;
};

/* Sums up the list by reason, and adds each row. */
void data_set_stack_ends(struct data_writer *w, const struct data_stack_ends *ends);
/*
 * Returns an empty list, and adds a condition, if the section is damaged.  The texts live as long
 * as the reader; vec_release(&list) afterwards.
 */
struct data_stack_ends data_stack_ends(struct data_reader *d);

#endif
