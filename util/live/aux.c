// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AUX areas: a second, larger buffer beside a ring, into which the CPU's own
 * tracing (Intel PT, Arm SPE, CoreSight ...) writes.
 *
 * It belongs to the event that traces.  aux_head counts bytes; reading moves
 * aux_tail.  An area that is mapped read-only is overwritten for ever, and
 * aux_head is then the place in it where the next byte goes.
 * Source: the comment on struct perf_event_mmap_page in
 * include/uapi/linux/perf_event.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "live/internal.h"

/* In the control page, bytes. */
enum {
	CAPABILITIES = 40,
	TIME_SHIFT = 50,
	TIME_MULT = 52,
	TIME_ZERO = 64,
	TIME_CYCLES = 80,
	TIME_MASK = 88,
	AUX_HEAD = 1056,
	AUX_TAIL = 1064,
	AUX_OFFSET = 1072,
	AUX_SIZE = 1080,
};
enum { CAN_TIME_ZERO = 1 << 4, CAN_TIME_SHORT = 1 << 5 };

/* The numbers are those of AUXTRACE_INFO's type. */
static const struct {
	const char *pmu; /* or what it begins with */
	u32 type;
} aux_pmus[] = {
	{ "intel_pt", AUX_INTEL_PT }, { "intel_bts", AUX_INTEL_BTS }, { "cs_etm", AUX_CS_ETM },
	{ "arm_spe", AUX_ARM_SPE },   { "hisi_ptt", AUX_HISI_PTT },
};

u32 live_aux_pmu_type(const char *pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(aux_pmus); i++)
		if (str_starts(pmu, aux_pmus[i].pmu))
			return aux_pmus[i].type;
	return 0;
}

u32 live_aux_type(const struct event *ev)
{
	return ev->pmu ? live_aux_pmu_type(ev->pmu) : 0;
}

static u64 load_control(const struct ring *g, size_t at)
{
	return __atomic_load_n((const u64 *)((const u8 *)g->base + at), __ATOMIC_ACQUIRE);
}

int live_map_aux(struct live *l, struct ring *g, int fd)
{
	u64 bytes = l->options.aux_pages * (u64)sysconf(_SC_PAGESIZE);
	u64 offset = l->ring_bytes + (u64)sysconf(_SC_PAGESIZE);
	int how = l->options.aux_overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	void *p;

	memcpy((u8 *)g->base + AUX_OFFSET, &offset, 8);
	memcpy((u8 *)g->base + AUX_SIZE, &bytes, 8);
	p = live_map(l, fd, bytes, how, offset);
	if (p == MAP_FAILED)
		return -errno;
	g->aux = p;
	g->aux_bytes = bytes;
	return 0;
}

bool live_aux_get(struct live *l, size_t ring, struct aux_data *d)
{
	struct ring *g = &l->rings[ring];
	u64 head, at;

	if (!g->aux)
		return false;
	head = load_control(g, AUX_HEAD);
	if (head <= g->aux_seen || head - g->aux_seen > g->aux_bytes)
		return false;
	at = g->aux_seen % g->aux_bytes;
	d->offset = g->aux_seen;
	d->first = g->aux + at;
	d->first_size = MIN(head - g->aux_seen, g->aux_bytes - at);
	d->second_size = head - g->aux_seen - d->first_size;
	d->second = d->second_size ? g->aux : NULL;
	return true;
}

void live_aux_done(struct live *l, size_t ring, const struct aux_data *d)
{
	struct ring *g = &l->rings[ring];

	g->aux_seen += d->first_size + d->second_size;
	__atomic_store_n((u64 *)((u8 *)g->base + AUX_TAIL), g->aux_seen, __ATOMIC_RELEASE);
}

/* Was anything written from here to the end? */
static bool was_filled(const struct ring *g, u64 from)
{
	for (u64 i = from; i < g->aux_bytes; i++)
		if (g->aux[i])
			return true;
	return false;
}

bool live_aux_snapshot(struct live *l, size_t ring, u64 most, struct aux_data *d)
{
	struct ring *g = &l->rings[ring];
	u64 head, at, size;

	if (!g->aux)
		return false;
	head = load_control(g, AUX_HEAD);
	at = head % g->aux_bytes;
	/* only the bytes after this position show whether the area has wrapped */
	size = head >= g->aux_bytes || was_filled(g, at) ? g->aux_bytes : at;
	if (most && size > most)
		size = most;
	if (!size)
		return false;
	d->offset = head >= size ? head - size : 0;
	if (size > at) {
		d->first = g->aux + g->aux_bytes - (size - at);
		d->first_size = size - at;
		d->second = at ? g->aux : NULL;
		d->second_size = at;
	} else {
		d->first = g->aux + at - size;
		d->first_size = size;
		d->second = NULL;
		d->second_size = 0;
	}
	return true;
}

bool live_clock(const struct live *l, struct live_clock *c)
{
	for (size_t i = 0; i < l->ring_count; i++) {
		const u8 *p = l->rings[i].base;
		u64 can;

		if (!p)
			continue;
		memcpy(&can, p + CAPABILITIES, 8);
		*c = (struct live_clock){ .known = can & CAN_TIME_ZERO,
					  .narrow = can & CAN_TIME_SHORT };
		memcpy(&c->shift, p + TIME_SHIFT, 2);
		memcpy(&c->mult, p + TIME_MULT, 4);
		memcpy(&c->zero, p + TIME_ZERO, 8);
		memcpy(&c->cycles, p + TIME_CYCLES, 8);
		memcpy(&c->mask, p + TIME_MASK, 8);
		return c->known;
	}
	return false;
}
