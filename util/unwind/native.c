// SPDX-License-Identifier: GPL-2.0-or-later
/* The native back end: unwinds frame by frame, starting with the sample's registers. */
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/perf_abi.h"
#include "unwind/internal.h"

#define PLACES 4

/* A guessed frame pointer farther from the stack pointer than this is ignored. */
#define GUESS_REACH 0x4000

struct stack_walk {
	struct unwinder *u;
	const struct unwind_request *q;
	const struct arch_unwind *facts;
	struct unwind_regs regs;
	struct unwind_memory memory;
	struct unwind_miss miss;
	u64 pc;
	bool exact;      /* pc is the current place, not a return address */
	bool trampoline; /* the frame is what a signal handler returns to */
	bool leaf;       /* the registers are the sample's own */
	space_version space;
	u32 image;
	struct place {
		const struct mapping *map;
		struct image_cfi *image;
		u64 addr; /* in the file, of the mapping's start */
		u64 size; /* bytes for which that holds */
	} places[PLACES]; /* the places of earlier frames: stacks stay in few objects */
	u32 next_place;
};

static u64 *slot_of_reg(struct unwind_regs *r, unsigned reg)
{
	r->known[reg] = true;
	return &r->value[reg];
}

/*
 * Loads the sample's registers by DWARF's numbers. Returns false without stack or program counter.
 */
static bool load_registers(struct stack_walk *w, const struct arch *a)
{
	const struct unwind_request *q = w->q;
	const u8 *at = q->sample->user_regs; /* those of the mask, the lowest bit first */
	bool has_pc = false;

	for (u64 left = q->sample->event->attr.sample_regs_user; left; left &= left - 1, at += 8) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		u64 value = load_u64(at, q->set->swap);

		if (i < a->reg_count && a->regs[i].dwarf >= 0 && a->regs[i].dwarf < CFI_REGS)
			*slot_of_reg(&w->regs, (unsigned)a->regs[i].dwarf) = value;
		if (i == (unsigned)a->reg_ip) {
			w->pc = value;
			has_pc = true;
		}
	}
	return has_pc && w->regs.known[w->facts->sp];
}

static bool start(struct stack_walk *w, const struct arch *a)
{
	const struct sample *s = w->q->sample;

	if (!s->user_regs || !s->user_abi || !load_registers(w, a))
		return false;
	w->memory = unwind_stack(w->q, a, w->regs.value[w->facts->sp]);
	w->memory.miss = &w->miss;
	w->space = history_space(w->q->history, w->q->task, w->q->key);
	w->leaf = true;
	w->exact = true;
	return true;
}

/*
 * Compilers do not say that a register has been restored when only the return is left (pop %rbp;
 * ret).
 * What lies below the stack pointer of the first frame is not saved any more: the register has its
 * value.
 */
static bool is_restored(const struct stack_walk *w, unsigned reg, u64 at)
{
	return w->leaf && at < w->memory.start && w->regs.known[reg] && w->regs.value[reg] != w->pc;
}

/* Finds the value of a rule. Returns false if it is unknown. */
static bool apply_rule(const struct stack_walk *w, const struct cfi *c, const struct cfi_rule *rule,
		       unsigned reg, u64 cfa, u64 *value)
{
	const struct unwind_memory *m = &w->memory;
	u64 at;

	switch (rule->how) {
	case CFI_SAME:
		*value = w->regs.value[reg];
		return w->regs.known[reg];
	case CFI_AT_CFA:
		at = cfa + (u64)(s64)rule->offset;
		if (is_restored(w, reg, at)) {
			*value = w->regs.value[reg];
			return true;
		}
		return memory_read(m, at, m->word, value);
	case CFI_IS_CFA:
		*value = cfa + (u64)(s64)rule->offset;
		return true;
	case CFI_REGISTER:
		if (rule->reg >= CFI_REGS)
			return false;
		*value = w->regs.value[rule->reg];
		return w->regs.known[rule->reg];
	case CFI_AT_EXPR:
		return expression_run(c, rule->expr, (u32)rule->offset, &w->regs, m, &cfa, &at) &&
		       memory_read(m, at, m->word, value);
	case CFI_IS_EXPR:
		return expression_run(c, rule->expr, (u32)rule->offset, &w->regs, m, &cfa, value);
	default:
		return false;
	}
}

