/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the field printer.
 *
 * Text that repeats is rendered once: a frame's line (lines.c, by frame id and
 * line style), an event's name, a comm.  Frames of samples without a chain go
 * through the same table, so a hot address costs one look-up.
 */
#ifndef BUILTIN_SCRIPT_INTERNAL_H
#define BUILTIN_SCRIPT_INTERNAL_H

#include "annotate/annotate.h"
#include "arch/arch.h"
#include "builtin/script/script.h"
#include "event/event_switch.h"
#include "stat/stat.h"
#include "symbol/srcline.h"
#include "tracepoint/tracepoint.h"

/* What a frame's text consists of; each distinct set has its own table of rendered text. */
enum line_part {
	LINE_IP = 1,
	LINE_SYM = 2,
	LINE_SYMOFF = 4,
	LINE_DSO = 8,
	LINE_DSOFF = 16,
	LINE_CHAIN = 32,    /* tab first, object offsets, newline last */
	LINE_DATA = 64,     /* addr: "[unknown]" instead of nothing, no ip */
	LINE_SRCLINE = 128, /* a second line: file and line */
	/* parts of rows.c; SYM, CHAIN, SRCLINE and INLINES beside them */
	LINE_JSON = 512,
	LINE_TSV = 1024,
	LINE_INLINES = 256, /* user frames: a line for each function inlined there comes first */
};

/*
 * The text of a frame uses as little of the processor's caches as possible. It has neither its
 * leading spaces nor its end, which it shares with other frames of the object, and half a cache
 * line contains most of the rest. A text that needs two units has its own cache line.
 */
enum { LINE_UNIT = 32, LINE_HEAD = 4, UNITS_OF_BLOCK = 2048, TAIL_TEXT = 128, MOST_TAILS = 255 };
struct kept_line {
	u8 state;  /* LINE_LONG and others */
	u8 blanks; /* of LINE_BLANKS come first, bytes */
	u8 len;
	u8 tail;     /* comes last: number in tails */
	char text[]; /* where it is, struct long_line, when it is LINE_LONG */
};
enum {
	LINE_LONG = 1, /* does not fit into two units */
	LINE_STOP = 2, /* --stop-bt: nothing below it */
};
struct long_line {
	u64 at; /* in long_text */
	u32 len;
};
/* " (object)" and the line feed */
struct line_tail {
	u32 len;
	char text[TAIL_TEXT];
};

struct line_table {
	unsigned parts; /* enum line_part */
	VEC(u32) units; /* by frame id: where its kept_line begins; 0: it was not rendered yet */
	VEC(char *) blocks;          /* of UNITS_OF_BLOCK units */
	u32 used;                    /* units; the first one is none */
	VEC(struct line_tail) tails; /* the first is empty */
	struct map64 tail_of;        /* image -> number in tails */
	struct strbuf long_text, rendered;
};

/* The text of something else that was looked up, by its number. */
struct line {
	u64 at;
	u32 len; /* 0: not rendered yet */
};

/* The texts of instructions that were looked up, by frame id. */
struct insn_texts {
	VEC(struct line) lines;
	struct strbuf text;
};

/* clang-format off */
enum branch_kind {
	KIND_UNKNOWN, KIND_BEGIN, KIND_END, /* the beginning and the end of the trace */
	KIND_JUMP, KIND_CONDITIONAL, KIND_CALL, KIND_RETURN, KIND_SYSTEM_CALL, KIND_SYSTEM_RETURN,
	KIND_SOFTWARE_INTERRUPT, KIND_INTERRUPT_RETURN,
	KIND_INTERRUPT, /* a hardware interrupt or exception, not caused by a branch instruction */
};
/* clang-format on */

/* The branching instruction; length 0 if an interrupt returned there, or it cannot be read. */
struct branch {
	u8 kind; /* enum branch_kind */
	u8 length;
	bool is_decoded;
};

/* One event as it is printed. */
struct event_view {
	const struct event *event;
	enum script_type type;
	u64 fields;
	bool has_chain; /* and chains are shown */
	bool is_bpf_output, is_bts, is_dummy;
	bool addr_has_symbol;                   /* page faults: the address is one of a mapping */
	bool has_memory, has_details, has_code; /* any field of those groups is shown */
	/* all before the time's digits depends on task, CPU and second alone */
	bool keeps_start;
	char *name; /* padded, with ": "; in pieces of START_PIECE bytes */
	size_t name_len;
	struct line_table *chain_lines, *leaf_lines, *addr_lines;
	struct out *file;     /* --per-event-dump: where its text goes; else NULL */
	struct replace *dump; /* its file */
	char *path;
	u64 samples; /* written to it */
};

