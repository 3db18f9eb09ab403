// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: the finished tables as text, as JSON, or in the browser. */
#include <string.h>

#include "base/json.h"
#include "builtin/report/internal.h"
#include "builtin/report/paths.h"
#include "cli/say.h"
#include "session/summary.h"
#include "ui/stdio/branch_types.h"
#include "ui/stdio/json.h"
#include "ui/stdio/threads.h"
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
		out_f(&p->a.out, "# %s: %s\n", what, l->list.items[0]);
}

static void header_text(void *arg, struct strbuf *b)
{
	const struct report *p = arg;

	data_header_print(session_data(p->a.session), b, true);
}

static void truth_words(void *arg, const struct hist_view *v, struct strbuf *b)
{
	const struct report *p = arg;

	truth_short(&p->truth, v->members, v->member_count, b);
}

static void causes_text(void *arg, struct strbuf *b)
{
	const struct report *p = arg;

	truth_causes_text(&p->truth, b);
}

static void browse(struct report *p)
{
	const struct tui_report t = {
		.ctx = p->a.ctx,
		.hist = p->profile.hist,
		.draw = &p->o.draw,
		.hierarchy = p->o.what.hierarchy,
		.header = header_text,
		.truth = truth_words,
		.causes = causes_text,
		.annotate = report_annotate,
		.arg = p,
		.file = data_is_pipe(session_data(p->a.session))
				? NULL
				: data_path(session_data(p->a.session)),
	};

	tui_report(&t, &p->other);
}

/*
 * Says in one line what every reader of the table should know about its chains; notes have the
 * rest.
 */
static void print_cut_chains(struct report *p)
{
	const struct session_cut_chains cut = session_cut_chains(p->a.session);
	struct strbuf *b = out_buf(&p->a.out);

	if (!cut.count || !p->profile.set.chains)
		return;
	strbuf_f(b, "# %" PRIu64 " call chain%s end%s early in '", cut.count,
		 cut.count == 1 ? "" : "s", cut.count == 1 ? "s" : "");
	strbuf_printable(b, path_base(cut.object));
	strbuf_char(b, '\'');
	if (cut.objects > 1)
		strbuf_f(b, " and %zu more", cut.objects - 1);
	strbuf_str(b, ": report --stats shows why\n#\n");
}

/*
 * Returns a tip. Rows of waits are functions of the scheduler in the default table, which is the
 * same as in 6.1.
 */
static const char *tip(const struct report *p)
{
	struct hist_times times;

	if (!p->o.what.sort && !p->o.what.fields &&
	    event_set_has_chains(session_events(p->a.session)) &&
	    hist_times_find(p->profile.hist, &times))
		return "where the program waited: perf report --no-children -s place";
	return "exact numbers of samples: perf report -n";
}

static void print_text(struct report *p)
{
	bool first = true;

	if (!p->a.ctx->quiet) {
		print_fixed(p, &p->o.filters.comms, "comm");
		print_fixed(p, &p->o.filters.dsos, "dso");
		print_fixed(p, &p->o.filters.symbols, "symbol");
		if (p->profile.set.one_socket)
			out_f(&p->a.out, "# Processor Socket: %d\n", p->profile.set.socket);
		out_f(&p->a.out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
		      session_stats(p->a.session)->lost_samples);
	}
	for (size_t i = 0; i < hist_view_count(p->profile.hist); i++) {
		const struct hist_view *v = hist_view(p->profile.hist, i);

		if (p->o.skip_empty && nothing_counted(v))
			continue;
		if (!p->a.ctx->quiet)
			stdio_hist_title(v, p->o.filters.time, out_buf(&p->a.out));
		if (!p->a.ctx->quiet)
			report_print_truth(p, v);
		if (!p->a.ctx->quiet && first)
			print_cut_chains(p);
		first = false;
		if (p->o.what.hierarchy)
			stdio_hierarchy(&p->o.draw, v, &p->a.out);
		else
			stdio_hist(&p->o.draw, v, &p->a.out);
		report_say_made_code(p, v);
	}
	if (p->profile.set.expansion == HIST_BRANCHES && !p->a.ctx->quiet)
		stdio_branch_types(&p->profile, out_buf(&p->a.out));
	if (!p->a.ctx->quiet)
		out_f(&p->a.out, "#\n# (Tip: %s)\n#\n", tip(p));
	if (p->o.what.readings)
		stdio_threads(&p->profile, p->o.pretty && !strcmp(p->o.pretty, "raw"),
			      out_buf(&p->a.out));
}