static bool find_cfa(const struct stack_walk *w, const struct cfi *c, const struct cfi_row *row,
		     u64 *cfa)
{
	if (row->cfa.how == CFI_IS_EXPR)
		return expression_run(c, row->cfa.expr, (u32)row->cfa.offset, &w->regs, &w->memory,
				      NULL, cfa);
	if (row->cfa.how != CFI_REGISTER || !w->regs.known[row->cfa.reg])
		return false;
	*cfa = w->regs.value[row->cfa.reg] + (u64)(s64)row->cfa.offset;
	return true;
}

static const struct cfi_rule *rule_of(const struct cfi_rows *rows, const struct cfi_row *row,
				      unsigned reg)
{
	static const struct cfi_rule same = { .how = CFI_SAME };

	for (u32 i = 0; i < row->count; i++)
		if (rows->rules[row->first + i].reg == reg)
			return &rows->rules[row->first + i].rule;
	return &same;
}

/*
 * Restores registers. All rules read the old registers, so new values are set after the last one is
 * known.
 */
static void restore_registers(struct stack_walk *w, const struct cfi *c,
			      const struct cfi_rows *rows, const struct cfi_row *row, u64 cfa)
{
	u64 values[CFI_REGS];
	bool known[CFI_REGS];

	for (u32 i = 0; i < row->count; i++) {
		const struct cfi_reg_rule *r = &rows->rules[row->first + i];

		known[i] = apply_rule(w, c, &r->rule, r->reg, cfa, &values[i]);
	}
	for (u32 i = 0; i < row->count; i++) {
		u8 reg = rows->rules[row->first + i].reg;

		w->regs.known[reg] = known[i];
		if (known[i])
			w->regs.value[reg] = values[i];
	}
	if (rule_of(rows, row, w->facts->sp)->how == CFI_SAME)
		*slot_of_reg(&w->regs, w->facts->sp) = cfa;
}

static bool is_mapped(const struct unwind_request *q, space_version space, u64 pc)
{
	return pc && history_find(q->history, space, pc - 1);
}

/*
 * Reports whether an address is in code. (Recordings with data addresses also have mappings of
 * data, such as the stack.)
 */
static bool is_code(const struct stack_walk *w, u64 pc)
{
	const struct mapping *m = pc ? history_find(w->q->history, w->space, pc - 1) : NULL;

	return m && (!m->prot || m->prot & PROT_EXEC);
}

u64 unwind_strip(const struct unwind_request *q, const struct arch_unwind *facts,
		 space_version space, u64 pc)
{
	pc &= ~facts->mode_bits;
	if (!facts->code_mask || is_mapped(q, space, pc))
		return pc;
	for (unsigned bits = 52; bits >= 36; bits--) {
		u64 mask = BIT64(bits) - 1;

		if (!(~facts->code_mask & mask) && is_mapped(q, space, pc & mask))
			return pc & mask;
	}
	return pc & facts->code_mask;
}

static u64 strip(const struct stack_walk *w, u64 pc)
{
	return unwind_strip(w->q, w->facts, w->space, pc);
}

/*
 * Reports whether the frame is the outermost, on machines where a frame begins with the address of
 * its caller's: then that is 0.
 */
static bool is_outermost(const struct stack_walk *w)
{
	u64 up;

	return w->facts->return_in_caller && !w->leaf &&
	       memory_read(&w->memory, w->regs.value[w->facts->sp], w->memory.word, &up) && !up;
}

/* Moves to the caller at pc, from a frame between sp and the CFA. */
static enum unwind_end go_on(struct stack_walk *w, u64 sp, u64 cfa, u64 pc, bool is_signal)
{
	if (!pc)
		return UNWIND_ROOT;
	/* a leaf without a frame has its caller's stack pointer */
	if (!is_signal && (cfa < sp || (cfa == sp && pc == w->pc)))
		return UNWIND_NO_PROGRESS;
	w->pc = pc;
	w->exact = is_signal;
	return UNWIND_LIMIT; /* to continue */
}

/*
 * Rules lead nowhere: what they need is not in the piece of stack, here or for a frame before, or
 * they make no sense.
 */
static enum unwind_end cannot_follow(const struct stack_walk *w)
{
	return w->miss.any ? UNWIND_DUMP_ENDS : UNWIND_BAD_CFI;
}

