// SPDX-License-Identifier: GPL-2.0-or-later
/* perf probe: put probes into the running kernel and into programs, list and remove them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "builtin-probe.h"
#include "analysis/analysis.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "probe/filter.h"
#include "probe/functions.h"
#include "probe/probe.h"
#include "probe/tracefs.h"

struct request {
	struct context *ctx;
	struct strlist add, define, remove;
	const char *list, *lines, *variables, *functions; /* their values, or NULL */
	bool list_given, lines_given, variables_given, functions_given;
	const char *module, *exec, *vmlinux, *source, *symfs, *filter;
	bool dry_run, force, externs, range, no_inlines, inlines, cache, bootconfig;
	bool demangle, demangle_kernel;
	const char **words; /* of the command line: one definition without -a */
	int word_count;
	unsigned max_probes, maxactive;
	int ns_pid;
	struct probe_target target;
	struct debuginfod_wish debuginfod;
	struct debug_servers *servers;
};

/* Most places of one definition, unless --max-probes says another number. */
#define MAX_PROBES 128

#define SHOW(letter, name, param, var, was, text)                                                  \
	{ OPTION_STRING, letter, name, var, .arg = param, .help = text, .given = was,              \
	  .flags = OPT_OPTIONAL | OPT_LAST_DEFAULT | OPT_NO_NEGATE }
#define FLAG(letter, name, var, text)                                                              \
	{ OPTION_FLAG, letter, name, var, .help = text }
#define TEXT(letter, name, param, var, text)                                                       \
	{ OPTION_STRING, letter, name, var, .arg = param, .help = text }

static const char *const usage[] = {
	"perf probe [<options>] [--add] DEFINITION",
	"perf probe [<options>] --definition DEFINITION",
	"perf probe [<options>] --del [GROUP:]EVENT",
	"perf probe [<options>] --list [[GROUP:]EVENT]",
	"perf probe [<options>] --line RANGE",
	"perf probe [<options>] --vars PLACE",
	"perf probe [<options>] --funcs [FILTER]",
	NULL
};

static int parse_options(struct request *q, struct options *o, int *argc, const char **argv)
{
	const struct option_row rows[] = {
		{ OPTION_GROUP, .help = "What to do" },
		{ OPTION_LIST, 'a', "add", &q->add, .arg = "DEFINITION", .flags = OPT_NO_NEGATE,
		  .help = "add a probe: [[GROUP:]EVENT=]PLACE [ARGUMENT ...]" },
		{ OPTION_LIST, 'D', "definition", &q->define, .arg = "DEFINITION", .flags = OPT_NO_NEGATE,
		  .help = "show what would be written to tracefs, change nothing" },
		{ OPTION_LIST, 'd', "del", &q->remove, .arg = "[GROUP:]EVENT", .flags = OPT_NO_NEGATE,
		  .help = "remove probes; globs are taken" },
		SHOW('l', "list", "[GROUP:]EVENT", &q->list, &q->list_given, "list the probes there are"),
		SHOW('L', "line", "RANGE", &q->lines, &q->lines_given,
		     "show source; lines with a number can be probed: FUNC[:A[-B|+N]], FILE[:A[-B|+N]]"),
		SHOW('V', "vars", "PLACE", &q->variables, &q->variables_given,
		     "show the variables that a probe can read there"),
		SHOW('F', "funcs", "FILTER", &q->functions, &q->functions_given,
		     "show the functions that can be probed"),
		{ OPTION_GROUP, .help = "Where" },
		TEXT('x', "exec", "FILE", &q->exec, "a program or library; an absolute path as first word, too"),
		TEXT('m', "module", "MODULE", &q->module, "a kernel module, by name or by the path of its file"),
		TEXT('k', "vmlinux", "FILE", &q->vmlinux, "the kernel's file with debug information"),
		TEXT('s', "source", "DIR", &q->source, "where the source is"),
		TEXT(0, "symfs", "DIR", &q->symfs, "read programs and debug files below DIR"),
		DEBUGINFOD_ROW(&q->debuginfod),
		{ OPTION_INT, 0, "target-ns", &q->ns_pid, .arg = "PID",
		  .help = "see paths as this process sees them" },
		{ OPTION_GROUP, .help = "How" },
		FLAG('n', "dry-run", &q->dry_run, "only say what would be done"),
		FLAG('f', "force", &q->force, "add events of a name that exists, as NAME_1"),
		{ OPTION_FLAG, 0, "inlines", &q->inlines, .flags = OPT_NEGATE_ONLY,
		  .help = "leave inlined instances out" },
		{ OPTION_UINT, 0, "max-probes", &q->max_probes, .arg = "N",
		  .help = "most places of one definition (128)" },
		{ OPTION_UINT, 0, "maxactive", &q->maxactive, .arg = "N",
		  .help = "returns of a kernel function that can be awaited at a time" },
		FLAG(0, "cache", &q->cache, "keep added probes by name in the build-id cache; list, remove those"),
		FLAG(0, "bootconfig", &q->bootconfig, "-D in the form of the kernel's boot configuration"),
		FLAG(0, "externs", &q->externs, "-V: global variables, too"),
		FLAG(0, "range", &q->range, "-V: where in the function each variable lives"),
		TEXT(0, "filter", "FILTER", &q->filter, "-V, -F: only these names: globs with ! & | ( )"),
		FLAG(0, "demangle", &q->demangle, "names of programs as in their source (the default)"),
		FLAG(0, "demangle-kernel", &q->demangle_kernel, "names of the kernel as in their source"),
		{ OPTION_COUNT, 'v', "verbose", &q->ctx->verbose, .help = "say what is written to tracefs" },
		FLAG('q', "quiet", &q->ctx->quiet, "say only errors"),
		OPT_END_ROW,
	};

	int code;

	*o = (struct options){ .command = "probe", .usage = usage, .rows = rows, .settings = q };
	code = options_parse(o, argc, argv);
	o->rows = NULL; /* they end with this function */
	return code;
}

