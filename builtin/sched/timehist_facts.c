// SPDX-License-Identifier: GPL-2.0-or-later
/* What the lines of perf sched timehist are made of. */
#include <string.h>

#include "builtin/sched/timehist.h"

void timehist_put_chain(struct timehist *th, const struct session_sample *s, struct strbuf *b)
{
	enum { MOST = 128 };
	struct sched_frame frames[MOST];
	size_t count = sched_chain_of(th->frames, s, frames, MOST);
	const char *arrow = "";
	unsigned shown = 0;

	for (size_t i = 0; i < count && shown < th->max_stack; i++) {
		if (frames[i].scheduler)
			continue;
		strbuf_str(b, arrow);
		strbuf_printable(b, frames[i].name);
		arrow = " <- ";
		shown++;
	}
}

static void make_name(struct timehist_name *n, const struct tasks_life *l)
{
	struct strbuf b = STRBUF_INIT;
	char comm[17] = { 0 };

	memcpy(n->comm, l->name, sizeof(n->comm));
	memcpy(comm, l->name, sizeof(n->comm));
	n->tid = l->tid;
	n->pid = l->pid;
	strbuf_printable(&b, comm[0] ? comm : ":");
	strbuf_char(&b, '[');
	strbuf_dec(&b, l->tid);
	if (l->pid != l->tid && l->pid != UINT32_MAX) {
		strbuf_char(&b, '/');
		strbuf_dec(&b, l->pid);
	}
	strbuf_char(&b, ']');
	n->len = (u32)MIN(b.len, sizeof(n->text));
	memcpy(n->text, b.s, n->len);
	strbuf_release(&b);
}

/* Returns the current name of a task. */
static const struct timehist_name *name_of(struct timehist *th, const struct tasks_life *l)
{
	static const struct timehist_name idle = { .len = 6, .text = "<idle>" };
	struct timehist_name *n;

	if (!l)
		return &idle;
	n = &th->names[l->number % TIMEHIST_NAMES];
	if (unlikely(!n->len || n->tid != l->tid || n->pid != l->pid ||
		     memcmp(n->comm, l->name, sizeof(n->comm))))
		make_name(n, l);
	th->comm_width = MAX(th->comm_width, n->len);
	return n;
}

void timehist_put_name(struct timehist *th, const struct tasks_life *l, struct strbuf *b)
{
	const struct timehist_name *n = name_of(th, l);

	strbuf_add(b, n->text, n->len);
}

/*
 * Makes a line that begins with a name, has another name if has_other, and the chain in th->chain.
 */
static struct timehist_line *new_line(struct timehist *th, enum timehist_kind kind,
				      const struct tasks_life *who, const struct tasks_life *other,
				      bool has_other)
{
	const struct timehist_name *a = name_of(th, who), *b = NULL;
	u32 width = th->comm_width, len = a->len, chain = (u32)th->chain.len, other_len;
	struct timehist_name first;
	struct timehist_line *l;

	if (has_other) {
		first = *a; /* both may have the same place */
		a = &first;
		b = name_of(th, other);
	}
	other_len = b ? b->len : 0;
	l = session_line(th->lines, sizeof(*l) + len + other_len + chain);
	*l = (struct timehist_line){ .kind = kind,
				     .width = width,
				     .other_width = th->comm_width,
				     .name_len = len,
				     .other_len = other_len,
				     .chain_len = chain };
	memcpy(l->text, a->text, len);
	if (b)
		memcpy(l->text + len, b->text, other_len);
	if (chain)
		memcpy(l->text + len + other_len, th->chain.s, chain);
	strbuf_clear(&th->chain);
	return l;
}

static u64 after(u64 from, u64 to)
{
	return from && from < to ? to - from : 0;
}

/* Returns how long a wait lasted from a time on, or TIMEHIST_UNKNOWN. */
static u64 lasted(const struct tasks_wait *w, u64 from)
{
	return w->unseen && (!from || !w->in) ? TIMEHIST_UNKNOWN : w->in ? after(from, w->in) : 0;
}

static void set_times(struct timehist *th, const struct tasks_switch *s, struct timehist_line *l)
{
	const struct tasks_wait *w = s->prev ? &s->prev->wait : NULL;

	l->ran = s->unseen ? TIMEHIST_UNKNOWN : s->ran;
	if (!w) {
		l->waited = timehist_cpu(th, s->cpu)->busy_before;
		return;
	}
	l->unmoved = after(w->woken, w->moved);
	l->waited = lasted(w, w->out);
	l->delay = lasted(w, w->woken); /* a preempted task is ready from the start */
}

void timehist_add_switch(struct timehist *th, const struct tasks_switch *s)
{
	struct timehist_line *l;

	if (s->prev && th->frames) {
		strbuf_str(&th->chain, "  ");
		timehist_put_chain(th, tracer_hit_sample(s->hit), &th->chain);
	}
	l = new_line(th, TIMEHIST_SWITCH, s->prev, s->next, th->next);
	l->time = s->time;
	l->cpu = s->cpu;
	l->mark = s->prev ? 's' : 'i';
	l->prio = s->prev ? s->prev->prio : 120;
	memcpy(l->state, s->prev ? s->state : "I", strlen(s->prev ? s->state : "I") + 1);
	set_times(th, s, l);
}

/* Adds a line about what a task did to another one. */
static struct timehist_line *add_deed(struct timehist *th, enum timehist_kind kind,
				      const struct tracer_hit *hit, const struct tasks_life *whom)
{
	u32 tid = tracer_tid(hit);
	struct timehist_line *l =
		new_line(th, kind, tid ? tasks_now(th->a.tasks, tid) : NULL, whom, true);

	l->time = tracer_time(hit);
	l->cpu = tracer_cpu(hit);
	return l;
}

void timehist_add_wakeup(struct timehist *th, const struct tasks_wakeup *w)
{
	add_deed(th, TIMEHIST_WAKEUP, w->hit, w->life);
}

void timehist_add_move(struct timehist *th, const struct tasks_move *m)
{
	struct timehist_line *l = add_deed(th, TIMEHIST_MOVE, m->hit, m->life);

	l->mark = 'm';
	l->from = m->from;
	l->to = m->to;
}

void timehist_add_loss(struct timehist *th, const struct tracer_gap *gap)
{
	struct timehist_line *l = session_line(th->lines, sizeof(*l));

	*l = (struct timehist_line){
		.kind = TIMEHIST_LOSS, .cpu = gap->cpu, .time = gap->until, .lost = gap->count
	};
}
