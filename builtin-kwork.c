// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kwork: work of the kernel itself, recorded and shown. */
#include "analysis/record_events.h"
#include "builtin.h"
#include "builtin/kwork/kwork.h"
#include "cli/options.h"
#include "cli/pager.h"

static const char *const usage[] = {
	"perf kwork [<options>] record [<record options>] [<command>]",
	"perf kwork [<options>] {report|latency|timehist|top} [<options>]",
	NULL,
};

static int record(struct context *ctx, struct kwork *k, const struct options *o, int argc,
		  const char **argv)
{
	struct strlist words = { 0 };
	int code = kwork_record_words(k, o, argc, argv, &words);

	if (!code) {
		argv = record_argv(&words);
		ctx->records_all = true;
		code = cmd_record(ctx, (int)words.list.count, argv);
		ctx->records_all = false;
		free(argv);
	}
	strlist_release(&words);
	return code;
}

/* Shows one view; argv[0] is the first argument after the subcommand. */
static int show(struct kwork *k, int argc, const char **argv)
{
	static const char *const view_usage[KWORK_VIEWS][2] = {
		[KWORK_REPORT] = { "perf kwork report [<options>]" },
		[KWORK_LATENCY] = { "perf kwork latency [<options>]" },
		[KWORK_TIMEHIST] = { "perf kwork timehist [<options>]" },
		[KWORK_TOP] = { "perf kwork top [<options>]" },
	};
	char *name = xasprintf("kwork %s", kwork_view_name(k->view));
	option_rows rows = VEC_INIT;
	struct options o = { .command = name, .usage = view_usage[k->view], .settings = k };
	int code;

	kwork_rows(k, &rows);
	kwork_view_rows(k, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	if (!code)
		code = kwork_run(k, &o);
	vec_release(&rows);
	free(name);
	return code;
}

int cmd_kwork(struct context *ctx, int argc, const char **argv)
{
	struct kwork k;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "kwork",
			     .usage = usage,
			     .subcommands = kwork_subcommands,
			     .stop_at_command = true,
			     .settings = &k };
	int code;

	kwork_init(&k, ctx);
	kwork_rows(&k, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && !argc)
		code = options_subcommand_error(&o, NULL);
	if (!code && !kwork_choose(&k, argv[0]))
		code = options_subcommand_error(&o, argv[0]);
	if (!code && k.view != KWORK_RECORD && !k.use_bpf)
		pager_start(ctx, "kwork");
	if (!code)
		code = k.view == KWORK_RECORD ? record(ctx, &k, &o, argc - 1, argv + 1)
					      : show(&k, argc, argv);
	vec_release(&rows);
	kwork_release(&k);
	return code < 0 ? 0 : code;
}
