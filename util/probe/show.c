// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be probed: the text of perf probe -L, -V and -F. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "probe/places.h"
#include "probe/filter.h"
#include "probe/functions.h"
#include "probe/probe.h"
#include "probe/show.h"

/* Prints a line of text in a form that is safe for the terminal: a source file is not ours. */
static void put_line(struct out *o, const char *line)
{
	struct strbuf *b = out_buf(o);
	const char *tab;

	while ((tab = strchr(line, '\t'))) {
		char *part = xstrndup(line, (size_t)(tab - line));

		strbuf_printable(b, part);
		strbuf_char(b, '\t');
		free(part);
		line = tab + 1;
	}
	strbuf_printable(b, line);
	strbuf_char(b, '\n');
	out_done(o);
}

/* Lines shown after a function's last one. */
#define LINES_AFTER 2

/*
 * Prints the lines. Where debug information does not say where an inlined function ends, a brace
 * does.
 */
static size_t put_lines(const struct probe_show *s, const struct probe_lines *l, unsigned last,
			FILE *source)
{
	bool open_end = l->function && last == UINT32_MAX;
	char *line = NULL;
	size_t space = 0, next = 0, count = 0;
	ssize_t n;

	for (unsigned number = 1; number <= last && (n = getline(&line, &space, source)) >= 0;
	     number++) {
		while (next < l->lines.count && l->lines.items[next] < number)
			next++;
		if (number < l->first)
			continue;
		line[strcspn(line, "\r\n")] = '\0';
		if (next < l->lines.count && l->lines.items[next] == number)
			strbuf_f(out_buf(s->out), "%7u  ", number - l->base);
		else
			strbuf_pad(out_buf(s->out), ' ', 9);
		put_line(s->out, line);
		count++;
		if (open_end && *line == '}')
			break;
	}
	free(line);
	return count;
}

static int show_range(const struct probe_show *s, struct debuginfo *debug,
		      const struct probe_lines *l, bool to_end, bool whole, struct reason *r)
{
	unsigned last = to_end && l->function && l->last < UINT32_MAX - LINES_AFTER
				? l->last + LINES_AFTER
				: l->last;
	char *path;
	FILE *f;
	int err = debuginfo_find_source(debug, l->file, l->directory, s->source, &path, r);

	if (err)
		return err;
	f = file_stream_source(path, r);
	if (!f) {
		err = -errno;
	} else {
		if (l->function)
			strbuf_f(out_buf(s->out), "<%s@%s:%u>\n", l->function, path,
				 l->first - l->base);
		else
			strbuf_f(out_buf(s->out), "<%s:%u>\n", path, whole ? 0 : l->first);
		if (!put_lines(s, l, last, f)) {
			strbuf_truncate(out_buf(s->out), 0);
			err = reason_set(r, ENOENT, "no such lines: %s %s",
					 l->function ? l->function : path,
					 l->function ? "ends before" : "is shorter");
			reason_hint(r, "'perf probe -L %s' shows all of them",
				    l->function ? l->function : path);
		}
		fclose(f);
	}
	free(path);
	return err;
}

int probe_show_lines(const struct probe_show *s, const char *range, struct reason *r)
{
	struct probe_point point = { NULL };
	struct probe_lines lines = { NULL };
	struct debuginfo *debug;
	int err = probe_line_range_parse(&point, range, r);

	if (!err)
		err = prober_debuginfo(s->prober, &s->target, &debug, r);
	if (!err)
		err = probe_lines_find(debug, &point, &lines, r);
	if (!err)
		err = show_range(s, debug, &lines, point.line_end == UINT32_MAX, !point.has_line,
				 r);
	probe_lines_release(&lines);
	probe_point_release(&point);
	return err;
}

/* The variables of one place, each a line. */
struct variables {
	const struct probe_show *show;
	const char *filter;
	struct strlist lines;
};

