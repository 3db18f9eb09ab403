// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the back end, and keeps what they share: the CFI of each image. */
#include "unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/trace.h"
#include "unwind/internal.h"

static const struct {
	const char *name;
	const struct unwind_backend *backend;
} styles[UNWIND_STYLES] = {
	[UNWIND_NATIVE] = { "native", &unwind_native },
	[UNWIND_LIBDW] = { "libdw", &unwind_libdw },
	[UNWIND_LIBUNWIND] = { "libunwind", &unwind_libunwind },
};

const char *unwind_style_name(enum unwind_style style)
{
	return styles[style].name;
}

/* Reports whether the style's library is installed. */
static bool unwind_style_usable(enum unwind_style style)
{
	const struct unwind_backend *b = styles[style].backend;

	return !b->usable || b->usable();
}

static int add_style(struct unwind_styles *s, const char *name, struct reason *r)
{
	for (u8 i = 0; i < UNWIND_STYLES; i++) {
		if (strcmp(name, styles[i].name))
			continue;
		if (!unwind_style_usable(i)) {
			reason_set(r, ENOSYS, "%s is not here", name);
			reason_hint(r, "apt-get install %s", styles[i].backend->package);
			return -ENOSYS;
		}
		for (u8 k = 0; k < s->count; k++)
			if (s->style[k] == i)
				return 0;
		s->style[s->count++] = i;
		return 0;
	}
	reason_set(r, EINVAL, "there is no style '%s'", name);
	reason_hint(r, "the styles are native, libdw and libunwind");
	return -EINVAL;
}

int unwind_styles_parse(struct unwind_styles *s, const char *list, struct reason *r)
{
	char *copy = xstrdup(list);
	int err = 0;

	s->count = 0;
	for (char *rest = copy, *name; !err && (name = strsep(&rest, ","));)
		err = add_style(s, name + strspn(name, " "), r);
	free(copy);
	return err;
}

void unwinder_set_styles(struct unwinder *u, const struct unwind_styles *s)
{
	u->styles = *s;
	if (s->count)
		return;
	u->styles.style[u->styles.count++] = UNWIND_NATIVE;
	if (unwind_style_usable(UNWIND_LIBDW))
		u->styles.style[u->styles.count++] = UNWIND_LIBDW;
}

struct unwinder *unwinder_new(const struct image_table *images, const struct object_search *search)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->images = images;
	u->search = search;
	pthread_mutex_init(&u->lock, NULL);
	for (size_t i = 0; i < UNWIND_STYLES; i++)
		pthread_mutex_init(&u->style_lock[i], NULL);
	unwinder_set_styles(u, &(struct unwind_styles){ 0 });
	return u;
}

static void free_image(struct image_cfi *c)
{
	if (!c)
		return;
	cfi_free(c->eh);
	cfi_free(c->frame);
	cfi_free(c->debug_frame);
	exidx_free(c->exidx);
	object_close(&c->object);
	object_close(&c->debug);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static void free_states(struct unwinder *u)
{
	for (size_t i = 0; i < UNWIND_STYLES; i++) {
		if (u->state[i])
			styles[i].backend->free(u->state[i]);
		u->state[i] = NULL;
	}
}

void unwinder_sweep(struct unwinder *u, const bool *named)
{
	u32 count = image_count(u->images);

	free_states(u);
	for (u32 i = 0; i < count && i / BLOCK_IMAGES < ARRAY_SIZE(u->blocks); i++) {
		struct image_cfi **block = u->blocks[i / BLOCK_IMAGES];

		if (!block || named[i])
			continue;
		free_image(block[i % BLOCK_IMAGES]);
		block[i % BLOCK_IMAGES] = NULL;
	}
}

u64 unwinder_bytes(const struct unwinder *u)
{
	u32 count = image_count(u->images);
	u64 bytes = 0;

	for (u32 i = 0; i < count && i / BLOCK_IMAGES < ARRAY_SIZE(u->blocks); i++) {
		struct image_cfi **block = u->blocks[i / BLOCK_IMAGES];
		const struct image_cfi *c = block ? block[i % BLOCK_IMAGES] : NULL;

		if (c)
			bytes += sizeof(*c) + cfi_bytes(c->eh) + cfi_bytes(c->frame) +
				 cfi_bytes(c->debug_frame);
	}
	return bytes;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	free_states(u);
	for (size_t i = 0; i < UNWIND_STYLES; i++)
		pthread_mutex_destroy(&u->style_lock[i]);
	for (size_t b = 0; b < ARRAY_SIZE(u->blocks); b++) {
		struct image_cfi **block = u->blocks[b];

		for (size_t i = 0; block && i < BLOCK_IMAGES; i++)
			free_image(block[i]);
		free(block);
	}
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
		[UNWIND_COPY_STOPS] = "the copy of the stack ends at a page not in memory",
		[UNWIND_BELOW_COPY] = "what leads to the caller is below the stack pointer, where "
				      "nothing is copied",
		[UNWIND_BEYOND_COPY] = "the caller is on another stack, or farther away than the "
				       "kernel copies",
		[UNWIND_NO_PROGRESS] = "a frame that does not lie above the one before",
		[UNWIND_NO_OBJECT] = "its file is not here",
		[UNWIND_NO_POINTER] = "functions that keep no frame pointer",
		[UNWIND_UNSUPPORTED] = "the unwinder does not know the architecture",
	};

	return (unsigned)end < UNWIND_ENDS ? texts[end] : "";
}

