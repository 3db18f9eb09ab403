// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into the table, and counts of what they are. */
#include <string.h>

#include "base/perf_abi.h"
#include "builtin/top/refresher.h"

/*
 * Where CPUs wait for work: functions of the idle task.  Source: the idle loops of
 * kernel/sched/idle.c, drivers/cpuidle/ and arch/.
 */
/* clang-format off */
static const char *const idle_functions[] = {
	"acpi_idle_do_entry", "acpi_processor_ffh_cstate_enter", "acpi_safe_halt", "arch_cpu_idle",
	"cpu_do_idle", "cpu_idle", "cpu_startup_entry", "default_idle", "default_idle_call",
	"do_idle", "intel_idle", "intel_idle_ibrs", "intel_idle_irq", "mwait_idle",
	"native_safe_halt", "poll_idle", "psw_idle", "psw_idle_exit", "pv_native_safe_halt",
	"tdx_safe_halt", "tdx_halt", "default_enter_idle", "wait_for_interrupt",
};
/* clang-format on */

static bool is_idle_function(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(idle_functions); i++) {
		size_t n = strlen(idle_functions[i]);

		/* the compiler's clones are followed by ".constprop.0" and the like */
		if (!strncmp(name, idle_functions[i], n) && (!name[n] || name[n] == '.'))
			return true;
	}
	return false;
}

/* Of the idle task; what interrupts it counts. */
static bool waits_for_work(struct top *t, const struct session_sample *s)
{
	const struct symbol_table *symbols;
	const char *name;
	u64 *known;
	bool added;
	u32 symbol;

	if (s->task->pid || s->sample->cpumode != PERF_RECORD_MISC_KERNEL || !s->leaf.image)
		return false;
	symbols = symbols_of(session_symbols(t->session), s->leaf.image);
	symbol = symbol_find(symbols, s->leaf.offset);
	if (symbol == NO_SYMBOL)
		return false;
	known = map64_put(&t->idle, (u64)s->leaf.image << 32 | symbol, &added);
	if (added) {
		name = symbol_get(symbols, symbol)->name;
		*known = is_idle_function(name);
	}
	return *known;
}

static void count(top_event_counts *counts, const struct sample *s)
{
	struct top_counts *c;

	while (counts->count <= s->event->index)
		vec_push(counts, (struct top_counts){ 0 });
	c = &counts->items[s->event->index];
	c->samples++;
	c->kernel += s->cpumode == PERF_RECORD_MISC_KERNEL;
	c->user += s->cpumode == PERF_RECORD_MISC_USER;
	c->guest_kernel += s->cpumode == PERF_RECORD_MISC_GUEST_KERNEL;
	c->guest_user += s->cpumode == PERF_RECORD_MISC_GUEST_USER;
	c->exact += (s->misc & PERF_RECORD_MISC_EXACT_IP) != 0;
}

static bool is_hidden(const struct top_options *o, const struct sample *s)
{
	bool kernel = s->cpumode == PERF_RECORD_MISC_KERNEL ||
		      s->cpumode == PERF_RECORD_MISC_GUEST_KERNEL;
	bool user =
		s->cpumode == PERF_RECORD_MISC_USER || s->cpumode == PERF_RECORD_MISC_GUEST_USER;

	return (kernel && o->hide_kernel) || (user && o->hide_user);
}

int top_count_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct top *t = arg;

	(void)worker;
	(void)r;
	refresher_yield(t->refresher);
	if (t->a.ctx->skip_host && !sample_of_guest(s->sample))
		return 0; /* it came after the guest had been left */
	if ((t->sw.on || t->sw.off) && !event_switch_passes(&t->sw, s->sample->event))
		return 0;
	if (!event_is_tracepoint(s->sample->event) && waits_for_work(t, s))
		return 0;
	count(&t->fresh, s->sample);
	if (is_hidden(&t->o, s->sample))
		return 0;
	top_add(t, s);
	return 0;
}
