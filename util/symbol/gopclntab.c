// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions of a Go program by its .gopclntab.
 *
 * The header has a magic number, which also says the byte order, the size of a pointer, and words:
 * how many functions there are, and since Go 1.16 where the parts of the table begin.  An entry of
 * a function has its start and where the rest is (struct _func), of which the second field is where
 * the name begins.
 */
#include "symbol/gopclntab.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"

enum { HEADER = 8 }; /* bytes before its words */

static const struct format {
	u32 magic;
	bool short_entries;
	u8 text, names, infos; /* words of the header; 0: what the table itself begins with */
} formats[] = {
	{ 0xfffffffb, false, 0, 0, 0 }, /* Go 1.2 */
	{ 0xfffffffa, false, 0, 2, 6 }, /* Go 1.16 */
	{ 0xfffffff0, true, 2, 3, 7 },  /* Go 1.18 */
	{ 0xfffffff1, true, 2, 3, 7 },  /* Go 1.20 */
};

static const struct format *format_of(struct go_functions *g)
{
	if (g->size < HEADER)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		for (int swap = 0; swap < 2; swap++) {
			g->swap = swap;
			if (load_u32(g->data, swap) == formats[i].magic)
				return &formats[i];
		}
	return NULL;
}

static bool is_inside(const struct go_functions *g, u64 at, u8 width)
{
	return at <= g->size && g->size - at >= width;
}

/* Loads a number, or returns 0 beyond the section. */
static u64 load(const struct go_functions *g, u64 at, u8 width)
{
	if (!is_inside(g, at, width))
		return 0;
	return width == 4 ? load_u32(g->data + at, g->swap) : load_u64(g->data + at, g->swap);
}

static u64 header_word(const struct go_functions *g, u8 n)
{
	return load(g, HEADER + (u64)n * g->word, g->word);
}

/* Reads the header and reports whether everything that it promises is inside the section. */
static bool read_header(struct go_functions *g, const struct format *f)
{
	u64 count, most, entry = 2 * (f->short_entries ? 4 : g->data[7]);
	u8 quantum = g->data[6];

	g->word = g->data[7];
	if (g->data[4] || g->data[5] || (quantum != 1 && quantum != 2 && quantum != 4) ||
	    (g->word != 4 && g->word != 8))
		return false;
	g->short_entries = f->short_entries;
	g->names = f->names ? header_word(g, f->names) : 0;
	g->infos = f->infos ? header_word(g, f->infos) : 0;
	g->entries = f->infos ? g->infos : (u64)HEADER + g->word;
	count = header_word(g, 0);
	if (g->names >= g->names_end || g->entries >= g->size ||
	    (f->infos && (!g->names || !g->infos)))
		return false;
	/* the end of the last function follows the entries */
	most = (g->size - g->entries - MIN(g->size - g->entries, entry / 2)) / entry;
	g->count = (u32)count;
	return count && count <= most && count < UINT32_MAX;
}

/* Words of a section, one after every step bytes, and the values after relocation. */
struct words {
	const struct elf *elf;
	const struct elf_section *section;
	u64 from, step;
	size_t count;
};

/*
 * Applies the relocations. *left is how many may still be read, since sections of a hostile file
 * overlap.
 */
static void relocate(const struct words *w, const struct elf_section *table, size_t *left, u64 *out)
{
	struct elf_relocation r;

	for (u32 i = 0; *left && elf_relocation_at(w->elf, table, i, &r); i++, --*left) {
		u64 at = r.offset - w->section->addr - w->from;

		/* a symbol's address would have to be added */
		if (!r.symbol && at % w->step == 0 && at / w->step < w->count)
			out[at / w->step] = (u64)r.addend;
	}
}

/* Returns the words, relocated; the caller frees them. */
static u64 *read_words(const struct words *w, const struct go_functions *g)
{
	struct elf_bytes b = elf_section_raw(w->elf, w->section);
	struct go_functions in = { .data = b.data, .size = b.size, .swap = g->swap };
	u64 *out = xcalloc(w->count, sizeof(*out));
	size_t left = 0;

	for (size_t i = 0; i < w->count; i++)
		out[i] = load(&in, w->from + i * w->step, g->word);
	if (elf_type(w->elf) == ET_DYN)
		elf_data(w->elf, &left);
	left /= sizeof(Elf32_Rela);
	for (u32 i = 0; left && i < elf_section_count(w->elf); i++)
		if (elf_section_at(w->elf, i)->type == SHT_RELA)
			relocate(w, elf_section_at(w->elf, i), &left, out);
	return out;
}

