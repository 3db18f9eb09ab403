/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the Python module.
 *
 * A Recording is what perf.open() returns: a path and options. Each reading of it is a run: a
 * session with what was made from it (run.c). Iteration reads in a thread that fills batches
 * (batch.c). A Sample is a place in a batch and keeps it alive, so its fields can be read at any
 * time.
 *
 * The stable ABI of Python 3.11: one build serves that and every later version. Every function that
 * touches an object has the interpreter's lock; sessions run without it.
 */
#ifndef PYTHON_MODULE_H
#define PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <pthread.h>

#include "base/hash.h"
#include "session/session.h"
#include "tracepoint/tracepoint.h"

/* ---- the module ---- */

extern PyObject *perf_error;                         /* perf.error, an OSError */
extern PyObject *damage_warning;                     /* perf.DamageWarning, a RuntimeWarning */
extern PyObject *frame_type, *branch_type;           /* named tuples */
extern PyObject *callchain_type, *branch_stack_type; /* tuples of them */

/* Sets perf.error from a reason, which is released; returns NULL. */
PyObject *raise_reason(int err, struct reason *r);
/*
 * The heap type of a spec, added to the module under the last part of its name; base: a type, or
 * NULL for object; new reference.
 */
PyObject *add_type(PyObject *module, PyType_Spec *spec, PyObject *base);
/* A perf.branch_stack of the sample's branches. */
PyObject *branch_stack_object(const struct event_set *set, const struct sample *s);
PyObject *text_object(const char *text); /* surrogateescape; NULL: None */

