/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For BPF programs of events: checks whether the sample about to be written passes a filter's
 * tests.
 */
#ifndef BPF_SAMPLE_FILTER_TESTS_H
#define BPF_SAMPLE_FILTER_TESTS_H

#include "bpf/kernel.h"
#include "bpf/sample_filter.h"

/* clang-format off */
enum {
	IP, ID, TID, PID, CPU, TIME, ADDR, PERIOD, TRANSACTION, WEIGHT, WEIGHT1, WEIGHT2, WEIGHT3, PHYS_ADDR,
	CODE_PAGE, DATA_PAGE, DATA_SOURCE, CGROUP, UID, GID,
};
/* clang-format on */
enum { EQ, NE, GT, GE, LT, LE, AND };
/* Bits of sample_flags: those of PERF_SAMPLE_* in include/uapi/linux/perf_event.h. */
/* clang-format off */
enum {
	HAS_IP = 1 << 0, HAS_TID = 1 << 1, HAS_TIME = 1 << 2, HAS_ADDR = 1 << 3, HAS_ID = 1 << 6 | 1 << 16,
	HAS_CPU = 1 << 7, HAS_PERIOD = 1 << 8, HAS_WEIGHT = 1 << 14 | 1 << 24, HAS_DATA_SOURCE = 1 << 15,
	HAS_TRANSACTION = 1 << 17, HAS_PHYS_ADDR = 1 << 19, HAS_CGROUP = 1 << 21, HAS_DATA_PAGE = 1 << 22,
	HAS_CODE_PAGE = 1 << 23,
};
/* clang-format on */

/* Returns the real context of a program, by the kernel's own function. */
extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;

/*
 * Fields that the kernel has not filled in hold old memory, which an ordinary user's tests must not
 * reveal.
 */
#define HELD(bits, ...) (held & (bits) ? BPF_CORE_READ(d, __VA_ARGS__) : 0)

/*
 * sample: the address of the struct perf_sample_data; held: its sample_flags. This function and the
 * next are not static, so the verifier checks each only once and not for every test of a filter.
 */
__attribute__((noinline)) u64 value_of(u64 sample, u64 held, u32 field)
{
	struct perf_sample_data *d = (void *)sample;

	switch (field) {
	case IP:
		return HELD(HAS_IP, ip);
	case ID:
		return HELD(HAS_ID, id);
	case TID:
		return HELD(HAS_TID, tid_entry.tid);
	case PID:
		return HELD(HAS_TID, tid_entry.pid);
	case CPU:
		return HELD(HAS_CPU, cpu_entry.cpu);
	case TIME:
		return HELD(HAS_TIME, time);
	case ADDR:
		return HELD(HAS_ADDR, addr);
	case PERIOD:
		return HELD(HAS_PERIOD, period);
	case TRANSACTION:
		return HELD(HAS_TRANSACTION, txn);
	case WEIGHT:
		return HELD(HAS_WEIGHT, weight.full);
	case WEIGHT1:
		return (u32)HELD(HAS_WEIGHT, weight.full);
	case WEIGHT2:
		return (u16)(HELD(HAS_WEIGHT, weight.full) >> 32);
	case WEIGHT3:
		return HELD(HAS_WEIGHT, weight.full) >> 48;
	case PHYS_ADDR:
		return HELD(HAS_PHYS_ADDR, phys_addr);
	case CODE_PAGE:
		return HELD(HAS_CODE_PAGE, code_page_size);
	case DATA_PAGE:
		return HELD(HAS_DATA_PAGE, data_page_size);
	case DATA_SOURCE:
		return HELD(HAS_DATA_SOURCE, data_src.val);
	case CGROUP:
		return HELD(HAS_CGROUP, cgroup);
	case UID:
		return (u32)bpf_get_current_uid_gid();
	case GID:
		return bpf_get_current_uid_gid() >> 32;
	default:
		return 0;
	}
}

__attribute__((noinline)) int passes(u64 v, u32 operator, u64 wanted)
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

/*
 * Reports whether a sample passes. most is a limit of tests, since the verifier needs bounded
 * loops.
 */
static __always_inline bool sample_passes(struct perf_sample_data *d,
					  const volatile struct sample_test *tests, u32 count,
					  u32 most)
{
	u64 held = BPF_CORE_READ(d, sample_flags);
	bool group = false;

	for (u32 i = 0; i < most && i < count; i++) {
		u64 v = value_of((u64)d, held, tests[i].field) >> (tests[i].shift & 63);

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
