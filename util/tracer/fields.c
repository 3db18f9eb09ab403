// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds a row's fields in a kernel's format, and reads them for handlers. */
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tracer/internal.h"

static bool is_number_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool is_kind(const struct tracepoint_field *f, enum tracer_kind kind)
{
	switch (kind) {
	case TRACER_TEXT:
		return (f->flags & FIELD_ARRAY) && (f->flags & FIELD_STRING);
	case TRACER_ARRAY:
		return (f->flags & FIELD_ARRAY) && is_number_size(f->element_size);
	default:
		return !(f->flags & (FIELD_ARRAY | FIELD_DYNAMIC)) && is_number_size(f->size);
	}
}

static int refuse(const struct tracer_row *row, const struct tracer_field *want,
		  const struct tracepoint_field *found, struct reason *r)
{
	static const char *const kinds[] = { "a number", "text", "an array of numbers" };

	if (!found)
		return reason_set(r, ENOTSUP,
				  "'%s' has no field '%s' in the kernel that was recorded",
				  row->event, want->name);
	return reason_set(r, ENOTSUP,
			  "field '%s' of '%s' is '%s' in the kernel that was recorded, not %s",
			  want->name, row->event, found->type, kinds[want->kind]);
}

static int bind_field(struct binding *b, const struct tracepoint_format *format, u32 i,
		      struct reason *r)
{
	const struct tracer_field *want = &b->row->fields[i];
	const struct tracepoint_field *found = tracepoint_field(format, want->name);

	if (!found || !is_kind(found, want->kind))
		return want->optional ? 0 : refuse(b->row, want, found, r);
	if (found->offset > UINT32_MAX - found->size)
		return reason_set(r, EINVAL, "the format of '%s' is damaged", b->row->event);
	b->has[i] = true;
	b->fields[i] = *found;
	if (want->kind == TRACER_ARRAY) /* a byte of 0 does not end it */
		b->fields[i].flags &= ~(u32)FIELD_STRING;
	b->min_size = MAX(b->min_size, found->offset + found->size);
	if (found->flags & FIELD_DYNAMIC)
		b->dynamic |= 1U << i;
	if (want->kind == TRACER_NUMBER)
		b->places[i] = (struct tracer_place){ found->offset, (u8)found->size,
						      found->flags & FIELD_SIGNED };
	else if (found->size == TRACER_SIXTEEN && !(found->flags & FIELD_DYNAMIC))
		b->places[i] = (struct tracer_place){ found->offset, TRACER_SIXTEEN, false };
	return 0;
}

int binding_new(const struct tracer_row *row, const struct tracepoint_formats *formats,
		const struct tracepoint_format *format, struct binding **out, struct reason *r)
{
	struct binding *b = xcalloc(1, sizeof(*b));
	int err = 0;

	b->formats = formats;
	b->swap = tracepoint_swap(formats);
	b->format = format;
	b->row = row;
	b->fn = row->fn;
	while (!err && b->count < TRACER_FIELDS && row->fields[b->count].name)
		err = bind_field(b, format, b->count++, r);
	if (err)
		free(b);
	else
		*out = b;
	return err;
}

const struct tracepoint_format *tracer_format(const struct tracer_hit *hit)
{
	return hit->b->format;
}

bool tracer_has(const struct tracer_hit *hit, unsigned field)
{
	return field < hit->b->count && hit->b->has[field];
}

static const char *bytes_of(const struct tracer_hit *hit, unsigned field, u32 *len)
{
	*len = 0;
	if (!tracer_has(hit, field))
		return NULL;
	return tracepoint_get_bytes(hit->b->formats, &hit->b->fields[field], hit->raw,
				    hit->in->raw_size, len);
}

const char *tracer_text(const struct tracer_hit *hit, unsigned field, u32 *len)
{
	const char *text = bytes_of(hit, field, len);

	return text ? text : "";
}

u32 tracer_count(const struct tracer_hit *hit, unsigned field)
{
	u32 len;

	return bytes_of(hit, field, &len) ? len / hit->b->fields[field].element_size : 0;
}

s64 tracer_element(const struct tracer_hit *hit, unsigned field, u32 index)
{
	u32 len, size;
	const char *bytes = bytes_of(hit, field, &len);
	struct tracepoint_field one;
	u64 v = 0;

	if (!bytes)
		return 0;
	size = hit->b->fields[field].element_size;
	if (index >= len / size)
		return 0;
	one = (struct tracepoint_field){
		.offset = (u32)((const u8 *)bytes - hit->raw) + index * size,
		.size = size,
		.flags = hit->b->fields[field].flags & FIELD_SIGNED,
	};
	tracepoint_get_int(hit->b->formats, &one, hit->raw, hit->in->raw_size, &v);
	return (s64)v;
}
