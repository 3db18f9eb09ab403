// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of perf sched map. */
#include "builtin/sched/map.h"

#include "base/text.h"
#include "cli/color.h"

#define COLOR_CPU "\033[41m"

void map_code_text(u32 code, char text[3])
{
	text[0] = (char)('A' + code % LETTERS);
	text[1] = (char)('0' + code / LETTERS);
	text[2] = '\0';
}

void map_put_coloured(const struct map *m, struct strbuf *b, const char *color, const char *text)
{
	if (!m->colour || !color) {
		strbuf_printable(b, text);
		return;
	}
	strbuf_str(b, color);
	strbuf_printable(b, text);
	strbuf_str(b, COLOR_RESET);
}

static void put_code(const struct map *m, u16 cell, struct strbuf *b)
{
	u32 code = (cell & CELL_WHAT) - CELL_CODE;
	char *to, text[3];

	if (unlikely(cell & CELL_COLOURED)) {
		map_code_text(code, text);
		map_put_coloured(m, b, COLOR_BLUE, text);
		strbuf_char(b, ' ');
		return;
	}
	to = strbuf_grow(b, 3);
	map_code_text(code, to);
	to[2] = ' ';
	to[3] = '\0';
	b->len += 3;
}

static void put_cell(const struct map *m, u16 cell, struct strbuf *b)
{
	if (cell & CELL_CHANGED)
		map_put_coloured(m, b, cell & CELL_CPU_COLOURED ? COLOR_CPU : NULL, "*");
	else
		strbuf_char(b, ' ');
	switch (cell & CELL_WHAT) {
	case CELL_UNKNOWN:
		strbuf_add(b, "   ", 3);
		break;
	case CELL_IDLE:
		strbuf_add(b, ".  ", 3);
		break;
	case CELL_OTHER:
		strbuf_add(b, "-  ", 3);
		break;
	default:
		put_code(m, cell, b);
	}
}

void map_put_line(const void *arg, const void *facts, struct strbuf *b)
{
	const struct map *m = arg;
	const struct map_line *l = facts;

	strbuf_add(b, "  ", 2);
	for (u32 i = 0; i < l->count; i++)
		put_cell(m, l->cells[i], b);
	strbuf_add(b, "  ", 2);
	sched_put_seconds(b, l->time, 12);
	strbuf_add(b, l->cells + l->count, l->len);
	strbuf_char(b, '\n');
}
