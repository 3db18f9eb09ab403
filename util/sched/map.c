// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched map: which task was on which CPU, a line for each switch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/color.h"
#include "cli/say.h"
#include "sched/internal.h"

#define COLOR_CPU "\033[41m"

struct column {
	bool shown; /* --cpus */
	bool met;
	bool coloured;
	struct tasks_life *life; /* NULL: idle, once met */
};

enum { LETTERS = 26, DIGITS = 10, NAMES = LETTERS * DIGITS };

struct short_name {
	u32 code; /* + 1; 0: none.  A0, B0, ... Z0, A1, ... Z9 */
	bool coloured;
	u32 comm; /* the comm that was printed with it; UINT32_MAX: none yet */
};

struct map {
	struct sched *s;
	struct sched_analysis a;
	bool compact, fuzzy, latency, colour, idle_told, axis_given;
	const char *color_pids, *color_cpus, *cpus;
	const char *task_names; /* as typed */
	u64 axis; /* ns between two lines of the time axis; 0: none */
	struct strlist names; /* --task-name */
	u32 *pids, *coloured_cpus, *shown_cpus;
	size_t pid_count, coloured_count, shown_count;

	VEC(struct column) columns; /* by CPU */
	VEC(u32) order;		    /* --compact: CPUs as they were met */
	VEC(struct short_name) short_names; /* by number of the life */
	const struct tasks_life *owners[NAMES]; /* by code: whose name it is now */
	u32 next_code;
	VEC(const struct tasks_life *) unexplained; /* named in this line for the first time */
	u64 next_tick;
};

static bool has_number(const u32 *list, size_t count, u32 n)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == n)
			return true;
	return false;
}

static struct column *column_at(struct map *m, u32 cpu)
{
	while (m->columns.count <= cpu) {
		u32 n = (u32)m->columns.count;
		struct column *c = vec_push_zero(&m->columns);

		c->shown = !m->shown_cpus || has_number(m->shown_cpus, m->shown_count, n);
		c->coloured = has_number(m->coloured_cpus, m->coloured_count, n);
	}
	return &m->columns.items[cpu];
}

/* The next code that is free or of a task that has ended; when all are in use, the next one. */
static u32 take_code(struct map *m, const struct tasks_life *l)
{
	u32 code = m->next_code;

	for (u32 i = 0; i < NAMES; i++) {
		u32 other = (m->next_code + i) % NAMES;

		if (!m->owners[other] || m->owners[other]->ended) {
			code = other;
			break;
		}
	}
	m->next_code = (code + 1) % NAMES;
	m->owners[code] = l;
	return code;
}

static struct short_name *short_name_of(struct map *m, const struct tasks_life *l)
{
	struct short_name *n;

	while (m->short_names.count <= l->number)
		vec_push_zero(&m->short_names);
	n = &m->short_names.items[l->number];
	if (!n->code || m->owners[n->code - 1] != l) {
		n->code = take_code(m, l) + 1;
		n->comm = UINT32_MAX;
		n->coloured = has_number(m->pids, m->pid_count, l->tid);
	}
	return n;
}

static void code_text(const struct short_name *n, char text[3])
{
	text[0] = (char)('A' + (n->code - 1) % LETTERS);
	text[1] = (char)('0' + (n->code - 1) / LETTERS);
	text[2] = '\0';
}

static bool name_fits(const struct map *m, const struct tasks_life *l)
{
	char name[17] = { 0 };

	if (!m->task_names)
		return true;
	if (!l)
		return strlist_has(&m->names, "swapper") || strlist_has(&m->names, "<idle>");
	memcpy(name, l->name, 16);
	for (size_t i = 0; i < m->names.list.count; i++) {
		const char *wanted = m->names.list.items[i];

		if (m->fuzzy ? strstr(name, wanted) != NULL : !strcmp(name, wanted))
			return true;
	}
	return false;
}

static void put_coloured(struct map *m, struct strbuf *b, const char *color, const char *text)
{
	if (!m->colour || !color) {
		strbuf_printable(b, text);
		return;
	}
	strbuf_str(b, color);
	strbuf_printable(b, text);
	strbuf_str(b, COLOR_RESET);
}

static void put_cell(struct map *m, struct strbuf *b, u32 cpu, u32 changed)
{
	struct column *c = &m->columns.items[cpu];
	const struct short_name *n;
	char code[3];

	if (!c->shown)
		return;
	if (cpu == changed)
		put_coloured(m, b, c->coloured ? COLOR_CPU : NULL, "*");
	else
		strbuf_char(b, ' ');
	if (!c->met) {
		strbuf_str(b, "   ");
	} else if (!c->life) {
		strbuf_str(b, ".  ");
	} else if (!name_fits(m, c->life)) {
		strbuf_str(b, "-  ");
	} else {
		n = short_name_of(m, c->life);
		if (n->comm == UINT32_MAX && cpu != changed)
			vec_push(&m->unexplained, c->life);
		code_text(n, code);
		put_coloured(m, b, n->coloured ? COLOR_BLUE : NULL, code);
		strbuf_char(b, ' ');
	}
}

