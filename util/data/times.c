// SPDX-License-Identifier: GPL-2.0-or-later
#include "data/times.h"

#include "base/bytes.h"
#include "data/order.h"
#include "data/writer_internal.h"

enum { UPDATE_TIMES = 254 }; /* no perf has so many types */

/* Words of a record after its header. */
enum { TYPE, ID, STATE, ENABLED, RUNNING, WORDS };

static void add_record(struct strbuf *b, const struct event *ev, const struct data_time *t)
{
	const struct record_header h = { .type = PERF_RECORD_EVENT_UPDATE,
					 .size = sizeof(h) + 8 * WORDS };
	const u64 words[WORDS] = {
		[TYPE] = UPDATE_TIMES,  [ID] = ev->ids.items[0], [STATE] = t->state,
		[ENABLED] = t->enabled, [RUNNING] = t->running,
	};

	strbuf_add(b, &h, sizeof(h));
	strbuf_add(b, words, sizeof(words));
}

int data_write_times(struct data_writer *w, const struct event_set *set, const struct data_times *t,
		     struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err;

	vec_for_each(&set->list, it) {
		const struct event *ev = *it;

		if (ev->index < t->list.count && ev->ids.count &&
		    t->list.items[ev->index].state != DATA_TIME_NONE)
			add_record(&b, ev, &t->list.items[ev->index]);
	}
	if (w->swap)
		order_records(b.s, b.len, WORDS);
	err = b.len ? data_write(w, b.s, b.len, r) : 0;
	strbuf_release(&b);
	return err;
}

static u64 word(const struct record *rec, size_t i, bool swap)
{
	return load_u64(rec->data + sizeof(struct record_header) + 8 * i, swap);
}

bool data_is_time(const struct record *rec, bool swap)
{
	return rec->type == PERF_RECORD_EVENT_UPDATE &&
	       rec->size >= sizeof(struct record_header) + 8 * WORDS &&
	       word(rec, TYPE, swap) == UPDATE_TIMES;
}

void data_take_time(struct data_times *t, const struct event_set *set, const struct record *rec)
{
	const struct event *ev;
	struct data_time time;
	u64 state;

	if (!data_is_time(rec, set->swap))
		return;
	ev = event_by_id(set, word(rec, ID, set->swap));
	state = word(rec, STATE, set->swap);
	time.enabled = word(rec, ENABLED, set->swap);
	time.running = word(rec, RUNNING, set->swap);
	if (!ev || !state || state > DATA_TIME_KNOWN || time.running > time.enabled)
		return;
	time.state = (enum data_time_state)state;
	while (t->list.count <= ev->index)
		vec_push_zero(&t->list);
	t->list.items[ev->index] = time;
}
