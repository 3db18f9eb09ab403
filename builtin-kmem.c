// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: what the kernel's memory allocators handed out. */
#include <stdlib.h>
#include <string.h>

#include "analysis/record_events.h"
#include "base/strbuf.h"
#include "builtin.h"
#include "builtin/kmem/kmem.h"
#include "cli/forward.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "record/command.h"

static void describe_cost(struct kmem *k, const struct strlist *args, struct strbuf *out)
{
	struct kmem_cost cost;

	if (k->a.ctx->quiet || strlist_has(args, "-q") || strlist_has(args, "--quiet") ||
	    !kmem_forecast(k, args, &cost))
		return;
	strbuf_f(out, "[ perf kmem record: about %llu events a second now, %.1f MB a minute%s ]\n",
		 (unsigned long long)cost.events, (double)cost.bytes * 60 / (1 << 20),
		 k->want[KMEM_PAGE] ? "" : "; 'perf kmem stat --bpf' counts without a recording");
}

static int record(struct context *ctx, struct kmem *k, int argc, const char **argv)
{
	struct strbuf cost = STRBUF_INIT;
	struct reason r = REASON_INIT;
	struct strlist args = { 0 };
	const char **words = NULL;
	int code;

	if (kmem_record_args(k, argc, argv, &args, &r)) {
		code = say_reason(&r);
	} else {
		describe_cost(k, &args, &cost);
		ctx->said_at_start = strbuf_cstr(&cost);
		ctx->records_all = true;
		words = record_argv(&args);
		code = cmd_record(ctx, (int)args.list.count, words);
		ctx->said_at_start = NULL;
		ctx->records_all = false;
	}
	strbuf_release(&cost);
	free(words);
	strlist_release(&args);
	return code;
}

static int run(struct kmem *k, struct options *o, int argc, const char **argv)
{
	const char *what = argc ? argv[0] : "";
	bool is_stat = strlen(what) > 1 && !strncmp("stat", what, strlen(what));
	int code = 0;

	if (subcommand_is(what, "record")) {
		argc--;
		argv++;
		k->want[KMEM_SLAB] |= record_take_word(k->a.ctx, &argc, argv, "--slab");
		k->want[KMEM_PAGE] |= record_take_word(k->a.ctx, &argc, argv, "--page");
		code = kmem_settle(k, o);
		return code ? code : record(k->a.ctx, k, argc, argv);
	}
	if (is_stat)
		code = options_parse(o, &argc, argv);
	if (!code && !is_stat)
		code = options_subcommand_error(o, *what ? what : NULL);
	if (!code && argc && !k->bpf)
		code = options_usage_error(o, "'%s' is one argument too many", argv[0]);
	if (!code)
		code = kmem_settle(k, o);
	if (!code && !k->bpf)
		pager_start(k->a.ctx, "kmem");
	return code ? code : kmem_stat(k, argc, argv);
}

int cmd_kmem(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf kmem [<options>] record [<record options>] [<command>]",
		"perf kmem [<options>] stat [<options>]",
		"perf kmem [<options>] stat --bpf [<options>] [<command>]", NULL
	};
	static const char *const subcommands[] = { "record", "stat", NULL };
	struct kmem k;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "kmem",
			     .usage = usage,
			     .subcommands = subcommands,
			     .settings = &k,
			     .stop_at_command = true };
	int code;

	kmem_init(&k, ctx);
	kmem_option_rows(&k, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code)
		code = run(&k, &o, argc, argv);
	vec_release(&rows);
	return code < 0 ? 0 : code;
}
