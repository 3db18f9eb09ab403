// SPDX-License-Identifier: GPL-2.0-or-later
/* The tracepoints of each kind of work. */
#include <stdlib.h>
#include <string.h>

#include "builtin/kwork/internal.h"
#include "chain/chain.h"
#include "cli/say.h"
#include "data/reader.h"

enum { IRQ, IRQ_NAME };
enum { VECTOR };
enum { ITEM, FUNCTION, WORKER };

static struct work_event event_of(const struct tracer_hit *hit, enum kwork_kind kind)
{
	return (struct work_event){
		.kind = kind, .time = tracer_time(hit), .cpu = tracer_cpu(hit), .hit = hit
	};
}

/* Reports whether work of this name is wanted. Names are known at the entry. */
static bool wanted_name(struct works *w, u32 name)
{
	bool wanted = !w->k->name || !strcmp(strtab_get(&w->names, name), w->k->name);

	w->met_name |= wanted;
	return wanted;
}

static u64 on_cpu(const struct work_event *e)
{
	return (u64)e->cpu << 32 | (u32)e->id;
}

static int on_irq_entry(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct works *w = arg;
	struct work_event e = event_of(hit, KWORK_IRQ);
	u32 len;
	const char *name = tracer_text(hit, IRQ_NAME, &len);

	(void)r;
	e.id = tracer_u64(hit, IRQ);
	e.name = strtab_add_n(&w->names, name, len);
	e.key = on_cpu(&e);
	if (wanted_name(w, e.name))
		works_entry(w, &e);
	return 0;
}

static int on_irq_exit(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct works *w = arg;
	struct work_event e = event_of(hit, KWORK_IRQ);

	(void)r;
	e.id = tracer_u64(hit, IRQ);
	e.key = on_cpu(&e);
	works_exit(w, &e);
	return 0;
}

static int on_softirq(struct works *w, const struct tracer_hit *hit,
		      void (*fn)(struct works *w, const struct work_event *e))
{
	struct work_event e = event_of(hit, KWORK_SOFTIRQ);

	e.id = tracer_u64(hit, VECTOR);
	e.key = on_cpu(&e);
	e.name = works_softirq_name(w, hit, e.id);
	if (wanted_name(w, e.name))
		fn(w, &e);
	return 0;
}

static int on_softirq_raise(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	(void)r;
	return on_softirq(arg, hit, works_raise);
}

static int on_softirq_entry(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	(void)r;
	return on_softirq(arg, hit, works_entry);
}

static int on_softirq_exit(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	(void)r;
	return on_softirq(arg, hit, works_exit);
}

static int on_activate(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct work_event e = event_of(hit, KWORK_WORKQUEUE);

	(void)r;
	e.id = e.key = tracer_u64(hit, ITEM);
	works_raise(arg, &e);
	return 0;
}

/* Begins an item of work. A worker thread runs one item at a time. */
static int on_execute_start(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct works *w = arg;
	struct work_event e = event_of(hit, KWORK_WORKQUEUE);

	(void)r;
	e.id = tracer_u64(hit, ITEM);
	e.key = tracer_u64(hit, WORKER);
	e.name = works_function_name(w, tracer_u64(hit, FUNCTION), &tracer_hit_sample(hit)->key);
	if (wanted_name(w, e.name))
		works_entry(w, &e);
	return 0;
}

static int on_execute_end(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct work_event e = event_of(hit, KWORK_WORKQUEUE);

	(void)r;
	e.id = tracer_u64(hit, ITEM);
	e.key = tracer_u64(hit, WORKER);
	works_exit(arg, &e);
	return 0;
}

#define IRQ_FIELD    [IRQ] = { "irq" }
#define VECTOR_FIELD [VECTOR] = { "vec" }
#define ITEM_FIELDS                                                                                \
	[ITEM] = { "work" }, [FUNCTION] = { "function", .optional = true },                        \
	[WORKER] = { "common_pid" }

