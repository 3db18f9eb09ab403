// SPDX-License-Identifier: GPL-2.0-or-later
/* The interpreter: begun with a script, ended with trace_end. */
#include "engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- start ---- */

static int call_plain(struct engine *e, PyObject *name)
{
	PyObject *handler = script_handler(e, name);

	return handler ? script_call(handler, NULL, 0) : ENGINE_GO_ON;
}

static bool make_keys(struct engine *e)
{
	e->keys = calloc(1, sizeof(*e->keys));
	if (!e->keys)
		return false;
#define X(key) e->keys->key = PyUnicode_InternFromString(#key);
	KEYS(X)
#undef X
	Py_XDECREF(e->keys->unknown);
	e->keys->unknown = PyUnicode_InternFromString("[unknown]");
	return !PyErr_Occurred();
}

static bool initialize(const char *script, int argc, const char *const *argv)
{
	PyPreConfig pre;
	PyConfig config;
	PyStatus status;
	char **args = calloc((size_t)argc + 2, sizeof(*args));

	if (!args)
		return false;
	args[0] = (char *)(uintptr_t)script;
	for (int i = 0; i < argc; i++)
		args[i + 1] = (char *)(uintptr_t)argv[i];
	PyImport_AppendInittab("perf_trace_context", PyInit_perf_trace_context);
	PyPreConfig_InitPythonConfig(&pre);
	pre.utf8_mode = 1;
	status = Py_PreInitialize(&pre);
	PyConfig_InitPythonConfig(&config);
	config.parse_argv = 0;
	config.install_signal_handlers = 0;
	config.write_bytecode = 0; /* helpers are where programs are installed */
	if (!PyStatus_Exception(status))
		status = PyConfig_SetBytesArgv(&config, argc + 1, args);
	if (!PyStatus_Exception(status))
		status = Py_InitializeFromConfig(&config);
	PyConfig_Clear(&config);
	free(args);
	if (!PyStatus_Exception(status))
		return true;
	fprintf(stderr, "error: cannot start Python: %s\n",
		status.err_msg ? status.err_msg : "unknown");
	return false;
}

/* Puts the script's directory first in sys.path, as Python does when it runs a script. */
static bool set_path(const char *script)
{
	const char *slash = strrchr(script, '/');
	PyObject *path = PySys_GetObject("path"); /* borrowed */
	PyObject *dir = slash ? PyUnicode_DecodeFSDefaultAndSize(script, slash - script)
			      : PyUnicode_FromString("");
	bool done = path && dir && !PyList_Insert(path, 0, dir);

	Py_XDECREF(dir);
	return done;
}

/*
 * Makes names that bundled scripts print printable, for which they have Perf-Trace-Util beside
 * them. Scripts of the user's print what they want.
 */
static void guard_output(void)
{
	static const char code[] = "import os, sys\n"
				   "d = os.path.dirname(os.path.abspath(sys.argv[0])) + "
				   "'/Perf-Trace-Util/lib/Perf/Trace'\n"
				   "if os.path.exists(d + '/Printable.py') and sys.stdout:\n"
				   "    sys.path.insert(0, d)\n"
				   "    import Printable\n"
				   "    sys.path.remove(d)\n"
				   "    Printable.install()\n"
				   "    own = True\n";
	PyObject *names = PyDict_New();
	PyObject *done = names ? PyRun_String(code, Py_file_input, names, names) : NULL;

	if (!done)
		PyErr_Print();
	script_is_own(done && PyDict_GetItemString(names, "own"));
	Py_XDECREF(done);
	Py_XDECREF(names);
}

static char *read_script(const char *script)
{
	FILE *f = fopen(script, "rbe");
	char *text = NULL;
	size_t size = 0, got = 0;

	while (f && !ferror(f) && !feof(f)) {
		char *more = realloc(text, size += 65536);

		if (!more)
			break;
		text = more;
		got += fread(text + got, 1, size - got - 1, f);
	}
	if (!f || ferror(f)) {
		fprintf(stderr, "error: cannot read the script '%s': %s\n", script,
			strerror(errno));
		free(text);
		text = NULL;
	} else if (text && memchr(text, 0, got)) {
		fprintf(stderr, "error: the script '%s' is not text: it has NUL bytes\n", script);
		free(text);
		text = NULL;
	} else if (text) {
		text[got] = 0;
	}
	if (f)
		fclose(f);
	return text;
}

