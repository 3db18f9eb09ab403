// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording through the Python module: samples with all of their fields, columns, groups. What is
 * wrong with it is an exception of the module's own, or a warning.
 */
#include <Python.h>

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

PyMODINIT_FUNC PyInit__perf(void);

static const char reader[] =
	"import _perf, gc\n"
	"names = [n for n in dir(_perf.Sample) if not n.startswith('__')]\n"
	"def samples(path, chains):\n"
	"    kept = []\n"
	"    for i, s in enumerate(open_one(path, chains)):\n"
	"        for n in names:\n"
	"            getattr(s, n)\n"
	"        for n, v in s.fields.items():\n"
	"            assert s[n] == v\n"
	"        repr(s)\n"
	"        if i % 7 == 0:\n"
	"            kept.append(s)\n"
	"    for s in kept:\n"
	"        s.callchain, s.sym, s.raw\n"
	"def open_one(path, chains):\n"
	"    return _perf.open(path, chains=chains, force=True, symfs='/proc/self/task', "
	"kallsyms='/dev/null')\n"
	"def columns(path):\n"
	"    c = open_one(path, False).columns('time', 'comm', 'event', 'sym', 'dso', 'mode', "
	"'period', 'tid')\n"
	"    rows = {len(column) for column in c.values()}\n"
	"    assert len(rows) == 1\n"
	"    for column in c.values():\n"
	"        memoryview(column).tolist(), list(column)\n"
	"    groups = open_one(path, False).group_by('comm', 'event')\n"
	"    assert sum(v[0] for v in groups.values()) == rows.pop()\n"
	"def about(path):\n"
	"    r = open_one(path, False)\n"
	"    r.events, r.hostname, r.os_release, r.arch, r.version, r.command, repr(r)\n"
	"    r.group_by('sym')\n"
	"    r.warnings\n"
	"def read(path):\n"
	"    for f in (lambda: samples(path, True), lambda: columns(path), lambda: about(path)):\n"
	"        try:\n"
	"            f()\n"
	"        except (OSError, ValueError):\n"
	"            pass\n"
	"    gc.collect()\n";

static PyObject *read_function;

static void begin(void)
{
	PyObject *globals;

	PyImport_AppendInittab("_perf", PyInit__perf);
	Py_InitializeEx(0);
	globals = PyModule_GetDict(PyImport_AddModule("__main__"));
	if (!PyRun_String(reader, Py_file_input, globals, globals)) {
		PyErr_Print();
		abort();
	}
	read_function = PyDict_GetItemString(globals, "read");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];
	PyObject *done;

	if (!read_function)
		begin();
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	done = PyObject_CallFunction(read_function, "s", path);
	if (!done) {
		PyErr_Print();
		abort();
	}
	Py_DECREF(done);
	close(fd);
	return 0;
}
