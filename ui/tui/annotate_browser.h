/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the annotate screen: its state, shared by drawing and keys. */
#ifndef UI_TUI_ANNOTATE_BROWSER_H
#define UI_TUI_ANNOTATE_BROWSER_H

#include "base/vec.h"
#include "ui/tui/annotate.h"
#include "ui/tui/keys.h"
#include "ui/tui/list.h"

/* Which lines show where they are. */
enum offset_level { OFFSET_JUMP_TARGETS, OFFSET_CALLS, OFFSET_ALL, OFFSET_LEVELS };

struct annotate_browser {
	struct tui_annotate *set;
	struct annotation *n;
	struct list list;
	VEC(u32) rows; /* lines that are shown */
	VEC(u32) hot;  /* code lines with samples, the hottest first */
	size_t hot_at;
	u32 name_width;
	int target_width, address_width, jumps_width;
	bool no_arrows, show_jumps, raw_text, full_addresses, show_numbers;
	enum offset_level offsets;
	char **types; /* by line: notes on its data; made when first shown */
	bool leave, quit, to_table;
};

/* ---- annotate_draw.c ---- */

extern const struct list_ops annotate_ops;
/* Makes the rows again; line stays selected, or the next one that is shown. */
void annotate_browser_rows(struct annotate_browser *b, u32 line);
/* Returns the selected line, or NULL. */
const struct annotate_line *annotate_browser_line(const struct annotate_browser *b);
void annotate_browser_select(struct annotate_browser *b, u32 line);
/* Parts of a line by their colours; the first one is the values. */
struct annotate_pieces {
	struct list_piece list[6];
	size_t count;
};
/* Adds one line as it is drawn. */
void annotate_browser_text(const struct annotate_browser *b, u64 row, struct strbuf *out,
			   struct annotate_pieces *p);
void annotate_browser_hot(struct annotate_browser *b);

/* ---- annotate_keys.c ---- */

extern const struct key_row annotate_keys[];
extern const size_t annotate_key_count;

/* ---- annotate.c ---- */

/* Makes b->types in a job. Returns false if the user gave up. */
bool annotate_browser_types(struct annotate_browser *b);
/* Opens another function over this one. */
enum tui_annotate_end annotate_browser_open(struct tui_annotate *t, u32 image, u32 symbol,
					    struct list *say);

#endif
