// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Alternatives when the kernel refuses an event, and the error message if there are none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/trace.h"
#include "live/internal.h"
#include "sys/obstacles.h"

/* Bits that an older kernel refuses with EINVAL, the youngest first. */
static const struct bits {
	u64 flags, read_format, sample_type;
	const char *what, *since; /* since NULL: not every PMU has it */
	u64 instead;              /* the sample_type that older kernels have for it */
} newer_bits[] = {
	{ .read_format = PERF_FORMAT_LOST, .what = "counts of lost samples", .since = "6.0" },
	{ .flags = ATTR_BUILD_ID, .what = "build-ids in mappings", .since = "5.12" },
	{ .sample_type = PERF_SAMPLE_WEIGHT_STRUCT,
	  .what = "weights in three parts",
	  .since = "5.12",
	  .instead = PERF_SAMPLE_WEIGHT },
	{ .flags = ATTR_CGROUP,
	  .sample_type = PERF_SAMPLE_CGROUP,
	  .what = "cgroups",
	  .since = "5.7" },
	{ .flags = ATTR_KSYMBOL | ATTR_BPF_EVENT,
	  .what = "kernel symbols and BPF programs that come and go",
	  .since = "5.1" },
	{ .flags = ATTR_NAMESPACES, .what = "namespaces", .since = "4.12" },
	/* not ATTR_EXCLUDE_HOST: without it who asked for guests alone would get the host */
	{ .flags = ATTR_EXCLUDE_GUEST, .what = "telling guests from the host" },
};

/* The last row depends on the PMU, those before it on the kernel. */
enum { GUESTS = ARRAY_SIZE(newer_bits) - 1 };

static bool asks_for(const struct perf_event_attr *a, size_t bit)
{
	return a->flags & newer_bits[bit].flags || a->read_format & newer_bits[bit].read_format ||
	       a->sample_type & newer_bits[bit].sample_type;
}

static void drop(struct perf_event_attr *a, const struct bits *bits)
{
	a->flags &= ~bits->flags;
	a->read_format &= ~bits->read_format;
	a->sample_type = (a->sample_type & ~bits->sample_type) | bits->instead;
}

/*
 * A kernel refuses an attr until all that it does not know is gone, and so does a PMU that cannot
 * tell guests, which has nothing to do with the kernel's age. So each number of dropped kernel
 * features is tried with and without the guests' bit, and nothing is lost that kernel and PMU have.
 */
static bool drop_newer_bit(struct event *ev, const struct perf_event_attr *asked)
{
	struct perf_event_attr *a = &ev->attr;

	if (asks_for(a, GUESTS)) {
		drop(a, &newer_bits[GUESTS]);
		return true;
	}
	for (size_t i = 0; i < GUESTS; i++) {
		if (!asks_for(a, i))
			continue;
		drop(a, &newer_bits[i]);
		a->flags |= asked->flags & newer_bits[GUESTS].flags;
		return true;
	}
	return false;
}

bool live_asks_for_more(const struct event *ev, const struct event *other)
{
	for (size_t i = 0; i < ARRAY_SIZE(newer_bits); i++) {
		const struct perf_event_attr *a = &ev->attr, *b = &other->attr;
		const struct bits *bits = &newer_bits[i];

		if (a->flags & ~b->flags & bits->flags ||
		    a->read_format & ~b->read_format & bits->read_format ||
		    a->sample_type & ~b->sample_type & bits->sample_type)
			return true;
	}
	return false;
}

