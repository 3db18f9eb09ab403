// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds accesses to memory in the registers of AMD's Instruction-Based Sampling. */
#include "event/ibs.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "event/data_src_bits.h"
#include "event/sample.h"

/* a bit of IbsOpCtl */
#define OP_VALID BIT64(18)
/* bits of IbsOpData2, and of IbsOpData3 */
enum { OF_REMOTE_NODE = 1 << 4, OWNED = 1 << 5 };
/* clang-format off */
enum {
	IS_LOAD = 1 << 0, IS_STORE = 1 << 1, L1_TLB_MISS = 1 << 2, L2_TLB_MISS = 1 << 3, L1_MISS = 1 << 7,
	UNCACHED = 1 << 14, LOCKED = 1 << 15, NO_BUFFER = 1 << 16, LINEAR_VALID = 1 << 17, PHYSICAL_VALID = 1 << 18,
	L2_MISS = 1 << 20, PREFETCH = 1 << 21,
};
/* clang-format on */
/* for operations that access no memory, in the kernel's words */
#define NOT_MEMORY (OP_NA | LEVEL(LEVEL_NA) | SNOOP(SNOOP_NA) | LOCK(LOCK_NA) | TLB(TLB_NA))
/* data sources of all processors */
enum { SOURCE_DRAM = 3, SOURCE_IO = 7 };

enum ibs_processor ibs_processor_of(const char *cpuid)
{
	unsigned family, model;

	if (!cpuid || sscanf(cpuid, "AuthenticAMD,%u,%u", &family, &model) != 2)
		return IBS_ZEN;
	if (family < 0x17)
		return IBS_BEFORE_ZEN;
	if (family == 0x19 && model < 0x10)
		return IBS_ZEN3_FIRST;
	return family == 0x19 && model >= 0x20 && model < 0x60 ? IBS_ZEN3 : IBS_ZEN;
}

bool ibs_op_read(struct ibs_op *o, enum ibs_processor p, const u8 *raw, u32 size, bool swap)
{
	if (size < 4 + 8 * IBS_OP_TARGET)
		return false;
	o->zen4 = load_u32(raw, swap) & IBS_MORE_SOURCES;
	o->processor = p;
	for (u32 n = 0; n < IBS_OP_REGISTERS; n++)
		o->regs[n] = 4 + 8 * (n + 1) <= size ? load_u64(raw + 4 + 8 * n, swap) : 0;
	return true;
}

unsigned ibs_op_source(const struct ibs_op *o)
{
	u64 v = o->regs[IBS_OP_DATA2];

	return (unsigned)(ibs_bits(v, 0, 3) | (o->zen4 ? ibs_bits(v, 6, 2) << 3 : 0));
}

bool ibs_source_is_void(const struct ibs_op *o)
{
	return o->processor == IBS_ZEN3_FIRST && o->regs[IBS_OP_DATA3] & (NO_BUFFER | PREFETCH);
}

/* ---- where it was answered ---- */

#define HIT(level) (LEVEL(level) | LEVEL(LEVEL_HIT))
#define OTHER_CORE HOPS(1)
#define OTHER_NODE (REMOTE_NODE | HOPS(2))

/* Returns what answered a load that missed the L1 and the L2; 0 if the source does not say. */
static u64 source_before_zen(unsigned source, bool remote)
{
	switch (source) {
	case 1:
		return remote ? HIT(LEVEL_REMOTE_CACHE2) | NUMBER(NUMBER_CACHE) | OTHER_NODE
			      : HIT(LEVEL_L3) | NUMBER(NUMBER_L3);
	case 2: /* the L1 or L2 of another core */
		return remote ? HIT(LEVEL_REMOTE_CACHE2) | NUMBER(NUMBER_CACHE) | OTHER_NODE
			      : HIT(LEVEL_REMOTE_CACHE) | NUMBER(NUMBER_CACHE) | OTHER_CORE;
	default:
		return 0;
	}
}

static u64 source_zen(unsigned source)
{
	switch (source) {
	case 2: /* the L3, the L2 of a neighbouring core, or a cache elsewhere in the node */
		return HIT(LEVEL_L3) | LEVEL(LEVEL_REMOTE_CACHE) | NUMBER(NUMBER_CACHE) |
		       OTHER_CORE;
	case 4:
		return HIT(LEVEL_REMOTE_CACHE2) | NUMBER(NUMBER_CACHE) | OTHER_NODE;
	default:
		return 0;
	}
}

static u64 source_zen4(unsigned source, bool remote)
{
	switch (source) {
	case 1: /* the L3, or the L1 or L2 of a neighbouring core */
		return HIT(LEVEL_L3) | NUMBER(NUMBER_L3);
	case 2: /* a near core complex, or a far one */
		return HIT(LEVEL_REMOTE_CACHE) | NUMBER(NUMBER_CACHE) | REMOTE_NODE | OTHER_CORE;
	case 5:
		return HIT(LEVEL_REMOTE_CACHE2) | NUMBER(NUMBER_CACHE) | OTHER_NODE;
	case 6: /* slow memory, by its address */
		return NUMBER(NUMBER_PMEM) | (remote ? OTHER_NODE : 0);
	case 8:
		return NUMBER(NUMBER_CXL) | (remote ? OTHER_NODE : 0);
	default:
		return 0;
	}
}

