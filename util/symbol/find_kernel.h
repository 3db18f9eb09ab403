/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel symbols by name, in the kernel and in all its modules, BPF programs and
 * trampolines: what kallsyms lists.
 * A name can belong to several symbols (static functions of two files).
 */
#ifndef SYMBOL_FIND_KERNEL_H
#define SYMBOL_FIND_KERNEL_H

#include "base/reason.h"

struct kernel_list_of_names;

/*
 * Opens a list of names. path is a kallsyms file; NULL means /proc/kallsyms. Returns -EPERM with a
 * hint when the kernel hides its addresses from this user.
 */
int kernel_names_open(const char *path, struct kernel_list_of_names **out,
		      struct reason *r) MUST_CHECK;
void kernel_names_free(struct kernel_list_of_names *n);

struct kernel_symbol {
	const char *name, *module; /* module NULL: the kernel itself */
	u64 start, end;            /* end: where the next symbol begins */
};
/* Calls back for each in order of address; how many there were. */
size_t kernel_names_find(struct kernel_list_of_names *n, const char *name,
			 void (*fn)(void *arg, const struct kernel_symbol *s), void *arg);
/* Finds the symbol that contains an address; false if none does. */
bool kernel_names_at(struct kernel_list_of_names *n, u64 addr, struct kernel_symbol *out);

#endif
