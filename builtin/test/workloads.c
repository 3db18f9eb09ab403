// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of workloads. */
#include "builtin/test/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "live/control.h"

const struct workload_row workloads[] = {
	{ "noploop", "[SECONDS]", "one thread that computes, named perf-noploop",
	  workload_noploop },
	{ "thloop", "[SECONDS [THREADS]]",
	  "threads (2) in test_loop(), all but one called from thfunc()", workload_thloop },
	{ "leafloop", "[SECONDS]", "parent() calls leaf(), which loops and calls nothing",
	  workload_leafloop },
	{ "sqrtloop", "[SECONDS]", "a child process that takes square roots", workload_sqrtloop },
	{ "brstack", "[LOOPS]", "calls, returns and jumps in a fixed pattern", workload_brstack },
	{ "datasym", "[SECONDS]", "loads and stores in the variable workload_datasym_buf1",
	  workload_datasym },
	{ "inlineloop", "[SECONDS]", "a loop two levels deep in inlined functions",
	  workload_inlineloop },
	{ "traploop", "[LOOPS]", "page faults, one a loop (1000 when not said)",
	  workload_traploop },
	{ "landlock", "", "calls of the landlock system calls, one with bad arguments",
	  workload_landlock },
	{ "jitdump", "[SECONDS]",
	  "code made at run time, described in jit-PID.dump and perf-PID.map", workload_jitdump },
	{ "context_switch_loop", "[LOOPS]", "two processes that hand a byte to and fro",
	  workload_context_switch_loop },
	{ "named_threads", "[THREADS [LOOPS]]", "threads named thread0, thread1 ...",
	  workload_named_threads },
	{ "deterministic", "[LOOPS]", "exactly LOOPS getppid calls, page faults and writes",
	  workload_deterministic },
	{ "callchain", "[DEPTH [SECONDS]]", "callchain_step() inside itself DEPTH times",
	  workload_callchain },
	{ .name = NULL },
};

const struct workload_row *workload_find(const char *name)
{
	for (const struct workload_row *w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

int workload_run(const struct workload_row *w, int argc, const char **argv, struct reason *r)
{
	int most = 0;

	for (const char *s = w->args; *s; s++)
		most += *s == '[';
	if (argc <= most)
		return w->run(argc, argv, r);
	if (!most)
		return reason_usage(r, "%s takes no argument: '%s'", w->name, argv[0]);
	return reason_usage(r, "'%s' is one argument too many: %s %s", argv[most], w->name,
			    w->args);
}

int workload_run_recorded(const struct workload_row *w, const char *control, int argc,
			  const char **argv, struct reason *r)
{
	struct control c;
	int err = control_open(&c, control, r);

	if (err)
		return err;
	err = control_tell(&c, "enable", r);
	if (!err) {
		err = workload_run(w, argc, argv, r);
		if (err)
			(void)!control_tell(&c, "disable", NULL);
		else
			err = control_tell(&c, "disable", r);
	}
	control_close(&c);
	return err;
}

const char *workload_nearest(const char *name)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct workload_row *w = workloads; w->name; w++)
		vec_push(&names, w->name);
	near = nearest_name(name, names.items, names.count);
	vec_release(&names);
	return near;
}
