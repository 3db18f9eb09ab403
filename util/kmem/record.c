// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: the command line of perf record. */
#include <errno.h>
#include <string.h>

#include "kmem/internal.h"
#include "sys/tracefs.h"

static const char *const slab_events[] = {
	"kmalloc", "kfree", "kmem_cache_alloc", "kmem_cache_free",
};
/* Up to Linux 6.0. */
static const char *const node_events[] = { "kmalloc_node", "kmem_cache_alloc_node" };
static const char *const page_events[] = { "mm_page_alloc", "mm_page_free" };

static int add_events(struct strlist *args, const char *dir, const char *const *names, size_t count,
		      bool optional, struct reason *r)
{
	u64 id;

	for (size_t i = 0; i < count; i++) {
		char *event;

		if (tracefs_id(NULL, dir, "kmem", names[i], &id)) {
			if (optional)
				continue;
			return reason_set(r, ENOENT, "this kernel has no event kmem:%s", names[i]);
		}
		event = xasprintf("kmem:%s", names[i]);
		strlist_add(args, "-e");
		strlist_add(args, event);
		free(event);
	}
	return 0;
}

/* perf record's own words before the events; pages need their callers. */
static void add_words(struct strlist *args, bool chains)
{
	static const char *const words[] = { "record", "-a", "-R", "-c", "1" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		strlist_add(args, words[i]);
	if (chains)
		strlist_add(args, "-g");
}

int kmem_record_args(struct kmem *k, int argc, const char **argv, struct strlist *args,
		     struct reason *r)
{
	char *dir = tracefs_find(NULL, r);
	int err = 0;

	if (!dir)
		return -ENOENT;
	add_words(args, k->want[KMEM_PAGE]);
	if (k->want[KMEM_SLAB])
		err = add_events(args, dir, slab_events, ARRAY_SIZE(slab_events), false, r);
	if (!err && k->want[KMEM_SLAB])
		err = add_events(args, dir, node_events, ARRAY_SIZE(node_events), true, r);
	if (!err && k->want[KMEM_PAGE])
		err = add_events(args, dir, page_events, ARRAY_SIZE(page_events), false, r);
	for (int i = 0; i < argc; i++)
		strlist_add(args, argv[i]);
	free(dir);
	return err;
}
