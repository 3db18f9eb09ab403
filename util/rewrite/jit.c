// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that was made at run time: each function of a jitdump file that a sample touches becomes an
 * ELF object, and a mapping of it in the recording before the first such sample.
 *
 * A process announces its jitdump file by mapping a page of it executable. From then on its
 * executable mappings of memory for generated code are left out, since they would hide the
 * functions that the jitdump file describes there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jit/code.h"
#include "object/locate.h"
#include "rewrite/jit.h"

static bool holds_code(const struct record_mmap *m)
{
	return !*m->filename || str_starts(m->filename, "/memfd:") ||
	       image_classify_mapping(m->filename, true, m->is_mmap2 ? m->prot : 0,
				      m->is_mmap2 ? m->flags : 0) == IMAGE_JIT;
}

static void note(struct rewriter *w, enum condition_weight weight, const char *code,
		 const char *path, struct reason *why)
{
	condition_add(&w->ctx->conditions, weight, code, path, NULL, 1, why->hint, "%s", why->text);
	reason_release(why);
}

static bool on_monotonic(const struct rewriter *w)
{
	vec_for_each(&w->in->list, it)
		if (!((*it)->attr.flags & ATTR_USE_CLOCKID) ||
		    (*it)->attr.clockid != CLOCK_MONOTONIC)
			return false;
	return true;
}

static bool settle_time(struct rewriter *w, const struct jit_pass *p, const struct jit_process *jp,
			struct reason *r)
{
	if (jitdump_in_cycles(jp->dump)) {
		if (p->clock.known)
			return true;
		reason_set(r, EINVAL,
			   "'%s' has times in cycles, and the recording does not say how long "
			   "one is",
			   jp->path);
		return false;
	}
	if (on_monotonic(w))
		return true;
	reason_set(r, EINVAL, "'%s' has times of the monotonic clock, but the recording has not",
		   jp->path);
	reason_hint(r, "record with -k mono");
	return false;
}

static u64 to_ns(const struct jit_pass *p, const struct jit_process *jp, u64 time)
{
	return jitdump_in_cycles(jp->dump) ? jit_clock_ns(&p->clock, time) : time;
}

static void add_made(struct jit_process *jp, const struct made *m)
{
	size_t i = jp->made.count;

	vec_push(&jp->made, *m);
	/* the threads of a compiler may write their entries slightly out of order */
	for (; i > jp->next && jp->made.items[i - 1].time > m->time; i--)
		jp->made.items[i] = jp->made.items[i - 1];
	jp->made.items[i] = *m;
}

/* Reads what the file holds so far. */
static void read_more(struct rewriter *w, struct jit_pass *p, struct jit_process *jp)
{
	struct reason why = REASON_INIT;
	struct jit_entry e;
	int got;

	while ((got = jitdump_next(jp->dump, &e, &why)) == 1) {
		if (e.kind == JIT_LOAD && e.size)
			*map64_put(&jp->places, e.index, NULL) = jp->place;
		if (e.kind != JIT_CLOSE && e.size)
			add_made(jp,
				 &(struct made){ to_ns(p, jp, e.time), e.addr, e.size, e.index });
		jp->place = jitdump_position(jp->dump);
	}
	if (got < 0)
		note(w, CONDITION_DAMAGE, "damaged-jitdump", jp->path, &why);
	reason_release(&why);
}

static int open_dump(struct rewriter *w, struct jit_pass *p, u32 pid, const char *path,
		     struct reason *r)
{
	struct jit_process jp = { .pid = pid };
	struct reason why = REASON_INIT, at_root = REASON_INIT;
	int err = jitdump_open(path, &jp.dump, &why);

