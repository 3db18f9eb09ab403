// SPDX-License-Identifier: GPL-2.0-or-later
/* The module perf_trace_context: what a handler may ask of the sample that it was called with. */
#include "engine.h"

/* Returns the engine of the given context, or NULL with an exception. */
static struct engine *engine_of(PyObject *context)
{
	struct engine *e = PyCapsule_GetPointer(context, CONTEXT_NAME);

	if (e && !e->now) {
		PyErr_SetString(PyExc_RuntimeError,
				"there is no event at the moment: ask inside a handler");
		return NULL;
	}
	return e;
}

static PyObject *common(PyObject *context, enum engine_common which)
{
	struct engine *e = engine_of(context);

	return e ? PyLong_FromLongLong(e->host->common(e->host->arg, which)) : NULL;
}

static PyObject *common_pc(PyObject *self, PyObject *context)
{
	(void)self;
	return common(context, ENGINE_PREEMPT_COUNT);
}

static PyObject *common_flags(PyObject *self, PyObject *context)
{
	(void)self;
	return common(context, ENGINE_FLAGS);
}

static PyObject *common_lock_depth(PyObject *self, PyObject *context)
{
	(void)self;
	return common(context, ENGINE_LOCK_DEPTH);
}

static PyObject *perf_sample_insn(PyObject *self, PyObject *context)
{
	struct engine *e = engine_of(context);
	const uint8_t *bytes;
	uint32_t size;

	(void)self;
	if (!e)
		return NULL;
	if (!e->host->instruction(e->host->arg, &bytes, &size))
		return Py_NewRef(Py_None);
	return PyBytes_FromStringAndSize((const char *)bytes, size);
}

static PyObject *perf_set_itrace_options(PyObject *self, PyObject *args)
{
	PyObject *context;
	const char *options;

	(void)self;
	if (!PyArg_ParseTuple(args, "Os", &context, &options) ||
	    !PyCapsule_GetPointer(context, CONTEXT_NAME))
		return NULL;
	return PyLong_FromLong(-1); /* no decoder */
}

static PyObject *perf_sample_srcline(PyObject *self, PyObject *context)
{
	struct engine *e = engine_of(context);
	const char *file;
	uint32_t line;

	(void)self;
	if (!e)
		return NULL;
	if (!e->host->source(e->host->arg, &file, &line))
		return Py_BuildValue("(OI)", Py_None, 0);
	return Py_BuildValue("(NI)", script_text(e, file), line);
}

/* Returns the line without its newline, or None when the file cannot be read. */
static PyObject *source_line(const char *file, uint32_t line)
{
	FILE *f = fopen(file, "re");
	PyObject *text = NULL;
	char *buf = NULL;
	size_t space = 0;
	ssize_t len = -1;

	for (uint32_t i = 0; f && i < line && (len = getline(&buf, &space, f)) >= 0; i++)
		;
	if (f && len >= 0)
		text = script_decode(buf, len && buf[len - 1] == '\n' ? len - 1 : len);
	free(buf);
	if (f)
		fclose(f);
	return text || PyErr_Occurred() ? text : Py_NewRef(Py_None);
}

static PyObject *perf_sample_srccode(PyObject *self, PyObject *context)
{
	struct engine *e = engine_of(context);
	const char *file;
	uint32_t line;

	(void)self;
	if (!e)
		return NULL;
	if (!e->host->source(e->host->arg, &file, &line))
		return Py_BuildValue("(OIO)", Py_None, 0, Py_None);
	return Py_BuildValue("(NIN)", script_text(e, file), line, source_line(file, line));
}

static PyObject *syscall_name(PyObject *self, PyObject *args)
{
	PyObject *context;
	unsigned long long number;
	struct engine *e;
	const char *name;

	(void)self;
	if (!PyArg_ParseTuple(args, "OK", &context, &number))
		return NULL;
	e = PyCapsule_GetPointer(context, CONTEXT_NAME);
	if (!e)
		return NULL;
	name = e->host->syscall_name(e->host->arg, number);
	return name ? PyUnicode_FromString(name) : Py_NewRef(Py_None);
}

