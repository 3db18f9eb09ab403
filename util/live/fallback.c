// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What can be done instead when the kernel refuses an event, and the words for
 * when nothing can.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"
#include "live/internal.h"

/* Bits that an older kernel refuses with EINVAL, the youngest first. */
static const struct {
	u64 flags, read_format, sample_type;
} newer_bits[] = {
	{ .read_format = PERF_FORMAT_LOST },				    /* 6.0 */
	{ .flags = ATTR_BUILD_ID },					    /* 5.12 */
	{ .flags = ATTR_CGROUP, .sample_type = PERF_SAMPLE_CGROUP },	    /* 5.7 */
	{ .flags = ATTR_KSYMBOL | ATTR_BPF_EVENT },			    /* 5.1 */
	{ .flags = ATTR_NAMESPACES },					    /* 4.12 */
	{ .flags = ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST },		    /* by PMU */
};

static bool drop_newer_bit(struct event *ev)
{
	for (size_t i = 0; i < ARRAY_SIZE(newer_bits); i++) {
		struct perf_event_attr *a = &ev->attr;

		if (!(a->flags & newer_bits[i].flags) &&
		    !(a->read_format & newer_bits[i].read_format) &&
		    !(a->sample_type & newer_bits[i].sample_type))
			continue;
		a->flags &= ~newer_bits[i].flags;
		a->read_format &= ~newer_bits[i].read_format;
		a->sample_type &= ~newer_bits[i].sample_type;
		return true;
	}
	return false;
}

