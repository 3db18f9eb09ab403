// SPDX-License-Identifier: GPL-2.0-or-later
/* Defines the rows of options that several commands have. */
#include "analysis/options.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "spe/decode.h"

int set_unwind_styles(const struct option_call *call, struct reason *r)
{
	return unwind_styles_parse(call->row->value, call->value, r);
}

int set_debuginfod_wish(const struct option_call *call, struct reason *r)
{
	struct debuginfod_wish *w = call->row->value;

	(void)r;
	*w = (struct debuginfod_wish){ .given = !call->negated,
				       .negated = call->negated,
				       .urls = call->value };
	return 0;
}

int set_itrace_wish(const struct option_call *call, struct reason *r)
{
	struct itrace_wish *w = call->row->value;

	*w = (struct itrace_wish){ .given = !call->negated, .negated = call->negated };
	return call->negated ? 0 : spe_parse_wish(call->value, &w->wanted, r);
}

unsigned itrace_wanted(const struct itrace_wish *w, bool raw, unsigned usual)
{
	if (raw || w->negated)
		return 0;
	return w->given ? w->wanted : usual;
}

void input_option_rows(option_rows *rows, const char **input, bool *force)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 'i', "input", input, .arg = "FILE",
		  .help = "the recording; -: standard input (default: perf.data)" },
		{ OPTION_FLAG, 'f', "force", force,
		  .help = "read it even if it belongs to another user" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void symbol_option_rows(option_rows *rows, struct analysis *a)
{
	struct symbol_options *s = &a->open.symbols;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Symbols" },
		{ OPTION_STRING, 'k', "vmlinux", &s->vmlinux, .arg = "FILE",
		  .help = "the kernel's ELF file" },
		{ OPTION_FLAG, 0, "ignore-vmlinux", &s->ignore_vmlinux,
		  .help = "do not look for a vmlinux" },
		{ OPTION_STRING, 0, "kallsyms", &s->kallsyms, .arg = "FILE",
		  .help = "a copy of /proc/kallsyms of the recorded kernel" },
		{ OPTION_FLAG, 'm', "modules", &s->use_modules, .given = &s->modules_given,
		  .help = "names of modules from their files first; --no-modules: none" },
		{ OPTION_STRING, 0, "symfs", &s->symfs, .arg = "DIR[,flat]",
		  .help = "look for objects below DIR" },
		GUEST_KERNEL_ROWS(s),
		DEBUGINFOD_ROW(&a->debuginfod),
		{ OPTION_FLAG, 0, "demangle", &a->demangle,
		  .help = "show names as in the source (default)" },
		{ OPTION_FLAG, 0, "demangle-kernel", &s->demangle_kernel,
		  .help = "demangle kernel symbols" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void line_option_rows(option_rows *rows, struct line_options *lines)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 0, "full-source-path", &lines->full_path,
		  .help = "show the whole path of source files" },
		{ OPTION_STRING, 0, "addr2line", &lines->addr2line, .arg = "FILE",
		  .help = "the addr2line program, used for unusual debug information" },
		{ OPTION_STRING, 0, "addr2line-style", &lines->style, .arg = "LIST",
		  .help = "ways to find source lines: native, addr2line (default: "
			  "native,addr2line)" },
		{ OPTION_STRING, 0, "prefix", &lines->prefix, .arg = "DIR",
		  .help = "put DIR before whole paths of source files" },
		{ OPTION_UINT, 0, "prefix-strip", &lines->prefix_strip, .arg = "N",
		  .help = "after removing their first N directories" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

/* ---- which samples ---- */

static int add_names(const struct option_call *call, struct reason *r)
{
	if (!call->value)
		return 0;
	return sample_choice_names(call->row->value, call->row->long_name, call->value, r);
}

/* Gets the row with that name, without a short letter. Each row takes one value. */
static bool sample_row(struct sample_filters *f, const char *name, size_t len,
		       struct option_row *out)
{
	const struct option_row rows[] = {
		{ OPTION_CALLBACK, 0, "comms", &f->comms, .set = add_names, .arg = "COMM[,COMM]...",
		  .help = "only these commands; file://NAME: a list" },
		{ OPTION_CALLBACK, 0, "dsos", &f->dsos, .set = add_names, .arg = "DSO[,DSO]...",
		  .help = "only these objects" },
		{ OPTION_CALLBACK, 0, "symbols", &f->symbols, .set = add_names,
		  .arg = "SYMBOL[,SYMBOL]...", .help = "only these functions" },
		{ OPTION_CALLBACK, 0, "symbol", &f->symbols, .set = add_names,
		  .arg = "SYMBOL[,SYMBOL]...", .help = "only these functions" },
		{ OPTION_STRING, 0, "pid", &f->pid_text, .arg = "PID[,PID]...",
		  .help = "only these processes" },
		{ OPTION_STRING, 0, "tid", &f->tid_text, .arg = "TID[,TID]...",
		  .help = "only these threads" },
		{ OPTION_STRING, 0, "cpu", &f->cpu_text, .arg = "CPU[,CPU-CPU]...",
		  .help = "only these CPUs" },
		{ OPTION_STRING, 0, "time", &f->time, .arg = "RANGE",
		  .help = "only START,STOP in seconds, or parts as 10%/2, 0%-10%" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strlen(rows[i].long_name) != len || memcmp(rows[i].long_name, name, len))
			continue;
		*out = rows[i];
		return true;
	}
	return false;
}

void sample_option_rows(option_rows *rows, struct sample_filters *f, const char *which)
{
	const struct option_row heading = { OPTION_GROUP, .help = "Which samples" };

	option_rows_add(rows, &heading, 1);
	while (*which) {
		char letter = which[1] == ':' ? which[0] : '\0';
		const char *name = letter ? which + 2 : which;
		size_t len = strcspn(name, " ");
		struct option_row row;

		if (!sample_row(f, name, len, &row))
			abort(); /* the command names a row that does not exist: a bug */
		row.short_name = letter;
		option_rows_add(rows, &row, 1);
		which = name + len + strspn(name + len, " ");
	}
}