static void put_cells(struct map *m, struct strbuf *b, u32 changed)
{
	strbuf_str(b, "  ");
	if (m->compact)
		vec_for_each(&m->order, cpu)
			put_cell(m, b, *cpu, changed);
	else
		for (u32 cpu = 0; cpu < m->columns.count; cpu++)
			put_cell(m, b, cpu, changed);
}

/* "A0 => name:12" */
static void put_explained(struct map *m, const struct tasks_life *l, struct strbuf *b)
{
	struct short_name *n = short_name_of(m, l);
	struct strbuf text = STRBUF_INIT;
	char code[3];

	n->comm = l->row->comm;
	code_text(n, code);
	strbuf_f(&text, "%s => %s:%u", code, tasks_comm(m->a.tasks, n->comm), l->tid);
	put_coloured(m, b, n->coloured ? COLOR_BLUE : NULL, strbuf_cstr(&text));
	strbuf_release(&text);
}

/* Of other CPUs: what came there before --time began. */
static void put_unexplained(struct map *m, struct strbuf *b)
{
	vec_for_each(&m->unexplained, l) {
		strbuf_str(b, b->len && b->s[b->len - 1] == ' ' ? "" : ", ");
		put_explained(m, *l, b);
	}
	vec_clear(&m->unexplained);
}

/* In the task's first line, and whenever its name changes. */
static void put_legend(struct map *m, const struct tasks_switch *s, bool new_idle, struct strbuf *b)
{
	if (s->next && name_fits(m, s->next) &&
	    (m->s->ctx->verbose || short_name_of(m, s->next)->comm != s->next->row->comm))
		put_explained(m, s->next, b);
	else if (new_idle)
		strbuf_str(b, ".  => swapper:0");
	put_unexplained(m, b);
}

static void put_latency(const struct tasks_switch *s, struct strbuf *b)
{
	const struct tasks_wait *w = s->next ? &s->next->wait : NULL;

	if (w && w->woken) {
		strbuf_str(b, " delay ");
		sched_put_ms(b, s->time - MIN(w->woken, s->time), 0);
		strbuf_str(b, w->why == TASKS_PREEMPTED ? "ms preempted" : "ms");
	}
}

static void end_line(struct strbuf *b)
{
	if (b->s[b->len - 1] == ' ')
		strbuf_truncate(b, b->len - 1);
	strbuf_char(b, '\n');
}

/* What the CPUs do at each multiple of --axis, so that distances can be seen. */
static void put_axis(struct map *m, u64 time, struct strbuf *b)
{
	if (!m->axis)
		return;
	if (!m->next_tick)
		m->next_tick = time - time % m->axis + m->axis;
	/* one line represents a long quiet time as well as many lines would */
	if (m->next_tick + 100 * m->axis < time) {
		put_cells(m, b, UINT32_MAX);
		strbuf_str(b, "  ");
		sched_put_seconds(b, m->next_tick, 12);
		strbuf_f(b, " ---- %" PRIu64 " times the same ", (time - m->next_tick) / m->axis);
		put_unexplained(m, b);
		end_line(b);
		m->next_tick = time - time % m->axis;
	}
	for (; m->next_tick < time; m->next_tick += m->axis) {
		put_cells(m, b, UINT32_MAX);
		strbuf_str(b, "  ");
		sched_put_seconds(b, m->next_tick, 12);
		strbuf_str(b, " ---- ");
		put_unexplained(m, b);
		end_line(b);
	}
}

static bool in_window(const struct map *m, u64 time)
{
	return !m->a.choice.times.list.count || time_ranges_have(&m->a.choice.times, time);
}

static int on_switch(void *arg, const struct tasks_switch *s, struct reason *r)
{
	struct map *m = arg;
	struct strbuf *b = out_buf(m->a.out);
	struct column *c = column_at(m, s->cpu);
	bool new_cpu = !c->met, new_idle = !s->next && !m->idle_told;

	(void)r;
	if (s->inferred) /* a line would be out of order */
		return 0;
	if (in_window(m, s->time))
		put_axis(m, s->time, b);
	if (new_cpu && c->shown)
		vec_push(&m->order, s->cpu);
	c->met = true;
	c->life = s->next;
	if (!in_window(m, s->time) || !c->shown)
		return 0;
	if (m->task_names && !name_fits(m, s->prev) && !name_fits(m, s->next))
		return 0;
	m->idle_told |= new_idle;
	put_cells(m, b, s->cpu);
	strbuf_str(b, "  ");
	sched_put_seconds(b, s->time, 12);
	strbuf_str(b, " secs ");
	put_legend(m, s, new_idle, b);
	if (m->latency)
		put_latency(s, b);
	if (m->compact && new_cpu)
		strbuf_f(b, " (CPU %u)", s->cpu);
	strbuf_char(b, '\n');
	out_done(m->a.out);
	return 0;
}

