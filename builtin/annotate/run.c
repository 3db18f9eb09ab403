// SPDX-License-Identifier: GPL-2.0-or-later
/* From the file's samples to the functions' text, or to the browser. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/datatype.h"
#include "arch/arch.h"
#include "base/alloc.h"
#include "base/guard.h"
#include "base/perf_abi.h"
#include "builtin/annotate/annotate_view.h"
#include "cli/config.h"
#include "cli/say.h"
#include "data/reader.h"
#include "dump/record_text.h"
#include "session/summary.h"
#include "ui/open.h"
#include "ui/stdio/annotate.h"
#include "ui/tui/annotate.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"

/* ---- samples ---- */

static bool keep_sample(void *arg, const struct sample *s, const struct order_key *key)
{
	const struct annotate_command *p = arg;

	(void)key;
	for (size_t i = 0; i < p->cpu_count; i++)
		if (p->cpu_list[i] == s->id.cpu)
			return true;
	return !p->cpu_list;
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct annotate_command *p = arg;

	(void)r;
	annotate_gather_add(&p->gather, worker, s);
	return 0;
}

static int collect(struct annotate_command *p, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_SUMS,
		.sample = add_sample,
		.no_chains = true,
		.filter = p->cpu_list ? keep_sample : NULL,
	};
	int err;

	annotate_gather_begin(&p->gather, p->a.session);
	err = session_run(p->a.session, &ops, p, r);
	p->counts = annotate_gather_end(&p->gather);
	return err;
}

/* ---- views ---- */

static char *group_name(const struct event_set *events, const struct event *leader)
{
	struct strbuf b = STRBUF_INIT;
	bool any = false;

	strbuf_f(&b, "%s { ", leader->group_name ? leader->group_name : "anon group");
	vec_for_each(&events->list, ev) {
		if ((*ev)->leader != leader)
			continue;
		strbuf_f(&b, "%s%s", any ? ", " : "", (*ev)->name);
		any = true;
	}
	strbuf_str(&b, " }");
	return strbuf_detach(&b);
}

static void add_view(struct annotate_command *p, const struct event *leader, bool grouped)
{
	const struct event_set *events = session_events(p->a.session);
	struct annotate_view *v = vec_push_zero(&p->views);

	v->events = xcalloc(events->list.count, sizeof(*v->events));
	v->name = grouped ? group_name(events, leader) : xstrdup(leader->name);
	if (!grouped) {
		v->events[v->count++] = leader->index;
		return;
	}
	vec_for_each(&events->list, ev) {
		if ((*ev)->leader == leader &&
		    (!p->skip_empty || session_event_samples(p->a.session, (*ev)->index)))
			v->events[v->count++] = (*ev)->index;
	}
}

static void make_views(struct annotate_command *p)
{
	const struct event_set *events = session_events(p->a.session);

	vec_for_each(&events->list, ev) {
		bool grouped = p->group && (*ev)->leader->members > 1;
		u64 samples = 0;

		if (grouped && (*ev)->leader != *ev)
			continue;
		vec_for_each(&events->list, m)
			if (*m == *ev || (grouped && (*m)->leader == *ev))
				samples += session_event_samples(p->a.session, (*m)->index);
		if (samples)
			add_view(p, *ev, grouped);
	}
}

/* ---- which functions ---- */

/* Sums up what the heads count. With -s or -d, only functions that pass count. */
static void count_passed(struct annotate_command *p, const struct annotate_row *rows, size_t count)
{
	if (!p->symbols.list.count && !p->dsos.list.count) {
		memcpy(p->passed, p->totals, p->event_count * sizeof(*p->passed));
		return;
	}
	memset(p->passed, 0, p->event_count * sizeof(*p->passed));
	for (size_t i = 0; i < count; i++) {
		for (u32 e = 0; e < p->event_count && annotate_named(p, &rows[i]); e++) {
			p->passed[e].samples += rows[i].counts[e].samples;
			p->passed[e].period += rows[i].counts[e].period;
		}
	}
}

