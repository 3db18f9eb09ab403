/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting and sampling what runs now: cpu_map, thread_map, evsel, evlist and their records. */
#ifndef PYTHON_LIVE_H
#define PYTHON_LIVE_H

#include "event/list.h"
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
/*
 * Returns a new reference to the map of an argument, or to a new map for NULL or None; NULL with an
 * exception.
 */
struct map_object *map_of(PyObject *o, PyObject *type);
/*
 * Returns a new map of a list; the next function, of what a map has in common with another one
 * (NULL: all), in its order.
 */
struct map_object *cpu_map_of_list(const u32 *cpus, size_t count);
bool map_holds(const struct map_object *m, s32 number);
struct map_object *map_common(const struct map_object *m, const struct map_object *with);

struct evsel_object {
	PyObject_HEAD
	struct perf_event_attr attr;
	char *name;
	struct map_object *cpus, *threads; /* where it is open; NULL: nowhere */
	/* the CPUs that its PMU or the term cpu= names; NULL: any */
	struct map_object *own_cpus;
	bool of_package;             /* the PMU counts what runs on a package, not a task */
	int *fds;                    /* by CPU, then thread; -1: not there */
	struct evsel_object *leader; /* leads its group; NULL: it leads itself, or is alone */
	bool joined;                 /* it is open in its leader's group */
	u32 place;                   /* in the group; 0: it leads, or is alone */
	u32 members;                 /* of a leader: how many have joined */
	/* config() asks for the records of tasks and mappings in its ring */
	bool tracking;
	/* enum tool_event, which the kernel does not count; 0: none */
	u8 tool;
	u64 opened_at; /* ns, of a tool */
};
extern PyObject *evsel_type;
PyObject *evsel_new(const struct perf_event_attr *attr, const char *name);
/* Returns the kernel's id of a counter, or 0 when it has none. */
u64 evsel_kernel_id(int fd);
/* Opens the event. Returns 0, or -1 with an exception. Does nothing when it is open already. */
int evsel_open(struct evsel_object *e, struct map_object *cpus, struct map_object *threads);
/*
 * Reads (value, ns enabled, ns running, id, lost) at a place of its maps. Returns 0, or -1 with an
 * exception.
 */
int evsel_read(const struct evsel_object *e, Py_ssize_t cpu, Py_ssize_t thread, u64 out[5]);
/* Returns the place of a CPU or a thread in a map of an open event; -1 with an exception. */
Py_ssize_t evsel_place_of(const struct map_object *m, int number);
int evsel_fd(const struct evsel_object *e, Py_ssize_t cpu, Py_ssize_t thread);

/* The places of the addresses in an evlist's samples (places.c). */
struct places;
struct place_asked {
	s32 pid, tid;
	u8 cpumode;
	u64 ip;
};
enum place_part {
	PLACE_DSO,
	PLACE_DSO_PATH,
	PLACE_BUILD_ID,
	PLACE_MAP_START,
	PLACE_MAP_END,
	PLACE_MAP_PGOFF,
	PLACE_SYMBOL,
	PLACE_SYM_START,
	PLACE_SYM_END,
};
void places_free(struct places *p);
/*
 * Applies a record from a ring. Does nothing if p is NULL, since nobody has asked for places yet.
 */
void places_apply(struct places *p, const struct event_set *set, const struct record *rec);
/* New reference; None: not known. */
PyObject *places_part(struct places *p, const struct place_asked *q, enum place_part part);
/*
 * The bytes of the instruction there, or None; (file, line, text) as Sample.srccode() returns it.
 */
PyObject *places_instruction(struct places *p, const struct place_asked *q);
PyObject *places_source(struct places *p, const struct place_asked *q);
/* Returns the places of an evlist, which are made when they are asked for the first time. */
struct places *places_of(struct places **slot);

/*
 * An object for a record that came from a ring; formats: of tracepoints, or NULL; events: a list
 * with the evsel of each event of the set; list: the evlist, or NULL; places: the evlist's, which
 * live as long as it does.
 */
PyObject *live_event_new(const struct event_set *set, const struct record *rec,
			 const struct tracepoint_formats *formats, PyObject *events, PyObject *list,
			 struct places **places);

/* What a counter said: val, ena, run, id, lost. */
enum { COUNT_NUMBERS = 5 };
PyObject *counts_values_new(const u64 numbers[COUNT_NUMBERS]);

/* metrics.c: what an evlist of parse_metrics() computes from its events; NULL with an exception */
struct list_metrics;
struct list_metrics *list_metrics_new(const char *names, const char *pmu);
void list_metrics_free(struct list_metrics *m);
const struct event_set *list_metrics_events(const struct list_metrics *m);
PyObject *list_metrics_names(const struct list_metrics *m); /* m NULL: none */
/*
 * Computes the metrics; events is a list of evsel, which begins with those of
 * list_metrics_events().
 */
PyObject *list_metrics_compute(const struct list_metrics *m, PyObject *events, const char *name,
			       int cpu, int thread);
PyObject *perf_metrics(PyObject *module, PyObject *args);
PyObject *perf_parse_metrics(PyObject *module, PyObject *args, PyObject *kwargs);

/*
 * event_texts.c: the words for a software or tool event, NULL for others; and for the kind of an
 * event.
 */
struct event_text {
	const char *name, *desc, *long_desc; /* long_desc: NULL when desc says all */
};
const struct event_text *event_text_of(const char *name);
const char *event_topic(enum event_kind kind);

PyObject *perf_parse_events(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *perf_pmus(PyObject *module, PyObject *args);
PyObject *perf_syscall_name(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *perf_syscall_id(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *perf_config_get(PyObject *module, PyObject *args);

PyObject *perf_tracepoint(PyObject *module, PyObject *args, PyObject *kwargs);

#endif
