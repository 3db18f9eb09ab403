/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cursor over one feature section, inside the data room.
 *
 * Reads in the file's byte order; anything that does not fit sets bad, and from
 * then on gives zeros and "", so a caller checks once, at the end of a group.
 */
#ifndef DATA_FEATURE_H
#define DATA_FEATURE_H

#include "data/internal.h"

struct feature_cursor {
	const u8 *at, *end;
	bool swap, bad;
};
/* Opens a feature. The cursor is bad from the start when the file has no such feature. */
struct feature_cursor feature_open(const struct data_reader *d, unsigned feature);
u32 feature_u32(struct feature_cursor *c);
u64 feature_u64(struct feature_cursor *c);
const u8 *feature_bytes(struct feature_cursor *c, u64 n);
/* Reads a text. Never NULL; valid as long as the section. */
const char *feature_text(struct feature_cursor *c);

#endif
