// SPDX-License-Identifier: GPL-2.0-or-later
/* The annotate screen: the job that disassembles, the loop of keys, the list of functions. */
#include "cli/config.h"
#include "ui/tui/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/datatype.h"
#include "base/alloc.h"
#include "base/text.h"
#include "ui/stdio/annotate.h"
#include "ui/tui/annotate_browser.h"
#include "ui/tui/job.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"

static void hold(const struct tui_annotate *t, bool on)
{
	if (t->live)
		t->live->hold(t->live_arg, on);
}

/* ---- the job ---- */

struct job {
	struct tui_annotate *set;
	u32 image, symbol;
	struct annotation *n;
	struct reason reason;
	int err;
};

static void *run_job(void *arg)
{
	struct job *j = arg;

	j->err = annotate_symbol(j->set->annotator, j->image, j->symbol, &j->n, &j->reason);
	return NULL;
}

/* ---- types ---- */

struct types_job {
	struct annotate_browser *b;
	char **types;
};

/* Returns the text with tabs as spaces, as the screen shows them. The caller frees it. */
static char *on_screen(struct strbuf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (b->s[i] == '\t')
			b->s[i] = ' ';
	return strbuf_detach(b);
}

static void *run_types(void *arg)
{
	struct types_job *j = arg;
	struct tui_annotate *t = j->b->set;

	for (u32 i = 0; i < j->b->n->count && !context_cancelled(t->ctx); i++) {
		struct strbuf note = STRBUF_INIT;

		if (j->b->n->lines[i].kind != ANNOTATE_CODE)
			continue;
		stdio_type_note(t->types, j->b->n, i, &note);
		j->types[i] = note.len ? on_screen(&note) : NULL;
		strbuf_release(&note);
	}
	return NULL;
}

static void drop_types(struct annotate_browser *b)
{
	for (u32 i = 0; b->types && i < b->n->count; i++)
		free(b->types[i]);
	free(b->types);
	b->types = NULL;
}

bool annotate_browser_types(struct annotate_browser *b)
{
	struct types_job j = { .b = b };
	bool done;

	if (b->types)
		return true;
	if (!b->set->types)
		b->set->types = data_types_new(b->set->annotator);
	j.types = xcalloc(b->n->count + 1, sizeof(*j.types));
	hold(b->set, true);
	done = tui_job(b->set->ctx, "Looking for types", run_types, &j);
	hold(b->set, false);
	b->types = j.types;
	if (!done)
		drop_types(b);
	return done;
}

static int disassemble(struct job *j)
{
	hold(j->set, true);
	tui_job(j->set->ctx, "Disassembling", run_job, j);
	hold(j->set, false);
	return j->err;
}

/* ---- one function ---- */

static int hex_digits(u64 v)
{
	int n = 1;

	while (v >>= 4)
		n++;
	return n;
}

static void begin(struct annotate_browser *b)
{
	struct annotation *n = b->n;
	u32 jumps = 0, first = 0;

	annotation_fill(n, b->set->counts, b->set->events, b->set->columns);
	for (u32 i = 0; i < n->count; i++)
		jumps = MAX(jumps, n->lines[i].jumps_here);
	b->name_width = stdio_name_width(n);
	b->target_width = hex_digits(n->size);
	b->address_width = hex_digits(n->address + n->size);
	b->jumps_width = jumps < 10 ? 1 : jumps < 100 ? 2 : 4;
	annotate_browser_hot(b);
	if (b->hot.count)
		first = b->hot.items[0];
	annotate_browser_rows(b, first);
	if (b->set->show_types)
		b->set->show_types = annotate_browser_types(b);
}

/*
 * Updates the lines. They keep their places, but their numbers of samples change, and so which of
 * them are above the least share.
 */
static void follow(struct annotate_browser *b)
{
	const struct tui_annotate *t = b->set;
	u32 line = b->list.at < b->rows.count ? b->rows.items[b->list.at] : 0;
	size_t at = b->hot_at;

	t->live->next(t->live_arg);
	annotation_fill(b->n, t->counts, t->events, t->columns);
	annotate_browser_hot(b);
	b->hot_at = at < b->hot.count ? at : 0;
	if (t->least > 0)
		annotate_browser_rows(b, line);
}

static void run_keys(struct annotate_browser *b)
{
	const struct tui_annotate_live *live = b->set->live;

	while (!b->leave) {
		int key = list_key_within(&b->list, live ? live->due(b->set->live_arg) : -1);
		const struct key_row *row = keys_find(annotate_keys, annotate_key_count, key, b);

		if (live && !live->due(b->set->live_arg))
			follow(b);
		if (row && row->run)
			row->run(b, key);
	}
}

/* Returns annotate.offset_level: 1, 2, 3. */
static enum offset_level offset_setting(const struct context *ctx)
{
	u64 level = config_u64(ctx, "annotate.offset_level", 1);

	return level >= 1 && level <= OFFSET_LEVELS ? (enum offset_level)(level - 1)
						    : OFFSET_JUMP_TARGETS;
}

enum tui_annotate_end annotate_browser_open(struct tui_annotate *t, u32 image, u32 symbol,
					    struct list *say)
{
	struct annotate_browser b = {
		.set = t,
		.list = { .ops = &annotate_ops,
			  .arg = &b,
			  .status = "Press 'h' for help on key bindings" },
		.no_arrows = !config_bool(t->ctx, "annotate.jump_arrows", true),
		.show_jumps = config_bool(t->ctx, "annotate.show_nr_jumps", false),
		.show_numbers = config_bool(t->ctx, "annotate.show_linenr", false),
		.full_addresses = !config_bool(t->ctx, "annotate.use_offset", true),
		.offsets = offset_setting(t->ctx),
	};
	struct job j = { .set = t, .image = image, .symbol = symbol };
	struct strbuf why = STRBUF_INIT;

	if (disassemble(&j)) {
		strbuf_printable(&why, j.reason.text ? j.reason.text : "it cannot be disassembled");
		if (j.reason.hint) {
			strbuf_str(&why, "\n\nHint: ");
			strbuf_printable(&why, j.reason.hint);
		}
		if (say && j.err == -ECANCELED)
			list_say(say, "given up");
		else
			menu_message("No disassembly", strbuf_cstr(&why));
		strbuf_release(&why);
		reason_release(&j.reason);
		return ANNOTATE_BACK;
	}
	b.n = j.n;
	begin(&b);
	run_keys(&b);
	drop_types(&b);
	annotation_free(b.n);
	vec_release(&b.rows);
	vec_release(&b.hot);
	list_release(&b.list);
	return b.quit ? ANNOTATE_QUIT : b.to_table ? ANNOTATE_TO_TABLE : ANNOTATE_BACK;
}

enum tui_annotate_end tui_annotate(struct tui_annotate *t, u32 image, u32 symbol)
{
	return annotate_browser_open(t, image, symbol, NULL);
}

void tui_annotate_list(struct tui_annotate *t, const struct annotate_choice *choices, size_t count)
{
	struct strlist lines = { 0 };
	int at = 0;

	if (count == 1) {
		tui_annotate(t, choices[0].image, choices[0].symbol);
		return;
	}
	for (size_t i = 0; i < count; i++)
		strlist_add(&lines, choices[i].text);
	while (at >= 0) {
		at = menu_choose(t->title, "Percent  Function", &lines, (size_t)at);
		if (at >= 0 &&
		    tui_annotate(t, choices[at].image, choices[at].symbol) == ANNOTATE_QUIT)
			break;
	}
	strlist_release(&lines);
}
