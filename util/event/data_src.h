/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a memory access did, from PERF_SAMPLE_DATA_SRC, as the words that perf shows:
 * "L1 hit", "L1 or L2 hit", "HitM".  Each appends to b, at least "N/A" or "No".
 * Source: union perf_mem_data_src in include/uapi/linux/perf_event.h.
 * Threads: pure functions.
 */
#ifndef EVENT_DATA_SRC_H
#define EVENT_DATA_SRC_H

#include "base/strbuf.h"

void data_src_op(u64 v, struct strbuf *b);
void data_src_level(u64 v, struct strbuf *b);
void data_src_snoop(u64 v, struct strbuf *b);
void data_src_tlb(u64 v, struct strbuf *b);
void data_src_lock(u64 v, struct strbuf *b);
/* Begins with a blank. */
void data_src_blocked(u64 v, struct strbuf *b);

#endif
