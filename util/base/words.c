// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/words.h"

#include <errno.h>

#include "base/strbuf.h"

/* Adds the quoted text at *p, which points to its opening quote. Returns false if it has no end. */
static bool add_quoted(struct strbuf *word, const char **p)
{
	char quote = *(*p)++;

	for (; **p && **p != quote; (*p)++) {
		/* in double quotes a backslash protects only special characters */
		if (quote == '"' && **p == '\\' && ((*p)[1] == '"' || (*p)[1] == '\\'))
			(*p)++;
		strbuf_char(word, **p);
	}
	if (!**p)
		return false;
	(*p)++;
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int shell_words(struct strlist *l, const char *line)
{
	struct strbuf word = STRBUF_INIT;
	bool good = true;

	while (good) {
		while (is_space(*line))
			line++;
		if (!*line)
			break;
		strbuf_clear(&word);
		while (*line && !is_space(*line) && good) {
			if (*line == '\'' || *line == '"') {
				good = add_quoted(&word, &line);
				continue;
			}
			line += *line == '\\' && line[1];
			strbuf_char(&word, *line++);
		}
		if (good)
			strlist_add(l, strbuf_cstr(&word));
	}
	strbuf_release(&word);
	return good ? 0 : -EINVAL;
}
