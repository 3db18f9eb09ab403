/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of files that a test reads as another machine's /proc and /sys. */
#ifndef TESTS_TREE_H
#define TESTS_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/text.h"

static char tree_root[64];

#define DEVICES "/sys/bus/event_source/devices/"

__attribute__((unused)) static void tree_put(const char *path, const char *text)
{
	char *full = xasprintf("%s%s", tree_root, path);
	FILE *f;

	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
	free(full);
}

/* The whole of a file of the tree; the caller frees it. */
__attribute__((unused)) static char *tree_get(const char *path)
{
	char *full = xasprintf("%s%s", tree_root, path), *text = NULL;
	FILE *f = fopen(full, "r");
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(f);
	assert_non_null(out);
	for (int c; (c = fgetc(f)) != EOF;)
		fputc(c, out);
	fclose(out);
	fclose(f);
	free(full);
	return text;
}

__attribute__((unused)) static void tree_clear(void)
{
	char *command = xasprintf("rm -rf '%s'", tree_root);

	assert_int_equal(system(command), 0);
	free(command);
}

__attribute__((unused)) static int tree_make(void **state)
{
	(void)state;
	strcpy(tree_root, "/tmp/perf-tree-XXXXXX");
	return mkdtemp(tree_root) ? 0 : -1;
}

__attribute__((unused)) static int tree_remove(void **state)
{
	(void)state;
	tree_clear();
	return 0;
}

#endif
