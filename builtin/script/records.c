// SPDX-License-Identifier: GPL-2.0-or-later
/* Records other than samples: which are shown, and their lines. */
#include <string.h>

#include "builtin/script/internal.h"
#include "dump/record_text.h"

/* Finds the task that a side-band record is about. */
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

/* Finds whose record it is, and its event; NULL if it is nobody's. */
static const struct event *owner_of(struct script *s, const struct record *rec,
				    const struct order_key *key, struct sample_id *id,
				    const char **comm)
{
	const struct event *ev = NULL;
	struct guest_place place;
	const struct task *task;
	u32 pid, tid;

	if (record_sample_id(s->set, rec, id, &ev, NULL))
		return NULL;
	if (!ev)
		ev = s->set->list.items[0];
	record_task_of(s, rec, id, &pid, &tid);
	if (!(ev->attr.flags & ATTR_SAMPLE_ID_ALL)) {
		id->pid = pid;
		id->tid = tid;
		id->cpu = 0;
	}
	if ((s32)tid < 0)
		return NULL;
	task = history_task(s->history,
			    history_guest_place(s->history, id->id, &place) ? place.machine : 0,
			    pid, tid, key);
	*comm = history_comm_text(s->history, history_comm(s->history, task, key));
	return ev;
}

static void add_shown_record(struct script *s, const struct record *rec,
			     const struct order_key *key, struct strbuf *b)
{
	struct sample_id id = { .pid = UINT32_MAX, .cpu = UINT32_MAX };
	struct line_head head = { .id = &id, .misc = rec->misc, .record_type = rec->type };
	struct strbuf text = STRBUF_INIT;
	const struct event *ev = NULL;

	if (rec->type < PERF_RECORD_USER_START && s->views.count)
		ev = owner_of(s, rec, key, &id, &head.comm);
	if (s->o->form == SCRIPT_TEXT) {
		if (ev)
			script_add_head(s, &s->views.items[ev->index], &head, b);
		record_text(s->set, rec, b);
		return;
	}
	record_text(s->set, rec, &text);
	while (text.len && text.s[text.len - 1] == '\n')
		strbuf_truncate(&text, text.len - 1);
	script_add_record_row(rec, &id, head.comm, strbuf_cstr(&text), b);
	strbuf_release(&text);
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
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		return show->deferred;
	default:
		return false;
	}
}

/* Reports whether the type is one that a file of `perf stat record` has instead of samples. */
static bool is_stat_record(u32 type)
{
	return type == PERF_RECORD_THREAD_MAP || type == PERF_RECORD_STAT_CONFIG ||
	       type == PERF_RECORD_STAT || type == PERF_RECORD_STAT_ROUND;
}

static bool record_on_cpu(struct script *s, const struct record *rec)
{
	struct sample_id id;

	if (!s->o->choice.cpus || rec->type >= PERF_RECORD_USER_START ||
	    record_sample_id(s->set, rec, &id, NULL, NULL))
		return true;
	return script_listed(s->o->choice.cpus, s->o->choice.cpu_count, id.cpu);
}

static void add_record(struct script *s, const struct record *rec, const struct order_key *key,
		       struct strbuf *b)
{
	if (s->o->dump)
		record_dump(s->session, rec, b);
	if (is_stat_record(rec->type) && s->o->form == SCRIPT_TEXT)
		script_add_stat(s, rec, b);
	if (!shown_record(&s->o->show, rec->type) || !record_on_cpu(s, rec))
		return;
	add_shown_record(s, rec, key, b);
}

int script_on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct script *s = arg;
	const struct script_consumer *c = s->o->consumer;
	int err = 0;

	if (c)
		return record_on_cpu(s, rec) ? c->record(c->arg, rec, key, r) : 0;
	if (!s->ready && shown_record(&s->o->show, rec->type))
		err = script_prepare(s, r);
	if (err)
		return err;
	add_record(s, rec, key, out_buf(s->out));
	out_done(s->out);
	return s->out->err ? -s->out->err : 0;
}

void script_want_records(const struct script_options *o, struct session_ops *ops)
{
	if (o->consumer) {
		memcpy(ops->want, o->consumer->want, sizeof(ops->want));
		return;
	}
	for (unsigned t = 1; t < 128; t++)
		if (t != PERF_RECORD_SAMPLE &&
		    (o->dump || is_stat_record(t) || shown_record(&o->show, t)))
			ops->want[t / 64] |= BIT64(t % 64);
}
