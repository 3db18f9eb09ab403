// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched waits: what tasks waited for, the longest first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "builtin/sched/causes.h"
#include "cli/say.h"

enum { FRAMES = 64, PLACE_FRAMES = 3 };

/*
 * Where a task left the CPU: functions, or NULL. In the kernel that is the caller of the scheduler.
 * In user space it is the function that wanted to wait, outside of the C library and the like, and
 * that function's callers.
 */
struct place {
	enum cause cause;
	const char *kernel, *user[PLACE_FRAMES];
};

/* Waits for one cause in one place. */
struct wait_row {
	struct place place;
	u64 ns, count, most;
	struct map64 who; /* numbers of lives */
};

struct waits {
	struct sched *s;
	struct sched_analysis a;
	const char *comms_text, *pids_text;
	struct strlist comms;
	u32 *pids;
	size_t pid_count;
	bool by_place;
	struct sched_chains *chains;
	VEC(struct place) places; /* by number of the life */
	VEC(struct wait_row) rows;
	VEC(struct tasks_life *) doubtful; /* preempted, possibly by a quota */
	struct map64 index;                /* hash of cause and place -> row + 1 */
	u64 total;
};

static struct place *place_of(struct waits *w, const struct tasks_life *l)
{
	while (w->places.count <= l->number)
		vec_push(&w->places, (struct place){ CAUSE_OTHER, NULL, { NULL } });
	return &w->places.items[l->number];
}

static bool is_wanted(const struct waits *w, const struct tasks_life *l)
{
	char name[17] = { 0 };
	bool pid_fits = !w->pids;

	for (size_t i = 0; i < w->pid_count; i++)
		pid_fits |= w->pids[i] == l->pid;
	memcpy(name, l->name, 16);
	return pid_fits && (!w->comms.list.count || strlist_has(&w->comms, name));
}

static bool in_window(const struct waits *w, u64 time)
{
	return !w->a.choice.times.list.count || time_ranges_have(&w->a.choice.times, time);
}

static struct wait_row *row_of(struct waits *w, const struct place *p)
{
	u64 key = hash_combine(p->cause, w->by_place ? (uintptr_t)p->kernel : 0), *slot;
	bool added;

	for (int i = 0; w->by_place && i < PLACE_FRAMES; i++)
		key = hash_combine(key, (uintptr_t)p->user[i]);
	slot = map64_put(&w->index, key, &added);
	if (added) {
		vec_push(&w->rows, (struct wait_row){ .place = *p });
		*slot = w->rows.count - 1;
	}
	return &w->rows.items[*slot];
}

/* Reports whether the cause says little: a task waits for its own children, or for work. */
static bool says_little(enum cause c)
{
	return c == CAUSE_CHILDREN || c == CAUSE_KERNEL_THREAD;
}

static void add(struct waits *w, const struct tasks_life *l, const struct place *p, u64 ns)
{
	struct wait_row *row;

	if (!ns)
		return;
	row = row_of(w, p);
	row->ns += ns;
	row->count++;
	if (ns > row->most) {
		row->most = ns;
		row->place = *p;
	}
	map64_put(&row->who, l->number, NULL);
	if (!says_little(p->cause))
		w->total += ns;
}

/* Adds a wait from out until woken, and then the wait for a CPU, which counts at the same place. */
static void add_stay(struct waits *w, const struct tasks_life *l, u64 out, u64 woken, u64 end)
{
	struct place p = *place_of(w, l);

	add(w, l, &p, woken - MIN(out, woken));
	p.cause = CAUSE_RUN_QUEUE;
	add(w, l, &p, end - MIN(woken, end));
}

/*
 * Notes the callers from the program's own first function or, without one, from the first of user
 * space.
 */
static void note_callers(struct place *p, const struct sched_frame *frames, size_t count)
{
	size_t first = 0, at;

	while (first < count && frames[first].kernel)
		first++;
	for (at = first; at < count && frames[at].runtime; at++)
		;
	if (at == count)
		at = first;
	for (size_t i = 0; i < PLACE_FRAMES && at < count; i++, at++)
		p->user[i] = frames[at].name;
}