/* A step by the rules of a row. */
static enum unwind_end step_by_rows(struct stack_walk *w, const struct cfi *c,
				    const struct cfi_rows *rows, const struct cfi_row *row)
{
	const struct cfi_rule *ra = rule_of(rows, row, rows->ra);
	u64 cfa, pc, sp = w->regs.value[w->facts->sp];

	if (ra->how == CFI_UNDEFINED)
		return UNWIND_ROOT;
	if (!find_cfa(w, c, row, &cfa))
		return cannot_follow(w);
	if (!apply_rule(w, c, ra, rows->ra, cfa, &pc))
		return is_outermost(w) ? UNWIND_ROOT : cannot_follow(w);
	restore_registers(w, c, rows, row, cfa);
	return go_on(w, sp, cfa, strip(w, pc), rows->is_signal);
}

static bool is_saved(const struct cfi_row *row, unsigned reg)
{
	return row->saved[reg / 64] >> reg % 64 & 1;
}

/*
 * Steps by a plain row, whose words are all read together. Returns false if that is impossible:
 * some words are missing, or the stack pointer is among them.
 */
static bool step_by_plain_row(struct stack_walk *w, const struct cfi_row *row, enum unwind_end *end)
{
	const struct unwind_memory *m = &w->memory;
	const struct cfi_reg_rule *rule = &row->rows->rules[row->first];
	u64 cfa, at, pc, sp = w->regs.value[w->facts->sp];
	const u8 *saved;

	if (!w->regs.known[row->cfa.reg] || m->word != 8 || is_saved(row, w->facts->sp))
		return false;
	cfa = w->regs.value[row->cfa.reg] + (u64)(s64)row->cfa.offset;
	at = cfa + (u64)(s64)row->lowest - m->start;
	if (at > m->size || m->size - at < row->span)
		return false;
	saved = m->stack + at;
	for (u32 i = 0; i < row->count; i++)
		*slot_of_reg(&w->regs, rule[i].reg) =
			load_u64(saved + (rule[i].rule.offset - row->lowest), m->swap);
	*slot_of_reg(&w->regs, w->facts->sp) = cfa;
	pc = strip(w, w->regs.value[row->rows->ra]);
	*end = go_on(w, sp, cfa, pc, false);
	return true;
}

/*
 * Zero where a frame pointer or a return address should be marks the first frame of a stack.  In
 * code without CFI that stands there itself, and did not call, it is more likely a number in that
 * register.
 */
static enum unwind_end end_at_zero(const struct stack_walk *w, bool begins_program)
{
	return w->exact && !begins_program ? UNWIND_NO_CFI : UNWIND_ROOT;
}

/*
 * Without CFI: the record that the frame pointer points to, when it looks like
 * one: { caller's frame pointer, return address }.
 */
static enum unwind_end step_by_pointer(struct stack_walk *w, bool begins_program)
{
	const struct arch_unwind *f = w->facts;
	const struct unwind_memory *m = &w->memory;
	u64 sp = w->regs.value[f->sp], fp = w->regs.value[f->fp], up, pc, at;

	if (!w->regs.known[f->fp])
		return UNWIND_NO_CFI;
	if (!fp)
		return end_at_zero(w, begins_program);
	if (fp < sp || fp - sp > GUESS_REACH)
		return UNWIND_NO_CFI;
	if (!memory_read(m, fp + (u64)(s64)f->pointer_at, m->word, &up))
		return UNWIND_DUMP_ENDS;
	if (!up && f->return_in_caller)
		return UNWIND_ROOT;
	at = (f->return_in_caller ? up : fp) + (u64)(s64)f->return_at;
	if (!memory_read(m, at, m->word, &pc))
		return UNWIND_DUMP_ENDS;
	/*
	 * a frame that never called (a signal came first) has saved nothing; the next outer one has
	 */
	if (!pc && f->return_in_caller && up > fp) {
		fp = up;
		if (!memory_read(m, fp, m->word, &up) ||
		    !memory_read(m, up + (u64)(s64)f->return_at, m->word, &pc))
			return UNWIND_DUMP_ENDS;
	}
	pc = strip(w, pc);
	if (!pc)
		return end_at_zero(w, begins_program);
	/* the register holds something else, such as a JIT's own pointer */
	if (!is_code(w, pc))
		return UNWIND_NO_CFI;
	*slot_of_reg(&w->regs, f->fp) = up;
	if (f->fp != f->sp)
		*slot_of_reg(&w->regs, f->sp) =
			fp + (u64)(s64)MAX(f->pointer_at, f->return_at) + m->word;
	w->pc = pc;
	w->exact = false;
	return UNWIND_LIMIT;
}

static bool is_described(struct stack_walk *w, struct image_cfi *i, u64 addr)
{
	struct cfi *c;

	return image_cfi_find(w->u, i, addr, &c) || (i->exidx && exidx_covers(i->exidx, addr));
}

