// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf kwork -b: nothing is recorded, the sums are made in the kernel until a signal ends it.
 * Rows come out of its maps into the tables that a recording fills.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bpf/bpf.h"
#include "bpf/kwork.h"
#include "builtin/kwork/top.h"
#include "cli/say.h"
#include "symbol/find_kernel.h"
#include "sys/tracefs.h"

static const struct {
	enum kwork_view view; /* KWORK_REPORT also covers latency */
	enum kwork_kind kind;
	enum kwork_event event;
	const char *program;
} programs[] = {
	{ KWORK_REPORT, KWORK_IRQ, EVENT_ENTRY, "irq_entry" },
	{ KWORK_REPORT, KWORK_IRQ, EVENT_EXIT, "irq_exit" },
	{ KWORK_REPORT, KWORK_SOFTIRQ, EVENT_RAISE, "softirq_raise" },
	{ KWORK_REPORT, KWORK_SOFTIRQ, EVENT_ENTRY, "softirq_entry" },
	{ KWORK_REPORT, KWORK_SOFTIRQ, EVENT_EXIT, "softirq_exit" },
	{ KWORK_REPORT, KWORK_WORKQUEUE, EVENT_RAISE, "workqueue_activate" },
	{ KWORK_REPORT, KWORK_WORKQUEUE, EVENT_ENTRY, "workqueue_start" },
	{ KWORK_REPORT, KWORK_WORKQUEUE, EVENT_EXIT, "workqueue_end" },
	{ KWORK_TOP, KWORK_IRQ, EVENT_ENTRY, "top_irq_entry" },
	{ KWORK_TOP, KWORK_IRQ, EVENT_EXIT, "top_irq_exit" },
	{ KWORK_TOP, KWORK_SOFTIRQ, EVENT_ENTRY, "top_softirq_entry" },
	{ KWORK_TOP, KWORK_SOFTIRQ, EVENT_EXIT, "top_softirq_exit" },
	{ KWORK_TOP, KWORK_SCHED, EVENT_EVENTS, "top_switch" },
};

static bool is_wanted(const struct kwork *k, size_t i)
{
	if ((k->view == KWORK_TOP) != (programs[i].view == KWORK_TOP) ||
	    !kwork_has(k, programs[i].kind))
		return false;
	if (k->view == KWORK_LATENCY)
		return programs[i].event != EVENT_EXIT && programs[i].kind != KWORK_IRQ;
	return programs[i].event != EVENT_RAISE;
}

/* ---- the run ---- */

/*
 * Blocks the signals that end the run, so they wait from now on, also while the programs are
 * loaded. An ignored SIGHUP (nohup) stays ignored.
 */
static void hold_signals(sigset_t *ends, sigset_t *before)
{
	struct sigaction hangup;

	sigemptyset(ends);
	sigaddset(ends, SIGINT);
	sigaddset(ends, SIGTERM);
	sigaddset(ends, SIGQUIT);
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(ends, SIGHUP);
	sigprocmask(SIG_BLOCK, ends, before);
}

/*
 * Unblocks the signals, without those that came while the table was printed: timeout(1) sends its
 * signal twice, and the second one would end perf before the table is printed.
 */