static int run_script(struct engine *e, const char *script)
{
	char *text = read_script(script);
	PyObject *code = NULL, *result = NULL;

	if (!text)
		return ENGINE_FAILED;
	e->file = PyUnicode_DecodeFSDefault(script);
	if (e->file) {
		PyDict_SetItemString(e->globals, "__file__", e->file);
		code = Py_CompileStringObject(text, e->file, Py_file_input, NULL, -1);
	}
	free(text);
	if (code)
		result = PyEval_EvalCode(code, e->globals, e->globals);
	Py_XDECREF(code);
	if (!result)
		return script_failed();
	Py_DECREF(result);
	return ENGINE_GO_ON;
}

/* Gives perf_script_context to the module and to the script, the same object. */
static bool give_context(struct engine *e)
{
	PyObject *module = PyImport_ImportModule("perf_trace_context");
	bool done;

	e->context = PyCapsule_New(e, CONTEXT_NAME, NULL);
	done = module && e->context &&
	       !PyObject_SetAttrString(module, "perf_script_context", e->context) &&
	       !PyDict_SetItemString(e->globals, "perf_script_context", e->context);
	Py_XDECREF(module);
	return done;
}

/* Looks whether the script has threads, which run while perf works. */
static void look_for_threads(struct engine *e)
{
	PyObject *module = PyImport_ImportModule("_thread");
	PyObject *count = module ? PyObject_CallMethod(module, "_count", NULL) : NULL;

	e->has_threads = count && PyLong_AsLong(count) > 0;
	PyErr_Clear();
	Py_XDECREF(count);
	Py_XDECREF(module);
}

static void leave(struct engine *e)
{
	if (e->has_threads)
		e->waiting = PyEval_SaveThread();
}

static void enter(struct engine *e)
{
	if (e->waiting)
		PyEval_RestoreThread(e->waiting);
	e->waiting = NULL;
}

/* Ends the interpreter, which writes what print() has gathered. Returns the final answer. */
static int finish(struct engine *e, int answer)
{
	PyObject *out = PySys_GetObject("stdout"), *done; /* out is borrowed */

	done = out && out != Py_None ? PyObject_CallMethod(out, "flush", NULL) : NULL;
	if (!done && PyErr_Occurred()) {
		int failed = script_failed();

		answer = answer == ENGINE_GO_ON ? failed : answer;
	}
	Py_XDECREF(done);
	events_release(e);
	for (size_t i = 0; i < e->texts.space; i++)
		Py_XDECREF(e->texts.slots[i].string);
	if (e->keys) {
#define X(key) Py_XDECREF(e->keys->key);
		KEYS(X)
#undef X
	}
	Py_XDECREF(e->context);
	Py_XDECREF(e->file);
	Py_XDECREF(e->exporter);
	Py_FinalizeEx();
	free(e->keys);
	free(e->texts.slots);
	free(e);
	return answer;
}

static int start(const struct engine_host *host, const char *script, int argc,
		 const char *const *argv, void **state)
{
	struct engine *e = calloc(1, sizeof(*e));
	int answer = ENGINE_FAILED;

	*state = NULL;
	if (!e || !initialize(script, argc, argv)) {
		free(e);
		return ENGINE_FAILED;
	}
	e->host = host;
	e->globals = PyModule_GetDict(PyImport_AddModule("__main__"));
	guard_output();
	if (make_keys(e) && set_path(script) && give_context(e))
		answer = run_script(e, script);
	else
		PyErr_Print();
	if (answer == ENGINE_GO_ON)
		answer = call_plain(e, e->keys->trace_begin);
	if (answer == ENGINE_GO_ON)
		answer = export_begin(e);
	if (answer != ENGINE_GO_ON)
		return finish(e, answer);
	look_for_threads(e);
	leave(e);
	*state = e;
	return ENGINE_GO_ON;
}

static int sample(void *state, const struct engine_sample *s)
{
	struct engine *e = state;
	int answer;

	enter(e);
	e->now = s;
	answer = handlers_sample(e, s);
	e->now = NULL;
	leave(e);
	return answer;
}

static int record(void *state, const struct engine_record *r)
{
	struct engine *e = state;
	int answer;

	enter(e);
	answer = handlers_record(e, r);
	leave(e);
	return answer;
}

static int stop(void *state, bool run_end)
{
	struct engine *e = state;
	int answer = ENGINE_GO_ON;

	enter(e);
	if (run_end)
		answer = call_plain(e, e->keys->trace_end);
	return finish(e, answer);
}

ENGINE_EXPORT const struct engine_plugin perf_engine;
const struct engine_plugin perf_engine = {
	.interface = ENGINE_INTERFACE,
	.size = sizeof(perf_engine),
	.language = "Python " PY_VERSION,
	.start = start,
	.sample = sample,
	.record = record,
	.stop = stop,
};
