// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate: from the file's samples to the functions' text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/perf_abi.h"
#include "builtin-annotate.h"
#include "cli/report.h"
#include "event/tracepoint.h"
#include "script/record_text.h"
#include "session/summary.h"
#include "ui/stdio/annotate.h"

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

/*
 * The instruction a probe sits on: the kernel hands on the address behind its break
 * point in some of its ways to probe.
 */
static bool probed_address(const struct annotate_command *p, const struct sample *s, u64 *addr)
{
	const struct tracepoint_format *t = s->event->format;
	const struct tracepoint_field *f;
	const struct tracepoint_formats *formats;

	if (!t || !s->raw)
		return false;
	f = tracepoint_field(t, "__probe_ip");
	formats = data_tracepoints(session_data(p->session), NULL);
	return f && formats && tracepoint_get_int(formats, f, s->raw, s->raw_size, addr) && *addr;
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct annotate_command *p = arg;
	struct location at = s->leaf;
	u64 addr;

	(void)r;
	if (event_is_tracepoint(s->sample->event) && probed_address(p, s->sample, &addr) &&
	    addr != s->sample->ip)
		history_locate(session_history(p->session), s->task, s->sample->cpumode, addr, &s->key, &at);
	annotate_counts_add(p->collectors[worker], s->sample->event->index, at.image, at.offset,
			    s->sample->period);
	return 0;
}

static int collect(struct annotate_command *p, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_SUMS, .sample = add_sample, .no_chains = true,
		.filter = p->cpu_list ? keep_sample : NULL,
	};
	int err;

	p->collector_count = session_workers(p->session);
	p->collectors = xcalloc(p->collector_count, sizeof(*p->collectors));
	for (unsigned i = 0; i < p->collector_count; i++)
		p->collectors[i] = annotate_counts_new();
	err = session_run(p->session, &ops, p, r);
	for (unsigned i = 1; i < p->collector_count; i++)
		annotate_counts_merge(p->collectors[0], p->collectors[i]);
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
	const struct event_set *events = session_events(p->session);
	struct annotate_view *v = vec_push_zero(&p->views);

	v->events = xcalloc(events->list.count, sizeof(*v->events));
	v->name = grouped ? group_name(events, leader) : xstrdup(leader->name);
	if (!grouped) {
		v->events[v->count++] = leader->index;
		return;
	}
	vec_for_each(&events->list, ev) {
		if ((*ev)->leader == leader &&
		    (!p->skip_empty || session_event_samples(p->session, (*ev)->index)))
			v->events[v->count++] = (*ev)->index;
	}
}

static void make_views(struct annotate_command *p)
{
	const struct event_set *events = session_events(p->session);

	vec_for_each(&events->list, ev) {
		bool grouped = p->group && (*ev)->leader->members > 1;
		u64 samples = 0;

		if (grouped && (*ev)->leader != *ev)
			continue;
		vec_for_each(&events->list, m)
			if (*m == *ev || (grouped && (*m)->leader == *ev))
				samples += session_event_samples(p->session, (*m)->index);
		if (samples)
			add_view(p, *ev, grouped);
	}
}

/* ---- what the file knows of code ---- */

/* BPF_PROG_INFO: u32 count; each: u32 info_len, data_len; u64 arrays; info; data. */
struct bpf_info {
	u32 jited_size, nr_ksyms, nr_lens;
	u64 code, ksyms, lens; /* offsets in data, UINT64_MAX: not kept */
};

enum { INFO_JITED_LEN = 16, INFO_JITED = 24, INFO_NR_KSYMS = 104, INFO_NR_LENS = 108,
       INFO_KSYMS = 112, INFO_LENS = 120, INFO_LEAST = 128,
       ARRAY_JITED = 0, ARRAY_KSYMS = 3, ARRAY_LENS = 4 };

/*
 * The kernel's struct bpf_prog_info; its pointers are offsets in the data that follows,
 * for the arrays that the bits name.
 */
