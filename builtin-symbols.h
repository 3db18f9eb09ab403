/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options about symbols and stacks that several commands have in common: one
 * definition, so that they mean and say the same everywhere.
 */
#ifndef BUILTIN_SYMBOLS_H
#define BUILTIN_SYMBOLS_H

#include "cli/options.h"
#include "session/session.h"

/* styles: struct unwind_styles * */
#define UNWIND_STYLE_ROW(styles)                                                               \
	{                                                                                      \
		OPTION_CALLBACK, 0, "unwind-style", styles, .arg = "STYLE[,STYLE]...",         \
		.set = set_unwind_styles, .flags = OPT_NO_NEGATE,                              \
		.help = "unwind user stacks by native, libdw, libunwind; "                     \
			"the next where one fails (default: native,libdw)"                     \
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
		.help = "fetch missing files from debuginfod servers "                         \
			"(default: those of DEBUGINFOD_URLS)"                                  \
	}
int set_debuginfod_wish(const struct option_call *call, struct reason *r);
/*
 * The servers to ask: of the option, or else of the setting buildid-cache.debuginfod;
 * *out is NULL when nobody is to be asked.  close: before report_conditions.
 */
int open_debug_servers(struct context *ctx, const struct debuginfod_wish *wish,
		       struct debug_servers **out, struct reason *r) MUST_CHECK;
void close_debug_servers(struct context *ctx, struct debug_servers *s);

#endif
