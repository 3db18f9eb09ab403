// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: sample a command, processes or the whole system into perf.data. */
#include <errno.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "builtin.h"
#include "builtin/record/require.h"
#include "cli/options.h"
#include "cli/say.h"
#include "record/command.h"
#include "truth/truth.h"

static void say_lines(const char *text)
{
	fputs(text, stderr);
}

static void say_conditions_now(struct context *ctx)
{
	if (ctx->said_at_start)
		say_lines(ctx->said_at_start);
	say_conditions(ctx);
	condition_list_release(&ctx->conditions);
}

static bool list_registers(int argc, const char **argv)
{
	struct strbuf names = STRBUF_INIT;
	bool asked = record_lists_registers(argc, argv, &names);

	if (asked)
		fprintf(stderr, "available registers: %s\n", strbuf_cstr(&names));
	strbuf_release(&names);
	return asked;
}

/* Reports the failure. What the command line alone makes impossible is a usage error. */
static int refuse(int err, struct reason *r)
{
	int code = say_reason(r);

	return err == -EINVAL ? EXIT_USAGE : code;
}

static int run(struct record_request *q, bool has_command, const char **argv)
{
	struct context *ctx = q->ctx;
	struct reason r = REASON_INIT;
	struct record_outcome o;
	int code;

	if (record_request_run(q, has_command, argv, &o, &r)) {
		code = say_reason(&r);
		return o.code ? o.code : code;
	}
	say_conditions(ctx);
	condition_list_release(&ctx->conditions);
	code = record_check_require(ctx, q->s.output, &q->asked.require, &o.truth);
	truth_release(&o.truth);
	ctx->ended_by = o.signal;
	/*
	 * a failure of perf itself comes first, then the command's, then conditions that do not
	 * hold
	 */
	return code && code != EXIT_NOT_HELD ? code : o.code ? o.code : code;
}

static int setup_filter(struct record_request *q, bool has_command)
{
	struct reason r = REASON_INIT;

	if (record_setup_filter(q, has_command, &r))
		return say_reason(&r);
	say_conditions(q->ctx);
	return 0;
}

int cmd_record(struct context *ctx, int argc, const char **argv)
{
	struct reason r = REASON_INIT;
	struct record_request q;
	int code, err;

	if (list_registers(argc, argv))
		return 0;
	record_request_init(&q, ctx, argc, argv);
	q.voice.conditions = say_conditions_now;
	if (record_from_config(&q, &r)) {
		record_request_release(&q);
		return say_reason(&r);
	}
	code = record_request_parse(&q, &argc, argv);
	if (!code && q.asked.setup_filter) {
		code = setup_filter(&q, argc > 0);
	} else if (!code) {
		q.voice.lines = ctx->quiet ? NULL : say_lines;
		err = open_debug_servers(ctx, &q.asked.debuginfod, &q.servers, &r);
		if (!err)
			err = record_request_settle(&q, argc > 0, &r);
		if (err)
			code = refuse(err, &r);
		else if (q.asked.dry_run)
			say_conditions(ctx);
		else
			code = run(&q, argc > 0, argv);
	}
	record_request_release(&q);
	return code < 0 ? 0 : code;
}
