// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols and objects for the addresses of page faults and call chains. */
#include "base/guard.h"
#include "base/json.h"
#include "base/text.h"
#include "builtin/trace/internal.h"

static void print_symbol(struct trace *t, u32 image, u64 offset, struct strbuf *out)
{
	const struct symbol_table *table = symbols_of(session_symbols(t->session), image);
	u32 number = symbol_find(table, offset);
	const struct symbol *sym = number == NO_SYMBOL ? NULL : symbol_get(table, number);

	if (sym)
		strbuf_f(out, "%s+0x%" PRIx64, sym->name, offset - sym->start);
	else
		strbuf_f(out, "0x%" PRIx64, offset);
}

void place_print(struct trace *t, const struct session_sample *s, u8 mode, u64 addr, bool object,
		 bool symbol, struct strbuf *out, bool *mapped)
{
	struct location l = { 0 };
	size_t from = out->len;

	*mapped = history_locate(session_history(t->session), s->task, mode, addr, &s->key, &l) &&
		  l.image;
	if (!*mapped) {
		strbuf_f(out, "0x%" PRIx64, addr);
		return;
	}
	if (object)
		strbuf_f(out, "%s@", image_get(session_images(t->session), l.image)->path);
	if (symbol)
		print_symbol(t, l.image, l.offset, out);
	else
		strbuf_f(out, "0x%" PRIx64, l.offset);
	strbuf_printable_names(out, from);
}

static void print_frame(struct trace *t, const struct frame *f, struct strbuf *out)
{
	const struct symbol_table *table =
		f->image ? symbols_of(session_symbols(t->session), f->image) : NULL;
	u32 number = table ? symbol_find(table, f->offset - f->is_return) : NO_SYMBOL;
	const struct symbol *sym = number == NO_SYMBOL ? NULL : symbol_get(table, number);
	size_t from;

	strbuf_pad(out, ' ', 38);
	strbuf_char(out, ' ');
	from = out->len;
	if (sym)
		strbuf_str(out, sym->name);
	else
		strbuf_f(out, "[0x%" PRIx64 "]", f->image ? f->offset : f->addr);
	strbuf_f(out, " (%s)",
		 f->image ? image_get(session_images(t->session), f->image)->path : "[unknown]");
	strbuf_printable_names(out, from);
	strbuf_char(out, '\n');
}

/*
 * Adds {"symbol": "main", "offset": 16, "dso": "/usr/bin/true"} or, without a symbol, the address
 * within the object.
 */
static void put_frame(struct trace *t, const struct frame *f, struct strbuf *out)
{
	const struct symbol_table *table =
		f->image ? symbols_of(session_symbols(t->session), f->image) : NULL;
	u32 number = table ? symbol_find(table, f->offset - f->is_return) : NO_SYMBOL;
	const struct symbol *sym = number == NO_SYMBOL ? NULL : symbol_get(table, number);
	u64 address = f->image ? f->offset : f->addr;

	strbuf_char(out, '{');
	if (sym) {
		strbuf_str(out, "\"symbol\": ");
		json_text(out, sym->name);
		strbuf_str(out, ", ");
		address -= sym->start;
	}
	strbuf_f(out, "\"offset\": %" PRIu64, address);
	if (f->image) {
		strbuf_str(out, ", \"dso\": ");
		json_text(out, image_get(session_images(t->session), f->image)->path);
	}
	strbuf_char(out, '}');
}

static const frame_id *frames_of(struct trace *t, const struct session_sample *s, size_t *count)
{
	const struct sample *sample = s->sample;
	const struct recorded_chain recorded = {
		.ips = sample->chain,
		.count = sample->chain_count,
		.unwound = sample->chain_unwound,
		.swap = session_events(t->session)->swap,
		.max = t->o.max_stack,
	};

	*count = 0;
	if (!sample->chain_count)
		return NULL;
	if (!t->chains)
		t->chains = chains_new(session_history(t->session));
	return chain_frames(t->chains, s->task, sample->cpumode, &recorded, &s->key, count);
}

void trace_chain_keep(struct trace *t, const struct session_sample *s)
{
	const frame_id *frames;
	size_t count;

	strbuf_clear(&t->chain);
	if (!t->o.json || t->settings.call_graph == CALL_GRAPH_NONE)
		return;
	frames = frames_of(t, s, &count);
	strbuf_str(&t->chain, ", \"callchain\": [");
	for (size_t i = 0; i < count; i++) {
		if (i)
			strbuf_str(&t->chain, ", ");
		put_frame(t, chain_frame(t->chains, frames[i]), &t->chain);
	}
	strbuf_char(&t->chain, ']');
}

size_t chain_print(struct trace *t, const struct session_sample *s, bool print)
{
	size_t count;
	const frame_id *frames = frames_of(t, s, &count);

	print = print && !t->o.json && !t->o.separator;
	for (size_t i = 0; print && i < count; i++)
		print_frame(t, chain_frame(t->chains, frames[i]), out_buf(&t->out));
	out_done(&t->out);
	return count;
}
