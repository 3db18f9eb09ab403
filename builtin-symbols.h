/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options about symbols and stacks that several commands have in common: one
 * definition, so that they mean and say the same everywhere.
 */
#ifndef BUILTIN_SYMBOLS_H
#define BUILTIN_SYMBOLS_H

#include "cli/options.h"
#include "session/session.h"

/* o: struct symbol_options *; the rows of kernels in guests. */
#define GUEST_KERNEL_ROWS(o)                                                                   \
	{ OPTION_STRING, 0, "guestkallsyms", &(o)->guest_kallsyms, .arg = "FILE",              \
	  .help = "the guests' /proc/kallsyms" },                                              \
	{ OPTION_STRING, 0, "guestmodules", &(o)->guest_modules, .arg = "FILE",                \
	  .help = "the guests' /proc/modules" },                                               \
	{ OPTION_STRING, 0, "guestvmlinux", &(o)->guest_vmlinux, .arg = "FILE",                \
	  .help = "the guests' kernel image" },                                                \
	{ OPTION_STRING, 0, "guestmount", &(o)->guest_mount, .arg = "DIR",                     \
	  .help = "DIR/PID is the root of the guest in process PID" }

/* styles: struct unwind_styles * */
#define UNWIND_STYLE_ROW(styles)                                                               \
	{                                                                                      \
		OPTION_CALLBACK, 0, "unwind-style", styles, .arg = "STYLE[,STYLE]...",         \
		.set = set_unwind_styles, .flags = OPT_NO_NEGATE,                              \
		.help = "unwind user stacks by native, libdw, libunwind"                       \
	}
int set_unwind_styles(const struct option_call *call, struct reason *r);

/* --debuginfod[=URLS], --no-debuginfod, or neither */
struct debuginfod_wish {
	bool given, negated;
	const char *urls; /* NULL: those of DEBUGINFOD_URLS */
};
/* wish: struct debuginfod_wish * */
#define DEBUGINFOD_ROW(wish)                                                                   \
	{                                                                                      \
		OPTION_CALLBACK, 0, "debuginfod", wish, .arg = "URLS", .flags = OPT_OPTIONAL,  \
		.set = set_debuginfod_wish,                                                    \
		.help = "fetch missing files from debuginfod servers"                          \
	}
int set_debuginfod_wish(const struct option_call *call, struct reason *r);
/*
 * The servers to ask: of the option, or else of the setting buildid-cache.debuginfod;
 * *out is NULL when nobody is to be asked.  close: before say_conditions.
 */
int open_debug_servers(struct context *ctx, const struct debuginfod_wish *wish,
		       struct debug_servers **out, struct reason *r) MUST_CHECK;
void close_debug_servers(struct context *ctx, struct debug_servers *s);

/*
 * The terminal browser, or the pager and plain text.  *tui: is the browser wanted?  asked:
 * by an option, so that it must come; else plain text will do, and *tui becomes false.
 */
int open_browser_or_pager(struct context *ctx, const char *command, bool asked, bool *tui,
			  struct debug_servers *servers, struct reason *r) MUST_CHECK;

#endif
