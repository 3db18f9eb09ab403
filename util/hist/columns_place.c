// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of the places beside a sample's own: the two ends of a branch, and the data of a memory
 * access. Such a place is a frame in the key's slot.
 */
#include <string.h>

#include "event/data_src.h"
#include "hist/columns.h"

/* Returns the frame in the slot of a HIST_FRAME_SLOT column, or NULL. */
static const struct frame *hist_slot_frame(const struct hist_view *v, const struct hist_field *f,
					   const struct hist_entry *e)
{
	return slot(f, e) ? hist_frame(v->hist, (frame_id)(slot(f, e) - 1)) : NULL;
}

static u64 place_slot(struct hist_collector *c, const struct hist_place *p)
{
	return hist_collector_frame(c, p) + 1;
}

#define PLACE(name, member, place)                                                                 \
	static u64 name##_collect(struct hist_collector *c, const struct hist_sample *s)           \
	{                                                                                          \
		return s->member ? place_slot(c, &s->member->place) : 0;                           \
	}
PLACE(from, branch, from)
PLACE(to, branch, to)
PLACE(code, access, code)
PLACE(data, access, data)

/* Compares so that those without a frame come last. */
static int missing(const struct frame *a, const struct frame *b)
{
	return !a - !b;
}

static int place_dso_cmp(const struct hist_view *v, const struct hist_field *f,
			 const struct hist_entry *a, const struct hist_entry *b)
{
	const struct frame *x = hist_slot_frame(v, f, a), *y = hist_slot_frame(v, f, b);

	return x && y ? hist_dsos_cmp(v->hist, x, y) : missing(x, y);
}

static void place_dso_format(const struct hist_view *v, const struct hist_field *f,
			     const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct frame *x = hist_slot_frame(v, f, e);

	(void)m;
	strbuf_printable(out, x ? hist_frame_dso(v->hist, x) : "N/A");
}

static int place_symbol_cmp(const struct hist_view *v, const struct hist_field *f,
			    const struct hist_entry *a, const struct hist_entry *b)
{
	const struct frame *x = hist_slot_frame(v, f, a), *y = hist_slot_frame(v, f, b);

	if (!x || !y)
		return missing(x, y);
	if (x->symbol == NO_SYMBOL && y->symbol == NO_SYMBOL)
		return u64_cmp(x->addr, y->addr);
	return hist_symbols_cmp(v->hist, x, y);
}

/* Writes "[.] name", or the recorded address if there is no name, as perf does. */
static void place_text(const struct hist *h, const struct frame *x, struct strbuf *out)
{
	if (hist_frame_symbol(h, x))
		hist_symbol_text(h, x, out);
	else
		strbuf_f(out, "[%c] %#.16" PRIx64, hist_frame_mark(x), x->addr);
}

static void place_symbol_format(const struct hist_view *v, const struct hist_field *f,
				const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct frame *x = hist_slot_frame(v, f, e);

	(void)m;
	if (x)
		place_text(v->hist, x, out);
	else
		strbuf_str(out, "N/A");
}

static int place_addr_cmp(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *a, const struct hist_entry *b)
{
	const struct frame *x = hist_slot_frame(v, f, a), *y = hist_slot_frame(v, f, b);

	return x && y ? u64_cmp(x->addr, y->addr) : missing(x, y);
}

/* Writes an end of a branch: the offset from its function's start, or its place in the object. */
static void place_addr_format(const struct hist_view *v, const struct hist_field *f,
			      const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct frame *x = hist_slot_frame(v, f, e);
	const struct symbol *s = x ? hist_frame_symbol(v->hist, x) : NULL;

	(void)m;
	if (!x) {
		strbuf_str(out, "N/A");
		return;
	}
	if (!s) {
		strbuf_f(out, "[%c] %#.16" PRIx64, hist_frame_mark(x), x->offset);
		return;
	}
	place_text(v->hist, x, out);
	if (x->offset > s->start)
		strbuf_f(out, "+0x%" PRIx64, x->offset - s->start);
}

static const char *place_line(const struct hist_view *v, const struct hist_field *f,
			      const struct hist_entry *e)
{
	u64 s = slot(f, e);

	return s ? strtab_get(&v->hist->texts, v->hist->line_texts[s - 1]) : "N/A";
}

/* Compares in descending order, as perf does. */
static int place_line_cmp(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *a, const struct hist_entry *b)
{
	return slot(f, a) == slot(f, b) ? 0 : strcmp(place_line(v, f, b), place_line(v, f, a));
}

static void place_line_format(const struct hist_view *v, const struct hist_field *f,
			      const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)m;
	strbuf_str(out, place_line(v, f, e));
}

