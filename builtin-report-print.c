// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: the finished tables as text, JSON, folded stacks, a picture, or in the browser. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "builtin-report.h"
#include "cli/say.h"
#include "session/summary.h"
#include "ui/html/flamegraph.h"
#include "ui/stdio/folded.h"
#include "ui/stdio/json.h"
#include "ui/tui/report.h"
#include "ui/tui/screen.h"

static bool nothing_counted(const struct hist_view *v)
{
	for (u32 m = 0; m < v->member_count; m++)
		if (v->totals[m].samples)
			return false;
	return true;
}

static void print_fixed(struct report *p, const struct strlist *l, const char *what)
{
	if (l->list.count == 1)
		out_f(&p->out, "# %s: %s\n", what, l->list.items[0]);
}

static void header_text(void *arg, struct strbuf *b)
{
	const struct report *p = arg;

	data_header_print(session_data(p->session), b, true);
}

static void browse(struct report *p)
{
	const struct tui_report t = {
		.ctx = p->ctx, .hist = p->hist, .draw = &p->draw, .header = header_text,
		.annotate = report_annotate, .arg = p,
	};

	tui_report(&t, &p->other);
}

static void print_text(struct report *p)
{
	if (!p->ctx->quiet) {
		print_fixed(p, &p->comms, "comm");
		print_fixed(p, &p->dsos, "dso");
		print_fixed(p, &p->symbols, "symbol");
		if (p->set.one_socket)
			out_f(&p->out, "# Processor Socket: %d\n", p->set.socket);
		out_f(&p->out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
		      session_stats(p->session)->lost_samples);
	}
	for (size_t i = 0; i < hist_view_count(p->hist); i++) {
		const struct hist_view *v = hist_view(p->hist, i);

		if (p->skip_empty && nothing_counted(v))
			continue;
		if (!p->ctx->quiet)
			stdio_hist_title(v, p->time, out_buf(&p->out));
		if (p->hierarchy)
			stdio_hierarchy(&p->draw, v, &p->out);
		else
			stdio_hist(&p->draw, v, &p->out);
	}
	if (p->set.expansion == HIST_BRANCHES && !p->ctx->quiet)
		report_print_branch_types(p);
	if (!p->ctx->quiet)
		out_str(&p->out, "#\n# (Tip: exact numbers of samples: perf report -n)\n#\n");
	if (p->threads)
		report_print_threads(p);
}

/* "# NAME : VALUE" of the header's text as {"name":, "value":}; other lines are values alone. */
static void header_json_line(struct strbuf *b, const char *line, size_t len)
{
	const char *parts[] = { " : ", ": " };
	struct strbuf part = STRBUF_INIT;
	const char *value = NULL;

	line += MIN(len, (size_t)2);
	len -= MIN(len, (size_t)2);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !value; i++)
		value = memmem(line, len, parts[i], strlen(parts[i]));
	strbuf_char(b, '{');
	if (value) {
		size_t name = (size_t)(value - line), mark = value[0] == ' ' ? 3 : 2;

		while (name && line[name - 1] == ' ')
			name--;
		strbuf_add(&part, line, name);
		strbuf_str(b, "\"name\":");
		json_text(b, strbuf_cstr(&part));
		strbuf_char(b, ',');
		strbuf_clear(&part);
		len -= (size_t)(value - line) + mark;
		line = value + mark;
	}
	while (len && line[len - 1] == ' ')
		len--;
	strbuf_add(&part, line, len);
	strbuf_str(b, "\"value\":");
	json_text(b, strbuf_cstr(&part));
	strbuf_char(b, '}');
	strbuf_release(&part);
}

static void header_json(struct report *p, struct strbuf *b)
{
	struct strbuf text = STRBUF_INIT;
	const char *at, *end, *between = "\n";

	data_header_print(session_data(p->session), &text, p->show_info);
	strbuf_str(b, ",\n\"header\":[");
	for (at = strbuf_cstr(&text); *at; at = end + 1) {
		end = strchrnul(at, '\n');
		if (end - at > 2 && !str_starts(at, "# ===")) {
			strbuf_str(b, between);
			header_json_line(b, at, (size_t)(end - at));
			between = ",\n";
		}
		if (!*end)
			break;
	}
	strbuf_char(b, ']');
	strbuf_release(&text);
}

void report_json_begin(struct report *p)
{
	struct strbuf *b = out_buf(&p->out);

	strbuf_str(b, "{\"version\":1,\"file\":");
	json_text(b, data_path(session_data(p->session)));
	if (p->header || p->header_only)
		header_json(p, b);
}

int report_json_records(struct report *p, struct reason *r)
{
	struct strbuf *b = out_buf(&p->out);
	int err = 0;

	report_json_begin(p);
	if (p->stats) {
		strbuf_str(b, ",\n\"stats\":");
		err = session_stats_json(p->session, p->skip_empty, b, r);
	} else if (p->tasks || p->mmaps) {
		strbuf_str(b, ",\n\"tasks\":");
		err = session_tasks_json(p->session, p->mmaps, b, r);
	}
	if (err)
		strbuf_clear(b); /* what was begun is no document */
	else
		strbuf_str(b, "}\n");
	return err;
}