/* ---- text ---- */

/* Adds "Samples: 779  of event 'cpu-clock', 4000 Hz, Event count (approx.): 194750000". */
static void put_counts(struct annotate_command *p, const struct annotate_view *v, struct strbuf *b)
{
	static const char units[] = " KMG";
	const struct event *leader = session_events(p->a.session)->list.items[v->events[0]];
	u64 samples = 0, period = 0;
	size_t unit = 0;

	for (u32 i = 0; i < v->count; i++) {
		samples += p->passed[v->events[i]].samples;
		period += p->passed[v->events[i]].period;
	}

	for (; samples > 1000 && unit < 3; unit++)
		samples /= 1000;
	strbuf_f(b, "Samples: %" PRIu64 "%c of event%s '%s',", samples, units[unit],
		 v->count > 1 ? "s" : "", v->name);
	if (leader->attr.flags & ATTR_FREQ)
		strbuf_f(b, " %" PRIu64 " Hz,", (u64)leader->attr.sample_freq);
	strbuf_f(b, " Event count (approx.): %" PRIu64, period);
}

static void put_title2(struct annotate_command *p, const struct annotate_view *v,
		       const struct annotation *n)
{
	struct strbuf *b = out_buf(&p->a.out);

	put_counts(p, v, b);
	strbuf_str(b, ", [percent: ");
	for (const char *c = annotate_percent_name(p->percent); *c; c++)
		strbuf_char(b, *c == '-' ? ' ' : *c);
	strbuf_str(b, "]\n");
	strbuf_printable(b, n->name);
	strbuf_str(b, "() ");
	strbuf_printable(b, n->object);
	strbuf_char(b, '\n');
}

static void print_one(struct annotate_command *p, const struct annotate_view *v,
		      struct annotation *n, char **last)
{
	struct annotate_count *all = xcalloc(v->count, sizeof(*all));
	struct stdio_annotate s = {
		.n = n,
		.all = all,
		.event = v->name,
		.percent = p->percent,
		.show_samples = p->show_samples,
		.show_period = p->show_period,
		.asm_raw = p->asm_raw,
		.print_line = p->print_line,
		.full_paths = p->full_paths,
		.color = p->use_color,
		.note = p->code_with_type ? stdio_type_note : NULL,
	};

	if (p->code_with_type && !p->types)
		p->types = data_types_new(p->annotator);
	s.note_arg = p->types;
	stdio_annotate2_configure(&s, p->a.ctx);
	for (u32 i = 0; i < v->count; i++)
		all[i] = p->totals[v->events[i]];
	s.samples = n->totals[0].samples;
	if (p->a.ctx->verbose > 0) {
		size_t start = p->a.out.buf.len;

		out_f(&p->a.out, "# %s: %s, 0x%" PRIx64 "-0x%" PRIx64 ", by %s", n->name, n->path,
		      n->address, n->address + n->size, n->decoder);
		strbuf_printable_names(&p->a.out.buf, start);
		out_str(&p->a.out, "\n");
	}
	if (p->stdio2) {
		put_title2(p, v, n);
		stdio_annotate2(&s, &p->a.out);
	} else {
		stdio_annotate(&s, last, &p->a.out);
	}
	free(all);
}

static void annotate_one(struct annotate_command *p, const struct annotate_view *v,
			 const struct annotate_row *row, char **last)
{
	struct reason r = REASON_INIT;
	struct annotation *n;
	int err = annotate_symbol(p->annotator, row->image, row->symbol, &n, &r);

	if (err) {
		const char *object = image_get(session_images(p->a.session), row->image)->path;

		p->failed++;
		if (!p->skip_missing)
			condition_add(&p->a.ctx->conditions, CONDITION_WARNING, "annotate-no-code",
				      object, NULL, 1, r.hint, "%s",
				      r.text ? r.text : "not annotated");
		reason_release(&r);
		return;
	}
	p->annotated++;
	annotation_fill(n, p->counts, v->events, v->count);
	print_one(p, v, n, last);
	annotation_free(n);
}

