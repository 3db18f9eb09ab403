/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions as C++ and Rust programs show them: "nn::f", "Box<int>::get() const",
 * "Box<int>::operator bool", "<r::Acc as r::Shape>::area", "main::{lambda(int)#1}::operator()".
 *
 * Plain text: nothing here knows whether a function exists.
 * Threads: no state.  Errors: none; text that is not such a name is taken as it stands.
 */
#ifndef PROBE_NAME_H
#define PROBE_NAME_H

#include "base/types.h"

/*
 * The position after what stands at s and is not to be looked into: a pair of brackets
 * with their contents, text in double quotes, an operator's name, or one character (two
 * with a backslash or "::").  start: where the name begins, at or before s.
 */
const char *name_skip(const char *start, const char *s, const char *end);

/* Does the name say more than an identifier: scopes, template arguments, parameters? */
bool name_is_qualified(const char *name);
/* Does it end in a list of parameters (and "const")? */
bool name_has_parameters(const char *name);
/* Is it a pattern?  What stands in brackets or belongs to an operator does not count. */
bool name_has_glob(const char *name);
/* "get" of "Box<int>::get() const": what DWARF names the function.  The caller frees it. */
char *name_last(const char *name);
/*
 * Is wanted the full name or the end of it after "::"?  Blanks do not count.  Parameters
 * count when wanted has them; full then is a name with parameters.
 */
bool name_ends_in(const char *full, const char *wanted);
/* The same name, except for spaces and for parameters that wanted does not have. */
bool name_is(const char *full, const char *wanted);

#endif
