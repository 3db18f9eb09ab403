// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The code that ran between the branches of a branch stack, oldest first: from where one
 * branch landed to where the next one left.  Layout as perf 6.1 has it.
 */
#include <string.h>

#include "builtin/script/internal.h"

/* One sample's walk. */
struct walk {
	struct script *s;
	const struct event_view *v;
	const struct session_sample *ss;
	struct strbuf *b;
	struct strbuf text;        /* scratch */
	const struct symbol *last; /* the function that was named last */
	u32 last_image;
	u64 cycles; /* so far */
};

static bool is_kernel(const struct walk *w, u64 addr)
{
	return script_in_kernel(w->s, addr);
}

static struct code_piece *piece_of(const struct walk *w, u64 start, u64 end)
{
	return script_code_between(w->s, w->ss, start, end);
}

/* Adds "\tfunction+12:" where another function begins. */
static void add_function(struct walk *w, u64 addr)
{
	struct location l;
	const struct symbol *sym;

	if (!script_locate_code(w->s, w->ss, addr, &l))
		return;
	sym = script_symbol_at(w->s, l.image, l.offset);
	if (!sym || (sym == w->last && l.image == w->last_image))
		return;
	strbuf_char(w->b, '\t');
	strbuf_printable(w->b, sym->name);
	if (l.offset != sym->start)
		strbuf_f(w->b, "+%" PRIu64, l.offset - sym->start);
	strbuf_char(w->b, ':');
	if (shows(w->v, SHOW_SRCLINE))
		script_add_line_behind(w->s, addr, &l, sym, w->b);
	strbuf_char(w->b, '\n');
	w->last = sym;
	w->last_image = l.image;
}

static void add_source(struct walk *w, u64 addr)
{
	struct location l;

	if (shows(w->v, SHOW_SRCCODE) && script_locate_code(w->s, w->ss, addr, &l) &&
	    script_add_source_code(w->s, w->ss, &l, w->b))
		strbuf_char(w->b, '\n');
}

/* Adds "insn: 48 01 c2 ", or the instruction's text. Returns its length, or 0 after "<bad>". */
static u32 decode(struct walk *w, struct code_piece *p, size_t at, u8 *flow, struct strbuf *out)
{
	size_t size;
	const u8 *bytes = code_piece_bytes(p, &size);
	u32 length = code_piece_decode(p, at, &w->text, flow);

	if (!length) {
		strbuf_str(out, "<bad>");
	} else if (shows(w->v, SHOW_BRSTACKDISASM)) {
		strbuf_printable(out, strbuf_cstr(&w->text));
	} else {
		strbuf_str(out, "insn: ");
		for (u32 i = 0; i < length; i++) {
			strbuf_hex_zero(out, bytes[at + i], 2);
			strbuf_char(out, ' ');
		}
	}
	return length;
}

/*
 * Prints an instruction inside a block. Returns its length, or 0 if the bytes are not an
 * instruction.
 */
static u32 add_plain(struct walk *w, struct code_piece *p, u64 addr, size_t at, u8 *flow)
{
	u32 length;

	strbuf_char(w->b, '\t');
	strbuf_hex_zero(w->b, addr, 16);
	strbuf_char(w->b, '\t');
	length = decode(w, p, at, flow, w->b);
	if (shows(w->v, SHOW_BRSTACKINSNLEN))
		strbuf_f(w->b, "\tilen: %u", length);
	strbuf_char(w->b, '\n');
	return length;
}

static void add_cycles(struct walk *w, u64 flags, u32 instructions)
{
	u64 cycles = flags >> 4 & 0xffff;

	if (!cycles)
		return;
	w->cycles += cycles;
	strbuf_f(w->b, " %" PRIu64 " cycles [%" PRIu64 "]", cycles, w->cycles);
	if (instructions)
		strbuf_f(w->b, " %.2f IPC", (double)((float)instructions / (float)cycles));
}

/*
 * Prints the branching instruction and how it was predicted.  insns: instructions in its block, 0
 * if not known.
 */
static void add_branch(struct walk *w, struct code_piece *p, u64 i, u64 addr, size_t at,
		       u32 instructions)
{
	const u64 flags = sample_branch(w->s->set, w->ss->sample, i).flags;
	size_t start;
	u32 length;
	u8 flow;

	strbuf_char(w->b, '\t');
	strbuf_hex_zero(w->b, addr, 16);
	strbuf_char(w->b, '\t');
	start = w->b->len;
	length = decode(w, p, at, &flow, w->b);
	strbuf_pad(w->b, ' ', 30 - (int)(w->b->len - start));
	strbuf_char(w->b, '\t');
	if (shows(w->v, SHOW_BRSTACKINSNLEN))
		strbuf_f(w->b, "ilen: %u\t", length);
	if (shows(w->v, SHOW_BRCNTR))
		script_add_branch_counters(w->s, w->ss, i, w->b);
	strbuf_char(w->b, '#');
	strbuf_str(w->b, flags & 2 ? " PRED" : "");
	strbuf_str(w->b, flags & 1 ? " MISPRED" : "");
	strbuf_str(w->b, flags & 4 ? " INTX" : "");
	strbuf_str(w->b, flags & 8 ? " ABORT" : "");
	add_cycles(w, flags, instructions);
	strbuf_char(w->b, '\n');
	add_source(w, addr);
}

