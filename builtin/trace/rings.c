// SPDX-License-Identifier: GPL-2.0-or-later
/* Events from rings: system calls if there is no BPF, and all other traced events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "builtin/trace/internal.h"
#include "event/cgroup.h"
#include "event/parse.h"
#include "event/tracing_data.h"

enum { SOFTWARE_TYPE = 1, CLOCK = CLOCK_MONOTONIC };
enum { FILTER_MOST = 3500 }; /* the most bytes that fit in a page, with later additions */

bool trace_needs_rings(const struct trace *t)
{
	return !t->bpf || t->set.list.count || t->o.faults || t->o.sched || t->o.signals;
}

static int parse(struct trace *t, const char *text, struct reason *r)
{
	static const struct event_parser parser = { .command = "trace" };

	return event_parse(&parser, &t->set, text, r);
}

/*
 * Reports whether the kernel's filter names this number. The same number is another call in 32-bit
 * tasks, so it may have to let it through; trace_wants() distinguishes them later.
 */
static bool in_filter(const struct trace *t, u32 nr)
{
	bool native = syscall_set_has(&t->want, nr),
	     compat = t->compat && syscall_set_has(&t->want_compat, nr);

	return t->excluded && t->compat ? native && compat : native || compat;
}

/*
 * Returns a filter by which the kernel drops all other calls: "id == 0 || id == 1". The caller
 * frees it.
 */
static char *number_filter(const struct trace *t)
{
	enum { X32_BIT = 0x40000000, EM_X86_64 = 62 };
	bool x32 = syscall_book_arch(t->native)->e_machine == EM_X86_64 && !t->excluded;
	const struct syscall *handled = syscall_by_name(t->native, "rt_sigreturn");
	struct strbuf b = STRBUF_INIT;

	for (u32 nr = 0; nr < SYSCALL_NUMBERS; nr++) {
		if (!in_filter(t, nr))
			continue;
		strbuf_f(&b, "%sid %s %u", b.len ? (t->excluded ? " && " : " || ") : "",
			 t->excluded ? "!=" : "==", nr);
		if (x32)
			strbuf_f(&b, " || id == %u", nr | X32_BIT);
	}
	if (b.len && !t->excluded && handled && trace_wants(t, handled->nr, false))
		strbuf_str(&b, " || id == -1"); /* its exit has no number */
	/* longer than the kernel accepts: trace_wants() alone does the filtering */
	if (!b.len || b.len > FILTER_MOST) {
		strbuf_release(&b);
		return NULL;
	}
	return strbuf_detach(&b);
}

static int add_calls(struct trace *t, struct reason *r)
{
	int err = parse(t, "raw_syscalls:sys_enter,raw_syscalls:sys_exit", r);

	if (err || !t->selected)
		return err;
	for (size_t i = t->set.list.count - 2; i < t->set.list.count; i++) {
		struct event *ev = t->set.list.items[i];

		free(ev->filter);
		ev->filter = number_filter(t);
	}
	return 0;
}

static void add_faults(struct trace *t, u64 config, const char *name)
{
	const struct perf_event_attr attr = {
		.type = SOFTWARE_TYPE, .size = sizeof(attr), .config = config, .sample_period = 1
	};
	struct event *ev = event_set_add(&t->set, &attr, name);

	ev->user_period = true;
}

static int add_events(struct trace *t, struct reason *r)
{
	int err = 0;

	if (t->o.syscalls && !t->bpf)
		err = add_calls(t, r);
	if (t->o.faults & FAULTS_MAJOR)
		add_faults(t, FAULTS_MAJ_CONFIG, "major-faults");
	if (t->o.faults & FAULTS_MINOR)
		add_faults(t, FAULTS_MIN_CONFIG, "minor-faults");
	if (!err && t->o.signals)
		err = parse(t, "signal:signal_deliver", r);
	if (!err && t->o.sched)
		err = parse(t, "sched:sched_stat_runtime", r);
	if (!err && t->o.cgroup)
		err = event_set_cgroups(NULL, &t->set, t->o.cgroup, &t->next_cgroup, r);
	return err;
}

static void settle_settings(struct trace *t)
{
	struct record_settings *q = &t->settings;

	q->output = "-";
	q->period = 1;
	q->period_given = true;
	q->raw = q->time = q->cpu = true;
	q->addresses = t->o.faults != 0;
	q->no_inherit = !t->o.inherit;
	q->no_bpf_event = true;
	q->synth = SYNTH_ALL;
	q->use_clockid = true; /* the clock of the BPF programs */
	q->clockid = CLOCK;
	q->live_stacks = q->call_graph == CALL_GRAPH_DWARF;
	q->delay = t->o.delay;
	if (t->compat && !t->bpf) /* which ABI a call has: abi.c */
		q->user_regs |= BIT64(syscall_book_arch(t->native)->reg_ip);
}

int trace_rings_open(struct trace *t, struct reason *r)
{
	int err = add_events(t, r);

	settle_settings(t);
	if (!err)
		record_exclude_self(&t->set);
	if (!err)
		err = record_configure(&t->set, &t->settings, &t->target, t->target.held, r);
	trace_objects_configure(t);
	if (!err && !t->o.kernel_graph && t->settings.call_graph != CALL_GRAPH_NONE)
		vec_for_each(&t->set.list, ev)
			(*ev)->attr.flags |= ATTR_EXCLUDE_CALLCHAIN_KERNEL;
	return err;
}

int trace_rings_run_begin(struct trace *t, struct watch **w, struct reason *r)
{
	const struct feed_settings feed = { .ops = &trace_ops, .arg = t, .overload = FEED_SPILL };
	const struct synth_how how = { 0, t->o.map_timeout, 0 };
	struct live_options o = { .ring_pages = t->settings.ring_pages };
	struct live *live;
	int err = live_open(t->ctx, &t->set, &t->target, &o, &live, r);

	if (err)
		return err;
	err = event_set_finish(&t->set, r);
	t->session = session_new_live(t->ctx, &t->set, &t->a.open.symbols);
	t->live = live;
	if (err)
		return err;
	t->formats = t->own_formats = tracing_data_formats(&t->set, NULL);
	err = trace_bind(t, r);
	*w = watch_new(live, t->session, &feed);
	if (!err)
		err = watch_begin(*w, record_tracking_event(&t->set), &t->target, &how, r);
	return err ? err : watch_start(*w, r);
}
