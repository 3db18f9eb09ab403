/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How KVM reports that a guest exits and resumes: tracepoints, their fields, and the names of the
 * reasons.
 *
 * Source: the tracepoints' format files of Linux (arch/x86/kvm/trace.h, arch/arm64/kvm/trace_arm.h,
 * arch/powerpc/kvm/trace_hv.h); for the reasons see the tables' own headers.
 */
#ifndef ARCH_KVM_H
#define ARCH_KVM_H

#include "base/types.h"

struct arch_name {
	u64 code;
	const char *name;
};

enum { KVM_EVENTS = 8 };

struct arch_kvm {
	const char *isa;                 /* "VMX" */
	const char *arch;                /* as struct arch names it */
	const char *cpuid[3];            /* one of them is part of the CPU's id; none: any CPU */
	const char *entry, *exit;        /* events */
	const char *vcpu;                /* field of entry, which some kernels lack; or NULL */
	const char *reason;              /* field of exit */
	const struct arch_name *reasons; /* by code */
	u32 reason_count;
	/*
	 * a reason with details: its code, the field with the detail, and its names; or field is
	 * NULL
	 */
	u64 trap;
	const char *trap_field;
	const struct arch_name *traps;
	u32 trap_count;
	const struct arch_name *hcalls; /* names for hcall_enter's field req */
	u32 hcall_count;
	/* the guest's run before the exit is timed, not the host's after it */
	bool until_exit;
	const char *idle;               /* the reason of a CPU that waits; or NULL */
	u8 width;                       /* the width of the names */
	const char *events[KVM_EVENTS]; /* the events that are recorded; ended by NULL */
};

/* Ends with a row without name. */
extern const struct arch_kvm arch_kvms[];
/* Returns the architecture's tables, or NULL when it is unknown; cpuid may be NULL. */
const struct arch_kvm *arch_kvm_find(const char *arch, const char *cpuid);
/* Returns the name of a code, or NULL when it is unknown. */
const char *arch_name_of(const struct arch_name *names, u32 count, u64 code);

#endif
