// SPDX-License-Identifier: GPL-2.0-or-later
/* Source files: the lines that a lazy pattern matches. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "probe/places_internal.h"

struct source_lines {
	VEC(unsigned) list; /* ascending */
};

/* Copies the text without spaces, which a lazy pattern ignores in itself and in the source. */
static void without_blanks(const char *from, struct strbuf *to)
{
	strbuf_clear(to);
	for (; *from; from++)
		if (!strchr(" \t\r\n\f\v", *from))
			strbuf_char(to, *from);
}

int source_lines_match(const char *path, const char *lazy, struct source_lines **out,
		       struct reason *r)
{
	struct strbuf pattern = STRBUF_INIT, text = STRBUF_INIT;
	struct source_lines *s;
	FILE *f = file_stream_source(path, r);
	char *line = NULL;
	size_t space = 0;

	if (!f)
		return -errno;
	s = xcalloc(1, sizeof(*s));
	without_blanks(lazy, &pattern);
	for (unsigned n = 1; getline(&line, &space, f) >= 0; n++) {
		without_blanks(line, &text);
		if (glob_match(strbuf_cstr(&pattern), strbuf_cstr(&text)))
			vec_push(&s->list, n);
	}
	free(line);
	fclose(f);
	strbuf_release(&pattern);
	strbuf_release(&text);
	*out = s;
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

bool source_lines_has(const struct source_lines *s, unsigned line)
{
	return s->list.count &&
	       bsearch(&line, s->list.items, s->list.count, sizeof(line), compare_lines);
}

void source_lines_free(struct source_lines *s)
{
	if (!s)
		return;
	vec_release(&s->list);
	free(s);
}

int source_lines_none(const char *where, const char *lazy, struct reason *r)
{
	reason_set(r, ENOENT, "no line of '%s' that can be probed matches '%s'", where, lazy);
	if (!has_glob(lazy))
		reason_hint(r, "the whole line is compared: '%s;*%s*' finds it anywhere in one",
			    where, lazy);
	return -ENOENT;
}
