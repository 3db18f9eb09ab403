// SPDX-License-Identifier: GPL-2.0-or-later
/* Line tables: a unit's program is run once into rows in order of address. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf_numbers.h"

/* Formats of a table of directories or files: pairs of content and form. */
#define MAX_FORMATS 16

struct line_header {
	u16 version;
	u8 offset_size, address_size;
	u8 min_length, max_ops, opcode_base, line_range;
	s8 line_base;
	u8 operands[256]; /* the number of operands of each standard opcode */
	struct cursor program;
};

struct rows {
	VEC(struct line_row) list;
	bool sorted;
};

struct machine {
	u64 addr;
	u32 line, file, op_index, discriminator;
	size_t sequence; /* its first row */
};

/* Header */

static void add_file(struct unit_lines *l, u32 *space, const char *name, u64 dir)
{
	if (l->file_count == *space) {
		*space = *space ? *space * 2 : 16;
		l->files = xreallocarray(l->files, *space, sizeof(*l->files));
	}
	l->files[l->file_count++] = (struct unit_file){
		.name = name,
		.dir = (u32)MIN(dir, UINT32_MAX),
	};
}

static void add_dir(struct unit_lines *l, u32 *space, const char *name)
{
	if (l->dir_count == *space) {
		*space = *space ? *space * 2 : 16;
		l->dirs = xreallocarray(l->dirs, *space, sizeof(*l->dirs));
	}
	l->dirs[l->dir_count++] = name;
}

/* Reads the tables of versions 2 to 4: names ended by an empty one. Index 0 is the unit's own. */
static void read_old_tables(struct cursor *c, const struct dwarf_unit *u, struct unit_lines *l)
{
	u32 dirs = 0, files = 0;
	const char *name;

	add_dir(l, &dirs, u->comp_dir);
	while ((name = cursor_string(c))[0])
		add_dir(l, &dirs, name);
	add_file(l, &files, u->name, 0);
	while ((name = cursor_string(c))[0]) {
		add_file(l, &files, name, cursor_uleb(c));
		cursor_uleb(c);
		cursor_uleb(c);
	}
}

static unsigned read_formats(struct cursor *c, struct abbrev_attr formats[MAX_FORMATS])
{
	unsigned n = cursor_u8(c), kept = 0;

	for (unsigned i = 0; i < n; i++) {
		struct abbrev_attr f = { .name = (u16)cursor_uleb(c) };

		f.form = (u16)cursor_uleb(c);
		if (kept < MAX_FORMATS)
			formats[kept++] = f;
		else
			c->bad = true;
	}
	return kept;
}

/*
 * Reads a table of version 5, whose entries describe themselves. Returns false when it is damaged.
 */
static bool read_new_table(struct cursor *c, struct dwarf_unit *u, const struct line_header *h,
			   struct unit_lines *l, bool files)
{
	/*
	 * its offsets are as wide as its own header says: an assembler writes 32-bit tables for
	 * 64-bit units
	 */
	const struct dwarf_unit table = { .dwarf = u->dwarf,
					  .version = h->version,
					  .address_size = h->address_size,
					  .offset_size = h->offset_size };
	struct abbrev_attr formats[MAX_FORMATS];
	unsigned n = read_formats(c, formats);
	u64 count = cursor_uleb(c);
	u32 space = 0;

	for (u64 i = 0; i < count && !c->bad; i++) {
		const u8 *before = c->p;
		const char *name = NULL;
		u64 dir = 0;

		for (unsigned f = 0; f < n; f++) {
			struct dwarf_value v = form_read(c, &table, &formats[f]);

			if (formats[f].name == DW_LNCT_path)
				name = value_string(u, &v);
			else if (formats[f].name == DW_LNCT_directory_index)
				dir = v.u;
		}
		if (c->bad || c->p == before)
			return false;
		if (files)
			add_file(l, &space, name, dir);
		else
			add_dir(l, &space, name);
	}
	return !c->bad;
}

