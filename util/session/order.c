// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything in order of key, from a file.
 *
 * Blocks are loaded in order of their least time; a record may go out once its
 * time is below the least time of all blocks that are not loaded yet.  That is
 * exact whatever the order of flushes, and holds only the blocks that overlap
 * in time.  What must be inflated comes in file order, and the suffix minima of
 * pass 1 (spans) take the place of the blocks' least times.
 *
 * Within a block the records are sorted as small entries; a heap of loaded
 * blocks by their next key does the merge.
 */
#include <errno.h>

#include "session/internal.h"

struct loaded {
	struct data_chunk chunk;
	struct entries entries;
	size_t at;
};

struct merge {
	struct session *s;
	struct deliver d;
	bool blocks;
	/* blocks: their numbers by least time */
	u32 *by_time;
	size_t next, count;
	/* chunks in file order */
	u32 file;
	u64 position, time;
	size_t span;
	bool ended;
	VEC(struct loaded *) heap;
	VEC(struct loaded *) idle; /* their memory is used again */
};

static const struct order_key *head_key(const struct loaded *l)
{
	return &l->entries.items[l->at].key;
}

static bool before(const struct loaded *a, const struct loaded *b)
{
	return order_key_cmp(head_key(a), head_key(b)) < 0;
}

static void sift_down(struct merge *m)
{
	struct loaded **h = m->heap.items, *t;
	size_t i = 0, n = m->heap.count;

	for (;;) {
		size_t least = i, child = 2 * i + 1;

		for (size_t c = child; c < n && c < child + 2; c++)
			if (before(h[c], h[least]))
				least = c;
		if (least == i)
			return;
		t = h[i];
		h[i] = h[least];
		h[least] = t;
		i = least;
	}
}

