// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: the events that can be named on this machine. */
#include "builtin-list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "event/pfm.h"
#include "event/pmu.h"
#include "probe/probe.h"
#include "sys/tracefs.h"

/* Words that select sections; anything else is a glob or a part of a name. */
static const struct {
	const char *word;
	u32 kinds;
} selectors[] = {
	{ "hw", 1U << EVENT_KIND_HARDWARE },
	{ "hardware", 1U << EVENT_KIND_HARDWARE },
	{ "sw", 1U << EVENT_KIND_SOFTWARE | 1U << EVENT_KIND_TOOL },
	{ "software", 1U << EVENT_KIND_SOFTWARE | 1U << EVENT_KIND_TOOL },
	{ "tool", 1U << EVENT_KIND_TOOL },
	{ "cache", 1U << EVENT_KIND_CACHE },
	{ "hwcache", 1U << EVENT_KIND_CACHE },
	{ "pmu", 1U << EVENT_KIND_PMU },
	{ "raw", 1U << EVENT_KIND_RAW },
	{ "tracepoint", 1U << EVENT_KIND_TRACEPOINT },
};

enum { ALL_KINDS = (1U << EVENT_KINDS) - 1 };

static u32 selected_kinds(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(selectors); i++)
		if (!strcmp(selectors[i].word, word))
			return selectors[i].kinds;
	return 0;
}

static bool text_matches(const char *name, const char *pattern)
{
	const struct event_row row = { .name = name };

	return event_row_matches(&row, pattern);
}

/* ---- metrics ---- */

static int need_metrics(struct list_printer *p)
{
	struct reason r = REASON_INIT;

	if (p->metrics_ready)
		return 0;
	p->metrics_ready = true;
	return metric_set_init(&p->metrics, &p->sys, &r) ? say_reason(&r) : 0;
}

/* Helpers of other metrics have no group, and are not listed. */
static bool is_listed(const struct metric_entry *m)
{
	return *m->description && m->groups.list.count;
}

/* NAME, or GROUP:NAME for one of its groups. */
static bool metric_matches(const struct metric_entry *m, const char *pattern)
{
	bool fits = text_matches(m->name, pattern);

	vec_for_each(&m->groups.list, g) {
		char *both = xasprintf("%s:%s", *g, m->name);

		fits |= strchr(pattern, ':') && text_matches(both, pattern);
		free(both);
	}
	return fits;
}

static int list_metrics(struct list_printer *p, const char *pattern)
{
	size_t before = p->printed;

	if (need_metrics(p))
		return 1;
	vec_for_each(&p->metrics.catalogue.list, it) {
		if (!is_listed(it) || (pattern && !metric_matches(it, pattern)))
			continue;
		if (p->printed == before && !pattern && p->spaced)
			out_str(&p->out, "\nMetrics (to be used in perf stat -M):\n\n");
		list_print_metric(p, it);
	}
	return 0;
}

static int list_groups(struct list_printer *p, const char *pattern)
{
	struct strlist groups = { VEC_INIT };

	if (need_metrics(p))
		return 1;
	vec_for_each(&p->metrics.catalogue.list, it)
		vec_for_each(&it->groups.list, g)
			if (!strlist_has(&groups, *g) && (!pattern || text_matches(*g, pattern)))
				strlist_add(&groups, *g);
	strlist_sort(&groups);
	vec_for_each(&groups.list, g)
		list_print_group(p, *g);
	strlist_release(&groups);
	return 0;
}

/* ---- SDT markers in the build-id cache ---- */

struct sdt_place {
	char *name, *path, *build_id;
};

struct sdt_listing {
	const char *pattern; /* NULL: all of them */
	VEC(struct sdt_place) list;
};

static int keep_sdt(void *arg, const struct probe_cache_entry *e)
{
	struct sdt_listing *l = arg;
	char *name = xasprintf("%s:%s", e->group, e->event);

	if (e->sdt && (!l->pattern || text_matches(name, l->pattern)))
		vec_push(&l->list, (struct sdt_place){ name, xstrdup(e->path ? e->path : ""),
						       xstrdup(e->build_id ? e->build_id : "") });
	else
		free(name);
	return 0;
}

static int by_name_and_object(const void *a, const void *b)
{
	const struct sdt_place *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->path, y->path);
	return order ? order : strcmp(x->build_id, y->build_id);
}

static bool same_name(const struct sdt_listing *l, size_t a, size_t b)
{
	return b < l->list.count && !strcmp(l->list.items[a].name, l->list.items[b].name);
}

/* A marker that several objects hold has a row for each: "NAME@OBJECT(BUILD-ID)". */
static void print_sdt(struct list_printer *p, const struct sdt_listing *l, size_t i)
{
	const struct sdt_place *s = &l->list.items[i];
	bool several = (i && same_name(l, i, i - 1)) || same_name(l, i, i + 1);
	bool whole = several && !p->settings->json && !p->settings->raw_dump;
	char *row = whole ? xasprintf("%s@%s(%.12s)", s->name, s->path, s->build_id) : NULL;

	/* names alone: each once */
	if (!p->settings->raw_dump || !i || !same_name(l, i, i - 1))
		list_print_item(p, &(struct list_item){ .name = row ? row : s->name, .type = "SDT event",
							.object = s->path, .build_id = s->build_id });
	free(row);
}