static void note_place(struct waits *w, const struct tasks_switch *s)
{
	struct sched_frame frames[FRAMES];
	size_t count = sched_chain_of(w->chains, tracer_hit_sample(s->hit), frames, FRAMES);
	struct place *p = place_of(w, s->prev);

	*p = (struct place){ cause_of(frames, count, s->prev->ahead.why, s->prev->ahead.letter,
				      !s->next) };
	if (p->cause == CAUSE_RUN_QUEUE && cause_may_be_quota(frames, count, s->prev->ahead.why))
		vec_push(&w->doubtful, s->prev);
	/* the frames in front of schedule() belong to the tracepoint itself */
	for (size_t i = 0; i < count && frames[i].kernel; i++) {
		if (frames[i].scheduler)
			p->kernel = NULL;
		else if (!p->kernel)
			p->kernel = frames[i].name;
	}
	note_callers(p, frames, count);
}

/*
 * Settles doubtful tasks when a CPU becomes idle: a task that is still preempted there waits for
 * its quota, not for the CPU.
 */
static void settle_doubts(struct waits *w, const struct tasks_switch *s)
{
	size_t kept = 0;

	vec_for_each(&w->doubtful, l) {
		if ((*l)->state != TASKS_PREEMPTED)
			continue;
		if (!s->next && (*l)->sent == s->cpu)
			place_of(w, *l)->cause = CAUSE_QUOTA;
		else
			w->doubtful.items[kept++] = *l;
	}
	w->doubtful.count = kept;
}

static int on_switch(void *arg, const struct tasks_switch *s, struct reason *r)
{
	struct waits *w = arg;
	struct tasks_life *n = s->next;
	u64 until;

	(void)r;
	if (s->prev && !s->prev->ended && is_wanted(w, s->prev))
		note_place(w, s);
	if (unlikely(w->doubtful.count))
		settle_doubts(w, s);
	if (!n || !is_wanted(w, n) || !in_window(w, s->time) || !n->wait.out)
		return 0;
	until = n->wait.why != TASKS_PREEMPTED && n->wait.woken ? n->wait.woken : s->time;
	add_stay(w, n, n->wait.out, until, s->time);
	return 0;
}

/* Adds the waits that had not ended when the recording did. */
static void add_rest(struct waits *w, struct tasks *t)
{
	u64 last = tasks_stats(t)->last;

	for (size_t i = 0; i < tasks_life_count(t); i++) {
		const struct tasks_life *l = tasks_life_by_number(t, i);
		u64 until = last;

		if (l->ended || !l->seen || !l->ahead.out || l->state == TASKS_RUNNING ||
		    !is_wanted(w, l))
			continue;
		if (l->ahead.why != TASKS_PREEMPTED && l->ahead.woken)
			until = MIN(l->ahead.woken, last);
		add_stay(w, l, l->ahead.out, until, last);
	}
}

static int compare(const void *x, const void *y)
{
	const struct wait_row *a = x, *b = y;
	bool last_a = says_little(a->place.cause), last_b = says_little(b->place.cause);

	if (last_a != last_b)
		return last_a - last_b;
	return (a->ns < b->ns) - (a->ns > b->ns);
}

static void put_row(const struct waits *w, const struct wait_row *row, struct strbuf *b)
{
	strbuf_f(b, "  %-28s %12.3f", cause_name(row->place.cause), (double)row->ns / 1e6);
	if (says_little(row->place.cause))
		strbuf_f(b, " %8s", "");
	else
		strbuf_f(b, " %7.2f%%", 100.0 * (double)row->ns / (double)MAX(w->total, 1U));
	strbuf_f(b, " %10" PRIu64 " %12.3f %6zu  ", row->count, (double)row->most / 1e6,
		 row->who.count);
	strbuf_printable(b, row->place.kernel ? row->place.kernel : "-");
	for (int i = 0; i < PLACE_FRAMES && row->place.user[i]; i++) {
		strbuf_str(b, " <- ");
		strbuf_printable(b, row->place.user[i]);
	}
	strbuf_char(b, '\n');
}

