// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves addresses so they do not show where the kernel had put things.
 *
 * Each mapping of a file gets its own place, in the order in which mappings come. Pieces of one
 * file that were together stay together, so symbols, lines and call chains come out as before. The
 * image of each kernel, the host's and a guest's, moves as a whole: its reference symbol goes to
 * KERNEL_AT plus its offset in a huge page.
 *
 * Modules, BPF programs and trampolines get their own places above it: they are near a fixed
 * address, so their distance from the image would reveal its base. So would any address that is
 * known to be fixed. Addresses outside all mappings therefore become 0, and so do those of a kernel
 * whose place no record names.
 *
 * What may hold addresses and cannot be translated is left out: registers, stacks, raw data,
 * physical addresses, patched kernel text, code of BPF programs, kallsyms and printk formats of
 * tracing data.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "rewrite/internal.h"

#define FIRST_PLACE 0x100000000ULL
#define PLACE_UNIT  (1ULL << 30) /* a place is a multiple of this */
#define KERNEL_AT   0xffffffff81000000ULL
#define HUGE_PAGE   (2ULL << 20)
/* The mapping of a kernel may reach to the end of memory; its image is at most this large. */
#define KERNEL_SPAN (96ULL << 20)
#define MODULES_AT  0xffffffffc0000000ULL
#define MODULES_END 0xffffffffff000000ULL
#define MODULE_UNIT (64ULL << 10)
#define LEFT_OUT                                                                                   \
	((u64)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_RAW |                  \
	       PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR))

struct place {
	u64 at, size;
};

struct aslr_pass {
	struct map64 by_mapping; /* hash of (image, address of its offset 0) -> index + 1 */
	VEC(struct place) places;
	u64 next;
	struct map64 kernels; /* machine -> address of its kernel's reference symbol */
	struct map64 modules; /* hash of (machine, image, start) -> new address, or 0 */
	u64 next_module;
};

void aslr_start(struct rewriter *w)
{
	w->aslr = xcalloc(1, sizeof(*w->aslr));
	w->aslr->next = FIRST_PLACE;
	w->aslr->next_module = MODULES_AT;
}

void aslr_release(struct rewriter *w)
{
	if (!w->aslr)
		return;
	map64_release(&w->aslr->by_mapping);
	map64_release(&w->aslr->kernels);
	map64_release(&w->aslr->modules);
	vec_release(&w->aslr->places);
	free(w->aslr);
}

void aslr_attr(struct perf_event_attr *a)
{
	a->sample_type &= ~LEFT_OUT;
	a->sample_regs_user = a->sample_regs_intr = 0;
	a->sample_stack_user = 0;
	if (a->type == PERF_TYPE_BREAKPOINT)
		a->config1 = 0;
}

/* Reports whether the image is code without a file, which is identified by its address. */
static bool by_address(const struct image *img)
{
	return img->kind != IMAGE_ELF && img->kind != IMAGE_VDSO;
}

/*
 * Returns the new address of the mapping's offset 0. A mapping that does not fit in its place gets
 * another one.
 */
static u64 place_of(struct rewriter *w, const struct mapping *m)
{
	struct aslr_pass *p = w->aslr;
	bool bare = by_address(image_get(w->files.images, m->image));
	u64 zero = bare ? m->start : m->start - m->pgoff;
	u64 need = (bare ? 0 : m->pgoff) + (m->end - m->start);
	u64 key = hash_combine(hash_combine(m->image, zero), bare);
	u64 *slot = map64_put(&p->by_mapping, key, NULL);
	struct place *at;

	if (*slot && p->places.items[*slot - 1].size >= need)
		return p->places.items[*slot - 1].at;
	vec_push_zero(&p->places);
	at = vec_last(&p->places);
	at->at = p->next;
	at->size = ALIGN_UP(MAX(need, 1), PLACE_UNIT);
	p->next += at->size + PLACE_UNIT;
	*slot = p->places.count;
	return at->at;
}

static u64 moved(struct rewriter *w, const struct mapping *m, u64 addr)
{
	bool bare = by_address(image_get(w->files.images, m->image));

	return place_of(w, m) + (addr - m->start) + (bare ? 0 : m->pgoff);
}

