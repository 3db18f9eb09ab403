// SPDX-License-Identifier: GPL-2.0-or-later
/* One reading of a recording: its session, and the texts that were made from it. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "object/buildid.h"
#include "profile/insn.h"
#include "symbol/srcline.h"
#include "watched.h"

static char *default_cache(void)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (dir)
		return xstrdup(strcmp(dir, "/dev/null") ? dir : "");
	return home ? xasprintf("%s/.debug", home) : xstrdup("");
}

static char *copy_of(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void cut(char *text, const char *what, size_t len)
{
	for (char *at = text; at && (at = strstr(at, what));)
		memmove(at, at + len, strlen(at + len) + 1);
}

/* Changes what perf says about its options into words about the arguments of open(). */
static void say_arguments(struct reason *r)
{
	static const char *const names[] = { "--kallsyms", "--vmlinux", "--symfs" };
	static const char other_file[] = ", or name another file with -i";

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cut(r->text, names[i], 2);
		cut(r->hint, names[i], 2);
	}
	cut(r->hint, other_file, strlen(other_file));
}

struct run *run_open(const struct run_options *o)
{
	struct run *run = xcalloc(1, sizeof(*run));
	struct reason r = REASON_INIT;
	struct session_options options = { .input = o->path, .force = o->force };
	char *cache = default_cache();
	int err;

	run->refs = 1;
	run->kallsyms = copy_of(o->kallsyms);
	run->vmlinux = copy_of(o->vmlinux);
	run->symfs = xstrdup(o->symfs ? o->symfs : "");
	options.symbols.kallsyms = run->kallsyms;
	options.symbols.vmlinux = run->vmlinux;
	options.symbols.symfs = run->symfs;
	run->ctx.buildid_dir = cache;
	run->ctx.symfs = options.symbols.symfs;
	options.symbols.buildid_dir = cache;
	Py_BEGIN_ALLOW_THREADS err = symbol_options_check(&options.symbols, &r);
	if (!err)
		err = session_open(&run->ctx, &options, &run->session, &r);
	Py_END_ALLOW_THREADS if (err)
	{
		run_put(run);
		say_arguments(&r);
		return (struct run *)raise_reason(err, &r);
	}
	run->is_pipe = data_is_pipe(session_data(run->session));
	run->chains = chains_new(session_history(run->session));
	return run;
}

struct run *run_watch(const struct watched_options *o)
{
	struct run *run = xcalloc(1, sizeof(*run));
	struct reason r = REASON_INIT;
	int err;

	run->refs = 1;
	run->is_pipe = true; /* it can be read only once, and grows meanwhile */
	run->symfs = xstrdup("");
	run->ctx.symfs = run->symfs;
	run->ctx.buildid_dir = default_cache();
	Py_BEGIN_ALLOW_THREADS err = watched_open(run, o, &r);
	Py_END_ALLOW_THREADS if (err)
	{
		run_put(run);
		return (struct run *)raise_reason(err, &r);
	}
	run->chains = chains_new(session_history(run->session));
	return run;
}

const struct tracepoint_formats *run_formats(const struct run *r)
{
	return r->watched ? watched_formats(r->watched)
			  : data_tracepoints(session_data(r->session), NULL);
}

struct run *run_get(struct run *r)
{
	r->refs++;
	return r;
}

static void release_texts(struct map64 *m)
{
	for (size_t i = 0; i < m->space; i++)
		if (m->slots[i].used)
			Py_XDECREF((PyObject *)(uintptr_t)m->slots[i].value);
	map64_release(m);
}

void run_put(struct run *r)
{
	if (!r || --r->refs)
		return;
	vec_for_each(&r->comms, c)
		Py_XDECREF(*c);
	vec_for_each(&r->events, e)
		Py_XDECREF(*e);
	vec_release(&r->comms);
	vec_release(&r->events);
	release_texts(&r->symbols);
	release_texts(&r->images);
	release_texts(&r->build_ids);
	insn_reader_free(r->instructions);
	line_store_free(r->lines);
	Py_XDECREF(r->sources);
	if (r->chains)
		chains_free(r->chains);
	tracepoint_printer_free(r->printer);
	if (r->watched)
		watched_end(r->watched);
	session_free(r->session);
	watched_free(r->watched);
	condition_list_release(&r->ctx.conditions);
	free((char *)r->ctx.buildid_dir);
	free(r->symfs);
	free(r->kallsyms);
	free(r->vmlinux);
	free(r);
}

