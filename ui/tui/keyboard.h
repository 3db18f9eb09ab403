/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translates what terminals send for their keys to the keys of ui/tui/screen.h. */
#ifndef UI_TUI_KEYBOARD_H
#define UI_TUI_KEYBOARD_H

#include "base/types.h"

/*
 * Returns the key at the start of n > 0 bytes; *used is the number of bytes that it took. An
 * unknown escape sequence is KEY_NONE. An incomplete one is KEY_NONE with *used 0: wait for more,
 * or take the ESC as the key.
 */
int keyboard_decode(const u8 *bytes, size_t n, size_t *used);

#endif
