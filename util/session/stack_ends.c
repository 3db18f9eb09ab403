// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports why user stacks of a recording ended, by object, and how to lengthen them. */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/text.h"
#include "object/elf.h"
#include "session/internal.h"
#include "unwind/unwind.h"

bool session_stack_is_whole(enum unwind_end end)
{
	return end == UNWIND_ROOT || end == UNWIND_LIMIT;
}

/* Returns how many bytes of stack were copied at most, or 0 if unknown. */
static u32 dump_size(const struct session *s)
{
	u32 most = s->recorded_ends.bytes;

	vec_for_each(&s->set->list, ev)
		most = MAX(most, (*ev)->attr.sample_stack_user);
	return most;
}

static char *more_stack(const struct session *s)
{
	const char *mode = s->recorded_ends.known ? s->recorded_ends.mode : "dwarf";
	u32 now = dump_size(s);

	if (now >= UNWIND_MOST_STACK)
		return NULL;
	if (now >= UNWIND_MOST_STACK / 2)
		return xasprintf("the kernel copies %u bytes at most: --call-graph %s,%u",
				 UNWIND_MOST_STACK, mode, UNWIND_MOST_STACK);
	return xasprintf("record with more stack: --call-graph %s,%u", mode,
			 MAX(ALIGN_UP(now * 2, 8u), 16384u));
}

/* Reports whether the object is a JIT's code, which has no file. */
static bool is_jit(const struct session *s, const struct session_stack_end *e)
{
	if (e->image)
		return image_get(s->images, e->image)->kind == IMAGE_JIT;
	return image_is_jit_path(e->object);
}

char *session_stack_hint(const struct session *s, const struct session_stack_end *e)
{
	if ((e->end == UNWIND_NO_CFI || e->end == UNWIND_NO_POINTER) && is_jit(s, e))
		return xstrdup("let the JIT keep frame pointers (java -XX:+PreserveFramePointer, "
			       "node --interpreted-frames-native-stack)");
	switch (e->end) {
	case UNWIND_DUMP_ENDS:
		return more_stack(s);
	case UNWIND_COPY_STOPS:
	case UNWIND_BELOW_COPY:
	case UNWIND_BEYOND_COPY:
		return xstrdup("no size helps: record with -g if the program keeps frame pointers");
	case UNWIND_NO_CFI:
		return xstrdup("build it with -fasynchronous-unwind-tables (assembly needs .cfi "
			       "directives), or install its debug package (NAME-dbgsym)");
	case UNWIND_NO_POINTER:
		return xstrdup(
			"build it with -fno-omit-frame-pointer, or record with --call-graph dwarf");
	case UNWIND_NO_OBJECT: /* if it was missing at recording time, it is too late */
		return s->recorded_ends.known
			       ? NULL
			       : xstrdup("--symfs DIR, --debuginfod, or perf archive on the "
					 "machine of the recording");
	case UNWIND_UNMAPPED:
		return s->counts.stats.lost_events
			       ? xstrdup("maps were lost: record with larger buffers, -m 16M")
			       : NULL;
	default:
		return NULL;
	}
}

static int end_cmp(const void *pa, const void *pb)
{
	const struct session_stack_end *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return a->end != b->end ? (int)a->end - (int)b->end : strcmp(a->object, b->object);
}

/*
 * Reports whether the stacks were unwound before they were written. Files of earlier versions do
 * not mark their events (rewrite_chain_attr()), but have the section OURS if their recorder came to
 * its end.
 */
bool session_unwound_before(const struct session *s, const struct perf_event_attr *attr)
{
	return s->recorded_ends.known || attr->flags & ATTR_EXCLUDE_CALLCHAIN_USER;
}

bool session_chains_speak(const struct session *s, const struct event *ev)
{
	return (ev->attr.sample_type & PERF_SAMPLE_STACK_USER) || session_by_pointers(s, ev);
}

bool session_by_pointers(const struct session *s, const struct event *ev)
{
	return !(ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) &&
	       !session_unwound_before(s, &ev->attr);
}

bool session_lists_ends(const struct session *s, const struct event *ev)
{
	return s->recorded_ends.list.count && session_unwound_before(s, &ev->attr);
}

u64 session_chain_end(struct session *s, u32 image, u64 offset)
{
	struct unwind_result r = unwind_chain_end_at(session_unwinder(s), image, offset);

	return r.end == UNWIND_UNMAPPED ? 0 : session_end_code(r.image, r.end);
}

struct session_stack_end session_end_of_code(const struct session *s, u64 code)
{
	u32 image = (u32)(code >> 8);
	enum unwind_end end = (code & 0xff) - 1;

	return (struct session_stack_end){
		.image = image,
		.end = end,
		.object = image_get(s->images, image)->path,
		.why = unwind_end_text(end),
	};
}

