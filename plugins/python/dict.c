// SPDX-License-Identifier: GPL-2.0-or-later
/* The dictionary of a sample, as perf 6.1 makes it, with id, stream_id and ins_lat in "sample". */
#include "engine.h"

static PyObject *number(uint64_t v)
{
	return PyLong_FromUnsignedLongLong(v);
}

static PyObject *text(const char *s)
{
	return script_decode(s, (Py_ssize_t)strlen(s));
}

struct place_keys {
	PyObject *dso, *build_id, *start, *end, *symbol, *offset;
};

static int put_place(struct engine *e, PyObject *d, const struct engine_place *p,
		     const struct place_keys *k)
{
	if (p->dso && (dict_put(d, k->dso, script_text(e, p->dso)) ||
		       dict_put(d, k->build_id, script_text(e, p->build_id)) ||
		       dict_put(d, k->start, number(p->map_start)) ||
		       dict_put(d, k->end, number(p->map_end))))
		return -1;
	return p->symbol && (dict_put(d, k->symbol, script_text(e, p->symbol)) ||
			     dict_put(d, k->offset, number(p->offset)))
		       ? -1
		       : 0;
}

/* Returns (id, value[, lost]), as the event's read_format has it. */
static PyObject *read_tuple(struct engine *e, const struct engine_sample *s, uint32_t n, bool lost)
{
	struct engine_read_value v = { 0, 0, 0 };
	PyObject *t = PyTuple_New(3);

	if (!t)
		return NULL;
	if (n < s->read_count)
		e->host->read_value(e->host->arg, n, &v);
	PyTuple_SET_ITEM(t, 0, number(v.id));
	PyTuple_SET_ITEM(t, 1, number(v.value));
	PyTuple_SET_ITEM(t, 2, lost ? number(v.lost) : Py_NewRef(Py_None));
	return t;
}

static int put_read(struct engine *e, PyObject *d, const struct engine_sample *s)
{
	enum { ENABLED = 1, RUNNING = 2, GROUP = 8, LOST = 16 };
	const struct keys *k = e->keys;
	uint64_t format = s->event->read_format;
	uint32_t count = format & GROUP ? s->read_count : 1; /* zeros where nothing was read */
	PyObject *values;

	if ((format & ENABLED && dict_put(d, k->time_enabled, number(s->time_enabled))) ||
	    (format & RUNNING && dict_put(d, k->time_running, number(s->time_running))))
		return -1;
	values = PyList_New(count);
	for (uint32_t i = 0; values && i < count; i++) {
		PyObject *t = read_tuple(e, s, i, format & LOST);

		if (!t)
			Py_CLEAR(values);
		else
			PyList_SET_ITEM(values, i, t);
	}
	return dict_put(d, k->values, values);
}

static int put_data_source(struct engine *e, PyObject *d, const struct engine_sample *s)
{
	enum { MOST = 99 }; /* characters, as in perf */
	const char *decoded = e->host->data_src(e->host->arg, s->data_src);

	return dict_put(d, e->keys->datasrc, number(s->data_src)) ||
	       dict_put(d, e->keys->datasrc_decode,
			script_decode(decoded, (Py_ssize_t)strnlen(decoded, MOST)));
}

static int put_addr(struct engine *e, PyObject *d)
{
	const struct keys *k = e->keys;
	const struct place_keys names = { k->addr_dso,           k->addr_dso_bid,
					  k->addr_dso_map_start, k->addr_dso_map_end,
					  k->addr_symbol,        k->addr_symoff };
	struct engine_place p;

	e->host->place(e->host->arg, true, &p);
	return dict_put(d, k->addr_correlates_sym, Py_NewRef(Py_True)) ||
	       put_place(e, d, &p, &names);
}

/* Returns sample["sample"]. */
static PyObject *numbers_dict(struct engine *e, const struct engine_sample *s)
{
	const struct keys *k = e->keys;
	PyObject *d = PyDict_New();
	int err = !d || dict_put(d, k->pid, number(s->pid)) ||
		  dict_put(d, k->tid, number(s->tid)) || dict_put(d, k->cpu, number(s->cpu)) ||
		  dict_put(d, k->ip, number(s->ip)) || dict_put(d, k->time, number(s->time)) ||
		  dict_put(d, k->period, number(s->period)) ||
		  dict_put(d, k->phys_addr, number(s->phys_addr)) ||
		  dict_put(d, k->addr, number(s->addr)) || put_read(e, d, s) ||
		  dict_put(d, k->weight, number(s->weight)) ||
		  dict_put(d, k->ins_lat, number(s->ins_lat)) ||
		  dict_put(d, k->transaction, number(s->transaction)) || put_data_source(e, d, s) ||
		  dict_put(d, k->id, number(s->id)) ||
		  dict_put(d, k->stream_id, number(s->stream_id)) ||
		  dict_put(d, k->cpumode, PyLong_FromLong(s->cpumode));

	if (!err && s->machine_pid)
		err = dict_put(d, k->machine_pid, number(s->machine_pid)) ||
		      dict_put(d, k->vcpu, PyLong_FromLong(s->vcpu));
	if (!err && s->addr_has_place)
		err = put_addr(e, d);
	if (!err)
		return d;
	Py_XDECREF(d);
	return NULL;
}

static int put_registers(struct engine *e, PyObject *d)
{
	return dict_put(d, e->keys->iregs, text(e->host->registers(e->host->arg, false))) ||
	       dict_put(d, e->keys->uregs, text(e->host->registers(e->host->arg, true)));
}

PyObject *sample_dict(struct engine *e, const struct engine_sample *s, PyObject *chain)
{
	const struct keys *k = e->keys;
	const struct place_keys names = { k->dso,         k->dso_bid, k->dso_map_start,
					  k->dso_map_end, k->symbol,  k->symoff };
	struct event_objects *o = events_get(e, s->event);
	PyObject *d = o ? PyDict_New() : NULL;
	struct engine_place place;
	int err = !d || dict_put(d, k->ev_name, Py_NewRef(o->name)) ||
		  dict_put(d, k->attr, Py_NewRef(o->attr)) ||
		  dict_put(d, k->sample, numbers_dict(e, s)) ||
		  dict_put(d, k->raw_buf,
			   PyBytes_FromStringAndSize((const char *)s->raw, s->raw_size)) ||
		  dict_put(d, k->comm, script_text(e, s->comm));

	if (!err) {
		e->host->place(e->host->arg, false, &place);
		err = put_place(e, d, &place, &names) ||
		      dict_put(d, k->callchain, Py_NewRef(chain)) ||
		      dict_put(d, k->brstack, branch_list(e)) ||
		      dict_put(d, k->brstacksym, branch_names(e)) || put_registers(e, d);
	}
	if (!err)
		return d;
	Py_XDECREF(d);
	return NULL;
}
