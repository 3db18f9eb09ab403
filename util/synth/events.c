// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes user records that describe the recording itself: ID_INDEX, THREAD_MAP, CPU_MAP and
 * EVENT_UPDATE. Their layouts are in Documentation/perf.data-format.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "synth/internal.h"

/* Bytes of an entry, which says for one id which event it is and where it counts. */
#define ID_INDEX_ENTRY   32
#define ID_INDEX_ENTRIES ((UINT16_MAX - 16) / ID_INDEX_ENTRY)

static void add_id_record(struct strbuf *out, const struct strbuf *entries, size_t from, size_t n)
{
	size_t at = record_begin(out, PERF_RECORD_ID_INDEX, 0);

	record_u64(out, n);
	strbuf_add(out, entries->s + from * ID_INDEX_ENTRY, n * ID_INDEX_ENTRY);
	record_end(out, at, 0);
}

static void add_id(struct strbuf *entries, const struct live *l, const struct event *ev, size_t cpu,
		   size_t thread)
{
	if (live_event_fd(l, ev, cpu, thread) < 0)
		return;
	record_u64(entries, live_id(l, ev, cpu, thread));
	record_u64(entries, live_cpu(l, 0) == -1 ? thread : cpu); /* number of its ring */
	record_u64(entries, (u64)(s64)live_cpu(l, cpu));
	record_u64(entries, (u64)(s64)live_thread(l, thread));
}

void synth_id_index(struct strbuf *out, const struct live *l)
{
	struct strbuf entries = STRBUF_INIT;
	size_t count;

	vec_for_each(&live_events(l)->list, it)
		for (size_t c = 0; c < live_cpu_count(l); c++)
			for (size_t t = 0; t < live_thread_count(l); t++)
				add_id(&entries, l, *it, c, t);
	count = entries.len / ID_INDEX_ENTRY;
	for (size_t at = 0; at < count; at += ID_INDEX_ENTRIES)
		add_id_record(out, &entries, at, MIN(count - at, (size_t)ID_INDEX_ENTRIES));
	strbuf_release(&entries);
}

static void add_task_name(struct strbuf *out, pid_t tid)
{
	char path[64], name[16] = "";

	if (tid > 0) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/comm", tid);
		f = fopen(path, "re");
		if (f && fgets(name, sizeof(name), f))
			name[strcspn(name, "\n")] = 0;
		if (f)
			fclose(f);
	}
	memset(name + strlen(name), 0, sizeof(name) - strlen(name));
	strbuf_add(out, name, sizeof(name));
}

/*
 * Writes a THREAD_MAP: the number of threads, then (pid, name[16]) for each. Threads that do not
 * fit in one record are left out.
 */
void synth_thread_map(struct strbuf *out, const struct live *l)
{
	size_t n = MIN(live_thread_count(l), (size_t)(UINT16_MAX - 16) / 24);
	size_t at = record_begin(out, PERF_RECORD_THREAD_MAP, 0);

	record_u64(out, n);
	for (size_t t = 0; t < n; t++) {
		record_u64(out, (u64)(s64)live_thread(l, t));
		add_task_name(out, live_thread(l, t));
	}
	record_end(out, at, 0);
}

/* Writes a CPU_MAP of type 0: u16 count, then u16 CPU numbers (0xffff: any CPU). */
void synth_cpu_map(struct strbuf *out, const struct live *l)
{
	size_t n = 0, at = record_begin(out, PERF_RECORD_CPU_MAP, 0);
	char *p;

	/* the CPUs of the target come first */
	while (n < MIN(live_cpu_count(l), (size_t)(UINT16_MAX - 16) / 2) &&
	       !live_cpu_is_added(l, n))
		n++;
	p = strbuf_grow(out, 4 + 2 * n);

	store_u16(p, 0);
	store_u16(p + 2, (u16)n);
	for (size_t c = 0; c < n; c++)
		store_u16(p + 4 + 2 * c, (u16)live_cpu(l, c));
	out->len += 4 + 2 * n;
	record_end(out, at, 0);
}

enum { UPDATE_UNIT = 0, UPDATE_SCALE = 1 };

static size_t begin_update(struct strbuf *out, const struct event *ev, u64 what)
{
	size_t at = record_begin(out, PERF_RECORD_EVENT_UPDATE, 0);

	record_u64(out, what);
	record_u64(out, ev->ids.count ? ev->ids.items[0] : 0);
	return at;
}

void synth_event_updates(struct strbuf *out, const struct event_set *set)
{
	for (size_t i = 0; i < set->list.count; i++) {
		const struct event *ev = set->list.items[i];
		size_t at;

		if (ev->unit && *ev->unit) {
			at = begin_update(out, ev, UPDATE_UNIT);
			record_string(out, ev->unit, strlen(ev->unit));
			record_end(out, at, 0);
		}
		if (ev->scale != 1.0) {
			at = begin_update(out, ev, UPDATE_SCALE);
			strbuf_add(out, (const char *)&ev->scale, sizeof(ev->scale));
			record_end(out, at, 0);
		}
	}
}
