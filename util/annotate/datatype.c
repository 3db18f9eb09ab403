// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the field of a memory operand, from variables and from what the block did to registers. */
#include "annotate/datatype.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/types.h"
#include "base/alloc.h"
#include "base/vec.h"

struct object_types {
	u32 image;
	struct types_file *file; /* NULL without debug information */
};

/*
 * What a register holds: a pointer to a place in something of a type, or a part of an address to
 * which later instructions add the rest (to.offset).
 */
struct held {
	enum { HELD_UNKNOWN, HELD_POINTER, HELD_ADDRESS } kind;
	struct place_type to;
};

struct data_types {
	struct annotator *a;
	struct decoder *decoder;
	VEC(struct object_types) objects;
	/* for the last function: what was known before each line, by line and register */
	const struct annotation *n; /* it may have been freed, so these identify it: */
	u32 image, symbol;
	struct operands *operands; /* by line; .size 255 bytes etc. */
	bool *decoded;
	const struct operands_machine *machine;
	struct held toc; /* what the machine's register for that holds throughout the object */
	struct held (*before)[DWARF_REGS];
};

const char *data_outcome_name(enum data_outcome o)
{
	static const char *const names[DATA_OUTCOMES] = {
		[DATA_OK] = "ok",
		[DATA_NO_MEMORY] = "no_mem_ops",
		[DATA_NO_DECODER] = "no_insn",
		[DATA_NO_DEBUG_INFO] = "no_dbginfo",
		[DATA_NO_VARIABLE] = "no_var",
		[DATA_NO_TYPE] = "no_typeinfo",
		[DATA_BAD_OFFSET] = "bad_offset",
		[DATA_STACK] = "stack_op",
		[DATA_CANARY] = "stack_canary",
	};

	return names[o];
}

struct data_types *data_types_new(struct annotator *a)
{
	struct data_types *t = xcalloc(1, sizeof(*t));

	t->a = a;
	t->decoder = decoder_new(NULL);
	return t;
}

bool data_types_know(const struct data_types *t, u16 e_machine)
{
	return operands_machine(t->decoder, e_machine);
}

static void forget(struct data_types *t)
{
	free(t->operands);
	free(t->decoded);
	free(t->before);
	t->operands = NULL;
	t->decoded = NULL;
	t->before = NULL;
	t->n = NULL;
}

void data_types_sweep(struct data_types *t, const bool *named)
{
	size_t n = 0;

	for (size_t i = 0; i < t->objects.count; i++) {
		const struct object_types *o = &t->objects.items[i];

		if (named[o->image])
			t->objects.items[n++] = *o;
		else
			types_close(o->file);
	}
	t->objects.count = n;
	if (!named[t->image])
		forget(t);
}

void data_types_free(struct data_types *t)
{
	if (!t)
		return;
	forget(t);
	vec_for_each(&t->objects, o)
		types_close(o->file);
	vec_release(&t->objects);
	decoder_free(t->decoder);
	free(t);
}

/* Opens the DWARF of the object, or of its debug file. Returns NULL if it has none. */
static struct types_file *open_types(struct data_types *t, u32 image)
{
	struct open_object *o = annotator_object(t->a, image);
	const struct image *img = image_get(t->a->images, image);
	struct object_file debug;
	struct types_file *f = NULL;

	if (o->err)
		return NULL;
	if (elf_section(o->file.elf, ".debug_info") || elf_section(o->file.elf, ".zdebug_info"))
		return types_open(o->file.path);
	if (img->kind == IMAGE_ELF &&
	    !object_open_debug(symbol_store_search(t->a->symbols), img, &o->file, &debug, NULL)) {
		f = types_open(debug.path);
		object_close(&debug);
	}
	return f;
}

static struct types_file *types_of(struct data_types *t, u32 image)
{
	struct types_file *f;

	vec_for_each(&t->objects, o)
		if (o->image == image)
			return o->file;
	f = open_types(t, image);
	vec_push(&t->objects, (struct object_types){ image, f });
	return f;
}

