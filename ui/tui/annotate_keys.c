// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of the annotate screen. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/replace.h"
#include "base/text.h"
#include "ui/stdio/annotate.h"
#include "ui/tui/annotate_browser.h"
#include "ui/tui/menu.h"
#include "ui/tui/scripts.h"
#include "ui/tui/screen.h"

static void quit(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->leave = b->quit = true;
}

static void back(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->leave = true;
}

/* Leaves all functions that were opened from each other. */
static void back_to_table(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->leave = b->to_table = true;
}

static bool has_samples(const void *arg)
{
	const struct annotate_browser *b = arg;

	return b->hot.count > 0;
}

static void go_hottest(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->hot_at = 0;
	annotate_browser_select(b, b->hot.items[0]);
}

static void cycle_hot(void *arg, int key)
{
	struct annotate_browser *b = arg;
	size_t step = key == KEY_TAB ? 1 : b->hot.count - 1;

	b->hot_at = (b->hot_at + step) % b->hot.count;
	annotate_browser_select(b, b->hot.items[b->hot_at]);
}

/* Goes to the target of a jump, or opens the function that is called. */
static void follow(void *arg, int key)
{
	struct annotate_browser *b = arg;
	const struct annotate_line *l = annotate_browser_line(b);

	(void)key;
	if (!l || l->kind != ANNOTATE_CODE || !l->flow) {
		list_say(&b->list, "neither a jump nor a call");
	} else if (l->flow == FLOW_RETURN) {
		b->leave = true;
	} else if (l->target_line != NO_LINE) {
		annotate_browser_select(b, l->target_line);
	} else if (l->has_target && l->target_symbol != NO_SYMBOL) {
		enum tui_annotate_end end =
			annotate_browser_open(b->set, b->n->image, l->target_symbol, &b->list);

		b->quit = end == ANNOTATE_QUIT;
		b->to_table = end == ANNOTATE_TO_TABLE;
		b->leave = b->quit || b->to_table;
	} else {
		list_say(&b->list, l->has_target ? "it goes to another object"
						 : "its target is known at run time only");
	}
}

/* ---- search ---- */

static void find(struct annotate_browser *b, bool down)
{
	struct strbuf text = STRBUF_INIT;
	struct annotate_pieces pieces;
	size_t count = b->rows.count;
	bool found = false;

	for (size_t i = 1; i <= count && !found; i++) {
		u64 row =
			down ? (b->list.at + i) % count : (b->list.at + count - i % count) % count;

		strbuf_clear(&text);
		annotate_browser_text(b, row, &text, &pieces);
		if (strstr(strbuf_cstr(&text), b->set->search)) {
			list_select(&b->list, row);
			found = true;
		}
	}
	if (!found)
		list_say(&b->list, "'%s' is not there", b->set->search);
	strbuf_release(&text);
}

static void ask_and_find(void *arg, int key)
{
	struct annotate_browser *b = arg;
	struct strbuf text = STRBUF_INIT;

	if (menu_ask(key == '/' ? "Search" : "Search backwards",
		     "Part of a line.\nENTER: search, ESC: cancel", &text) &&
	    text.len) {
		free(b->set->search);
		b->set->search = strbuf_detach(&text);
		find(b, key == '/');
	}
	strbuf_release(&text);
}

static void find_again(void *arg, int key)
{
	struct annotate_browser *b = arg;

	if (b->set->search)
		find(b, key == 'n');
	else
		list_say(&b->list, "nothing to search for again: / searches");
}

/* ---- how it is shown ---- */

static void toggle_arrows(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->no_arrows = !b->no_arrows;
}

static void toggle_jumps(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->show_jumps = !b->show_jumps;
}

static void toggle_raw(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->raw_text = !b->raw_text;
}

static void toggle_full(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->full_addresses = !b->full_addresses;
}

static void next_offsets(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->offsets = (b->offsets + 1) % OFFSET_LEVELS;
}

static bool has_text(const void *arg)
{
	const struct annotate_browser *b = arg;

	return b->n->code_count < b->n->count;
}

static void toggle_source(void *arg, int key)
{
	struct annotate_browser *b = arg;
	u32 line = b->list.at < b->rows.count ? b->rows.items[b->list.at] : 0;

	(void)key;
	b->set->no_source = !b->set->no_source;
	annotate_browser_rows(b, line);
}

