// SPDX-License-Identifier: GPL-2.0-or-later
/* The run: what is passed over, what is printed, in time order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/internal.h"
#include "script/record_text.h"

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool listed(const u32 *numbers, size_t count, u32 v)
{
	return !numbers || bsearch(&v, numbers, count, sizeof(v), compare_u32);
}

/* Before anything is resolved. */
static bool keep_sample(void *arg, const struct sample *sample, const struct order_key *key)
{
	struct script *s = arg;
	const struct script_options *o = s->o;

	(void)key;
	__atomic_store_n(&s->any_sample, true, __ATOMIC_RELAXED);
	return sample_choice_keep(&o->choice, sample) &&
	       listed(o->pids, o->pid_count, sample->id.pid) &&
	       listed(o->tids, o->tid_count, sample->id.tid);
}

static bool wanted_dso(struct script *s, u32 image)
{
	const struct image *im = image_get(session_images(s->session), image);

	return image && (strlist_has(&s->o->dsos, im->name) || strlist_has(&s->o->dsos, im->path) ||
			 strlist_has(&s->o->dsos, path_base(im->path)));
}

/* By comm, object, symbol. */
static bool wanted(struct script *s, const struct session_sample *ss)
{
	const struct script_options *o = s->o;
	const char *name;

	if (o->comms.list.count &&
	    !strlist_has(&o->comms, history_comm_text(s->history, ss->comm)))
		return false;
	if (o->dsos.list.count && !wanted_dso(s, ss->leaf.image))
		return false;
	if (!o->symbols.list.count)
		return true;
	name = script_symbol_name(s, &ss->leaf);
	return name && strlist_has(&o->symbols, name);
}

/*
 * A sample of a group (or with values read at its time) stands for each of the
 * counters: the period is how far it went since it was last read.
 */
static void add_read_samples(struct script *s, const struct session_sample *ss, struct strbuf *b)
{
	const struct sample *sample = ss->sample;

	for (u64 i = 0; i < sample->read_count; i++) {
		struct sample_read_value v = sample_read(s->set, sample, i);
		const struct event *ev = event_by_id(s->set, v.id);
		u64 *last, period;

		if (!ev)
			continue;
		last = map64_put(&s->read_values, v.id, NULL);
		period = v.value - *last;
		*last = v.value;
		if (!period)
			continue;
		if (s->o->dump)
			record_dump_resolved(s->session, ss, b);
		script_add_sample(s, ss, period, &s->views.items[ev->index], b);
	}
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss,
		     struct reason *r)
{
	struct script *s = arg;
	struct strbuf *b = out_buf(s->out);
	int err;

	(void)worker;
	if (unlikely(!s->ready && !s->o->consumer)) {
		err = script_prepare(s, r);
		if (err)
			return err;
	}
	if (!wanted(s, ss))
		return 0;
	s->any_shown = true;
	if (s->o->consumer)
		return s->o->consumer->sample(s->o->consumer->arg, ss, r);
	if (s->o->dump)
		record_dump(s->session, ss->record, b);
	if (ss->sample->event->attr.sample_type & PERF_SAMPLE_READ) {
		add_read_samples(s, ss, b);
	} else {
		if (s->o->dump)
			record_dump_resolved(s->session, ss, b);
		script_add_sample(s, ss, ss->sample->period,
				  &s->views.items[ss->sample->event->index], b);
	}
	out_done(s->out);
	return s->out->err ? -s->out->err : 0;
}

/* The task that a side-band record is about. */
static void record_task_of(struct script *s, const struct record *rec, struct sample_id *id,
			   u32 *pid, u32 *tid)
{
	struct record_mmap mmap;
	struct record_comm comm;
	struct record_task task;
	struct record_namespaces ns;

	*pid = id->pid;
	*tid = id->tid;
	if ((rec->type == PERF_RECORD_MMAP || rec->type == PERF_RECORD_MMAP2) &&
	    !record_get_mmap(s->set, rec, &mmap, NULL)) {
		*pid = mmap.pid;
		*tid = mmap.tid;
	} else if (rec->type == PERF_RECORD_COMM && !record_get_comm(s->set, rec, &comm, NULL)) {
		*pid = comm.pid;
		*tid = comm.tid;
	} else if ((rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT) &&
		   !record_get_task(s->set, rec, &task, NULL)) {
		*pid = task.pid;
		*tid = task.tid;
		if (!(s->set->list.items[0]->attr.flags & ATTR_SAMPLE_ID_ALL))
			id->time = task.time;
	} else if (rec->type == PERF_RECORD_NAMESPACES &&
		   !record_get_namespaces(s->set, rec, &ns, NULL)) {
		*pid = ns.pid;
		*tid = ns.tid;
	}
}

static void add_record_head(struct script *s, const struct record *rec,
			    const struct order_key *key, struct strbuf *b)
{
	struct sample_id id;
	const struct event *ev = NULL;
	struct line_head head = { .id = &id, .misc = rec->misc, .record_type = rec->type };
	struct guest_place place;
	const struct task *task;
	u32 pid, tid;

	if (record_sample_id(s->set, rec, &id, &ev, NULL))
		return;
	if (!ev)
		ev = s->set->list.items[0];
	record_task_of(s, rec, &id, &pid, &tid);
	if (!(ev->attr.flags & ATTR_SAMPLE_ID_ALL)) {
		id.pid = pid;
		id.tid = tid;
		id.cpu = 0;
	}
	if ((s32)tid < 0)
		return;
	task = history_task(s->history, history_guest_place(s->history, id.id, &place) ? place.machine : 0,
			    pid, tid, key);
	head.comm = history_comm_text(s->history, history_comm(s->history, task, key));
	script_add_head(s, &s->views.items[ev->index], &head, b);
}