/* Finds what is at a distance from where the register points. */
static bool place_by_held(struct types_file *f, const struct held *h, s64 disp,
			  struct place_type *out)
{
	if (h->kind == HELD_ADDRESS)
		return types_of_address(f, h->to.offset + (u64)disp, out);
	*out = h->to;
	out->offset += (u64)disp;
	return h->kind == HELD_POINTER;
}

/* Finds the operand's memory, before the instruction at pc. */
static bool place_of(struct types_file *f, u64 pc, const struct operands *o,
		     const struct held *regs, struct place_type *out)
{
	if (o->absolute)
		return types_of_address(f, (u64)o->disp, out);
	if (o->base == NO_REG)
		return false;
	if (types_of_register(f, pc, o->base, o->disp, out) ||
	    place_by_held(f, &regs[o->base], o->disp, out))
		return true;
	/* an array's address and an index, in exchanged places */
	if (o->index == NO_REG || o->scale != 1)
		return false;
	return types_of_register(f, pc, o->index, o->disp, out) ||
	       place_by_held(f, &regs[o->index], o->disp, out);
}

/* Returns what a register holds: that of a variable in it, or what is tracked. */
static struct held held_by(struct types_file *f, u64 pc, s8 reg, const struct held *regs)
{
	struct held h;

	if (reg < 0)
		return (struct held){ .kind = HELD_UNKNOWN };
	if (!types_of_register(f, pc, reg, 0, &h.to))
		return regs[reg];
	h.kind = HELD_POINTER;
	return h;
}

/*
 * Returns the sum of a base and a displacement as part of an address: only both together are that
 * of a variable.
 */
static struct held sum_of(const struct operands *o, const struct held *regs)
{
	struct held h = { .kind = HELD_UNKNOWN };

	if (o->absolute)
		h = (struct held){ .kind = HELD_ADDRESS, .to.offset = (u64)o->disp };
	else if (o->base != NO_REG && o->index == NO_REG && regs[o->base].kind == HELD_ADDRESS)
		h = (struct held){ .kind = HELD_ADDRESS,
				   .to.offset = regs[o->base].to.offset + (u64)o->disp };
	return h;
}

/*
 * Returns what the pointer at the memory operand points to, or the pointer `behind` bytes after it.
 */
static struct held loaded(struct types_file *f, u64 pc, const struct operands *o,
			  const struct held *regs, u8 behind)
{
	struct operands at = *o;
	struct place_type place;
	struct held h = { .kind = HELD_UNKNOWN };

	at.disp += behind;
	if (place_of(f, pc, &at, regs, &place) && types_load_of(f, &place, &h.to))
		h.kind = HELD_POINTER;
	return h;
}

static struct held address_of(struct types_file *f, u64 pc, const struct operands *o,
			      const struct held *regs)
{
	struct held h = { .kind = HELD_POINTER };

	return place_of(f, pc, o, regs, &h.to) ? h : sum_of(o, regs);
}

static void step(const struct data_types *t, struct types_file *f, const struct annotate_line *l,
		 const struct operands *o, struct held regs[DWARF_REGS])
{
	const struct operands_machine *m = t->machine;
	struct held now = { .kind = HELD_UNKNOWN }, second = now, base = now;
	u64 pc = l->address;
	u32 written = o->written;

	switch (o->kind) {
	case OPERANDS_COPY:
		now = held_by(f, pc, o->src, regs);
		break;
	case OPERANDS_LOAD:
		now = loaded(f, pc, o, regs, 0);
		if (o->dst2 != NO_REG)
			second = loaded(f, pc, o, regs, m->word);
		break;
	case OPERANDS_ADDRESS:
		now = address_of(f, pc, o, regs);
		break;
	case OPERANDS_PAGE:
		now = sum_of(o, regs);
		break;
	case OPERANDS_ADD:
		now = held_by(f, pc, o->dst, regs);
		now.to.offset += (u64)o->imm;
		break;
	case OPERANDS_CALL:
		written |= m->clobbers;
		break;
	default:
		break;
	}
	if (o->updates && o->base != m->sp) {
		base = held_by(f, pc, o->base, regs);
		base.to.offset += (u64)o->update;
	}
	for (int r = 0; r < m->regs; r++)
		if (written & 1u << r)
			regs[r].kind = HELD_UNKNOWN;
	if (o->updates)
		regs[o->base] = base;
	if (o->kind == OPERANDS_CALL && l->has_target &&
	    types_of_result(f, l->target, m->local_entry, &regs[m->result].to))
		regs[m->result].kind = HELD_POINTER;
	if (o->dst >= 0 && o->dst != m->sp && o->kind != OPERANDS_OTHER)
		regs[o->dst] = now;
	if (o->dst2 >= 0)
		regs[o->dst2] = second;
}

