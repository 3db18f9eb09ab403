// SPDX-License-Identifier: GPL-2.0-or-later
/* Converts one record of a guest to the host's terms: time, event id, mode of the CPU. */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/wide.h"
#include "process/history.h"
#include "rewrite/guest.h"

void guest_take_clock(struct clock_terms *c, const struct record *rec)
{
	if (rec->size < 32)
		return;
	*c = (struct clock_terms){ true, MIN(load_u64(rec->data + 8, false), 63),
				   load_u64(rec->data + 16, false),
				   load_u64(rec->data + 24, false) };
}

/*
 * Returns the ticks of a time, where time = zero + (ticks * mult >> shift), as in struct
 * perf_event_mmap_page.
 */
static u64 ticks_of(const struct clock_terms *c, u64 time)
{
	return wide_quotient(wide_left(time - c->zero, c->shift), c->mult);
}

static u64 time_of(const struct clock_terms *c, u64 ticks)
{
	return c->zero + wide_right(wide_product(ticks, c->mult), c->shift);
}

/*
 * Returns the host's time for a guest's. A guest's counter is the host's times a scale, plus an
 * offset. If both files have the conversion from the counter, OFFSET and SCALE are of the counter,
 * otherwise of the time.
 */
static u64 guest_host_time(const struct guest_pass *g, u64 time)
{
	bool counters = g->guest.known && g->host.known && g->guest.mult && g->host.mult;
	u64 t;

	if (!time)
		return 0;
	t = (counters ? ticks_of(&g->guest, time) : time) - g->offset;
	if (g->scale != 1) {
		long double scaled = (long double)t / (long double)g->scale;

		t = scaled < 0x1p64L ? (u64)scaled : UINT64_MAX;
	}
	return counters ? time_of(&g->host, t) : t;
}

/*
 * Reports whether such records are carried over: those about the guest's tasks and code, and about
 * losses. Its cgroups and ids are not.
 */
static bool is_carried(u32 type)
{
	switch (type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return true;
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_THREAD_MAP:
	case PERF_RECORD_ID_INDEX:
		return false;
	default:
		return history_wants(type);
	}
}

/* Returns the misc of a guest's record. Records of tasks have no mode, but belong to the guest. */
static u16 guest_misc(u16 misc)
{
	u16 mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (mode == PERF_RECORD_MISC_USER)
		mode = PERF_RECORD_MISC_GUEST_USER;
	else if (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN)
		mode = PERF_RECORD_MISC_GUEST_KERNEL;
	return (u16)((misc & ~PERF_RECORD_MISC_CPUMODE_MASK) | mode);
}

static const struct guest_id *find_id(const struct guest_pass *g, u64 theirs)
{
	const u64 *at = map64_get(&g->by_id, theirs);

	return at ? &g->ids.items[*at] : NULL;
}

static void set_id(const struct guest_pass *g, u8 *slot)
{
	const struct guest_id *id = find_id(g, load_u64(slot, false));

	if (id)
		store_u64(slot, id->ours);
}

static int keep(struct guest_pass *g, const struct guest_record *head, const u8 *bytes,
		struct reason *r)
{
	if (fwrite(head, sizeof(*head), 1, g->sorted) == 1 &&
	    fwrite(bytes, head->size, 1, g->sorted) == 1)
		return 0;
	return reason_errno(r, errno, "cannot keep the records of '%s' in a temporary file",
			    g->path);
}

/* Changes the ids among the values of counters. */
static void set_read_ids(const struct guest_pass *g, const struct sample *s, u8 *bytes, u32 values)
{
	u64 f = s->read_format;
	u32 step = 8 * (1 + !!(f & PERF_FORMAT_ID) + !!(f & PERF_FORMAT_LOST));
	u32 times = 8 * (!!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING));

	if (!s->read_values || !(f & PERF_FORMAT_ID))
		return;
	if (!(f & PERF_FORMAT_GROUP))
		set_id(g, bytes + values + 8 + times);
	for (u64 i = 0; (f & PERF_FORMAT_GROUP) && i < s->read_count; i++)
		set_id(g, bytes + values + i * step + 8);
}

