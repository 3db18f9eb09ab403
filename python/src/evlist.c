// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * evlist: events that write into the same rings, one for each CPU (or thread, where the CPU is
 * any), and the records that are read from them.
 *
 * A ring: the kernel writes at data_head, we read from data_tail on; both are in the control page
 * before the data. A record that wraps is copied.
 */
#include "live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "event/names.h"
#include "event/parse.h"
#include "event/tracing_data.h"
#include "sys/explain.h"
#include "sys/tracefs.h"

#define IOC_SET_OUTPUT _IO('$', 5)

/* What makes an event write records of tasks and mappings. */
#define TRACKING_FLAGS (ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_TASK)

enum { HEAD_OFFSET = 1024, TAIL_OFFSET = 1032, MOST_RECORD = 1 << 16 };

struct ring {
	u8 *base;    /* control page, then data */
	size_t size; /* the size of the data */
	s32 cpu;
	int fd;
	bool overwrite; /* mapped for reading alone: the kernel does not wait for us */
	u64 tail;       /* overwrite: where the next record is read */
};

struct evlist_object {
	PyObject_HEAD
	PyObject *events; /* list of evsel */
	struct map_object *cpus, *threads;
	VEC(struct ring) rings;
	struct event_set set; /* for decoding; filled by mmap() */
	struct tracepoint_formats *formats;
	struct places *places;        /* NULL until the place of an address is requested */
	struct list_metrics *metrics; /* what parse_metrics() returned, or NULL */
	bool has_set;
	u8 *record; /* MOST_RECORD bytes: one that wraps, or that is being decoded */
};

static PyObject *evlist_type;

static struct evsel_object *event_at(const struct evlist_object *l, Py_ssize_t i)
{
	return (struct evsel_object *)PyList_GetItem(l->events, i);
}

static void unmap(struct evlist_object *l)
{
	vec_for_each(&l->rings, r)
		munmap(r->base, r->size + (size_t)sysconf(_SC_PAGESIZE));
	vec_release(&l->rings);
	if (l->has_set)
		event_set_release(&l->set);
	l->has_set = false;
	tracepoint_formats_free(l->formats);
	l->formats = NULL;
}

static void evlist_dealloc(PyObject *self)
{
	struct evlist_object *l = (struct evlist_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	unmap(l);
	places_free(l->places);
	list_metrics_free(l->metrics);
	Py_XDECREF(l->events);
	Py_XDECREF((PyObject *)l->cpus);
	Py_XDECREF((PyObject *)l->threads);
	free(l->record);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *evlist_new(PyObject *cpus, PyObject *threads)
{
	struct evlist_object *l = PyObject_New(struct evlist_object, (PyTypeObject *)evlist_type);

	if (!l)
		return NULL;
	memset((char *)l + sizeof(PyObject), 0, sizeof(*l) - sizeof(PyObject));
	l->events = PyList_New(0);
	l->cpus = map_of(cpus, cpu_map_type);
	l->threads = l->cpus ? map_of(threads, thread_map_type) : NULL;
	l->record = xcalloc(1, MOST_RECORD);
	if (!l->events || !l->threads)
		Py_CLEAR(l);
	return (PyObject *)l;
}

static PyObject *evlist_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "cpus", "threads", NULL };
	PyObject *cpus = NULL, *threads = NULL;

	(void)type;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:evlist", names, &cpus, &threads))
		return NULL;
	return evlist_new(cpus, threads);
}

static PyObject *method_add(PyObject *self, PyObject *event)
{
	struct evlist_object *l = (struct evlist_object *)self;

	if (PyObject_IsInstance(event, evsel_type) != 1) {
		PyErr_SetString(PyExc_TypeError, "a perf.evsel is needed");
		return NULL;
	}
	if (PyList_Append(l->events, event) < 0)
		return NULL;
	((struct evsel_object *)event)->tracking = PyList_Size(l->events) == 1;
	return PyLong_FromSsize_t(PyList_Size(l->events));
}

