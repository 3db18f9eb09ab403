// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes before the records of perf.data and after them: headers, attrs, features. */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "data/feature_build.h"
#include "data/order.h"
#include "data/writer_internal.h"

/*
 * Brings the sections that were built here into the file's order. A stream's build IDs are sent as
 * records later.
 */
void writer_order_features(struct data_writer *w)
{
	for (unsigned i = 0; w->swap && i < FEATURE_BITS; i++) {
		if (!w->has_feature[i] || w->ordered_feature[i] ||
		    (w->pipe && i == FEATURE_BUILD_ID))
			continue;
		order_feature(i, w->features[i].s, w->features[i].len);
		w->ordered_feature[i] = true;
	}
}

/* Writes down where they are, so a reader need not search for them. */
void writer_set_aux_places(struct data_writer *w)
{
	struct strbuf b = STRBUF_INIT;
	u64 n = w->aux.count;

	if (n) {
		strbuf_add(&b, &n, sizeof(n));
		strbuf_add(&b, w->aux.items, n * sizeof(*w->aux.items));
		data_feature_set(w, FEATURE_AUXTRACE, b.s, b.len);
	}
	strbuf_release(&b);
}

/* Returns the size that 6.1 reads, unless an event needs fields that came later. */
static u32 attr_size_for(const struct event_set *set)
{
	u32 size = ATTR_SIZE_VER7;

	vec_for_each(&set->list, ev) {
		if ((*ev)->attr.config4)
			return ATTR_SIZE_VER9;
		if ((*ev)->attr.config3)
			size = ATTR_SIZE_VER8;
	}
	return size;
}

static void add_u64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void add_attr(const struct data_writer *w, struct strbuf *b, const struct event *ev)
{
	struct perf_event_attr attr = ev->attr;

	attr.size = w->attr_size;
	attr.flags = attr_flags_of_host(attr.flags);
	if (w->swap)
		order_attr(&attr, w->attr_size);
	strbuf_add(b, &attr, w->attr_size);
}

/* Adds u64 words in the file's order. */
static void add_words(const struct data_writer *w, struct strbuf *b, const u64 *words, size_t n)
{
	size_t at = b->len;

	strbuf_add(b, words, 8 * n);
	if (w->swap && n)
		order_words(b->s + at, 8 * n);
}

void writer_file_header(const struct data_writer *w, struct strbuf *b, const u64 bits[4])
{
	u64 attrs = HEADER_SIZE + w->ids_size;

	add_u64(b, DATA_MAGIC);
	add_u64(b, HEADER_SIZE);
	add_u64(b, w->attr_size + SECTION_SIZE);
	add_u64(b, attrs);
	add_u64(b, w->attrs_size);
	add_u64(b, w->begin);
	add_u64(b, w->flushed);
	add_u64(b, 0); /* event types: not written since 3.10 */
	add_u64(b, 0);
	for (unsigned i = 0; i < 4; i++)
		add_u64(b, bits[i]);
	if (w->swap)
		order_words(b->s, b->len);
}

/*
 * Brings records of a stream's header into the file's order, including this many u64 words after
 * their headers.
 */
static void order_from(const struct data_writer *w, struct strbuf *b, size_t at, unsigned words)
{
	if (w->swap)
		order_records(b->s + at, b->len - at, words);
}

static void place_sections(struct data_writer *w, const struct event_set *set)
{
	w->attr_size = attr_size_for(set);
	vec_for_each(&set->list, ev)
		w->ids_size += 8 * (*ev)->ids.count;
	w->attrs_size = set->list.count * (u64)(w->attr_size + SECTION_SIZE);
	w->begin = HEADER_SIZE + w->ids_size + w->attrs_size;
}

int writer_write_file_header(struct data_writer *w, const struct event_set *set, struct reason *r)
{
	static const u64 none[4];
	struct strbuf b = STRBUF_INIT;
	u64 ids = HEADER_SIZE;
	int err;

	place_sections(w, set);
	writer_file_header(w, &b, none);
	vec_for_each(&set->list, ev)
		add_words(w, &b, (*ev)->ids.items, (*ev)->ids.count);
	vec_for_each(&set->list, ev) {
		const u64 section[2] = { ids, 8 * (*ev)->ids.count };

		add_attr(w, &b, *ev);
		add_words(w, &b, section, 2);
		ids += 8 * (*ev)->ids.count;
	}
	err = writer_write_buffer(w, &b, r);
	strbuf_release(&b);
	return err;
}

static void add_record_header(struct strbuf *b, u32 type, u16 misc, size_t size)
{
	struct record_header h = { .type = type, .misc = misc, .size = (u16)size };

	strbuf_add(b, &h, sizeof(h));
}

/* Reports whether the size fits in a record, whose size field has 16 bits. */
static bool fits_record(size_t size)
{
	return size <= UINT16_MAX - 7;
}

