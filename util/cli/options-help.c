// SPDX-License-Identifier: GPL-2.0-or-later
/* What an option table says of itself: -h, the usage lines, the names for completion. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/options-internal.h"
#include "cli/pages.h"
#include "cli/say.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

const char *option_value_name(const struct option_row *row)
{
	if (row->arg)
		return row->arg;
	switch (row->kind) {
	case OPTION_SIZE:
		return "SIZE";
	case OPTION_DURATION:
		return "TIME";
	case OPTION_U64:
	case OPTION_UINT:
	case OPTION_INT:
		return "N";
	default:
		return "TEXT";
	}
}

static void add_value(const struct option_row *row, struct strbuf *b)
{
	const char *name = option_value_name(row);

	if (!option_takes_value(row))
		return;
	if (row->flags & OPT_OPTIONAL)
		strbuf_f(b, row->long_name ? "[=%s]" : "[%s]", name);
	else if (row->flags & OPT_LAST_DEFAULT)
		strbuf_f(b, " [%s]", name);
	else
		strbuf_f(b, " %s", name);
}

/*
 * Adds the words of text from HELP_COLUMN on, in lines that fit a terminal. A line may also end
 * after a comma.
 */
static void add_text(const char *text, struct strbuf *b)
{
	size_t column = HELP_COLUMN, len, spaces = 0;

	for (; *text; text += len + spaces) {
		len = strcspn(text, " ,");
		len += text[len] == ',';
		if (column > HELP_COLUMN && column + spaces + len > HELP_WIDTH) {
			strbuf_char(b, '\n');
			strbuf_pad(b, ' ', HELP_COLUMN);
			column = HELP_COLUMN;
		} else {
			strbuf_pad(b, ' ', (int)spaces);
			column += spaces;
		}
		strbuf_add(b, text, len);
		column += len;
		spaces = strspn(text + len, " ");
	}
}

static void add_row(const struct option_row *row, struct strbuf *b)
{
	size_t start = b->len;

	strbuf_str(b, "    ");
	if (row->short_name)
		strbuf_f(b, "-%c%s", row->short_name, row->long_name ? ", " : "");
	else
		strbuf_str(b, "    ");
	if (row->long_name) {
		strbuf_str(b, "--");
		option_listed_name(row, b);
	}
	add_value(row, b);
	if (b->len - start >= HELP_COLUMN) {
		strbuf_char(b, '\n');
		start = b->len;
	}
	strbuf_pad(b, ' ', HELP_COLUMN - (int)(b->len - start));
	add_text(row->help ? row->help : "", b);
	strbuf_char(b, '\n');
}

/* Adds only the usage lines. */
static void options_usage(const struct options *o, struct strbuf *b)
{
	const char *lead = " Usage:";

	for (const char *const *u = o->usage; u && *u; u++) {
		strbuf_f(b, "%s %s\n", lead, *u);
		lead = "    or:";
	}
}

static void options_help(const struct options *o, struct strbuf *b)
{
	strbuf_char(b, '\n');
	options_usage(o, b);
	strbuf_char(b, '\n');
	for (const struct option_row *row = o->rows; row->kind != OPTION_END; row++) {
		if (row->kind == OPTION_GROUP)
			strbuf_f(b, "%s%s\n", row == o->rows ? "" : "\n", row->help);
		else if (!(row->flags & OPT_HIDDEN))
			add_row(row, b);
	}
	strbuf_char(b, '\n');
}

/* Prints through stdio, whose errors perf.c looks for at the end. */
static void print(struct strbuf *b)
{
	fwrite(strbuf_cstr(b), 1, b->len, stdout);
	strbuf_release(b);
}

void options_print_help(const struct options *o)
{
	struct strbuf b = STRBUF_INIT;

	options_help(o, &b);
	print(&b);
}

void options_print_page(const struct options *o)
{
	char *name = xstrndup(o->command ? o->command : "perf",
			      o->command ? strcspn(o->command, " ") : 4);
	const char *text = page_text(name);

	if (text)
		fputs(text, stdout);
	else
		options_print_help(o);
	free(name);
}

void options_print_names(const struct options *o)
{
	struct strbuf b = STRBUF_INIT;

	for (const struct option_row *row = o->rows; row->kind != OPTION_END; row++) {
		if (row->kind == OPTION_GROUP || (row->flags & OPT_HIDDEN))
			continue;
		if (row->long_name) {
			strbuf_str(&b, "--");
			option_listed_name(row, &b);
		} else {
			strbuf_f(&b, "-%c", row->short_name);
		}
		strbuf_char(&b, ' ');
	}
	strbuf_char(&b, '\n');
	print(&b);
}

void options_print_subcommands(const struct options *o)
{
	struct strbuf b = STRBUF_INIT;

	for (const char *const *s = o->subcommands; s && *s; s++)
		strbuf_f(&b, "%s ", *s);
	strbuf_char(&b, '\n');
	print(&b);
}

int options_usage_error(const struct options *o, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		strbuf_vf(&b, fmt, ap);
		va_end(ap);
		say_error("%s", b.s);
		strbuf_clear(&b);
	}
	options_usage(o, &b);
	fflush(stdout);
	fputs(strbuf_cstr(&b), stderr);
	strbuf_release(&b);
	say_hint("'perf %s%s-h' lists the options", o->command ? o->command : "",
		 o->command ? " " : "");
	return EXIT_USAGE;
}

int options_subcommand_error(const struct options *o, const char *typed)
{
	struct strbuf names = STRBUF_INIT;
	const char *near;
	size_t count = 0;

	while (o->subcommands[count])
		count++;
	for (size_t i = 0; i < count; i++)
		strbuf_f(&names, "%s%s",
			 !i              ? ""
			 : i + 1 < count ? ", "
					 : " or ",
			 o->subcommands[i]);
	near = typed ? nearest_name(typed, o->subcommands, count) : NULL;
	if (!typed)
		say_error("need a subcommand: %s", strbuf_cstr(&names));
	else
		say_error("unknown subcommand '%s'", typed);
	if (near)
		say_hint("did you mean '%s'?", near);
	strbuf_release(&names);
	return options_usage_error(o, NULL);
}
