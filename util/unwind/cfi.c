// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of .eh_frame or .debug_frame, whose rows are compiled on first use. */
#include "base/search.h"
#include "unwind/internal.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "object/frames.h"

/* Takes over the list's functions, with room for their rows. */
static void take_list(struct cfi *c, struct frame_list *l)
{
	c->cies = l->cies.items;
	c->cie_count = (u32)l->cies.count;
	c->function_count = (u32)l->functions.count;
	c->functions = xcalloc(c->function_count, sizeof(*c->functions));
	for (u32 i = 0; i < c->function_count; i++) {
		const struct frame_function *f = &l->functions.items[i];

		c->functions[i] = (struct cfi_function){ .low = f->low,
							 .high = f->high,
							 .cie = f->cie,
							 .begin = f->begin,
							 .end = f->end };
	}
	vec_release(&l->functions);
}

/*
 * Allocates the remembered rows. A large object has more of its functions in use together than a
 * small one.
 */
static void make_memory(struct cfi *c)
{
	enum { LEAST_BITS = 6, MOST_BITS = 13 };

	c->met_bits = LEAST_BITS;
	while (c->met_bits < MOST_BITS && 1U << c->met_bits < c->function_count)
		c->met_bits++;
	c->met = xcalloc((size_t)1 << c->met_bits, sizeof(*c->met));
}

static _Atomic(const struct cfi_row *) *met_slot(const struct cfi *c, u64 addr)
{
	return &c->met[addr * 0x9e3779b97f4a7c15 >> (64 - c->met_bits)];
}

const struct cfi_row *cfi_recall(const struct cfi *c, u64 addr)
{
	const struct cfi_row *row = atomic_load_explicit(met_slot(c, addr), memory_order_acquire);

	return row && addr - row->pc < row->end - row->pc ? row : NULL;
}

void cfi_remember(struct cfi *c, u64 addr, const struct cfi_row *row)
{
	if (row->plain && addr - row->pc < row->end - row->pc)
		atomic_store_explicit(met_slot(c, addr), row, memory_order_release);
}

static struct cfi *read_section(const struct elf *e, const char *name)
{
	struct frame_section s;
	struct frame_list l;
	struct cfi *c;

	if (!frame_section_open(e, name, &s))
		return NULL;
	frame_list_read(&s, &l);
	c = xcalloc(1, sizeof(*c));
	c->swap = s.swap;
	c->bytes = s.bytes;
	c->data = s.data;
	c->size = s.size;
	c->unread = s.unread;
	take_list(c, &l);
	make_memory(c);
	if (c->function_count || c->unread)
		return c;
	cfi_free(c);
	return NULL;
}

struct cfi *cfi_read(const struct elf *e, enum cfi_sections which)
{
	struct cfi *c;

	if (which == CFI_EH_FRAME)
		return read_section(e, ".eh_frame");
	c = read_section(e, ".debug_frame");
	return c ? c : read_section(e, ".zdebug_frame");
}

static void free_rows(struct cfi_rows *r)
{
	if (!r)
		return;
	free(r->rows);
	free(r->rules);
	free(r);
}

void cfi_free(struct cfi *c)
{
	if (!c)
		return;
	for (u32 i = 0; i < c->function_count; i++)
		free_rows(c->functions[i].rows);
	free(c->met);
	free(c->functions);
	free(c->cies);
	elf_bytes_release(&c->bytes);
	free(c);
}

struct cfi_function *cfi_find(const struct cfi *c, u64 addr)
{
	u32 at = lower_bound(i, 0, c->function_count, c->functions[i].low <= addr);

	return at && addr < c->functions[at - 1].high ? &c->functions[at - 1] : NULL;
}

/*
 * Returns the size of the CFI in bytes. The first thread that needs rows compiles them; a second
 * one discards its copy.
 */
u64 cfi_bytes(const struct cfi *c)
{
	if (!c)
		return 0;
	return sizeof(*c) + c->function_count * sizeof(*c->functions) +
	       c->cie_count * sizeof(*c->cies) + (sizeof(*c->met) << c->met_bits) +
	       atomic_load_explicit(&c->compiled, memory_order_relaxed);
}

static u64 rows_bytes(const struct cfi_rows *r)
{
	u64 bytes = sizeof(*r) + r->row_count * sizeof(*r->rows);

	for (u32 i = 0; i < r->row_count; i++)
		bytes += r->rows[i].count * sizeof(*r->rules);
	return bytes;
}

const struct cfi_rows *cfi_rows(struct cfi *c, struct cfi_function *f)
{
	struct cfi_rows *rows = atomic_load_explicit(&f->rows, memory_order_acquire), *none = NULL;

	if (likely(rows))
		return rows;
	rows = cfi_compile(c, f);
	if (atomic_compare_exchange_strong(&f->rows, &none, rows)) {
		atomic_fetch_add_explicit(&c->compiled, rows_bytes(rows), memory_order_relaxed);
		return rows;
	}
	free_rows(rows);
	return none;
}

const struct cfi_row *cfi_row_at(const struct cfi_rows *r, u64 addr)
{
	u32 at = lower_bound(i, 0, r->row_count, r->rows[i].pc <= addr);

	return at ? &r->rows[at - 1] : NULL;
}
