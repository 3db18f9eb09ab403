// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into call chains, threads and instructions. */
#include "builtin/c2c/side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int callers_parse(struct c2c_callers *c, const char *text, struct reason *r)
{
	struct strlist words = { 0 };
	int err = 0;

	c->wanted = true;
	strlist_split(&words, text, ", ");
	vec_for_each(&words.list, it) {
		double v = 0;
		size_t n = parse_decimal(*it, &v);

		if (!strcmp(*it, "caller") || !strcmp(*it, "callee")) {
			c->caller = !strcmp(*it, "caller");
		} else if (!strcmp(*it, "none")) {
			c->wanted = false;
		} else if (n && !(*it)[n] && v <= 100) {
			c->least = v;
		} else {
			err = reason_set(r, EINVAL, "'%s' is not a way to show callers", *it);
			reason_hint(
				r,
				"give caller, callee, none, or the least percentage that a branch "
				"must have");
			break;
		}
	}
	strlist_release(&words);
	return err;
}

static int begin_registers(struct c2c_side *s, struct reason *r)
{
	const struct event_set *set = session_events(s->session);
	bool any = false;

	vec_for_each(&set->list, ev)
		any |= call_registers_hold(*ev);
	if (any)
		s->registers = call_registers_new(set, s->callers.stitch, false);
	if (any || !s->callers.stitch)
		return 0;
	reason_set(r, EINVAL,
		   "'%s' has no call chains from branch registers, which --stitch-lbr needs",
		   data_path(session_data(s->session)));
	reason_hint(r, "record with: perf c2c record --call-graph lbr ...");
	return -EINVAL;
}

int side_begin(struct c2c_side *s, struct session *session, struct reason *r)
{
	s->session = session;
	if (s->code)
		annotate_gather_begin(&s->gather, session);
	if (!s->callers.wanted)
		return 0;
	s->chains = chains_new(session_history(session));
	return begin_registers(s, r);
}

static void add_chain(struct c2c_side *s, const struct session_sample *ss,
		      const struct c2c_entry *e)
{
	struct sample sample = *ss->sample;
	bool added;
	chain_id id;
	u64 *at;

	if (s->registers && call_registers_hold(sample.event))
		call_registers_take(s->registers, ss->task, &sample);
	if (!sample.chain_count)
		return;
	id = chain_add(s->chains, ss->task, sample.cpumode,
		       &(struct recorded_chain){ .ips = sample.chain,
						 .count = sample.chain_count,
						 .unwound = sample.chain_unwound,
						 .swap = session_events(s->session)->swap },
		       &ss->key);
	if (!id)
		return;
	at = map64_put(&s->chain_of, hash_combine((u64)(uintptr_t)e, id), &added);
	if (added) {
		*at = s->by_chain.count;
		vec_push(&s->by_chain, (struct c2c_chain){ e, id, 0 });
	}
	s->by_chain.items[*at].samples++;
}

static void add_thread(struct c2c_side *s, const struct session_sample *ss,
		       const struct c2c_added *what)
{
	bool added;
	u64 *at = map64_put(&s->thread_of, hash_combine((u64)(uintptr_t)what->line, ss->task->id),
			    &added);

	if (added) {
		*at = s->by_thread.count;
		vec_push(&s->by_thread,
			 (struct c2c_thread){
				 what->line, ss->task->pid, ss->task->tid, ss->comm, { { 0 } } });
	}
	c2c_add(&s->by_thread.items[*at].counts, what->hits);
}

void side_add(struct c2c_side *s, const struct session_sample *sample, const struct c2c_added *what)
{
	if (s->chains)
		add_chain(s, sample, what->entry);
	if (s->threads)
		add_thread(s, sample, what);
	if (s->code) {
		u32 event = sample->sample->event->index;

		annotate_gather_add(&s->gather, 0, sample);
		while (s->all.count <= event)
			vec_push_zero(&s->all);
		s->all.items[event].samples++;
		s->all.items[event].period += sample->sample->period;
	}
}

static int by_entry(const void *pa, const void *pb)
{
	const struct c2c_chain *a = pa, *b = pb;

	if (a->e != b->e)
		return a->e < b->e ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

void side_end(struct c2c_side *s, struct context *ctx)
{
	if (s->code)
		s->counts = annotate_gather_end(&s->gather);
	if (!s->chains)
		return;
	chains_name(s->chains, ctx, session_symbols(s->session), true, NULL);
	vec_sort(&s->by_chain, by_entry);
}

void side_release(struct c2c_side *s)
{
	chains_free(s->chains);
	call_registers_free(s->registers);
	vec_release(&s->by_chain);
	vec_release(&s->all);
	map64_release(&s->chain_of);
	vec_release(&s->by_thread);
	map64_release(&s->thread_of);
	if (s->code)
		annotate_gather_release(&s->gather);
}

/* ---- threads ---- */

static u64 hitms(const struct c2c_thread *t)
{
	return t->counts.of[C2C_ALL_HITM] + t->counts.of[C2C_ALL_PEER];
}

static int worst_first(const void *pa, const void *pb)
{
	const struct c2c_thread *a = *(const struct c2c_thread *const *)pa;
	const struct c2c_thread *b = *(const struct c2c_thread *const *)pb;

	if (hitms(a) != hitms(b))
		return hitms(a) > hitms(b) ? -1 : 1;
	if (a->counts.of[C2C_STORES] != b->counts.of[C2C_STORES])
		return a->counts.of[C2C_STORES] > b->counts.of[C2C_STORES] ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

void side_threads(const struct c2c_side *s, const struct c2c_line *line, struct strbuf *b)
{
	VEC(const struct c2c_thread *) list = VEC_INIT;

	vec_for_each(&s->by_thread, t)
		if (t->line == line)
			vec_push(&list, t);
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), worst_first);
	strbuf_f(b, "%8s %8s  %-16s %8s %8s %8s %8s %8s %8s\n", "pid", "tid", "command", "records",
		 "RmtHitm", "LclHitm", "peer", "loads", "stores");
	vec_for_each(&list, it) {
		const u64 *of = (*it)->counts.of;

		strbuf_f(b, "%8d %8d  ", (s32)(*it)->pid, (s32)(*it)->tid);
		strbuf_printable(b, history_comm_text(session_history(s->session), (*it)->comm));
		strbuf_pad(b, ' ',
			   16 - (int)strlen(history_comm_text(session_history(s->session),
							      (*it)->comm)));
		strbuf_f(b,
			 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
			 " %8" PRIu64 "\n",
			 c2c_all_records(&(*it)->counts), of[C2C_REMOTE_HITM], of[C2C_LOCAL_HITM],
			 of[C2C_ALL_PEER], c2c_all_loads(&(*it)->counts), of[C2C_STORES]);
	}
	vec_release(&list);
}
