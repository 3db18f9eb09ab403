// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A watch may last for days. Meanwhile debug packages are installed, libraries are rebuilt, and
 * programs that compile code as they run write names of new functions into their perf maps.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "builtin/top/internal.h"

/* Looking costs a few system calls for each image that rows name. */
static bool is_time_to_look(struct top *t)
{
	const u64 often_enough = 3ULL * 1000000000; /* ns */
	u64 now = clock_now();

	if (!t->looked)
		t->looked = t->begun;
	if (now - t->looked < often_enough || top_code_is_open(t))
		return false;
	t->looked = now;
	return true;
}

static bool *images_of_rows(struct top *t)
{
	u32 count = image_count(session_images(t->session));
	bool *images = xcalloc(count, sizeof(*images));
	struct hist_pool_names names;

	hist_pool_names(t->pool, &names);
	for (u32 i = 1; i < count; i++)
		images[i] = map64_get(&names.images, i);
	hist_pool_names_release(&names);
	return images;
}

/*
 * A table that was made since is on the screen, and the one that had the numbers and names of
 * before is gone.
 */
static void drop_replaced(struct top *t)
{
	if (!t->replaced || t->tables == t->tables_then)
		return;
	symbol_store_drop_replaced(session_symbols(t->session));
	hist_pool_drop_replaced(t->pool);
	t->replaced = false;
}

bool top_renew(struct top *t)
{
	bool *images, any;

	if (!top_code_is_open(t))
		drop_replaced(t);
	if (t->replaced || !is_time_to_look(t))
		return false;
	images = images_of_rows(t);
	any = session_renew(t->session, images);
	if (any) {
		hist_collector_clear(t->collector);
		hist_pool_renew(t->pool, images);
		top_code_renew(t, images);
		t->replaced = true;
		t->tables_then = t->tables;
	}
	free(images);
	return any;
}
