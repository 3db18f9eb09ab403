// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate: functions instruction by instruction, with their samples. */
#include "builtin.h"
#include "builtin/annotate/annotate_view.h"

int cmd_annotate(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf annotate [<options>] [SYMBOL]", NULL };
	struct annotate_command p;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "annotate", .usage = usage, .settings = &p };
	int code;

	annotate_view_init(&p, ctx);
	annotate_view_rows(&p, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc > 1)
		code = options_usage_error(
			&o, "only one symbol can be given; name several with -s A,B");
	vec_release(&rows);
	if (!code)
		code = annotate_view_run(&p, argc ? argv[0] : NULL);
	annotate_view_release(&p);
	return code < 0 ? 0 : code;
}
