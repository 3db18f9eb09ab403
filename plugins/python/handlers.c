// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which handler of the script gets what.
 *
 * A tracepoint SYS:EVENT calls SYS__EVENT(event_name, context, common_cpu, common_secs,
 * common_nsecs, common_pid, common_comm, common_callchain, its fields ...), and, where the
 * function has exactly one parameter more, with the dictionary of the sample; without such a
 * function trace_unhandled(event_name, context, fields[, dictionary]).  Other events
 * call process_event(dictionary).
 *
 * SYS and EVENT come from the recording, and so do the names of counts (stat__NAME): they call
 * functions that the script's own file defines and nothing else that its names lead to.
 */
#include "engine.h"

#include <stdlib.h>

/* ---- names of values ---- */

static int define(struct engine *e, PyObject *function, PyObject *args)
{
	PyObject *handler = script_handler(e, function), *result;

	if (!handler || !args) {
		Py_XDECREF(args);
		return args ? ENGINE_GO_ON : script_failed();
	}
	result = PyObject_CallObject(handler, args);
	Py_DECREF(args);
	if (!result)
		return script_failed();
	Py_DECREF(result);
	return ENGINE_GO_ON;
}

static int define_naming(struct engine *e, const struct event_objects *o,
			 const struct engine_naming *n)
{
	const struct keys *k = e->keys;
	bool flags = n->delimiter;
	int answer = flags ? define(e, k->define_flag_field,
				    Py_BuildValue("(Oss)", o->handler_name, n->field, n->delimiter))
			   : define(e, k->define_symbolic_field,
				    Py_BuildValue("(Os)", o->handler_name, n->field));

	for (uint32_t i = 0; answer == ENGINE_GO_ON && i < n->count; i++)
		answer = define(e, flags ? k->define_flag_value : k->define_symbolic_value,
				Py_BuildValue("(OsKs)", o->handler_name, n->field,
					      (unsigned long long)n->values[i].value,
					      n->values[i].text));
	return answer;
}

/* Defines the namings of an event in Core.py, where flag_str() and symbol_str() look. */
static int tell_namings(struct engine *e, struct event_objects *o)
{
	int answer = ENGINE_GO_ON;

	for (uint32_t i = 0; answer == ENGINE_GO_ON && i < o->event->naming_count; i++)
		answer = define_naming(e, o, &o->event->namings[i]);
	o->told = true;
	return answer;
}

/* ---- tracepoints ---- */

/* Returns how many positional parameters the handler's code has; 0 if it is not a function. */
static long argument_count(PyObject *handler)
{
	PyObject *code = PyObject_GetAttrString(handler, "__code__");
	PyObject *count = code ? PyObject_GetAttrString(code, "co_argcount") : NULL;
	long n = count ? PyLong_AsLong(count) : 0;

	PyErr_Clear();
	Py_XDECREF(code);
	Py_XDECREF(count);
	return n;
}

static long arguments_of(struct event_objects *o, PyObject *handler)
{
	if (o->handler != handler) {
		Py_INCREF(handler);
		Py_XSETREF(o->handler, handler);
		o->arguments = argument_count(handler);
	}
	return o->arguments;
}

static PyObject *field_object(struct engine *e, const struct engine_field *f,
			      const struct engine_sample *s)
{
	bool swap = e->host->swap;
	const uint8_t *p;
	uint64_t v;
	uint32_t len;

	if (!(f->flags & ENGINE_ARRAY)) {
		v = field_number(f, s->raw, swap);
		return f->flags & ENGINE_SIGNED ? PyLong_FromLongLong((long long)v)
						: PyLong_FromUnsignedLongLong(v);
	}
	p = field_bytes(f, s, swap, &len);
	if (f->flags & ENGINE_STRING && field_is_text(p, len))
		return script_decode((const char *)p, (Py_ssize_t)strlen((const char *)p));
	return PyByteArray_FromStringAndSize((const char *)p, len);
}