static void print_json(struct report *p)
{
	struct strbuf *b = out_buf(&p->out);
	bool first = true;

	report_json_begin(p);
	strbuf_f(b, ",\"lost_samples\":%" PRIu64 ",\"sort\":",
		 session_stats(p->session)->lost_samples);
	json_text(b, hist_sort_text(p->hist));
	strbuf_str(b, ",\"tables\":[");
	for (size_t i = 0; i < hist_view_count(p->hist); i++) {
		const struct hist_view *v = hist_view(p->hist, i);

		if (p->skip_empty && nothing_counted(v))
			continue;
		if (!first)
			strbuf_char(b, ',');
		strbuf_char(b, '\n');
		first = false;
		json_table(v, p->hierarchy, &p->out);
	}
	strbuf_char(b, ']');
	if (p->set.expansion == HIST_BRANCHES)
		report_json_branch_types(p);
	if (p->threads)
		report_json_threads(p);
	strbuf_str(b, "}\n");
}

/* ---- folded stacks and pictures ---- */

static void add_flame(struct report *p, const struct event *ev, bool alone, struct out *svg)
{
	struct hist_stacks *f = hist_stacks_new(p->hist, ev);
	bool periods = p->set.graph.value == CALL_GRAPH_PERIOD;
	const struct flamegraph g = {
		.title = ev->name, .subtitle = data_path(session_data(p->session)),
		.unit = periods ? "of the period" : "samples", .periods = periods,
	};

	if (svg)
		flamegraph_svg(&g, f, svg);
	else
		stdio_folded(f, alone ? NULL : ev->name, periods, &p->out);
	hist_stacks_free(f);
}

static const struct event *first_counted(const struct report *p, size_t *count)
{
	const struct event *first = NULL;

	*count = 0;
	for (size_t i = 0; i < hist_view_count(p->hist); i++) {
		const struct hist_view *v = hist_view(p->hist, i);

		for (u32 m = 0; m < v->member_count; m++) {
			if (!v->totals[m].samples)
				continue;
			first = first ? first : v->members[m];
			(*count)++;
		}
	}
	return first;
}

static int write_picture(struct report *p, const struct event *ev, size_t events,
			 struct reason *r)
{
	struct out svg;
	int fd, err;

	if (events > 1)
		say_note("the picture is of event '%s', the first of %zu", ev->name, events);
	if (!strcmp(p->flamegraph, "-")) {
		add_flame(p, ev, true, &p->out);
		return 0;
	}
	fd = open(p->flamegraph, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return reason_set(r, errno, "cannot write '%s': %s", p->flamegraph,
				  strerror(errno));
	out_init(&svg, fd);
	add_flame(p, ev, true, &svg);
	err = out_release(&svg);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		return reason_set(r, -err, "cannot write '%s': %s", p->flamegraph, strerror(-err));
	return 0;
}

/* Several events are told apart by a frame in front of all others. */
static int print_flames(struct report *p, struct reason *r)
{
	size_t count;
	const struct event *first = first_counted(p, &count);

	for (size_t i = 0; p->folded && i < hist_view_count(p->hist); i++) {
		const struct hist_view *v = hist_view(p->hist, i);

		for (u32 m = 0; m < v->member_count; m++)
			if (v->totals[m].samples)
				add_flame(p, v->members[m], count == 1, NULL);
	}
	return p->flamegraph ? write_picture(p, first, count, r) : 0;
}

static void say_nothing(const struct report *p)
{
	const char *path = data_path(session_data(p->session));

	if (p->cpus || p->time || p->switch_on || p->switch_off)
		say_warning("no sample of '%s' is of the CPUs and times asked for", path);
	else
		say_warning("'%s' has no samples", path);
}

static bool any_shown(const struct report *p)
{
	for (size_t i = 0; i < hist_view_count(p->hist); i++)
		for (u32 m = 0; m < hist_view(p->hist, i)->member_count; m++)
			if (hist_view(p->hist, i)->totals[m].shown_samples)
				return true;
	/* of callers that pass, only their callees have samples */
	for (size_t i = 0; i < hist_view_count(p->hist); i++)
		if (hist_view(p->hist, i)->entry_count)
			return true;
	return false;
}

int report_print(struct report *p, struct reason *r)
{
	bool any = false;

	if (p->total_cycles) {
		report_print_blocks(p);
		return 0;
	}
	for (size_t i = 0; i < hist_view_count(p->hist); i++)
		any |= !nothing_counted(hist_view(p->hist, i));
	if (any && p->tui) {
		browse(p);
		return 0;
	}
	if (!any && !p->json) {
		screen_close();
		say_nothing(p);
		return 0; /* as 6.1: a quiet recording is no failure */
	}
	if (any && !any_shown(p) && !p->json)
		say_warning("no sample of '%s' passes the filters",
			       data_path(session_data(p->session)));
	if (p->folded || p->flamegraph)
		return print_flames(p, r);
	if (p->json) {
		print_json(p);
		return 0;
	}
	print_text(p);
	return 0;
}
