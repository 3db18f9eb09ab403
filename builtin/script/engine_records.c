// SPDX-License-Identifier: GPL-2.0-or-later
/* Records other than samples, as scripts receive them. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "builtin/script/engine_internal.h"
#include "builtin/script/stat_table.h"

static const u32 told[] = {
	PERF_RECORD_SWITCH,     PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_THROTTLE,
	PERF_RECORD_UNTHROTTLE, PERF_RECORD_AUXTRACE_ERROR,  PERF_RECORD_STAT,
	PERF_RECORD_STAT_ROUND, PERF_RECORD_STAT_CONFIG,     PERF_RECORD_THREAD_MAP,
	PERF_RECORD_COMM,
};

void engine_want_records(u64 want[2])
{
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		want[told[i] / 64] |= BIT64(told[i] % 64);
}

/* Finds which task a record of the kernel is about. */
static void take_id(struct engine_run *e, const struct record *rec, struct engine_record *out)
{
	struct sample_id id;
	struct guest_place place;

	out->machine_pid = -1;
	out->vcpu = -1;
	if (record_sample_id(e->set, rec, &id, NULL, NULL))
		return;
	out->time = id.time;
	out->cpu = (s32)id.cpu;
	out->pid = (s32)id.pid;
	out->tid = (s32)id.tid;
	if (history_guest_place(e->history, id.id, &place)) {
		out->machine_pid = (s32)place.machine;
		out->guest_pid = (s32)place.machine;
		out->vcpu = place.vcpu;
	}
}

static int tell_switch(struct engine_run *e, const struct record *rec)
{
	struct engine_record out = { .kind = ENGINE_SWITCH,
				     .next_prev_pid = -1,
				     .next_prev_tid = -1 };
	struct record_switch sw;

	if (record_get_switch(e->set, rec, &sw, NULL))
		return ENGINE_GO_ON;
	take_id(e, rec, &out);
	out.out = sw.out;
	out.preempted = sw.out && sw.preempt;
	if (sw.cpu_wide) {
		out.next_prev_pid = (s32)sw.next_prev_pid;
		out.next_prev_tid = (s32)sw.next_prev_tid;
	}
	return e->plugin->record(e->state, &out);
}

static int tell_throttle(struct engine_run *e, const struct record *rec)
{
	struct engine_record out = { .kind = rec->type == PERF_RECORD_THROTTLE
						     ? ENGINE_THROTTLE
						     : ENGINE_UNTHROTTLE };
	struct record_throttle t;

	if (record_get_throttle(e->set, rec, &t, NULL))
		return ENGINE_GO_ON;
	take_id(e, rec, &out);
	out.time = t.time;
	out.id = t.id;
	out.stream_id = t.stream_id;
	return e->plugin->record(e->state, &out);
}

/*
 * Passes an error on: u32 type, code, cpu, pid, tid, format; u64 ip, time; char message[64]; u32
 * machine pid, vcpu.
 */
static int tell_trace_error(struct engine_run *e, const struct record *rec)
{
	enum { IP = 32, TIME = 40, MESSAGE = 48, LEN = 64, GUEST = MESSAGE + LEN, END = GUEST + 8 };
	const u8 *p = rec->data;
	bool swap = e->set->swap, timed;
	struct engine_record out = { .kind = ENGINE_TRACE_ERROR, .vcpu = 0 };
	char message[LEN + 1] = "";
	u32 at;

	if (rec->size < TIME)
		return ENGINE_GO_ON;
	timed = load_u32(p + 28, swap) && rec->size >= MESSAGE;
	at = timed ? MESSAGE : TIME;
	memcpy(message, p + at, MIN((u32)LEN, rec->size - at));
	out.type = load_u32(p + 8, swap);
	out.code = load_u32(p + 12, swap);
	out.cpu = (s32)load_u32(p + 16, swap);
	out.pid = (s32)load_u32(p + 20, swap);
	out.tid = (s32)load_u32(p + 24, swap);
	out.ip = load_u64(p + IP, swap);
	out.time = timed ? load_u64(p + TIME, swap) : 0;
	out.message = message;
	out.cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (rec->size >= END) {
		out.guest_pid = (s32)load_u32(p + GUEST, swap);
		out.vcpu = (s32)load_u32(p + GUEST + 4, swap);
	}
	return e->plugin->record(e->state, &out);
}

