// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched map: which task was on which CPU, a line for each switch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin/sched/map.h"
#include "cli/color.h"
#include "cli/say.h"

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

/*
 * Takes the next code that is free or belongs to an ended task; when all are in use, the next one.
 */
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

/* ---- what lines are made of ---- */

static u16 cell_of(struct map *m, const struct column *c, bool changed)
{
	const struct short_name *n;

	if (!c->met)
		return CELL_UNKNOWN;
	if (!c->life)
		return CELL_IDLE;
	if (!name_fits(m, c->life))
		return CELL_OTHER;
	n = short_name_of(m, c->life);
	if (n->comm == UINT32_MAX && !changed)
		vec_push(&m->unexplained, c->life);
	return (u16)((CELL_CODE + n->code - 1) | (n->coloured ? CELL_COLOURED : 0));
}

static void take_cell(struct map *m, u32 cpu, u32 changed)
{
	const struct column *c = &m->columns.items[cpu];
	unsigned how = (cpu == changed ? CELL_CHANGED : 0) | (c->coloured ? CELL_CPU_COLOURED : 0);

	if (c->shown)
		vec_push(&m->cells, (u16)(cell_of(m, c, cpu == changed) | how));
}

/* Begins a line with what all CPUs do now. Returns the buffer for the text after its time. */
static struct strbuf *begin_line(struct map *m, u32 changed)
{
	vec_clear(&m->cells);
	if (m->compact)
		vec_for_each(&m->order, cpu)
			take_cell(m, *cpu, changed);
	else
		for (u32 cpu = 0; cpu < m->columns.count; cpu++)
			take_cell(m, cpu, changed);
	strbuf_clear(&m->text);
	return &m->text;
}

static void end_line(struct map *m, u64 time)
{
	size_t cells = m->cells.count * sizeof(m->cells.items[0]), len = m->text.len;
	struct map_line *l = session_line(m->lines, sizeof(*l) + cells + len);

	*l = (struct map_line){ time, (u32)m->cells.count, (u32)len };
	if (cells)
		memcpy(l->cells, m->cells.items, cells);
	memcpy(l->cells + l->count, m->text.s, len);
}

/* Adds "A0 => name:12". */
static void put_explained(struct map *m, const struct tasks_life *l, struct strbuf *b)
{
	struct short_name *n = short_name_of(m, l);
	struct strbuf text = STRBUF_INIT;
	char code[3];

	n->comm = l->row->comm;
	map_code_text(n->code - 1, code);
	strbuf_f(&text, "%s => %s:%u", code, tasks_comm(m->a.tasks, n->comm), l->tid);
	map_put_coloured(m, b, n->coloured ? COLOR_BLUE : NULL, strbuf_cstr(&text));
	strbuf_release(&text);
}

/* Explains the tasks that came to other CPUs before --time began. */
static void put_unexplained(struct map *m, struct strbuf *b)
{
	vec_for_each(&m->unexplained, l) {
		strbuf_str(b, b->len && b->s[b->len - 1] == ' ' ? "" : ", ");
		put_explained(m, *l, b);
	}
	vec_clear(&m->unexplained);
}

/* Adds the legend in the task's first line, and whenever its name changes. */
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

/* Ends a line of the time axis. An empty legend leaves no trailing space. */
static void end_axis_line(struct map *m, u64 time)
{
	put_unexplained(m, &m->text);
	if (m->text.s[m->text.len - 1] == ' ')
		strbuf_truncate(&m->text, m->text.len - 1);
	end_line(m, time);
}

/* Prints what the CPUs do at each multiple of --axis, which makes distances visible. */
static void put_axis(struct map *m, u64 time)
{
	if (!m->axis)
		return;
	if (!m->next_tick)
		m->next_tick = time - time % m->axis + m->axis;
	/* one line represents a long quiet time as well as many lines would */
	if (m->next_tick + 100 * m->axis < time) {
		strbuf_f(begin_line(m, UINT32_MAX), " ---- %" PRIu64 " times the same ",
			 (time - m->next_tick) / m->axis);
		end_axis_line(m, m->next_tick);
		m->next_tick = time - time % m->axis;
	}
	for (; m->next_tick < time; m->next_tick += m->axis) {
		strbuf_str(begin_line(m, UINT32_MAX), " ---- ");
		end_axis_line(m, m->next_tick);
	}
}

static bool in_window(const struct map *m, u64 time)
{
	return !m->a.choice.times.list.count || time_ranges_have(&m->a.choice.times, time);
}

