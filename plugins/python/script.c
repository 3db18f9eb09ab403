// SPDX-License-Identifier: GPL-2.0-or-later
/* The script: its exceptions, its functions, and the texts that it gets. */
#include "engine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- exceptions ---- */

/*
 * Drops buffered output, which must not fail again at the end: nobody reads standard output any
 * more.
 */
static void drop_output(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
}

/*
 * Handles sys.exit(), whose argument is a status, nothing, or a text for standard error. Returns
 * the answer.
 */
static int script_exited(void)
{
	PyObject *type, *value, *trace, *code;
	int answer = ENGINE_DONE;

	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	code = value ? PyObject_GetAttrString(value, "code") : NULL;
	if (!code) {
		PyErr_Clear();
	} else if (PyLong_Check(code)) {
		answer = (int)(PyLong_AsLong(code) & 0xff);
		answer = answer ? ENGINE_FAILED + answer - 1 : ENGINE_DONE;
	} else if (code != Py_None) {
		PyObject *text = PyObject_Str(code);
		const char *shown = text ? PyUnicode_AsUTF8(text) : NULL;

		fprintf(stderr, "%s\n", shown ? shown : "");
		Py_XDECREF(text);
		answer = ENGINE_FAILED;
	}
	PyErr_Clear();
	Py_XDECREF(code);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	return answer;
}

int script_failed(void)
{
	if (PyErr_ExceptionMatches(PyExc_BrokenPipeError)) {
		PyErr_Clear();
		drop_output();
		return ENGINE_DONE;
	}
	if (PyErr_ExceptionMatches(PyExc_SystemExit))
		return script_exited();
	PyErr_Print();
	return ENGINE_FAILED;
}

int script_call(PyObject *handler, PyObject *const *args, size_t count)
{
	PyObject *result = PyObject_Vectorcall(handler, args, count, NULL);

	for (size_t i = 0; i < count; i++)
		Py_DECREF(args[i]);
	if (!result)
		return script_failed();
	Py_DECREF(result);
	return ENGINE_GO_ON;
}

/* ---- texts ---- */

static bool own_script; /* one that comes with perf; see guard_output() */

/*
 * Returns the text with newlines and tabs as \x0a and \x09, which distinguishes them from those
 * that the script prints.
 */
static PyObject *decode_line(const char *text, Py_ssize_t len)
{
	char *line = malloc((size_t)len * 4 + 1);
	size_t n = 0;
	PyObject *s;

	if (!line)
		return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < len; i++)
		if (text[i] == '\n' || text[i] == '\t')
			n += (size_t)sprintf(line + n, "\\x%02x", text[i]);
		else
			line[n++] = text[i];
	s = PyUnicode_DecodeUTF8(line, (Py_ssize_t)n, "surrogateescape");
	free(line);
	return s;
}

PyObject *script_decode(const char *text, Py_ssize_t len)
{
	if (own_script && (memchr(text, '\n', (size_t)len) || memchr(text, '\t', (size_t)len)))
		return decode_line(text, len);
	return PyUnicode_DecodeUTF8(text, len, "surrogateescape");
}

static size_t slot_of(const struct text_cache *c, const char *text)
{
	size_t i = ((uintptr_t)text >> 3) * 0x9e3779b97f4a7c15ULL >> 20;

	while (c->slots[i & (c->space - 1)].text && c->slots[i & (c->space - 1)].text != text)
		i++;
	return i & (c->space - 1);
}

static void grow(struct text_cache *c)
{
	struct text_cache more = { .space = c->space ? c->space * 2 : 256, .count = c->count };

	more.slots = calloc(more.space, sizeof(*more.slots));
	if (!more.slots)
		Py_FatalError("out of memory");
	for (size_t i = 0; i < c->space; i++)
		if (c->slots[i].text)
			more.slots[slot_of(&more, c->slots[i].text)] = c->slots[i];
	free(c->slots);
	*c = more;
}

PyObject *script_text(struct engine *e, const char *text)
{
	struct text_cache *c = &e->texts;
	struct text_slot *slot;

	if (c->count * 2 >= c->space)
		grow(c);
	slot = &c->slots[slot_of(c, text)];
	if (!slot->text) {
		PyObject *s = script_decode(text, (Py_ssize_t)strlen(text));

		if (!s)
			return NULL;
		*slot = (struct text_slot){ text, s };
		c->count++;
	}
	Py_INCREF(slot->string);
	return slot->string;
}

PyObject *script_handler(struct engine *e, PyObject *name)
{
	PyObject *handler = PyDict_GetItemWithError(e->globals, name);

	return handler && PyCallable_Check(handler) ? handler : NULL;
}

/*
 * Reports whether the handler is a function, or a method of an object, whose code is in the
 * script's file.
 */
static bool is_own(const struct engine *e, PyObject *handler)
{
	PyObject *function = PyMethod_Check(handler) ? PyMethod_GET_FUNCTION(handler) : handler;
	PyObject *file = NULL;
	bool own;

	if (PyFunction_Check(function))
		file = PyObject_GetAttrString(PyFunction_GET_CODE(function), "co_filename");
	own = file && e->file && PyUnicode_Check(file) && !PyUnicode_Compare(file, e->file);
	Py_XDECREF(file);
	PyErr_Clear();
	return own;
}

PyObject *script_own_handler(struct engine *e, PyObject *name)
{
	PyObject *handler = script_handler(e, name);

	return handler && is_own(e, handler) ? handler : NULL;
}

void script_is_own(bool own)
{
	own_script = own;
}

int dict_put(PyObject *dict, PyObject *key, PyObject *value)
{
	int err = value ? PyDict_SetItem(dict, key, value) : -1;

	Py_XDECREF(value);
	return err;
}
