// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kvm stat report. */
#include <errno.h>
#include <unistd.h>

#include "arch/arch.h"
#include "builtin/kvm/internal.h"
#include "cli/say.h"
#include "ui/open.h"
#include "ui/tui/screen.h"

static bool wants_tui(const struct kvm_stat *k)
{
	if (k->stdio)
		return false;
	return k->tui || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && screen_built_in());
}

void kvm_whose(const struct kvm_stat *k, struct strbuf *b)
{
	if (k->pids)
		strbuf_f(b, "pid(s) %s", k->pids);
	else
		strbuf_str(b, "all VMs");
}

const char *const kvm_empty_reasons[] = {
	[KVM_VMEXIT] = "no exit of a guest was seen from its start to its end",
	[KVM_MMIO] = "no access to memory-mapped I/O was seen from its start to its end",
	[KVM_IOPORT] = "no access to an I/O port was seen from its start to its end",
	[KVM_MSR] = "no access to an MSR was seen from its start to its end",
	[KVM_HCALL] = "no hypercall was seen from its start to its end",
};

static int report_file(struct kvm_stat *k, enum kvm_sort by, struct reason *r)
{
	struct data_reader *d = session_data(k->a.session);
	struct strbuf whose = STRBUF_INIT;
	bool tui = wants_tui(k);
	struct tracer *t;
	int err = kvm_settle(k, data_arch(d)->name, data_feature_string(d, FEATURE_CPUID), r);

	if (err == -EINVAL)
		r->wrong_use = true;
	if (!err)
		err = open_browser_or_pager(k->a.ctx, "kvm", k->tui, &tui, NULL, r);
	if (err)
		return err;
	k->exits.out = &k->a.out;
	k->exits.history = session_history(k->a.session);
	t = exits_tracer(&k->exits);
	err = tracer_run(t, k->a.session, r);
	tracer_free(t);
	if (err)
		return err;
	exits_sort(&k->exits, by);
	if (!k->exits.rows.count)
		say_empty_table(k->a.ctx, kvm_empty_reasons[k->exits.kind],
				k->pids || k->exits.vcpu >= 0);
	kvm_whose(k, &whose);
	if (tui)
		kvm_browse(&k->exits, strbuf_cstr(&whose), by);
	else
		kvm_print(&k->exits, strbuf_cstr(&whose), out_buf(&k->a.out));
	strbuf_release(&whose);
	return 0;
}

int kvm_stat_report(struct kvm_stat *k)
{
	struct reason r = REASON_INIT;
	enum kvm_sort by;
	int code;

	if (kvm_parse_texts(k, &r) || kvm_parse_key(k, &by, &r) || analysis_prepare(&k->a, &r))
		return say_reason(&r), EXIT_USAGE;
	if (analysis_begin(&k->a, &r))
		return say_reason(&r);
	code = report_file(k, by, &r);
	screen_close();
	return analysis_end(&k->a, code, &r);
}
