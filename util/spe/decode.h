/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns a recording with SPE traces into one whose samples are the traced operations.
 *
 * The events are those of perf 6.1: l1d-miss, l1d-access, llc-miss, llc-access, tlb-miss,
 * tlb-access, branch-miss, remote-access, memory. A sample has the address of the data, its
 * physical address, the latency as its weight, and where it was answered (perf_mem_data_src). All
 * other records except the traces are kept as they are.
 *
 * Memory: one piece of a trace at a time, and a word for each thread and context switch. Threads:
 * one. Errors: -errno with a reason; nothing is left behind then.
 */
#ifndef SPE_DECODE_H
#define SPE_DECODE_H

#include "base/context.h"
#include "base/reason.h"

/* Bits that say what to make of an operation. */
enum {
	SPE_WANT_L1 = 1,
	SPE_WANT_LLC = 2,
	SPE_WANT_TLB = 4,
	SPE_WANT_BRANCHES = 8,
	SPE_WANT_REMOTE = 16,
	SPE_WANT_MEMORY = 32,
	SPE_WANT_ALL = 63,
	SPE_ALONE = 64, /* leave out the samples that the recording itself has */
};

/*
 * Parses the letters of --itrace: f (L1), m (last level), t (TLB), b (branches), a (remote), M
 * (memory); NULL or "": all. Letters for other kinds of traces are ignored.
 */
int spe_parse_wish(const char *text, unsigned *wanted, struct reason *r) MUST_CHECK;
/*
 * Writes the recording to *out, a file without a name for spe_remove().  *out is NULL where
 * there is nothing to decode: another kind of trace, or none.
 */
int spe_decode_file(struct context *ctx, const char *input, bool force, unsigned wanted, char **out,
		    struct reason *r) MUST_CHECK;
/*
 * Does the same with a stream that has not been read yet. If there is nothing to decode, the caller
 * can still read it from its beginning; otherwise it has been read to its end.
 */
struct data_reader;
int spe_decode_stream(struct context *ctx, struct data_reader *in, unsigned wanted, char **out,
		      struct reason *r) MUST_CHECK;
/* Closes the file and frees path.  NULL is fine.  Whoever has opened path can go on reading. */
void spe_remove(char *path);

#endif
