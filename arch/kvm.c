// SPDX-License-Identifier: GPL-2.0-or-later
/* KVM's tracepoints and the reasons of exits, by architecture. */
#include "arch/kvm.h"

#include <string.h>

#include "arch/arm64/kvm.h"
#include "arch/powerpc/kvm.h"
#include "arch/x86_64/kvm.h"

#define X86_EVENTS                                                                                 \
	.arch = "x86_64", .entry = "kvm:kvm_entry", .exit = "kvm:kvm_exit", .vcpu = "vcpu_id",     \
	.reason = "exit_reason", .idle = "HLT", .width = 20,                                       \
	.events = { "kvm:kvm_entry", "kvm:kvm_exit", "kvm:kvm_mmio", "kvm:kvm_pio",                \
		    "kvm:kvm_msr" }
#define POWER_EVENTS                                                                               \
	.isa = "HV", .entry = "kvm_hv:kvm_guest_enter", .exit = "kvm_hv:kvm_guest_exit",           \
	.vcpu = "vcpu_id", .reason = "trap", NAMES_OF(power_exits), .hcalls = power_hcalls,        \
	.hcall_count = ARRAY_SIZE(power_hcalls), .width = 40,                                      \
	.events = { "kvm_hv:kvm_guest_enter", "kvm_hv:kvm_guest_exit", "kvm_hv:kvm_hcall_enter",   \
		    "kvm_hv:kvm_hcall_exit" }
#define NAMES_OF(table) .reasons = table, .reason_count = ARRAY_SIZE(table)

const struct arch_kvm arch_kvms[] = {
	{ .isa = "VMX",
	  .cpuid = { "Intel", "Shanghai", "Centaur" },
	  X86_EVENTS,
	  NAMES_OF(vmx_exits) },
	{ .isa = "SVM", .cpuid = { "AMD", "Hygon" }, X86_EVENTS, NAMES_OF(svm_exits) },
	{ .isa = "arm64",
	  .arch = "aarch64",
	  .entry = "kvm:kvm_entry",
	  .exit = "kvm:kvm_exit",
	  .vcpu = "id",
	  .reason = "ret",
	  NAMES_OF(arm64_exits),
	  .trap = 2,
	  .trap_field = "esr_ec",
	  .traps = arm64_traps,
	  .trap_count = ARRAY_SIZE(arm64_traps),
	  .until_exit = true,
	  .width = 20,
	  .events = { "kvm:kvm_entry", "kvm:kvm_exit" } },
	{ .arch = "ppc64le", POWER_EVENTS },
	{ .arch = "ppc64", POWER_EVENTS },
	{ .isa = NULL },
};

static bool fits(const struct arch_kvm *k, const char *cpuid)
{
	if (!k->cpuid[0])
		return true;
	for (size_t i = 0; cpuid && i < ARRAY_SIZE(k->cpuid); i++)
		if (k->cpuid[i] && strstr(cpuid, k->cpuid[i]))
			return true;
	return false;
}

const struct arch_kvm *arch_kvm_find(const char *arch, const char *cpuid)
{
	for (const struct arch_kvm *k = arch_kvms; k->isa; k++)
		if (!strcmp(k->arch, arch) && fits(k, cpuid))
			return k;
	return NULL;
}

const char *arch_name_of(const struct arch_name *names, u32 count, u64 code)
{
	for (u32 i = 0; i < count; i++)
		if (names[i].code == code)
			return names[i].name;
	return NULL;
}
