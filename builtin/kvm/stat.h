/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exits of guests, from KVM's tracepoints: a state for each thread of a virtual CPU, sums for each
 * reason.
 *
 *	exits_init() -> exits_tracer() -> samples -> exits_sort() -> kvm_print() -> exits_release()
 *
 * vmexit times what the host does for the guest, from its exit to its next entry (on Arm the
 * guest's run before the exit); mmio, ioport and msr the emulation of one access. An interval in
 * which records were lost is dropped.
 * One thread.
 */
#ifndef BUILTIN_KVM_STAT_H
#define BUILTIN_KVM_STAT_H

#include "arch/kvm.h"
#include "base/out.h"
#include "tracer/state.h"
#include "tracer/tracer.h"

enum kvm_kind { KVM_VMEXIT, KVM_MMIO, KVM_IOPORT, KVM_MSR, KVM_HCALL, KVM_KINDS };

/* One row: a reason, or an address and a direction. */
struct kvm_reason {
	u64 code;
	u32 info; /* read, write; of vmexit: 1 for the names of traps */
	u64 count, time, min, max;
	double mean, squares; /* running mean and sum of squared differences */
};

struct kvm_exits {
	/* before exits_tracer() */
	const struct arch_kvm *arch;
	enum kvm_kind kind;
	int vcpu;        /* only this one; -1: all */
	const u32 *pids; /* only these, ascending; NULL: all */
	size_t pid_count;
	u64 longest;             /* intervals longer than that are reported one by one; 0: none */
	struct out *out;         /* where to */
	struct history *history; /* names of threads */

	VEC(struct kvm_reason) rows; /* sorted by exits_sort() */
	u64 count, time;
	u64 lost; /* LOST records */

	/* the component's own */
	struct tracer_row tracer_rows[KVM_EVENTS];
	struct map64 by_key;
	struct tracer_states threads; /* by tid */
};

enum kvm_sort { KVM_SORT_SAMPLES, KVM_SORT_MEAN, KVM_SORT_TIME, KVM_SORT_MIN, KVM_SORT_MAX };

const char *kvm_kind_name(enum kvm_kind kind);
/* Reports whether the architecture has this kind. */
bool kvm_kind_known(const struct arch_kvm *a, enum kvm_kind kind);

void exits_init(struct kvm_exits *e);
struct tracer *exits_tracer(struct kvm_exits *e);
void exits_sort(struct kvm_exits *e, enum kvm_sort by);
/* Drops what was counted, but not what is under way. */
void exits_clear(struct kvm_exits *e);
void exits_release(struct kvm_exits *e);

/* Adds the text of a reason: "EPT_VIOLATION", "0xfee00380:W". */
void kvm_reason_text(const struct kvm_exits *e, const struct kvm_reason *row, struct strbuf *b);
/* Adds the heading of the table; kvm_row() adds a row. Neither adds a newline. */
void kvm_head(const struct kvm_exits *e, struct strbuf *b);
void kvm_row(const struct kvm_exits *e, const struct kvm_reason *row, struct strbuf *b);
/* Prints the table; whose is "all VMs", "pid(s) 1,2". */
void kvm_print(const struct kvm_exits *e, const char *whose, struct strbuf *b);

#endif
