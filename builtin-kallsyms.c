// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kallsyms: where kernel symbols are. */
#include <unistd.h>

#include "base/out.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "symbol/find_kernel.h"

/* Prints a symbol in the layout of older versions: name, object twice and range twice. */
static void print_symbol(void *arg, const struct kernel_symbol *s)
{
	struct strbuf *b = out_buf(arg);

	strbuf_printable(b, s->name);
	if (s->module) {
		strbuf_str(b, ": [");
		strbuf_printable(b, s->module);
		strbuf_str(b, "] [");
		strbuf_printable(b, s->module);
		strbuf_str(b, "]");
	} else {
		strbuf_str(b, ": [kernel] [kernel.kallsyms]");
	}
	strbuf_f(b, " %#" PRIx64 "-%#" PRIx64 " (%#" PRIx64 "-%#" PRIx64 ")\n", s->start, s->end,
		 s->start, s->end);
}

static int print_all(struct context *ctx, const char *file, int argc, const char **argv)
{
	struct kernel_list_of_names *names;
	struct reason r = REASON_INIT;
	struct out out;
	int code = 0;

	if (kernel_names_open(file, &names, &r))
		return say_reason(&r);
	if (ctx->verbose)
		say_note("symbols of '%s'", file ? file : "/proc/kallsyms");
	out_init(&out, STDOUT_FILENO);
	for (int i = 0; i < argc; i++) {
		if (kernel_names_find(names, argv[i], print_symbol, &out))
			continue;
		strbuf_printable(out_buf(&out), argv[i]);
		strbuf_str(out_buf(&out), ": not found\n");
		code = 1;
	}
	kernel_names_free(names);
	return say_output(out_release(&out)) ? 1 : code;
}

int cmd_kallsyms(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf kallsyms [<options>] SYMBOL...", NULL };
	const char *file = NULL;
	const struct option_row rows[] = {
		{ OPTION_STRING, 0, "kallsyms", &file, .arg = "FILE",
		  .help = "look in this copy of /proc/kallsyms" },
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose,
		  .help = "say where the symbols come from" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "kallsyms", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc < 1)
		return options_usage_error(&o, "name a kernel symbol");
	return print_all(ctx, file, argc, argv);
}
