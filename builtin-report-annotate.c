// SPDX-License-Identifier: GPL-2.0-or-later
/* From the browser of perf report into a function: what the key 'a' does. */
#include <stdlib.h>

#include "annotate/datatype.h"
#include "base/alloc.h"
#include "builtin-annotate.h"
#include "builtin-report.h"
#include "process/history.h"
#include "ui/tui/annotate.h"

struct report_annotate {
	struct annotate_gather gather;
	struct annotate_counts *counts;
	struct annotator *annotator; /* made on first use */
	char *search;
	struct data_types *types;
};

void report_annotate_begin(struct report *p)
{
	p->annotate = xcalloc(1, sizeof(*p->annotate));
	annotate_gather_begin(&p->annotate->gather, p->session);
}

void report_annotate_add(struct report *p, unsigned worker, const struct session_sample *s)
{
	if (p->set.expansion == HIST_BRANCHES)
		annotate_gather_cycles(&p->annotate->gather, worker, s);
	else
		annotate_gather_add(&p->annotate->gather, worker, s);
}

void report_annotate_add_branch(struct report *p, unsigned worker, const struct sample *s,
				const struct hist_branch *b)
{
	struct annotate_counts *to = p->annotate->gather.by_worker[worker];

	annotate_counts_add(to, s->event->index, b->from.at.image, b->from.at.offset, LAST_CODE, s->period);
	annotate_counts_add(to, s->event->index, b->to.at.image, b->to.at.offset, LAST_CODE, s->period);
}

void report_annotate_end(struct report *p)
{
	p->annotate->counts = annotate_gather_end(&p->annotate->gather);
}

void report_annotate_release(struct report *p)
{
	if (!p->annotate)
		return;
	data_types_free(p->annotate->types);
	annotator_free(p->annotate->annotator);
	annotate_gather_release(&p->annotate->gather);
	free(p->annotate->search);
	free(p->annotate);
	p->annotate = NULL;
}

bool report_annotate(void *arg, const struct hist_view *v, u32 image, u32 symbol)
{
	struct report *p = arg;
	struct report_annotate *a = p->annotate;
	struct strbuf title = STRBUF_INIT;
	u32 *events = xcalloc(v->member_count, sizeof(*events));
	struct annotate_count *all = xcalloc(v->member_count, sizeof(*all));
	enum tui_annotate_end end;
	struct tui_annotate t = {
		.ctx = p->ctx, .counts = a->counts, .events = events, .columns = v->member_count, .all = all,
		.show_samples = p->show_samples, .search = a->search, .types = a->types,
		.show_period = p->show_period, .percent = p->percent, .no_source = !p->source,
		.asm_raw = p->asm_raw,
	};
	u64 period;

	if (!a->annotator) {
		p->code.counts = a->counts;
		a->annotator = annotate_open(p->session, &p->code);
	}
	t.annotator = a->annotator;
	for (u32 i = 0; i < v->member_count; i++) {
		events[i] = v->members[i]->index;
		all[i] = (struct annotate_count){ v->totals[i].samples, v->totals[i].period };
	}
	period = stdio_hist_event(v, &title);
	strbuf_f(&title, ", Event count (approx.): %" PRIu64, period);
	t.title = strbuf_cstr(&title);
	end = tui_annotate(&t, image, symbol);
	a->search = t.search;
	a->types = t.types;
	strbuf_release(&title);
	free(events);
	free(all);
	return end == ANNOTATE_QUIT;
}
