// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extracts the verifier's messages about a refused program from those of libbpf.
 *
 * Its log is between two marks of libbpf and ends with the cause, and a line of statistics
 * ("processed 12 insns ...").
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "bpf/internal.h"

#define BEGIN_MARK "-- BEGIN PROG LOAD LOG --"
#define END_MARK   "-- END PROG LOAD LOG --"

enum { SHOWN_LINES = 20 };

/* Returns the verifier's log inside the messages, or NULL if it wrote none. */
static const char *begin_of_log(const char *log)
{
	const char *mark = strstr(log, BEGIN_MARK), *line = mark ? strchr(mark, '\n') : NULL;

	return line ? line + 1 : NULL;
}

char *verifier_verdict(const char *log)
{
	const char *last = NULL;
	size_t length = 0;

	for (const char *at = begin_of_log(log); at;) {
		size_t n = strcspn(at, "\n");

		if (str_starts(at, "processed ") || str_starts(at, "-- END"))
			break;
		if (n) {
			last = at;
			length = n;
		}
		at = at[n] ? at + n + 1 : NULL;
	}
	return last ? xstrndup(last, length) : NULL;
}

/* Returns where the last SHOWN_LINES lines before end begin. */
static const char *last_lines(const char *begin, const char *end)
{
	const char *at = end;

	for (int lines = 0; at > begin; at--)
		if (at[-1] == '\n' && at < end && ++lines == SHOWN_LINES)
			break;
	return at;
}

void verifier_log_text(struct strbuf *lines, const char *name, const char *log, bool all)
{
	const char *said = all ? NULL : begin_of_log(log), *begin = said ? said : log;
	const char *mark = said ? strstr(said, END_MARK) : NULL,
		   *end = mark ? mark : begin + strlen(begin);
	const char *from = all ? begin : last_lines(begin, end);
	size_t start = lines->len;

	strbuf_f(lines, "the BPF program '%s' was refused; %s:\n", name,
		 from > begin ? "the end of the log (-vv: all of it)" : "the log");
	strbuf_add(lines, from, (size_t)(end - from));
	strbuf_printable_from(lines, start);
	if (lines->s[lines->len - 1] != '\n')
		strbuf_char(lines, '\n');
}