static bool is_kernel(u8 mode)
{
	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

/* Returns the machine of a record other than a sample; pid is that of history_machine(). */
static u32 machine_of(const struct rewriter *w, const struct record *rec, u32 pid)
{
	u8 mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct sample_id id = { 0 };

	if (history_machine(mode, pid))
		(void)record_sample_id(w->in, rec, &id, NULL, NULL);
	return history_machine_by_id(session_history(w->session), mode, pid, id.id);
}

/* Returns the new address of one in a kernel's image, or 0 if it is not in one. */
static u64 moved_image(const struct rewriter *w, u32 machine, u64 addr)
{
	const u64 *base = map64_get(&w->aslr->kernels, machine);

	if (!base || addr - *base + HUGE_PAGE >= KERNEL_SPAN)
		return 0;
	return KERNEL_AT + (*base & (HUGE_PAGE - 1)) + (addr - *base);
}

/* Returns the new address of a module's or a program's mapping, or 0. */
static u64 module_place(struct rewriter *w, u32 machine, const struct mapping *m)
{
	struct aslr_pass *p = w->aslr;
	u64 size = ALIGN_UP(m->end - m->start, MODULE_UNIT);
	bool added;
	u64 *at = map64_put(&p->modules, hash_combine(hash_combine(machine, m->image), m->start),
			    &added);

	if (added && size <= MODULES_END - p->next_module) {
		*at = p->next_module;
		p->next_module += size;
	}
	return *at;
}

static u64 moved_kernel(struct rewriter *w, u32 machine, u64 addr, const struct order_key *key)
{
	struct history *h = session_history(w->session);
	const struct mapping *m =
		addr ? history_find(h, history_kernel_space(h, machine, key), addr) : NULL;
	u64 place;

	if (!m)
		return 0;
	if (image_get(w->files.images, m->image)->kind == IMAGE_KERNEL)
		return moved_image(w, machine, addr);
	place = module_place(w, machine, m);
	return place ? place + (addr - m->start) : 0;
}

static u64 translate(struct rewriter *w, const struct task *t, u8 mode, u64 addr,
		     const struct order_key *key)
{
	struct location l;

	if (!addr)
		return 0;
	if (is_kernel(mode) || addr >> 63)
		return moved_kernel(w, t->machine, addr, key);
	if (!history_locate(session_history(w->session), t, mode, addr, key, &l) || !l.mapping)
		return 0;
	return moved(w, l.mapping, addr);
}

static u64 get(const u8 *p, const struct rewriter *w)
{
	return load_u64(p, w->in->swap);
}

static void set(u8 *p, u64 v, const struct rewriter *w)
{
	store_u64(p, load_u64(&v, w->in->swap));
}

static void translate_chain(struct rewriter *w, const struct session_sample *s, u8 *p, u64 count)
{
	u8 mode = s->sample->cpumode;

	for (u64 i = 0; i < count; i++, p += 8) {
		u64 ip = get(p, w);

		if (ip >= PERF_CONTEXT_MAX) {
			if (ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_USER)
				mode = ip == PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL
								 : PERF_RECORD_MISC_USER;
			else if (ip == PERF_CONTEXT_GUEST_KERNEL || ip == PERF_CONTEXT_GUEST_USER)
				mode = ip == PERF_CONTEXT_GUEST_KERNEL
					       ? PERF_RECORD_MISC_GUEST_KERNEL
					       : PERF_RECORD_MISC_GUEST_USER;
			continue;
		}
		set(p, translate(w, s->task, mode, ip, &s->key), w);
	}
}

static u8 mode_of(u64 addr)
{
	return addr >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

static void translate_branches(struct rewriter *w, const struct session_sample *s, u8 *p)
{
	for (u64 i = 0; i < s->sample->branch_count; i++, p += 24)
		for (unsigned k = 0; k < 16; k += 8) {
			u64 ip = get(p + k, w);

			set(p + k, translate(w, s->task, mode_of(ip), ip, &s->key), w);
		}
}

static void add_chain(struct rewriter *w, const struct session_sample *s, u64 room)
{
	u64 count = MIN(s->sample->chain_count, room);
	size_t at = w->buf.len;

	strbuf_add(&w->buf, &count, 8);
	set((u8 *)w->buf.s + at, count, w);
	strbuf_add(&w->buf, s->sample->chain, count * 8);
	translate_chain(w, s, (u8 *)w->buf.s + at + 8, count);
}

/* Adds everything after the user's registers and stack, except what is left out. */
static void add_rest(struct rewriter *w, const struct sample *s, const u8 *copy, u32 from, u32 size)
{
	const struct perf_event_attr *a = &s->event->attr;
	u64 type = a->sample_type;
	u32 at = from;

	at += type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT) ? 8 : 0;
	at += type & PERF_SAMPLE_DATA_SRC ? 8 : 0;
	at += type & PERF_SAMPLE_TRANSACTION ? 8 : 0;
	strbuf_add(&w->buf, copy + from, at - from);
	if (type & PERF_SAMPLE_REGS_INTR)
		at += 8 + (s->intr_abi ? 8 * (u32)__builtin_popcountll(a->sample_regs_intr) : 0);
	at += type & PERF_SAMPLE_PHYS_ADDR ? 8 : 0;
	strbuf_add(&w->buf, copy + at, size - at);
}

void aslr_put_sample(struct rewriter *w, const struct session_sample *s)
{
	enum { MOST = UINT16_MAX & ~7 };
	const struct sample *sample = s->sample;
	const struct event *out = w->out.list.items[sample->event->index];
	u32 size = s->record->size, at;
	u8 *copy = xmemdup(s->record->data, size);
	size_t start = w->buf.len;
	struct sample_parts p;
	u16 half;

	sample_find_parts(w->in, s->record, sample, &p);
	if ((at = sample_slot(sample, PERF_SAMPLE_IP)))
		set(copy + at, translate(w, s->task, sample->cpumode, sample->ip, &s->key), w);
	if ((at = sample_slot(sample, PERF_SAMPLE_ADDR)))
		set(copy + at, translate(w, s->task, mode_of(sample->addr), sample->addr, &s->key),
		    w);
	if (sample->branch_count)
		translate_branches(w, s, copy + (sample->branches - s->record->data));
	strbuf_add(&w->buf, copy, p.chain);
	if (out->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		add_chain(w, s,
			  (MOST - size) / 8 + (p.chain_end - p.chain + p.user_end - p.user) / 8 -
				  1);
	strbuf_add(&w->buf, copy + p.chain_end, p.raw - p.chain_end);
	strbuf_add(&w->buf, copy + p.raw_end, p.user - p.raw_end);
	add_rest(w, sample, copy, p.user_end, size);
	half = (u16)(w->buf.len - start);
	half = load_u16(&half, w->in->swap);
	memcpy(w->buf.s + start + 6, &half, sizeof(half));
	free(copy);
}

static void put_user_map(struct rewriter *w, const struct record *rec, const struct record_mmap *m,
			 const struct order_key *key)
{
	struct order_key after = *key;
	struct history *h = session_history(w->session);
	const struct task *t;
	struct location l;
	size_t at = w->buf.len;
	u64 start = 0;
	bool fileless = false;

	after.position++; /* include the record itself */
	t = history_task(h, machine_of(w, rec, m->pid), m->pid, m->tid, &after);
	if (history_locate(h, t, PERF_RECORD_MISC_USER, m->start, &after, &l) && l.mapping) {
		start = moved(w, l.mapping, m->start);
		fileless = by_address(image_get(w->files.images, l.mapping->image));
	}
	if (!start) /* the mapping was dropped */
		return;
	strbuf_add(&w->buf, rec->data, rec->size);
	set((u8 *)w->buf.s + at + 16, start, w);
	/* for memory without a file, the kernel repeats the address here */
	if (fileless && m->pgoff)
		set((u8 *)w->buf.s + at + 32, start, w);
}

/*
 * Writes a kernel's mapping. For "[kernel.kallsyms]_text", pgoff is the reference symbol's address.
 */
static void put_kernel_map(struct rewriter *w, const struct record *rec,
			   const struct record_mmap *m, const struct order_key *key)
{
	u32 machine = machine_of(w, rec, m->pid);
	bool whole = str_starts(m->filename, "[kernel.kallsyms]") ||
		     str_starts(m->filename, "[guest.kernel");
	struct order_key after = *key;
	size_t at = w->buf.len;
	u64 start;

	after.position++; /* include the record itself */
	if (whole && m->pgoff >> 63 && !map64_get(&w->aslr->kernels, machine))
		*map64_put(&w->aslr->kernels, machine, NULL) = m->pgoff;
	start = whole ? moved_image(w, machine, m->start)
		      : moved_kernel(w, machine, m->start, &after);
	if (m->start && !start)
		return; /* the place of this kernel is unknown */
	strbuf_add(&w->buf, rec->data, rec->size);
	set((u8 *)w->buf.s + at + 16, start, w);
	if (whole && m->pgoff >> 63)
		set((u8 *)w->buf.s + at + 32, moved_image(w, machine, m->pgoff), w);
	/*
	 * it extends to the end of memory, or to the first module: its length would reveal its
	 * start
	 */
	if (whole && start && m->len > KERNEL_SPAN)
		set((u8 *)w->buf.s + at + 24, ~start, w);
}

bool aslr_take_record(struct rewriter *w, const struct record *rec, const struct order_key *key)
{
	struct order_key after = *key;
	struct record_ksymbol k;
	struct record_mmap m;
	size_t at = w->buf.len;

	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (record_get_mmap(w->in, rec, &m, NULL))
			return true;
		if (is_kernel(rec->misc & PERF_RECORD_MISC_CPUMODE_MASK))
			put_kernel_map(w, rec, &m, key);
		else
			put_user_map(w, rec, &m, key);
		return true;
	case PERF_RECORD_KSYMBOL:
		if (!record_get_ksymbol(w->in, rec, &k, NULL)) {
			strbuf_add(&w->buf, rec->data, rec->size);
			if (!(k.flags & 1)) /* it exists from this record on, or up to it */
				after.position++;
			set((u8 *)w->buf.s + at + 8,
			    moved_kernel(w, machine_of(w, rec, 0), k.addr, &after), w);
		}
		return true;
	case PERF_RECORD_TEXT_POKE:
	case PERF_RECORD_CALLCHAIN_DEFERRED:
	case PERF_RECORD_AUXTRACE_INFO:
	case PERF_RECORD_AUXTRACE:
		return true;
	default:
		return false;
	}
}
