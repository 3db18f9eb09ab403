// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report of basic blocks: the table of --total-cycles, and a function's IPC. */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "base/text_table.h"
#include "branch/profile.h"
#include "builtin-annotate.h"
#include "builtin-report.h"
#include "cli/say.h"
#include "ui/stdio/json.h"

/* ---- gathering ---- */

bool report_wants_blocks(const struct report *p)
{
	return p->total_cycles || p->blocks;
}

void report_blocks_begin(struct report *p)
{
	p->block_lines = line_store_new(session_symbols(p->session), &p->set.lines);
	p->blocks = branch_profile_new(p->session, p->block_lines, false);
}

static bool has_number(const u32 *list, size_t count, u32 n)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == n)
			return true;
	return !count;
}

/* The filters that are of the sample; the others are of the block. */
void report_blocks_add(struct report *p, const struct session_sample *s)
{
	const char *comm = history_comm_text(session_history(p->session), s->comm);

	if (has_number(p->set.pids, p->set.pid_count, s->task->pid) &&
	    has_number(p->set.tids, p->set.tid_count, s->task->tid) &&
	    (!p->comms.list.count || strlist_has(&p->comms, comm)))
		branch_profile_add(p->blocks, s);
}

void report_blocks_release(struct report *p)
{
	if (p->ipc)
		annotator_free(p->ipc->annotator);
	if (p->ipc)
		map64_release(&p->ipc->by_function);
	if (p->ipc)
		vec_release(&p->ipc->list);
	free(p->ipc);
	branch_profile_free(p->blocks);
	line_store_free(p->block_lines);
	p->ipc = NULL;
	p->blocks = NULL;
	p->block_lines = NULL;
}

/* ---- the table ---- */

struct block_row {
	const struct block *block;
	double share, average, average_share; /* shares in percent */
};

struct block_rows {
	VEC(struct block_row) list;
};

static int row_cmp(const void *pa, const void *pb)
{
	const struct block_row *a = pa, *b = pb;

	if (a->block->sum != b->block->sum)
		return a->block->sum > b->block->sum ? -1 : 1;
	return strcmp(a->block->key, b->block->key);
}

static bool shown(const struct report *p, const struct block *b)
{
	const char *name = b->symbol + 4, *base = strrchr(b->dso, '/');

	if (p->dsos.list.count && !strlist_has(&p->dsos, b->dso) &&
	    !strlist_has(&p->dsos, base ? base + 1 : b->dso))
		return false;
	if (p->symbols.list.count && !strlist_has(&p->symbols, name))
		return false;
	return !p->set.symbol_filter || strstr(name, p->set.symbol_filter);
}

/* 100 % is what all branches noted (relative: what the blocks shown did). */
static void make_rows(const struct report *p, u32 event, struct block_rows *out)
{
	double all = (double)branch_profile_cycles(p->blocks, event), sum = 0, averages = 0;
	size_t kept = 0;

	vec_for_each(&p->blocks->blocks, b) {
		if ((*b)->event != event || !shown(p, *b))
			continue;
		vec_push(&out->list, (struct block_row){
			.block = *b, .average = (*b)->sum / (double)(*b)->count });
		averages += (*b)->sum / (double)(*b)->count;
		sum += (*b)->sum;
	}
	if (p->set.relative)
		all = sum;
	vec_for_each(&out->list, row) {
		row->share = 100 * row->block->sum / all;
		row->average_share = 100 * row->average / averages;
		if (row->share >= p->set.percent_limit)
			out->list.items[kept++] = *row;
	}
	out->list.count = kept;
	vec_sort(&out->list, row_cmp);
}

/* 950, 1.2K, 3.4M */
static void put_cycles(double v, struct strbuf *b)
{
	if (v >= 1e6)
		strbuf_f(b, "%.1fM", v / 1e6);
	else if (v >= 1e3)
		strbuf_f(b, "%.1fK", v / 1e3);
	else
		strbuf_f(b, "%.0f", v);
}

static void put_cell(struct text_table *t, struct strbuf *b)
{
	text_table_cell(t, strbuf_cstr(b), NULL);
	strbuf_clear(b);
}

static void put_table(struct report *p, const struct block_rows *rows)
{
	const struct text_column columns[] = {
		{ .head = "Sampled Cycles%", .right = true },
		{ .head = "Sampled Cycles", .right = true },
		{ .head = "Avg Cycles%", .right = true },
		{ .head = "Avg Cycles", .right = true },
		{ .head = "[Program Block Range]", .right = true },
		{ .head = "Shared Object", .ragged = true },
	};
	const struct text_table_style style = { .separator = p->draw.separator,
						.no_heads = p->draw.no_heads };
	struct text_table *t = text_table_new(columns, ARRAY_SIZE(columns));
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&rows->list, row) {
		strbuf_f(&b, "%.2f%%", row->share);
		put_cell(t, &b);
		put_cycles(row->block->sum, &b);
		put_cell(t, &b);
		strbuf_f(&b, "%.2f%%", row->average_share);
		put_cell(t, &b);
		put_cycles(row->average, &b);
		put_cell(t, &b);
		strbuf_char(&b, '[');
		strbuf_printable(&b, row->block->range);
		strbuf_char(&b, ']');
		put_cell(t, &b);
		strbuf_printable(&b, row->block->dso);
		put_cell(t, &b);
	}
	text_table_put(t, &style, out_buf(&p->out));
	text_table_free(t);
	strbuf_release(&b);
}