/* Writes a variable and the offset from its start. */
static void data_symbol_format(const struct hist_view *v, const struct hist_field *f,
			       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct frame *x = hist_slot_frame(v, f, e);
	const struct symbol *s = x ? hist_frame_symbol(v->hist, x) : NULL;

	place_symbol_format(v, f, e, m, out);
	if (s && s->is_data)
		strbuf_f(out, "+0x%" PRIx64, x->offset - s->start);
}

/* ---- cache lines ---- */

enum { LINE = 64 };

static u64 line_of(const struct frame *x)
{
	return x->offset & ~(u64)(LINE - 1);
}

static int line_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	const struct frame *x = hist_slot_frame(v, f, a), *y = hist_slot_frame(v, f, b);
	int d;

	if (!x || !y)
		return missing(x, y);
	d = hist_dsos_cmp(v->hist, x, y);
	return d ? d : u64_cmp(line_of(x), line_of(y));
}

/* Writes the variable that was accessed, and where in it the cache line begins. */
static void line_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct frame *x = hist_slot_frame(v, f, e);
	const struct symbol *s = x ? hist_frame_symbol(v->hist, x) : NULL;
	u64 line;

	(void)m;
	if (!x) {
		strbuf_str(out, "[X] 0x0000000000000000");
		return;
	}
	line = line_of(x);
	if (!s) {
		strbuf_f(out, "[%c] %#.16" PRIx64, x->image ? hist_frame_mark(x) : 'X', line);
		return;
	}
	hist_symbol_text(v->hist, x, out);
	if (line >= s->start)
		strbuf_f(out, "+0x%" PRIx64, line - s->start);
	else
		strbuf_f(out, "-0x%" PRIx64, s->start - line);
}

/* ---- flags of a branch ---- */

enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, CYCLES_AT = 4 };

static u64 prediction_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	if (!s->branch)
		return 0;
	return s->branch->flags & PREDICTED ? PREDICTED : s->branch->flags & MISPREDICTED;
}

static void prediction_format(const struct hist_view *v, const struct hist_field *f,
			      const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_str(out, slot(f, e) & PREDICTED ? "N" : slot(f, e) & MISPREDICTED ? "Y" : "N/A");
}

static u64 abort_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->branch ? s->branch->flags & ABORT : 0;
}

static void abort_format(const struct hist_view *v, const struct hist_field *f,
			 const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_char(out, slot(f, e) ? 'A' : '.');
}

static u64 in_tx_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->branch ? s->branch->flags & IN_TX : 0;
}

static void in_tx_format(const struct hist_view *v, const struct hist_field *f,
			 const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_char(out, slot(f, e) ? 'T' : '.');
}

static u64 cycles_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->branch ? s->branch->flags >> CYCLES_AT & 0xffff : 0;
}

static void cycles_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	if (slot(f, e))
		strbuf_dec(out, slot(f, e));
	else
		strbuf_char(out, '-');
}

/* Compares in descending order, as perf does. */
static int flag_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	return -hist_slot_cmp(v, f, a, b);
}

/* ---- what an access did ---- */

static u64 data_src_collect(struct hist_collector *c, const struct hist_field *f,
			    const struct hist_sample *s)
{
	void (*text)(u64 v, struct strbuf * b) = NULL;

	switch (f->column->name[0]) {
	case 'l':
		text = data_src_lock;
		break;
	case 't':
		text = data_src_tlb;
		break;
	case 'm':
		text = data_src_level;
		break;
	case 's':
		text = data_src_snoop;
		break;
	default:
		text = data_src_blocked;
	}
	return hist_collector_text_of(c, s->sample->data_src, text);
}

static u64 phys_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->phys_addr;
}

static void phys_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)m;
	strbuf_f(out, "[%c] %#.16" PRIx64, hist_frame_mark(hist_frame(v->hist, e->frame)),
		 slot(f, e));
}

static u64 data_page_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->data_page_size;
}

/* ---- of a function, by its basic blocks ---- */

static int function_cmp(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *a, const struct hist_entry *b)
{
	(void)f;
	return hist_symbols_cmp(v->hist, hist_frame(v->hist, a->frame),
				hist_frame(v->hist, b->frame));
}

static void ipc_format(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct hist_settings *set = &v->hist->set;
	const struct frame *x = hist_frame(v->hist, e->frame);
	struct hist_ipc ipc;

	(void)f;
	(void)m;
	if (hist_frame_symbol(v->hist, x) && !x->inlined && set->services.ipc &&
	    set->services.ipc(set->services.ipc_arg, x->image, x->symbol, &ipc))
		strbuf_f(out, "%-5.2f [%5.1f%%]", ipc.ipc, ipc.coverage);
	else
		strbuf_str(out, "-      -");
}