	jp.path = xstrdup(path);
	if (err) {
		/* in a container */
		free(jp.path);
		jp.path = path_in_process((s32)pid, path);
		err = jitdump_open(jp.path, &jp.dump, &at_root);
	}
	if (!err && !w->s->force)
		err = jitdump_check_owner(jp.dump, &why);
	if (err) {
		note(w, CONDITION_WARNING, "no-jitdump", path, &why);
		err = 0;
	} else if (!settle_time(w, p, &jp, r)) {
		err = -EINVAL;
	} else {
		jp.place = jitdump_position(jp.dump);
		vec_push(&p->processes, jp);
		jp = (struct jit_process){ 0 };
		read_more(w, p, vec_last(&p->processes));
	}
	reason_release(&why);
	reason_release(&at_root);
	jitdump_close(jp.dump);
	free(jp.path);
	return err;
}

/*
 * Reports whether chains come after their samples. The code that a sample touches is unknown then,
 * so all functions are kept.
 */
static bool chains_come_later(const struct event_set *set)
{
	vec_for_each(&set->list, ev)
		if ((*ev)->attr.flags & ATTR_DEFER_CALLCHAIN)
			return true;
	return false;
}

int jit_before(struct rewriter *w, u64 time, struct reason *r)
{
	struct jit_pass *p = w->jit;
	bool all = chains_come_later(w->in);
	int err = 0;

	vec_for_each(&p->processes, jp) {
		/* the compiler of a stream may still be running */
		if (w->from_stream && jp->next == jp->made.count)
			read_more(w, p, jp);
		while (!err && jp->next < jp->made.count && jp->made.items[jp->next].time <= time) {
			const struct made *m = &jp->made.items[jp->next++];

			jit_make(jp, m);
			if (all)
				err = jit_use(w, jp, m->addr, time, r);
		}
	}
	return err;
}

static void take_task(struct rewriter *w, const struct record *rec)
{
	struct record_task t;
	struct record_comm c;

	if (rec->type == PERF_RECORD_COMM) {
		if (rec->misc & PERF_RECORD_MISC_COMM_EXEC &&
		    !record_get_comm(w->in, rec, &c, NULL))
			jit_child_gone(w->jit, c.pid);
	} else if (!record_get_task(w->in, rec, &t, NULL) && t.pid != t.ppid) {
		jit_child_add(w->jit, t.ppid, t.pid);
	}
}

int jit_take_record(struct rewriter *w, const struct record *rec, bool *drop, struct reason *r)
{
	struct jit_pass *p = w->jit;
	struct jit_process *jp;
	struct record_mmap m;

	*drop = false;
	if (rec->type == PERF_RECORD_TIME_CONV)
		jit_clock_take(&p->clock, rec->data, rec->size, w->in->swap);
	if (rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_COMM)
		take_task(w, rec);
	if ((rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    record_get_mmap(w->in, rec, &m, NULL))
		return 0;
	jp = jit_process_of(p, m.pid);
	if (jp) {
		*drop = holds_code(&m) && !m.is_data;
		return 0;
	}
	return jitdump_names(m.filename) ? open_dump(w, p, m.pid, m.filename, r) : 0;
}

void jit_end(struct rewriter *w)
{
	if (!w->jit->processes.count)
		condition_add(
			&w->ctx->conditions, CONDITION_WARNING, "no-jitdump", w->s->input, NULL, 1,
			"have the compiler write one (java: -agentpath:libperf-jvmti.so, node: "
			"--perf-prof)",
			"no process of '%s' has mapped a jitdump file", w->s->input);
}

void jit_start(struct rewriter *w)
{
	w->jit = xcalloc(1, sizeof(*w->jit));
}

void jit_release(struct rewriter *w)
{
	if (!w->jit)
		return;
	vec_for_each(&w->jit->processes, jp) {
		jitdump_close(jp->dump);
		map64_release(&jp->places);
		vec_release(&jp->made);
		vec_release(&jp->now);
		free(jp->path);
	}
	vec_for_each(&w->jit->children, c)
		map64_release(&c->used);
	vec_release(&w->jit->processes);
	vec_release(&w->jit->children);
	free(w->jit);
}
