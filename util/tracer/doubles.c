// SPDX-License-Identifier: GPL-2.0-or-later
/* Recognizes one occurrence of a tracepoint that several events recorded. */
#include "tracer/doubles.h"

#include <stdlib.h>
#include <string.h>

/* The last occurrence on a CPU. */
struct occurrence {
	u8 *raw;
	u32 size, space;
	u64 seen; /* bits of the events that have reported it */
};

struct doubles {
	struct map64 by_place; /* tracepoint and CPU -> index + 1 */
	VEC(struct occurrence) list;
};

struct doubles *doubles_new(void)
{
	return xcalloc(1, sizeof(struct doubles));
}

void doubles_free(struct doubles *d)
{
	if (!d)
		return;
	vec_for_each(&d->list, o)
		free(o->raw);
	vec_release(&d->list);
	map64_release(&d->by_place);
	free(d);
}

static struct occurrence *occurrence_at(struct doubles *d, u32 tracepoint, u32 cpu)
{
	bool added;
	u64 *slot = map64_put(&d->by_place, (u64)tracepoint << 32 | cpu, &added);

	if (added) {
		vec_push_zero(&d->list);
		*slot = d->list.count - 1;
	}
	return &d->list.items[*slot];
}

bool doubles_has(struct doubles *d, u32 tracepoint, const struct sample *s)
{
	struct occurrence *o;
	u64 bit = 1ULL << s->event->index % 64;

	if (!s->raw_size)
		return false;
	o = occurrence_at(d, tracepoint, s->id.cpu);
	if (o->seen && !(o->seen & bit) && o->size == s->raw_size &&
	    !memcmp(o->raw, s->raw, o->size)) {
		o->seen |= bit;
		return true;
	}
	if (o->space < s->raw_size || !o->raw) {
		o->space = MAX(s->raw_size, 64U);
		o->raw = xreallocarray(o->raw, o->space, 1);
	}
	memcpy(o->raw, s->raw, s->raw_size);
	o->size = s->raw_size;
	o->seen = bit;
	return false;
}
