/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines the options that several commands have in common once, so they mean and say the same
 * everywhere. Functions named *_option_rows() append to a table that is later ended with
 * OPT_END_ROW. Macros are rows for a table that is written out.
 */
#ifndef ANALYSIS_OPTIONS_H
#define ANALYSIS_OPTIONS_H

#include "cli/options.h"
#include "session/choice.h"
#include "session/session.h"

struct analysis;

/* Adds -i and -f, which name the file to read. */
void input_option_rows(option_rows *rows, const char **input, bool *force);

/*
 * Adds the options that say where names come from: -k, --symfs, --demangle, --debuginfod, guests
 * and so on; with a heading.
 */
void symbol_option_rows(option_rows *rows, struct analysis *a);

/* Adds the options that say how source lines are found and written. */
void line_option_rows(option_rows *rows, struct line_options *lines);

/* ---- which samples ---- */

/*
 * Adds the options that filter samples, with a heading. which: the options of this command in its
 * order, each with its short letter there, as in "c:comms d:dsos S:symbols pid tid C:cpu time".
 */
void sample_option_rows(option_rows *rows, struct sample_filters *f, const char *which);

/* ---- single rows ---- */

/* --itrace[=LETTERS], --no-itrace, or neither: what to make of hardware traces. */
struct itrace_wish {
	bool given, negated;
	unsigned wanted; /* SPE_WANT_* */
};
/* wish: struct itrace_wish * */
#define ITRACE_ROW(wish)                                                                           \
	{                                                                                          \
		OPTION_CALLBACK, 0, "itrace", wish,                                                \
			.arg = "OPTS", .flags = OPT_OPTIONAL, .set = set_itrace_wish,              \
			.help = "samples from Arm SPE traces: f, m, t, b, a, M (default: all); "   \
				"--no-itrace: none"                                                \
	}
int set_itrace_wish(const struct option_call *call, struct reason *r);
/* Returns the value for analysis.traces. raw: the command shows records as they are. */
unsigned itrace_wanted(const struct itrace_wish *w, bool raw, unsigned usual);

/* Rows for the kernels of guests. o: struct symbol_options * */
#define GUEST_KERNEL_ROWS(o)                                                                       \
	{ OPTION_STRING,   0,                                                                      \
	  "guestkallsyms", &(o)->guest_kallsyms,                                                   \
	  .arg = "FILE",   .help = "the guests' /proc/kallsyms" },                                 \
		{ OPTION_STRING,  0,                                                               \
		  "guestmodules", &(o)->guest_modules,                                             \
		  .arg = "FILE",  .help = "the guests' /proc/modules" },                           \
		{ OPTION_STRING,  0,                                                               \
		  "guestvmlinux", &(o)->guest_vmlinux,                                             \
		  .arg = "FILE",  .help = "the guests' kernel image" },                            \
		{ OPTION_STRING, 0,                                                                \
		  "guestmount",  &(o)->guest_mount,                                                \
		  .arg = "DIR",  .help = "DIR/PID is the root of the guest in process PID" },      \
	{                                                                                          \
		OPTION_FLAG, 0, "guest-code", &(o)->guest_code,                                    \
			.help = "guests run code of their hypervisors, at the same addresses"      \
	}

/* styles: struct unwind_styles * */
#define UNWIND_STYLE_ROW(styles)                                                                   \
	{                                                                                          \
		OPTION_CALLBACK, 0, "unwind-style", styles,                                        \
			.arg = "STYLE[,STYLE]...", .set = set_unwind_styles,                       \
			.flags = OPT_NO_NEGATE,                                                    \
			.help = "unwind user stacks by native, libdw, libunwind"                   \
	}
int set_unwind_styles(const struct option_call *call, struct reason *r);

/* --debuginfod[=URLS], --no-debuginfod, or neither */
struct debuginfod_wish {
	bool given, negated;
	const char *urls; /* NULL: the servers in DEBUGINFOD_URLS */
};
/* wish: struct debuginfod_wish * */
#define DEBUGINFOD_ROW(wish)                                                                       \
	{                                                                                          \
		OPTION_CALLBACK, 0, "debuginfod", wish,                                            \
			.arg = "URLS", .flags = OPT_OPTIONAL, .set = set_debuginfod_wish,          \
			.help = "fetch missing files from debuginfod servers"                      \
	}
int set_debuginfod_wish(const struct option_call *call, struct reason *r);

#endif
