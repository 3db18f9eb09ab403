// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate --data-type, --type-stat, --insn-stat: which fields the samples touched. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/datatype.h"
#include "arch/arch.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "builtin/annotate/annotate_view.h"
#include "cli/color.h"
#include "data/reader.h"
#include "ui/stdio/hist.h"

/* Counts of a type in an object: of it all, and by byte offset. */
struct type_sum {
	const struct data_type *type;
	const char *object;
	struct annotate_count *all;   /* by column */
	struct annotate_count *bytes; /* by offset and column */
	u64 size;
};

struct insn_sum {
	const char *name;
	u64 good, bad;
};

struct type_sums {
	struct annotate_command *p;
	const struct annotate_view *v;
	struct data_types *types;
	VEC(struct type_sum) list;
	VEC(struct insn_sum) insns;
	struct strmap insn_index;
	u64 outcomes[DATA_OUTCOMES];
	u64 no_code; /* samples in functions that cannot be disassembled, or in none */
};

/* A type larger than this has no histogram by byte: nobody looks at it so. */
#define MAX_BYTES (1u << 20)

static struct type_sum *sum_of(struct type_sums *s, const struct data_type *type,
			       const char *object)
{
	vec_for_each(&s->list, t)
		if (t->type == type && !strcmp(t->object, object))
			return t;
	vec_push(&s->list,
		 (struct type_sum){ .type = type,
				    .object = object,
				    .size = MIN(data_type_size(type), MAX_BYTES),
				    .all = xcalloc(s->v->count, sizeof(struct annotate_count)) });
	vec_last(&s->list)->bytes = xcalloc((size_t)vec_last(&s->list)->size * s->v->count + 1,
					    sizeof(struct annotate_count));
	return vec_last(&s->list);
}

static void count_insn(struct type_sums *s, const char *name, u64 samples, bool good)
{
	bool added;
	u64 *at = strmap_put(&s->insn_index, name, &added);

	if (added) {
		*at = s->insns.count;
		vec_push(&s->insns, (struct insn_sum){ .name = name });
	}
	*(good ? &s->insns.items[*at].good : &s->insns.items[*at].bad) += samples;
}

/*
 * Reports whether the outcome counts, as found or as missed. Instructions without memory, or with
 * the stack's own, do not.
 */
static bool is_asked(enum data_outcome o)
{
	return o != DATA_NO_MEMORY;
}

static bool is_good(enum data_outcome o)
{
	return o == DATA_OK || o == DATA_STACK || o == DATA_CANARY;
}

static void add_line(struct type_sums *s, const struct annotation *n, u32 line, const char *object)
{
	const struct annotate_line *l = &n->lines[line];
	struct data_access access;
	u64 samples = 0;

	data_access_at(s->types, n, line, &access);
	for (u32 c = 0; c < n->columns; c++)
		samples += l->counts[c].samples;
	s->outcomes[access.outcome] += samples;
	if (is_asked(access.outcome))
		count_insn(s, access.mnemonic, samples, is_good(access.outcome));
	if (access.outcome == DATA_OK) {
		struct type_sum *t = sum_of(s, access.type, object);

		for (u32 c = 0; c < n->columns; c++) {
			t->all[c].samples += l->counts[c].samples;
			t->all[c].period += l->counts[c].period;
			if (access.offset < t->size) {
				t->bytes[access.offset * n->columns + c].samples +=
					l->counts[c].samples;
				t->bytes[access.offset * n->columns + c].period +=
					l->counts[c].period;
			}
		}
	}
}

static void add_function(struct type_sums *s, const struct annotate_row *row)
{
	struct annotate_command *p = s->p;
	struct reason r = REASON_INIT;
	struct annotation *n;

	if (annotate_symbol(p->annotator, row->image, row->symbol, &n, &r)) {
		for (u32 i = 0; i < s->v->count; i++)
			s->no_code += row->counts[s->v->events[i]].samples;
		p->failed++;
		condition_add(&p->a.ctx->conditions,
			      p->skip_missing ? CONDITION_NOTE : CONDITION_WARNING,
			      "annotate-no-code",
			      image_get(session_images(p->a.session), row->image)->path, NULL, 1,
			      r.hint, "%s", r.text ? r.text : "not annotated");
		reason_release(&r);
		return;
	}
	p->annotated++;
	annotation_fill(n, p->counts, s->v->events, s->v->count);
	for (u32 i = 0; i < n->count; i++)
		if (n->lines[i].counts)
			add_line(s, n, i,
				 image_get(session_images(p->a.session), row->image)->path);
	annotation_free(n);
}

