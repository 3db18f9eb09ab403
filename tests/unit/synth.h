/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up records and perf.data files with known answers, for unit tests.
 *
 *	struct synth s;
 *	synth_init(&s, false);				// true: the other byte order
 *	synth_event(&s, NULL, "cpu-clock");		// NULL: SYNTH_SAMPLE_TYPE
 *	synth_comm(&s, 100, "sh", 100, 10);		// the last argument is the time
 *	synth_sample(&s, .pid = 5, .tid = 5, .time = 20, .ip = 0x1000);
 *	synth_write(&s, "perf.data") or synth_set() + synth_record()
 *	synth_release(&s);
 *
 * Every synth_ function appends one record to s->data.  Event n has the ids
 * 1000 * (n + 1) + 0 .. 2.  A record's sample_id trailer follows the event
 * s->trailer (an index, 0 unless set).
 */
#ifndef TESTS_SYNTH_H
#define TESTS_SYNTH_H

#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "base/strbuf.h"
#include "event/event.h"
#include "event/sample.h"

#define SYNTH_SAMPLE_TYPE                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define SYNTH_IDS    3
#define SYNTH_KERNEL PERF_RECORD_MISC_KERNEL
#define SYNTH_USER   PERF_RECORD_MISC_USER

struct synth_event {
	struct perf_event_attr attr;
	const char *name;
};

struct synth {
	bool swap;
	u32 trailer, cpu; /* belong to the side-band that follows */
	VEC(struct synth_event) events;
	struct strbuf data;
	VEC(size_t) at;          /* offset of each record in data */
	struct strbuf build_ids; /* feature section */
};

static inline void synth_init(struct synth *s, bool swap)
{
	*s = (struct synth){ .swap = swap };
}

static inline void synth_release(struct synth *s)
{
	vec_release(&s->events);
	vec_release(&s->at);
	strbuf_release(&s->data);
	strbuf_release(&s->build_ids);
}

static inline u32 synth_event(struct synth *s, const struct perf_event_attr *attr, const char *name)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000,
		.sample_type = SYNTH_SAMPLE_TYPE,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_TASK,
	};

	if (attr)
		a = *attr;
	a.size = ATTR_SIZE_VER7;
	vec_push(&s->events, (struct synth_event){ a, name });
	return (u32)s->events.count - 1;
}

static inline u64 synth_id(u32 event, u32 n)
{
	return 1000ULL * (event + 1) + n;
}

/* Appends a number in the file's byte order. */
static inline void synth_put(struct strbuf *b, u64 v, size_t size, bool swap)
{
	bool big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	u8 bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[big ? size - 1 - i : i] = (u8)(v >> (8 * i));
	strbuf_add(b, bytes, size);
}

static inline void synth_u64(struct synth *s, u64 v)
{
	synth_put(&s->data, v, 8, s->swap);
}

static inline void synth_u32(struct synth *s, u32 v)
{
	synth_put(&s->data, v, 4, s->swap);
}

static inline void synth_u16(struct synth *s, u16 v)
{
	synth_put(&s->data, v, 2, s->swap);
}

/* Appends a text with its NUL, padded to 8 bytes. */
static inline void synth_text(struct synth *s, const char *text)
{
	size_t n = strlen(text) + 1;

	strbuf_add(&s->data, text, n);
	strbuf_add(&s->data, "\0\0\0\0\0\0\0", (8 - n % 8) % 8);
}

static inline void synth_begin(struct synth *s, u32 type, u16 misc)
{
	vec_push(&s->at, s->data.len);
	synth_u32(s, type);
	synth_u16(s, misc);
	synth_u16(s, 0);
}

static inline void synth_end(struct synth *s)
{
	size_t begin = *vec_last(&s->at), size = s->data.len - begin;

	if (s->swap)
		size = (size & 0xff) << 8 | (size >> 8 & 0xff);
	memcpy(s->data.s + begin + 6, &(u16){ (u16)size }, 2);
}

/* Appends what sample_id_all adds to a record, and ends it. */
static inline void synth_end_side(struct synth *s, u32 pid, u32 tid, u64 time)
{
	const struct perf_event_attr *a = &s->events.items[s->trailer].attr;

	if (a->flags & ATTR_SAMPLE_ID_ALL) {
		if (a->sample_type & PERF_SAMPLE_TID) {
			synth_u32(s, pid);
			synth_u32(s, tid);
		}
		if (a->sample_type & PERF_SAMPLE_TIME)
			synth_u64(s, time);
		if (a->sample_type & PERF_SAMPLE_ID)
			synth_u64(s, synth_id(s->trailer, 0));
		if (a->sample_type & PERF_SAMPLE_STREAM_ID)
			synth_u64(s, synth_id(s->trailer, 0));
		if (a->sample_type & PERF_SAMPLE_CPU) {
			synth_u32(s, s->cpu);
			synth_u32(s, 0);
		}
		if (a->sample_type & PERF_SAMPLE_IDENTIFIER)
			synth_u64(s, synth_id(s->trailer, 0));
	}
	synth_end(s);
}

