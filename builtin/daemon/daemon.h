/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf daemon: recordings that run in the background, as a configuration file says.
 *
 * What it is: a server that owns a directory, the base. For each session of the configuration it
 * runs perf record in BASE/session-NAME, with its output in "output" and its named pipes "control"
 * and "ack". It listens on the socket BASE/control and has a lock on BASE/lock; its messages are in
 * BASE/output. A client sends one request of fixed size and prints the text that comes back. The
 * layout and the requests are those of Linux 6.1, so its client works with this server, and this
 * client with its server.
 *
 * A session whose line changes in the configuration is stopped and started again; one that leaves
 * it is stopped. The server stops a session by "stop" on the control pipe, 10 seconds later by
 * SIGTERM, and 10 more later by SIGKILL. A session that a signal killed is started again after a
 * pause; one that ended is forgotten. Sessions end when the server is killed, and a new server's
 * sessions wait for them.
 * Threads: one. Errors: reported; the exit code is returned.
 */
#ifndef BUILTIN_DAEMON_DAEMON_H
#define BUILTIN_DAEMON_DAEMON_H

#include "base/context.h"

struct daemon_settings {
	struct context *ctx;
	const char *config;    /* file, or NULL: the usual ones */
	const char *base;      /* directory, or NULL: that of the configuration */
	bool separated;        /* fields of the list and of ping stand apart by one character: */
	const char *separator; /* the first of this; NULL: a comma */
	const char *session;   /* whom ping and signal are for; NULL: all */
	bool foreground;
};

int daemon_start(const struct daemon_settings *s);
int daemon_list(const struct daemon_settings *s);
int daemon_stop(const struct daemon_settings *s);
int daemon_signal(const struct daemon_settings *s);
int daemon_ping(const struct daemon_settings *s);

#endif
