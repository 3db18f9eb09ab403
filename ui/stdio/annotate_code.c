// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of one instruction for human readers, with the meaning of its operands instead of
 * numbers.
 */
#include <stdio.h>
#include <string.h>

#include "annotate/datatype.h"
#include "base/text.h"
#include "ui/stdio/annotate.h"

#define RAW_BYTES   7 /* the most bytes in a line */
#define RAW_COLUMNS 24

static const char *operands_of(const struct annotate_line *l)
{
	const char *s = l->text + l->mnemonic;

	while (*s == ' ')
		s++;
	return s;
}

u32 stdio_name_width(const struct annotation *n)
{
	u32 width = 0;

	for (u32 i = 0; i < n->count; i++)
		if (n->lines[i].kind == ANNOTATE_CODE && n->lines[i].mnemonic > width)
			width = n->lines[i].mnemonic;
	return width;
}

static void named(const struct annotate_line *l, u32 width, const char *rest, size_t len,
		  struct strbuf *b)
{
	strbuf_add(b, l->text, l->mnemonic);
	if (!len)
		return;
	strbuf_pad(b, ' ', (int)width - l->mnemonic);
	strbuf_char(b, ' ');
	strbuf_add(b, rest, len);
}

/*
 * Adds an operand by name: "0x2ef9(%rip),%rcx        # 4040 <gs>" becomes "gs,%rcx". Returns false
 * if there is no name.
 */
static bool by_name(const struct annotate_line *l, u32 width, struct strbuf *b)
{
	const char *operands = operands_of(l), *rip = strstr(operands, "(%rip)");
	const char *comment = rip ? strchr(rip, '#') : NULL;
	const char *name = comment ? strchr(comment, '<') : NULL,
		   *end = name ? strrchr(name, '>') : NULL;
	const char *start = rip, *tail;

	if (!end)
		return false;
	while (start > operands && start[-1] != ',' && start[-1] != '*' && start[-1] != ':')
		start--;
	named(l, width, operands, (size_t)(start - operands), b);
	if (start == operands) {
		strbuf_pad(b, ' ', (int)width - l->mnemonic);
		strbuf_char(b, ' ');
	}
	strbuf_add(b, name + 1, (size_t)(end - name - 1));
	tail = rip + 6;
	strbuf_add(b, tail, strcspn(tail, " "));
	return true;
}

static bool is_nop(const struct annotate_line *l)
{
	return l->mnemonic <= 4 && !strncmp(l->text, "nop", 3);
}

/* Adds in words where a jump or a call goes. Returns false if the line has no target. */
static bool flow_text(const struct annotation *n, const struct annotate_line *l, u32 width,
		      struct strbuf *b)
{
	const char *operands = operands_of(l), *name = strchr(operands, '<');
	const char *end = name ? strrchr(name, '>') : NULL;
	bool inside = l->target >= n->address && l->target < n->address + n->size;

	if (!l->has_target)
		return false;
	if (l->flow != FLOW_CALL && inside) {
		/* all operands but the last: a condition's register */
		const char *first_end = name ? name : operands + strlen(operands);

		while (first_end > operands && first_end[-1] == ' ')
			first_end--;
		while (first_end > operands && first_end[-1] != ' ' && first_end[-1] != ',')
			first_end--;
		strbuf_add(b, l->text, l->mnemonic);
		strbuf_pad(b, ' ', (int)width - l->mnemonic);
		strbuf_char(b, ' ');
		strbuf_add(b, operands, (size_t)(first_end - operands));
		strbuf_hex(b, l->target - n->address);
		return true;
	}
	if (l->target_name)
		named(l, width, l->target_name, strlen(l->target_name), b);
	else if (end)
		named(l, width, name + 1, (size_t)(end - name - 1), b);
	return l->target_name || end;
}