static void heap_add(struct merge *m, struct loaded *l)
{
	struct loaded **h;
	size_t i = m->heap.count;

	vec_push(&m->heap, l);
	h = m->heap.items;
	for (; i && before(l, h[(i - 1) / 2]); i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = l;
}

static void heap_drop_top(struct merge *m)
{
	struct loaded *top = m->heap.items[0];

	data_chunk_release(&top->chunk);
	vec_push(&m->idle, top);
	m->heap.items[0] = *vec_last(&m->heap);
	m->heap.count--;
	if (m->heap.count)
		sift_down(m);
}

static struct loaded *take_idle(struct merge *m)
{
	if (m->idle.count)
		return m->idle.items[--m->idle.count];
	return xcalloc(1, sizeof(struct loaded));
}

/* Least time that a record not loaded yet may have. */
static u64 least_unread(struct merge *m)
{
	struct session *s = m->s;

	if (m->blocks)
		return m->next < m->count
			       ? data_block_info(s->data, m->by_time[m->next])->min_time
			       : UINT64_MAX;
	if (m->ended || m->span >= s->spans.count)
		return UINT64_MAX;
	return s->spans.items[m->span].min_time;
}

static bool unread(const struct merge *m)
{
	return m->blocks ? m->next < m->count : !m->ended;
}

/* The span that the next chunk's first record is in, or one before it. */
static void advance_span(struct merge *m, const struct data_chunk *c)
{
	const struct span *spans = m->s->spans.items;

	m->file = c->file;
	m->position = c->position + c->size;
	while (m->span + 1 < m->s->spans.count &&
	       (spans[m->span + 1].file < m->file ||
		(spans[m->span + 1].file == m->file &&
		 spans[m->span + 1].position <= m->position)))
		m->span++;
}

static int fetch(struct merge *m, struct data_chunk *c, u64 *time, struct reason *r)
{
	int got;

	if (m->blocks) {
		size_t block = m->by_time[m->next++];

		*time = data_block_info(m->s->data, block)->first_order;
		got = data_block(m->s->data, block, c, r);
		return got ? got : 1;
	}
	got = data_next(m->s->data, c, r);
	if (got <= 0) {
		m->ended = true;
		return got;
	}
	if (c->file != m->file)
		m->time = 0;
	*time = m->time;
	advance_span(m, c);
	return 1;
}

static void list_records(struct merge *m, struct loaded *l, u64 time)
{
	const struct session_ops *ops = m->d.ops;
	struct order_key key = { .time = time, .file = l->chunk.file };
	struct record rec;
	size_t at = 0, offset = 0;

	vec_clear(&l->entries);
	for (; data_chunk_record(&l->chunk, &at, &rec); offset = at) {
		key.time = record_key_time(m->s->set, &rec, key.time);
		key.position = rec.position;
		if (ops_take(ops, rec.type))
			vec_push(&l->entries,
				 (struct entry){ .key = key, .offset = (u32)offset });
	}
	m->time = key.time;
	entries_sort(&l->entries);
	l->at = 0;
}

static int load(struct merge *m, struct reason *r)
{
	struct loaded *l;
	u64 time = 0;
	int got;

	if (context_cancelled(m->s->ctx))
		return reason_set(r, EINTR, "interrupted");
	l = take_idle(m);
	got = fetch(m, &l->chunk, &time, r);
	if (got <= 0) {
		vec_push(&m->idle, l);
		return got;
	}
	list_records(m, l, time);
	if (l->entries.count) {
		heap_add(m, l);
	} else {
		data_chunk_release(&l->chunk);
		vec_push(&m->idle, l);
	}
	return 0;
}

/* The least key that may come between the top's records. */
static struct order_key run_limit(struct merge *m)
{
	struct order_key limit = { UINT64_MAX, UINT32_MAX, UINT64_MAX };

	if (unread(m))
		limit = (struct order_key){ .time = least_unread(m) };
	for (size_t c = 1; c < m->heap.count && c < 3; c++)
		if (order_key_cmp(head_key(m->heap.items[c]), &limit) < 0)
			limit = *head_key(m->heap.items[c]);
	return limit;
}

/* All records of the top block that nothing can precede. */
static int emit_run(struct merge *m, struct reason *r)
{
	struct order_key limit = run_limit(m);
	struct loaded *top = m->heap.items[0];
	int err = 0;

	while (!err && top->at < top->entries.count) {
		const struct entry *e = &top->entries.items[top->at];
		struct record rec;
		size_t at = e->offset;

		if (order_key_cmp(&e->key, &limit) >= 0)
			break;
		top->at++;
		if (data_chunk_record(&top->chunk, &at, &rec))
			err = deliver(&m->d, &rec, &e->key, r);
	}
	if (top->at == top->entries.count)
		heap_drop_top(m);
	else
		sift_down(m);
	return err;
}

static int run(struct merge *m, struct reason *r)
{
	int err = 0;

	while (!err && (m->heap.count || unread(m))) {
		bool must_load = unread(m) &&
				 (!m->heap.count ||
				  least_unread(m) <= head_key(m->heap.items[0])->time);

		err = must_load ? load(m, r) : emit_run(m, r);
	}
	return err;
}

static int by_least_time(const void *pa, const void *pb, void *arg)
{
	u32 a = *(const u32 *)pa, b = *(const u32 *)pb;
	u64 x = data_block_info(arg, a)->min_time, y = data_block_info(arg, b)->min_time;

	if (x != y)
		return x < y ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void order_blocks(struct merge *m)
{
	struct data_reader *data = m->s->data;

	m->count = data_block_count(data);
	m->blocks = m->count > 0;
	m->by_time = xcalloc(m->count, sizeof(*m->by_time));
	for (u32 i = 0; i < m->count; i++)
		m->by_time[i] = i;
	if (m->count)
		qsort_r(m->by_time, m->count, sizeof(*m->by_time), by_least_time, data);
}

static void release_loaded(struct loaded *l)
{
	entries_release(&l->entries);
	free(l);
}

int session_run_ordered(struct session *s, const struct session_ops *ops, void *arg,
			struct reason *r)
{
	struct merge m = { .s = s };
	int err;

	deliver_init(&m.d, s, ops, arg, 0);
	order_blocks(&m);
	err = m.blocks ? 0 : data_rewind(s->data, r);
	if (!err)
		err = run(&m, r);
	vec_for_each(&m.heap, l) {
		data_chunk_release(&(*l)->chunk);
		release_loaded(*l);
	}
	vec_for_each(&m.idle, l)
		release_loaded(*l);
	vec_release(&m.heap);
	vec_release(&m.idle);
	free(m.by_time);
	deliver_release(&m.d);
	return err;
}
