// SPDX-License-Identifier: GPL-2.0-or-later
/* What this machine and its user have: PMUs and their events, system calls, settings. */
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "cli/config.h"
#include "event/list.h"
#include "event/pmu.h"

/* ---- PMUs ---- */

struct pmu_object {
	PyObject_HEAD
	char *name;
};

struct pmus_object {
	PyObject_HEAD
	struct strlist names;
	size_t next;
};

static PyObject *pmu_type, *pmus_type;

static void pmu_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	free(((struct pmu_object *)self)->name);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *pmu_get_name(PyObject *self, PyObject *args)
{
	(void)args;
	return text_object(((struct pmu_object *)self)->name);
}

static bool put_text(PyObject *d, const char *key, const char *text)
{
	PyObject *o;
	int err;

	if (!text)
		return true;
	o = text_object(text);
	err = o ? PyDict_SetItemString(d, key, o) : -1;
	Py_XDECREF(o);
	return !err;
}

static bool put_event(PyObject *list, const char *name, const char *alias, enum event_kind kind,
		      const char *terms, const char *unit)
{
	const struct event_text *t =
		kind == EVENT_KIND_SOFTWARE || kind == EVENT_KIND_TOOL ? event_text_of(name) : NULL;
	PyObject *d = PyDict_New();
	bool ok = d && put_text(d, "name", name) && put_text(d, "alias", alias) &&
		  put_text(d, "event_type_desc", event_kind_name(kind)) &&
		  put_text(d, "str", terms) && put_text(d, "scale_unit", unit) &&
		  put_text(d, "topic", event_topic(kind)) &&
		  put_text(d, "desc", t ? t->desc : NULL) &&
		  put_text(d, "long_desc", t ? t->long_desc : NULL) && !PyList_Append(list, d);

	Py_XDECREF(d);
	return ok;
}

/* Adds the events that the PMU itself names. Returns false with an exception. */
static bool put_own_events(PyObject *list, const struct pmu *pmu)
{
	vec_for_each(&pmu->events, e) {
		char *full = xasprintf("%s/%s/", pmu->name, e->name);
		bool ok = put_event(list, e->name, full, EVENT_KIND_PMU, e->terms, e->unit);

		free(full);
		if (!ok)
			return false;
	}
	return true;
}

/* Returns the kinds of events that the kernel counts by number and that belong to the PMU. */
static u32 kinds_of(const struct pmu *pmu)
{
	if (pmu->type == PERF_TYPE_SOFTWARE)
		return 1u << EVENT_KIND_SOFTWARE;
	if (pmu->type == PERF_TYPE_TRACEPOINT)
		return 1u << EVENT_KIND_TRACEPOINT;
	return pmu->core ? 1u << EVENT_KIND_HARDWARE | 1u << EVENT_KIND_CACHE : 0;
}

static bool put_events_of_kinds(PyObject *list, u32 kinds)
{
	struct event_rows rows = { 0 };
	bool ok = true;

	if (!kinds)
		return true;
	Py_BEGIN_ALLOW_THREADS event_rows_collect(&this_host, kinds, &rows);
	Py_END_ALLOW_THREADS vec_for_each(&rows.list, row) ok =
		ok && put_event(list, row->name, row->alias, row->kind, NULL, NULL);
	event_rows_release(&rows);
	return ok;
}

/* What perf itself measures: no PMU of the kernel, but -e tool/NAME/ names its events. */
static const char tool[] = "tool";

static PyObject *pmu_events(PyObject *self, PyObject *args)
{
	const char *name = ((struct pmu_object *)self)->name;
	bool is_tool = !strcmp(name, tool);
	struct reason r = REASON_INIT;
	struct pmu *pmu = is_tool ? NULL : pmu_load(&this_host, name, &r);
	PyObject *list;

	(void)args;
	if (!pmu && !is_tool)
		return raise_reason(r.err ? -r.err : -ENOENT, &r);
	reason_release(&r);
	list = PyList_New(0);
	if (list && ((pmu && !put_own_events(list, pmu)) ||
		     !put_events_of_kinds(list, pmu ? kinds_of(pmu) : 1u << EVENT_KIND_TOOL)))
		Py_CLEAR(list);
	pmu_free(pmu);
	return list;
}

static PyObject *pmu_repr(PyObject *self)
{
	return PyUnicode_FromFormat("pmu(%s)", ((struct pmu_object *)self)->name);
}

static PyMethodDef pmu_methods[] = {
	{ "name", pmu_get_name, METH_NOARGS, "name($self, /)\n--\n\nThe name of the PMU." },
	{ "events", pmu_events, METH_NOARGS,
	  "events($self, /)\n--\n\nThe events of the PMU, each as a dict: name, event_type_desc, "
	  "topic, and where the event has "
	  "them alias, str (its terms), scale_unit, desc and long_desc." },
	{ NULL },
};

