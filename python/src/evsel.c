// SPDX-License-Identifier: GPL-2.0-or-later
/* evsel: an event, opened on CPUs and threads. */
#include "base/clock.h"
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "event/parse.h"
#include "sys/explain.h"
#include "sys/sys.h"
#include "sys/tracefs.h"
#include "tracepoint/tracepoint.h"

#define IOC_ENABLE  _IO('$', 0)
#define IOC_DISABLE _IO('$', 1)
#define IOC_ID      _IOR('$', 7, u64 *)

PyObject *evsel_type;

/* Keywords that are bits of the attr. */
/* clang-format off */
static const struct {
	const char *name;
	u64 bit;
	bool by_default;
} bits[] = {
	{ "disabled", ATTR_DISABLED, 0 }, { "inherit", ATTR_INHERIT, 0 }, { "pinned", ATTR_PINNED, 0 },
	{ "exclusive", ATTR_EXCLUSIVE, 0 }, { "exclude_user", ATTR_EXCLUDE_USER, 0 },
	{ "exclude_kernel", ATTR_EXCLUDE_KERNEL, 0 }, { "exclude_hv", ATTR_EXCLUDE_HV, 0 },
	{ "exclude_idle", ATTR_EXCLUDE_IDLE, 0 }, { "mmap", ATTR_MMAP, 0 },
	{ "context_switch", ATTR_CONTEXT_SWITCH, 0 }, { "comm", ATTR_COMM, 0 }, { "freq", ATTR_FREQ, 1 },
	{ "inherit_stat", ATTR_INHERIT_STAT, 0 }, { "enable_on_exec", ATTR_ENABLE_ON_EXEC, 0 },
	{ "task", ATTR_TASK, 0 }, { "watermark", ATTR_WATERMARK, 0 }, { "mmap_data", ATTR_MMAP_DATA, 0 },
	{ "sample_id_all", ATTR_SAMPLE_ID_ALL, 1 }, { "mmap2", ATTR_MMAP2, 0 },
};
/* clang-format on */

static const struct {
	const char *name;
	size_t at, size;
} numbers[] = {
	{ "type", offsetof(struct perf_event_attr, type), 4 },
	{ "config", offsetof(struct perf_event_attr, config), 8 },
	{ "sample_freq", offsetof(struct perf_event_attr, sample_freq), 8 },
	{ "sample_period", offsetof(struct perf_event_attr, sample_period), 8 },
	{ "sample_type", offsetof(struct perf_event_attr, sample_type), 8 },
	{ "read_format", offsetof(struct perf_event_attr, read_format), 8 },
	{ "wakeup_events", offsetof(struct perf_event_attr, wakeup_events), 4 },
	{ "bp_type", offsetof(struct perf_event_attr, bp_type), 4 },
	{ "bp_addr", offsetof(struct perf_event_attr, config1), 8 },
	{ "bp_len", offsetof(struct perf_event_attr, config2), 8 },
	{ "config1", offsetof(struct perf_event_attr, config1), 8 },
	{ "config2", offsetof(struct perf_event_attr, config2), 8 },
	{ "branch_sample_type", offsetof(struct perf_event_attr, branch_sample_type), 8 },
};

static bool set_bit(struct perf_event_attr *a, const char *name, unsigned long long v)
{
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (!strcmp(bits[i].name, name)) {
			a->flags = v ? a->flags | bits[i].bit : a->flags & ~bits[i].bit;
			return true;
		}
	if (strcmp(name, "precise_ip"))
		return false;
	a->flags = (a->flags & ~ATTR_PRECISE_MASK) | (v & 3) << ATTR_PRECISE_SHIFT;
	return true;
}

static bool set_number(struct perf_event_attr *a, const char *name, unsigned long long v)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(numbers[i].name, name)) {
			u32 narrow = (u32)v;
			u64 wide = v;

			memcpy((u8 *)a + numbers[i].at,
			       numbers[i].size == 4 ? (void *)&narrow : &wide, numbers[i].size);
			return true;
		}
	return false;
}

