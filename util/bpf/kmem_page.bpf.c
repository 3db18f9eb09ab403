// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts blocks of pages by call chain and kind as they are allocated and freed.
 *
 * A block is 2^order pages, aligned to its size; its number is the index of its first page in the
 * kernel's array of struct page. A block may be freed in parts: the rest then continues as smaller
 * blocks.
 */
#include "bpf/kernel.h"
#include "bpf/kmem.h"
#include "bpf/processes.h"
#include "bpf/stack_hash.h"

enum { KINDS = 16384, STACKS = 16384, BLOCKS = 262144 };

const volatile struct kmem_settings settings;
struct kmem_page_counts counts;

struct stack {
	u64 ips[KMEM_STACK_DEPTH];
};

/* Preallocated: programs that run inside the allocator must not allocate memory. */
HASH(kinds, struct kmem_page_kind, u64, KINDS);
HASH(stacks, u64, struct stack, STACKS);
HASH(blocks, u64, struct kmem_block, BLOCKS);

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack);
} scratch SEC(".maps");

static u64 number_of(u64 page)
{
	u64 base = 0;

	if (settings.pages_at &&
	    !bpf_probe_read_kernel(&base, sizeof(base), (void *)settings.pages_at))
		counts.numbers_are_pfns = 1;
	return (page - base) / bpf_core_type_size(struct page);
}

static bool wanted(void)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (!counts.enabled || tgid == settings.self)
		return false;
	return !settings.some_processes || bpf_map_lookup_elem(&processes, &tgid);
}

static u64 stack_id(void *ctx)
{
	u32 zero = 0;
	struct stack *s = bpf_map_lookup_elem(&scratch, &zero);
	long bytes = s ? bpf_get_stack(ctx, s, sizeof(*s), 0) : 0;
	u64 hash;

	if (bytes <= 0) {
		count_add(counts.unread_stack, 1);
		return 0;
	}
	hash = stack_hash(s->ips, KMEM_STACK_DEPTH, bytes);
	if (!bpf_map_lookup_elem(&stacks, &hash))
		count_refusal(bpf_map_update_elem(&stacks, &hash, s, BPF_NOEXIST),
			      &counts.no_stack);
	return hash;
}

static void put_block(u64 number, const struct kmem_block *block)
{
	count_refusal(bpf_map_update_elem(&blocks, &number, block, BPF_ANY), &counts.no_live);
}

static void allocated(void *ctx, u64 page, u32 order, u32 gfp, s32 type)
{
	struct kmem_block block = { .kind = { .gfp = gfp, .order = order & 31, .type = type } };
	u64 one = 1, *hits;
	long err;

	count_add(counts.allocs, 1);
	count_add(counts.alloc_pages, 1ULL << (order & 31));
	if (!page) {
		count_add(counts.failed, 1);
		count_add(counts.failed_pages, 1ULL << (order & 31));
		return;
	}
	block.kind.stack = stack_id(ctx);
	hits = bpf_map_lookup_elem(&kinds, &block.kind);
	err = hits ? 0 : bpf_map_update_elem(&kinds, &block.kind, &one, BPF_NOEXIST);
	if (err)
		hits = bpf_map_lookup_elem(&kinds, &block.kind); /* another CPU added it */
	if (hits)
		count_add(*hits, 1);
	else
		count_refusal(err, &counts.no_row);
	put_block(number_of(page), &block);
}

/* Returns the block that contains this one, and its number; NULL if there is none. */
static struct kmem_block *block_around(u64 *number)
{
	for (u32 order = 0; order < KMEM_ORDERS; order++) {
		u64 first = *number & ~((1ULL << order) - 1);
		struct kmem_block *block = bpf_map_lookup_elem(&blocks, &first);

		if (block && block->kind.order >= order) {
			*number = first;
			return block;
		}
	}
	return NULL;
}

/* Keeps all of the block except the part at number, as halves, quarters and so on. */
static __always_inline void keep_rest(struct kmem_block rest, u64 first, u64 number, u32 order)
{
	rest.cut = 1;
	for (u32 i = 0; i < KMEM_ORDERS && rest.kind.order > order; i++) {
		u64 half = 1ULL << (--rest.kind.order & 31), other = first + half;

		if (number & half) {
			other = first;
			first += half;
		}
		put_block(other, &rest);
	}
}

static void freed(u64 page, u32 order)
{
	u64 number = number_of(page), first = number, size = 1ULL << (order & 31), known;
	struct kmem_block *found = counts.enabled ? block_around(&first) : NULL, block;

	if (!found && !wanted())
		return;
	count_add(counts.frees, 1);
	count_add(counts.free_pages, size);
	if (!found) {
		count_add(counts.unmatched, 1);
		count_add(counts.unmatched_pages, size);
		return;
	}
	block = *found;
	known = 1ULL << (block.kind.order & 31);
	if (known > size)
		known = size;
	if (!block.cut)
		count_add(counts.matched, 1);
	count_add(counts.matched_pages, known);
	count_add(counts.unmatched_pages, size - known);
	bpf_map_delete_elem(&blocks, &first);
	if (order < block.kind.order)
		keep_rest(block, first, number, order);
}

SEC("raw_tp/mm_page_alloc")
int BPF_PROG(on_page_alloc, struct page *page, unsigned int order, unsigned int gfp, int type)
{
	if (wanted())
		allocated(ctx, (u64)page, order, gfp, type);
	return 0;
}

SEC("raw_tp/mm_page_free")
int BPF_PROG(on_page_free, struct page *page, unsigned int order)
{
	freed((u64)page, order);
	return 0;
}