static int open_all(struct evlist_object *l)
{
	for (Py_ssize_t i = 0; i < PyList_Size(l->events); i++)
		if (evsel_open(event_at(l, i), l->cpus, l->threads))
			return -1;
	return 0;
}

static PyObject *method_open(PyObject *self, PyObject *args)
{
	(void)args;
	return open_all((struct evlist_object *)self) ? NULL : Py_NewRef(Py_None);
}

enum { DEFAULT_FREQ = 4000 };

/*
 * Sets what a recording without further wishes asks the kernel for, as other perfs do here: 4000
 * samples a second, each seen immediately, nothing for children.
 */
static void configure(struct evsel_object *e, bool several)
{
	struct perf_event_attr *a = &e->attr;

	a->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	if (several)
		a->sample_type |= PERF_SAMPLE_ID;
	if (!a->sample_period) {
		a->flags |= ATTR_FREQ;
		a->sample_freq = DEFAULT_FREQ;
	}
	if (a->flags & ATTR_FREQ)
		a->sample_type |= PERF_SAMPLE_PERIOD;
	if (several)
		a->read_format |= PERF_FORMAT_ID;
	if (a->type == PERF_TYPE_TRACEPOINT)
		a->sample_type |= PERF_SAMPLE_RAW;
	a->flags &= ~(ATTR_INHERIT | ATTR_WATERMARK | ATTR_DISABLED | TRACKING_FLAGS);
	a->flags |= ATTR_SAMPLE_ID_ALL | (e->tracking ? TRACKING_FLAGS : 0) |
		    (e->leader ? 0 : ATTR_DISABLED);
	a->wakeup_events = 1;
}

static PyObject *method_config(PyObject *self, PyObject *args)
{
	struct evlist_object *l = (struct evlist_object *)self;
	Py_ssize_t count = PyList_Size(l->events);

	(void)args;
	for (Py_ssize_t i = 0; i < count; i++)
		if (event_at(l, i)->fds) {
			PyErr_SetString(PyExc_ValueError,
					"an event is open: config() comes before open()");
			return NULL;
		}
	for (Py_ssize_t i = 0; i < count; i++)
		configure(event_at(l, i), count > 1);
	return Py_NewRef(Py_None);
}

static PyObject *each(PyObject *self, const char *method)
{
	struct evlist_object *l = (struct evlist_object *)self;

	for (Py_ssize_t i = 0; i < PyList_Size(l->events); i++) {
		PyObject *name = PyUnicode_FromString(method), *o;

		o = name ? PyObject_CallMethodObjArgs((PyObject *)event_at(l, i), name, NULL)
			 : NULL;
		Py_XDECREF(name);
		if (!o)
			return NULL;
		Py_DECREF(o);
	}
	return Py_NewRef(Py_None);
}

static PyObject *method_enable(PyObject *self, PyObject *args)
{
	(void)args;
	return each(self, "enable");
}

static PyObject *method_disable(PyObject *self, PyObject *args)
{
	(void)args;
	return each(self, "disable");
}

static PyObject *method_close(PyObject *self, PyObject *args)
{
	(void)args;
	unmap((struct evlist_object *)self);
	return each(self, "close");
}

/* ---- rings ---- */

/*
 * Maps an event into the ring that takes this CPU's (or thread's) records. The first event there
 * makes it.
 */
static int map_one(struct evlist_object *l, int fd, s32 cpu, size_t size, int prot)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct reason r = REASON_INIT;
	void *base;

	vec_for_each(&l->rings, ring)
		if (cpu >= 0 && ring->cpu == cpu) {
			if (!ioctl(fd, IOC_SET_OUTPUT, ring->fd))
				return 0;
			PyErr_SetFromErrno(perf_error);
			return -1;
		}
	base = mmap(NULL, size + page, prot, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		int err = explain_ring(&this_host, size + page, errno, &r);

		raise_reason(err, &r);
		return -1;
	}
	vec_push(&l->rings, (struct ring){ .base = base,
					   .size = size,
					   .cpu = cpu,
					   .fd = fd,
					   .overwrite = !(prot & PROT_WRITE) });
	return 0;
}

