// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/branch.h"

#include <string.h>

#include "base/perf_abi.h"

static const struct {
	const char *name;
	u64 bits;
} filters[] = {
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
	{ "counter", PERF_SAMPLE_BRANCH_COUNTERS },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
};

bool branch_filter_add(const char *name, u64 *bits)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if (!strcmp(filters[i].name, name)) {
			*bits |= filters[i].bits;
			return true;
		}
	return false;
}

static const char *type_name(unsigned type)
{
	static const char *const names[] = {
		"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
		"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
	};

	return names[type & 15];
}

static const char *new_type_name(unsigned type)
{
	static const char *const names[] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5",
	};

	return type < ARRAY_SIZE(names) ? names[type] : "";
}

const char *branch_type_name(u64 flags)
{
	enum { EXTENDED = 15 };
	unsigned type = flags >> 20 & 15;

	return type == EXTENDED ? new_type_name(flags >> 26 & 15) : type_name(type);
}
