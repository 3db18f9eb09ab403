// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine with a /proc/kcore, for perf record under LD_PRELOAD: /proc/kcore,
 * /proc/kallsyms and /proc/modules are opened as KCORE_ROOT/kcore and so on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static const char *elsewhere(const char *path, char *buffer, size_t size)
{
	const char *root = getenv("KCORE_ROOT");

	if (!root || (strcmp(path, "/proc/kcore") && strcmp(path, "/proc/kallsyms") &&
		      strcmp(path, "/proc/modules")))
		return path;
	snprintf(buffer, size, "%s%s", root, path + strlen("/proc"));
	return buffer;
}

#define FOPEN(name)                                                                                \
	FILE *name(const char *path, const char *mode)                                             \
	{                                                                                          \
		FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, #name);               \
		char buffer[4096];                                                                 \
                                                                                                   \
		return next(elsewhere(path, buffer, sizeof(buffer)), mode);                        \
	}

#define OPEN(name)                                                                                 \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);                     \
		char buffer[4096];                                                                 \
		va_list ap;                                                                        \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(ap, flags);                                                               \
		mode = va_arg(ap, mode_t);                                                         \
		va_end(ap);                                                                        \
		return next(elsewhere(path, buffer, sizeof(buffer)), flags, mode);                 \
	}

FOPEN(fopen)
FOPEN(fopen64)
OPEN(open)
OPEN(open64)
