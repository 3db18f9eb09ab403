// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads from ID_INDEX which event ids count all tasks of a CPU, and, from `perf inject
 * --guest-data`, which count in guests.
 *
 * PERF_RECORD_ID_INDEX: u64 count, count times { u64 id, idx, cpu, tid }, and, if there is room for
 * it, count times { u64 machine_pid, vcpu }.
 */
#include "process/tables.h"

#include <errno.h>

#include "base/bytes.h"

enum { HEAD = 16, ENTRY = 32, PLACE = 16 };

int guest_ids_take(struct history *h, const struct record *rec, bool swap, struct reason *r)
{
	u64 count = rec->size >= HEAD ? load_u64(rec->data + 8, swap) : 0;
	u64 room = rec->size >= HEAD ? rec->size - HEAD : 0;

	if (count > room / ENTRY)
		return reason_set(r, EINVAL, "index of %" PRIu64 " ids, room for %" PRIu64, count,
				  room / ENTRY);
	h->index_read = true;
	for (u64 i = 0; i < count; i++) {
		const u8 *entry = rec->data + HEAD + i * ENTRY;

		if ((u32)load_u64(entry + 24, swap) == UINT32_MAX)
			map64_put(&h->cpu_ids, load_u64(entry, swap), NULL);
	}
	if (count * (ENTRY + PLACE) > room)
		return 0; /* too short for the places: all ids are of one machine */
	for (u64 i = 0; i < count; i++) {
		const u8 *entry = rec->data + HEAD + i * ENTRY;
		const u8 *place = rec->data + HEAD + count * ENTRY + i * PLACE;
		u32 machine = (u32)load_u64(place, swap), vcpu = (u32)load_u64(place + 8, swap);

		if (!machine)
			continue;
		*map64_put(&h->guest_ids, load_u64(entry, swap), NULL) = (u64)machine << 32 | vcpu;
		history_add_idle(h, machine);
	}
	return 0;
}

bool history_guest_place(const struct history *h, u64 id, struct guest_place *out)
{
	const u64 *place = h->guest_ids.count ? map64_get(&h->guest_ids, id) : NULL;

	if (place)
		*out = (struct guest_place){ (u32)(*place >> 32), (s32)(u32)*place };
	return place;
}

bool history_counts_cpu(const struct history *h, u64 id)
{
	return h->cpu_ids.count && map64_get(&h->cpu_ids, id);
}

u32 history_machine_by_id(const struct history *h, u8 cpumode, u32 pid, u64 id)
{
	u32 machine = history_machine(cpumode, pid);
	struct guest_place place;

	return machine && history_guest_place(h, id, &place) ? place.machine : machine;
}