/* Shows a loss at the place where it happened. */
static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct map *m = arg;
	struct strbuf *b = out_buf(m->a.out);

	for (u32 cpu = 0; cpu < m->columns.count; cpu++)
		if (gap->cpu == cpu || gap->cpu == UINT32_MAX)
			m->columns.items[cpu].met = false;
	if (!in_window(m, gap->until))
		return;
	put_cells(m, b, UINT32_MAX);
	strbuf_str(b, "  ");
	sched_put_seconds(b, gap->until, 12);
	strbuf_f(b, " lost %" PRIu64 " events", gap->count);
	if (gap->cpu != UINT32_MAX)
		strbuf_f(b, " on cpu %u", gap->cpu);
	put_unexplained(m, b);
	strbuf_char(b, '\n');
}

static int begin(void *arg, struct session *session, struct reason *r)
{
	struct map *m = arg;
	u32 cpus = sched_cpus_of(session);

	(void)r;
	if (cpus && !m->compact)
		column_at(m, cpus - 1);
	if (cpus && m->shown_count && m->shown_cpus[m->shown_count - 1] >= cpus)
		say_warning("there is no CPU %u in the recording: the last one of its machine is %u",
			    m->shown_cpus[m->shown_count - 1], cpus - 1);
	return 0;
}

static void print(void *arg, struct tasks *t, struct out *out)
{
	struct map *m = arg;

	sched_put_losses(t, out);
	sched_put_sums(t, m->s->ctx, out);
	sched_say_absent_names(m->s->ctx, t, &m->names, m->fuzzy);
}

static int parse_cpus(const char *option, const char *text, u32 **out, size_t *count, struct reason *r)
{
	if (!text || !parse_cpu_list(text, 1U << 16, out, count))
		return 0;
	return reason_set(r, EINVAL, "%s: '%s' is not a list of CPUs such as 0-2,5", option, text);
}

static int parse_texts(struct map *m, struct reason *r)
{
	int err = m->color_pids ? parse_task_numbers("--color-pids", m->color_pids, &m->pids,
						     &m->pid_count, r) : 0;

	if (!err)
		err = parse_cpus("--color-cpus", m->color_cpus, &m->coloured_cpus, &m->coloured_count, r);
	if (!err)
		err = parse_cpus("--cpus", m->cpus, &m->shown_cpus, &m->shown_count, r);
	if (!err && m->fuzzy && !m->task_names)
		err = reason_set(r, EINVAL, "--fuzzy-name needs --task-name");
	if (!err && m->axis_given && !m->axis)
		err = reason_set(r, EINVAL, "--axis must be more than 0");
	if (!err && m->task_names)
		err = sched_parse_names("--task-name", m->task_names, &m->names, r);
	return err;
}

int sched_map(struct sched *s, int argc, const char **argv)
{
	static const struct sched_use use = { "sched map", { "perf sched map [<options>]" } };
	struct map m = { .s = s, .colour = color_wanted(s->ctx, STDOUT_FILENO) };
	const struct option_row own[] = {
		{ OPTION_FLAG, 0, "compact", &m.compact,
		  .help = "only CPUs that switch, in the order they appear" },
		{ OPTION_STRING, 0, "color-pids", &m.color_pids, .arg = "TID[,TID]...",
		  .help = "colour these tasks" },
		{ OPTION_STRING, 0, "color-cpus", &m.color_cpus, .arg = "CPUS", .help = "colour these CPUs" },
		{ OPTION_STRING, 0, "cpus", &m.cpus, .arg = "CPUS", .help = "only these CPUs" },
		{ OPTION_STRING, 0, "task-name", &m.task_names, .arg = "NAME[,NAME]...",
		  .help = "only tasks of these names" },
		{ OPTION_FLAG, 0, "fuzzy-name", &m.fuzzy, .help = "--task-name gives parts of names" },
		{ OPTION_FLAG, 0, "latency", &m.latency, .help = "show how long the task had waited for the CPU" },
		{ OPTION_DURATION, 0, "axis", &m.axis, .unit = 1000000, .arg = "MS",
		  .given = &m.axis_given,
		  .help = "print a line every N ms, so that the lines form a time axis" },
		{ OPTION_STRING, 0, "time", &m.a.time, .arg = "FROM,TO", .help = "only this span of time" },
	};
	option_rows rows = VEC_INIT;
	struct reason r = REASON_INIT;
	int code;

	option_rows_add(&rows, own, ARRAY_SIZE(own));
	sched_common_rows(s, &rows);
	code = sched_parse(s, &use, &rows, argc, argv);
	if (!code && parse_texts(&m, &r)) {
		say_reason(&r);
		code = EXIT_USAGE;
	}
	m.a.ops = (struct tasks_ops){ .switched = on_switch, .lost = on_lost };
	m.a.arg = &m;
	m.a.begin = begin;
	m.a.print = print;
	if (!code)
		code = sched_analyse(s, &m.a);
	free(m.pids);
	free(m.coloured_cpus);
	free(m.shown_cpus);
	strlist_release(&m.names);
	vec_release(&m.columns);
	vec_release(&m.order);
	vec_release(&m.short_names);
	vec_release(&m.unexplained);
	return code < 0 ? 0 : code;
}
