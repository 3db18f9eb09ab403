// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/stdio/threads.h"

#include <string.h>

#include "base/json.h"

struct table {
	const struct event_set *events;
	const struct profile_reading *list;
	size_t count;
};

static struct table table_of(struct profile *p)
{
	struct table t = { .events = session_events(p->session) };

	t.count = profile_readings(p, &t.list);
	return t;
}

static void print_raw(const struct table *t, struct strbuf *b)
{
	size_t width = 5;

	vec_for_each(&t->events->list, ev)
		width = MAX(width, strlen((*ev)->name));
	strbuf_f(b, "# %6s %7s  %*s %16s\n", "PID", "TID", (int)width, "Name", "Count");
	for (size_t i = 0; i < t->count; i++)
		strbuf_f(b, "  %6d %7d  %*s %16" PRIu64 "\n", (int)t->list[i].pid,
			 (int)t->list[i].tid, (int)width,
			 t->events->list.items[t->list[i].event]->name, t->list[i].value);
}

static bool same_thread(const struct profile_reading *a, const struct profile_reading *b)
{
	return a->pid == b->pid && a->tid == b->tid;
}

static u64 value_of(const struct table *t, const struct profile_reading *like, u32 event)
{
	for (size_t i = 0; i < t->count; i++)
		if (same_thread(&t->list[i], like) && t->list[i].event == event)
			return t->list[i].value;
	return 0;
}

static int column_width(const struct event *ev)
{
	return (int)MAX(strlen(ev->name), (size_t)14);
}

static void print_table(const struct table *t, struct strbuf *b)
{
	strbuf_f(b, "# %6s %7s", "PID", "TID");
	vec_for_each(&t->events->list, ev)
		strbuf_f(b, "  %*s", column_width(*ev), (*ev)->name);
	strbuf_char(b, '\n');
	for (size_t i = 0; i < t->count; i++) {
		const struct profile_reading *at = &t->list[i];

		if (i && same_thread(at, at - 1))
			continue;
		strbuf_f(b, "  %6d %7d", (int)at->pid, (int)at->tid);
		vec_for_each(&t->events->list, ev)
			strbuf_f(b, "  %*" PRIu64, column_width(*ev),
				 value_of(t, at, (*ev)->index));
		strbuf_char(b, '\n');
	}
}

void stdio_threads(struct profile *p, bool raw, struct strbuf *b)
{
	struct table t = table_of(p);

	if (raw)
		print_raw(&t, b);
	else
		print_table(&t, b);
}

void json_threads(struct profile *p, struct strbuf *b)
{
	struct table t = table_of(p);

	strbuf_str(b, ",\n\"threads\":[");
	for (size_t i = 0; i < t.count; i++) {
		strbuf_f(b, "%s\n{\"pid\":%d,\"tid\":%d,\"event\":", i ? "," : "",
			 (int)t.list[i].pid, (int)t.list[i].tid);
		json_text(b, t.events->list.items[t.list[i].event]->name);
		strbuf_f(b, ",\"count\":%" PRIu64 "}", t.list[i].value);
	}
	strbuf_char(b, ']');
}
