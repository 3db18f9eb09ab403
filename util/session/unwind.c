// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples that carry a piece of stack in place of a user call chain. */
#include <stdlib.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/perf_abi.h"
#include "object/elf.h"
#include "session/internal.h"
#include "unwind/unwind.h"

/* As many frames as perf unwinds; more are cut off at the root's end. */
#define MAX_FRAMES 127

static bool carries_stack(const struct sample *sample)
{
	const u64 both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (sample->event->attr.sample_type & both) == both && sample->user_regs &&
	       sample->stack_size && sample->stack_dyn_size;
}

static void push_u64(struct deliver *d, u64 v)
{
	vec_push(&d->chain, d->s->set->swap ? __builtin_bswap64(v) : v);
}

static void note_end(struct deliver *d, const struct unwind_result *r)
{
	d->counts.stats.stack_ends[r->end]++;
	*map64_put(&d->counts.stack_ends, (u64)r->image << 8 | r->end, NULL) += 1;
}

/*
 * The kernel's own chain of user frames: where it ends.  Markers are the numbers above
 * PERF_CONTEXT_MAX.
 */
static void judge_chain(struct deliver *d, const struct sample *sample, struct unwind_request *q)
{
	const struct unwind_result cut = { .end = UNWIND_LIMIT };
	bool user = sample->cpumode == PERF_RECORD_MISC_USER;
	struct unwind_result r;
	u64 last = 0, before = 0;

	for (u64 i = 0; i < sample->chain_count; i++) {
		u64 ip = load_u64(sample->chain + 8 * i, d->s->set->swap);

		if (ip >= PERF_CONTEXT_MAX)
			user = ip == PERF_CONTEXT_USER;
		else if (user) {
			before = last;
			last = ip;
		}
	}
	if (!last)
		return;
	r = unwind_chain_end(session_unwinder(d->s), q, last);
	/* what the frame before took for a frame pointer was none */
	if (r.end == UNWIND_UNMAPPED && before)
		r = unwind_chain_end(session_unwinder(d->s), q, before);
	/* perf_event_max_stack, less the marker */
	note_end(d, r.end != UNWIND_ROOT && sample->chain_count >= MAX_FRAMES ? &cut : &r);
}

static u64 chain_entry(const struct deliver *d, const struct sample *sample, u64 i)
{
	return load_u64(sample->chain + 8 * i, d->s->set->swap);
}

