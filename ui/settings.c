// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/config.h"
#include "hist/hist.h"
#include "ui/tui/screen.h"

static void not_understood(struct context *ctx, const char *name, const char *why)
{
	condition_add(&ctx->conditions, CONDITION_WARNING, "setting-value", name, NULL, 1, NULL,
		      "the setting '%s' is ignored: %s", name, why);
}

/*
 * Adds the words of -g. The first number is the threshold, the second the most branches to print.
 */
static bool put_words(const struct context *ctx, struct strbuf *b)
{
	static const char *const names[] = { "call-graph.print-type", "call-graph.threshold",
					     "call-graph.print-limit", "call-graph.order",
					     "call-graph.sort-key" };
	const char *limit = config_get(ctx, names[2]);
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = config_get(ctx, names[i]);

		if (i == 1 && limit && !value)
			value = "0.5";
		if (!value)
			continue;
		strbuf_f(b, "%s%s", any ? "," : "", value);
		any = true;
	}
	return any;
}

void call_graph_from_settings(struct context *ctx, struct call_graph_settings *g)
{
	struct call_graph_settings set = *g;
	struct strbuf words = STRBUF_INIT;
	struct reason r = REASON_INIT;

	if (put_words(ctx, &words)) {
		if (call_graph_parse(&set, strbuf_cstr(&words), &r))
			not_understood(ctx, "call-graph", r.text);
		else
			*g = set;
	}
	reason_release(&r);
	strbuf_release(&words);
}

/* Sets a colour from "FOREGROUND, BACKGROUND". */
static void set_color(struct context *ctx, const char *name, enum screen_color color)
{
	const char *value = config_get(ctx, name);
	struct strlist parts = { VEC_INIT };

	if (!value)
		return;
	strlist_split(&parts, value, ", \t");
	if (parts.list.count == 2)
		screen_set_color(color, parts.list.items[0], parts.list.items[1]);
	else
		not_understood(ctx, name, "it is not two colours, as in 'red, default'");
	strlist_release(&parts);
}

void colors_from_settings(struct context *ctx)
{
	set_color(ctx, "colors.top", SCREEN_HOT);
	set_color(ctx, "colors.medium", SCREEN_WARM);
	set_color(ctx, "colors.normal", SCREEN_NORMAL);
	set_color(ctx, "colors.selected", SCREEN_SELECTED);
	set_color(ctx, "colors.root", SCREEN_TITLE);
	set_color(ctx, "colors.addr", SCREEN_ADDRESS);
	set_color(ctx, "colors.jump_arrows", SCREEN_ARROW);
}