/* Reports whether the member can contain the number; false comes with an exception. */
static bool check_width(const char *name, unsigned long long v)
{
	unsigned width = strcmp(name, "precise_ip") ? 64 : 2;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(numbers[i].name, name))
			width = 8 * (unsigned)numbers[i].size;
	if (width == 64 || !(v >> width))
		return true;
	PyErr_Format(PyExc_OverflowError, "%s has %u bits, too few for %llu", name, width, v);
	return false;
}

/* Sets the attribute of one keyword. Returns false with an exception. */
static bool set_keyword(struct perf_event_attr *a, PyObject *name, PyObject *value)
{
	const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
	unsigned long long v;

	if (!text)
		return false;
	v = PyLong_AsUnsignedLongLong(value);
	if (PyErr_Occurred() || !check_width(text, v))
		return false;
	if (set_bit(a, text, v) || set_number(a, text, v))
		return true;
	PyErr_Format(PyExc_TypeError, "evsel() has no keyword '%s'", text);
	return false;
}

static bool fill(struct perf_event_attr *a, PyObject *kwargs, bool *tracking)
{
	PyObject *name, *value;
	Py_ssize_t at = 0;
	u64 freq, period;

	while (kwargs && PyDict_Next(kwargs, &at, &name, &value)) {
		/* the place that the event is meant for */
		if (!PyUnicode_CompareWithASCIIString(name, "idx")) {
			*tracking = !PyLong_AsLong(value);
			if (PyErr_Occurred())
				return false;
			continue;
		}
		freq = a->sample_freq;
		if (!set_keyword(a, name, value))
			return false;
		period = PyUnicode_CompareWithASCIIString(name, "sample_period");
		if (!period && freq && freq != a->sample_period) {
			PyErr_SetString(PyExc_ValueError,
					"sample_freq and sample_period exclude each other");
			return false;
		}
		if (!period && a->sample_period)
			a->flags &= ~ATTR_FREQ;
	}
	return true;
}

PyObject *evsel_new(const struct perf_event_attr *attr, const char *name)
{
	struct evsel_object *e = PyObject_New(struct evsel_object, (PyTypeObject *)evsel_type);

	if (!e)
		return NULL;
	e->attr = *attr;
	e->attr.size = ATTR_SIZE_VER7;
	e->name = xstrdup(name);
	e->cpus = e->threads = e->own_cpus = NULL;
	e->of_package = false;
	e->fds = NULL;
	e->leader = NULL;
	e->place = e->members = 0;
	e->joined = false;
	e->tracking = true;
	e->tool = 0;
	e->opened_at = 0;
	return (PyObject *)e;
}

static PyObject *evsel_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
				     .size = ATTR_SIZE_VER7,
				     .sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_TID };
	struct evsel_object *e;
	bool tracking = true;
	const char *name;
	char text[64];

	(void)type;
	if (PyTuple_Size(args)) {
		PyErr_SetString(PyExc_TypeError, "evsel() takes keywords only");
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (bits[i].by_default)
			a.flags |= bits[i].bit;
	if (!fill(&a, kwargs, &tracking))
		return NULL;
	name = event_static_name(a.type, a.config, text, sizeof(text));
	e = (struct evsel_object *)evsel_new(&a, name ? name : "event");
	if (e)
		e->tracking = tracking;
	return (PyObject *)e;
}

/* ---- opening ---- */

int evsel_fd(const struct evsel_object *e, Py_ssize_t cpu, Py_ssize_t thread)
{
	return e->fds[cpu * e->threads->count + thread];
}

static void evsel_close(struct evsel_object *e)
{
	for (Py_ssize_t i = 0; e->fds && i < e->cpus->count * e->threads->count; i++)
		if (e->fds[i] >= 0)
			close(e->fds[i]);
	free(e->fds);
	e->fds = NULL;
	Py_CLEAR(e->cpus);
	Py_CLEAR(e->threads);
}

static int refuse(struct evsel_object *e, s32 cpu, s32 thread, int err)
{
	const struct open_attempt attempt = {
		.attr = &e->attr, .event = e->name, .pid = thread, .cpu = cpu
	};
	struct reason r = REASON_INIT;

	explain_open(&this_host, &attempt, -err, &r);
	evsel_close(e);
	raise_reason(err, &r);
	return -1;
}

