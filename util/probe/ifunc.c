// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the functions that an indirect function stands for. */
#include "probe/ifunc.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "object/elf.h"
#include "probe/functions.h"

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/*
 * Asks the loader for the target, which it knows already when this process has loaded the library.
 */
static bool ask_loader(const struct elf *elf, const char *path, const char *name, u64 *target)
{
	void *handle, *at;
	struct link_map *map;
	Dl_info info;
	bool known = false;

	/* Only if it is loaded: nothing of the file is run. */
	handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return false;
	at = dlsym(handle, name);
	if (at && dladdr1(at, &info, (void **)&map, RTLD_DL_LINKMAP) && map && map->l_name &&
	    same_file(map->l_name, path)) {
		*target = (u64)(uintptr_t)at - map->l_addr;
		known = elf_address_is_code(elf, *target);
	}
	dlclose(handle);
	return known;
}

static void add(const struct elf *elf, const struct probe_function *f, u64 target,
		struct ifunc_targets *out)
{
	size_t i = 0;

	if (!elf_address_is_code(elf, target) ||
	    (target >= f->address && target - f->address < f->size))
		return;
	while (i < out->list.count && out->list.items[i] < target)
		i++;
	if (i < out->list.count && out->list.items[i] == target)
		return;
	vec_push(&out->list, target);
	memmove(out->list.items + i + 1, out->list.items + i,
		(out->list.count - 1 - i) * sizeof(u64));
	out->list.items[i] = target;
}

/* Scans for "lea DISTANCE(%rip),%reg" or, in programs at fixed addresses, "mov $ADDRESS,%reg". */
static void scan_x86(const struct elf *elf, const struct probe_function *f, const u8 *code,
		     size_t size, struct ifunc_targets *out)
{
	bool swap = elf_is_swapped(elf);

	for (size_t i = 0; i + 7 <= size; i++) {
		const u8 *p = code + i;

		if ((p[0] & 0xf8) == 0x48 && p[1] == 0x8d && (p[2] & 0xc7) == 0x05)
			add(elf, f, f->address + i + 7 + (u64)(s64)(s32)load_u32(p + 3, swap), out);
		else if (elf_type(elf) == ET_EXEC && (p[0] & 0xf8) == 0xb8)
			add(elf, f, load_u32(p + 1, swap), out);
		else if (elf_type(elf) == ET_EXEC && p[0] == 0x48 && p[1] == 0xc7 &&
			 (p[2] & 0xf8) == 0xc0)
			add(elf, f, load_u32(p + 3, swap), out);
	}
}

/* Scans for "adrp xN, PAGE" and "add xN, xN, #LOW" after it. */
static void scan_arm64(const struct elf *elf, const struct probe_function *f, const u8 *code,
		       size_t size, struct ifunc_targets *out)
{
	u64 pages[32] = { 0 };

	for (size_t i = 0; i + 4 <= size; i += 4) {
		u32 insn = load_u32(code + i, elf_is_swapped(elf));

		if ((insn & 0x9f000000) == 0x90000000) {
			/* 21 bits, signed */
			u64 count = (insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3);

			if (count & 1 << 20)
				count -= 1 << 21;
			pages[insn & 31] = ((f->address + i) & ~(u64)0xfff) + (count << 12);
		} else if ((insn & 0xffc00000) == 0x91000000 && pages[insn >> 5 & 31]) {
			add(elf, f, pages[insn >> 5 & 31] + (insn >> 10 & 0xfff), out);
		}
	}
}

void ifunc_targets_of(const struct elf *elf, const char *path, const struct probe_function *f,
		      struct ifunc_targets *out)
{
	const u8 *data;
	size_t size;
	u64 target;

	*out = (struct ifunc_targets){ .in_use = false };
	if (ask_loader(elf, path, f->name, &target)) {
		vec_push(&out->list, target);
		out->in_use = true;
		return;
	}
	data = elf_data(elf, &size);
	if (f->file_offset > size || f->size > size - f->file_offset)
		return;
	if (elf_machine(elf) == EM_X86_64)
		scan_x86(elf, f, data + f->file_offset, f->size, out);
	else if (elf_machine(elf) == EM_AARCH64)
		scan_arm64(elf, f, data + f->file_offset, f->size, out);
}

void ifunc_targets_release(struct ifunc_targets *t)
{
	vec_release(&t->list);
}
