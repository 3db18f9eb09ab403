/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code is the run-time's: the C library, the loader, and a language's own.
 *
 * A program that waits is nearly always in such code; its callers show what it waits for.
 * Threads: no state.
 */
#ifndef SYMBOL_RUNTIME_H
#define SYMBOL_RUNTIME_H

#include <stdbool.h>

/*
 * Reports whether the function belongs to a run-time. object is its name without a directory;
 * function is demangled, or "".
 */
bool symbol_is_runtime(const char *object, const char *function);

#endif