static void release_signals(const sigset_t *ends, const sigset_t *before)
{
	const struct timespec now = { 0 };

	while (sigtimedwait(ends, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, before, NULL);
}

static int wait_for_signal(struct out *out, const sigset_t *ends)
{
	int sig;

	out_str(out, "Starting trace, Hit <Ctrl+C> to stop and report\n");
	out_flush(out);
	do
		sig = sigwaitinfo(ends, NULL);
	while (sig < 0 && errno == EINTR);
	return MAX(sig, 0);
}

static int start(struct kwork *k, struct bpf_run *run, struct reason *r)
{
	struct kwork_settings *s = bpf_run_variable(run, "settings", sizeof(*s));
	int err = 0;

	if (!s)
		return reason_set(r, ENOENT, "the BPF program has no settings");
	s->latency = k->view == KWORK_LATENCY;
	for (size_t i = 0; !err && i < ARRAY_SIZE(programs); i++)
		err = bpf_run_enable(run, programs[i].program, is_wanted(k, i));
	if (err)
		return reason_set(r, -err, "the BPF program cannot be set up: %s", strerror(-err));
	err = bpf_run_load(k->a.ctx, run, r);
	return err ? err : bpf_run_attach(run, r);
}

static void say_lost(struct kwork *k, struct bpf_run *run)
{
	const struct kwork_counts *c = bpf_run_variable(run, "counts", sizeof(*c));

	if (c && (c->rows || c->spans))
		condition_add(&k->a.ctx->conditions, CONDITION_WARNING, "kwork-bpf-full", NULL,
			      NULL, c->rows + c->spans, "choose fewer kinds with -k",
			      "work was not counted: there was no room for it in the kernel");
	bpf_run_say_missed(k->a.ctx, run);
}

/* ---- report, latency ---- */

struct reading {
	struct works *w;
	struct kernel_list_of_names *functions; /* NULL: not known */
	const char *softirqs;
};

static bool on_wanted_cpu(const struct kwork *k, u32 cpu)
{
	struct sample s = { .id.cpu = cpu };

	return sample_choice_keep(&k->filters.choice, &s);
}

static u32 name_of(struct reading *d, const struct kwork_row_key *key)
{
	struct kernel_symbol symbol;
	const char *name;
	size_t len;

	if (key->kind == KWORK_IRQ)
		return strtab_add_n(&d->w->names, key->name, strnlen(key->name, sizeof(key->name)));
	if (key->kind == KWORK_SOFTIRQ) {
		len = softirq_name_in(d->softirqs, key->id, &name);
		return len ? strtab_add_n(&d->w->names, name, len) : 0;
	}
	if (!d->functions || !kernel_names_at(d->functions, key->function, &symbol))
		return 0;
	return strtab_add(&d->w->names, symbol.name);
}

static int take_row(void *arg, const void *key_bytes, void *value)
{
	struct reading *d = arg;
	const struct kwork_row_key *key = key_bytes;
	const struct kwork_row_sums *sums = value;
	struct work work = { .kind = key->kind,
			     .cpu = key->cpu,
			     .id = key->id,
			     .count = sums->count,
			     .total = sums->total,
			     .max = sums->max,
			     .max_from = sums->max_from,
			     .max_until = sums->max_until };

	if (!sums->count || !on_wanted_cpu(d->w->k, key->cpu))
		return 0;
	work.name = name_of(d, key);
	if (d->w->k->name && strcmp(strtab_get(&d->w->names, work.name), d->w->k->name))
		return 0;
	vec_push(&d->w->list, work);
	d->w->all_count += work.count;
	d->w->all_runtime += work.total;
	return 0;
}

/*
 * Returns the format of a softirq event, which contains the kernel's own list of softirqs; the
 * caller frees it.
 */
static char *softirq_format(void)
{
	struct strbuf b = STRBUF_INIT;
	char *dir = tracefs_find(NULL, NULL);
	char *path = dir ? xasprintf("%s/events/irq/softirq_entry/format", dir) : NULL;

	if (!path || sys_read(NULL, &b, path))
		strbuf_clear(&b);
	free(path);
	free(dir);
	return strbuf_detach(&b);
}

static int print_works(struct kwork *k, struct bpf_run *run, u64 time,
		       const struct sort_order *order, struct reason *r)
{
	struct works w = { .k = k, .out = &k->a.out, .first = 0, .last = time };
	struct reading d = { .w = &w };
	char *softirqs = softirq_format();
	int err;

	strtab_add(&w.names, "");
	d.softirqs = softirqs;
	if (kwork_has(k, KWORK_WORKQUEUE) && kernel_names_open(NULL, &d.functions, r)) {
		say_warning("functions of workqueues have no names: %s", r->text);
		reason_release(r);
		d.functions = NULL;
	}
	err = bpf_map_each(bpf_run_map(run, "rows"), sizeof(struct kwork_row_key),
			   sizeof(struct kwork_row_sums), take_row, &d);
	if (err)
		reason_set(r, -err, "cannot read the sums in the kernel: %s", strerror(-err));
	else
		kwork_print_table(&w, order, out_buf(w.out));
	if (d.functions)
		kernel_names_free(d.functions);
	free(softirqs);
	works_release(&w);
	return err;
}

/* ---- top ---- */

static int take_task(void *arg, const void *key_bytes, void *value)
{
	struct top *t = arg;
	const struct kwork_task_key *key = key_bytes;
	const struct kwork_task *sums = value;

	if (on_wanted_cpu(t->k, key->cpu))
		kwork_top_add(t, &(struct counted_task){ .pid = key->tid,
							 .cpu = key->cpu,
							 .tgid = sums->tgid,
							 .is_kernel = sums->is_kernel,
							 .runtime = sums->runtime,
							 .last = sums->last,
							 .comm = sums->comm });
	return 0;
}

static int take_cpus(struct top *t, int map)
{
	size_t count = bpf_percpu_count(), size = bpf_percpu_size(sizeof(struct kwork_cpu));
	u8 *values = xcalloc(count + 1, size);
	u32 zero = 0;
	int err = bpf_map_read(map, &zero, values);

	for (u32 cpu = 0; !err && cpu < count; cpu++) {
		const struct kwork_cpu *c = (const void *)(values + cpu * size);

		if (on_wanted_cpu(t->k, cpu))
			kwork_top_add_interrupts(t, cpu, c->hard, c->soft);
	}
	free(values);
	return err;
}

static int print_top(struct kwork *k, struct bpf_run *run, const struct sort_order *order,
		     struct reason *r)
{
	struct top t = { .k = k, .in_kernel = true };
	int err;

	strtab_add(&t.names, "");
	err = bpf_map_each(bpf_run_map(run, "tasks"), sizeof(struct kwork_task_key),
			   sizeof(struct kwork_task), take_task, &t);
	if (!err)
		err = take_cpus(&t, bpf_run_map(run, "cpus"));
	if (err)
		reason_set(r, -err, "cannot read the sums in the kernel: %s", strerror(-err));
	else
		kwork_print_top(&t, order);
	kwork_top_release(&t);
	return err;
}

int kwork_run_bpf(struct kwork *k, const struct sort_order *order, struct reason *r)
{
	struct bpf_run *run;
	sigset_t ends, before;
	u64 began;
	int err;

	/* first of all: what interrupts the start also gets its table */
	hold_signals(&ends, &before);
	err = bpf_usable("--use-bpf", r);
	run = err ? NULL : bpf_run_open("kwork", r);
	if (!run) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return err ? err : -ENOENT;
	}
	err = start(k, run, r);
	began = clock_now();
	if (!err) {
		k->a.ctx->ended_by = wait_for_signal(&k->a.out, &ends);
		bpf_run_detach(run);
		err = k->view == KWORK_TOP ? print_top(k, run, order, r)
					   : print_works(k, run, clock_now() - began, order, r);
		say_lost(k, run);
	}
	bpf_run_close(run);
	if (k->a.ctx->ended_by)
		release_signals(&ends, &before);
	else
		sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}