static void put_json(struct report *p, const char *event, u64 cycles, const struct block_rows *rows,
		     bool first)
{
	struct strbuf *b = out_buf(&p->out);
	bool comma = false;

	strbuf_str(b, first ? "\n{\"event\":" : ",\n{\"event\":");
	json_text(b, event);
	strbuf_f(b, ",\"cycles\":%" PRIu64 ",\"blocks\":[", cycles);
	vec_for_each(&rows->list, row) {
		const struct block *k = row->block;

		strbuf_f(b, "%s\n{\"share\":%.6f,\"cycles\":%.0f,\"count\":%" PRIu64
			 ",\"average\":%.6f,\"range\":", comma ? "," : "", row->share, k->sum,
			 k->count, row->average);
		json_text(b, k->range);
		strbuf_str(b, ",\"dso\":");
		json_text(b, k->dso);
		strbuf_str(b, ",\"symbol\":");
		json_text(b, k->symbol + 4);
		strbuf_char(b, '}');
		comma = true;
	}
	strbuf_str(b, "]}");
}

static void say_why_empty(const struct report *p, const struct event *ev)
{
	bool any = false;

	vec_for_each(&p->blocks->blocks, b)
		any |= (*b)->event == ev->index;
	if (any)
		say_warning("no basic block of event '%s' passes the filters", ev->name);
	else if (!branch_profile_cycles(p->blocks, ev->index))
		say_warning("the branches of event '%s' have no cycles: the CPU that recorded them does not "
			       "count them", ev->name);
	else
		say_warning("no two branches of event '%s' that follow each other enclose code of one function "
			       "with a symbol", ev->name);
}

void report_print_blocks(struct report *p)
{
	bool first = true;

	if (p->json) {
		report_json_begin(p);
		out_str(&p->out, ",\"tables\":[");
	}
	vec_for_each(&session_events(p->session)->list, ev) {
		struct block_rows rows = { 0 };
		u32 event = (*ev)->index;

		if (!branch_profile_samples(p->blocks, event) && p->skip_empty)
			continue;
		make_rows(p, event, &rows);
		if (!rows.list.count)
			say_why_empty(p, *ev);
		if (p->json) {
			put_json(p, (*ev)->name, branch_profile_cycles(p->blocks, event), &rows,
				 first);
		} else {
			if (!p->ctx->quiet) {
				out_f(&p->out, "%s# Samples: %" PRIu64 " of event '",
				      first ? "" : "\n", branch_profile_samples(p->blocks, event));
				strbuf_printable(out_buf(&p->out), (*ev)->name);
				out_f(&p->out, "'\n# Sampled cycles: %" PRIu64 "\n#\n",
				      branch_profile_cycles(p->blocks, event));
			}
			put_table(p, &rows);
		}
		first = false;
		vec_release(&rows.list);
	}
	if (p->json)
		out_str(&p->out, "]}\n");
}

/* ---- instructions per cycle ---- */

/* What the blocks say of a function whose code can be read. */
static void measure(struct report *p, struct report_ipc_function *f, u32 image, u32 symbol)
{
	struct annotation *n;
	struct reason r = REASON_INIT;
	bool *covered;

	if (annotate_symbol(p->ipc->annotator, image, symbol, &n, &r)) {
		reason_release(&r);
		return;
	}
	covered = xcalloc(n->count + 1, sizeof(*covered));
	vec_for_each(&p->blocks->blocks, it) {
		const struct block *b = *it;
		u64 start = b->start, from, to, here = 0;

		if (b->image != image || b->number != symbol)
			continue;
		from = start - f->start;
		to = b->end - f->start;
		for (u32 i = 0; i < n->count; i++) {
			const struct annotate_line *l = &n->lines[i];

			if (l->kind != ANNOTATE_CODE || l->offset < from || l->offset > to)
				continue;
			covered[i] = true;
			here++;
		}
		f->executed += (double)here * (double)b->count;
		f->cycles += b->sum;
	}
	for (u32 i = 0; i < n->count; i++)
		f->covered += covered[i];
	f->code = n->code_count;
	free(covered);
	annotation_free(n);
}

bool report_ipc(void *arg, u32 image, u32 symbol, struct hist_ipc *out)
{
	struct report *p = arg;
	struct annotate_settings set = p->code;
	struct report_ipc_function *f;
	const struct symbol *s;
	bool added;
	u64 *at;

	if (!p->ipc) {
		set.no_source = true;
		p->ipc = xcalloc(1, sizeof(*p->ipc));
		p->ipc->annotator = annotate_open(p->session, &set);
	}
	at = map64_put(&p->ipc->by_function, (u64)image << 32 | symbol, &added);
	if (added) {
		*at = p->ipc->list.count;
		s = symbol_get(symbols_of(session_symbols(p->session), image), symbol);
		vec_push(&p->ipc->list, (struct report_ipc_function){ .start = s->start });
		f = &p->ipc->list.items[p->ipc->list.count - 1];
		vec_for_each(&p->blocks->blocks, b)
			if ((*b)->image == image && (*b)->number == symbol) {
				measure(p, f, image, symbol);
				break;
			}
	}
	f = &p->ipc->list.items[*map64_get(&p->ipc->by_function, (u64)image << 32 | symbol)];
	out->ipc = f->cycles > 0 ? f->executed / f->cycles : 0;
	out->coverage = f->code ? 100.0 * (double)f->covered / (double)f->code : 0;
	return f->cycles > 0;
}
