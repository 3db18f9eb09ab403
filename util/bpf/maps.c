// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses elements of maps with bpf(2) itself: no library is needed once a map has a descriptor.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bpf/bpf.h"
#include "sys/topology.h"

static int element(int command, int map, const void *key, void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (u32)map;
	attr.key = (u64)(uintptr_t)key;
	attr.value =
		(u64)(uintptr_t)value; /* for BPF_MAP_GET_NEXT_KEY: next_key, in the same field */
	return syscall(SYS_bpf, command, &attr, sizeof(attr)) < 0 ? -errno : 0;
}

int bpf_map_read(int map, const void *key, void *value)
{
	return element(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

int bpf_map_write(int map, const void *key, const void *value)
{
	return element(BPF_MAP_UPDATE_ELEM, map, key, (void *)value);
}

int bpf_map_remove(int map, const void *key)
{
	return element(BPF_MAP_DELETE_ELEM, map, key, NULL);
}

/* Visits each element. Gets the next key before it visits this one, since visit may remove it. */
int bpf_map_each(int map, size_t key_size, size_t value_size,
		 int (*visit)(void *arg, const void *key, void *value), void *arg)
{
	u8 *key = xcalloc(2, key_size), *next = key + key_size, *value = xcalloc(1, value_size);
	int err = element(BPF_MAP_GET_NEXT_KEY, map, NULL, key), done = 0;

	while (!err && !done) {
		err = element(BPF_MAP_GET_NEXT_KEY, map, key, next);
		if (!bpf_map_read(map, key, value))
			done = visit(arg, key, value);
		memcpy(key, next, key_size);
	}
	free(key);
	free(value);
	return done ? done : err == -ENOENT ? 0 : err;
}

size_t bpf_percpu_count(void)
{
	u32 *cpus = NULL;
	size_t count = 0;

	if (sys_cpus(NULL, "possible", &cpus, &count, NULL))
		return 0;
	free(cpus);
	return count;
}

int bpf_stack_read(int map, s32 id, u64 *ips, size_t most)
{
	enum { DEEPEST = 127 }; /* the default of kernel.perf_event_max_stack */
	struct bpf_map_info info = { 0 };
	union bpf_attr attr;
	u64 *all;
	size_t n = 0;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)map;
	attr.info.info_len = sizeof(info);
	attr.info.info = (u64)(uintptr_t)&info;
	if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) < 0)
		return -errno;
	all = xcalloc(MAX(info.value_size / sizeof(u64), (size_t)DEEPEST), sizeof(u64));
	err = bpf_map_read(map, &id, all);
	while (!err && n < most && n < info.value_size / sizeof(u64) && all[n]) {
		ips[n] = all[n];
		n++;
	}
	free(all);
	return err ? err : (int)n;
}

static int goes_on(void *arg, const void *key, void *value)
{
	u32 tid;

	(void)arg;
	(void)value;
	memcpy(&tid, key, sizeof(tid));
	return !kill((pid_t)tid, 0) || errno == EPERM;
}

bool bpf_tasks_go_on(int map)
{
	/* an exec removes the old number some time before its tracepoint adds the new one */
	for (int i = 0; i < 5; i++) {
		if (bpf_map_each(map, sizeof(u32), sizeof(u8), goes_on, NULL) > 0)
			return true;
		usleep(10000);
	}
	return false;
}
