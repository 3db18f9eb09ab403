// SPDX-License-Identifier: GPL-2.0-or-later
/* PERF_SAMPLE_DATA_SRC as words. */
#include "event/data_src.h"

#include <inttypes.h>
#include <stdio.h>

/* Bit fields: first bit and width. */
/* clang-format off */
enum {
	OP_AT = 0, LEVEL_AT = 5, SNOOP_AT = 19, LOCK_AT = 24, TLB_AT = 26, LEVEL_NUMBER_AT = 33,
	REMOTE_AT = 37, SNOOPX_AT = 38, BLOCK_AT = 40, HOPS_AT = 43,
};
/* clang-format on */

static unsigned bits(u64 v, int at, int width)
{
	return (unsigned)(v >> at & (BIT64(width) - 1));
}

/* Writes the names of the set bits, joined by sep. Returns whether any bit was set. */
static bool add_bits(unsigned v, const char *const *names, size_t count, const char *sep,
		     struct strbuf *b)
{
	bool any = false;

	for (size_t i = 0; i < count && v; i++, v >>= 1) {
		if (!(v & 1))
			continue;
		if (any)
			strbuf_str(b, sep);
		strbuf_str(b, names[i]);
		any = true;
	}
	return any;
}

void data_src_op(u64 v, struct strbuf *b)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	if (!add_bits(bits(v, OP_AT, 5), names, ARRAY_SIZE(names), "", b))
		strbuf_str(b, "No");
}

static const char *hops_name(unsigned hops)
{
	static const char *const names[] = {
		"N/A", "core, same node", "node, same socket", "socket, same board", "board",
	};

	return hops < ARRAY_SIZE(names) ? names[hops] : "N/A";
}

static const char *level_number_name(unsigned n, char buf[8])
{
	enum { CXL = 9, IO, ANY, LFB, RAM, PMEM, NOT_AVAILABLE };

	switch (n) {
	case CXL:
		return "CXL";
	case IO:
		return "I/O";
	case ANY:
		return "Any cache";
	case LFB:
		return "LFB/MAB";
	case RAM:
		return "RAM";
	case PMEM:
		return "PMEM";
	case NOT_AVAILABLE:
		return "N/A";
	default:
		snprintf(buf, 8, "L%u", n);
		return buf;
	}
}

void data_src_level(u64 v, struct strbuf *b)
{
	/* clang-format off */
	static const char *const names[] = {
		"N/A", "HIT", "MISS", "L1", "LFB/MAB", "L2", "L3", "Local RAM",
		"Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
		"Remote Cache (2 hops)", "I/O", "Uncached",
	};
	/* clang-format on */
	enum { HIT = 2, MISS = 4 };
	unsigned level = bits(v, LEVEL_AT, 14), number = bits(v, LEVEL_NUMBER_AT, 4);
	unsigned hops = bits(v, HOPS_AT, 3);
	size_t start = b->len;
	bool any = false;
	char buf[8];

	if (bits(v, REMOTE_AT, 1))
		strbuf_str(b, "Remote ");
	if (hops) {
		strbuf_str(b, hops_name(hops));
		strbuf_char(b, ' ');
	} else {
		any = add_bits(level & ~(unsigned)(HIT | MISS), names, ARRAY_SIZE(names), " or ",
			       b);
	}
	if (number) {
		if (any)
			strbuf_str(b, " or ");
		strbuf_str(b, level_number_name(number, buf));
	}
	if (b->len == start)
		strbuf_str(b, "N/A");
	if (level & HIT)
		strbuf_str(b, " hit");
	if (level & MISS)
		strbuf_str(b, " miss");
}

void data_src_snoop(u64 v, struct strbuf *b)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	size_t start = b->len;
	unsigned extra = bits(v, SNOOPX_AT, 2);

	add_bits(bits(v, SNOOP_AT, 5), names, ARRAY_SIZE(names), " or ", b);
	if (extra) {
		if (b->len != start)
			strbuf_str(b, " or ");
		add_bits(extra, more, ARRAY_SIZE(more), " or ", b);
	}
	if (b->len == start)
		strbuf_str(b, "N/A");
}

