// SPDX-License-Identifier: GPL-2.0-or-later
/* From the browser of perf report into a function: what the key 'a' does. */
#include <stdlib.h>

#include "annotate/datatype.h"
#include "base/alloc.h"
#include "builtin/report/internal.h"
#include "profile/gather.h"
#include "ui/tui/annotate.h"

struct report_code {
	struct annotator *annotator;
	char *search;
	struct data_types *types;
};

static struct report_code *open_code(struct report *p)
{
	struct annotate_settings set = p->o.what.code;

	if (p->code)
		return p->code;
	set.lines = &p->o.what.set.lines;
	set.counts = profile_counts(&p->profile);
	p->code = xcalloc(1, sizeof(*p->code));
	p->code->annotator = annotate_open(p->a.session, &set);
	return p->code;
}

void report_code_release(struct report *p)
{
	if (!p->code)
		return;
	data_types_free(p->code->types);
	annotator_free(p->code->annotator);
	free(p->code->search);
	free(p->code);
	p->code = NULL;
}

bool report_annotate(void *arg, const struct hist_view *v, u32 image, u32 symbol)
{
	struct report *p = arg;
	struct report_code *code = open_code(p);
	struct strbuf title = STRBUF_INIT;
	u32 *events = xcalloc(v->member_count, sizeof(*events));
	struct annotate_count *all = xcalloc(v->member_count, sizeof(*all));
	enum tui_annotate_end end;
	/* clang-format off */
	struct tui_annotate t = {
		.ctx = p->a.ctx, .annotator = code->annotator, .counts = profile_counts(&p->profile), .events = events, .columns = v->member_count, .all = all,
		.show_samples = p->o.what.show_samples, .search = code->search, .types = code->types,
		.show_period = p->o.what.show_period, .percent = p->o.percent, .no_source = !p->o.source,
		.asm_raw = p->o.asm_raw,
		.file = data_is_pipe(session_data(p->a.session)) ? NULL : data_path(session_data(p->a.session)),
	};
	/* clang-format on */
	u64 period;

	for (u32 i = 0; i < v->member_count; i++) {
		events[i] = v->members[i]->index;
		all[i] = (struct annotate_count){ v->totals[i].samples, v->totals[i].period };
	}
	period = stdio_hist_event(v, &title);
	strbuf_f(&title, ", Event count (approx.): %" PRIu64, period);
	t.title = strbuf_cstr(&title);
	end = tui_annotate(&t, image, symbol);
	code->search = t.search;
	code->types = t.types;
	strbuf_release(&title);
	free(events);
	free(all);
	return end == ANNOTATE_QUIT;
}