static void print(void *arg, struct tasks *t, struct out *out)
{
	struct waits *w = arg;
	struct strbuf *b = out_buf(out);

	add_rest(w, t);
	vec_sort(&w->rows, compare);
	strbuf_f(b, "# %-28s %12s %8s %10s %12s %6s  %s\n", "Waited for", "ms", "share", "times",
		 "longest ms", "tasks", "where the longest began");
	vec_for_each(&w->rows, row) {
		put_row(w, row, b);
		out_done(out);
	}
	sched_put_losses(t, out);
	sched_put_sums(t, w->s->ctx, out);
	sched_say_absent_names(w->s->ctx, t, &w->comms, false);
	sched_say_absent_numbers(w->s->ctx, t, true, w->pids, w->pid_count);
}

static int begin(void *arg, struct session *session, struct reason *r)
{
	struct waits *w = arg;

	w->chains = sched_chains_new(session);
	if (w->chains)
		return 0;
	reason_set(r, EINVAL, "the recording does not say where tasks left the CPU");
	reason_hint(r, "record call chains, too: perf sched record -g");
	return -EINVAL;
}

static void release(void *arg)
{
	struct waits *w = arg;

	sched_chains_free(w->chains);
	w->chains = NULL;
}

static int parse_texts(struct waits *w, struct reason *r)
{
	int err = w->comms_text ? sched_parse_names("--comms", w->comms_text, &w->comms, r) : 0;

	if (!err && w->pids_text)
		err = parse_task_numbers("--pid", w->pids_text, &w->pids, &w->pid_count, r);
	return err;
}

int sched_waits(struct sched *s, int argc, const char **argv)
{
	static const struct sched_use use = { "sched waits", { "perf sched waits [<options>]" } };
	struct waits w = { .s = s };
	struct symbol_options *sym = &s->a.open.symbols;
	const struct option_row own[] = {
		{ OPTION_STRING, 'c', "comms", &w.comms_text, .arg = "COMM[,COMM]...",
		  .help = "only tasks of these names" },
		{ OPTION_STRING, 'p', "pid", &w.pids_text, .arg = "PID[,PID]...",
		  .help = "only these processes" },
		{ OPTION_FLAG, 0, "places", &w.by_place,
		  .help = "a row for each place, not for each cause" },
		{ OPTION_STRING, 0, "time", &w.a.time, .arg = "FROM,TO",
		  .help = "only waits that ended in this time range" },
		{ OPTION_STRING, 'k', "vmlinux", &sym->vmlinux, .arg = "FILE",
		  .help = "the kernel's image" },
		{ OPTION_STRING, 0, "kallsyms", &sym->kallsyms, .arg = "FILE",
		  .help = "a copy of /proc/kallsyms" },
		{ OPTION_STRING, 0, "symfs", &sym->symfs, .arg = "DIR",
		  .help = "look for objects below this directory" },
	};
	option_rows rows = VEC_INIT;
	struct reason r = REASON_INIT;
	int code;

	option_rows_add(&rows, own, ARRAY_SIZE(own));
	sched_common_rows(s, &rows);
	code = sched_parse(s, &use, &rows, argc, argv);
	if (!code && parse_texts(&w, &r)) {
		say_reason(&r);
		code = EXIT_USAGE;
	}
	w.a.ops = (struct tasks_ops){ .switched = on_switch };
	w.a.arg = &w;
	w.a.chains = true;
	w.a.begin = begin;
	w.a.print = print;
	w.a.release = release;
	if (!code)
		code = sched_analyse(s, &w.a);
	vec_for_each(&w.rows, row)
		map64_release(&row->who);
	vec_release(&w.rows);
	vec_release(&w.places);
	vec_release(&w.doubtful);
	map64_release(&w.index);
	strlist_release(&w.comms);
	free(w.pids);
	return code < 0 ? 0 : code;
}