void data_src_tlb(u64 v, struct strbuf *b)
{
	static const char *const names[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
	enum { HIT = 2, MISS = 4 };
	unsigned tlb = bits(v, TLB_AT, 7);

	if (!add_bits(tlb & ~(unsigned)(HIT | MISS), names, ARRAY_SIZE(names), " or ", b))
		strbuf_str(b, "N/A");
	if (tlb & HIT)
		strbuf_str(b, " hit");
	if (tlb & MISS)
		strbuf_str(b, " miss");
}

void data_src_lock(u64 v, struct strbuf *b)
{
	unsigned lock = bits(v, LOCK_AT, 2);

	strbuf_str(b, lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
}

void data_src_blocked(u64 v, struct strbuf *b)
{
	unsigned block = bits(v, BLOCK_AT, 3);

	if (!block || (block & 1)) {
		strbuf_str(b, " N/A");
		return;
	}
	if (block & 2)
		strbuf_str(b, " Data");
	if (block & 4)
		strbuf_str(b, " Addr");
}

/* ---- classes ---- */

enum { OP_LOAD = 2, OP_STORE = 4, OP_PREFETCH = 8, OP_EXEC = 16 };

enum data_src_class data_src_op_class(u64 v)
{
	switch (bits(v, OP_AT, 5)) {
	case OP_LOAD:
		return DATA_SRC_LOAD;
	case OP_STORE:
		return DATA_SRC_STORE;
	case OP_LOAD | OP_STORE:
		return DATA_SRC_LOAD_STORE;
	case OP_LOAD | OP_PREFETCH:
	case OP_PREFETCH:
		return DATA_SRC_PREFETCH;
	case OP_EXEC:
		return DATA_SRC_EXEC;
	}
	return DATA_SRC_OTHER_OP;
}

/* For levels that older recorders write as bits: {bit, class}. */
struct level_bit {
	unsigned bit;
	enum data_src_class class;
};

static enum data_src_class by_bits(unsigned levels, const struct level_bit *known, size_t count,
				   enum data_src_class other)
{
	for (size_t i = 0; i < count; i++)
		if (levels & known[i].bit)
			return known[i].class;
	return other;
}

/* Reports whether the level's number is valid; 0 and 15 are not. */
static bool has_level_number(u64 v)
{
	return bits(v, LEVEL_NUMBER_AT, 4) % 15;
}

enum data_src_class data_src_cache_class(u64 v)
{
	static const struct level_bit known[] = {
		{ 1 << 3, DATA_SRC_L1 },
		{ 1 << 4, DATA_SRC_L1_BUFFER },
		{ 1 << 5, DATA_SRC_L2 },
		{ 1 << 6, DATA_SRC_L3 },
	};

	if (!has_level_number(v))
		return by_bits(bits(v, LEVEL_AT, 14), known, ARRAY_SIZE(known),
			       DATA_SRC_OTHER_CACHE);
	switch (bits(v, LEVEL_NUMBER_AT, 4)) {
	case 1:
		return DATA_SRC_L1;
	case 2:
		return DATA_SRC_L2;
	case 3:
		return DATA_SRC_L3;
	case 4:
		return DATA_SRC_L4;
	case 5: /* miss handling buffer */
		return DATA_SRC_L2_BUFFER;
	case 12: /* line fill buffer */
		return DATA_SRC_L1_BUFFER;
	}
	return DATA_SRC_OTHER_CACHE;
}

enum data_src_class data_src_memory_class(u64 v)
{
	static const struct level_bit known[] = {
		{ 1 << 7 | 1 << 8 | 1 << 9, DATA_SRC_RAM },
		{ 1 << 12, DATA_SRC_IO },
		{ 1 << 13, DATA_SRC_UNCACHED },
	};

	if (!has_level_number(v))
		return by_bits(bits(v, LEVEL_AT, 14), known, ARRAY_SIZE(known),
			       DATA_SRC_OTHER_MEMORY);
	switch (bits(v, LEVEL_NUMBER_AT, 4)) {
	case 6: /* memory-side cache */
		return DATA_SRC_MSC;
	case 8:
		return DATA_SRC_UNCACHED;
	case 9:
		return DATA_SRC_CXL;
	case 10:
		return DATA_SRC_IO;
	case 13:
		return DATA_SRC_RAM;
	case 14:
		return DATA_SRC_PMEM;
	}
	return DATA_SRC_OTHER_MEMORY;
}

enum data_src_class data_src_tlb_class(u64 v)
{
	enum { HIT = 2, MISS = 4, L1 = 8, L2 = 16 };
	unsigned tlb = bits(v, TLB_AT, 7);

	if (tlb & MISS)
		return DATA_SRC_TLB_MISS;
	if (!(tlb & HIT))
		return DATA_SRC_OTHER_TLB;
	switch (tlb & (L1 | L2)) {
	case L1:
		return DATA_SRC_TLB_L1;
	case L2:
		return DATA_SRC_TLB_L2;
	}
	return DATA_SRC_TLB_ANY;
}

const char *page_size_name(u64 size, char buf[32])
{
	static const char units[] = "BKMG";
	unsigned unit = 0;

	if (!size)
		return "N/A";
	while (size / 1024 > 1 && unit + 2 < sizeof(units)) {
		size /= 1024;
		unit++;
	}
	snprintf(buf, 32, "%" PRIu64 "%c", size, units[unit]);
	return buf;
}
