// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of abilities, and the run over it. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "builtin/doctor/internal.h"

enum {
	RECORD = 1 << DOCTOR_RECORD,
	STAT = 1 << DOCTOR_STAT,
	TOP = 1 << DOCTOR_TOP,
	TRACE = 1 << DOCTOR_TRACE,
	PROBE = 1 << DOCTOR_PROBE,
	BPF = 1 << DOCTOR_BPF,
};

/* clang-format off */
static const struct doctor_check checks[] = {
	/* name, ability					needed by		useful to */
	{ "count", "count events of programs",			STAT,			RECORD, try_counting },
	{ "sample-user", "sample user space",			RECORD | TOP,		0, try_user_samples },
	{ "sample-kernel", "sample the kernel",			0,			RECORD | TOP | STAT, try_kernel_samples },
	{ "system-wide", "measure all processes (-a)",		TOP,			RECORD | STAT | TRACE, try_system_wide },
	{ "other-users", "measure processes of other users (-p)", 0,			RECORD | STAT | TOP | TRACE, try_other_users },
	{ "host-pids", "name processes by the numbers of the host", 0,			RECORD | STAT | TOP | TRACE | BPF, try_host_pids },
	{ "hardware", "count hardware events (cycles)",		0,			RECORD | STAT | TOP, try_hardware },
	{ "all-counters", "use all counters of the CPUs",	0,			STAT, try_all_counters },
	{ "kernel-names", "name functions of the kernel",	0,			RECORD | TOP, try_kernel_names },
	{ "tracepoints", "use tracepoints",			0,			RECORD | STAT | TOP | TRACE, try_tracepoints },
	{ "system-calls", "trace system calls",			TRACE,			0, try_system_calls },
	{ "bpf", "load BPF programs",				BPF,			RECORD | STAT | TRACE, try_bpf },
	{ "bpf-types", "read the kernel's structures in BPF programs", BPF,		RECORD | STAT | TRACE, try_bpf_types },
	{ "bpf-pids", "choose processes in BPF programs",	0,			RECORD | STAT | TRACE | BPF, try_bpf_pids },
	{ "probes", "define probes in programs",		PROBE,			0, try_probes },
	{ "kernel-probes", "define probes in the kernel",	0,			PROBE, try_kernel_probes },
	{ "rings", "map rings of 2 MB on each CPU",		0,			RECORD | TOP | TRACE, try_rings },
	{ "sample-rate", "sample 4000 times a second",		0,			RECORD | TOP, try_sample_rate },
	{ "call-chains", "record call chains of 127 frames",	0,			RECORD | TOP, try_call_chains },
	{ "open-files", "open 32 events on each CPU",		0,			RECORD | STAT | TOP | TRACE, try_open_files },
	{ "cgroups", "measure cgroups (-G)",			0,			RECORD | STAT, try_cgroups },
	{ "build-ids", "keep copies of objects for later reports", 0,			RECORD, try_build_id_cache },
	{ "clock", "take times from a clock that other tools can use", 0,		RECORD | TRACE, try_clock },
	{ "memory", "read the memory of processes that others started", 0,		0, try_memory_of_others },
	{ "libraries", "use every library that perf can be built with", 0,		0, try_libraries },
};
/* clang-format on */

static const char *const mode_names[DOCTOR_MODES] = {
	[DOCTOR_RECORD] = "record", [DOCTOR_STAT] = "stat",   [DOCTOR_TOP] = "top",
	[DOCTOR_TRACE] = "trace",   [DOCTOR_PROBE] = "probe", [DOCTOR_BPF] = "bpf",
};

const char *doctor_mode_name(enum doctor_mode mode)
{
	return mode == DOCTOR_ALL ? NULL : mode_names[mode];
}

int doctor_mode_find(const char *name, enum doctor_mode *mode, struct reason *r)
{
	const char *near;

	for (unsigned i = 0; i < DOCTOR_MODES; i++)
		if (!strcmp(name, mode_names[i])) {
			*mode = (enum doctor_mode)i;
			return 0;
		}
	near = nearest_name(name, mode_names, DOCTOR_MODES);
	reason_usage(r, "--for knows no '%s'", name);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r, "it takes record, stat, top, trace, probe and bpf");
	return -EINVAL;
}

static bool concerns(const struct doctor_check *c, enum doctor_mode mode)
{
	return mode == DOCTOR_ALL || (c->needed | c->useful) >> mode & 1;
}

bool doctor_needs(const struct doctor *d, const struct doctor_check *c)
{
	return d->mode != DOCTOR_ALL && c->needed >> d->mode & 1;
}

void doctor_examine(struct doctor *d, struct context *ctx, enum doctor_mode mode)
{
	*d = (struct doctor){ .ctx = ctx, .mode = mode };
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		struct doctor_finding f = { .check = &checks[i], .why = REASON_INIT };
		int err = concerns(&checks[i], mode) ? checks[i].attempt(ctx, &f.why)
						     : DOCTOR_NOTHING_TO_TRY;

		f.works = !err;
		if (err <= 0)
			vec_push(&d->findings, f);
		else
			reason_release(&f.why);
	}
}

bool doctor_holds(const struct doctor *d)
{
	vec_for_each(&d->findings, f)
		if (!f->works && doctor_needs(d, f->check))
			return false;
	return true;
}

void doctor_release(struct doctor *d)
{
	vec_for_each(&d->findings, f)
		reason_release(&f->why);
	vec_release(&d->findings);
}