/*
 * header.c: the start of lines, which hardly changes from one sample of a task on a CPU to its
 * next.
 */
enum { START_PIECE = 16, START_BYTES = 96, STARTS = 64 };
struct line_start {
	const struct event_view *view; /* NULL: none is kept here */
	u64 second;                    /* its begin, ns */
	u32 pid, tid, comm, cpu;
	u32 len;
	char text[START_BYTES]; /* up to the point after the seconds */
};

struct script {
	struct session *session;
	const struct script_options *o;
	struct script_fields fields; /* after the check */
	struct out *out;
	struct history *history;
	struct event_set *set;
	const struct arch *arch;
	struct chains *chains;
	struct line_store *source; /* NULL until a line is requested; workers of one run share it */
	struct annotator *code;    /* NULL until instructions are requested */
	struct insn_texts insns;   /* code.c */
	VEC(struct branch) branches; /* branch_kind.c: by frame id */
	struct call_trace *calls;    /* call_trace.c, or NULL */
	struct map64 last_lines;     /* task id -> hash of file and line that srccode showed last */
	struct script_chains *recent; /* chains.c: NULL until the first chain is printed */
	VEC(struct event_view) views; /* by event index */
	VEC(struct line_table *) tables;
	struct tracepoint_printer *printer;
	struct stat_table *stat; /* NULL: no such record yet */
	bool stat_headed;
	struct reading *reading;   /* readings.c: NULL until a sample has counters */
	struct line_start *starts; /* STARTS of them; NULL until the first is kept */
	bool ready, chains_shown;
	bool shows_all;             /* nothing but script_keep() leaves samples out */
	bool any_sample, any_shown; /* before and after the filters */
	struct event_switch sw;
	u64 newest, misordered; /* -d */
	u64 initial_time, previous_time;
	int data_src_width;
	u64 columns; /* columns for --tsv: bits of enum script_field, and these: */
#define ROW_CHAIN    BIT64(62)
#define ROW_BRANCHES BIT64(63)
	u32 counter_width;                /* bits, of brcntr; 0: not requested yet */
	struct call_registers *registers; /* another source of call chains, or NULL */
	struct dlfilter *filter;          /* the filter of --dlfilter, or NULL */
	const struct order_key *now;      /* the key of the sample being printed */
	/* --header: made with the views; workers of one run share it, or NULL */
	struct script_truth *truth;
	struct hist_collector *collector; /* of it, of this worker; or NULL */
	struct pieces *pieces; /* pieces.c: where the text of a worker's out goes, or NULL */
};

/* truth.c: what --header prints after the samples.  Does nothing without it. */
int script_truth_begin(struct script *s, struct reason *r) MUST_CHECK;
struct hist_collector *script_truth_collector(const struct script *s);
void script_truth_add(struct script *s, const struct session_sample *ss);
int script_truth_print(struct script *s, struct reason *r) MUST_CHECK;
void script_truth_free(struct script_truth *t);

/*
 * check.c: checks fields against what was recorded and fills in views. Called before the first
 * line.
 */
int script_prepare(struct script *s, struct reason *r);
/*
 * event_kind.c: reports whether each sample stands for a branch; the next function, whether it also
 * has the target.
 */
bool script_is_bts(const struct perf_event_attr *a);
bool script_is_branch_trace(const struct event *ev);

/* filter.c: cheap tests before anything is resolved (session_ops.filter) */
bool script_keep(void *arg, const struct sample *sample, const struct order_key *key);
/* Reports whether the sample passes the filters by comm, object, symbol and address. */
bool script_wanted(struct script *s, const struct session_sample *ss);
/* Reports whether the sample is between --switch-on and --switch-off, in order of time. */
bool script_is_on(struct script *s, const struct session_sample *ss);
int script_find_switches(struct script *s, struct reason *r);
void script_check_order(struct script *s, const struct session_sample *ss);
/* Adds what -d found. */
void script_add_checks(struct script *s, struct strbuf *b);
/* Warns about filters that match nothing, since empty output looks like an empty file. */
void script_warn_if_empty(struct script *s);
bool script_listed(const u32 *numbers, size_t count, u32 v);

/* records.c: records other than samples */
int script_on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r);
void script_want_records(const struct script_options *o, struct session_ops *ops);