static int call_handler(struct engine *e, struct event_objects *o, PyObject *handler,
			const struct engine_sample *s)
{
	const struct engine_event *ev = s->event;
	PyObject **args = o->args;
	size_t n = 0;

	args[n++] = Py_NewRef(o->handler_name);
	args[n++] = Py_NewRef(e->context);
	args[n++] = PyLong_FromLong((int32_t)s->cpu);
	args[n++] = PyLong_FromUnsignedLongLong(s->time / 1000000000);
	args[n++] = PyLong_FromUnsignedLongLong(s->time % 1000000000);
	args[n++] = PyLong_FromLong(s->common_pid);
	args[n++] = script_text(e, s->comm);
	args[n++] = chain_list(e);
	for (uint32_t i = 0; i < ev->field_count; i++)
		args[n++] = field_object(e, &ev->fields[i], s);
	if (arguments_of(o, handler) == (long)n + 1) {
		args[n] = args[COMMON_ARGUMENTS - 1] ? sample_dict(e, s, args[COMMON_ARGUMENTS - 1])
						     : NULL;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		if (args[i])
			continue;
		for (i = 0; i < n; i++)
			Py_XDECREF(args[i]);
		return script_failed();
	}
	return script_call(handler, args, n);
}

static PyObject *fields_dict(struct engine *e, struct event_objects *o,
			     const struct engine_sample *s, PyObject *chain)
{
	const struct keys *k = e->keys;
	PyObject *d = PyDict_New();
	int err = !d || dict_put(d, k->common_cpu, PyLong_FromLong((int32_t)s->cpu)) ||
		  dict_put(d, k->common_s, PyLong_FromUnsignedLongLong(s->time / 1000000000)) ||
		  dict_put(d, k->common_ns, PyLong_FromUnsignedLongLong(s->time % 1000000000)) ||
		  dict_put(d, k->common_pid, PyLong_FromLong(s->common_pid)) ||
		  dict_put(d, k->common_comm, script_text(e, s->comm)) ||
		  dict_put(d, k->common_callchain, Py_NewRef(chain));

	for (uint32_t i = 0; !err && i < s->event->field_count; i++)
		err = dict_put(d, o->fields[i], field_object(e, &s->event->fields[i], s));
	if (!err)
		return d;
	Py_XDECREF(d);
	return NULL;
}

static int call_unhandled(struct engine *e, struct event_objects *o, const struct engine_sample *s)
{
	PyObject *handler = script_handler(e, e->keys->trace_unhandled), *chain, *args[4];
	size_t n = 3;

	if (!handler)
		return ENGINE_GO_ON;
	chain = chain_list(e);
	args[0] = Py_NewRef(o->handler_name);
	args[1] = Py_NewRef(e->context);
	args[2] = chain ? fields_dict(e, o, s, chain) : NULL;
	if (args[2] && arguments_of(o, handler) == 4)
		args[n++] = sample_dict(e, s, chain);
	Py_XDECREF(chain);
	if (args[2] && args[n - 1])
		return script_call(handler, args, n);
	for (size_t i = 0; i < n; i++)
		Py_XDECREF(args[i]);
	return script_failed();
}

static int tracepoint(struct engine *e, const struct engine_sample *s)
{
	struct event_objects *o = events_get(e, s->event);
	PyObject *handler = NULL;

	if (!o || !o->handler_name)
		return script_failed();
	if (!o->told) {
		int answer = tell_namings(e, o);

		if (answer != ENGINE_GO_ON)
			return answer;
	}
	if (o->may_be_handled)
		handler = script_own_handler(e, o->handler_name);
	return handler ? call_handler(e, o, handler, s) : call_unhandled(e, o, s);
}

static int general(struct engine *e, const struct engine_sample *s)
{
	PyObject *handler = script_handler(e, e->keys->process_event), *chain, *dict;

	if (e->exporter)
		return export_sample(e, s);
	if (!handler)
		return ENGINE_GO_ON;
	chain = chain_list(e);
	dict = chain ? sample_dict(e, s, chain) : NULL;
	Py_XDECREF(chain);
	return dict ? script_call(handler, &dict, 1) : script_failed();
}

