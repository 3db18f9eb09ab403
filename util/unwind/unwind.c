// SPDX-License-Identifier: GPL-2.0-or-later
/* One step after the other, from the sample's registers outward. */
#include "unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/perf_abi.h"
#include "unwind/internal.h"

/* A guessed frame pointer farther from the stack pointer than this is no frame pointer. */
#define GUESS_REACH 0x4000

struct image_cfi {
	pthread_mutex_t lock; /* one opens, the others wait for it */
	_Atomic(bool) ready;
	struct object_file object, debug;
	struct cfi *cfi; /* NULL: none */
};

struct unwinder {
	const struct image_table *images;
	const struct object_search *search;
	pthread_mutex_t lock;  /* of the map */
	struct map64 by_image; /* -> struct image_cfi * */
};

struct unwinder *unwinder_new(const struct image_table *images, const struct object_search *search)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->images = images;
	u->search = search;
	pthread_mutex_init(&u->lock, NULL);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->by_image.space; i++) {
		struct image_cfi *c = (void *)(uintptr_t)u->by_image.slots[i].value;

		if (!u->by_image.slots[i].used)
			continue;
		cfi_free(c->cfi);
		object_close(&c->object);
		object_close(&c->debug);
		pthread_mutex_destroy(&c->lock);
		free(c);
	}
	map64_release(&u->by_image);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

const char *unwind_end_text(enum unwind_end end)
{
	static const char *const texts[UNWIND_ENDS] = {
		[UNWIND_ROOT] = "the outermost frame was reached",
		[UNWIND_LIMIT] = "as many frames as were asked for",
		[UNWIND_NO_REGISTERS] = "the sample has no registers",
		[UNWIND_UNMAPPED] = "the next address is not mapped",
		[UNWIND_NO_CFI] = "no call frame information, and no frame pointer",
		[UNWIND_BAD_CFI] = "damaged call frame information",
		[UNWIND_DUMP_ENDS] = "the recorded piece of stack is too small",
		[UNWIND_NO_PROGRESS] = "a frame that does not lie above the one before",
	};

	return (unsigned)end < UNWIND_ENDS ? texts[end] : "";
}

/* Objects */

static void open_cfi(struct unwinder *u, u32 image, struct image_cfi *c)
{
	const struct image *img = image_get(u->images, image);

	if (img->kind != IMAGE_ELF && img->kind != IMAGE_VDSO)
		return;
	if (object_open(u->search, img, img->pid, &c->object, NULL))
		return;
	c->cfi = cfi_read(c->object.elf);
	if (!c->cfi && !object_open_debug(u->search, img, &c->object, &c->debug, NULL))
		c->cfi = cfi_read(c->debug.elf);
}

static struct image_cfi *cfi_slot(struct unwinder *u, u32 image)
{
	struct image_cfi *c;
	u64 *slot;

	pthread_mutex_lock(&u->lock);
	slot = map64_put(&u->by_image, image, NULL);
	c = (struct image_cfi *)(uintptr_t)*slot;
	if (!c) {
		c = xcalloc(1, sizeof(*c));
		pthread_mutex_init(&c->lock, NULL);
		*slot = (u64)(uintptr_t)c;
	}
	pthread_mutex_unlock(&u->lock);
	return c;
}

