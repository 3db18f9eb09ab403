// SPDX-License-Identifier: GPL-2.0-or-later
/* The extension perf._perf: what the package perf is made of. */
#include "live.h"

static PyStructSequence_Field frame_fields[] = {
	{ "ip", "the address" },
	{ "sym", "function, or None" },
	{ "symoff", "from its start, or None" },
	{ "dso", "object, or None" },
	{ "symbol", "function, or '[unknown]': an attribute, not an item" },
	{ NULL, NULL },
};
static PyStructSequence_Desc frame_desc = { "perf.Frame", "A frame of a call chain.", frame_fields,
					    4 };

static PyStructSequence_Field branch_fields[] = {
	{ "from_ip", "where it left" },
	{ "to_ip", "where it landed" },
	{ "predicted", "True, False, or None where that is not known" },
	{ "in_tx", "inside of a transaction" },
	{ "abort", "of a transaction" },
	{ "cycles", "since the branch before, 0: not known" },
	{ "type", "PERF_BR_*" },
	{ "mispred", "True where it is known to be mispredicted: an attribute, not an item" },
	{ NULL, NULL },
};
static PyStructSequence_Desc branch_desc = { "perf.Branch", "A branch of a branch stack.",
					     branch_fields, 7 };

static PyObject *add_sequence(PyObject *module, const char *name, const char *doc)
{
	PyType_Slot slots[] = { { Py_tp_doc, (void *)(uintptr_t)doc }, { 0, NULL } };
	PyType_Spec spec = { .name = name,
			     .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
			     .slots = slots };

	return add_type(module, &spec, (PyObject *)&PyTuple_Type);
}

static int add_tuples(PyObject *module)
{
	callchain_type =
		add_sequence(module, "perf.callchain", "The frames of a call chain, a tuple.");
	branch_stack_type = add_sequence(module, "perf.branch_stack",
					 "The branches of a branch stack, a tuple.");
	frame_type = (PyObject *)PyStructSequence_NewType(&frame_desc);
	branch_type = (PyObject *)PyStructSequence_NewType(&branch_desc);
	if (!frame_type || !branch_type || !callchain_type || !branch_stack_type)
		return -1;
	/* and the names that programs for other perfs know */
	return PyModule_AddObjectRef(module, "Frame", frame_type) < 0 ||
			       PyModule_AddObjectRef(module, "callchain_node", frame_type) < 0 ||
			       PyModule_AddObjectRef(module, "Branch", branch_type) < 0 ||
			       PyModule_AddObjectRef(module, "branch_entry", branch_type) < 0
		       ? -1
		       : 0;
}

static PyMethodDef functions[] = {
	{ "open", (PyCFunction)(void (*)(void))perf_open, METH_VARARGS | METH_KEYWORDS,
	  "open(path=None, *, chains=False, force=False, symfs=None, kallsyms=None, "
	  "vmlinux=None)\n--\n\n"
	  "The recording in a file (perf.data), a directory, or '-', standard input. chains: "
	  "unwind copies "
	  "of stacks; force: also the file of another user." },
	{ "live", (PyCFunction)(void (*)(void))perf_live, METH_VARARGS | METH_KEYWORDS,
	  "live(events=None, *, pids=None, cpus=None, freq=None, period=None, chains=False, "
	  "refresh=0.1)\n--\n\n"
	  "The samples that events take from now on: of these processes (a number, or several) "
	  "until they have "
	  "ended, or of these CPUs ('0-2,5') or all of them until stop(). events: as -e of perf "
	  "record. chains: True, "
	  "or as --call-graph ('dwarf' is unwound as it comes). A sample comes at most refresh "
	  "seconds late." },
	{ "parse_events", (PyCFunction)(void (*)(void))perf_parse_events,
	  METH_VARARGS | METH_KEYWORDS,
	  "parse_events(str, cpus=None, threads=None)\n--\n\nAn evlist of the events that a text "
	  "names, as -e of "
	  "perf record does." },
	{ "metrics", perf_metrics, METH_NOARGS,
	  "metrics()\n--\n\nThe metrics that are known for this machine, each as a dict: "
	  "MetricName, MetricGroup (a "
	  "list), MetricExpr, ScaleUnit, BriefDescription, and where the metric has them PMU and "
	  "MetricThreshold." },
	{ "parse_metrics", (PyCFunction)(void (*)(void))perf_parse_metrics,
	  METH_VARARGS | METH_KEYWORDS,
	  "parse_metrics(metrics, pmu=None, cpus=None, threads=None)\n--\n\nAn evlist of the "
	  "events of metrics or "
	  "metric groups, as -M of perf stat takes them; compute_metric() works out their values. "
	  "pmu: of this kind "
	  "of cores alone." },
	{ "pmus", perf_pmus, METH_NOARGS,
	  "pmus()\n--\n\nAn iterator over the PMUs of this machine: each has name() and "
	  "events()." },
	{ "syscall_name", (PyCFunction)(void (*)(void))perf_syscall_name,
	  METH_VARARGS | METH_KEYWORDS,
	  "syscall_name(id, *, elf_machine=-1)\n--\n\nThe name of a system call, None for a "
	  "number that has none. "
	  "elf_machine: the ELF number of another machine (62: x86_64, 183: aarch64)." },
	{ "syscall_id", (PyCFunction)(void (*)(void))perf_syscall_id, METH_VARARGS | METH_KEYWORDS,
	  "syscall_id(name, *, elf_machine=-1)\n--\n\nThe number of a system call; ValueError "
	  "when there is none of "
	  "that name." },
	{ "config_get", perf_config_get, METH_VARARGS,
	  "config_get(name, /)\n--\n\nThe value of a setting of perf config ('report.sort-order') "
	  "as a str, or None when "
	  "it is not set." },
	{ "tracepoint", (PyCFunction)(void (*)(void))perf_tracepoint, METH_VARARGS | METH_KEYWORDS,
	  "tracepoint(sys, name)\n--\n\nThe config of a tracepoint, -1 when there is none." },
	{ NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "perf._perf",
	.m_doc = "The native part of the package perf.",
	.m_size = -1,
	.m_methods = functions,
};

PyMODINIT_FUNC PyInit__perf(void);
PyMODINIT_FUNC PyInit__perf(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (!module)
		return NULL;
	perf_error = PyErr_NewExceptionWithDoc("perf.error", "What perf could not do, and why.",
					       PyExc_OSError, NULL);
	damage_warning = PyErr_NewExceptionWithDoc(
		"perf.DamageWarning",
		"A part of a recording was cut off or damaged, and is missing from what was "
		"read.",
		PyExc_RuntimeWarning, NULL);
	if (!perf_error || PyModule_AddObjectRef(module, "error", perf_error) < 0 ||
	    !damage_warning || PyModule_AddObjectRef(module, "DamageWarning", damage_warning) < 0 ||
	    add_tuples(module) || add_recording(module) || add_live(module) || add_sample(module) ||
	    add_column(module) || add_constants(module) || add_maps(module) ||
	    add_live_event(module) || add_evsel(module) || add_evlist(module) ||
	    add_counts_values(module) || add_machine(module))
		Py_CLEAR(module);
	return module;
}
