/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes what a memory access did, from PERF_SAMPLE_DATA_SRC, in perf's words: "L1 hit", "L1 or L2
 * hit", "HitM". Each function appends to b, at least "N/A" or "No".
 * Source: union perf_mem_data_src in include/uapi/linux/perf_event.h. Threads: pure functions.
 */
#ifndef EVENT_DATA_SRC_H
#define EVENT_DATA_SRC_H

#include "base/strbuf.h"

void data_src_op(u64 v, struct strbuf *b);
void data_src_level(u64 v, struct strbuf *b);
void data_src_snoop(u64 v, struct strbuf *b);
void data_src_tlb(u64 v, struct strbuf *b);
void data_src_lock(u64 v, struct strbuf *b);
/* Begins with a space. */
void data_src_blocked(u64 v, struct strbuf *b);

/*
 * Classes of accesses, to sum by: what the instruction did, where in the caches the data was, where
 * else, how the address was translated. Each value has one class of each kind. "other" includes
 * what was not recorded, and the other kind (memory for caches, caches for memory).
 */
/* clang-format off */
enum data_src_class {
	DATA_SRC_LOAD, DATA_SRC_STORE, DATA_SRC_LOAD_STORE, DATA_SRC_PREFETCH, DATA_SRC_EXEC,
	DATA_SRC_OTHER_OP,
	DATA_SRC_L1, DATA_SRC_L2, DATA_SRC_L3, DATA_SRC_L4, DATA_SRC_L1_BUFFER, DATA_SRC_L2_BUFFER,
	DATA_SRC_OTHER_CACHE,
	DATA_SRC_RAM, DATA_SRC_UNCACHED, DATA_SRC_CXL, DATA_SRC_IO, DATA_SRC_PMEM, DATA_SRC_MSC,
	DATA_SRC_OTHER_MEMORY,
	DATA_SRC_TLB_L1, DATA_SRC_TLB_L2, DATA_SRC_TLB_ANY, DATA_SRC_TLB_MISS, DATA_SRC_OTHER_TLB,
	DATA_SRC_CLASSES,
};
/* clang-format on */
enum data_src_class data_src_op_class(u64 v);
enum data_src_class data_src_cache_class(u64 v);
enum data_src_class data_src_memory_class(u64 v);
enum data_src_class data_src_tlb_class(u64 v);

/*
 * Returns a page size: "4K", "2M", "N/A". Rounds as perf does: a unit is used from two of it on, so
 * 1 GB is 1024M.
 */
const char *page_size_name(u64 size, char buf[32]);

#endif
