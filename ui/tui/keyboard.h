/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What terminals send for their keys, as keys of ui/tui/screen.h. */
#ifndef UI_TUI_KEYBOARD_H
#define UI_TUI_KEYBOARD_H

#include "base/types.h"

/*
 * The key at the start of n > 0 bytes; *used tells how many bytes it took.  An escape
 * sequence that is not known is KEY_NONE; one that has not ended is KEY_NONE with 0
 * used: wait for more, or take the ESC as the key.
 */
int keyboard_decode(const u8 *bytes, size_t n, size_t *used);

#endif