/* Reads the parts of the header that precede the tables. */
static bool read_fixed(struct cursor *c, const struct dwarf_unit *u, struct line_header *h)
{
	u64 length = cursor_u32(c), header_length;

	h->offset_size = 4;
	if (length == 0xffffffff) {
		length = cursor_u64(c);
		h->offset_size = 8;
	}
	if (c->bad || length > cursor_left(c))
		return false;
	c->end = c->p + length;
	h->version = cursor_u16(c);
	h->address_size = u->address_size;
	if (h->version >= 5) {
		h->address_size = cursor_u8(c);
		cursor_u8(c); /* segment selectors: nobody has them */
	}
	header_length = cursor_uint(c, h->offset_size);
	if (c->bad || h->version < 2 || h->version > 5 || header_length > cursor_left(c))
		return false;
	h->program = *c;
	h->program.p += header_length;
	h->min_length = cursor_u8(c);
	h->max_ops = h->version >= 4 ? cursor_u8(c) : 1;
	cursor_u8(c); /* default_is_stmt: addresses count, statements do not */
	h->line_base = (s8)cursor_u8(c);
	h->line_range = cursor_u8(c);
	h->opcode_base = cursor_u8(c);
	for (unsigned i = 1; i < h->opcode_base; i++)
		h->operands[i] = cursor_u8(c);
	return !c->bad && h->line_range && h->opcode_base;
}

static bool read_header(struct dwarf_unit *u, struct line_header *h, struct unit_lines *l)
{
	struct cursor c = dwarf_cursor(u->dwarf, S_LINE, u->line_offset);

	if (!read_fixed(&c, u, h))
		return false;
	c.end = h->program.p;
	if (h->version < 5)
		read_old_tables(&c, u, l);
	else if (!read_new_table(&c, u, h, l, false) || !read_new_table(&c, u, h, l, true))
		return false;
	return true;
}

/* Program */

static void emit(struct rows *r, struct machine *m)
{
	struct line_row row = { .addr = m->addr,
				.line = m->line,
				.file = MIN(m->file, END_OF_SEQUENCE - 1),
				.discriminator = MIN(m->discriminator, MAX_DISCRIMINATOR) };
	struct line_row *last = r->list.count > m->sequence ? vec_last(&r->list) : NULL;

	if (last && last->addr > row.addr)
		r->sorted = false;
	if (last && last->addr == row.addr)
		*last = row; /* the later row for an address is the valid one */
	else if (!last || last->line != row.line || last->file != row.file ||
		 last->discriminator != row.discriminator)
		vec_push(&r->list, row);
	m->discriminator = 0; /* it is of one row */
}

/*
 * Ends a sequence. That of a function that the linker dropped begins at 0, or near the top; it is
 * removed, since it would cover what it does not.
 */
static void end_sequence(struct rows *r, struct machine *m, u64 top)
{
	struct line_row *first = r->list.count > m->sequence ? &r->list.items[m->sequence] : NULL;

	if (first && first->addr && first->addr < top - 1) {
		if (vec_last(&r->list)->addr == m->addr)
			r->list.count--;
		vec_push(&r->list, (struct line_row){ .addr = m->addr, .file = END_OF_SEQUENCE });
	} else {
		r->list.count = m->sequence;
	}
	if (m->sequence && r->list.count > m->sequence &&
	    r->list.items[m->sequence - 1].addr > r->list.items[m->sequence].addr)
		r->sorted = false;
}

static void reset(struct machine *m, const struct rows *r)
{
	*m = (struct machine){ .line = 1, .file = 1, .sequence = r->list.count };
}

static void advance(struct machine *m, const struct line_header *h, u64 ops)
{
	if (h->max_ops <= 1) {
		m->addr += ops * h->min_length;
		return;
	}
	m->addr += (m->op_index + ops) / h->max_ops * h->min_length;
	m->op_index = (u32)((m->op_index + ops) % h->max_ops);
}

static void run_extended(struct cursor *c, const struct line_header *h, struct machine *m,
			 struct rows *r)
{
	u64 size = cursor_uleb(c);
	struct cursor body = *c;
	u64 top = h->address_size == 4 ? UINT32_MAX : UINT64_MAX;

	cursor_skip(c, size);
	if (c->bad || !size)
		return;
	body.end = c->p;
	switch (cursor_u8(&body)) {
	case DW_LNE_end_sequence:
		end_sequence(r, m, top);
		reset(m, r);
		break;
	case DW_LNE_set_address:
		m->addr = cursor_uint(&body, (unsigned)MIN(size - 1, 8));
		m->op_index = 0;
		break;
	case DW_LNE_set_discriminator:
		m->discriminator = (u32)cursor_uleb(&body);
		break;
	}
}