/* files.c: a file for the text of each event, --per-event-dump */
int script_files_open(struct script *s, struct reason *r);
/* Closes the files of --per-event-dump, and adds what was written to which file. */
int script_files_close(struct script *s, struct out *summary, struct reason *r);
/* Gives up what script_files_close() has not put in place. */
void script_file_drop(struct event_view *v);

/* lines.c */
struct line_table *script_lines(struct script *s, unsigned parts);
void script_add_frame(struct script *s, struct line_table *t, frame_id id, struct strbuf *b);
/* Adds a chain, leaf first. */
void script_add_frames(struct script *s, struct line_table *t, const frame_id *frames, size_t count,
		       struct strbuf *b);
frame_id script_frame_of(struct script *s, u64 addr, u8 cpumode, const struct location *l);
/* Adds "sym+0x5" or "[unknown]". */
void script_add_symbol(struct script *s, const struct location *l, bool offset, struct strbuf *b);
void script_add_dso(struct script *s, u32 image, struct strbuf *b);
/* Returns the function at a place, or NULL. */
const struct symbol *script_symbol_at(struct script *s, u32 image, u64 offset);
/* Returns the name of the function at a place, or NULL. */
const char *script_symbol_name(struct script *s, const struct location *l);
void script_lines_release(struct script *s);

/* source_lines.c: what reads debug information; many threads may use it. */
struct line_store *script_source(struct script *s);
/* Finds the source frames at a place, innermost first. Returns how many, at most max. */
u32 script_source_frames(struct script *s, const struct frame *f, u64 offset,
			 struct source_frame *out, u32 max);
/* Adds "\n  file.c:12", or nothing if the line is unknown; sym is the function there, or NULL. */
void script_add_source_line(struct script *s, const struct frame *f, const struct symbol *sym,
			    const struct source_frame *source, struct strbuf *b);

/* Adds "\tfile.c:12" where the line is known. */
void script_add_line_behind(struct script *s, u64 addr, const struct location *l,
			    const struct symbol *sym, struct strbuf *b);

/* stat_rows.c: any of the records that is_stat_record() names */
void script_add_stat(struct script *s, const struct record *rec, struct strbuf *b);
void script_stat_release(struct script *s);

/* chains.c */
void script_add_chain(struct script *s, const struct session_sample *ss, struct line_table *lines,
		      struct strbuf *b);
void script_chains_release(struct script *s);

/*
 * readings.c: takes the ratios of the counters that a sample has, before its first counter is
 * shown.
 */
void script_take_reading(struct script *s, const struct session_sample *ss);
/* Computes the ratios of a counter in the reading that is being shown. Returns how many. */
size_t script_metrics(const struct script *s, const struct session_sample *ss,
		      const struct event *ev, struct stat_metric out[STAT_METRICS_MAX]);
/*
 * Finds instructions and cycles of the group that is being shown. Returns false if it does not
 * count both.
 */
bool script_reading_ipc(const struct session_sample *ss, u64 *instructions, u64 *cycles);
void script_reading_free(struct reading *rd);

/*
 * ipc.c: what ran at a sample, by its group of counters or its branches; false: they do not say it
 */
bool script_ipc(struct script *s, const struct session_sample *ss, u64 *instructions, u64 *cycles);
void script_add_ipc(struct script *s, const struct session_sample *ss, struct strbuf *b);

/* rows.c: --json and --tsv */
void script_begin_rows(struct script *s);
void script_add_row(struct script *s, const struct session_sample *ss, u64 period,
		    const struct event_view *v, struct strbuf *b);
void script_add_record_row(const struct record *rec, const struct sample_id *id, const char *comm,
			   const char *text, struct strbuf *b);
/* Adds a frame. NULL means an unknown name, or a line with nothing to add. */
void script_add_row_frame(struct script *s, unsigned parts, const struct frame *f, const char *name,
			  u64 symbol_offset, const char *line, bool is_inlined, struct strbuf *b);

/* header.c: comm, tid, cpu, misc, time; v may be of any record. */
struct line_head {
	const char *comm; /* NULL: ":-1" */
	const struct sample_id *id;
	u16 misc;
	u32 record_type;
};
void script_add_head(struct script *s, const struct event_view *v, const struct line_head *h,
		     struct strbuf *b);
/* Adds the head of a sample's line, its period and the name of its event. */
void script_add_start(struct script *s, const struct event_view *v, const struct session_sample *ss,
		      u64 period, struct strbuf *b);

