// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu_map and thread_map: where events are opened. */
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "live/live.h"
#include "sys/topology.h"

PyObject *cpu_map_type, *thread_map_type;

static void map_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	free(((struct map_object *)self)->numbers);
	PyObject_Free(self);
	Py_DECREF(type);
}

static Py_ssize_t map_length(PyObject *self)
{
	return ((struct map_object *)self)->count;
}

static PyObject *map_item(PyObject *self, Py_ssize_t i)
{
	const struct map_object *m = (struct map_object *)self;

	if (i < 0 || i >= m->count) {
		PyErr_SetString(PyExc_IndexError, "the map has no such place");
		return NULL;
	}
	return PyLong_FromLong(m->numbers[i]);
}

static PyObject *map_repr(PyObject *self)
{
	PyObject *list = PySequence_List(self), *text = list ? PyObject_Repr(list) : NULL;

	Py_XDECREF(list);
	return text;
}

static struct map_object *map_new(PyObject *type, Py_ssize_t count)
{
	struct map_object *m = PyObject_New(struct map_object, (PyTypeObject *)type);

	if (!m)
		return NULL;
	m->numbers = xcalloc((size_t)count + 1, sizeof(*m->numbers));
	m->count = count;
	return m;
}

static PyObject *cpu_map_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "cpustr", NULL };
	const char *text = NULL;
	struct reason r = REASON_INIT;
	struct map_object *m;
	u32 *cpus = NULL;
	size_t count = 0;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z:cpu_map", names, &text))
		return NULL;
	if (!text) {
		err = sys_cpus(&this_host, "online", &cpus, &count, &r);
		if (err)
			return raise_reason(err, &r);
	} else if (parse_cpu_list(text, 1u << 20, &cpus, &count)) {
		PyErr_Format(PyExc_ValueError, "'%s' is not a list of CPUs (such as 0-3,7)", text);
		return NULL;
	}
	m = map_new((PyObject *)type, (Py_ssize_t)count);
	for (size_t i = 0; m && i < count; i++)
		m->numbers[i] = (s32)cpus[i];
	free(cpus);
	return (PyObject *)m;
}

/* Adds the threads of a process, one thread, or all of a user; none if all three are -1. */
static int find_threads(int pid, int tid, int uid, struct target *t, struct reason *r)
{
	char text[16];

	PyOS_snprintf(text, sizeof(text), "%d", pid != -1 ? pid : tid != -1 ? tid : uid);
	if (pid != -1)
		return target_add_pids(t, text, r);
	if (tid != -1)
		return target_add_tids(t, text, r);
	return uid != -1 ? target_add_user(t, text, r) : 0;
}

static PyObject *thread_map_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "pid", "tid", "uid", NULL };
	int pid = -1, tid = -1, uid = -1, err;
	struct target t = { 0 };
	struct reason r = REASON_INIT;
	struct map_object *m = NULL;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|iii:thread_map", names, &pid, &tid, &uid))
		return NULL;
	err = find_threads(pid, tid, uid, &t, &r);
	if (err) {
		raise_reason(err, &r);
	} else {
		m = map_new((PyObject *)type, t.tid_count ? (Py_ssize_t)t.tid_count : 1);
		if (m)
			m->numbers[0] = -1;
		for (size_t i = 0; m && i < t.tid_count; i++)
			m->numbers[i] = t.tids[i];
	}
	target_release(&t);
	return (PyObject *)m;
}

struct map_object *map_of(PyObject *o, PyObject *type)
{
	if (!o || o == Py_None)
		return (struct map_object *)PyObject_CallNoArgs(type);
	if (PyObject_IsInstance(o, type) == 1)
		return (struct map_object *)Py_NewRef(o);
	PyErr_Format(PyExc_TypeError, "a perf.%s is needed",
		     type == cpu_map_type ? "cpu_map" : "thread_map");
	return NULL;
}

struct map_object *cpu_map_of_list(const u32 *cpus, size_t count)
{
	struct map_object *m = map_new(cpu_map_type, (Py_ssize_t)count);

	for (size_t i = 0; m && i < count; i++)
		m->numbers[i] = (s32)cpus[i];
	return m;
}

bool map_holds(const struct map_object *m, s32 number)
{
	for (Py_ssize_t i = 0; i < m->count; i++)
		if (m->numbers[i] == number)
			return true;
	return false;
}

struct map_object *map_common(const struct map_object *m, const struct map_object *with)
{
	struct map_object *common;
	Py_ssize_t count = 0;

	if (!with)
		return (struct map_object *)Py_NewRef((PyObject *)m);
	common = map_new(cpu_map_type, m->count);
	for (Py_ssize_t i = 0; common && i < m->count; i++)
		if (map_holds(with, m->numbers[i]))
			common->numbers[count++] = m->numbers[i];
	if (common)
		common->count = count;
	return common;
}

static PyType_Slot cpu_slots[] = {
	{ Py_tp_doc,
	  "cpu_map(cpustr=None)\n--\n\nCPUs by number: those of a list such as '0-3,7', or all "
	  "that are online." },
	{ Py_tp_new, cpu_map_new },
	{ Py_tp_dealloc, map_dealloc },
	{ Py_tp_repr, map_repr },
	{ Py_sq_length, map_length },
	{ Py_sq_item, map_item },
	{ 0, NULL },
};

static PyType_Slot thread_slots[] = {
	{ Py_tp_doc,
	  "thread_map(pid=-1, tid=-1, uid=-1)\n--\n\nThe threads of a process, one thread, those "
	  "of a user; "
	  "without any: -1, which stands for every thread." },
	{ Py_tp_new, thread_map_new },
	{ Py_tp_dealloc, map_dealloc },
	{ Py_tp_repr, map_repr },
	{ Py_sq_length, map_length },
	{ Py_sq_item, map_item },
	{ 0, NULL },
};

static PyType_Spec cpu_spec = {
	.name = "perf.cpu_map",
	.basicsize = sizeof(struct map_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = cpu_slots,
};
static PyType_Spec thread_spec = {
	.name = "perf.thread_map",
	.basicsize = sizeof(struct map_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = thread_slots,
};

int add_maps(PyObject *module)
{
	cpu_map_type = add_type(module, &cpu_spec, NULL);
	thread_map_type = add_type(module, &thread_spec, NULL);
	return cpu_map_type && thread_map_type ? 0 : -1;
}