/*
 * Finds the start of the text, which Go 1.26 keeps only in its struct moduledata. The struct's
 * first word is the address of the table, and the lowest address of a function must agree, so
 * another layout is not taken for this one.
 */
static u64 text_of_module(const struct go_functions *g, const struct elf *e, u64 table)
{
	enum { TABLE = 0, LOWEST = 20, TEXT = 22, WORDS };
	const struct elf_section *s = elf_section(e, ".go.module");
	u64 text = 0, *w;

	if (!s)
		return 0;
	w = read_words(&(struct words){ e, s, 0, g->word, WORDS }, g);
	if (w[TABLE] == table && w[LOWEST] == w[TEXT] + load(g, g->entries, 4))
		text = w[TEXT];
	free(w);
	return text;
}

static u64 find_text(const struct go_functions *g, const struct format *f, const struct elf *e,
		     const struct elf_section *table, u64 at)
{
	u64 *word = read_words(
		&(struct words){ e, table, at + HEADER + (u64)f->text * g->word, g->word, 1 }, g);
	const struct elf_section *text = elf_section(e, ".text");
	u64 start = *word;

	free(word);
	if (!start)
		start = text_of_module(g, e, table->addr + at);
	return start || !text ? start : text->addr;
}

/* Searches a section for a table that begins at most so far from its start. */
static const struct format *take_from(struct go_functions *g, const struct elf *e,
				      const struct elf_section *s, u64 most, u64 *at)
{
	enum { ALIGNED = 32 };
	struct elf_bytes b = s ? elf_section_raw(e, s) : (struct elf_bytes){ .size = 0 };
	const u8 *last = b.size ? memrchr(b.data, '\0', b.size) : NULL;
	const struct format *f;

	/* a table has zeros after its magic number */
	for (*at = 0; last && *at <= most && b.data + *at < last; *at += ALIGNED) {
		*g = (struct go_functions){ .data = b.data + *at, .size = b.size - *at };
		g->names_end = (size_t)(last + 1 - g->data);
		f = format_of(g);
		if (f && read_header(g, f))
			return f;
	}
	return NULL;
}

/*
 * Finds the table in its section. If another linker than Go's made a position-independent program
 * before Go 1.26, it is somewhere in .data.rel.ro. Other programs are not searched.
 */
static const struct format *find_table(struct go_functions *g, const struct elf *e,
				       const struct elf_section **s, u64 *at)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab",
					     ".data.rel.ro" };
	size_t own = 2, count = elf_section(e, ".go.buildinfo") ? ARRAY_SIZE(names) : own;
	const struct format *f = NULL;

	for (size_t i = 0; !f && i < count; i++) {
		*s = elf_section(e, names[i]);
		f = take_from(g, e, *s, i < own ? 0 : UINT64_MAX, at);
	}
	return f;
}

bool go_functions_open(struct go_functions *g, const struct elf *e)
{
	const struct elf_section *s;
	u64 at;
	const struct format *f = find_table(g, e, &s, &at);

	if (!f) {
		*g = (struct go_functions){ .data = NULL };
		return false;
	}
	if (g->short_entries)
		g->text = find_text(g, f, e, s, at);
	else
		g->starts = read_words(
			&(struct words){ e, s, at + g->entries, 2ULL * g->word, g->count + 1U }, g);
	return true;
}

static u64 start_of(const struct go_functions *g, u32 i)
{
	return g->starts ? g->starts[i] : g->text + load(g, g->entries + 8ULL * i, 4);
}

bool go_function_at(const struct go_functions *g, u32 i, struct go_function *out)
{
	u8 width = g->short_entries ? 4 : g->word;
	u64 info = load(g, g->entries + (2ULL * i + 1) * width, width),
	    at = g->infos + info + width, name, end;

	if (info >= g->size || !is_inside(g, at, 4))
		return false;
	name = load(g, at, 4);
	end = start_of(g, i + 1);
	out->address = start_of(g, i);
	out->size = end - out->address;
	if (end <= out->address || name >= g->names_end - g->names)
		return false;
	out->name = (const char *)g->data + g->names + name;
	return *out->name;
}

void go_functions_close(struct go_functions *g)
{
	free(g->starts);
}
