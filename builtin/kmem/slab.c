// SPDX-License-Identifier: GPL-2.0-or-later
/* Slab objects: allocations by caller and by address, and what was freed. */
#include <errno.h>

#include "builtin/kmem/internal.h"
#include "builtin/kmem/rows.h"

static struct slab_row *site_row(struct slab *s, u64 site)
{
	bool added;
	u64 *at = map64_put(&s->by_site, site, &added);

	if (added) {
		*at = s->sites.count;
		vec_push(&s->sites, (struct slab_row){ .site = site });
	}
	return &s->sites.items[*at];
}

static struct slab_row *ptr_row(struct slab *s, u64 ptr)
{
	bool added;
	u64 *at = map64_put(&s->by_ptr, ptr, &added);

	if (added && s->unused.count) {
		*at = s->unused.items[--s->unused.count];
		s->ptrs.items[*at] = (struct slab_row){ .ptr = ptr };
	} else if (added) {
		*at = s->ptrs.count;
		vec_push(&s->ptrs, (struct slab_row){ .ptr = ptr });
	}
	return &s->ptrs.items[*at];
}

static void add(struct slab_row *row, u64 requested, u64 allocated)
{
	row->hits++;
	row->requested += requested;
	row->allocated += allocated;
}

/*
 * Reports whether the memory came from a node other than the CPU's own, which is known only if the
 * kernel records the node.
 */
static bool crosses(const struct slab *s, const struct tracer_hit *hit, u32 cpu)
{
	s64 node;

	if (!tracer_has(hit, ALLOC_NODE) || cpu >= s->place_count)
		return false;
	node = tracer_s64(hit, ALLOC_NODE);
	return node >= 0 && s->places[cpu].node >= 0 && node != s->places[cpu].node;
}

int slab_on_alloc(struct slab *s, const struct tracer_hit *hit)
{
	u64 requested = tracer_u64(hit, ALLOC_REQUESTED),
	    allocated = tracer_u64(hit, ALLOC_ALLOCATED);
	u64 site = tracer_u64(hit, ALLOC_SITE), ptr = tracer_u64(hit, ALLOC_PTR);
	u32 cpu = tracer_cpu(hit);
	struct slab_row *row;

	if (!ptr) /* the allocation failed */
		return 0;
	row = ptr_row(s, ptr);
	/* the kernel frees in bulk without an event, but gives no address twice */
	if (row->live)
		s->freed += row->last_allocated;
	add(row, requested, allocated);
	row->site = site;
	row->last_requested = requested;
	row->last_allocated = allocated;
	row->cpu = cpu;
	row->live = true;
	add(site_row(s, site), requested, allocated);
	s->requested += requested;
	s->allocated += allocated;
	s->allocs++;
	s->cross += crosses(s, hit, cpu);
	return 0;
}

void slab_on_free(struct slab *s, const struct tracer_hit *hit)
{
	u64 ptr = tracer_u64(hit, FREE_PTR);
	u64 *at = map64_get(&s->by_ptr, ptr);
	struct slab_row *row;

	if (!at || !s->ptrs.items[*at].live)
		return;
	row = &s->ptrs.items[*at];
	row->live = false;
	s->freed += row->last_allocated;
	if (row->cpu != tracer_cpu(hit)) {
		row->pingpong++;
		site_row(s, row->site)->pingpong++;
	}
	if (!s->keep_freed) {
		vec_push(&s->unused, (u32)*at);
		map64_remove_slot(&s->by_ptr, at);
	}
}

void slab_only_live(struct slab *s)
{
	size_t kept = 0;

	vec_clear(&s->sites);
	map64_release(&s->by_site);
	vec_for_each(&s->ptrs, row) {
		if (!row->live)
			continue;
		add(site_row(s, row->site), row->last_requested, row->last_allocated);
		row->hits = 1;
		row->pingpong = 0;
		row->requested = row->last_requested;
		row->allocated = row->last_allocated;
		s->ptrs.items[kept++] = *row;
	}
	s->ptrs.count = kept;
}

void slab_release(struct slab *s)
{
	vec_release(&s->sites);
	vec_release(&s->ptrs);
	vec_release(&s->unused);
	map64_release(&s->by_site);
	map64_release(&s->by_ptr);
	free(s->places);
}