static bool read_bpf_info(const u8 *info, u32 info_len, u64 arrays, u32 data_len, bool swap,
			  struct bpf_info *out)
{
	if (info_len < INFO_LEAST || !(arrays & BIT64(ARRAY_JITED)) || !(arrays & BIT64(ARRAY_KSYMS)) ||
	    !(arrays & BIT64(ARRAY_LENS)))
		return false;
	out->jited_size = load_u32(info + INFO_JITED_LEN, swap);
	out->code = load_u64(info + INFO_JITED, swap);
	out->nr_ksyms = load_u32(info + INFO_NR_KSYMS, swap);
	out->nr_lens = load_u32(info + INFO_NR_LENS, swap);
	out->ksyms = load_u64(info + INFO_KSYMS, swap);
	out->lens = load_u64(info + INFO_LENS, swap);
	return out->code <= data_len && out->jited_size <= data_len - out->code &&
	       out->ksyms <= data_len && out->nr_ksyms <= (data_len - out->ksyms) / 8 &&
	       out->lens <= data_len && out->nr_lens <= (data_len - out->lens) / 4;
}

/* A program's functions lie one behind the other in its code. */
static bool find_in_program(const struct bpf_info *b, const u8 *data, bool swap, u64 addr,
			    const u8 **code, size_t *size)
{
	u64 at = 0;

	for (u32 i = 0; i < b->nr_ksyms && i < b->nr_lens; i++) {
		u32 len = load_u32(data + b->lens + (size_t)i * 4, swap);

		if (len > b->jited_size - at)
			return false;
		if (load_u64(data + b->ksyms + (size_t)i * 8, swap) == addr) {
			*code = data + b->code + at;
			*size = len;
			return true;
		}
		at += len;
	}
	return false;
}

static bool bpf_code(void *arg, u64 addr, const u8 **code, size_t *size)
{
	struct annotate_command *p = arg;
	struct data_reader *d = session_data(p->session);
	bool swap = data_is_swapped(d);
	size_t have, at = 4;
	const u8 *s = data_feature(d, FEATURE_BPF_PROG_INFO, &have);
	u32 count = s && have >= 4 ? load_u32(s, swap) : 0;

	for (u32 i = 0; i < count && have - at >= 16; i++) {
		u32 info_len = load_u32(s + at, swap), data_len = load_u32(s + at + 4, swap);
		u64 arrays = load_u64(s + at + 8, swap);
		struct bpf_info b;

		at += 16;
		if (info_len > have - at || data_len > have - at - info_len)
			return false;
		if (read_bpf_info(s + at, info_len, arrays, data_len, swap, &b) &&
		    find_in_program(&b, s + at + info_len, swap, addr, code, size))
			return true;
		at += info_len + (size_t)data_len;
	}
	return false;
}

/* Was this recorded on the kernel that runs now?  Then /proc/kcore is its text. */
static bool is_this_kernel(struct annotate_command *p)
{
	const char *release = data_feature_string(session_data(p->session), FEATURE_OSRELEASE);
	const char *host = data_feature_string(session_data(p->session), FEATURE_HOSTNAME);
	struct utsname u;

	return release && host && !uname(&u) && !strcmp(u.release, release) && !strcmp(u.nodename, host);
}

static void open_annotator(struct annotate_command *p)
{
	p->set.bpf_code = bpf_code;
	p->set.bpf_arg = p;
	p->set.arch = data_feature_string(session_data(p->session), FEATURE_ARCH);
	p->set.arch_of_host = is_this_kernel(p);
	p->annotator = annotator_new(p->ctx, session_images(p->session), session_symbols(p->session), &p->set);
}

/* ---- which functions ---- */

static bool wanted(const struct annotate_command *p, const struct annotate_row *row)
{
	const struct image *img = image_get(session_images(p->session), row->image);
	const char *name = symbol_get(symbols_of(session_symbols(p->session), row->image), row->symbol)->name;

	if (p->dsos.list.count && !strlist_has(&p->dsos, img->name) && !strlist_has(&p->dsos, img->path))
		return false;
	return !p->symbols.list.count || strlist_has(&p->symbols, name);
}

static bool has_samples(const struct annotate_view *v, const struct annotate_row *row)
{
	for (u32 i = 0; i < v->count; i++)
		if (row->counts[v->events[i]].samples)
			return true;
	return false;
}

static bool above_limit(const struct annotate_command *p, const struct annotate_view *v,
			const struct annotate_row *row)
{
	u64 of = p->totals[v->events[0]].period;

	return !p->limit ||
	       (of && 100.0 * (double)row->counts[v->events[0]].period / (double)of >= p->limit);
}

