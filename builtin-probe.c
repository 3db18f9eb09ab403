// SPDX-License-Identifier: GPL-2.0-or-later
/* perf probe: put probes into the running kernel and into programs, list and remove them. */
#include "analysis/analysis.h"
#include "builtin.h"
#include "builtin/probe/run.h"
#include "cli/options.h"
#include "cli/say.h"
#include "probe/request.h"

/* Most places of one definition, unless --max-probes says another number. */
#define MAX_PROBES 128

#define SHOW(letter, name, param, var, was, text)                                                  \
	{                                                                                          \
		OPTION_STRING, letter, name, var,                                                  \
			.arg = param, .help = text, .given = was,                                  \
			.flags = OPT_OPTIONAL | OPT_LAST_DEFAULT | OPT_NO_NEGATE                   \
	}
#define FLAG(letter, name, var, text)                                                              \
	{                                                                                          \
		OPTION_FLAG, letter, name, var, .help = text                                       \
	}
#define TEXT(letter, name, param, var, text)                                                       \
	{                                                                                          \
		OPTION_STRING, letter, name, var, .arg = param, .help = text                       \
	}

static const char *const usage[] = { "perf probe [<options>] [--add] DEFINITION",
				     "perf probe [<options>] --definition DEFINITION",
				     "perf probe [<options>] --del [GROUP:]EVENT",
				     "perf probe [<options>] --list [[GROUP:]EVENT]",
				     "perf probe [<options>] --line RANGE",
				     "perf probe [<options>] --vars PLACE",
				     "perf probe [<options>] --funcs [FILTER]",
				     NULL };

static int parse_options(struct probe_request *q, struct debuginfod_wish *debuginfod,
			 struct options *o, int *argc, const char **argv)
{
	const struct option_row rows[] = {
		{ OPTION_GROUP, .help = "What to do" },
		{ OPTION_LIST, 'a', "add", &q->add, .arg = "DEFINITION", .flags = OPT_NO_NEGATE,
		  .help = "add a probe: [[GROUP:]EVENT=]PLACE [ARGUMENT ...]" },
		{ OPTION_LIST, 'D', "definition", &q->define, .arg = "DEFINITION",
		  .flags = OPT_NO_NEGATE,
		  .help = "show what would be written to tracefs, without changing anything" },
		{ OPTION_LIST, 'd', "del", &q->remove, .arg = "[GROUP:]EVENT",
		  .flags = OPT_NO_NEGATE, .help = "remove probes; globs are allowed" },
		SHOW('l', "list", "[GROUP:]EVENT", &q->list, &q->list_given,
		     "list the probes that exist"),
		SHOW('L', "line", "RANGE", &q->lines, &q->lines_given,
		     "show source; lines with a number can be probed: FUNC[:A[-B|+N]], "
		     "FILE[:A[-B|+N]]"),
		SHOW('V', "vars", "PLACE", &q->variables, &q->variables_given,
		     "show the variables that a probe can read there"),
		SHOW('F', "funcs", "FILTER", &q->functions, &q->functions_given,
		     "show the functions that can be probed"),
		{ OPTION_GROUP, .help = "Where" },
		TEXT('x', "exec", "FILE", &q->exec,
		     "a program or library; an absolute path as the first argument does the same"),
		TEXT('m', "module", "MODULE", &q->module,
		     "a kernel module, by name or by the path of its file"),
		TEXT('k', "vmlinux", "FILE", &q->vmlinux,
		     "the kernel's file with debug information"),
		TEXT('s', "source", "DIR", &q->source, "directory of the source files"),
		TEXT(0, "symfs", "DIR", &q->symfs, "read programs and debug files below DIR"),
		DEBUGINFOD_ROW(debuginfod),
		{ OPTION_INT, 0, "target-ns", &q->ns_pid, .arg = "PID",
		  .help = "look up paths as this process sees them" },
		{ OPTION_GROUP, .help = "How" },
		FLAG('n', "dry-run", &q->dry_run, "show what would be done, change nothing"),
		FLAG('f', "force", &q->force, "add the event even if its name exists, as NAME_1"),
		{ OPTION_FLAG, 0, "inlines", &q->inlines, .flags = OPT_NEGATE_ONLY,
		  .help = "leave inlined instances out" },
		{ OPTION_UINT, 0, "max-probes", &q->max_probes, .arg = "N",
		  .help = "maximum number of places of one definition (128)" },
		{ OPTION_UINT, 0, "maxactive", &q->maxactive, .arg = "N",
		  .help = "maximum number of calls of a kernel function that may be running at "
			  "once" },
		FLAG(0, "cache", &q->cache,
		     "keep added probes in the build-id cache; list or remove those"),
		FLAG(0, "bootconfig", &q->bootconfig,
		     "-D in the form of the kernel's boot configuration"),
		FLAG(0, "externs", &q->externs, "-V: global variables as well"),
		FLAG(0, "range", &q->range, "-V: where in the function each variable lives"),
		TEXT(0, "filter", "FILTER", &q->filter,
		     "-V, -F: only names that match globs, combined with ! & | ( )"),
		FLAG(0, "demangle", &q->demangle,
		     "show names in programs as in their source (default)"),
		FLAG(0, "demangle-kernel", &q->demangle_kernel,
		     "show names in the kernel as in their source"),
		{ OPTION_COUNT, 'v', "verbose", &q->ctx->verbose,
		  .help = "show what is written to tracefs" },
		FLAG('q', "quiet", &q->ctx->quiet, "print errors only"),
		OPT_END_ROW,
	};

	int code;

	*o = (struct options){ .command = "probe", .usage = usage, .rows = rows, .settings = q };
	code = options_parse(o, argc, argv);
	o->rows = NULL; /* they end with this function */
	return code;
}

static int check(struct probe_request *q, const struct options *o, int argc, const char **argv)
{
	struct reason r = REASON_INIT;
	int code = 0;

	probe_request_words(q, argc, argv);
	if (probe_request_check(q, &r))
		code = options_usage_error(o, "%s", r.text);
	reason_release(&r);
	return code;
}

int cmd_probe(struct context *ctx, int argc, const char **argv)
{
	struct probe_request q = {
		.ctx = ctx, .demangle = true, .inlines = true, .max_probes = MAX_PROBES
	};
	struct debuginfod_wish debuginfod = { 0 };
	struct reason r = REASON_INIT;
	struct options o;
	int code = parse_options(&q, &debuginfod, &o, &argc, argv);

	if (!code)
		code = check(&q, &o, argc, argv);
	if (code) {
		probe_request_release(&q);
		return code < 0 ? 0 : code;
	}
	if (open_debug_servers(ctx, &debuginfod, &q.servers, &r)) {
		say_reason(&r);
		probe_request_release(&q);
		return EXIT_USAGE;
	}
	if (probe_command_run(&q, &r))
		code = say_reason(&r);
	close_debug_servers(ctx, q.servers);
	probe_request_release(&q);
	return say_conditions(ctx) ? 1 : code;
}