static bool same_map(const struct map_object *a, const struct map_object *b)
{
	return a->count == b->count &&
	       !memcmp(a->numbers, b->numbers, (size_t)a->count * sizeof(*a->numbers));
}

/*
 * Settles whether the event joins its group, which counts as one on a CPU. Where the leader is not
 * open in the same places, the event is opened alone, as perf stat does, with a warning. Returns
 * false with an exception where warnings are errors.
 */
static bool settle_group(struct evsel_object *e)
{
	struct evsel_object *l = e->leader;

	e->members = 0;
	e->joined = l && l->fds && same_map(l->cpus, e->cpus) && same_map(l->threads, e->threads);
	e->place = e->joined ? ++l->members : 0;
	if (!l || e->joined || e->tool || l->tool)
		return true;
	if (!l->fds)
		return !PyErr_WarnFormat(
			PyExc_RuntimeWarning, 1,
			"'%s' is counted alone: '%s', which leads its group, is not open", e->name,
			l->name);
	return !PyErr_WarnFormat(
		PyExc_RuntimeWarning, 1,
		"'%s' is counted alone: '%s', which leads its group, is open on the CPUs %R and "
		"the "
		"threads %R, not on the CPUs %R and the threads %R",
		e->name, l->name, (PyObject *)l->cpus, (PyObject *)l->threads, (PyObject *)e->cpus,
		(PyObject *)e->threads);
}

/*
 * Returns those of the requested CPUs on which the event can be opened, or NULL with an exception.
 */
static struct map_object *cpus_for(const struct evsel_object *e, const struct map_object *asked,
				   const struct map_object *threads)
{
	struct map_object *cpus;

	for (Py_ssize_t i = 0; e->of_package && i < threads->count; i++)
		if (threads->numbers[i] != -1) {
			PyErr_Format(
				PyExc_ValueError,
				"'%s' counts what runs on a whole package: it cannot follow a task",
				e->name);
			return NULL;
		}
	cpus = map_common(asked, e->own_cpus);
	if (!cpus || cpus->count || !asked->count)
		return cpus;
	PyErr_Format(
		PyExc_ValueError,
		"'%s' is opened on the CPUs %R alone, and none of them is among those asked for",
		e->name, (PyObject *)e->own_cpus);
	Py_DECREF((PyObject *)cpus);
	return NULL;
}

int evsel_open(struct evsel_object *e, struct map_object *asked, struct map_object *threads)
{
	struct map_object *cpus;
	Py_ssize_t n;

	if (e->fds)
		return 0;
	cpus = cpus_for(e, asked, threads);
	if (!cpus)
		return -1;
	n = cpus->count * threads->count;
	e->cpus = cpus;
	e->threads = (struct map_object *)Py_NewRef((PyObject *)threads);
	e->fds = xcalloc((size_t)n + 1, sizeof(*e->fds));
	for (Py_ssize_t i = 0; i < n; i++)
		e->fds[i] = -1;
	e->opened_at = clock_now();
	if (!settle_group(e)) {
		evsel_close(e);
		return -1;
	}
	if (e->tool)
		return 0;
	for (Py_ssize_t i = 0; i < n; i++) {
		s32 cpu = cpus->numbers[i / threads->count],
		    thread = threads->numbers[i % threads->count];
		int fd = sys_perf_event_open(&e->attr, thread, cpu,
					     e->joined ? e->leader->fds[i] : -1, 0);

		if (fd == -ESRCH && thread > 0 && threads->count > 1)
			continue; /* a thread that has ended meanwhile */
		if (fd < 0)
			return refuse(e, cpu, thread, fd);
		e->fds[i] = fd;
	}
	return 0;
}