static bool lower_precise(struct event *ev)
{
	u64 precise = (ev->attr.flags & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT;

	if (!precise || !ev->precise_max)
		return false;
	ev->attr.flags &= ~ATTR_PRECISE_MASK;
	ev->attr.flags |= (precise - 1) << ATTR_PRECISE_SHIFT;
	return true;
}

/* "cpu-clock:uhppp": the modifiers that the attr's bits stand for. */
static char *name_from_attr(const char *base, const struct perf_event_attr *a)
{
	struct strbuf b = STRBUF_INIT;
	u64 side = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV;
	u64 precise = (a->flags & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT;

	strbuf_str(&b, base);
	if ((a->flags & side) || precise)
		strbuf_char(&b, ':');
	if (a->flags & side) {
		if (!(a->flags & ATTR_EXCLUDE_KERNEL))
			strbuf_char(&b, 'k');
		if (!(a->flags & ATTR_EXCLUDE_USER))
			strbuf_char(&b, 'u');
		if (!(a->flags & ATTR_EXCLUDE_HV))
			strbuf_char(&b, 'h');
	}
	strbuf_pad(&b, 'p', (int)precise);
	return strbuf_detach(&b);
}

static void rename_event(struct event *ev, char *name)
{
	free(ev->name);
	ev->name = name;
}

static bool cycles_to_clock(struct live *l, struct event *ev)
{
	if (ev->attr.type != PERF_TYPE_HARDWARE || ev->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	condition_add(&l->ctx->conditions, CONDITION_NOTE, "event-fallback", ev->name, NULL, 1, NULL,
		      "'%s' is not supported on this machine, recording cpu-clock instead", ev->name);
	ev->attr.type = PERF_TYPE_SOFTWARE;
	ev->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	/* software events accept any; what was asked for shows in the name */
	if (ev->precise_max)
		ev->attr.flags |= ATTR_PRECISE_MASK;
	rename_event(ev, name_from_attr("cpu-clock", &ev->attr));
	return true;
}

static int sysctl_number(const char *path, long *value)
{
	char text[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read_all(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -ENOENT;
	text[n] = 0;
	*value = strtol(text, NULL, 10);
	return 0;
}

static bool only_user_side(struct live *l, struct event *ev)
{
	const char *sep = strchr(ev->name, ':') ? "" : ":";
	long paranoid = 0;

	if ((ev->attr.flags & ATTR_EXCLUDE_KERNEL) || ev->attr.type == PERF_TYPE_TRACEPOINT ||
	    l->threads[0] == -1)
		return false;
	if (sysctl_number("/proc/sys/kernel/perf_event_paranoid", &paranoid) || paranoid < 2)
		return false;
	if (ev->attr.flags & ATTR_EXCLUDE_USER) /* :k was asked for */
		return false;
	ev->attr.flags |= ATTR_EXCLUDE_KERNEL;
	condition_add(&l->ctx->conditions, CONDITION_NOTE, "user-side-only", NULL, NULL, 1, NULL,
		      "perf_event_paranoid is %ld: only user space is measured", paranoid);
	rename_event(ev, xasprintf("%s%su", ev->name, sep));
	return true;
}

int live_fallback(struct live *l, struct event *ev, int err)
{
	if ((err == EACCES || err == EPERM) && only_user_side(l, ev))
		return 1;
	if (l->options.counting && err != EINVAL)
		return 0;
	if (!l->options.counting && err != EACCES && err != EPERM && lower_precise(ev))
		return 1;
	if ((err == ENOENT || err == ENXIO || err == ENODEV) && cycles_to_clock(l, ev))
		return 1;
	return err == EINVAL && drop_newer_bit(ev);
}

static int explain_access(const struct live *l, const struct event *ev, pid_t tid, int err,
			  struct reason *r)
{
	long paranoid = 0;

	sysctl_number("/proc/sys/kernel/perf_event_paranoid", &paranoid);
	if (tid > 0)
		reason_set(r, err, "no permission to watch '%s' on task %d (perf_event_paranoid is %ld)",
			   ev->name, tid, paranoid);
	else
		reason_set(r, err, "no permission to watch '%s'%s (perf_event_paranoid is %ld)", ev->name,
			   l->threads[0] == -1 ? " on all of the system" : "", paranoid);
	if (l->threads[0] == -1)
		reason_hint(r, "run as root, or give the program CAP_PERFMON, or 'sysctl "
			       "kernel.perf_event_paranoid=0'; your own programs need no -a");
	else
		reason_hint(r, "run as root, give the program CAP_PERFMON and CAP_SYS_PTRACE, or watch a "
			       "process of your own");
	return -err;
}

static int explain_unsupported(const struct event *ev, int err, struct reason *r)
{
	const struct perf_event_attr *a = &ev->attr;

	if (err == EOPNOTSUPP && (a->sample_type & PERF_SAMPLE_BRANCH_STACK)) {
		reason_set(r, err, "'%s' cannot record branch stacks: this machine offers none for it",
			   ev->name);
		reason_hint(r, "branch stacks (-b, -j) need a hardware event of a CPU with LBR, BRBE or the "
			       "like, seldom present in a virtual machine");
	} else if (a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
		   a->type == PERF_TYPE_RAW) {
		reason_set(r, err, "'%s' is not supported here: no hardware counter for it", ev->name);
		reason_hint(r, "virtual machines often have none; use -e cpu-clock, page-faults or a "
			       "tracepoint ('perf list' shows what there is)");
	} else {
		reason_errno(r, err, "cannot open '%s'", ev->name);
	}
	return -err;
}

int live_explain(const struct live *l, const struct event *ev, pid_t tid, s32 cpu, int err,
		 struct reason *r)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return explain_access(l, ev, tid, err, r);
	case EMFILE:
	case ENFILE:
		return live_explain_fd_limit(l, err, r);
	case ENOENT:
	case EOPNOTSUPP:
	case EINVAL:
		return explain_unsupported(ev, err, r);
	case ENODEV:
	case ENXIO:
		if (cpu >= 0)
			return reason_set(r, err, "cannot open '%s' on CPU %d: no such CPU online",
					  ev->name, cpu);
		break;
	case ESRCH:
		return reason_set(r, err, "no such process or thread: it has ended");
	case EBUSY:
		reason_set(r, err, "'%s' is in use: the counter is taken by another tool", ev->name);
		return -err;
	case ENOSPC:
		reason_set(r, err, "no free counter or breakpoint for '%s'", ev->name);
		if (ev->attr.type == PERF_TYPE_BREAKPOINT)
			reason_hint(r, "a CPU has few hardware breakpoints (four on x86): watch fewer addresses");
		return -err;
	}
	return reason_errno(r, err, "cannot open '%s'", ev->name);
}