/*
 * Steps from the leaf of an architecture with a link register, without CFI and without its own
 * frame (hand-written assembly, a linker's stub). The link register has its caller, if that is in
 * code with CFI. In a function that has made its frame and a call, the register points into that
 * function, so nothing describes it either.
 */
static bool step_by_link(struct stack_walk *w)
{
	const struct arch_unwind *f = w->facts;
	struct location l;
	u64 pc, addr;
	struct image_cfi *i;

	if (!f->link || !w->leaf || !w->regs.known[f->link])
		return false;
	pc = strip(w, w->regs.value[f->link]);
	if (!history_locate(w->q->history, w->q->task, PERF_RECORD_MISC_USER, pc - 1, w->q->key,
			    &l))
		return false;
	i = unwinder_image(w->u, l.image);
	if (!i->object.elf || !elf_offset_to_addr(i->object.elf, l.offset, &addr) ||
	    !is_described(w, i, addr))
		return false;
	w->pc = pc;
	w->exact = false;
	return true;
}

/* Reports whether the distance d from the mapping's start is the same in the file's addresses. */
static bool is_linear(const struct image_cfi *i, const struct mapping *m, u64 start, u64 d)
{
	u64 addr;

	return elf_offset_to_addr(i->object.elf, m->pgoff + d, &addr) && addr == start + d;
}

/*
 * Keeps the place of a mapping, which is usually in one segment, but whose last page may extend
 * beyond it.
 */
static void keep_place(struct stack_walk *w, const struct mapping *m, struct image_cfi *i, u64 pc)
{
	u64 size = pc - m->start, most = m->end - m->start - MIN(m->end - m->start, 4096u), start;

	if (!elf_offset_to_addr(i->object.elf, m->pgoff, &start) || !is_linear(i, m, start, size))
		return;
	if (most > size && is_linear(i, m, start, most))
		size = most;
	w->places[w->next_place++ % PLACES] =
		(struct place){ .map = m, .image = i, .addr = start, .size = size + 1 };
}

/* Returns the image of pc, and the address in its file; NULL if it is not mapped. */
static struct image_cfi *find_place(struct stack_walk *w, u64 pc, u64 *addr, bool *known)
{
	const struct mapping *m;
	struct image_cfi *i;

	for (u32 n = 0; n < PLACES; n++) {
		const struct place *p = &w->places[n];

		if (!p->map || pc - p->map->start >= p->size)
			continue;
		w->image = p->map->image;
		*addr = p->addr + (pc - p->map->start);
		*known = true;
		return p->image;
	}
	m = history_find(w->q->history, w->space, pc);
	if (!m)
		return NULL;
	w->image = m->image;
	i = unwinder_image(w->u, m->image);
	*known = i->object.elf && elf_offset_to_addr(i->object.elf, pc - m->start + m->pgoff, addr);
	if (*known)
		keep_place(w, m, i, pc);
	return i;
}

/* Steps out of a PLT stub, which has no frame: its caller is above what it pushed. */
static bool step_out_of_plt(struct stack_walk *w, const struct image_cfi *i, u64 addr)
{
	u64 sp = w->regs.value[w->facts->sp], pushed, pc;

	if (!w->exact || !i->object.elf || !plt_pushed(i->object.elf, addr, &pushed) ||
	    !memory_read(&w->memory, sp + pushed, w->memory.word, &pc) || !is_code(w, pc))
		return false;
	*slot_of_reg(&w->regs, w->facts->sp) = sp + pushed + w->memory.word;
	w->pc = pc;
	w->exact = false;
	return true;
}

/* Steps by the tables of a 32-bit Arm program. */
static enum unwind_end step_by_exidx(struct stack_walk *w, const struct image_cfi *i, u64 addr)
{
	u64 pc, sp = w->regs.value[w->facts->sp], up;
	enum unwind_end end = exidx_step(i->exidx, addr, &w->regs, &w->memory, &pc);

	if (end == UNWIND_ROOT && step_by_link(w))
		return UNWIND_LIMIT;
	if (end != UNWIND_LIMIT)
		return end;
	pc = strip(w, pc);
	up = w->regs.value[w->facts->sp];
	if (!pc)
		return UNWIND_ROOT;
	if (up < sp || (up == sp && pc == w->pc))
		return UNWIND_NO_PROGRESS;
	w->pc = pc;
	w->exact = false;
	return UNWIND_LIMIT;
}

