// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Phases for people: a document that trace viewers open (chrome://tracing, Perfetto), and a table.
 *
 * The document is the trace event format: {"traceEvents":[...]} of complete events ("ph":"X"),
 * whose ts and dur are microseconds, and of metadata ("ph":"M") that names threads.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/self_profile.h"
#include "base/text.h"

/*
 * Finds the component of a file: "session" for "util/session/order.c", "ui" for "ui/stdio/hist.c",
 * "perf" for the program itself. Returns its length.
 */
static size_t component_of(const char *file, const char **component)
{
	if (!strncmp(file, "util/", 5) || !strncmp(file, "builtin/", 8))
		file = strchr(file, '/') + 1;
	*component = file;
	if (strchr(file, '/'))
		return strcspn(file, "/");
	*component = "perf";
	return 4;
}

static void microseconds(struct strbuf *b, u64 ns)
{
	strbuf_dec(b, ns / 1000);
	strbuf_char(b, '.');
	strbuf_dec_zero(b, ns % 1000, 3);
}

static void json_metadata(struct strbuf *b, const char *what, u32 thread, const char *name)
{
	strbuf_f(b, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":", what,
		 (int)getpid(), thread);
	json_text(b, name);
	strbuf_str(b, "}}");
}

static void json_phase(struct strbuf *b, const struct timed_phase *s, u32 thread)
{
	const char *component;
	size_t len = component_of(s->file, &component);

	strbuf_str(b, ",\n{\"name\":");
	json_text(b, s->name);
	strbuf_f(b, ",\"cat\":\"%.*s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":", (int)len,
		 component, (int)getpid(), thread);
	microseconds(b, s->start);
	strbuf_str(b, ",\"dur\":");
	microseconds(b, s->wall);
	strbuf_str(b, ",\"args\":{\"cpu_us\":");
	microseconds(b, s->cpu);
	if (s->bytes)
		strbuf_f(b, ",\"bytes\":%" PRIu64, s->bytes);
	strbuf_str(b, "}}");
}

void phases_json(const struct phases *s, const char *command, struct strbuf *b)
{
	char *name = xasprintf("perf %s", command);
	u64 left_out = 0;

	for (const struct phase_thread *t = s->threads; t; t = t->next)
		left_out += t->left_out;
	strbuf_str(b, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"wall_us\":");
	microseconds(b, s->wall);
	strbuf_str(b, ",\"cpu_us\":");
	microseconds(b, s->cpu);
	strbuf_f(b, ",\"spans_left_out\":%" PRIu64 "},\n\"traceEvents\":[\n", left_out);
	json_metadata(b, "process_name", 0, name);
	for (const struct phase_thread *t = s->threads; t; t = t->next) {
		char *thread = t->number ? xasprintf("thread %u", t->number) : xstrdup("main");

		strbuf_str(b, ",\n");
		json_metadata(b, "thread_name", t->number, thread);
		free(thread);
		vec_for_each(&t->phases, phase)
			json_phase(b, phase, t->number);
	}
	strbuf_str(b, "\n]}\n");
	free(name);
}

/* ---- the table ---- */

/* The phases of one name, of all threads. */
struct line {
	struct phase_sum sum;
	u32 threads;
};
typedef VEC(struct line) line_list;

static void add_sum(line_list *lines, const struct phase_sum *s)
{
	struct line *line = NULL;

	vec_for_each(lines, l)
		if (!strcmp(l->sum.name, s->name) && !strcmp(l->sum.file, s->file))
			line = l;
	if (!line) {
		line = vec_push_zero(lines);
		line->sum.file = s->file;
		line->sum.name = s->name;
	}
	line->threads++;
	line->sum.count += s->count;
	line->sum.wall += s->wall;
	line->sum.self += s->self;
	line->sum.cpu += s->cpu;
	line->sum.bytes += s->bytes;
}

static int by_self(const void *pa, const void *pb)
{
	const struct phase_sum *a = &((const struct line *)pa)->sum,
			       *b = &((const struct line *)pb)->sum;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void put_line(struct strbuf *b, const struct line *l)
{
	const struct phase_sum *s = &l->sum;
	const char *component;
	size_t len = component_of(s->file, &component);

	strbuf_f(b, "%11.3f %11.3f %11.3f %8" PRIu64 " %8u ", (double)s->self / 1e6,
		 (double)s->wall / 1e6, (double)s->cpu / 1e6, s->count, l->threads);
	if (s->bytes)
		strbuf_f(b, "%10.1f", (double)s->bytes / 1e6);
	else
		strbuf_pad(b, ' ', 10);
	strbuf_f(b, "  %.*s: %s\n", (int)len, component, s->name);
}

void phases_table(const struct phases *s, const char *command, struct strbuf *b)
{
	line_list lines = VEC_INIT;

	for (const struct phase_thread *t = s->threads; t; t = t->next)
		vec_for_each(&t->sums, sum)
			add_sum(&lines, sum);
	vec_sort(&lines, by_self);
	strbuf_str(b, "\nperf ");
	strbuf_printable(b, command);
	strbuf_f(b, ": %.3f ms, %.3f ms of CPU time, %u threads\n\n", (double)s->wall / 1e6,
		 (double)s->cpu / 1e6, s->thread_count);
	strbuf_str(b, "    self ms     wall ms      CPU ms    times  threads         MB  phase\n");
	vec_for_each(&lines, l)
		put_line(b, l);
	vec_release(&lines);
}
