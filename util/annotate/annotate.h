/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembles a function with counts: what perf annotate shows.
 *
 * An annotator finds the bytes of a function (program, library, vmlinux, /proc/kcore, module, vdso,
 * BPF program) and disassembles them in the process (libopcodes; capstone or objdump for machines
 * that it does not know). It puts the source lines and the functions inlined there between the
 * instructions, and finds where jumps go. The result is an annotation: a plain array of lines.
 *
 * Counts are gathered separately (struct annotate_counts) and laid over an annotation any number of
 * times, so a live view disassembles once.
 *
 * Addresses are the object file's own (as objdump prints them); offsets are from the function's
 * start. Text is made printable (no control characters). Instruction text is that of objdump; -M
 * and arch choose its syntax.
 * Threads: one at a time for an annotator; counts belong to one worker until merged; an annotation
 * is read-only between fills.
 * Errors: -errno and a reason with a hint (-ENOENT: no such file, -ENODATA: the object does not
 * hold the function's bytes, -ECANCELED: the context's token was set, -ENOTSUP: this machine's code
 * cannot be decoded).
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
 * Adds one sample. event is the caller's number of its event; offset is in the image. version is
 * that of the kernel's code (history_code_version), LAST_CODE if the time is unknown.
 */
void annotate_counts_add(struct annotate_counts *c, u32 event, u32 image, u64 offset, u32 version,
			 u64 period);
/*
 * A run from a branch stack: the CPU came to start by a branch and left from end by the next one,
 * cycles later (not 0). start is in the same image, or UNKNOWN_START.
 */
#define UNKNOWN_START UINT64_MAX
void annotate_counts_add_run(struct annotate_counts *c, u32 image, u64 start, u64 end, u64 cycles);
/* Adds src to dst and empties src. */
void annotate_counts_merge(struct annotate_counts *dst, struct annotate_counts *src);
/* Forgets what fell into other images than those that are kept; keeps NULL: everything. */
void annotate_counts_keep(struct annotate_counts *c, bool (*keeps)(void *arg, u32 image),
			  void *arg);
/* Returns how many places have samples. */
size_t annotate_counts_size(const struct annotate_counts *c);

/* One function with samples. */
struct annotate_row {
	u32 image, symbol;
	u64 start, end;                /* offsets in the image */
	struct annotate_count *counts; /* by event number, below the number given */
};
/*
 * Returns the functions with samples, sorted by the period of event sort_by, largest first, then by
 * image path and offset. The counts own the memory. Leaves out samples outside all symbols. Each
 * call computes them again.
 */
const struct annotate_row *annotate_rows(struct annotate_counts *c,
					 const struct image_table *images,
					 struct symbol_store *symbols, u32 events, u32 sort_by,
					 size_t *count);

/* ---- lines ---- */

enum annotate_kind {
	ANNOTATE_HEAD, /* "Disassembly of section .text:", empty lines, "0000000000001220 <f>:" */
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
	const char *file; /* where this comes from in the source, or NULL */
	u32 line;         /* its line, or 0 */
	u32 number;       /* the number that --stdio shows beside other text, or 0 */

	/* for ANNOTATE_CODE */
	u64 address, offset;
	const u8 *bytes; /* size of them */
	u8 size;
	u8 mnemonic; /* bytes of text that are the mnemonic with its prefixes' last word */
	u8 flow;     /* enum annotate_flow */
	bool has_target;
	u64 target;              /* address that it goes to, with has_target */
	u32 target_line;         /* its line in this function; NO_LINE if outside */
	const char *target_name; /* the name of a place outside: "strlen@plt"; or NULL */
	u32 target_symbol;       /* the symbol that begins there, in the same image; NO_SYMBOL */
	u32 jumps_here;          /* how many jumps of this function go to it */
	u32 block;               /* basic block, from 0 */
	u32 loop;                /* line of the innermost loop's first instruction, or NO_LINE */
	u32 loop_depth;
	struct annotate_count *counts; /* by column of annotation_fill(); NULL without counts */
	/* For runs between branches; 0 if unknown. */
	float ipc; /* instructions for each cycle of its run */
	/* average, least and most cycles of the runs that end with a branch here */
	u32 cycles, least, most;
};