struct synth_map {
	u8 mode; /* 0: user */
	u32 pid, tid;
	u64 start, len, pgoff, time;
	const char *file;
	bool v1, data; /* MMAP rather than MMAP2; not executable */
	u32 maj, min;
	u64 ino;
	u8 build_id[20], build_id_size; /* in an MMAP2 */
};

static inline void synth_map(struct synth *s, const struct synth_map *m)
{
	u16 misc = m->mode ? m->mode : SYNTH_USER;

	if (m->v1 && m->data)
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (m->build_id_size)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	synth_begin(s, m->v1 ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2, misc);
	synth_u32(s, m->pid);
	synth_u32(s, m->tid);
	synth_u64(s, m->start);
	synth_u64(s, m->len);
	synth_u64(s, m->pgoff);
	if (m->build_id_size) {
		strbuf_add(&s->data, (u8[]){ m->build_id_size, 0, 0, 0 }, 4);
		strbuf_add(&s->data, m->build_id, 20);
	} else if (!m->v1) {
		synth_u32(s, m->maj);
		synth_u32(s, m->min);
		synth_u64(s, m->ino);
		synth_u64(s, 0);
	}
	if (!m->v1) {
		synth_u32(s, m->data ? 1 : 5); /* prot */
		synth_u32(s, 2);               /* flags: private */
	}
	synth_text(s, m->file);
	synth_end_side(s, m->pid, m->tid, m->time);
}
#define synth_map(s, ...) synth_map(s, &(struct synth_map){ __VA_ARGS__ })

static inline void synth_comm_misc(struct synth *s, u16 misc, u32 pid, u32 tid, const char *comm,
				   u64 time)
{
	synth_begin(s, PERF_RECORD_COMM, misc);
	synth_u32(s, pid);
	synth_u32(s, tid);
	synth_text(s, comm);
	synth_end_side(s, pid, tid, time);
}

static inline void synth_comm(struct synth *s, u32 pid, u32 tid, const char *comm, u64 time)
{
	synth_comm_misc(s, 0, pid, tid, comm, time);
}

static inline void synth_exec(struct synth *s, u32 pid, u32 tid, const char *comm, u64 time)
{
	synth_comm_misc(s, PERF_RECORD_MISC_COMM_EXEC, pid, tid, comm, time);
}

/*
 * Adds a FORK or EXIT record. type: PERF_RECORD_FORK or _EXIT; misc PERF_RECORD_MISC_FORK_EXEC:
 * written by perf itself
 */
static inline void synth_task(struct synth *s, u32 type, u16 misc, u32 pid, u32 ppid, u32 tid,
			      u32 ptid, u64 time)
{
	synth_begin(s, type, misc);
	synth_u32(s, pid);
	synth_u32(s, ppid);
	synth_u32(s, tid);
	synth_u32(s, ptid);
	synth_u64(s, time);
	synth_end_side(s, ppid, ptid, time);
}

/* Adds the FORK of a process by the leader of its parent. */
static inline void synth_fork(struct synth *s, u32 pid, u32 ppid, u64 time)
{
	synth_task(s, PERF_RECORD_FORK, 0, pid, ppid, pid, ppid, time);
}

static inline void synth_thread(struct synth *s, u32 pid, u32 tid, u64 time)
{
	synth_task(s, PERF_RECORD_FORK, 0, pid, pid, tid, pid, time);
}

static inline void synth_exit(struct synth *s, u32 pid, u32 tid, u64 time)
{
	synth_task(s, PERF_RECORD_EXIT, 0, pid, pid, tid, pid, time);
}

static inline void synth_ksymbol(struct synth *s, u64 addr, u32 len, bool remove, const char *name,
				 u64 time)
{
	synth_begin(s, PERF_RECORD_KSYMBOL, 0);
	synth_u64(s, addr);
	synth_u32(s, len);
	synth_u16(s, 1);
	synth_u16(s, remove);
	synth_text(s, name);
	synth_end_side(s, 0, 0, time);
}

static inline void synth_lost(struct synth *s, u64 id, u64 lost, u64 time)
{
	synth_begin(s, PERF_RECORD_LOST, 0);
	synth_u64(s, id);
	synth_u64(s, lost);
	synth_end_side(s, 0, 0, time);
}

