// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scripts that fill a database: with perf_db_export_mode set, samples become calls of functions
 * X_table(), one for each row.  The rows are made by DbExport.py, which lies beside the other helpers.
 */
#include "engine.h"

#include <stdlib.h>

static const char import_exporter[] =
	"import os, sys\n"
	"sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')\n"
	"from DbExport import Exporter\n";

int export_begin(struct engine *e)
{
	PyObject *mode = PyDict_GetItemWithError(e->globals, e->keys->perf_db_export_mode);
	PyObject *names, *done, *class;

	if (!mode || !PyObject_IsTrue(mode))
		return ENGINE_GO_ON;
	names = PyDict_New();
	done = names ? PyRun_String(import_exporter, Py_file_input, names, names) : NULL;
	class = done ? PyDict_GetItemString(names, "Exporter") : NULL;
	e->exporter = class ? PyObject_CallFunctionObjArgs(class, e->globals, NULL) : NULL;
	Py_XDECREF(names);
	Py_XDECREF(done);
	return e->exporter ? ENGINE_GO_ON : engine_failed();
}

static int called(PyObject *result)
{
	if (!result)
		return engine_failed();
	Py_DECREF(result);
	return ENGINE_GO_ON;
}

int export_sample(struct engine *e, const struct engine_sample *s)
{
	PyObject *chain = chain_list(e), *dict = chain ? sample_dict(e, s, chain) : NULL, *result;

	Py_XDECREF(chain);
	if (!dict)
		return engine_failed();
	result = PyObject_CallMethod(e->exporter, "sample", "OIN", e->context, s->event->index, dict);
	return called(result);
}

int export_switch(struct engine *e, const struct engine_record *r)
{
	return called(PyObject_CallMethod(e->exporter, "switch", "Kiiiiiii", (unsigned long long)r->time, r->cpu,
					  r->pid, r->tid, r->next_prev_pid, r->next_prev_tid, (int)r->out,
					  (int)r->preempted));
}
