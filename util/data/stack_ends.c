// SPDX-License-Identifier: GPL-2.0-or-later
#include "data/stack_ends.h"

#include <string.h>

#include "data/feature.h"
#include "data/feature_build.h"

enum {
	VERSION = 1,
	MOST_STACK = 65528, /* bytes that the kernel copies at most */
};

/* Joins rows of equal reasons; the caller releases the list. */
static struct data_stack_ends sums_by_reason(const struct data_stack_ends *ends)
{
	struct data_stack_ends sums = { 0 };

	vec_for_each(&ends->list, e) {
		size_t i = 0;

		while (i < sums.list.count && strcmp(sums.list.items[i].why, e->why))
			i++;
		if (i == sums.list.count)
			vec_push(&sums.list, (struct data_stack_end){ .why = e->why });
		sums.list.items[i].count += e->count;
	}
	return sums;
}

void data_set_stack_ends(struct data_writer *w, const struct data_stack_ends *ends)
{
	struct data_stack_ends sums = sums_by_reason(ends);
	struct strbuf b = STRBUF_INIT;

	feature_add_u32(&b, VERSION);
	feature_add_u32(&b, (u32)sums.list.count);
	vec_for_each(&sums.list, e) {
		feature_add_u64(&b, e->count);
		feature_add_text(&b, e->why);
	}
	feature_add_u32(&b, ends->bytes);
	feature_add_text(&b, ends->mode);
	feature_add_u32(&b, (u32)ends->list.count);
	vec_for_each(&ends->list, e) {
		feature_add_u64(&b, e->count);
		feature_add_text(&b, e->why);
		feature_add_text(&b, e->object);
	}
	data_feature_set(w, FEATURE_OURS, b.s, b.len);
	vec_release(&sums.list);
	strbuf_release(&b);
}

static void take_list(struct feature_cursor *c, bool objects, struct data_stack_ends *out)
{
	u32 n = feature_u32(c);

	out->list.count = 0;
	for (u32 i = 0; i < n && !c->bad; i++) {
		struct data_stack_end e = { .count = feature_u64(c), .object = "" };

		e.why = feature_text(c);
		if (objects)
			e.object = feature_text(c);
		if (!c->bad)
			vec_push(&out->list, e);
	}
}

static bool add_up(const struct data_stack_ends *ends, u64 *sum)
{
	*sum = 0;
	vec_for_each(&ends->list, e)
		if (__builtin_add_overflow(*sum, e->count, sum))
			return false;
	return true;
}

/*
 * Reads the section; files of earlier versions end after the sums. Returns false if it is damaged.
 */
static bool take(struct feature_cursor *c, struct data_stack_ends *out)
{
	u64 by_reason, by_object;

	take_list(c, false, out);
	if (c->bad || !add_up(out, &by_reason))
		return false;
	if (c->at == c->end)
		return true;
	out->bytes = feature_u32(c);
	out->mode = feature_text(c);
	take_list(c, true, out);
	return !c->bad && out->bytes <= MOST_STACK && add_up(out, &by_object) &&
	       by_object == by_reason;
}

struct data_stack_ends data_stack_ends(struct data_reader *d)
{
	struct data_stack_ends out = { .mode = "dwarf,live" };
	struct feature_cursor c = feature_open(d, FEATURE_OURS);
	u32 version = feature_u32(&c);

	if (!data_has_feature(d, FEATURE_OURS) || (!c.bad && version != VERSION))
		return out;
	out.known = !c.bad;
	if (!c.bad && take(&c, &out))
		return out;
	damage(d, CONDITION_WARNING, "damaged-stack-ends", 0, d->features[FEATURE_OURS].offset,
	       "the section that says why user stacks ended is damaged");
	out.bytes = 0;
	out.mode = "dwarf,live";
	out.list.count = 0;
	return out;
}