/* What the heads count: with -s, -d only what passes. */
static void count_passed(struct annotate_command *p, const struct annotate_row *rows, size_t count)
{
	if (!p->symbols.list.count && !p->dsos.list.count) {
		memcpy(p->passed, p->totals, p->event_count * sizeof(*p->passed));
		return;
	}
	memset(p->passed, 0, p->event_count * sizeof(*p->passed));
	for (size_t i = 0; i < count; i++) {
		for (u32 e = 0; e < p->event_count && wanted(p, &rows[i]); e++) {
			p->passed[e].samples += rows[i].counts[e].samples;
			p->passed[e].period += rows[i].counts[e].period;
		}
	}
}

/* ---- text ---- */

static void put_title2(struct annotate_command *p, const struct annotate_view *v,
		       const struct annotation *n)
{
	static const char units[] = " KMG";
	const struct event *leader = session_events(p->session)->list.items[v->events[0]];
	struct strbuf *b = out_buf(&p->out);
	u64 samples = 0, period = 0;
	size_t unit = 0;

	for (u32 i = 0; i < v->count; i++) {
		samples += p->passed[v->events[i]].samples;
		period += p->passed[v->events[i]].period;
	}

	for (; samples > 1000 && unit < 3; unit++)
		samples /= 1000;
	strbuf_f(b, "Samples: %" PRIu64 "%c of event%s '%s',", samples, units[unit], v->count > 1 ? "s" : "",
		 v->name);
	if (leader->attr.flags & ATTR_FREQ)
		strbuf_f(b, " %" PRIu64 " Hz,", (u64)leader->attr.sample_freq);
	strbuf_f(b, " Event count (approx.): %" PRIu64 ", [percent: ", period);
	for (const char *c = annotate_percent_name(p->percent); *c; c++)
		strbuf_char(b, *c == '-' ? ' ' : *c);
	strbuf_str(b, "]\n");
	strbuf_printable(b, n->name);
	strbuf_str(b, "() ");
	strbuf_printable(b, n->object);
	strbuf_char(b, '\n');
}

static void print_one(struct annotate_command *p, const struct annotate_view *v, struct annotation *n,
		      char **last)
{
	struct annotate_count *all = xcalloc(v->count, sizeof(*all));
	struct stdio_annotate s = {
		.n = n, .all = all, .event = v->name, .percent = p->percent,
		.show_samples = p->show_samples, .show_period = p->show_period, .asm_raw = p->asm_raw,
		.print_line = p->print_line, .full_paths = p->full_paths, .color = p->use_color,
		.no_heads = p->ctx->quiet,
	};

	for (u32 i = 0; i < v->count; i++)
		all[i] = p->totals[v->events[i]];
	s.samples = n->totals[0].samples;
	if (p->ctx->verbose > 0)
		out_f(&p->out, "# %s: %s, 0x%" PRIx64 "-0x%" PRIx64 ", by %s\n", n->name, n->path, n->address,
		      n->address + n->size, n->decoder);
	if (p->stdio2) {
		if (!p->ctx->quiet)
			put_title2(p, v, n);
		stdio_annotate2(&s, &p->out);
	} else {
		stdio_annotate(&s, last, &p->out);
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
		const char *object = image_get(session_images(p->session), row->image)->path;

		p->failed++;
		if (!p->skip_missing)
			condition_add(&p->ctx->conditions, CONDITION_WARNING, "annotate-no-code", object, NULL,
				      1, r.hint, "%s", r.text ? r.text : "not annotated");
		reason_release(&r);
		return;
	}
	p->annotated++;
	annotation_fill(n, p->collectors[0], v->events, v->count);
	print_one(p, v, n, last);
	annotation_free(n);
}

static void annotate_view(struct annotate_command *p, const struct annotate_view *v)
{
	size_t count;
	const struct annotate_row *rows = annotate_rows(p->collectors[0], session_images(p->session),
							session_symbols(p->session), p->event_count,
							v->events[0], &count);
	char *last = NULL;

	count_passed(p, rows, count);
	for (size_t i = 0; i < count && !context_cancelled(p->ctx); i++)
		if (has_samples(v, &rows[i]) && wanted(p, &rows[i]) && above_limit(p, v, &rows[i]))
			annotate_one(p, v, &rows[i], &last);
	free(last);
}

