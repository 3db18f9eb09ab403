// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From settings to attrs.
 *
 * One event "tracks": its side-band records (mmap, comm, task ...) report what ran. It is the first
 * event, unless samples start later than side-band records must (all of the system, -D). Then it is
 * a dummy that never samples, and it is open on all CPUs, whatever CPUs -C names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "record/internal.h"
#include "record/offcpu.h"
#include "sys/facts.h"

static void set_flag(struct event *ev, u64 flag, bool on)
{
	ev->attr.flags = on ? ev->attr.flags | flag : ev->attr.flags & ~flag;
}

static void want(struct event *ev, bool on, u64 sample_bits)
{
	if (on)
		ev->attr.sample_type |= sample_bits;
}

static bool is_dummy(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

/* Sets the rate. Tracepoints and breakpoints come with a period of 1 that only -c or -F changes. */
static void set_rate(struct event *ev, const struct record_settings *s)
{
	struct perf_event_attr *a = &ev->attr;
	bool own = ev->user_freq || ev->user_period;

	if (!own && (!a->sample_period || s->freq_given || s->period_given)) {
		set_flag(ev, ATTR_FREQ, s->freq);
		a->sample_period = s->freq ? s->freq : s->period;
	}
	want(ev, a->flags & ATTR_FREQ, PERF_SAMPLE_PERIOD);
	if (s->no_samples)
		a->sample_period = 0;
}

static void set_call_graph(struct event *ev, const struct record_settings *s)
{
	struct perf_event_attr *a = &ev->attr;

	if (s->call_graph == CALL_GRAPH_NONE)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_max_stack = s->max_stack;
	set_flag(ev, ATTR_EXCLUDE_CALLCHAIN_KERNEL, s->user_callchains);
	set_flag(ev, ATTR_EXCLUDE_CALLCHAIN_USER, s->kernel_callchains);
	set_flag(ev, ATTR_DEFER_CALLCHAIN, s->defer_callchain && s->call_graph == CALL_GRAPH_FP);
	if (s->call_graph == CALL_GRAPH_DWARF && !s->kernel_callchains) {
		u64 regs = 0;

		record_parse_regs(NULL, false, &regs, NULL);
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user |= regs;
		a->sample_stack_user = s->stack_bytes;
		set_flag(ev, ATTR_EXCLUDE_CALLCHAIN_USER, true);
	} else if (s->call_graph == CALL_GRAPH_FP && !s->kernel_callchains &&
		   record_leaf_regs(arch_host())) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user |= record_leaf_regs(arch_host());
	} else if (s->call_graph == CALL_GRAPH_LBR) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
		set_flag(ev, ATTR_EXCLUDE_CALLCHAIN_USER, true);
	}
}

static void set_register_fields(struct event *ev, const struct record_settings *s)
{
	if (s->branch_filter && !ev->attr.branch_sample_type && s->call_graph != CALL_GRAPH_LBR) {
		ev->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		ev->attr.branch_sample_type = s->branch_filter;
	}
	if (s->user_regs && !is_dummy(ev)) {
		ev->attr.sample_type |= PERF_SAMPLE_REGS_USER;
		ev->attr.sample_regs_user |= s->user_regs;
	}
	if (s->intr_regs && !is_dummy(ev)) {
		ev->attr.sample_type |= PERF_SAMPLE_REGS_INTR;
		ev->attr.sample_regs_intr = s->intr_regs;
	}
}