/* An absolute path; or another one with '/' that exists, when a definition follows. */
static bool is_target(const char *word, bool more)
{
	return *word == '/' || (more && strchr(word, '/') && !access(word, R_OK));
}

/* The words of the command line that are no options: [FILE] DEFINITION. */
static void take_words(struct request *q, int argc, const char **argv)
{
	const char **show = q->variables_given ? &q->variables :
			    q->lines_given     ? &q->lines :
			    q->functions_given ? &q->functions :
			    q->list_given      ? &q->list : NULL;
	struct strbuf b = STRBUF_INIT;
	int i = 0;

	if (argc && is_target(argv[0], argc > 1) && !q->exec && !q->module && !q->list_given &&
	    !q->remove.list.count) {
		if (strstr(path_base(argv[0]), ".ko"))
			q->module = argv[0];
		else
			q->exec = argv[0];
		i = 1;
	}
	if (show && !*show && i < argc)
		*show = argv[i++];
	q->words = argv + i;
	q->word_count = argc - i;
	for (; i < argc; i++)
		strbuf_f(&b, "%s%s", b.len ? " " : "", argv[i]);
	if (b.len)
		strlist_add(&q->add, b.s);
	strbuf_release(&b);
}

static int check_request(const struct options *o, const struct request *q)
{
	int what = (q->add.list.count > 0) + (q->define.list.count > 0) + (q->remove.list.count > 0) +
		   q->list_given + q->lines_given + q->variables_given + q->functions_given;

	if (!what)
		return options_usage_error(o, "nothing to do: no probe's definition");
	if (what > 1)
		return options_usage_error(o, "one thing at a time: add, define, remove or show%s%s",
					   q->word_count ? "; too many words: " : "",
					   q->word_count ? *vec_last(&q->add.list) : "");
	if (q->module && q->exec)
		return options_usage_error(o, "-m and -x exclude each other: a module or a program");
	if (q->lines_given && !q->lines)
		return options_usage_error(o, "-L needs a function or a file");
	if (q->variables_given && !q->variables)
		return options_usage_error(o, "-V needs a place");
	if (q->bootconfig && !q->define.list.count)
		return options_usage_error(o, "--bootconfig goes with -D");
	if ((q->externs || q->range) && !q->variables_given)
		return options_usage_error(o, "--externs and --range go with -V");
	if (!q->max_probes)
		return options_usage_error(o, "--max-probes 0 would allow no probe at all");
	if (q->ctx->quiet && q->ctx->verbose)
		return options_usage_error(o, "-q and -v exclude each other");
	return 0;
}