static int annotate_view(struct annotate_command *p, const struct annotate_view *v,
			 struct reason *r)
{
	size_t count;
	const struct annotate_row *rows =
		annotate_rows(p->counts, session_images(p->a.session),
			      session_symbols(p->a.session), p->event_count, v->events[0], &count);
	char *last = NULL;

	if (p->data_type || p->type_stat || p->insn_stat)
		return annotate_types(p, v, rows, count, r);
	count_passed(p, rows, count);
	for (size_t i = 0; i < count && !context_cancelled(p->a.ctx); i++)
		if (annotate_wanted(p, v, &rows[i]))
			annotate_one(p, v, &rows[i], &last);
	free(last);
	return 0;
}

/* ---- on a terminal ---- */

/* Returns one line of the list, "  99.10  test_loop  perf"; the caller frees it. */
static char *choice_text(const struct annotate_command *p, const struct annotate_view *v,
			 const struct annotate_row *row)
{
	struct strbuf b = STRBUF_INIT;

	for (u32 i = 0; i < v->count; i++) {
		u64 of = p->totals[v->events[i]].period;

		strbuf_f(&b, "%6.2f%%  ",
			 of ? 100.0 * (double)row->counts[v->events[i]].period / (double)of : 0);
	}
	strbuf_printable(&b, symbol_get(symbols_of(session_symbols(p->a.session), row->image),
					row->symbol)
				     ->name);
	strbuf_str(&b, "  ");
	strbuf_printable(&b, image_get(session_images(p->a.session), row->image)->name);
	return strbuf_detach(&b);
}

static void browse_view(struct annotate_command *p, const struct annotate_view *v)
{
	size_t count;
	const struct annotate_row *rows =
		annotate_rows(p->counts, session_images(p->a.session),
			      session_symbols(p->a.session), p->event_count, v->events[0], &count);
	VEC(struct annotate_choice) choices = VEC_INIT;
	struct annotate_count *all = xcalloc(v->count, sizeof(*all));
	struct strbuf title = STRBUF_INIT;
	/* clang-format off */
	struct tui_annotate t = {
		.ctx = p->a.ctx, .annotator = p->annotator, .counts = p->counts, .events = v->events,
		.columns = v->count, .all = all, .percent = p->percent, .show_samples = p->show_samples,
		.show_period = p->show_period, .no_source = !p->source, .show_types = p->code_with_type,
		.asm_raw = p->asm_raw,
		.file = data_is_pipe(session_data(p->a.session)) ? NULL : data_path(session_data(p->a.session)),
	};
	/* clang-format on */

	count_passed(p, rows, count);
	put_counts(p, v, &title);
	t.title = strbuf_cstr(&title);
	for (u32 i = 0; i < v->count; i++)
		all[i] = p->totals[v->events[i]];
	for (size_t i = 0; i < count; i++)
		if (annotate_wanted(p, v, &rows[i]))
			vec_push(&choices, (struct annotate_choice){ rows[i].image, rows[i].symbol,
								     choice_text(p, v, &rows[i]) });
	p->annotated += choices.count;
	if (choices.count)
		tui_annotate_list(&t, choices.items, choices.count);
	vec_for_each(&choices, c)
		free((char *)c->text);
	vec_release(&choices);
	free(t.search);
	data_types_free(t.types);
	free(all);
	strbuf_release(&title);
}

static void browse(struct annotate_command *p)
{
	struct strlist lines = { 0 };
	int at = 0;

	if (p->views.count == 1) {
		browse_view(p, &p->views.items[0]);
		return;
	}
	vec_for_each(&p->views, v)
		strlist_add(&lines, v->name);
	while (at >= 0) {
		at = menu_choose("Available samples", NULL, &lines, (size_t)at);
		if (at >= 0)
			browse_view(p, &p->views.items[at]);
		else
			p->annotated++;
	}
	strlist_release(&lines);
}

