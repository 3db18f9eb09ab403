// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counts_values: what a counter read. Programs for other perfs use its members. As a sequence it
 * has the first four of them, so "value, enabled, running, id = evsel.read(cpu, thread)" also
 * works.
 */
#include "live.h"

#include <string.h>

enum { IN_SEQUENCE = 4 };

struct counts_object {
	PyObject_HEAD
	u64 numbers[COUNT_NUMBERS];
};

static PyObject *counts_type;

PyObject *counts_values_new(const u64 numbers[COUNT_NUMBERS])
{
	struct counts_object *o = PyObject_New(struct counts_object, (PyTypeObject *)counts_type);

	if (o)
		memcpy(o->numbers, numbers, sizeof(o->numbers));
	return (PyObject *)o;
}

static PyObject *counts_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static const u64 nothing[COUNT_NUMBERS];

	(void)type;
	if (PyTuple_Size(args) || (kwargs && PyDict_Size(kwargs))) {
		PyErr_SetString(PyExc_TypeError, "counts_values() takes no arguments");
		return NULL;
	}
	return counts_values_new(nothing);
}

static void counts_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	PyObject_Free(self);
	Py_DECREF(type);
}

static bool take_number(PyObject *value, u64 *out)
{
	if (!value) {
		PyErr_SetString(PyExc_TypeError, "a member of counts_values cannot be deleted");
		return false;
	}
	*out = PyLong_AsUnsignedLongLong(value);
	return !PyErr_Occurred();
}

static PyObject *get_number(PyObject *self, void *which)
{
	return PyLong_FromUnsignedLongLong(
		((struct counts_object *)self)->numbers[(uintptr_t)which]);
}

static int set_number(PyObject *self, PyObject *value, void *which)
{
	u64 v;

	if (!take_number(value, &v))
		return -1;
	((struct counts_object *)self)->numbers[(uintptr_t)which] = v;
	return 0;
}

static PyObject *get_values(PyObject *self, void *arg)
{
	const struct counts_object *o = (struct counts_object *)self;

	(void)arg;
	return Py_BuildValue("[KKKKK]", o->numbers[0], o->numbers[1], o->numbers[2], o->numbers[3],
			     o->numbers[4]);
}

static int set_values(PyObject *self, PyObject *list, void *arg)
{
	struct counts_object *o = (struct counts_object *)self;
	u64 numbers[COUNT_NUMBERS];

	(void)arg;
	if (!list || !PyList_Check(list)) {
		PyErr_SetString(PyExc_TypeError, "values is a list of 5 numbers");
		return -1;
	}
	if (PyList_Size(list) != COUNT_NUMBERS) {
		PyErr_SetString(PyExc_ValueError, "values is a list of 5 numbers");
		return -1;
	}
	for (Py_ssize_t i = 0; i < COUNT_NUMBERS; i++)
		if (!take_number(PyList_GetItem(list, i), &numbers[i]))
			return -1;
	memcpy(o->numbers, numbers, sizeof(numbers));
	return 0;
}

static Py_ssize_t counts_length(PyObject *self)
{
	(void)self;
	return IN_SEQUENCE;
}

static PyObject *counts_item(PyObject *self, Py_ssize_t i)
{
	if (i < 0 || i >= IN_SEQUENCE) {
		PyErr_SetString(PyExc_IndexError, "counts_values has four items");
		return NULL;
	}
	return get_number(self, (void *)i);
}

static PyObject *counts_repr(PyObject *self)
{
	const struct counts_object *o = (struct counts_object *)self;

	return PyUnicode_FromFormat(
		"counts_values(val=%llu, ena=%llu, run=%llu, id=%llu, lost=%llu)", o->numbers[0],
		o->numbers[1], o->numbers[2], o->numbers[3], o->numbers[4]);
}

static PyGetSetDef getters[] = {
	{ "val", get_number, set_number, "the value of the event", (void *)0 },
	{ "ena", get_number, set_number, "ns for which the event was enabled", (void *)1 },
	{ "run", get_number, set_number, "ns for which the event was counted", (void *)2 },
	{ "id", get_number, set_number,
	  "the kernel's number of the counter; 0 unless read_format has FORMAT_ID", (void *)3 },
	{ "lost", get_number, set_number,
	  "samples that were lost; 0 unless read_format has FORMAT_LOST", (void *)4 },
	{ "values", get_values, set_values, "all five as a list", NULL },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "counts_values()\n--\n\nWhat a counter said. As a sequence it is (val, ena, run, id)." },
	{ Py_tp_new, counts_make },
	{ Py_tp_dealloc, counts_dealloc },
	{ Py_tp_repr, counts_repr },
	{ Py_tp_getset, getters },
	{ Py_sq_length, counts_length },
	{ Py_sq_item, counts_item },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "perf.counts_values",
	.basicsize = sizeof(struct counts_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

int add_counts_values(PyObject *module)
{
	counts_type = add_type(module, &spec, NULL);
	return counts_type ? 0 : -1;
}
