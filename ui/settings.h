/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings in the configuration about how things are drawn. One that cannot be understood is
 * ignored and reported as a condition of ctx.
 */
#ifndef UI_SETTINGS_H
#define UI_SETTINGS_H

#include "base/context.h"

struct call_graph_settings;

/*
 * Takes call-graph.print-type, order, sort-key, threshold and print-limit from the configuration.
 */
void call_graph_from_settings(struct context *ctx, struct call_graph_settings *g);
/*
 * Takes colors.* from the configuration, how the terminal browser draws; called before the screen
 * is opened.
 */
void colors_from_settings(struct context *ctx);

#endif
