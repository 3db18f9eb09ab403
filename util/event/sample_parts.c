// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the places of a decoded sample's parts in its record. */
#include "base/bytes.h"
#include "event/sample.h"

/* The slots of 8 bytes at the start of a sample, in order. */
static const u32 slots[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};

u32 sample_slot(const struct sample *s, u32 bit)
{
	u64 type = s->event->attr.sample_type;
	u32 at = sizeof(struct record_header);

	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		if (slots[i] == bit)
			return type & bit ? at : 0;
		at += type & slots[i] ? 8 : 0;
	}
	return 0;
}

static u32 fixed_end(u64 type)
{
	u32 at = sizeof(struct record_header);

	for (size_t i = 0; i < ARRAY_SIZE(slots); i++)
		at += type & slots[i] ? 8 : 0;
	return at;
}

static u32 read_size(u64 format, u64 count)
{
	u32 value = 8 + (format & PERF_FORMAT_ID ? 8 : 0) + (format & PERF_FORMAT_LOST ? 8 : 0);
	u32 times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8 : 0) +
		    (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8 : 0);

	return format & PERF_FORMAT_GROUP ? 8 + times + (u32)count * value : times + value;
}

void sample_find_parts(const struct event_set *set, const struct record *rec,
		       const struct sample *s, struct sample_parts *p)
{
	const struct perf_event_attr *a = &s->event->attr;
	u64 type = a->sample_type;
	u32 at = fixed_end(type);

	if (type & PERF_SAMPLE_READ)
		at += read_size(a->read_format, s->read_count);
	p->chain = at;
	if (type & PERF_SAMPLE_CALLCHAIN)
		at += 8 + 8 * (u32)load_u64(rec->data + at, set->swap);
	p->chain_end = at;
	p->raw = at;
	if (type & PERF_SAMPLE_RAW)
		at += MIN(ALIGN_UP(4 + s->raw_size, 8), rec->size - at);
	p->raw_end = at;
	if (type & PERF_SAMPLE_BRANCH_STACK)
		at = (u32)(s->branches - rec->data) +
		     (u32)s->branch_count * (s->branch_counters ? 32 : 24);
	p->user = at;
	if (type & PERF_SAMPLE_REGS_USER)
		at += 8 + (s->user_abi ? 8 * (u32)__builtin_popcountll(a->sample_regs_user) : 0);
	if (type & PERF_SAMPLE_STACK_USER)
		at += 8 + (s->stack_size ? (u32)s->stack_size + 8 : 0);
	p->user_end = at;
}