static void ask_least(void *arg, int key)
{
	struct annotate_browser *b = arg;
	u32 line = b->list.at < b->rows.count ? b->rows.items[b->list.at] : 0;
	struct strbuf text = STRBUF_INIT;
	double least;

	(void)key;
	if (menu_ask("Minimum share of an instruction in percent",
		     "Others are hidden, and source lines that have no others; 0: none.\nENTER: "
		     "apply, ESC: cancel",
		     &text)) {
		if (parse_percent(strbuf_cstr(&text), &least) || least > 100) {
			list_say(&b->list, "that is not a percentage");
		} else {
			b->set->least = least;
			annotate_browser_rows(b, line);
			if (least > 0)
				list_say(&b->list, "instructions below %g%% are hidden", least);
		}
	}
	strbuf_release(&text);
}

static bool is_live(const void *arg)
{
	const struct annotate_browser *b = arg;

	return b->set->live;
}

static void toggle_types(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->set->show_types = !b->set->show_types;
	if (b->set->show_types && !annotate_browser_types(b)) {
		b->set->show_types = false;
		list_say(&b->list, "given up");
	}
}

static void toggle_numbers(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->show_numbers = !b->show_numbers;
}

static void say_location(void *arg, int key)
{
	struct annotate_browser *b = arg;
	const struct annotate_line *l = annotate_browser_line(b);
	struct strbuf text = STRBUF_INIT;

	(void)key;
	if (!l || !l->file || !l->line) {
		list_say(&b->list, "the source of this line is not known");
		return;
	}
	strbuf_printable(&text, l->file);
	list_say(&b->list, "%s:%u", strbuf_cstr(&text), l->line);
	strbuf_release(&text);
}

static void next_values(void *arg, int key)
{
	struct annotate_browser *b = arg;
	struct tui_annotate *t = b->set;

	(void)key;
	if (t->show_period) {
		t->show_period = false;
		t->show_samples = true;
	} else if (t->show_samples) {
		t->show_samples = false;
	} else {
		t->show_period = true;
	}
}

static bool has_cycles(const void *arg)
{
	const struct annotate_browser *b = arg;

	return b->n->has_cycles;
}

static void toggle_range(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	b->set->cycle_range = !b->set->cycle_range;
}

static bool is_hits(enum annotate_percent p)
{
	return p == PERCENT_LOCAL_HITS || p == PERCENT_GLOBAL_HITS;
}

static bool is_global(enum annotate_percent p)
{
	return p == PERCENT_GLOBAL_PERIOD || p == PERCENT_GLOBAL_HITS;
}

static void switch_percent(void *arg, int key)
{
	struct annotate_browser *b = arg;
	bool hits = is_hits(b->set->percent) != (key == 'b');
	bool global = is_global(b->set->percent) != (key == 'p');

	b->set->percent = global ? hits ? PERCENT_GLOBAL_HITS : PERCENT_GLOBAL_PERIOD
			  : hits ? PERCENT_LOCAL_HITS
				 : PERCENT_LOCAL_PERIOD;
	annotate_browser_hot(b);
}

/* ---- files, help ---- */

static void print(void *arg, int key)
{
	struct annotate_browser *b = arg;
	struct strbuf name = STRBUF_INIT;
	const struct stdio_annotate s = {
		.n = b->n,
		.all = b->set->all,
		.event = "",
		.percent = b->set->percent,
		.show_samples = b->set->show_samples,
		.show_period = b->set->show_period,
		.full_addresses = b->full_addresses,
		.show_numbers = b->show_numbers,
		.show_jumps = b->show_jumps,
		.offset_level = (unsigned)b->offsets + 1,
	};
	struct reason r = REASON_INIT;
	struct replace file;
	struct out out;
	int err;

	(void)key;
	for (const char *c = b->n->name; *c && name.len < 200; c++)
		strbuf_char(&name, *c == '/' || (u8)*c < 0x20 ? '_' : *c);
	strbuf_str(&name, ".annotation");
	/* the name is the function's, not the user's */
	if (replace_begin(&file, strbuf_cstr(&name), 0666, REPLACE_NO_LINK, &r)) {
		list_say(&b->list, "%s", r.text);
		reason_release(&r);
		strbuf_release(&name);
		return;
	}
	out_init(&out, file.fd);
	strbuf_printable(out_buf(&out), b->n->name);
	strbuf_str(out_buf(&out), "() ");
	strbuf_printable(out_buf(&out), b->n->object);
	strbuf_char(out_buf(&out), '\n');
	stdio_annotate2(&s, &out);
	err = out_release(&out);
	if (err)
		reason_errno(&r, -err, "cannot write '%s'", strbuf_cstr(&name));
	else
		err = replace_end(&file, &r);
	replace_drop(&file);
	if (err)
		list_say(&b->list, "%s", r.text);
	else
		list_say(&b->list, "%s written!", strbuf_cstr(&name));
	reason_release(&r);
	strbuf_release(&name);
}