static PyObject *method_open(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "cpus", "threads", "group", "inherit", NULL };
	struct evsel_object *e = (struct evsel_object *)self;
	PyObject *cpus_given = NULL, *threads_given = NULL;
	struct map_object *cpus, *threads;
	int group = 0, inherit = -1, err = -1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOii:open", names, &cpus_given,
					 &threads_given, &group, &inherit))
		return NULL;
	if (inherit >= 0)
		e->attr.flags =
			inherit ? e->attr.flags | ATTR_INHERIT : e->attr.flags & ~ATTR_INHERIT;
	cpus = map_of(cpus_given, cpu_map_type);
	threads = cpus ? map_of(threads_given, thread_map_type) : NULL;
	if (threads)
		err = evsel_open(e, cpus, threads);
	Py_XDECREF((PyObject *)cpus);
	Py_XDECREF((PyObject *)threads);
	return err ? NULL : Py_NewRef(Py_None);
}

static PyObject *method_close(PyObject *self, PyObject *args)
{
	(void)args;
	evsel_close((struct evsel_object *)self);
	return Py_NewRef(Py_None);
}

static PyObject *control(PyObject *self, unsigned long request)
{
	struct evsel_object *e = (struct evsel_object *)self;

	for (Py_ssize_t i = 0; e->fds && i < e->cpus->count * e->threads->count; i++)
		if (e->fds[i] >= 0 && ioctl(e->fds[i], request, 0))
			return PyErr_SetFromErrno(perf_error);
	return Py_NewRef(Py_None);
}

static PyObject *method_enable(PyObject *self, PyObject *args)
{
	(void)args;
	return control(self, IOC_ENABLE);
}

static PyObject *method_disable(PyObject *self, PyObject *args)
{
	(void)args;
	return control(self, IOC_DISABLE);
}

Py_ssize_t evsel_place_of(const struct map_object *m, int number)
{
	for (Py_ssize_t i = 0; i < m->count; i++)
		if (m->numbers[i] == number)
			return i;
	PyErr_Format(PyExc_ValueError, "the event is not open on %d", number);
	return -1;
}

enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/*
 * Takes one event's values from those of its group, read together: their number, the times, then
 * for each its value and what else read_format asks for. The leader comes first, then the others in
 * the order in which they were opened. Returns 0, or -1 with an exception.
 */
static int take_from_group(const struct evsel_object *e, const u64 *values, size_t count,
			   u64 out[5])
{
	size_t each = 1 + !!(e->attr.read_format & READ_ID) + !!(e->attr.read_format & READ_LOST),
	       at = 1;

	if (e->attr.read_format & READ_ENABLED)
		out[1] = values[at++];
	if (e->attr.read_format & READ_RUNNING)
		out[2] = values[at++];
	at += each * e->place;
	if (e->place >= values[0] || at + each > count) {
		PyErr_Format(perf_error, "the group of '%s' has %llu counters", e->name,
			     (unsigned long long)values[0]);
		return -1;
	}
	out[0] = values[at];
	out[3] = e->attr.read_format & READ_ID ? values[at + 1] : 0;
	out[4] = e->attr.read_format & READ_LOST ? values[at + each - 1] : 0;
	return 0;
}

static void take_value(const struct evsel_object *e, const u64 *values, u64 out[5])
{
	size_t at = 0;

	out[0] = values[at++];
	if (e->attr.read_format & READ_ENABLED)
		out[1] = values[at++];
	if (e->attr.read_format & READ_RUNNING)
		out[2] = values[at++];
	if (e->attr.read_format & READ_ID)
		out[3] = values[at++];
	if (e->attr.read_format & READ_LOST)
		out[4] = values[at];
}

int evsel_read(const struct evsel_object *e, Py_ssize_t cpu, Py_ssize_t thread, u64 out[5])
{
	u64 values[512] = { 0 };
	ssize_t n;

	memset(out, 0, COUNT_NUMBERS * sizeof(*out));
	if (e->tool) {
		out[0] = out[1] = out[2] = clock_now() - e->opened_at;
		return 0;
	}
	n = read(evsel_fd(e, cpu, thread), values, sizeof(values));
	if (n < 8) {
		if (!n) /* a pinned event whose group did not fit the CPU */
			PyErr_Format(perf_error,
				     "'%s' is in an error state: it did not fit the CPU", e->name);
		else
			PyErr_SetFromErrno(perf_error);
		return -1;
	}
	if (e->attr.read_format & READ_GROUP)
		return take_from_group(e, values, (size_t)n / 8, out);
	take_value(e, values, out);
	return 0;
}

