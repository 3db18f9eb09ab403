// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: the events that can be named on this machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/report.h"
#include "event/list.h"
#include "event/pfm.h"
#include "probe/probe.h"
#include "event/tracepoint.h"
#include "stat/metrics.h"
#include "sys/tracefs.h"

struct list_settings {
	bool details, raw_dump, no_desc;
	const char *output;
};

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

struct list_printer {
	const struct list_settings *settings;
	struct sys sys;
	const char *buildid_dir;
	char *tracefs;
	struct out out;
	bool spaced; /* blank lines between sections */
	size_t printed;
	enum event_kind last;
};

static const char *c_type(const struct tracepoint_field *f)
{
	return f->flags & FIELD_SIGNED ? "signed" : "unsigned";
}

/* The fields of a tracepoint with type, size and sign, and its print format. */
static void print_format(struct list_printer *p, const char *name)
{
	const char *colon = strchr(name, ':');
	struct tracepoint_formats *formats = tracepoint_formats_new(false, sizeof(long));
	const struct tracepoint_format *t = NULL;
	char *system = xstrndup(name, (size_t)(colon - name));
	char *path = xasprintf("%s/events/%s/%s/format", p->tracefs, system, colon + 1);
	struct strbuf text = STRBUF_INIT;

	if (!sys_read(&p->sys, &text, path) &&
	    !tracepoint_formats_add(formats, system, text.s, text.len, NULL))
		t = tracepoint_by_name(formats, system, colon + 1);
	for (u32 i = 0; t && i < t->field_count; i++)
		if (!(t->fields[i].flags & FIELD_COMMON))
			out_f(&p->out, "       %s %s  (%u bytes, %s)\n", t->fields[i].type,
			      t->fields[i].name, t->fields[i].size, c_type(&t->fields[i]));
	if (t && t->print_fmt)
		out_f(&p->out, "       print: %s\n", t->print_fmt);
	strbuf_release(&text);
	free(path);
	free(system);
	tracepoint_formats_free(formats);
}

static void print_details(struct list_printer *p, const struct event_row *row)
{
	if (row->detail)
		out_f(&p->out, "       %s\n", row->detail);
	if (row->kind != EVENT_KIND_TRACEPOINT)
		return;
	if (!p->tracefs)
		p->tracefs = tracefs_find(&p->sys, NULL);
	if (p->tracefs)
		print_format(p, row->name);
}

static void print_row(struct list_printer *p, const struct event_row *row)
{
	struct strbuf *b = out_buf(&p->out);
	size_t start;

	if (p->settings->raw_dump) {
		strbuf_f(b, "%s ", row->name);
		p->printed++;
		return;
	}
	if (p->spaced && p->printed && p->last != row->kind)
		strbuf_char(b, '\n');
	strbuf_str(b, "  ");
	start = b->len;
	strbuf_str(b, row->name);
	if (row->alias) {
		strbuf_str(b, " OR ");
		strbuf_str(b, row->alias);
	}
	strbuf_pad(b, ' ', 50 - (int)(b->len - start));
	strbuf_str(b, " [");
	strbuf_str(b, event_kind_name(row->kind));
	strbuf_str(b, "]\n");
	if (p->settings->details)
		print_details(p, row);
	p->printed++;
	p->last = row->kind;
}

/* ---- metrics and libpfm4 ---- */

static void print_metric(struct list_printer *p, const struct metric_set *m,
			 const struct metric_entry *it)
{
	char *why;

	p->printed++;
	if (p->settings->raw_dump) {
		out_f(&p->out, "%s ", it->name);
		return;
	}
	out_f(&p->out, "  %s\n", it->name);
	if (!p->settings->no_desc)
		out_f(&p->out, "       [%s]\n", it->description);
	if (p->settings->details)
		out_f(&p->out, "       %s\n", it->expression);
	why = metric_unavailable(m, it);
	if (why)
		out_f(&p->out, "       [not available: %s]\n", why);
	free(why);
}

static void add_groups(const struct metric_set *m, struct strlist *groups)
{
	vec_for_each(&m->catalogue.list, it)
		vec_for_each(&it->groups.list, g)
			if (!strlist_has(groups, *g))
				strlist_add(groups, *g);
	strlist_sort(groups);
}

static void print_groups(struct list_printer *p, const struct metric_set *m)
{
	struct strlist groups = { VEC_INIT };

	add_groups(m, &groups);
	vec_for_each(&groups.list, g) {
		if (p->settings->raw_dump) {
			out_f(&p->out, "%s ", *g);
			continue;
		}
		out_f(&p->out, "%s:\n", *g);
		vec_for_each(&m->catalogue.list, it)
			if (metric_in_group(it, *g))
				out_f(&p->out, "  %s\n", it->name);
	}
	strlist_release(&groups);
}

/* "metric", "metricgroup": 0, or the exit code after a message. */
static int list_metrics(struct list_printer *p, bool groups)
{
	struct metric_set m;
	struct reason r = REASON_INIT;

	if (metric_set_init(&m, &p->sys, &r)) {
		metric_set_release(&m);
		return report_reason(&r);
	}
	if (groups)
		print_groups(p, &m);
	else
		vec_for_each(&m.catalogue.list, it)
			if (*it->description && it->groups.list.count)
				print_metric(p, &m, it);
	metric_set_release(&m);
	return 0;
}

