// SPDX-License-Identifier: GPL-2.0-or-later
/* One sample: a place in a batch, whose fields become objects on request. */
#include "live.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "tracepoint/tracepoint.h"

struct sample_object {
	PyObject_HEAD
	struct batch *batch;
	u32 index;
};

static PyObject *sample_type;

static const struct entry *entry_of(PyObject *self)
{
	const struct sample_object *o = (struct sample_object *)self;

	return &o->batch->entries.items[o->index];
}

static struct run *run_of(PyObject *self)
{
	return ((struct sample_object *)self)->batch->run;
}

static bool is_swapped(PyObject *self)
{
	return session_events(run_of(self)->session)->swap;
}

PyObject *sample_new(struct batch *b, u32 index)
{
	struct sample_object *o = PyObject_New(struct sample_object, (PyTypeObject *)sample_type);

	if (!o)
		return NULL;
	o->batch = batch_get(b);
	o->index = index;
	return (PyObject *)o;
}

static void sample_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	batch_put(((struct sample_object *)self)->batch);
	PyObject_Free(self);
	Py_DECREF(type);
}

/* ---- numbers: where they lie, and which bit says that they were recorded ---- */

enum number { U64, U32, U16, U8 };

static const struct number_field {
	const char *name;
	size_t at;
	enum number size;
	u64 recorded; /* any of these bits of sample_type, else it is None; 0: it is never None */
} numbers[] = {
	{ "time", offsetof(struct sample, id.time), U64, PERF_SAMPLE_TIME },
	{ "pid", offsetof(struct sample, id.pid), U32, PERF_SAMPLE_TID },
	{ "tid", offsetof(struct sample, id.tid), U32, PERF_SAMPLE_TID },
	{ "cpu", offsetof(struct sample, id.cpu), U32, PERF_SAMPLE_CPU },
	{ "id", offsetof(struct sample, id.id), U64, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER },
	{ "stream_id", offsetof(struct sample, id.stream_id), U64, PERF_SAMPLE_STREAM_ID },
	{ "period", offsetof(struct sample, period), U64, 0 },
	{ "ip", offsetof(struct sample, ip), U64, PERF_SAMPLE_IP },
	{ "addr", offsetof(struct sample, addr), U64, PERF_SAMPLE_ADDR },
	{ "phys_addr", offsetof(struct sample, phys_addr), U64, PERF_SAMPLE_PHYS_ADDR },
	{ "weight", offsetof(struct sample, weight), U64,
	  PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT },
	{ "ins_lat", offsetof(struct sample, ins_lat), U16, PERF_SAMPLE_WEIGHT_STRUCT },
	{ "retire_lat", offsetof(struct sample, p_stage_cyc), U16, PERF_SAMPLE_WEIGHT_STRUCT },
	{ "data_src", offsetof(struct sample, data_src), U64, PERF_SAMPLE_DATA_SRC },
	{ "transaction", offsetof(struct sample, transaction), U64, PERF_SAMPLE_TRANSACTION },
	{ "data_page_size", offsetof(struct sample, data_page_size), U64,
	  PERF_SAMPLE_DATA_PAGE_SIZE },
	{ "code_page_size", offsetof(struct sample, code_page_size), U64,
	  PERF_SAMPLE_CODE_PAGE_SIZE },
	{ "cpumode", offsetof(struct sample, cpumode), U8, 0 },
	{ "misc", offsetof(struct sample, misc), U16, 0 },
	/* the names of other perfs, where an absent number is 0 (pid, tid, cpu: -1) */
	{ "sample_time", offsetof(struct sample, id.time), U64, 0 },
	{ "sample_pid", offsetof(struct sample, id.pid), U32, 0 },
	{ "sample_tid", offsetof(struct sample, id.tid), U32, 0 },
	{ "sample_cpu", offsetof(struct sample, id.cpu), U32, 0 },
	{ "sample_id", offsetof(struct sample, id.id), U64, 0 },
	{ "sample_stream_id", offsetof(struct sample, id.stream_id), U64, 0 },
	{ "sample_period", offsetof(struct sample, period), U64, 0 },
	{ "sample_ip", offsetof(struct sample, ip), U64, 0 },
	{ "sample_addr", offsetof(struct sample, addr), U64, 0 },
	{ "sample_phys_addr", offsetof(struct sample, phys_addr), U64, 0 },
	{ "sample_weight", offsetof(struct sample, weight), U64, 0 },
	{ "sample_data_src", offsetof(struct sample, data_src), U64, 0 },
};

