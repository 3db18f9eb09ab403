// SPDX-License-Identifier: GPL-2.0-or-later
/* perf top: the options, and what their texts mean. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin/top/internal.h"
#include "cli/color.h"
#include "cli/config.h"
#include "ui/settings.h"

#define SECOND 1000000000ULL

/* How -g takes call chains, where the configuration says. */
static void usual_chains(struct top *t)
{
	const char *how = config_get(t->a.ctx, "top.call-graph");
	struct reason r = REASON_INIT;

	if (!how)
		how = config_get(t->a.ctx, "call-graph.record-mode");
	if (how && top_source_usual_chains(t->source, how, &r))
		condition_add(&t->a.ctx->conditions, CONDITION_WARNING, "setting-value",
			      "top.call-graph", NULL, 1, NULL,
			      "the setting 'top.call-graph' is ignored: %s", r.text);
	reason_release(&r);
}

void top_init(struct top *t, struct context *ctx)
{
	*t = (struct top){
		.o = {
			.set.graph = { .mode = CALL_GRAPH_GRAPH, .threshold = 0.5 },
			.set.call_sites = true, .set.time_quantum = 100000000,
			.children = config_bool(ctx, "top.children", true),
			.group = true,
			.source = true,
			.refresh = 2 * SECOND, .max_stack = 127,
		},
	};
	call_graph_from_settings(ctx, &t->o.set.graph);
	analysis_init(&t->a, ctx);
	analysis_name_settings(&t->a);
	t->source = top_source_new(ctx);
	usual_chains(t);
}

/* ---- call graphs: how they are recorded and how they are drawn, in one text ---- */

static bool is_recording_word(const char *word)
{
	return !strcmp(word, "fp") || !strcmp(word, "dwarf") || !strcmp(word, "live") ||
	       !strcmp(word, "lbr");
}

static int set_chains(const struct option_call *c, struct reason *r)
{
	struct top *t = c->settings;

	t->o.chains = !c->negated;
	return c->negated ? 0 : top_source_chains(t->source, NULL, r);
}

/* "dwarf,4096,graph,0.5,caller": a number belongs to the word before it. */
static int set_call_graph(const struct option_call *c, struct reason *r)
{
	struct strbuf how = STRBUF_INIT, drawn = STRBUF_INIT, *to = &drawn;
	struct top *t = c->settings;
	struct strlist words = { 0 };
	int err;

	t->o.chains = !c->negated;
	if (c->negated)
		return 0;
	strlist_split(&words, c->value, ",");
	vec_for_each(&words.list, w) {
		if (is_recording_word(*w))
			to = &how;
		else if (!isdigit((unsigned char)**w) || strchr(*w, '.'))
			to = &drawn;
		strbuf_f(to, "%s%s", to->len ? "," : "", *w);
	}
	err = top_source_chains(t->source, how.len ? strbuf_cstr(&how) : NULL, r);
	if (!err && drawn.len)
		err = call_graph_parse(&t->o.set.graph, strbuf_cstr(&drawn), r);
	strlist_release(&words);
	strbuf_release(&how);
	strbuf_release(&drawn);
	return err;
}

/* ---- rows ---- */

