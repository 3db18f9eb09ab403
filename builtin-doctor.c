// SPDX-License-Identifier: GPL-2.0-or-later
/* perf doctor: what can be measured here, what not, and what changes it. */
#include <unistd.h>

#include "base/out.h"
#include "builtin.h"
#include "builtin/doctor/doctor.h"
#include "cli/options.h"
#include "cli/say.h"

static int put(struct strbuf *text)
{
	struct out out;

	out_init(&out, STDOUT_FILENO);
	out_block(&out, text);
	strbuf_release(text);
	return say_output(out_release(&out));
}

static int examine_machine(struct context *ctx, enum doctor_mode mode, bool json)
{
	struct strbuf text = STRBUF_INIT;
	struct doctor d;
	int code;

	doctor_examine(&d, ctx, mode);
	if (json)
		doctor_json(&d, &text);
	else
		doctor_print(&d, &text);
	code = doctor_holds(&d) ? 0 : EXIT_NOT_HELD;
	doctor_release(&d);
	return put(&text) ? 1 : code;
}

static int examine_file(struct context *ctx, const char *path, bool json)
{
	struct strbuf text = STRBUF_INIT;
	struct reason r = REASON_INIT;

	if (doctor_file(ctx, path, json, &text, &r)) {
		strbuf_release(&text);
		return say_reason(&r);
	}
	return put(&text);
}

int cmd_doctor(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf doctor [--for MODE] [--json]",
					     "perf doctor [--json] FILE", NULL };
	enum doctor_mode mode = DOCTOR_ALL;
	const char *wanted = NULL;
	bool json = false;
	const struct option_row rows[] = {
		{ OPTION_STRING, 0, "for", &wanted, .arg = "MODE",
		  .help = "only what record, stat, top, trace, probe or bpf needs; exit 3 "
			  "without it" },
		{ OPTION_FLAG, 0, "json", &json, .help = "print JSON" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "doctor", .usage = usage, .rows = rows };
	struct reason r = REASON_INIT;
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc > 1)
		return options_usage_error(&o, "give one recording");
	if (argc && wanted)
		return options_usage_error(&o,
					   "--for is about this machine, not about a recording");
	if (wanted && doctor_mode_find(wanted, &mode, &r))
		return say_reason(&r);
	return argc ? examine_file(ctx, argv[0], json) : examine_machine(ctx, mode, json);
}
