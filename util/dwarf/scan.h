/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches a string, or numbers of four bytes, in much data. Threads: two search large data
 * simultaneously, see found. Errors: none.
 */
#ifndef DWARF_SCAN_H
#define DWARF_SCAN_H

#include "base/types.h"

struct scan_request {
	const u8 *data;
	size_t size;
	const u8 *string;   /* bytes, with a final 0 only if it must match */
	size_t string_size; /* 0 means none */
	const u32 *offsets; /* in the byte order of the data, at any position */
	size_t offset_count;
	bool big_endian;
	/* for tests: use only instructions that all processors have */
	bool plain;
	size_t middle; /* where a second thread may begin; 0 for one thread */
	/*
	 * Called where the string or an offset is at data + at. Returns where to continue; at or
	 * less means the next position. Each thread calls it for its own part, [0, middle) or the
	 * rest, in one or more passes.
	 */
	size_t (*found)(void *arg, size_t at);
	void *arg;
};

void scan_bytes(const struct scan_request *q);

#endif
