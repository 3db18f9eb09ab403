// SPDX-License-Identifier: GPL-2.0-or-later
/* PERF_SAMPLE_DATA_SRC in the order perf script shows it. */
#include "builtin/script/internal.h"
#include "event/data_src.h"

void script_add_data_src(u64 v, struct strbuf *b)
{
	strbuf_str(b, "|OP ");
	data_src_op(v, b);
	strbuf_str(b, "|LVL ");
	data_src_level(v, b);
	strbuf_str(b, "|SNP ");
	data_src_snoop(v, b);
	strbuf_str(b, "|TLB ");
	data_src_tlb(v, b);
	strbuf_str(b, "|LCK ");
	data_src_lock(v, b);
	strbuf_str(b, "|BLK ");
	data_src_blocked(v, b);
}