static void table_rows(struct top *t, option_rows *rows)
{
	struct top_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "The table" },
		{ OPTION_STRING, 's', "sort", &o->sort, .arg = "KEY[,KEY]...",
		  .help = "group by these keys (default: dso,symbol)" },
		{ OPTION_STRING, 0, "fields", &o->fields, .arg = "KEY[,KEY]...",
		  .help = "show these columns; +KEY adds" },
		{ OPTION_FLAG, 'n', "show-nr-samples", &o->show_samples,
		  .help = "show the number of samples" },
		{ OPTION_FLAG, 0, "show-total-period", &o->show_period,
		  .help = "show the sum of periods" },
		{ OPTION_UINT, 'E', "entries", &o->entries, .arg = "N",
		  .help = "show at most N rows" },
		{ OPTION_U64, 'f', "count-filter", &o->least_count, .arg = "N",
		  .help = "leave out rows of fewer than N samples" },
		{ OPTION_FLAG, 'K', "hide-kernel-symbols", &o->hide_kernel,
		  .help = "leave out samples of the kernel" },
		{ OPTION_FLAG, 'U', "hide-user-symbols", &o->hide_user,
		  .help = "leave out samples of user space" },
		/* as other perfs spell them */
		{ OPTION_FLAG, 0, "hide_kernel_symbols", &o->hide_kernel, .flags = OPT_HIDDEN,
		  .help = "the same as -K" },
		{ OPTION_FLAG, 0, "hide_user_symbols", &o->hide_user, .flags = OPT_HIDDEN,
		  .help = "the same as -U" },
		{ OPTION_STRING, 'w', "column-widths", &o->widths, .arg = "N[,N]...",
		  .help = "width of each column, 0: as wide as needed" },
		{ OPTION_STRING, 0, "percent-limit", &o->percent_limit, .arg = "PERCENT",
		  .help = "leave out rows and branches below PERCENT" },
		{ OPTION_STRING, 0, "percentage", &o->percentage, .arg = "relative|absolute",
		  .help = "percentages of what passes the filters, or of everything" },
		{ OPTION_FLAG, 'H', "hierarchy", &o->hierarchy,
		  .help = "one key below the other, with sums on each level" },
		{ OPTION_UINT, 0, "group-sort-idx", &o->set.sort_member, .arg = "N",
		  .given = &o->member_given, .help = "sort by event N of a group, the first is 0" },
		{ OPTION_FLAG, 0, "latency", &o->set.prefer_latency,
		  .help = "sort by the share of elapsed time, not of CPU time" },
		{ OPTION_STRING, 0, "parallelism", &o->parallelism, .arg = "N[,N-N]...",
		  .help = "only samples taken while this many threads ran" },
		{ OPTION_FLAG, 0, "raw-trace", &o->set.raw_trace,
		  .help = "tracepoints by their fields, not by their print format" },
		{ OPTION_STRING, 0, "switch-on", &o->switch_on, .arg = "EVENT",
		  .help = "only samples after this event of -e" },
		{ OPTION_STRING, 0, "switch-off", &o->switch_off, .arg = "EVENT",
		  .help = "only samples before this event, until the next --switch-on" },
		{ OPTION_FLAG, 0, "show-on-off-events", &o->show_switches,
		  .help = "count the events of --switch-on and --switch-off, too" },
		{ OPTION_STRING, 0, "symbol-filter", &o->set.symbol_filter, .arg = "TEXT",
		  .help = "only functions with TEXT in their name" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
	sample_option_rows(rows, &o->filters, "comms dsos symbols");
}

