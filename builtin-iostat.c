// SPDX-License-Identifier: GPL-2.0-or-later
/* perf iostat: another name for perf stat --iostat. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "builtin.h"
#include "cli/options.h"

/* Reports whether the word is "list" or names root ports: "0000:16,0000:64". */
static bool names_ports(const char *word)
{
	return !strcmp(word, "list") ||
	       (word[strspn(word, "0123456789abcdefABCDEF")] == ':' && *word != ':');
}

int cmd_iostat(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf iostat list",
					     "perf iostat [<options>] [<ports>] [--] [<command>]",
					     NULL };
	static const char *const subcommands[] = { "list", NULL };
	const char *interval = NULL, *separator = NULL, *output = NULL;
	const struct option_row rows[] = {
		{ OPTION_STRING, 'I', "interval-print", &interval, .arg = "MS",
		  .help = "print counts every N milliseconds" },
		{ OPTION_STRING, 'x', "field-separator", &separator, .arg = "TEXT",
		  .help = "separate fields with this" },
		{ OPTION_STRING, 'o', "output", &output, .arg = "FILE",
		  .help = "write the figures to a file" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "iostat",
				   .usage = usage,
				   .rows = rows,
				   .subcommands = subcommands,
				   .stop_at_command = true };
	int code = options_parse(&o, &argc, argv), n = 0, from = 0;
	const char **args;
	char *ports;

	if (code)
		return code < 0 ? 0 : code;
	args = xcalloc((size_t)argc + 10, sizeof(*args));
	ports = argc && names_ports(argv[0]) ? xasprintf("--iostat=%s", argv[from++])
					     : xstrdup("--iostat");
	args[n++] = "stat";
	args[n++] = ports;
	if (interval)
		args[n++] = "-I", args[n++] = interval;
	if (separator)
		args[n++] = "-x", args[n++] = separator;
	if (output)
		args[n++] = "-o", args[n++] = output;
	if (from < argc && !strcmp(argv[from], "--"))
		from++;
	if (from < argc)
		args[n++] = "--";
	while (from < argc)
		args[n++] = argv[from++];
	code = cmd_stat(ctx, n, args);
	free(ports);
	free(args);
	return code;
}
