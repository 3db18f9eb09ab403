// SPDX-License-Identifier: GPL-2.0-or-later
#include "data/order.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "data/writer.h"

enum { UPDATE_SCALE = 1 };

static void turn16(void *p)
{
	store_u16(p, load_u16(p, true));
}

static void turn32(void *p)
{
	store_u32(p, load_u32(p, true));
}

static void turn64(void *p)
{
	store_u64(p, load_u64(p, true));
}

void order_words(void *p, size_t bytes)
{
	for (size_t at = 0; at + 8 <= bytes; at += 8)
		turn64((u8 *)p + at);
}

void order_attr(void *attr, size_t size)
{
	/* fields of 4 bytes, by offset; reserved_2 and sample_max_stack have 2 */
	static const u16 narrow[] = {
		offsetof(struct perf_event_attr, type),
		offsetof(struct perf_event_attr, size),
		offsetof(struct perf_event_attr, wakeup_events),
		offsetof(struct perf_event_attr, bp_type),
		offsetof(struct perf_event_attr, sample_stack_user),
		offsetof(struct perf_event_attr, clockid),
		offsetof(struct perf_event_attr, aux_watermark),
		offsetof(struct perf_event_attr, aux_sample_size),
		offsetof(struct perf_event_attr, aux_action),
	};
	const size_t halves = offsetof(struct perf_event_attr, sample_max_stack);
	bool done[sizeof(struct perf_event_attr) / 4] = { false };
	u8 *p = attr;
	u64 flags;

	memcpy(&flags, p + offsetof(struct perf_event_attr, flags), 8);
	flags = attr_flags_mirrored(flags);
	memcpy(p + offsetof(struct perf_event_attr, flags), &flags, 8);
	for (size_t i = 0; i < ARRAY_SIZE(narrow); i++) {
		if (narrow[i] + 4U > size)
			continue;
		turn32(p + narrow[i]);
		done[narrow[i] / 4] = true;
	}
	if (halves + 4 <= size) {
		turn16(p + halves);
		turn16(p + halves + 2);
	}
	done[halves / 4] = true;
	for (size_t at = 0; at + 8 <= size; at += 8)
		if (!done[at / 4])
			turn64(p + at);
}

void order_records(void *p, size_t bytes, unsigned words)
{
	for (size_t at = 0; at + 8 <= bytes;) {
		u8 *rec = (u8 *)p + at;
		u16 size = load_u16(rec + 6, false);

		turn32(rec);
		turn16(rec + 4);
		turn16(rec + 6);
		order_words(rec + 8, MIN((size_t)words * 8, (size_t)MAX(size, 8) - 8));
		at += MAX(size, 8);
	}
}

/* Reorders records of header, s32 pid, 24 bytes of build ID, name. */
void order_build_ids(void *p, size_t bytes)
{
	for (size_t at = 0; at + 12 <= bytes;) {
		u8 *entry = (u8 *)p + at;
		u16 size = load_u16(entry + 6, false);

		order_records(entry, 8, 0);
		turn32(entry + 8);
		at += MAX(size, 12);
	}
}

/* Reorders records of header, u64 type, u64 id, then a number or text. */
void order_event_updates(void *p, size_t bytes)
{
	for (size_t at = 0; at + 24 <= bytes;) {
		u8 *rec = (u8 *)p + at;
		u16 size = load_u16(rec + 6, false);

		if (load_u64(rec + 8, false) == UPDATE_SCALE && size >= 32)
			turn64(rec + 24);
		order_records(rec, size, 2);
		at += MAX(size, 24);
	}
}

/*
 * Reorders u32 count, u32 attr size, and for each event: attr, u32 ids, u32 length and text, ids.
 */
static void order_event_desc(u8 *p, size_t bytes)
{
	u32 n = load_u32(p, false), attr_size = load_u32(p + 4, false);
	size_t at = 8;

	turn32(p);
	turn32(p + 4);
	for (u32 i = 0; i < n && at + attr_size + 8 <= bytes; i++) {
		u32 ids = load_u32(p + at + attr_size, false),
		    len = load_u32(p + at + attr_size + 4, false);

		order_attr(p + at, attr_size);
		turn32(p + at + attr_size);
		turn32(p + at + attr_size + 4);
		at += attr_size + 8 + len;
		order_words(p + at, (size_t)ids * 8);
		at += (size_t)ids * 8;
	}
}

/* Reorders u32 count, and for each group: u32 length and text, u32 leader, u32 members. */
static void order_group_desc(u8 *p, size_t bytes)
{
	u32 n = load_u32(p, false);
	size_t at = 4;

	turn32(p);
	for (u32 i = 0; i < n && at + 12 <= bytes; i++) {
		u32 len = load_u32(p + at, false);

		turn32(p + at);
		at += 4 + len;
		turn32(p + at);
		turn32(p + at + 4);
		at += 8;
	}
}

void order_feature(unsigned feature, void *p, size_t bytes)
{
	if (feature == FEATURE_SAMPLE_TIME || feature == FEATURE_AUXTRACE)
		order_words(p, bytes);
	else if (feature == FEATURE_BUILD_ID)
		order_build_ids(p, bytes);
	else if (feature == FEATURE_EVENT_DESC && bytes >= 8)
		order_event_desc(p, bytes);
	else if (feature == FEATURE_GROUP_DESC && bytes >= 4)
		order_group_desc(p, bytes);
}

void data_turn_header(void *record)
{
	order_records(record, sizeof(struct record_header), 0);
}

void data_turn_build_ids(void *entries, size_t size)
{
	order_build_ids(entries, size);
}
