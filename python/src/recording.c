// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.open(): a recording, its samples one by one, as columns, as groups. */
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "data/reader.h"

/* ---- samples one by one ---- */

struct iterator_object {
	PyObject_HEAD
	struct reader *reader; /* NULL: it has ended */
	struct batch *batch;
	u32 next;
	bool waits; /* a thread waits for the next batch */
};

static PyObject *iterator_type, *recording_type;

static void iterator_dealloc(PyObject *self)
{
	struct iterator_object *it = (struct iterator_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	reader_free(it->reader);
	batch_put(it->batch);
	PyObject_Free(self);
	Py_DECREF(type);
}

/* Ends the reader's thread. Keeps an exception; without one, warns about what the file lacks. */
static void end_reading(struct reader *reader)
{
	struct run *run = run_get(reader_run(reader));
	PyObject *type, *value, *trace;

	PyErr_Fetch(&type, &value, &trace);
	reader_free(reader);
	PyErr_Restore(type, value, trace);
	if (!type)
		run_warn(run);
	run_put(run);
}

static PyObject *iterator_next(PyObject *self)
{
	struct iterator_object *it = (struct iterator_object *)self;
	struct reader *reader;

	while (!it->batch || it->next == it->batch->entries.count) {
		if (it->waits) {
			PyErr_SetString(PyExc_ValueError,
					"another thread waits for the next sample");
			return NULL;
		}
		if (!it->reader)
			return NULL;
		/*
		 * while the interpreter's lock is given up no other thread may take the same reader
		 */
		reader = it->reader;
		it->reader = NULL;
		it->waits = true;
		batch_put(it->batch);
		it->batch = NULL;
		it->next = 0;
		it->batch = reader_next(reader);
		it->waits = false;
		if (!it->batch) {
			end_reading(reader);
			return NULL;
		}
		it->reader = reader;
	}
	return sample_new(it->batch, it->next++);
}

static PyObject *itself(PyObject *self)
{
	return Py_NewRef(self);
}

static PyType_Slot iterator_slots[] = {
	{ Py_tp_doc, "The samples of a recording, in order of time." },
	{ Py_tp_dealloc, iterator_dealloc },
	{ Py_tp_iter, itself },
	{ Py_tp_iternext, iterator_next },
	{ 0, NULL },
};

static PyType_Spec iterator_spec = {
	.name = "perf.SampleIterator",
	.basicsize = sizeof(struct iterator_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = iterator_slots,
};

PyObject *iterator_new(struct reader *reader)
{
	struct iterator_object *it =
		PyObject_New(struct iterator_object, (PyTypeObject *)iterator_type);

	if (!it) {
		reader_free(reader);
		return NULL;
	}
	it->batch = NULL;
	it->next = 0;
	it->waits = false;
	it->reader = reader;
	return (PyObject *)it;
}

/* ---- the recording ---- */

struct recording_object {
	PyObject_HEAD
	struct run_options options;
	/* by open(), for the first use; NULL afterwards where it cannot be read again */
	struct run *opened;
};

static void recording_dealloc(PyObject *self)
{
	struct recording_object *o = (struct recording_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	run_put(o->opened);
	free(o->options.path);
	free(o->options.symfs);
	free(o->options.kallsyms);
	free(o->options.vmlinux);
	PyObject_Free(self);
	Py_DECREF(type);
}

/*
 * Copies a path object, bytes or str into a C string; NULL for None. Returns false with an
 * exception.
 */
static bool take_path(PyObject *o, char **out)
{
	PyObject *bytes = NULL;

	*out = NULL;
	if (!o || o == Py_None)
		return true;
	if (!PyUnicode_FSConverter(o, &bytes))
		return false;
	*out = xstrdup(PyBytes_AsString(bytes));
	Py_DECREF(bytes);
	return true;
}

PyObject *perf_open(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "path", "chains", "force", "symfs", "kallsyms", "vmlinux", NULL };
	PyObject *path = NULL, *symfs = NULL, *kallsyms = NULL, *vmlinux = NULL;
	int chains = 0, force = 0;
	struct recording_object *o;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$ppOOO:open", names, &path, &chains,
					 &force, &symfs, &kallsyms, &vmlinux))
		return NULL;
	o = PyObject_New(struct recording_object, (PyTypeObject *)recording_type);
	if (!o)
		return NULL;
	o->options = (struct run_options){ .chains = chains, .force = force };
	o->opened = NULL;
	if (!take_path(path, &o->options.path) || !take_path(symfs, &o->options.symfs) ||
	    !take_path(kallsyms, &o->options.kallsyms) ||
	    !take_path(vmlinux, &o->options.vmlinux) || !(o->opened = run_open(&o->options)))
		Py_CLEAR(o);
	return (PyObject *)o;
}

