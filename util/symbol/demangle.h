/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From mangled names to the names in the source. Each function returns text that the caller frees,
 * or NULL when the name is not of its kind.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stdbool.h>

/*
 * Demangles any kind of name; a version after '@' stays. With params, C++ names get parameter
 * types. The caller frees it; NULL if it is not mangled.
 */
char *symbol_demangle(const char *name, bool params);

/* Demangles names of C++, Rust and D with libiberty. */
char *demangle_itanium(const char *name, bool params);

#endif
