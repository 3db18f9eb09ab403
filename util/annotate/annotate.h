/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembly of a function with counts: what perf annotate shows.
 *
 * What it is: an annotator finds the bytes of a function (program, library, vmlinux,
 * /proc/kcore, module, vdso, BPF program), disassembles them in the process (libopcodes;
 * capstone or objdump for machines that it does not know), puts the source lines and the functions
 * inlined there between the instructions, and works out where jumps go. The result is an
 * annotation:
 * a plain array of lines.  Counts are gathered apart (struct annotate_counts) and laid
 * over an annotation any number of times, so that a live view disassembles once.
 *
 * Addresses are the object file's own (as objdump prints them); offsets are from the
 * function's start.  Text is made printable (no control characters).
 * Instruction text is that of objdump; -M and arch decide on its syntax.
 * Threads: one at a time for an annotator; counts belong to one worker until merged;
 * an annotation is read-only between fills.
 * Errors: -errno and a reason with a hint (-ENOENT: no such file, -ENODATA: the object does not
 * hold the function's bytes, -ECANCELED: the context's token was set, -ENOTSUP: nothing here
 * decodes this machine's code).
 * Life: annotation_free() before annotator_free(): texts of files belong to the annotator.
 */
#ifndef ANNOTATE_ANNOTATE_H
#define ANNOTATE_ANNOTATE_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "symbol/symbol.h"

/* ---- counts ---- */

struct annotate_count {
	u64 samples, period;
};

struct annotate_counts;
struct annotate_counts *annotate_counts_new(void);
void annotate_counts_free(struct annotate_counts *c);
/*
 * One sample: event is the caller's number of it, offset is in the image. version: of the kernel's
 * code (history_code_version), LAST_CODE where the time is not known.
 */
void annotate_counts_add(struct annotate_counts *c, u32 event, u32 image, u64 offset, u32 version,
			 u64 period);
/*
 * What a branch stack says: the CPU came to start by a branch and left from end by the
 * next one, cycles later (not 0).  start is in the same image, or UNKNOWN_START.
 */
#define UNKNOWN_START UINT64_MAX
void annotate_counts_add_run(struct annotate_counts *c, u32 image, u64 start, u64 end, u64 cycles);
/* src is empty afterwards. */
void annotate_counts_merge(struct annotate_counts *dst, struct annotate_counts *src);
/* Forgets what fell into other images than those that are kept; keeps NULL: everything. */
void annotate_counts_keep(struct annotate_counts *c, bool (*keeps)(void *arg, u32 image),
			  void *arg);
/* Places with samples. */
size_t annotate_counts_size(const struct annotate_counts *c);

/* One function with samples. */
struct annotate_row {
	u32 image, symbol;
	u64 start, end;                /* offsets in the image */
	struct annotate_count *counts; /* by event number, below the number given */
};
/*
 * The functions with samples, those with the largest period of event sort_by first,
 * then by image path and offset; the counts' own memory.  Samples outside of all
 * symbols are not in it.  Calling it again makes it again.
 */
const struct annotate_row *annotate_rows(struct annotate_counts *c,
					 const struct image_table *images,
					 struct symbol_store *symbols, u32 events, u32 sort_by,
					 size_t *count);

/* ---- lines ---- */

enum annotate_kind {
	ANNOTATE_HEAD, /* "Disassembly of section .text:", blank lines, "0000000000001220 <f>:" */
	ANNOTATE_FUNCTION, /* "f():" where the code of another (inlined) function begins */
	ANNOTATE_SOURCE,
	ANNOTATE_CODE,
};

enum annotate_flow {
	FLOW_NONE,
	FLOW_JUMP,   /* always */
	FLOW_BRANCH, /* on a condition */
	FLOW_CALL,
	FLOW_RETURN,
};

#define NO_LINE UINT32_MAX

struct annotate_line {
	enum annotate_kind kind;
	const char *text; /* the source, or "mnemonic operands" */
	const char *file; /* where this comes from in the source; NULL: not known */
	u32 line;         /* its line, 0: not known */
	u32 number;       /* what --stdio shows beside text that is no code, 0: nothing */

	/* ANNOTATE_CODE */
	u64 address, offset;
	const u8 *bytes; /* size of them */
	u8 size;
	u8 mnemonic; /* bytes of text that are the mnemonic with its prefixes' last word */
	u8 flow;     /* enum annotate_flow */
	bool has_target;
	u64 target;              /* address that it goes to, with has_target */
	u32 target_line;         /* where that is in this function; NO_LINE: outside */
	const char *target_name; /* the name of a place outside: "strlen@plt"; or NULL */
	u32 target_symbol;       /* the symbol that begins there, in the same image; NO_SYMBOL */
	u32 jumps_here;          /* how many jumps of this function go to it */
	u32 block;               /* basic block, from 0 */
	u32 loop;                /* line of the innermost loop's first instruction, NO_LINE */
	u32 loop_depth;
	struct annotate_count *counts; /* by column of annotation_fill(); NULL: none fell here */
	/* Of runs between branches, 0: not known. */
	float ipc; /* instructions for each cycle of the run that holds it */
	/* of the runs that end with a branch here: average, least and most cycles */
	u32 cycles, least, most;
};

struct annotation {
	struct annotate_line *lines;
	u32 count;
	u32 image, symbol;
	const char *name;              /* the name of the function */
	const char *path;              /* the file disassembled, or what stands for it */
	const char *object;            /* the image's path, as recorded; vmlinux's own */
	u64 address, size;             /* the place of the function, in the file */
	const char *decoder;           /* "libopcodes", "capstone", or the objdump that was run */
	u32 columns;                   /* events that were filled in */
	struct annotate_count *totals; /* by column: of the function */
	u32 code_count;                /* lines that are code */
	bool has_cycles;               /* lines have ipc and cycles */
	/* the IPC of the function, and the part of its instructions that have one, percent */
	double ipc, covered;
	bool has_source;
};

/* ---- making ---- */

struct annotate_settings {
	const char *objdump; /* program to use instead of the libraries, or NULL */
	const char *syntax;  /* -M: "att" or "intel"; NULL: att; others go to objdump */
	const struct line_options *lines; /* how source lines are found; NULL: in the usual way */
	bool no_source;
	/* bytes are shown, seven to a line: the numbers beside text count them */
	bool raw_lines;
	/* the prefix of source paths, with prefix_strip parts taken off; or NULL */
	const char *prefix;
	unsigned prefix_strip;
	const char *kcore; /* the kcore of the recorded kernel; NULL: /proc/kcore; "" none */
	/* Machine code of BPF programs, or NULL: bytes at the address a program was loaded at. */
	bool (*bpf_code)(void *arg, u64 addr, const u8 **code, size_t *size);
	void *bpf_arg;
	/* the history of what the kernel changed in its code; or NULL */
	const struct history *history;
	/*
	 * chooses among the forms of code that changed: the one with most of these samples is
	 * shown; NULL: the last
	 */
	struct annotate_counts *counts;
	/* the architecture of the recording machine, for code without an ELF file; NULL: ours */
	const char *arch;
	/* the file was recorded on this very kernel: /proc/kcore may be used */
	bool arch_of_host;
};

struct annotator;
/* settings are copied; what they point to, images and symbols must outlive it. */
struct annotator *annotator_new(struct context *ctx, const struct image_table *images,
				struct symbol_store *symbols, const struct annotate_settings *s);
void annotator_free(struct annotator *a);
/* Images for which named[id] is false are about to go: forgets what it read of them. */
void annotator_sweep(struct annotator *a, const bool *named);

/* The caller frees *out with annotation_free(). */
int annotate_symbol(struct annotator *a, u32 image, u32 symbol, struct annotation **out,
		    struct reason *r) MUST_CHECK;
void annotation_free(struct annotation *n);

/*
 * Lay counts over the lines: column i is event events[i].  Counts of addresses inside
 * of an instruction are its own.
 */
void annotation_fill(struct annotation *n, struct annotate_counts *c, const u32 *events, u32 count);

/* ---- bytes and single instructions, wherever they are ---- */

struct code_piece;
/*
 * Up to size bytes of an image from an offset on, fewer where its section ends; NULL with a
 * reason where there are none.  One at a time; code_piece_free() before the next.
 */
struct code_piece *code_piece_open(struct annotator *a, u32 image, u64 offset, u64 size,
				   struct reason *r);
void code_piece_free(struct code_piece *p);
const u8 *code_piece_bytes(const struct code_piece *p, size_t *size);
/* Is it code for a processor of 64 bits? */
bool code_piece_is_64(const struct code_piece *p);
/*
 * The instruction at a place of the piece: its length in bytes, 0 when it cannot be decoded.
 * text (emptied) gets it as objdump has it, flow (enum annotate_flow) where it goes.
 */
u32 code_piece_decode(struct code_piece *p, size_t at, struct strbuf *text, u8 *flow);
/* A line (from 1) of a source file, without its end; NULL when it cannot be read. */
const char *annotator_source_line(struct annotator *a, const char *path, u32 line, size_t *len);

enum annotate_percent {
	PERCENT_LOCAL_PERIOD,
	PERCENT_LOCAL_HITS,
	PERCENT_GLOBAL_PERIOD,
	PERCENT_GLOBAL_HITS
};
/* "local-period" ...: -EINVAL with a reason. */
int annotate_percent_parse(const char *text, enum annotate_percent *out, struct reason *r);
const char *annotate_percent_name(enum annotate_percent p);
/* all: by column, the whole recording's counts (for the global kinds). */
double annotation_percent(const struct annotation *n, const struct annotate_line *l, u32 column,
			  enum annotate_percent p, const struct annotate_count *all);

#endif
