// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: the events that can be named on this machine. */
#include "builtin.h"
#include "builtin/list/list.h"
#include "cli/pager.h"
#include "cli/say.h"

int cmd_list(struct context *ctx, int argc, const char **argv)
{
	struct list_settings s = { 0 };
	struct reason r = REASON_INIT;
	int code = list_parse_options(&s, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	s.spaced = pager_running() && !s.output && !s.json;
	if (s.debug)
		ctx->verbose = MAX(ctx->verbose, 1);
	code = list_run(ctx, NULL, &s, argc, argv, &r) ? say_reason(&r) : 0;
	return say_conditions(ctx) ? 1 : code;
}