static int on_switch(void *arg, const struct tasks_switch *s, struct reason *r)
{
	struct map *m = arg;
	struct column *c = column_at(m, s->cpu);
	bool new_cpu = !c->met, new_idle = !s->next && !m->idle_told;
	struct strbuf *b;

	(void)r;
	if (s->inferred) /* a line would be out of order */
		return 0;
	if (in_window(m, s->time))
		put_axis(m, s->time);
	if (c->shown && !c->listed) {
		c->listed = true;
		vec_push(&m->order, s->cpu);
	}
	c->met = true;
	c->life = s->next;
	if (!in_window(m, s->time) || !c->shown)
		return 0;
	if (m->task_names && !name_fits(m, s->prev) && !name_fits(m, s->next))
		return 0;
	m->idle_told |= new_idle;
	b = begin_line(m, s->cpu);
	strbuf_add(b, " secs ", 6);
	put_legend(m, s, new_idle, b);
	if (m->latency)
		put_latency(s, b);
	if (m->compact && new_cpu)
		strbuf_f(b, " (CPU %u)", s->cpu);
	end_line(m, s->time);
	return 0;
}

/* Shows a loss at the place where it happened. */
static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct map *m = arg;
	struct strbuf *b;

	for (u32 cpu = 0; cpu < m->columns.count; cpu++)
		if (gap->cpu == cpu || gap->cpu == UINT32_MAX)
			m->columns.items[cpu].met = false;
	if (!in_window(m, gap->until))
		return;
	b = begin_line(m, UINT32_MAX);
	strbuf_f(b, " lost %" PRIu64 " events", gap->count);
	if (gap->cpu != UINT32_MAX)
		strbuf_f(b, " on cpu %u", gap->cpu);
	put_unexplained(m, b);
	end_line(m, gap->until);
}

/* Releases an ended task's code. A task that a CPU still shows is kept. */
static bool on_forget(void *arg, const struct tasks_life *l)
{
	struct map *m = arg;
	u32 code = l->number < m->short_names.count ? m->short_names.items[l->number].code : 0;

	vec_for_each(&m->columns, c)
		if (c->life == l)
			return false;
	if (code && m->owners[code - 1] == l)
		m->owners[code - 1] = NULL;
	return true;
}

static int begin(void *arg, struct session *session, struct reason *r)
{
	struct map *m = arg;
	u32 cpus = sched_cpus_of(session);

	(void)r;
	m->lines = session_lines_new(session, m->a.out, map_put_line, m);
	if (cpus && !m->compact)
		column_at(m, cpus - 1);
	if (cpus && m->shown_count && m->shown_cpus[m->shown_count - 1] >= cpus)
		say_warning(
			"there is no CPU %u in '%s': the last one of the recorded machine is %u",
			m->shown_cpus[m->shown_count - 1], data_path(session_data(session)),
			cpus - 1);
	return 0;
}

static void print(void *arg, struct tasks *t, struct out *out)
{
	struct map *m = arg;

	session_lines_end(m->lines);
	sched_put_losses(t, out);
	sched_put_sums(t, m->s->ctx, out);
	sched_say_absent_names(m->s->ctx, t, &m->names, m->fuzzy);
}

static void release(void *arg)
{
	struct map *m = arg;

	if (m->lines)
		session_lines_end(m->lines);
	session_lines_free(m->lines);
}

static int parse_cpus(const char *option, const char *text, u32 **out, size_t *count,
		      struct reason *r)
{
	if (!text || !parse_cpu_list(text, 1U << 16, out, count))
		return 0;
	return reason_set(r, EINVAL, "%s: '%s' is not a list of CPUs such as 0-2,5", option, text);
}

static int parse_texts(struct map *m, struct reason *r)
{
	int err = m->color_pids ? parse_task_numbers("--color-pids", m->color_pids, &m->pids,
						     &m->pid_count, r)
				: 0;

	if (!err)
		err = parse_cpus("--color-cpus", m->color_cpus, &m->coloured_cpus,
				 &m->coloured_count, r);
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
		{ OPTION_STRING, 0, "color-cpus", &m.color_cpus, .arg = "CPUS",
		  .help = "colour these CPUs" },
		{ OPTION_STRING, 0, "cpus", &m.cpus, .arg = "CPUS", .help = "only these CPUs" },
		{ OPTION_STRING, 0, "task-name", &m.task_names, .arg = "NAME[,NAME]...",
		  .help = "only tasks of these names" },
		{ OPTION_FLAG, 0, "fuzzy-name", &m.fuzzy,
		  .help = "--task-name gives parts of names" },
		{ OPTION_FLAG, 0, "latency", &m.latency,
		  .help = "show how long the task had waited for the CPU" },
		{ OPTION_DURATION, 0, "axis", &m.axis, .unit = 1000000, .arg = "MS",
		  .given = &m.axis_given,
		  .help = "print a line every N ms, so that the lines form a time axis" },
		{ OPTION_STRING, 0, "time", &m.a.time, .arg = "FROM,TO",
		  .help = "only this span of time" },
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
	/* else all tasks are checked when everything has been read */
	if (!m.task_names && !s->ctx->verbose)
		m.a.ops.forget = on_forget;
	m.a.arg = &m;
	m.a.begin = begin;
	m.a.print = print;
	m.a.release = release;
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
	vec_release(&m.cells);
	strbuf_release(&m.text);
	return code < 0 ? 0 : code;
}
