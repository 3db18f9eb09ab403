// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of perf kvm stat. */
#include <inttypes.h>
#include <math.h>

#include "builtin/kvm/stat.h"

static const char *const titles[] = {
	[KVM_VMEXIT] = "VM-EXIT", [KVM_MMIO] = "MMIO Access",  [KVM_IOPORT] = "IO Port Access",
	[KVM_MSR] = "MSR Access", [KVM_HCALL] = "HCALL-EVENT",
};

static void named(const struct arch_name *names, u32 count, u64 code, struct strbuf *b)
{
	const char *name = arch_name_of(names, count, code);

	if (name)
		strbuf_str(b, name);
	else
		strbuf_f(b, "UNKNOWN %#" PRIx64, code);
}

void kvm_reason_text(const struct kvm_exits *e, const struct kvm_reason *row, struct strbuf *b)
{
	const struct arch_kvm *a = e->arch;

	switch (e->kind) {
	case KVM_VMEXIT:
		if (row->info)
			named(a->traps, a->trap_count, row->code, b);
		else
			named(a->reasons, a->reason_count, row->code, b);
		break;
	case KVM_HCALL:
		named(a->hcalls, a->hcall_count, row->code, b);
		break;
	case KVM_MMIO:
		strbuf_f(b, "%#" PRIx64 ":%s", row->code, row->info == 2 ? "W" : "R");
		break;
	case KVM_IOPORT:
		strbuf_f(b, "%#" PRIx64 ":%s", row->code, row->info ? "POUT" : "PIN");
		break;
	default:
		strbuf_f(b, "%#" PRIx64 ":%s", row->code, row->info ? "W" : "R");
	}
}

/* Returns the uncertainty of the mean: its standard error in percent. */
static double relative_error(const struct kvm_reason *row)
{
	double n = (double)row->count;

	if (row->count < 2 || row->mean == 0)
		return 0;
	return 100 * sqrt(row->squares / (n - 1) / n) / row->mean;
}

static double microseconds(u64 ns)
{
	return (double)ns / 1000;
}

void kvm_row(const struct kvm_exits *e, const struct kvm_reason *row, struct strbuf *b)
{
	struct strbuf name = STRBUF_INIT;

	kvm_reason_text(e, row, &name);
	strbuf_f(b, "%*s ", e->arch->width, strbuf_cstr(&name));
	strbuf_f(b, "%10" PRIu64 " ", row->count);
	strbuf_f(b, "%8.2f%% ", e->count ? 100 * (double)row->count / (double)e->count : 0);
	strbuf_f(b, "%8.2f%% ", e->time ? 100 * (double)row->time / (double)e->time : 0);
	strbuf_f(b, "%9.2fus %9.2fus ", microseconds(row->min), microseconds(row->max));
	strbuf_f(b, "%9.2fus ( +-%7.2f%% )", microseconds(row->time) / (double)row->count,
		 relative_error(row));
	strbuf_release(&name);
}

void kvm_head(const struct kvm_exits *e, struct strbuf *b)
{
	strbuf_f(b, "%*s %10s %9s %9s %11s %11s %16s ", e->arch->width, titles[e->kind], "Samples",
		 "Samples%", "Time%", "Min Time", "Max Time", "Avg time");
}

void kvm_print(const struct kvm_exits *e, const char *whose, struct strbuf *b)
{
	strbuf_f(b, "\n\nAnalyze events for %s, ", whose);
	if (e->vcpu < 0)
		strbuf_str(b, "all VCPUs:\n\n");
	else
		strbuf_f(b, "VCPU %d:\n\n", e->vcpu);
	kvm_head(e, b);
	strbuf_str(b, "\n\n");
	vec_for_each(&e->rows, row) {
		kvm_row(e, row, b);
		strbuf_char(b, '\n');
	}
	strbuf_f(b, "\nTotal Samples:%" PRIu64 ", Total events handled time:%.2fus.\n\n", e->count,
		 microseconds(e->time));
	if (e->lost)
		strbuf_f(b, "\nLost events: %" PRIu64 "\n\n", e->lost);
}
