// SPDX-License-Identifier: GPL-2.0-or-later
/* What a client asks for, and the text that it gets. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin/daemon/internal.h"

static void list_separated(const struct server *sv, struct strbuf *b, char c)
{
	time_t now = time(NULL);

	strbuf_f(b, "%d%cdaemon%c%s%c%s/output%c%s/lock%c%lu\n", getpid(), c, c, sv->base, c,
		 sv->base, c, sv->base, c, (unsigned long)(now - sv->start) / 60);
	vec_for_each(&sv->sessions, s)
		strbuf_f(b, "%d%c%s%c%s%c%s%c%s/output%c%s/control%c%s/ack%c%lu\n", (int)s->pid, c,
			 s->name, c, s->run ? s->run : s->next_run, c, s->dir, c, s->dir, c, s->dir,
			 c, s->dir, c, (unsigned long)(now - s->start) / 60);
}

static void list_lines(const struct server *sv, struct strbuf *b, bool verbose)
{
	time_t now = time(NULL);

	strbuf_f(b, "[%d:daemon] base: %s\n", getpid(), sv->base);
	if (verbose)
		strbuf_f(b, "  output:  %s/output\n  lock:    %s/lock\n  up:      %lu minutes\n",
			 sv->base, sv->base, (unsigned long)(now - sv->start) / 60);
	vec_for_each(&sv->sessions, s) {
		strbuf_f(b, "[%d:%s] perf record %s\n", (int)s->pid, s->name,
			 s->run ? s->run : s->next_run);
		if (!verbose)
			continue;
		strbuf_f(b,
			 "  base:    %s\n  output:  %s/output\n  control: %s/control\n  ack:     "
			 "%s/ack\n",
			 s->dir, s->dir, s->dir, s->dir);
		strbuf_f(b, "  up:      %lu minutes\n", (unsigned long)(now - s->start) / 60);
	}
}

static bool is_meant(const struct session *s, const char *name)
{
	return !strcmp(name, "all") || !strcmp(name, s->name);
}

static void send_signals(const struct server *sv, struct strbuf *b, int number, const char *name)
{
	vec_for_each(&sv->sessions, s) {
		if (!is_meant(s, name) || s->pid <= 0)
			continue;
		if (kill(s->pid, number))
			strbuf_f(b, "FAIL %s: %s\n", s->name, strerror(errno));
		else
			strbuf_f(b, "signal %d sent to session '%s [%d]'\n", number, s->name,
				 (int)s->pid);
	}
}

static void ping(const struct server *sv, struct strbuf *b, const char *name)
{
	bool found = false;

	vec_for_each(&sv->sessions, s) {
		if (!is_meant(s, name))
			continue;
		strbuf_f(b, "%-4s %s\n", session_answers(s) ? "OK" : "FAIL", s->name);
		found = true;
	}
	if (!found && strcmp(name, "all") != 0)
		strbuf_f(b, "FAIL %s (not found)\n", name);
}

/*
 * Answers a request, whose fields come from outside: a name is terminated, a signal is one that
 * clients send.
 */
static bool answer(const struct server *sv, struct request *q, struct strbuf *b)
{
	q->signal.name[sizeof(q->signal.name) - 1] = '\0';
	switch (q->command) {
	case REQUEST_LIST:
		if (q->list.separator)
			list_separated(sv, b, q->list.separator);
		else
			list_lines(sv, b, q->list.verbose);
		return true;
	case REQUEST_SIGNAL:
		if (q->signal.number == SIGUSR2)
			send_signals(sv, b, q->signal.number, q->signal.name);
		return true;
	case REQUEST_PING:
		q->ping[sizeof(q->ping) - 1] = '\0';
		ping(sv, b, q->ping);
		return true;
	default:
		return false;
	}
}

bool server_answer(struct server *sv, int client)
{
	const struct timeval patience = { .tv_sec = 2 };
	struct strbuf text = STRBUF_INIT;
	struct request q;

	memset(&q, 0, sizeof(q));
	/* a client that neither speaks nor listens must not block the server */
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (recv(client, &q, sizeof(q), MSG_WAITALL) != (ssize_t)sizeof(q)) {
		close(client);
		return false;
	}
	/* the connection stays open: its end says that the server has ended */
	if (q.command == REQUEST_STOP)
		return true;
	if (answer(sv, &q, &text))
		write_all(client, strbuf_cstr(&text), text.len);
	strbuf_release(&text);
	close(client);
	return false;
}