int add_recording(PyObject *module);
int add_live(PyObject *module);
PyObject *perf_live(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *perf_open(PyObject *module, PyObject *args, PyObject *kwargs);
int add_sample(PyObject *module);
int add_column(PyObject *module);
int add_maps(PyObject *module); /* cpu_map, thread_map */
int add_evsel(PyObject *module);
int add_evlist(PyObject *module);
int add_counts_values(PyObject *module);
int add_machine(PyObject *module);
int add_live_event(PyObject *module);
int add_constants(PyObject *module);

/* ---- a run ---- */

struct watched;
struct run {
	int refs; /* under the interpreter's lock */
	struct context ctx;
	/* from the options: files are looked for while it is read */
	char *symfs, *kallsyms, *vmlinux;
	struct watched *watched; /* the watched session; NULL: a recording */
	struct session *session;
	struct chains *chains; /* belongs to the thread that has the interpreter's lock */
	struct tracepoint_printer *printer; /* NULL until the text of a tracepoint is requested */
	bool is_pipe;
	bool read; /* or being read */
	int busy;  /* it is being read: nobody else may look at its conditions */
	VEC(PyObject *) comms, events;    /* requested texts, by number; NULL: not yet */
	struct map64 symbols, images;     /* image << 32 | symbol, image -> PyObject * */
	struct map64 build_ids;           /* image -> PyObject * */
	struct insn_reader *instructions; /* NULL until one is requested */
	struct line_store *lines;         /* NULL until one is requested */
	/* the lines of source files, a dict by path; NULL until one is requested */
	PyObject *sources;
};

struct run_options {
	char *path;
	bool force, chains;
	char *symfs, *kallsyms, *vmlinux;
};

/* Opens a run, or returns NULL with an exception. */
struct run *run_open(const struct run_options *o);
struct watched_options;
struct run *run_watch(const struct watched_options *o);
struct run *run_get(struct run *r);
void run_put(struct run *r);
/* New references. */
PyObject *run_comm(struct run *r, u32 comm);
PyObject *run_event(struct run *r, const struct event *ev);
PyObject *run_symbol(struct run *r, u32 image, u64 offset, u64 *symbol_offset);
PyObject *run_dso(struct run *r, u32 image);
PyObject *run_dso_path(struct run *r, u32 image);
PyObject *run_build_id(struct run *r, u32 image);
PyObject *run_instruction(struct run *r, u32 image, u64 offset);
/* (file, line, text), as Sample.srccode() returns it. */
PyObject *run_source(struct run *r, u32 image, u64 offset);
/* The same of any line store; *sources is a dict of the files that were read, or NULL so far. */
PyObject *source_object(struct line_store *lines, PyObject **sources, u32 image, u64 offset);
/* Returns the function at a place, or NULL if none is known. */
const struct symbol *run_symbol_at(struct run *r, u32 image, u64 offset);
/* Returns the formats of tracepoints, or NULL if there are none. */
const struct tracepoint_formats *run_formats(const struct run *r);
/* A dict for each event: a new list. */
PyObject *run_events(struct run *run);
/* The conditions that did not stop the reading, as texts: a new list. */
PyObject *run_warnings(struct run *r);
/*
 * Warns after reading, with a DamageWarning, about what was cut off or skipped, so nobody takes a
 * part of the samples for all of them. Returns false with an exception where warnings are errors.
 */
bool run_warn(struct run *r);

/* ---- batches ---- */

struct entry {
	struct sample sample; /* points into its batch */
	struct order_key key;
	const struct task *task;
	u32 comm;
	struct location leaf; /* without its mapping, which may go while the sample is kept */
	u64 map_start, map_end, map_pgoff;
};

struct batch {
	int refs;
	struct run *run;
	VEC(struct entry) entries;
	u8 *bytes; /* records, as they were read */
	size_t used, space;
};
struct batch *batch_get(struct batch *b);
void batch_put(struct batch *b);

struct reader;
/* Starts a thread that reads the run. */
struct reader *reader_new(struct run *run, bool chains);
/* SampleIterator, the reader's owner from here on. */
PyObject *iterator_new(struct reader *reader);
/*
 * Returns the next batch, as a reference of the caller's, or NULL at the end or with an exception.
 * Where is_pipe, the caller must not use the batch before any more: names change as the stream is
 * read.
 */
struct batch *reader_next(struct reader *r);
void reader_free(struct reader *r); /* stops it */
struct run *reader_run(struct reader *r);

PyObject *sample_new(struct batch *b, u32 index);

/* ---- what columns and groups are made of ---- */

enum value_kind {
	VALUE_NUMBER,
	VALUE_SIGNED,
	VALUE_COMM,
	VALUE_EVENT,
	VALUE_SYMBOL,
	VALUE_DSO,
	VALUE_MODE,
	VALUE_TEXT
};

struct value_of {
	const char *name;
	enum value_kind kind;
	size_t at, size; /* in struct sample, if it is there; size 0: it is not */
	bool is_field;   /* a field of tracepoints */
	bool needs_place, needs_task;
};
/*
 * Finds a value by its name. Any unknown name may be a field of a tracepoint, which value_settle()
 * checks.
 */
bool value_find(const char *name, struct value_of *out);
/*
 * Returns the value of a sample: a number, or what names a text (VALUE_COMM is the comm's number,
 * VALUE_SYMBOL is image << 32 | symbol + 1, and so on). Any thread may call it.
 */
u64 value_get(struct run *r, const struct value_of *v, const struct session_sample *ss,
	      struct strtab *texts);
/* Works like value_get(), without a call for what most programs ask for. */
static inline u64 value_quick(struct run *r, const struct value_of *v,
			      const struct session_sample *ss, struct strtab *texts)
{
	const u8 *at = (const u8 *)ss->sample + v->at;

	if (v->size == 8)
		return *(const u64 *)at;
	if (v->kind == VALUE_COMM)
		return ss->comm;
	return v->kind == VALUE_EVENT ? ss->sample->event->index : value_get(r, v, ss, texts);
}
/* The object for such a value; new reference. */
PyObject *value_object(struct run *r, const struct value_of *v, u64 value,
		       const struct strtab *texts);

/* Checks that the value is a field of this recording. Returns false with a ValueError. */
bool value_settle(struct run *r, struct value_of *v);
/* Takes the names of fields from the arguments. Returns false with an exception. */
bool take_names(struct run *run, PyObject *args, struct value_of *of, size_t most, size_t *count);
/* Sets what a run over these values must know about samples. */
void set_needs(struct session_ops *ops, const struct value_of *of, size_t count);

PyObject *recording_columns(struct run *run, PyObject *args);
PyObject *recording_group_by(struct run *run, PyObject *args);

#endif
