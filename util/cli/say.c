// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/lost_pages.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/options.h"

/*
 * Adds the lines. Further ones (an event with a caret below it) are indented, so none looks like a
 * message.
 */
static void add_lines(struct strbuf *b, const char *text)
{
	const char *next;

	for (; (next = strchr(text, '\n')); text = next + 1) {
		char *one = xstrndup(text, (size_t)(next - text));

		strbuf_printable(b, one);
		strbuf_str(b, "\n  ");
		free(one);
	}
	strbuf_printable(b, text);
}

/* Writes a message in one write, after what was printed before it. */
static void say(const char *word, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_f(&line, "%s: ", word);
	add_lines(&line, text);
	strbuf_char(&line, '\n');
	fflush(stdout);
	write_all(STDERR_FILENO, line.s, line.len);
	strbuf_release(&line);
}

static void vsay(const char *word, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_vf(&text, fmt, ap);
	say(word, strbuf_cstr(&text));
	strbuf_release(&text);
}

#define SAYS(name, word)                                                                           \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list ap;                                                                        \
                                                                                                   \
		va_start(ap, fmt);                                                                 \
		vsay(word, fmt, ap);                                                               \
		va_end(ap);                                                                        \
	}

SAYS(say_error, "error")
SAYS(say_warning, "warning")
SAYS(say_hint, "hint")
SAYS(say_note, "note")

void say_progress(const char *text)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_str(&line, "\r\033[K");
	if (text)
		strbuf_printable(&line, text);
	write_all(STDERR_FILENO, line.s, line.len);
	strbuf_release(&line);
}

void say_nothing_seen(const struct context *ctx, const char *what)
{
	if (!ctx->quiet)
		say_note("%s", what);
}

void say_empty_table(const struct context *ctx, const char *why, bool chosen)
{
	vec_for_each(&ctx->conditions.list, c)
		if (!strcmp(c->code, "tracer-filtered"))
			return;
	if (!ctx->quiet)
		say_note("the table is empty: %s%s", why,
			 chosen ? ", of what the options choose" : "");
}

int say_reason(struct reason *r)
{
	int code = r->wrong_use ? EXIT_USAGE : 1;

	say("error", r->text ? r->text : strerror(r->err));
	if (r->hint)
		say("hint", r->hint);
	reason_release(r);
	return code;
}

static void say_condition(const struct condition *c)
{
	const char *word = c->weight == CONDITION_NOTE ? "note" : "warning";

	if (c->count > 1) {
		struct strbuf text = STRBUF_INIT;

		strbuf_f(&text, "%s (%" PRIu64 " times)", c->text, c->count);
		say(word, text.s);
		strbuf_release(&text);
	} else {
		say(word, c->text);
	}
}

/* Of one kind a few are reported, all with -v: a hundred objects may be away for one reason. */
#define MOST_OF_A_KIND 5

static bool is_said(const struct context *ctx, const struct condition *c)
{
	return !ctx->quiet && (c->weight != CONDITION_NOTE || ctx->verbose > 0);
}

/* Reports whether two conditions have one reason, although their objects differ. */
static bool alike(const struct condition *a, const struct condition *b)
{
	return !strcmp(a->code, b->code) && !a->hint == !b->hint &&
	       (!a->hint || !strcmp(a->hint, b->hint));
}

/*
 * Prints the conditions from first on that are alike, with their hint once. Returns where they end.
 */
static size_t say_alike(const struct context *ctx, const struct condition_list *l, size_t first)
{
	const struct condition *c = &l->list.items[first];
	size_t said = 0, more = 0, i = first;

	for (; i < l->list.count; i++) {
		const struct condition *next = &l->list.items[i];

		if (!is_said(ctx, next))
			continue;
		if (!alike(next, c))
			break;
		if (said < MOST_OF_A_KIND || ctx->verbose > 0)
			say_condition(next);
		else
			more++;
		said++;
	}
	if (more)
		say_note("%zu more of this kind; -v shows them", more);
	if (c->hint)
		say("hint", c->hint);
	return i;
}

/* Conditions that are alike. */
struct kind {
	const struct condition *one;
	size_t count;
};
typedef VEC(struct kind) kind_list;

static void gather_kinds(const struct context *ctx, enum condition_weight weight, kind_list *kinds)
{
	vec_for_each(&ctx->conditions.list, c) {
		struct kind *same = NULL;

		if (c->weight != weight || !is_said(ctx, c))
			continue;
		vec_for_each(kinds, k)
			if (!same && alike(k->one, c))
				same = k;
		if (same)
			same->count++;
		else
			vec_push(kinds, (struct kind){ c, 1 });
	}
}

static void say_of_kind(const struct context *ctx, const struct kind *k, size_t most)
{
	vec_for_each(&ctx->conditions.list, c) {
		if (!most)
			return;
		if (!is_said(ctx, c) || !alike(k->one, c))
			continue;
		say_condition(c);
		most--;
	}
}

/*
 * Prints ctx->most_lines lines, and one that counts the others. Damage decides the exit code and
 * comes first. Each kind gets one condition and its hint; the remaining lines go to the first
 * kinds.
 */
static void say_few(const struct context *ctx)
{
	kind_list kinds = VEC_INIT;
	size_t room = ctx->most_lines, all = 0, least = 0, spare;

	gather_kinds(ctx, CONDITION_DAMAGE, &kinds);
	gather_kinds(ctx, CONDITION_WARNING, &kinds);
	vec_for_each(&kinds, k) {
		all += k->count + (k->one->hint ? 1 : 0);
		least += k->one->hint ? 2 : 1;
	}
	spare = room > least ? room - least : 0;
	vec_for_each(&kinds, k) {
		size_t further = MIN(spare, k->count - 1), n = MIN(room, 1 + further);

		say_of_kind(ctx, k, n);
		spare -= further;
		room -= n;
		if (!k->one->hint || !room)
			continue;
		say("hint", k->one->hint);
		room--;
	}
	if (all > ctx->most_lines - room)
		say_note("%zu more: see -v", all - (ctx->most_lines - room));
	vec_release(&kinds);
}

static void add_lost_file(struct context *ctx)
{
	const char *file = lost_pages_file();

	if (file)
		condition_add(
			&ctx->conditions, CONDITION_WARNING, "file-cut-short", file, NULL, 1, NULL,
			"'%s' was cut short while it was read: functions in it may have no names",
			file);
}

int say_conditions(struct context *ctx)
{
	const struct condition_list *l = &ctx->conditions;

	add_lost_file(ctx);
	condition_list_sort(&ctx->conditions);
	if (ctx->most_lines && ctx->verbose <= 0)
		say_few(ctx);
	else
		for (size_t i = 0; i < l->list.count;)
			i = is_said(ctx, &l->list.items[i]) ? say_alike(ctx, l, i) : i + 1;
	return condition_list_damaged(&ctx->conditions) ? 1 : 0;
}

int say_output(int err)
{
	if (!err || err == -EPIPE)
		return 0;
	say_error("cannot write to standard output: %s", strerror(-err));
	return 1;
}

int say_broken(const struct strlist *broken, const struct strlist *notes, bool quiet)
{
	vec_for_each(&broken->list, line)
		say_error("%s", *line);
	if (!quiet)
		vec_for_each(&notes->list, line)
			say_note("%s", *line);
	return broken->list.count ? EXIT_NOT_HELD : 0;
}
