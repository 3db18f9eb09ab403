/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes operations that AMD's Instruction-Based Sampling sampled, from the registers in a
 * sample's raw data.
 *
 * Raw data: u32 capabilities, then the registers as u64 in the order of enum ibs_op_register; the
 * branch target is there if the processor has it. Kernels before 6.1 record nothing else of an
 * access to memory. What later ones fill in (address, data source, latencies) is computed here from
 * the registers.
 * Source: AMD64 Architecture Programmer's Manual volume 2, "Instruction-Based Sampling"; the
 * processor programming references of families 17h and 19h, the BIOS and kernel developer's guides
 * of 10h and 15h. Threads: pure functions.
 */
#ifndef EVENT_IBS_H
#define EVENT_IBS_H

#include "base/types.h"

struct sample;

enum ibs_op_register {
	IBS_OP_CTL,
	IBS_OP_RIP,
	IBS_OP_DATA,
	IBS_OP_DATA2,
	IBS_OP_DATA3,
	IBS_OP_LINEAR,
	IBS_OP_PHYSICAL,
	IBS_OP_TARGET,
	IBS_OP_REGISTERS,
};

/* Processors whose registers differ in meaning. */
enum ibs_processor {
	IBS_UNKNOWN,    /* the raw data is not of ibs_op */
	IBS_BEFORE_ZEN, /* families below 17h: other data sources, no bit for misses of the L2 */
	IBS_ZEN,
	/* Zen 3: the state of the answering cache is meaningless */
	IBS_ZEN3,
	/*
	 * and its first models: so is the data source after a miss without a buffer (erratum 1293)
	 */
	IBS_ZEN3_FIRST,
};

/* a bit of the capabilities: Zen 4 */
enum { IBS_MORE_SOURCES = 1 << 11 };

struct ibs_op {
	u64 regs[IBS_OP_REGISTERS];
	bool zen4; /* more data sources */
	enum ibs_processor processor;
};

/*
 * Finds the processor by the CPUID of a recording, "AuthenticAMD,25,1,1"; IBS_ZEN if it is NULL or
 * has another form.
 */
enum ibs_processor ibs_processor_of(const char *cpuid);
/* Reads the registers. Returns false if the raw data is too short. */
bool ibs_op_read(struct ibs_op *o, enum ibs_processor p, const u8 *raw, u32 size, bool swap);
/* Bits n from at of a register. */
static inline u64 ibs_bits(u64 v, unsigned at, unsigned n)
{
	return v >> at & (BIT64(n) - 1);
}
/* Returns the source that answered a miss; see ibs_source_is_void(). */
unsigned ibs_op_source(const struct ibs_op *o);
/* Reports whether the data source is meaningless. */
bool ibs_source_is_void(const struct ibs_op *o);
/* Returns what the operation did as perf_mem_data_src, or 0 if it accessed no memory. */
u64 ibs_op_data_src(const struct ibs_op *o);

/*
 * Gives a sample what its raw data say of an access to memory: data_src, addr, phys_addr, weight,
 * ins_lat.  A sample whose data_src says what the access was stays as the kernel made it.
 */
void ibs_complete(struct sample *s, enum ibs_processor p, bool swap);

#endif
