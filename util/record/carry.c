// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks that have ended when the next file of --switch-output=SIZE begins, although the rings still
 * have samples of them. /proc no longer knows them, so their records from the previous file are
 * written again.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "record/internal.h"

enum { PID_AT = 8, TID_AT = 16, LEAST_SIZE = 16 };

static bool is_mapping(u32 type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2;
}

/*
 * Reports whether the record is about a task. All such records have the pid after the header; EXIT
 * has the tid eight bytes further on.
 */
static bool is_of_task(u32 type, size_t size)
{
	return size >= LEAST_SIZE &&
	       (is_mapping(type) || type == PERF_RECORD_COMM || type == PERF_RECORD_FORK ||
		type == PERF_RECORD_EXIT || type == PERF_RECORD_NAMESPACES);
}

static const u8 *at_offset(const struct ring_data *d, size_t at)
{
	return at < d->first_size ? d->first + at : d->second + (at - d->first_size);
}

/* Adds a record from a ring. Its header is never split by the ring's end; the rest may be. */
static void add_record(struct strbuf *to, const struct ring_data *d, size_t at, size_t size)
{
	size_t before = at < d->first_size ? MIN(size, d->first_size - at) : size;

	strbuf_add(to, at_offset(d, at), before);
	strbuf_add(to, d->second, size - before);
}

static bool ends_process(u32 type, const u8 *record, size_t size)
{
	return type == PERF_RECORD_EXIT && size >= TID_AT + 4 &&
	       load_u32(record + PID_AT, false) == load_u32(record + TID_AT, false);
}

void carried_note(struct carried_tasks *c, const struct ring_data *d)
{
	size_t end = d->first_size + d->second_size;

	pthread_mutex_lock(&c->lock);
	c->noted += end;
	for (size_t at = 0, size; at + PID_AT <= end; at += size) {
		const u8 *p = at_offset(d, at);
		u32 type = load_u32(p, false), pid;

		size = load_u16(p + 6, false);
		if (size < PID_AT || size > end - at)
			break; /* cannot happen: the kernel wrote this record */
		if (!is_of_task(type, size))
			continue;
		add_record(&c->records, d, at, size);
		p = (const u8 *)c->records.s + c->records.len - size;
		pid = load_u32(p + PID_AT, false);
		map64_put(&c->recorded, pid, NULL);
		if (ends_process(type, p, size))
			*map64_put(&c->ended, pid, NULL) = c->noted;
	}
	pthread_mutex_unlock(&c->lock);
}

struct walk {
	const struct strbuf *b;
	size_t at, size;
	u32 type, pid;
};

static bool next_record(struct walk *w)
{
	for (w->at += w->size; w->at + PID_AT <= w->b->len; w->at += w->size) {
		const u8 *p = (const u8 *)w->b->s + w->at;

		w->type = load_u32(p, false);
		w->size = load_u16(p + 6, false);
		if (w->size < PID_AT)
			return false;
		if (!is_of_task(w->type, w->size))
			continue;
		w->pid = load_u32(p + PID_AT, false);
		return true;
	}
	return false;
}

/*
 * Drops the tasks that /proc listed with their mappings, and those that ended so long ago that no
 * ring can have a sample of theirs. Rings are read one after the other: the end of a process may be
 * read from the ring of one CPU before what it did on another.
 */
static void list_needless(struct carried_tasks *c, const struct strbuf *begin, u64 ring_bytes,
			  struct map64 *out)
{
	for (struct walk w = { .b = begin }; next_record(&w);)
		if (is_mapping(w.type)) {
			map64_put(out, w.pid, NULL);
			map64_remove(&c->ended, w.pid);
		}
	for (struct walk w = { .b = &c->records }; next_record(&w);) {
		bool seems_alive;
		u64 *end;

		if (map64_get(out, w.pid))
			continue;
		end = map64_put(&c->ended, w.pid, &seems_alive);
		if (seems_alive)
			*end = c->noted + 1; /* the record of its end is still to come, or lost */
		if (*end > c->drained && c->noted < *end + ring_bytes)
			continue;
		map64_put(out, w.pid, NULL);
		map64_remove(&c->recorded, w.pid);
		map64_remove(&c->ended, w.pid);
	}
}

u64 carried_noted(struct carried_tasks *c)
{
	u64 noted;

	pthread_mutex_lock(&c->lock);
	noted = c->noted;
	pthread_mutex_unlock(&c->lock);
	return noted;
}

void carried_drained(struct carried_tasks *c, u64 noted)
{
	c->drained = noted;
}

void carried_begin(struct carried_tasks *c, struct strbuf *begin, u64 ring_bytes)
{
	struct strbuf kept = STRBUF_INIT;
	struct map64 needless = { 0 };

	pthread_mutex_lock(&c->lock);
	for (struct walk w = { .b = begin }; !c->begun && next_record(&w);)
		if (is_mapping(w.type)) /* not kernel threads */
			map64_put(&c->recorded, w.pid, NULL);
	c->begun = true;
	list_needless(c, begin, ring_bytes, &needless);
	for (struct walk w = { .b = &c->records }; next_record(&w);)
		if (map64_get(&c->recorded, w.pid) && !map64_get(&needless, w.pid))
			strbuf_add(&kept, c->records.s + w.at, w.size);
	strbuf_clear(&c->records);
	strbuf_add(&c->records, strbuf_cstr(&kept), kept.len);
	strbuf_add(&c->records, strbuf_cstr(begin), begin->len);
	strbuf_add(begin, strbuf_cstr(&kept), kept.len);
	pthread_mutex_unlock(&c->lock);
	map64_release(&needless);
	strbuf_release(&kept);
}

struct carried_tasks *carried_new(void)
{
	struct carried_tasks *c = xcalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void carried_free(struct carried_tasks *c)
{
	if (!c)
		return;
	pthread_mutex_destroy(&c->lock);
	strbuf_release(&c->records);
	map64_release(&c->recorded);
	map64_release(&c->ended);
	free(c);
}