static int map_event(struct evlist_object *l, const struct evsel_object *e, size_t size, int prot)
{
	for (Py_ssize_t c = 0; c < e->cpus->count; c++)
		for (Py_ssize_t t = 0; t < e->threads->count; t++) {
			int fd = evsel_fd(e, c, t);

			if (fd >= 0 && map_one(l, fd, e->cpus->numbers[c], size, prot))
				return -1;
		}
	return 0;
}

/* Makes the set of events as the decoder knows them, with the kernel's ids. */
static int make_set(struct evlist_object *l)
{
	struct reason r = REASON_INIT;
	int err;

	event_set_init(&l->set);
	l->has_set = true;
	for (Py_ssize_t i = 0; i < PyList_Size(l->events); i++) {
		const struct evsel_object *e = event_at(l, i);
		struct event *ev = event_set_add(&l->set, &e->attr, e->name);

		for (Py_ssize_t n = 0; n < e->cpus->count * e->threads->count; n++) {
			u64 id = evsel_kernel_id(e->fds[n]);

			if (id)
				event_set_add_id(&l->set, ev, id);
		}
	}
	err = event_set_finish(&l->set, &r);
	if (err)
		raise_reason(err, &r);
	reason_release(&r);
	return err ? -1 : 0;
}

/* Returns "SYSTEM:NAME" of a tracepoint's id, which the caller frees, or NULL if there is none. */
static char *name_of_id(u64 id)
{
	char *dir = tracefs_find(&this_host, NULL), *found = NULL;
	struct strlist systems = { 0 };

	if (!dir || tracefs_systems(&this_host, dir, &systems))
		systems.list.count = 0;
	for (size_t i = 0; i < systems.list.count && !found; i++) {
		const char *system = systems.list.items[i];
		struct strlist names = { 0 };
		u64 one;

		if (!tracefs_tracepoints(&this_host, dir, system, &names))
			for (size_t k = 0; k < names.list.count && !found; k++)
				if (!tracefs_id(&this_host, dir, system, names.list.items[k],
						&one) &&
				    one == id)
					found = xasprintf("%s:%s", system, names.list.items[k]);
		strlist_release(&names);
	}
	strlist_release(&systems);
	free(dir);
	return found;
}

/* Gives events that were made from numbers the names of their tracepoints. */
static void name_tracepoints(struct evlist_object *l)
{
	vec_for_each(&l->set.list, ev) {
		char *name;

		if (!event_is_tracepoint(*ev) || strchr((*ev)->name, ':'))
			continue;
		name = name_of_id((*ev)->attr.config);
		if (!name)
			continue;
		free((*ev)->name);
		(*ev)->name = name;
	}
}

static PyObject *method_mmap(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "pages", "overwrite", NULL };
	struct evlist_object *l = (struct evlist_object *)self;
	int pages = 128, overwrite = 0;
	size_t size;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|ii:mmap", names, &pages, &overwrite))
		return NULL;
	if (pages < 1 || pages & (pages - 1) || pages > 1 << 18) {
		PyErr_SetString(PyExc_ValueError, "pages must be a power of two");
		return NULL;
	}
	if (l->rings.count) {
		PyErr_SetString(PyExc_ValueError, "the rings are mapped already");
		return NULL;
	}
	size = (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
	if (open_all(l) || make_set(l)) {
		unmap(l);
		return NULL;
	}
	for (Py_ssize_t i = 0; i < PyList_Size(l->events); i++)
		if (map_event(l, event_at(l, i), size,
			      overwrite ? PROT_READ : PROT_READ | PROT_WRITE)) {
			unmap(l);
			return NULL;
		}
	name_tracepoints(l);
	l->formats = tracing_data_formats(&l->set, NULL);
	return Py_NewRef(Py_None);
}

