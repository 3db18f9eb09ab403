// SPDX-License-Identifier: GPL-2.0-or-later
/* What work is called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_function.h"
#include "builtin/kwork/internal.h"
#include "data/reader.h"
#include "tracepoint/tracepoint.h"

enum { COLUMN = 30, MOST_VECTORS = 1024 /* kernels have about ten */ };

size_t softirq_name_in(const char *print_fmt, u64 vector, const char **name)
{
	const char *at = print_fmt;

	while ((at = strchr(at, '{'))) {
		char *end;
		u64 n = strtoull(++at, &end, 0);

		if (end == at || n != vector || strncmp(end += strspn(end, " \t"), ",", 1))
			continue;
		end += 1 + strspn(end + 1, " \t");
		if (*end != '"')
			continue;
		*name = end + 1;
		return strcspn(*name, "\"");
	}
	return 0;
}

static const char *softirq_format(struct works *w, const struct tracer_hit *hit)
{
	const struct sample *s = tracer_hit_sample(hit)->sample;
	const struct tracepoint_formats *all;
	const struct tracepoint_format *f;

	if (!w->softirqs) {
		all = data_tracepoints(session_data(w->session), NULL);
		f = all ? tracepoint_by_id(all, (u32)s->event->attr.config) : NULL;
		w->softirqs = xstrdup(f && f->print_fmt ? f->print_fmt : "");
	}
	return w->softirqs;
}

u32 works_softirq_name(struct works *w, const struct tracer_hit *hit, u64 vector)
{
	const char *name;
	size_t len;

	if (vector >= MOST_VECTORS)
		return 0;
	while (w->vectors.count <= vector)
		vec_push(&w->vectors, 0);
	if (!w->vectors.items[vector]) {
		len = softirq_name_in(softirq_format(w, hit), vector, &name);
		w->vectors.items[vector] = 1 + (len ? strtab_add_n(&w->names, name, len) : 0);
	}
	return w->vectors.items[vector] - 1;
}

u32 works_function_name(struct works *w, u64 address, const struct order_key *key)
{
	struct kernel_function f;
	u64 *kept = address ? map64_put(&w->functions, address, NULL) : NULL;

	if (!kept)
		return 0;
	if (!*kept)
		*kept = 1 + (kernel_function_at(w->session, address, key, &f)
				     ? strtab_add(&w->names, f.name)
				     : 0);
	return (u32)*kept - 1;
}

static char *make_title(const struct works *w, const struct work *work)
{
	struct strbuf b = STRBUF_INIT;
	const char *name = work->name ? strtab_get(&w->names, work->name) : "[unknown]";
	char text[COLUMN]; /* as wide as in perf, which leaves the last column free */

	switch (work->kind) {
	case KWORK_IRQ:
		snprintf(text, sizeof(text), "%s:%" PRIu64, name, work->id);
		break;
	case KWORK_SOFTIRQ:
		snprintf(text, sizeof(text), "(s)%s:%" PRIu64, name, work->id);
		break;
	default:
		if (work->name)
			snprintf(text, sizeof(text), "(w)%s", name);
		else
			snprintf(text, sizeof(text), "(w)0x%" PRIx64, work->id);
	}
	strbuf_printable(&b, text);
	strbuf_pad(&b, ' ', COLUMN - text_columns(text, strlen(text)));
	return strbuf_detach(&b);
}

const char *works_title(const struct works *w, struct work *work)
{
	if (!work->title)
		work->title = make_title(w, work);
	return work->title;
}
