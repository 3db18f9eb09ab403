// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be asked of perf kwork. */
#include <errno.h>
#include <string.h>

#include "analysis/record_events.h"
#include "builtin/kwork/internal.h"

const char *const kwork_subcommands[] = { "record", "report", "latency", "timehist", "top", NULL };

static const char *const kind_names[KWORK_KINDS] = { "irq", "softirq", "workqueue", "sched" };

static const struct view {
	const char *kinds; /* when none are named */
	unsigned shown;    /* bits: kinds that it can show */
	const char *sort, *sort_keys;
} views[KWORK_VIEWS] = {
	[KWORK_RECORD] = { "irq,softirq,workqueue", 15, NULL, NULL },
	[KWORK_REPORT] = { "irq,softirq,workqueue", 7, "runtime,max,count",
			   "runtime, max, count, avg, id" },
	[KWORK_LATENCY] = { "irq,softirq,workqueue", 7, "avg,max,count", "avg, max, count, id" },
	[KWORK_TIMEHIST] = { "irq,softirq,workqueue", 7, NULL, NULL },
	[KWORK_TOP] = { "sched,irq,softirq", 11, "rate,runtime", "rate, runtime, tid" },
};

static const struct {
	const char *name;
	enum sort_key key;
} sort_names[] = {
	{ "id", SORT_ID },   { "count", SORT_COUNT }, { "runtime", SORT_RUNTIME },
	{ "max", SORT_MAX }, { "avg", SORT_AVERAGE }, { "rate", SORT_RATE },
	{ "tid", SORT_TID },
};

const char *kwork_view_name(enum kwork_view view)
{
	return kwork_subcommands[view];
}

void kwork_init(struct kwork *k, struct context *ctx)
{
	*k = (struct kwork){ .max_stack = 5 };
	analysis_init(&k->a, ctx);
}

void kwork_release(struct kwork *k)
{
	sample_filters_release(&k->filters);
	analysis_release(&k->a);
}

bool kwork_choose(struct kwork *k, const char *subcommand)
{
	size_t len = strlen(subcommand);

	for (unsigned v = 0; v < KWORK_VIEWS && len >= 3; v++)
		if (!strncmp(kwork_subcommands[v], subcommand, len)) {
			k->view = v;
			return true;
		}
	return false;
}

/* ---- rows ---- */