static int take_variable(void *arg, const struct probe_variable *v)
{
	struct variables *all = arg;
	struct strbuf b = STRBUF_INIT;

	if (!probe_filter_match(all->filter, v->name))
		return 0;
	if (all->show->ranges)
		strbuf_str(&b, v->state == PROBE_VARIABLE_EXTERN  ? "[EXT]\t"
			       : v->state == PROBE_VARIABLE_VALID ? "[VAL]\t"
								  : "[INV]\t");
	strbuf_f(&b, "%s\t%s", v->type, v->name);
	if (v->ranges)
		strbuf_f(&b, "\t%s",
			 *v->ranges                         ? v->ranges
			 : v->state == PROBE_VARIABLE_VALID ? "@<constant>"
							    : "@<optimised out>");
	if (!strlist_has(&all->lines, b.s))
		strlist_add(&all->lines, b.s);
	strbuf_release(&b);
	return 0;
}

static int show_place(const struct probe_show *s, struct debuginfo *debug,
		      const struct probe_place *place, struct reason *r)
{
	struct variables all = { .show = s,
				 .filter = s->filter ? s->filter : "!__k???tab_* & !__crc_*" };
	int err = probe_each_variable(debug, place, s->externs, s->ranges, take_variable, &all, r);

	if (err)
		return err;
	out_f(s->out, "\t@<%s+%llu>\n", place->function ? place->function : "?",
	      (unsigned long long)place->function_offset);
	strlist_sort(&all.lines);
	vec_for_each(&all.lines.list, line)
		out_f(s->out, "\t\t%s\n", *line);
	if (!all.lines.list.count)
		out_str(s->out, "\t\t(No matched variables)\n");
	strlist_release(&all.lines);
	return 0;
}

static int show_places(const struct probe_show *s, const struct probe_definition *d,
		       struct reason *r)
{
	const struct probe_search search = { .no_inlines = s->no_inlines,
					     .max = s->max_probes,
					     .source = s->source };
	struct probe_places places = { VEC_INIT };
	struct debuginfo *debug;
	struct strbuf point = STRBUF_INIT;
	int err = prober_debuginfo(s->prober, &s->target, &debug, r);

	if (!err)
		err = probe_places_find(debug, d, &search, &places, r);
	probe_point_text(&point, &d->point);
	if (!err)
		out_f(s->out, "Available variables at %s\n", strbuf_cstr(&point));
	vec_for_each(&places.list, place)
		if (!err)
			err = show_place(s, debug, place, r);
	strbuf_release(&point);
	probe_places_release(&places);
	return err;
}

int probe_show_variables(const struct probe_show *s, const char *point, struct reason *r)
{
	struct probe_definition d = { .group = NULL };
	int err = probe_definition_parse(&d, point, r);

	if (!err && (d.arguments.count || d.event)) {
		err = reason_set(r, EINVAL, "-V takes a place only, without name and arguments");
		reason_hint(r, "perf probe -V FUNCTION, FUNCTION:LINE or FILE:LINE");
	}
	if (!err)
		err = show_places(s, &d, r);
	probe_definition_release(&d);
	return err;
}

int probe_show_functions(const struct probe_show *s, struct reason *r)
{
	const char *filter = s->filter ? s->filter : "!_* & !*@plt";
	struct probe_functions all = { VEC_INIT };
	struct strlist names = { VEC_INIT };
	const char *last = NULL;
	int err = prober_functions(s->prober, &s->target, NULL, &all, r);

	if (!err)
		vec_for_each(&all.list, f)
			if (probe_filter_match(filter, f->name))
				strlist_add(&names, f->name);
	strlist_sort(&names);
	vec_for_each(&names.list, name) {
		if (!last || strcmp(last, *name))
			put_line(s->out, *name);
		last = *name;
	}
	if (!err && !last)
		err = reason_set(r, ENOENT, "no function passes the filter '%s'", filter);
	strlist_release(&names);
	probe_functions_release(&all);
	return err;
}
