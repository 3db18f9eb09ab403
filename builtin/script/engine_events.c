// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as plugins see them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "builtin/script/engine_internal.h"

/* What perf 6.1 hands to scripts of an attr. */
enum { ATTR_SIZE = 128 };

static u32 shown_flags(const struct tracepoint_field *f)
{
	return (f->flags & FIELD_SIGNED ? ENGINE_SIGNED : 0) |
	       (f->flags & FIELD_ARRAY ? ENGINE_ARRAY : 0) |
	       (f->flags & FIELD_STRING ? ENGINE_STRING : 0) |
	       (f->flags & FIELD_DYNAMIC ? ENGINE_DYNAMIC : 0) |
	       (f->flags & FIELD_RELATIVE ? ENGINE_RELATIVE : 0);
}

static void take_field(struct engine_event_view *v, struct engine_field *fields,
		       const struct tracepoint_field *f)
{
	static const char *const names[] = { "common_preempt_count", "common_flags",
					     "common_lock_depth" };
	u64 end = (u64)f->offset + f->size;

	if (end > v->raw_needed)
		v->raw_needed = (u32)MIN(end, (u64)UINT32_MAX);
	if (!(f->flags & FIELD_COMMON)) {
		fields[v->shown.field_count++] =
			(struct engine_field){ f->name, f->offset, f->size, shown_flags(f) };
		return;
	}
	if (!strcmp(f->name, "common_pid"))
		v->common_pid = f;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(f->name, names[i]))
			v->common[i] = f;
}

static void describe_format(struct engine_event_view *v, const struct tracepoint_format *t)
{
	struct engine_field *fields = xcalloc(t->field_count + 1u, sizeof(*fields));
	struct engine_naming *namings = NULL;

	v->format = t;
	v->shown.system = t->system;
	v->shown.tracepoint = t->name;
	for (u32 i = 0; i < t->field_count; i++)
		take_field(v, fields, &t->fields[i]);
	v->shown.fields = fields;
	v->shown.naming_count = engine_namings_read(t->print_fmt, &namings);
	v->shown.namings = namings;
}

void engine_event_describe(struct engine_event_view *v, const struct event *ev,
			   const struct tracepoint_formats *formats)
{
	const struct tracepoint_format *t = ev->format;
	u8 *attr = xcalloc(1, ATTR_SIZE);

	memcpy(attr, &ev->attr, MIN(sizeof(ev->attr), (size_t)ATTR_SIZE));
	v->shown = (struct engine_event){
		.index = ev->index,
		.name = ev->name,
		.is_tracepoint = event_is_tracepoint(ev),
		.attr = attr,
		.attr_size = ATTR_SIZE,
		.read_format = ev->attr.read_format,
	};
	v->sample_type = event_tells(ev);
	v->addr_has_place = (v->sample_type & PERF_SAMPLE_ADDR) && script_addr_is_place(ev);
	if (!t && formats && event_is_tracepoint(ev))
		t = tracepoint_by_id(formats, (u32)ev->attr.config);
	if (t)
		describe_format(v, t);
	v->described = true;
}

void engine_event_release(struct engine_event_view *v)
{
	free((void *)(uintptr_t)v->shown.attr);
	free((void *)(uintptr_t)v->shown.fields);
	engine_namings_free((struct engine_naming *)(uintptr_t)v->shown.namings,
			    v->shown.naming_count);
}
