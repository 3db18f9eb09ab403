// SPDX-License-Identifier: GPL-2.0-or-later
/* The running kernel's perf_event_open(2) and what belongs to it. */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/internal.h"
#include "sys/sys.h"

static int kernel_open(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu,
		       int group_fd, unsigned long flags)
{
	(void)arg;
	return sys_perf_event_open(attr, pid, cpu, group_fd, flags);
}

static ssize_t kernel_read(void *arg, int fd, void *data, size_t size)
{
	ssize_t n = read(fd, data, size);

	(void)arg;
	return n < 0 ? -errno : n;
}

static int kernel_control(void *arg, int fd, unsigned long request, void *value)
{
	(void)arg;
	return ioctl(fd, request, value) < 0 ? -errno : 0;
}

static void kernel_close(void *arg, int fd)
{
	(void)arg;
	close(fd);
}

const struct live_backend live_kernel = {
	.open = kernel_open,
	.read = kernel_read,
	.control = kernel_control,
	.close = kernel_close,
};

void *live_map(const struct live *l, int fd, size_t size, int how, u64 offset)
{
	if (l->backend->map)
		return l->backend->map(l->backend->arg, fd, size, how, offset);
	return mmap(NULL, size, how, MAP_SHARED, fd, (off_t)offset);
}
