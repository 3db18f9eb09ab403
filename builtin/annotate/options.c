// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of perf annotate, and what they mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "builtin/annotate/annotate_view.h"
#include "cli/color.h"
#include "cli/config.h"
#include "cli/options.h"

static int add_names(const struct option_call *call, struct reason *r)
{
	(void)r;
	if (call->value)
		strlist_split_names(call->row->value, call->value);
	return 0;
}

static int set_data_type(const struct option_call *call, struct reason *r)
{
	struct annotate_command *p = call->row->value;

	(void)r;
	p->data_type = !call->negated;
	p->type_name = call->negated ? NULL : call->value;
	return 0;
}

static int set_color(const struct option_call *call, struct reason *r)
{
	struct annotate_command *p = call->settings;

	(void)r;
	p->color = call->value ? call->value : call->negated ? "auto" : "always";
	return 0;
}

static int parse_color(struct annotate_command *p, struct reason *r)
{
	p->use_color = color_wanted(p->a.ctx, STDOUT_FILENO);
	if (!p->color || !strcmp(p->color, "auto"))
		return 0;
	if (strcmp(p->color, "always") && strcmp(p->color, "never"))
		return reason_set(r, EINVAL, "--stdio-color is always, never or auto, not '%s'",
				  p->color);
	p->use_color = !strcmp(p->color, "always");
	if (p->use_color)
		out_allow_codes();
	return 0;
}

static int parse_limit(struct annotate_command *p, struct reason *r)
{
	if (p->percent_limit && parse_percent(p->percent_limit, &p->limit))
		return reason_set(r, EINVAL, "--percent-limit: '%s' is not a percentage",
				  p->percent_limit);
	return 0;
}

static int check_prefix(struct annotate_command *p, struct reason *r)
{
	if (p->strip_given && !p->set.prefix)
		return reason_set(r, EINVAL, "--prefix-strip goes with --prefix PREFIX");
	p->set.prefix_strip = p->prefix_strip;
	return 0;
}

int annotate_view_parse(struct annotate_command *p, struct reason *r)
{
	int err = 0;

	if (p->cpus && parse_cpu_list(p->cpus, 1 << 20, &p->cpu_list, &p->cpu_count))
		err = reason_usage(r, "--cpu: '%s' is not a list of CPUs such as 0-2,5", p->cpus);
	if (!err && p->percent_type)
		err = annotate_percent_parse(p->percent_type, &p->percent, r);
	if (!err)
		err = parse_limit(p, r);
	if (!err)
		err = parse_color(p, r);
	if (!err)
		err = check_prefix(p, r);
	if (!err)
		err = line_options_check(&p->lines, r);
	if (!err && p->tui_given && (p->stdio || p->stdio2))
		err = reason_set(r, EINVAL, "--tui and --stdio exclude each other");
	if (!err && p->tui_given && (p->dump || p->data_type || p->type_stat || p->insn_stat))
		err = reason_set(r, EINVAL,
				 "the browser (--tui) shows code: -D, --data-type, --type-stat and "
				 "--insn-stat print tables");
	if (!err && p->stdio && p->stdio2)
		err = reason_set(r, EINVAL, "--stdio and --stdio2 exclude each other");
	if (!err && p->show_samples && p->show_period)
		err = reason_set(r, EINVAL,
				 "-n and --show-total-period fill the same column: give one");
	p->set.lines = &p->lines;
	p->set.no_source = !p->source;
	p->set.raw_lines = p->asm_raw;
	return err;
}

static int set_itrace(const struct option_call *call, struct reason *r)
{
	struct annotate_command *p = call->settings;

	(void)r;
	p->itrace = !call->negated;
	return 0;
}

void annotate_view_init(struct annotate_command *p, struct context *ctx)
{
	*p = (struct annotate_command){
		.source = !config_bool(ctx, "annotate.hide_src_code", false),
		.group = config_bool(ctx, "report.group", true),
		.set.objdump = config_get(ctx, "annotate.objdump"),
		.set.syntax = config_get(ctx, "annotate.disassembler_style"),
		.show_samples = config_bool(ctx, "annotate.show_nr_samples", false),
		.show_period = config_bool(ctx, "annotate.show_total_period", false),
	};
	analysis_init(&p->a, ctx);
	analysis_name_settings(&p->a);
}

