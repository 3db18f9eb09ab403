// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: the command line of perf record. */
#include <errno.h>
#include <string.h>

#include "analysis/record_events.h"
#include "builtin/kmem/internal.h"
#include "sys/tracefs.h"

static const char *const slab_events[] = {
	"kmalloc",
	"kfree",
	"kmem_cache_alloc",
	"kmem_cache_free",
};
/* Up to Linux 6.0. */
static const char *const node_events[] = { "kmalloc_node", "kmem_cache_alloc_node" };
static const char *const page_events[] = { "mm_page_alloc", "mm_page_free" };

static int add_events(struct strlist *args, const char *dir, const char *const *names, size_t count,
		      struct reason *r)
{
	const char *missing = missing_tracepoint(dir, "kmem", names, count);

	if (missing)
		return reason_set(r, ENOENT, "this kernel has no event kmem:%s", missing);
	record_events(args, "kmem", names, count);
	return 0;
}

/* Adds those of the node events that this kernel has. */
static void add_node_events(struct strlist *args, const char *dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(node_events); i++)
		if (!missing_tracepoint(dir, "kmem", &node_events[i], 1))
			record_events(args, "kmem", &node_events[i], 1);
}

int kmem_record_args(struct kmem *k, int argc, const char **argv, struct strlist *args,
		     struct reason *r)
{
	static const char *const first[] = { "record", "-R", "-c", "1" };
	char *dir = tracefs_find(NULL, r);
	int err = 0;

	if (!dir)
		return -ENOENT;
	record_words(args, first, ARRAY_SIZE(first));
	if (k->want[KMEM_PAGE])
		strlist_add(args, "-g"); /* the callers of pages are in no field */
	if (k->want[KMEM_SLAB])
		err = add_events(args, dir, slab_events, ARRAY_SIZE(slab_events), r);
	if (!err && k->want[KMEM_SLAB])
		add_node_events(args, dir);
	if (!err && k->want[KMEM_PAGE])
		err = add_events(args, dir, page_events, ARRAY_SIZE(page_events), r);
	record_words(args, argv, (size_t)argc);
	free(dir);
	return err;
}
