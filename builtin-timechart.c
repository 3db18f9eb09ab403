// SPDX-License-Identifier: GPL-2.0-or-later
/* perf timechart: a recording as a picture over time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/record_events.h"
#include "base/text.h"
#include "builtin.h"
#include "builtin/timechart/timechart.h"
#include "cli/forward.h"
#include "cli/options.h"

static const char *const subcommands[] = { "record", NULL };

/*
 * Returns how many arguments belong to timechart record: its own options come right after "record",
 * and perf record takes the rest.
 */
static int own_options(int argc, const char **argv)
{
	static const char *const own[] = {
		"-P",        "-T",          "-I", "-g",     "--power-only", "--tasks-only",
		"--io-only", "--callchain", "-h", "--help", "--list-opts",
	};
	int count = 1;

	for (size_t i = 0; count < argc && i < ARRAY_SIZE(own); i++)
		if (!strcmp(argv[count], own[i])) {
			count++;
			i = (size_t)-1;
		}
	return count;
}

/* Records with perf record; argv[0] is "record". */
static int record(struct context *ctx, struct timechart *t, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf timechart record [<options>] [<record options>] [<command>]", NULL
	};
	option_rows rows = VEC_INIT;
	struct options o = { .command = "timechart record", .usage = usage, .settings = t };
	struct strlist words = { 0 };
	const char **own = xcalloc((size_t)argc + 1, sizeof(*own));
	int code, count = own_options(argc, argv), left = count;

	memcpy(own, argv, (size_t)count * sizeof(*own));
	timechart_record_rows(t, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &left, own);
	if (!code)
		code = timechart_check(t, &o);
	if (!code) {
		timechart_record_words(t, argc - count, argv + count, &words);
		argv = record_argv(&words);
		ctx->records_all = true;
		code = cmd_record(ctx, (int)words.list.count, argv);
		ctx->records_all = false;
		free(argv);
	}
	free(own);
	strlist_release(&words);
	vec_release(&rows);
	return code;
}

static void say_written(double seconds, const char *output)
{
	char *shown = printable_copy(output);

	fprintf(stderr, "Written %2.1f seconds of trace to %s.\n", seconds, shown);
	free(shown);
}

static int draw(struct context *ctx, struct timechart *t)
{
	double seconds = 0;
	int code = timechart_run(t, &seconds);

	if (!code && !ctx->quiet)
		say_written(seconds, t->output);
	return code;
}

int cmd_timechart(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf timechart [<options>]",
		"perf timechart [<options>] record [<record options>] [<command>]", NULL
	};
	struct timechart t;
	option_rows rows = VEC_INIT;
	struct options o = { .command = "timechart",
			     .usage = usage,
			     .subcommands = subcommands,
			     .stop_at_command = true,
			     .settings = &t };
	int code;

	timechart_init(&t, ctx);
	timechart_rows(&t, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code)
		code = timechart_check(&t, &o);
	if (!code && argc && subcommand_is(argv[0], "record"))
		code = record(ctx, &t, argc, argv);
	else if (!code && argc)
		code = options_subcommand_error(&o, argv[0]);
	else if (!code)
		code = draw(ctx, &t);
	vec_release(&rows);
	timechart_release(&t);
	return code < 0 ? 0 : code;
}
