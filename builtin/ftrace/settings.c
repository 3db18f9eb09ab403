// SPDX-License-Identifier: GPL-2.0-or-later
/* The requested settings, as files of tracefs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/ftrace/internal.h"
#include "sys/tracefs.h"

/* value: what the flag writes; the file's other value is the kernel's default. */
static const struct {
	const char *files[3];
	const char *value, *name;
} flags[FTRACE_FLAGS] = {
	[FTRACE_CALL_GRAPH] = { { "options/func_stack_trace" }, "1", "call-graph" },
	[FTRACE_IRQ_INFO] = { { "options/irq-info" }, "1", "irq-info" },
	[FTRACE_NOSLEEP_TIME] = { { "options/sleep-time" }, "0", "nosleep-time" },
	[FTRACE_NOIRQS] = { { "options/funcgraph-irqs" }, "0", "noirqs" },
	[FTRACE_VERBOSE] = { { "options/funcgraph-proc", "options/funcgraph-abstime",
			       "options/latency-format" },
			     "1",
			     "verbose" },
	[FTRACE_TAIL] = { { "options/funcgraph-tail" }, "1", "tail" },
	[FTRACE_ARGS] = { { "options/funcgraph-args" }, "1", "args" },
	[FTRACE_RETVAL] = { { "options/funcgraph-retval" }, "1", "retval" },
	[FTRACE_RETVAL_HEX] = { { "options/funcgraph-retval-hex" }, "1", "retval-hex" },
	[FTRACE_RETADDR] = { { "options/funcgraph-retaddr" }, "1", "retaddr" },
};

static const char *ftrace_tracer(const struct ftrace *f)
{
	bool graph = f->graph.list.count || f->not_graph.list.count;
	bool function = f->functions.list.count || f->not_functions.list.count;

	if (f->command != FTRACE_TRACE)
		return "function_graph";
	if (f->tracer_given)
		return f->tracer;
	return graph ? "function_graph" : function ? "function" : f->tracer;
}

/* ---- one by one ---- */

static int set_number(struct ftrace_place *p, const char *file, u64 value, struct reason *r)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return value ? ftrace_place_write(p, file, text, r) : 0;
}

static int set_tasks(const struct ftrace *f, struct ftrace_place *p, const struct target *t,
		     struct reason *r)
{
	char text[24];
	int err = 0;

	for (size_t i = 0; !err && !t->system_wide && i < t->tid_count; i++) {
		snprintf(text, sizeof(text), "%d", (int)t->tids[i]);
		err = ftrace_place_append(p, "set_ftrace_pid", text, r);
	}
	/* our own writes of the trace would also be traced, without end */
	snprintf(text, sizeof(text), "%d", (int)getpid());
	if (!err && t->system_wide && ftrace_place_has(p, "set_ftrace_notrace_pid"))
		err = ftrace_place_write(p, "set_ftrace_notrace_pid", text, r);
	if (!err && f->inherit)
		err = ftrace_place_write(p, "options/function-fork", "1", r);
	return err;
}

/* Sets the CPUs: hexadecimal, the highest first, a comma between each 32. */
static int set_cpus(struct ftrace_place *p, const struct target *t, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	u32 words, *mask;
	int err;

	if (!t->cpu_count)
		return 0;
	words = t->cpus[t->cpu_count - 1] / 32 + 1;
	mask = xcalloc(words, sizeof(*mask));
	for (size_t i = 0; i < t->cpu_count; i++)
		mask[t->cpus[i] / 32] |= 1U << t->cpus[i] % 32;
	for (u32 i = words; i--;)
		strbuf_f(&b, i + 1 == words ? "%x" : ",%08x", mask[i]);
	err = ftrace_place_write(p, "tracing_cpumask", b.s, r);
	strbuf_release(&b);
	free(mask);
	return err;
}

static int set_functions(struct ftrace_place *p, const char *file, const struct strlist *names,
			 struct reason *r)
{
	int err = 0;

	vec_for_each(&names->list, name) {
		err = ftrace_place_append(p, file, *name, r);
		if (err != -EINVAL)
			continue;
		reason_set(r, EINVAL, "no function that can be traced matches '%s'", *name);
		reason_hint(r, "'perf ftrace -F' lists them");
		break;
	}
	return err;
}

