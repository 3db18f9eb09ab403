// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/trace.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"

static const char *const names[] = {
#define NAME(room) #room,
	TRACE_COMPONENTS(NAME)
#undef NAME
};

bool trace_on[TRACE_COUNT];
static void (*take_line)(void *arg, const char *line);
static void *take_arg;

static bool switch_on(bool *on, const char *word, size_t len)
{
	bool all = len == 3 && !memcmp(word, "all", 3), found = all;

	for (size_t i = 0; i < TRACE_COUNT; i++)
		if (all || (strlen(names[i]) == len && !memcmp(names[i], word, len)))
			found = on[i] = true;
	return found;
}

static int unknown_component(const char *word, size_t len, struct reason *r)
{
	reason_usage(r, "'%.*s' is not a component that can be traced", (int)len, word);
	reason_hint(r, "the components are " TRACE_COMPONENT_LIST);
	return -EINVAL;
}

int trace_components(const char *list, void (*text)(void *arg, const char *line), void *arg,
		     struct reason *r)
{
	bool on[TRACE_COUNT] = { false };

	for (const char *word = list;; word++) {
		size_t len = strcspn(word, ",");

		if (!switch_on(on, word, len))
			return unknown_component(word, len, r);
		word += len;
		if (!*word)
			break;
	}
	take_line = text;
	take_arg = arg;
	for (size_t i = 0; i < TRACE_COUNT; i++)
		trace_on[i] |= on[i];
	return 0;
}

void trace_line(enum trace_component component, const char *fmt, ...)
{
	struct strbuf raw = STRBUF_INIT, line = STRBUF_INIT;
	int saved = errno; /* a caller may still need it */
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&raw, fmt, ap);
	va_end(ap);
	strbuf_f(&line, "%s: ", names[component]);
	strbuf_printable(&line, strbuf_cstr(&raw));
	strbuf_char(&line, '\n');
	take_line(take_arg, line.s);
	strbuf_release(&line);
	strbuf_release(&raw);
	errno = saved;
}
