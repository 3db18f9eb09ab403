// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stubs of the procedure linkage table: "name@plt".  The order of stubs is not the
 * order of relocations where functions chosen at the start (IRELATIVE) are among
 * them, so a stub is decoded to the word of the GOT that it jumps through.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/search.h"
#include "object/elf.h"
#include "symbol/internal.h"

/* Sizes in bytes, by architecture; the ABI documents fix them. */
static const struct plt_shape {
	u16 machine;
	u32 header, entry;
} shapes[] = {
	{ .machine = EM_386, .header = 16, .entry = 16 },
	{ .machine = EM_X86_64, .header = 16, .entry = 16 },
	{ .machine = EM_AARCH64, .header = 32, .entry = 16 },
	/* as GNU ld writes them; lld's differ */
	{ .machine = EM_ARM, .header = 20, .entry = 12 },
	{ .machine = EM_RISCV, .header = 32, .entry = 16 },
	{ .machine = EM_S390, .header = 32, .entry = 32 },
};

struct plt {
	const struct elf *elf;
	struct symbol_list *out;
	size_t functions; /* the first ones in out, by start: the file's own symbols */
	struct arena *names;
	bool demangle, params;
	const struct elf_section *relocs; /* .rela.plt, .rel.plt or NULL */
	const struct elf_section *data;   /* .rela.dyn, when a table of stubs needs it, or NULL */
	/* address of a word of the GOT -> 1 + index in relocs, or FROM_DATA + index */
	struct map64 by_slot;
};

#define FROM_DATA ((u64)1 << 32)

static const struct plt_shape *shape_of(u16 machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (shapes[i].machine == machine)
			return &shapes[i];
	return NULL;
}

/*
 * Returns the address that a word of the file has before the loader changes it: the addend of
 * SHT_REL.
 */
static u64 word_at(const struct elf *e, u64 addr)
{
	size_t size, room = elf_is_64(e) ? 8 : 4;
	const u8 *data = elf_data(e, &size);
	u64 offset;

	if (!elf_addr_to_offset(e, addr, &offset) || offset > size || size - offset < room)
		return 0;
	data += offset;
	return room == 8 ? load_u64(data, elf_is_swapped(e)) : load_u32(data, elf_is_swapped(e));
}

/* Returns the function of the file that begins at this address, or NULL. */
static const struct symbol *function_at(const struct plt *p, u64 addr)
{
	const struct symbol *s = p->out->list.items;
	size_t at;
	u64 offset;

	if (!elf_addr_to_offset(p->elf, addr, &offset))
		return NULL;
	at = lower_bound(i, 0, p->functions, s[i].start < offset);
	return at < p->functions && s[at].start == offset ? &s[at] : NULL;
}

/*
 * Returns the indirect function of the file whose resolver begins at this address, or NULL. There
 * are few such stubs.
 */
static const char *indirect_at(const struct elf *e, u64 addr)
{
	struct elf_symbol s;

	for (u32 i = 0; i < elf_section_count(e); i++) {
		const struct elf_section *table = elf_section_at(e, i);
		u32 count = table && (table->type == SHT_SYMTAB || table->type == SHT_DYNSYM)
				    ? elf_symbol_count(e, table)
				    : 0;

		for (u32 k = 0; k < count; k++)
			if (elf_symbol_at(e, table, k, &s) && s.type == STT_GNU_IFUNC &&
			    s.value == addr && *s.name)
				return s.name;
	}
	return NULL;
}

/*
 * Names the stub of a function that is chosen when the program starts: "strlen@plt". Its relocation
 * has no symbol, only the address of the indirect function that chooses. If that has no name
 * either, the stub gets objdump's: "*ABS*+0x9f550@plt", or "*ABS*@plt" where relocations have no
 * addends.
 */
