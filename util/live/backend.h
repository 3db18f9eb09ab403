/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls below live: the kernel's, or those of a machine that a test plays. */
#ifndef LIVE_BACKEND_H
#define LIVE_BACKEND_H

#include <sys/types.h>

#include "base/perf_abi.h"

/*
 * Receives the calls that open, read and control an event.  Tests supply one that simulates a
 * machine.  Results as the system calls', but -errno for an error.
 */
struct live_backend {
	int (*open)(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu, int group_fd,
		    unsigned long flags);
	ssize_t (*read)(void *arg, int fd, void *data, size_t size);
	int (*control)(void *arg, int fd, unsigned long request, void *value); /* ioctl(2) */
	void (*close)(void *arg, int fd);
	/* as mmap(2) and munmap(2), shared; NULL: these */
	void *(*map)(void *arg, int fd, size_t size, int how, u64 offset);
	void (*unmap)(void *arg, void *p, size_t size);
	void *arg;
};

#endif
