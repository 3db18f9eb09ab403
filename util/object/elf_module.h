/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel modules as files: relocatable ELF, whose sections all begin at address 0.
 *
 * In a layout the module's code (where its mapping starts) is at MODULE_ORIGIN: sections with code
 * in the order of their headers, each aligned. Those of its start (.init*) are left out, because
 * they are freed. Other loaded sections follow, at addresses that we choose. A debug file has the
 * same layout, because it keeps the headers. Bytes; host byte order.
 * Threads: a layout is read-only. The caller releases it.
 * Source: /sys/module/NAME/sections of running kernels; for relocations each machine's psABI
 * supplement.
 */
#ifndef OBJECT_ELF_MODULE_H
#define OBJECT_ELF_MODULE_H

#include "object/elf.h"

/* Not 0, which debug information has for what the linker dropped. */
#define MODULE_ORIGIN 0x10000

struct module_layout {
	u64 *addresses; /* by index of section; 0 if the section is not loaded */
	u32 count;      /* the number of sections; 0 if the file is not relocatable */
	u64 code_end;   /* the end of the last section with code that stays */
};

/* Makes the layout of e. Returns false, and an empty layout, if e is not relocatable. */
bool module_layout_read(struct module_layout *l, const struct elf *e);
void module_layout_release(struct module_layout *l);
/* Returns the loaded section that holds an address of the layout, or NULL. */
const struct elf_section *module_section_at(const struct module_layout *l, const struct elf *e,
					    u64 address);
/*
 * Applies e's relocations for section s to its contents b, which become a copy.  Kinds that
 * debug information does not use, and places outside the section, are left alone.
 */
void module_relocate(const struct elf *e, const struct module_layout *l,
		     const struct elf_section *s, struct elf_bytes *b);

#endif