static void run_standard(struct cursor *c, const struct line_header *h, struct machine *m,
			 struct rows *r, u8 op)
{
	switch (op) {
	case DW_LNS_copy:
		emit(r, m);
		break;
	case DW_LNS_advance_pc:
		advance(m, h, cursor_uleb(c));
		break;
	case DW_LNS_advance_line:
		m->line += (u32)cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		m->file = (u32)cursor_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		advance(m, h, (255u - h->opcode_base) / h->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->addr += cursor_u16(c);
		m->op_index = 0;
		break;
	default: /* flags, columns, and what came after this was written */
		for (unsigned i = 0; i < h->operands[op]; i++)
			cursor_uleb(c);
	}
}

static void run(const struct line_header *h, struct rows *r)
{
	struct cursor c = h->program;
	struct machine m;

	reset(&m, r);
	while (c.p < c.end && !c.bad) {
		u8 op = cursor_u8(&c);

		if (op >= h->opcode_base) {
			unsigned adjusted = op - h->opcode_base;

			advance(&m, h, adjusted / h->line_range);
			m.line += (u32)(h->line_base + (int)(adjusted % h->line_range));
			emit(r, &m);
		} else if (op) {
			run_standard(&c, h, &m, r, op);
		} else {
			run_extended(&c, h, &m, r);
		}
	}
	r->list.count = m.sequence; /* a sequence without an end is not to be trusted */
}

/*
 * Returns the key to sort rows by. At an address where one sequence ends and the next begins, the
 * next one counts.
 */
static u64 place_of(const void *item)
{
	const struct line_row *row = item;

	return row->addr << 1 | (row->file != END_OF_SEQUENCE);
}

/* Sorts the rows. Sequences may come in any order; rows of one keep theirs at equal addresses. */
static void sort_rows(struct rows *r)
{
	if (!r->sorted)
		sort_by_key(r->list.items, sizeof(*r->list.items), r->list.count, place_of);
}

static struct unit_lines *read_lines(struct dwarf_unit *u)
{
	struct unit_lines *l = xcalloc(1, sizeof(*l));
	struct line_header h = { 0 };
	struct rows r = { .sorted = true };

	if (u->has_lines && read_header(u, &h, l))
		run(&h, &r);
	sort_rows(&r);
	l->rows = r.list.items;
	l->row_count = (u32)MIN(r.list.count, UINT32_MAX - 1);
	if (l->row_count)
		l->rows = xreallocarray(l->rows, l->row_count, sizeof(*l->rows));
	return l;
}

const struct unit_lines *unit_lines(struct dwarf_unit *u)
{
	struct unit_lines *l = atomic_load_explicit(&u->lines, memory_order_acquire);

	if (likely(l))
		return l;
	pthread_mutex_lock(&u->lines_lock);
	l = atomic_load(&u->lines);
	if (!l) {
		l = read_lines(u);
		atomic_store_explicit(&u->lines, l, memory_order_release);
	}
	pthread_mutex_unlock(&u->lines_lock);
	return l;
}

bool unit_lines_try(struct dwarf_unit *u)
{
	if (atomic_load_explicit(&u->lines, memory_order_acquire))
		return true;
	if (pthread_mutex_trylock(&u->lines_lock))
		return false;
	if (!atomic_load(&u->lines))
		atomic_store_explicit(&u->lines, read_lines(u), memory_order_release);
	pthread_mutex_unlock(&u->lines_lock);
	return true;
}

void unit_lines_free(struct unit_lines *l)
{
	if (!l)
		return;
	for (u32 i = 0; i < l->file_count; i++)
		free(l->files[i].path);
	free(l->rows);
	free(l->dirs);
	free(l->files);
	free(l);
}

const struct line_row *lines_find(const struct unit_lines *l, u64 addr)
{
	u32 at = lower_bound(i, 0, l->row_count, l->rows[i].addr <= addr);

	if (!at || l->rows[at - 1].file == END_OF_SEQUENCE)
		return NULL;
	return &l->rows[at - 1];
}

static char *join(const char *a, const char *b)
{
	if (!a || !a[0] || b[0] == '/')
		return xstrdup(b);
	return xasprintf("%s/%s", a, b);
}

static char *make_path(const struct dwarf_unit *u, const struct unit_lines *l,
		       const struct unit_file *f)
{
	const char *dir = f->dir < l->dir_count ? l->dirs[f->dir] : NULL;
	char *in_dir = join(dir, f->name);
	char *path = join(u->comp_dir, in_dir);

	free(in_dir);
	return path;
}

/*
 * Returns the path of a file, made once. A second thread that makes it at the same time discards
 * its own.
 */
const char *line_file_path(const struct dwarf_unit *u, const struct unit_lines *l, u32 file)
{
	struct unit_file *f = file < l->file_count ? &l->files[file] : NULL;
	char *path, *none = NULL;

	if (!f || !f->name)
		return NULL;
	path = atomic_load_explicit(&f->path, memory_order_acquire);
	if (path)
		return path;
	path = make_path(u, l, f);
	if (atomic_compare_exchange_strong(&f->path, &none, path))
		return path;
	free(path);
	return none;
}