/* Chains that are short because they were asked to be, or that no frame pointer made. */
static bool short_on_purpose(const struct perf_event_attr *attr)
{
	return (attr->sample_max_stack && attr->sample_max_stack < 8) ||
	       (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

/* Where the address is in the space of the sample's task; the sample's own place is known. */
static bool place_of(const struct deliver *d, const struct sample *sample, u64 addr, const struct order_key *key,
		     struct location *at)
{
	struct history *h = d->s->history;
	const struct mapping *m;

	if (sample->cpumode == PERF_RECORD_MISC_USER && addr == sample->ip && !d->ops->no_locations) {
		*at = d->out.leaf;
		return at->mapping;
	}
	m = history_find(h, history_space(h, d->out.task, key), addr);
	if (m)
		*at = (struct location){ .mapping = m, .image = m->image, .offset = addr - m->start + m->pgoff };
	return m;
}

/*
 * A frame pointer that holds something else ends a chain at once, or leads it to where no code
 * is.  To judge each chain by its CFI (judge_chains) takes too long for every report: counted here
 * is a user part of one frame, or of two of which the second is not mapped.
 */
static void count_short(struct deliver *d, const struct sample *sample, const struct order_key *key)
{
	u64 n = sample->chain_count, frames = 1, last = chain_entry(d, sample, n - 1);
	struct location at;

	if (last >> 63 || short_on_purpose(&sample->event->attr))
		return;
	d->counts.user_chains++;
	while (frames < 3 && frames < n && chain_entry(d, sample, n - 1 - frames) < PERF_CONTEXT_MAX)
		frames++;
	if (frames > 2 || (frames < n && chain_entry(d, sample, n - 1 - frames) != PERF_CONTEXT_USER))
		return;
	if (frames == 2 && place_of(d, sample, last, key, &at))
		return;
	if (place_of(d, sample, chain_entry(d, sample, n - frames), key, &at))
		counts_add_short(&d->counts, &(struct short_chains){ at.image, 1, at.offset, at.offset });
}

void deliver_count_short(struct deliver *d, const struct sample *sample, const struct order_key *key)
{
	if (sample->chain_count && !d->ops->judge_chains && d->ops->shows_chains && !carries_stack(sample))
		count_short(d, sample, key);
}

/* A stack that may move is unwound again if it did meanwhile. */
static struct unwind_result unwind(struct deliver *d, struct sample *sample, const struct unwind_request *q, u64 *ips)
{
	struct session_loan *loan = d->lent.loan;
	const u8 *bytes = NULL;
	struct unwind_result r;

	do {
		if (unlikely(loan && d->lent.stack)) {
			bytes = __atomic_load_n(&loan->bytes, __ATOMIC_ACQUIRE);
			sample->stack = bytes + d->lent.at;
		}
		r = unwind_sample(session_unwinder(d->s), q, ips, MAX_FRAMES);
	} while (bytes && !session_loan_stayed(loan, bytes));
	return r;
}

void deliver_unwind(struct deliver *d, struct sample *sample, const struct task *task,
		    const struct order_key *key)
{
	struct unwind_request q = {
		.history = d->s->history, .set = d->s->set, .sample = sample, .task = task,
		.key = key, .arch = d->s->data ? data_arch(d->s->data) : arch_host(),
	};
	u64 ips[MAX_FRAMES];
	struct unwind_result r;

	if (!carries_stack(sample)) {
		deliver_leaf(d, sample, &q);
		if (sample->chain_count && d->ops->judge_chains)
			judge_chain(d, sample, &q);
		return;
	}
	r = unwind(d, sample, &q, ips);
	note_end(d, &r);
	if (!r.count)
		return;
	vec_clear(&d->chain);
	vec_reserve(&d->chain, sample->chain_count + 1 + r.count);
	memcpy(d->chain.items, sample->chain, sample->chain_count * sizeof(u64));
	d->chain.count = sample->chain_count;
	push_u64(d, PERF_CONTEXT_USER);
	for (u32 i = 0; i < r.count; i++)
		push_u64(d, ips[i]);
	sample->chain = (const u8 *)d->chain.items;
	sample->chain_count = d->chain.count;
	sample->chain_unwound = r.count;
}

/* How unwinding ended */

bool session_stack_is_whole(enum unwind_end end)
{
	return end == UNWIND_ROOT || end == UNWIND_LIMIT;
}

static u32 dump_size(const struct session *s)
{
	u32 most = 0;

	vec_for_each(&s->set->list, ev)
		most = MAX(most, (*ev)->attr.sample_stack_user);
	return most;
}

char *session_stack_hint(const struct session *s, enum unwind_end end, u32 image)
{
	const struct image *im = image_get(s->images, image);

	switch (end) {
	case UNWIND_DUMP_ENDS:
		return dump_size(s) >= 32768 ? xstrdup("the kernel copies 65528 bytes at most: --call-graph dwarf,65528") :
		       xasprintf("record with more stack: --call-graph dwarf,%u", MAX(dump_size(s) * 2, 16384u));
	case UNWIND_NO_CFI:
		if (im->kind == IMAGE_JIT)
			return xstrdup("let the JIT keep frame pointers (java -XX:+PreserveFramePointer, "
				       "node --interpreted-frames-native-stack)");
		return xstrdup("build it with -fasynchronous-unwind-tables, or install its debug package "
			       "(NAME-dbgsym)");
	case UNWIND_NO_POINTER:
		return xstrdup("build it with -fno-omit-frame-pointer, or record with --call-graph dwarf");
	case UNWIND_NO_OBJECT:
		return xstrdup("--symfs DIR, --debuginfod, or perf archive on the machine of the recording");
	case UNWIND_UNMAPPED:
		return s->counts.stats.lost_events ?
			       xstrdup("maps were lost: record with larger buffers, -m 16M") : NULL;
	default:
		return NULL;
	}
}

static int end_cmp(const void *pa, const void *pb)
{
	const struct session_stack_end *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->image != b->image ? (a->image < b->image ? -1 : 1) : (int)a->end - (int)b->end;
}

size_t session_stack_ends(const struct session *s, struct session_stack_end **out)
{
	VEC(struct session_stack_end) list = VEC_INIT;

	for (size_t i = 0; i < s->counts.stack_ends.space; i++) {
		const struct map64_slot *slot = &s->counts.stack_ends.slots[i];

		if (slot->used)
			vec_push(&list, (struct session_stack_end){ .image = (u32)(slot->key >> 8),
				.end = slot->key & 0xff, .count = slot->value });
	}
	if (list.count)
		vec_sort(&list, end_cmp);
	*out = list.items;
	return list.count;
}

static int short_cmp(const void *pa, const void *pb)
{
	const struct short_chains *a = pa, *b = pb;

	return a->count != b->count ? (a->count > b->count ? -1 : 1) : a->image < b->image ? -1 : a->image > b->image;
}

/* The first function of a program or of its loader has no caller. */
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
	found = elf_entry(object.elf) && elf_addr_to_offset(object.elf, elf_entry(object.elf), &begin);
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

static void add_cut(struct session *s, u32 image, u64 count)
{
	s->cut.count += count;
	s->cut.objects++;
	if (count > s->cut_most) {
		s->cut_most = count;
		s->cut.image = image;
	}
}

/* Worth a line: an object in which one chain in ten ends at once. */
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

		add_cut(s, c->image, c->count);
		condition_add(&s->ctx->conditions, CONDITION_NOTE, "chain-no-pointer", object, NULL, c->count,
			      "record with --call-graph dwarf, or build it with -fno-omit-frame-pointer",
			      "call chains end after their first frame in '%s', which keeps no frame pointer", object);
	}
	vec_release(&list);
}

