// SPDX-License-Identifier: GPL-2.0-or-later
/* Call chains and branch stacks, lists of dictionaries. */
#include "engine.h"

#include <stdio.h>

static PyObject *number(uint64_t v)
{
	return PyLong_FromUnsignedLongLong(v);
}

static PyObject *symbol_dict(struct engine *e, const struct engine_frame *f)
{
	const struct keys *k = e->keys;
	PyObject *d = PyDict_New();

	if (d && !dict_put(d, k->start, number(f->start)) && !dict_put(d, k->end, number(f->end)) &&
	    !dict_put(d, k->binding, PyLong_FromLong(f->binding)) &&
	    !dict_put(d, k->name, script_text(e, f->symbol)))
		return d;
	Py_XDECREF(d);
	return NULL;
}

static PyObject *frame_dict(struct engine *e, const struct engine_frame *f)
{
	const struct keys *k = e->keys;
	PyObject *d = PyDict_New();
	int err = !d || dict_put(d, k->ip, number(f->ip));

	if (!err && f->symbol)
		err = dict_put(d, k->sym, symbol_dict(e, f)) ||
		      dict_put(d, k->sym_off, number(f->offset));
	if (!err && f->source)
		err = dict_put(d, k->sym_srcline, script_text(e, f->source));
	if (!err && f->dso)
		err = dict_put(d, k->dso, script_text(e, f->dso));
	if (!err)
		return d;
	Py_XDECREF(d);
	return NULL;
}

PyObject *chain_list(struct engine *e)
{
	const struct engine_frame *frames;
	uint32_t count = e->host->chain(e->host->arg, &frames);
	PyObject *list = PyList_New(count);

	for (uint32_t i = 0; list && i < count; i++) {
		PyObject *d = frame_dict(e, &frames[i]);

		if (!d)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, d);
	}
	return list;
}

static PyObject *object_name(struct engine *e, uint64_t addr)
{
	struct engine_place p;

	e->host->place_of(e->host->arg, addr, &p);
	return p.dso ? script_text(e, p.dso) : Py_NewRef(e->keys->unknown);
}

static PyObject *branch_dict(struct engine *e, const struct engine_branch *b)
{
	const struct keys *k = e->keys;
	PyObject *d = PyDict_New();

	if (d && !dict_put(d, k->from, number(b->from)) && !dict_put(d, k->to, number(b->to)) &&
	    !dict_put(d, k->mispred, PyBool_FromLong(b->mispredicted)) &&
	    !dict_put(d, k->predicted, PyBool_FromLong(b->predicted)) &&
	    !dict_put(d, k->in_tx, PyBool_FromLong(b->in_transaction)) &&
	    !dict_put(d, k->abort, PyBool_FromLong(b->aborted)) &&
	    !dict_put(d, k->cycles, number(b->cycles)) &&
	    !dict_put(d, k->from_dsoname, object_name(e, b->from)) &&
	    !dict_put(d, k->to_dsoname, object_name(e, b->to)))
		return d;
	Py_XDECREF(d);
	return NULL;
}

/* Returns "function+0x12" or "[unknown]". */
static PyObject *place_name(struct engine *e, uint64_t addr)
{
	PyObject *name, *shown;
	struct engine_place p;
	char offset[24];

	e->host->place_of(e->host->arg, addr, &p);
	if (!p.symbol || !*p.symbol)
		return Py_NewRef(e->keys->unknown);
	name = script_text(e, p.symbol);
	/* PyUnicode_FromFormat() has no hexadecimal numbers of 64 bits before Python 3.12 */
	snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)p.offset);
	shown = name ? PyUnicode_FromFormat("%U%s", name, offset) : NULL;
	Py_XDECREF(name);
	return shown;
}

static PyObject *branch_name_dict(struct engine *e, const struct engine_branch *b)
{
	const struct keys *k = e->keys;
	const char *outcome = b->mispredicted ? "M" : b->predicted ? "P" : "-";
	PyObject *d = PyDict_New();

	if (d && !dict_put(d, k->from, place_name(e, b->from)) &&
	    !dict_put(d, k->to, place_name(e, b->to)) &&
	    !dict_put(d, k->pred, PyUnicode_FromString(outcome)) &&
	    !dict_put(d, k->in_tx, PyUnicode_FromString(b->in_transaction ? "X" : "-")) &&
	    !dict_put(d, k->abort, PyUnicode_FromString(b->aborted ? "A" : "-")))
		return d;
	Py_XDECREF(d);
	return NULL;
}

static PyObject *branches(struct engine *e,
			  PyObject *(*make)(struct engine *, const struct engine_branch *))
{
	uint32_t count = e->host->branch_count(e->host->arg);
	PyObject *list = PyList_New(count);

	for (uint32_t i = 0; list && i < count; i++) {
		struct engine_branch b;
		PyObject *d;

		e->host->branch(e->host->arg, i, &b);
		d = make(e, &b);
		if (!d)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, d);
	}
	return list;
}

PyObject *branch_list(struct engine *e)
{
	return branches(e, branch_dict);
}

PyObject *branch_names(struct engine *e)
{
	return branches(e, branch_name_dict);
}