static void say(const struct request *q, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(const struct request *q, const char *fmt, ...)
{
	va_list ap;

	if (q->ctx->quiet)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

static void put_event(struct prober *p, const struct probe_event *e, struct strbuf *b)
{
	char *name = xasprintf("%s:%s", e->group, e->event);

	strbuf_f(b, "  %-20s (on ", name);
	prober_describe(p, e, b);
	strbuf_str(b, ")\n");
	free(name);
}

/* All definitions of list, as events. */
static int resolve(const struct request *q, struct prober *p, const struct strlist *list,
		   struct probe_events *events, struct reason *r)
{
	int err = 0;

	vec_for_each(&list->list, text) {
		struct probe_definition d = { .group = NULL };

		d.target.kind = q->target.kind;
		d.target.name = q->target.name ? xstrdup(q->target.name) : NULL;
		err = probe_definition_parse(&d, *text, r);
		if (!err)
			err = prober_resolve(p, &d, events, r);
		probe_definition_release(&d);
		if (err)
			break;
	}
	return err;
}

static void say_added(const struct request *q, struct prober *p, const struct probe_events *events)
{
	const struct probe_event *last = vec_last(&events->list);
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&events->list, e)
		put_event(p, e, &b);
	if (q->dry_run)
		say(q, "Would add new event%s:\n%s", events->list.count > 1 ? "s" : "", b.s);
	else
		say(q, "Added new event%s:\n%s\nYou can now use it in all perf tools, such as:\n\n"
		       "\tperf record -e %s:%s -aR sleep 1\n\n",
		    events->list.count > 1 ? "s" : "", b.s, last->group, last->event);
	strbuf_release(&b);
}

static void say_written(const struct request *q, const struct probe_events *events)
{
	vec_for_each(&events->list, e) {
		struct strbuf b = STRBUF_INIT;

		probe_event_text(&b, e);
		if (q->ctx->verbose)
			say(q, "Writing event: %s\n", b.s);
		strbuf_release(&b);
	}
}

/* What stands behind the name: "work n" of "g:e=work n". */
static const char *without_name(const char *text)
{
	size_t n = strcspn(text, "=;@+% ");

	return text[n] == '=' ? text + n + 1 : text;
}

/* The markers of a file are indexed together; else the definition is one entry. */
static int keep_one(const struct request *q, const char *text, const struct probe_events *events,
		    struct reason *r)
{
	const struct probe_event *first = events->list.items;
	int n;

	if (*text != '%' && !str_starts(text, "sdt_"))
		return probe_cache_add(q->ctx->buildid_dir, first->path, without_name(text), events, r);
	n = probe_cache_index(q->ctx->buildid_dir, first->path, r);
	return MIN(n, 0);
}

static int keep_in_cache(const struct request *q, struct prober *p, struct reason *r)
{
	int err = 0;

	vec_for_each(&q->add.list, text) {
		struct strlist one = { VEC_INIT };
		struct probe_events events = { VEC_INIT };

		strlist_add(&one, *text);
		err = resolve(q, p, &one, &events, r);
		if (!err)
			err = keep_one(q, *text, &events, r);
		probe_events_release(&events);
		strlist_release(&one);
		if (err)
			break;
	}
	return err;
}

/* A place rather than a value: "work:3", "work%return", the name of a function. */
static bool is_definition(const struct request *q, struct prober *p, const char *word)
{
	struct probe_definition d = { .group = NULL };
	struct probe_functions f = { VEC_INIT };
	const struct probe_point *pt = &d.point;
	bool place = !probe_definition_parse(&d, word, NULL) && !d.is_cached && !d.arguments.count;

	if (place && !pt->has_line && !pt->lazy && !pt->is_return && !pt->offset && !pt->file)
		place = pt->function && !prober_functions(p, &q->target, pt->function, &f, NULL);
	probe_functions_release(&f);
	probe_definition_release(&d);
	return place;
}

/* Words after the first are arguments, which who wrote several definitions did not mean. */
static void hint_words(const struct request *q, struct prober *p, struct reason *r)
{
	for (int i = 1; i < q->word_count; i++)
		if (is_definition(q, p, q->words[i])) {
			reason_hint(r, "words after the first are its arguments; several probes: -a '%s' -a '%s'",
				    q->words[0], q->words[i]);
			return;
		}
}

static int add(const struct request *q, struct prober *p, struct prober *unnamed, struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	struct probe_tracefs *t;
	int err = resolve(q, p, &q->add, &events, r);

	if (err)
		hint_words(q, p, r);
	if (!err && q->ctx->verbose)
		say_written(q, &events);
	if (!err && q->dry_run && !prober_tracefs(p, &t, NULL))
		err = probe_tracefs_check(t, events.list.items, events.list.count, r);
	if (!err && !q->dry_run)
		err = prober_tracefs(p, &t, r);
	if (!err && !q->dry_run)
		err = probe_tracefs_add(t, events.list.items, events.list.count, r);
	if (!err)
		say_added(q, p, &events);
	if (!err && q->cache && !q->dry_run)
		err = keep_in_cache(q, unnamed, r);
	probe_events_release(&events);
	return err;
}

/* ftrace.event.kprobes.NAME.probes: Documentation/trace/boottime-trace.rst */
static int put_bootconfig(struct out *out, const struct probe_event *e, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	char *place;

	if (e->path)
		return reason_set(r, EINVAL, "at boot there are kernel probes only, not '%s'", e->path);
	probe_event_text(&b, e);
	place = strchr(b.s, ' ') + 1;
	out_f(out, "ftrace.event.kprobes.%s.probes = '%.*s%s%s'\n", e->event, (int)strcspn(place, " "), place,
	      e->is_return ? "%return" : "", place + strcspn(place, " "));
	strbuf_release(&b);
	return 0;
}

static int define(const struct request *q, struct prober *p, struct out *out, struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	int err = resolve(q, p, &q->define, &events, r);

	vec_for_each(&events.list, e) {
		if (err)
			break;
		if (q->bootconfig) {
			err = put_bootconfig(out, e, r);
			continue;
		}
		probe_event_text(out_buf(out), e);
		out_str(out, "\n");
	}
	probe_events_release(&events);
	return err;
}

static int by_name(const void *a, const void *b)
{
	const struct probe_event *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->event, y->event);
}

