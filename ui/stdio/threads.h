/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the final values of threads' counters. */
#ifndef UI_STDIO_THREADS_H
#define UI_STDIO_THREADS_H

#include "base/strbuf.h"
#include "profile/profile.h"

/* Adds the readings of threads, with raw a line for each reading, else one for each thread. */
void stdio_threads(struct profile *p, bool raw, struct strbuf *b);
/* Adds ,"threads":[...]: another member of a JSON object. */
void json_threads(struct profile *p, struct strbuf *b);

#endif
