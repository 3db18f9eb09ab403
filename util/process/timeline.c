// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "process/internal.h"

void timelines_init(struct timelines *t)
{
	u32 unused;

	memset(t, 0, sizeof(*t));
	segments_next(&t->versions, sizeof(struct version), &unused);
	segments_publish(&t->versions);
}

void timelines_release(struct timelines *t)
{
	segments_release(&t->versions);
}

u32 timeline_within(const struct timelines *t, u32 newest, const struct order_key *key,
		    struct key_range *holds)
{
	const struct version *v, *newer = NULL;
	u32 at = newest;

	while (at) {
		v = timeline_version(t, at);
		if (order_key_cmp(&v->since, key) <= 0)
			break;
		newer = v;
		/* the jump's target is also too new: everything between is */
		if (v->jump && order_key_cmp(&timeline_version(t, v->jump)->since, key) > 0)
			at = v->jump;
		else
			at = v->older;
	}
	if (!holds)
		return at;
	/* the last step is always one to the next older version */
	if (at && order_key_cmp(&v->since, &holds->since) > 0)
		holds->since = v->since;
	if (newer && order_key_cmp(&newer->since, &holds->until) < 0)
		holds->until = newer->since;
	return at;
}

/*
 * Chooses a jump. Jump lengths follow the skew binary numbers: equal neighbours are joined, so a
 * search takes O(log n) steps and a version needs one pointer.
 */
static u32 choose_jump(const struct timelines *t, u32 older)
{
	const struct version *v, *j;

	if (!older)
		return 0;
	v = timeline_version(t, older);
	if (!v->jump)
		return older;
	j = timeline_version(t, v->jump);
	if (j->jump && v->depth - j->depth == j->depth - timeline_version(t, j->jump)->depth)
		return j->jump;
	return older;
}

u32 timeline_add(struct timelines *t, u32 newest, const struct order_key *key, u32 value)
{
	u32 index;
	struct version *v = segments_next(&t->versions, sizeof(*v), &index);

	*v = (struct version){
		.since = *key,
		.value = value,
		.older = newest,
		.jump = choose_jump(t, newest),
		.depth = newest ? timeline_version(t, newest)->depth + 1 : 0,
	};
	segments_publish(&t->versions);
	return index;
}
