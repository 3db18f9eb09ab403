// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "base/alloc.h"
#include "feed/internal.h"

static void free_list(struct loan *n)
{
	while (n) {
		struct loan *next = n->next;

		free(n);
		n = next;
	}
}

void loans_release(struct loans *l)
{
	vec_for_each(&l->rings, g)
		free_list(g->first);
	free_list(l->moved);
	vec_release(&l->rings);
}

struct ring_loans *loans_of(struct loans *l, u32 ring)
{
	while (l->rings.count <= ring)
		vec_push_zero(&l->rings);
	return &l->rings.items[ring];
}

struct loan *loan_new(struct loans *l, u32 ring, const u8 *bytes, size_t size)
{
	struct ring_loans *g = loans_of(l, ring);
	struct loan *n = xcalloc(1, sizeof(*n));

	n->session.bytes = bytes;
	n->size = size;
	if (g->first)
		g->last->next = n;
	else
		g->first = n;
	g->last = n;
	g->out += size;
	return n;
}

static bool is_over(const struct loan *n)
{
	return __atomic_load_n(&n->state, __ATOMIC_ACQUIRE) == LOAN_OVER;
}

/* Frees loans that left their ring while the session had them and have ended since. */
static void free_moved(struct loans *l)
{
	for (struct loan **at = &l->moved, *n; (n = *at);) {
		if (!is_over(n)) {
			at = &n->next;
			continue;
		}
		*at = n->next;
		free(n);
	}
}

u64 loans_take_back(struct loans *l, u32 ring)
{
	struct ring_loans *g = loans_of(l, ring);
	u64 bytes = 0;
	struct loan *n;

	free_moved(l);
	while ((n = g->first) && (n->left || is_over(n))) {
		g->first = n->next;
		bytes += n->size;
		n->next = l->moved;
		if (is_over(n))
			free(n);
		else
			l->moved = n;
	}
	g->out -= bytes;
	return bytes;
}