/* What is known of registers where several paths join. */
struct meeting {
	bool seen;
	struct held regs[DWARF_REGS];
};

static bool same_place(struct types_file *f, const struct held *a, const struct held *b)
{
	struct place_type x = a->to, y = b->to;

	if (a->kind != b->kind)
		return false;
	if (a->kind == HELD_ADDRESS)
		return x.offset == y.offset;
	if (x.die == y.die && x.offset == y.offset)
		return true;
	return types_settle(f, &x) && types_settle(f, &y) && x.die == y.die && x.offset == y.offset;
}

/* Joins another path: keeps only what all paths agree on. Returns true if that changed anything. */
static bool meet(struct types_file *f, struct meeting *m, const struct held *regs)
{
	bool changed = false;

	if (!m->seen) {
		memcpy(m->regs, regs, sizeof(m->regs));
		m->seen = true;
		return true;
	}
	for (int r = 0; r < DWARF_REGS; r++) {
		if (m->regs[r].kind && !same_place(f, &m->regs[r], &regs[r])) {
			m->regs[r].kind = HELD_UNKNOWN;
			changed = true;
		}
	}
	return changed;
}

/* Variables that are in registers at this place. */
static void take_variables(const struct operands_machine *m, struct types_file *f, u64 pc,
			   struct held *regs)
{
	for (s8 r = 0; r < m->regs; r++) {
		struct place_type to;

		if (!regs[r].kind && r != m->sp && types_of_register(f, pc, r, 0, &to))
			regs[r] = (struct held){ HELD_POINTER, to };
	}
}

/*
 * Walks once through the function, block by block in order of address. Forward jumps come before
 * their target; backward jumps are checked in the next round. Returns true if anything changed.
 */
static bool round_of(struct data_types *t, struct types_file *f, const struct annotation *n,
		     struct meeting *meetings)
{
	struct held regs[DWARF_REGS] = { { .kind = HELD_UNKNOWN } };
	bool changed = false, fresh = true, reached = true;

	if (t->machine->toc != NO_REG)
		regs[t->machine->toc] = t->toc;
	for (u32 i = 0; i < n->count; i++) {
		const struct annotate_line *l = &n->lines[i];

		if (l->kind != ANNOTATE_CODE)
			continue;
		if (l->jumps_here) {
			if (reached)
				changed |= meet(f, &meetings[i], regs);
			memcpy(regs, meetings[i].regs, sizeof(regs));
			reached = meetings[i].seen;
		}
		if (!reached) /* only backward jumps reach it, if any */
			continue;
		if (fresh || l->jumps_here)
			take_variables(t->machine, f, l->address, regs);
		memcpy(t->before[i], regs, sizeof(regs));
		if (t->decoded[i])
			step(t, f, l, &t->operands[i], regs);
		if (l->target_line != NO_LINE)
			changed |= meet(f, &meetings[l->target_line], regs);
		reached = l->flow != FLOW_JUMP && l->flow != FLOW_RETURN;
		fresh = l->flow != FLOW_NONE;
	}
	return changed;
}

#define MAX_ROUNDS 40

/*
 * Returns what powerpc's r2 holds: it points 32 kB after the start of the object's table of
 * addresses, to reach all of it.
 */
static struct held toc_of(const struct elf *e)
{
	const struct elf_section *got = elf_section(e, ".got");

	return got ? (struct held){ .kind = HELD_ADDRESS, .to.offset = got->addr + 0x8000 }
		   : (struct held){ .kind = HELD_UNKNOWN };
}