void stdio_code_text(const struct annotation *n, const struct annotate_line *l, u32 width,
		     struct strbuf *b)
{
	if (is_nop(l)) {
		strbuf_str(b, "nop");
		return;
	}
	if (l->flow && l->flow != FLOW_RETURN && flow_text(n, l, width, b))
		return;
	if (by_name(l, width, b))
		return;
	stdio_operands_text(l, width, b);
}

void stdio_operands_text(const struct annotate_line *l, u32 width, struct strbuf *b)
{
	named(l, width, operands_of(l), strlen(operands_of(l)), b);
}

u32 stdio_raw_lines(const struct annotate_line *l)
{
	return l->size ? (l->size + RAW_BYTES - 1u) / RAW_BYTES : 1;
}

void stdio_raw_text(const struct annotate_line *l, u32 row, struct strbuf *b)
{
	size_t from = b->len;

	for (u32 i = row * RAW_BYTES; i < l->size && i < (row + 1) * RAW_BYTES; i++)
		strbuf_f(b, "%s%02x", i % RAW_BYTES ? " " : "", l->bytes[i]);
	if (row)
		return;
	strbuf_pad(b, ' ', RAW_COLUMNS - (int)(b->len - from));
	strbuf_str(b, l->text);
}

#define IPC_WIDTH    5
#define CYCLES_WIDTH 5
#define RANGE_WIDTH  18

int stdio_cycles_width(const struct annotation *n, bool range)
{
	return n->has_cycles ? IPC_WIDTH + 1 + (range ? RANGE_WIDTH : CYCLES_WIDTH) + 1 : 0;
}

void stdio_put_cycles(const struct annotation *n, const struct annotate_line *l, bool range,
		      struct strbuf *b)
{
	int width = range ? RANGE_WIDTH : CYCLES_WIDTH;
	char text[48];

	if (!n->has_cycles)
		return;
	if (!l) {
		strbuf_f(b, "%*s %*s ", IPC_WIDTH, "IPC", width,
			 range ? "Cycle(min/max)" : "Cycle");
		return;
	}
	if (l->ipc > 0)
		strbuf_f(b, "%*.2f ", IPC_WIDTH, (double)l->ipc);
	else
		strbuf_pad(b, ' ', IPC_WIDTH + 1);
	if (l->cycles && range) {
		snprintf(text, sizeof(text), "%u(%u/%u)", l->cycles, l->least, l->most);
		strbuf_f(b, "%*s ", width, text);
	} else if (l->cycles) {
		strbuf_f(b, "%*u ", width, l->cycles);
	} else {
		strbuf_pad(b, ' ', width + 1);
	}
}

void stdio_put_ipc(const struct annotation *n, struct strbuf *b)
{
	if (n->has_cycles && n->ipc > 0)
		strbuf_f(b, "(Average IPC: %.2f, IPC Coverage: %.1f%%)", n->ipc, n->covered);
}

void stdio_line_name(const struct annotation *n, const struct annotate_line *l, bool full,
		     struct strbuf *b)
{
	if (!l->file || !l->line) {
		strbuf_f(b, "%s[%" PRIx64 "]", path_base(n->object), l->address);
		return;
	}
	strbuf_printable(b, full ? l->file : path_base(l->file));
	strbuf_f(b, ":%u", l->line);
}

void stdio_type_note(void *arg, const struct annotation *n, u32 line, struct strbuf *out)
{
	struct data_access access;

	data_access_at(arg, n, line, &access);
	if (access.outcome == DATA_OK) {
		strbuf_f(out, "\t\t# data-type: %s", data_type_name(access.type));
		if (data_type_size(access.type) > access.size || access.offset) {
			strbuf_f(out, " +0x%" PRIx64, access.offset);
			strbuf_str(out, " (");
			data_type_field(access.type, access.offset, out);
			strbuf_str(out, ")");
		}
	} else if (access.outcome == DATA_STACK || access.outcome == DATA_CANARY) {
		strbuf_f(out, "\t\t# data-type: (%s)",
			 access.outcome == DATA_STACK ? "stack operation" : "stack canary");
	}
}