static bool shown_record(const struct script_shown *show, u32 type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return show->mmap;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return show->task;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return show->switches;
	case PERF_RECORD_LOST:
		return show->lost;
	case PERF_RECORD_NAMESPACES:
		return show->namespaces;
	case PERF_RECORD_CGROUP:
		return show->cgroup;
	case PERF_RECORD_FINISHED_ROUND:
		return show->round;
	case PERF_RECORD_KSYMBOL: /* also what the kernel adds to its code out of line */
		return show->bpf || show->text_poke;
	case PERF_RECORD_BPF_EVENT:
		return show->bpf;
	case PERF_RECORD_TEXT_POKE:
		return show->text_poke;
	default:
		return false;
	}
}

/* What a file of `perf stat record` holds in place of samples. */
static bool is_stat_record(u32 type)
{
	return type == PERF_RECORD_THREAD_MAP || type == PERF_RECORD_STAT_CONFIG || type == PERF_RECORD_STAT || type == PERF_RECORD_STAT_ROUND;
}

static bool record_on_cpu(struct script *s, const struct record *rec)
{
	struct sample_id id;

	if (!s->o->choice.cpus || rec->type >= PERF_RECORD_USER_START ||
	    record_sample_id(s->set, rec, &id, NULL, NULL))
		return true;
	return listed(s->o->choice.cpus, s->o->choice.cpu_count, id.cpu);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct script *s = arg;
	struct strbuf *b = out_buf(s->out);
	int err;

	if (s->o->consumer)
		return record_on_cpu(s, rec) ? s->o->consumer->record(s->o->consumer->arg, rec, key, r) : 0;
	if (s->o->dump)
		record_dump(s->session, rec, b);
	if (is_stat_record(rec->type))
		script_add_stat(s, rec, b);
	if (!shown_record(&s->o->show, rec->type) || !record_on_cpu(s, rec)) {
		out_done(s->out);
		return s->out->err ? -s->out->err : 0;
	}
	if (!s->ready) {
		err = script_prepare(s, r);
		if (err)
			return err;
	}
	if (rec->type < PERF_RECORD_USER_START && s->views.count)
		add_record_head(s, rec, key, b);
	record_text(s->set, rec, b);
	out_done(s->out);
	return s->out->err ? -s->out->err : 0;
}

static bool kernel_function(void *arg, u64 *addr, char *name, size_t name_size, char *module,
			    size_t module_size)
{
	struct script *s = arg;
	space_version space = history_kernel_space(s->history, 0, s->now);
	const struct mapping *m = history_find(s->history, space, *addr);
	struct symbol_store *store = session_symbols(s->session);
	const struct symbol_table *t;
	const struct image *im;
	u64 offset;
	u32 n;

	if (!m)
		return false;
	im = image_get(session_images(s->session), m->image);
	t = symbols_of(store, m->image);
	offset = *addr - m->start + m->pgoff;
	n = symbol_find(t, offset);
	if (n == NO_SYMBOL)
		return false;
	*addr -= offset - symbol_get(t, n)->start;
	snprintf(name, name_size, "%s", symbol_get(t, n)->name);
	snprintf(module, module_size, "%s", im->kind == IMAGE_MODULE ? im->name : "");
	return true;
}

void script_resolve_functions(struct script *s)
{
	tracepoint_printer_resolve(s->printer, kernel_function, s);
}

static void release(struct script *s)
{
	script_lines_release(s);
	line_store_free(s->source);
	script_chains_release(s);
	script_stat_release(s);
	vec_for_each(&s->views, v)
		free(v->name);
	vec_release(&s->views);
	map64_release(&s->read_values);
	tracepoint_printer_free(s->printer);
	chains_free(s->chains);
}

/* An empty output looks like an empty file: the filters may only be misspelt. */
static void warn_nothing_passed(struct script *s)
{
	const struct script_options *o = s->o;
	bool names = o->comms.list.count || o->dsos.list.count || o->symbols.list.count;

	if (!s->any_sample || s->any_shown || (!names && !o->pids && !o->tids && !sample_choice_any(&o->choice)))
		return;
	condition_add(&session_context(s->session)->conditions, CONDITION_WARNING, "script-nothing", NULL, NULL, 1,
		      "perf report --sort comm,dso,symbol,pid,cpu shows what there is",
		      "no sample of '%s' passes the filters", data_path(session_data(s->session)));
}

static void want_records(const struct script_options *o, struct session_ops *ops)
{
	if (o->consumer) {
		memcpy(ops->want, o->consumer->want, sizeof(ops->want));
		return;
	}
	for (unsigned t = 1; t < 128; t++)
		if (t != PERF_RECORD_SAMPLE && (o->dump || is_stat_record(t) || shown_record(&o->show, t)))
			ops->want[t / 64] |= BIT64(t % 64);
}

int script_run(struct session *session, const struct script_options *o, struct out *out,
	       struct reason *r)
{
	struct session_ops ops = { .order = SESSION_ORDERED, .sample = on_sample,
				   .record = on_record, .filter = keep_sample };
	struct script s = {
		.session = session, .o = o, .fields = o->fields, .out = out,
		.history = session_history(session), .set = session_events(session),
	};
	int err = 0;

	s.chains = chains_new(s.history);
	want_records(o, &ops);
	/* a stream's events are known when its first sample comes */
	if (!data_is_pipe(session_data(session)) && !o->consumer)
		err = script_prepare(&s, r);
	ops.no_chains = o->dump || o->hide_chains;
	if (!err)
		err = session_run(session, &ops, &s, r);
	if (!err)
		warn_nothing_passed(&s);
	release(&s);
	return err;
}