/*
 * Explains, once and where it matters, that without a precise mode the counter's interrupt comes
 * some instructions late.
 */
static void explain_skid(const struct annotate_command *p)
{
	const struct event_set *events = session_events(p->a.session);

	vec_for_each(&events->list, ev) {
		const struct perf_event_attr *a = &(*ev)->attr;
		bool counter = a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
			       a->type == PERF_TYPE_RAW;

		if (!counter || a->flags & ATTR_PRECISE_MASK ||
		    !session_event_samples(p->a.session, (*ev)->index))
			continue;
		if (data_arch(session_data(p->a.session))->default_precise)
			say_note("samples of '%s' are shown some instructions after their cause, "
				 "because the counter's "
				 "interrupt comes late (record %s%spp for the exact instruction)",
				 (*ev)->name, (*ev)->name, strchr((*ev)->name, ':') ? "" : ":");
		else
			say_note("samples of '%s' are shown some instructions after their cause, "
				 "because the counter's "
				 "interrupt comes late",
				 (*ev)->name);
		return;
	}
}

/* Returns the function with samples whose name is nearest to the typed one, or NULL. */
static const char *meant(struct annotate_command *p, const char *typed)
{
	VEC(const char *) names = VEC_INIT;
	const char *nearest;
	size_t count;
	const struct annotate_row *rows =
		annotate_rows(p->counts, session_images(p->a.session),
			      session_symbols(p->a.session), p->event_count, 0, &count);

	for (size_t i = 0; i < count; i++)
		vec_push(&names,
			 symbol_get(symbols_of(session_symbols(p->a.session), rows[i].image),
				    rows[i].symbol)
				 ->name);
	nearest = nearest_name(typed, names.items, names.count);
	vec_release(&names);
	return nearest;
}

static int nothing(struct annotate_command *p, struct reason *r)
{
	const char *path = data_path(session_data(p->a.session));
	const char *typed = p->symbols.list.count ? p->symbols.list.items[0] : NULL;
	const char *name = typed ? meant(p, typed) : NULL;
	int err;

	if (typed)
		err = reason_set(r, ENOENT, "no sample fell in '%s'", typed);
	else if (p->dsos.list.count || p->cpu_list || p->limit)
		err = reason_set(r, ENOENT, "no function of '%s' passes the filters", path);
	else
		err = reason_set(r, ENOENT, "no sample of '%s' fell in a known function", path);
	if (name && strcmp(name, typed))
		reason_hint(r, "did you mean '%s'?", name);
	else
		reason_hint(r,
			    "perf report -i %s --sort %sdso,symbol lists the functions that have "
			    "samples",
			    path, p->cpu_list ? "cpu," : "");
	return err;
}

static int annotate_all(struct annotate_command *p, struct reason *r)
{
	int err = collect(p, r);
	u64 samples = 0;

	p->event_count = (u32)session_events(p->a.session)->list.count;
	p->totals = xcalloc(p->event_count + 1, sizeof(*p->totals));
	p->passed = xcalloc(p->event_count + 1, sizeof(*p->passed));
	for (u32 i = 0; i < p->event_count && !err; i++) {
		p->totals[i].samples = session_event_samples(p->a.session, i);
		p->totals[i].period = session_event_period(p->a.session, i);
		samples += p->totals[i].samples;
	}
	if (err)
		return err;
	if (!samples && p->cpu_list)
		return nothing(p, r);
	if (!samples) {
		screen_close();
		say_warning("'%s' has no samples", data_path(session_data(p->a.session)));
		return 0;
	}
	make_views(p);
	p->set.counts = p->counts;
	p->annotator = annotate_open(p->a.session, &p->set);
	if (p->tui)
		browse(p);
	else
		vec_for_each(&p->views, v)
			err = err ? err : annotate_view(p, v, r);
	if (err)
		return err;
	if (!p->a.ctx->quiet && !p->tui)
		explain_skid(p);
	if (p->annotated)
		return 0;
	if (p->failed)
		return p->skip_missing ? 0
				       : reason_set(r, ENOENT, "no function could be disassembled");
	return nothing(p, r);
}

