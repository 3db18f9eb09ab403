// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of a ring as objects: their members are attributes. */
#include "live.h"

#include <string.h>

#include "base/bytes.h"

/* Kinds of objects; each is a type of its own, as programs ask for types by name. */
enum kind { MMAP, TASK, COMM, THROTTLE, LOST, READ, SAMPLE, SWITCH, OTHER, KINDS };

static const char *const type_names[KINDS] = {
	"perf.mmap_event", "perf.task_event", "perf.comm_event", "perf.throttle_event", "perf.lost_event",
	"perf.read_event", "perf.sample_event", "perf.context_switch_event", "perf.other_event",
};
static PyObject *types[KINDS];

struct event_object {
	PyObject_HEAD
	PyObject *members; /* a dict */
	PyObject *text;
};

static void event_dealloc(PyObject *self)
{
	struct event_object *e = (struct event_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(e->members);
	Py_XDECREF(e->text);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *event_getattro(PyObject *self, PyObject *name)
{
	PyObject *v = PyDict_GetItemWithError(((struct event_object *)self)->members, name);

	if (v || PyErr_Occurred())
		return Py_XNewRef(v);
	return PyObject_GenericGetAttr(self, name);
}

static PyObject *event_repr(PyObject *self)
{
	return Py_NewRef(((struct event_object *)self)->text);
}

static PyObject *event_dir(PyObject *self, PyObject *args)
{
	(void)args;
	return PyDict_Keys(((struct event_object *)self)->members);
}

/* ---- members ---- */

static bool put(PyObject *members, const char *name, PyObject *v)
{
	int err = v ? PyDict_SetItemString(members, name, v) : -1;

	Py_XDECREF(v);
	return !err;
}

static bool put_number(PyObject *members, const char *name, u64 v)
{
	return put(members, name, PyLong_FromUnsignedLongLong(v));
}

static bool put_id(PyObject *m, const struct sample_id *id)
{
	return put(m, "sample_pid", PyLong_FromLong((s32)id->pid)) && put(m, "sample_tid", PyLong_FromLong((s32)id->tid)) &&
	       put_number(m, "sample_time", id->time) && put_number(m, "sample_id", id->id) &&
	       put_number(m, "sample_stream_id", id->stream_id) && put_number(m, "sample_cpu", id->cpu);
}

static bool put_fields(PyObject *m, const struct sample *s, const struct tracepoint_formats *formats)
{
	const struct tracepoint_format *t = formats && s->raw && event_is_tracepoint(s->event) ?
					    tracepoint_by_id(formats, (u32)s->event->attr.config) : NULL;

	for (u32 i = 0; t && i < t->field_count; i++) {
		const struct tracepoint_field *f = &t->fields[i];
		const char *bytes;
		u64 value;
		u32 len;
		PyObject *v;

		if (!(f->flags & (FIELD_STRING | FIELD_ARRAY | FIELD_DYNAMIC))) {
			if (!tracepoint_get_int(formats, f, s->raw, s->raw_size, &value))
				continue;
			v = f->flags & FIELD_SIGNED ? PyLong_FromLongLong((s64)value) : PyLong_FromUnsignedLongLong(value);
		} else {
			bytes = tracepoint_get_bytes(formats, f, s->raw, s->raw_size, &len);
			if (!bytes)
				continue;
			v = f->flags & FIELD_STRING ?
				    PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strnlen(bytes, len), "surrogateescape") :
				    PyBytes_FromStringAndSize(bytes, len);
		}
		if (!put(m, f->name, v))
			return false;
	}
	return true;
}

static bool put_chain(PyObject *m, const struct sample *s)
{
	PyObject *t = PyTuple_New((Py_ssize_t)s->chain_count);

	for (u64 i = 0; t && i < s->chain_count; i++)
		PyTuple_SetItem(t, (Py_ssize_t)i, PyLong_FromUnsignedLongLong(load_u64(s->chain + i * 8, false)));
	return put(m, "callchain", t);
}

static bool fill_sample(const struct event_set *set, const struct record *rec, PyObject *m,
			const struct tracepoint_formats *formats, struct reason *r)
{
	struct sample s;

	if (sample_decode(set, rec, &s, r))
		return false;
	return put_id(m, &s.id) && put_number(m, "sample_ip", s.ip) && put_number(m, "sample_addr", s.addr) &&
	       put_number(m, "sample_period", s.period) && put_number(m, "sample_weight", s.weight) &&
	       put_number(m, "sample_data_src", s.data_src) && put_number(m, "sample_phys_addr", s.phys_addr) &&
	       put(m, "raw_buf", s.raw ? PyBytes_FromStringAndSize((const char *)s.raw, s.raw_size) : Py_NewRef(Py_None)) &&
	       put(m, "evsel", text_object(s.event->name)) && put_chain(m, &s) && put_fields(m, &s, formats);
}

/* The members of the record's kind, and its text; NULL: it is damaged, or an exception. */
static PyObject *fill_kind(const struct event_set *set, const struct record *rec, enum kind kind, PyObject *m,
			   struct reason *r)
{
	struct record_mmap mm;
	struct record_task task;
	struct record_comm comm;
	struct record_throttle th;
	struct record_lost lost;
	struct record_read rd;
	struct record_switch sw;

	switch (kind) {
	case MMAP:
		if (record_get_mmap(set, rec, &mm, r) || !put_number(m, "pid", mm.pid) || !put_number(m, "tid", mm.tid) ||
		    !put_number(m, "start", mm.start) || !put_number(m, "len", mm.len) ||
		    !put_number(m, "pgoff", mm.pgoff) || !put(m, "filename", text_object(mm.filename)))
			return NULL;
		return PyUnicode_FromFormat("{ type: mmap, pid: %u, tid: %u, start: 0x%llx, length: 0x%llx, offset: 0x%llx, "
					    "filename: %U }", mm.pid, mm.tid, mm.start, mm.len, mm.pgoff,
					    PyDict_GetItemString(m, "filename"));
	case TASK:
		if (record_get_task(set, rec, &task, r) || !put_number(m, "pid", task.pid) ||
		    !put_number(m, "ppid", task.ppid) || !put_number(m, "tid", task.tid) ||
		    !put_number(m, "ptid", task.ptid) || !put_number(m, "time", task.time))
			return NULL;
		return PyUnicode_FromFormat("{ type: %s, pid: %u, ppid: %u, tid: %u, ptid: %u, time: %llu}",
					    rec->type == PERF_RECORD_FORK ? "fork" : "exit", task.pid, task.ppid, task.tid,
					    task.ptid, task.time);
	case COMM:
		if (record_get_comm(set, rec, &comm, r) || !put_number(m, "pid", comm.pid) ||
		    !put_number(m, "tid", comm.tid) || !put(m, "comm", text_object(comm.comm)))
			return NULL;
		return PyUnicode_FromFormat("{ type: comm, pid: %u, tid: %u, comm: %U }", comm.pid, comm.tid,
					    PyDict_GetItemString(m, "comm"));
	case THROTTLE:
		if (record_get_throttle(set, rec, &th, r) || !put_number(m, "time", th.time) || !put_number(m, "id", th.id) ||
		    !put_number(m, "stream_id", th.stream_id))
			return NULL;
		return PyUnicode_FromFormat("{ type: %sthrottle, time: %llu, id: %llu, stream_id: %llu }",
					    rec->type == PERF_RECORD_THROTTLE ? "" : "un", th.time, th.id, th.stream_id);
	case LOST:
		if (record_get_lost(set, rec, &lost, r) || !put_number(m, "id", lost.id) || !put_number(m, "lost", lost.lost))
			return NULL;
		return PyUnicode_FromFormat("{ type: lost, id: 0x%llx, lost: 0x%llx }", lost.id, lost.lost);
	case READ:
		if (record_get_read(set, rec, &rd, r) || !put_number(m, "pid", rd.pid) || !put_number(m, "tid", rd.tid) ||
		    !put_number(m, "value", rd.value))
			return NULL;
		return PyUnicode_FromFormat("{ type: read, pid: %u, tid: %u }", rd.pid, rd.tid);
	case SWITCH:
		if (record_get_switch(set, rec, &sw, r) || !put_number(m, "next_prev_pid", sw.cpu_wide ? sw.next_prev_pid : 0) ||
		    !put_number(m, "next_prev_tid", sw.cpu_wide ? sw.next_prev_tid : 0))
			return NULL;
		return PyUnicode_FromFormat("{ type: context_switch, next_prev_pid: %u, next_prev_tid: %u, switch_out: %u }",
					    sw.cpu_wide ? sw.next_prev_pid : 0, sw.cpu_wide ? sw.next_prev_tid : 0, sw.out);
	case SAMPLE:
		return PyUnicode_FromString("{ type: sample }");
	default:
		return PyUnicode_FromFormat("{ type: %s }", record_type_name(rec->type) ? record_type_name(rec->type) : "unknown");
	}
}

static enum kind kind_of(u32 type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return MMAP;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return TASK;
	case PERF_RECORD_COMM: return COMM;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE: return THROTTLE;
	case PERF_RECORD_LOST: return LOST;
	case PERF_RECORD_READ: return READ;
	case PERF_RECORD_SAMPLE: return SAMPLE;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return SWITCH;
	default: return OTHER;
	}
}

