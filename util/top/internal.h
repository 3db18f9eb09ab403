/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the room: options.c reads the options, run.c is the loop, count.c takes samples in,
 * print.c draws plain text and JSON, keys.c knows the keys of the plain screen.
 */
#ifndef TOP_INTERNAL_H
#define TOP_INTERNAL_H

#include "top/top.h"

/* What the options' texts say. */
int top_parse_texts(struct top *t, struct reason *r) MUST_CHECK;

/* count.c: of session_ops. */
int top_count_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r);
/* Records that were lost, late and so on since the last call, into t->fresh and t->all. */
void top_count_losses(struct top *t);

/* print.c: one table; rows: as many lines as fit, 0: all. */
void top_title(const struct top *t, const struct hist_view *v, struct strbuf *b);
void top_print(struct top *t, const struct hist *h, unsigned lines, struct out *out);
void top_print_json(struct top *t, const struct hist *h, struct out *out);
void top_print_separated(struct top *t, const struct hist *h, struct out *out);

/*
 * keys.c: the terminal without echo and line by line, until top_keys_end() or the end of the
 * program.  False when standard input is not a terminal.
 */
bool top_keys_begin(void);
void top_keys_end(void);
/* What was typed; what it asks for is in t->o.  True: draw at once. */
bool top_keys_read(struct top *t);

#endif
