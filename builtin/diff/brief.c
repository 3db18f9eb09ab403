// SPDX-License-Identifier: GPL-2.0-or-later
/* perf diff --brief: what changed beyond chance, in a bounded number of bytes. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "builtin/diff/command.h"

/* Importance: changes have less, the first of them the most. */
#define FIRST 1000.0

int diff_set_brief(const struct option_call *call, struct reason *r)
{
	struct diff_command *c = call->settings;
	u64 bytes = 0;

	if (!call->negated && digest_parse_bytes(call->value, &bytes, r))
		return -EINVAL;
	c->brief = bytes;
	return 0;
}

int diff_check_brief(const struct diff_command *c, struct reason *r)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ c->dump, "-D" },
		{ c->stream, "--stream" },
		{ c->diff.method == DIFF_CYCLES, "-c cycles" },
		{ c->draw.separator != NULL, "--field-separator" },
		{ c->draw.formula, "--formula" },
		{ c->draw.period, "--period" },
		{ c->confidence_given && !c->draw.confidence, "--no-confidence" },
		{ c->order_given && !c->order, "--order 0" },
	};

	for (size_t i = 0; c->brief && i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return reason_set(r, EINVAL, "--brief and %s exclude each other",
					  others[i].name);
	return 0;
}

static void add_truth(const struct diff_command *c, struct digest *d)
{
	for (size_t i = 0; i < c->file_count; i++) {
		const struct event_set *set = session_events(c->files[i].session);
		const struct event *const *events = (const struct event *const *)set->list.items;
		struct strbuf b = STRBUF_INIT, words = STRBUF_INIT;

		truth_line(&c->files[i].truth, events, set->list.count, &words);
		if (words.len > digest_line_bytes(d)) {
			strbuf_clear(&words);
			truth_short(&c->files[i].truth, events, set->list.count, &words);
		}
		strbuf_str(&b, "truth of ");
		digest_name(c->files[i].path, &b);
		strbuf_f(&b, ": %s", strbuf_cstr(&words));
		strbuf_release(&words);
		digest_add(d, &b, FIRST);
	}
}

/* Counts the rows of a file that changed; unchanged: the share of the others in the baseline. */
static size_t count_changes(const struct diff_command *c, const struct diff_table *t, size_t file,
			    double *unchanged)
{
	size_t changed = 0;

	*unchanged = 0;
	for (size_t i = 0; i < t->row_count; i++)
		if (diff_interval(&c->diff, t, t->rows[i], file).change)
			changed++;
		else
			*unchanged += diff_share(t, t->rows[i], 0);
	return changed;
}

static void add_heading(const struct diff_command *c, const struct diff_table *t, size_t file,
			struct digest *d)
{
	struct strbuf b = STRBUF_INIT;
	double unchanged;
	size_t changed = count_changes(c, t, file, &unchanged);

	digest_name(t->event, &b);
	if (t->file_count > 2) {
		strbuf_str(&b, ", ");
		digest_name(c->files[file].path, &b);
	}
	strbuf_f(&b,
		 ": %" PRIu64 " and %" PRIu64 " samples; %zu of %zu rows changed (%.4g%% "
		 "confidence), the others had %.2f%% of the baseline",
		 t->totals[0].samples, t->totals[file].samples, changed, t->row_count,
		 100 * c->diff.level, unchanged);
	digest_add(d, &b, FIRST);
}

/* "+78.69% [+70.02%, +85.02%]  was 1.00%  planted look_up_price" */
static void add_row(const struct diff_command *c, const struct diff_table *t,
		    const struct diff_row *row, size_t file, struct digest *d, double importance)
{
	const struct diff_value v = diff_compute(&c->diff, t, row, file);
	const struct diff_interval i = diff_interval(&c->diff, t, row, file);
	struct strbuf b = STRBUF_INIT;

	if (v.kind != DIFF_NUMBER || !i.change)
		return;
	strbuf_str(&b, "  ");
	diff_value_text(&c->diff, row, file, v.number, &b);
	strbuf_char(&b, ' ');
	diff_interval_text(&c->diff, &i, &b);
	if (row->side[0].present)
		strbuf_f(&b, "  was %.2f%%", diff_share(t, row, 0));
	else if (c->diff.method != DIFF_RATIO) /* which says so itself */
		strbuf_str(&b, "  new");
	for (size_t k = 0; k < t->key_count; k++) {
		strbuf_str(&b, k ? " " : "  ");
		digest_name(row->keys[k] + strspn(row->keys[k], " "), &b);
	}
	digest_add(d, &b, importance);
}

static void add_table(const struct diff_command *c, const struct diff_table *t, struct digest *d)
{
	for (size_t f = 1; f < t->file_count; f++) {
		if (!t->totals[f].present)
			continue;
		add_heading(c, t, f, d);
		for (size_t i = 0; i < t->row_count; i++)
			add_row(c, t, t->rows[i], f, d, -(double)i);
	}
}

void diff_brief(const struct diff_command *c, const struct diff *diff, struct strbuf *out)
{
	struct digest d = { .bytes = c->brief };

	add_truth(c, &d);
	for (size_t i = 0; i < diff_table_count(diff); i++)
		if (diff_table(diff, i)->row_count)
			add_table(c, diff_table(diff, i), &d);
	digest_put(&d, out);
}
