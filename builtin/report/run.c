// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: each file from its opening to its output. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/self_profile.h"
#include "builtin/report/internal.h"
#include "cli/config.h"
#include "cli/say.h"
#include "dump/raw_dump.h"
#include "session/summary.h"
#include "ui/open.h"
#include "ui/settings.h"
#include "ui/tui/report.h"
#include "ui/tui/screen.h"

/* Of warnings and hints: the user asked for the profile. */
#define MOST_LINES 3

/*
 * Reports whether to open the browser: the user is at a terminal and asked for nothing that only
 * plain text offers.
 */
static bool wants_tui(const struct report *p)
{
	const struct report_options *o = &p->o;
	const char *ui = config_get(p->a.ctx, "report.ui");

	if (o->stdio || o->draw.separator || o->header || o->header_only || o->stats || o->tasks ||
	    o->mmaps || o->dump || o->what.readings || o->folded || o->flamegraph || o->json ||
	    o->what.total_cycles || o->require.list.count || o->brief)
		return false;
	if (o->tui)
		return true;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !screen_built_in())
		return false;
	if (ui)
		return !strcmp(ui, "tui");
	return config_bool(p->a.ctx, "tui.report", true);
}

static u64 seen_samples(void *arg, u64 *all)
{
	return profile_seen(arg, all);
}

/* Reports whether the picture goes into a file, which is not output that -q leaves out. */
static bool writes_picture(const struct report *p)
{
	return p->o.flamegraph && strcmp(p->o.flamegraph, "-") && !p->o.folded;
}

static int report_samples(struct report *p, struct reason *r)
{
	struct tui_loading *loading = NULL;
	int err = profile_begin(&p->profile, &p->o.what, p->a.session, r);

	if (!err && p->tui)
		loading = tui_loading_start(data_path(session_data(p->a.session)), seen_samples,
					    &p->profile);
	if (!err)
		err = profile_read(&p->profile, r);
	tui_loading_stop(loading);
	if (err)
		return err;
	if (!p->o.what.total_cycles)
		report_find_truth(p);
	phase_begin("draw");
	/* with -q, only conditions that do not hold are wanted */
	if (!p->a.ctx->quiet || !p->o.require.list.count || writes_picture(p))
		err = report_print(p, r);
	phase_end();
	return err;
}

static bool is_table(const struct report *p)
{
	return !p->tui && !p->o.stats && !p->o.folded && !p->o.flamegraph && !p->o.tasks &&
	       !p->o.mmaps && !p->o.json && !p->o.brief;
}

static int report_file(struct report *p, struct reason *r)
{
	struct data_reader *d = session_data(p->a.session);
	const struct report_options *o = &p->o;
	struct out *out = &p->a.out;

	if (o->json && (o->header_only || o->stats || o->tasks || o->mmaps))
		return report_json_records(p, r);
	if (!o->json && (o->header || o->header_only)) /* in JSON a member of the document */
		data_header_print(d, out_buf(out), o->show_info);
	else if (is_table(p) && !p->a.ctx->quiet)
		out_str(out, "# To display the perf.data header info, please use "
			     "--header/--header-only options.\n#\n");
	p->heading = out_buf(out)->len;
	if (o->header_only)
		return 0;
	if (o->itrace.given && data_has_feature(d, FEATURE_AUXTRACE))
		say_warning("AUX area data is not decoded: --itrace has no effect");
	if (o->dump)
		return raw_dump(p->a.session, o->skip_empty, o->disable_order, out, r);
	if (o->stats)
		return session_stats_text(p->a.session, o->skip_empty, out_buf(out), r);
	if (o->tasks || o->mmaps)
		return session_tasks_text(p->a.session, o->mmaps, out_buf(out), r);
	return report_samples(p, r);
}

static int run_file(struct report *p)
{
	struct reason r = REASON_INIT;
	int code, broken;

	if (analysis_begin(&p->a, &r))
		return say_reason(&r);
	p->tui = wants_tui(p);
	code = open_browser_or_pager(p->a.ctx, "report", p->o.tui, &p->tui,
				     p->a.open.symbols.servers, &r);
	p->o.what.gather = p->tui;
	if (!code)
		code = report_file(p, &r);
	screen_close();
	if (code < 0 && out_buf(&p->a.out)->len == p->heading) /* the table will not come */
		strbuf_clear(out_buf(&p->a.out));
	report_code_release(p);
	phase_begin("free the tables");
	profile_release(&p->profile);
	phase_end();
	code = analysis_end(&p->a, code, &r);
	broken = report_say_broken(p);
	return code ? code : broken;
}

/* Shows the requested file, then those that the user chooses in the browser. */
int report_run(struct report *p)
{
	struct reason r = REASON_INIT;
	char *chosen = NULL;
	int code;

	if (report_parse_texts(p, &r) || analysis_prepare(&p->a, &r))
		return say_reason(&r), EXIT_USAGE;
	if (!p->o.stats) /* --stats is used to see what is wrong, so it shows all conditions */
		p->a.ctx->most_lines = MOST_LINES;
	do {
		p->other = NULL;
		code = run_file(p);
		free(chosen);
		p->a.open.input = chosen = p->other;
		if (chosen)
			condition_list_release(&p->a.ctx->conditions); /* they were reported */
	} while (chosen);
	return code;
}

/*
 * Returns the sort order of the configuration. 6.1 calls it sort_order; its page once said
 * sort-order.
 */
static const char *sort_setting(const struct context *ctx)
{
	const char *order = config_get(ctx, "report.sort_order");

	return order ? order : config_get(ctx, "report.sort-order");
}

void report_init(struct report *p, struct context *ctx)
{
	*p = (struct report){
		.o = {
			.skip_empty = config_bool(ctx, "report.skip-empty", true), .max_stack = 127,
			.percent_limit = config_get(ctx, "report.percent-limit"),
			.source = !config_bool(ctx, "annotate.hide_src_code", false),
			.what = {
				.children = config_bool(ctx, "report.children", true),
				.group = config_bool(ctx, "report.group", true),
				.sort = sort_setting(ctx),
				.set = {
					.graph = { .mode = CALL_GRAPH_GRAPH, .threshold = 0.5 },
					.call_sites = true, .inlines = true,
					.time_quantum = 100000000,
				},
				.code = {
					.objdump = config_get(ctx, "annotate.objdump"),
					.syntax = config_get(ctx, "annotate.disassembler_style"),
				},
			},
		},
	};
	call_graph_from_settings(ctx, &p->o.what.set.graph);
	analysis_init(&p->a, ctx);
	analysis_name_settings(&p->a);
}

void report_release(struct report *p)
{
	analysis_release(&p->a);
	sample_filters_release(&p->o.filters);
	require_release(&p->o.require);
	free(p->o.width_list);
	free(p->o.parallelism_wanted);
}