/* Decodes the function and follows registers through it. */
static void look_at(struct data_types *t, struct types_file *f, const struct elf *e,
		    const struct annotation *n)
{
	struct meeting *meetings = xcalloc(n->count + 1, sizeof(*meetings));
	bool big_endian = elf_is_swapped(e) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	int round = 0;

	forget(t);
	t->toc = toc_of(e);
	t->n = n;
	t->image = n->image;
	t->symbol = n->symbol;
	t->operands = xcalloc(n->count + 1, sizeof(*t->operands));
	t->decoded = xcalloc(n->count + 1, sizeof(*t->decoded));
	t->before = xcalloc(n->count + 1, sizeof(*t->before));
	for (u32 i = 0; i < n->count; i++)
		if (n->lines[i].kind == ANNOTATE_CODE)
			t->decoded[i] = operands_decode(t->decoder, t->machine, big_endian,
							n->lines[i].bytes, n->lines[i].size,
							n->lines[i].address, &t->operands[i]);
	while (round_of(t, f, n, meetings) && ++round < MAX_ROUNDS)
		;
	if (round == MAX_ROUNDS) /* it does not converge: nothing is certain */
		memset(t->before, 0, (n->count + 1) * sizeof(*t->before));
	free(meetings);
}

static const char *short_name(struct data_types *t, const struct annotate_line *l)
{
	char name[32];
	size_t len = MIN((size_t)l->mnemonic, sizeof(name) - 1);

	memcpy(name, l->text, len);
	name[len] = 0;
	return strtab_get(&t->a->texts, strtab_add(&t->a->texts, name));
}

static enum data_outcome find(struct data_types *t, struct types_file *f,
			      const struct annotation *n, u32 line, struct data_access *out)
{
	const struct operands *o = &t->operands[line];
	const struct annotate_line *l = &n->lines[line];
	struct place_type place;

	out->size = o->size;
	out->stores = o->stores;
	if (o->kind == OPERANDS_STACK ||
	    (o->kind == OPERANDS_CALL && !o->has_memory && t->machine->call_pushes))
		return DATA_STACK;
	if (!o->has_memory)
		return DATA_NO_MEMORY;
	if (o->is_canary)
		return DATA_CANARY;
	if (!place_of(f, l->address, o, t->before[line], &place))
		return o->saves ? DATA_STACK : DATA_NO_VARIABLE;
	if (!types_settle(f, &place))
		return DATA_NO_TYPE;
	out->type = types_get(f, place.die);
	out->offset = place.offset;
	if (!out->type)
		return DATA_NO_TYPE;
	return out->offset < data_type_size(out->type) ? DATA_OK : DATA_BAD_OFFSET;
}

void data_access_at(struct data_types *t, const struct annotation *n, u32 line,
		    struct data_access *out)
{
	struct types_file *f = types_of(t, n->image);
	struct open_object *o = annotator_object(t->a, n->image);

	*out = (struct data_access){ .mnemonic = short_name(t, &n->lines[line]) };
	t->machine = o->err ? NULL : operands_machine(t->decoder, elf_machine(o->file.elf));
	if (!t->machine) {
		out->outcome = DATA_NO_DECODER;
		return;
	}
	if (!f) {
		out->outcome = DATA_NO_DEBUG_INFO;
		return;
	}
	if (t->n != n || t->image != n->image || t->symbol != n->symbol)
		look_at(t, f, o->file.elf, n);
	out->outcome = t->decoded[line] ? find(t, f, n, line, out) : DATA_NO_DECODER;
	if (out->outcome != DATA_OK)
		out->type = NULL;
}

/*
 * Writes the path of fields at an offset. Fields come outermost first: descends as long as one
 * covers the offset.
 */
void data_type_field(const struct data_type *t, u64 offset, struct strbuf *out)
{
	size_t count;
	const struct data_field *fields = data_type_fields(t, &count);
	u32 depth = 1;
	bool any = false;

	for (size_t i = 1; i < count && fields[i].depth >= depth; i++) {
		const struct data_field *f = &fields[i];

		if (f->depth != depth || offset < f->offset || offset - f->offset >= f->size)
			continue;
		if (f->name[0]) {
			strbuf_f(out, "%s%s", any ? "." : "", f->name);
			any = true;
		}
		depth++;
	}
}
