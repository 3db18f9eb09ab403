// SPDX-License-Identifier: GPL-2.0-or-later
/* Tries what the kernel offers beside events: names, tracefs, BPF. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/perf_abi.h"
#include "bpf/bpf.h"
#include "builtin/doctor/internal.h"
#include "object/cache.h"
#include "sys/tracefs.h"

int try_kernel_names(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	return kallsyms_check("/proc/kallsyms", r);
}

/* ---- tracefs ---- */

static int try_tracepoint(const char *system, const char *name, struct reason *r)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = ATTR_SIZE_VER5,
					.sample_type = PERF_SAMPLE_RAW,
					.flags = ATTR_DISABLED };
	char *dir = tracefs_find(NULL, r), *event;
	u64 id = 0;
	int fd;

	if (!dir)
		return -ENOENT;
	fd = tracefs_id(NULL, dir, system, name, &id);
	if (fd < 0)
		fd = tracefs_refuse_read(NULL, dir, -fd, r);
	free(dir);
	if (fd < 0)
		return fd;
	attr.config = id;
	event = xasprintf("%s:%s", system, name);
	fd = open_or_explain(&attr, event, 0, -1, r);
	free(event);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int try_tracepoints(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	return try_tracepoint("sched", "sched_switch", r);
}

/* Opens a file of tracefs for writing, and writes nothing. */
static int try_to_change(const char *file, struct reason *r)
{
	char *dir = tracefs_find(NULL, r), *path;
	int fd;

	if (!dir)
		return -ENOENT;
	path = xasprintf("%s/%s", dir, file);
	fd = file_open_system(path, O_WRONLY | O_APPEND);
	free(path);
	if (fd >= 0)
		close(fd);
	else
		fd = tracefs_refuse_change(dir, file, errno, r);
	free(dir);
	return MIN(fd, 0);
}

int try_probes(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	return try_to_change("uprobe_events", r);
}

int try_kernel_probes(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	return try_to_change("kprobe_events", r);
}

/* ---- BPF ---- */

int try_bpf(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	return bpf_loads("counting inside the kernel", r);
}

int try_bpf_types(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	return bpf_has_types("counting inside the kernel", r);
}

int try_bpf_pids(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	return bpf_loads("", NULL) ? DOCTOR_NOTHING_TO_TRY
				   : bpf_sees_tasks("choosing processes inside the kernel", r);
}

int try_system_calls(const struct context *ctx, struct reason *r)
{
	struct reason of_tracepoints = REASON_INIT;
	int err = bpf_usable("tracing system calls", r);

	(void)ctx;
	if (!err)
		return 0;
	err = try_tracepoint("raw_syscalls", "sys_enter", &of_tracepoints);
	if (!err) {
		reason_release(r);
		return 0;
	}
	/* the cure of BPF is enough, unless BPF has none */
	if (!r->hint)
		reason_move(r, &of_tracepoints);
	reason_release(&of_tracepoints);
	return err;
}