static int stream_attrs(struct data_writer *w, struct strbuf *b, const struct event_set *set,
			struct reason *r)
{
	vec_for_each(&set->list, e) {
		const struct event *ev = *e;
		size_t size = 8 + w->attr_size + 8 * ev->ids.count;

		if (!fits_record(size))
			return reason_set(r, E2BIG,
					  "event '%s' has %zu ids, too many for a stream; "
					  "record into a file",
					  ev->name, ev->ids.count);
		add_record_header(b, PERF_RECORD_HEADER_ATTR, 0, size);
		order_from(w, b, b->len - 8, 0);
		add_attr(w, b, ev);
		add_words(w, b, ev->ids.items, ev->ids.count);
	}
	return 0;
}

static void stream_feature(const struct data_writer *w, struct strbuf *b, unsigned id,
			   const struct strbuf *f)
{
	size_t size = ALIGN_UP(16 + f->len, 8);
	const u64 word = id;

	if (!fits_record(size))
		return;
	add_record_header(b, PERF_RECORD_HEADER_FEATURE, 0, size);
	order_from(w, b, b->len - 8, 0);
	add_words(w, b, &word, 1);
	strbuf_add(b, f->s, f->len);
	strbuf_pad(b, 0, (int)(size - 16 - f->len));
}

static void stream_tracing_data(const struct data_writer *w, struct strbuf *b,
				const struct strbuf *f)
{
	size_t size = ALIGN_UP(f->len, 8);
	u32 words[2] = { load_u32(&(u32){ (u32)size }, w->swap), 0 };

	add_record_header(b, PERF_RECORD_HEADER_TRACING_DATA, 0, 16);
	order_from(w, b, b->len - 8, 0);
	strbuf_add(b, words, sizeof(words));
	strbuf_add(b, f->s, f->len);
	strbuf_pad(b, 0, (int)(size - f->len));
}

int writer_write_stream_header(struct data_writer *w, const struct event_set *set, struct reason *r)
{
	const u64 head[2] = { DATA_MAGIC, PIPE_HEADER_SIZE };
	struct strbuf b = STRBUF_INIT;
	size_t updates;
	int err;

	w->attr_size = attr_size_for(set);
	writer_order_features(w);
	add_words(w, &b, head, 2);
	w->begin = PIPE_HEADER_SIZE;
	err = stream_attrs(w, &b, set, r);
	for (unsigned i = FEATURE_HOSTNAME; i < FEATURE_OURS; i++)
		if (w->has_feature[i])
			stream_feature(w, &b, i, &w->features[i]);
	if (w->has_feature[FEATURE_TRACING_DATA])
		stream_tracing_data(w, &b, &w->features[FEATURE_TRACING_DATA]);
	updates = b.len;
	record_build_event_updates(&b, set);
	if (w->swap)
		order_event_updates(b.s + updates, b.len - updates);
	if (!err)
		err = writer_write_buffer(w, &b, r);
	strbuf_release(&b);
	return err;
}

/* Sets COMPRESSED. Readers make room for that many bytes from one record. */
void writer_set_compressed(struct data_writer *w)
{
	struct strbuf b = STRBUF_INIT;
	u64 taken = data_taken(w), written = data_written(w);

	feature_add_u32(&b, 0); /* version: perf writes 0, and readers refuse another one */
	feature_add_u32(&b, 1); /* zstd */
	feature_add_u32(&b, (u32)w->level);
	feature_add_u32(&b, written ? (u32)((taken + written / 2) / written) : 1);
	feature_add_u32(&b, COMPRESSOR_MOST_IN);
	data_feature_set(w, FEATURE_COMPRESSED, b.s, b.len);
	strbuf_release(&b);
}

void data_feature_set(struct data_writer *w, unsigned feature, const void *data, size_t size)
{
	strbuf_clear(&w->features[feature]);
	strbuf_add(&w->features[feature], data, size);
	w->has_feature[feature] = true;
	w->ordered_feature[feature] = false;
}

void data_feature_copy(struct data_writer *w, unsigned feature, const void *data, size_t size)
{
	data_feature_set(w, feature, data, size);
	w->ordered_feature[feature] = true;
}

void data_set_other_order(struct data_writer *w)
{
	w->swap = true;
}

void data_feature_set_string(struct data_writer *w, unsigned feature, const char *s)
{
	struct strbuf b = STRBUF_INIT;

	feature_add_text(&b, s);
	data_feature_set(w, feature, b.s, b.len);
	strbuf_release(&b);
}

/* Adds the table and the sections after it. */
void writer_build_features(const struct data_writer *w, struct strbuf *b, u64 bits[4])
{
	u64 at = w->begin + w->written;

	for (unsigned i = 0; i < FEATURE_BITS; i++)
		at += w->has_feature[i] ? SECTION_SIZE : 0;
	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		if (!w->has_feature[i])
			continue;
		bits[i / 64] |= BIT64(i % 64);
		add_words(w, b, (const u64[]){ at, w->features[i].len }, 2);
		at += w->features[i].len;
	}
	for (unsigned i = 0; i < FEATURE_BITS; i++)
		if (w->has_feature[i])
			strbuf_add(b, w->features[i].s, w->features[i].len);
}
