// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of a ring as objects: their members are attributes. */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/bytes.h"
#include "base/strbuf.h"

/* Kinds of objects; each has its own type, as programs ask for types by name. */
/* clang-format off */
enum kind { MMAP, MMAP2, TASK, COMM, THROTTLE, LOST, READ, SAMPLE, SWITCH, STAT, STAT_ROUND, OTHER, KINDS };
/* clang-format on */

static const char *const type_names[KINDS] = {
	"perf.mmap_event", "perf.mmap2_event",      "perf.task_event",
	"perf.comm_event", "perf.throttle_event",   "perf.lost_event",
	"perf.read_event", "perf.sample_event",     "perf.context_switch_event",
	"perf.stat_event", "perf.stat_round_event", "perf.other_event",
};
static PyObject *types[KINDS];

struct event_object {
	PyObject_HEAD
	PyObject *members; /* a dict */
	PyObject *text;
	PyObject *list; /* a sample's evlist, which has what is known of its address; else NULL */
	struct places **places; /* the evlist's */
	struct place_asked place;
};

static void event_dealloc(PyObject *self)
{
	struct event_object *e = (struct event_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(e->members);
	Py_XDECREF(e->text);
	Py_XDECREF(e->list);
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

/* Returns the members of the type and the fields of tracepoints. */
static PyObject *event_dir(PyObject *self, PyObject *args)
{
	PyObject *names = PyObject_CallMethod((PyObject *)&PyBaseObject_Type, "__dir__", "O", self);
	PyObject *set = names ? PySet_New(names) : NULL, *list = NULL;
	PyObject *more = set ? PyObject_CallMethod(set, "update", "O",
						   ((struct event_object *)self)->members)
			     : NULL;

	(void)args;
	if (more)
		list = PySequence_List(set);
	Py_XDECREF(names);
	Py_XDECREF(set);
	Py_XDECREF(more);
	return list;
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

/* Puts what identifies a record, and 0 for members that only samples have. */
static bool put_id(PyObject *m, const struct sample_id *id)
{
	static const char *const of_samples[] = { "sample_ip",       "sample_addr",
						  "sample_period",   "sample_weight",
						  "sample_data_src", "sample_phys_addr" };

	for (size_t i = 0; i < ARRAY_SIZE(of_samples); i++)
		if (!put_number(m, of_samples[i], 0))
			return false;
	return put(m, "sample_pid", PyLong_FromLong((s32)id->pid)) &&
	       put(m, "sample_tid", PyLong_FromLong((s32)id->tid)) &&
	       put_number(m, "sample_time", id->time) && put_number(m, "sample_id", id->id) &&
	       put_number(m, "sample_stream_id", id->stream_id) &&
	       put_number(m, "sample_cpu", id->cpu);
}

static bool put_fields(PyObject *m, const struct sample *s,
		       const struct tracepoint_formats *formats)
{
	const struct tracepoint_format *t =
		formats && s->raw && event_is_tracepoint(s->event)
			? tracepoint_by_id(formats, (u32)s->event->attr.config)
			: NULL;

	for (u32 i = 0; t && i < t->field_count; i++) {
		const struct tracepoint_field *f = &t->fields[i];
		const char *bytes;
		u64 value;
		u32 len;
		PyObject *v;

		if (!(f->flags & (FIELD_STRING | FIELD_ARRAY | FIELD_DYNAMIC))) {
			if (!tracepoint_get_int(formats, f, s->raw, s->raw_size, &value))
				continue;
			v = f->flags & FIELD_SIGNED ? PyLong_FromLongLong((s64)value)
						    : PyLong_FromUnsignedLongLong(value);
		} else {
			bytes = tracepoint_get_bytes(formats, f, s->raw, s->raw_size, &len);
			if (!bytes)
				continue;
			v = f->flags & FIELD_STRING
				    ? PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strnlen(bytes, len),
							   "surrogateescape")
				    : PyBytes_FromStringAndSize(bytes, len);
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
		PyTuple_SetItem(t, (Py_ssize_t)i,
				PyLong_FromUnsignedLongLong(load_u64(s->chain + i * 8, false)));
	return put(m, "callchain", t);
}

/* Puts the branch stack. Without one the member is None. */
static bool put_branches(PyObject *m, const struct event_set *set, const struct sample *s)
{
	return !(s->event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) ||
	       put(m, "brstack", branch_stack_object(set, s));
}

static bool put_event(PyObject *m, const struct event *ev, PyObject *events)
{
	PyObject *e = ev && ev->index < (u32)PyList_Size(events)
			      ? PyList_GetItem(events, (Py_ssize_t)ev->index)
			      : Py_None;

	return e && put(m, "evsel", Py_NewRef(e));
}

static bool fill_sample(const struct event_set *set, const struct record *rec, PyObject *m,
			const struct tracepoint_formats *formats, PyObject *events,
			struct place_asked *place, struct reason *r)
{
	struct sample s;

	if (sample_decode(set, rec, &s, r))
		return false;
	*place = (struct place_asked){
		.pid = (s32)s.id.pid, .tid = (s32)s.id.tid, .cpumode = s.cpumode, .ip = s.ip
	};
	return put_id(m, &s.id) && put_event(m, s.event, events) &&
	       put_number(m, "sample_ip", s.ip) && put_number(m, "sample_addr", s.addr) &&
	       put_number(m, "sample_period", s.period) &&
	       put_number(m, "sample_weight", s.weight) &&
	       put_number(m, "sample_data_src", s.data_src) &&
	       put_number(m, "sample_phys_addr", s.phys_addr) &&
	       put_number(m, "sample_insn_count", 0) && put_number(m, "sample_cyc_count", 0) &&
	       put(m, "raw_buf",
		   PyBytes_FromStringAndSize((const char *)s.raw, s.raw ? s.raw_size : 0)) &&
	       put_chain(m, &s) && put_branches(m, set, &s) && put_fields(m, &s, formats);
}

/* PyUnicode_FromFormat() has no hexadecimal numbers of 64 bits before Python 3.12. */
PRINTF_LIKE(1, 2) static PyObject *printed(const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	PyObject *text;
	va_list args;

	va_start(args, fmt);
	strbuf_vf(&b, fmt, args);
	va_end(args);
	text = text_object(strbuf_cstr(&b));
	strbuf_release(&b);
	return text;
}

/* Puts what MMAP2 has beyond MMAP: the file's numbers, or its build ID. */
static bool put_mmap2(PyObject *m, const struct record_mmap *mm)
{
	bool has_id = mm->build_id_size;

	return put_number(m, "prot", mm->prot) && put_number(m, "flags", mm->flags) &&
	       put(m, "maj", has_id ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(mm->maj)) &&
	       put(m, "min", has_id ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(mm->min)) &&
	       put(m, "ino", has_id ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(mm->ino)) &&
	       put(m, "ino_generation",
		   has_id ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(mm->ino_generation)) &&
	       put(m, "build_id",
		   !has_id ? Py_NewRef(Py_None)
			   : PyBytes_FromStringAndSize((const char *)mm->build_id,
						       mm->build_id_size));
}

static bool is_long_enough(const struct record *rec, size_t size, struct reason *r)
{
	return rec->size >= size ||
	       !reason_set(r, EINVAL, "the record is too short: %u bytes instead of %zu", rec->size,
			   size);
}

/* Fills in the members of u64 id; u32 cpu, thread; u64 value, enabled, running. */
static PyObject *fill_stat(const struct record *rec, bool swap, PyObject *m, struct reason *r)
{
	enum { ID = 8, CPU = 16, THREAD = 20, VALUE = 24, ENABLED = 32, RUNNING = 40, END = 48 };
	const u8 *p = rec->data;
	unsigned long long id, value, enabled, running;

	if (!is_long_enough(rec, END, r))
		return NULL;
	id = load_u64(p + ID, swap);
	value = load_u64(p + VALUE, swap);
	enabled = load_u64(p + ENABLED, swap);
	running = load_u64(p + RUNNING, swap);
	if (!put_number(m, "id", id) || !put_number(m, "cpu", load_u32(p + CPU, swap)) ||
	    !put_number(m, "thread", load_u32(p + THREAD, swap)) || !put_number(m, "val", value) ||
	    !put_number(m, "ena", enabled) || !put_number(m, "run", running))
		return NULL;
	return PyUnicode_FromFormat(
		"{ type: stat, id: %llu, cpu: %u, thread: %u, val: %llu, ena: %llu, run: %llu }",
		id, load_u32(p + CPU, swap), load_u32(p + THREAD, swap), value, enabled, running);
}

/* Fills in the members of u64 type, time. */
static PyObject *fill_stat_round(const struct record *rec, bool swap, PyObject *m, struct reason *r)
{
	enum { TYPE = 8, TIME = 16, END = 24 };
	unsigned long long type, time;

	if (!is_long_enough(rec, END, r))
		return NULL;
	type = load_u64(rec->data + TYPE, swap);
	time = load_u64(rec->data + TIME, swap);
	if (!put_number(m, "stat_round_type", type) || !put_number(m, "time", time))
		return NULL;
	return PyUnicode_FromFormat("{ type: stat_round, type: %llu, time: %llu }", type, time);
}

/*
 * Puts the members of the record's kind and returns its text, or NULL if it is damaged (with a
 * reason) or with an exception.
 */
static PyObject *fill_kind(const struct event_set *set, const struct record *rec, enum kind kind,
			   PyObject *m, struct reason *r)
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
	case MMAP2:
		if (record_get_mmap(set, rec, &mm, r) || !put_number(m, "pid", mm.pid) ||
		    !put_number(m, "tid", mm.tid) || !put_number(m, "start", mm.start) ||
		    !put_number(m, "len", mm.len) || !put_number(m, "pgoff", mm.pgoff) ||
		    !put(m, "filename", text_object(mm.filename)) ||
		    (kind == MMAP2 && !put_mmap2(m, &mm)))
			return NULL;
		if (kind == MMAP2)
			return printed("{ type: mmap2, pid: %u, tid: %u, start: 0x%" PRIx64
				       ", length: 0x%" PRIx64 ", offset: 0x%" PRIx64
				       ", flags: 0x%x, prot: 0x%x, filename: %s }",
				       mm.pid, mm.tid, mm.start, mm.len, mm.pgoff, mm.flags,
				       mm.prot, mm.filename);
		return printed("{ type: mmap, pid: %u, tid: %u, start: 0x%" PRIx64
			       ", length: 0x%" PRIx64 ", offset: 0x%" PRIx64 ", filename: %s }",
			       mm.pid, mm.tid, mm.start, mm.len, mm.pgoff, mm.filename);
	case TASK:
		if (record_get_task(set, rec, &task, r) || !put_number(m, "pid", task.pid) ||
		    !put_number(m, "ppid", task.ppid) || !put_number(m, "tid", task.tid) ||
		    !put_number(m, "ptid", task.ptid) || !put_number(m, "time", task.time))
			return NULL;
		return PyUnicode_FromFormat(
			"{ type: %s, pid: %u, ppid: %u, tid: %u, ptid: %u, time: %llu}",
			rec->type == PERF_RECORD_FORK ? "fork" : "exit", task.pid, task.ppid,
			task.tid, task.ptid, task.time);
	case COMM:
		if (record_get_comm(set, rec, &comm, r) || !put_number(m, "pid", comm.pid) ||
		    !put_number(m, "tid", comm.tid) || !put(m, "comm", text_object(comm.comm)))
			return NULL;
		return PyUnicode_FromFormat("{ type: comm, pid: %u, tid: %u, comm: %U }", comm.pid,
					    comm.tid, PyDict_GetItemString(m, "comm"));
	case THROTTLE:
		if (record_get_throttle(set, rec, &th, r) || !put_number(m, "time", th.time) ||
		    !put_number(m, "id", th.id) || !put_number(m, "stream_id", th.stream_id))
			return NULL;
		return PyUnicode_FromFormat(
			"{ type: %sthrottle, time: %llu, id: %llu, stream_id: %llu }",
			rec->type == PERF_RECORD_THROTTLE ? "" : "un", th.time, th.id,
			th.stream_id);
	case LOST:
		if (record_get_lost(set, rec, &lost, r) || !put_number(m, "id", lost.id) ||
		    !put_number(m, "lost", lost.lost))
			return NULL;
		return printed("{ type: lost, id: 0x%" PRIx64 ", lost: 0x%" PRIx64 " }", lost.id,
			       lost.lost);
	case READ:
		if (record_get_read(set, rec, &rd, r) || !put_number(m, "pid", rd.pid) ||
		    !put_number(m, "tid", rd.tid) || !put_number(m, "value", rd.value))
			return NULL;
		return PyUnicode_FromFormat("{ type: read, pid: %u, tid: %u }", rd.pid, rd.tid);
	case SWITCH:
		if (record_get_switch(set, rec, &sw, r) ||
		    !put_number(m, "next_prev_pid", sw.cpu_wide ? sw.next_prev_pid : 0) ||
		    !put_number(m, "next_prev_tid", sw.cpu_wide ? sw.next_prev_tid : 0))
			return NULL;
		return PyUnicode_FromFormat(
			"{ type: context_switch, next_prev_pid: %u, next_prev_tid: %u, "
			"switch_out: %u }",
			sw.cpu_wide ? sw.next_prev_pid : 0, sw.cpu_wide ? sw.next_prev_tid : 0,
			sw.out);
	case STAT:
		return fill_stat(rec, set->swap, m, r);
	case STAT_ROUND:
		return fill_stat_round(rec, set->swap, m, r);
	case SAMPLE:
		return PyUnicode_FromString("{ type: sample }");
	default:
		return PyUnicode_FromFormat("{ type: %s }", record_type_name(rec->type)
								    ? record_type_name(rec->type)
								    : "unknown");
	}
}

static enum kind kind_of(u32 type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		return MMAP;
	case PERF_RECORD_MMAP2:
		return MMAP2;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return TASK;
	case PERF_RECORD_COMM:
		return COMM;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return THROTTLE;
	case PERF_RECORD_LOST:
		return LOST;
	case PERF_RECORD_READ:
		return READ;
	case PERF_RECORD_SAMPLE:
		return SAMPLE;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return SWITCH;
	case PERF_RECORD_STAT:
		return STAT;
	case PERF_RECORD_STAT_ROUND:
		return STAT_ROUND;
	default:
		return OTHER;
	}
}

/*
 * Returns the event whose value the record has, as an evsel that is not open, or None for a round.
 */
static PyObject *evsel_of_counter(const struct event_set *set, const struct record *rec)
{
	const struct event *ev = rec->type == PERF_RECORD_STAT && rec->size >= 16
					 ? event_by_id(set, load_u64(rec->data + 8, set->swap))
					 : NULL;

	return ev ? evsel_new(&ev->attr, ev->name) : Py_NewRef(Py_None);
}

PyObject *live_event_new(const struct event_set *set, const struct record *rec,
			 const struct tracepoint_formats *formats, PyObject *events, PyObject *list,
			 struct places **places)
{
	enum kind kind = kind_of(rec->type);
	struct event_object *e = PyObject_New(struct event_object, (PyTypeObject *)types[kind]);
	struct reason r = REASON_INIT;
	const struct event *ev = NULL;
	const struct sample_id none = { .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX };
	struct sample_id id;
	bool ok;

	if (!e)
		return NULL;
	e->text = NULL;
	e->list = kind == SAMPLE ? Py_NewRef(list) : NULL;
	e->places = places;
	e->members = PyDict_New();
	ok = e->members && put_number(e->members, "type", rec->type) &&
	     put_number(e->members, "misc", rec->misc);
	if (ok && kind == SAMPLE)
		ok = fill_sample(set, rec, e->members, formats, events, &e->place, &r);
	else if (ok && (kind == STAT || kind == STAT_ROUND)) /* which perf writes, not the kernel */
		ok = put_id(e->members, &none) &&
		     put(e->members, "evsel", evsel_of_counter(set, rec));
	else if (ok)
		ok = !record_sample_id(set, rec, &id, &ev, &r) && put_id(e->members, &id) &&
		     put_event(e->members, ev, events);
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

static PyObject *method_insn(PyObject *self, PyObject *args)
{
	struct event_object *e = (struct event_object *)self;

	(void)args;
	return places_instruction(places_of(e->places), &e->place);
}

static PyObject *method_srccode(PyObject *self, PyObject *args)
{
	struct event_object *e = (struct event_object *)self;
	struct place_asked place = e->place;
	unsigned long long addr = place.ip;

	if (!PyArg_ParseTuple(args, "|K:srccode", &addr))
		return NULL;
	place.ip = addr;
	return places_source(places_of(e->places), &place);
}

static PyMethodDef methods[] = {
	{ "__dir__", event_dir, METH_NOARGS, NULL },
	{ NULL },
};
static PyMethodDef methods_of_samples[] = {
	{ "__dir__", event_dir, METH_NOARGS, NULL },
	{ "insn", method_insn, METH_NOARGS,
	  "insn($self, /)\n--\n\nThe bytes of the instruction at sample_ip; None where the object "
	  "cannot be read." },
	{ "srccode", method_srccode, METH_VARARGS,
	  "srccode($self, addr=sample_ip, /)\n--\n\n(file, line, text of the line) of the source "
	  "at sample_ip, or at "
	  "another address of the process; None for what is not known, and line 0." },
	{ NULL },
};

/* Returns a member, or None if this record does not have it. */
static PyObject *get_member(PyObject *self, void *name)
{
	PyObject *v = PyDict_GetItemString(((struct event_object *)self)->members, name);

	return Py_NewRef(v ? v : Py_None);
}

/* Returns a part of the place at a sample's address. */
static PyObject *get_place(PyObject *self, void *part)
{
	struct event_object *e = (struct event_object *)self;

	return places_part(places_of(e->places), &e->place, (enum place_part)(uintptr_t)part);
}

#define PLACE(name, part, doc)                                                                     \
	{                                                                                          \
		name, get_place, NULL, doc, (void *)(part)                                         \
	}
#define MEMBER(name, doc)                                                                          \
	{                                                                                          \
		name, get_member, NULL, doc, name                                                  \
	}
#define COMMON                                                                                     \
	MEMBER("type", "the number of the kind of record: RECORD_*"),                              \
		MEMBER("misc", "the misc bits of the record"),                                     \
		MEMBER("evsel", "the event that it belongs to, or None"),                          \
		MEMBER("sample_pid", "the process that ran, -1: not recorded"),                    \
		MEMBER("sample_tid", "the thread that ran, -1: not recorded"),                     \
		MEMBER("sample_time", "ns of the clock of events"),                                \
		MEMBER("sample_id", "the kernel's number of the counter"),                         \
		MEMBER("sample_stream_id", "the number of the stream"),                            \
		MEMBER("sample_cpu", "the CPU"),                                                   \
		MEMBER("sample_ip",                                                                \
		       "the address of the instruction, 0 for records that are no samples"),       \
		MEMBER("sample_addr", "the address that was accessed, 0 when not recorded"),       \
		MEMBER("sample_period", "how many events the sample stands for"),                  \
		MEMBER("sample_weight", "how long the access took, 0 when not recorded"),          \
		MEMBER("sample_data_src", "where the data came from, 0 when not recorded"),        \
		MEMBER("sample_phys_addr", "the physical address, 0 when not recorded")
#define MAPPED                                                                                     \
	MEMBER("pid", "the process"), MEMBER("tid", "the thread"),                                 \
		MEMBER("start", "the first address of the mapping"),                               \
		MEMBER("len", "its length in bytes"),                                              \
		MEMBER("pgoff", "where in the file it begins"),                                    \
		MEMBER("filename", "the path of the file")

static PyGetSetDef of_mmap[] = { COMMON, MAPPED, { NULL } };
static PyGetSetDef of_mmap2[] = {
	MEMBER("prot", "PROT_* bits"),
	MEMBER("flags", "MAP_* bits"),
	MEMBER("maj", "the major number of the device, None where there is a build-id"),
	MEMBER("min", "the minor number of the device, None where there is a build-id"),
	MEMBER("ino", "the number of the inode, None where there is a build-id"),
	MEMBER("ino_generation", "the generation of the inode, None where there is a build-id"),
	MEMBER("build_id", "the build-id as bytes, or None"),
	{ NULL },
};
static PyGetSetDef of_task[] = {
	COMMON,
	MEMBER("pid", "the process"),
	MEMBER("ppid", "its parent"),
	MEMBER("tid", "the thread"),
	MEMBER("ptid", "the thread that started it"),
	MEMBER("time", "ns of the clock of events"),
	{ NULL },
};
static PyGetSetDef of_comm[] = {
	COMMON,
	MEMBER("pid", "the process"),
	MEMBER("tid", "the thread"),
	MEMBER("comm", "its new name"),
	{ NULL },
};
static PyGetSetDef of_throttle[] = {
	COMMON,
	MEMBER("time", "ns of the clock of events"),
	MEMBER("id", "the kernel's number of the counter"),
	MEMBER("stream_id", "the number of the stream"),
	{ NULL },
};
static PyGetSetDef of_lost[] = {
	COMMON,
	MEMBER("id", "the kernel's number of the counter"),
	MEMBER("lost", "how many records were lost"),
	{ NULL },
};
static PyGetSetDef of_read[] = {
	COMMON,
	MEMBER("pid", "the process"),
	MEMBER("tid", "the thread"),
	MEMBER("value", "the value of the counter"),
	{ NULL },
};
static PyGetSetDef of_switch[] = {
	COMMON,
	MEMBER("next_prev_pid", "the process that runs next, or ran before"),
	MEMBER("next_prev_tid", "the thread that runs next, or ran before"),
	{ NULL },
};
static PyGetSetDef of_sample[] = {
	COMMON,
	MEMBER("raw_buf", "the event's own data as bytes, b'' where there is none"),
	MEMBER("sample_insn_count",
	       "instructions since the previous sample of a trace, 0: not known"),
	MEMBER("sample_cyc_count", "cycles since the previous sample of a trace, 0: not known"),
	MEMBER("callchain", "addresses of the call chain, a tuple"),
	MEMBER("brstack",
	       "tuple of Branch(...), the newest first; None where branches are not sampled"),
	PLACE("dso", PLACE_DSO, "object that the address is in, or None"),
	PLACE("dso_long_name", PLACE_DSO_PATH, "path of that object, or None"),
	PLACE("dso_bid", PLACE_BUILD_ID, "build-id of that object in hexadecimal, or None"),
	PLACE("map_start", PLACE_MAP_START,
	      "first address of the mapping that the address is in, or None"),
	PLACE("map_end", PLACE_MAP_END, "first address after that mapping, or None"),
	PLACE("map_pgoff", PLACE_MAP_PGOFF,
	      "place in the object where that mapping begins, or None"),
	PLACE("symbol", PLACE_SYMBOL, "function that the address is in, or None"),
	PLACE("sym_start", PLACE_SYM_START,
	      "place in the object where the function begins, or None"),
	PLACE("sym_end", PLACE_SYM_END, "place in the object where the function ends, or None"),
	{ NULL },
};
static PyGetSetDef of_stat[] = {
	COMMON,
	MEMBER("id", "the number of the counter"),
	MEMBER("cpu", "the CPU, 4294967295: of no CPU"),
	MEMBER("thread",
	       "the place of the thread in the list of threads, 4294967295: of no thread"),
	MEMBER("val", "what was counted since the start"),
	MEMBER("ena", "ns for which the counter was enabled"),
	MEMBER("run", "ns for which it counted"),
	{ NULL },
};
static PyGetSetDef of_stat_round[] = {
	COMMON,
	MEMBER("stat_round_type", "0: an interval ended, 1: the run did"),
	MEMBER("time", "ns since the start"),
	{ NULL },
};
static PyGetSetDef of_others[] = { COMMON, { NULL } };

static PyGetSetDef *const members_of[KINDS] = {
	[MMAP] = of_mmap, [MMAP2] = of_mmap2,           [TASK] = of_task,
	[COMM] = of_comm, [THROTTLE] = of_throttle,     [LOST] = of_lost,
	[READ] = of_read, [SAMPLE] = of_sample,         [SWITCH] = of_switch,
	[STAT] = of_stat, [STAT_ROUND] = of_stat_round, [OTHER] = of_others,
};

static const char *const docs[KINDS] = {
	[MMAP] = "A mapping was made: MMAP, and as mmap2_event MMAP2.",
	[MMAP2] = "A mapping was made: MMAP2.",
	[TASK] = "A thread began or ended: FORK or EXIT.",
	[COMM] = "A thread got a new name: COMM.",
	[THROTTLE] = "The kernel paused or resumed an event: THROTTLE or UNTHROTTLE.",
	[LOST] = "The ring had no room for records: LOST.",
	[READ] = "The value of a counter: READ.",
	[SAMPLE] = "A sample: SAMPLE. Fields of tracepoints are attributes, too.",
	[SWITCH] = "A thread came to a CPU or left it: SWITCH or SWITCH_CPU_WIDE.",
	[STAT] = "What perf stat record read of a counter: STAT.",
	[STAT_ROUND] = "All counters were read once: STAT_ROUND.",
	[OTHER] = "A record of another kind, which its type names.",
};

int add_live_event(PyObject *module)
{
	for (int k = 0; k < KINDS; k++) {
		PyType_Slot slots[] = {
			{ Py_tp_doc, (void *)(uintptr_t)docs[k] },
			{ Py_tp_dealloc, event_dealloc },
			{ Py_tp_getattro, event_getattro },
			{ Py_tp_repr, event_repr },
			{ Py_tp_methods, k == SAMPLE ? methods_of_samples : methods },
			{ Py_tp_getset, members_of[k] },
			{ 0, NULL },
		};
		PyType_Spec spec = {
			.name = type_names[k],
			.basicsize = sizeof(struct event_object),
			.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
				 Py_TPFLAGS_IMMUTABLETYPE | (k == MMAP ? Py_TPFLAGS_BASETYPE : 0),
			.slots = slots,
		};

		types[k] = add_type(module, &spec, k == MMAP2 ? types[MMAP] : NULL);
		if (!types[k])
			return -1;
	}
	/* the name that programs for other perfs know */
	return PyModule_AddObjectRef(module, "switch_event", types[SWITCH]);
}