/* Returns the counts. What read_format does not ask for is 0. */
static PyObject *method_read(PyObject *self, PyObject *args)
{
	struct evsel_object *e = (struct evsel_object *)self;
	Py_ssize_t at_cpu, at_thread;
	int cpu, thread;
	u64 v[COUNT_NUMBERS];

	if (!PyArg_ParseTuple(args, "ii:read", &cpu, &thread))
		return NULL;
	if (!e->fds) {
		PyErr_SetString(PyExc_ValueError, "the event is not open");
		return NULL;
	}
	at_cpu = evsel_place_of(e->cpus, cpu);
	at_thread = at_cpu < 0 ? -1 : evsel_place_of(e->threads, thread);
	if (at_thread < 0 || evsel_read(e, at_cpu, at_thread, v))
		return NULL;
	return counts_values_new(v);
}

/* ---- what it is ---- */

static PyObject *get_number(PyObject *self, void *which)
{
	const struct evsel_object *e = (struct evsel_object *)self;
	size_t i = (size_t)(uintptr_t)which;
	const u8 *at = (const u8 *)&e->attr + numbers[i].at;

	if (numbers[i].size == 4)
		return PyLong_FromUnsignedLong(*(const u32 *)at);
	return PyLong_FromUnsignedLongLong(*(const u64 *)at);
}

static int change_number(PyObject *self, PyObject *value, void *which)
{
	struct evsel_object *e = (struct evsel_object *)self;
	unsigned long long v;

	if (!value) {
		PyErr_SetString(PyExc_TypeError, "a member of an event cannot be deleted");
		return -1;
	}
	if (e->fds) {
		PyErr_SetString(PyExc_ValueError, "the event is open: close() comes before");
		return -1;
	}
	v = PyLong_AsUnsignedLongLong(value);
	if (PyErr_Occurred() || !check_width(numbers[(size_t)(uintptr_t)which].name, v))
		return -1;
	set_number(&e->attr, numbers[(size_t)(uintptr_t)which].name, v);
	return 0;
}

static PyObject *get_map(PyObject *self, void *threads)
{
	const struct evsel_object *e = (struct evsel_object *)self;
	struct map_object *m = threads ? e->threads : e->cpus ? e->cpus : e->own_cpus;

	return m ? Py_NewRef((PyObject *)m) : Py_NewRef(Py_None);
}

static PyObject *method_cpus(PyObject *self, PyObject *args)
{
	(void)args;
	return get_map(self, NULL);
}

static PyObject *method_threads(PyObject *self, PyObject *args)
{
	(void)args;
	return get_map(self, self);
}

static PyObject *get_name(PyObject *self, void *arg)
{
	(void)arg;
	return text_object(((struct evsel_object *)self)->name);
}

static PyObject *get_size(PyObject *self, void *arg)
{
	(void)arg;
	return PyLong_FromUnsignedLong(((struct evsel_object *)self)->attr.size);
}

static PyObject *get_tracking(PyObject *self, void *arg)
{
	(void)arg;
	return PyBool_FromLong(((struct evsel_object *)self)->tracking);
}

static int change_tracking(PyObject *self, PyObject *value, void *arg)
{
	int on = value ? PyObject_IsTrue(value) : -1;

	(void)arg;
	if (!value)
		PyErr_SetString(PyExc_TypeError, "a member of an event cannot be deleted");
	if (on < 0)
		return -1;
	((struct evsel_object *)self)->tracking = on;
	return 0;
}

u64 evsel_kernel_id(int fd)
{
	u64 id = 0;

	return fd >= 0 && !ioctl(fd, IOC_ID, &id) ? id : 0;
}

