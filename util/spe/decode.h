/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording with SPE traces -> one in which what was traced are samples.
 *
 * The events are those of perf 6.1: l1d-miss, l1d-access, llc-miss, llc-access, tlb-miss,
 * tlb-access, branch-miss, remote-access, memory. A sample has the address of the data, its
 * physical address, the latency as its weight, and where it was answered (perf_mem_data_src). All
 * other records but the traces are kept as they are.
 *
 * Memory: one piece of a trace at a time, and a word for each thread and context switch.
 * Threads: one.  Errors: -errno with a reason; nothing is left behind then.
 */
#ifndef SPE_DECODE_H
#define SPE_DECODE_H

#include "base/context.h"
#include "base/reason.h"

/* What is made of an operation: bits. */
enum {
	SPE_WANT_L1 = 1,
	SPE_WANT_LLC = 2,
	SPE_WANT_TLB = 4,
	SPE_WANT_BRANCHES = 8,
	SPE_WANT_REMOTE = 16,
	SPE_WANT_MEMORY = 32,
	SPE_WANT_ALL = 63,
	SPE_ALONE = 64, /* leave out the samples that the recording has itself */
};

/*
 * The letters of --itrace: f (L1), m (last level), t (TLB), b (branches), a (remote), M (memory);
 * NULL or "": all.
 * Letters of other traces mean nothing here.
 */
int spe_parse_wish(const char *text, unsigned *wanted, struct reason *r) MUST_CHECK;
/*
 * Writes the recording to *out, a file without a name for spe_remove().  *out is NULL where
 * there is nothing to decode: another kind of trace, or none.
 */
int spe_decode_file(struct context *ctx, const char *input, bool force, unsigned wanted, char **out,
		    struct reason *r) MUST_CHECK;
/*
 * The same of a stream that nothing was read of.  Where there is nothing to decode it can be read
 * from its beginning on as before; else it has been read to its end.
 */
struct data_reader;
int spe_decode_stream(struct context *ctx, struct data_reader *in, unsigned wanted, char **out,
		      struct reason *r) MUST_CHECK;
/* Closes the file and frees path.  NULL is fine.  Whoever has opened path can go on reading. */
void spe_remove(char *path);

#endif
