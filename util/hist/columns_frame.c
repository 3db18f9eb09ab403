// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the frame that a sample is in. */
#include <stdio.h>
#include <string.h>

#include "hist/columns.h"

int hist_dsos_cmp(const struct hist *h, const struct frame *x, const struct frame *y)
{
	if (x->image == y->image)
		return 0;
	return strcmp(hist_frame_dso(h, x), hist_frame_dso(h, y));
}

static int dso_cmp(const struct hist_view *v, const struct hist_field *f,
		   const struct hist_entry *a, const struct hist_entry *b)
{
	(void)f;
	return hist_dsos_cmp(v->hist, hist_frame(v->hist, a->frame), hist_frame(v->hist, b->frame));
}

static void dso_format(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_printable(out, hist_frame_dso(v->hist, hist_frame(v->hist, e->frame)));
}

static int dso_cmp_facts(const struct frame_facts *a, const struct frame_facts *b)
{
	return u64_cmp(a->dso, b->dso);
}

static unsigned dso_words(const struct frame_facts *f, u64 *words)
{
	words[0] = f->dso;
	return 1;
}

/*
 * Compares by name, then by place: functions of one name at two places differ. Frames without a
 * name come last. Calls dsos() to compare the dsos only where that matters.
 */
static int places_cmp(const struct frame_facts *a, const struct frame_facts *b,
		      int (*dsos)(const void *arg, const struct frame_facts *a,
				  const struct frame_facts *b),
		      const void *arg)
{
	const struct frame *x = a->frame, *y = b->frame;
	const struct symbol *s = a->symbol, *t = b->symbol;
	int d;

	if (!s || !t) {
		d = !s - !t;
		if (!d)
			d = dsos(arg, a, b);
		return d ? d : u64_cmp(x->offset, y->offset);
	}
	d = strcmp(s->name, t->name);
	if (!d)
		d = u64_cmp(s->start, t->start);
	if (!d)
		d = !y->inlined - !x->inlined;
	return d ? d : dsos(arg, a, b);
}

static int dsos_by_name(const void *h, const struct frame_facts *a, const struct frame_facts *b)
{
	return hist_dsos_cmp(h, a->frame, b->frame);
}

static int dsos_by_rank(const void *unused, const struct frame_facts *a,
			const struct frame_facts *b)
{
	(void)unused;
	return dso_cmp_facts(a, b);
}

int hist_symbols_cmp(const struct hist *h, const struct frame *x, const struct frame *y)
{
	if (x->image == y->image && x->symbol == y->symbol && x->symbol != NO_SYMBOL &&
	    x->inlined == y->inlined)
		return 0;
	return places_cmp(&(struct frame_facts){ .frame = x, .symbol = hist_frame_symbol(h, x) },
			  &(struct frame_facts){ .frame = y, .symbol = hist_frame_symbol(h, y) },
			  dsos_by_name, h);
}

static int symbol_cmp_facts(const struct frame_facts *a, const struct frame_facts *b)
{
	return a->symbol && a->symbol == b->symbol && a->frame->inlined == b->frame->inlined
		       ? 0
		       : places_cmp(a, b, dsos_by_rank, NULL);
}

/* Returns the first letters of a name as a number that orders as strcmp() does. */
static u64 first_letters(const char *name)
{
	u64 word = 0;

	for (unsigned i = 0; i < sizeof(word) && name[i]; i++)
		word |= (u64)(unsigned char)name[i] << (56 - 8 * i);
	return word;
}

static unsigned symbol_words(const struct frame_facts *f, u64 *words)
{
	words[0] = f->symbol ? 0 : 1 + (u64)f->dso;
	words[1] = f->symbol ? first_letters(f->symbol->name) : f->frame->offset;
	return 2;
}

static int symbol_cmp(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *a, const struct hist_entry *b)
{
	(void)f;
	return hist_symbols_cmp(v->hist, hist_frame(v->hist, a->frame),
				hist_frame(v->hist, b->frame));
}

#define INLINED " (inlined)"

void hist_address_text(u64 address, struct strbuf *out)
{
	if (address) /* as perf: its printf leaves the prefix of 0 out */
		strbuf_add(out, "0x", 2);
	strbuf_hex_zero(out, address, 16);
}

void hist_symbol_text(const struct hist *h, const struct frame *x, struct strbuf *out)
{
	const struct symbol *s = hist_named_symbol(h, x);

	if (h->set.verbose) {
		char address[32];

		snprintf(address, sizeof(address), "0x%" PRIx64, x->offset);
		strbuf_f(out, "%-18s %c ", address,
			 symbol_table_origin(symbols_of(h->symbols, x->image)));
	}
	memcpy(strbuf_grow(out, 4), (const char[]){ '[', hist_frame_mark(x), ']', ' ' }, 4);
	out->len += 4;
	if (s)
		strbuf_printable(out, s->name);
	else
		hist_address_text(x->offset, out);
	if (x->inlined)
		strbuf_str(out, INLINED);
}

static int hist_symbol_text_width(const struct hist *h, const struct frame *x)
{
	const struct symbol *s = hist_named_symbol(h, x);

	return (s ? text_columns(s->name, strlen(s->name)) + 4 : 22) + (h->set.verbose ? 21 : 0) +
	       (x->inlined ? (int)strlen(INLINED) : 0);
}

static void symbol_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	hist_symbol_text(v->hist, hist_frame(v->hist, e->frame), out);
}