int handlers_sample(struct engine *e, const struct engine_sample *s)
{
	return s->event->is_tracepoint ? tracepoint(e, s) : general(e, s);
}

/* ---- other records ---- */

static int call_built(PyObject *handler, PyObject *args)
{
	PyObject *result = args ? PyObject_CallObject(handler, args) : NULL;

	Py_XDECREF(args);
	if (!result)
		return script_failed();
	Py_DECREF(result);
	return ENGINE_GO_ON;
}

static PyObject *record_name(struct engine *e, const struct engine_record *r)
{
	const struct keys *k = e->keys;
	PyObject *name;

	switch (r->kind) {
	case ENGINE_SWITCH:
		return Py_NewRef(k->context_switch);
	case ENGINE_THROTTLE:
		return Py_NewRef(k->throttle);
	case ENGINE_UNTHROTTLE:
		return Py_NewRef(k->unthrottle);
	case ENGINE_TRACE_ERROR:
		return Py_NewRef(k->auxtrace_error);
	case ENGINE_INTERVAL:
		return Py_NewRef(k->stat__interval);
	case ENGINE_COMMAND:
		return NULL;
	case ENGINE_STAT:
		break;
	}
	name = script_decode(r->name, (Py_ssize_t)strlen(r->name));
	if (name) {
		PyObject *plain = PyObject_CallMethod(name, "replace", "ss", ":", "_");

		Py_SETREF(name, plain ? PyUnicode_FromFormat("stat__%U", plain) : NULL);
		Py_XDECREF(plain);
	}
	return name;
}

static PyObject *record_arguments(const struct engine_record *r)
{
	typedef unsigned long long big;

	switch (r->kind) {
	case ENGINE_SWITCH:
		return Py_BuildValue("(KiiiiiiNNii)", (big)r->time, r->cpu, r->pid, r->tid,
				     r->next_prev_pid, r->next_prev_tid, r->machine_pid,
				     PyBool_FromLong(r->out), PyBool_FromLong(r->preempted),
				     r->guest_pid, r->vcpu);
	case ENGINE_THROTTLE:
	case ENGINE_UNTHROTTLE:
		return Py_BuildValue("(KKKiii)", (big)r->time, (big)r->id, (big)r->stream_id,
				     r->cpu, r->pid, r->tid);
	case ENGINE_TRACE_ERROR:
		return Py_BuildValue("(IIiiiKKNIii)", r->type, r->code, r->cpu, r->pid, r->tid,
				     (big)r->ip, (big)r->time,
				     script_decode(r->message, (Py_ssize_t)strlen(r->message)),
				     r->cpumode, r->guest_pid, r->vcpu);
	case ENGINE_STAT:
		return Py_BuildValue("(iiKKKK)", r->cpu, r->thread, (big)r->time, (big)r->value,
				     (big)r->enabled, (big)r->running);
	case ENGINE_INTERVAL:
		return Py_BuildValue("(K)", (big)r->time);
	case ENGINE_COMMAND:
		break;
	}
	return NULL;
}

int handlers_record(struct engine *e, const struct engine_record *r)
{
	PyObject *name, *handler = NULL;

	if (e->exporter && r->kind == ENGINE_SWITCH)
		return export_switch(e, r);
	if (r->kind == ENGINE_COMMAND)
		return e->exporter ? export_command(e, r) : ENGINE_GO_ON;
	name = record_name(e, r);
	if (!name)
		return script_failed();
	if (r->kind != ENGINE_STAT)
		handler = script_handler(e, name);
	else if (PyUnicode_Compare(
			 name, e->keys->stat__interval)) /* an event called "interval" is not one */
		handler = script_own_handler(e, name);
	Py_DECREF(name);
	return handler ? call_built(handler, record_arguments(r)) : ENGINE_GO_ON;
}