static PyObject *get_ids(PyObject *self, void *arg)
{
	const struct evsel_object *e = (struct evsel_object *)self;
	PyObject *list = PyList_New(0);

	(void)arg;
	for (Py_ssize_t i = 0; e->fds && i < e->cpus->count * e->threads->count; i++) {
		u64 number = evsel_kernel_id(e->fds[i]);
		PyObject *id;

		if (!number || !list)
			continue;
		id = PyLong_FromUnsignedLongLong(number);
		if (!id || PyList_Append(list, id) < 0)
			Py_CLEAR(list);
		Py_XDECREF(id);
	}
	return list;
}

static PyObject *evsel_repr(PyObject *self)
{
	return PyUnicode_FromFormat("evsel(%s)", ((struct evsel_object *)self)->name);
}

static void evsel_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	evsel_close((struct evsel_object *)self);
	Py_XDECREF((PyObject *)((struct evsel_object *)self)->leader);
	Py_XDECREF((PyObject *)((struct evsel_object *)self)->own_cpus);
	free(((struct evsel_object *)self)->name);
	PyObject_Free(self);
	Py_DECREF(type);
}

static const PyGetSetDef others[] = {
	{ "name", get_name, NULL, "the event as perf shows it", NULL },
	{ "size", get_size, NULL, "size of struct perf_event_attr in bytes", NULL },
	{ "ids", get_ids, NULL, "the kernel's numbers of its counters while it is open, a list",
	  NULL },
	{ "tracking", get_tracking, change_tracking,
	  "whether evlist.config() makes it write records of tasks and mappings; the first event "
	  "of a list does",
	  NULL },
};
static PyGetSetDef getters[ARRAY_SIZE(numbers) + ARRAY_SIZE(others) + 1];

static PyMethodDef methods[] = {
	{ "open", (PyCFunction)(void (*)(void))method_open, METH_VARARGS | METH_KEYWORDS,
	  "open($self, /, cpus=None, threads=None, group=0, inherit=-1)\n--\n\nOpen it on these "
	  "CPUs and threads; an event that its PMU "
	  "counts on some CPUs alone, on those of them." },
	{ "close", method_close, METH_NOARGS, "close($self, /)\n--\n\nClose it." },
	{ "enable", method_enable, METH_NOARGS, "enable($self, /)\n--\n\nCount." },
	{ "disable", method_disable, METH_NOARGS, "disable($self, /)\n--\n\nCount no more." },
	{ "read", method_read, METH_VARARGS,
	  "read($self, cpu, thread, /)\n--\n\nThe counts_values of a CPU and a thread; what "
	  "read_format does not ask for "
	  "is 0." },
	{ "cpus", method_cpus, METH_NOARGS,
	  "cpus($self, /)\n--\n\nWhere it is open; before, the CPUs that its PMU names, "
	  "or None where it may be any." },
	{ "threads", method_threads, METH_NOARGS,
	  "threads($self, /)\n--\n\nWhere it is open, or None." },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "evsel(*, type=TYPE_HARDWARE, config=COUNT_HW_CPU_CYCLES, sample_type=..., ...)\n--\n\n"
	  "An event; the keywords are the members of struct perf_event_attr." },
	{ Py_tp_new, evsel_make },
	{ Py_tp_dealloc, evsel_dealloc },
	{ Py_tp_repr, evsel_repr },
	{ Py_tp_getset, getters },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "perf.evsel",
	.basicsize = sizeof(struct evsel_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

PyObject *perf_tracepoint(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "sys", "name", NULL };
	const char *system, *name;
	char *dir;
	u64 id = 0;
	int err;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "ss:tracepoint", names, &system, &name))
		return NULL;
	dir = tracefs_find(&this_host, NULL);
	err = dir && !strchr(system, '/') && !strchr(name, '/')
		      ? tracefs_id(&this_host, dir, system, name, &id)
		      : -1;
	free(dir);
	return err ? PyLong_FromLong(-1) : PyLong_FromUnsignedLongLong(id);
}

int add_evsel(PyObject *module)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		getters[i] = (PyGetSetDef){ numbers[i].name, get_number, change_number,
					    "the member of struct perf_event_attr",
					    (void *)(uintptr_t)i };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		getters[ARRAY_SIZE(numbers) + i] = others[i];
	evsel_type = add_type(module, &spec, NULL);
	return evsel_type ? 0 : -1;
}
