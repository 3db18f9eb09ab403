// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers queries to a hist about frames, commands and views, before and after it is finished. */
#include "base/perf_abi.h"
#include "hist/columns.h"

u64 hist_view_period(const struct hist_view *v, u32 member)
{
	const struct hist_totals *t = &v->totals[member];

	return v->hist->set.relative ? t->shown_period : t->period;
}

u64 hist_view_latency(const struct hist_view *v, u32 member)
{
	const struct hist_totals *t = &v->totals[member];

	return v->hist->set.relative ? t->shown_latency : t->latency;
}

const struct frame *hist_frame(const struct hist *h, frame_id id)
{
	return chain_frame(h->chains, id);
}

void hist_fetch_ahead(const struct hist_view *v, size_t entry)
{
	enum { ENTRY = 16, PARTS = 8 }; /* how many entries ahead */

	if (entry + ENTRY < v->entry_count)
		__builtin_prefetch(v->entries[entry + ENTRY]);
	if (entry + PARTS < v->entry_count) {
		const struct hist_entry *e = v->entries[entry + PARTS];

		__builtin_prefetch(e->total);
		__builtin_prefetch(e->self);
		__builtin_prefetch(hist_frame(v->hist, e->frame));
	}
}

const struct symbol *hist_frame_symbol(const struct hist *h, const struct frame *f)
{
	if (f->inlined)
		return chain_inlined(h->chains, f);
	if (f->symbol == NO_SYMBOL)
		return NULL;
	return symbol_get(symbols_of(h->symbols, f->image), f->symbol);
}

const struct symbol *hist_named_symbol(const struct hist *h, const struct frame *f)
{
	const struct symbol *s = hist_frame_symbol(h, f);

	return s && *s->name ? s : NULL;
}

const struct symbol_table *hist_frame_symbols(const struct hist *h, const struct frame *f)
{
	return symbols_of(h->symbols, f->image);
}

const struct image *hist_frame_image(const struct hist *h, const struct frame *f)
{
	return image_get(h->images, f->image);
}

const char *hist_frame_dso(const struct hist *h, const struct frame *f)
{
	const struct image *image = image_get(h->images, f->image);

	if (image->kind == IMAGE_UNKNOWN)
		return "[unknown]";
	return h->set.verbose ? image->path : image->name;
}

const char *hist_comm_text(const struct hist *h, u32 comm)
{
	return history_comm_text(h->history, comm);
}

char hist_frame_mark(const struct frame *f)
{
	switch (f->cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_USER:
		return '.';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	case PERF_RECORD_MISC_HYPERVISOR:
		return 'H';
	}
	return '?';
}

enum hist_mode hist_mode_of(u8 cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return HIST_SYS;
	case PERF_RECORD_MISC_USER:
		return HIST_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return HIST_GUEST_SYS;
	case PERF_RECORD_MISC_GUEST_USER:
		return HIST_GUEST_USER;
	}
	return HIST_OTHER;
}