/* Returns a number, or None if it was not recorded. */
static PyObject *get_number(PyObject *self, void *arg)
{
	const struct number_field *f = arg;
	const struct sample *s = &entry_of(self)->sample;
	const u8 *at = (const u8 *)s + f->at;

	if (f->recorded && !(event_tells(s->event) & f->recorded))
		return Py_NewRef(Py_None);
	switch (f->size) {
	case U64:
		return PyLong_FromUnsignedLongLong(*(const u64 *)at);
	case U32:
		return PyLong_FromLong(*(const s32 *)at);
	case U16:
		return PyLong_FromLong(*(const u16 *)at);
	default:
		return PyLong_FromLong(*at);
	}
}

/* ---- texts and places ---- */

static PyObject *get_event(PyObject *self, void *arg)
{
	(void)arg;
	return run_event(run_of(self), entry_of(self)->sample.event);
}

static PyObject *get_comm(PyObject *self, void *arg)
{
	(void)arg;
	return run_comm(run_of(self), entry_of(self)->comm);
}

static PyObject *get_sym(PyObject *self, void *arg)
{
	const struct location *l = &entry_of(self)->leaf;

	(void)arg;
	return run_symbol(run_of(self), l->image, l->offset, NULL);
}

static PyObject *get_symoff(PyObject *self, void *arg)
{
	const struct location *l = &entry_of(self)->leaf;
	u64 offset = 0;
	PyObject *sym = run_symbol(run_of(self), l->image, l->offset, &offset);

	(void)arg;
	if (!sym || sym == Py_None)
		return sym;
	Py_DECREF(sym);
	return PyLong_FromUnsignedLongLong(offset);
}

static PyObject *get_dso(PyObject *self, void *arg)
{
	(void)arg;
	return run_dso(run_of(self), entry_of(self)->leaf.image);
}

static PyObject *get_dsoff(PyObject *self, void *arg)
{
	const struct location *l = &entry_of(self)->leaf;

	(void)arg;
	return l->image ? PyLong_FromUnsignedLongLong(l->offset) : Py_NewRef(Py_None);
}

static PyObject *get_dso_path(PyObject *self, void *arg)
{
	(void)arg;
	return run_dso_path(run_of(self), entry_of(self)->leaf.image);
}

static PyObject *get_build_id(PyObject *self, void *arg)
{
	(void)arg;
	return run_build_id(run_of(self), entry_of(self)->leaf.image);
}

/* Returns a number of the mapping that contains ip; where is the offset in struct entry. */
static PyObject *get_of_mapping(PyObject *self, void *where)
{
	const struct entry *e = entry_of(self);

	if (!e->map_end)
		return Py_NewRef(Py_None);
	return PyLong_FromUnsignedLongLong(*(const u64 *)((const u8 *)e + (uintptr_t)where));
}

static const struct symbol *symbol_of(PyObject *self)
{
	const struct location *l = &entry_of(self)->leaf;

	return run_symbol_at(run_of(self), l->image, l->offset);
}

static PyObject *get_sym_start(PyObject *self, void *arg)
{
	const struct symbol *sym = symbol_of(self);

	(void)arg;
	return sym ? PyLong_FromUnsignedLongLong(sym->start) : Py_NewRef(Py_None);
}

static PyObject *get_sym_end(PyObject *self, void *arg)
{
	const struct symbol *sym = symbol_of(self);

	(void)arg;
	return sym ? PyLong_FromUnsignedLongLong(symbol_end(sym)) : Py_NewRef(Py_None);
}

static PyObject *get_evsel(PyObject *self, void *arg)
{
	const struct event *ev = entry_of(self)->sample.event;

	(void)arg;
	return evsel_new(&ev->attr, ev->name);
}

static PyObject *method_insn(PyObject *self, PyObject *args)
{
	const struct location *l = &entry_of(self)->leaf;

	(void)args;
	return run_instruction(run_of(self), l->image, l->offset);
}

static PyObject *method_srccode(PyObject *self, PyObject *args)
{
	const struct entry *e = entry_of(self);
	struct run *run = run_of(self);
	unsigned long long addr = e->sample.ip;
	struct location at = e->leaf;

	if (!PyArg_ParseTuple(args, "|K:srccode", &addr))
		return NULL;
	if (addr != e->sample.ip)
		history_locate(session_history(run->session), e->task, e->sample.cpumode, addr,
			       &e->key, &at);
	return run_source(run, at.image, at.offset);
}