static void run_script(void *arg, int key)
{
	struct annotate_browser *b = arg;

	(void)key;
	tui_run_script(b->set->ctx, &b->list, b->set->file);
}

static void help(void *arg, int key)
{
	(void)key;
	menu_keys(annotate_keys, annotate_key_count, arg);
}

const struct key_row annotate_keys[] = {
	{ .keys = { 'h', KEY_F1 },
	  .help = "Show this window",
	  .group = "In every screen:",
	  .run = help },
	KEYS_OF_LIST(NULL),
	{ .keys = { 'q', KEY_ESC, KEY_LEFT }, .help = "Back to the previous screen", .run = back },
	{ .keys = { 'S' }, .help = "Back to the table", .usable = is_live, .run = back_to_table },
	{ .keys = { KEY_CTRL('c'), KEY_GONE }, .help = "Exit", .run = quit },
	{ .keys = { KEY_ENTER, KEY_RIGHT },
	  .help = "Go to the target of a jump or call",
	  .group = "In the function:",
	  .run = follow },
	{ .keys = { 'H' },
	  .help = "Go to the hottest instruction",
	  .usable = has_samples,
	  .run = go_hottest },
	{ .keys = { KEY_TAB, KEY_UNTAB },
	  .help = "Next or previous hottest instruction",
	  .usable = has_samples,
	  .run = cycle_hot },
	{ .keys = { '/', '?' }, .help = "Search, search backwards", .run = ask_and_find },
	{ .keys = { 'n', 'N' }, .help = "Search again, down or up", .run = find_again },
	{ .keys = { 'j' },
	  .help = "Arrow from the jump on this line to its target",
	  .group = "What is shown:",
	  .run = toggle_arrows },
	{ .keys = { 'J' }, .help = "Number of jumps to each target", .run = toggle_jumps },
	{ .keys = { 'o' },
	  .help = "Disassembler's text, or the simplified view",
	  .run = toggle_raw },
	{ .keys = { 'O' }, .help = "Offsets of jump targets, calls too, all", .run = next_offsets },
	{ .keys = { 'f' }, .help = "Offsets, or full addresses", .run = toggle_full },
	{ .keys = { 's' }, .help = "Source lines", .usable = has_text, .run = toggle_source },
	{ .keys = { 'F' }, .help = "Hide instructions below a share", .run = ask_least },
	{ .keys = { 'k' },
	  .help = "Line numbers of the source",
	  .usable = has_text,
	  .run = toggle_numbers },
	{ .keys = { 'l' }, .help = "Source file and line of this line", .run = say_location },
	{ .keys = { 't' }, .help = "Percent, total period, samples", .run = next_values },
	{ .keys = { 'c' },
	  .help = "Cycles of blocks: average, or with least and most",
	  .usable = has_cycles,
	  .run = toggle_range },
	{ .keys = { 'p' },
	  .help = "Percent of the function, or of everything",
	  .run = switch_percent },
	{ .keys = { 'b' }, .help = "Percent of periods, or of samples", .run = switch_percent },
	{ .keys = { 'T' },
	  .help = "Types and fields that instructions touch",
	  .run = toggle_types },
	{ .keys = { 'P' }, .help = "Print to SYMBOL.annotation", .group = "Files:", .run = print },
	{ .keys = { 'r' }, .help = "Run a script over the file", .run = run_script },
};
const size_t annotate_key_count = ARRAY_SIZE(annotate_keys);