static void list_sdts(struct list_printer *p, const char *pattern)
{
	struct sdt_listing l = { .pattern = pattern };

	probe_cache_each(p->buildid_dir, keep_sdt, &l, NULL);
	vec_sort(&l.list, by_name_and_object);
	for (size_t i = 0; i < l.list.count; i++)
		if (!same_name(&l, i, i + 1) || by_name_and_object(&l.list.items[i], &l.list.items[i + 1]))
			print_sdt(p, &l, i);
	vec_for_each(&l.list, s) {
		free(s->name);
		free(s->path);
		free(s->build_id);
	}
	vec_release(&l.list);
}

/* ---- events ---- */

/* --unit, --cputype: which PMUs' events are meant. */
static bool unit_wanted(const struct list_printer *p, const struct strlist *units,
			const struct event_row *row)
{
	const char *type = p->settings->cputype;
	size_t prefix = strlen("cpu_");

	if (p->settings->unit)
		return row->pmu && strlist_has(units, row->pmu);
	return !type || !row->pmu || strncmp(row->pmu, "cpu_", prefix) ||
	       !strcmp(row->pmu + prefix, type);
}

static void print_matching(struct list_printer *p, const struct event_rows *rows,
			   const char *pattern)
{
	struct strlist units = { VEC_INIT };

	if (p->settings->unit)
		pmu_match(&p->sys, p->settings->unit, &units);
	vec_for_each(&rows->list, row)
		if (unit_wanted(p, &units, row) && (!pattern || event_row_matches(row, pattern)))
			list_print_row(p, row);
	strlist_release(&units);
}

static void say_left_out(const struct event_rows *rows)
{
	vec_for_each(&rows->left_out, it)
		say_note("'%s' is not listed: perf_event_open: %s", it->name, strerror(-it->err));
}

static void say_tracefs(const struct list_printer *p)
{
	struct reason r = REASON_INIT;
	char *dir = tracefs_find(&p->sys, &r);
	bool quiet = p->settings->raw_dump || p->settings->json;

	if (r.text && !quiet)
		say_warning("%s", r.text);
	if (r.text && r.hint && !quiet)
		say_hint("%s", r.hint);
	if (dir && p->settings->debug)
		say_note("tracepoints are read in %s", dir);
	reason_release(&r);
	free(dir);
}

static void list_events(struct list_printer *p, u32 kinds, const char *pattern)
{
	struct event_rows rows;

	if (p->settings->unit)
		kinds &= 1U << EVENT_KIND_PMU;
	if (kinds & 1U << EVENT_KIND_TRACEPOINT)
		say_tracefs(p);
	event_rows_collect(&p->sys, kinds, &rows);
	if (p->settings->debug)
		say_left_out(&rows);
	print_matching(p, &rows, pattern);
	event_rows_release(&rows);
}

/* "r1a8" with -v: what the models of CPUs call it. */
static bool is_raw_code(const char *word, u64 *code)
{
	return *word == 'r' && word[1] && strspn(word + 1, "0123456789abcdefABCDEF") == strlen(word + 1) &&
	       !parse_hex(word + 1, code);
}

static int nothing_matches(struct list_printer *p, const char *word)
{
	out_flush(&p->out);
	say_error("no event matches '%s'", word);
	if (strpbrk(word, "*?[:"))
		say_hint("'perf list' shows them all; both parts of SYSTEM:EVENT may be globs");
	else if (!p->settings->details && pfm_built_in())
		say_hint("'perf list' shows them all; 'perf list -v %s' asks libpfm4 about all models "
			    "of CPUs", word);
	else
		say_hint("'perf list' shows them all; a part of a name is enough");
	return 1;
}

/* A glob or a part of a name: looked for in all names, not in the descriptions of raw forms. */
static int list_pattern(struct list_printer *p, const char *word)
{
	bool all = !p->settings->unit;
	size_t before = p->printed;
	u64 code;

	if (p->settings->details && all && is_raw_code(word, &code)) {
		list_print_models(p, NULL, code);
		return p->printed > before ? 0 : nothing_matches(p, word);
	}
	list_events(p, ALL_KINDS & ~(1U << EVENT_KIND_RAW | 1U << EVENT_KIND_BREAKPOINT), word);
	if (all) {
		list_sdts(p, word);
		list_metrics(p, word);
		list_groups(p, word);
	}
	if (p->printed == before && all && p->settings->details) {
		char *glob = has_glob(word) ? xstrdup(word) : xasprintf("*%s*", word);

		list_print_models(p, glob, 0);
		free(glob);
	}
	return p->printed > before ? 0 : nothing_matches(p, word);
}

