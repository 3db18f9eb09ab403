/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting and sampling what runs now: cpu_map, thread_map, evsel, evlist and their records. */
#ifndef PYTHON_LIVE_H
#define PYTHON_LIVE_H

#include "module.h"
#include "sys/sys.h"

extern const struct sys this_host;

/* cpu_map and thread_map: numbers, -1 for any. */
struct map_object {
	PyObject_HEAD
	s32 *numbers;
	Py_ssize_t count;
};
extern PyObject *cpu_map_type, *thread_map_type;
/* The map of an argument, a new one for NULL or None; new reference. */
struct map_object *map_of(PyObject *o, PyObject *type);

struct evsel_object {
	PyObject_HEAD
	struct perf_event_attr attr;
	char *name;
	struct map_object *cpus, *threads; /* where it is open; NULL: nowhere */
	int *fds;			   /* by CPU, then thread; -1: not there */
};
extern PyObject *evsel_type;
PyObject *evsel_new(const struct perf_event_attr *attr, const char *name);
/* 0, or -1 with an exception.  Nothing when it is open already. */
int evsel_open(struct evsel_object *e, struct map_object *cpus, struct map_object *threads);
int evsel_fd(const struct evsel_object *e, Py_ssize_t cpu, Py_ssize_t thread);

/* An object for a record that came from a ring; formats: of tracepoints, or NULL. */
PyObject *live_event_new(const struct event_set *set, const struct record *rec,
			 const struct tracepoint_formats *formats);

PyObject *perf_parse_events(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *perf_tracepoint(PyObject *module, PyObject *args, PyObject *kwargs);

#endif
