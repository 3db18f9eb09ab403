// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys type, typeoff, typecln: what the instruction of a frame accesses. */
#include <stdlib.h>

#include "annotate/datatype.h"
#include "base/alloc.h"
#include "profile/internal.h"

struct profile_types {
	struct annotator *annotator;
	struct data_types *types;
	/* The function of the last lookup; NULL if it cannot be disassembled. */
	struct annotation *code;
	u32 image, symbol, at; /* at: line of the last result, where the next search begins */
	u64 start;             /* offset of the function in the image */
	bool any;
	struct strbuf field;
};

static void open_function(struct profile *p, struct profile_types *t, u32 image, u32 symbol)
{
	struct reason r = REASON_INIT;

	annotation_free(t->code);
	t->code = NULL;
	t->image = image;
	t->symbol = symbol;
	t->any = true;
	t->at = 0;
	if (annotate_symbol(t->annotator, image, symbol, &t->code, &r))
		t->code = NULL; /* its data is unknown, as the row shows */
	reason_release(&r);
	t->start = symbol_get(symbols_of(session_symbols(p->session), image), symbol)->start;
}

/* Finds the instruction at the offset; offsets of one function come in ascending order. */
static u32 find_line(struct profile_types *t, u64 offset)
{
	const struct annotation *n = t->code;

	for (; t->at < n->count; t->at++) {
		const struct annotate_line *l = &n->lines[t->at];

		if (l->kind != ANNOTATE_CODE)
			continue;
		if (offset < l->offset)
			break;
		if (offset - l->offset < l->size)
			return t->at;
	}
	return NO_LINE;
}

void profile_data_type(void *arg, u32 image, u32 symbol, u64 offset, struct hist_data_type *out)
{
	struct profile *p = arg;
	struct profile_types *t = p->types;
	struct annotate_settings set = p->asked->code;
	struct data_access access;
	u32 line;

	if (!t) {
		set.no_source = true;
		t = p->types = xcalloc(1, sizeof(*t));
		t->annotator = annotate_open(p->session, &set);
		t->types = data_types_new(t->annotator);
	}
	if (!t->any || t->image != image || t->symbol != symbol)
		open_function(p, t, image, symbol);
	line = t->code && offset >= t->start ? find_line(t, offset - t->start) : NO_LINE;
	if (line == NO_LINE)
		return;
	data_access_at(t->types, t->code, line, &access);
	if (access.outcome == DATA_STACK)
		out->type = "(stack operation)";
	if (access.outcome == DATA_CANARY)
		out->type = "(stack canary)";
	if (access.outcome != DATA_OK)
		return;
	strbuf_clear(&t->field);
	data_type_field(access.type, access.offset, &t->field);
	*out = (struct hist_data_type){
		.type = data_type_name(access.type),
		.field = strbuf_cstr(&t->field),
		.offset = access.offset,
	};
}

void profile_types_release(struct profile *p)
{
	struct profile_types *t = p->types;

	if (!t)
		return;
	annotation_free(t->code);
	data_types_free(t->types);
	annotator_free(t->annotator);
	strbuf_release(&t->field);
	free(t);
	p->types = NULL;
}