struct annotation {
	struct annotate_line *lines;
	u32 count;
	u32 image, symbol;
	const char *name;              /* the name of the function */
	const char *path;              /* the disassembled file, or a substitute */
	const char *object;            /* the image's path, as recorded; vmlinux's own */
	u64 address, size;             /* the function's place in the file */
	const char *decoder;           /* "libopcodes", "capstone", or the objdump that ran */
	u32 columns;                   /* events that were filled in */
	struct annotate_count *totals; /* by column: totals of the function */
	u32 code_count;                /* lines that are code */
	bool has_cycles;               /* lines have ipc and cycles */
	/* the IPC of the function, and the percentage of its instructions that have one */
	double ipc, covered;
	bool has_source;
};

/* ---- making ---- */

struct annotate_settings {
	const char *objdump; /* program to use instead of the libraries, or NULL */
	const char *syntax;  /* -M: "att" or "intel"; NULL means att; others go to objdump */
	const struct line_options *lines; /* how to find source lines; NULL for the default */
	bool no_source;
	/* show bytes, seven to a line: the numbers beside text count these lines */
	bool raw_lines;
	/* prefix of source paths, after prefix_strip parts are removed; or NULL */
	const char *prefix;
	unsigned prefix_strip;
	const char *kcore; /* the recorded kernel's kcore; NULL means /proc/kcore, "" none */
	/* Finds the machine code of a BPF program by its load address; may be NULL. */
	bool (*bpf_code)(void *arg, u64 addr, const u8 **code, size_t *size);
	void *bpf_arg;
	/* the history of the kernel's changes to its code; or NULL */
	const struct history *history;
	/* If code changed, the form with most of these samples is shown; NULL means the last. */
	struct annotate_counts *counts;
	/* the recording machine's architecture, for code without an ELF file; NULL means ours */
	const char *arch;
	/* the file was recorded on the running kernel, so /proc/kcore may be used */
	bool arch_of_host;
};

struct annotator;
/*
 * Makes an annotator. Copies the settings; what they point to, images and symbols must outlive it.
 */
struct annotator *annotator_new(struct context *ctx, const struct image_table *images,
				struct symbol_store *symbols, const struct annotate_settings *s);
void annotator_free(struct annotator *a);
/* Forgets what it read of images with named[id] false, which will be dropped. */
void annotator_sweep(struct annotator *a, const bool *named);

/* Disassembles a function. The caller frees *out with annotation_free(). */
int annotate_symbol(struct annotator *a, u32 image, u32 symbol, struct annotation **out,
		    struct reason *r) MUST_CHECK;
void annotation_free(struct annotation *n);

/*
 * Lays counts over the lines: column i is event events[i]. Counts of addresses inside an
 * instruction belong to it.
 */
void annotation_fill(struct annotation *n, struct annotate_counts *c, const u32 *events, u32 count);

/* ---- bytes and single instructions, wherever they are ---- */

struct code_piece;
/*
 * Opens up to size bytes of an image from an offset on, fewer where its section ends. Returns NULL
 * with a reason if there are none. One at a time; call code_piece_free() before the next.
 */
struct code_piece *code_piece_open(struct annotator *a, u32 image, u64 offset, u64 size,
				   struct reason *r);
void code_piece_free(struct code_piece *p);
const u8 *code_piece_bytes(const struct code_piece *p, size_t *size);
/* Reports whether it is code for a 64-bit processor. */
bool code_piece_is_64(const struct code_piece *p);
/*
 * Decodes the instruction at a place of the piece. Returns its length in bytes, or 0 if it cannot
 * be decoded. Empties text and writes objdump's text to it; sets flow (enum annotate_flow).
 */
u32 code_piece_decode(struct code_piece *p, size_t at, struct strbuf *text, u8 *flow);
/* Returns a line (from 1) of a source file, without its end; NULL if it cannot be read. */
const char *annotator_source_line(struct annotator *a, const char *path, u32 line, size_t *len);

enum annotate_percent {
	PERCENT_LOCAL_PERIOD,
	PERCENT_LOCAL_HITS,
	PERCENT_GLOBAL_PERIOD,
	PERCENT_GLOBAL_HITS
};
/* Parses "local-period" and so on; returns -EINVAL with a reason for others. */
int annotate_percent_parse(const char *text, enum annotate_percent *out, struct reason *r);
const char *annotate_percent_name(enum annotate_percent p);
/*
 * Returns the percentage of a line in a column. all has, by column, the whole recording's counts
 * (for the global kinds).
 */
double annotation_percent(const struct annotation *n, const struct annotate_line *l, u32 column,
			  enum annotate_percent p, const struct annotate_count *all);

#endif
