// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What can be read only once: records wait in a window until their order is known.
 *
 * At the end of a round everything goes out that is not newer than the newest record of the round
 * before: a ring that is emptied later can hold nothing older. The history grows with the records
 * that go out. Where rounds do not come in time, a stream's older half goes out early, since its
 * samples cannot be read again. A live session drops samples instead, as they come.
 */

#include "base/trace.h"
#include "session/internal.h"

#define WINDOW_BYTES (256ULL << 20)

struct held {
	struct data_chunk chunk; /* of a loan without its bytes */
	struct window_owner owner;
	size_t waiting; /* records that did not go out yet */
	u32 next_free;
};

struct window {
	struct session *s;
	struct entries entries;
	VEC(struct held) held;
	u32 free_held;              /* index + 1 */
	u64 held_bytes, most_bytes; /* sizes of chunks */
	struct session_shedder shedder;
	u8 *lent;             /* a record of a loan, without its stack; NULL until the first */
	struct sample sample; /* to find the stack */
	u64 time;             /* the time of the previous record, for records without one */
	u64 newest;           /* time seen */
	u64 round_newest;     /* newest, at the end of the round before */
	struct order_key out; /* the key of the newest record that went out */
};

struct window *window_new(struct session *s)
{
	struct window *w = xcalloc(1, sizeof(*w));

	w->s = s;
	w->most_bytes = WINDOW_BYTES;
	return w;
}

void window_limit(struct window *w, u64 bytes)
{
	w->most_bytes = bytes ? bytes : WINDOW_BYTES;
}

u64 window_held(const struct window *w)
{
	return w->held_bytes;
}

struct order_key window_out(const struct window *w)
{
	return w->out;
}

/* Releases the owner's bytes. Returns false if the bytes belong to the reader. */
static bool release_owned(struct window *w, const struct window_owner *o)
{
	if (o->loan)
		o->loan->over(o->loan);
	else if (o->given)
		w->s->give_back(w->s->give_back_arg, o->copy);
	else
		free(o->copy);
	return o->loan || o->copy;
}

static void release_held(struct window *w, u32 index)
{
	struct held *h = &w->held.items[index];

	w->held_bytes -= h->chunk.size;
	if (!release_owned(w, &h->owner))
		data_chunk_release(&h->chunk);
	*h = (struct held){ .next_free = w->free_held };
	w->free_held = index + 1;
}

void window_drop_held(struct window *w)
{
	for (u32 i = 0; i < w->held.count; i++)
		if (w->held.items[i].waiting)
			release_held(w, i);
	vec_clear(&w->entries);
}

void window_free(struct window *w)
{
	if (!w)
		return;
	window_drop_held(w);
	vec_release(&w->held);
	entries_release(&w->entries);
	free(w->lent);
	free(w);
}

static u32 hold(struct window *w, const struct data_chunk *c)
{
	u32 index = w->free_held - 1;

	if (w->free_held) {
		w->free_held = w->held.items[index].next_free;
	} else {
		index = (u32)w->held.count;
		vec_push_zero(&w->held);
	}
	w->held.items[index] = (struct held){ .chunk = *c };
	w->held_bytes += c->size;
	return index;
}

/*
 * Gives a record older than those that went out their time, so it goes out next. A record without a
 * time does not count as late.
 */
static void catch_up(struct window *w, struct deliver *d, struct order_key *key)
{
	if (order_key_cmp(key, &w->out) >= 0)
		return;
	if (key->time) {
		d->counts.stats.late++;
		TRACE(session, "late: a record of time %" PRIu64 " after one of time %" PRIu64,
		      key->time, w->out.time);
		condition_add(&d->conditions, CONDITION_WARNING, "late-records", NULL, key, 1, NULL,
			      "records came too late to be put in order");
	}
	key->time = w->out.time;
}

/* Copies the record except its stack; d->lent says where the stack is. */
static void copy_but_stack(struct window *w, struct deliver *d, const struct record *rec,
			   size_t offset)
{
	size_t before = rec->size, stack = 0;

	if (rec->type == PERF_RECORD_SAMPLE && !sample_decode(w->s->set, rec, &w->sample, NULL) &&
	    w->sample.stack_size) {
		before = (size_t)(w->sample.stack - rec->data);
		stack = (size_t)w->sample.stack_size;
	}
	if (before + stack > rec->size) /* overwritten meanwhile: read it again */
		return;
	memcpy(w->lent, rec->data, before);
	memcpy(w->lent + before + stack, rec->data + before + stack, rec->size - before - stack);
	d->lent.at = offset + before;
	d->lent.stack = stack > 0;
}

/* Reads bytes that may move meanwhile; false: there is no whole record. */
static bool read_lent(struct window *w, struct deliver *d, struct held *h, size_t offset,
		      struct record *rec)
{
	enum { MOST = 1 << 16 }; /* more than a record's size can be */

	struct session_loan *loan = h->owner.loan;
	bool found;

	if (!w->lent)
		w->lent = xmalloc(MOST);
	d->lent = (struct lent_stack){ .loan = loan };
	do {
		size_t at = offset;

		h->chunk.data = __atomic_load_n(&loan->bytes, __ATOMIC_ACQUIRE);
		found = data_chunk_record(&h->chunk, &at, rec);
		if (found)
			copy_but_stack(w, d, rec, offset);
	} while (!session_loan_stayed(loan, h->chunk.data));
	rec->data = w->lent;
	return found;
}

static bool read_record(struct window *w, struct deliver *d, struct held *h, size_t offset,
			struct record *rec)
{
	if (unlikely(h->owner.loan))
		return read_lent(w, d, h, offset, rec);
	d->lent.loan = NULL;
	return data_chunk_record(&h->chunk, &offset, rec);
}

