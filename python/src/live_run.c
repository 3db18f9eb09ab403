// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.live(): the samples of what runs now, one by one. */
#include <stdlib.h>

#include "watched.h"

struct live_object {
	PyObject_HEAD
	struct run *run;
	PyObject *iterator; /* SampleIterator: there is only one, because each sample is seen only
			     * once */
};

static PyObject *live_type;

static void live_dealloc(PyObject *self)
{
	struct live_object *o = (struct live_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(o->iterator);
	run_put(o->run);
	PyObject_Free(self);
	Py_DECREF(type);
}

static bool add_pid(PyObject *number, struct strbuf *b)
{
	long pid = PyLong_AsLong(number);

	if (pid == -1 && PyErr_Occurred())
		return false;
	strbuf_f(b, "%s%ld", b->len ? "," : "", pid);
	return true;
}

/* Takes one pid or several. Returns false with an exception. */
static bool take_pids(PyObject *o, struct strbuf *b)
{
	PyObject *iterator, *item;

	if (PyLong_Check(o))
		return add_pid(o, b);
	iterator = PyObject_GetIter(o);
	if (!iterator)
		return false;
	while ((item = PyIter_Next(iterator))) {
		bool good = add_pid(item, b);

		Py_DECREF(item);
		if (!good)
			break;
	}
	Py_DECREF(iterator);
	if (!PyErr_Occurred() && !b->len)
		PyErr_SetString(PyExc_ValueError, "pids names no process");
	return !PyErr_Occurred();
}

/*
 * Takes "fp" for True, NULL for False and None, otherwise the text. Returns false with an
 * exception.
 */
static bool take_chains(PyObject *o, char **out)
{
	int is;

	*out = NULL;
	if (!o || o == Py_None)
		return true;
	if (PyUnicode_Check(o)) {
		PyObject *bytes = PyUnicode_AsUTF8String(o);

		if (bytes)
			*out = xstrdup(PyBytes_AsString(bytes));
		Py_XDECREF(bytes);
		return bytes != NULL;
	}
	is = PyObject_IsTrue(o);
	if (is > 0)
		*out = xstrdup("fp");
	return is >= 0;
}

/* Takes a number greater than 0, or 0 for None. Returns false with an exception. */
static bool take_rate(PyObject *o, const char *name, u64 *out)
{
	*out = 0;
	if (!o || o == Py_None)
		return true;
	*out = PyLong_AsUnsignedLongLong(o);
	if (!PyErr_Occurred() && !*out)
		PyErr_Format(PyExc_ValueError, "%s must be greater than 0", name);
	return !PyErr_Occurred();
}

static bool check(const struct watched_options *o, double refresh)
{
	if (o->freq && o->period)
		PyErr_SetString(PyExc_ValueError, "freq and period exclude each other");
	else if (o->pids && o->cpus)
		PyErr_SetString(PyExc_ValueError, "pids and cpus exclude each other");
	else if (!(refresh >= 0.001 && refresh <= 3600))
		PyErr_SetString(PyExc_ValueError,
				"refresh must lie between 0.001 and 3600 seconds");
	return !PyErr_Occurred();
}

static PyObject *live_new(const struct watched_options *options)
{
	struct live_object *o = PyObject_New(struct live_object, (PyTypeObject *)live_type);
	struct reader *reader;

	if (!o)
		return NULL;
	o->iterator = NULL;
	o->run = run_watch(options);
	reader = o->run ? reader_new(o->run, options->chains != NULL) : NULL;
	if (reader)
		o->iterator = iterator_new(reader);
	if (!o->iterator)
		Py_CLEAR(o);
	return (PyObject *)o;
}

PyObject *perf_live(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "events", "pids",   "cpus",    "freq",
				 "period", "chains", "refresh", NULL };
	PyObject *pids = Py_None, *freq = NULL, *period = NULL, *chains = NULL, *live = NULL;
	struct watched_options o = { 0 };
	struct strbuf list = STRBUF_INIT;
	double refresh = 0.1;
	char *how = NULL;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z$OzOOOd:live", names, &o.events, &pids,
					 &o.cpus, &freq, &period, &chains, &refresh))
		return NULL;
	if ((pids == Py_None || take_pids(pids, &list)) && take_chains(chains, &how) &&
	    take_rate(freq, "freq", &o.freq) && take_rate(period, "period", &o.period)) {
		o.pids = pids == Py_None ? NULL : strbuf_cstr(&list);
		o.chains = how;
		o.refresh = (u64)(refresh * 1e9);
		live = check(&o, refresh) ? live_new(&o) : NULL;
	}
	strbuf_release(&list);
	free(how);
	return live;
}

static PyObject *live_iter(PyObject *self)
{
	return Py_NewRef(((struct live_object *)self)->iterator);
}

static PyObject *live_stop(PyObject *self, PyObject *args)
{
	(void)args;
	watched_stop(((struct live_object *)self)->run->watched);
	return Py_NewRef(Py_None);
}

static PyObject *live_enter(PyObject *self, PyObject *args)
{
	(void)args;
	return Py_NewRef(self);
}

static PyObject *get_events(PyObject *self, void *arg)
{
	(void)arg;
	return run_events(((struct live_object *)self)->run);
}

static PyObject *get_lost(PyObject *self, void *arg)
{
	(void)arg;
	return PyLong_FromUnsignedLongLong(
		watched_lost(((struct live_object *)self)->run->watched));
}

static PyGetSetDef getters[] = {
	{ "events", get_events, NULL, "a dict for each event: name, type, config, sample_type ...",
	  NULL },
	{ "lost", get_lost, NULL, "records that the kernel had no room for", NULL },
	{ NULL },
};

static PyMethodDef methods[] = {
	{ "stop", live_stop, METH_NOARGS,
	  "stop($self, /)\n--\n\nAny thread: the iteration ends after what has come until now." },
	{ "__enter__", live_enter, METH_NOARGS, NULL },
	{ "__exit__", live_stop, METH_VARARGS, NULL },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "What runs now. Iterating over it yields samples as they come, in order of time. Ctrl-C "
	  "ends "
	  "the iteration, whatever it waits for." },
	{ Py_tp_dealloc, live_dealloc },
	{ Py_tp_iter, live_iter },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, getters },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "perf.Live",
	.basicsize = sizeof(struct live_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

int add_live(PyObject *module)
{
	live_type = add_type(module, &spec, NULL);
	return live_type ? 0 : -1;
}
