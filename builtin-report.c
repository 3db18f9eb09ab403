// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: a recorded profile, grouped and drawn. */
#include "builtin.h"
#include "builtin/report/report.h"

int cmd_report(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf report [<options>] [SYMBOL]", NULL };
	struct report p;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "report", .usage = usage, .settings = &p };
	int code;

	report_init(&p, ctx);
	report_option_rows(&p, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc > 1)
		code = options_usage_error(&o, "only one symbol filter can be given");
	vec_release(&rows);
	if (!code && argc == 1)
		p.o.what.set.symbol_filter = argv[0];
	if (!code)
		code = report_run(&p);
	report_release(&p);
	return code < 0 ? 0 : code;
}
