// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/stdio/blocks.h"

#include "base/json.h"
#include "base/text.h"
#include "base/text_table.h"
#include "branch/profile.h"

/* Adds a number as 950, 1.2K, 3.4M. */
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

void stdio_blocks(const struct stdio_settings *set, const struct profile_block *rows, size_t count,
		  struct strbuf *out)
{
	const struct text_column columns[] = {
		{ .head = "Sampled Cycles%", .right = true },
		{ .head = "Sampled Cycles", .right = true },
		{ .head = "Avg Cycles%", .right = true },
		{ .head = "Avg Cycles", .right = true },
		{ .head = "[Program Block Range]", .right = true },
		{ .head = "Shared Object", .ragged = true },
	};
	const struct text_table_style style = { .separator = set->separator,
						.no_heads = set->no_heads };
	struct text_table *t = text_table_new(columns, ARRAY_SIZE(columns));
	struct strbuf b = STRBUF_INIT;

	for (const struct profile_block *row = rows; row < rows + count; row++) {
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
	text_table_put(t, &style, out);
	text_table_free(t);
	strbuf_release(&b);
}

void json_blocks(const char *event, u64 cycles, const struct profile_block *rows, size_t count,
		 struct strbuf *b)
{
	bool comma = false;

	strbuf_str(b, "{\"event\":");
	json_text(b, event);
	strbuf_f(b, ",\"cycles\":%" PRIu64 ",\"blocks\":[", cycles);
	for (const struct profile_block *row = rows; row < rows + count; row++) {
		const struct block *k = row->block;

		strbuf_f(b,
			 "%s\n{\"share\":%.6f,\"cycles\":%.0f,\"count\":%" PRIu64
			 ",\"average\":%.6f,\"range\":",
			 comma ? "," : "", row->share, k->sum, k->count, row->average);
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
