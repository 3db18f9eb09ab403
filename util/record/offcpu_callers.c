// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The callers of a wait that frame pointers miss.
 *
 *	frame pointers:           clock_nanosleep <---------------------- main <- ...
 *	call frame information:   clock_nanosleep <- nanosleep <- sleeps <- main    (as far as the
 *	                                                                  copied stack goes)
 *
 * Nearly every wait begins in a function of the C library that, as distributions build it, keeps no
 * frame pointer: the caller's own frame pointer leads past the caller. So the BPF program copies
 * the registers and the top of the stack. The frames that unwinding finds before it comes to the
 * second frame of the recorded chain are put in between.
 *
 * Where unwinding reaches the outermost frame, its result replaces the chain: in a program without
 * frame pointers the register has any value, and the chain is garbage.
 *
 * For this the recorder must know what programs map: it watches with a separate event, since the
 * rings of the recording are written unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "bpf/offcpu.h"
#include "record/internal.h"
#include "record/offcpu.h"
#include "session/session.h"
#include "unwind/unwind.h"
#include "watch/watch.h"

enum {
	MOST_FOUND = 32,
	MOST_CALLERS = MOST_FOUND + OFFCPU_USER,
	MOST_STACK = 8 << 20, /* bytes: what threads have by default */
};

struct off_cpu_callers {
	struct recorder *rec;
	struct event_set set;
	struct live *live;
	struct session *session;
	struct watch *watch;
	u64 regs; /* the mask of a sample's registers */
	u64 frames[MOST_CALLERS];
};

static const struct session_ops quiet = { .order = SESSION_ORDERED,
					  .no_locations = true,
					  .no_chains = true };

/* Returns the registers as bits of sample_regs_user, or 0 if this machine's chains need no help. */
static u64 needed_regs(const struct arch *a)
{
	int fp = a->unwind ? arch_reg_by_dwarf(a, a->unwind->fp) : -1;
	int link = a->unwind && a->unwind->link ? arch_reg_by_dwarf(a, a->unwind->link) : -1;

	if (fp < 0 || a->unwind->chain_link == CHAIN_WITH_LINK)
		return 0;
	return BIT64(a->reg_ip) | BIT64(a->reg_sp) | BIT64(fp) | (link < 0 ? 0 : BIT64(link));
}

static bool wants_chains(const struct recorder *rec)
{
	bool some = false;

	vec_for_each(&rec->set->list, ev)
		some |= !event_is_wait(*ev) &&
			(*ev)->attr.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER);
	return some && !rec->settings->kernel_callchains;
}

static int watch_maps(struct off_cpu_callers *c, struct reason *r)
{
	/*
	 * one event for each CPU; with as many threads as CPUs it would take the square of that in
	 * descriptors
	 */
	const struct target all = { .system_wide = true };
	const struct symbol_options o = { .symfs = c->rec->ctx->symfs,
					  .buildid_dir = c->rec->ctx->buildid_dir };
	const struct live_options lo = { .ring_pages = 64 };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.flags = ATTR_DISABLED | ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM |
			 ATTR_COMM_EXEC | ATTR_TASK | ATTR_USE_CLOCKID | ATTR_EXCLUDE_KERNEL,
		.clockid = CLOCK_MONOTONIC,
	};
	const struct feed_settings feed = { .ops = &quiet, .arg = c, .overload = FEED_SPILL };
	int err;

	event_set_add(&c->set, &attr, "dummy");
	err = event_set_finish(&c->set, r);
	if (!err)
		err = live_open(c->rec->ctx, &c->set, &all, &lo, &c->live, r);
	if (err)
		return err;
	/* the registers that off_cpu_callers_add() gives to the unwinder as those of a sample */
	c->set.list.items[0]->attr.sample_regs_user = c->regs;
	c->session = session_new_live(c->rec->ctx, &c->set, &o);
	c->watch = watch_new(c->live, c->session, &feed);
	err = live_enable(c->live);
	if (!err)
		err = watch_begin(c->watch, c->set.list.items[0], c->rec->target, NULL, r);
	return err ? err : watch_start(c->watch, r);
}

struct off_cpu_callers *off_cpu_callers_new(struct recorder *rec)
{
	struct off_cpu_callers *c;
	struct reason why = REASON_INIT;
	u64 regs = needed_regs(arch_host());

