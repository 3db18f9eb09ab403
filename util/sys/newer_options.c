// SPDX-License-Identifier: GPL-2.0-or-later
/* Which option of an event the running kernel is too old for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sys/explain.h"

/* What perf_event_open(2) did not always know, and by which version it does. */
static const struct newer {
	u64 sample_type, flags;
	const char *option, *since, *hint;
} newer[] = {
	{ .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE,
	  .option = "--data-page-size",
	  .since = "5.11" },
	{ .sample_type = PERF_SAMPLE_CODE_PAGE_SIZE,
	  .option = "--code-page-size",
	  .since = "5.11" },
	{ .sample_type = PERF_SAMPLE_WEIGHT_STRUCT, .option = "--weight", .since = "5.12" },
	{ .sample_type = PERF_SAMPLE_CGROUP, .option = "--all-cgroups", .since = "5.7" },
	{ .sample_type = PERF_SAMPLE_AUX, .option = "--aux-sample", .since = "5.5" },
	{ .flags = ATTR_BUILD_ID,
	  .option = "--buildid-mmap",
	  .since = "5.12",
	  .hint = "leave it out: build-ids are then read at the end of the recording" },
};

/* A dummy event is taken with everything that the kernel knows. */
static bool kernel_knows(const struct newer *n)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = n->sample_type,
		.flags = n->flags | ATTR_DISABLED,
	};
	int fd = sys_perf_event_open(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd != -EINVAL;
}

int explain_newer_option(const struct perf_event_attr *attr, struct reason *r)
{
	struct utsname name;

	for (size_t i = 0; i < ARRAY_SIZE(newer); i++) {
		const struct newer *n = &newer[i];

		if (!(attr->sample_type & n->sample_type) && !(attr->flags & n->flags))
			continue;
		if (kernel_knows(n) || uname(&name))
			continue;
		reason_set(r, EINVAL, "%s needs Linux %s or later, and this is Linux %s", n->option,
			   n->since, name.release);
		reason_hint(r, "%s", n->hint ? n->hint : "leave it out");
		return -EINVAL;
	}
	return 0;
}
