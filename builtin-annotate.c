// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate: functions instruction by instruction.  Options and what they mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin-annotate.h"
#include "cli/color.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "object/debug_servers.h"
#include "ui/open.h"
#include "ui/tui/screen.h"

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
	p->use_color = color_wanted(p->ctx, STDOUT_FILENO);
	if (!p->color || !strcmp(p->color, "auto"))
		return 0;
	if (strcmp(p->color, "always") && strcmp(p->color, "never"))
		return reason_set(r, EINVAL, "--stdio-color is always, never or auto, not '%s'", p->color);
	p->use_color = !strcmp(p->color, "always");
	return 0;
}

static int parse_limit(struct annotate_command *p, struct reason *r)
{
	char *end;

	if (!p->percent_limit)
		return 0;
	p->limit = strtod(p->percent_limit, &end);
	if (end == p->percent_limit || (*end && strcmp(end, "%")) || !(p->limit >= 0))
		return reason_set(r, EINVAL, "--percent-limit: '%s' is not a percentage", p->percent_limit);
	return 0;
}

static int check_prefix(struct annotate_command *p, struct reason *r)
{
	if (p->strip_given && !p->set.prefix)
		return reason_set(r, EINVAL, "--prefix-strip goes with --prefix PREFIX");
	p->set.prefix_strip = p->prefix_strip;
	return 0;
}

static int parse_texts(struct annotate_command *p, struct reason *r)
{
	int err = 0;

	if (p->cpus && parse_cpu_list(p->cpus, 1 << 20, &p->cpu_list, &p->cpu_count))
		err = reason_set(r, EINVAL, "--cpu: '%s' is not a list of CPUs like 0,2-3", p->cpus);
	if (!err && p->percent_type)
		err = annotate_percent_parse(p->percent_type, &p->percent, r);
	if (!err)
		err = parse_limit(p, r);
	if (!err)
		err = parse_color(p, r);
	if (!err)
		err = check_prefix(p, r);
	if (!err && p->tui_given && (p->stdio || p->stdio2))
		err = reason_set(r, EINVAL, "--tui and --stdio are two ways to show it: give one");
	if (!err && p->tui_given && (p->dump || p->data_type || p->type_stat || p->insn_stat))
		err = reason_set(r, EINVAL, "the browser (--tui) shows code: -D, --data-type, --type-stat and "
				 "--insn-stat print tables");
	if (!err && p->stdio && p->stdio2)
		err = reason_set(r, EINVAL, "--stdio and --stdio2 are two layouts: give one");
	if (!err && p->show_samples && p->show_period)
		err = reason_set(r, EINVAL, "-n and --show-total-period fill the same column: give one");
	if (p->only)
		strlist_add(&p->symbols, p->only);
	return err;
}

/* A person at a terminal, who did not ask for what only plain text has. */
static bool wants_tui(const struct annotate_command *p)
{
	if (p->stdio || p->stdio2 || p->dump || p->data_type || p->type_stat || p->insn_stat)
		return false;
	if (p->tui_given)
		return true;
	return !p->print_line && !p->ctx->quiet && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && screen_built_in() &&
	       config_bool(p->ctx, "tui.annotate", true);
}

static int run_file(struct annotate_command *p)
{
	struct reason r = REASON_INIT;
	int code, err;

	if (session_open(p->ctx, &p->open, &p->session, &r))
		return say_reason(&r);
	out_init(&p->out, STDOUT_FILENO);
	p->tui = wants_tui(p);
	code = open_browser_or_pager(p->ctx, "annotate", p->tui_given, &p->tui,
				     p->open.symbols.servers, &r);
	if (!code)
		code = annotate_run(p, &r);
	if (code < 0) {
		say_reason(&r);
		code = 1;
	}
	err = out_release(&p->out);
	if (say_output(err))
		code = 1;
	debug_servers_conditions(p->open.symbols.servers, &p->ctx->conditions);
	if (say_conditions(p->ctx) && !code)
		code = 1;
	session_free(p->session);
	return code;
}

static int open_and_run(struct annotate_command *p)
{
	struct reason r = REASON_INIT;
	int code;

	if (parse_texts(p, &r)) {
		say_reason(&r);
		code = EXIT_USAGE;
	} else {
		p->open.symbols.symfs = p->open.symbols.symfs ? p->open.symbols.symfs : p->ctx->symfs;
		p->open.symbols.no_demangle = !p->demangle;
		p->open.symbols.buildid_dir = p->ctx->buildid_dir;
		p->set.no_source = !p->source;
		p->set.raw_lines = p->asm_raw;
		code = open_debug_servers(p->ctx, &p->debuginfod, &p->open.symbols.servers, &r) ?
			       (say_reason(&r), EXIT_USAGE) : run_file(p);
		debug_servers_free(p->open.symbols.servers);
	}
	strlist_release(&p->symbols);
	strlist_release(&p->dsos);
	free(p->cpu_list);
	return code;
}

