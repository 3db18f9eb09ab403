/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one access counts as: the words of perf_mem_data_src, as perf c2c adds them up. Source:
 * union perf_mem_data_src in include/uapi/linux/perf_event.h; perf-c2c(1) of perf 6.1 for what each
 * count includes.
 */
#ifndef BUILTIN_C2C_COUNTS_H
#define BUILTIN_C2C_COUNTS_H

#include "base/types.h"

/* clang-format off */
enum c2c_count {
	C2C_RECORDS, C2C_LOCKS, C2C_BLOCKED_DATA, C2C_BLOCKED_ADDRESS,
	C2C_LOADS, C2C_LOAD_NO_ADDRESS, C2C_LOAD_UNCACHED, C2C_LOAD_IO, C2C_LOAD_BUFFER,
	C2C_LOAD_L1, C2C_LOAD_L2, C2C_LOAD_LLC, C2C_LOAD_MISS, C2C_EXCLUSIVE, C2C_SHARED,
	C2C_LOCAL_DRAM, C2C_REMOTE_DRAM, C2C_REMOTE_HIT,
	C2C_LOCAL_HITM, C2C_REMOTE_HITM, C2C_ALL_HITM, C2C_LOCAL_PEER, C2C_REMOTE_PEER, C2C_ALL_PEER,
	C2C_STORES, C2C_STORE_NO_ADDRESS, C2C_STORE_UNCACHED, C2C_STORE_L1, C2C_STORE_L1_MISS,
	C2C_STORE_NA,
	C2C_NO_MAP, C2C_NO_PARSE,
	C2C_COUNTS,
};
/* clang-format on */

struct c2c_counts {
	u64 of[C2C_COUNTS];
};

/* The counts that one access increments; one may be listed twice. */
struct c2c_hits {
	u8 count;
	u8 what[32];
};
/* Decodes an access. mapped means that both its code and its data are in known mappings. */
void c2c_decode(struct c2c_hits *hits, u64 data_src, u64 addr, bool mapped);
bool c2c_hits_have(const struct c2c_hits *hits, enum c2c_count what);

void c2c_add(struct c2c_counts *c, const struct c2c_hits *hits);
void c2c_add_counts(struct c2c_counts *c, const struct c2c_counts *more);

/* Sums of them. */
u64 c2c_llc_misses(const struct c2c_counts *c);
u64 c2c_all_loads(const struct c2c_counts *c);
u64 c2c_all_records(const struct c2c_counts *c);
/* Returns a percentage, 0 when all is 0. */
double c2c_percent(u64 part, u64 all);

#endif