const char *unwind_end_code(enum unwind_end end)
{
	static const char *const codes[UNWIND_ENDS] = {
		[UNWIND_ROOT] = "stack-root",
		[UNWIND_LIMIT] = "stack-limit",
		[UNWIND_NO_REGISTERS] = "stack-registers",
		[UNWIND_UNMAPPED] = "stack-unmapped",
		[UNWIND_NO_CFI] = "stack-no-cfi",
		[UNWIND_BAD_CFI] = "stack-bad-cfi",
		[UNWIND_DUMP_ENDS] = "stack-dump-ends",
		[UNWIND_COPY_STOPS] = "stack-copy-stops",
		[UNWIND_BELOW_COPY] = "stack-below-copy",
		[UNWIND_BEYOND_COPY] = "stack-beyond-copy",
		[UNWIND_NO_PROGRESS] = "stack-no-progress",
		[UNWIND_NO_OBJECT] = "stack-no-object",
		[UNWIND_NO_POINTER] = "stack-no-pointer",
		[UNWIND_UNSUPPORTED] = "stack-unsupported",
	};

	return (unsigned)end < UNWIND_ENDS ? codes[end] : "";
}

/* Samples */

static struct unwind_result run_style(struct unwinder *u, enum unwind_style style,
				      const struct unwind_request *q, u64 *ips, u32 max)
{
	const struct unwind_backend *b = styles[style].backend;
	struct unwind_result r;

	if (!b->free)
		return b->sample(u, q, ips, max);
	pthread_mutex_lock(&u->style_lock[style]);
	r = b->sample(u, q, ips, max);
	pthread_mutex_unlock(&u->style_lock[style]);
	return r;
}

enum { LOWEST_CODE = 4096 }; /* nothing is mapped below it, except on request */

/*
 * Drops the word at the root. The kernel's entry has no return address: there is the count of
 * arguments, or zero.
 */
static void drop_root_word(struct unwind_result *r, const u64 *ips)
{
	if (r->end != UNWIND_UNMAPPED || r->count < 2 || ips[r->count - 1] >= LOWEST_CODE)
		return;
	r->count--;
	r->end = UNWIND_ROOT;
}

/*
 * Why the copy of the stack lacks the word.  It begins at the stack pointer and ends at the first
 * page that is not in memory, which may be one of a large buffer that was never touched.  A larger
 * piece would not hold more then.
 */
static enum unwind_end end_of_copy(const struct sample *s, s64 missed)
{
	if (missed < 0)
		return UNWIND_BELOW_COPY;
	if (missed >= UNWIND_MOST_STACK)
		return UNWIND_BEYOND_COPY;
	return s->stack_dyn_size < s->stack_size ? UNWIND_COPY_STOPS : UNWIND_DUMP_ENDS;
}

/* Reports whether another unwinder could read what this one could not. */
static bool worth_another(struct unwinder *u, const struct unwind_result *r)
{
	if (r->end == UNWIND_UNSUPPORTED || r->end == UNWIND_BAD_CFI)
		return true;
	/* (an object that is missing here is missing for every unwinder) */
	return r->end == UNWIND_NO_CFI && r->image && unwinder_image(u, r->image)->unread;
}

struct unwind_result unwind_sample(struct unwinder *u, const struct unwind_request *q, u64 *ips,
				   u32 max)
{
	struct unwind_result r = run_style(u, u->styles.style[0], q, ips, max), other;

	for (u8 i = 1; i < u->styles.count && worth_another(u, &r); i++) {
		u64 *more = xreallocarray(NULL, max, sizeof(*more));

		other = run_style(u, u->styles.style[i], q, more, max);
		if (other.count > r.count || r.end == UNWIND_UNSUPPORTED) {
			memcpy(ips, more, other.count * sizeof(*ips));
			r = other;
		}
		free(more);
	}
	drop_root_word(&r, ips);
	if (r.end == UNWIND_DUMP_ENDS)
		r.end = end_of_copy(q->sample, r.missed);
	if (r.end != UNWIND_ROOT)
		TRACE(unwind,
		      "stack of thread %u at time %" PRIu64 " ends after %u frames%s%s%s: %s",
		      q->task->tid, q->key->time, r.count, r.image ? " in '" : "",
		      r.image ? image_get(u->images, r.image)->path : "", r.image ? "'" : "",
		      unwind_end_text(r.end));
	return r;
}
