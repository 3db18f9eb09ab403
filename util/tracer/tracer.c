// SPDX-License-Identifier: GPL-2.0-or-later
/* Binds events to rows and samples to handlers, and reports what a recording lacks. */
#include "tracer/tracer.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "data/reader.h"
#include "tracer/doubles.h"
#include "tracer/internal.h"

enum { MOST_CPUS = 1 << 16, MOST_NAMED = 6 };

/* What is known of an event, by its index. */
enum knowledge {
	NOT_DESCRIBED, /* so far */
	OF_NO_ROW,
	BOUND,
};

struct known_event {
	enum knowledge is;
	struct binding *binding; /* BOUND */
};

struct tracer {
	struct tracer_settings o;
	struct session *session;
	char *what; /* the recording, for messages */
	const struct tracepoint_formats *formats;
	const void *tried; /* tracing data that was already searched for formats */
	VEC(struct known_event) events;
	/* by index: those whose samples only need to fit; or NULL */
	VEC(const struct binding *) simple;
	bool *met;               /* by row: the recording has the event */
	struct doubles *doubles; /* NULL if every tracepoint has one event */
	VEC(u64) last;           /* time of the last sample by CPU, or 0 */
	struct tracer_stats stats;
};

struct tracer *tracer_new(const struct tracer_settings *s)
{
	struct tracer *t = xcalloc(1, sizeof(*t));

	t->o = *s;
	t->met = xcalloc(s->row_count + 1, sizeof(*t->met));
	return t;
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	vec_for_each(&t->events, e)
		free(e->binding);
	vec_release(&t->events);
	vec_release(&t->simple);
	vec_release(&t->last);
	doubles_free(t->doubles);
	free(t->met);
	free(t->what);
	free(t);
}

void tracer_use_formats(struct tracer *t, const struct tracepoint_formats *f)
{
	t->formats = f;
}

const struct tracer_stats *tracer_stats(const struct tracer *t)
{
	return &t->stats;
}

bool tracer_has_event(const struct tracer *t, size_t row)
{
	return t->met[row];
}

/* ---- binding ---- */

static bool is_file(const struct tracer *t)
{
	const struct data_reader *d = session_data(t->session);

	return d && !data_is_pipe(d);
}

static const struct tracepoint_format *format_of(struct tracer *t, const struct event *ev)
{
	struct data_reader *d = session_data(t->session);
	size_t size;
	const void *section =
		d && !t->formats ? data_feature(d, FEATURE_TRACING_DATA, &size) : NULL;

	if (section && section != t->tried) {
		t->tried = section; /* do not read damaged data again for each sample */
		t->formats = data_tracepoints(d, NULL);
	}
	return t->formats ? tracepoint_by_id(t->formats, (u32)ev->attr.config) : NULL;
}

static size_t row_of(const struct tracer *t, const struct tracepoint_format *f)
{
	size_t i, system = strlen(f->system);

	for (i = 0; i < t->o.row_count; i++) {
		const char *event = t->o.rows[i].event;

		if (!strncmp(event, f->system, system) && event[system] == ':' &&
		    !strcmp(event + system + 1, f->name))
			break;
	}
	return i;
}

static void find_doubles(struct tracer *t, struct binding *b)
{
	vec_for_each(&t->events, e) {
		if (e->is != BOUND || e->binding->format != b->format)
			continue;
		e->binding->shared = b->shared = true;
		if (!t->doubles)
			t->doubles = doubles_new();
	}
}

static int bind_event(struct tracer *t, const struct event *ev, struct known_event *e,
		      struct reason *r)
{
	const struct tracepoint_format *f;
	size_t row;
	int err;

	if (!event_is_tracepoint(ev)) {
		e->is = OF_NO_ROW;
		return 0;
	}
	f = format_of(t, ev);
	if (!f)
		return 0;
	row = row_of(t, f);
	if (row == t->o.row_count) {
		e->is = OF_NO_ROW;
		return 0;
	}
	err = binding_new(&t->o.rows[row], t->formats, f, &e->binding, r);
	if (err)
		return err;
	find_doubles(t, e->binding);
	e->is = BOUND;
	t->met[row] = true;
	return 0;
}

static void find_simple(struct tracer *t)
{
	vec_clear(&t->simple);
	vec_for_each(&t->events, e)
		vec_push(&t->simple,
			 e->is == BOUND && binding_is_simple(e->binding) ? e->binding : NULL);
}

/* Binds events that were not described so far. */
static int bind_all(struct tracer *t, struct reason *r)
{
	const struct event_set *set = session_events(t->session);
	int err = 0;

	while (t->events.count < set->list.count)
		vec_push_zero(&t->events);
	for (size_t i = 0; !err && i < set->list.count; i++)
		if (t->events.items[i].is == NOT_DESCRIBED)
			err = bind_event(t, set->list.items[i], &t->events.items[i], r);
	find_simple(t);
	return err;
}