static int set_flag(struct ftrace_place *p, enum ftrace_flag flag, struct reason *r)
{
	int err = 0;

	for (int i = 0; !err && i < 3 && flags[flag].files[i]; i++)
		err = ftrace_place_write(p, flags[flag].files[i], flags[flag].value, r);
	if (err == -ENOENT)
		return reason_set(r, ENOENT, "the tracer of this kernel has no option '%s'",
				  flags[flag].name);
	return err;
}

static int set_all(const struct ftrace *f, struct ftrace_place *p, const struct target *t,
		   struct reason *r)
{
	const char *tracer = ftrace_tracer(f);
	int err = ftrace_place_write(p, "tracing_on", "0", r);

	if (!err && !strncmp(tracer, "function", 8)) /* other tracers ignore the tasks */
		err = set_tasks(f, p, t, r);
	if (!err)
		err = set_cpus(p, t, r);
	if (!err)
		err = set_functions(p, "set_ftrace_filter", &f->functions, r);
	if (!err)
		err = set_functions(p, "set_ftrace_notrace", &f->not_functions, r);
	if (!err)
		err = set_functions(p, "set_graph_function", &f->graph, r);
	if (!err)
		err = set_functions(p, "set_graph_notrace", &f->not_graph, r);
	if (!err)
		err = set_number(p, "max_graph_depth", f->depth, r);
	if (!err)
		err = set_number(p, "tracing_thresh", f->threshold, r);
	if (!err)
		err = ftrace_place_set_ring(p, f->buffer / 1024, r);
	if (!err) /* some options are there once their tracer is */
		err = ftrace_place_write(p, "current_tracer", tracer, r);
	for (int i = 0; !err && i < FTRACE_FLAGS; i++)
		if (f->flags[i])
			err = set_flag(p, i, r);
	ftrace_place_mend_main(p);
	return err;
}

static void explain(const struct ftrace *f, int err, struct reason *r)
{
	if (err == -EPERM || err == -EACCES)
		reason_hint(r,
			    f->command == FTRACE_LATENCY
				    ? "it needs root and a kernel that may be traced; 'perf ftrace "
				      "latency -b' measures by BPF"
				    : "it needs root and a kernel that may be traced (not locked "
				      "down)");
}

int ftrace_set_up(const struct ftrace *f, const struct target *t, struct ftrace_place **out,
		  struct reason *r)
{
	const char *needed[8] = { "set_ftrace_pid" };
	size_t n = 1;
	int err;

	if (f->graph.list.count)
		needed[n++] = "set_graph_function";
	if (f->not_graph.list.count)
		needed[n++] = "set_graph_notrace";
	if (f->depth)
		needed[n++] = "max_graph_depth";
	if (f->threshold)
		needed[n++] = "tracing_thresh";
	*out = NULL;
	err = ftrace_place_open(ftrace_tracer(f), needed, out, r);
	if (!err)
		err = set_all(f, *out, t, r);
	if (err)
		explain(f, err, r);
	return err;
}

int ftrace_list(const char *glob, struct out *out, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	char *dir = tracefs_find(NULL, r), *path, *rest, *line, *name;
	size_t listed = 0;
	int err;

	if (!dir)
		return -ENOENT;
	path = xasprintf("%s/available_filter_functions", dir);
	err = sys_read(NULL, &b, path);
	free(path);
	free(dir);
	if (err) {
		reason_errno(r, -err, "cannot list the functions that can be traced");
		/* one hint for each of the three things that it can be */
		if (err == -ENOENT)
			reason_hint(r, "this kernel is built without CONFIG_DYNAMIC_FTRACE");
		else if (!geteuid())
			reason_hint(r, "the kernel refuses it even to root: see "
				       "/sys/kernel/security/lockdown, or try outside of the "
				       "container");
		else
			reason_hint(r, "it needs root: sudo perf ftrace -F");
		strbuf_release(&b);
		return err;
	}
	for (rest = b.s; rest && (line = strsep(&rest, "\n"));) {
		name = xstrndup(line, strcspn(line, " \t"));
		if (*line && (!glob || glob_match(glob, name))) {
			strbuf_f(out_buf(out), "%s\n", line);
			out_done(out);
			listed++;
		}
		free(name);
	}
	strbuf_release(&b);
	return listed ? 0
		      : reason_set(r, ENOENT, "no function that can be traced matches '%s'",
				   glob ? glob : "*");
}