/* ---- text ---- */

static double share(const struct type_sums *s, const struct annotate_count *part,
		    const struct annotate_count *whole)
{
	bool hits = s->p->percent == PERCENT_LOCAL_HITS || s->p->percent == PERCENT_GLOBAL_HITS;
	u64 of = hits ? whole->samples : whole->period;

	return of ? 100.0 * (double)(hits ? part->samples : part->period) / (double)of : 0;
}

static void put_value(const struct type_sums *s, const struct type_sum *t, u32 column,
		      const struct annotate_count *count, struct strbuf *b)
{
	bool global =
		s->p->percent == PERCENT_GLOBAL_PERIOD || s->p->percent == PERCENT_GLOBAL_HITS;
	const struct annotate_count *whole =
		global ? &s->p->totals[s->v->events[column]] : &t->all[column];
	double percent = share(s, count, whole);
	const char *color = s->p->use_color ? stdio_percent_color(percent) : "";

	strbuf_str(b, color);
	if (s->p->show_period)
		strbuf_f(b, " %11" PRIu64, count->period);
	else if (s->p->show_samples)
		strbuf_f(b, " %7" PRIu64, count->samples);
	else
		strbuf_f(b, " %7.2f", percent);
	strbuf_str(b, *color ? COLOR_RESET : "");
}

/* Adds the row of a field: the sums of the bytes that it covers. */
static void put_field(const struct type_sums *s, const struct type_sum *t,
		      const struct data_field *f, struct strbuf *b)
{
	u32 columns = s->v->count;

	for (u32 c = 0; c < columns; c++) {
		struct annotate_count sum = { 0 };

		for (u64 i = f->offset; i < t->size && i - f->offset < f->size; i++) {
			sum.samples += t->bytes[i * columns + c].samples;
			sum.period += t->bytes[i * columns + c].period;
		}
		put_value(s, t, c, &sum, b);
	}
	strbuf_f(b, " %10" PRIu64 " %10" PRIu64 "  ", f->offset, f->size);
	strbuf_pad(b, ' ', (int)f->depth * 4);
	strbuf_f(b, "%s%s%s%s\n", f->type, f->name[0] ? "\t" : "", f->name,
		 f->has_fields ? " {" : ";");
}

static void put_end(u32 depth, int columns, struct strbuf *b)
{
	strbuf_pad(b, ' ', columns + 24 + (int)depth * 4);
	strbuf_str(b, "};\n");
}

static void put_type(const struct type_sums *s, const struct type_sum *t, struct strbuf *b)
{
	int width = (s->p->show_period ? 12 : 8) * (int)s->v->count;
	size_t count;
	const struct data_field *fields = data_type_fields(t->type, &count);
	u32 open[20], depth = 0;

	strbuf_f(b, "Annotate type: '%s' in ", data_type_name(t->type));
	strbuf_printable(b, t->object);
	strbuf_f(b, " (%" PRIu64 " samples):\n", t->all[0].samples);
	for (u32 c = 0; c < s->v->count && s->v->count > 1; c++)
		strbuf_f(b, " event[%u] = %s\n", c,
			 session_events(s->p->a.session)->list.items[s->v->events[c]]->name);
	strbuf_pad(b, '=', 76);
	strbuf_f(b, "\n %-*s %10s %10s  %s\n", width - 1,
		 s->p->show_period    ? "Period"
		 : s->p->show_samples ? "Samples"
				      : "Percent",
		 "offset", "size", "field");
	for (size_t i = 0; i < count; i++) {
		while (depth && fields[i].depth <= open[depth - 1])
			put_end(open[--depth], width, b);
		put_field(s, t, &fields[i], b);
		if (fields[i].has_fields && depth < ARRAY_SIZE(open))
			open[depth++] = fields[i].depth;
	}
	while (depth)
		put_end(open[--depth], width, b);
	strbuf_char(b, '\n');
}

static int largest_first(const void *pa, const void *pb)
{
	const struct type_sum *a = pa, *b = pb;
	int diff;

	if (a->all[0].period != b->all[0].period)
		return a->all[0].period > b->all[0].period ? -1 : 1;
	diff = strcmp(data_type_name(a->type), data_type_name(b->type));
	return diff ? diff : strcmp(a->object, b->object);
}

static bool asked_for(const struct annotate_command *p, const struct type_sum *t)
{
	const char *name = data_type_name(t->type), *plain = strchr(name, ' ');

	return !p->type_name || !strcmp(p->type_name, name) ||
	       (plain &&
		(str_starts(name, "struct ") || str_starts(name, "union ") ||
		 str_starts(name, "class ")) &&
		!strcmp(p->type_name, plain + 1));
}

