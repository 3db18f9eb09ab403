// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Further lines (an event with a caret below it) are set in, so none looks like a message. */
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

/* One write for each message, after what was printed before it. */
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

#define SAYS(name, word)                                                       \
	void name(const char *fmt, ...)                                        \
	{                                                                      \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, fmt);                                             \
		vsay(word, fmt, ap);                                           \
		va_end(ap);                                                    \
	}

SAYS(report_error, "error")
SAYS(report_warning, "warning")
SAYS(report_hint, "hint")
SAYS(report_note, "note")

int report_reason(struct reason *r)
{
	say("error", r->text ? r->text : strerror(r->err));
	if (r->hint)
		say("hint", r->hint);
	reason_release(r);
	return 1;
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
	if (c->hint)
		say("hint", c->hint);
}

int report_conditions(struct context *ctx)
{
	condition_list_sort(&ctx->conditions);
	vec_for_each(&ctx->conditions.list, c)
		if (!ctx->quiet && (c->weight != CONDITION_NOTE || ctx->verbose > 0))
			say_condition(c);
	return condition_list_damaged(&ctx->conditions) ? 1 : 0;
}

int report_output(int err)
{
	if (!err || err == -EPIPE)
		return 0;
	report_error("cannot write to standard output: %s", strerror(-err));
	return 1;
}