static PyObject *get_cgroup(PyObject *self, void *arg)
{
	const struct sample *s = &entry_of(self)->sample;

	(void)arg;
	if (!(s->event->attr.sample_type & PERF_SAMPLE_CGROUP))
		return Py_NewRef(Py_None);
	return text_object(history_cgroup(session_history(run_of(self)->session), s->cgroup));
}

static PyObject *get_mode(PyObject *self, void *arg)
{
	static const char *const names[] = { "unknown",    "kernel",       "user",
					     "hypervisor", "guest_kernel", "guest_user" };
	u8 mode = entry_of(self)->sample.cpumode;

	(void)arg;
	return PyUnicode_InternFromString(names[mode < ARRAY_SIZE(names) ? mode : 0]);
}

static PyObject *get_raw(PyObject *self, void *arg)
{
	const struct sample *s = &entry_of(self)->sample;

	(void)arg;
	if (!s->raw)
		return Py_NewRef(Py_None);
	return PyBytes_FromStringAndSize((const char *)s->raw, s->raw_size);
}

/* Returns the raw data as other perfs do. */
static PyObject *get_raw_buf(PyObject *self, void *arg)
{
	const struct sample *s = &entry_of(self)->sample;

	(void)arg;
	return PyBytes_FromStringAndSize((const char *)s->raw, s->raw ? s->raw_size : 0);
}

/* Returns 0, for what only decoders of instruction traces count. */
static PyObject *get_zero(PyObject *self, void *arg)
{
	(void)self, (void)arg;
	return PyLong_FromLong(0);
}

static PyObject *get_stack(PyObject *self, void *arg)
{
	const struct sample *s = &entry_of(self)->sample;

	(void)arg;
	if (!s->stack)
		return Py_NewRef(Py_None);
	return PyBytes_FromStringAndSize((const char *)s->stack,
					 (Py_ssize_t)MIN(s->stack_size, s->stack_dyn_size));
}

/* ---- what has parts ---- */

/*
 * Returns a named tuple of count new references. A NULL among them stands for an exception, and
 * then it returns NULL.
 */
static PyObject *named(PyObject *type, PyObject **items, Py_ssize_t count)
{
	PyObject *o = PyStructSequence_New((PyTypeObject *)type);

	for (Py_ssize_t i = 0; i < count; i++) {
		if (!o || !items[i]) {
			for (; i < count; i++)
				Py_XDECREF(items[i]);
			Py_XDECREF(o);
			return NULL;
		}
		PyStructSequence_SetItem(o, i, items[i]);
	}
	return o;
}

static PyObject *frame_object(struct run *run, const struct frame *f)
{
	u64 offset = 0;
	PyObject *sym = run_symbol(run, f->image, f->offset, &offset);
	PyObject *items[] = {
		PyLong_FromUnsignedLongLong(f->addr),
		sym,
		sym == Py_None ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(offset),
		run_dso(run, f->image),
		sym == Py_None ? PyUnicode_InternFromString("[unknown]") : Py_XNewRef(sym),
	};

	return named(frame_type, items, ARRAY_SIZE(items));
}

/* Returns a tuple with an object for each index, or NULL if make fails. */
static PyObject *tuple_of(size_t count, PyObject *(*make)(void *arg, size_t i), void *arg)
{
	PyObject *t = PyTuple_New((Py_ssize_t)count);

	for (size_t i = 0; t && i < count; i++) {
		PyObject *o = make(arg, i);

		if (!o)
			Py_CLEAR(t);
		else
			PyTuple_SetItem(t, (Py_ssize_t)i, o);
	}
	return t;
}

/* Works like tuple_of(), for a subclass of tuple. */
static PyObject *sequence_of(PyObject *type, size_t count, PyObject *(*make)(void *arg, size_t i),
			     void *arg)
{
	PyObject *t = tuple_of(count, make, arg);
	PyObject *o = t ? PyObject_CallFunctionObjArgs(type, t, NULL) : NULL;

	Py_XDECREF(t);
	return o;
}

struct frames {
	struct run *run;
	const frame_id *ids;
};

static PyObject *make_frame(void *arg, size_t i)
{
	const struct frames *f = arg;

	return frame_object(f->run, chain_frame(f->run->chains, f->ids[i]));
}

struct branches {
	const struct event_set *set;
	const struct sample *sample;
};

