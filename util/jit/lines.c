// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes DWARF 4 for functions: a unit and a line table for each. Source: DWARF 4, sections 6.2 and
 * 7.
 */
#include <string.h>

#include "base/hash.h"
#include "jit/internal.h"

/* Those of DWARF's numbers that are needed. */
/* clang-format off */
enum {
	DW_TAG_compile_unit = 0x11,
	DW_CHILDREN_no = 0,
	DW_AT_name = 0x03, DW_AT_stmt_list = 0x10, DW_AT_low_pc = 0x11, DW_AT_high_pc = 0x12,
	DW_AT_comp_dir = 0x1b,
	DW_FORM_addr = 0x01, DW_FORM_string = 0x08, DW_FORM_sec_offset = 0x17,
	DW_LNS_copy = 1, DW_LNS_advance_pc = 2, DW_LNS_advance_line = 3, DW_LNS_set_file = 4,
	DW_LNE_end_sequence = 1, DW_LNE_set_address = 2,
	OPCODE_BASE = 13,
};
/* clang-format on */

static void uleb(struct strbuf *b, u64 v)
{
	do {
		strbuf_char(b, (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0)));
		v >>= 7;
	} while (v);
}

static void sleb(struct strbuf *b, s64 v)
{
	bool more;

	do {
		u8 byte = v & 0x7f;

		v >>= 7;
		more = !((!v && !(byte & 0x40)) || (v == -1 && byte & 0x40));
		strbuf_char(b, (char)(byte | (more ? 0x80 : 0)));
	} while (more);
}

static void text(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s) + 1);
}

/* Sets the length at `at` to the number of bytes that follow it. */
static void set_length(struct strbuf *b, size_t at, const struct jit_format *f)
{
	struct strbuf n = STRBUF_INIT;

	jit_put32(&n, (u32)(b->len - at - 4), f);
	memcpy(b->s + at, n.s, 4);
	strbuf_release(&n);
}

static void build_abbrev(struct strbuf *b)
{
	static const u8 attributes[][2] = {
		{ DW_AT_name, DW_FORM_string },          { DW_AT_comp_dir, DW_FORM_string },
		{ DW_AT_stmt_list, DW_FORM_sec_offset }, { DW_AT_low_pc, DW_FORM_addr },
		{ DW_AT_high_pc, DW_FORM_addr },
	};

	uleb(b, 1);
	uleb(b, DW_TAG_compile_unit);
	strbuf_char(b, DW_CHILDREN_no);
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		uleb(b, attributes[i][0]);
		uleb(b, attributes[i][1]);
	}
	strbuf_add(b, "\0\0\0", 3);
}

static void build_info(struct strbuf *b, const struct jit_entry *e, const struct jit_format *f,
		       u64 addr, u64 lines_at)
{
	size_t start = b->len;

	jit_put32(b, 0, f);
	jit_put16(b, 4, f);
	jit_put32(b, 0, f); /* abbreviations */
	strbuf_char(b, f->is64 ? 8 : 4);
	uleb(b, 1);
	text(b, e->lines[0].file);
	text(b, "");
	jit_put32(b, (u32)lines_at, f);
	jit_put_word(b, addr, f);
	jit_put_word(b, addr + e->size, f);
	set_length(b, start, f);
}

static void build_rows(struct strbuf *b, const struct jit_entry *e, const struct jit_format *f,
		       u64 addr, const struct strmap *files)
{
	u64 at = addr, line = 1, file = 1;

	strbuf_char(b, 0);
	uleb(b, 1 + (f->is64 ? 8 : 4));
	strbuf_char(b, DW_LNE_set_address);
	jit_put_word(b, addr, f);
	for (size_t i = 0; i < e->line_count; i++) {
		const struct jit_line *l = &e->lines[i];
		u64 to = addr + (l->addr - e->addr), number;

		/* rows of a sequence must ascend and lie within the code */
		if (l->addr < e->addr || l->addr - e->addr >= e->size || to < at)
			continue;
		number = *strmap_get(files, l->file);
		if (number != file) {
			strbuf_char(b, DW_LNS_set_file);
			uleb(b, number);
			file = number;
		}
		strbuf_char(b, DW_LNS_advance_line);
		sleb(b, (s64)l->line - (s64)line);
		line = l->line;
		strbuf_char(b, DW_LNS_advance_pc);
		uleb(b, to - at);
		at = to;
		strbuf_char(b, DW_LNS_copy);
	}
	strbuf_char(b, DW_LNS_advance_pc);
	uleb(b, addr + e->size - at);
	strbuf_add(b, (const u8[]){ 0, 1, DW_LNE_end_sequence }, 3);
}

static void build_line(struct strbuf *b, const struct jit_entry *e, const struct jit_format *f,
		       u64 addr)
{
	static const u8 operands[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct strmap files = { 0 }; /* name -> number, from 1 on */
	size_t start = b->len, header;

	jit_put32(b, 0, f);
	jit_put16(b, 4, f);
	header = b->len;
	jit_put32(b, 0, f);
	/* shortest instruction, operations in one, is_stmt, line base, range, opcodes */
	strbuf_add(b, (const u8[]){ 1, 1, 1, (u8)-5, 14, OPCODE_BASE }, 6);
	strbuf_add(b, operands, sizeof(operands));
	strbuf_char(b, 0); /* no directories */
	for (size_t i = 0; i < e->line_count; i++) {
		bool added = false;
		u64 *number = strmap_put(&files, e->lines[i].file, &added);

		if (!added)
			continue;
		*number = files.count;
		text(b, e->lines[i].file);
		strbuf_add(b, "\0\0\0", 3); /* directory, time, size */
	}
	strbuf_char(b, 0);
	set_length(b, header, f);
	build_rows(b, e, f, addr, &files);
	set_length(b, start, f);
	strmap_release(&files);
}

void jit_dwarf_add(const struct jit_entry *e, const struct jit_format *f, u64 addr,
		   struct jit_dwarf *out)
{
	if (!e->line_count)
		return;
	if (!out->abbrev.len)
		build_abbrev(&out->abbrev);
	build_info(&out->info, e, f, addr, out->line.len);
	build_line(&out->line, e, f, addr);
}

void jit_dwarf_release(struct jit_dwarf *d)
{
	strbuf_release(&d->info);
	strbuf_release(&d->abbrev);
	strbuf_release(&d->line);
}
