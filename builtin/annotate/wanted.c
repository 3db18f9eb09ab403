// SPDX-License-Identifier: GPL-2.0-or-later
/* Which functions are shown. */
#include "builtin/annotate/annotate_view.h"

bool annotate_named(const struct annotate_command *p, const struct annotate_row *row)
{
	const struct image *img = image_get(session_images(p->a.session), row->image);
	const char *name =
		symbol_get(symbols_of(session_symbols(p->a.session), row->image), row->symbol)
			->name;

	if (p->dsos.list.count && !strlist_has(&p->dsos, img->name) &&
	    !strlist_has(&p->dsos, img->path))
		return false;
	return !p->symbols.list.count || strlist_has(&p->symbols, name);
}

static bool has_samples(const struct annotate_view *v, const struct annotate_row *row)
{
	for (u32 i = 0; i < v->count; i++)
		if (row->counts[v->events[i]].samples)
			return true;
	return false;
}

static bool above_limit(const struct annotate_command *p, const struct annotate_view *v,
			const struct annotate_row *row)
{
	u64 of = p->totals[v->events[0]].period;

	return !p->limit ||
	       (of && 100.0 * (double)row->counts[v->events[0]].period / (double)of >= p->limit);
}

bool annotate_wanted(const struct annotate_command *p, const struct annotate_view *v,
		     const struct annotate_row *row)
{
	return has_samples(v, row) && annotate_named(p, row) && above_limit(p, v, row);
}