/* The objects of the cache, each with its probes below. */
struct cached_list {
	struct out *out;
	char last[41]; /* build-id of the object before */
};

static int put_cached(void *arg, const struct probe_cache_entry *e)
{
	struct cached_list *l = arg;

	if (strcmp(l->last, e->build_id))
		out_f(l->out, "%s (%s):\n", e->path, e->build_id);
	snprintf(l->last, sizeof(l->last), "%s", e->build_id);
	out_f(l->out, "%s:%s=%s\n", e->group, e->event, e->definition);
	return 0;
}

static int list(const struct request *q, struct prober *p, struct out *out, struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	struct cached_list cached = { .out = out };
	struct probe_tracefs *t;
	int err;

	if (q->cache)
		return probe_cache_each(q->ctx->buildid_dir, put_cached, &cached, r);
	err = prober_tracefs(p, &t, r);
	if (!err)
		err = probe_tracefs_list(t, &events, r);
	vec_sort(&events.list, by_name);
	vec_for_each(&events.list, e)
		if (!err && (!q->list || probe_event_matches(e, q->list))) {
			put_event(p, e, out_buf(out));
			out_done(out);
		}
	probe_events_release(&events);
	return err;
}

static int remove_matching(const struct request *q, const struct probe_tracefs *t,
			   const struct probe_events *events, const char *pattern, struct reason *r)
{
	const struct probe_event *last = NULL;
	size_t hits = 0;

	vec_for_each(&events->list, e) {
		int err = 0;

		/* Several places may share one event: it goes as a whole. */
		if (!probe_event_matches(e, pattern) || (last && !by_name(last, e)))
			continue;
		if (!q->dry_run)
			err = probe_tracefs_delete(t, e, r);
		if (err)
			return err;
		say(q, "%s event: %s:%s\n", q->dry_run ? "Would remove" : "Removed", e->group, e->event);
		last = e;
		hits++;
	}
	if (hits)
		return 0;
	reason_set(r, ENOENT, "no probe is called '%s'", pattern);
	reason_hint(r, "'perf probe -l' lists them");
	return -ENOENT;
}

static int remove_cached(const struct request *q, const char *pattern, struct reason *r)
{
	struct strlist gone = { VEC_INIT };
	int n = probe_cache_remove(q->ctx->buildid_dir, pattern, &gone, r);

	vec_for_each(&gone.list, name)
		say(q, "Removed cached event: %s\n", *name);
	strlist_release(&gone);
	if (n)
		return MIN(n, 0);
	reason_set(r, ENOENT, "no cached probe is called '%s'", pattern);
	reason_hint(r, "'perf probe --cache -l' lists them");
	return -ENOENT;
}