static const char *chosen_name(const struct plt *p, const struct elf_section *table,
			       const struct elf_relocation *rel, enum name_state *state)
{
	bool has_addend = table->type == SHT_RELA;
	u64 addr = has_addend ? (u64)rel->addend : word_at(p->elf, rel->offset);
	const char *indirect = indirect_at(p->elf, addr);
	const struct symbol *f = function_at(p, addr);
	char text[48];

	*state = NAME_STUB;
	/* the resolver can have its own symbol, which names code at this address */
	if (indirect && (!f || strcmp(f->name, indirect) != 0)) {
		*state = p->demangle ? NAME_MANGLED_STUB : NAME_STUB;
		return arena_strndup(p->names, indirect, strcspn(indirect, "@"));
	}
	if (f && f->name_state == NAME_MANGLED)
		*state = NAME_MANGLED_STUB;
	if (f)
		return arena_strndup(p->names, f->name, strlen(f->name));
	snprintf(text, sizeof(text), has_addend ? "*ABS*+0x%llx" : "*ABS*",
		 (unsigned long long)addr);
	return arena_strndup(p->names, text, strlen(text));
}

/*
 * Reports whether the function is the relocation's symbol alone. On x86-64 it is, and linkers may
 * use the addend for something else (ld -z mark-plt: the address of the stub).
 */
static bool has_no_addend(const struct plt *p, const struct elf_relocation *rel)
{
	return !rel->addend ||
	       (elf_machine(p->elf) == EM_X86_64 &&
		(rel->type == R_X86_64_JUMP_SLOT || rel->type == R_X86_64_GLOB_DAT));
}

/*
 * Returns "name@plt", where "@plt" is appended on demand, or NULL if the relocation's symbol cannot
 * be read.
 */
static const char *stub_name(const struct plt *p, const struct elf_section *table,
			     const struct elf_relocation *rel, enum name_state *state)
{
	const struct elf_section *dynsym = elf_section_at(p->elf, table->link);
	char *shown = NULL, *name;
	struct elf_symbol s;
	const char *kept;

	if (!rel->symbol)
		return chosen_name(p, table, rel, state);
	if (!dynsym || !elf_symbol_at(p->elf, dynsym, rel->symbol, &s) || !*s.name)
		return NULL;
	*state = p->demangle ? NAME_MANGLED_STUB : NAME_STUB;
	/* the table may keep another file open, with its debug information */
	if (has_no_addend(p, rel))
		return arena_strndup(p->names, s.name, strlen(s.name));
	if (p->demangle)
		shown = symbol_demangle(s.name, p->params);
	name = xasprintf("%s+0x%llx@plt", shown ? shown : s.name, (unsigned long long)rel->addend);
	kept = arena_strndup(p->names, name, strlen(name));
	free(name);
	free(shown);
	*state = NAME_FINAL;
	return kept;
}

static void add_stub(const struct plt *p, u64 offset, u64 size, const struct elf_section *table,
		     u32 index)
{
	struct elf_relocation rel;
	enum name_state state;
	const char *name = NULL;

	if (elf_relocation_at(p->elf, table, index, &rel))
		name = stub_name(p, table, &rel, &state);
	if (!name)
		return;
	symbol_list_add(p->out, offset, size, STB_GLOBAL, name, state);
	vec_last(&p->out->list)->is_plt = true;
}

static bool is_irelative(u16 machine, u32 type)
{
	return machine == EM_AARCH64 ? type == R_AARCH64_IRELATIVE
	       : machine == EM_386   ? type == R_386_IRELATIVE
				     : type == R_X86_64_IRELATIVE;
}

static void index_slots(struct plt *p)
{
	struct elf_relocation rel;

	for (u32 i = 0; p->data && elf_relocation_at(p->elf, p->data, i, &rel); i++)
		if (rel.symbol || is_irelative(elf_machine(p->elf), rel.type))
			*map64_put(&p->by_slot, rel.offset, NULL) = FROM_DATA + i;
	for (u32 i = 0; p->relocs && elf_relocation_at(p->elf, p->relocs, i, &rel); i++)
		*map64_put(&p->by_slot, rel.offset, NULL) = 1 + (u64)i;
}

/* Adds a stub by the word that it reads, whose relocation decides where it jumps. */
static void add_by_slot(const struct plt *p, u64 offset, u64 size, u64 slot, bool *found)
{
	u64 *which = map64_get(&p->by_slot, slot);

	if (!which)
		return;
	*found = true;
	if (*which >= FROM_DATA)
		add_stub(p, offset, size, p->data, (u32)(*which - FROM_DATA));
	else
		add_stub(p, offset, size, p->relocs, (u32)(*which - 1));
}

