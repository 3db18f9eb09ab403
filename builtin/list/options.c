// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: its options. */
#include "builtin/list/list.h"
#include "cli/options.h"

int list_parse_options(struct list_settings *s, int *argc, const char **argv)
{
	static const char *const usage[] = {
		"perf list [<options>] "
		"[hw|sw|tool|cache|pmu|raw|tracepoint|sdt|metric|metricgroup|pfm|"
		"<glob>|<word>]...",
		NULL
	};
	bool desc = true;
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'v', "long-desc", &s->details,
		  .help = "also print fields of tracepoints, terms and codes of PMU events" },
		{ OPTION_FLAG, 0, "details", &s->details, .help = "the same as -v" },
		{ OPTION_FLAG, 'd', "desc", &desc,
		  .help = "print what metrics and libpfm4's events are (default)" },
		{ OPTION_FLAG, 'j', "json", &s->json, .help = "print an array of JSON objects" },
		{ OPTION_STRING, 'o', "output", &s->output, .arg = "FILE",
		  .help = "write the list to FILE" },
		{ OPTION_STRING, 0, "unit", &s->unit, .arg = "PMU",
		  .help = "only events of this PMU (a glob, or what several are called)" },
		{ OPTION_STRING, 0, "cputype", &s->cputype, .arg = "TYPE",
		  .help = "core or atom: of the events of CPUs, list only those of this kind" },
		{ OPTION_FLAG, 0, "deprecated", &s->deprecated,
		  .help = "also list what libpfm4 calls deprecated" },
		{ OPTION_FLAG, 0, "debug", &s->debug, .help = "say what is left out, and why" },
		{ OPTION_FLAG, 0, "raw-dump", &s->raw_dump,
		  .help = "print the names alone, in one line" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "list", .usage = usage, .rows = rows };
	int code = options_parse(&o, argc, argv);

	if (!code && s->json && s->raw_dump)
		code = options_usage_error(&o, "-j and --raw-dump are two forms of output");
	s->no_desc = !desc;
	return code;
}
