// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of the data that an instruction accesses: its type, the place in the type, the cache line of
 * the type. services.data_type finds types; it is called once for each frame, function by function.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/columns.h"

enum { CACHE_LINE = 64 };

static bool wanted(const struct hist *h)
{
	vec_for_each(&h->fields, f)
		if (f->column->flags & HIST_TYPES)
			return h->set.services.data_type != NULL;
	return false;
}

/* Compares so that frames of one function are adjacent. */
static int place_cmp(const void *pa, const void *pb, void *arg)
{
	const struct hist *h = arg;
	const struct frame *a = hist_frame(h, *(const u32 *)pa),
			   *b = hist_frame(h, *(const u32 *)pb);

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	return u64_cmp(a->offset, b->offset);
}

void hist_find_types(struct hist *h)
{
	const struct hist_services *services = &h->set.services;
	u32 count = frames_count(h->chains), *ids;

	if (!wanted(h))
		return;
	ids = xcalloc(count + 1, sizeof(*ids));
	h->types = xcalloc(count + 1, sizeof(*h->types));
	for (u32 i = 0; i < count; i++)
		ids[i] = i;
	qsort_r(ids, count, sizeof(*ids), place_cmp, h);
	for (u32 i = 0; i < count && !context_cancelled(h->ctx); i++) {
		const struct frame *f = hist_frame(h, ids[i]);
		struct hist_data_type t = { .type = "(unknown)", .field = "" };

		if (f->symbol != NO_SYMBOL)
			services->data_type(services->data_type_arg, f->image, f->symbol,
					    f->offset - (f->is_return && f->offset), &t);
		h->types[ids[i]] = (struct frame_type){
			.type = strtab_add(&h->texts, t.type),
			.field = strtab_add(&h->texts, t.field),
			.offset = t.offset,
		};
	}
	free(ids);
}

static const struct frame_type *type_of(const struct hist_view *v, const struct hist_entry *e)
{
	return &v->hist->types[e->frame];
}

static const char *text(const struct hist_view *v, u32 id)
{
	return strtab_get(&v->hist->texts, id);
}

static int type_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	u32 x = type_of(v, a)->type, y = type_of(v, b)->type;

	(void)f;
	return x == y ? 0 : strcmp(text(v, x), text(v, y));
}

static void type_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_printable(out, text(v, type_of(v, e)->type));
}

static int typeoff_cmp(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *a, const struct hist_entry *b)
{
	const struct frame_type *x = type_of(v, a), *y = type_of(v, b);
	int d = type_cmp(v, f, a, b);

	if (!d)
		d = u64_cmp(x->offset, y->offset);
	return d || x->field == y->field ? d : strcmp(text(v, x->field), text(v, y->field));
}

static void typeoff_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct frame_type *t = type_of(v, e);
	const char *field = text(v, t->field);

	type_format(v, f, e, m, out);
	strbuf_f(out, " +0x%" PRIx64 " (", t->offset);
	strbuf_printable(out, *field ? field : "no field");
	strbuf_char(out, ')');
}

static int typecln_cmp(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *a, const struct hist_entry *b)
{
	int d = type_cmp(v, f, a, b);

	return d ? d
		 : u64_cmp(type_of(v, a)->offset / CACHE_LINE, type_of(v, b)->offset / CACHE_LINE);
}

static void typecln_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	type_format(v, f, e, m, out);
	strbuf_f(out, ": cache-line %" PRIu64, type_of(v, e)->offset / CACHE_LINE);
}

#define TYPE(n, h)                                                                                 \
	{                                                                                          \
		.name = #n, .header = h, .cmp = n##_cmp, .format = n##_format,                     \
		.flags = HIST_BY_FRAME | HIST_BY_ADDRESS | HIST_TYPES | HIST_NO_PAD                \
	}

const struct hist_column hist_type_columns[] = {
	TYPE(type, "Data Type"),
	TYPE(typeoff, "Data Type Offset"),
	TYPE(typecln, "Data Type Cacheline"),
};
const size_t hist_type_column_count = ARRAY_SIZE(hist_type_columns);