bool session_chains_by_pointers(const struct session *s)
{
	vec_for_each(&s->set->list, ev)
		if ((*ev)->attr.sample_stack_user || session_unwound_before(s, &(*ev)->attr) ||
		    (*ev)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
			return false;
	return event_set_has_chains(s->set);
}

/* Returns the unwinder's number of the reason, or UNWIND_ENDS for a reason of another version. */
static enum unwind_end end_of_text(const char *why)
{
	unsigned end = 0;

	while (end < UNWIND_ENDS && strcmp(unwind_end_text(end), why))
		end++;
	return end;
}

size_t session_stack_ends(const struct session *s, struct session_stack_end **out)
{
	VEC(struct session_stack_end) list = VEC_INIT;

	for (size_t i = 0; i < s->counts.stack_ends.space; i++) {
		const struct map64_slot *slot = &s->counts.stack_ends.slots[i];

		if (slot->used)
			vec_push(&list,
				 (struct session_stack_end){
					 .image = (u32)(slot->key >> 8),
					 .end = slot->key & 0xff,
					 .count = slot->value,
					 .object =
						 image_get(s->images, (u32)(slot->key >> 8))->path,
					 .why = unwind_end_text(slot->key & 0xff) });
	}
	vec_for_each(&s->recorded_ends.list, e)
		vec_push(&list, (struct session_stack_end){ .end = end_of_text(e->why),
							    .count = e->count,
							    .object = e->object,
							    .why = e->why });
	if (list.count)
		vec_sort(&list, end_cmp);
	*out = list.items;
	return list.count;
}

static int short_cmp(const void *pa, const void *pb)
{
	const struct short_chains *a = pa, *b = pb;

	return a->count != b->count  ? (a->count > b->count ? -1 : 1)
	       : a->image < b->image ? -1
				     : a->image > b->image;
}

/*
 * Reports whether all these chains end in the first function of a program or of its loader, which
 * has no caller.
 */
static bool all_at_entry(const struct session *s, const struct short_chains *c)
{
	enum { UNNAMED_CODE = 64 };
	const struct image *img = image_get(s->images, c->image);
	const struct symbol_table *t;
	struct object_file object;
	u64 begin, end;
	bool found;
	u32 n;

	if (object_open(symbol_store_search(s->symbols), img, img->pid, &object, NULL))
		return false;
	found = elf_entry(object.elf) &&
		elf_addr_to_offset(object.elf, elf_entry(object.elf), &begin);
	object_close(&object);
	if (!found)
		return false;
	end = begin + UNNAMED_CODE;
	t = symbols_of(s->symbols, c->image);
	n = symbol_find(t, begin);
	if (n != NO_SYMBOL && symbol_get(t, n)->start == begin)
		end = symbol_end(symbol_get(t, n));
	return c->low >= begin && c->high < end;
}

static void add_cut(struct session *s, const char *object, u64 count)
{
	s->cut.count += count;
	s->cut.objects++;
	if (count > s->cut_most) {
		s->cut_most = count;
		s->cut.object = object;
	}
}

/* Notes each object in which at least one chain in ten stops after its first frame. */
static void say_short_chains(struct session *s)
{
	VEC(struct short_chains) list = VEC_INIT;

	vec_for_each(&s->counts.short_chains, c)
		if (c->count >= 10 && c->count * 10 >= s->counts.user_chains && !all_at_entry(s, c))
			vec_push(&list, *c);
	if (list.count)
		vec_sort(&list, short_cmp);
	vec_for_each(&list, c) {
		const char *object = image_get(s->images, c->image)->path;

		add_cut(s, object, c->count);
		condition_add(
			&s->ctx->conditions, CONDITION_NOTE, "chain-no-pointer", object, NULL,
			c->count,
			"record with --call-graph dwarf, or build it with -fno-omit-frame-pointer",
			"call chains end after their first frame in '%s', which keeps no frame "
			"pointer",
			object);
	}
	vec_release(&list);
}

/* Warns that none of the requested styles can unwind stacks of the recording's architecture. */
static void say_unsupported(struct session *s, u64 count)
{
	const struct arch *a = s->data ? data_arch(s->data) : arch_host();
	struct strbuf styles = STRBUF_INIT;
	const char *hint = a->unwind ? "leave --unwind-style out, or add native to it" : NULL;

	for (u8 i = 0; i < s->unwind.count; i++)
		strbuf_f(&styles, "%s%s", i ? "," : "", unwind_style_name(s->unwind.style[i]));
	condition_add(&s->ctx->conditions, CONDITION_WARNING, unwind_end_code(UNWIND_UNSUPPORTED),
		      NULL, NULL, count, hint,
		      "user stacks are missing: %s cannot unwind those of %s",
		      styles.len ? strbuf_cstr(&styles) : "perf", a->name);
	strbuf_release(&styles);
}

struct session_cut_chains session_cut_chains(const struct session *s)
{
	return s->cut;
}

static void say_end(struct session *s, const struct session_stack_end *e, bool many)
{
	char *hint = session_stack_hint(s, e);

	if (hint && many)
		add_cut(s, e->object, e->count);
	if (e->object[0])
		condition_add(&s->ctx->conditions, CONDITION_NOTE, unwind_end_code(e->end),
			      e->object, NULL, e->count, hint, "user stacks end early in '%s': %s",
			      e->object, e->why);
	else
		condition_add(&s->ctx->conditions, CONDITION_NOTE, unwind_end_code(e->end), NULL,
			      NULL, e->count, hint, "user stacks end early: %s", e->why);
	free(hint);
}

/* Adds a note for each object and cause. A cause that cuts off one stack in fifty counts as cut. */
void session_say_stacks(struct session *s, const struct session_ops *ops)
{
	struct session_stack_end *ends;
	size_t n = session_stack_ends(s, &ends);
	/* the file's counts cover all samples, and are useful only where chains are shown */
	bool recorded_ends_apply = ops->shows_chains && !ops->some_samples;
	u64 all = 0;

	s->cut = (struct session_cut_chains){ 0 };
	s->cut_most = 0;
	for (size_t i = 0; i < n; i++)
		all += ends[i].count;
	for (size_t i = 0; i < n; i++) {
		const struct session_stack_end *e = &ends[i];

		if (session_stack_is_whole(e->end) || e->end == UNWIND_NO_POINTER ||
		    (s->recorded_ends.known && !recorded_ends_apply))
			continue;
		if (e->end == UNWIND_UNSUPPORTED)
			say_unsupported(s, e->count);
		else
			say_end(s, e, e->count >= all / 50);
	}
	free(ends);
	say_short_chains(s);
}