static const struct kwork_row {
	enum kwork_kind kind;
	enum kwork_event event;
	struct tracer_row row;
} all_rows[] = {
	{ KWORK_IRQ,
	  EVENT_ENTRY,
	  { "irq:irq_handler_entry", .fn = on_irq_entry,
	    .fields = { IRQ_FIELD, [IRQ_NAME] = { "name", TRACER_TEXT } } } },
	{ KWORK_IRQ,
	  EVENT_EXIT,
	  { "irq:irq_handler_exit", .fn = on_irq_exit, .fields = { IRQ_FIELD } } },
	{ KWORK_SOFTIRQ,
	  EVENT_RAISE,
	  { "irq:softirq_raise", .fn = on_softirq_raise, .fields = { VECTOR_FIELD } } },
	{ KWORK_SOFTIRQ,
	  EVENT_ENTRY,
	  { "irq:softirq_entry", .fn = on_softirq_entry, .fields = { VECTOR_FIELD } } },
	{ KWORK_SOFTIRQ,
	  EVENT_EXIT,
	  { "irq:softirq_exit", .fn = on_softirq_exit, .fields = { VECTOR_FIELD } } },
	{ KWORK_WORKQUEUE,
	  EVENT_RAISE,
	  { "workqueue:workqueue_activate_work", .fn = on_activate, .fields = { ITEM_FIELDS } } },
	{ KWORK_WORKQUEUE,
	  EVENT_ENTRY,
	  { "workqueue:workqueue_execute_start", .fn = on_execute_start,
	    .fields = { ITEM_FIELDS } } },
	{ KWORK_WORKQUEUE,
	  EVENT_EXIT,
	  { "workqueue:workqueue_execute_end", .fn = on_execute_end, .fields = { ITEM_FIELDS } } },
};

/*
 * Reports whether the view uses the event: a runtime needs entry and exit, a delay raise and entry;
 * timehist shows all.
 */
static bool is_used(const struct kwork *k, const struct kwork_row *row)
{
	if (!kwork_has(k, row->kind))
		return false;
	if (k->view == KWORK_LATENCY)
		return row->event != EVENT_EXIT && row->kind != KWORK_IRQ;
	return k->view == KWORK_TIMEHIST || row->event != EVENT_RAISE;
}

bool kwork_keep(const struct kwork *k, const struct sample *s)
{
	return sample_choice_keep(&k->filters.choice, s);
}

static bool keep(void *arg, const struct sample *s)
{
	return kwork_keep(((const struct works *)arg)->k, s);
}

static void print(struct works *w, const struct sort_order *order)
{
	struct strbuf *b = out_buf(w->out);

	works_finish(w);
	if (w->k->name && !w->met_name)
		condition_add(&w->k->a.ctx->conditions, CONDITION_WARNING, "kwork-absent", NULL,
			      NULL, 1, NULL, "none of the work examined has the name '%s'",
			      w->k->name);
	if (w->k->view != KWORK_TIMEHIST)
		kwork_print_table(w, order, b);
}

static bool names_functions(const struct tracer_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].fn == on_execute_start)
			return true;
	return false;
}

static int run_rows(struct works *w, const struct tracer_row *rows, size_t count, struct reason *r)
{
	const struct kwork *k = w->k;
	char *hint = kwork_record_hint(k);
	struct tracer *t = tracer_new(&(struct tracer_settings){
		.rows = rows,
		.row_count = count,
		.lost = works_lost,
		.record = hint,
		.keep = sample_choice_any(&k->filters.choice) ? keep : NULL,
		.no_tasks = !k->show_chains,
		.no_locations = true,
		.no_chains = !k->show_chains,
		.arg = w,
		.names_kernel = names_functions(rows, count),
	});
	int err = tracer_run(t, w->session, r);

	tracer_free(t);
	free(hint);
	return err;
}

int kwork_run_works(struct kwork *k, const struct sort_order *order, struct reason *r)
{
	struct works w = { .k = k, .session = k->a.session, .out = &k->a.out };
	struct tracer_row rows[ARRAY_SIZE(all_rows)];
	size_t count = 0;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(all_rows); i++)
		if (is_used(k, &all_rows[i])) {
			rows[count] = all_rows[i].row;
			rows[count++].optional = !k->kinds_text;
		}
	strtab_add(&w.names, "");
	if (k->show_chains && !data_is_pipe(session_data(w.session)) &&
	    !(session_events(w.session)->sample_type_any & PERF_SAMPLE_CALLCHAIN))
		say_note("samples do not have callchains: 'perf kwork record -g' records them");
	else if (k->show_chains)
		w.chains = chains_new(session_history(w.session));
	if (k->view == KWORK_TIMEHIST)
		kwork_print_timehist_head(out_buf(w.out));
	w.lines = session_lines_new(w.session, w.out, kwork_put_line, NULL);
	err = run_rows(&w, rows, count, r);
	session_lines_end(w.lines);
	if (err && !w.has_lines)
		strbuf_clear(out_buf(w.out)); /* a head alone */
	if (!err && k->view == KWORK_TIMEHIST && !w.has_lines)
		kwork_explain_empty(&w);
	if (!err)
		print(&w, order);
	works_release(&w);
	return err;
}