static int remove_probes(const struct request *q, struct prober *p, struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	struct probe_tracefs *t = NULL;
	int err = 0;

	if (q->cache && q->dry_run)
		return reason_set(r, EINVAL, "--del --cache cannot be tried out: leave out -n");
	if (!q->cache)
		err = prober_tracefs(p, &t, r);
	vec_for_each(&q->remove.list, pattern) {
		if (!err && q->cache) {
			err = remove_cached(q, *pattern, r);
		} else if (!err) {
			err = probe_tracefs_list(t, &events, r);
			vec_sort(&events.list, by_name);
			if (!err)
				err = remove_matching(q, t, &events, *pattern, r);
			probe_events_release(&events);
		}
	}
	return err;
}

static int show(const struct request *q, struct prober *p, struct out *out, struct reason *r)
{
	const char *filter = q->functions ? q->functions : q->filter;
	const struct probe_show s = {
		.ctx = q->ctx, .prober = p, .target = q->target, .source = q->source, .filter = filter,
		.externs = q->externs, .ranges = q->range, .no_inlines = q->no_inlines,
		.max_probes = q->max_probes, .out = out,
	};
	int err = filter ? probe_filter_check(filter, r) : 0;

	if (err)
		return err;
	if (q->lines_given)
		return probe_show_lines(&s, q->lines, r);
	if (q->variables_given)
		return probe_show_variables(&s, q->variables, r);
	return probe_show_functions(&s, r);
}

static int run(const struct request *q, struct prober *p, struct prober *unnamed, struct reason *r)
{
	struct out out;
	int err, written;

	out_init(&out, STDOUT_FILENO);
	if (q->define.list.count)
		err = define(q, p, &out, r);
	else if (q->remove.list.count)
		err = remove_probes(q, p, r);
	else if (q->list_given)
		err = list(q, p, &out, r);
	else if (q->add.list.count)
		err = add(q, p, unnamed, r);
	else
		err = show(q, p, &out, r);
	written = out_release(&out);
	if (!err && written)
		err = reason_errno(r, -written, "cannot write the output");
	return err;
}

static void set_target(struct request *q)
{
	const char *name = q->exec ? q->exec : q->module;

	q->target.kind = q->exec ? PROBE_USER : q->module ? PROBE_MODULE : PROBE_KERNEL;
	q->target.name = name ? xstrdup(name) : NULL;
}

static void release(struct request *q)
{
	strlist_release(&q->add);
	strlist_release(&q->define);
	strlist_release(&q->remove);
	free(q->target.name);
}

/* What changes nothing needs no file of the running kernel. */
static bool only_shows(const struct request *q)
{
	return q->define.list.count || q->lines_given || q->variables_given || q->functions_given;
}

int cmd_probe(struct context *ctx, int argc, const char **argv)
{
	struct request q = { .ctx = ctx, .demangle = true, .inlines = true, .max_probes = MAX_PROBES };
	struct probe_settings settings;
	struct prober *p, *unnamed;
	struct reason r = REASON_INIT;
	struct options o;
	int code = parse_options(&q, &o, &argc, argv);

	if (!code) {
		take_words(&q, argc, argv);
		code = check_request(&o, &q);
	}
	if (code) {
		release(&q);
		return code < 0 ? 0 : code;
	}
	if (open_debug_servers(ctx, &q.debuginfod, &q.servers, &r)) {
		say_reason(&r);
		release(&q);
		return EXIT_USAGE;
	}
	set_target(&q);
	q.no_inlines = !q.inlines;
	settings = (struct probe_settings){
		.vmlinux = q.vmlinux, .source = q.source, .symfs = q.symfs, .buildid_dir = ctx->buildid_dir,
		.servers = q.servers,
		.no_demangle = !q.demangle, .demangle_kernel = q.demangle_kernel,
		.no_inlines = q.no_inlines, .force = q.force, .offline = only_shows(&q),
		.max_probes = q.max_probes, .maxactive = q.maxactive, .ns_pid = q.ns_pid,
	};
	p = prober_new(ctx, &settings);
	settings.offline = true; /* names as if none were taken */
	unnamed = prober_new(ctx, &settings);
	if (run(&q, p, unnamed, &r))
		code = say_reason(&r);
	prober_free(p);
	prober_free(unnamed);
	close_debug_servers(ctx, q.servers);
	release(&q);
	return say_conditions(ctx) ? 1 : code;
}
