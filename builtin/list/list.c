// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: the events that can be named on this machine. */
#include "builtin/list/list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "builtin/list/internal.h"
#include "event/pfm.h"
#include "event/pmu.h"
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

/* FORMS: rows that say how an event is written and name none. */
enum {
	ALL_KINDS = (1U << EVENT_KINDS) - 1,
	FORMS = 1U << EVENT_KIND_RAW | 1U << EVENT_KIND_BREAKPOINT,
};

static u32 selected_kinds(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(selectors); i++)
		if (!strcmp(selectors[i].word, word))
			return selectors[i].kinds;
	return 0;
}

/* Reports whether --unit and --cputype select the event's PMU. */
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

static void add_left_out(struct list_printer *p, const struct event_rows *rows)
{
	vec_for_each(&rows->left_out, it)
		condition_add(&p->ctx->conditions, CONDITION_NOTE, "list-left-out", it->name, NULL,
			      1, NULL, "'%s' is not listed: perf_event_open: %s", it->name,
			      strerror(-it->err));
}

static void check_tracefs(struct list_printer *p)
{
	struct reason r = REASON_INIT;
	char *dir = tracefs_find(&p->sys, &r);
	bool quiet = p->settings->raw_dump || p->settings->json;

	if (r.text && !quiet)
		condition_add(&p->ctx->conditions, CONDITION_WARNING, "list-tracefs", NULL, NULL, 1,
			      r.hint, "%s", r.text);
	if (dir && p->settings->debug)
		condition_add(&p->ctx->conditions, CONDITION_NOTE, "list-tracefs-dir", NULL, NULL,
			      1, NULL, "tracepoints are read in %s", dir);
	reason_release(&r);
	free(dir);
}

static void list_events(struct list_printer *p, u32 kinds, const char *pattern)
{
	struct event_rows rows;

	if (p->settings->unit)
		kinds &= 1U << EVENT_KIND_PMU;
	if (p->settings->raw_dump)
		kinds &= ~(u32)FORMS; /* names alone, which a shell completes */
	if (kinds & 1U << EVENT_KIND_TRACEPOINT)
		check_tracefs(p);
	event_rows_collect(&p->sys, kinds, &rows);
	if (p->settings->debug)
		add_left_out(p, &rows);
	print_matching(p, &rows, pattern);
	event_rows_release(&rows);
}

/*
 * Reports whether the word is a raw code, "r1a8", for which -v shows the names that the models of
 * CPUs give it.
 */
static bool is_raw_code(const char *word, u64 *code)
{
	return *word == 'r' && word[1] &&
	       strspn(word + 1, "0123456789abcdefABCDEF") == strlen(word + 1) &&
	       !parse_hex(word + 1, code);
}

/*
 * Sets the reason that no event matches the word, unless an earlier word has set it. Returns
 * -ENOENT.
 */
static int nothing_matches(const struct list_printer *p, const char *word, struct reason *r)
{
	if (r->text)
		return -ENOENT;
	reason_set(r, ENOENT, "no event matches '%s'", word);
	if (strpbrk(word, "*?[:"))
		reason_hint(r,
			    "'perf list' shows them all; both parts of SYSTEM:EVENT may be globs");
	else if (!p->settings->details && pfm_built_in())
		reason_hint(r,
			    "'perf list' shows them all; 'perf list -v %s' asks libpfm4 about all "
			    "models of CPUs",
			    word);
	else
		reason_hint(r, "'perf list' shows them all; a part of a name is enough");
	return -ENOENT;
}

/* Lists, with -v, the events of this name that libpfm4 knows on any model of CPU. */
static void list_other_models(struct list_printer *p, const char *word)
{
	char *glob = has_glob(word) ? xstrdup(word) : xasprintf("*%s*", word);

	list_print_models(p, glob, 0);
	free(glob);
}

/*
 * Lists what matches a glob or a part of a name. It looks in all names, but not in the descriptions
 * of raw forms.
 */
