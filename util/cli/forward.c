// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that are passed on to another command. */
#include "cli/forward.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/strbuf.h"
#include "cli/options-internal.h"
#include "cli/say.h"

/* Adds the negation of a name: "no-x" for "x", and the other way round. */
static void add_negated_name(struct strbuf *b, const char *name)
{
	if (str_starts(name, "no-"))
		strbuf_str(b, name + 3);
	else
		strbuf_f(b, "no-%s", name);
}

static int forward(const struct option_call *call, struct reason *r)
{
	const struct option_row *row = call->row;
	struct strbuf word = STRBUF_INIT;

	(void)r;
	if (!row->long_name) {
		strbuf_f(&word, "-%c%s", row->short_name, call->value ? call->value : "");
	} else {
		strbuf_str(&word, "--");
		if (call->negated)
			add_negated_name(&word, row->long_name);
		else
			strbuf_str(&word, row->long_name);
		if (call->value)
			strbuf_f(&word, "=%s", call->value);
	}
	strlist_add(row->value, strbuf_cstr(&word));
	strbuf_release(&word);
	return 0;
}

static bool has_letter(const option_rows *rows, char letter)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].short_name == letter && rows->items[i].kind != OPTION_GROUP)
			return true;
	return false;
}

static bool has_name(const option_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].long_name && rows->items[i].kind != OPTION_GROUP &&
		    !strcmp(rows->items[i].long_name, name))
			return true;
	return false;
}

void forward_option_rows(option_rows *rows, const struct option_row *theirs, size_t count,
			 struct strlist *words)
{
	for (size_t i = 0; i < count && theirs[i].kind != OPTION_END; i++) {
		struct option_row row = theirs[i];

		if (row.kind == OPTION_GROUP) {
			vec_push(rows, row);
			continue;
		}
		if (row.long_name && has_name(rows, row.long_name))
			continue;
		if (row.short_name && has_letter(rows, row.short_name))
			row.short_name = 0;
		if (!row.short_name && !row.long_name)
			continue;
		if (!option_negatable(&theirs[i]))
			row.flags |= OPT_NO_NEGATE;
		row.arg = option_takes_value(&theirs[i]) ? option_value_name(&theirs[i]) : NULL;
		row.kind = OPTION_CALLBACK;
		row.value = words;
		row.given = NULL;
		row.set = forward;
		vec_push(rows, row);
	}
}

static void say_call(const struct strlist *line)
{
	struct strbuf text = STRBUF_INIT;

	vec_for_each(&line->list, word)
		strbuf_f(&text, " %s", *word);
	say_note("calling:%s", strbuf_cstr(&text));
	strbuf_release(&text);
}

int forward_run(struct context *ctx, struct strlist *line, const struct strlist *words, int argc,
		const char **argv, int (*command)(struct context *ctx, int argc, const char **argv))
{
	const char **call;
	int code;

	vec_for_each(&words->list, word)
		strlist_add(line, *word);
	if (argc)
		strlist_add(line, "--");
	for (int i = 0; i < argc; i++)
		strlist_add(line, argv[i]);
	if (ctx->verbose > 0)
		say_call(line);
	call = xcalloc(line->list.count + 1, sizeof(*call));
	for (size_t i = 0; i < line->list.count; i++)
		call[i] = line->list.items[i];
	code = command(ctx, (int)line->list.count, call);
	free(call);
	return code;
}

bool subcommand_is(const char *typed, const char *name)
{
	return strlen(typed) > 2 && str_starts(name, typed);
}
