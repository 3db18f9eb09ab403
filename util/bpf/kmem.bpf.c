// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts slab objects by caller as they are allocated and freed. */
#include "bpf/kernel.h"
#include "bpf/kmem.h"
#include "bpf/processes.h"

enum { SITES = 16384, OBJECTS = 262144 };

const volatile struct kmem_settings settings;
struct kmem_counts counts;

/* Preallocated: programs that run inside the allocator must not allocate memory. */
HASH(sites, u64, struct kmem_site, SITES);
HASH(objects, u64, struct kmem_object, OBJECTS);

static bool wanted(void)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (!counts.enabled || tgid == settings.self)
		return false;
	return !settings.some_processes || bpf_map_lookup_elem(&processes, &tgid);
}

/*
 * Keeps an object. The kernel frees in bulk without an event, but never allocates an address twice,
 * so an old object at this address was freed.
 */
static void keep(u64 ptr, const struct kmem_object *object)
{
	struct kmem_object *old;
	long err = bpf_map_update_elem(&objects, &ptr, object, BPF_NOEXIST);

	if (err == -17) { /* EEXIST */
		old = bpf_map_lookup_elem(&objects, &ptr);
		if (old)
			count_add(counts.freed, old->allocated);
		err = bpf_map_update_elem(&objects, &ptr, object, BPF_ANY);
	}
	count_refusal(err, &counts.no_live);
}

static void allocated(u64 site, u64 ptr, u64 requested, u64 given, int node)
{
	struct kmem_object object = { .site = site,
				      .requested = requested,
				      .allocated = given,
				      .cpu = bpf_get_smp_processor_id() };
	struct kmem_site none = { 0 }, *row;
	long err = 0;

	if (!ptr)
		return;
	row = bpf_map_lookup_elem(&sites, &site);
	if (!row) {
		err = bpf_map_update_elem(&sites, &site, &none, BPF_NOEXIST);
		row = bpf_map_lookup_elem(&sites, &site);
	}
	if (!row) {
		count_refusal(err, &counts.no_row);
		return;
	}
	count_add(row->hits, 1);
	count_add(row->requested, requested);
	count_add(row->allocated, given);
	if (node >= 0 && node != bpf_get_numa_node_id())
		count_add(counts.cross, 1);
	keep(ptr, &object);
}

static void freed(u64 ptr)
{
	struct kmem_object *object = counts.enabled ? bpf_map_lookup_elem(&objects, &ptr) : NULL;
	struct kmem_site *row;

	if (!object)
		return;
	count_add(counts.freed, object->allocated);
	if (object->cpu != bpf_get_smp_processor_id()) {
		row = bpf_map_lookup_elem(&sites, &object->site);
		if (row)
			count_add(row->pingpong, 1);
	}
	bpf_map_delete_elem(&objects, &ptr);
}

/* Not tp_btf: the verifier of Linux 6.1 accepts no argument that is a pointer to const void. */
SEC("raw_tp/kmalloc")
int BPF_PROG(on_kmalloc, unsigned long site, const void *ptr, unsigned long requested,
	     unsigned long given, unsigned int flags, int node)
{
	if (wanted())
		allocated(site, (u64)ptr, requested, given, node);
	return 0;
}

SEC("raw_tp/kmem_cache_alloc")
int BPF_PROG(on_cache_alloc, unsigned long site, const void *ptr, struct kmem_cache *cache,
	     unsigned int flags, int node)
{
	if (wanted())
		allocated(site, (u64)ptr, BPF_CORE_READ(cache, object_size),
			  BPF_CORE_READ(cache, size), node);
	return 0;
}

SEC("raw_tp/kfree")
int BPF_PROG(on_kfree, unsigned long site, const void *ptr)
{
	freed((u64)ptr);
	return 0;
}

SEC("raw_tp/kmem_cache_free")
int BPF_PROG(on_cache_free, unsigned long site, const void *ptr)
{
	freed((u64)ptr);
	return 0;
}
