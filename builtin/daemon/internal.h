/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of this component share. */
#ifndef BUILTIN_DAEMON_INTERNAL_H
#define BUILTIN_DAEMON_INTERNAL_H

#include <sys/types.h>

#include "base/reason.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "builtin/daemon/daemon.h"

/* config.c: what the configuration asks for */
struct wanted_session {
	char *name, *run; /* run: the options of perf record */
};
struct wanted {
	bool warns; /* names that are not known are reported */
	char *base; /* NULL: none; known also where the rest cannot be understood */
	VEC(struct wanted_session) sessions; /* in the order of the file */
};
int wanted_read(const struct daemon_settings *s, struct wanted *w, struct reason *r);
void wanted_release(struct wanted *w);
/* Returns the base directory's real path, which the caller frees, or NULL with a reason. */
char *daemon_base(const struct daemon_settings *s, const struct wanted *w, struct reason *r);

/* protocol.c: a request, of 72 bytes in the host's byte order */
enum { REQUEST_LIST, REQUEST_SIGNAL, REQUEST_STOP, REQUEST_PING, REQUESTS };
struct request {
	int command;
	union {
		struct {
			int verbose;
			char separator; /* 0: none */
		} list;
		struct {
			int number;
			char name[64]; /* "all": every session */
		} signal;
		char ping[64];
	};
};
/*
 * base.c: Refuses a base in which a file of the user's has a name that the server uses; logs: it
 * also writes BASE/output.
 */
int daemon_check_base(const char *base, bool logs, struct reason *r);
/*
 * Opens the socket of a base, to listen on or connected to. Returns a descriptor, or -errno with a
 * reason.
 */
int daemon_listen(const char *base, struct reason *r);
int daemon_connect(const char *base, struct reason *r);

/*
 * own.c: the functions below open files that must be the daemon's own: no link, owned by this user,
 * and not writable by others. They return a descriptor, or -errno; -EPERM for a file that is not.
 * daemon_own_file() and daemon_own_directory() make what is missing.
 */
int daemon_own_file(const char *path, mode_t mode);
int daemon_own_pipe(const char *path, int flags);
int daemon_own_directory(const char *path);

/* session.c */
struct session {
	char *name, *run, *dir;
	pid_t pid; /* -1: does not run */
	time_t start;
	bool wanted;    /* by the configuration */
	char *next_run; /* what it changes to, or NULL */
	/* how far stopping it has come: 0 not begun, 1 asked, 2 SIGTERM, 3 SIGKILL */
	unsigned stage;
	u64 deadline;   /* the end of the stage, ns of CLOCK_MONOTONIC */
	u64 restart_at; /* it was killed and starts again; 0: no */
	unsigned kills; /* in a row */
	bool forgotten; /* to be removed */
};
struct server {
	const struct daemon_settings *settings;
	char *base, *perf; /* perf: this program */
	time_t start;
	VEC(struct session) sessions;
	bool ending;
};
/* What is due for a session; *next becomes the time of what comes next, if that is earlier. */
void session_step(struct server *sv, struct session *s, u64 *next);
/* Notes that the session's process ended with this status. */
void session_ended(struct server *sv, struct session *s, int status);
/* Sends "ping" on the session's control pipe. Returns true when the answer comes in time. */
bool session_answers(const struct session *s);
void session_release(struct session *s);
/* Prints a line of the server's own output, with the time. */
void server_say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* server.c: runs until it was asked to stop; fds: of the socket, and where to say that it is up */
int server_run(struct server *sv, int socket);
/* Makes each session want what the configuration asks for. */
void server_configure(struct server *sv, struct wanted *w);

/* answer.c: reads a request from a client and answers it; true: it asked to stop */
bool server_answer(struct server *sv, int client);

#endif
