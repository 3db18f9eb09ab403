// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ids of events that were opened again.
 *
 * The kernel gives a new event a new id, while the file's header, or whoever reads the rings, knows
 * the event by the id that it had first. Its records get that one in a copy, since the kernel lets
 * nobody write to the pages of a ring but the first. All fields lie at multiples of eight bytes.
 * Source: the comments on perf_event_type in include/uapi/linux/perf_event.h.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "live/internal.h"

struct place {
	const struct live *l;
	const struct ring *g;
	u64 at, end; /* the extent of a record in the copy */
};

static u64 *word(const struct place *p, u64 at)
{
	return (u64 *)(void *)(p->g->copy + at);
}

/*
 * The id there becomes the one that the event had first; the event, or NULL for an id that is not
 * known.
 */
static const struct event *give_first_id(const struct place *p, u64 at)
{
	const struct event *ev;
	const u64 *index;
	u64 *id;

	if (at < p->at || at + sizeof(*id) > p->end)
		return NULL;
	id = word(p, at);
	index = map64_get(&p->g->kernel_ids, *id);
	if (!index)
		return NULL;
	ev = p->l->set->list.items[*index];
	*id = live_cell(p->l, ev, p->g->place, 0)->id;
	return ev;
}

/* The values of the events of a group, or of one event. */
static void read_values(const struct place *p, u64 at, u64 format)
{
	u64 count = format & PERF_FORMAT_GROUP && at + 8 <= p->end ? *word(p, at) : 1;
	u64 times = 8 * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	u64 one = 8 * (1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST));

	if (!(format & PERF_FORMAT_ID))
		return;
	if (!(format & PERF_FORMAT_GROUP)) {
		give_first_id(p, at + 8 + times);
		return;
	}
	at += 8 + times;
	for (u64 i = 0; i < count && at + one <= p->end; i++, at += one)
		give_first_id(p, at + 8);
}

static void sample(const struct place *p)
{
	const struct event *ev = p->l->set->list.items[0];
	u64 at = p->at + sizeof(struct record_header), type = ev->attr.sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER) {
		ev = give_first_id(p, at);
		if (!ev)
			return;
		type = ev->attr.sample_type;
		at += 8;
	}
	at += 8 * (!!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) +
		   !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR));
	if (type & PERF_SAMPLE_ID) {
		give_first_id(p, at);
		at += 8;
	}
	if (type & PERF_SAMPLE_STREAM_ID) {
		give_first_id(p, at);
		at += 8;
	}
	at += 8 * (!!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_PERIOD));
	if (type & PERF_SAMPLE_READ)
		read_values(p, at, ev->attr.read_format);
}

/* What stands at the end of each record that is no sample. */
static void trailer(const struct place *p)
{
	const struct event *ev = p->l->set->list.items[0];
	u64 at = p->end, type = ev->attr.sample_type;

	if (!(ev->attr.flags & ATTR_SAMPLE_ID_ALL))
		return;
	if (type & PERF_SAMPLE_IDENTIFIER) {
		at -= 8;
		ev = give_first_id(p, at);
		if (!ev)
			return;
		type = ev->attr.sample_type;
	}
	if (type & PERF_SAMPLE_CPU)
		at -= 8;
	if (type & PERF_SAMPLE_STREAM_ID) {
		at -= 8;
		give_first_id(p, at);
	}
	if (type & PERF_SAMPLE_ID)
		give_first_id(p, at - 8);
}

static void translate(const struct place *p, u32 type)
{
	if (type == PERF_RECORD_SAMPLE) {
		sample(p);
		return;
	}
	if (type == PERF_RECORD_LOST)
		give_first_id(p, p->at + 8);
	if (type == PERF_RECORD_THROTTLE || type == PERF_RECORD_UNTHROTTLE) {
		give_first_id(p, p->at + 16);
		give_first_id(p, p->at + 24);
	}
	trailer(p);
}

static void translate_all(const struct live *l, struct ring *g)
{
	struct place p = { l, g, 0, 0 };
	u64 size = g->copy_to - g->copy_from;

	while (p.at + sizeof(struct record_header) <= size) {
		const struct record_header *h = (const void *)word(&p, p.at);

		if (h->size < sizeof(*h) || p.at + h->size > size)
			break; /* cannot happen: the kernel wrote this record */
		p.end = p.at + h->size;
		translate(&p, h->type);
		p.at = p.end;
	}
}

void live_copy_ring(const struct live *l, struct ring *g, u64 tail, u64 head, struct ring_data *d)
{
	if (tail < g->copy_from || tail >= g->copy_to) {
		const u8 *data = (const u8 *)g->base + sysconf(_SC_PAGESIZE);
		u64 at = tail & (l->ring_bytes - 1), before = MIN(head - tail, l->ring_bytes - at);

		if (!g->copy)
			g->copy = xcalloc(l->ring_bytes, 1);
		memcpy(g->copy, data + at, before);
		memcpy(g->copy + before, data, head - tail - before);
		g->copy_from = tail;
		g->copy_to = head;
		translate_all(l, g);
	}
	*d = (struct ring_data){ .first = g->copy + (tail - g->copy_from),
				 .first_size = g->copy_to - tail };
}

void live_forget_ids(struct ring *g)
{
	map64_release(&g->kernel_ids);
	free(g->copy);
	g->copy = NULL;
	g->copy_from = g->copy_to = 0;
}
