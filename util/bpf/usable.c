// SPDX-License-Identifier: GPL-2.0-or-later
/* Explains why BPF cannot be used here: checks what can be checked before trying it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bpf/bpf.h"
#include "bpf/internal.h"
#include "sys/sys.h"

enum { CAPABILITY_SYS_ADMIN = 21, CAPABILITY_PERFMON = 38, CAPABILITY_BPF = 39 };

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

/* Returns the effective capabilities of this process, a bit for each; 0 if they cannot be read. */
static u64 capabilities(void)
{
	struct strbuf text = STRBUF_INIT;
	const char *line;
	u64 set = 0;

	if (!sys_read(NULL, &text, "/proc/self/status")) {
		line = strstr(strbuf_cstr(&text), "\nCapEff:");
		if (line)
			set = strtoull(line + strlen("\nCapEff:"), NULL, 16);
	}
	strbuf_release(&text);
	return set;
}

static bool permitted(void)
{
	u64 set = capabilities();

	return set & BIT64(CAPABILITY_SYS_ADMIN) ||
	       (set & BIT64(CAPABILITY_BPF) && set & BIT64(CAPABILITY_PERFMON));
}

/*
 * Reports whether the kernel is older than Linux 5.8, which brought BPF ring buffers and CAP_BPF.
 */
static bool kernel_is_old(char release[64])
{
	struct utsname name;
	unsigned major, minor;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	snprintf(release, 64, "%.63s", name.release);
	return major < 5 || (major == 5 && minor < 8);
}

static int not_built(const char *for_what, struct reason *r)
{
	reason_set(r, ENOTSUP, "%s needs BPF, which this perf is built without", for_what);
	if (bpf_images[0].name) {
		reason_set(r, ENOTSUP, "%s needs BPF, and libbpf is not on this machine", for_what);
		reason_hint(r, "install libbpf1 (apt-get install libbpf1)");
	} else {
		reason_hint(r,
			    "build perf with clang and libbpf (apt-get install clang libbpf-dev)");
	}
	return -ENOTSUP;
}

int bpf_usable(const char *for_what, struct reason *r)
{
	char release[64];

	if (!bpf_built_in())
		return not_built(for_what, r);
	if (kernel_is_old(release))
		return reason_set(
			r, ENOTSUP,
			"%s needs BPF as Linux 5.8 and later have it, and this is Linux %s",
			for_what, release);
	if (!permitted()) {
		reason_set(
			r, EPERM,
			"%s needs BPF, which only root and programs with CAP_BPF and CAP_PERFMON "
			"may use",
			for_what);
		reason_hint(r, "run it as root, or give perf both once: "
			       "sudo setcap cap_bpf,cap_perfmon+ep \"$(command -v perf)\"");
		return -EPERM;
	}
	if (!sys_exists(NULL, BPF_KERNEL_TYPES))
		return reason_set(
			r, ENOTSUP,
			"%s needs BPF with the kernel's type information, and this kernel has "
			"no " BPF_KERNEL_TYPES " (CONFIG_DEBUG_INFO_BTF)",
			for_what);
	return 0;
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

/*
 * Checks the PID namespace. The first one's number is the same in all kernels (PROC_PID_INIT_INO).
 */
int bpf_sees_tasks(const char *for_what, struct reason *r)
{
	static const char first[] = "pid:[4026531836]";
	char name[64];
	ssize_t n = readlink("/proc/self/ns/pid", name, sizeof(name));

	if (n <= 0 || ((size_t)n == sizeof(first) - 1 && !memcmp(name, first, (size_t)n)))
		return 0;
	reason_set(r, ENOTSUP,
		   "%s needs BPF, which finds tasks by their numbers on the host, and in this PID "
		   "namespace (of a "
		   "container) they have others",
		   for_what);
	reason_hint(r, "it works on the host, and in a container that shares its PID namespace "
		       "(--pid=host)");
	return -ENOTSUP;
}
