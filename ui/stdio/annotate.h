/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An annotation as plain text, in the two layouts of perf annotate: --stdio (addresses,
 * numbers beside the source) and --stdio2 (as the terminal browser shows it: labels,
 * arrows, names instead of addresses).
 * Threads: one at a time for each out.
 */
#ifndef UI_STDIO_ANNOTATE_H
#define UI_STDIO_ANNOTATE_H

#include "annotate/annotate.h"
#include "base/out.h"

struct stdio_annotate {
	const struct annotation *n;       /* filled */
	const struct annotate_count *all; /* by column, of the whole recording */
	const char *event;                /* "cpu-clock", "anon group { a, b }" */
	u64 samples;                      /* the samples of the first column, for the head */
	enum annotate_percent percent;
	bool show_samples, show_period; /* instead of percentages */
	/* Appends further information to a line of code; or NULL. */
	void (*note)(void *arg, const struct annotation *n, u32 line, struct strbuf *out);
	void *note_arg;
	bool asm_raw, print_line, full_paths, color;
	/*
	 * of --stdio2: addresses instead of offsets, numbers of source lines, how many jumps lead
	 * to an instruction
	 */
	bool full_addresses, show_numbers, show_jumps;
	/* offsets of jump targets alone, or from 2 on of calls, and from 3 on of all */
	unsigned offset_level;
	double least; /* %: instructions below it are left out, and source lines without others */
};

/*
 * Prints a function as perf annotate --stdio does. *last_line is the source line shown last, kept
 * from symbol to symbol; the caller frees it.
 */
void stdio_annotate(const struct stdio_annotate *s, char **last_line, struct out *out);
/* Sets what the configuration says about --stdio2: annotate.use_offset and its like. */
void stdio_annotate2_configure(struct stdio_annotate *s, const struct context *ctx);
/* Prints the code as perf annotate --stdio2 does, below its title. */
void stdio_annotate2(const struct stdio_annotate *s, struct out *out);

/* ---- pieces for other screens ---- */

/*
 * Adds an instruction without address and arrow, with names of data for rip-relative operands,
 * offsets of jump targets, and names of called functions. name_width is the width of the mnemonic's
 * column.
 */
void stdio_code_text(const struct annotation *n, const struct annotate_line *l, u32 name_width,
		     struct strbuf *b);
/* Adds the same with the operands as they are disassembled. */
void stdio_operands_text(const struct annotate_line *l, u32 name_width, struct strbuf *b);
/* Returns the width of the widest mnemonic. */
u32 stdio_name_width(const struct annotation *n);
/*
 * Returns how many lines an instruction's bytes need, seven in each. The next function adds "85 f6
 * test   %esi,%esi".
 */
u32 stdio_raw_lines(const struct annotate_line *l);
void stdio_raw_text(const struct annotate_line *l, u32 row, struct strbuf *b);
/*
 * Adds "               # data-type: struct point +0x4 (y)" to a line; nothing if none is known. arg
 * is a struct data_types.
 */
void stdio_type_note(void *arg, const struct annotation *n, u32 line, struct strbuf *out);
/*
 * Adds the columns about cycles, if the annotation has them: instructions per cycle, and cycles
 * with their range. l NULL means the headings. The next function appends what the title says about
 * the function.
 */
void stdio_put_cycles(const struct annotation *n, const struct annotate_line *l, bool range,
		      struct strbuf *b);
int stdio_cycles_width(const struct annotation *n, bool range);
void stdio_put_ipc(const struct annotation *n, struct strbuf *b);
/* Adds "w.c:5", or the same with its directories. */
void stdio_line_name(const struct annotation *n, const struct annotate_line *l, bool full,
		     struct strbuf *b);

#endif
