// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * columns(): the values of all samples as arrays that NumPy, array and memoryview take as they are.
 *
 * Texts are numbers (u32) into a list of names. Each worker fills its own rows, which are then put
 * in order of time (rows.h).
 */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- the object ---- */

struct column_object {
	PyObject_HEAD
	void *data;
	Py_ssize_t count, item; /* item: bytes of one */
	Py_ssize_t views;       /* how many buffers use the data, which stays where it is anyway */
	const char *format;     /* as Python's struct names it: "Q", "q", "I" */
	PyObject *name, *names; /* names: a list, or None */
};

static PyObject *column_type;

static void column_dealloc(PyObject *self)
{
	struct column_object *c = (struct column_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	free(c->data);
	Py_XDECREF(c->name);
	Py_XDECREF(c->names);
	PyObject_Free(self);
	Py_DECREF(type);
}

static int column_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	struct column_object *c = (struct column_object *)self;

	if (flags & PyBUF_WRITABLE) {
		PyErr_SetString(PyExc_BufferError, "a column cannot be written to");
		view->obj = NULL;
		return -1;
	}
	*view = (Py_buffer){
		.buf = c->data,
		.obj = Py_NewRef(self),
		.len = c->count * c->item,
		.itemsize = c->item,
		.readonly = 1,
		.ndim = 1,
		.format = flags & PyBUF_FORMAT ? (char *)c->format : NULL,
		.shape = flags & PyBUF_ND ? &c->count : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &c->item : NULL,
	};
	return 0;
}

static Py_ssize_t column_length(PyObject *self)
{
	return ((struct column_object *)self)->count;
}

/* Returns the value of a row, as str for texts. */
static PyObject *column_item(PyObject *self, Py_ssize_t i)
{
	struct column_object *c = (struct column_object *)self;

	if (i < 0 || i >= c->count) {
		PyErr_SetString(PyExc_IndexError, "the column has no such row");
		return NULL;
	}
	if (c->item == 4)
		return Py_XNewRef(PyList_GetItem(c->names, ((u32 *)c->data)[i]));
	if (c->format[0] == 'q')
		return PyLong_FromLongLong(((s64 *)c->data)[i]);
	return PyLong_FromUnsignedLongLong(((u64 *)c->data)[i]);
}

static PyObject *column_get(PyObject *self, void *which)
{
	struct column_object *c = (struct column_object *)self;

	if (!which)
		return Py_NewRef(c->name);
	return which == (void *)1 ? Py_NewRef(c->names) : PyUnicode_FromString(c->format);
}

static PyObject *column_repr(PyObject *self)
{
	struct column_object *c = (struct column_object *)self;

	return PyUnicode_FromFormat("<perf.Column %R of %zd>", c->name, c->count);
}