/* sample.c */
/* Prints the text of a tracepoint; returns its format, or NULL if it is not known. */
void script_add_trace(struct script *s, const struct session_sample *ss, const struct event_view *v,
		      struct strbuf *b);
const struct tracepoint_format *script_format_of(struct script *s, const struct event *ev,
						 const struct tracepoint_formats **formats);
void script_add_sample(struct script *s, const struct session_sample *ss, u64 period,
		       const struct event_view *v, struct strbuf *b);
/* Adds the lines of a counter's ratios (script_metrics()). */
void script_add_metrics(struct script *s, const struct session_sample *ss,
			const struct event_view *v, struct strbuf *b);
/*
 * Finds an address; if nothing is mapped there in the sample's mode, user and kernel are exchanged.
 */
void script_locate(struct script *s, const struct session_sample *ss, u64 addr, struct location *l);

/* script.c: all but what s->out and the caller own */
void script_release(struct script *s);
/* pieces.c: can workers print it? */
bool script_by_pieces(const struct script *s);
int script_run_pieces(struct script *s, struct session_ops *ops, struct reason *r);

/* script.c: give the tracepoint printer the names of kernel functions. */
void script_resolve_functions(struct script *s);

/* details.c */
void script_add_regs(struct script *s, u64 abi, u64 mask, const u8 *regs, struct strbuf *b);
void script_add_branches(struct script *s, const struct event_view *v,
			 const struct session_sample *ss, struct strbuf *b);
void script_add_bpf_output(const struct sample *sample, struct strbuf *b);
const char *script_page_size_name(u64 size, char buf[32]);

/* code.c: returns what the object has at the places of a sample */
struct annotator *script_code(struct script *s);
/*
 * Returns the code from start to the instruction at end, at the time of a sample. Returns NULL if
 * it is too long for a block or cannot be found. The caller calls code_piece_free().
 */
struct code_piece *script_code_between(struct script *s, const struct session_sample *ss, u64 start,
				       u64 end);
bool script_locate_code(struct script *s, const struct session_sample *ss, u64 addr,
			struct location *l);
bool script_in_kernel(const struct script *s, u64 addr);
/* Adds insn, insnlen and disasm of the sample's own place. */
void script_add_insn(struct script *s, const struct event_view *v, const struct session_sample *ss,
		     struct strbuf *b);
/*
 * Adds "|12       the line" when a thread comes to another line. Returns false if there is nothing
 * to print.
 */
bool script_add_source_code(struct script *s, const struct session_sample *ss,
			    const struct location *l, struct strbuf *b);
void script_code_release(struct script *s);

/* branch_kind.c: for samples of script_is_branch_trace(); and the kind's name, "" if not known */
struct branch script_branch(struct script *s, const struct session_sample *ss);
const char *branch_kind_name(enum branch_kind kind);

/* synth.c: samples written by a trace decoder, for events of its type */
void script_add_synth(const struct event *ev, const struct sample *s, struct strbuf *b);

/* call_trace.c: calls and returns of traced branches, in order of time */
struct call_trace *call_trace_new(void);
void call_trace_free(struct call_trace *t);
/*
 * Follows the calls, once for each sample. Reports whether it is shown. The functions below are
 * about the last such sample.
 */
bool script_follow_calls(struct script *s, const struct session_sample *ss);
enum branch_kind script_call_kind(const struct script *s);
size_t script_call_depth(const struct script *s);
/* Returns the function that the branch calls or leaves, or NULL. */
const char *script_call_function(struct script *s, const struct session_sample *ss);
/* Adds the field callindent. */
void script_add_call(struct script *s, const struct event_view *v, const struct session_sample *ss,
		     struct strbuf *b);
/* Adds the field flags, "  call", in a column. */
void script_add_branch_kind(struct script *s, struct strbuf *b);
void script_warn_of_calls(struct script *s);

/* branch_counters.c: "br_cntr: cycles 3 " of branch i; "+": the counter was full */
void script_add_branch_counters(struct script *s, const struct session_sample *ss, u64 i,
				struct strbuf *b);

/* branch_code.c: brstackinsn, brstackinsnlen, brstackdisasm */
void script_add_branch_code(struct script *s, const struct event_view *v,
			    const struct session_sample *ss, struct strbuf *b);

static inline bool shows(const struct event_view *v, enum script_field f)
{
	return v->fields >> f & 1;
}

#endif