static inline void synth_round(struct synth *s)
{
	synth_begin(s, PERF_RECORD_FINISHED_ROUND, 0);
	synth_end(s);
}

struct synth_sample {
	u32 event;
	u8 mode; /* 0: user */
	u32 pid, tid, cpu;
	u64 time, ip, addr, period, id; /* id 0: the event's first */
	const u64 *chain;
	size_t chain_count;
	const void *raw;
	u32 raw_size;
};

static inline void synth_sample(struct synth *s, const struct synth_sample *p)
{
	const struct perf_event_attr *a = &s->events.items[p->event].attr;
	u64 type = a->sample_type, id = p->id ? p->id : synth_id(p->event, 0);

	synth_begin(s, PERF_RECORD_SAMPLE, p->mode ? p->mode : SYNTH_USER);
	if (type & PERF_SAMPLE_IDENTIFIER)
		synth_u64(s, id);
	if (type & PERF_SAMPLE_IP)
		synth_u64(s, p->ip);
	if (type & PERF_SAMPLE_TID) {
		synth_u32(s, p->pid);
		synth_u32(s, p->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		synth_u64(s, p->time);
	if (type & PERF_SAMPLE_ADDR)
		synth_u64(s, p->addr);
	if (type & PERF_SAMPLE_ID)
		synth_u64(s, id);
	if (type & PERF_SAMPLE_STREAM_ID)
		synth_u64(s, id);
	if (type & PERF_SAMPLE_CPU) {
		synth_u32(s, p->cpu);
		synth_u32(s, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		synth_u64(s, p->period ? p->period : 1);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		synth_u64(s, p->chain_count);
		for (size_t i = 0; i < p->chain_count; i++)
			synth_u64(s, p->chain[i]);
	}
	if (type & PERF_SAMPLE_RAW) {
		/* the size makes the payload end on 8 bytes */
		u32 padded = ALIGN_UP(p->raw_size + 4, 8U) - 4;

		synth_u32(s, padded);
		strbuf_add(&s->data, p->raw, p->raw_size);
		strbuf_add(&s->data, "\0\0\0\0\0\0\0", padded - p->raw_size);
	}
	synth_end(s);
}
#define synth_sample(s, ...) synth_sample(s, &(struct synth_sample){ __VA_ARGS__ })

static inline void synth_build_id(struct synth *s, u16 misc, s32 pid, const u8 *id,
				  const char *name)
{
	size_t room = ALIGN_UP(strlen(name) + 1, 64U);
	struct strbuf *b = &s->build_ids;

	synth_put(b, PERF_RECORD_HEADER_BUILD_ID, 4, s->swap);
	synth_put(b, misc | 1U << 15, 2, s->swap); /* the size byte is there */
	synth_put(b, 8 + 4 + 24 + room, 2, s->swap);
	synth_put(b, (u32)pid, 4, s->swap);
	strbuf_add(b, id, 20);
	strbuf_add(b, (u8[]){ 20, 0, 0, 0 }, 4);
	strbuf_add(b, name, strlen(name));
	for (size_t n = strlen(name); n < room; n++)
		strbuf_char(b, '\0');
}

/* Builds an event_set like the file's. */
static inline void synth_set(const struct synth *s, struct event_set *set)
{
	struct reason r = REASON_INIT;

	event_set_init(set);
	for (u32 i = 0; i < s->events.count; i++) {
		const struct synth_event *e = &s->events.items[i];
		struct event *ev = event_set_add(set, &e->attr, e->name);

		for (u32 n = 0; n < SYNTH_IDS; n++)
			event_set_add_id(set, ev, synth_id(i, n));
	}
	set->swap = s->swap;
	if (event_set_finish(set, &r))
		abort();
}

static inline struct record synth_record(const struct synth *s, size_t n)
{
	const u8 *p = (const u8 *)s->data.s + s->at.items[n];
	u16 misc, size;
	u32 type;

	memcpy(&type, p, 4);
	memcpy(&misc, p + 4, 2);
	memcpy(&size, p + 6, 2);
	return (struct record){
		.type = s->swap ? __builtin_bswap32(type) : type,
		.misc = s->swap ? __builtin_bswap16(misc) : misc,
		.size = s->swap ? __builtin_bswap16(size) : size,
		.data = p,
		.position = s->at.items[n],
		.file_offset = s->at.items[n],
	};
}

/* Appends an attr of ATTR_SIZE_VER7 bytes. The order of the bit fields follows the byte order. */
static inline void synth_put_attr(struct strbuf *b, const struct perf_event_attr *a, bool swap)
{
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct strbuf flags = STRBUF_INIT;

	synth_put(b, a->type, 4, swap);
	synth_put(b, a->size, 4, swap);
	synth_put(b, a->config, 8, swap);
	synth_put(b, a->sample_period, 8, swap);
	synth_put(b, a->sample_type, 8, swap);
	synth_put(b, a->read_format, 8, swap);
	synth_put(&flags, a->flags, 8, host_big);
	for (size_t i = 0; swap != host_big && i < 8; i++) {
		u8 from = (u8)flags.s[i], to = 0;

		for (int bit = 0; bit < 8; bit++)
			to |= (u8)((from >> bit & 1) << (7 - bit));
		flags.s[i] = (char)to;
	}
	strbuf_add(b, flags.s, 8);
	strbuf_release(&flags);
	synth_put(b, a->wakeup_events, 4, swap);
	synth_put(b, a->bp_type, 4, swap);
	synth_put(b, a->config1, 8, swap);
	synth_put(b, a->config2, 8, swap);
	synth_put(b, a->branch_sample_type, 8, swap);
	synth_put(b, a->sample_regs_user, 8, swap);
	synth_put(b, a->sample_stack_user, 4, swap);
	synth_put(b, (u32)a->clockid, 4, swap);
	synth_put(b, a->sample_regs_intr, 8, swap);
	synth_put(b, a->aux_watermark, 4, swap);
	synth_put(b, a->sample_max_stack, 2, swap);
	synth_put(b, 0, 2, swap);
	synth_put(b, a->aux_sample_size, 4, swap);
	synth_put(b, a->aux_action, 4, swap);
	synth_put(b, a->sig_data, 8, swap);
}

/* Appends the bytes of a perf.data file to b. */
static inline void synth_file(const struct synth *s, struct strbuf *b)
{
	const size_t header = 104, ids = 8 * SYNTH_IDS, n = s->events.count;
	const size_t attrs = header + ids * n, entry = ATTR_SIZE_VER7 + 16;
	const size_t data = attrs + entry * n;
	bool swap = s->swap;

	synth_put(b, 0x32454c4946524550ULL, 8, swap);
	synth_put(b, header, 8, swap);
	synth_put(b, entry, 8, swap);
	synth_put(b, attrs, 8, swap);
	synth_put(b, entry * n, 8, swap);
	synth_put(b, data, 8, swap);
	synth_put(b, s->data.len, 8, swap);
	synth_put(b, 0, 8, swap);
	synth_put(b, 0, 8, swap);
	synth_put(b, s->build_ids.len ? 1U << FEATURE_BUILD_ID : 0, 8, swap);
	for (int i = 1; i < 4; i++)
		synth_put(b, 0, 8, swap);
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < SYNTH_IDS; k++)
			synth_put(b, synth_id(i, k), 8, swap);
	for (u32 i = 0; i < n; i++) {
		synth_put_attr(b, &s->events.items[i].attr, swap);
		synth_put(b, header + ids * i, 8, swap);
		synth_put(b, ids, 8, swap);
	}
	strbuf_add(b, strbuf_cstr(&s->data), s->data.len);
	if (s->build_ids.len) {
		synth_put(b, data + s->data.len + 16, 8, swap);
		synth_put(b, s->build_ids.len, 8, swap);
		strbuf_add(b, s->build_ids.s, s->build_ids.len);
	}
}

/* Appends the bytes that `perf record -o -` would write to b. */
static inline void synth_pipe(const struct synth *s, struct strbuf *b)
{
	bool swap = s->swap;

	synth_put(b, 0x32454c4946524550ULL, 8, swap);
	synth_put(b, 16, 8, swap);
	for (u32 i = 0; i < s->events.count; i++) {
		synth_put(b, PERF_RECORD_HEADER_ATTR, 4, swap);
		synth_put(b, 0, 2, swap);
		synth_put(b, 8 + ATTR_SIZE_VER7 + 8 * SYNTH_IDS, 2, swap);
		synth_put_attr(b, &s->events.items[i].attr, swap);
		for (u32 k = 0; k < SYNTH_IDS; k++)
			synth_put(b, synth_id(i, k), 8, swap);
	}
	strbuf_add(b, strbuf_cstr(&s->data), s->data.len);
	strbuf_add(b, strbuf_cstr(&s->build_ids), s->build_ids.len);
}

static inline int synth_write_bytes(const char *path, const struct strbuf *b)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(b->s, 1, b->len, f) == b->len;

	if (f && fclose(f))
		ok = false;
	return ok ? 0 : -1;
}

static inline int synth_write(const struct synth *s, const char *path)
{
	struct strbuf b = STRBUF_INIT;
	int err;

	synth_file(s, &b);
	err = synth_write_bytes(path, &b);
	strbuf_release(&b);
	return err;
}

#endif