/* The text in a list, made once. */
#define REMEMBERED(list, i, make)                                                                  \
	__extension__({                                                                            \
		while ((list)->count <= (i))                                                       \
			vec_push(list, NULL);                                                      \
		if (!(list)->items[i])                                                             \
			(list)->items[i] = (make);                                                 \
		Py_XNewRef((list)->items[i]);                                                      \
	})

PyObject *run_comm(struct run *r, u32 comm)
{
	return REMEMBERED(&r->comms, comm,
			  text_object(history_comm_text(session_history(r->session), comm)));
}

PyObject *run_event(struct run *r, const struct event *ev)
{
	return REMEMBERED(&r->events, ev->index, text_object(ev->name));
}

PyObject *run_dso(struct run *r, u32 image)
{
	u64 *at;
	bool added;

	if (!image)
		return Py_NewRef(Py_None);
	at = map64_put(&r->images, image, &added);
	if (added)
		*at = (uintptr_t)text_object(
			image_script_name(image_get(session_images(r->session), image)));
	return Py_XNewRef((PyObject *)(uintptr_t)*at);
}

PyObject *run_dso_path(struct run *r, u32 image)
{
	const struct image *im = image ? image_get(session_images(r->session), image) : NULL;

	return !im ? Py_NewRef(Py_None) : im->path ? text_object(im->path) : run_dso(r, image);
}

/*
 * Returns the recorded build ID or else, as scripts receive it, that of the file of the same path;
 * None if neither exists.
 */
static PyObject *find_build_id(struct run *r, u32 image)
{
	const struct image *im = image_get(session_images(r->session), image);
	struct build_id id = im->build_id;
	char buf[41];

	if (!id.size && im->kind == IMAGE_ELF && build_id_of_file(im->path, &id, NULL))
		id.size = 0;
	return id.size ? text_object(build_id_text(&id, buf)) : Py_NewRef(Py_None);
}

PyObject *run_build_id(struct run *r, u32 image)
{
	bool added;
	u64 *at;

	if (!image)
		return Py_NewRef(Py_None);
	at = map64_put(&r->build_ids, image, &added);
	if (added)
		*at = (uintptr_t)find_build_id(r, image);
	return Py_XNewRef((PyObject *)(uintptr_t)*at);
}

PyObject *run_instruction(struct run *r, u32 image, u64 offset)
{
	const u8 *bytes = NULL;
	u32 size;

	if (image && !r->instructions)
		r->instructions = insn_reader_new(r->session);
	if (image)
		bytes = insn_read(r->instructions, image, offset, &size);
	return bytes ? PyBytes_FromStringAndSize((const char *)bytes, size) : Py_NewRef(Py_None);
}

/* Returns the lines of a file as a list, which is empty when the file cannot be read. */
static PyObject *read_lines(PyObject *path)
{
	PyObject *io = PyImport_ImportModule("io"), *lines = NULL;
	PyObject *file = !io ? NULL
			     : PyObject_CallMethod(io, "open", "OsisssO", path, "r", -1, "utf-8",
						   "surrogateescape", "\n", Py_True);

	if (file)
		lines = PyObject_CallMethod(file, "readlines", NULL);
	if (!lines && PyErr_ExceptionMatches(PyExc_OSError)) {
		PyErr_Clear();
		lines = PyList_New(0);
	}
	Py_XDECREF(PyErr_Occurred() || !file ? NULL : PyObject_CallMethod(file, "close", NULL));
	Py_XDECREF(file);
	Py_XDECREF(io);
	return lines;
}

