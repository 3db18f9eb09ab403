// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of --sort: those of each allocator, and how rows are ordered by them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/kmem/internal.h"

double kmem_fragmentation(u64 requested, u64 allocated)
{
	return allocated ? 100.0 - 100.0 * (double)requested / (double)allocated : 0.0;
}

static int order(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

#define ORDER_BY(name, type, member)                                                               \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		const type *x = a, *y = b;                                                         \
                                                                                                   \
		return order((u64)x->member, (u64)y->member);                                      \
	}

ORDER_BY(slab_ptr, struct slab_row, ptr)
ORDER_BY(slab_site, struct slab_row, site)
ORDER_BY(slab_bytes, struct slab_row, allocated)
ORDER_BY(slab_hits, struct slab_row, hits)
ORDER_BY(slab_pingpong, struct slab_row, pingpong)
ORDER_BY(page_page, struct page_row, page)
ORDER_BY(page_caller, struct page_row, caller)
ORDER_BY(page_bytes, struct page_row, bytes)
ORDER_BY(page_hits, struct page_row, hits)
ORDER_BY(page_order, struct page_row, order)
ORDER_BY(page_gfp, struct page_row, gfp)

static int page_type(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	return x->type < y->type ? -1 : x->type > y->type;
}

static int slab_frag(const void *a, const void *b)
{
	const struct slab_row *x = a, *y = b;
	double fx = kmem_fragmentation(x->requested, x->allocated);
	double fy = kmem_fragmentation(y->requested, y->allocated);

	return fx < fy ? -1 : fx > fy;
}

typedef int (*compare)(const void *a, const void *b);

static const struct sort_key {
	const char *name;
	compare of[KMEM_ALLOCATORS]; /* NULL: this allocator has no such key */
} keys[] = {
	{ "ptr", { slab_ptr, NULL } },           { "callsite", { slab_site, page_caller } },
	{ "bytes", { slab_bytes, page_bytes } }, { "hit", { slab_hits, page_hits } },
	{ "pingpong", { slab_pingpong, NULL } }, { "frag", { slab_frag, NULL } },
	{ "page", { NULL, page_page } },         { "order", { NULL, page_order } },
	{ "migtype", { NULL, page_type } },      { "gfp", { NULL, page_gfp } },
};

static const char *const defaults[KMEM_ALLOCATORS] = { "frag,hit,bytes", "bytes,hit" };
static const char *const allocator_names[KMEM_ALLOCATORS] = { "slab", "page" };

static const struct sort_key *key_of(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i].name) == len && !memcmp(keys[i].name, text, len))
			return &keys[i];
	return NULL;
}

static int check_key(const struct kmem *k, const char *text, size_t len, struct reason *r)
{
	const struct sort_key *key = key_of(text, len);
	struct strbuf b = STRBUF_INIT;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (int w = 0; w < KMEM_ALLOCATORS; w++) {
			if (!k->want[w] || !keys[i].of[w])
				continue;
			if (key == &keys[i]) {
				strbuf_release(&b);
				return 0;
			}
			strbuf_f(&b, "%s%s", b.len ? ", " : "", keys[i].name);
			break;
		}
	err = reason_set(r, EINVAL, "'%.*s' is not a sort key of the %s allocator: %s", (int)len,
			 text, allocator_names[k->want[KMEM_SLAB] ? KMEM_SLAB : KMEM_PAGE],
			 strbuf_cstr(&b));
	strbuf_release(&b);
	return err;
}

int kmem_check_keys(const struct kmem *k, const char *text, struct reason *r)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		int err = check_key(k, text, len, r);

		if (err || !text[len])
			return err;
		text += len + 1;
	}
}

struct plan {
	compare by[ARRAY_SIZE(keys) + 4];
	size_t count;
};

static void add_keys(struct plan *p, enum kmem_allocator which, const char *text)
{
	for (; text && *text && p->count < ARRAY_SIZE(p->by) - 3; text += !!*text) {
		size_t len = strcspn(text, ",");
		const struct sort_key *key = key_of(text, len);

		if (key && key->of[which])
			p->by[p->count++] = key->of[which];
		text += len;
	}
}

/*
 * Compares by the requested keys, largest first, then by address, so the order is always the same.
 */
static int by_plan(const void *a, const void *b, void *arg)
{
	const struct plan *p = arg;

	for (size_t i = 0; i < p->count; i++) {
		int c = p->by[i](b, a);

		if (c)
			return c;
	}
	return 0;
}

static int slab_place(const void *a, const void *b)
{
	int c = slab_site(b, a);

	return c ? c : slab_ptr(b, a);
}

static int page_place(const void *a, const void *b)
{
	static const compare by[] = { page_caller, page_page, page_order, page_type, page_gfp };
	int c = 0;

	for (size_t i = 0; !c && i < ARRAY_SIZE(by); i++)
		c = by[i](b, a);
	return c;
}

static void sort(enum kmem_allocator which, const char *text, void *rows, size_t count, size_t size)
{
	struct plan p = { .count = 0 };

	add_keys(&p, which, text);
	if (!p.count)
		add_keys(&p, which, defaults[which]);
	p.by[p.count++] = which == KMEM_SLAB ? slab_place : page_place;
	if (count > 1)
		qsort_r(rows, count, size, by_plan, &p);
}

void kmem_sort_slab(const char *text, struct slab_row *rows, size_t count)
{
	sort(KMEM_SLAB, text, rows, count, sizeof(*rows));
}

void kmem_sort_page(const char *text, struct page_row *rows, size_t count)
{
	sort(KMEM_PAGE, text, rows, count, sizeof(*rows));
}
