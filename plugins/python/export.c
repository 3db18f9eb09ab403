// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scripts that fill a database: with perf_db_export_mode set, samples become calls of functions
 * X_table(), one for each row. The rows are made by DbExport.py, which is beside the other helpers.
 */
#include "engine.h"

#include <stdlib.h>

/*
 * home comes before PERF_EXEC_PATH, which may be the directory of another perf: that has no
 * DbExport.py.
 */
static const char import_exporter[] =
	"import os, sys\n"
	"sys.path += [d + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace' for d in (home, "
	"os.environ['PERF_EXEC_PATH'])]\n"
	"from DbExport import Exporter\n";

int export_begin(struct engine *e)
{
	PyObject *mode = PyDict_GetItemWithError(e->globals, e->keys->perf_db_export_mode);
	PyObject *names, *done = NULL, *class;

	if (!mode || !PyObject_IsTrue(mode))
		return ENGINE_GO_ON;
	names = Py_BuildValue("{s:N}", "home", PyUnicode_DecodeFSDefault(e->host->home));
	if (names)
		done = PyRun_String(import_exporter, Py_file_input, names, names);
	class = done ? PyDict_GetItemString(names, "Exporter") : NULL;
	e->exporter = class ? PyObject_CallFunctionObjArgs(class, e->globals, NULL) : NULL;
	Py_XDECREF(names);
	Py_XDECREF(done);
	return e->exporter ? ENGINE_GO_ON : script_failed();
}

static int called(PyObject *result)
{
	if (!result)
		return script_failed();
	Py_DECREF(result);
	return ENGINE_GO_ON;
}

int export_sample(struct engine *e, const struct engine_sample *s)
{
	PyObject *chain = chain_list(e), *dict = chain ? sample_dict(e, s, chain) : NULL, *result;

	Py_XDECREF(chain);
	if (!dict)
		return script_failed();
	result = PyObject_CallMethod(e->exporter, "sample", "OIN", e->context, s->event->index,
				     dict);
	return called(result);
}

int export_switch(struct engine *e, const struct engine_record *r)
{
	return called(PyObject_CallMethod(e->exporter, "switch", "OKiiiiiii", e->context,
					  (unsigned long long)r->time, r->cpu, r->pid, r->tid,
					  r->next_prev_pid, r->next_prev_tid, (int)r->out,
					  (int)r->preempted));
}

int export_command(struct engine *e, const struct engine_record *r)
{
	if (!r->exec)
		return ENGINE_GO_ON;
	return called(
		PyObject_CallMethod(e->exporter, "execed", "Oii", e->context, r->pid, r->tid));
}