static int emit(struct window *w, struct deliver *d, const struct entry *e, struct reason *r)
{
	struct held *h = &w->held.items[e->chunk];
	struct record rec;

	w->out = e->key;
	if (unlikely(w->s->jit.next)) {
		session_jit_map_until(w->s, e->key.time);
		history_forget(&d->recent);
	}
	if (!read_record(w, d, h, e->offset, &rec))
		return 0;
	if (history_wants(rec.type))
		deliver_sideband(d, &rec, &e->key);
	session_apply_new_build_ids(w->s);
	return deliver(d, &rec, &e->key, r);
}

/* Calls back everything up to time, in order. */
static int flush_to(struct window *w, struct deliver *d, u64 time, struct reason *r)
{
	struct entries *e = &w->entries;
	size_t n = 0;
	int err = 0;

	entries_sort(e);
	session_jit_read_more(w->s);
	while (!err && n < e->count && e->items[n].key.time <= time) {
		u32 chunk = e->items[n].chunk;

		err = emit(w, d, &e->items[n++], r);
		if (!--w->held.items[chunk].waiting)
			release_held(w, chunk);
	}
	e->count -= n;
	if (n && e->count)
		memmove(e->items, e->items + n, e->count * sizeof(*e->items));
	return err;
}

int window_round(struct window *w, struct deliver *d, struct reason *r)
{
	int err = flush_to(w, d, w->round_newest, r);

	w->round_newest = w->newest;
	return err;
}

int window_flush(struct window *w, struct deliver *d, struct reason *r)
{
	return flush_to(w, d, UINT64_MAX, r);
}

/*
 * Calls back the older half of the records when the limit is exceeded, because rounds are missing
 * or too long.
 */
static int make_room(struct window *w, struct deliver *d, struct reason *r)
{
	struct entries *e = &w->entries;

	if (!w->s->data || w->held_bytes <= w->most_bytes || !e->count)
		return 0;
	entries_sort(e);
	return flush_to(w, d, e->items[e->count / 2].key.time, r);
}

static int take(struct window *w, struct deliver *d, u32 chunk, const struct record *rec,
		size_t offset, struct reason *r)
{
	struct order_key key = { .file = w->held.items[chunk].chunk.file,
				 .position = rec->position };

	counts_record(&d->counts, w->s->set, rec);
	if (rec->type == PERF_RECORD_CALLCHAIN_DEFERRED)
		deferred_keep(w->s, rec);
	if (rec->type == PERF_RECORD_FINISHED_ROUND) {
		int err = window_round(w, d, r);

		if (err)
			return err;
	}
	/*
	 * A round belongs where it ends. The payload of AUX data can be read only now, and its
	 * records have no time.
	 */
	if (rec->type == PERF_RECORD_FINISHED_ROUND || rec->type == PERF_RECORD_AUXTRACE)
		return deliver(d, rec, &w->out, r);
	if (rec->type == PERF_RECORD_TIME_CONV)
		jit_clock_take(&w->s->jit.clock, rec->data, rec->size, w->s->set->swap);
	key.time = record_key_time(w->s->set, rec, w->time);
	session_note_loss(w->s, rec, w->time, key.time);
	w->time = key.time;
	if (!history_wants(rec->type) && !ops_take(d->ops, rec->type))
		return 0;
	w->newest = MAX(w->newest, key.time);
	catch_up(w, d, &key);
	vec_push(&w->entries, (struct entry){ key, chunk, (u32)offset });
	w->held.items[chunk].waiting++;
	return 0;
}

/* Replaces the chunk by a copy with fewer samples, as large as what is left. */
static void shed(struct window *w, struct deliver *d, struct data_chunk *c,
		 struct window_owner *owner)
{
	u64 dropped = w->shedder.dropped;
	u8 *bytes = xmalloc(c->size + 1);
	struct record rec;
	size_t at = 0, left = 0;

	while (data_chunk_record(c, &at, &rec)) {
		if (rec.type == PERF_RECORD_SAMPLE &&
		    session_sheds(&w->shedder, w->held_bytes, w->most_bytes))
			continue;
		memcpy(bytes + left, rec.data, rec.size);
		left += rec.size;
	}
	bytes = xrealloc(bytes, left + 1);
	c->data = bytes;
	c->size = left;
	d->counts.stats.dropped += w->shedder.dropped - dropped;
	release_owned(w, owner);
	*owner = (struct window_owner){ .copy = bytes };
}

int window_push(struct window *w, struct deliver *d, struct data_chunk *c,
		const struct window_owner *owner, struct reason *r)
{
	struct window_owner o = *owner;
	struct record rec;
	size_t at = 0, offset = 0;
	int err = 0;
	u32 chunk;

	if ((o.copy || o.loan) && w->held_bytes >= w->most_bytes / 2)
		shed(w, d, c, &o);
	chunk = hold(w, c);
	w->held.items[chunk].owner = o;
	w->held.items[chunk].waiting = 1; /* counted so that the chunk stays while it is read */
	for (; !err && data_chunk_record(c, &at, &rec); offset = at)
		err = take(w, d, chunk, &rec, offset, r);
	if (o.loan)
		o.loan->pushed(o.loan);
	if (!--w->held.items[chunk].waiting)
		release_held(w, chunk);
	return err ? err : make_room(w, d, r);
}

bool session_sheds(struct session_shedder *s, u64 held, u64 most)
{
	u64 one_in;

	if (held < most / 2)
		return false;
	one_in = held < most - most / 4 ? 2 : 4;
	if (held < most && s->samples++ % one_in == 0)
		return false;
	s->dropped++;
	return true;
}