void live_say_dropped(struct live *l, const struct event *ev)
{
	struct strbuf without = STRBUF_INIT;

	if (l->ctx->verbose <= 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(newer_bits); i++) {
		const char *since = newer_bits[i].since;

		if (!asks_for(&l->asked, i) || asks_for(&ev->attr, i))
			continue;
		strbuf_f(&without, "%s%s (%s%s)", without.len ? ", " : "", newer_bits[i].what,
			 since ? "since Linux " : "not every PMU has it", since ? since : "");
	}
	if (without.len)
		condition_add(&l->ctx->conditions, CONDITION_NOTE, "attr-dropped", ev->name, NULL,
			      1, NULL,
			      "the kernel refused '%s' with all it asks for; opened without %s",
			      ev->name, strbuf_cstr(&without));
	strbuf_release(&without);
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

/* The kernel accepts "guests only" for software events, and counts the host. */
static bool leaves_out_host(u32 type, u64 config)
{
	return type != PERF_TYPE_SOFTWARE || config == PERF_COUNT_SW_DUMMY ||
	       config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Under perf kvm, tracepoints and breakpoints are those of the host that describe its guests. */
static bool counts_host(const struct context *ctx, const struct event *ev)
{
	const struct perf_event_attr *a = &ev->attr;
	bool exact = a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT;

	if (ev->tool)
		return false;
	if (ctx->skip_host)
		return !(a->flags & ATTR_EXCLUDE_GUEST) && !leaves_out_host(a->type, a->config);
	return a->flags & ATTR_EXCLUDE_HOST && (exact || !leaves_out_host(a->type, a->config));
}

int live_check_guests(const struct context *ctx, const struct event_set *set, struct reason *r)
{
	vec_for_each(&set->list, it) {
		if (!counts_host(ctx, *it))
			continue;
		reason_set(r, EOPNOTSUPP,
			   "'%s' cannot leave out the host: it would count no guest's events",
			   (*it)->name);
		reason_hint(
			r,
			ctx->skip_host
				? "choose an event of the processor, such as -e cycles, or 'perf "
				  "kvm --host' for both"
				: "choose an event of the processor, such as -e cycles:G, or "
				  "leave out the modifier G");
		return -EOPNOTSUPP;
	}
	return 0;
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
	/* perf's habit: after other modifiers, H says that guests are excluded */
	if (((a->flags & side) || precise) &&
	    (a->flags & (ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST)) == ATTR_EXCLUDE_GUEST)
		strbuf_char(&b, 'H');
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
	if ((l->ctx->skip_host || ev->attr.flags & ATTR_EXCLUDE_HOST) &&
	    !leaves_out_host(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK))
		return false;
	condition_add(&l->ctx->conditions,
		      l->ctx->expects_fallback ? CONDITION_NOTE : CONDITION_WARNING,
		      "event-fallback", ev->name, NULL, 1, NULL,
		      "'%s' is not supported on this machine, recording cpu-clock instead",
		      ev->name);
	ev->attr.type = PERF_TYPE_SOFTWARE;
	ev->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	/* software events accept any; what was asked for shows in the name */
	if (ev->precise_max)
		ev->attr.flags |= ATTR_PRECISE_MASK;
	rename_event(ev, name_from_attr("cpu-clock", &ev->attr));
	return true;
}

/* What would let this user measure the kernel; the caller frees it. */
static char *cure_of_hidden_kernel(void)
{
	struct obstacle_site at;
	enum obstacle which;

	obstacle_site_init(&at, NULL, NULL, 1);
	which = obstacle_find(&at, OBSTACLE_NO_NEW_PRIVS, OBSTACLE_PARANOID);
	return which == OBSTACLES ? NULL
				  : obstacle_cure(which, &(struct obstacle_words){ .needs = "1" });
}

bool live_is_hidden(struct live *l, const struct event *ev, int err)
{
	struct privileges p;
	char *cure;

	if ((err != EACCES && err != EPERM) || ev->attr.type != PERF_TYPE_SOFTWARE ||
	    !happens_in_kernel(&ev->attr) || l->threads[0] == -1)
		return false;
	privileges_read(NULL, &p);
	if (p.perf || p.paranoid < 2)
		return false;
	cure = cure_of_hidden_kernel();
	condition_add(
		&l->ctx->conditions, CONDITION_WARNING, "kernel-side-hidden", NULL, NULL, 1, cure,
		"<not supported>: context switches and migrations happen in the kernel, which "
		"this user may "
		"not measure (kernel.perf_event_paranoid is %d)",
		(int)p.paranoid);
	free(cure);
	return true;
}

static bool only_user_side(struct live *l, struct event *ev)
{
	struct privileges p;
	char *cure;

	if ((ev->attr.flags & ATTR_EXCLUDE_KERNEL) || happens_in_kernel(&ev->attr) ||
	    l->threads[0] == -1)
		return false;
	privileges_read(NULL, &p);
	if (p.perf || p.paranoid < 2)
		return false;
	if (ev->attr.flags & ATTR_EXCLUDE_USER) /* :k was asked for */
		return false;
	ev->attr.flags |= ATTR_EXCLUDE_KERNEL;
	cure = cure_of_hidden_kernel();
	/* counts show it in their names */
	condition_add(&l->ctx->conditions, l->options.counting ? CONDITION_NOTE : CONDITION_WARNING,
		      "user-side-only", NULL, NULL, 1, cure,
		      "kernel.perf_event_paranoid is %d: only user space is measured",
		      (int)p.paranoid);
	free(cure);
	rename_event(ev, event_name_of_user_side(ev->name));
	return true;
}

/* Can this kernel inherit events that are read with samples?  Whatever else it may refuse. */
static bool inherits_readings(struct live *l)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_ID,
		.flags = ATTR_DISABLED | ATTR_INHERIT | ATTR_EXCLUDE_KERNEL,
	};
	int fd = l->backend->open(l->backend->arg, &a, 0, -1, -1, 0);

	if (fd >= 0)
		l->backend->close(l->backend->arg, fd);
	return fd != -EINVAL;
}

