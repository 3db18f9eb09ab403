// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything in order of key, from a file.
 *
 * Blocks are loaded in order of their least time. A record may go out once its time is below the
 * least time of all blocks that are not loaded yet. That is exact whatever the order of flushes,
 * and holds only the blocks that overlap in time. Input that must be inflated comes in file order;
 * the suffix minima of pass 1 (spans) then replace the least times of blocks.
 *
 * Within a block the records are sorted as small turns. A heap keeps the loaded blocks by their
 * next key. All records that may go out now do so in one round: each block's part of the round
 * is a run, and runs are merged two at a time.
 *
 * Files whose blocks all overlap (written without rounds, damaged, or made to do so) would be held
 * whole. When more is held than order_most, the later half of it is dropped. The file is read again
 * for that half once the earlier half went out: a pass emits the records with from <= key < to.
 *
 * A thread that reads ahead of the callbacks does all of this (ahead.h).
 */
#include <errno.h>

#include "base/self_profile.h"
#include "base/trace.h"
#include "session/ahead.h"
#include "session/internal.h"

/* A loaded block and the key of its next record. */
struct head {
	struct order_key key;
	struct loaded *l;
};

/* The part of a block that goes out in a round. */
struct run {
	struct loaded *l;
	const struct turn *at, *end;
};

enum { AHEAD = 2048 }; /* bytes to prefetch: what the kernel just copied is in no near cache */

struct merge {
	struct session *s;
	const struct session_ops *ops;
	struct ahead ahead;
	bool blocks;
	/* blocks: their numbers by least time */
	u32 *by_time;
	size_t next, count;
	/* chunks in file order */
	u32 file;
	u64 position, time;
	size_t span;
	bool ended;
	struct order_key unread; /* the least key of any record that is not loaded yet */
	VEC(struct head) heap;
	VEC(struct loaded *) idle; /* for reuse of their memory */
	struct turns scratch;      /* scratch memory to sort any block */
	VEC(struct run) runs;      /* of the current round */
	struct turns round;        /* the turns of more than two runs, sorted */
	u64 held;                  /* bytes, of the heap */
	struct order_key from, to; /* the bounds of this pass */
};

static const struct order_key the_begin;
static const struct order_key the_end = { UINT64_MAX, UINT32_MAX, UINT64_MAX };

static bool before(const struct head *a, const struct head *b)
{
	return order_key_cmp(&a->key, &b->key) < 0;
}

static struct head head_of(struct loaded *l)
{
	return (struct head){ loaded_key(l), l };
}

/* Moves the first item of the heap down to its place. */
static void sift_down(struct merge *m)
{
	struct head *h = m->heap.items, moved = h[0];
	size_t i = 0, n = m->heap.count;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && before(&h[child + 1], &h[child]))
			child++;
		if (child >= n || !before(&h[child], &moved))
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = moved;
}

