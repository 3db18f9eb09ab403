// SPDX-License-Identifier: GPL-2.0-or-later
/* From the recording to the picture. */
#include <stdio.h>
#include <stdlib.h>

#include "builtin/timechart/internal.h"
#include "chain/chain.h"
#include "cli/say.h"
#include "data/reader.h"

enum { MOST_CHAIN_BYTES = 800000, CHAIN_FRAMES = 12, MOST_ROWS = 3000 };

/* ---- call chains ---- */

static const char *frame_name(struct scene *s, const struct frame *f)
{
	const struct symbol_table *t;
	u32 n;

	if (!f->image)
		return NULL;
	t = symbols_of(session_symbols(s->session), f->image);
	n = symbol_find(t, f->is_return && f->offset ? f->offset - 1 : f->offset);
	return n == NO_SYMBOL ? NULL : symbol_get(t, n)->name;
}

static u32 scene_chain(struct scene *s, const struct session_sample *ss)
{
	const struct sample *sample = ss->sample;
	const struct recorded_chain recorded = {
		.ips = sample->chain,
		.count = sample->chain_count,
		.max = CHAIN_FRAMES,
		.unwound = sample->chain_unwound,
		.swap = session_events(s->session)->swap,
	};
	struct strbuf b = STRBUF_INIT;
	const frame_id *frames;
	size_t count;
	u32 id, before = (u32)s->chain_texts.count;

	if (!sample->chain_count || s->chain_bytes > MOST_CHAIN_BYTES)
		return 0;
	frames = chain_frames(s->chains, ss->task, sample->cpumode, &recorded, &ss->key, &count);
	for (size_t i = 0; i < count; i++) {
		const char *name = frame_name(s, chain_frame(s->chains, frames[i]));

		strbuf_f(&b, "%s%s", i ? " < " : "", name ? name : "[unknown]");
	}
	id = strtab_add_n(&s->chain_texts, strbuf_cstr(&b), b.len);
	if (s->chain_texts.count > before)
		s->chain_bytes += b.len;
	strbuf_release(&b);
	return id;
}

/* ---- the end ---- */

static void end_cpus(struct scene *s)
{
	for (u32 i = 0; i < s->cpus.count; i++) {
		scene_idle(s, i, s->last, 0, false);
		scene_frequency(s, i, s->last, s->cpus.items[i].freq);
	}
}

static bool is_named(const char *wanted, const char *name, u32 pid)
{
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, pid);
	return !strcmp(wanted, name) || !strcmp(wanted, number);
}

static bool passes(const struct timechart *t, const char *name, u32 pid)
{
	vec_for_each(&t->processes.list, wanted)
		if (is_named(*wanted, name, pid))
			return true;
	return false;
}

static bool has_lane(const struct row *r)
{
	bool has = r->lane != NOBODY;

	for (int i = 0; i < IO_KINDS; i++)
		has |= r->io[i] != NOBODY;
	return has;
}

/* Shows the rows with at least this much time; returns their number. */
static size_t show_rows(struct scene *s, u64 least)
{
	size_t count = 0;

	vec_for_each(&s->rows, r) {
		u64 much = s->io_calls ? r->bytes : r->run;

		r->shown = has_lane(r) &&
			   (s->t->processes.list.count
				    ? passes(s->t, strtab_get(&s->names, r->name), r->pid)
				    : much >= least);
		count += r->shown;
	}
	return count;
}

static void choose_rows(struct scene *s)
{
	u64 least = s->io_calls ? 1 << 20 : 10000000; /* bytes, ns */

	if (!s->t->tasks || s->t->power_only)
		return;
	while (show_rows(s, least) < s->t->tasks && least && !s->t->processes.list.count)
		least /= 10;
	if (!s->t->processes.list.count)
		while (show_rows(s, least) > MAX(s->t->tasks, (unsigned)MOST_ROWS))
			least = least * 2 + 1;
}

static int row_cmp(const void *x, const void *y, void *arg)
{
	const struct scene *s = arg;
	u32 i = *(const u32 *)x, j = *(const u32 *)y;
	const struct row *a = &s->rows.items[i], *b = &s->rows.items[j];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return i < j ? -1 : 1;
}

static int cpu_cmp(const void *x, const void *y, void *arg)
{
	const struct data_place *places = arg;
	u32 i = *(const u32 *)x, j = *(const u32 *)y;
	const struct data_place *a = &places[i], *b = &places[j];

	if (a->socket != b->socket)
		return a->socket < b->socket ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return i < j ? -1 : 1;
}

static void order_cpus(struct scene *s)
{
	struct data_place *places = NULL;
	u32 placed;

	for (u32 i = 0; i < s->cpus.count; i++)
		if (s->cpus.items[i].seen)
			vec_push(&s->cpu_order, i);
	if (!s->t->topology || !s->cpu_order.count)
		return;
	placed = data_places(session_data(s->session), &places);
	if (placed >= s->cpus.count)
		qsort_r(s->cpu_order.items, s->cpu_order.count, sizeof(u32), cpu_cmp, places);
	else
		say_warning("'%s' does not contain the topology of its CPUs: they are shown in the "
			    "order of their numbers",
			    data_path(session_data(s->session)));
	free(places);
}

static void say_absent(const struct scene *s, const char *option, const char *name)
{
	condition_add(&s->t->a.ctx->conditions, CONDITION_WARNING, "timechart-absent", name, NULL,
		      1, NULL, "%s: no task of the recording is '%s'", option, name);
}

/* Warns about what was requested and found nowhere, since the picture would silently lack it. */
static void check_wishes(const struct scene *s)
{
	const struct timechart *t = s->t;
	bool found = !t->highlight_name;

	vec_for_each(&t->processes.list, wanted) {
		bool drawn = false;

		for (u32 i = 0; i < s->rows.count && !drawn; i++)
			drawn = has_lane(&s->rows.items[i]) &&
				is_named(*wanted, strtab_get(&s->names, s->rows.items[i].name),
					 s->rows.items[i].pid);
		if (!drawn)
			say_absent(s, "--process", *wanted);
	}
	for (u32 i = 0; i < s->rows.count && !found; i++)
		found = !strcmp(strtab_get(&s->names, s->rows.items[i].name), t->highlight_name);
	if (!s->io_calls && (t->skip_again || t->io_given))
		say_warning(
			"the recording has no system calls, to which the options --io-... apply: "
			"'perf timechart record -I' records them");
	if (!found)
		say_absent(s, "--highlight", t->highlight_name);
}

void scene_finish(struct scene *s)
{
	end_cpus(s);
	scene_flush_calls(s);
	scene_end(s);
	choose_rows(s);
	order_cpus(s);
	check_wishes(s);
	for (u32 i = 0; i < s->rows.count; i++)
		if (s->rows.items[i].shown)
			vec_push(&s->shown, i);
	if (s->shown.count)
		qsort_r(s->shown.items, s->shown.count, sizeof(u32), row_cmp, s);
}

int scene_sample(void *arg, const struct session_point *p, struct reason *r)
{
	struct scene *s = arg;
	struct cpu_row *c = scene_cpu(s, p->cpu);

	if (!s->samples++)
		s->chart.first = p->time;
	s->last = MAX(s->last, p->time);
	if (c)
		c->seen = true;
	s->now = p->time;
	s->now_chain = s->chains ? scene_chain(s, session_point_sample(p)) : 0;
	return s->tracer ? tracer_point(s->tracer, p, r) : 0;
}
