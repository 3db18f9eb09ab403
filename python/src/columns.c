// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * columns(): the values of all samples as arrays that NumPy, array and memoryview take as
 * they are.  Texts are numbers (u32) into a list of names.
 *
 * Workers fill pieces of their own, which are then put in order of time: a merge of the
 * ascending runs that they consist of, which are long, since a block of a file is nearly sorted.
 */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* ---- the object ---- */

struct column_object {
	PyObject_HEAD
	void *data;
	Py_ssize_t count, item; /* item: bytes of one */
	Py_ssize_t views;	/* how many buffers use the data, which stays where it is anyway */
	const char *format;	/* as Python's struct names it: "Q", "q", "I" */
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
		.buf = c->data, .obj = Py_NewRef(self), .len = c->count * c->item, .itemsize = c->item,
		.readonly = 1, .ndim = 1, .format = flags & PyBUF_FORMAT ? (char *)c->format : NULL,
		.shape = flags & PyBUF_ND ? &c->count : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &c->item : NULL,
	};
	return 0;
}

static Py_ssize_t column_length(PyObject *self)
{
	return ((struct column_object *)self)->count;
}

/* The value, or for texts the text. */
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
	{ "names", column_get, NULL, "the texts that the numbers of the buffer stand for, or None", (void *)1 },
	{ "format", column_get, NULL, "of an item of the buffer, as struct has it", (void *)2 },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "The values of a field for all samples: a sequence, and a buffer without a copy.\n\n"
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
	.name = "perf.Column", .basicsize = sizeof(struct column_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, .slots = slots,
};

int add_column(PyObject *module)
{
	column_type = add_type(module, &spec, NULL);
	return column_type ? 0 : -1;
}

/* ---- filling ---- */

enum { MOST_COLUMNS = 64 };

struct part { /* what one worker has */
	VEC(struct order_key) keys;
	VEC(u64) values[MOST_COLUMNS];
	struct strtab texts;
};

struct columns {
	struct run *run;
	struct value_of of[MOST_COLUMNS];
	size_t count;
	struct part *parts;
	unsigned part_count;
	u64 rows;
};

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct columns *c = arg;
	struct part *p = &c->parts[worker];

	(void)r;
	vec_push(&p->keys, ss->key);
	for (size_t i = 0; i < c->count; i++)
		vec_push(&p->values[i], value_get(c->run, &c->of[i], ss, &p->texts));
	return 0;
}

/* A row: which part, and where in it. */
struct place {
	u32 part, row;
};

static const struct order_key *key_of(const struct columns *c, struct place p)
{
	return &c->parts[p.part].keys.items[p.row];
}

static bool before(const struct columns *c, struct place a, struct place b)
{
	return order_key_cmp(key_of(c, a), key_of(c, b)) < 0;
}

/* Where the ascending run that begins at i ends. */
static size_t run_end(const struct columns *c, const struct place *at, size_t i, size_t n)
{
	for (i++; i < n && !before(c, at[i], at[i - 1]); i++)
		;
	return i;
}

static void merge_two(const struct columns *c, const struct place *a, size_t na, const struct place *b, size_t nb,
		      struct place *out)
{
	while (na && nb)
		if (before(c, *b, *a)) {
			*out++ = *b++;
			nb--;
		} else {
			*out++ = *a++;
			na--;
		}
	memcpy(out, a, na * sizeof(*a));
	memcpy(out + na, b, nb * sizeof(*b));
}

/* All rows in order of time; malloc'ed. */
static struct place *in_order(const struct columns *c)
{
	size_t n = (size_t)c->rows, at = 0, runs = 0;
	struct place *places = xcalloc(n + 1, sizeof(*places)), *other = xcalloc(n + 1, sizeof(*other)), *swap;
	VEC(size_t) ends = VEC_INIT, merged = VEC_INIT;

	for (unsigned p = 0; p < c->part_count; p++)
		for (u32 row = 0; row < c->parts[p].keys.count; row++)
			places[at++] = (struct place){ p, row };
	for (size_t i = 0; i < n; i = *vec_last(&ends))
		vec_push(&ends, run_end(c, places, i, n));
	for (runs = ends.count; runs > 1; runs = ends.count) {
		size_t start = 0;

		vec_clear(&merged);
		for (size_t i = 0; i < runs; i += 2) {
			size_t middle = ends.items[i], end = i + 1 < runs ? ends.items[i + 1] : middle;

			merge_two(c, places + start, middle - start, places + middle, end - middle, other + start);
			vec_push(&merged, end);
			start = end;
		}
		vec_clear(&ends);
		vec_for_each(&merged, e)
			vec_push(&ends, *e);
		swap = places;
		places = other;
		other = swap;
	}
	vec_release(&ends);
	vec_release(&merged);
	free(other);
	return places;
}

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

