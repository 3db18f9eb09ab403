/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compilers and tools that unit tests run. */
#ifndef TESTS_UNIT_SHELL_H
#define TESTS_UNIT_SHELL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Runs sh -c in the directory and discards its output. Reports whether it exited with 0. */
static inline bool shell(const char *dir, const char *fmt, ...) PRINTF_LIKE(2, 3);
static inline bool shell(const char *dir, const char *fmt, ...)
{
	char *command = NULL, *line;
	va_list ap;
	int status;

	va_start(ap, fmt);
	if (vasprintf(&command, fmt, ap) < 0)
		abort();
	va_end(ap);
	line = xasprintf("cd %s && { %s; } >/dev/null 2>&1", dir, command);
	status = system(line);
	free(command);
	free(line);
	return status == 0;
}

#endif