void kwork_rows(struct kwork *k, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, k->view == KWORK_TIMEHIST ? '\0' : 'k', "kwork", &k->kinds_text,
		  .arg = "KIND[,KIND]...",
		  .help = "kinds of work: irq, softirq, workqueue, sched" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &k->dump, .flags = OPT_NO_NEGATE,
		  .help = "show the bytes of each record instead" },
		{ OPTION_COUNT, 'v', "verbose", &k->a.ctx->verbose, .help = "say more" },
		{ OPTION_FLAG, 'f', "force", &k->a.open.force,
		  .help = "read it even if it belongs to another user" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void sort_rows(struct kwork *k, option_rows *rows)
{
	static const char *const help[KWORK_VIEWS] = {
		[KWORK_REPORT] = "order of rows: runtime, max, count, avg, id",
		[KWORK_LATENCY] = "order of rows: avg, max, count, id",
		[KWORK_TOP] = "order of rows: rate, runtime, tid",
	};
	const struct option_row sort = {
		OPTION_STRING, 's', "sort", &k->sort, .arg = "KEY[,KEY]...", .help = help[k->view]
	};
	const struct option_row summary = { OPTION_FLAG, 'S', "with-summary", &k->summary,
					    .help = "also sums of all rows" };

	const struct option_row bpf = {
		OPTION_FLAG,
		'b',
		"use-bpf",
		&k->use_bpf,
		.flags = OPT_NO_NEGATE,
		.help = "count in the kernel until Ctrl-C, without a recording"
	};

	if (help[k->view]) {
		option_rows_add(rows, &sort, 1);
		option_rows_add(rows, &bpf, 1);
	}
	if (k->view == KWORK_REPORT)
		option_rows_add(rows, &summary, 1);
}

static void chain_rows(struct kwork *k, option_rows *rows)
{
	struct symbol_options *s = &k->a.open.symbols;
	const struct option_row more[] = {
		{ OPTION_FLAG, 'g', "call-graph", &k->show_chains,
		  .help = "show what started the work" },
		{ OPTION_UINT, 0, "max-stack", &k->max_stack, .arg = "N",
		  .help = "functions of a call chain (5)" },
		{ OPTION_STRING, 'k', "vmlinux", &s->vmlinux, .arg = "FILE",
		  .help = "the kernel's ELF file" },
		{ OPTION_STRING, 0, "kallsyms", &s->kallsyms, .arg = "FILE",
		  .help = "a copy of /proc/kallsyms of the recorded kernel" },
		{ OPTION_STRING, 0, "symfs", &s->symfs, .arg = "DIR[,flat]",
		  .help = "look for objects below DIR" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void kwork_view_rows(struct kwork *k, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 'i', "input", &k->a.open.input, .arg = "FILE",
		  .help = "the recording; -: standard input (default: perf.data)" },
		{ OPTION_STRING, 'n', "name", &k->name, .arg = "NAME",
		  .help = k->view == KWORK_TOP ? "only tasks of this name"
					       : "only work of this name" },
	};

	if (k->view == KWORK_RECORD)
		return;
	sort_rows(k, rows);
	option_rows_add(rows, more, ARRAY_SIZE(more));
	sample_option_rows(rows, &k->filters, "C:cpu time");
	if (k->view == KWORK_TIMEHIST)
		chain_rows(k, rows);
}

/* ---- kinds and sort keys ---- */

static int find_kind(const char *name, enum kwork_kind *out, struct reason *r)
{
	const char *near;

	for (unsigned i = 0; i < KWORK_KINDS; i++)
		if (!strcmp(kind_names[i], name)) {
			*out = i;
			return 0;
		}
	near = nearest_name(name, kind_names, KWORK_KINDS);
	reason_set(r, EINVAL,
		   "--kwork: there is no kind '%s': it is one of irq, softirq, workqueue, sched",
		   name);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	return -EINVAL;
}

bool kwork_has(const struct kwork *k, enum kwork_kind kind)
{
	return kwork_kind_place(k, kind) < k->kind_count;
}

unsigned kwork_kind_place(const struct kwork *k, enum kwork_kind kind)
{
	unsigned i = 0;

	while (i < k->kind_count && k->kinds[i] != kind)
		i++;
	return i;
}

static int add_kind(struct kwork *k, const char *name, struct reason *r)
{
	enum kwork_kind kind;
	int err = find_kind(name, &kind, r);

	if (err)
		return err;
	if (!(views[k->view].shown & 1U << kind)) {
		reason_set(r, EINVAL, "--kwork: 'perf kwork %s' does not show %s",
			   kwork_view_name(k->view), name);
		reason_hint(r, kind == KWORK_SCHED ? "perf kwork top shows tasks"
						   : "perf kwork report shows items of workqueues");
		return -EINVAL;
	}
	if (!kwork_has(k, kind))
		k->kinds[k->kind_count++] = kind;
	return 0;
}

int kwork_kinds_parse(struct kwork *k, struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	k->kind_count = 0;
	strlist_split(&names, k->kinds_text ? k->kinds_text : views[k->view].kinds, ", ");
	vec_for_each(&names.list, name)
		if (!err)
			err = add_kind(k, *name, r);
	strlist_release(&names);
	if (!err && !k->kind_count)
		err = reason_set(r, EINVAL,
				 "--kwork names no kind: irq, softirq, workqueue, sched");
	if (!err && k->view == KWORK_LATENCY && k->kind_count == 1 && k->kinds[0] == KWORK_IRQ)
		err = reason_set(r, EINVAL,
				 "--kwork: interrupts have no latency: the kernel has no event "
				 "for when one is raised");
	if (!err && k->view == KWORK_TOP && !kwork_has(k, KWORK_SCHED))
		err = reason_set(r, EINVAL,
				 "--kwork: 'perf kwork top' needs sched, the tasks of each CPU");
	return err;
}

static bool is_key_of(enum kwork_view view, const char *name)
{
	struct strlist keys = { 0 };
	bool is;

	strlist_split(&keys, views[view].sort_keys, ", ");
	is = strlist_has(&keys, name);
	strlist_release(&keys);
	return is;
}

static int add_key(enum kwork_view view, const char *name, struct sort_order *out, struct reason *r)
{
	enum sort_key key = SORT_KEYS;

	for (size_t i = 0; i < ARRAY_SIZE(sort_names); i++)
		if (!strcmp(sort_names[i].name, name))
			key = sort_names[i].key;
	if (key == SORT_KEYS || !is_key_of(view, name))
		return reason_set(r, EINVAL, "--sort: there is no key '%s': it is one of %s", name,
				  views[view].sort_keys);
	for (unsigned i = 0; i < out->count; i++)
		if (out->keys[i] == key)
			return 0;
	out->keys[out->count++] = key;
	return 0;
}

int kwork_sort_parse(enum kwork_view view, const char *text, struct sort_order *out,
		     struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	*out = (struct sort_order){ .count = 0 };
	strlist_split(&names, text ? text : views[view].sort ? views[view].sort : "", ", ");
	vec_for_each(&names.list, name)
		if (!err)
			err = add_key(view, *name, out, r);
	strlist_release(&names);
	return err;
}

/* ---- perf kwork record ---- */

static const char *const events_of[KWORK_KINDS][3] = {
	[KWORK_IRQ] = { "irq:irq_handler_entry", "irq:irq_handler_exit" },
	[KWORK_SOFTIRQ] = { "irq:softirq_raise", "irq:softirq_entry", "irq:softirq_exit" },
	[KWORK_WORKQUEUE] = { "workqueue:workqueue_activate_work",
			      "workqueue:workqueue_execute_start",
			      "workqueue:workqueue_execute_end" },
	[KWORK_SCHED] = { "sched:sched_switch" },
};

int kwork_record_words(struct kwork *k, const struct options *o, int argc, const char **argv,
		       struct strlist *words)
{
	static const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1" };
	struct reason r = REASON_INIT;

	if (kwork_kinds_parse(k, &r)) {
		options_usage_error(o, "%s", r.text);
		reason_release(&r);
		return EXIT_USAGE;
	}
	record_words(words, first, ARRAY_SIZE(first));
	for (unsigned i = 0; i < k->kind_count; i++)
		for (unsigned e = 0; e < 3 && events_of[k->kinds[i]][e]; e++)
			record_event_words(words, events_of[k->kinds[i]][e]);
	record_words(words, argv, (size_t)argc);
	return 0;
}

char *kwork_record_hint(const struct kwork *k)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_str(&b, "record with: perf kwork ");
	if (k->kinds_text || k->view == KWORK_TOP) {
		strbuf_str(&b, "-k ");
		for (unsigned i = 0; i < k->kind_count; i++)
			strbuf_f(&b, "%s%s", i ? "," : "", kind_names[k->kinds[i]]);
		strbuf_char(&b, ' ');
	}
	strbuf_str(&b, "record");
	return strbuf_detach(&b);
}
