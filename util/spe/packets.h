/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads packets of Arm's Statistical Profiling Extension: bytes of an AUX area -> what one sampled
 * operation did. Source: Arm DDI 0487 (Architecture Reference Manual), chapter "Statistical
 * Profiling Extension Sample Record Specification"; for data sources the technical reference
 * manuals of Neoverse N1, N2 and V1.
 *
 * Threads: pure functions of their arguments. Nothing is allocated.
 */
#ifndef SPE_PACKETS_H
#define SPE_PACKETS_H

#include <stddef.h>

#include "base/types.h"

enum { SPE_LOAD = 1, SPE_STORE = 2, SPE_BRANCH = 4, SPE_OTHER = 8 };

/* Bits of the events packet. */
enum {
	SPE_L1_ACCESS = 1 << 2,
	SPE_L1_REFILL = 1 << 3,
	SPE_TLB_ACCESS = 1 << 4,
	SPE_TLB_WALK = 1 << 5,
	SPE_MISPREDICTED = 1 << 7,
	SPE_LLC_ACCESS = 1 << 8,
	SPE_LLC_MISS = 1 << 9,
	SPE_REMOTE = 1 << 10,
};

struct spe_record {
	u64 pc, target, data, physical; /* addresses; 0: not known */
	u64 time;                       /* from the timestamp packet; 0: none */
	u64 context;                    /* the thread, if the kernel records it */
	bool has_context, has_source;
	u32 events; /* SPE_* */
	u32 op;
	u32 latency; /* total latency in cycles */
	u16 source;
};

struct spe_reader {
	const u8 *at, *end, *begin;
	u64 damaged; /* bytes that begin no packet, or one that is cut off */
};

void spe_read_begin(struct spe_reader *s, const u8 *data, size_t size);
/* Reads the next operation; false at the end. */
bool spe_read(struct spe_reader *s, struct spe_record *out);

/*
 * Returns the access as perf_mem_data_src; 0 if it is not an access to memory. midr: of the CPU, 0:
 * not known.
 */
u64 spe_data_src(const struct spe_record *s, u64 midr);

#endif