/* Adds the code from start to branch i, which jumped at end. */
static void add_block(struct walk *w, struct code_piece *p, u64 start, u64 end, u64 i)
{
	u32 instructions = 0, length = 0;
	size_t size, at = 0;
	u8 flow;

	code_piece_bytes(p, &size);
	for (; at < size; at += length) {
		u64 addr = start + at;

		add_function(w, addr);
		if (addr == end) {
			add_branch(w, p, i, addr, at, instructions + 1);
			break;
		}
		length = add_plain(w, p, addr, at, &flow);
		if (!length)
			break;
		add_source(w, addr);
		instructions++;
	}
	if (at != end - start)
		strbuf_str(w->b, "\tmismatch of LBR data and executable\n");
}

/*
 * Adds the blocks between branches. If a block would begin in the kernel and end in a program, or
 * the other way round, the recording's branch filter left out a branch in between.
 */
static void add_blocks(struct walk *w, u64 count)
{
	for (u64 i = count - 1; i-- > 0;) {
		u64 start = sample_branch(w->s->set, w->ss->sample, i + 1).to;
		u64 end = sample_branch(w->s->set, w->ss->sample, i).from;
		struct code_piece *p;

		if (start && end && is_kernel(w, start) != is_kernel(w, end)) {
			if (!i)
				continue;
			end = sample_branch(w->s->set, w->ss->sample, --i).from;
			if (is_kernel(w, start) != is_kernel(w, end))
				continue;
		}
		p = piece_of(w, start, end);
		if (p)
			add_block(w, p, start, end, i);
		code_piece_free(p);
	}
}

/* Adds the oldest branch. The code before it is unknown. */
static void add_oldest(struct walk *w, u64 i)
{
	u64 from = sample_branch(w->s->set, w->ss->sample, i).from;
	struct code_piece *p = piece_of(w, from, from);

	if (!p)
		return;
	add_function(w, from);
	add_branch(w, p, i, from, 0, 0);
	code_piece_free(p);
}

/* Adds only the sampled instruction itself. */
static void add_sampled(struct walk *w)
{
	u64 ip = w->ss->sample->ip;
	struct code_piece *p = piece_of(w, ip, ip);
	u8 flow;

	if (!p)
		return;
	add_plain(w, p, ip, 0, &flow);
	add_source(w, ip);
	code_piece_free(p);
}

static void add_until_sample(struct walk *w, struct code_piece *p, u64 start, u64 end)
{
	u32 length;
	size_t size;
	u8 flow;

	code_piece_bytes(p, &size);
	for (size_t at = 0; at <= end - start; at += length) {
		length = add_plain(w, p, start + at, at, &flow);
		if (!length)
			return;
		if (flow != FLOW_NONE && start + at != w->ss->sample->ip) {
			/* a branch that the CPU did not note in time */
			strbuf_str(w->b, "\t... not reaching sample ...\n");
			return;
		}
		add_source(w, start + at);
	}
}

/*
 * Adds the code from the newest branch to the sample. The CPU may have missed the last branches, so
 * the code is followed only until one occurs.
 */
static void add_last(struct walk *w)
{
	enum { LOOK_AHEAD = 128 };
	struct sample_branch newest = sample_branch(w->s->set, w->ss->sample, 0);
	u64 ip = w->ss->sample->ip, start = newest.to, end = ip < start ? start + LOOK_AHEAD : ip;
	struct code_piece *p;

	if (newest.from == ip || newest.flags & 8)
		return;
	p = start && is_kernel(w, start) == is_kernel(w, end) ? piece_of(w, start, end) : NULL;
	add_function(w, start);
	if (p)
		add_until_sample(w, p, start, end);
	else
		add_sampled(w);
	code_piece_free(p);
}

void script_add_branch_code(struct script *s, const struct event_view *v,
			    const struct session_sample *ss, struct strbuf *b)
{
	struct walk w = { .s = s, .v = v, .ss = ss, .b = b };
	u64 count = ss->sample->branch_count;

	if (!count)
		return;
	if (s->o->max_blocks)
		count = MIN(count, (u64)s->o->max_blocks + 1);
	strbuf_char(b, '\n');
	add_oldest(&w, count - 1);
	add_blocks(&w, count);
	add_last(&w);
	strbuf_release(&w.text);
}
