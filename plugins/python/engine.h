/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Python engine.
 *
 *	engine.c	start and stop, exceptions, threads of the script
 *	handlers.c	which handler gets what: tracepoints, process_event, records
 *	dict.c		the dictionary of a sample
 *	chain.c		call chains and branch stacks
 *	module.c	perf_trace_context
 *	export.c	scripts that fill a database (perf_db_export_mode)
 *
 * One interpreter, one thread of perf; threads that a script starts run between the calls.
 */
#ifndef PLUGINS_PYTHON_ENGINE_H
#define PLUGINS_PYTHON_ENGINE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "fields.h"

/* Text -> its Python string, by the address of the text, which is good for the whole run. */
struct text_cache {
	struct text_slot {
		const char *text;
		PyObject *string;
	} * slots;
	size_t count, space; /* space: 0 or a power of two */
};

/* The objects that are made once for an event. */
struct event_objects {
	const struct engine_event *event; /* NULL: not seen yet */
	PyObject *handler_name;           /* "sched__sched_switch" */
	bool may_be_handled;              /* its name can be a handler's */
	PyObject *name, *attr;
	PyObject **fields; /* their names */
	PyObject **args;   /* room for a call of its handler */
	PyObject *handler; /* whose number of arguments is: */
	long arguments;
	bool told; /* flags and symbols were defined */
};

struct engine {
	const struct engine_host *host;
	PyObject *globals; /* the names in __main__; borrowed */
	PyObject *file;    /* the name of the script's file, as its functions have it */
	PyObject *context; /* the capsule that handlers get */
	const struct engine_sample *now;
	struct event_objects *events; /* by index */
	uint32_t event_count;
	struct text_cache texts;
	struct keys *keys;
	PyObject *exporter;     /* belongs to a script with perf_db_export_mode, or NULL */
	bool has_threads;       /* the script runs threads */
	PyThreadState *waiting; /* while perf works */
};

/* ---- script.c ---- */

/* cached: text for the whole run */
PyObject *script_text(struct engine *e, const char *text);
/* bytes that are not UTF-8 survive */
PyObject *script_decode(const char *text, Py_ssize_t len);
/*
 * Returns the function that the script has under a name that perf documents (process_event), or
 * NULL; borrowed.
 */
PyObject *script_handler(struct engine *e, PyObject *name);
/*
 * The same for a name that the recording chose: only a function that the script's own file defines.
 */
PyObject *script_own_handler(struct engine *e, PyObject *name);
/*
 * Reports a failed call, or ends quietly for sys.exit() and a broken pipe. Returns the answer to
 * give.
 */
int script_failed(void);
/* Calls and forgets the result; steals the arguments. */
int script_call(PyObject *handler, PyObject *const *args, size_t count);
/* Says whether the script comes with perf: newlines and tabs in what it gets are then escaped. */
void script_is_own(bool own);
/* Puts value, which it steals and which may be NULL. Returns 0, or -1 with an exception. */
int dict_put(PyObject *dict, PyObject *key, PyObject *value);

/* ---- handlers.c ---- */

int handlers_sample(struct engine *e, const struct engine_sample *s);
int handlers_record(struct engine *e, const struct engine_record *r);

/* ---- events.c ---- */

enum { COMMON_ARGUMENTS = 8 }; /* of a handler, before the fields */
/* Returns the objects of an event, which it makes for the first sample; NULL with an exception. */
struct event_objects *events_get(struct engine *e, const struct engine_event *ev);
void events_release(struct engine *e);

/* ---- dict.c ---- */

/* chain: used, not stolen. */
PyObject *sample_dict(struct engine *e, const struct engine_sample *s, PyObject *chain);

/* ---- chain.c ---- */

PyObject *chain_list(struct engine *e);
PyObject *branch_list(struct engine *e);
PyObject *branch_names(struct engine *e);

/* ---- export.c ---- */

/* Makes e->exporter if the script asks for tables instead of samples. */
int export_begin(struct engine *e);
int export_sample(struct engine *e, const struct engine_sample *s);
int export_switch(struct engine *e, const struct engine_record *r);
int export_command(struct engine *e, const struct engine_record *r);

/* ---- module.c ---- */

PyMODINIT_FUNC PyInit_perf_trace_context(void);
#define CONTEXT_NAME NULL /* as perf names its capsules */

/* Names of dictionary keys, made once. */
/* clang-format off */
#define KEYS(X)                                                                                    \
	X(ev_name) X(attr) X(sample) X(raw_buf) X(comm) X(dso) X(dso_bid) X(dso_map_start)         \
	X(dso_map_end) X(symbol) X(symoff) X(callchain) X(brstack) X(brstacksym) X(iregs) X(uregs) \
	X(id) X(stream_id) X(pid) X(tid) X(cpu) X(ip) X(time) X(period) X(phys_addr) X(addr)       \
	X(time_enabled) X(time_running) X(values) X(weight) X(ins_lat) X(transaction) X(datasrc)   \
	X(datasrc_decode) X(machine_pid) X(vcpu) X(cpumode) X(addr_correlates_sym) X(addr_dso)     \
	X(addr_dso_bid) X(addr_dso_map_start) X(addr_dso_map_end) X(addr_symbol) X(addr_symoff)    \
	X(sym) X(start) X(end) X(binding) X(name) X(sym_off) X(sym_srcline) X(from) X(to)          \
	X(mispred) X(predicted) X(in_tx) X(abort) X(cycles) X(from_dsoname) X(to_dsoname) X(pred)  \
	X(common_cpu) X(common_s) X(common_ns) X(common_pid) X(common_comm) X(common_callchain)    \
	X(process_event) X(trace_unhandled) X(trace_begin) X(trace_end) X(context_switch)          \
	X(throttle) X(unthrottle) X(auxtrace_error) X(stat__interval) X(define_flag_field)         \
	X(define_flag_value) X(define_symbolic_field) X(define_symbolic_value) X(unknown) \
	X(perf_db_export_mode)
/* clang-format on */

struct keys {
#define X(name) PyObject *name;
	KEYS(X)
#undef X
};

#endif
