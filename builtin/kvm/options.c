// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kvm stat: its options, and the command line of its record. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "builtin/kvm/internal.h"

const char *kvm_file_name(bool host, bool guest)
{
	if (host && !guest)
		return "perf.data.host";
	if (guest && !host)
		return "perf.data.guest";
	return "perf.data.kvm";
}

void kvm_stat_init(struct kvm_stat *k, struct context *ctx, const char *input)
{
	*k = (struct kvm_stat){
		.kind = "vmexit", .key = "sample", .vcpu = -1, .refresh = 1000000000
	};
	ctx->recorder = "perf kvm stat record";
	analysis_init(&k->a, ctx);
	k->a.open.input = input;
	exits_init(&k->exits);
}

void kvm_stat_release(struct kvm_stat *k)
{
	free(k->pid_list);
	exits_release(&k->exits);
	analysis_release(&k->a);
}

static void common_rows(struct kvm_stat *k, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 0, "event", &k->kind, .arg = "vmexit|mmio|ioport|msr|hcall",
		  .help = "what is timed (default: vmexit; mmio, ioport, msr: x86; hcall: POWER)" },
		{ OPTION_INT, 0, "vcpu", &k->vcpu, .arg = "N", .given = &k->vcpu_given,
		  .help = "only this virtual CPU" },
		{ OPTION_STRING, 'k', "key", &k->key, .arg = "KEY",
		  .help = "sort by sample, time (mean), total_t, min_t, max_t (default: sample)" },
		{ OPTION_STRING, 'p', "pid", &k->pids, .arg = "PID[,PID]...",
		  .help = "only the guests of these processes" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void kvm_stat_report_rows(struct kvm_stat *k, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 0, "stdio", &k->stdio, .help = "plain text" },
		{ OPTION_FLAG, 0, "tui", &k->tui,
		  .help = "browse in the terminal (default if there is one)" },
	};

	input_option_rows(rows, &k->a.open.input, &k->a.open.force);
	common_rows(k, rows);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void kvm_stat_live_rows(struct kvm_stat *k, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'a', "all-cpus", &k->all_cpus, .help = "all guests (default)" },
		{ OPTION_DURATION, 'd', "display", &k->refresh, .arg = "SECONDS",
		  .unit = 1000000000, .help = "time between two tables (default: 1)" },
		{ OPTION_DURATION, 0, "duration", &k->exits.longest, .arg = "USECS", .unit = 1000,
		  .help = "print each event that takes longer, except waiting (HLT)" },
		{ OPTION_U64, 0, "iterations", &k->iterations, .arg = "N",
		  .help = "end after N tables" },
		{ OPTION_STRING, 'm', "mmap-pages", &k->ring, .arg = "PAGES",
		  .help = "size of each ring, in pages or as 512K (default: 2M)" },
		{ OPTION_DURATION, 0, "proc-map-timeout", &k->map_timeout, .arg = "MS",
		  .unit = 1000000, .help = "time for the maps of one process (default: 500)" },
		{ OPTION_COUNT, 'v', "verbose", &k->a.ctx->verbose, .help = "say more" },
	};

	common_rows(k, rows);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

/* ---- what the texts mean ---- */

static int parse_kind(struct kvm_stat *k, struct reason *r)
{
	struct strbuf known = STRBUF_INIT;
	const struct arch_kvm *a = k->exits.arch;

	for (int i = 0; i < KVM_KINDS; i++) {
		if (kvm_kind_known(a, (enum kvm_kind)i) &&
		    !strcmp(k->kind, kvm_kind_name((enum kvm_kind)i))) {
			k->exits.kind = (enum kvm_kind)i;
			strbuf_release(&known);
			return 0;
		}
		if (kvm_kind_known(a, (enum kvm_kind)i))
			strbuf_f(&known, "%s%s", known.len ? ", " : "",
				 kvm_kind_name((enum kvm_kind)i));
	}
	reason_set(r, EINVAL, "--event: '%s' is not an event of %s guests", k->kind, a->arch);
	reason_hint(r, "it has %s", strbuf_cstr(&known));
	strbuf_release(&known);
	return -EINVAL;
}

int kvm_parse_key(const struct kvm_stat *k, enum kvm_sort *by, struct reason *r)
{
	static const struct {
		const char *name;
		enum kvm_sort by;
	} keys[] = {
		{ "sample", KVM_SORT_SAMPLES }, { "percent_sample", KVM_SORT_SAMPLES },
		{ "time", KVM_SORT_MEAN },      { "mean_t", KVM_SORT_MEAN },
		{ "total_t", KVM_SORT_TIME },   { "percent_time", KVM_SORT_TIME },
		{ "min_t", KVM_SORT_MIN },      { "max_t", KVM_SORT_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(k->key, keys[i].name)) {
			*by = keys[i].by;
			return 0;
		}
	reason_set(r, EINVAL, "--key: '%s' is not known", k->key);
	reason_hint(r, "sample, time (the mean), total_t, min_t or max_t");
	return -EINVAL;
}

int kvm_parse_texts(struct kvm_stat *k, struct reason *r)
{
	u32 *pids = NULL;
	int err = 0;

	if (k->vcpu_given && k->vcpu < 0)
		return reason_set(r, EINVAL, "--vcpu: %d is not the number of a CPU", k->vcpu);
	k->exits.vcpu = k->vcpu;
	if (k->pids) {
		err = parse_task_numbers("--pid", k->pids, &pids, &k->exits.pid_count, r);
		k->exits.pids = k->pid_list = pids;
	}
	return err;
}

int kvm_settle(struct kvm_stat *k, const char *arch, const char *cpuid, struct reason *r)
{
	k->exits.arch = arch_kvm_find(arch, cpuid);
	if (k->exits.arch)
		return parse_kind(k, r);
	if (arch_kvm_find(arch, NULL) || !strcmp(arch, "x86_64"))
		reason_set(r, ENOTSUP,
			   "the recording does not say whether its processor is Intel's or AMD's "
			   "(CPUID: %s), which exit reasons depend on",
			   cpuid ? cpuid : "none");
	else
		reason_set(r, ENOTSUP, "exits of guests on %s are not known here", arch);
	return -ENOTSUP;
}

/* ---- record ---- */

/* Returns the host's KVM tables, or NULL. Which events exist depends only on the architecture. */
static const struct arch_kvm *kvm_of_host(void)
{
	for (const struct arch_kvm *a = arch_kvms; a->isa; a++)
		if (!strcmp(a->arch, arch_host()->name))
			return a;
	return NULL;
}

int kvm_stat_record_words(const char *output, struct strlist *line, struct reason *r)
{
	static const char *const usual[] = { "record", "-R", "-m", "1024", "-c", "1" };
	const struct arch_kvm *a = kvm_of_host();

	if (!a)
		return reason_set(r, ENOTSUP, "KVM's tracepoints of %s are not known here",
				  arch_host()->name);
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		strlist_add(line, usual[i]);
	for (const char *const *e = a->events; *e; e++) {
		strlist_add(line, "-e");
		strlist_add(line, *e);
	}
	strlist_add(line, "-o");
	strlist_add(line, output);
	return 0;
}