#define END(n, h, c, kind)                                                                         \
	{                                                                                          \
		.name = n, .header = h, .collect = c##_collect, .cmp = place_##kind##_cmp,         \
		.format = place_##kind##_format, .flags = HIST_FRAME_SLOT | HIST_OF_BRANCH         \
	}
#define FLAG(n, h, f)                                                                              \
	{                                                                                          \
		.name = n, .header = h, .collect = f##_collect, .cmp = flag_cmp,                   \
		.format = f##_format, .flags = HIST_OF_BRANCH                                      \
	}

const struct hist_column hist_branch_columns[] = {
	{ .name = "ipc_lbr",
	  .header = "IPC   [IPC Coverage]",
	  .cmp = function_cmp,
	  .format = ipc_format,
	  .flags = HIST_BY_FRAME | HIST_OF_BRANCH },
	END("dso_from", "Source Shared Object", from, dso),
	END("dso_to", "Target Shared Object", to, dso),
	END("symbol_from", "Source Symbol", from, symbol),
	END("symbol_to", "Target Symbol", to, symbol),
	{ .name = "srcline_from",
	  .header = "From Source:Line",
	  .collect = from_collect,
	  .cmp = place_line_cmp,
	  .format = place_line_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_BRANCH | HIST_BY_ADDRESS | HIST_LINES },
	{ .name = "srcline_to",
	  .header = "To Source:Line",
	  .collect = to_collect,
	  .cmp = place_line_cmp,
	  .format = place_line_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_BRANCH | HIST_BY_ADDRESS | HIST_LINES },
	FLAG("mispredict", "Branch Mispredicted", prediction),
	FLAG("abort", "Transaction abort", abort),
	FLAG("in_tx", "Branch in transaction", in_tx),
	FLAG("cycles", "Basic Block Cycles", cycles),
	{ .name = "addr_from",
	  .header = "Source Address",
	  .collect = from_collect,
	  .cmp = place_addr_cmp,
	  .format = place_addr_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_BRANCH | HIST_BY_ADDRESS },
	{ .name = "addr_to",
	  .header = "Target Address",
	  .collect = to_collect,
	  .cmp = place_addr_cmp,
	  .format = place_addr_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_BRANCH | HIST_BY_ADDRESS },
};
const size_t hist_branch_column_count = ARRAY_SIZE(hist_branch_columns);

#define ACCESS(n, h, width)                                                                        \
	{                                                                                          \
		.name = n, .header = h, .min_width = width, .collect_field = data_src_collect,     \
		.cmp = hist_text_cmp, .format = hist_text_format,                                  \
		.flags = HIST_TEXT | HIST_OF_ACCESS, .sees = HIST_SEES_DATA_SRC                    \
	}

const struct hist_column hist_access_columns[] = {
	{ .name = "symbol_daddr",
	  .header = "Data Symbol",
	  .min_width = 22,
	  .collect = data_collect,
	  .cmp = place_addr_cmp,
	  .format = data_symbol_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_ACCESS | HIST_BY_ADDRESS,
	  .sees = HIST_SEES_DATA },
	{ .name = "dso_daddr",
	  .header = "Data Object",
	  .collect = data_collect,
	  .cmp = place_dso_cmp,
	  .format = place_dso_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_ACCESS,
	  .sees = HIST_SEES_DATA },
	ACCESS("locked", "Locked", 6),
	ACCESS("tlb", "TLB access", 22),
	ACCESS("mem", "Memory access", 24),
	ACCESS("snoop", "Snoop", 12),
	{ .name = "dcacheline",
	  .header = "Data Cacheline",
	  .min_width = 22,
	  .collect = data_collect,
	  .cmp = line_cmp,
	  .format = line_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_ACCESS | HIST_BY_ADDRESS,
	  .sees = HIST_SEES_DATA },
	{ .name = "symbol_iaddr",
	  .header = "Code Symbol",
	  .min_width = 22,
	  .collect = code_collect,
	  .cmp = place_addr_cmp,
	  .format = place_symbol_format,
	  .flags = HIST_FRAME_SLOT | HIST_OF_ACCESS | HIST_BY_ADDRESS,
	  .sees = HIST_SEES_CODE },
	{ .name = "phys_daddr",
	  .header = "Data Physical Address",
	  .min_width = 22,
	  .collect = phys_collect,
	  .cmp = hist_slot_cmp,
	  .format = phys_format,
	  .flags = HIST_OF_BOTH },
	{ .name = "data_page_size",
	  .header = "Data Page Size",
	  .min_width = 22,
	  .collect = data_page_collect,
	  .cmp = hist_slot_cmp,
	  .format = hist_page_format },
	ACCESS("blocked", "Blocked", 10),
};
const size_t hist_access_column_count = ARRAY_SIZE(hist_access_columns);