static PyObject *get_callchain(PyObject *self, void *arg)
{
	struct run *run = run_of(self);
	const struct entry *e = entry_of(self);
	const struct recorded_chain recorded = {
		.ips = e->sample.chain,
		.count = e->sample.chain_count,
		.unwound = e->sample.chain_unwound,
		.swap = is_swapped(self),
	};
	size_t count = 0;
	struct frames f = { .run = run };

	(void)arg;
	if (e->sample.chain)
		f.ids = chain_frames(run->chains, e->task, e->sample.cpumode, &recorded, &e->key,
				     &count);
	return sequence_of(callchain_type, count, make_frame, &f);
}

static PyObject *make_branch(void *arg, size_t i)
{
	const struct branches *from = arg;
	struct sample_branch b = sample_branch(from->set, from->sample, i);
	PyObject *items[] = {
		PyLong_FromUnsignedLongLong(b.from),
		PyLong_FromUnsignedLongLong(b.to),
		Py_NewRef(b.flags & 2   ? Py_True
			  : b.flags & 1 ? Py_False
					: Py_None),
		PyBool_FromLong(b.flags & 4),
		PyBool_FromLong(b.flags & 8),
		PyLong_FromUnsignedLongLong(b.flags >> 4 & 0xffff),
		PyLong_FromUnsignedLongLong(b.flags >> 20 & 15),
		PyBool_FromLong(b.flags & 1),
	};

	return named(branch_type, items, ARRAY_SIZE(items));
}

PyObject *branch_stack_object(const struct event_set *set, const struct sample *s)
{
	struct branches from = { set, s };

	return sequence_of(branch_stack_type, (size_t)s->branch_count, make_branch, &from);
}

static PyObject *get_brstack(PyObject *self, void *arg)
{
	(void)arg;
	return branch_stack_object(session_events(run_of(self)->session), &entry_of(self)->sample);
}

static PyObject *registers(PyObject *self, const u8 *regs, u64 mask)
{
	const struct run *run = run_of(self);
	const struct arch *arch =
		run->watched ? arch_host() : data_arch(session_data(run->session));
	PyObject *d = regs ? PyDict_New() : Py_NewRef(Py_None);
	unsigned at = 0;

	for (unsigned reg = 0; d && regs && reg < 64; reg++) {
		const char *name = arch_reg_name(arch, reg);
		char number[8];
		PyObject *v;

		if (!(mask >> reg & 1))
			continue;
		PyOS_snprintf(number, sizeof(number), "r%u", reg);
		v = PyLong_FromUnsignedLongLong(load_u64(regs + 8 * at++, is_swapped(self)));
		if (!v || PyDict_SetItemString(d, name ? name : number, v) < 0)
			Py_CLEAR(d);
		Py_XDECREF(v);
	}
	return d;
}

static PyObject *get_uregs(PyObject *self, void *arg)
{
	const struct sample *s = &entry_of(self)->sample;

	(void)arg;
	return registers(self, s->user_regs, s->event->attr.sample_regs_user);
}

static PyObject *get_iregs(PyObject *self, void *arg)
{
	const struct sample *s = &entry_of(self)->sample;

	(void)arg;
	return registers(self, s->intr_regs, s->event->attr.sample_regs_intr);
}

static PyObject *make_value(void *arg, size_t i)
{
	PyObject *self = arg;
	struct sample_read_value v =
		sample_read(session_events(run_of(self)->session), &entry_of(self)->sample, i);

	return Py_BuildValue("(KKK)", v.id, v.value, v.lost);
}

static PyObject *get_values(PyObject *self, void *arg)
{
	(void)arg;
	return tuple_of((size_t)entry_of(self)->sample.read_count, make_value, self);
}

/* ---- fields of tracepoints ---- */

static const struct tracepoint_format *format_of(PyObject *self,
						 const struct tracepoint_formats **formats)
{
	const struct event *ev = entry_of(self)->sample.event;

	*formats = run_formats(run_of(self));
	if (!event_is_tracepoint(ev) || !entry_of(self)->sample.raw || !*formats)
		return NULL;
	return ev->format ? ev->format : tracepoint_by_id(*formats, (u32)ev->attr.config);
}

/*
 * Returns a new reference to the value of a field, or to None if it is outside of the sample's
 * data.
 */