static int tell_command(struct engine_run *e, const struct record *rec)
{
	struct engine_record out = { .kind = ENGINE_COMMAND };
	struct record_comm c;

	if (record_get_comm(e->set, rec, &c, NULL))
		return ENGINE_GO_ON;
	take_id(e, rec, &out);
	out.time = e->now_key.time;
	out.pid = (s32)c.pid;
	out.tid = (s32)c.tid;
	out.exec = c.exec;
	out.name = c.comm;
	return e->plugin->record(e->state, &out);
}

/* ---- counts of stat ---- */

struct engine_stat {
	struct stat_table *table;
	VEC(struct stat_row) rows; /* the rows of the round */
};

static void keep_row(void *arg, const struct stat_row *row)
{
	struct engine_run *e = arg;
	struct stat_row *last = e->stat->rows.count ? vec_last(&e->stat->rows) : NULL;

	if (!stat_table_is_global(e->stat->table)) {
		vec_push(&e->stat->rows, *row);
		return;
	}
	if (!last || last->event != row->event) {
		vec_push(&e->stat->rows,
			 (struct stat_row){
				 .event = row->event, .cpu = -1, .thread = -1, .time = row->time });
		last = vec_last(&e->stat->rows);
	}
	last->value += row->value;
	last->enabled += row->enabled;
	last->running += row->running;
}

static int tell_round(struct engine_run *e, u64 time)
{
	const struct engine_record interval = { .kind = ENGINE_INTERVAL, .time = time };
	int answer = ENGINE_GO_ON;

	for (size_t i = 0; i < e->stat->rows.count && answer == ENGINE_GO_ON; i++) {
		const struct stat_row *r = &e->stat->rows.items[i];
		const struct engine_record out = {
			.kind = ENGINE_STAT,
			.name = r->event->name,
			.cpu = r->cpu,
			.thread = r->thread,
			.time = r->time,
			.value = r->value,
			.enabled = r->enabled,
			.running = r->running,
		};

		answer = e->plugin->record(e->state, &out);
	}
	vec_clear(&e->stat->rows);
	return answer == ENGINE_GO_ON ? e->plugin->record(e->state, &interval) : answer;
}

static void note_round(void *arg, u64 time)
{
	struct engine_run *e = arg;

	e->round = time;
	e->round_ended = true;
}

static int tell_stat(struct engine_run *e, const struct record *rec)
{
	static const struct stat_table_ops ops = { .row = keep_row, .round = note_round };

	if (!e->stat) {
		e->stat = xcalloc(1, sizeof(*e->stat));
		e->stat->table = stat_table_new(e->set);
	}
	e->round_ended = false;
	stat_table_record(e->stat->table, rec, &ops, e);
	return e->round_ended ? tell_round(e, e->round) : ENGINE_GO_ON;
}

void engine_stat_release(struct engine_run *e)
{
	if (!e->stat)
		return;
	stat_table_free(e->stat->table);
	vec_release(&e->stat->rows);
	free(e->stat);
}

int engine_record(struct engine_run *e, const struct record *rec, const struct order_key *key)
{
	e->now_key = *key;
	switch (rec->type) {
	case PERF_RECORD_COMM:
		return tell_command(e, rec);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return tell_switch(e, rec);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return tell_throttle(e, rec);
	case PERF_RECORD_AUXTRACE_ERROR:
		return tell_trace_error(e, rec);
	default:
		return tell_stat(e, rec);
	}
}