static void set_sample_fields(struct event *ev, const struct record_settings *s,
			      const struct target *t)
{
	bool per_cpu = t->system_wide || t->cpus;
	bool dwarf = s->call_graph == CALL_GRAPH_DWARF && !s->live_stacks;

	want(ev, true, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	/* it orders what is unwound live */
	want(ev, s->time_given && !s->live_stacks ? s->time : s->time || per_cpu || !t->per_thread,
	     PERF_SAMPLE_TIME);
	want(ev, s->cpu || per_cpu, PERF_SAMPLE_CPU);
	want(ev, s->raw, PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | PERF_SAMPLE_CPU);
	/*
	 * 6.1 records data mappings, as with -d, when stacks are copied; unwinding does not need
	 * them
	 */
	want(ev, s->addresses || dwarf, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC);
	want(ev, s->data_source, PERF_SAMPLE_DATA_SRC);
	want(ev, s->phys_addresses, PERF_SAMPLE_PHYS_ADDR);
	want(ev, s->data_page_size, PERF_SAMPLE_DATA_PAGE_SIZE);
	want(ev, s->code_page_size, PERF_SAMPLE_CODE_PAGE_SIZE);
	want(ev, s->weight, PERF_SAMPLE_WEIGHT_STRUCT);
	want(ev, s->transaction, PERF_SAMPLE_TRANSACTION);
	want(ev, s->cgroups, PERF_SAMPLE_CGROUP);
	want(ev, s->identifier, PERF_SAMPLE_IDENTIFIER);
	if (s->period_field_given && !is_dummy(ev)) {
		ev->attr.sample_type &= ~(u64)PERF_SAMPLE_PERIOD;
		want(ev, s->period_field, PERF_SAMPLE_PERIOD);
	}
	set_register_fields(ev, s);
}

static void set_read_format(struct event *ev, const struct record_settings *s)
{
	ev->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	if (s->stat || s->running_time)
		ev->attr.read_format |=
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	set_flag(ev, ATTR_INHERIT_STAT, s->stat);
}

static void set_sides(struct event *ev, const struct record_settings *s)
{
	if (s->all_user) {
		set_flag(ev, ATTR_EXCLUDE_KERNEL, true);
		set_flag(ev, ATTR_EXCLUDE_USER, false);
	}
	if (s->all_kernel) {
		set_flag(ev, ATTR_EXCLUDE_KERNEL, false);
		set_flag(ev, ATTR_EXCLUDE_USER, true);
	}
}

/*
 * Sets ":S": the leader's sample carries the counts of all members, which do not sample. Since
 * Linux 6.12 the kernel can do that for inherited events, whose values are those of the sample's
 * task; before, live_fallback() does without inheritance. Counters of whole CPUs inherit nothing;
 * without the flag, older readers do not take their values for those of tasks.
 */
static void set_leader_sampling(struct event *ev, const struct target *t)
{
	struct event *leader = ev->leader;

	if (!leader->leader_sampling)
		return;
	ev->attr.sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_ID;
	if (leader->members > 1)
		ev->attr.read_format |= PERF_FORMAT_GROUP;
	if (t->system_wide || (t->cpus && !t->tid_count))
		set_flag(ev, ATTR_INHERIT, false);
	if (ev != leader) {
		set_flag(ev, ATTR_FREQ, false);
		ev->attr.sample_period = 0;
		ev->attr.sample_type = leader->attr.sample_type;
	}
}

/* Reports whether only the workload is watched: its exec enables the events. */
static bool starts_on_exec(const struct target *t, bool workload)
{
	return workload && !t->system_wide && !t->cpus;
}

/*
 * Returns the settings as an event's own terms change them. As in perf 6.1, max-stack asks for call
 * chains; stack-size can only be that of copied stacks.
 */
static struct record_settings own_settings(struct event *ev, const struct record_settings *s)
{
	static const struct {
		const char *name;
		enum call_graph mode;
	} modes[] = { { "fp", CALL_GRAPH_FP },
		      { "dwarf", CALL_GRAPH_DWARF },
		      { "lbr", CALL_GRAPH_LBR },
		      { "no", CALL_GRAPH_NONE } };
	struct record_settings own = *s;

	if (ev->own_callgraph)
		for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
			if (!strcmp(modes[i].name, ev->callgraph))
				own.call_graph = modes[i].mode;
	if (!ev->own_callgraph && ev->attr.sample_stack_user)
		own.call_graph = CALL_GRAPH_DWARF;
	if (!ev->own_callgraph && ev->own_max_stack && own.call_graph == CALL_GRAPH_NONE)
		own.call_graph = CALL_GRAPH_FP;
	if (ev->attr.sample_stack_user)
		own.stack_bytes = ev->attr.sample_stack_user;
	if (!own.stack_bytes)
		own.stack_bytes = RECORD_STACK_BYTES;
	if (ev->own_max_stack)
		own.max_stack = ev->attr.sample_max_stack;
	if (own.call_graph != CALL_GRAPH_DWARF)
		ev->attr.sample_stack_user = 0;
	if (own.call_graph == CALL_GRAPH_NONE)
		ev->attr.sample_max_stack = 0;
	if (ev->own_overwrite)
		own.overwrite = ev->attr.flags & ATTR_WRITE_BACKWARD;
	return own;
}

bool record_keeps_newest(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if ((*it)->attr.flags & ATTR_WRITE_BACKWARD)
			return true;
	return false;
}

/*
 * Sets the watermark: a ring is usually emptied when half of it is full. Where files should have a
 * certain size, it is emptied more often, so a file is not much larger, but the ring keeps its room
 * for peaks.
 */
static void set_watermark(struct event *ev, const struct record_settings *s)
{
	enum { LEAST = 4096, MOST = 64 << 10, TURNS = 8 };
	u64 size = s->switch_output.size;

	if (!size)
		return;
	set_flag(ev, ATTR_WATERMARK, true);
	ev->attr.wakeup_watermark = (u32)MIN(MAX(size / TURNS, (u64)LEAST), (u64)MOST);
}

static void set_event(struct event *ev, const struct record_settings *all, const struct target *t,
		      bool workload)
{
	const struct record_settings own = own_settings(ev, all), *s = &own;
	bool leader = ev->leader == ev;

	set_flag(ev, ATTR_SAMPLE_ID_ALL, true);
	if (!ev->own_inherit || t->per_thread)
		set_flag(ev, ATTR_INHERIT, t->inherit && !s->no_inherit && !t->per_thread);
	set_read_format(ev, s);
	set_rate(ev, s);
	if (ev->precise_max && !is_dummy(ev)) /* opening goes down from here to what the PMU can */
		ev->attr.flags |= ATTR_PRECISE_MASK;
	set_call_graph(ev, s);
	set_sample_fields(ev, s, t);
	if (ev->function_tracer) {
		set_flag(ev, ATTR_EXCLUDE_CALLCHAIN_USER, true);
		ev->attr.sample_type &= ~(u64)PERF_SAMPLE_STACK_USER;
	}
	if (ev->time)
		ev->attr.sample_type = ev->time == TERM_ON
					       ? ev->attr.sample_type | PERF_SAMPLE_TIME
					       : ev->attr.sample_type & ~(u64)PERF_SAMPLE_TIME;
	set_sides(ev, s);
	set_leader_sampling(ev, t);
	set_flag(ev, ATTR_DISABLED, leader);
	set_flag(ev, ATTR_WRITE_BACKWARD, s->overwrite);
	/* with a delayed start perf enables the events, not the exec */
	set_flag(ev, ATTR_ENABLE_ON_EXEC, leader && !s->delay && starts_on_exec(t, workload));
	set_watermark(ev, s);
	if (s->off_cpu && event_is_wait(ev))
		off_cpu_set_attr(ev, s);
	if (s->off_cpu_by_switches && ev->name && !strcmp(ev->name, OFF_CPU_SWITCH))
		off_cpu_set_switch(ev);
	if (s->no_buffering) {
		set_flag(ev, ATTR_WATERMARK, false);
		ev->attr.wakeup_events = 1;
	}
	if (s->use_clockid) {
		set_flag(ev, ATTR_USE_CLOCKID, true);
		ev->attr.clockid = s->clockid;
	}
}

static bool copies_stacks(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if ((*it)->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

static void set_tracking(struct event *ev, const struct event_set *set,
			 const struct record_settings *s)
{
	set_flag(ev, ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK | ATTR_KSYMBOL,
		 true);
	set_flag(ev, ATTR_BPF_EVENT, !s->no_bpf_event);
	set_flag(ev, ATTR_MMAP_DATA,
		 s->addresses || s->data_maps || (copies_stacks(set) && !s->live_stacks));
	set_flag(ev, ATTR_NAMESPACES, s->namespaces);
	set_flag(ev, ATTR_CGROUP, s->cgroups);
	set_flag(ev, ATTR_CONTEXT_SWITCH, s->switch_events);
	set_flag(ev, ATTR_BUILD_ID, s->build_id_mmap);
}

/* Adds the event for side-band records from the first moment, whatever the sampling events do. */
static struct event *add_dummy(struct event_set *set, const struct record_settings *s,
			       const struct target *t, bool workload)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
	};
	struct event *ev = event_set_add(set, &a, "dummy:HG");
	bool on_exec = starts_on_exec(t, workload);

	set_event(ev, s, t, workload);
	/* what runs on the CPUs of -C may have started on another one */
	ev->all_cpus = true;
	/*
	 * It never samples; its rate only decides whether its layout has a period.  As in perf 6.1,
	 * -F gives it the layout of the other events, for readers that support only one layout.
	 */
	if (s->freq_given && s->freq) {
		ev->attr.sample_period = s->freq;
		set_flag(ev, ATTR_FREQ, true);
	} else {
		ev->attr.sample_period = s->period_given ? s->period : 1;
		ev->attr.sample_type &= ~(u64)PERF_SAMPLE_PERIOD;
		set_flag(ev, ATTR_FREQ, false);
	}
	/* software events have no branches, and are refused with them */
	ev->attr.sample_type &= ~(u64)PERF_SAMPLE_BRANCH_STACK;
	ev->attr.branch_sample_type = 0;
	/* the side-band of old samples must not be overwritten */
	set_flag(ev, ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_WRITE_BACKWARD, false);
	set_flag(ev, ATTR_DISABLED | ATTR_ENABLE_ON_EXEC, on_exec);
	return ev;
}

/* Makes samples of several events say which one they belong to. */
static void set_ids(struct event_set *set)
{
	bool fixed = false;

	if (set->list.count < 2)
		return;
	/* a fixed place for the id when the layouts differ, or on request */
	vec_for_each(&set->list, it)
		fixed |= (*it)->attr.sample_type != set->list.items[0]->attr.sample_type ||
			 ((*it)->attr.sample_type & PERF_SAMPLE_IDENTIFIER);
	vec_for_each(&set->list, it) {
		u64 *type = &(*it)->attr.sample_type;

		*type &= ~(u64)(PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);
		*type |= fixed ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
	}
}

/* PMUs that write a separate trace besides the samples. */
/* Refuses terms about a trace on events that are not grouped with a trace event. */
static int check_aux_terms(const struct event_set *set, struct reason *r)
{
	vec_for_each(&set->list, it) {
		const struct event *ev = *it;
		const char *term = ev->attr.flags & ATTR_AUX_OUTPUT ? "aux-output"
				   : ev->attr.aux_sample_size       ? "aux-sample-size"
				   : ev->attr.aux_action            ? "aux-action"
								    : NULL;

		if (!term || live_aux_type(ev->leader) || live_aux_type(ev))
			continue;
		reason_set(r, EINVAL, "'%s': %s needs a group that a tracing PMU leads", ev->name,
			   term);
		reason_hint(r, "'{intel_pt//,EVENT/%s/}' on Intel CPUs, cs_etm or arm_spe on Arm",
			    term);
		return -EINVAL;
	}
	return 0;
}

/*
 * Returns the first event that is opened, or NULL. A tool event is not opened, so it cannot carry
 * side-band records.
 */
static struct event *first_opened(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if (!(*it)->tool)
			return *it;
	return NULL;
}

int record_configure(struct event_set *set, const struct record_settings *s, const struct target *t,
		     bool workload, struct reason *r)
{
	struct event *tracking = first_opened(set);
	bool aux = record_aux_event(set);
	int err = check_aux_terms(set, r);

	if (err)
		return err;
	vec_for_each(&set->list, it)
		set_event(*it, s, t, workload);
	err = record_configure_aux(set, s, r);
	if (err)
		return err;
	if (!tracking || aux || t->system_wide || t->cpus || s->delay || record_keeps_newest(set) ||
	    s->steered)
		tracking = add_dummy(set, s, t, workload);
	set_tracking(tracking, set, s);
	/* one event carries the records of the deferred call chains */
	vec_for_each(&set->list, it)
		if ((*it)->attr.flags & ATTR_DEFER_CALLCHAIN)
			set_flag(tracking, ATTR_DEFER_OUTPUT, true);
	/* a decoder follows which task a CPU's trace is of */
	if (aux)
		set_flag(tracking, ATTR_CONTEXT_SWITCH, true);
	set_ids(set);
	return event_set_finish(set, r);
}

const struct event *record_tracking_event(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if ((*it)->attr.flags & ATTR_TASK)
			return *it;
	return set->list.items[0];
}

void record_add_default_event(const struct context *ctx, const struct sys *sys,
			      struct event_set *set)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = 3ULL << ATTR_PRECISE_SHIFT,
	};
	char *vendor = cpu_vendor(sys);

	if (ctx && ctx->count_guests)
		a.flags |= ctx->skip_host ? ATTR_EXCLUDE_HOST : 0;
	else if (!vendor || strcmp(vendor, "AuthenticAMD"))
		a.flags |= ATTR_EXCLUDE_GUEST;
	free(vendor);
	event_set_add(set, &a, "cycles:P")->precise_max = true;
}

void record_make_group(struct event_set *set)
{
	struct event *leader = set->list.items[0];

	vec_for_each(&set->list, it) {
		(*it)->leader = leader;
		(*it)->members = 1;
	}
	leader->members = (u32)set->list.count;
}

void record_exclude_self(struct event_set *set)
{
	vec_for_each(&set->list, it) {
		struct event *ev = *it;
		char *old = ev->filter;

		if (!event_is_tracepoint(ev))
			continue;
		ev->filter = old ? xasprintf("(%s) && (common_pid != %d)", old, getpid())
				 : xasprintf("common_pid != %d", getpid());
		free(old);
	}
}