/* A group of events is inherited as a whole. */
static bool drop_inherit(struct live *l, struct event *ev)
{
	if (!(ev->attr.flags & ATTR_INHERIT) || !(ev->attr.sample_type & PERF_SAMPLE_READ) ||
	    inherits_readings(l))
		return false;
	vec_for_each(&l->set->list, it)
		if ((*it)->leader == ev->leader)
			(*it)->attr.flags &= ~(u64)ATTR_INHERIT;
	condition_add(
		&l->ctx->conditions, CONDITION_NOTE, "not-inherited", ev->leader->name, NULL, 1,
		NULL,
		"this kernel cannot read the counters of '%s' in threads and child processes that "
		"start "
		"later: they are left out (Linux 6.12 can)",
		ev->leader->name);
	return true;
}

static int fall_back(struct live *l, struct event *ev, int err)
{
	if ((err == EACCES || err == EPERM) && only_user_side(l, ev))
		return 1;
	if (l->options.counting && err != EINVAL)
		return 0;
	if (!l->options.counting && err != EACCES && err != EPERM && lower_precise(ev))
		return 1;
	if ((err == ENOENT || err == ENXIO || err == ENODEV) && cycles_to_clock(l, ev))
		return 1;
	if (err == EINVAL && drop_inherit(l, ev))
		return 1;
	return err == EINVAL && drop_newer_bit(ev, &l->asked);
}

int live_fallback(struct live *l, struct event *ev, int err)
{
	int again = fall_back(l, ev, err);

	TRACE(live, "'%s': %s", ev->name,
	      again ? "trying again with fewer features" : "there is nothing else to try");
	return again;
}

int live_explain(const struct live *l, const struct event *ev, pid_t tid, s32 cpu, int err,
		 struct reason *r)
{
	struct open_attempt a = {
		.attr = &ev->attr,
		.event = ev->name,
		.pmu = ev->pmu,
		.pid = tid,
		.cpu = cpu,
		.in_group = ev->leader != ev,
		.wanted_fds = live_wanted_fds(l),
	};

	if (err == EINVAL && ev->attr.flags & ATTR_DEFER_CALLCHAIN) {
		reason_set(r, err,
			   "this kernel cannot defer the user part of call chains (fp,defer)");
		reason_hint(r, "Linux 6.19 can; --call-graph fp takes the chain at once");
		return -err;
	}
	return explain_open(NULL, &a, err, r);
}
