// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules by the names in a chain: the parent of a sample, and where callees are ignored. */
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
	u32 *text_of_frame; /* of a frame that matches: text + 1; 0: it does not */
};

/* The first match from the side where the chain is read. */
static u32 parent_of(const struct parents *p, chain_id chain)
{
	const struct hist *h = p->h;
	u32 found = 0;

	for (; chain; chain = chain_get(h->chains, chain)->parent) {
		u32 text = p->text_of_frame[chain_get(h->chains, chain)->frame];

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

/* With parents in use a sample key is completed by its chain's parent. */
int hist_parents(struct hist *h, struct reason *r)
{
	struct parents p = { .h = h };
	struct row_table rows = { .picks = h->rows.picks };
	u64 *key;
	int err;

	if (h->parent_slot < 0)
		return 0;
	err = match_frames(&p, r);
	if (err)
		return err;
	key = xcalloc(h->slots + 1, sizeof(*key));
	for (size_t i = 0; i < h->rows.rows.count; i++) {
		struct row row = h->rows.rows.items[i];

		memcpy(key, keys_get(&h->keys, row.key), h->slots * sizeof(*key));
		key[h->parent_slot] = parent_of(&p, row.chain);
		row.key = keys_add(&h->keys, key);
		rows_add(&rows, &row, rows_extra(&h->rows, i));
	}
	rows_release(&h->rows);
	h->rows = rows;
	free(key);
	free(p.text_of_frame);
	return 0;
}

/* ---- ignored callees ---- */

/*
 * By node: the outermost frame of its chain that matches, 0: none.  What that frame
 * called is forgotten: the sample counts as its own.
 */
static chain_id *find_cuts(const struct hist *h, const bool *matches)
{
	u32 count = chains_count(h->chains);
	const struct chain_node *nodes = chain_nodes(h->chains);
	chain_id *cut = xcalloc((size_t)count + 1, sizeof(*cut));

	for (chain_id id = 1; id <= count; id++) {
		cut[id] = cut[nodes[id].parent];
		if (!cut[id] && matches[nodes[id].frame])
			cut[id] = id;
	}
	return cut;
}

int hist_ignore_callees(struct hist *h, struct reason *r)
{
	struct row_table rows = { .picks = h->rows.picks };
	chain_id *cut;
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
	cut = find_cuts(h, matches);
	for (size_t i = 0; i < h->rows.rows.count; i++) {
		struct row row = h->rows.rows.items[i];

		if (cut[row.chain]) {
			row.chain = cut[row.chain];
			row.leaf = chain_get(h->chains, row.chain)->frame;
		}
		rows_add(&rows, &row, rows_extra(&h->rows, i));
	}
	rows_release(&h->rows);
	h->rows = rows;
	free(matches);
	free(cut);
	return 0;
}