static int symbol_width(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e)
{
	(void)f;
	return hist_symbol_text_width(v->hist, hist_frame(v->hist, e->frame));
}

/*
 * Returns the width of the dso. Like perf, it makes the column as wide as an address if the frame
 * has no name.
 */
static int dso_width(const struct hist_view *v, const struct hist_field *f,
		     const struct hist_entry *e)
{
	const struct frame *x = hist_frame(v->hist, e->frame);
	const char *name = hist_frame_dso(v->hist, x);
	int width = text_columns(name, strlen(name));

	(void)f;
	return x->symbol == NO_SYMBOL ? MAX(width, 16) : width;
}

static u64 symbol_size_of(const struct hist_view *v, const struct hist_entry *e)
{
	const struct symbol *s = hist_frame_symbol(v->hist, hist_frame(v->hist, e->frame));

	return s ? symbol_end(s) - s->start : 0;
}

static int symbol_size_cmp(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *a, const struct hist_entry *b)
{
	(void)f;
	return u64_cmp(symbol_size_of(v, a), symbol_size_of(v, b));
}

static void symbol_size_format(const struct hist_view *v, const struct hist_field *f,
			       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	if (hist_frame(v->hist, e->frame)->symbol == NO_SYMBOL)
		strbuf_str(out, "unknown");
	else
		strbuf_dec(out, symbol_size_of(v, e));
}

/* Compares addresses as signed numbers, so the kernel's half comes first, as in perf. */
static int addr_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	s64 x = (s64)hist_frame(v->hist, a->frame)->addr;
	s64 y = (s64)hist_frame(v->hist, b->frame)->addr;

	(void)f;
	return x < y ? -1 : x > y;
}

static void addr_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_f(out, "0x%" PRIx64, hist_frame(v->hist, e->frame)->addr);
}

/* Writes the symbol and the offset from its start. */
static void symoff_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct frame *x = hist_frame(v->hist, e->frame);
	const struct symbol *s = hist_frame_symbol(v->hist, x);

	(void)f;
	(void)m;
	hist_symbol_text(v->hist, x, out);
	if (s)
		strbuf_f(out, "+0x%" PRIx64, x->offset - s->start);
}

static int symoff_cmp(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *a, const struct hist_entry *b)
{
	int d = symbol_cmp(v, f, a, b);

	return d ? d
		 : u64_cmp(hist_frame(v->hist, a->frame)->offset,
			   hist_frame(v->hist, b->frame)->offset);
}

static const char *line_of(const struct hist_view *v, const struct hist_entry *e)
{
	return strtab_get(&v->hist->texts, v->hist->line_texts[e->frame]);
}

static int srcline_cmp(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *a, const struct hist_entry *b)
{
	const u32 *texts = v->hist->line_texts;

	(void)f;
	return texts[a->frame] == texts[b->frame] ? 0 : strcmp(line_of(v, a), line_of(v, b));
}

static void srcline_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_str(out, line_of(v, e));
}

static const char *file_of(const struct hist_view *v, const struct hist_entry *e)
{
	return strtab_get(&v->hist->texts, v->hist->file_texts[e->frame]);
}

static int srcfile_cmp(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *a, const struct hist_entry *b)
{
	const u32 *texts = v->hist->file_texts;

	(void)f;
	return texts[a->frame] == texts[b->frame] ? 0 : strcmp(file_of(v, a), file_of(v, b));
}

static void srcfile_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_str(out, file_of(v, e));
}

const struct hist_column hist_frame_columns[] = {
	{ .name = "dso",
	  .header = "Shared Object",
	  .cmp = dso_cmp,
	  .cmp_facts = dso_cmp_facts,
	  .words = dso_words,
	  .words_decide = true,
	  .format = dso_format,
	  .width = dso_width,
	  .flags = HIST_BY_FRAME | HIST_DSO },
	{ .name = "symbol",
	  .alias = "sym",
	  .header = "Symbol",
	  .cmp = symbol_cmp,
	  .cmp_facts = symbol_cmp_facts,
	  .words = symbol_words,
	  .format = symbol_format,
	  .width = symbol_width,
	  .flags = HIST_BY_FRAME | HIST_NO_PAD | HIST_SYMBOL },
	{ .name = "symbol_size",
	  .header = "Symbol size",
	  .cmp = symbol_size_cmp,
	  .format = symbol_size_format,
	  .flags = HIST_BY_FRAME | HIST_RIGHT },
	{ .name = "symoff",
	  .header = "Symbol Offset",
	  .cmp = symoff_cmp,
	  .format = symoff_format,
	  .flags = HIST_BY_FRAME | HIST_BY_ADDRESS | HIST_NO_PAD | HIST_SYMBOL },
	{ .name = "addr",
	  .header = "Address",
	  .min_width = 18,
	  .cmp = addr_cmp,
	  .format = addr_format,
	  .flags = HIST_BY_FRAME | HIST_BY_ADDRESS },
	{ .name = "srcline",
	  .header = "Source:Line",
	  .cmp = srcline_cmp,
	  .format = srcline_format,
	  .flags = HIST_BY_FRAME | HIST_BY_ADDRESS | HIST_LINES | HIST_NO_PAD },
	{ .name = "srcfile",
	  .header = "Source File",
	  .cmp = srcfile_cmp,
	  .format = srcfile_format,
	  .flags = HIST_BY_FRAME | HIST_BY_ADDRESS | HIST_LINES | HIST_NO_PAD },
};
const size_t hist_frame_column_count = ARRAY_SIZE(hist_frame_columns);
