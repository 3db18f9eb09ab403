/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by name from symbol tables: what can be probed without debug information.
 *
 * Of programs and libraries: .symtab, .dynsym, the separate debug file and .gnu_debugdata, else the
 * .gopclntab of Go programs; aliases at one address all count. Of the kernel: kallsyms. A pattern
 * is a name or a glob. It is compared with the name as linked, with and without its version
 * ("memcpy@GLIBC_2.2.5", "memcpy@@GLIBC_2.14"), and, with demangle, as written in the source. A
 * name without version means the newest one.
 * Threads: no state. Errors: -errno and a reason; -ENOENT: no function matches.
 */
#ifndef PROBE_FUNCTIONS_H
#define PROBE_FUNCTIONS_H

#include "base/reason.h"
#include "base/vec.h"

struct elf;
struct object_search;
struct strlist;
struct sys;

struct probe_function {
	char *name;       /* as shown: demangled on request */
	u64 address;      /* virtual address in the file; kernel: as it runs */
	u64 size;         /* bytes, 0: not known */
	u64 file_offset;  /* user; UINT64_MAX: in no segment */
	char *module;     /* kernel: NULL for the kernel itself */
	bool ifunc;       /* only chooses the real function */
	bool old_version; /* not the one that programs are linked to now */
};

struct probe_functions {
	VEC(struct probe_function) list; /* by address, then name */
};

/* Finds functions of a file; path is as it can be opened here. pattern NULL means all. */
int probe_user_functions(const struct object_search *search, const char *path, const char *pattern,
			 bool demangle, struct probe_functions *out, struct reason *r) MUST_CHECK;
/*
 * Finds functions in module: NULL for the kernel and all modules, "" for only the kernel; '-' and
 * '_' are alike. Returns -EACCES when the kernel hides its addresses.
 */
int probe_kernel_functions(const struct sys *sys, const char *module, const char *pattern,
			   bool demangle, struct probe_functions *out, struct reason *r) MUST_CHECK;
/*
 * Returns the value of a symbol that is not a function, such as "_text", or 0 when there is none.
 */
u64 probe_elf_symbol(const struct elf *e, const char *name);

/* Returns the bytes from the entry of a powerpc function to its local entry, from st_other. */
u64 probe_local_entry(const struct elf *e, u64 address);

/* Returns the function that covers an address (by file offset for a program), or NULL. */
const struct probe_function *probe_function_at(const struct probe_functions *f, bool by_offset,
					       u64 where);
/*
 * Reports whether the function is the same code as the one before. Of several names a glob takes
 * one.
 */
bool probe_function_is_alias(const struct probe_functions *f, size_t i);
void probe_functions_release(struct probe_functions *f);

#endif
