// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the place in the program that a sample belongs to: the first function of user space outside
 * of the run-time, and two of its callers. Waits have their leaf in the scheduler, and mostly the
 * same functions of the C library above it, so only this distinguishes them.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"
#include "symbol/runtime.h"

enum { PLACE_FRAMES = 3 };

struct programs {
	struct hist *h;
	bool *runtime;         /* by frame */
	struct map64 by_chain; /* -> text + 1 */
};

static bool is_user(const struct frame *f)
{
	return hist_mode_of(f->cpumode) == HIST_USER || hist_mode_of(f->cpumode) == HIST_GUEST_USER;
}

static void put_name(const struct hist *h, const struct frame *f, struct strbuf *out)
{
	const struct symbol *s = hist_frame_symbol(h, f);
	const char *dso = hist_frame_dso(h, f);

	if (s)
		strbuf_printable(out, s->name);
	else
		strbuf_f(out, *dso == '[' ? "%s" : "[%s]", path_base(dso));
}

/* Finds the program's first frame; without one, the first of user space, or else the leaf. */
static u32 first_of_program(const struct programs *p, const frame_id *frames, u32 count)
{
	u32 user = 0, at;

	while (user < count && !is_user(hist_frame(p->h, frames[user])))
		user++;
	for (at = user;
	     at < count && (p->runtime[frames[at]] || !is_user(hist_frame(p->h, frames[at]))); at++)
		;
	return at < count ? at : user < count ? user : 0;
}

static u64 make_text(struct programs *p, const frame_id *frames, u32 count)
{
	struct strbuf b = STRBUF_INIT;
	u32 at = first_of_program(p, frames, count);
	u64 text;

	for (u32 i = 0; i < PLACE_FRAMES && at + i < count; i++) {
		strbuf_str(&b, i ? " <- " : "");
		put_name(p->h, hist_frame(p->h, frames[at + i]), &b);
	}
	text = (u64)strtab_add(&p->h->texts, strbuf_cstr(&b)) + 1;
	strbuf_release(&b);
	return text;
}

static u64 place_of_row(void *arg, const struct row *row)
{
	struct programs *p = arg;
	const struct chain_list *l;
	u64 *known, text;
	bool added;

	if (!row->chain)
		return make_text(p, &row->leaf, 1);
	known = map64_put(&p->by_chain, row->chain, &added);
	if (!added)
		return *known;
	l = &chain_lists(p->h->chains)[row->chain];
	text = make_text(p, l->frames, l->count);
	*map64_put(&p->by_chain, row->chain, NULL) = text;
	return text;
}

void hist_program_places(struct hist *h)
{
	struct programs p = { .h = h };
	u32 count = frames_count(h->chains);

	if (h->program_slot < 0)
		return;
	p.runtime = xcalloc(count + 1, sizeof(*p.runtime));
	for (u32 i = 0; i < count; i++) {
		const struct frame *f = hist_frame(h, i);
		const struct symbol *s = is_user(f) ? hist_frame_symbol(h, f) : NULL;

		p.runtime[i] = is_user(f) &&
			       symbol_is_runtime(path_base(hist_frame_dso(h, f)), s ? s->name : "");
	}
	hist_fill_slot(h, h->program_slot, place_of_row, &p);
	map64_release(&p.by_chain);
	free(p.runtime);
}
