// SPDX-License-Identifier: GPL-2.0-or-later
/* What every type of the extension uses: its exceptions and tuples, text, errors, this machine. */
#include "module.h"

#include <string.h>

#include "sys/sys.h"

const struct sys this_host;
PyObject *perf_error, *damage_warning, *frame_type, *branch_type, *callchain_type,
	*branch_stack_type;

PyObject *text_object(const char *text)
{
	if (!text)
		return Py_NewRef(Py_None);
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *raise_reason(int err, struct reason *r)
{
	const char *text = r->text ? r->text : strerror(-err);
	PyObject *message =
		r->hint ? PyUnicode_FromFormat("%s (hint: %s)", text, r->hint) : text_object(text);
	PyObject *value = message ? Py_BuildValue("(iN)", -err, message) : NULL;

	if (value)
		PyErr_SetObject(perf_error, value);
	Py_XDECREF(value);
	reason_release(r);
	return NULL;
}

PyObject *add_type(PyObject *module, PyType_Spec *spec, PyObject *base)
{
	PyObject *type = PyType_FromModuleAndSpec(module, spec, base);
	const char *dot = strrchr(spec->name, '.');

	if (type && PyModule_AddObjectRef(module, dot ? dot + 1 : spec->name, type) < 0)
		Py_CLEAR(type);
	return type;
}