static void heap_add(struct merge *m, struct loaded *l)
{
	struct head *h, added = head_of(l);
	size_t i = m->heap.count;

	vec_push(&m->heap, added);
	h = m->heap.items;
	for (; i && before(&added, &h[(i - 1) / 2]); i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = added;
}

static void release_loaded(struct loaded *l)
{
	loaded_clear(l);
	vec_release(&l->turns);
	free(l);
}

static void make_idle(struct merge *m, struct loaded *l)
{
	enum { KEPT = 2 };

	if (m->idle.count == KEPT) {
		release_loaded(l);
		return;
	}
	loaded_clear(l);
	vec_push(&m->idle, l);
}

static struct loaded *heap_take_top(struct merge *m)
{
	struct loaded *top = m->heap.items[0].l;

	m->heap.items[0] = *vec_last(&m->heap);
	m->heap.count--;
	if (m->heap.count)
		sift_down(m);
	return top;
}

/* Blocks of batches that were delivered. */
static void collect(struct merge *m, struct turn_batch *b)
{
	vec_for_each(&b->done, l)
		make_idle(m, *l);
	vec_clear(&b->done);
}

static int pass_on(struct merge *m, struct reason *r)
{
	int err = ahead_pass_on(&m->ahead, AHEAD_BATCHES - 1, r);

	if (!err)
		collect(m, ahead_batch(&m->ahead));
	return err;
}

/* Waits until nothing that is loaded is in use. */
static int drain(struct merge *m, struct reason *r)
{
	int err = ahead_pass_on(&m->ahead, 0, r);

	for (unsigned i = 0; !err && i < AHEAD_BATCHES; i++)
		collect(m, &m->ahead.batches[i]);
	return err;
}

static struct loaded *take_idle(struct merge *m)
{
	if (m->idle.count)
		return m->idle.items[--m->idle.count];
	return xcalloc(1, sizeof(struct loaded));
}

/*
 * Returns the least key that a record not yet read can have. The unread part of a chunk's file
 * follows what was read, so equal times need not wait for it.
 */
static struct order_key least_unread(const struct merge *m)
{
	const struct session *s = m->s;

	if (m->blocks && m->next < m->count)
		return (struct order_key){
			.time = data_block_info(s->data, m->by_time[m->next])->min_time
		};
	if (m->blocks || m->ended || m->span >= s->spans.count)
		return the_end;
	return (struct order_key){ s->spans.items[m->span].min_time, m->file, m->position };
}

static bool unread(const struct merge *m)
{
	return m->blocks ? m->next < m->count : !m->ended;
}

/* Advances to the span of the next chunk's first record, or to one before it. */
static void advance_span(struct merge *m, const struct data_chunk *c)
{
	const struct span *spans = m->s->spans.items;

	m->file = c->file;
	m->position = c->position + c->size;
	while (m->span + 1 < m->s->spans.count &&
	       (spans[m->span + 1].file < m->file ||
		(spans[m->span + 1].file == m->file && spans[m->span + 1].position <= m->position)))
		m->span++;
}

static int fetch_chunk(struct merge *m, struct data_chunk *c, u64 *time, struct reason *r)
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

static int fetch(struct merge *m, struct data_chunk *c, u64 *time, struct reason *r)
{
	int got = fetch_chunk(m, c, time, r);

	m->unread = least_unread(m);
	return got;
}

static void release_idle(struct merge *m)
{
	vec_for_each(&m->idle, l)
		release_loaded(*l);
	vec_clear(&m->idle);
}

static inline void list(struct loaded *l, u64 time, size_t offset)
{
	vec_push(&l->turns, (struct turn){ time, &l->chunk, (u32)offset, (u32)offset });
}

/*
 * Lists the samples at offset *at of a block whose times are all at the same offset, without
 * decoding anything else. Returns the time of the last one.
 */
static u64 list_samples(const struct merge *m, struct loaded *l, size_t *at, u64 before)
{
	const struct data_chunk *c = &l->chunk;
	size_t time_at = m->s->set->sample_time_at, from = *at, least = time_at + 8, size;
	bool swap = c->swap;
	struct turns *turns = &l->turns;
	struct turn *t, *full;

	if (!turns->space)
		vec_reserve(turns, 1);
	t = turns->items + turns->count;
	full = turns->items + turns->space;
	for (; time_at && c->size - from >= least; from += size) {
		const u8 *p = c->data + from;

		size = load_u16(p + 6, swap);
		if (load_u32(p, swap) != PERF_RECORD_SAMPLE || size < least ||
		    size > c->size - from)
			break;
		__builtin_prefetch(p + AHEAD);
		__builtin_prefetch(p + AHEAD + 64);
		before = load_u64(p + time_at, swap);
		if (unlikely(t == full)) {
			turns->count = turns->space;
			vec_reserve(turns, turns->space + 1);
			t = turns->items + turns->count;
			full = turns->items + turns->space;
		}
		*t++ = (struct turn){ before, c, (u32)from, (u32)from };
	}
	turns->count = (size_t)(t - turns->items);
	*at = from;
	return before;
}

/* Reports whether this pass covers all of the file and a callback takes the samples. */
static bool takes_samples(const struct merge *m)
{
	return m->ops->sample && !order_key_cmp(&m->from, &the_begin) &&
	       !order_key_cmp(&m->to, &the_end);
}

static void list_records(struct merge *m, struct loaded *l, u64 time)
{
	const struct session_ops *ops = m->ops;
	struct order_key key = { .time = time, .file = l->chunk.file };
	bool samples = takes_samples(m);
	struct record rec;
	size_t at = 0, offset;

	phase_begin("pass 2: sort a block");
	vec_clear(&l->turns);
	for (;;) {
		if (samples)
			key.time = list_samples(m, l, &at, key.time);
		offset = at;
		if (!data_chunk_record(&l->chunk, &at, &rec))
			break;
		key.time = record_key_time(m->s->set, &rec, key.time);
		key.position = rec.position;
		if (ops_take(ops, rec.type) && order_key_cmp(&key, &m->from) >= 0 &&
		    order_key_cmp(&key, &m->to) < 0)
			list(l, key.time, offset);
	}
	m->time = key.time;
	turns_sort(&l->turns, &m->scratch);
	l->at = 0;
	phase_end_bytes(l->chunk.size);
}

/* Leaves the later half of what is held to the next pass, because too much is held. */
static int cut(struct merge *m, struct reason *r)
{
	size_t count = m->heap.count;
	struct loaded **list;
	int err = drain(m, r);

	if (err)
		return err;
	list = xcalloc(count, sizeof(struct loaded *));
	for (size_t i = 0; i < count; i++)
		list[i] = m->heap.items[i].l;
	m->to = loaded_middle(list, count);
	m->held = 0;
	m->heap.count = 0;
	for (size_t i = 0; i < count; i++) {
		loaded_cut(list[i], &m->to);
		if (list[i]->at == list[i]->turns.count) {
			make_idle(m, list[i]);
			continue;
		}
		m->held += loaded_bytes(list[i]);
		heap_add(m, list[i]);
	}
	free(list);
	release_idle(m);
	return 0;
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
	if (!l->turns.count) {
		make_idle(m, l);
		return 0;
	}
	m->held += loaded_bytes(l);
	heap_add(m, l);
	return m->held > m->s->order_most ? cut(m, r) : 0;
}

/* Returns the end of the block's turns below the key, which is not a key of the block. */
static const struct turn *run_end(const struct loaded *l, const struct order_key *below)
{
	return &l->turns.items[turns_below(&l->turns, l->at, below)];
}

/*
 * Adds a run in the order of places in the file, which at equal times is also the order of the
 * records.
 */
static void add_run(struct merge *m, struct run run)
{
	size_t i = m->runs.count;
	struct run *runs;

	vec_push(&m->runs, run);
	for (runs = m->runs.items; i; i--) {
		const struct data_chunk *before = &runs[i - 1].l->chunk, *c = &run.l->chunk;

		if (before->file < c->file ||
		    (before->file == c->file && before->position <= c->position))
			break;
		runs[i] = runs[i - 1];
	}
	runs[i] = run;
}

/* Takes the turns before the least key that is not loaded yet, as this round's runs. */
static void begin_round(struct merge *m)
{
	while (m->heap.count && order_key_cmp(&m->heap.items[0].key, &m->unread) < 0) {
		struct loaded *l = heap_take_top(m);

		add_run(m, (struct run){ l, &l->turns.items[l->at], run_end(l, &m->unread) });
	}
}

/*
 * Ends a round. Releases finished blocks together with the current batch, since their records are
 * in that batch or in earlier ones.
 */
static int end_round(struct merge *m, int err, struct reason *r)
{
	vec_for_each(&m->runs, run) {
		struct loaded *l = run->l;

		l->at = (size_t)(run->end - l->turns.items);
		if (l->at < l->turns.count) {
			heap_add(m, l);
			continue;
		}
		m->held -= loaded_bytes(l);
		vec_push(&ahead_batch(&m->ahead)->done, l);
		if (!err && ahead_is_full(&m->ahead))
			err = pass_on(m, r);
	}
	vec_clear(&m->runs);
	return err;
}

/* Copies turns of one run, as many as the batch has room for. */
static struct turn *copy(const struct turn **at, const struct turn *end, struct turn *to,
			 const struct turn *full)
{
	size_t count = MIN((size_t)(end - *at), (size_t)(full - to));

	memcpy(to, *at, count * sizeof(*to));
	*at += count;
	return to + count;
}

/* Passes on what two runs have together, one of which may be empty. */
static int emit_two(struct merge *m, struct run a, struct run b, struct reason *r)
{
	int err = 0;

	while (!err && (a.at < a.end || b.at < b.end)) {
		struct turn_batch *batch = ahead_batch(&m->ahead);
		struct turn *to = &batch->turns[batch->count];
		const struct turn *full = &batch->turns[MAX(ahead_most(&m->ahead), batch->count)];

		to = turns_merge(&a.at, a.end, &b.at, b.end, to, full);
		if (a.at == a.end)
			to = copy(&b.at, b.end, to, full);
		else if (b.at == b.end)
			to = copy(&a.at, a.end, to, full);
		batch->count = (u32)(to - batch->turns);
		if (ahead_is_full(&m->ahead))
			err = pass_on(m, r);
	}
	return err;
}

static int emit_many(struct merge *m, struct reason *r)
{
	struct turns *all = &m->round;
	struct run one;

	vec_clear(all);
	vec_for_each(&m->runs, run) {
		size_t count = (size_t)(run->end - run->at);

		vec_reserve(all, all->count + count);
		memcpy(all->items + all->count, run->at, count * sizeof(*all->items));
		all->count += count;
	}
	turns_sort(all, &m->scratch);
	one = (struct run){ .at = all->items, .end = all->items + all->count };
	return emit_two(m, one, (struct run){ 0 }, r);
}

static int emit_round(struct merge *m, struct reason *r)
{
	int err;

	begin_round(m);
	if (m->runs.count > 2)
		err = emit_many(m, r);
	else
		err = emit_two(m, m->runs.items[0],
			       m->runs.count > 1 ? m->runs.items[1] : (struct run){ 0 }, r);
	return end_round(m, err, r);
}

static bool must_load(const struct merge *m)
{
	if (!m->heap.count)
		return unread(m);
	return order_key_cmp(&m->unread, &m->heap.items[0].key) <= 0 && unread(m);
}

/* Starts again at the beginning of the file for the records that were left out. */
static int rewind_input(struct merge *m, struct reason *r)
{
	m->next = 0;
	m->file = 0;
	m->position = m->time = 0;
	m->span = 0;
	m->ended = false;
	m->unread = least_unread(m);
	return m->blocks ? 0 : data_rewind(m->s->data, r);
}

static int pass(struct merge *m, struct reason *r)
{
	int err = rewind_input(m, r);

	while (!err && (m->heap.count || unread(m)))
		err = must_load(m) ? load(m, r) : emit_round(m, r);
	return err;
}

static int run(void *arg, struct reason *r)
{
	struct merge *m = arg;
	int err;

	for (;;) {
		m->to = the_end;
		err = pass(m, r);
		if (err || !order_key_cmp(&m->to, &the_end))
			return err;
		TRACE(session, "pass 2: too much overlaps; again from time %" PRIu64, m->to.time);
		m->from = m->to;
	}
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

void session_piece_made(struct session *s, size_t bytes)
{
	if (s->ahead)
		ahead_piece_made(s->ahead, bytes);
}

void session_give_job(struct session *s, struct session_job *job)
{
	if (s->ahead)
		ahead_give_job(s->ahead, job);
	else
		session_do_job(job);
}

int session_run_ordered(struct session *s, const struct session_ops *ops, void *arg,
			struct reason *r)
{
	struct merge m = { .s = s, .ops = ops };
	unsigned workers = ops->piece_end ? s->workers : 1;
	struct deliver *d = xcalloc_apart(workers, sizeof(*d));
	int err;

	for (unsigned i = 0; i < workers; i++)
		deliver_init(&d[i], s, ops, ops->piece_end ? ops->piece_args[i] : arg, i);
	ahead_init(&m.ahead, d, workers);
	if (ops->piece_makes)
		m.ahead.most = AHEAD_FIRST;
	order_blocks(&m);
	TRACE(session, "pass 2: %zu blocks in order of their least times", (size_t)m.count);
	/* the reader caches it at the first call, before there are other threads */
	data_arch(s->data);
	if (s->workers > 1)
		session_begin_loader(s, ops);
	s->ahead = &m.ahead;
	err = ahead_run(&m.ahead, s->workers > 1 && m.count != 1, run, &m, r);
	s->ahead = NULL;
	session_end_loader(s);
	for (unsigned i = 0; i < AHEAD_BATCHES; i++)
		collect(&m, &m.ahead.batches[i]);
	ahead_release(&m.ahead);
	vec_for_each(&m.heap, h)
		release_loaded(h->l);
	release_idle(&m);
	vec_release(&m.heap);
	vec_release(&m.idle);
	vec_release(&m.runs);
	vec_release(&m.round);
	vec_release(&m.scratch);
	free(m.by_time);
	for (unsigned i = 0; i < workers; i++)
		deliver_release(&d[i]);
	free(d);
	return err;
}
