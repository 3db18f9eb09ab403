/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of samples of other events than tracepoints, which a BPF program applies as they are
 * taken.
 *
 *	filter	   group { "," group }		all of them
 *	group	   one { "||" one }		any of them
 *	one	   TERM operator VALUE
 *	operator   == != > >= < <= &
 *
 * VALUE is a number, or of the mem_ terms a name.  What the parts mean is that of PERF_SAMPLE_*
 * in include/uapi/linux/perf_event.h; a term can be tested where samples hold it.
 */
#ifndef EVENT_SAMPLE_FILTER_H
#define EVENT_SAMPLE_FILTER_H

#include "base/reason.h"
#include "base/types.h"

/* The source of the value; the BPF program has the same numbers. */
/* clang-format off */
enum sample_filter_field {
	FILTER_IP, FILTER_ID, FILTER_TID, FILTER_PID, FILTER_CPU, FILTER_TIME, FILTER_ADDR, FILTER_PERIOD,
	FILTER_TRANSACTION, FILTER_WEIGHT, FILTER_WEIGHT1, FILTER_WEIGHT2, FILTER_WEIGHT3, FILTER_PHYS_ADDR,
	FILTER_CODE_PAGE, FILTER_DATA_PAGE, FILTER_DATA_SOURCE, FILTER_CGROUP, FILTER_UID, FILTER_GID,
};
/* clang-format on */
enum sample_filter_operator {
	FILTER_EQ,
	FILTER_NE,
	FILTER_GT,
	FILTER_GE,
	FILTER_LT,
	FILTER_LE,
	FILTER_AND,
};
enum { FILTER_TESTS = 64 };

struct sample_filter_test {
	u8 field, operator;
	u8 shift, bits; /* which bits of the value are tested; bits 64 means all */
	u8 or_next;     /* the next test is in the same group */
	u8 unused[3];
	u64 value;
};
struct sample_filter {
	u32 count;
	struct sample_filter_test tests[FILTER_TESTS];
};

/* Adds to f, so a second filter narrows the first. Returns 0 or -EINVAL with a reason. */
int sample_filter_parse(struct sample_filter *f, const char *text, struct reason *r) MUST_CHECK;
/*
 * Checks that the samples hold what is tested. Returns 0, or -EINVAL with a reason that names the
 * term and the option that records it.
 */
int sample_filter_check(const struct sample_filter *f, u64 sample_type,
			struct reason *r) MUST_CHECK;

#endif