static PyType_Slot pmu_slots[] = {
	{ Py_tp_doc, "A PMU: a device that counts events. pmus() yields them." },
	{ Py_tp_dealloc, pmu_dealloc },
	{ Py_tp_repr, pmu_repr },
	{ Py_tp_methods, pmu_methods },
	{ 0, NULL },
};

static PyType_Spec pmu_spec = {
	.name = "perf.pmu",
	.basicsize = sizeof(struct pmu_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = pmu_slots,
};

static void pmus_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	strlist_release(&((struct pmus_object *)self)->names);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *pmus_next(PyObject *self)
{
	struct pmus_object *o = (struct pmus_object *)self;
	struct pmu_object *pmu;

	if (o->next == o->names.list.count)
		return NULL;
	pmu = PyObject_New(struct pmu_object, (PyTypeObject *)pmu_type);
	if (pmu)
		pmu->name = xstrdup(o->names.list.items[o->next++]);
	return (PyObject *)pmu;
}

static PyObject *pmus_iter(PyObject *self)
{
	return Py_NewRef(self);
}

static PyType_Slot pmus_slots[] = {
	{ Py_tp_doc,
	  "The PMUs of this machine, and tool, which has what perf itself measures; sorted by "
	  "name." },
	{ Py_tp_dealloc, pmus_dealloc },
	{ Py_tp_iter, pmus_iter },
	{ Py_tp_iternext, pmus_next },
	{ 0, NULL },
};

static PyType_Spec pmus_spec = {
	.name = "perf.PmuIterator",
	.basicsize = sizeof(struct pmus_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = pmus_slots,
};

PyObject *perf_pmus(PyObject *module, PyObject *args)
{
	struct pmus_object *o = PyObject_New(struct pmus_object, (PyTypeObject *)pmus_type);

	(void)module;
	(void)args;
	if (!o)
		return NULL;
	o->names = (struct strlist){ 0 };
	o->next = 0;
	if (pmu_names(&this_host, &o->names))
		o->names.list.count = 0; /* a kernel without perf events has no PMUs */
	strlist_add(&o->names, tool);
	strlist_sort(&o->names);
	return (PyObject *)o;
}

/* ---- system calls ---- */

/*
 * Returns the architecture of an ELF machine number, where -1 means this host, or NULL with an
 * exception.
 */
static const struct arch *arch_of(int machine)
{
	const struct arch *host = arch_host(), *a = NULL;

	if (machine < 0 || machine == host->e_machine)
		return host;
	for (int form = 0; machine <= 0xffff && !a && form < 4; form++)
		a = arch_by_elf((u16)machine, form < 2, form & 1);
	if (!a)
		PyErr_Format(PyExc_ValueError,
			     "%d is not the ELF number of a machine that perf knows", machine);
	return a;
}

PyObject *perf_syscall_name(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "id", "elf_machine", NULL };
	const struct arch *a;
	int id, machine = -1;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "i|$i:syscall_name", names, &id, &machine))
		return NULL;
	a = arch_of(machine);
	return !a ? NULL : id < 0 ? Py_NewRef(Py_None) : text_object(arch_syscall_name(a, (u32)id));
}

PyObject *perf_syscall_id(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "name", "elf_machine", NULL };
	const struct arch *a;
	int machine = -1, id;
	const char *name;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|$i:syscall_id", names, &name, &machine))
		return NULL;
	a = arch_of(machine);
	if (!a)
		return NULL;
	id = arch_syscall_number(a, name);
	if (id >= 0)
		return PyLong_FromLong(id);
	/* the words of other perfs */
	PyErr_Format(PyExc_ValueError, "Failed to find syscall %s", name);
	return NULL;
}

/* ---- settings ---- */

PyObject *perf_config_get(PyObject *module, PyObject *args)
{
	struct config config = { 0 };
	struct reason r = REASON_INIT;
	const char *name;
	PyObject *value;
	int err;

	(void)module;
	if (!PyArg_ParseTuple(args, "s:config_get", &name))
		return NULL;
	err = config_load(&config, CONFIG_SYSTEM | CONFIG_USER, &r);
	value = err ? raise_reason(err, &r) : text_object(config_find(&config, name));
	config_release(&config);
	return value;
}

int add_machine(PyObject *module)
{
	pmu_type = add_type(module, &pmu_spec, NULL);
	pmus_type = add_type(module, &pmus_spec, NULL);
	return pmu_type && pmus_type ? 0 : -1;
}