static const struct image_cfi *cfi_of(struct unwinder *u, u32 image)
{
	struct image_cfi *c = cfi_slot(u, image);

	if (likely(atomic_load_explicit(&c->ready, memory_order_acquire)))
		return c;
	pthread_mutex_lock(&c->lock);
	if (!atomic_load(&c->ready)) {
		open_cfi(u, image, c);
		atomic_store_explicit(&c->ready, true, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return c;
}

/* Steps */

struct stack_walk {
	struct unwinder *u;
	const struct unwind_request *q;
	const struct arch_unwind *facts;
	struct unwind_regs regs;
	struct unwind_memory memory;
	u64 pc;
	bool exact; /* pc is where execution stands, not a return address */
	bool trampoline; /* the frame is what a signal handler returns to */
	u32 image;
};

static u64 *slot_of_reg(struct unwind_regs *r, unsigned reg)
{
	r->known[reg] = true;
	return &r->value[reg];
}

/* From the sample's registers to DWARF's numbers; false without stack or program counter. */
static bool load_registers(struct stack_walk *w, const struct arch *a)
{
	const struct unwind_request *q = w->q;
	u64 mask = q->sample->event->attr.sample_regs_user, value;

	for (unsigned i = 0; i < a->reg_count && i < 64; i++) {
		s16 dwarf = a->regs[i].dwarf;

		if (dwarf >= 0 && dwarf < CFI_REGS &&
		    sample_reg(q->set, mask, q->sample->user_regs, i, &value))
			*slot_of_reg(&w->regs, (unsigned)dwarf) = value;
	}
	if (!sample_reg(q->set, mask, q->sample->user_regs, a->reg_ip, &w->pc))
		return false;
	return w->regs.known[w->facts->sp];
}

static bool start(struct stack_walk *w, const struct arch *a)
{
	const struct sample *s = w->q->sample;

	if (!s->user_regs || !s->user_abi || !load_registers(w, a))
		return false;
	w->memory = (struct unwind_memory){
		.stack = s->stack,
		.start = w->regs.value[w->facts->sp],
		.size = s->stack ? MIN(s->stack_size, s->stack_dyn_size) : 0,
		.swap = w->q->set->swap,
		.word = a->bits / 8,
	};
	w->exact = true;
	return true;
}

/* The value that a rule gives; false when it cannot be had. */
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
		return memory_read(m, cfa + (u64)(s64)rule->offset, m->word, value);
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

/* All rules read the old registers, so new values wait until the last one is known. */
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

/* The program counter may differ from the return address register by a signature. */
static u64 strip(const struct stack_walk *w, u64 pc)
{
	return w->facts->code_mask ? pc & w->facts->code_mask : pc;
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
		return UNWIND_BAD_CFI;
	if (!apply_rule(w, c, ra, rows->ra, cfa, &pc))
		return ra->how == CFI_AT_CFA || ra->how == CFI_AT_EXPR ? UNWIND_DUMP_ENDS :
									 UNWIND_BAD_CFI;
	restore_registers(w, c, rows, row, cfa);
	pc = strip(w, pc);
	if (!pc)
		return UNWIND_ROOT;
	/* a leaf without a frame has its caller's stack pointer */
	if (!rows->is_signal && (cfa < sp || (cfa == sp && pc == w->pc)))
		return UNWIND_NO_PROGRESS;
	w->pc = pc;
	w->exact = rows->is_signal;
	return UNWIND_LIMIT; /* it goes on */
}

/*
 * Without CFI: the record that the frame pointer points to, when it looks like
 * one: { caller's frame pointer, return address }.
 */
static enum unwind_end step_by_pointer(struct stack_walk *w)
{
	const struct arch_unwind *f = w->facts;
	const struct unwind_memory *m = &w->memory;
	u64 sp = w->regs.value[f->sp], fp = w->regs.value[f->fp], up, pc, at;

	if (!w->regs.known[f->fp])
		return UNWIND_NO_CFI;
	if (!fp)
		return UNWIND_ROOT;
	if (fp < sp || fp - sp > GUESS_REACH)
		return UNWIND_NO_CFI;
	if (!memory_read(m, fp, m->word, &up))
		return UNWIND_DUMP_ENDS;
	at = (f->return_in_caller ? up : fp) + f->return_at;
	if (!memory_read(m, at, m->word, &pc))
		return UNWIND_DUMP_ENDS;
	pc = strip(w, pc);
	if (!pc)
		return UNWIND_ROOT;
	*slot_of_reg(&w->regs, f->fp) = up;
	if (f->fp != f->sp)
		*slot_of_reg(&w->regs, f->sp) = fp + 2u * m->word;
	w->pc = pc;
	w->exact = false;
	return UNWIND_LIMIT;
}

static enum unwind_end step(struct stack_walk *w)
{
	u64 lookup = w->exact ? w->pc : w->pc - 1, addr;
	const struct image_cfi *c;
	const struct cfi_rows *rows;
	const struct cfi_row *row;
	struct cfi_function *f = NULL;
	struct location l;

	w->image = 0;
	w->trampoline = false;
	if (!history_locate(w->q->history, w->q->task, PERF_RECORD_MISC_USER, lookup, w->q->key, &l))
		return UNWIND_UNMAPPED;
	w->image = l.image;
	c = cfi_of(w->u, l.image);
	if (c->cfi && elf_offset_to_addr(c->object.elf, l.offset, &addr))
		f = cfi_find(c->cfi, addr);
	if (!f)
		return step_by_pointer(w);
	rows = cfi_rows(c->cfi, f);
	row = cfi_row_at(rows, addr);
	if (rows->bad || !row)
		return UNWIND_BAD_CFI;
	w->trampoline = rows->is_signal;
	return step_by_rows(w, c->cfi, rows, row);
}

static const struct arch *arch_of_abi(const struct unwind_request *q)
{
	bool narrow = q->sample->user_abi == PERF_SAMPLE_REGS_ABI_32;

	return narrow && q->arch->bits == 64 ? q->arch->compat : q->arch;
}

struct unwind_result unwind_sample(struct unwinder *u, const struct unwind_request *q, u64 *ips,
				   u32 max)
{
	const struct arch *a = arch_of_abi(q);
	struct stack_walk w = { .u = u, .q = q, .facts = a ? a->unwind : NULL };
	struct unwind_result r = { .end = UNWIND_LIMIT };

	if (!w.facts || !start(&w, a)) {
		r.end = UNWIND_NO_REGISTERS;
		return r;
	}
	while (r.count < max) {
		u64 pc = w.pc;
		bool exact = w.exact;

		r.end = step(&w);
		/* nobody called a trampoline: its address is no return address */
		ips[r.count++] = exact || w.trampoline ? pc : pc - 1;
		if (r.end != UNWIND_LIMIT)
			break;
	}
	r.image = w.image;
	return r;
}
