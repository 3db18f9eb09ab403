// SPDX-License-Identifier: GPL-2.0-or-later
/* The events of a recording as objects, made when the first sample of each comes. */
#include "engine.h"

#include <stdlib.h>

static PyObject **field_names(const struct engine_event *ev)
{
	PyObject **names = calloc(ev->field_count + 1u, sizeof(*names));

	for (uint32_t i = 0; names && i < ev->field_count; i++)
		names[i] = PyUnicode_DecodeUTF8(ev->fields[i].name,
						(Py_ssize_t)strlen(ev->fields[i].name),
						"surrogateescape");
	return names;
}

static bool make_event(struct event_objects *o, const struct engine_event *ev)
{
	o->event = ev;
	o->name = script_decode(ev->name, (Py_ssize_t)strlen(ev->name));
	o->attr = PyBytes_FromStringAndSize(ev->attr, ev->attr_size);
	if (ev->system)
		o->handler_name = PyUnicode_FromFormat("%s__%s", ev->system, ev->tracepoint);
	if (o->handler_name)
		PyUnicode_InternInPlace(&o->handler_name);
	/* stat__NAME and stat__interval take counts */
	o->may_be_handled = field_names_handler(ev->system) &&
			    field_names_handler(ev->tracepoint) && strcmp(ev->system, "stat");
	o->fields = field_names(ev);
	o->args = calloc(COMMON_ARGUMENTS + ev->field_count + 1u, sizeof(PyObject *));
	return o->name && o->attr && o->fields && o->args;
}

struct event_objects *events_get(struct engine *e, const struct engine_event *ev)
{
	if (ev->index >= e->event_count) {
		uint32_t count = ev->index + 8;
		struct event_objects *more = realloc(e->events, count * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + e->event_count, 0, (count - e->event_count) * sizeof(*more));
		e->events = more;
		e->event_count = count;
	}
	if (!e->events[ev->index].event && !make_event(&e->events[ev->index], ev))
		return NULL;
	return &e->events[ev->index];
}

void events_release(struct engine *e)
{
	for (uint32_t i = 0; i < e->event_count; i++) {
		struct event_objects *o = &e->events[i];

		for (uint32_t f = 0; o->fields && f < o->event->field_count; f++)
			Py_XDECREF(o->fields[f]);
		free(o->fields);
		free(o->args);
		Py_XDECREF(o->handler_name);
		Py_XDECREF(o->name);
		Py_XDECREF(o->attr);
		Py_XDECREF(o->handler);
	}
	free(e->events);
	e->events = NULL;
	e->event_count = 0;
}
