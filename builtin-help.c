// SPDX-License-Identifier: GPL-2.0-or-later
/* perf help: the commands by group, or the page of one. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin.h"
#include "cli/color.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/pages.h"
#include "cli/say.h"

static const char *const group_titles[COMMAND_GROUPS] = {
	[COMMAND_MEASURE] = "Measure and record",
	[COMMAND_ANALYSE] = "Show what was recorded",
	[COMMAND_FILES] = "Handle files and objects",
	[COMMAND_SELF] = "This perf and this machine",
};

static void list_group(enum command_group group, const char *bold, const char *reset)
{
	bool any = false;

	for (const struct command *c = commands; c->name; c++) {
		if (c->group != group)
			continue;
		if (!any)
			printf("\n %s%s%s\n", bold, group_titles[group], reset);
		printf("   %-15s %s\n", c->name, c->purpose);
		any = true;
	}
}

static bool is_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return true;
	return false;
}

static void list_other_pages(void)
{
	printf("\n Other pages\n  ");
	for (const struct page *p = pages; p->name; p++)
		if (!is_command(p->name))
			printf(" %s", p->name);
	putchar('\n');
}

static void list_commands(const struct context *ctx, bool all)
{
	bool color = color_wanted(ctx, STDOUT_FILENO);

	printf("\n usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]\n");
	for (int g = 0; g < COMMAND_GROUPS; g++)
		list_group(g, color ? COLOR_BOLD : "", color ? COLOR_RESET : "");
	if (all)
		list_other_pages();
	printf("\n See 'perf help COMMAND' for more information on a specific command.\n\n");
}

/* Prints a page. Headings are the lines that begin at the margin. */
static void print_page(const struct context *ctx, const char *text)
{
	if (!color_wanted(ctx, STDOUT_FILENO)) {
		fputs(text, stdout);
		return;
	}
	while (*text) {
		int len = (int)strcspn(text, "\n");
		bool heading = isupper((unsigned char)*text);

		printf(heading ? COLOR_BOLD "%.*s" COLOR_RESET "\n" : "%.*s\n", len, text);
		text += len + (text[len] == '\n');
	}
}

static int no_page(const char *name)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct page *p = pages; p->name; p++)
		vec_push(&names, p->name);
	near = nearest_name(name, names.items, names.count);
	say_error("there is no page about '%s'", name);
	if (near)
		say_hint("did you mean 'perf help %s'?", near);
	else
		say_hint("'perf help' lists the commands");
	vec_release(&names);
	return 1;
}

int cmd_help(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf help [-a] [COMMAND]", NULL };
	bool all = false;
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'a', "all", &all,
		  .help = "also list pages that are not about a command" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "help", .usage = usage, .rows = rows };
	int code = options_parse(&o, &argc, argv);
	const char *text;

	if (code)
		return code < 0 ? 0 : code;
	if (argc > 1)
		return options_usage_error(&o, "one page at a time");
	text = argc ? page_text(str_starts(argv[0], "perf-") ? argv[0] + 5 : argv[0]) : NULL;
	if (argc && !text)
		return no_page(argv[0]);
	pager_start(ctx, "help");
	if (text)
		print_page(ctx, text);
	else
		list_commands(ctx, all);
	return 0;
}