static void input_rows(struct annotate_command *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_COUNT, 'v', "verbose", &p->a.ctx->verbose,
		  .help = "say which file was disassembled, and with what" },
		{ OPTION_FLAG, 'q', "quiet", &p->a.ctx->quiet,
		  .help = "no warnings, notes or hints" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &p->dump, .flags = OPT_NO_NEGATE,
		  .help = "print every record, its bytes and what they mean" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void shown_rows(struct annotate_command *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What is shown" },
		{ OPTION_FLAG, 0, "tui", &p->tui_given,
		  .help = "browse in the terminal (default if there is one)" },
		{ OPTION_FLAG, 0, "stdio", &p->stdio, .help = "plain text (default elsewhere)" },
		{ OPTION_FLAG, 0, "stdio2", &p->stdio2,
		  .help = "plain text with labels, arrows, and names for addresses" },
		{ OPTION_FLAG, 0, "source", &p->source,
		  .help = "source lines between the instructions" },
		{ OPTION_FLAG, 0, "asm-raw", &p->asm_raw, .help = "the instructions' bytes" },
		{ OPTION_FLAG, 'l', "print-line", &p->print_line,
		  .help = "show the hottest source lines first, and mark their instructions" },
		{ OPTION_FLAG, 'P', "full-paths", &p->full_paths, .help = "whole paths of files" },
		{ OPTION_FLAG, 'n', "show-nr-samples", &p->show_samples,
		  .help = "numbers of samples instead of percentages" },
		{ OPTION_FLAG, 0, "show-total-period", &p->show_period,
		  .help = "sums of periods instead of percentages" },
		{ OPTION_STRING, 0, "percent-type", &p->percent_type, .arg = "TYPE",
		  .help = "local|global - period|hits: of the function or of everything" },
		{ OPTION_STRING, 0, "percent-limit", &p->percent_limit, .arg = "PERCENT",
		  .help = "leave out functions below PERCENT of the event" },
		{ OPTION_FLAG, 0, "group", &p->group,
		  .help = "show the events of a group side by side" },
		{ OPTION_FLAG, 0, "skip-missing", &p->skip_missing,
		  .help = "do not report functions that cannot be disassembled" },
		{ OPTION_FLAG, 0, "skip-empty", &p->skip_empty,
		  .help = "leave out a group's events without samples" },
		{ OPTION_CALLBACK, 0, "stdio-color", NULL, .set = set_color,
		  .arg = "always|never|auto", .flags = OPT_LAST_DEFAULT,
		  .help = "colours in plain text" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void type_rows(struct annotate_command *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Types of data" },
		{ OPTION_CALLBACK, 0, "data-type", p, .set = set_data_type, .arg = "NAME",
		  .flags = OPT_OPTIONAL,
		  .help = "show which fields of which types were touched, instead of code" },
		{ OPTION_FLAG, 0, "type-stat", &p->type_stat,
		  .help = "show for how many samples the type is known, and why not for others" },
		{ OPTION_FLAG, 0, "insn-stat", &p->insn_stat, .help = "the same by instruction" },
		{ OPTION_FLAG, 0, "code-with-type", &p->code_with_type,
		  .help = "show the type and field beside each instruction" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void sample_rows(struct annotate_command *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_CALLBACK, 's', "symbol", &p->symbols, .set = add_names,
		  .arg = "SYMBOL[,SYMBOL]...", .help = "only these functions" },
		{ OPTION_CALLBACK, 'd', "dsos", &p->dsos, .set = add_names, .arg = "DSO[,DSO]...",
		  .help = "only functions of these objects" },
		{ OPTION_STRING, 'C', "cpu", &p->cpus, .arg = "CPU[,CPU-CPU]...",
		  .help = "only these CPUs" },
		{ OPTION_CALLBACK, 0, "itrace", NULL, .set = set_itrace, .arg = "OPTS",
		  .flags = OPT_OPTIONAL,
		  .help = "decode hardware traces (none can be decoded; --no-itrace ignores "
			  "them)" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void code_rows(struct annotate_command *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Disassembly" },
		{ OPTION_STRING, 'M', "disassembler-style", &p->set.syntax, .arg = "STYLE",
		  .help = "syntax: att or intel; others are passed to objdump" },
		{ OPTION_STRING, 0, "objdump", &p->set.objdump, .arg = "PATH",
		  .help = "disassemble with this objdump" },
		{ OPTION_STRING, 0, "addr2line", &p->lines.addr2line, .arg = "FILE",
		  .help = "the addr2line program, used for unusual debug information" },
		{ OPTION_STRING, 0, "addr2line-style", &p->lines.style, .arg = "LIST",
		  .help = "ways to find source lines: native, addr2line (default: "
			  "native,addr2line)" },
		{ OPTION_STRING, 0, "prefix", &p->set.prefix, .arg = "PREFIX",
		  .help = "look for source files below PREFIX" },
		{ OPTION_UINT, 0, "prefix-strip", &p->prefix_strip, .arg = "N",
		  .given = &p->strip_given,
		  .help = "after removing the first N parts of their paths" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void annotate_view_rows(struct annotate_command *p, option_rows *rows)
{
	const struct option_row end = OPT_END_ROW;

	input_option_rows(rows, &p->a.open.input, &p->a.open.force);
	input_rows(p, rows);
	shown_rows(p, rows);
	type_rows(p, rows);
	sample_rows(p, rows);
	code_rows(p, rows);
	symbol_option_rows(rows, &p->a);
	option_rows_add(rows, &end, 1);
}