static PyObject *method_poll(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "timeout", NULL };
	struct evlist_object *l = (struct evlist_object *)self;
	struct pollfd *fds;
	int timeout = -1, n, err;
	size_t count = l->rings.count;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|i:poll", names, &timeout))
		return NULL;
	if (!count) { /* it would wait for ever */
		PyErr_SetString(PyExc_ValueError, "mmap() comes before");
		return NULL;
	}
	fds = xcalloc(count + 1, sizeof(*fds));
	for (size_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){ .fd = l->rings.items[i].fd, .events = POLLIN };
	Py_BEGIN_ALLOW_THREADS n = poll(fds, count, timeout);
	err = errno;
	Py_END_ALLOW_THREADS free(fds);
	if (n >= 0)
		return PyLong_FromLong(n);
	errno = err;
	if (err == EINTR && PyErr_CheckSignals())
		return NULL;
	return err == EINTR ? PyLong_FromLong(0) : PyErr_SetFromErrno(perf_error);
}

static PyObject *method_get_pollfd(PyObject *self, PyObject *args)
{
	struct evlist_object *l = (struct evlist_object *)self;
	PyObject *list = PyList_New(0);

	(void)args;
	vec_for_each(&l->rings, r) {
		PyObject *fd = list ? PyLong_FromLong(r->fd) : NULL;

		if (!fd || PyList_Append(list, fd) < 0)
			Py_CLEAR(list);
		Py_XDECREF(fd);
	}
	return list;
}

/* Copies the next record of a ring to out. Returns its size, or 0 if there is none. */
static size_t take_record(struct ring *ring, u8 *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), at, size, part;
	u64 head = __atomic_load_n((u64 *)(ring->base + HEAD_OFFSET), __ATOMIC_ACQUIRE);
	u64 *tail = ring->overwrite ? &ring->tail : (u64 *)(ring->base + TAIL_OFFSET);
	const u8 *data = ring->base + page;
	struct record_header h;

	if (ring->overwrite && head - *tail > ring->size)
		*tail = head; /* it was overwritten, and nothing says where a record begins */
	if (head - *tail < sizeof(h) || head - *tail > ring->size)
		return 0;
	at = *tail & (ring->size - 1); /* a header never wraps: records are multiples of 8 bytes */
	memcpy(&h, data + at, sizeof(h));
	size = h.size;
	if (size < sizeof(h) || size > head - *tail)
		return 0;
	part = MIN(size, ring->size - at);
	memcpy(out, data + at, part);
	memcpy(out + part, data, size - part);
	__atomic_store_n(tail, *tail + size, __ATOMIC_RELEASE);
	return size;
}

static PyObject *read_ring(struct evlist_object *l, struct ring *ring)
{
	size_t size = take_record(ring, l->record);
	struct record_header h;
	struct record rec;

	if (!size)
		return NULL;
	memcpy(&h, l->record, sizeof(h));
	rec = (struct record){ .type = h.type, .misc = h.misc, .size = h.size, .data = l->record };
	places_apply(l->places, &l->set, &rec);
	return live_event_new(&l->set, &rec, l->formats, l->events, (PyObject *)l, &l->places);
}

static PyObject *method_read_on_cpu(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "cpu", "sample_id_all", NULL };
	struct evlist_object *l = (struct evlist_object *)self;
	int cpu, id_all = 1;
	bool known = false;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "i|i:read_on_cpu", names, &cpu, &id_all))
		return NULL;
	vec_for_each(&l->rings, ring) {
		PyObject *event;

		if (ring->cpu != cpu)
			continue;
		known = true;
		event = read_ring(l, ring);
		if (event || PyErr_Occurred())
			return event;
	}
	if (known)
		return Py_NewRef(Py_None);
	PyErr_Format(PyExc_ValueError,
		     l->rings.count ? "there is no ring of CPU %d" : "mmap() comes before", cpu);
	return NULL;
}

/* ---- a list of events ---- */

static Py_ssize_t evlist_length(PyObject *self)
{
	return PyList_Size(((struct evlist_object *)self)->events);
}

static PyObject *evlist_item(PyObject *self, Py_ssize_t i)
{
	struct evlist_object *l = (struct evlist_object *)self;

	if (i < 0 || i >= PyList_Size(l->events)) {
		PyErr_SetString(PyExc_IndexError, "the list has no such event");
		return NULL;
	}
	return Py_NewRef((PyObject *)event_at(l, i));
}