static enum unwind_end step_without(struct stack_walk *w, const struct image_cfi *i, bool known,
				    u64 addr)
{
	enum unwind_end end;

	if (known && i->exidx) {
		end = step_by_exidx(w, i, addr);
		if (end != UNWIND_NO_CFI)
			return end;
	}

	if (known && step_out_of_plt(w, i, addr))
		return UNWIND_LIMIT;
	if (step_by_link(w))
		return UNWIND_LIMIT;
	end = step_by_pointer(w, known && image_begins_program(i, NULL, addr));
	if (end == UNWIND_NO_CFI && !i->object.elf && i->image->kind == IMAGE_ELF)
		end = UNWIND_NO_OBJECT;
	return end;
}

/*
 * Steps to what a signal interrupted, from a trampoline without CFI. The return address is its
 * first instruction, so CFI that covers the instruction before belongs to another function, and
 * ends there.
 */
static bool step_by_signal(struct stack_walk *w, const struct image_cfi *i, u64 addr, u64 end,
			   enum unwind_end *how)
{
	u64 pc;

	if (w->exact || end != addr + 1 || !i->object.elf)
		return false;
	*how = signal_return_step(i->object.elf, addr + 1, w->facts->sp, &w->regs, &w->memory, &pc);
	if (*how == UNWIND_NO_CFI)
		return false;
	w->trampoline = true;
	if (*how == UNWIND_LIMIT)
		*how = go_on(w, 0, 0, strip(w, pc), true);
	return true;
}

/*
 * A return address at which a function begins, while nothing describes the code before it, is not
 * one of a call: makecontext() and its like put it there, and nobody called what returns to it.
 */
static bool is_entered_by_hand(const struct stack_walk *w, struct image_cfi *i, u64 addr)
{
	const struct cfi_function *f;
	struct cfi *c;

	if (w->exact)
		return false;
	f = image_cfi_find(w->u, i, addr + 1, &c);
	return f && f->low == addr + 1;
}

static enum unwind_end step(struct stack_walk *w)
{
	u64 lookup = w->exact ? w->pc : w->pc - 1, addr = 0;
	const struct cfi_rows *rows;
	const struct cfi_row *row;
	struct cfi_function *f = NULL;
	struct image_cfi *i;
	struct cfi *c = NULL;
	bool known = false;
	enum unwind_end end;

	w->image = 0;
	w->trampoline = false;
	i = find_place(w, lookup, &addr, &known);
	if (!i)
		return UNWIND_UNMAPPED;
	if (known && i->eh) {
		row = cfi_recall(i->eh, addr);
		if (likely(row) && step_by_signal(w, i, addr, row->end, &end))
			return end;
		if (likely(row) && step_by_plain_row(w, row, &end))
			return end;
	}
	if (known)
		f = image_cfi_find(w->u, i, addr, &c);
	if (known && step_by_signal(w, i, addr, f ? f->high : addr + 1, &end))
		return end;
	if (!f && known && is_entered_by_hand(w, i, addr)) {
		w->trampoline = true;
		return UNWIND_ROOT;
	}
	if (!f)
		return step_without(w, i, known, addr);
	rows = cfi_rows(c, f);
	row = cfi_row_at(rows, addr);
	if (rows->bad || !row)
		return UNWIND_BAD_CFI;
	cfi_remember(c, addr, row);
	w->trampoline = rows->is_signal;
	return step_by_rows(w, c, rows, row);
}

static struct unwind_result native_sample(struct unwinder *u, const struct unwind_request *q,
					  u64 *ips, u32 max)
{
	const struct arch *a = unwind_arch(q);
	struct stack_walk w = { .u = u, .q = q, .facts = a ? a->unwind : NULL };
	struct unwind_result r = { .end = UNWIND_LIMIT };

	if (!w.facts || !start(&w, a)) {
		r.end = w.facts ? UNWIND_NO_REGISTERS : UNWIND_UNSUPPORTED;
		return r;
	}
	while (r.count < max) {
		u64 pc = w.pc;
		bool exact = w.exact;

		r.end = step(&w);
		w.leaf = false;
		/* a trampoline has no caller: its address is not a return address */
		ips[r.count++] = exact || w.trampoline ? pc : pc - 1;
		if (r.end != UNWIND_LIMIT)
			break;
	}
	r.image = w.image;
	r.missed = unwind_missed(&w.memory);
	return r;
}

const struct unwind_backend unwind_native = { .sample = native_sample };
