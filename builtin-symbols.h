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

#endif
