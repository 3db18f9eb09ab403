// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracer/state.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct tracer_entry {
	union {
		u64 epoch;                 /* the last loss that it has handled */
		struct tracer_entry *next; /* while it is unused */
	};
	alignas(max_align_t) u8 bytes[];
};

static struct tracer_entry *entry_of(u64 value)
{
	return (struct tracer_entry *)(uintptr_t)value;
}

static void clear(const struct tracer_states *s, struct tracer_entry *e)
{
	if (s->clear)
		s->clear(e->bytes);
}

static void entry_free(const struct tracer_states *s, struct tracer_entry *e)
{
	clear(s, e);
	free(e);
}

/* States of waits come and go with each pair of events: their memory is used again. */
static void make_spare(struct tracer_states *s, struct tracer_entry *e)
{
	clear(s, e);
	e->next = s->spare;
	s->spare = e;
}

static struct tracer_entry *new_entry(struct tracer_states *s)
{
	struct tracer_entry *e = s->spare;

	if (!e)
		return xcalloc(1, sizeof(*e) + s->size);
	s->spare = e->next;
	memset(e->bytes, 0, s->size);
	return e;
}

/* Resets an entry that is older than the last loss. */
static void renew(struct tracer_states *s, struct tracer_entry *e)
{
	if (e->epoch == s->epoch)
		return;
	clear(s, e);
	memset(e->bytes, 0, s->size);
	e->epoch = s->epoch;
	s->lost++;
}

void *tracer_state(struct tracer_states *s, u64 key)
{
	bool added;
	u64 *slot = map64_put(&s->by_key, key, &added);
	struct tracer_entry *e;

	if (added) {
		e = new_entry(s);
		e->epoch = s->epoch;
		*slot = (u64)(uintptr_t)e;
	}
	e = entry_of(*slot);
	renew(s, e);
	return e->bytes;
}

void *tracer_state_find(struct tracer_states *s, u64 key)
{
	const u64 *slot = map64_get(&s->by_key, key);

	if (!slot)
		return NULL;
	if (entry_of(*slot)->epoch == s->epoch)
		return entry_of(*slot)->bytes;
	tracer_state_lose(s, key);
	return NULL;
}

void tracer_state_drop(struct tracer_states *s, u64 key)
{
	u64 *slot = map64_get(&s->by_key, key);

	if (!slot)
		return;
	if (entry_of(*slot)->epoch != s->epoch)
		s->lost++;
	make_spare(s, entry_of(*slot));
	map64_remove_slot(&s->by_key, slot);
}

void tracer_states_lose(struct tracer_states *s)
{
	s->epoch++;
}

void tracer_state_lose(struct tracer_states *s, u64 key)
{
	u64 *slot = map64_get(&s->by_key, key);

	if (!slot)
		return;
	s->lost++;
	make_spare(s, entry_of(*slot));
	map64_remove_slot(&s->by_key, slot);
}

u64 tracer_states_lost(const struct tracer_states *s)
{
	u64 lost = s->lost;

	for (size_t i = 0; i < s->by_key.space; i++)
		if (s->by_key.slots[i].used)
			lost += entry_of(s->by_key.slots[i].value)->epoch != s->epoch;
	return lost;
}

void tracer_states_release(struct tracer_states *s)
{
	for (size_t i = 0; i < s->by_key.space; i++)
		if (s->by_key.slots[i].used)
			entry_free(s, entry_of(s->by_key.slots[i].value));
	while (s->spare) {
		struct tracer_entry *e = s->spare;

		s->spare = e->next;
		free(e);
	}
	map64_release(&s->by_key);
	s->epoch = s->lost = 0;
}
