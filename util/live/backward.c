// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rings of events with write_backward: the kernel writes each record in front of the one before,
 * and never waits for a reader, so data_head falls.
 *
 * Source: the comment on struct perf_event_mmap_page in include/uapi/linux/perf_event.h.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "live/internal.h"

#define IOC_PAUSE_OUTPUT _IOW('$', 9, u32)

bool live_ring_is_backward(const struct live *l, size_t ring)
{
	return l->rings[ring].backward;
}

static void pause_ring(const struct live *l, const struct ring *g, bool pause)
{
	if (g->fd >= 0)
		live_control(l, g->fd, IOC_PAUSE_OUTPUT, (void *)(intptr_t)pause);
}

static u64 head_of(const struct ring *g)
{
	return __atomic_load_n((const u64 *)((const u8 *)g->base + RING_HEAD), __ATOMIC_ACQUIRE);
}

/*
 * The newest record is at head, older ones follow, up to `most` bytes, or to what was never
 * written (zeros); the oldest one may be cut by the newest.
 */
static size_t whole_records(const struct live *l, const u8 *data, u64 head, size_t most)
{
	size_t at = 0;

	while (at + sizeof(struct record_header) <= most) {
		const struct record_header *h =
			(const void *)(data + ((head + at) & (l->ring_bytes - 1)));

		if (h->size < sizeof(*h) || at + h->size > most)
			break;
		at += h->size;
	}
	return at;
}

static bool get(const struct live *l, const struct ring *g, u64 head, size_t most,
		struct ring_data *d)
{
	const u8 *data = (const u8 *)g->base + sysconf(_SC_PAGESIZE);
	size_t bytes = whole_records(l, data, head, most), at = head & (l->ring_bytes - 1);

	d->first = data + at;
	d->first_size = MIN(bytes, l->ring_bytes - at);
	d->second_size = bytes - d->first_size;
	d->second = d->second_size ? data : NULL;
	return bytes;
}

bool live_snapshot_get(struct live *l, size_t ring, struct ring_data *d)
{
	const struct ring *g = &l->rings[ring];
	u64 head;

	if (!g->base)
		return false;
	pause_ring(l, g, true);
	head = head_of(g);
	return head && get(l, g, head, l->ring_bytes, d);
}

bool live_newest_get(struct live *l, size_t ring, struct ring_data *d)
{
	struct ring *g = &l->rings[ring];
	u64 head, fresh;

	if (!g->base || head_of(g) == g->seen)
		return false;
	pause_ring(l, g, true);
	head = head_of(g);
	fresh = g->seen - head;
	g->seen = head;
	if (get(l, g, head, (size_t)MIN(fresh, (u64)l->ring_bytes), d))
		return true;
	pause_ring(l, g, false);
	return false;
}

void live_snapshot_done(struct live *l, size_t ring)
{
	if (l->rings[ring].base)
		pause_ring(l, &l->rings[ring], false);
}