static int list_word(struct list_printer *p, const char *word)
{
	u32 kinds = selected_kinds(word);

	if (!strcmp(word, "metric") || !strcmp(word, "metrics"))
		return list_metrics(p, NULL);
	if (!strcmp(word, "metricgroup") || !strcmp(word, "metricgroups"))
		return list_groups(p, NULL);
	if (!strcmp(word, "pfm"))
		return list_print_pfm(p, NULL);
	if (!strcmp(word, "sdt")) {
		list_sdts(p, NULL);
		return 0;
	}
	if (!kinds)
		return list_pattern(p, word);
	list_events(p, kinds, NULL);
	return 0;
}

static int list_all(struct list_printer *p, int argc, const char **argv)
{
	int code = 0;

	list_begin(p);
	if (!argc) {
		list_events(p, ALL_KINDS, NULL);
		if (!p->settings->unit)
			list_sdts(p, NULL);
		/* for -M, not for -e: programs that complete names have no use for them */
		if (!p->settings->unit && !p->settings->raw_dump)
			code = list_metrics(p, NULL);
	}
	for (int i = 0; i < argc; i++)
		code |= list_word(p, argv[i]);
	list_end(p);
	return code;
}

/* ---- the command ---- */

static int check_units(const struct list_printer *p)
{
	const struct list_settings *s = p->settings;
	struct strlist names = { VEC_INIT }, cores = { VEC_INIT };
	char *core = xasprintf("cpu_%s", s->cputype ? s->cputype : "");
	int code = 0;

	if (s->unit)
		pmu_match(&p->sys, s->unit, &names);
	pmu_core_names(&p->sys, &cores);
	if (s->unit && !names.list.count) {
		say_error("this machine has no PMU '%s'", s->unit);
		say_hint("ls /sys/bus/event_source/devices");
		code = 1;
	} else if (s->cputype && !strlist_has(&cores, core)) {
		say_error("this machine has no CPUs of type '%s'", s->cputype);
		say_hint("types are core and atom, on hybrid machines only");
		code = 1;
	}
	strlist_release(&names);
	strlist_release(&cores);
	free(core);
	return code;
}

static int run_list(struct list_printer *p, int argc, const char **argv)
{
	const struct list_settings *s = p->settings;
	int fd = STDOUT_FILENO, code = check_units(p), err;

	if (code)
		return code;
	if (s->output)
		fd = open(s->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		say_error("cannot write '%s': %s", s->output, strerror(errno));
		say_hint("name a file in a directory that is there and that you may write to");
		return 1;
	}
	p->spaced = pager_running() && !s->output && !s->json;
	out_init(&p->out, fd);
	code = list_all(p, argc, argv);
	err = say_output(out_release(&p->out));
	if (s->output)
		close(fd);
	return err ? err : code;
}

int list_on(struct context *ctx, const struct sys *sys, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf list [<options>] [hw|sw|tool|cache|pmu|raw|tracepoint|sdt|metric|metricgroup|pfm|"
		"<glob>|<word>]...",
		NULL
	};
	struct list_settings s = { 0 };
	bool desc = true;
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'v', "long-desc", &s.details,
		  .help = "also print fields of tracepoints, terms and codes of PMU events" },
		{ OPTION_FLAG, 0, "details", &s.details, .help = "the same as -v" },
		{ OPTION_FLAG, 'd', "desc", &desc,
		  .help = "print what metrics and libpfm4's events are (default)" },
		{ OPTION_FLAG, 'j', "json", &s.json, .help = "print an array of JSON objects" },
		{ OPTION_STRING, 'o', "output", &s.output, .arg = "FILE",
		  .help = "write the list to FILE" },
		{ OPTION_STRING, 0, "unit", &s.unit, .arg = "PMU",
		  .help = "only events of this PMU (a glob, or what several are called)" },
		{ OPTION_STRING, 0, "cputype", &s.cputype, .arg = "TYPE",
		  .help = "core or atom: of the CPUs' events only those of this kind" },
		{ OPTION_FLAG, 0, "deprecated", &s.deprecated,
		  .help = "also list what libpfm4 calls deprecated" },
		{ OPTION_FLAG, 0, "debug", &s.debug,
		  .help = "say what is left out, and why" },
		{ OPTION_FLAG, 0, "raw-dump", &s.raw_dump,
		  .help = "print the names alone, in one line" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "list", .usage = usage, .rows = rows };
	struct list_printer p = { .settings = &s, .buildid_dir = ctx->buildid_dir };
	int code = options_parse(&o, &argc, argv);

	if (!code && s.json && s.raw_dump)
		code = options_usage_error(&o, "-j and --raw-dump are two forms of output");
	if (code)
		return code < 0 ? 0 : code;
	s.no_desc = !desc;
	if (sys)
		p.sys = *sys;
	else
		p.sys.tracing_dir = ctx->debugfs_dir;
	if (s.details)
		pfm_want_all_models();
	code = run_list(&p, argc, argv);
	if (p.metrics_ready)
		metric_set_release(&p.metrics);
	free(p.tracefs);
	return code;
}

int cmd_list(struct context *ctx, int argc, const char **argv)
{
	return list_on(ctx, NULL, argc, argv);
}
