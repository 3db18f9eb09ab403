// SPDX-License-Identifier: GPL-2.0-or-later
/* The event offcpu-time and its samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/strbuf.h"
#include "record/offcpu.h"

struct event *off_cpu_add_event(struct event_set *set)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
	};

	return event_set_add(set, &a, EVENT_OF_WAITS);
}

void off_cpu_set_attr(struct event *ev, const struct record_settings *s)
{
	struct perf_event_attr *a = &ev->attr;

	a->sample_period = 1;
	a->flags &= ~(u64)(ATTR_FREQ | ATTR_EXCLUDE_CALLCHAIN_USER | ATTR_EXCLUDE_CALLCHAIN_KERNEL |
			   ATTR_DEFER_CALLCHAIN);
	a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IDENTIFIER |
			 (s->cgroups ? PERF_SAMPLE_CGROUP : 0);
	a->sample_regs_user = a->sample_regs_intr = a->branch_sample_type = 0;
	a->sample_stack_user = 0;
}

void off_cpu_set_switch(struct event *ev)
{
	struct perf_event_attr *a = &ev->attr;

	a->sample_period = 1;
	a->flags &= ~(u64)(ATTR_FREQ | ATTR_EXCLUDE_CALLCHAIN_USER | ATTR_EXCLUDE_CALLCHAIN_KERNEL |
			   ATTR_DEFER_CALLCHAIN);
	a->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	a->sample_type &= ~(u64)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
}

/* Finds the section of the scheduler's own functions, which /proc/PID/wchan also leaves out. */
static void read_scheduler(struct off_cpu_text *t)
{
	FILE *f;
	char line[512], name[256];
	unsigned long long addr;

	if (t->read)
		return;
	t->read = true;
	f = fopen("/proc/kallsyms", "re");
	while (f && !(t->start && t->end) && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "__sched_text_") ||
		    sscanf(line, "%llx %*c %255s", &addr, name) != 2)
			continue;
		if (!strcmp(name, "__sched_text_start"))
			t->start = addr;
		else if (!strcmp(name, "__sched_text_end"))
			t->end = addr;
	}
	if (f)
		fclose(f);
}

/*
 * Returns how many frames to skip until the first outside of the scheduler; 0 if the scheduler is
 * not found.
 */
static u32 skip_scheduler(struct off_cpu_text *t, const u64 *frames, u32 count)
{
	u32 i = 0;

	read_scheduler(t);
	while (i < count && !(frames[i] >= t->start && frames[i] < t->end))
		i++;
	if (i == count)
		return 0;
	while (i < count && frames[i] >= t->start && frames[i] < t->end)
		i++;
	return i < count ? i : 0;
}

static void put(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

void off_cpu_put_sample(const struct event *ev, const struct off_cpu_wait *w,
			struct off_cpu_text *text, struct strbuf *b)
{
	u64 type = ev->attr.sample_type;
	u32 skip = w->kernel_count ? skip_scheduler(text, w->kernel, w->kernel_count) : 0;
	u32 kernel = w->kernel_count - skip;
	u64 ip = kernel ? w->kernel[skip] : w->user_count ? w->user[0] : 0;
	u64 misc = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	size_t from = b->len;

	put(b, 0); /* the header, once the size is known */
	if (type & PERF_SAMPLE_IDENTIFIER)
		put(b, ev->ids.count ? ev->ids.items[0] : 0);
	put(b, ip);
	put(b, (u64)w->tid << 32 | w->pid);
	put(b, w->time);
	put(b, w->cpu);
	put(b, w->ns);
	put(b, (kernel ? 1 + kernel : 0) + (w->user_count ? 1 + w->user_count : 0));
	if (kernel) {
		put(b, PERF_CONTEXT_KERNEL);
		strbuf_add(b, w->kernel + skip, kernel * sizeof(u64));
	}
	if (w->user_count) {
		put(b, PERF_CONTEXT_USER);
		strbuf_add(b, w->user, w->user_count * sizeof(u64));
	}
	if (type & PERF_SAMPLE_CGROUP)
		put(b, w->cgroup);
	store_u32(b->s + from, PERF_RECORD_SAMPLE);
	store_u16(b->s + from + 4, (u16)misc);
	store_u16(b->s + from + 6, (u16)(b->len - from));
}