PyObject *live_event_new(const struct event_set *set, const struct record *rec,
			 const struct tracepoint_formats *formats)
{
	enum kind kind = kind_of(rec->type);
	struct event_object *e = PyObject_New(struct event_object, (PyTypeObject *)types[kind]);
	struct reason r = REASON_INIT;
	struct sample_id id;
	bool ok;

	if (!e)
		return NULL;
	e->text = NULL;
	e->members = PyDict_New();
	ok = e->members && put_number(e->members, "type", rec->type) && put_number(e->members, "misc", rec->misc);
	if (ok && kind == SAMPLE)
		ok = fill_sample(set, rec, e->members, formats, &r);
	else if (ok)
		ok = !record_sample_id(set, rec, &id, NULL, &r) && put_id(e->members, &id);
	e->text = ok ? fill_kind(set, rec, kind, e->members, &r) : NULL;
	if (e->text) {
		reason_release(&r);
		return (PyObject *)e;
	}
	Py_DECREF(e);
	if (!PyErr_Occurred())
		raise_reason(r.err ? -r.err : -22, &r);
	reason_release(&r);
	return NULL;
}

static PyMethodDef methods[] = {
	{ "__dir__", event_dir, METH_NOARGS, NULL },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "A record that the kernel wrote; its members are attributes, sample_* what identifies it." },
	{ Py_tp_dealloc, event_dealloc }, { Py_tp_getattro, event_getattro }, { Py_tp_repr, event_repr },
	{ Py_tp_methods, methods }, { 0, NULL },
};

int add_live_event(PyObject *module)
{
	for (int k = 0; k < KINDS; k++) {
		PyType_Spec spec = {
			.name = type_names[k], .basicsize = sizeof(struct event_object),
			.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
			.slots = slots,
		};

		types[k] = add_type(module, &spec);
		if (!types[k])
			return -1;
	}
	return 0;
}
