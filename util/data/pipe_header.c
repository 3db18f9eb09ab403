// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a stream: records 64 to 67, 78 and 80 say what a file's header
 * says.  They come first, but build-ids follow the samples.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "data/internal.h"

enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME, UPDATE_CPUS };

/* Adds an event from a record of attr, and ids up to the record's end. */
static void take_attr(struct data_reader *d, const struct record *rec)
{
	const u8 *p = rec->data + 8;
	size_t size = rec->size - 8U, attr_size;
	struct perf_event_attr attr;
	struct event *ev;

	if (size < ATTR_SIZE_VER0) {
		damage(d, CONDITION_DAMAGE, "damaged-attr", rec->file, rec->file_offset,
		       "an event attribute of %zu bytes is too short", size);
		return;
	}
	attr_from_file(d, p, size, &attr);
	attr_size = MIN(attr.size, size);
	ev = event_set_add(&d->events, &attr, NULL);
	for (size_t at = attr_size; at + 8 <= size; at += 8)
		event_set_add_id(&d->events, ev, load_u64(p + at, d->swap));
	d->events_dirty = true;
}

static void replace(char **slot, const char *text)
{
	free(*slot);
	*slot = printable_copy(text);
}

static void take_update(struct data_reader *d, const struct record *rec)
{
	const char *text = (const char *)rec->data + 24;
	struct event *ev;
	u64 type;

	if (rec->size <= 24)
		return;
	type = load_u64(rec->data + 8, d->swap);
	ev = event_by_id(&d->events, load_u64(rec->data + 16, d->swap));
	if (!ev)
		return;
	if (type == UPDATE_SCALE && rec->size >= 32) {
		u64 bits = load_u64(text, d->swap);

		memcpy(&ev->scale, &bits, sizeof(bits));
	}
	if (!memchr(text, 0, rec->size - 24U))
		return;
	if (type == UPDATE_UNIT)
		replace(&ev->unit, text);
	else if (type == UPDATE_NAME)
		replace(&ev->name, text);
}

static void take_feature(struct data_reader *d, const struct record *rec)
{
	u64 id = rec->size >= 16 ? load_u64(rec->data + 8, d->swap) : FEATURE_BITS;
	struct feature_section *s;

	/* bit 0 is reserved; perf ends its row of features with one past the last */
	if (!id || id >= FEATURE_BITS || rec->size == 16)
		return;
	s = &d->features[id];
	free(s->data);
	*s = (struct feature_section){ .size = rec->size - 16U,
				       .present = true,
				       .data = xmemdup(rec->data + 16, rec->size - 16U) };
	if (id == FEATURE_EVENT_DESC || id == FEATURE_GROUP_DESC || id == FEATURE_PMU_MAPPINGS ||
	    id == FEATURE_CPUID)
		d->events_dirty = true;
}

static int take_tracing_data(struct data_reader *d, struct reason *r)
{
	struct feature_section *s = &d->features[FEATURE_TRACING_DATA];
	u64 size = d->walk.payload;
	u8 *data = NULL;
	int err = size ? walk_whole_payload(d, size, &data, r) : 0;

	if (err)
		return err == -EINVAL ? 0 : err;
	free(s->data);
	*s = (struct feature_section){ .size = size, .data = data, .present = data };
	return 0;
}

int pipe_take_header(struct data_reader *d, const struct data_chunk *c, struct reason *r)
{
	struct record rec;
	size_t at = 0;
	int err = 0;

	if (c->position < d->header_taken)
		return 0;
	while (!err && data_chunk_record(c, &at, &rec)) {
		if (rec.type == PERF_RECORD_HEADER_ATTR)
			take_attr(d, &rec);
		else if (rec.type == PERF_RECORD_EVENT_UPDATE)
			take_update(d, &rec);
		else if (rec.type == PERF_RECORD_HEADER_FEATURE)
			take_feature(d, &rec);
		else if (rec.type == PERF_RECORD_HEADER_BUILD_ID)
			feature_add_build_id(d, rec.data, rec.size);
		else if (rec.type == PERF_RECORD_HEADER_TRACING_DATA && at == c->size)
			err = take_tracing_data(d, r);
	}
	d->header_taken = c->position + c->size;
	if (!err && d->events_dirty) {
		features_name_events(d);
		pmus_read_events(d);
		d->events_dirty = false;
		if (d->events_named)
			names_make_up(d);
		err = event_set_finish(&d->events, r);
	}
	return err;
}
