/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flame view: call chains as boxes, callers over their callees (an icicle), as wide
 * as their share.  Zoom into a box, search for a name.  Works on a terminal of any size.
 */
#ifndef UI_TUI_FLAME_H
#define UI_TUI_FLAME_H

#include "hist/flame.h"

enum flame_end { FLAME_BACK, FLAME_QUIT, FLAME_OTHER };

struct flame_show {
	const char *title; /* shown over the boxes */
	bool times;        /* it is made of times: waits have a separate colour */
	bool other;        /* there is another tree, to which the key w switches: FLAME_OTHER */
};

/* Shows the flame graph on the open screen until the user leaves it. */
enum flame_end tui_flame(struct flame *f, const struct flame_show *show);

#endif