static PyObject *field_object(PyObject *self, const struct tracepoint_formats *formats,
			      const struct tracepoint_field *f)
{
	const struct sample *s = &entry_of(self)->sample;
	const char *bytes;
	u64 value;
	u32 len;

	if (!(f->flags & (FIELD_STRING | FIELD_ARRAY | FIELD_DYNAMIC))) {
		if (!tracepoint_get_int(formats, f, s->raw, s->raw_size, &value))
			return Py_NewRef(Py_None);
		return f->flags & FIELD_SIGNED ? PyLong_FromLongLong((s64)value)
					       : PyLong_FromUnsignedLongLong(value);
	}
	bytes = tracepoint_get_bytes(formats, f, s->raw, s->raw_size, &len);
	if (!bytes)
		return Py_NewRef(Py_None);
	if (f->flags & FIELD_STRING)
		return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strnlen(bytes, len),
					    "surrogateescape");
	return PyBytes_FromStringAndSize(bytes, len);
}

static PyObject *get_fields(PyObject *self, void *arg)
{
	const struct tracepoint_formats *formats;
	const struct tracepoint_format *t = format_of(self, &formats);
	PyObject *d = PyDict_New();

	(void)arg;
	for (u32 i = 0; d && t && i < t->field_count; i++) {
		PyObject *v;

		if (t->fields[i].flags & FIELD_COMMON)
			continue;
		v = field_object(self, formats, &t->fields[i]);
		if (!v || PyDict_SetItemString(d, t->fields[i].name, v) < 0)
			Py_CLEAR(d);
		Py_XDECREF(v);
	}
	return d;
}

/* Returns the tracepoint's field of this name, which hides the kind of record. */
static PyObject *get_type(PyObject *self, void *arg)
{
	const struct tracepoint_formats *formats;
	const struct tracepoint_format *t = format_of(self, &formats);
	const struct tracepoint_field *f = t ? tracepoint_field(t, "type") : NULL;

	(void)arg;
	return f ? field_object(self, formats, f) : PyLong_FromLong(PERF_RECORD_SAMPLE);
}

/* Returns the field of this name, or NULL with the exception missing when there is none. */
static PyObject *named_field(PyObject *self, PyObject *name, PyObject *missing)
{
	const struct tracepoint_formats *formats;
	const struct tracepoint_format *t = format_of(self, &formats);
	const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
	const struct tracepoint_field *f;

	if (!text)
		return NULL;
	f = t ? tracepoint_field(t, text) : NULL;
	if (f)
		return field_object(self, formats, f);
	PyErr_Format(missing, "samples of '%s' have no field '%U'",
		     entry_of(self)->sample.event->name, name);
	return NULL;
}

static PyObject *sample_subscript(PyObject *self, PyObject *name)
{
	if (!PyUnicode_Check(name)) {
		PyErr_SetString(PyExc_TypeError, "the name of a field of a tracepoint is a str");
		return NULL;
	}
	return named_field(self, name, PyExc_KeyError);
}

static PyObject *sample_getattro(PyObject *self, PyObject *name)
{
	PyObject *o = PyObject_GenericGetAttr(self, name);

	if (o || !PyErr_ExceptionMatches(PyExc_AttributeError) || !PyUnicode_Check(name))
		return o;
	PyErr_Clear();
	return named_field(self, name, PyExc_AttributeError);
}

static PyObject *get_trace(PyObject *self, void *arg)
{
	const struct tracepoint_formats *formats;
	const struct tracepoint_format *t = format_of(self, &formats);
	const struct sample *s = &entry_of(self)->sample;
	struct run *run = run_of(self);
	struct strbuf text = STRBUF_INIT;
	PyObject *o;

	(void)arg;
	if (!t)
		return Py_NewRef(Py_None);
	if (!run->printer)
		run->printer = tracepoint_printer_new(formats);
	tracepoint_print(run->printer, t, s->raw, s->raw_size, s->id.cpu, &text);
	o = text_object(strbuf_cstr(&text));
	strbuf_release(&text);
	return o;
}

static PyObject *sample_repr(PyObject *self)
{
	const struct sample *s = &entry_of(self)->sample;
	PyObject *comm = get_comm(self, NULL), *text;

	if (!comm)
		return NULL;
	text = PyUnicode_FromFormat("<perf.Sample %s of %R, tid %d, at %llu ns>", s->event->name,
				    comm, (int)s->id.tid, (unsigned long long)s->id.time);
	Py_DECREF(comm);
	return text;
}

/* ---- the type ---- */

