/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records for tests of the decoder, field by field, and an event that they belong to. */
#ifndef TESTS_RECORD_MAKER_H
#define TESTS_RECORD_MAKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "event/sample_tracepoint.h"

/* A record under construction, in the host's byte order or the other. */
struct maker {
	u8 bytes[4096];
	size_t size;
	bool swap;
};

static inline void put_u16(struct maker *m, u16 v)
{
	v = load_u16(&v, m->swap);
	memcpy(m->bytes + m->size, &v, 2);
	m->size += 2;
}

static inline void put_u32(struct maker *m, u32 v)
{
	v = load_u32(&v, m->swap);
	memcpy(m->bytes + m->size, &v, 4);
	m->size += 4;
}

static inline void put_u64(struct maker *m, u64 v)
{
	v = load_u64(&v, m->swap);
	memcpy(m->bytes + m->size, &v, 8);
	m->size += 8;
}

static inline void put_bytes(struct maker *m, const void *p, size_t n)
{
	memcpy(m->bytes + m->size, p, n);
	m->size += n;
}

static inline void put_text(struct maker *m, const char *s)
{
	size_t n = strlen(s) + 1;

	put_bytes(m, s, n);
	while (m->size % 8)
		m->bytes[m->size++] = 0;
}

static inline void begin(struct maker *m, u32 type, u16 misc, bool swap)
{
	memset(m, 0, sizeof(*m));
	m->swap = swap;
	put_u32(m, type);
	put_u16(m, misc);
	put_u16(m, 0);
}

/* The record, in memory of exactly its size so that a sanitizer sees every step outside. */
static inline struct record finished(const struct maker *m, size_t size)
{
	u32 type = load_u32(m->bytes, m->swap);

	return (struct record){ .type = type,
				.misc = load_u16(m->bytes + 4, m->swap),
				.size = (u16)size,
				.data = xmemdup(m->bytes, size) };
}

enum { ID = 77, PID = 11, TID = 12, CPU = 3, BRANCHES = 2, CHAIN = 4, MEMBERS = 3 };
#define TIME     0x1122334455667788ULL
#define REG_MASK 0x15ULL /* registers 0, 2, 4 */

static inline void put_task(struct maker *m)
{
	put_u32(m, PID);
	put_u32(m, TID);
}

static inline void put_cpu(struct maker *m)
{
	put_u32(m, CPU);
	put_u32(m, 0);
}

static inline void put_value(struct maker *m, u64 format, u64 i)
{
	put_u64(m, 1000 + i);
	if (format & PERF_FORMAT_ID)
		put_u64(m, ID + i);
	if (format & PERF_FORMAT_LOST)
		put_u64(m, 5 + i);
}

static inline void put_read(struct maker *m, u64 format)
{
	bool group = format & PERF_FORMAT_GROUP;

	put_u64(m, group ? MEMBERS : 1000);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_u64(m, 200);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_u64(m, 100);
	for (u64 i = 0; group && i < MEMBERS; i++)
		put_value(m, format, i);
	if (!group && (format & PERF_FORMAT_ID))
		put_u64(m, ID);
	if (!group && (format & PERF_FORMAT_LOST))
		put_u64(m, 5);
}

static inline void one_event(struct event_set *set, const struct perf_event_attr *attr, bool swap)
{
	event_set_init(set);
	set->swap = swap;
	event_set_add_id(set, event_set_add(set, attr, "event"), ID);
	assert_int_equal(event_set_finish(set, NULL), 0);
}

static inline struct perf_event_attr attr_of(u64 sample_type, u64 read_format, u64 branch_type)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_period = 4000,
		.sample_type = sample_type,
		.read_format = read_format,
		.branch_sample_type = branch_type,
		.sample_regs_user = REG_MASK,
		.sample_regs_intr = REG_MASK,
		.flags = ATTR_SAMPLE_ID_ALL,
	};
}

#endif
