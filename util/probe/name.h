/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions as C++ and Rust programs show them: "nn::f", "Box<int>::get() const",
 * "Box<int>::operator bool", "<r::Acc as r::Shape>::area", "main::{lambda(int)#1}::operator()".
 *
 * Plain text: nothing here knows whether a function exists.
 * Threads: no state. Errors: none; text that is not such a name is used unchanged.
 */
#ifndef PROBE_NAME_H
#define PROBE_NAME_H

#include "base/types.h"

/*
 * Skips what is at s and must not be looked into: a pair of brackets with their contents, text in
 * double quotes, an operator's name, or one character (two with a backslash or "::"). start is
 * where the name begins, at or before s.
 */
const char *name_skip(const char *start, const char *s, const char *end);

/*
 * Reports whether the name is more than an identifier: it has scopes, template arguments or
 * parameters.
 */
bool name_is_qualified(const char *name);
/* Reports whether the name ends in a list of parameters (and "const"). */
bool name_has_parameters(const char *name);
/*
 * Reports whether the name is a pattern. What is in brackets or belongs to an operator does not
 * count.
 */
bool name_has_glob(const char *name);
/* Returns "get" of "Box<int>::get() const": how DWARF names the function. The caller frees it. */
char *name_last(const char *name);
/*
 * Reports whether wanted is the full name or the end of it after "::". Spaces do not count.
 * Parameters count when wanted has them; full then is a name with parameters.
 */
bool name_ends_in(const char *full, const char *wanted);
/*
 * Reports whether the names are the same, except for spaces and for parameters that wanted does not
 * have.
 */
bool name_is(const char *full, const char *wanted);

#endif
