/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as one SVG file that needs nothing else: its script shows a frame's numbers when
 * the mouse is over it, zooms into a frame on a click, and searches.
 *
 * It works as a document and as an element of a page, beside others. Without script (an image
 * viewer) it is a still picture.
 */
#ifndef UI_HTML_FLAMEGRAPH_H
#define UI_HTML_FLAMEGRAPH_H

#include "base/out.h"
#include "hist/hist.h"

struct flamegraph {
	const char *title;    /* shown on top */
	const char *subtitle; /* or NULL */
	const char *unit;     /* "samples" */
	bool periods;         /* widths are periods, not samples */
	bool times;           /* periods are ns of hist_times: waits have their own colours */
	double limit;         /* percent of all: frames with less are left out */
};
/*
 * Draws a flame graph. Warm colours are users' code, orange the kernel, light blue inlined
 * functions and, with times, violet what waited. Names are escaped. Frames narrower than a pixel
 * are left out.
 */
void flamegraph_svg(const struct flamegraph *g, const struct hist_stacks *f, struct out *out);

#endif
