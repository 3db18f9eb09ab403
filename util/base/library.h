/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that are opened on first use: those whose tables of pointers would
 * cost every start of the program (the loader must relocate them) though few
 * commands need them.
 *
 * The build still asks for the library's header; a machine that lacks the
 * library itself at run time loses its feature as a build without it does.
 * Threads: open from one thread, or once.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/types.h"

struct library_symbol {
	const char *name;
	void **at; /* the function's address goes here */
};

/*
 * "libx.so.4" out of "libx.so." and the macro of its header that is 4: another version than the
 * build's may have other structures.
 */
#define LIBRARY_VERSION(name, version) LIBRARY_VERSION_(name, version)
#define LIBRARY_VERSION_(name, number) name #number
/*
 * Opens a library, "libx.so.4", with all symbols or nothing. It stays open until the program ends.
 */
bool library_open(const char *soname, const struct library_symbol *symbols, size_t count);

#endif