static void chain_rows(struct top *t, option_rows *rows)
{
	struct top_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Call chains" },
		{ OPTION_CALLBACK, 'g', NULL, .set = set_chains, .flags = OPT_NO_NEGATE,
		  .help = "record call chains by frame pointers, and show them" },
		{ OPTION_CALLBACK, 0, "call-graph", .set = set_call_graph,
		  .arg = "fp|dwarf[,BYTES]|lbr,TYPE,THRESHOLD[,LIMIT],ORDER,KEY,VALUE",
		  .help = "how chains are recorded and drawn; see perf-record(1), perf-report(1)" },
		{ OPTION_FLAG, 0, "branch-history", &o->branch_history,
		  .help = "draw recorded branches as the innermost part of call chains" },
		{ OPTION_FLAG, 0, "stitch-lbr", &o->stitch,
		  .help = "extend chains of branch registers with those of earlier samples" },
		{ OPTION_FLAG, 0, "children", &o->children,
		  .help = "add what a function called to its share" },
		{ OPTION_UINT, 0, "max-stack", &o->max_stack, .arg = "N",
		  .help = "frames of a chain that are looked at, 0: all (default: 127)" },
		{ OPTION_FLAG, 0, "inline", &o->set.inlines,
		  .help = "frames for the functions inlined in users' frames" },
		{ OPTION_STRING, 0, "ignore-callees", &o->set.ignore_callees, .arg = "REGEX",
		  .help = "count what these functions call as their own" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void code_rows(struct top *t, option_rows *rows)
{
	struct top_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Functions, instruction by instruction (key a)" },
		{ OPTION_STRING, 'M', "disassembler-style", &o->code.syntax, .arg = "STYLE",
		  .help = "syntax: att or intel; others are passed to objdump" },
		{ OPTION_STRING, 0, "objdump", &o->code.objdump, .arg = "PATH",
		  .help = "disassemble with this objdump" },
		{ OPTION_FLAG, 0, "asm-raw", &o->asm_raw, .help = "show the instructions' bytes" },
		{ OPTION_FLAG, 0, "source", &o->source,
		  .help = "source lines between the instructions (default)" },
		{ OPTION_STRING, 0, "sym-annotate", &o->annotate, .arg = "SYMBOL",
		  .help = "print this function below each table; implies --stdio" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void output_rows(struct top *t, option_rows *rows)
{
	struct top_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Screen and output" },
		{ OPTION_DURATION, 'd', "delay", &o->refresh, .arg = "SECONDS", .unit = SECOND,
		  .help = "time between two tables (default: 2)" },
		{ OPTION_FLAG, 'z', "zero", &o->zero,
		  .help = "each table shows only samples since the previous one" },
		{ OPTION_U64, 0, "iterations", &o->iterations, .arg = "N",
		  .help = "end after N tables (0: never)" },
		{ OPTION_FLAG, 0, "stdio", &o->stdio, .help = "plain text, without cursor keys" },
		{ OPTION_FLAG, 0, "tui", &o->tui,
		  .help = "use the browser, whatever the setting tui.top says" },
		{ OPTION_STRING, 'x', "field-separator", &o->separator, .arg = "CHAR",
		  .help = "separate columns with CHAR, without padding" },
		{ OPTION_FLAG, 0, "json", &o->json, .help = "print a JSON object for each table" },
		{ OPTION_FLAG, 'D', "dump-symtab", &o->dump_symbols,
		  .help = "at the end, write the symbol tables that were used to standard error" },
		{ OPTION_COUNT, 'v', "verbose", &t->a.ctx->verbose,
		  .help = "show addresses and full object names" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void top_option_rows(struct top *t, option_rows *rows)
{
	top_source_rows(t->source, rows);
	table_rows(t, rows);
	chain_rows(t, rows);
	symbol_option_rows(rows, &t->a);
	vec_push(
		rows,
		(struct option_row){
			OPTION_FLAG, 0, "force", &t->a.open.symbols.foreign_maps,
			.help = "read perf-PID.map and jitdump files that belong to other users" });
	vec_for_each(rows, row)
		if (row->short_name == 'm' && row->long_name && !strcmp(row->long_name, "modules"))
			row->short_name = '\0'; /* -m is the size of the rings */
	line_option_rows(rows, &t->o.set.lines);
	code_rows(t, rows);
	output_rows(t, rows);
	vec_push(rows, (struct option_row)OPT_END_ROW);
}

/* ---- texts ---- */

int top_set_widths(struct top *t, const char *text, struct reason *r)
{
	struct strlist parts = { 0 };
	size_t count = 0;
	u32 *list;
	int err = 0;

	strlist_split(&parts, text, ", ");
	list = xcalloc(parts.list.count + 1, sizeof(*list));
	vec_for_each(&parts.list, s) {
		u64 v;

		if (parse_count(*s, &v) || v > INT16_MAX) {
			err = reason_set(r, EINVAL, "--column-widths: '%s' is not a width", *s);
			reason_hint(
				r, "numbers with commas between them, such as 20,30; 0: as wide as "
				   "needed");
			break;
		}
		list[count++] = (u32)v;
	}
	strlist_release(&parts);
	if (err) {
		free(list);
		return err;
	}
	free(t->o.width_list);
	t->o.draw.widths = t->o.width_list = list;
	t->o.draw.width_count = count;
	return 0;
}

static int parse_limit(struct top *t, struct reason *r)
{
	double v;

	if (!t->o.percent_limit) {
		/*
		 * with call chains, what would print as 0.00% is tens of thousands of rows at each
		 * refresh
		 */
		if (!t->o.entries && !t->o.json && !t->o.separator && !isatty(STDOUT_FILENO))
			t->o.set.percent_limit = 0.005;
		return 0;
	}
	if (parse_percent(t->o.percent_limit, &v))
		return reason_set(r, EINVAL, "--percent-limit: '%s' is not a percentage",
				  t->o.percent_limit);
	t->o.set.percent_limit = t->o.set.graph.threshold = v;
	return 0;
}

static int parse_percentage(struct top *t, struct reason *r)
{
	const char *how =
		t->o.percentage ? t->o.percentage : config_get(t->a.ctx, "hist.percentage");

	if (!how || !strcmp(how, "absolute"))
		return 0;
	if (strcmp(how, "relative"))
		return reason_set(r, EINVAL, "--percentage is 'relative' or 'absolute', not '%s'",
				  how);
	t->o.set.relative = true;
	return 0;
}

static int exclude(struct reason *r, const char *a, const char *b)
{
	return reason_set(r, EINVAL, "%s and %s exclude each other", a, b);
}

static int check(const struct top *t, struct reason *r)
{
	const struct top_options *o = &t->o;

	if (o->separator && !*o->separator) {
		reason_set(r, EINVAL, "-x: the separator is empty");
		reason_hint(r, "a character, such as ',' or ';'");
		return -EINVAL;
	}
	if (o->json && o->separator)
		return exclude(r, "--json", "--field-separator");
	if (o->hierarchy && o->fields)
		return exclude(r, "--hierarchy", "--fields");
	if (o->hierarchy && o->separator)
		return exclude(r, "--hierarchy", "--field-separator");
	if (o->hide_kernel && o->hide_user)
		return exclude(r, "-K", "-U");
	if (o->tui && o->stdio)
		return exclude(r, "--tui", "--stdio");
	if (o->tui && o->annotate)
		return exclude(r, "--tui", "--sym-annotate");
	if (o->annotate && o->json)
		return exclude(r, "--sym-annotate", "--json");
	if (o->annotate && o->separator)
		return exclude(r, "--sym-annotate", "--field-separator");
	if (o->tui && o->json)
		return exclude(r, "--tui", "--json");
	if (o->tui && o->separator)
		return exclude(r, "--tui", "--field-separator");
	if (o->tui && o->iterations)
		return exclude(r, "--tui", "--iterations");
	if (o->refresh < SECOND / 20) {
		reason_set(r, EINVAL, "-d: a table every %.3f s is more than a screen can show",
			   (double)o->refresh / 1e9);
		reason_hint(r, "the shortest time is 0.05 s, or 50ms");
		return -EINVAL;
	}
	return 0;
}

static void settle(struct top *t)
{
	struct top_options *o = &t->o;

	o->set.chains = o->chains && o->set.graph.mode != CALL_GRAPH_NONE;
	o->set.hierarchy = o->hierarchy;
	o->set.children = o->chains && o->children && !o->hierarchy;
	if (!o->set.graph.order_given)
		o->set.graph.caller = o->chains && o->children;
	o->set.group = o->group;
	o->set.max_stack = o->max_stack;
	o->set.verbose = t->a.ctx->verbose > 0;
	o->set.comms = o->filters.comms;
	o->set.dsos = o->filters.dsos;
	o->set.symbols = o->filters.symbols;
	o->draw.color = color_wanted(t->a.ctx, STDOUT_FILENO);
	o->draw.separator = o->separator;
	o->draw.first_frame_known = o->sort && str_starts(o->sort, "sym") && !o->fields;
}

int top_parse_texts(struct top *t, struct reason *r)
{
	int err = sample_filters_parse(&t->o.filters, r);

	if (!err && t->o.widths)
		err = top_set_widths(t, t->o.widths, r);
	if (!err)
		err = parse_limit(t, r);
	if (!err)
		err = parse_percentage(t, r);
	if (!err)
		err = line_options_check(&t->o.set.lines, r);
	if (!err)
		err = check(t, r);
	if (!err)
		err = top_settle_wants(t, r);
	settle(t);
	return err;
}
