/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the component: truth.c finds shares, names.c why names are missing, text.c and require.c
 * write.
 */
#ifndef TRUTH_INTERNAL_H
#define TRUTH_INTERNAL_H

#include "truth/truth.h"

/* Takes the cause's texts over; causes that say the same become one. */
void truth_add_cause(struct truth_share *s, struct truth_cause cause);
void truth_cause_release(struct truth_cause *c);
/* So many samples in an image (0: in none) have no symbol. */
void truth_add_unnamed(struct session *s, struct truth_share *share, u32 image, u64 samples);

/* "libc.so.6: functions that keep no frame pointer" */
void truth_cause_text(const struct truth_cause *c, struct strbuf *out);

#endif
