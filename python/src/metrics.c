// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics: those of the machine, an evlist that counts for some, and their values. */
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/metrics.h"

/* ---- those of the machine ---- */

/* Takes the reference to value, and leaves None out: 0, or -1 with an exception. */
static int set_item(PyObject *dict, const char *name, PyObject *value)
{
	int err = value == Py_None ? 0 : value ? PyDict_SetItemString(dict, name, value) : -1;

	Py_XDECREF(value);
	return err;
}

static PyObject *list_of(const struct strlist *texts)
{
	PyObject *list = PyList_New(0);

	vec_for_each(&texts->list, text) {
		PyObject *o = list ? text_object(*text) : NULL;

		if (!o || PyList_Append(list, o) < 0)
			Py_CLEAR(list);
		Py_XDECREF(o);
	}
	return list;
}

static PyObject *unit_of(const struct metric_entry *m)
{
	char *text = xasprintf("%g%s", m->scale, m->unit);
	PyObject *o = text_object(text);

	free(text);
	return o;
}

static PyObject *metric_object(const struct metric_entry *m)
{
	PyObject *d = PyDict_New();

	if (d &&
	    (set_item(d, "MetricName", text_object(m->name)) ||
	     set_item(d, "MetricGroup", list_of(&m->groups)) ||
	     set_item(d, "PMU", text_object(m->pmu)) ||
	     set_item(d, "MetricExpr", text_object(m->expression)) ||
	     set_item(d, "MetricThreshold", text_object(*m->threshold ? m->threshold : NULL)) ||
	     set_item(d, "ScaleUnit", unit_of(m)) ||
	     set_item(d, "BriefDescription", text_object(m->description))))
		Py_CLEAR(d);
	return d;
}

PyObject *perf_metrics(PyObject *module, PyObject *args)
{
	struct metric_set m = { .no_group = true };
	struct reason r = REASON_INIT;
	int err = metric_set_init(&m, &this_host, &r);
	PyObject *list = err ? raise_reason(err, &r) : PyList_New(0);

	(void)module, (void)args;
	vec_for_each(&m.catalogue.list, it) {
		PyObject *metric;

		/* helpers of others have no group */
		if (!list || !*it->description || !it->groups.list.count)
			continue;
		metric = metric_object(it);
		if (!metric || PyList_Append(list, metric) < 0)
			Py_CLEAR(list);
		Py_XDECREF(metric);
	}
	metric_set_release(&m);
	return list;
}

/* ---- those of an evlist ---- */

struct list_metrics {
	struct metric_set set;
	struct event_set events; /* the first ones of the evlist, in their order */
};

void list_metrics_free(struct list_metrics *m)
{
	if (!m)
		return;
	metric_set_release(&m->set);
	event_set_release(&m->events);
	free(m);
}

const struct event_set *list_metrics_events(const struct list_metrics *m)
{
	return &m->events;
}

struct list_metrics *list_metrics_new(const char *names, const char *pmu)
{
	const struct event_parser parser = { .command = "stat", .counting = true, .core_pmu = pmu };
	struct list_metrics *m = xcalloc(1, sizeof(*m));
	struct reason r = REASON_INIT;
	int err = metric_set_init(&m->set, &this_host, &r);

	event_set_init(&m->events);
	/* each event by itself: a group that does not fit the CPU would count nothing */
	m->set.no_group = true;
	if (!err)
		err = metric_set_add(&m->set, &parser, &m->events, names, &r);
	if (!err) {
		reason_release(&r);
		return m;
	}
	list_metrics_free(m);
	return (struct list_metrics *)raise_reason(err, &r);
}

PyObject *list_metrics_names(const struct list_metrics *m)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; m && list && i < m->set.list.count; i++) {
		PyObject *name = text_object(metric_set_name(&m->set, i));

		if (!name || PyList_Append(list, name) < 0)
			Py_CLEAR(list);
		Py_XDECREF(name);
	}
	return list;
}

/* Adds the counts of one CPU and thread. Returns 0, or -1 with an exception. */
static int count_all(const struct list_metrics *m, PyObject *events, int cpu, int thread,
		     struct stat_table *t)
{
	u64 longest = 0;

	for (u32 i = 0; i < m->events.list.count; i++) {
		const struct evsel_object *e =
			(struct evsel_object *)PyList_GetItem(events, (Py_ssize_t)i);
		Py_ssize_t at_cpu, at_thread;
		u64 v[COUNT_NUMBERS];

		if (!e->fds) {
			PyErr_Format(PyExc_ValueError, "the event '%s' is not open", e->name);
			return -1;
		}
		at_cpu = evsel_place_of(e->cpus, cpu);
		at_thread = at_cpu < 0 ? -1 : evsel_place_of(e->threads, thread);
		if (at_thread < 0 || evsel_read(e, at_cpu, at_thread, v))
			return -1;
		stat_table_add(t, 0, i,
			       &(struct stat_count){ .value = v[0],
						     .enabled = v[1],
						     .running = v[2],
						     .supported = true,
						     .counters = 1 });
		longest = MAX(longest, v[1]);
	}
	stat_table_end_run(t, longest);
	return 0;
}

PyObject *list_metrics_compute(const struct list_metrics *m, PyObject *events, const char *name,
			       int cpu, int thread)
{
	struct stat_domains domains = { 0 };
	struct stat_table table = { 0 };
	s32 number = cpu;
	double value = NAN;
	bool known = false;
	int err;

	if (!m) {
		PyErr_SetString(PyExc_ValueError, "the list is not one of parse_metrics()");
		return NULL;
	}
	stat_domains_of_cpus(&domains, STAT_BY_ALL, NULL, &number, 1);
	stat_table_init(&table, &m->events, &domains);
	err = count_all(m, events, cpu, thread, &table);
	if (!err)
		known = metric_set_value(&m->set, &table, 0, name, &value);
	stat_table_release(&table);
	stat_domains_release(&domains);
	if (err)
		return NULL;
	if (known)
		return PyFloat_FromDouble(value);
	PyErr_Format(PyExc_ValueError, "the list has no metric '%s'", name);
	return NULL;
}
