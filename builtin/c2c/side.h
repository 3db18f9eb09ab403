/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps on request, beside the tables of perf c2c: the callers of the code that accessed a line
 * (-g), the threads that accessed it, and how often each instruction did (both for the browser).
 *
 *	side_begin() -> side_add() for each sample -> side_end() -> read -> side_release()
 *
 * Memory: by distinct chains of an entry, by threads of a line, by instructions. One thread.
 */
#ifndef BUILTIN_C2C_SIDE_H
#define BUILTIN_C2C_SIDE_H

#include "builtin/c2c/lines.h"
#include "chain/chain.h"
#include "profile/calls.h"
#include "profile/gather.h"

struct c2c_callers {         /* -g */
	bool wanted, caller; /* caller: the outermost first */
	bool stitch;
	double least; /* percent of an entry's samples; branches with fewer are left out */
};

struct c2c_thread {
	const struct c2c_line *line;
	u32 pid, tid, comm;
	struct c2c_counts counts;
};

struct c2c_chain {
	const struct c2c_entry *e;
	chain_id id;
	u64 samples;
};

struct c2c_side {
	/* before side_begin() */
	struct c2c_callers callers;
	bool threads, code;

	/* its own */
	struct session *session;
	struct chains *chains;
	struct call_registers *registers; /* NULL: no chains come from branch registers */
	VEC(struct c2c_chain) by_chain;
	struct map64 chain_of; /* entry and chain -> number */
	VEC(struct c2c_thread) by_thread;
	struct map64 thread_of; /* line and thread -> number */
	struct annotate_gather gather;
	struct annotate_counts *counts; /* counts for the code; good from side_end() on */
	VEC(struct annotate_count) all; /* by the event's number */
};

/* Parses "caller", "callee", "none" and a number, the least percentage; separated by commas. */
int callers_parse(struct c2c_callers *c, const char *text, struct reason *r);

int side_begin(struct c2c_side *s, struct session *session, struct reason *r);
void side_add(struct c2c_side *s, const struct session_sample *sample,
	      const struct c2c_added *what);
void side_end(struct c2c_side *s, struct context *ctx);
void side_release(struct c2c_side *s);

/* Adds the callers of an entry as indented lines; nothing if no chain was recorded. */
void side_callers(const struct c2c_side *s, const struct c2c_entry *e, const char *indent,
		  struct strbuf *b);
/* Adds the threads that accessed a line, those with the most HITMs first. */
void side_threads(const struct c2c_side *s, const struct c2c_line *line, struct strbuf *b);

#endif
