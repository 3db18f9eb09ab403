// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: a recorded profile, grouped and drawn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin-report.h"
#include "cli/config.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "object/debug_servers.h"
#include "ui/open.h"
#include "ui/tui/screen.h"

/* A person at a terminal, who did not ask for what only plain text has. */
static bool wants_tui(const struct report *p)
{
	const char *ui = config_get(p->ctx, "report.ui");

	if (p->stdio || p->draw.separator || p->header || p->header_only || p->stats ||
	    p->tasks || p->mmaps || p->dump || p->threads ||
	    p->folded || p->flamegraph || p->json || p->total_cycles)
		return false;
	if (p->tui_given)
		return true;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !screen_built_in())
		return false;
	if (ui)
		return !strcmp(ui, "tui");
	return config_bool(p->ctx, "tui.report", true);
}

static int run_ui(struct report *p, struct reason *r)
{
	int code;

	p->tui = wants_tui(p);
	code = open_browser_or_pager(p->ctx, "report", p->tui_given, &p->tui,
				     p->open.symbols.servers, r);

	if (!code)
		code = report_run(p, r);
	screen_close();
	return code;
}

static int run_file(struct report *p)
{
	struct reason r = REASON_INIT;
	int code, err;

	if (session_open(p->ctx, &p->open, &p->session, &r))
		return say_reason(&r);
	out_init(&p->out, STDOUT_FILENO);
	code = run_ui(p, &r);
	if (code < 0) {
		say_reason(&r);
		code = p->wrong_use ? EXIT_USAGE : 1;
		if (p->wrong_use) /* the heading of a table that will not come */
			strbuf_clear(out_buf(&p->out));
	}
	err = out_release(&p->out);
	if (say_output(err))
		code = 1;
	debug_servers_conditions(p->open.symbols.servers, &p->ctx->conditions);
	if (say_conditions(p->ctx) && !code)
		code = 1;
	hist_free(p->hist);
	report_types_release(p);
	report_blocks_release(p);
	report_chains_release(p);
	report_annotate_release(p);
	session_free(p->session);
	map64_release(&p->read_values);
	report_side_release(p);
	free(p->branch_types);
	p->branch_types = NULL;
	for (unsigned i = 0; p->paths && i < p->collector_count; i++)
		vec_release(&p->paths[i].ips);
	free(p->paths);
	p->paths = NULL;
	free(p->sockets);
	p->hist = NULL;
	return code;
}

/* The file that was asked for, then those that are chosen in the browser. */
static int open_and_run(struct report *p)
{
	struct reason r = REASON_INIT;
	char *chosen = NULL;
	int code;

	if (report_parse_texts(p, &r))
		return say_reason(&r), EXIT_USAGE;
	p->open.symbols.symfs = p->open.symbols.symfs ? p->open.symbols.symfs : p->ctx->symfs;
	p->open.symbols.no_demangle = !p->demangle;
	p->open.symbols.buildid_dir = p->ctx->buildid_dir;
	if (open_debug_servers(p->ctx, &p->debuginfod, &p->open.symbols.servers, &r))
		return say_reason(&r), EXIT_USAGE;
	do {
		p->other = NULL;
		code = run_file(p);
		free(chosen);
		p->open.input = chosen = p->other;
		if (chosen)
			condition_list_release(&p->ctx->conditions); /* they were said */
	} while (chosen);
	debug_servers_free(p->open.symbols.servers);
	strlist_release(&p->comms);
	strlist_release(&p->dsos);
	strlist_release(&p->symbols);
	sample_choice_release(&p->choice);
	free(p->width_list);
	free(p->parallelism_wanted);
	free(p->set.pids);
	free(p->set.tids);
	return code;
}

int cmd_report(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf report [<options>] [SYMBOL]", NULL };
	struct report p = {
		.ctx = ctx, .children = config_bool(ctx, "report.children", true),
		.group = config_bool(ctx, "report.group", true), .skip_empty = true,
		.set.graph = { .mode = CALL_GRAPH_GRAPH, .threshold = 0.5 },
		.demangle = true, .source = !config_bool(ctx, "annotate.hide_src_code", false),
		.code.objdump = config_get(ctx, "annotate.objdump"),
		.code.syntax = config_get(ctx, "annotate.disassembler_style"), .set.call_sites = true, .set.inlines = true,
		.set.time_quantum = 100000000, .max_stack = 127,
	};
	option_rows rows = VEC_INIT;
	struct options o = { .command = "report", .usage = usage, .settings = &p };
	int code;

	report_option_rows(&p, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc > 1)
		code = options_usage_error(&o, "one symbol filter is enough");
	vec_release(&rows);
	if (code)
		return code < 0 ? 0 : code;
	if (argc == 1)
		p.set.symbol_filter = argv[0];
	return open_and_run(&p);
}
