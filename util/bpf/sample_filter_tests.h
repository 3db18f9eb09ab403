/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For BPF programs of events: does the sample that is about to be written pass a filter's tests? */
#ifndef BPF_SAMPLE_FILTER_TESTS_H
#define BPF_SAMPLE_FILTER_TESTS_H

#include "bpf/kernel.h"
#include "bpf/sample_filter.h"

enum {
	IP, ID, TID, PID, CPU, TIME, ADDR, PERIOD, TRANSACTION, WEIGHT, WEIGHT1, WEIGHT2, WEIGHT3, PHYS_ADDR,
	CODE_PAGE, DATA_PAGE, DATA_SOURCE, CGROUP, UID, GID,
};
enum { EQ, NE, GT, GE, LT, LE, AND };

/* By the kernel's own function, which gives the real context of a program. */
extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;

static u64 value_of(struct perf_sample_data *d, u32 field)
{
	switch (field) {
	case IP:
		return BPF_CORE_READ(d, ip);
	case ID:
		return BPF_CORE_READ(d, id);
	case TID:
		return BPF_CORE_READ(d, tid_entry.tid);
	case PID:
		return BPF_CORE_READ(d, tid_entry.pid);
	case CPU:
		return BPF_CORE_READ(d, cpu_entry.cpu);
	case TIME:
		return BPF_CORE_READ(d, time);
	case ADDR:
		return BPF_CORE_READ(d, addr);
	case PERIOD:
		return BPF_CORE_READ(d, period);
	case TRANSACTION:
		return BPF_CORE_READ(d, txn);
	case WEIGHT:
		return BPF_CORE_READ(d, weight.full);
	case WEIGHT1:
		return (u32)BPF_CORE_READ(d, weight.full);
	case WEIGHT2:
		return (u16)(BPF_CORE_READ(d, weight.full) >> 32);
	case WEIGHT3:
		return BPF_CORE_READ(d, weight.full) >> 48;
	case PHYS_ADDR:
		return BPF_CORE_READ(d, phys_addr);
	case CODE_PAGE:
		return BPF_CORE_READ(d, code_page_size);
	case DATA_PAGE:
		return BPF_CORE_READ(d, data_page_size);
	case DATA_SOURCE:
		return BPF_CORE_READ(d, data_src.val);
	case CGROUP:
		return BPF_CORE_READ(d, cgroup);
	case UID:
		return (u32)bpf_get_current_uid_gid();
	case GID:
		return bpf_get_current_uid_gid() >> 32;
	default:
		return 0;
	}
}

static bool passes(u64 v, u32 operator, u64 wanted)
{
	switch (operator) {
	case EQ:
		return v == wanted;
	case NE:
		return v != wanted;
	case GT:
		return v > wanted;
	case GE:
		return v >= wanted;
	case LT:
		return v < wanted;
	case LE:
		return v <= wanted;
	default:
		return (v & wanted) != 0;
	}
}

/* most: how many tests there is room for, since the verifier wants loops with an end. */
static __always_inline bool sample_passes(struct perf_sample_data *d, const volatile struct sample_test *tests,
					  u32 count, u32 most)
{
	bool group = false;

	for (u32 i = 0; i < most && i < count; i++) {
		u64 v = value_of(d, tests[i].field) >> (tests[i].shift & 63);

		if (tests[i].bits < 64)
			v &= BIT64(tests[i].bits) - 1;
		group |= passes(v, tests[i].operator, tests[i].value);
		if (tests[i].or_next)
			continue;
		if (!group)
			return false;
		group = false;
	}
	return true;
}

#endif