/* ---- what is missing ---- */

static void hint_record(const struct tracer *t, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	if (t->o.record) {
		reason_hint(r, "%s", t->o.record);
		return;
	}
	for (int optional = 0; !b.len && optional < 2; optional++)
		for (size_t i = 0; i < t->o.row_count; i++)
			if (t->o.rows[i].optional == optional)
				strbuf_f(&b, "%s%s", b.len ? "," : "", t->o.rows[i].event);
	reason_hint(r, "record with: perf record -a -e %s", strbuf_cstr(&b));
	strbuf_release(&b);
}

/* Reports whether a tracepoint without a format may be the missing one. */
static bool may_be_undescribed(const struct tracer *t, const char *name)
{
	const struct event_set *set = session_events(t->session);

	for (size_t i = 0; i < t->events.count; i++) {
		const char *has = set->list.items[i]->name;

		if (t->events.items[i].is == NOT_DESCRIBED &&
		    (!t->formats || (has && !strcmp(has, name))))
			return true;
	}
	return false;
}

static int refuse_missing(const struct tracer *t, const struct strbuf *missing, struct reason *r)
{
	struct strbuf all = STRBUF_INIT;

	if (missing->len) {
		reason_set(r, ENOENT, "%s has no event %s", t->what, missing->s);
	} else {
		for (size_t i = 0; i < t->o.row_count && i < MOST_NAMED; i++)
			strbuf_f(&all, "%s%s", i ? ", " : "", t->o.rows[i].event);
		reason_set(r, ENOENT, "%s has none of the events that this analysis reads: %s%s",
			   t->what, strbuf_cstr(&all), t->o.row_count > MOST_NAMED ? ", ..." : "");
		strbuf_release(&all);
	}
	hint_record(t, r);
	return -ENOENT;
}

/*
 * Reports whether any tracepoint lacks its format, as after a recorder was killed, or a file
 * truncated.
 */
static bool is_undescribed(const struct tracer *t)
{
	vec_for_each(&t->events, e)
		if (e->is == NOT_DESCRIBED)
			return true;
	return false;
}

static int check_events(struct tracer *t, struct reason *r)
{
	struct strbuf missing = STRBUF_INIT;
	const char *undescribed = NULL;
	bool any = !t->o.row_count;
	int err = 0;

	for (size_t i = 0; i < t->o.row_count; i++) {
		const struct tracer_row *row = &t->o.rows[i];

		any |= t->met[i];
		if (t->met[i] || row->optional)
			continue;
		if (may_be_undescribed(t, row->event))
			undescribed = row->event;
		strbuf_f(&missing, "%s'%s'", missing.len ? ", " : "", row->event);
	}
	if (undescribed)
		err = reason_set(r, ENOENT, "%s does not describe the fields of '%s'", t->what,
				 undescribed);
	else if (!any && !t->formats && is_undescribed(t))
		err = reason_set(r, ENOENT, "%s does not describe the fields of its tracepoints",
				 t->what);
	else if (missing.len || !any)
		err = refuse_missing(t, &missing, r);
	strbuf_release(&missing);
	return err;
}

int tracer_bind(struct tracer *t, struct session *s, struct reason *r)
{
	int err;

	t->session = s;
	free(t->what);
	t->what = is_file(t) ? xasprintf("'%s'", data_path(session_data(s)))
			     : xstrdup("the recording");
	err = bind_all(t, r);
	return err || !is_file(t) ? err : check_events(t, r);
}

static void add_conditions(const struct tracer *t)
{
	struct condition_list *l = &session_context(t->session)->conditions;

	if (t->stats.damaged)
		condition_add(l, CONDITION_DAMAGE, "tracepoint-data", NULL, NULL, t->stats.damaged,
			      NULL,
			      "skipped tracepoint samples whose fields are not all in their data");
	if (t->stats.doubles)
		condition_add(l, CONDITION_WARNING, "tracepoint-doubles", NULL, NULL,
			      t->stats.doubles, NULL,
			      "counted samples once whose tracepoint was recorded by more than one "
			      "event");
	if (t->stats.undescribed)
		condition_add(l, CONDITION_WARNING, "tracepoint-format", NULL, NULL,
			      t->stats.undescribed, NULL,
			      "skipped samples of tracepoints whose format was not known");
}

int tracer_finish(struct tracer *t, struct reason *r)
{
	int err = bind_all(t, r);

	add_conditions(t);
	return err ? err : check_events(t, r);
}

/* ---- samples and losses ---- */

/* Returns the time of a CPU's last sample; NULL if its number is too large. */
static u64 *new_last_of(struct tracer *t, u32 cpu)
{
	if (cpu >= MOST_CPUS)
		return NULL;
	while (t->last.count <= cpu)
		vec_push(&t->last, 0);
	return &t->last.items[cpu];
}