/* ---- raw dump ---- */

static int dump_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r)
{
	struct annotate_command *p = arg;

	(void)key;
	(void)r;
	record_dump(p->a.session, rec, out_buf(&p->a.out));
	out_done(&p->a.out);
	return p->a.out.err ? -p->a.out.err : 0;
}

static int dump_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct annotate_command *p = arg;

	(void)worker;
	if (session_is_first_step(s))
		dump_record(p, s->record, &s->key, r);
	record_dump_resolved(p->a.session, s, out_buf(&p->a.out));
	return p->a.out.err ? -p->a.out.err : 0;
}

static int dump(struct annotate_command *p, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_ORDERED,
		.sample = dump_sample,
		.no_chains = true,
		.record = dump_record,
		.want = { ~BIT64(PERF_RECORD_SAMPLE), UINT64_MAX },
	};
	int err = session_run(p->a.session, &ops, p, r);

	if (!err)
		session_counts_text(p->a.session, session_events(p->a.session), p->skip_empty,
				    out_buf(&p->a.out));
	return err;
}

static int show(struct annotate_command *p, struct reason *r)
{
	int err = p->dump ? dump(p, r) : annotate_all(p, r);

	screen_close();
	data_types_free(p->types);
	annotator_free(p->annotator);
	annotate_gather_release(&p->gather);
	vec_for_each(&p->views, v) {
		free(v->events);
		free(v->name);
	}
	vec_release(&p->views);
	free(p->totals);
	free(p->passed);
	return err;
}

/*
 * Reports whether to open the browser: a person sits at a terminal and asked for nothing that only
 * plain text offers.
 */
static bool wants_tui(const struct annotate_command *p)
{
	if (p->stdio || p->stdio2 || p->dump || p->data_type || p->type_stat || p->insn_stat)
		return false;
	if (p->tui_given)
		return true;
	return !p->print_line && !p->a.ctx->quiet && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO) && screen_built_in() &&
	       config_bool(p->a.ctx, "tui.annotate", true);
}

static int check_traces(const struct annotate_command *p, struct reason *r)
{
	const struct data_reader *d = session_data(p->a.session);

	if (!p->itrace || !data_has_feature(d, FEATURE_AUXTRACE))
		return 0;
	reason_set(r, EOPNOTSUPP, "the hardware traces in '%s' cannot be decoded", data_path(d));
	reason_hint(r, "--no-itrace annotates the other samples");
	return -EOPNOTSUPP;
}

static int run_file(struct annotate_command *p, struct reason *r)
{
	int code = check_traces(p, r);

	p->tui = wants_tui(p);
	if (!code)
		code = open_browser_or_pager(p->a.ctx, "annotate", p->tui_given, &p->tui,
					     p->a.open.symbols.servers, r);
	return code ? code : show(p, r);
}

int annotate_view_run(struct annotate_command *p, const char *only)
{
	struct reason r = REASON_INIT;
	int code;

	if (only)
		strlist_add(&p->symbols, only);
	if (annotate_view_parse(p, &r) || analysis_prepare(&p->a, &r)) {
		say_reason(&r);
		return EXIT_USAGE;
	}
	if (analysis_begin(&p->a, &r))
		code = say_reason(&r);
	else
		code = analysis_end(&p->a, run_file(p, &r), &r);
	analysis_release(&p->a);
	return code;
}

void annotate_view_release(struct annotate_command *p)
{
	strlist_release(&p->symbols);
	strlist_release(&p->dsos);
	free(p->cpu_list);
}
