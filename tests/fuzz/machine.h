/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of files that a target reads as a machine's /proc and /sys, below $TMPDIR. */
#ifndef TESTS_FUZZ_MACHINE_H
#define TESTS_FUZZ_MACHINE_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/text.h"
#include "fuzz.h"
#include "sys/sys.h"

#define DEVICES "/sys/bus/event_source/devices/"

static char fuzz_root[4096];
static const struct sys fuzz_sys = { .root = fuzz_root };

static inline void fuzz_put(const char *path, const char *text)
{
	char *full = xasprintf("%s%s", fuzz_root, path);
	FILE *f;

	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (f) { /* the input may name a directory */
		fputs(text, f);
		fclose(f);
	}
	free(full);
}

static inline int fuzz_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static inline void fuzz_remove_tree(void)
{
	nftw(fuzz_root, fuzz_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* A fresh tree, until the process ends. */
static inline void fuzz_make_tree(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(fuzz_root, sizeof(fuzz_root), "%s/perf-fuzz-XXXXXX", dir ? dir : "/tmp");
	if (!mkdtemp(fuzz_root))
		abort();
	atexit(fuzz_remove_tree);
}

#endif
