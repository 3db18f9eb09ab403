// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kvm: other commands on guests, and what their exits cost. */
#include <stdio.h>
#include <string.h>

#include "analysis/options.h"
#include "builtin.h"
#include "builtin/kvm/kvm.h"
#include "cli/say.h"
#include "record/forward.h"

/* ---- stat ---- */

static int stat_record(const struct kvm_command *k, int argc, const char **argv)
{
	static const char *const usage[] = { "perf kvm stat record [<options>] [<command>]", NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "kvm", .usage = usage, .stop_at_command = true };
	struct strlist line = { 0 }, words = { 0 };
	struct reason r = REASON_INIT;
	int code;

	record_forward_rows(k->ctx, &rows, &words);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code &&
	    kvm_stat_record_words(k->file ? k->file : kvm_file_name(k->host, k->guest), &line, &r))
		code = say_reason(&r);
	else if (!code)
		code = forward_run(k->ctx, &line, &words, argc, argv, cmd_record);
	vec_release(&rows);
	strlist_release(&line);
	strlist_release(&words);
	return code;
}

static int stat_show(const struct kvm_command *k, bool live, int argc, const char **argv)
{
	static const char *const usages[][2] = { { "perf kvm stat report [<options>]", NULL },
						 { "perf kvm stat live [<options>]", NULL } };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "kvm", .usage = usages[live] };
	struct kvm_stat s;
	int code;

	kvm_stat_init(&s, k->ctx, k->file ? k->file : kvm_file_name(k->host, k->guest));
	if (live)
		kvm_stat_live_rows(&s, &rows);
	else
		kvm_stat_report_rows(&s, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	if (!code)
		code = live ? kvm_stat_live(&s) : kvm_stat_report(&s);
	vec_release(&rows);
	kvm_stat_release(&s);
	return code;
}

static int stat(const struct kvm_command *k, int argc, const char **argv)
{
	if (argc > 1 && subcommand_is(argv[1], "record"))
		return stat_record(k, argc - 1, argv + 1);
	if (argc > 1 && subcommand_is(argv[1], "report"))
		return stat_show(k, false, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "live"))
		return stat_show(k, true, argc - 1, argv + 1);
	return kvm_hand_on(k, "stat", NULL, false, argc, argv, cmd_stat);
}

static int top(const struct kvm_command *k, int argc, const char **argv)
{
	if (k->guest)
		kvm_say_no_names(&k->symbols);
	return kvm_hand_on(k, "top", NULL, true, argc, argv, cmd_top);
}

static int dispatch(struct kvm_command *k, const struct options *o, int argc, const char **argv)
{
	const char *name = argv[0];
	int code = kvm_guest_files(&k->symbols);

	if (code)
		return code;
	if (!k->host)
		k->guest = true;
	k->ctx->count_guests = k->guest;
	k->ctx->skip_host = !k->host;
	if (subcommand_is(name, "record"))
		return kvm_hand_on(k, "record", "output", false, argc, argv, cmd_record);
	if (subcommand_is(name, "report"))
		return kvm_hand_on(k, "report", "input", true, argc, argv, cmd_report);
	if (subcommand_is(name, "diff"))
		return kvm_hand_on(k, "diff", NULL, true, argc, argv, cmd_diff);
	if (!strcmp(name, "top"))
		return top(k, argc, argv);
	if (subcommand_is(name, "buildid-list"))
		return kvm_hand_on(k, "buildid-list", "input", false, argc, argv, cmd_buildid_list);
	if (subcommand_is(name, "script"))
		return kvm_hand_on(k, "script", "input", true, argc, argv, cmd_script);
	if (subcommand_is(name, "evlist"))
		return kvm_hand_on(k, "evlist", "input", false, argc, argv, cmd_evlist);
	if (subcommand_is(name, "stat"))
		return stat(k, argc, argv);
	return options_subcommand_error(o, name);
}

int cmd_kvm(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf kvm [<options>] {top|record|report|diff}",
		"perf kvm [<options>] {buildid-list|script|evlist|stat}", NULL
	};
	static const char *const subcommands[] = { "top",    "record",       "report",
						   "diff",   "buildid-list", "script",
						   "evlist", "stat",         NULL };
	struct kvm_command k = { .ctx = ctx, .guest = true };
	const struct option_row rows[] = {
		{ OPTION_STRING, 'i', "input", &k.file, .arg = "FILE",
		  .help = "the recording to read" },
		{ OPTION_STRING, 'o', "output", &k.file, .arg = "FILE",
		  .help = "the recording to write" },
		{ OPTION_FLAG, 0, "guest", &k.guest,
		  .help = "profile guests (default); --no-guest leaves them out" },
		{ OPTION_FLAG, 0, "host", &k.host, .help = "profile the host, too" },
		GUEST_KERNEL_ROWS(&k.symbols),
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose, .help = "say more" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "kvm",
				   .usage = usage,
				   .rows = rows,
				   .subcommands = subcommands,
				   .stop_at_command = true };
	int code = options_parse(&o, &argc, argv);

	if (!code && !argc)
		code = options_subcommand_error(&o, NULL);
	if (!code)
		code = dispatch(&k, &o, argc, argv);
	return code < 0 ? 0 : code;
}