/* Returns a reference to a run that nothing was read from, or NULL with an exception. */
static struct run *fresh_run(struct recording_object *o)
{
	if (!o->opened->read)
		return run_get(o->opened);
	if (!o->opened->is_pipe)
		return run_open(&o->options);
	PyErr_SetString(PyExc_ValueError, "a stream can be read only once");
	return NULL;
}

static PyObject *recording_iter(PyObject *self)
{
	struct recording_object *o = (struct recording_object *)self;
	struct run *run = fresh_run(o);
	struct reader *reader = run ? reader_new(run, o->options.chains) : NULL;

	run_put(run);
	return reader ? iterator_new(reader) : NULL;
}

static PyObject *recording_all_columns(PyObject *self, PyObject *args)
{
	struct recording_object *o = (struct recording_object *)self;
	struct run *run = fresh_run(o);
	PyObject *all = run ? recording_columns(run, args) : NULL;

	run_put(run);
	return all;
}

static PyObject *recording_groups(PyObject *self, PyObject *args)
{
	struct recording_object *o = (struct recording_object *)self;
	struct run *run = fresh_run(o);
	PyObject *all = run ? recording_group_by(run, args) : NULL;

	run_put(run);
	return all;
}

/*
 * Returns the process and the last name of a thread as (pid, name), or None when it is unknown, for
 * perf.session.
 */
static PyObject *recording_task(PyObject *self, PyObject *number)
{
	static const struct order_key end = { .time = UINT64_MAX,
					      .file = UINT32_MAX,
					      .position = UINT64_MAX };
	struct run *run = ((struct recording_object *)self)->opened;
	struct history *h = session_history(run->session);
	long tid = PyLong_AsLong(number);

	if (tid == -1 && PyErr_Occurred())
		return NULL;
	for (u32 i = history_task_count(h); i-- > 0;) {
		const struct task *t = history_task_by_id(h, i);

		if (t && !t->machine && (s32)t->tid == tid)
			return Py_BuildValue("(iN)", (int)t->pid,
					     run_comm(run, history_comm(h, t, &end)));
	}
	return Py_NewRef(Py_None);
}

/* ---- records of perf stat ---- */

struct counter_reader {
	struct event_set *set;
	PyObject *function;
};

static int on_counter(void *arg, const struct record *rec, const struct order_key *key,
		      struct reason *r)
{
	struct counter_reader *c = arg;
	const struct event *ev =
		rec->type == PERF_RECORD_STAT && rec->size >= 16
			? event_by_id(c->set, load_u64(rec->data + 8, c->set->swap))
			: NULL;
	PyObject *o = live_event_new(c->set, rec, NULL, NULL, NULL, NULL), *name, *result;

	(void)key;
	if (!o)
		return reason_set(r, ECANCELED, "damaged");
	name = ev                              ? text_object(ev->name)
	       : rec->type == PERF_RECORD_STAT ? text_object("unknown")
					       : Py_NewRef(Py_None);
	result = name ? PyObject_CallFunctionObjArgs(c->function, o, name, NULL) : NULL;
	Py_XDECREF(name);
	Py_DECREF(o);
	Py_XDECREF(result);
	return result ? 0 : reason_set(r, ECANCELED, "the function raised an exception");
}