static PyGetSetDef getters[] = {
	{ "name", column_get, NULL, "of the field", NULL },
	{ "names", column_get, NULL, "the texts that the numbers of the buffer stand for, or None",
	  (void *)1 },
	{ "format", column_get, NULL, "of an item of the buffer, as struct has it", (void *)2 },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "The values of a field for all samples: a sequence, and a buffer without a copy.\n\n"
	  "Of texts the buffer holds numbers (uint32) into names; items are the texts." },
	{ Py_tp_dealloc, column_dealloc },
	{ Py_tp_getset, getters },
	{ Py_tp_repr, column_repr },
	{ Py_sq_length, column_length },
	{ Py_sq_item, column_item },
	{ Py_bf_getbuffer, column_getbuffer },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "perf.Column",
	.basicsize = sizeof(struct column_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

int add_column(PyObject *module)
{
	column_type = add_type(module, &spec, NULL);
	return column_type ? 0 : -1;
}

/* ---- filling ---- */

enum { MOST_COLUMNS = MOST_ROW_COLUMNS };

struct columns {
	struct run *run;
	struct value_of of[MOST_COLUMNS];
	size_t count;
	struct row_parts rows;
	struct strtab *texts; /* of each part */
};

static bool is_text(const struct value_of *v)
{
	return v->kind != VALUE_NUMBER && v->kind != VALUE_SIGNED;
}

static struct column_object *column_new(const struct value_of *v, u64 rows)
{
	struct column_object *o = PyObject_New(struct column_object, (PyTypeObject *)column_type);

	if (!o)
		return NULL;
	o->count = (Py_ssize_t)rows;
	o->item = is_text(v) ? 4 : 8;
	o->format = is_text(v) ? "I" : v->kind == VALUE_SIGNED ? "q" : "Q";
	o->data = xcalloc(rows + 1, (size_t)o->item);
	o->name = PyUnicode_FromString(v->name);
	o->names = is_text(v) ? PyList_New(0) : Py_NewRef(Py_None);
	return o;
}

/*
 * Returns how many bytes a worker keeps for a value. Numbers of texts are small, except for
 * functions.
 */
static size_t width_of(const struct value_of *v)
{
	return is_text(v) && v->kind != VALUE_SYMBOL ? sizeof(u32) : sizeof(u64);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct columns *c = arg;
	u32 at;
	struct row_chunk *rows = row_new(&c->rows, worker, ss, &at);

	(void)r;
	for (size_t i = 0; i < c->count; i++) {
		u64 v = value_quick(c->run, &c->of[i], ss, &c->texts[worker]);

		if (c->rows.widths[i] == sizeof(u32))
			((u32 *)rows->columns[i])[at] = (u32)v;
		else
			((u64 *)rows->columns[i])[at] = v;
	}
	return 0;
}

/* Converts what workers noted of texts into numbers of names, in the order in which they appear. */
struct coder {
	struct {
		VEC(u32) codes; /* + 1, by what was noted; 0: not seen yet */
	} * parts;              /* a text of a tracepoint is noted as the worker's own number */
	struct map64 codes;     /* of functions, and of the texts */
	struct strtab texts;    /* the texts of all parts */
	VEC(u64) values;        /* by code, for value_object() */
};

static u32 code_by_value(struct coder *k, u64 value)
{
	bool added;
	u64 *code = map64_put(&k->codes, value, &added);

	if (added) {
		*code = k->values.count;
		vec_push(&k->values, value);
	}
	return (u32)*code;
}

static u32 new_code(struct coder *k, const struct columns *c, size_t column, u32 part, u32 noted)
{
	u64 value = noted;

	if (c->of[column].kind == VALUE_TEXT)
		value = strtab_add(&k->texts, strtab_get(&c->texts[part], noted));
	while (k->parts[part].codes.count <= noted)
		vec_push(&k->parts[part].codes, 0);
	return (k->parts[part].codes.items[noted] = code_by_value(k, value) + 1) - 1;
}

static void code_segment(struct coder *k, const struct columns *c, size_t column,
			 const struct row_segment *g, u32 *out)
{
	u32 part = g->chunk->part;
	const u32 *from = (const u32 *)g->chunk->columns[column] + g->first;

	if (c->of[column].kind == VALUE_SYMBOL) {
		const u64 *functions = (const u64 *)g->chunk->columns[column] + g->first;

		for (u32 i = 0; i < g->count; i++)
			out[i] = i && functions[i] == functions[i - 1]
					 ? out[i - 1]
					 : code_by_value(k, functions[i]);
		return;
	}
	for (u32 i = 0; i < g->count; i++) {
		u32 code = from[i] < k->parts[part].codes.count
				   ? k->parts[part].codes.items[from[i]]
				   : 0;

		out[i] = likely(code) ? code - 1 : new_code(k, c, column, part, from[i]);
	}
}

static void coder_release(struct coder *k, const struct columns *c)
{
	for (unsigned i = 0; i < c->rows.count; i++)
		vec_release(&k->parts[i].codes);
	free(k->parts);
	map64_release(&k->codes);
	strtab_release(&k->texts);
	vec_release(&k->values);
}

static int add_names(struct coder *k, const struct columns *c, size_t column, PyObject *names)
{
	vec_for_each(&k->values, v) {
		PyObject *text = value_object(c->run, &c->of[column], *v, &k->texts);
		int err = text ? PyList_Append(names, text) : -1;

		Py_XDECREF(text);
		if (err)
			return err;
	}
	return 0;
}

static PyObject *make_column(const struct columns *c, size_t column, const struct row_order *order)
{
	struct column_object *o = column_new(&c->of[column], order->rows);
	struct coder k = { 0 };
	u64 row = 0;
	int err;

	if (!o)
		return NULL;
	k.parts = xcalloc(c->rows.count, sizeof(*k.parts));
	vec_for_each(&order->segments, g) {
		if (o->item == 4)
			code_segment(&k, c, column, g, (u32 *)o->data + row);
		else
			memcpy((u64 *)o->data + row,
			       (const u64 *)g->chunk->columns[column] + g->first,
			       (size_t)g->count * 8);
		row += g->count;
	}
	err = add_names(&k, c, column, o->names);
	coder_release(&k, c);
	if (err)
		Py_CLEAR(o);
	return (PyObject *)o;
}

/* Returns a dict of columns by name. */
static PyObject *make_all(const struct columns *c)
{
	PyObject *dict = PyDict_New();
	struct row_order order;

	rows_order(&c->rows, &order);
	for (size_t i = 0; i < c->count && dict; i++) {
		PyObject *column = make_column(c, i, &order);

		if (!column || PyDict_SetItemString(dict, c->of[i].name, column) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(column);
	}
	row_order_release(&order);
	return dict;
}

/* Takes the names of fields from the arguments. Returns false with an exception. */
bool take_names(struct run *run, PyObject *args, struct value_of *of, size_t most, size_t *count)
{
	Py_ssize_t n = PyTuple_Size(args);

	*count = 0;
	if (n < 1 || (size_t)n > most) {
		PyErr_Format(PyExc_ValueError,
			     "between 1 and %zu names of fields are needed, not %zd", most, n);
		return false;
	}
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *name = PyTuple_GetItem(args, i);
		const char *text;

		if (!PyUnicode_Check(name)) {
			PyErr_SetString(PyExc_TypeError, "the name of a field is a str");
			return false;
		}
		text = PyUnicode_AsUTF8AndSize(name, NULL);
		if (!text || !value_find(text, &of[i]) || !value_settle(run, &of[i]))
			return false;
		of[i].name = text; /* the tuple keeps it */
		++*count;
	}
	return true;
}

/* Sets what a run over these values must know about samples. */
void set_needs(struct session_ops *ops, const struct value_of *of, size_t count)
{
	ops->no_chains = ops->no_tasks = ops->no_locations = true;
	for (size_t i = 0; i < count; i++) {
		ops->no_tasks &= !of[i].needs_task;
		ops->no_locations &= !of[i].needs_place;
	}
}

static int run_columns(struct columns *c, struct reason *r)
{
	struct session_ops ops = { .order = c->run->is_pipe ? SESSION_ORDERED : SESSION_SUMS,
				   .sample = on_sample };

	set_needs(&ops, c->of, c->count);
	return session_run(c->run->session, &ops, c, r);
}

static void release(struct columns *c)
{
	for (unsigned p = 0; p < c->rows.count; p++)
		strtab_release(&c->texts[p]);
	free(c->texts);
	rows_release(&c->rows);
	run_put(c->run);
}

/* Makes room for what each worker keeps. */
static void begin(struct columns *c)
{
	size_t widths[MOST_COLUMNS];

	for (size_t i = 0; i < c->count; i++)
		widths[i] = width_of(&c->of[i]);
	rows_init(&c->rows, session_workers(c->run->session), widths, c->count);
	c->rows.sorted = c->run->is_pipe;
	c->texts = xcalloc(c->rows.count, sizeof(*c->texts));
}

PyObject *recording_columns(struct run *run, PyObject *args)
{
	struct columns c = { .run = run_get(run) };
	struct reason r = REASON_INIT;
	PyObject *dict = NULL;
	int err;

	if (!take_names(c.run, args, c.of, MOST_COLUMNS, &c.count)) {
		release(&c);
		return NULL;
	}
	begin(&c);
	c.run->busy++;
	c.run->read = true;
	Py_BEGIN_ALLOW_THREADS err = run_columns(&c, &r);
	Py_END_ALLOW_THREADS c.run->busy--;
	if (err)
		raise_reason(err, &r);
	else
		dict = make_all(&c);
	if (dict && !run_warn(run))
		Py_CLEAR(dict);
	release(&c);
	return dict;
}
