/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of text that are made of facts, by whichever thread has time, and written in order.
 *
 * A callback of an ordered run says what a line is made of, and goes on; what turns the facts into
 * text sees nothing else that changes.  With one thread, or where nothing is read ahead, the
 * callbacks' thread makes the text of some hundred lines at a time.
 *
 *	lines = session_lines_new(session, out, put, arg);
 *	struct my_line *l = session_line(lines, sizeof(*l));	// all of it is to be filled before
 *								the next call
 *	session_lines_end(lines);				// after the run, before anything
 *								else goes to out
 *	session_lines_free(lines);
 *
 * put() is called on any thread, with the facts of one line after the other. Callbacks, or the
 * caller of session_run(), call all functions except session_lines_end(). Write errors stay in out.
 */
#ifndef SESSION_LINES_H
#define SESSION_LINES_H

#include "base/out.h"
#include "session/session.h"

typedef void (*session_put_line)(const void *arg, const void *facts, struct strbuf *b);

struct session_lines;

struct session_lines *session_lines_new(struct session *s, struct out *out, session_put_line put,
					const void *arg);
/*
 * Returns a list of facts without text. Calls take() for one line after another, on any thread that
 * has time, but never on two simultaneously. Only take() may use what it writes to until
 * session_lines_end().
 */
struct session_lines *session_facts_new(struct session *s,
					void (*take)(void *arg, const void *facts), void *arg);
/* Returns room for the facts of the next line: size bytes, aligned to 8. */
void *session_line(struct session_lines *l, size_t size);
/* Gives the lines that are left as a job; may be called again. */
void session_lines_end(struct session_lines *l);
/* Frees the lines; l may be NULL. */
void session_lines_free(struct session_lines *l);

#endif