/*
 * Calls a function with each STAT and STAT_ROUND record and the name of its event, in the order of
 * the file.  They come on this thread, which keeps the interpreter's lock.
 */
static PyObject *recording_counters(PyObject *self, PyObject *function)
{
	struct run *run = fresh_run((struct recording_object *)self);
	struct session_ops ops = { .order = SESSION_ORDERED,
				   .record = on_counter,
				   .no_tasks = true,
				   .no_locations = true,
				   .no_chains = true };
	struct counter_reader c = { .function = function };
	struct reason r = REASON_INIT;
	int err;

	if (!run)
		return NULL;
	ops.want[PERF_RECORD_STAT / 64] |= BIT64(PERF_RECORD_STAT % 64);
	ops.want[PERF_RECORD_STAT_ROUND / 64] |= BIT64(PERF_RECORD_STAT_ROUND % 64);
	c.set = session_events(run->session);
	run->busy++;
	run->read = true;
	err = session_run(run->session, &ops, &c, &r);
	run->busy--;
	if (PyErr_Occurred())
		reason_release(&r);
	else if (err)
		raise_reason(err, &r);
	else
		run_warn(run);
	run_put(run);
	return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* ---- parents ---- */

struct parent_reader {
	const struct event_set *set;
	PyObject *parents;
};

static int on_fork(void *arg, const struct record *rec, const struct order_key *key,
		   struct reason *r)
{
	struct parent_reader *p = arg;
	struct record_task task;
	PyObject *pid, *parent;
	int err;

	(void)key;
	if (record_get_task(p->set, rec, &task, r))
		return -EINVAL;
	if (task.pid == task.ppid) /* a thread of the process */
		return 0;
	pid = PyLong_FromLong((s32)task.pid);
	parent = PyLong_FromLong((s32)task.ppid);
	err = pid && parent ? PyDict_SetItem(p->parents, pid, parent) : -1;
	Py_XDECREF(pid);
	Py_XDECREF(parent);
	return err ? reason_set(r, ECANCELED, "interrupted") : 0;
}

/* Returns the parent of each process by the FORK records, as a dict, for perf.session. */
static PyObject *recording_parents(PyObject *self, PyObject *args)
{
	struct run *run = fresh_run((struct recording_object *)self);
	struct session_ops ops = { .order = SESSION_ORDERED,
				   .record = on_fork,
				   .no_tasks = true,
				   .no_locations = true,
				   .no_chains = true };
	struct parent_reader p = { .parents = run ? PyDict_New() : NULL };
	struct reason r = REASON_INIT;
	int err;

	(void)args;
	if (p.parents) {
		ops.want[PERF_RECORD_FORK / 64] |= BIT64(PERF_RECORD_FORK % 64);
		p.set = session_events(run->session);
		run->busy++;
		run->read = true;
		err = session_run(run->session, &ops, &p, &r);
		run->busy--;
		if (err && !PyErr_Occurred())
			raise_reason(err, &r);
		else
			reason_release(&r);
	}
	run_put(run);
	if (PyErr_Occurred())
		Py_CLEAR(p.parents);
	return p.parents;
}

/* ---- what the header says ---- */

static PyObject *event_dict(struct run *run, const struct event *ev)
{
	const struct perf_event_attr *a = &ev->attr;
	bool by_freq = a->flags & ATTR_FREQ;

	return Py_BuildValue("{s:N,s:I,s:K,s:K,s:K,s:K,s:K}", "name", run_event(run, ev), "type",
			     a->type, "config", (unsigned long long)a->config, "sample_type",
			     (unsigned long long)a->sample_type,
			     by_freq ? "sample_freq" : "sample_period",
			     (unsigned long long)a->sample_period, "read_format",
			     (unsigned long long)a->read_format, "branch_sample_type",
			     (unsigned long long)a->branch_sample_type);
}

PyObject *run_events(struct run *run)
{
	PyObject *list = PyList_New(0);

	vec_for_each(&session_events(run->session)->list, ev) {
		PyObject *d = list ? event_dict(run, *ev) : NULL;

		if (!d || PyList_Append(list, d) < 0)
			Py_CLEAR(list);
		Py_XDECREF(d);
	}
	return list;
}

static PyObject *get_events(PyObject *self, void *arg)
{
	(void)arg;
	return run_events(((struct recording_object *)self)->opened);
}

static PyObject *get_text(PyObject *self, void *feature)
{
	struct data_reader *d = session_data(((struct recording_object *)self)->opened->session);

	return text_object(data_feature_string(d, (enum feature)(uintptr_t)feature));
}

static PyObject *get_path(PyObject *self, void *arg)
{
	(void)arg;
	return text_object(
		data_path(session_data(((struct recording_object *)self)->opened->session)));
}

static PyObject *get_command(PyObject *self, void *arg)
{
	size_t argc = 0;
	const char *const *argv = data_cmdline(
		session_data(((struct recording_object *)self)->opened->session), &argc);
	PyObject *list = PyList_New(0);

	(void)arg;
	for (size_t i = 0; list && i < argc; i++) {
		PyObject *word = text_object(argv[i]);

		if (!word || PyList_Append(list, word) < 0)
			Py_CLEAR(list);
		Py_XDECREF(word);
	}
	return list;
}

static PyObject *get_warnings(PyObject *self, void *arg)
{
	(void)arg;
	return run_warnings(((struct recording_object *)self)->opened);
}

static PyObject *recording_repr(PyObject *self)
{
	return PyUnicode_FromFormat(
		"<perf.Recording '%s'>",
		data_path(session_data(((struct recording_object *)self)->opened->session)));
}

static PyObject *recording_exit(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return Py_NewRef(Py_None);
}

static PyObject *recording_enter(PyObject *self, PyObject *args)
{
	(void)args;
	return Py_NewRef(self);
}

static PyGetSetDef getters[] = {
	{ "path", get_path, NULL, "the file", NULL },
	{ "events", get_events, NULL, "a dict for each event: name, type, config, sample_type ...",
	  NULL },
	{ "hostname", get_text, NULL, "where it was recorded, or None", (void *)FEATURE_HOSTNAME },
	{ "os_release", get_text, NULL, "of the kernel there, or None", (void *)FEATURE_OSRELEASE },
	{ "arch", get_text, NULL, "of the machine there, or None", (void *)FEATURE_ARCH },
	{ "version", get_text, NULL, "of the perf that recorded it, or None",
	  (void *)FEATURE_VERSION },
	{ "command", get_command, NULL, "the words that perf was called with", NULL },
	{ "warnings", get_warnings, NULL, "what was damaged or missing, after the first reading",
	  NULL },
	{ NULL },
};

static PyMethodDef methods[] = {
	{ "columns", recording_all_columns, METH_VARARGS,
	  "columns($self, /, *fields)\n--\n\nThe values of these fields for all samples, in order "
	  "of time: a dict of "
	  "Column by name." },
	{ "group_by", recording_groups, METH_VARARGS,
	  "group_by($self, /, *fields)\n--\n\nCounts samples on all cores: a dict from the values "
	  "(one value, or a tuple "
	  "of them) to (samples, period), the largest period first." },
	{ "_counters", recording_counters, METH_O, NULL },
	{ "_task", recording_task, METH_O, NULL },
	{ "_parents", recording_parents, METH_NOARGS, NULL },
	{ "__enter__", recording_enter, METH_NOARGS, NULL },
	{ "__exit__", recording_exit, METH_VARARGS, NULL },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "A recording. Iterating over it yields its samples in order of time; a file can be "
	  "iterated over any number of times, also at once." },
	{ Py_tp_dealloc, recording_dealloc },
	{ Py_tp_iter, recording_iter },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, getters },
	{ Py_tp_repr, recording_repr },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "perf.Recording",
	.basicsize = sizeof(struct recording_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

int add_recording(PyObject *module)
{
	iterator_type = add_type(module, &iterator_spec, NULL);
	recording_type = add_type(module, &spec, NULL);
	return iterator_type && recording_type ? 0 : -1;
}