static u64 source_level(const struct ibs_op *o)
{
	bool remote = o->regs[IBS_OP_DATA2] & OF_REMOTE_NODE;
	unsigned source = ibs_op_source(o);

	if (ibs_source_is_void(o))
		return 0;
	if (source == SOURCE_DRAM)
		return remote ? HIT(LEVEL_REMOTE_RAM) | NUMBER(NUMBER_RAM) | OTHER_NODE
			      : HIT(LEVEL_RAM) | NUMBER(NUMBER_RAM);
	if (source == SOURCE_IO)
		return HIT(LEVEL_IO) | NUMBER(NUMBER_IO);
	if (o->zen4)
		return source_zen4(source, remote);
	return o->processor == IBS_BEFORE_ZEN ? source_before_zen(source, remote)
					      : source_zen(source);
}

static bool missed_l2(const struct ibs_op *o)
{
	if (o->processor == IBS_BEFORE_ZEN) /* only these have a source */
		return ibs_op_source(o);
	return o->regs[IBS_OP_DATA3] & L2_MISS || ibs_source_is_void(o);
}

static u64 level(const struct ibs_op *o)
{
	u64 data3 = o->regs[IBS_OP_DATA3], from;

	/* caches and sources mean nothing then */
	if (data3 & UNCACHED && (ibs_source_is_void(o) || ibs_op_source(o) != SOURCE_IO))
		return HIT(LEVEL_UNCACHED) | NUMBER(NUMBER_UNCACHED);
	if (!(data3 & L1_MISS))
		return HIT(LEVEL_L1) | NUMBER(NUMBER_L1);
	if (!missed_l2(o))
		return HIT(LEVEL_L2) | NUMBER(NUMBER_L2);
	from = data3 & IS_LOAD ? source_level(o) : 0;
	if (from)
		return from;
	/* it waits for a line that an earlier miss requested */
	if (o->processor != IBS_BEFORE_ZEN && data3 & NO_BUFFER)
		return HIT(LEVEL_BUFFER) | NUMBER(NUMBER_BUFFER);
	return LEVEL(LEVEL_NA) | NUMBER(NUMBER_NA);
}

/*
 * Returns whether another cache had the line modified, which is known for loads that this cache
 * answered.
 */
static u64 snoop(const struct ibs_op *o, u64 at)
{
	bool own = at & (LEVEL(LEVEL_L1) | LEVEL(LEVEL_L2));
	unsigned source = ibs_op_source(o);
	bool cache = o->zen4 ? source == 1 || source == 2 || source == 5 : source == 2;

	if (o->processor == IBS_ZEN3 || o->processor == IBS_ZEN3_FIRST || own || !cache ||
	    !(o->regs[IBS_OP_DATA3] & IS_LOAD) || o->regs[IBS_OP_DATA3] & UNCACHED ||
	    o->regs[IBS_OP_DATA2] & OWNED)
		return SNOOP(SNOOP_NA);
	return SNOOP(SNOOP_HITM);
}

static u64 translation(u64 data3)
{
	if (!(data3 & LINEAR_VALID))
		return TLB(TLB_NA);
	if (!(data3 & L1_TLB_MISS))
		return TLB(TLB_L1) | TLB(TLB_HIT);
	return TLB(TLB_L2) | TLB(data3 & L2_TLB_MISS ? TLB_MISS : TLB_HIT);
}

u64 ibs_op_data_src(const struct ibs_op *o)
{
	u64 data3 = o->regs[IBS_OP_DATA3], at;

	if (!(o->regs[IBS_OP_CTL] & OP_VALID) || !(data3 & (IS_LOAD | IS_STORE)))
		return 0;
	at = level(o);
	return (data3 & IS_LOAD ? OP_LOAD : OP_STORE) | at | snoop(o, at) | translation(data3) |
	       LOCK(data3 & LOCKED ? LOCK_LOCKED : LOCK_NA);
}

void ibs_complete(struct sample *s, enum ibs_processor p, bool swap)
{
	struct ibs_op o;
	u64 data3, data_src;

	if (s->data_src & (OP_ANY & ~OP_NA) || !ibs_op_read(&o, p, s->raw, s->raw_size, swap))
		return;
	data_src = ibs_op_data_src(&o);
	s->data_src = data_src ? data_src : NOT_MEMORY;
	if (!data_src)
		return;
	data3 = o.regs[IBS_OP_DATA3];
	if (!s->addr && data3 & LINEAR_VALID)
		s->addr = o.regs[IBS_OP_LINEAR];
	if (!s->phys_addr && data3 & PHYSICAL_VALID)
		s->phys_addr = o.regs[IBS_OP_PHYSICAL];
	/* how long a load that missed waited, and how long it took since it was chosen */
	if (!s->weight && !s->ins_lat && data3 & L1_MISS && data3 & IS_LOAD) {
		s->weight = ibs_bits(data3, 32, 16);
		s->ins_lat = (u16)ibs_bits(o.regs[IBS_OP_DATA], 16, 16);
	}
}
