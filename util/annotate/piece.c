// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads bytes at any place of an image, and decodes their instructions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/opcodes.h"
#include "arch/machine.h"
#include "base/alloc.h"
#include "base/text.h"

struct code_piece {
	struct annotator *a;
	struct symbol place; /* looked up like a function */
	struct code code;
	struct target_namer namer;
	bool by_opcodes, by_capstone;
};

static void choose(struct code_piece *p)
{
	struct annotator *a = p->a;

	if (!a->opcodes)
		a->opcodes = opcodes_new();
	p->by_opcodes = opcodes_begin(a->opcodes, &p->code, a->set.syntax, &p->namer);
	if (p->by_opcodes)
		return;
	if (!a->decoder)
		a->decoder = decoder_new(a->set.syntax);
	p->by_capstone = decoder_knows(a->decoder, p->code.arch, p->code.machine);
}

struct code_piece *code_piece_open(struct annotator *a, u32 image, u64 offset, u64 size,
				   struct reason *r)
{
	struct code_piece *p = xcalloc(1, sizeof(*p));
	int err;

	p->a = a;
	p->place = (struct symbol){ .start = offset,
				    .size = MIN(size, SYMBOL_MOST_SIZE + 1),
				    .name = "code" };
	err = offset + size < offset ? reason_set(r, ENODATA, "the address is higher than any code")
				     : code_find(a, image, &p->place, &p->code, r);
	if (err || !p->code.size) {
		free(p);
		return NULL;
	}
	p->namer = (struct target_namer){ .a = a, .image = image, .code = &p->code };
	choose(p);
	return p;
}

void code_piece_free(struct code_piece *p)
{
	if (p)
		free(p->code.owned);
	free(p);
}

const u8 *code_piece_bytes(const struct code_piece *p, size_t *size)
{
	*size = p->code.size;
	return p->code.bytes;
}

bool code_piece_is_64(const struct code_piece *p)
{
	return p->code.elf
		       ? elf_is_64(p->code.elf)
		       : p->code.machine != ELF_MACHINE_386 && p->code.machine != ELF_MACHINE_ARM;
}

/* Reports whether the text is objdump's for bytes that are not an instruction. */
static bool is_bad(const char *text)
{
	return strstr(text, "(bad)") || str_starts(text, ".byte") || str_starts(text, ".inst") ||
	       str_starts(text, ".long");
}

u32 code_piece_decode(struct code_piece *p, size_t at, struct strbuf *text, u8 *flow)
{
	struct insn insn = { .text = text };
	const struct code *c = &p->code;
	bool ok = false;

	strbuf_clear(text);
	*flow = FLOW_NONE;
	if (at >= c->size)
		return 0;
	if (p->by_opcodes)
		ok = opcodes_decode(p->a->opcodes, c->address + at, &insn);
	else if (p->by_capstone)
		ok = decode(p->a->decoder, c->arch, c->machine, c->bytes + at, c->size - at,
			    c->address + at, &p->namer, &insn);
	if (!ok || !insn.size || insn.size > c->size - at || is_bad(strbuf_cstr(text)))
		return 0;
	*flow = insn.flow;
	return insn.size;
}

const char *annotator_source_line(struct annotator *a, const char *path, u32 line, size_t *len)
{
	return source_line(a->sources, path, line, len);
}