int report_json_records(struct report *p, struct reason *r)
{
	struct strbuf *b = out_buf(&p->a.out);
	int err = 0;

	report_json_begin(p);
	if (p->o.stats) {
		strbuf_str(b, ",\n\"stats\":");
		err = session_stats_json(p->a.session, p->o.skip_empty, b, r);
	} else if (p->o.tasks || p->o.mmaps) {
		strbuf_str(b, ",\n\"tasks\":");
		err = session_tasks_json(p->a.session, p->o.mmaps, b, r);
	}
	if (err)
		strbuf_clear(b); /* an unfinished document is worthless */
	else
		strbuf_str(b, "}\n");
	return err;
}

static void print_json(struct report *p)
{
	struct strbuf *b = out_buf(&p->a.out);
	struct paths paths = { 0 };
	bool first = true;

	report_json_begin(p);
	strbuf_f(b, ",\"lost_samples\":%" PRIu64 ",\"sort\":",
		 session_stats(p->a.session)->lost_samples);
	json_text(b, hist_sort_text(p->profile.hist));
	strbuf_str(b, ",\n\"truth\":");
	truth_json(&p->truth, b);
	paths_find(&paths, p->profile.hist, p->o.what.set.percent_limit);
	strbuf_str(b, ",\n\"paths\":");
	paths_json(&paths, b);
	paths_release(&paths);
	strbuf_str(b, ",\"tables\":[");
	for (size_t i = 0; i < hist_view_count(p->profile.hist); i++) {
		const struct hist_view *v = hist_view(p->profile.hist, i);

		if (p->o.skip_empty && nothing_counted(v))
			continue;
		if (!first)
			strbuf_char(b, ',');
		strbuf_char(b, '\n');
		first = false;
		json_table(v, p->o.what.hierarchy, JSON_LINE_FOR_EACH_ROW, &p->a.out);
	}
	strbuf_char(b, ']');
	if (p->profile.set.expansion == HIST_BRANCHES)
		json_branch_types(&p->profile, b);
	if (p->o.what.readings)
		json_threads(&p->profile, b);
	strbuf_str(b, "}\n");
}

static void say_nothing(const struct report *p)
{
	const char *path = data_path(session_data(p->a.session));

	if (p->o.filters.cpu_text || p->o.filters.time || p->o.what.hide_idle ||
	    p->o.what.switch_on || p->o.what.switch_off)
		say_warning("no sample of '%s' is from the requested CPUs, times and tasks", path);
	else
		say_warning("'%s' has no samples", path);
}

static bool any_shown(const struct report *p)
{
	for (size_t i = 0; i < hist_view_count(p->profile.hist); i++)
		for (u32 m = 0; m < hist_view(p->profile.hist, i)->member_count; m++)
			if (hist_view(p->profile.hist, i)->totals[m].shown_samples)
				return true;
	/* callers without samples themselves pass when their callees have some */
	for (size_t i = 0; i < hist_view_count(p->profile.hist); i++)
		if (hist_view(p->profile.hist, i)->entry_count)
			return true;
	return false;
}

int report_print(struct report *p, struct reason *r)
{
	bool any = false;

	if (p->o.what.total_cycles) {
		report_blocks(p);
		return 0;
	}
	for (size_t i = 0; i < hist_view_count(p->profile.hist); i++)
		any |= !nothing_counted(hist_view(p->profile.hist, i));
	if (any && p->tui) {
		browse(p);
		return 0;
	}
	if (!any && !p->o.json) {
		screen_close();
		say_nothing(p);
		if (p->o.brief)
			report_brief(p);
		/* as in 6.1 it is not a failure; a picture of an earlier run must not stay */
		return p->o.flamegraph ? report_flames(p, r) : 0;
	}
	if (any && !any_shown(p) && !p->o.json)
		say_warning("no sample of '%s' passes the filters",
			    data_path(session_data(p->a.session)));
	if (p->o.brief) {
		report_brief(p);
		return 0;
	}
	if (p->o.folded || p->o.flamegraph)
		return report_flames(p, r);
	if (p->o.json) {
		print_json(p);
		return 0;
	}
	print_text(p);
	return 0;
}