static int list_pattern(struct list_printer *p, const char *word, struct reason *r)
{
	bool all = !p->settings->unit;
	size_t before = p->printed;
	int err = 0;
	u64 code;

	if (p->settings->details && all && is_raw_code(word, &code)) {
		list_print_models(p, NULL, code);
		return p->printed > before ? 0 : nothing_matches(p, word, r);
	}
	list_events(p, ALL_KINDS & ~(u32)FORMS, word);
	if (all) {
		list_sdts(p, word);
		err = list_metrics(p, word, r);
		if (!err)
			err = list_groups(p, word, r);
	}
	if (!err && p->printed == before && all && p->settings->details)
		list_other_models(p, word);
	return err || p->printed > before ? err : nothing_matches(p, word, r);
}

static int list_word(struct list_printer *p, const char *word, struct reason *r)
{
	u32 kinds = selected_kinds(word);

	if (!strcmp(word, "metric") || !strcmp(word, "metrics"))
		return list_metrics(p, NULL, r);
	if (!strcmp(word, "metricgroup") || !strcmp(word, "metricgroups"))
		return list_groups(p, NULL, r);
	if (!strcmp(word, "pfm"))
		return list_print_pfm(p, NULL, r);
	if (!strcmp(word, "sdt"))
		list_sdts(p, NULL);
	else if (kinds)
		list_events(p, kinds, NULL);
	else
		return list_pattern(p, word, r);
	return 0;
}

static int list_all(struct list_printer *p, int argc, const char **argv, struct reason *r)
{
	int err = 0;

	list_begin(p);
	if (!argc) {
		list_events(p, ALL_KINDS, NULL);
		if (!p->settings->unit)
			list_sdts(p, NULL);
		/* for -M, not for -e: programs that complete names have no use for them */
		if (!p->settings->unit && !p->settings->raw_dump)
			err = list_metrics(p, NULL, r);
	}
	for (int i = 0; i < argc; i++) {
		int one = list_word(p, argv[i], r);

		err = err ? err : one;
	}
	list_end(p);
	return err;
}

/* ---- all of it ---- */

static int check_units(const struct list_printer *p, struct reason *r)
{
	const struct list_settings *s = p->settings;
	struct strlist names = { VEC_INIT }, cores = { VEC_INIT };
	char *core = xasprintf("cpu_%s", s->cputype ? s->cputype : "");
	int err = 0;

	if (s->unit)
		pmu_match(&p->sys, s->unit, &names);
	pmu_core_names(&p->sys, &cores);
	if (s->unit && !names.list.count) {
		err = reason_set(r, ENOENT, "this machine has no PMU '%s'", s->unit);
		reason_hint(r, "ls /sys/bus/event_source/devices");
	} else if (s->cputype && !strlist_has(&cores, core)) {
		err = reason_set(r, ENOENT, "this machine has no CPUs of type '%s'", s->cputype);
		reason_hint(r, "types are core and atom, on hybrid machines only");
	}
	strlist_release(&names);
	strlist_release(&cores);
	free(core);
	return err;
}

static int write_list(struct list_printer *p, int argc, const char **argv, struct reason *r)
{
	const struct list_settings *s = p->settings;
	struct replace file = REPLACE_INIT;
	int err = check_units(p, r), written;

	if (!err && s->output) {
		err = replace_begin(&file, s->output, 0644, REPLACE_ANY, r);
		if (err)
			reason_hint(r,
				    "name a file in an existing directory that you may write to");
	}
	if (err)
		return err;
	out_init(&p->out, s->output ? file.fd : STDOUT_FILENO);
	err = list_all(p, argc, argv, r);
	written = out_release(&p->out);
	if (written && written != -EPIPE)
		err = s->output ? reason_errno(r, -written, "cannot write '%s'", s->output)
				: reason_errno(r, -written, "cannot write to standard output");
	if (!err && !written && s->output)
		err = replace_end(&file, r);
	replace_drop(&file);
	return err;
}

int list_run(struct context *ctx, const struct sys *sys, const struct list_settings *settings,
	     int argc, const char **argv, struct reason *r)
{
	struct list_printer p = { .ctx = ctx, .settings = settings };
	int err;

	if (sys)
		p.sys = *sys;
	if (settings->details)
		pfm_want_all_models();
	err = write_list(&p, argc, argv, r);
	if (p.metrics_ready)
		metric_set_release(&p.metrics);
	free(p.tracefs);
	return err;
}