static size_t put_types(struct type_sums *s, struct strbuf *b)
{
	size_t shown = 0;

	if (s->list.count)
		qsort(s->list.items, s->list.count, sizeof(*s->list.items), largest_first);
	vec_for_each(&s->list, t) {
		if (!asked_for(s->p, t))
			continue;
		put_type(s, t, b);
		shown++;
	}
	return shown;
}

static void put_type_stat(const struct type_sums *s, struct strbuf *b)
{
	u64 total = s->no_code, ok = 0;

	for (int i = 0; i < DATA_OUTCOMES; i++) {
		total += s->outcomes[i];
		ok += is_good((enum data_outcome)i) ? s->outcomes[i] : 0;
	}
	strbuf_f(b,
		 "Annotate data type stats:\ntotal %" PRIu64 ", ok %" PRIu64
		 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n",
		 total, ok, total ? 100.0 * (double)ok / (double)total : 0, total - ok,
		 total ? 100.0 * (double)(total - ok) / (double)total : 0);
	strbuf_str(b, "-----------------------------------------------------------\n");
	if (s->no_code)
		strbuf_f(b, "%10" PRIu64 " : no_insn\n", s->no_code);
	for (int i = 0; i < DATA_OUTCOMES; i++)
		if (s->outcomes[i])
			strbuf_f(b, "%10" PRIu64 " : %s\n", s->outcomes[i],
				 data_outcome_name((enum data_outcome)i));
	strbuf_char(b, '\n');
}

static int most_first(const void *pa, const void *pb)
{
	const struct insn_sum *a = pa, *b = pb;

	if (a->good + a->bad != b->good + b->bad)
		return a->good + a->bad > b->good + b->bad ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void put_insn_stat(struct type_sums *s, struct strbuf *b)
{
	u64 good = 0, bad = 0;

	if (s->insns.count)
		qsort(s->insns.items, s->insns.count, sizeof(*s->insns.items), most_first);
	vec_for_each(&s->insns, i) {
		good += i->good;
		bad += i->bad;
	}
	strbuf_f(b,
		 "Annotate Instruction stats\ntotal %" PRIu64 ", ok %" PRIu64
		 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n\n",
		 good + bad, good, good + bad ? 100.0 * (double)good / (double)(good + bad) : 0,
		 bad, good + bad ? 100.0 * (double)bad / (double)(good + bad) : 0);
	strbuf_str(b, "  Name/opcode         :  Good   Bad\n");
	strbuf_str(b, "-----------------------------------------------------------\n");
	vec_for_each(&s->insns, i)
		strbuf_f(b, "  %-20s: %5" PRIu64 " %5" PRIu64 "\n", i->name, i->good, i->bad);
	strbuf_char(b, '\n');
}

int annotate_types(struct annotate_command *p, const struct annotate_view *v,
		   const struct annotate_row *rows, size_t count, struct reason *r)
{
	struct type_sums s = { .p = p, .v = v, .types = data_types_new(p->annotator) };
	const struct arch *a = data_arch(session_data(p->a.session));
	struct strbuf *b = out_buf(&p->a.out);
	int err = 0;

	for (size_t i = 0; i < count && !context_cancelled(p->a.ctx); i++)
		if (annotate_wanted(p, v, &rows[i]))
			add_function(&s, &rows[i]);
	if (p->type_stat)
		put_type_stat(&s, b);
	if (p->insn_stat)
		put_insn_stat(&s, b);
	if (p->data_type && !put_types(&s, b)) {
		if (p->type_name && s.list.count) {
			err = reason_set(r, ENOENT, "no sample touched type '%s'", p->type_name);
			reason_hint(r, "perf annotate --data-type lists those that were");
		} else if (p->annotated && !data_types_know(s.types, a->e_machine)) {
			err = reason_set(
				r, ENOTSUP,
				"types of data are found for instructions of x86-64, arm64 and "
				"powerpc, and these are of %s",
				a->name);
		} else if (p->annotated) {
			err = reason_set(r, ENODATA, "no sample's data has a type that is known");
			reason_hint(
				r,
				"perf annotate --type-stat says why; types need debug information "
				"(gcc -g)");
		}
	}
	vec_for_each(&s.list, t) {
		free(t->all);
		free(t->bytes);
	}
	vec_release(&s.list);
	vec_release(&s.insns);
	strmap_release(&s.insn_index);
	data_types_free(s.types);
	return err;
}