/*
 * Without a precise mode the counter's interrupt comes some instructions late: said
 * once, where it matters.
 */
static void explain_skid(const struct annotate_command *p)
{
	const struct event_set *events = session_events(p->session);

	vec_for_each(&events->list, ev) {
		const struct perf_event_attr *a = &(*ev)->attr;
		bool counter = a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
			       a->type == PERF_TYPE_RAW;

		if (!counter || a->flags & ATTR_PRECISE_MASK || !session_event_samples(p->session, (*ev)->index))
			continue;
		report_note("samples of '%s' stand some instructions behind their cause: the counter's "
			    "interrupt comes late (record it as %s:pp for the exact one)", (*ev)->name, (*ev)->name);
		return;
	}
}

static int nothing(struct annotate_command *p, struct reason *r)
{
	if (p->symbols.list.count)
		return reason_set(r, ENOENT, "no sample fell in '%s'", p->symbols.list.items[0]);
	if (p->dsos.list.count || p->cpu_list || p->limit)
		return reason_set(r, ENOENT, "no function of '%s' passes the filters",
				  data_path(session_data(p->session)));
	return reason_set(r, ENOENT, "no sample of '%s' fell in a known function",
			  data_path(session_data(p->session)));
}

static int annotate_all(struct annotate_command *p, struct reason *r)
{
	int err = collect(p, r);
	u64 samples = 0;

	p->event_count = (u32)session_events(p->session)->list.count;
	p->totals = xcalloc(p->event_count + 1, sizeof(*p->totals));
	p->passed = xcalloc(p->event_count + 1, sizeof(*p->passed));
	for (u32 i = 0; i < p->event_count && !err; i++) {
		p->totals[i].samples = session_event_samples(p->session, i);
		p->totals[i].period = session_event_period(p->session, i);
		samples += p->totals[i].samples;
	}
	if (err)
		return err;
	if (!samples && p->cpu_list)
		return nothing(p, r);
	if (!samples) {
		report_warning("'%s' has no samples", data_path(session_data(p->session)));
		return 0;
	}
	make_views(p);
	open_annotator(p);
	vec_for_each(&p->views, v)
		annotate_view(p, v);
	if (!p->ctx->quiet)
		explain_skid(p);
	if (p->annotated)
		return 0;
	if (p->failed)
		return p->skip_missing ? 0 : reason_set(r, ENOENT, "no function could be disassembled");
	err = nothing(p, r);
	reason_hint(r, "perf report -i %s --sort dso,symbol shows which functions there are",
		    data_path(session_data(p->session)));
	return err;
}

/* ---- raw dump ---- */

static int dump_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r)
{
	struct annotate_command *p = arg;

	(void)key;
	(void)r;
	record_dump(p->session, rec, out_buf(&p->out));
	out_done(&p->out);
	return p->out.err ? -p->out.err : 0;
}

static int dump_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct annotate_command *p = arg;

	(void)worker;
	dump_record(p, s->record, &s->key, r);
	record_dump_resolved(p->session, s, out_buf(&p->out));
	return p->out.err ? -p->out.err : 0;
}

static int dump(struct annotate_command *p, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_ORDERED, .sample = dump_sample, .no_chains = true, .record = dump_record,
		.want = { ~BIT64(PERF_RECORD_SAMPLE), UINT64_MAX },
	};
	int err = session_run(p->session, &ops, p, r);

	if (!err)
		session_counts_text(p->session, session_events(p->session), p->skip_empty, out_buf(&p->out));
	return err;
}

int annotate_run(struct annotate_command *p, struct reason *r)
{
	int err = p->dump ? dump(p, r) : annotate_all(p, r);

	annotator_free(p->annotator);
	for (unsigned i = 0; i < p->collector_count; i++)
		annotate_counts_free(p->collectors[i]);
	free(p->collectors);
	vec_for_each(&p->views, v) {
		free(v->events);
		free(v->name);
	}
	vec_release(&p->views);
	free(p->totals);
	free(p->passed);
	return err;
}
