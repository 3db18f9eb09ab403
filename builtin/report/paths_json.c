// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths as the member "paths" of the JSON document. */
#include <inttypes.h>

#include "base/json.h"
#include "builtin/report/paths.h"
#include "event/event.h"

static void put_share(const struct path_share *s, struct strbuf *b)
{
	strbuf_f(b, "\"samples\":%" PRIu64 ",\"period\":%" PRIu64 ",\"percent\":%.6f", s->samples,
		 s->period, s->percent);
	if (s->has_interval)
		strbuf_f(b, ",\"low\":%.6f,\"high\":%.6f", s->low, s->high);
}

static const char *kind_name(enum stack_kind kind)
{
	static const char *const names[] = {
		[STACK_KEY] = "key",
		[STACK_USER] = "user",
		[STACK_KERNEL] = "kernel",
		[STACK_INLINED] = "inlined",
	};

	return names[kind];
}

static void put_path(const struct path *p, struct strbuf *b)
{
	strbuf_str(b, "{\"frames\":[");
	for (size_t i = 0; i < p->frames.count; i++) {
		const struct path_frame *f = &p->frames.items[i];

		strbuf_str(b, i ? ",{\"name\":" : "{\"name\":");
		json_text(b, f->name);
		strbuf_f(b, ",\"kind\":\"%s\"", kind_name(f->kind));
		if (f->recursive)
			strbuf_str(b, ",\"recursive\":true");
		strbuf_char(b, '}');
	}
	strbuf_str(b, "],");
	put_share(&p->all, b);
	if (p->self.samples) {
		strbuf_str(b, ",\"self\":{");
		put_share(&p->self, b);
		strbuf_char(b, '}');
	}
	if (p->below.count) {
		const char *between = ",\"below\":[";

		vec_for_each(&p->below, k) {
			strbuf_str(b, between);
			put_path(*k, b);
			between = ",";
		}
		strbuf_char(b, ']');
	}
	strbuf_char(b, '}');
}

static void put_functions(const struct path_event *e, struct strbuf *b)
{
	const char *between = "";

	strbuf_str(b, ",\"functions\":[");
	vec_for_each(&e->functions, f) {
		strbuf_f(b, "%s{\"name\":", between);
		json_text(b, f->name);
		strbuf_f(b, ",\"kind\":\"%s\",", kind_name(f->kind));
		put_share(&f->share, b);
		strbuf_char(b, '}');
		between = ",";
	}
	strbuf_char(b, ']');
}

static void put_places(const struct path_event *e, struct strbuf *b)
{
	const char *between = "";

	strbuf_str(b, ",\"places\":[");
	vec_for_each(&e->places, p) {
		strbuf_f(b, "%s{\"name\":", between);
		json_text(b, p->name);
		strbuf_str(b, ",\"in\":");
		if (p->in)
			json_text(b, p->in);
		else
			strbuf_str(b, "null");
		strbuf_char(b, ',');
		put_share(&p->share, b);
		strbuf_char(b, '}');
		between = ",";
	}
	strbuf_char(b, ']');
}

void paths_json(const struct paths *p, struct strbuf *out)
{
	const char *between = "";

	if (!p->known) {
		strbuf_str(out, "null");
		return;
	}
	strbuf_char(out, '[');
	vec_for_each(&p->events, e) {
		strbuf_f(out, "%s\n{\"event\":", between);
		json_text(out, e->event->name);
		strbuf_f(out,
			 ",\"samples\":%" PRIu64 ",\"period\":%" PRIu64 ",\"of\":%" PRIu64
			 ",\"level\":",
			 e->samples, e->period, e->of);
		if (e->has_intervals)
			strbuf_f(out, "%.2f", PATHS_LEVEL);
		else
			strbuf_str(out, "null");
		put_functions(e, out);
		if (e->waits)
			put_places(e, out);
		strbuf_str(out, ",\n\"tree\":");
		put_path(e->root, out);
		strbuf_char(out, '}');
		between = ",";
	}
	strbuf_char(out, ']');
}
