/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the field printer.
 *
 * Text that repeats is rendered once: a frame's line (lines.c, by frame id and
 * line style), an event's name, a comm.  Frames of samples without a chain go
 * through the same table, so a hot address costs one look-up.
 */
#ifndef SCRIPT_INTERNAL_H
#define SCRIPT_INTERNAL_H

#include "arch/arch.h"
#include "event/tracepoint.h"
#include "script/script.h"
#include "symbol/srcline.h"

/* What a frame's text consists of; each distinct set has its own table of rendered text. */
enum line_part {
	LINE_IP = 1, LINE_SYM = 2, LINE_SYMOFF = 4, LINE_DSO = 8, LINE_DSOFF = 16,
	LINE_CHAIN = 32, /* tab first, object offsets, newline last */
	LINE_DATA = 64,	 /* of addr: "[unknown]" in place of nothing, no ip */
	LINE_SRCLINE = 128, /* a second line: file and line */
	LINE_INLINES = 256, /* users' frames: a line for each function inlined there, first */
};

struct line {
	u64 at; /* in line_table.text */
	u32 len; /* 0: not rendered yet */
	bool stop; /* --stop-bt: nothing below it */
};

struct line_table {
	unsigned parts; /* enum line_part */
	VEC(struct line) lines; /* by frame id */
	struct strbuf text;
};

/* One event as it is printed. */
struct event_view {
	const struct event *event;
	enum script_type type;
	u64 fields;
	bool has_chain;	      /* and chains are shown */
	bool is_bpf_output, is_bts;
	bool addr_has_symbol; /* page faults: the address is one of a mapping */
	bool has_memory, has_details; /* any field of those groups is shown */
	char *name;	      /* padded, with ": " */
	size_t name_len;
	struct line_table *chain_lines, *leaf_lines, *addr_lines;
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
	struct line_store *source; /* NULL until a line is asked for */
	struct script_chain *recent; /* chains.c */
	size_t recent_bytes;
	VEC(struct event_view) views; /* by event index */
	VEC(struct line_table *) tables;
	struct tracepoint_printer *printer;
	struct stat_rows *stat; /* NULL: no such record yet */
	struct map64 read_values; /* PERF_SAMPLE_READ: id -> value of the last sample */
	bool ready, chains_shown;
	bool any_sample, any_shown; /* before and after the filters */
	u64 initial_time, previous_time;
	int data_src_width;
	const struct order_key *now; /* of the sample being printed */
};

/* check.c: fields against what was recorded; fills views. Called before the first line. */
int script_prepare(struct script *s, struct reason *r);

/* lines.c */
struct line_table *script_lines(struct script *s, unsigned parts);
void script_add_frame(struct script *s, struct line_table *t, frame_id id, struct strbuf *b);
/* A chain, leaf first. */
void script_add_frames(struct script *s, struct line_table *t, const frame_id *frames,
		       size_t count, struct strbuf *b);
frame_id script_frame_of(struct script *s, u64 addr, u8 cpumode, const struct location *l);
/* "sym+0x5" or "[unknown]" */
void script_add_symbol(struct script *s, const struct location *l, bool offset, struct strbuf *b);
void script_add_dso(struct script *s, u32 image, struct strbuf *b);
/* Name of the function at a place, or NULL. */
const char *script_symbol_name(struct script *s, const struct location *l);
void script_lines_release(struct script *s);

/* source_lines.c: the frames at a place, innermost first; returns how many of max. */
u32 script_source_frames(struct script *s, const struct frame *f, u64 offset,
			 struct source_frame *out, u32 max);
/* "\n  file.c:12", where there is something to say; sym: the function there, or NULL. */
void script_add_source_line(struct script *s, const struct frame *f, const struct symbol *sym,
			    const struct source_frame *source, struct strbuf *b);

/* stat_rows.c: any of the records that is_stat_record() names */
void script_add_stat(struct script *s, const struct record *rec, struct strbuf *b);
void script_stat_release(struct script *s);

/* chains.c */
void script_add_chain(struct script *s, const struct session_sample *ss,
		      struct line_table *lines, struct strbuf *b);
void script_chains_release(struct script *s);

/* header.c: comm, tid, cpu, misc, time; v may be of any record. */
struct line_head {
	const char *comm; /* NULL: ":-1" */
	const struct sample_id *id;
	u16 misc;
	u32 record_type;
};
void script_add_head(struct script *s, const struct event_view *v, const struct line_head *h,
		     struct strbuf *b);

/* sample.c */
void script_add_sample(struct script *s, const struct session_sample *ss, u64 period,
		       const struct event_view *v, struct strbuf *b);
/* Where an address is, trying the other half of the address space when its mode has nothing. */
void script_locate(struct script *s, const struct session_sample *ss, u64 addr,
		   struct location *l);

/* script.c: give the tracepoint printer the names of kernel functions. */
void script_resolve_functions(struct script *s);

/* details.c */
void script_add_regs(struct script *s, u64 abi, u64 mask, const u8 *regs, struct strbuf *b);
void script_add_branches(struct script *s, const struct event_view *v,
			 const struct session_sample *ss, struct strbuf *b);
void script_add_bpf_output(const struct sample *sample, struct strbuf *b);
/* of struct sample_branch flags: "CALL", "" when not known */
const char *script_branch_type(u64 flags);

/* dump_ibs.c: the registers of AMD's IBS that a sample of its PMUs holds; nothing of others */
void dump_ibs(struct data_reader *d, const struct sample *s, struct strbuf *b);

/* dump_user.c */
void dump_user_record(const struct event_set *set, const struct record *rec, struct strbuf *b);

/* data_src.c: "|OP LOAD|LVL L1 hit|..." */
void script_add_data_src(u64 data_src, struct strbuf *b);

static inline bool shows(const struct event_view *v, enum script_field f)
{
	return v->fields >> f & 1;
}

#endif
