// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples that carry a piece of stack in place of a user call chain. */
#include "arch/arch.h"
#include "base/perf_abi.h"
#include "session/internal.h"
#include "unwind/unwind.h"

/* As many frames as perf unwinds; more are cut off at the root's end. */
#define MAX_FRAMES 127

static struct unwinder *unwinder_of(struct session *s)
{
	struct unwinder *u;

	pthread_mutex_lock(&s->unwinder_lock);
	if (!s->unwinder) {
		s->search = *symbol_store_search(s->symbols);
		s->search.kept = s->kept;
		s->search.kept_arg = s->kept_arg;
		s->unwinder = unwinder_new(s->images, &s->search);
		unwinder_set_styles(s->unwinder, &s->unwind);
	}
	u = s->unwinder;
	pthread_mutex_unlock(&s->unwinder_lock);
	return u;
}

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

/* What would lengthen the stack; NULL: nothing that a person could do. */
static const char *hint_for(enum unwind_end end)
{
	switch (end) {
	case UNWIND_DUMP_ENDS:
		return "record with more stack: --call-graph dwarf,32768";
	case UNWIND_NO_CFI:
		return "build it with -fasynchronous-unwind-tables, or keep it in the build-id cache";
	default:
		return NULL;
	}
}

/* A stack that does not reach its root is counted under its object and cause. */
static void note_end(struct deliver *d, const struct unwind_result *r, const struct order_key *key)
{
	static const char *const codes[UNWIND_ENDS] = {
		[UNWIND_NO_REGISTERS] = "stack-registers", [UNWIND_UNMAPPED] = "stack-unmapped",
		[UNWIND_NO_CFI] = "stack-no-cfi", [UNWIND_BAD_CFI] = "stack-bad-cfi",
		[UNWIND_DUMP_ENDS] = "stack-dump-ends", [UNWIND_NO_PROGRESS] = "stack-no-progress",
		[UNWIND_UNSUPPORTED] = "stack-unsupported",
	};
	const char *object = image_get(d->s->images, r->image)->path;

	if (codes[r->end])
		condition_add(&d->conditions, CONDITION_NOTE, codes[r->end], object, key, 1,
			      hint_for(r->end), "user stacks end early in '%s': %s", object,
			      unwind_end_text(r->end));
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

	if (!carries_stack(sample))
		return;
	r = unwind_sample(unwinder_of(d->s), &q, ips, MAX_FRAMES);
	d->counts.stats.stack_ends[r.end]++;
	note_end(d, &r, key);
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
