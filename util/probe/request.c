// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The request of perf probe: the words of its command line, which options go together, what to do.
 */
#include "probe/request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/file.h"
#include "base/out.h"
#include "probe/filter.h"
#include "probe/probe.h"
#include "probe/request_internal.h"
#include "probe/show.h"

/*
 * Reports whether the word is a target: an absolute path or, before a definition, another existing
 * path with '/'.
 */
static bool is_target(const char *word, bool more)
{
	return *word == '/' || (more && strchr(word, '/') && !file_access(word, R_OK));
}

void probe_request_words(struct probe_request *q, int argc, const char **argv)
{
	const char **show = q->variables_given   ? &q->variables
			    : q->lines_given     ? &q->lines
			    : q->functions_given ? &q->functions
			    : q->list_given      ? &q->list
						 : NULL;
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

int probe_request_check(const struct probe_request *q, struct reason *r)
{
	int what = (q->add.list.count > 0) + (q->define.list.count > 0) +
		   (q->remove.list.count > 0) + q->list_given + q->lines_given +
		   q->variables_given + q->functions_given;

	if (!what)
		return reason_set(r, EINVAL, "nothing to do: no probe is defined");
	if (what > 1 && q->word_count && q->define.list.count)
		return reason_set(
			r, EINVAL,
			"a definition with its arguments is one word of the shell: -D '%s %s'",
			*vec_last(&q->define.list), *vec_last(&q->add.list));
	if (what > 1)
		return reason_set(r, EINVAL, "one thing at a time: add, define, remove or show%s%s",
				  q->word_count ? "; too many words: " : "",
				  q->word_count ? *vec_last(&q->add.list) : "");
	if (q->module && q->exec)
		return reason_set(r, EINVAL, "-m and -x exclude each other: a module or a program");
	if (q->lines_given && !q->lines)
		return reason_set(r, EINVAL, "-L needs a function or a file");
	if (q->variables_given && !q->variables)
		return reason_set(r, EINVAL, "-V needs a place");
	if (q->bootconfig && !q->define.list.count)
		return reason_set(r, EINVAL, "--bootconfig goes with -D");
	if ((q->externs || q->range) && !q->variables_given)
		return reason_set(r, EINVAL, "--externs and --range go with -V");
	if (q->filter && !q->variables_given && !q->functions_given)
		return reason_set(r, EINVAL, "--filter goes with -V and -F");
	if (!q->max_probes)
		return reason_set(r, EINVAL, "--max-probes 0 would allow no probe at all");
	if (q->ctx->quiet && q->ctx->verbose)
		return reason_set(r, EINVAL, "-q and -v exclude each other");
	return 0;
}

/* Prints ftrace.event.kprobes.NAME.probes, see Documentation/trace/boottime-trace.rst. */
static int put_bootconfig(struct out *out, const struct probe_event *e, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	char *place;

	if (e->path)
		return reason_set(r, EINVAL, "at boot there are kernel probes only, not '%s'",
				  e->path);
	probe_event_text(&b, e);
	place = strchr(b.s, ' ') + 1;
	out_f(out, "ftrace.event.kprobes.%s.probes = '%.*s%s%s'\n", e->event,
	      (int)strcspn(place, " "), place, e->is_return ? "%return" : "",
	      place + strcspn(place, " "));
	strbuf_release(&b);
	return 0;
}

static int define(const struct probe_request *q, struct prober *p, struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	int err = probe_resolve_all(q, p, &q->define, &events, r);

	vec_for_each(&events.list, e) {
		if (err)
			break;
		if (q->bootconfig) {
			err = put_bootconfig(q->out, e, r);
			continue;
		}
		probe_event_text(out_buf(q->out), e);
		out_str(q->out, "\n");
	}
	probe_events_release(&events);
	return err;
}

static int show(const struct probe_request *q, struct prober *p, struct reason *r)
{
	const char *filter = q->functions ? q->functions : q->filter;
	const struct probe_show s = {
		.ctx = q->ctx,
		.prober = p,
		.target = q->target,
		.source = q->source,
		.filter = filter,
		.externs = q->externs,
		.ranges = q->range,
		.no_inlines = !q->inlines,
		.max_probes = q->max_probes,
		.out = q->out,
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

static void set_target(struct probe_request *q)
{
	const char *name = q->exec ? q->exec : q->module;

	q->target.kind = q->exec ? PROBE_USER : q->module ? PROBE_MODULE : PROBE_KERNEL;
	q->target.name = name ? xstrdup(name) : NULL;
}

void probe_request_release(struct probe_request *q)
{
	strlist_release(&q->add);
	strlist_release(&q->define);
	strlist_release(&q->remove);
	free(q->target.name);
}

/* Requests that change nothing need no file of the running kernel. */
static bool only_shows(const struct probe_request *q)
{
	return q->define.list.count || q->lines_given || q->variables_given || q->functions_given;
}

static int run(const struct probe_request *q, struct prober *p, struct prober *unnamed,
	       struct reason *r)
{
	if (q->define.list.count)
		return define(q, p, r);
	if (q->remove.list.count)
		return probe_remove(q, p, r);
	if (q->list_given)
		return probe_list(q, p, r);
	if (q->add.list.count)
		return probe_add(q, p, unnamed, r);
	return show(q, p, r);
}

int probe_request_run(struct probe_request *q, struct reason *r)
{
	/* clang-format off */
	struct probe_settings settings = {
		.vmlinux = q->vmlinux, .source = q->source, .symfs = q->symfs,
		.buildid_dir = q->ctx->buildid_dir, .servers = q->servers,
		.no_demangle = !q->demangle, .demangle_kernel = q->demangle_kernel,
		.no_inlines = !q->inlines, .force = q->force, .offline = only_shows(q),
		.max_probes = q->max_probes, .maxactive = q->maxactive, .ns_pid = q->ns_pid,
	};
	/* clang-format on */
	struct prober *p, *unnamed;
	int err;

	set_target(q);
	p = prober_new(q->ctx, &settings);
	settings.offline = true; /* choose names as if none were taken */
	unnamed = prober_new(q->ctx, &settings);
	err = run(q, p, unnamed, r);
	prober_free(p);
	prober_free(unnamed);
	return err;
}
