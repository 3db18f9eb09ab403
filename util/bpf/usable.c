// SPDX-License-Identifier: GPL-2.0-or-later
/* Why BPF can not be used here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "bpf/internal.h"
#include "sys/obstacles.h"

const struct bpf_image *bpf_image_find(const char *name)
{
	const struct bpf_image *image = bpf_images;

	while (image->name && strcmp(image->name, name) != 0)
		image++;
	return image->name ? image : NULL;
}

bool bpf_built_in(void)
{
	return bpf_images[0].name && libbpf_ready();
}

/* BPF ring buffers and CAP_BPF came with Linux 5.8. */
static bool kernel_is_old(char release[64])
{
	struct utsname name;
	unsigned major, minor;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	snprintf(release, 64, "%.63s", name.release);
	return major < 5 || (major == 5 && minor < 8);
}

static int refuse(enum obstacle which, const char *for_what, const char *is, int err,
		  struct reason *r)
{
	return obstacle_refuse(which, &(struct obstacle_words){ .what = for_what, .is = is }, err,
			       r);
}

/* A program that does nothing, for the kernel's answer: 0 or -errno. */
static int try_program(void)
{
	/* two instructions of 8 bytes: r0 = 0, exit */
	const u8 code[16] = { 0xb7, [8] = 0x95 };
	struct {
		u32 type, count;
		u64 code, license;
		u32 rest[24];
	} attr = {
		.type = 17, /* BPF_PROG_TYPE_RAW_TRACEPOINT */
		.count = sizeof(code) / 8,
		.code = (u64)(uintptr_t)code,
		.license = (u64)(uintptr_t) "GPL",
	};
	enum { PROG_LOAD = 5 };
	long fd = syscall(SYS_bpf, PROG_LOAD, &attr, sizeof(attr));

	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

static int not_loaded(const char *for_what, int err, struct reason *r)
{
	struct obstacle_site at;
	enum obstacle which;

	obstacle_site_init(&at, NULL, NULL, 0);
	which = obstacle_find(&at, OBSTACLE_BPF_SECCOMP, OBSTACLE_BPF_LOCKDOWN);
	if (which == OBSTACLES || (err != EPERM && err != ENOSYS))
		return reason_errno(r, err, "%s needs BPF, and the kernel refuses a program",
				    for_what);
	return refuse(which, for_what, NULL, err, r);
}

int bpf_loads(const char *for_what, struct reason *r)
{
	char release[64];
	int err;

	if (!bpf_built_in())
		return refuse(bpf_images[0].name ? OBSTACLE_BPF_NO_LIBRARY : OBSTACLE_BPF_NOT_BUILT,
			      for_what, NULL, ENOTSUP, r);
	if (kernel_is_old(release))
		return refuse(OBSTACLE_BPF_OLD_KERNEL, for_what, release, ENOTSUP, r);
	err = try_program();
	return err ? not_loaded(for_what, -err, r) : 0;
}

int bpf_has_types(const char *for_what, struct reason *r)
{
	struct obstacle_site at;

	if (!sys_exists(NULL, BPF_KERNEL_TYPES))
		return refuse(OBSTACLE_BPF_NO_TYPES, for_what, BPF_KERNEL_TYPES, ENOTSUP, r);
	obstacle_site_init(&at, NULL, NULL, 0);
	if (obstacle_find(&at, OBSTACLE_BPF_LOCKDOWN, OBSTACLE_BPF_LOCKDOWN) != OBSTACLES)
		return refuse(OBSTACLE_BPF_LOCKDOWN, for_what, NULL, EPERM, r);
	return 0;
}

int bpf_usable(const char *for_what, struct reason *r)
{
	int err = bpf_loads(for_what, r);

	return err ? err : bpf_has_types(for_what, r);
}

/*
 * Features that not all kernels since 5.8 have: how to detect them, and the first version with
 * each.
 */
static const struct newer_feature {
	enum bpf_fact kind;
	const char *name, *member, *since;
} features[] = {
	[BPF_CGROUP_SWITCHES] = { BPF_ENUMERATOR, "perf_sw_ids", "PERF_COUNT_SW_CGROUP_SWITCHES",
				  "5.13" },
	[BPF_LOCK_EVENTS] = { BPF_TRACEPOINT, "contention_begin", NULL, "5.19" },
	[BPF_TASK_BY_NUMBER] = { BPF_FUNCTION, "bpf_task_from_pid", NULL, "6.2" },
	/* the same change added this member */
	[BPF_WHOLE_SAMPLES] = { BPF_MEMBER, "perf_sample_data", "dyn_size", "6.3" },
};

int bpf_kernel_needs(enum bpf_feature feature, const char *for_what, const char *hint,
		     struct reason *r)
{
	const struct newer_feature *f = &features[feature];
	struct utsname name = { .release = "" };

	if (bpf_kernel_has(f->kind, f->name, f->member))
		return 0;
	uname(&name);
	reason_set(r, ENOTSUP, "%s needs Linux %s or later, and this is Linux %s", for_what,
		   f->since, name.release);
	if (hint)
		reason_hint(r, "%s", hint);
	return -ENOTSUP;
}

int bpf_sees_tasks(const char *for_what, struct reason *r)
{
	if (in_first_pid_namespace(NULL))
		return 0;
	return refuse(OBSTACLE_BPF_PID_NAMESPACE, for_what, NULL, ENOTSUP, r);
}
