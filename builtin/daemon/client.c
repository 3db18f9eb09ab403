// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to a server, and its answers. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"
#include "builtin/daemon/internal.h"
#include "cli/say.h"

static int connect_to_server(const struct daemon_settings *s, struct reason *r)
{
	struct wanted w = { .base = NULL };
	int fd = wanted_read(s, &w, r);
	char *base;

	/* of the configuration a client needs the base alone */
	if (!fd || s->base || w.base) {
		reason_release(r);
		*r = (struct reason)REASON_INIT;
		base = daemon_base(s, &w, r);
		fd = base ? daemon_connect(base, r) : -ENOENT;
		free(base);
	}
	wanted_release(&w);
	return fd;
}

/* Adds the answer, until the server ends it. */
static int ask(const struct daemon_settings *s, const struct request *q, struct strbuf *answer)
{
	struct reason r = REASON_INIT;
	int fd = connect_to_server(s, &r);
	char part[4096];
	ssize_t n;
	int err;

	if (fd < 0)
		return say_reason(&r);
	reason_release(&r);
	signal(SIGPIPE, SIG_IGN);
	err = write_all(fd, q, sizeof(*q));
	do {
		n = err ? 0 : read(fd, part, sizeof(part));
		if (n > 0)
			strbuf_add(answer, part, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	if (!err && !n)
		return 0;
	say_error("the daemon does not answer: %s", strerror(err ? -err : errno));
	return 1;
}

/* Returns the separator, or '\0' if none was requested. */
static char separator(const struct daemon_settings *s)
{
	if (!s->separated)
		return '\0';
	return s->separator && *s->separator ? *s->separator : ',';
}

static void print_answer(struct strbuf *answer)
{
	strbuf_printable_from(answer, 0);
	fwrite(strbuf_cstr(answer), 1, answer->len, stdout);
}

static int ask_and_print(const struct daemon_settings *s, const struct request *q,
			 struct strbuf *answer)
{
	int code = ask(s, q, answer);

	print_answer(answer);
	return code;
}

int daemon_list(const struct daemon_settings *s)
{
	struct request q = { .command = REQUEST_LIST };
	struct strbuf answer = STRBUF_INIT;
	int code;

	q.list.verbose = s->ctx->verbose;
	q.list.separator = separator(s);
	code = ask_and_print(s, &q, &answer);
	strbuf_release(&answer);
	return code;
}

int daemon_stop(const struct daemon_settings *s)
{
	const struct request q = { .command = REQUEST_STOP };
	struct strbuf answer = STRBUF_INIT;
	int code = ask_and_print(s, &q, &answer);

	strbuf_release(&answer);
	return code;
}

static const char *whom(const struct daemon_settings *s)
{
	return s->session ? s->session : "all";
}

int daemon_signal(const struct daemon_settings *s)
{
	struct request q = { .command = REQUEST_SIGNAL };
	struct strbuf answer = STRBUF_INIT;
	int code;

	q.signal.number = SIGUSR2;
	snprintf(q.signal.name, sizeof(q.signal.name), "%s", whom(s));
	code = ask_and_print(s, &q, &answer);
	if (!code && !answer.len && s->session) {
		say_error("no session '%s' runs", s->session);
		say_hint("'perf daemon' lists the sessions");
		code = 1;
	}
	if (!code && strstr(strbuf_cstr(&answer), "FAIL"))
		code = 1;
	strbuf_release(&answer);
	return code;
}

/* Turns the padding in each line, such as "OK   NAME" of each session, into one separator. */
static void separate_answers(struct strbuf *answer, char separator)
{
	struct strbuf lines = STRBUF_INIT;

	for (const char *at = strbuf_cstr(answer); *at;) {
		size_t line = strcspn(at, "\n"), word = MIN(strcspn(at, " "), line);
		size_t pad = strspn(at + word, " ");

		strbuf_f(&lines, "%.*s%c%.*s\n", (int)word, at, separator, (int)(line - word - pad),
			 at + word + pad);
		at += line + (at[line] == '\n');
	}
	strbuf_release(answer);
	*answer = lines;
}

int daemon_ping(const struct daemon_settings *s)
{
	struct request q = { .command = REQUEST_PING };
	struct strbuf answer = STRBUF_INIT;
	int code;

	snprintf(q.ping, sizeof(q.ping), "%s", whom(s));
	code = ask(s, &q, &answer);
	if (separator(s))
		separate_answers(&answer, separator(s));
	print_answer(&answer);
	if (!code &&
	    (str_starts(strbuf_cstr(&answer), "FAIL") || strstr(strbuf_cstr(&answer), "\nFAIL")))
		code = 1;
	strbuf_release(&answer);
	return code;
}
