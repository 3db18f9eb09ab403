// SPDX-License-Identifier: GPL-2.0-or-later
/* What all parts of the parser share: adding an event, and reporting a fault with its place. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/text.h"
#include "event/internal.h"
#include "event/names.h"

int parse_fault(struct parse *p, struct span where, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = text_fault(p->r, p->text, (size_t)(where.s - p->text), where.n, fmt, ap);
	va_end(ap);
	return err;
}

bool parse_suggest(struct parse *p, struct span typed, const struct strlist *names)
{
	char *word = xstrndup(typed.s, typed.n);
	const char *near =
		nearest_name(word, (const char *const *)names->list.items, names->list.count);

	if (near)
		reason_hint(p->r, "did you mean '%s'?", near);
	else
		reason_hint(p->r, "'perf list' shows the events of this machine");
	free(word);
	return near;
}

struct event *parse_add(struct parse *p, u32 type, u64 config, struct span name)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = ATTR_SIZE_VER7,
		.config = config,
		/* perf counts guests only on request (:G, kvm) */
		.flags = (p->parser->guests ? 0 : ATTR_EXCLUDE_GUEST) |
			 (p->parser->no_host ? ATTR_EXCLUDE_HOST : 0),
	};
	char *text = xstrndup(name.s, name.n);
	struct event *ev = event_set_add(p->set, &attr, text);

	free(text);
	return ev;
}

void parse_add_symbol(struct parse *p, const struct event_symbol *s, struct span word)
{
	struct event *ev = parse_add(p, s->type, s->config, word);

	ev->tool = s->tool;
	if (s->tool) {
		ev->attr.type = PERF_TYPE_SOFTWARE;
		ev->attr.config = PERF_COUNT_SW_DUMMY;
		ev->snapshot = s->tool == TOOL_NUMBER;
		if (s->tool != TOOL_NUMBER)
			ev->unit = xstrdup("ns");
	} else if (s->type != PERF_TYPE_SOFTWARE) {
		return;
	} else if (s->config == PERF_COUNT_SW_CPU_CLOCK || s->config == PERF_COUNT_SW_TASK_CLOCK) {
		ev->unit = xstrdup("msec");
		ev->scale = 1e-6;
	} else if (s->config == PERF_COUNT_SW_BPF_OUTPUT) {
		ev->attr.sample_type =
			PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
		ev->attr.sample_period = 1;
	}
}

const char parse_word_end[] = ",{}/: \t\n";

struct span parse_scan_word(struct parse *p)
{
	struct span w = { p->at, strcspn(p->at, parse_word_end) };

	p->at += w.n;
	return w;
}