/* From what workers noted of texts to numbers into names. */
struct coder {
	struct map64 codes;
	struct strtab texts; /* the texts of all parts */
	VEC(u64) values;     /* by code, for value_object() */
	struct {
		u64 value;
		u32 code; /* + 1; 0: nothing is kept here */
	} recent[16]; /* numbers that were asked for lately */
};

static u32 code_of(struct coder *k, const struct columns *c, size_t column, struct place p)
{
	u64 value = c->parts[p.part].values[column].items[p.row], *code;
	size_t at;
	bool added;

	if (c->of[column].kind == VALUE_TEXT)
		value = strtab_add(&k->texts, strtab_get(&c->parts[p.part].texts, (u32)value));
	at = value % ARRAY_SIZE(k->recent);
	if (likely(k->recent[at].code && k->recent[at].value == value))
		return k->recent[at].code - 1;
	code = map64_put(&k->codes, value, &added);
	if (added) {
		*code = k->values.count;
		vec_push(&k->values, value);
	}
	k->recent[at].value = value;
	k->recent[at].code = (u32)*code + 1;
	return (u32)*code;
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

static PyObject *make_column(const struct columns *c, size_t column, const struct place *order)
{
	struct column_object *o = column_new(&c->of[column], c->rows);
	struct coder k = { 0 };
	int err;

	if (!o)
		return NULL;
	for (u64 row = 0; row < c->rows; row++)
		if (o->item == 4)
			((u32 *)o->data)[row] = code_of(&k, c, column, order[row]);
		else
			((u64 *)o->data)[row] = c->parts[order[row].part].values[column].items[order[row].row];
	err = add_names(&k, c, column, o->names);
	map64_release(&k.codes);
	strtab_release(&k.texts);
	vec_release(&k.values);
	if (err)
		Py_CLEAR(o);
	return (PyObject *)o;
}

/* A dict of columns by name. */
static PyObject *make_all(const struct columns *c)
{
	PyObject *dict = PyDict_New();
	struct place *order = in_order(c);

	for (size_t i = 0; i < c->count && dict; i++) {
		PyObject *column = make_column(c, i, order);

		if (!column || PyDict_SetItemString(dict, c->of[i].name, column) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(column);
	}
	free(order);
	return dict;
}

/* The names of fields among the arguments: true, or an exception. */
bool take_names(struct run *run, PyObject *args, struct value_of *of, size_t most, size_t *count)
{
	Py_ssize_t n = PyTuple_Size(args);

	*count = 0;
	if (n < 1 || (size_t)n > most) {
		PyErr_Format(PyExc_ValueError, "between 1 and %zu names of fields are needed, not %zd", most, n);
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

/* What a run over values has to know of samples. */
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
	struct session_ops ops = { .order = c->run->is_pipe ? SESSION_ORDERED : SESSION_SUMS, .sample = on_sample };
	int err;

	set_needs(&ops, c->of, c->count);
	err = session_run(c->run->session, &ops, c, r);
	for (unsigned p = 0; p < c->part_count; p++)
		c->rows += c->parts[p].keys.count;
	return err;
}

static void release(struct columns *c)
{
	for (unsigned p = 0; p < c->part_count; p++) {
		vec_release(&c->parts[p].keys);
		for (size_t i = 0; i < MOST_COLUMNS; i++)
			vec_release(&c->parts[p].values[i]);
		strtab_release(&c->parts[p].texts);
	}
	free(c->parts);
	run_put(c->run);
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
	c.part_count = session_workers(c.run->session);
	c.parts = xcalloc(c.part_count, sizeof(*c.parts));
	c.run->busy++;
	c.run->read = true;
	Py_BEGIN_ALLOW_THREADS
	err = run_columns(&c, &r);
	Py_END_ALLOW_THREADS
	c.run->busy--;
	if (err)
		raise_reason(err, &r);
	else
		dict = make_all(&c);
	if (dict && !run_warn(run))
		Py_CLEAR(dict);
	release(&c);
	return dict;
}
