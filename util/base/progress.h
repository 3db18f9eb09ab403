/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a long step has done so far, in one line on the terminal: after a second of silence, a few
 * times each second, and erased at the end. Nothing where nobody watches (context.progress is NULL)
 * and with -q.
 *
 * Threads: one for each struct.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/context.h"

struct progress {
	const struct context *ctx;
	u64 next; /* ns of CLOCK_MONOTONIC: the line is due */
	bool shown;
};

void progress_begin(struct progress *p, const struct context *ctx);
/* Writes the line if it is due. */
void progress_say(struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void progress_end(struct progress *p);

#endif