static int take_sample(void *arg, unsigned worker, const struct session_sample *ss,
		       struct reason *r)
{
	struct guest_pass *g = ((struct rewriter *)arg)->guest;
	const struct sample *s = ss->sample;
	const struct record *rec = ss->record;
	const struct guest_id *id = find_id(g, s->id.id);
	u32 slot;
	struct guest_record head = { .size = rec->size, .cpu_at = sample_slot(s, PERF_SAMPLE_CPU) };

	(void)worker;
	if (!id || event_is_tracepoint(s->event)) {
		g->nameless += !id;
		g->tracepoints += id != NULL;
		return 0;
	}
	head.vcpu = id->vcpu;
	head.time = guest_host_time(g, s->id.time);
	memcpy(g->bytes, rec->data, rec->size);
	store_u16(g->bytes + 4, guest_misc(rec->misc));
	store_u64(g->bytes + sample_slot(s, PERF_SAMPLE_TIME), head.time);
	store_u64(g->bytes + sample_slot(s, PERF_SAMPLE_IDENTIFIER), id->ours);
	slot = sample_slot(s, PERF_SAMPLE_ID);
	if (slot)
		store_u64(g->bytes + slot, id->ours);
	if (s->read_values)
		set_read_ids(g, s, g->bytes, (u32)(s->read_values - rec->data));
	if (!g->first_sample)
		g->first_sample = head.time;
	g->last_sample = MAX(g->last_sample, head.time);
	return keep(g, &head, g->bytes, r);
}

/* Returns the place of one slot in the sample id at the end of a record, or 0. */
static u32 trailer_slot(u64 type, u32 size, u64 bit)
{
	static const u64 slots[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU,
				     PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_ID,
				     PERF_SAMPLE_TIME,       PERF_SAMPLE_TID };

	if (!(type & bit))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		size -= type & slots[i] ? 8 : 0;
		if (slots[i] == bit)
			return size;
	}
	return 0;
}

static int take_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r)
{
	struct guest_pass *g = ((struct rewriter *)arg)->guest;
	struct guest_record head = { .size = rec->size };
	const struct event *ev;
	const struct guest_id *id;
	struct sample_id sid;
	u64 type;
	u32 slot;

	(void)key;
	if (!is_carried(rec->type))
		return 0;
	if (record_sample_id(g->set, rec, &sid, &ev, NULL) < 0) {
		id = NULL;
	} else if (!sid.id &&
		   g->ids.count) { /* the recorder's own, with the layout of the first event's */
		ev = g->set->list.items[0];
		id = &g->ids.items[0];
	} else {
		id = ev ? find_id(g, sid.id) : NULL;
	}
	if (!id) {
		g->nameless++;
		return 0;
	}
	type = ev->attr.sample_type;
	head.vcpu = id->vcpu;
	head.time = guest_host_time(g, sid.time);
	head.cpu_at = trailer_slot(type, rec->size, PERF_SAMPLE_CPU);
	memcpy(g->bytes, rec->data, rec->size);
	store_u16(g->bytes + 4, guest_misc(rec->misc));
	store_u64(g->bytes + trailer_slot(type, rec->size, PERF_SAMPLE_TIME), head.time);
	store_u64(g->bytes + trailer_slot(type, rec->size, PERF_SAMPLE_IDENTIFIER), id->ours);
	slot = trailer_slot(type, rec->size, PERF_SAMPLE_ID);
	if (slot)
		store_u64(g->bytes + slot, id->ours);
	if (rec->type == PERF_RECORD_LOST)
		set_id(g, g->bytes + 8);
	if (rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT) /* their own time */
		store_u64(g->bytes + 24, guest_host_time(g, load_u64(rec->data + 24, false)));
	return keep(g, &head, g->bytes, r);
}

int guest_sort_records(struct rewriter *w, struct guest_pass *g, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_ORDERED,
		.sample = take_sample,
		.record = take_record,
		.want = { ~0ULL, ~0ULL },
		.whole_samples = true,
		.no_tasks = true,
		.no_locations = true,
		.no_chains = true,
	};
	int err;

	g->sorted = tmpfile();
	if (!g->sorted)
		return reason_errno(r, errno, "cannot make a temporary file");
	err = session_run(g->session, &ops, w, r);
	if (!err && fflush(g->sorted))
		err = reason_errno(r, errno, "cannot keep the records of '%s' in a temporary file",
				   g->path);
	rewind(g->sorted);
	return err;
}
