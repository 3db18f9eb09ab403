/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key r: one of the installed scripts is run over the file that is looked at, by this program
 * itself as a process of its own, and what it prints is shown.
 * Threads: the one that draws.  The screen is open before and after.
 */
#ifndef UI_TUI_SCRIPTS_H
#define UI_TUI_SCRIPTS_H

#include "ui/tui/list.h"

/* l says what cannot be done. file NULL: there is none. */
void tui_run_script(struct list *l, const char *file);

#endif
