// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports whether the places of samples matter. */
#include "hist/internal.h"

bool hist_filters_places(const struct hist_settings *s)
{
	return s->hide_unresolved || s->dsos.list.count || s->symbols.list.count ||
	       s->symbol_filter || s->exclude_other;
}

bool hist_filters_samples(const struct hist_settings *s)
{
	return hist_filters_places(s) || s->one_socket || s->parallelism || s->pids || s->tids ||
	       s->comms.list.count;
}

bool hist_fills_keys(const struct hist *h)
{
	return h->parent_slot >= 0 || h->program_slot >= 0;
}

bool hist_shows_programs(const struct hist *h)
{
	return h->program_slot >= 0;
}

bool hist_is_placeless(const struct hist *h)
{
	const unsigned with_place =
		HIST_BY_FRAME | HIST_OF_BOTH | HIST_OF_PLACE | HIST_OF_BRANCH | HIST_OF_ACCESS;

	vec_for_each(&h->fields, f)
		if (f->column->flags & with_place)
			return false;
	return h->set.only_rows && !h->set.truth_places && !h->set.chains && !h->set.children &&
	       !h->set.picks && !hist_fills_keys(h) && !hist_filters_places(&h->set);
}