/* Returns object, symbol and offset of any address of the sample's task or of the kernel. */
static PyObject *resolve(PyObject *self, PyObject *args)
{
	struct engine_place p;
	PyObject *context, *dso, *symbol;
	unsigned long long addr;
	struct engine *e;

	(void)self;
	if (!PyArg_ParseTuple(args, "OK", &context, &addr))
		return NULL;
	e = engine_of(context);
	if (!e)
		return NULL;
	e->host->place_of(e->host->arg, addr, &p);
	dso = p.dso ? script_text(e, p.dso) : Py_NewRef(Py_None);
	symbol = p.symbol ? script_text(e, p.symbol) : Py_NewRef(Py_None);
	return Py_BuildValue("(NNK)", dso, symbol, (unsigned long long)p.offset);
}

/* Returns what an export needs to know of a place, or None where nothing is mapped. */
static PyObject *sample_place(PyObject *self, PyObject *args)
{
	struct engine_place p;
	PyObject *context, *symbol;
	struct engine *e;
	int data;

	(void)self;
	if (!PyArg_ParseTuple(args, "Op", &context, &data))
		return NULL;
	e = engine_of(context);
	if (!e)
		return NULL;
	e->host->place(e->host->arg, data, &p);
	if (!p.dso)
		Py_RETURN_NONE;
	symbol = p.symbol ? script_text(e, p.symbol) : Py_NewRef(Py_None);
	return Py_BuildValue("(NNNKKiKK)", script_text(e, p.dso), script_text(e, p.build_id),
			     symbol, (unsigned long long)p.start, (unsigned long long)p.end,
			     p.binding, (unsigned long long)p.offset, (unsigned long long)p.at);
}

/*
 * Returns what an export needs to know of a task: its name, since when it has it, and a number that
 * distinguishes it from other tasks with the tid.
 */
static PyObject *command(PyObject *self, PyObject *args)
{
	struct engine_command_name c;
	PyObject *context;
	struct engine *e;
	int pid, tid;

	(void)self;
	if (!PyArg_ParseTuple(args, "Oii", &context, &pid, &tid))
		return NULL;
	/* set for records other than samples as well */
	e = PyCapsule_GetPointer(context, CONTEXT_NAME);
	if (!e)
		return NULL;
	e->host->command(e->host->arg, pid, tid, &c);
	return Py_BuildValue("(NKI)", script_text(e, c.name), (unsigned long long)c.since, c.task);
}

static PyMethodDef methods[] = {
	{ "common_pc", common_pc, METH_O, "The preemption count of the event." },
	{ "common_flags", common_flags, METH_O, "The flags of the event." },
	{ "common_lock_depth", common_lock_depth, METH_O, "The lock depth of the event." },
	{ "perf_sample_insn", perf_sample_insn, METH_O, "The instruction's bytes, or None." },
	{ "perf_set_itrace_options", perf_set_itrace_options, METH_VARARGS,
	  "Set the options of --itrace: 0, 1 when the user has set them, -1 without a decoder." },
	{ "perf_sample_srcline", perf_sample_srcline, METH_O, "(file, line) of the sample." },
	{ "perf_sample_srccode", perf_sample_srccode, METH_O, "(file, line, text of the line)." },
	{ "perf_resolve", resolve, METH_VARARGS,
	  "perf_resolve(context, address): (dso, symbol, offset); None where not known." },
	{ "perf_sample_place", sample_place, METH_VARARGS,
	  "perf_sample_place(context, data): (dso, build-id, symbol, start, end, binding, offset, "
	  "address in dso)." },
	{ "perf_command", command, METH_VARARGS,
	  "perf_command(context, pid, tid): (name, since when, number of the task)." },
	{ "perf_syscall_name", syscall_name, METH_VARARGS,
	  "perf_syscall_name(context, number): of the recording machine, or None." },
	{ NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "perf_trace_context",
	.m_size = -1,
	.m_methods = methods,
	.m_doc = "What a perf script may ask of the sample at hand.",
};

PyMODINIT_FUNC PyInit_perf_trace_context(void)
{
	return PyModule_Create(&definition);
}