/* None of the styles that were asked for can unwind stacks of the recording's architecture. */
static void say_unsupported(struct session *s, u64 count)
{
	const struct arch *a = s->data ? data_arch(s->data) : arch_host();
	struct strbuf styles = STRBUF_INIT;
	const char *hint = a->unwind ? "leave --unwind-style out, or add native to it" : NULL;

	for (u8 i = 0; i < s->unwind.count; i++)
		strbuf_f(&styles, "%s%s", i ? "," : "", unwind_style_name(s->unwind.style[i]));
	condition_add(&s->ctx->conditions, CONDITION_WARNING, unwind_end_code(UNWIND_UNSUPPORTED), NULL, NULL, count, hint,
		      "user stacks are missing: %s cannot unwind those of %s",
		      styles.len ? strbuf_cstr(&styles) : "perf", a->name);
	strbuf_release(&styles);
}

struct session_cut_chains session_cut_chains(const struct session *s)
{
	return s->cut;
}

/* A note for each object and cause; what cuts off one stack in fifty counts as cut. */
void session_say_stacks(struct session *s)
{
	struct session_stack_end *ends;
	size_t n = session_stack_ends(s, &ends);
	u64 all = 0;

	s->cut = (struct session_cut_chains){ 0 };
	s->cut_most = 0;
	for (size_t i = 0; i < n; i++)
		all += ends[i].count;
	for (size_t i = 0; i < n; i++) {
		const struct session_stack_end *e = &ends[i];
		const char *object = image_get(s->images, e->image)->path;
		char *hint;

		if (session_stack_is_whole(e->end) || e->end == UNWIND_NO_POINTER)
			continue;
		if (e->end == UNWIND_UNSUPPORTED) {
			say_unsupported(s, e->count);
			continue;
		}
		hint = session_stack_hint(s, e->end, e->image);
		if (hint && e->count * 50 >= all)
			add_cut(s, e->image, e->count);
		condition_add(&s->ctx->conditions, CONDITION_NOTE, unwind_end_code(e->end), object, NULL, e->count,
			      hint, "user stacks end early in '%s': %s", object, unwind_end_text(e->end));
		free(hint);
	}
	free(ends);
	say_short_chains(s);
}