/*
 * Finds jmp *disp(%rip), jmp *address or jmp *disp(%ebx), from `at` on, and the word of the GOT
 * that it reads.
 */
static bool x86_slot(const struct plt *p, const u8 *code, u64 size, u64 addr, u64 *at, u64 *slot)
{
	bool is_64 = elf_machine(p->elf) == EM_X86_64;

	for (; *at + 6 <= size; ++*at) {
		const u8 *c = code + *at;
		u32 operand = load_u32(c + 2, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		const struct elf_section *got;

		if (c[0] != 0xff)
			continue;
		if (c[1] == 0x25) {
			*slot = is_64 ? addr + *at + 6 + (u64)(s64)(s32)operand : operand;
			return true;
		}
		got = elf_section(p->elf, ".got.plt");
		if (!got)
			got = elf_section(p->elf, ".got");
		if (c[1] == 0xa3 && !is_64 && got) {
			*slot = (u32)(got->addr + operand);
			return true;
		}
	}
	return false;
}

/* Finds adrp x16, page; ldr x17, [x16, #offset], perhaps after bti c. at counts bytes. */
static bool aarch64_slot(const u8 *code, u64 size, u64 addr, u64 *at, u64 *slot)
{
	for (; *at + 8 <= size; *at += 4) {
		/* instructions are little-endian in either order of data */
		u32 adrp = load_u32(code + *at, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		u32 ldr = load_u32(code + *at + 4, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		s64 pages = (s64)((u64)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 43) >> 43;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		*slot = ((addr + *at) & ~(u64)0xfff) + ((u64)pages << 12) + (ldr >> 10 & 0xfff) * 8;
		return true;
	}
	return false;
}

/*
 * Recognizes a stub: add ip, pc, #; add ip, ip, # (once or twice); ldr pc, [ip, #]!, or, far away,
 * ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; distance. Returns its size, or 0 if it is not
 * one.
 */
static u32 arm_slot(const u8 *code, u64 size, u64 addr, bool swap, u64 *slot)
{
	u32 sum = 0, n = 0;

	if (size >= 16 && load_u32(code, swap) == 0xe59fc004 &&
	    load_u32(code + 4, swap) == 0xe08cc00f) {
		*slot = (u32)(addr + 12 + load_u32(code + 12, swap));
		return 16;
	}
	for (; n * 4 + 4 <= size && n < 4; n++) {
		u32 insn = load_u32(code + n * 4, swap), turn = (insn >> 8 & 15) * 2,
		    imm = insn & 0xff;

		if (n && (insn & 0xfffff000) == 0xe5bcf000) {
			*slot = (u32)(addr + 8 + sum + (insn & 0xfff));
			return n * 4 + 4;
		}
		if ((insn & 0xfffff000) != (n ? 0xe28cc000 : 0xe28fc000))
			return 0;
		sum += turn ? imm >> turn | imm << (32 - turn) : imm;
	}
	return 0;
}

/* Recognizes auipc t3, page; ld or lw t3, offset(t3); jalr t1, t3; nop. Returns its size, or 0. */
static u32 riscv_slot(const u8 *code, u64 size, u64 addr, bool is_64, u64 *slot)
{
	bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	u32 auipc, load;

	if (size < 16)
		return 0;
	auipc = load_u32(code, swap);
	load = load_u32(code + 4, swap);
	if ((auipc & 0xfff) != 0xe17 || (load & 0xfffff) != (is_64 ? 0xe3e03u : 0xe2e03u) ||
	    load_u32(code + 8, swap) != 0x000e0367)
		return 0;
	*slot = addr + (u64)(s64)(s32)(auipc & 0xfffff000) + (u64)(s64)((s32)load >> 20);
	if (!is_64)
		*slot = (u32)*slot;
	return 16;
}

/*
 * Adds stubs of tables whose entries differ in size from linker to linker, by scanning for their
 * code. A stub reaches to the next one. Returns false when there is none.
 */
static bool add_scanned(const struct plt *p, const struct elf_section *stubs)
{
	static const u8 from_thumb[] = { 0x78, 0x47, 0xc0, 0x46 }; /* bx pc; nop */
	struct elf_bytes code = elf_section_raw(p->elf, stubs);
	bool arm = elf_machine(p->elf) == EM_ARM, found = false, swap = elf_is_swapped(p->elf);
	bool reaches = false; /* the last symbol is the stub before this one, which has a name */
	u64 length;

	for (u64 at = 0; at + 4 <= code.size; at += length) {
		const u8 *c = code.data + at;
		u64 slot = 0, start = at;
		bool named = false;

		length = arm ? arm_slot(c, code.size - at, stubs->addr + at, swap, &slot)
			     : riscv_slot(c, code.size - at, stubs->addr + at, elf_is_64(p->elf),
					  &slot);
		if (length && arm && at >= 4 && !memcmp(c - 4, from_thumb, sizeof(from_thumb)))
			start -= 4;
		if (length && reaches)
			symbol_set_end(vec_last(&p->out->list), stubs->offset + start);
		if (length) {
			size_t before = p->out->list.count;

			add_by_slot(p, stubs->offset + start, code.size - start, slot, &named);
			reaches = p->out->list.count > before;
		}
		length = length ? length : 4;
		found |= named;
	}
	return found;
}

/* Code of 64-bit PowerPC, in words; addr is its address, toc the value of r2. */
struct ppc64_code {
	const u8 *bytes;
	u64 count, addr, toc;
	bool swap;
};

static u32 ppc64_word(const struct ppc64_code *c, u64 i)
{
	return i < c->count ? load_u32(c->bytes + i * 4, c->swap) : 0;
}

/*
 * Returns where a stub ends after mtctr r12 at `at`, or 0 for something else. bctr comes then, in
 * the older ABI after loads of the callee's TOC (r2) and environment (r11), or cmpldi r2, 0;
 * bnectr; b, where another thread may still write them.
 */
static u64 ppc64_call_end(const struct ppc64_code *c, u64 at)
{
	u64 i = at + 1;
	u32 word = ppc64_word(c, i);

	/* addi r11, r11, offset brings them near */
	while (i - at <= 4 &&
	       ((word & 0xffe00003) == 0xe8400000 || (word & 0xffe00003) == 0xe9600000 ||
		(word & 0xffff0000) == 0x396b0000))
		word = ppc64_word(c, ++i);
	if (word == 0x4e800420)
		return i + 1;
	return word == 0x28220000 && ppc64_word(c, i + 1) == 0x4ce20420 &&
			       ppc64_word(c, i + 2) >> 26 == 18
		       ? i + 3
		       : 0;
}

/*
 * Recognizes a call stub around its mtctr r12 at `at`: [std r2, 24 or 40(r1)], what reads r12 from
 * the word of the function, and what calls. The word is read by pld r12, distance, or by [addis r11
 * or r12, base, high]; ld r12, low(base).
 * The base is r2, or r11 after mflr r12; bcl 20, 31, next; next: mflr r11; mtlr r12.
 */
static bool ppc64_slot(const struct ppc64_code *c, u64 at, u64 *first, u64 *end, u64 *slot)
{
	static const u32 where_am_i[] = { 0x7d8802a6, 0x429f0005, 0x7d6802a6, 0x7d8803a6 };
	u64 from = at - 1;
	u32 load = at ? ppc64_word(c, from) : 0, before = at > 1 ? ppc64_word(c, at - 2) : 0;
	unsigned base = load >> 16 & 31;

	*end = ppc64_call_end(c, at);
	if (!*end)
		return false;
	if ((load & 0xffff0000) == 0xe5800000 && (before & 0xfffc0000) == 0x04100000) {
		from--;
		*slot = (u64)((s64)((u64)(before & 0x3ffff) << 46 | (u64)(load & 0xffff) << 30) >>
			      30);
		*slot += c->addr + from * 4;
	} else if ((load & 0xffe00003) == 0xe9800000 && (base == 2 || base == 11 || base == 12)) {
		*slot = (u64)(s64)(s16)(load & 0xfffc);
		if (base != 2 && (before & 0xffe00000) == (0x3c000000u | base << 21)) {
			from--;
			base = before >> 16 & 31;
			*slot += (u64)(s64)(s32)(before << 16);
		}
		if (base == 11 && from >= ARRAY_SIZE(where_am_i)) {
			from -= ARRAY_SIZE(where_am_i);
			for (u64 i = 0; i < ARRAY_SIZE(where_am_i); i++)
				if (ppc64_word(c, from + i) != where_am_i[i])
					return false;
			*slot += c->addr + (from + 2) * 4;
		} else if (base == 2) {
			*slot += c->toc;
		} else {
			return false;
		}
	} else {
		return false;
	}
	if (from && (ppc64_word(c, from - 1) & ~0x30u) == 0xf8410008)
		from--;
	*first = from;
	return true;
}

/* Adds the stubs of calls, which linkers put between the functions of any section of code. */
static void add_ppc64_calls(const struct plt *p, const struct elf_section *code, u64 toc)
{
	struct elf_bytes bytes = elf_section_raw(p->elf, code);
	struct ppc64_code c = { bytes.data, bytes.size / 4, code->addr, toc,
				elf_is_swapped(p->elf) };
	u64 first, end, slot;

	for (u64 i = 0; i < c.count; i++) {
		bool found = false;

		if (ppc64_word(&c, i) == 0x7d8903a6 && ppc64_slot(&c, i, &first, &end, &slot))
			add_by_slot(p, code->offset + first * 4, (end - first) * 4, slot, &found);
	}
}

/*
 * Adds the stubs that lead to the dynamic linker once. They begin 32 bytes after the address that
 * the dynamic section gives: a branch for each relocation. In the older ABI, its number comes
 * before it (two instructions beyond 0x7fff).
 */
static void add_ppc64_resolvers(const struct plt *p, bool older)
{
	const struct elf_section *dynamic = elf_section_of_type(p->elf, SHT_DYNAMIC);
	struct elf_bytes bytes =
		dynamic ? elf_section_raw(p->elf, dynamic) : (struct elf_bytes){ 0 };
	u32 count = elf_relocation_count(p->elf, p->relocs);
	bool swap = elf_is_swapped(p->elf);
	u64 start, offset;

	for (u64 at = 0; at + 16 <= bytes.size; at += 16) {
		if (load_u64(bytes.data + at, swap) != (u64)DT_PPC64_GLINK)
			continue;
		start = load_u64(bytes.data + at + 8, swap) + 32;
		for (u32 i = 0; i < count; i++) {
			u64 size = !older ? 4 : i < 0x8000 ? 8 : 12;

			if (!elf_addr_to_offset(p->elf, start, &offset))
				return;
			add_stub(p, offset, size, p->relocs, i);
			start += size;
		}
		return;
	}
}

/*
 * Adds the stubs of ppc64. r2 is the address of the GOT plus 0x8000. In the older ABI a function's
 * word is the first of a descriptor.
 */
static void add_ppc64(struct plt *p)
{
	const struct elf_section *got = elf_section(p->elf, ".got"),
				 *words = elf_section(p->elf, ".plt"), *s;

	if (!p->relocs || !words)
		return;
	index_slots(p);
	for (u32 i = 0; i < elf_section_count(p->elf); i++) {
		s = elf_section_at(p->elf, i);
		if (s && s->type == SHT_PROGBITS && s->flags & SHF_EXECINSTR)
			add_ppc64_calls(p, s, (got ? got : words)->addr + 0x8000);
	}
	add_ppc64_resolvers(p, words->entsize == 24);
}

/*
 * Reads the index of the first stub of two tables (branch tracking): push index; jmp resolver. The
 * index counts relocations.
 */
static bool x86_pushed_index(const u8 *code, u64 size, u32 *index)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e };
	u64 at = size >= 4 && !memcmp(code, endbr, sizeof(endbr)) ? 4 : 0;

	if (size < at + 5 || code[at] != 0x68)
		return false;
	*index = load_u32(code + at + 1, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return true;
}

/*
 * Adds the stubs by decoding them. Linkers give an entry's size where it is not the usual one; some
 * give 0 or 4.
 */
static void add_decoded(const struct plt *p, const struct elf_section *stubs, u64 usual)
{
	u64 entry = stubs->entsize == 8 || stubs->entsize == 16 ? stubs->entsize : usual;
	struct elf_bytes code = elf_section_raw(p->elf, stubs);
	u16 machine = elf_machine(p->elf);

	for (u64 start = 0; start < code.size; start += entry) {
		const u8 *c = code.data + start;
		u64 size = MIN(entry, code.size - start), addr = stubs->addr + start, slot;
		bool found = false;
		u32 index;

		for (u64 at = 0; !found; at += machine == EM_AARCH64 ? 4 : 1) {
			if (machine == EM_AARCH64 ? !aarch64_slot(c, size, addr, &at, &slot)
						  : !x86_slot(p, c, size, addr, &at, &slot))
				break;
			add_by_slot(p, stubs->offset + start, size, slot, &found);
		}
		if (!found && machine == EM_X86_64 && p->relocs &&
		    x86_pushed_index(c, size, &index))
			add_stub(p, stubs->offset + start, size, p->relocs, index);
	}
}

/*
 * Adds the stubs in order, where they are not decoded (s390): entry i belongs to the i-th
 * relocation.
 */
static void add_in_order(const struct plt *p, const struct elf_section *stubs, u64 header,
			 u64 entry)
{
	u64 room = stubs->size > header ? (stubs->size - header) / entry : 0;
	u32 count = elf_relocation_count(p->elf, p->relocs);

	for (u32 i = 0; i < room && i < count; i++)
		add_stub(p, stubs->offset + header + i * entry, entry, p->relocs, i);
}

static const struct elf_section *relocations(const struct elf *e, const char *const names[2])
{
	for (int i = 0; i < 2; i++) {
		const struct elf_section *s = elf_section(e, names[i]);

		if (s && (s->type == SHT_RELA || s->type == SHT_REL))
			return s;
	}
	return NULL;
}

static const struct elf_section *code_section(const struct elf *e, const char *name)
{
	const struct elf_section *s = elf_section(e, name);

	return s && s->type == SHT_PROGBITS ? s : NULL;
}

void plt_symbols_add(struct symbol_list *l, const struct elf *e, struct arena *names, bool demangle,
		     bool params)
{
	static const char *const of_calls[] = { ".rela.plt", ".rel.plt" };
	static const char *const of_data[] = { ".rela.dyn", ".rel.dyn" };
	struct plt p = { .elf = e,
			 .out = l,
			 .functions = l->list.count,
			 .names = names,
			 .demangle = demangle,
			 .params = params,
			 .relocs = relocations(e, of_calls) };
	u16 machine = elf_machine(e);
	/* with branch tracking, callers use a second table that has no header */
	const struct elf_section *plt = code_section(e, ".plt"),
				 *second = code_section(e, ".plt.sec");
	/* also functions whose address is taken: their words are relocated as data */
	const struct elf_section *got = code_section(e, ".plt.got");
	/* lld puts the stubs of functions that are chosen at the start into a table of their own */
	const struct elf_section *chosen = code_section(e, ".iplt");
	const struct plt_shape *shape = shape_of(machine);

	if (machine == EM_PPC64) {
		add_ppc64(&p);
		map64_release(&p.by_slot);
		return;
	}
	if (!shape)
		return;
	if (machine != EM_X86_64 && machine != EM_386 && machine != EM_AARCH64) {
		index_slots(&p);
		if (plt && p.relocs && (machine == EM_S390 || !add_scanned(&p, plt)))
			add_in_order(&p, plt, shape->header, shape->entry);
		map64_release(&p.by_slot);
		return;
	}
	p.data = got || chosen ? relocations(e, of_data) : NULL;
	index_slots(&p);
	if (plt)
		add_decoded(&p, plt, shape->entry);
	if (second)
		add_decoded(&p, second, shape->entry);
	if (got)
		add_decoded(&p, got, 8);
	if (chosen)
		add_decoded(&p, chosen, shape->entry);
	map64_release(&p.by_slot);
}