static u64 *last_of(struct tracer *t, u32 cpu)
{
	return likely(cpu < t->last.count) ? &t->last.items[cpu] : new_last_of(t, cpu);
}

static int call(struct tracer *t, const struct binding *b, const struct session_point *p,
		struct reason *r)
{
	struct tracer_hit hit = { p, b, b->places, p->raw, b->swap };

	if (!binding_fits(b, p)) {
		t->stats.damaged++;
		return 0;
	}
	if (unlikely(b->shared) &&
	    doubles_has(t->doubles, b->format->id, session_point_sample(p)->sample)) {
		t->stats.doubles++;
		return 0;
	}
	t->stats.hits++;
	return b->fn(t->o.arg, &hit, r);
}

/* Handles the first sample of an event, or one of an event that was not described so far. */
static int other_point(struct tracer *t, const struct session_point *p, struct reason *r)
{
	u32 index = p->event->index;
	int err = 0;

	if (index >= t->events.count)
		err = bind_all(t, r);
	else if (t->events.items[index].is == NOT_DESCRIBED)
		err = bind_event(t, p->event, &t->events.items[index], r);
	find_simple(t);
	if (err)
		return err;
	switch (t->events.items[index].is) {
	case BOUND:
		return call(t, t->events.items[index].binding, p, r);
	case NOT_DESCRIBED:
		t->stats.undescribed++;
		return 0;
	default:
		return 0;
	}
}

static __attribute__((noinline)) int any_point(struct tracer *t, const struct session_point *p,
					       struct reason *r)
{
	u32 index = p->event->index;
	u64 *last = last_of(t, p->cpu);

	if (last)
		*last = p->time;
	if (index < t->events.count && t->events.items[index].is == OF_NO_ROW)
		return 0;
	if (index < t->events.count && t->events.items[index].is == BOUND)
		return call(t, t->events.items[index].binding, p, r);
	return other_point(t, p, r);
}

int tracer_point(struct tracer *t, const struct session_point *p, struct reason *r)
{
	u32 index = p->event->index;
	const struct binding *b;

	if (unlikely(index >= t->simple.count || p->cpu >= t->last.count))
		return any_point(t, p, r);
	b = t->simple.items[index];
	if (unlikely(!b || !binding_fits(b, p)))
		return any_point(t, p, r);
	t->last.items[p->cpu] = p->time;
	t->stats.hits++;
	return b->fn(t->o.arg, &(struct tracer_hit){ p, b, b->places, p->raw, b->swap }, r);
}

int tracer_sample(struct tracer *t, const struct session_sample *s, struct reason *r)
{
	struct session_point p = session_point_of(s);

	return tracer_point(t, &p, r);
}

void tracer_record(struct tracer *t, const struct record *rec, const struct order_key *key)
{
	const struct event_set *set = session_events(t->session);
	struct tracer_gap gap = { .cpu = UINT32_MAX, .until = key->time };
	struct record_lost lost;
	struct sample_id id;
	const struct event *ev;
	const u64 *last;

	if (rec->type != PERF_RECORD_LOST)
		return;
	/* a damaged one is also a loss */
	if (!record_get_lost(set, rec, &lost, NULL))
		gap.count = lost.lost;
	if (!record_sample_id(set, rec, &id, &ev, NULL))
		gap.cpu = id.cpu;
	last = last_of(t, gap.cpu);
	gap.from = last ? *last : 0;
	t->stats.gaps++;
	t->stats.lost += gap.count;
	if (t->o.lost)
		t->o.lost(t->o.arg, &gap);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	(void)worker;
	return tracer_sample(arg, s, r);
}

static int on_point(void *arg, const struct session_point *p, struct reason *r)
{
	return tracer_point(arg, p, r);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	(void)r;
	tracer_record(arg, rec, key);
	return 0;
}

static bool keep(void *arg, const struct sample *s, const struct order_key *key)
{
	const struct tracer *t = arg;

	(void)key;
	return t->o.keep(t->o.arg, s);
}

int tracer_run(struct tracer *t, struct session *s, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_ORDERED,
		.sample = on_sample,
		.point = on_point,
		.record = on_record,
		.want = { BIT64(PERF_RECORD_LOST) },
		.filter = t->o.keep ? keep : NULL,
		.no_tasks = t->o.no_tasks,
		.no_locations = t->o.no_locations,
		.no_chains = t->o.no_chains,
		.names_kernel = t->o.names_kernel,
	};
	int err = tracer_bind(t, s, r);

	if (!err)
		err = session_run(s, &ops, t, r);
	if (!err && t->o.keep && !t->stats.hits)
		condition_add(&session_context(s)->conditions, CONDITION_WARNING, "tracer-filtered",
			      NULL, NULL, 1, NULL,
			      "no event of %s is from the requested CPUs and times", t->what);
	return err ? err : tracer_finish(t, r);
}
