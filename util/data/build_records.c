// SPDX-License-Identifier: GPL-2.0-or-later
/* Records that perf itself writes: build-ids, ends of rounds, units, scales and names of events. */
#include <string.h>

#include "base/perf_abi.h"
#include "data/feature_build.h"
#include "data/writer.h"

static void add_header(struct strbuf *b, u32 type, u16 misc, size_t size)
{
	struct record_header h = { .type = type, .misc = misc, .size = (u16)size };

	strbuf_add(b, &h, sizeof(h));
}

void data_build_id_add(struct strbuf *b, u16 misc, s32 pid, const u8 *id, u8 size, const char *name)
{
	size_t len = strnlen(name, 4095), room = ALIGN_UP(len + 1, TEXT_ALIGN);
	u8 bytes[24] = { 0 };

	size = MIN(size, 20);
	memcpy(bytes, id, size);
	bytes[20] = size;
	add_header(b, 0, misc | PERF_RECORD_MISC_EXT_RESERVED, 8 + 4 + sizeof(bytes) + room);
	strbuf_add(b, &pid, sizeof(pid));
	strbuf_add(b, bytes, sizeof(bytes));
	strbuf_add(b, name, len);
	strbuf_pad(b, 0, (int)(room - len));
}

void record_build_finished_round(struct strbuf *b)
{
	add_header(b, PERF_RECORD_FINISHED_ROUND, 0, 8);
}

void record_build_finished_init(struct strbuf *b)
{
	add_header(b, PERF_RECORD_FINISHED_INIT, 0, 8);
}

enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME };

static void add_update(struct strbuf *b, const struct event *ev, u64 type, const void *data,
		       size_t size)
{
	size_t room = ALIGN_UP(size, 8);

	if (!ev->ids.count || room > 4096)
		return;
	add_header(b, PERF_RECORD_EVENT_UPDATE, 0, 24 + room);
	feature_add_u64(b, type);
	feature_add_u64(b, ev->ids.items[0]);
	strbuf_add(b, data, size);
	strbuf_pad(b, 0, (int)(room - size));
}

void record_build_event_updates(struct strbuf *b, const struct event_set *set)
{
	vec_for_each(&set->list, e) {
		const struct event *ev = *e;

		if (ev->unit && *ev->unit)
			add_update(b, ev, UPDATE_UNIT, ev->unit, strlen(ev->unit) + 1);
		if (ev->scale != 1.0)
			add_update(b, ev, UPDATE_SCALE, &ev->scale, sizeof(ev->scale));
		if (ev->name)
			add_update(b, ev, UPDATE_NAME, ev->name, strlen(ev->name) + 1);
	}
}
