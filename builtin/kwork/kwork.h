/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf kwork: work that the kernel does on its own account, and what it costs: interrupt handlers,
 * softirqs, items of workqueues, and the tasks of each CPU.
 *
 *	kwork_init(&k, ctx);
 *	kwork_rows(&k, &rows), options_parse()          in front of the subcommand
 *	kwork_choose(&k, "report")                      which subcommand it is
 *	kwork_view_rows(&k, &rows), options_parse()     after it
 *	kwork_run(&k, &options) or kwork_record_words()
 *	kwork_release(&k)
 *
 * Times are ns of the recording's clock.
 *
 * A span of work begins with an entry event and ends with the exit event of the same kind: of the
 * same CPU and number for interrupts and softirqs, of the same worker thread for items of
 * workqueues. A delay begins with the raise event:
 *	softirq      the first softirq_raise since the last entry: later ones change nothing,
 *	             the softirq has been waiting since then
 *	workqueue    workqueue_activate_work of the same item, on any CPU
 *	irq          never, the kernel has no event for it
 * Events without a counterpart are counted and reported. After a loss nothing that was open on that
 * CPU is trusted; items of workqueues move between CPUs, so any loss ends theirs.
 *
 * Threads: one. Errors are printed; exit codes are returned.
 * Fields of the events: /sys/kernel/tracing/events/{irq,workqueue,sched}.
 */
#ifndef BUILTIN_KWORK_KWORK_H
#define BUILTIN_KWORK_KWORK_H

#include "analysis/analysis.h"

enum kwork_kind { KWORK_IRQ, KWORK_SOFTIRQ, KWORK_WORKQUEUE, KWORK_SCHED, KWORK_KINDS };

enum kwork_view {
	KWORK_RECORD,
	KWORK_REPORT,
	KWORK_LATENCY,
	KWORK_TIMEHIST,
	KWORK_TOP,
	KWORK_VIEWS,
};

struct kwork {
	struct analysis a;
	enum kwork_view view;
	const char *kinds_text;             /* -k; NULL: the kinds of the view */
	enum kwork_kind kinds[KWORK_KINDS]; /* in the order in which they were named */
	unsigned kind_count;
	const char *sort;              /* -s; NULL: the view's */
	const char *name;              /* -n; NULL: all */
	struct sample_filters filters; /* --cpu, --time */
	bool summary, show_chains, dump, use_bpf;
	unsigned max_stack; /* functions of a call chain */
};

void kwork_init(struct kwork *k, struct context *ctx);
void kwork_release(struct kwork *k);
void kwork_rows(struct kwork *k, option_rows *rows);
/*
 * Chooses the subcommand by its name or at least three letters of it. Returns false if there is no
 * such subcommand.
 */
bool kwork_choose(struct kwork *k, const char *subcommand);
void kwork_view_rows(struct kwork *k, option_rows *rows);
/* Returns the view's name, such as "report", for messages and usage. */
const char *kwork_view_name(enum kwork_view view);
/* NULL-terminated, for completion. */
extern const char *const kwork_subcommands[];

/* Runs the subcommand and returns an exit code; o is for usage errors. */
int kwork_run(struct kwork *k, const struct options *o);
/* Adds the words of perf record and those that the user gave. Returns 0 or an exit code. */
int kwork_record_words(struct kwork *k, const struct options *o, int argc, const char **argv,
		       struct strlist *words);

#endif
