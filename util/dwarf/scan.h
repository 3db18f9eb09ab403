/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A string, or numbers of four bytes, looked for in much data.
 *
 * Threads: large data is searched by two at once, see found.  Errors: none.
 */
#ifndef DWARF_SCAN_H
#define DWARF_SCAN_H

#include "base/types.h"

struct scan_request {
	const u8 *data;
	size_t size;
	const u8 *string;   /* bytes, a final 0 only if it counts */
	size_t string_size; /* 0: none is wanted */
	const u32 *offsets; /* in the byte order of the data, at any position */
	size_t offset_count;
	bool big_endian;
	/* use no instruction that only some processors have: what others do, for tests */
	bool plain;
	size_t middle; /* where a second thread may begin; 0: one thread */
	/*
	 * The string or an offset is at data + at.  What it returns is where to go on; at or
	 * less: at the next position.  Each thread calls it for its own part, [0, middle) or
	 * the rest, in one or more passes.
	 */
	size_t (*found)(void *arg, size_t at);
	void *arg;
};

void scan_bytes(const struct scan_request *q);

#endif