static PyObject *evlist_repr(PyObject *self)
{
	PyObject *list = PyObject_Repr(((struct evlist_object *)self)->events);
	PyObject *text = list ? PyUnicode_FromFormat("evlist(%U)", list) : NULL;

	Py_XDECREF(list);
	return text;
}

/*
 * Refuses a tool event: perf stat knows times of its workload and numbers of the machine, for which
 * there is nothing to open.
 */
static int refuse_tool(const struct event *ev)
{
	struct reason r = REASON_INIT;
	int err = reason_set(&r, ENOTSUP, "'%s' is a number that only perf stat gives", ev->name);

	raise_reason(err, &r);
	return -1;
}

/* Adds a parsed event with the group that it is in. Returns 0, or -1 with an exception. */
static int add_event(PyObject *list, const struct event *ev)
{
	struct perf_event_attr attr = ev->attr;
	struct evsel_object *e;
	PyObject *added;

	if (ev->tool && ev->tool != TOOL_DURATION_TIME)
		return refuse_tool(ev);
	attr.read_format |= 3; /* lets counts be scaled */
	attr.flags |= ATTR_SAMPLE_ID_ALL;
	e = (struct evsel_object *)evsel_new(&attr, ev->name);
	if (!e)
		return -1;
	e->tool = ev->tool;
	e->own_cpus = ev->cpus ? cpu_map_of_list(ev->cpus, ev->cpu_count) : NULL;
	e->of_package = ev->cpus && ev->pmu &&
			sys_exists(&this_host, "/sys/bus/event_source/devices/%s/cpumask", ev->pmu);
	if (ev->leader != ev)
		e->leader = (struct evsel_object *)Py_NewRef((PyObject *)event_at(
			(struct evlist_object *)list, (Py_ssize_t)ev->leader->index));
	added = method_add(list, (PyObject *)e);
	Py_DECREF((PyObject *)e);
	Py_XDECREF(added);
	return added ? 0 : -1;
}

static PyObject *list_of_set(const struct event_set *set, PyObject *cpus, PyObject *threads)
{
	PyObject *list = evlist_new(cpus, threads);

	vec_for_each(&set->list, ev)
		if (list && add_event(list, *ev))
			Py_CLEAR(list);
	return list;
}

PyObject *perf_parse_events(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "str", "cpus", "threads", NULL };
	const struct event_parser parser = { .command = "stat", .counting = false };
	PyObject *cpus = NULL, *threads = NULL, *list;
	struct reason r = REASON_INIT;
	struct event_set set;
	const char *text;
	int err;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|OO:parse_events", names, &text, &cpus,
					 &threads))
		return NULL;
	event_set_init(&set);
	err = event_parse(&parser, &set, text, &r);
	list = err ? raise_reason(err, &r) : list_of_set(&set, cpus, threads);
	event_set_release(&set);
	return list;
}

PyObject *perf_parse_metrics(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "metrics", "pmu", "cpus", "threads", NULL };
	PyObject *cpus = NULL, *threads = NULL, *list;
	struct list_metrics *m;
	const char *text, *pmu = NULL;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|zOO:parse_metrics", names, &text, &pmu,
					 &cpus, &threads))
		return NULL;
	m = list_metrics_new(text, pmu);
	if (!m)
		return NULL;
	list = list_of_set(list_metrics_events(m), cpus, threads);
	if (list)
		((struct evlist_object *)list)->metrics = m;
	else
		list_metrics_free(m);
	return list;
}

static PyObject *method_metrics(PyObject *self, PyObject *args)
{
	(void)args;
	return list_metrics_names(((struct evlist_object *)self)->metrics);
}

static PyObject *method_compute_metric(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "metric", "cpu", "thread", NULL };
	const struct evlist_object *l = (struct evlist_object *)self;
	const char *metric;
	int cpu, thread;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sii:compute_metric", names, &metric, &cpu,
					 &thread))
		return NULL;
	return list_metrics_compute(l->metrics, l->events, metric, cpu, thread);
}

