// SPDX-License-Identifier: GPL-2.0-or-later
/* After recording: which objects have samples, and what are their build-ids. */
#include "builtin-record.h"
#include "rewrite/rewrite.h"

int record_add_build_ids(struct context *ctx, struct data_writer *w, const char *path, bool ids,
			 bool all, bool cache, struct debug_servers *servers)
{
	const struct rewrite_objects o = { .ids = ids, .all = all, .cache = cache,
					   .servers = servers };

	rewrite_find_objects(ctx, w, path, &o);
	return 0;
}
