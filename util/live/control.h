/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --control: commands that arrive while events are open, each line one of
 * enable, disable, enable NAME, disable NAME, evlist, ping, snapshot, stop.
 *
 * "fd:CTL[,ACK]" names open descriptors, "fifo:CTL[,ACK]" paths of named pipes.
 * Every command, even an unknown one, is answered with "ack\n" on ACK after it was carried out,
 * unless ACK has no room: a client that does not read its answers must not stop what perf does.
 * One look at CTL takes 64 KB at most, so that a client that never pauses cannot, either.
 * Threads: one.
 */
#ifndef LIVE_CONTROL_H
#define LIVE_CONTROL_H

#include "base/reason.h"
#include "base/strbuf.h"

enum control_command {
	CONTROL_NONE, /* nothing whole has arrived */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_EVLIST,
	CONTROL_PING,
	CONTROL_SNAPSHOT,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
};

struct control {
	int fd, ack_fd; /* -1: none */
	bool own_fds;   /* opened here: fifo: */
	struct strbuf text;
	size_t used;    /* of text: commands that were returned */
	size_t looked;  /* bytes that were read in this look */
	char *argument; /* the argument of the last command, or "" */
};
#define CONTROL_INIT                                                                               \
	{                                                                                          \
		-1, -1, false, STRBUF_INIT, 0, 0, NULL                                             \
	}

int control_open(struct control *c, const char *text, struct reason *r);
void control_close(struct control *c);
/*
 * Returns the commands that have arrived, one by one, then CONTROL_NONE; control_done() answers
 * each.
 */
enum control_command control_next(struct control *c);
void control_done(struct control *c);
/* The other end: sends a command, and waits for its answer where the channel has ACK. */
int control_tell(struct control *c, const char *command, struct reason *r) MUST_CHECK;

#endif
