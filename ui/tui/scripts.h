/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key r: runs one of the installed scripts, or a command line of the settings scripts.NAME, over
 * the current file in a separate process, and shows its output. Threads: the one that draws. The
 * screen is open before and after.
 */
#ifndef UI_TUI_SCRIPTS_H
#define UI_TUI_SCRIPTS_H

#include "base/context.h"
#include "ui/tui/list.h"

/*
 * Lets the user choose a script and runs it; l says what cannot be done. file is NULL if there is
 * none.
 */
void tui_run_script(const struct context *ctx, struct list *l, const char *file);
/* Shows what perf script prints around a time, as many ns as the setting samples.context says. */
void tui_show_around(const struct context *ctx, const char *file, u64 time);

#endif
