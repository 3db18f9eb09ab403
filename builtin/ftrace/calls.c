// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of the function_graph tracer, as Documentation/trace/ftrace.rst shows them:
 *
 *	 0)   1.382 us    |            _raw_spin_lock();
 *	 1) + 10.291 us   |  } // do_filp_open
 *	 1) # 1838.1 us   |  } // vfs_read
 *
 * What is after a brace is there with the option funcgraph-tail, since Linux 6.18 without the
 * slashes.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/ftrace/internal.h"

/*
 * Parses "10.291 us" into ns. Returns where the text of the call begins, or NULL if there is no
 * duration.
 */
static const char *duration(const char *line, const char *end, u64 *ns)
{
	const char *bar = memchr(line, '|', (size_t)(end - line)), *us = NULL, *at;
	u64 whole = 0, part = 0, digit = 100;

	/* there are bars before it where times and tasks are also shown */
	while (bar && !us) {
		for (at = bar; at > line && at[-1] == ' ';)
			at--;
		if (at - line >= 3 && !memcmp(at - 3, " us", 3))
			us = at - 3;
		else
			bar = memchr(bar + 1, '|', (size_t)(end - bar - 1));
	}
	if (!us)
		return NULL;
	for (at = us; at > line && (isdigit((u8)at[-1]) || at[-1] == '.');)
		at--;
	if (at == us)
		return NULL;
	for (; at < us && isdigit((u8)*at); at++)
		whole = whole * 10 + (u64)(*at - '0');
	if (at < us && *at == '.')
		for (at++; at < us && isdigit((u8)*at); at++, digit /= 10)
			part += (u64)(*at - '0') * digit;
	*ns = whole * 1000 + part;
	return bar + 1;
}

static bool part_of_name(char c)
{
	return isalnum((u8)c) || c == '_' || c == '.' || c == '$';
}

bool ftrace_call_parse(const char *line, size_t len, struct ftrace_call *out)
{
	const char *end = line + len, *at;

	if (!len || *line == '#')
		return false;
	at = duration(line, end, &out->ns);
	if (!at)
		return false;
	while (at < end && !part_of_name(*at)) /* spaces, "} /" and the star, "} // " */
		at++;
	out->name = at;
	while (at < end && part_of_name(*at))
		at++;
	out->name_len = (size_t)(at - out->name);
	if (!out->name_len)
		out->name = NULL;
	return true;
}

void ftrace_lines_take(struct ftrace_lines *l, const char *text, size_t size)
{
	const char *end = text + size, *newline;

	while ((newline = memchr(text, '\n', (size_t)(end - text)))) {
		if (l->rest.len) {
			strbuf_add(&l->rest, text, (size_t)(newline - text));
			l->line(l->arg, l->rest.s, l->rest.len);
			strbuf_clear(&l->rest);
		} else {
			l->line(l->arg, text, (size_t)(newline - text));
		}
		text = newline + 1;
	}
	strbuf_add(&l->rest, text, (size_t)(end - text));
}