static bool any_event_counts_on(const struct evlist_object *l, s32 cpu)
{
	for (Py_ssize_t i = 0; i < PyList_Size(l->events); i++)
		if (!event_at(l, i)->own_cpus || map_holds(event_at(l, i)->own_cpus, cpu))
			return true;
	return !PyList_Size(l->events);
}

static PyObject *method_all_cpus(PyObject *self, PyObject *args)
{
	const struct evlist_object *l = (struct evlist_object *)self;
	u32 *cpus = xcalloc((size_t)l->cpus->count + 1, sizeof(*cpus));
	struct map_object *all;
	size_t count = 0;

	(void)args;
	for (Py_ssize_t c = 0; c < l->cpus->count; c++)
		if (any_event_counts_on(l, l->cpus->numbers[c]))
			cpus[count++] = (u32)l->cpus->numbers[c];
	all = cpu_map_of_list(cpus, count);
	free(cpus);
	return (PyObject *)all;
}

static PyMethodDef methods[] = {
	{ "add", method_add, METH_O,
	  "add($self, evsel, /)\n--\n\nAdd an event: how many there are now." },
	{ "open", method_open, METH_NOARGS, "open($self, /)\n--\n\nOpen those that are not." },
	{ "config", method_config, METH_NOARGS,
	  "config($self, /)\n--\n\nBefore open(): ask for what a recording has by default: 4000 "
	  "samples a second, with "
	  "address, thread, time and CPU, each seen at once; disabled until enable(). The event "
	  "that is tracking "
	  "also writes the records of tasks and mappings." },
	{ "close", method_close, METH_NOARGS,
	  "close($self, /)\n--\n\nClose the rings and all events." },
	{ "enable", method_enable, METH_NOARGS, "enable($self, /)\n--\n\nCount." },
	{ "disable", method_disable, METH_NOARGS, "disable($self, /)\n--\n\nCount no more." },
	{ "metrics", method_metrics, METH_NOARGS,
	  "metrics($self, /)\n--\n\nThe names of those of parse_metrics()." },
	{ "compute_metric", (PyCFunction)(void (*)(void))method_compute_metric,
	  METH_VARARGS | METH_KEYWORDS,
	  "compute_metric($self, /, metric, cpu, thread)\n--\n\nThe value of one of them on a CPU "
	  "and a thread since the "
	  "events were enabled; nan where a count is missing or 0." },
	{ "all_cpus", method_all_cpus, METH_NOARGS,
	  "all_cpus($self, /)\n--\n\nThe CPUs that its events are opened on." },
	{ "mmap", (PyCFunction)(void (*)(void))method_mmap, METH_VARARGS | METH_KEYWORDS,
	  "mmap($self, /, pages=128, overwrite=0)\n--\n\nMap a ring for each CPU; events are "
	  "opened before." },
	{ "poll", (PyCFunction)(void (*)(void))method_poll, METH_VARARGS | METH_KEYWORDS,
	  "poll($self, /, timeout=-1)\n--\n\nWait so many ms for records: how many rings have "
	  "some." },
	{ "get_pollfd", method_get_pollfd, METH_NOARGS,
	  "get_pollfd($self, /)\n--\n\nDescriptors of the rings." },
	{ "read_on_cpu", (PyCFunction)(void (*)(void))method_read_on_cpu,
	  METH_VARARGS | METH_KEYWORDS,
	  "read_on_cpu($self, /, cpu, sample_id_all=1)\n--\n\nThe next record there, or None." },
	{ NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "evlist(cpus=None, threads=None)\n--\n\nEvents that are opened together and write into "
	  "the same rings." },
	{ Py_tp_new, evlist_make },
	{ Py_tp_dealloc, evlist_dealloc },
	{ Py_tp_repr, evlist_repr },
	{ Py_tp_methods, methods },
	{ Py_sq_length, evlist_length },
	{ Py_sq_item, evlist_item },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "perf.evlist",
	.basicsize = sizeof(struct evlist_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

int add_evlist(PyObject *module)
{
	evlist_type = add_type(module, &spec, NULL);
	return evlist_type ? 0 : -1;
}