	if (!regs || !wants_chains(rec))
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->rec = rec;
	c->regs = regs;
	event_set_init(&c->set);
	if (watch_maps(c, &why)) {
		condition_add(&rec->ctx->conditions, CONDITION_WARNING, "off-cpu-callers", NULL,
			      NULL, 1, NULL,
			      "call chains of waits lack the callers of functions without a frame "
			      "pointer: %s",
			      why.text);
		off_cpu_callers_free(c);
		c = NULL;
	}
	reason_release(&why);
	return c;
}

void off_cpu_callers_turn(struct off_cpu_callers *c)
{
	if (c)
		(void)watch_step(c->watch, 0,
				 NULL); /* cancelled: the recording ends, and says so */
}

void off_cpu_callers_stop(struct off_cpu_callers *c)
{
	if (!c)
		return;
	watch_stop(c->watch);
	while (watch_step(c->watch, 0, NULL) > 0)
		;
}

/* Lays out the registers in the order of their bits, as a sample has them. */
static void lay_out_regs(const struct off_cpu_callers *c, const struct offcpu_top *top, u64 *regs)
{
	const struct arch *a = arch_host();
	int fp = arch_reg_by_dwarf(a, a->unwind->fp);
	unsigned n = 0;

	for (int i = 0; i < 64; i++)
		if (c->regs >> i & 1)
			regs[n++] = i == a->reg_ip   ? top->ip
				    : i == a->reg_sp ? top->sp
				    : i == fp        ? top->fp
						     : top->link;
}

static struct unwind_result unwind_top(struct off_cpu_callers *c, const struct off_cpu_wait *w,
				       const struct offcpu_top *top, u64 *ips, bool *chain_is_code)
{
	const struct order_key key = { .time = w->time };
	struct history *h = session_history(c->session);
	const struct task *task = history_task(h, 0, w->pid, w->tid, &key);
	u64 regs[4];
	struct sample s = {
		.event = c->set.list.items[0],
		.id = { .pid = w->pid, .tid = w->tid, .time = w->time },
		.cpumode = PERF_RECORD_MISC_USER,
		.user_abi = PERF_SAMPLE_REGS_ABI_64,
		.user_regs = (const u8 *)regs,
		.stack = top->bytes,
		.stack_size = top->size,
		.stack_dyn_size = top->size,
	};
	const struct unwind_request q = {
		.history = h,
		.set = &c->set,
		.sample = &s,
		.task = task,
		.key = &key,
		.arch = arch_host(),
	};

	lay_out_regs(c, top, regs);
	*chain_is_code =
		w->user_count > 1 && history_find(h, history_space(h, task, &key), w->user[1] - 1);
	return unwind_sample(session_unwinder(c->session), &q, ips, MOST_FOUND);
}

/*
 * Reports whether the frame pointer could be one, of a frame that unwinding did not reach.
 * Elsewhere the register contains whatever a function without a frame pointer keeps in it.
 */
static bool points_beyond(const struct offcpu_top *top)
{
	return top->fp >= top->sp && top->fp - top->sp >= top->size - 2 * sizeof(u64) &&
	       top->fp - top->sp < MOST_STACK;
}

void off_cpu_callers_add(struct off_cpu_callers *c, struct off_cpu_wait *w,
			 const struct offcpu_top *top)
{
	u64 found[MOST_FOUND];
	struct unwind_result r;
	bool chain_is_code;
	u32 to = 1, rest;

	if (!c || !top->size || !w->user_count || w->user[0] != top->ip)
		return;
	r = unwind_top(c, w, top, found, &chain_is_code);
	if (r.count < 2)
		return;
	/* a caller's address is one less than its return address, which the kernel records */
	for (u32 i = 1; i < r.count; i++)
		found[i]++;
	while (to < r.count && (w->user_count == 1 || found[to] != w->user[1]))
		to++;
	rest = w->user_count - 1;
	if (r.end == UNWIND_ROOT || (to == r.count && !(chain_is_code && points_beyond(top)))) {
		to = r.count;
		rest = 0;
	}
	memcpy(c->frames, found, to * sizeof(u64));
	memcpy(c->frames + to, w->user + 1, rest * sizeof(u64));
	w->user = c->frames;
	w->user_count = to + rest;
}

void off_cpu_callers_free(struct off_cpu_callers *c)
{
	if (!c)
		return;
	watch_free(c->watch);
	session_free(c->session);
	live_close(c->live);
	event_set_release(&c->set);
	free(c);
}
