// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens the CFI of each image when it is first needed, and finds what all back ends need to know
 * about a sample.
 */
#include "arch/arch.h"
#include "base/alloc.h"
#include "base/perf_abi.h"
#include "unwind/internal.h"
#include "unwind/unwind.h"

static void open_cfi(struct unwinder *u, struct image_cfi *c)
{
	if (c->image->kind != IMAGE_ELF && c->image->kind != IMAGE_VDSO &&
	    c->image->kind != IMAGE_DUMP)
		return;
	if (object_open(u->search, c->image, c->image->pid, &c->object, NULL))
		return;
	c->eh = cfi_read(c->object.elf, CFI_EH_FRAME);
	c->frame = cfi_read(c->object.elf, CFI_DEBUG_FRAME);
	c->exidx = exidx_read(c->object.elf);
	c->unread = (c->eh ? c->eh->unread : 0) + (c->frame ? c->frame->unread : 0);
}

/*
 * Returns the slot of an image. Each image has its own lock, so opening one does not block users of
 * the others.
 */
static struct image_cfi *image_slot(struct unwinder *u, u32 image)
{
	struct image_cfi **block, *c;
	u32 b;

	if (image / BLOCK_IMAGES >= ARRAY_SIZE(u->blocks))
		image = 0; /* the unknown one: it has no CFI */
	b = image / BLOCK_IMAGES;
	block = atomic_load_explicit(&u->blocks[b], memory_order_acquire);
	if (block) {
		c = __atomic_load_n(&block[image % BLOCK_IMAGES], __ATOMIC_ACQUIRE);
		if (likely(c))
			return c;
	}
	pthread_mutex_lock(&u->lock);
	block = u->blocks[b];
	if (!block)
		block = xcalloc(BLOCK_IMAGES, sizeof(*block));
	c = block[image % BLOCK_IMAGES];
	if (!c) {
		c = xcalloc(1, sizeof(*c));
		c->image = image_get(u->images, image);
		pthread_mutex_init(&c->lock, NULL);
		__atomic_store_n(&block[image % BLOCK_IMAGES], c, __ATOMIC_RELEASE);
	}
	atomic_store_explicit(&u->blocks[b], block, memory_order_release);
	pthread_mutex_unlock(&u->lock);
	return c;
}

struct image_cfi *unwinder_image(struct unwinder *u, u32 image)
{
	struct image_cfi *c = image_slot(u, image);

	if (likely(atomic_load_explicit(&c->ready, memory_order_acquire)))
		return c;
	pthread_mutex_lock(&c->lock);
	if (!atomic_load(&c->ready)) {
		open_cfi(u, c);
		atomic_store_explicit(&c->ready, true, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return c;
}

/*
 * Returns the CFI of the separate debug file, which is searched for if the object itself has none.
 */
static const struct cfi *debug_frame_of(struct unwinder *u, struct image_cfi *c)
{
	if (atomic_load_explicit(&c->debug_ready, memory_order_acquire))
		return c->debug_frame;
	struct object_search here = *u->search;

	/* do not download it for the few frames that it adds */
	here.servers = NULL;
	pthread_mutex_lock(&c->lock);
	if (!atomic_load(&c->debug_ready)) {
		if (c->object.elf &&
		    !object_open_debug(&here, c->image, &c->object, &c->debug, NULL))
			c->debug_frame = cfi_read(c->debug.elf, CFI_DEBUG_FRAME);
		c->unread += c->debug_frame ? c->debug_frame->unread : 0;
		atomic_store_explicit(&c->debug_ready, true, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return c->debug_frame;
}

struct cfi_function *image_cfi_find(struct unwinder *u, struct image_cfi *i, u64 addr,
				    struct cfi **c)
{
	struct cfi_function *f = NULL;

	if (likely(i->eh))
		f = cfi_find(*c = i->eh, addr);
	if (!f && i->frame)
		f = cfi_find(*c = i->frame, addr);
	if (!f && debug_frame_of(u, i))
		f = cfi_find(*c = i->debug_frame, addr);
	return f;
}

bool image_begins_program(const struct image_cfi *i, const struct cfi_function *f, u64 addr)
{
	enum { UNTOLD_CODE = 64 };
	u64 entry = i->object.elf ? elf_entry(i->object.elf) : 0;

	return entry && (f ? entry >= f->low && entry < f->high
			   : addr >= entry && addr < entry + UNTOLD_CODE);
}

s64 unwind_missed(const struct unwind_memory *m)
{
	return m->miss->any ? (s64)(m->miss->addr - m->start) : 0;
}

const struct arch *unwind_arch(const struct unwind_request *q)
{
	bool narrow = q->sample->user_abi == PERF_SAMPLE_REGS_ABI_32;

	return narrow && q->arch->bits == 64 ? q->arch->compat : q->arch;
}

struct unwind_memory unwind_stack(const struct unwind_request *q, const struct arch *a, u64 sp)
{
	const struct sample *s = q->sample;

	return (struct unwind_memory){
		.stack = s->stack,
		.start = sp,
		.size = s->stack ? MIN(s->stack_size, s->stack_dyn_size) : 0,
		.swap = q->set->swap,
		.word = a->bits / 8,
	};
}