static void print_pfm(void *arg, const char *name, const char *description)
{
	struct list_printer *p = arg;

	if (p->settings->raw_dump)
		out_f(&p->out, "%s ", name);
	else
		out_f(&p->out, "  %s\n", name);
	if (!p->settings->raw_dump && !p->settings->no_desc && description)
		out_f(&p->out, "       [%s]\n", description);
	out_done(&p->out);
}

static int list_pfm(struct list_printer *p)
{
	if (!pfm_built_in()) {
		report_error("this perf is built without libpfm4");
		return 1;
	}
	pfm_each(print_pfm, p);
	return 0;
}

static void print_matching(struct list_printer *p, const struct event_rows *rows,
			   const char *pattern)
{
	vec_for_each(&rows->list, row)
		if (!pattern || event_row_matches(row, pattern))
			print_row(p, row);
}

/* The SDT markers in the build-id cache; pattern NULL: all of them. */
struct sdt_listing {
	struct list_printer *p;
	const char *pattern;
	struct strlist seen;
};

static int print_sdt(void *arg, const struct probe_cache_entry *e)
{
	struct sdt_listing *l = arg;
	char *name = xasprintf("%s:%s", e->group, e->event);
	const struct event_row row = { .kind = EVENT_KIND_TRACEPOINT, .name = name };
	bool wanted = e->sdt && !strlist_has(&l->seen, name) &&
		      (!l->pattern || event_row_matches(&row, l->pattern));

	if (wanted) {
		strlist_add(&l->seen, name);
		l->p->printed++;
		if (l->p->settings->raw_dump)
			out_f(&l->p->out, "%s ", name);
		else
			out_f(&l->p->out, "  %-50s [SDT event]\n", name);
	}
	free(name);
	return 0;
}

static void print_sdts(struct list_printer *p, const char *pattern)
{
	struct sdt_listing l = { .p = p, .pattern = pattern };

	probe_cache_each(p->buildid_dir, print_sdt, &l, NULL);
	strlist_release(&l.seen);
}

/* One word of the command line, or everything: 0, or the exit code after a message. */
static int list_word(struct list_printer *p, const char *word)
{
	u32 kinds = word ? selected_kinds(word) : ALL_KINDS;
	bool by_pattern = !kinds;
	size_t before = p->printed;
	struct event_rows rows;
	struct reason r = REASON_INIT;
	char *dir = NULL;

	/* a pattern is looked for in all names, but not in the descriptions of raw forms */
	if (by_pattern)
		kinds = ALL_KINDS & ~(1U << EVENT_KIND_RAW | 1U << EVENT_KIND_BREAKPOINT);
	if (kinds & 1U << EVENT_KIND_TRACEPOINT)
		dir = tracefs_find(&p->sys, &r);
	if (r.text && !p->settings->raw_dump)
		report_warning("%s", r.text);
	if (r.text && r.hint && !p->settings->raw_dump)
		report_hint("%s", r.hint);
	reason_release(&r);
	free(dir);
	event_rows_collect(&p->sys, kinds, &rows);
	print_matching(p, &rows, by_pattern ? word : NULL);
	event_rows_release(&rows);
	if (by_pattern || !word)
		print_sdts(p, word);
	if (!by_pattern || p->printed > before)
		return 0;
	out_flush(&p->out);
	report_error("no event matches '%s'", word);
	report_hint("'perf list' shows them all; a glob takes parts: '*%s*'", word);
	return 1;
}

static int list_all(struct list_printer *p, int argc, const char **argv)
{
	int code = argc ? 0 : list_word(p, NULL);

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "metric") || !strcmp(argv[i], "metrics"))
			code |= list_metrics(p, false);
		else if (!strcmp(argv[i], "metricgroup") || !strcmp(argv[i], "metricgroups"))
			code |= list_metrics(p, true);
		else if (!strcmp(argv[i], "pfm"))
			code |= list_pfm(p);
		else
			code |= list_word(p, argv[i]);
	}
	if (p->settings->raw_dump)
		out_str(&p->out, "\n");
	return code;
}

int cmd_list(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf list [<options>] [hw|sw|tool|cache|pmu|raw|tracepoint|metric|metricgroup|pfm|<glob>|<word>]...", NULL
	};
	struct list_settings s = { 0 };
	bool desc = true;
	int fd = STDOUT_FILENO;
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'v', "long-desc", &s.details,
		  .help = "also print fields of tracepoints, terms of PMU events" },
		{ OPTION_FLAG, 0, "details", &s.details, .help = "the same as -v" },
		{ OPTION_FLAG, 'd', "desc", &desc,
		  .help = "print what metrics and libpfm4's events are (default)" },
		{ OPTION_STRING, 'o', "output", &s.output, .arg = "FILE",
		  .help = "write the list to FILE" },
		{ OPTION_FLAG, 0, "raw-dump", &s.raw_dump,
		  .help = "print the names alone, in one line" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "list", .usage = usage, .rows = rows };
	struct list_printer p = { .settings = &s };
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	p.sys.tracing_dir = ctx->debugfs_dir;
	p.buildid_dir = ctx->buildid_dir;
	p.spaced = pager_running();
	s.no_desc = !desc;
	if (s.output)
		fd = open(s.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		report_error("cannot write '%s': %s", s.output, strerror(errno));
		return 1;
	}
	out_init(&p.out, fd);
	if (p.spaced && !s.raw_dump)
		out_str(&p.out, "\nList of pre-defined events (to be used in -e):\n\n");
	code = list_all(&p, argc, argv);
	free(p.tracefs);
	argc = report_output(out_release(&p.out));
	if (s.output)
		close(fd);
	return argc ? argc : code;
}
