/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bits of PERF_SAMPLE_DATA_SRC, for decoders of hardware that compose such words.
 * Source: union perf_mem_data_src in include/uapi/linux/perf_event.h.
 */
#ifndef EVENT_DATA_SRC_BITS_H
#define EVENT_DATA_SRC_BITS_H

#include "base/types.h"

enum { OP_NA = 1 << 0, OP_LOAD = 1 << 1, OP_STORE = 1 << 2, OP_ANY = 0x1f };

/* each macro takes the names below it; they can be combined */
#define LEVEL(bit) (1ULL << (5 + (bit)))
/* clang-format off */
enum {
	LEVEL_NA, LEVEL_HIT, LEVEL_MISS, LEVEL_L1, LEVEL_BUFFER, LEVEL_L2, LEVEL_L3, LEVEL_RAM, LEVEL_REMOTE_RAM,
	LEVEL_REMOTE_CACHE = 10, LEVEL_REMOTE_CACHE2, LEVEL_IO, LEVEL_UNCACHED,
};
/* clang-format on */
#define SNOOP(bit) (1ULL << (19 + (bit)))
enum { SNOOP_NA, SNOOP_NONE, SNOOP_HIT, SNOOP_MISS, SNOOP_HITM };
#define LOCK(bit) (1ULL << (24 + (bit)))
enum { LOCK_NA, LOCK_LOCKED };
#define TLB(bit) (1ULL << (26 + (bit)))
enum { TLB_NA, TLB_HIT, TLB_MISS, TLB_L1, TLB_L2, TLB_WALKER };
/* the level as a number, which covers more kinds of memory */
#define NUMBER(n) ((u64)(n) << 33)
/* clang-format off */
enum {
	NUMBER_L1 = 1, NUMBER_L2, NUMBER_L3, NUMBER_UNCACHED = 8, NUMBER_CXL, NUMBER_IO, NUMBER_CACHE, NUMBER_BUFFER,
	NUMBER_RAM, NUMBER_PMEM, NUMBER_NA,
};
/* clang-format on */
#define REMOTE_NODE BIT64(37)
#define PEER_SNOOP  (2ULL << 38)
/* distance: 1 another core of the node, 2 another node; perf 6.1's words count from 0 */
#define HOPS(n) ((u64)(n) << 43)

#endif