static PyGetSetDef texts[] = {
	{ "event", get_event, NULL, "name of the event", NULL },
	{ "comm", get_comm, NULL, "name of the thread at that time", NULL },
	{ "sym", get_sym, NULL, "function that ip is in, or None", NULL },
	{ "symoff", get_symoff, NULL, "how far ip is from its start, or None", NULL },
	{ "dso", get_dso, NULL, "object that ip is in, or None", NULL },
	{ "dsoff", get_dsoff, NULL, "place of ip in the object, or None", NULL },
	{ "mode", get_mode, NULL,
	  "'kernel', 'user', 'hypervisor', 'guest_kernel', 'guest_user' or 'unknown'", NULL },
	{ "cgroup", get_cgroup, NULL, "path of the cgroup, or None", NULL },
	{ "raw", get_raw, NULL, "the event's own data as bytes, or None", NULL },
	{ "stack", get_stack, NULL, "copy of the user stack as bytes, or None", NULL },
	{ "callchain", get_callchain, NULL,
	  "tuple of Frame(ip, sym, symoff, dso), the sampled place first", NULL },
	{ "brstack", get_brstack, NULL, "tuple of Branch(...), the newest first", NULL },
	{ "uregs", get_uregs, NULL, "registers of the program by name, or None", NULL },
	{ "iregs", get_iregs, NULL, "registers at the interrupt by name, or None", NULL },
	{ "values", get_values, NULL,
	  "tuple of (id, value, lost) of the counters read with the sample", NULL },
	{ "fields", get_fields, NULL, "fields of a tracepoint by name", NULL },
	{ "trace", get_trace, NULL, "text of a tracepoint, or None", NULL },
	{ "dso_long_name", get_dso_path, NULL, "path of the object that ip is in, or None", NULL },
	{ "dso_bid", get_build_id, NULL, "build-id of that object in hexadecimal, or None", NULL },
	{ "map_start", get_of_mapping, NULL, "first address of the mapping that ip is in, or None",
	  (void *)offsetof(struct entry, map_start) },
	{ "map_end", get_of_mapping, NULL, "first address after that mapping, or None",
	  (void *)offsetof(struct entry, map_end) },
	{ "map_pgoff", get_of_mapping, NULL,
	  "place in the object where that mapping begins, or None",
	  (void *)offsetof(struct entry, map_pgoff) },
	{ "sym_start", get_sym_start, NULL,
	  "place in the object where the function begins, or None", NULL },
	{ "sym_end", get_sym_end, NULL, "place in the object where the function ends, or None",
	  NULL },
	{ "evsel", get_evsel, NULL, "the event, as an evsel that is not open", NULL },
	/* the names of other perfs */
	{ "symbol", get_sym, NULL, "function that ip is in, or None", NULL },
	{ "raw_buf", get_raw_buf, NULL, "the event's own data as bytes, b'' where there is none",
	  NULL },
	{ "type", get_type, NULL, "RECORD_SAMPLE, or the field of that name of a tracepoint",
	  NULL },
	{ "sample_insn_count", get_zero, NULL,
	  "instructions since the previous sample of a trace, 0: not known", NULL },
	{ "sample_cyc_count", get_zero, NULL,
	  "cycles since the previous sample of a trace, 0: not known", NULL },
};

static PyMethodDef methods[] = {
	{ "insn", method_insn, METH_NOARGS,
	  "insn($self, /)\n--\n\nThe bytes of the instruction at ip; None where the object cannot "
	  "be read." },
	{ "srccode", method_srccode, METH_VARARGS,
	  "srccode($self, addr=ip, /)\n--\n\n(file, line, text of the line) of the source at ip, "
	  "or at another address of the "
	  "same process; (None, 0, None) where it is not known, and no text where the file cannot "
	  "be read." },
	{ NULL },
};

/* The two tables as one, which the type keeps. */
static PyGetSetDef getters[ARRAY_SIZE(texts) + ARRAY_SIZE(numbers) + 1];

static void fill_getters(void)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		getters[n++] = texts[i];
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		getters[n++] = (PyGetSetDef){ numbers[i].name, get_number, NULL,
					      numbers[i].recorded ? "a number; None: not recorded"
								  : "a number",
					      (void *)&numbers[i] };
}

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "A sample of a recording. What was not recorded is None. Fields of tracepoints are "
	  "attributes and items: s.prev_comm, s['prev_comm']." },
	{ Py_tp_dealloc, sample_dealloc },
	{ Py_tp_getset, getters },
	{ Py_tp_methods, methods },
	{ Py_tp_getattro, sample_getattro },
	{ Py_tp_repr, sample_repr },
	{ Py_mp_subscript, sample_subscript },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "perf.Sample",
	.basicsize = sizeof(struct sample_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

int add_sample(PyObject *module)
{
	fill_getters();
	sample_type = add_type(module, &spec, NULL);
	return sample_type ? 0 : -1;
}
