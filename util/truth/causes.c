// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of causes of a share. */
#include <stdlib.h>
#include <string.h>

#include "truth/internal.h"

static bool same_cause(const struct truth_cause *a, const struct truth_cause *b)
{
	return !strcmp(a->object, b->object) && !strcmp(a->why, b->why);
}

void truth_cause_release(struct truth_cause *c)
{
	free(c->object);
	free(c->why);
	free(c->cure);
}

void truth_add_cause(struct truth_share *s, struct truth_cause cause)
{
	vec_for_each(&s->causes, c)
		if (same_cause(c, &cause)) {
			c->samples += cause.samples;
			truth_cause_release(&cause);
			return;
		}
	vec_push(&s->causes, cause);
}
