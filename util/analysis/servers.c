// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the debuginfod servers that the options and the configuration name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/text.h"
#include "cli/config.h"
#include "object/debug_servers.h"

static void show_progress(void *arg, const char *name, u64 have, u64 all, bool done)
{
	const struct context *ctx = arg;
	char *text = all ? xasprintf("fetching %s: %.1f of %.1f MB", path_base(name),
				     (double)have / 1e6, (double)all / 1e6)
			 : xasprintf("fetching %s ...", path_base(name));

	ctx->progress(done ? NULL : text);
	free(text);
}

int open_debug_servers(struct context *ctx, const struct debuginfod_wish *wish,
		       struct debug_servers **out, struct reason *r)
{
	struct debug_servers_options o = {
		.seconds = (unsigned)MIN(config_u64(ctx, "buildid-cache.debuginfod-timeout", 0),
					 86400u),
		.cancelled = &ctx->cancelled,
	};

	*out = NULL;
	if (wish->negated)
		return 0;
	o.urls = wish->given ? wish->urls : config_get(ctx, "buildid-cache.debuginfod");
	if (!wish->given && (!o.urls || !*o.urls))
		return 0;
	if (!o.urls || !*o.urls)
		o.urls = debug_servers_default();
	if (!o.urls || !*o.urls) {
		reason_set(r, EINVAL, "--debuginfod: no server is named");
		reason_hint(r, "--debuginfod=URL, or set DEBUGINFOD_URLS, as to "
			       "https://debuginfod.debian.net");
		return -EINVAL;
	}
	if (ctx->progress && !ctx->quiet) {
		o.progress = show_progress;
		o.arg = ctx;
	}
	*out = debug_servers_new(&o);
	return 0;
}

void close_debug_servers(struct context *ctx, struct debug_servers *s)
{
	debug_servers_conditions(s, &ctx->conditions);
	debug_servers_free(s);
}