/* Returns the text of a line without its newline, or None if the file has no such line. */
static PyObject *line_of(PyObject **sources, PyObject *path, u32 number)
{
	PyObject *lines, *line;
	int err = 0;

	if (!*sources)
		*sources = PyDict_New();
	lines = *sources ? Py_XNewRef(PyDict_GetItemWithError(*sources, path)) : NULL;
	if (!lines && !PyErr_Occurred()) {
		lines = read_lines(path);
		err = lines ? PyDict_SetItem(*sources, path, lines) : -1;
	}
	if (!lines || err) {
		Py_XDECREF(lines);
		return NULL;
	}
	line = !number || number > PyList_Size(lines)
		       ? NULL
		       : PyList_GetItem(lines, (Py_ssize_t)number - 1);
	line = line ? PyObject_CallMethod(line, "rstrip", "s", "\r\n") : Py_NewRef(Py_None);
	Py_DECREF(lines);
	return line;
}

PyObject *source_object(struct line_store *lines, PyObject **sources, u32 image, u64 offset)
{
	struct source_frame frame;
	PyObject *path, *line;

	if (!image || !lines_at(lines, image, offset, &frame, 1) || !frame.file)
		return Py_BuildValue("(OIO)", Py_None, 0, Py_None);
	path = text_object(frame.file);
	line = path ? line_of(sources, path, frame.line) : NULL;
	if (!line) {
		Py_XDECREF(path);
		return NULL;
	}
	return Py_BuildValue("(NIN)", path, frame.line, line);
}

PyObject *run_source(struct run *r, u32 image, u64 offset)
{
	if (image && !r->lines)
		r->lines = line_store_new(session_symbols(r->session), NULL);
	return source_object(r->lines, &r->sources, image, offset);
}

const struct symbol *run_symbol_at(struct run *r, u32 image, u64 offset)
{
	const struct symbol_table *table =
		image ? symbols_of(session_symbols(r->session), image) : NULL;
	u32 number = table ? symbol_find(table, offset) : NO_SYMBOL;

	return number == NO_SYMBOL ? NULL : symbol_get(table, number);
}

PyObject *run_symbol(struct run *r, u32 image, u64 offset, u64 *symbol_offset)
{
	const struct symbol_table *table;
	const struct symbol *sym;
	u32 number;
	u64 *at;
	bool added;

	if (!image)
		return Py_NewRef(Py_None);
	table = symbols_of(session_symbols(r->session), image);
	number = symbol_find(table, offset);
	if (number == NO_SYMBOL)
		return Py_NewRef(Py_None);
	sym = symbol_get(table, number);
	if (symbol_offset)
		*symbol_offset = offset - sym->start;
	at = map64_put(&r->symbols, (u64)image << 32 | number, &added);
	if (added)
		*at = (uintptr_t)text_object(sym->name);
	return Py_XNewRef((PyObject *)(uintptr_t)*at);
}

/*
 * Reports whether the condition means loss: the recorder was stopped before the end, or bytes of
 * the file are missing or senseless.
 */
static bool means_loss(const struct condition *c)
{
	return c->weight == CONDITION_DAMAGE || !strcmp(c->code, "recording-cut") ||
	       !strcmp(c->code, "no-features");
}

bool run_warn(struct run *r)
{
	bool good = true;

	if (r->busy || r->watched)
		return true;
	condition_list_sort(&r->ctx.conditions);
	vec_for_each(&r->ctx.conditions.list, c) {
		PyObject *text = good && means_loss(c) ? text_object(c->text) : NULL;
		PyObject *bytes =
			text ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : NULL;

		if (good && means_loss(c))
			good = bytes && !PyErr_WarnEx(damage_warning, PyBytes_AsString(bytes), 1);
		Py_XDECREF(text);
		Py_XDECREF(bytes);
	}
	return good;
}

PyObject *run_warnings(struct run *r)
{
	PyObject *list;

	if (r->busy) {
		PyErr_SetString(PyExc_ValueError, "the recording is being read");
		return NULL;
	}
	list = PyList_New(0);
	condition_list_sort(&r->ctx.conditions);
	vec_for_each(&r->ctx.conditions.list, c) {
		PyObject *text;

		if (c->weight == CONDITION_NOTE || !list)
			continue;
		text = text_object(c->text);
		if (!text || PyList_Append(list, text) < 0) {
			Py_XDECREF(text);
			Py_CLEAR(list);
			break;
		}
		Py_DECREF(text);
	}
	return list;
}