int cmd_annotate(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf annotate [<options>] [SYMBOL]", NULL };
	struct annotate_command p = {
		.ctx = ctx, .demangle = true, .source = !config_bool(ctx, "annotate.hide_src_code", false),
		.group = config_bool(ctx, "report.group", true),
		.set.objdump = config_get(ctx, "annotate.objdump"),
		.set.syntax = config_get(ctx, "annotate.disassembler_style"),
		.show_samples = config_bool(ctx, "annotate.show_nr_samples", false),
		.show_period = config_bool(ctx, "annotate.show_total_period", false),
	};
	const struct option_row rows[] = {
		{ OPTION_STRING, 'i', "input", &p.open.input, .arg = "FILE",
		  .help = "the recorded file; -: standard input (default: perf.data)" },
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose,
		  .help = "say which file was disassembled, and by what" },
		{ OPTION_FLAG, 'q', "quiet", &ctx->quiet, .help = "no warnings, notes or hints" },
		{ OPTION_FLAG, 'f', "force", &p.open.force, .help = "do not ask who owns the file" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &p.dump, .flags = OPT_NO_NEGATE,
		  .help = "print every record, its bytes and what they mean" },
		{ OPTION_GROUP, .help = "What is shown" },
		{ OPTION_FLAG, 0, "tui", &p.tui_given, .help = "browse on the terminal (default there)" },
		{ OPTION_FLAG, 0, "stdio", &p.stdio, .help = "plain text (default elsewhere)" },
		{ OPTION_FLAG, 0, "stdio2", &p.stdio2,
		  .help = "plain text with labels, arrows, and names for addresses" },
		{ OPTION_FLAG, 0, "source", &p.source, .help = "source lines between the instructions" },
		{ OPTION_FLAG, 0, "asm-raw", &p.asm_raw, .help = "the instructions' bytes" },
		{ OPTION_FLAG, 'l', "print-line", &p.print_line,
		  .help = "hot source lines first, and beside their instructions" },
		{ OPTION_FLAG, 'P', "full-paths", &p.full_paths, .help = "whole paths of files" },
		{ OPTION_FLAG, 'n', "show-nr-samples", &p.show_samples,
		  .help = "numbers of samples instead of percentages" },
		{ OPTION_FLAG, 0, "show-total-period", &p.show_period,
		  .help = "sums of periods instead of percentages" },
		{ OPTION_STRING, 0, "percent-type", &p.percent_type, .arg = "TYPE",
		  .help = "local|global - period|hits: of the function or of everything" },
		{ OPTION_STRING, 0, "percent-limit", &p.percent_limit, .arg = "PERCENT",
		  .help = "leave out functions below PERCENT of the event" },
		{ OPTION_FLAG, 0, "group", &p.group, .help = "show the events of a group side by side" },
		{ OPTION_FLAG, 0, "skip-missing", &p.skip_missing,
		  .help = "say nothing of functions that cannot be disassembled" },
		{ OPTION_FLAG, 0, "skip-empty", &p.skip_empty,
		  .help = "leave out a group's events without samples" },
		{ OPTION_CALLBACK, 0, "stdio-color", NULL, .set = set_color, .arg = "always|never|auto",
		  .flags = OPT_LAST_DEFAULT, .help = "colours in plain text" },
		{ OPTION_GROUP, .help = "Types of data" },
		{ OPTION_CALLBACK, 0, "data-type", &p, .set = set_data_type, .arg = "NAME", .flags = OPT_OPTIONAL,
		  .help = "show which fields of which types were touched, instead of code" },
		{ OPTION_FLAG, 0, "type-stat", &p.type_stat,
		  .help = "for how many samples the type is known, and why not" },
		{ OPTION_FLAG, 0, "insn-stat", &p.insn_stat, .help = "the same by instruction" },
		{ OPTION_FLAG, 0, "code-with-type", &p.code_with_type,
		  .help = "show the type and field beside each instruction" },
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_CALLBACK, 's', "symbol", &p.symbols, .set = add_names, .arg = "SYMBOL[,SYMBOL]...",
		  .help = "only these functions" },
		{ OPTION_CALLBACK, 'd', "dsos", &p.dsos, .set = add_names, .arg = "DSO[,DSO]...",
		  .help = "only functions of these objects" },
		{ OPTION_STRING, 'C', "cpu", &p.cpus, .arg = "CPU[,CPU-CPU]...", .help = "only these CPUs" },
		{ OPTION_GROUP, .help = "Disassembly" },
		{ OPTION_STRING, 'M', "disassembler-style", &p.set.syntax, .arg = "STYLE",
		  .help = "att or intel; others are handed to objdump" },
		{ OPTION_STRING, 0, "objdump", &p.set.objdump, .arg = "PATH",
		  .help = "disassemble with this objdump" },
		{ OPTION_STRING, 0, "prefix", &p.set.prefix, .arg = "PREFIX",
		  .help = "look for source files below PREFIX" },
		{ OPTION_UINT, 0, "prefix-strip", &p.prefix_strip, .arg = "N", .given = &p.strip_given,
		  .help = "after taking N parts off their paths" },
		{ OPTION_GROUP, .help = "Symbols" },
		{ OPTION_STRING, 'k', "vmlinux", &p.open.symbols.vmlinux, .arg = "FILE",
		  .help = "the kernel's ELF file" },
		{ OPTION_FLAG, 0, "ignore-vmlinux", &p.open.symbols.ignore_vmlinux,
		  .help = "do not look for a vmlinux" },
		{ OPTION_FLAG, 'm', "modules", &p.open.symbols.use_modules,
		  .given = &p.open.symbols.modules_given,
		  .help = "read the modules' files too" },
		GUEST_KERNEL_ROWS(&p.open.symbols),
		DEBUGINFOD_ROW(&p.debuginfod),
		{ OPTION_STRING, 0, "symfs", &p.open.symbols.symfs, .arg = "DIR[,flat]",
		  .help = "look for objects below DIR" },
		{ OPTION_FLAG, 0, "demangle", &p.demangle, .help = "show names as the source has them" },
		{ OPTION_FLAG, 0, "demangle-kernel", &p.open.symbols.demangle_kernel,
		  .help = "demangle kernel symbols" },
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "annotate", .usage = usage, .rows = rows, .settings = &p,
	};
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc > 1)
		return options_usage_error(&o, "one symbol is enough; several: -s A,B");
	if (argc == 1)
		p.only = argv[0];
	return open_and_run(&p);
}
