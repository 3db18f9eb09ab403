// SPDX-License-Identifier: GPL-2.0-or-later
/* Applies rules about the names in a chain: finds a sample's parent, and ignores callees. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

static int compile(regex_t *regex, const char *what, const char *pattern, struct reason *r)
{
	int err = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
	char text[128];

	if (!err)
		return 0;
	regerror(err, regex, text, sizeof(text));
	return reason_set(r, EINVAL, "invalid %s pattern '%s': %s", what, pattern, text);
}

/* ---- parents ---- */

struct parents {
	struct hist *h;
	regex_t regex;
	u32 *text_of_frame; /* for each frame, the text + 1 if it matches, else 0 */
};

/* Returns the first match from the side where the chain is read, or 0. */
static u32 parent_of(const struct parents *p, chain_id chain)
{
	const struct hist *h = p->h;
	const struct chain_list *l = &chain_lists(h->chains)[chain];
	u32 found = 0;

	for (u32 i = 0; i < l->count; i++) {
		u32 text = p->text_of_frame[l->frames[i]];

		if (!text)
			continue;
		found = text;
		if (!h->set.graph.caller)
			break;
	}
	return found;
}

static int match_frames(struct parents *p, struct reason *r)
{
	const char *pattern = p->h->set.parent ? p->h->set.parent : "^sys_|^do_page_fault";
	u32 count = frames_count(p->h->chains);
	int err = compile(&p->regex, "parent", pattern, r);

	if (err)
		return err;
	p->text_of_frame = xcalloc(count + 1, sizeof(u32));
	for (u32 i = 0; i < count; i++) {
		const struct symbol *s = hist_frame_symbol(p->h, hist_frame(p->h, i));

		if (s && !regexec(&p->regex, s->name, 0, NULL, 0))
			p->text_of_frame[i] = strtab_add(&p->h->texts, s->name) + 1;
	}
	regfree(&p->regex);
	return 0;
}

static u64 parent_of_row(void *arg, const struct row *row)
{
	return parent_of(arg, row->chain);
}

void hist_fill_slot(struct hist *h, s32 slot, u64 (*text_of)(void *arg, const struct row *row),
		    void *arg)
{
	struct row_table rows = { .picks = h->rows.picks };
	u64 *key = xcalloc(h->slots + 1, sizeof(*key));

	for (size_t i = 0; i < h->rows.rows.count; i++) {
		struct row row = h->rows.rows.items[i];

		memcpy(key, keys_get(&h->keys, row.key), h->slots * sizeof(*key));
		key[slot] = text_of(arg, &row);
		row.key = keys_add(&h->keys, key);
		rows_add(&rows, &row, rows_extra(&h->rows, i));
	}
	rows_release(&h->rows);
	h->rows = rows;
	free(key);
}

/* Completes each sample key with its chain's parent, if parents are in use. */
int hist_parents(struct hist *h, struct reason *r)
{
	struct parents p = { .h = h };
	int err;

	if (h->parent_slot < 0)
		return 0;
	err = match_frames(&p, r);
	if (err)
		return err;
	hist_fill_slot(h, h->parent_slot, parent_of_row, &p);
	free(p.text_of_frame);
	return 0;
}

/* ---- ignored callees ---- */

/*
 * Returns the outermost matching frame of the chain, or the number of frames if none matches. What
 * that frame called is dropped, so the sample counts as its own.
 */
static u32 find_cut(const struct chain_list *l, const bool *matches)
{
	for (u32 i = l->count; i-- > 0;)
		if (matches[l->frames[i]])
			return i;
	return l->count;
}

static chain_id cut_chain(struct hist *h, chain_id chain, u32 first)
{
	chain_id cut = chain_cut(h->chains, chain, first);

	hist_copy_end(h, cut, chain);
	return cut;
}

int hist_ignore_callees(struct hist *h, struct reason *r)
{
	struct row_table rows = { .picks = h->rows.picks };
	bool *matches;
	regex_t regex;
	int err;

	if (!h->set.ignore_callees)
		return 0;
	err = compile(&regex, "--ignore-callees", h->set.ignore_callees, r);
	if (err)
		return err;
	matches = xcalloc(frames_count(h->chains) + 1, sizeof(*matches));
	for (u32 i = 0; i < frames_count(h->chains); i++) {
		const struct symbol *s = hist_frame_symbol(h, hist_frame(h, i));

		matches[i] = s && !regexec(&regex, s->name, 0, NULL, 0);
	}
	regfree(&regex);
	for (size_t i = 0; i < h->rows.rows.count; i++) {
		struct row row = h->rows.rows.items[i];
		struct chain_list l = chain_lists(h->chains)[row.chain];
		u32 cut = find_cut(&l, matches);

		if (cut < l.count)
			row.leaf = l.frames[cut];
		if (cut && cut < l.count)
			row.chain = cut_chain(h, row.chain, cut);
		rows_add(&rows, &row, rows_extra(&h->rows, i));
	}
	rows_release(&h->rows);
	h->rows = rows;
	free(matches);
	return 0;
}
