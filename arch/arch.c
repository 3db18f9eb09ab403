// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding the table: by name, by ELF header, of this machine.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "arch/internal.h"
#include "base/search.h"

static const struct arch *const all[] = {
	&arch_x86_64, &arch_i386,    &arch_arm64, &arch_arm,
	&arch_ppc64,  &arch_ppc64le, &arch_ppc,   &arch_riscv64,
};

const struct arch *const *arch_all(size_t *count)
{
	*count = ARRAY_SIZE(all);
	return all;
}

static bool has_name(const struct arch *a, const char *name)
{
	if (!strcmp(a->name, name))
		return true;
	for (const char *const *alias = a->aliases; *alias; alias++)
		if (!strcmp(*alias, name))
			return true;
	return false;
}

const struct arch *arch_by_name(const char *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (has_name(all[i], machine))
			return all[i];
	return NULL;
}

const struct arch *arch_by_elf(u16 e_machine, bool is64, bool big_endian)
{
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i]->e_machine == e_machine && (all[i]->bits == 64) == is64 &&
		    all[i]->big_endian == big_endian)
			return all[i];
	return NULL;
}

/* A machine without a table: names nothing, but is never NULL. */
static const char *const no_aliases[] = { NULL };
static const struct arch arch_other = {
	.name = "unknown",
	.aliases = no_aliases,
	.bits = 8 * sizeof(void *),
	.default_event = "cycles",
	.kernel_start = 1ULL << 63,
	.min_insn_size = 1,
};

const struct arch *arch_host(void)
{
	/* called for each sample of a live session; every thread finds the same value */
	static const struct arch *_Atomic host;
	const struct arch *a = host;
	struct utsname u;

	if (a)
		return a;
	if (!uname(&u))
		a = arch_by_name(u.machine);
	host = a ? a : &arch_other;
	return host;
}

const char *arch_reg_name(const struct arch *a, unsigned reg)
{
	return reg < a->reg_count ? a->regs[reg].name : NULL;
}

int arch_reg_by_dwarf(const struct arch *a, unsigned dwarf)
{
	for (unsigned i = 0; i < a->reg_count; i++)
		if (a->regs[i].name && a->regs[i].dwarf == (int)dwarf)
			return (int)i;
	return -1;
}

bool arch_dwarf_name(const struct arch *a, unsigned dwarf, char name[ARCH_REG_NAME])
{
	int reg = arch_reg_by_dwarf(a, dwarf);

	if (reg >= 0) {
		snprintf(name, ARCH_REG_NAME, "%s", a->regs[reg].name);
		return true;
	}
	for (unsigned i = 0; i < a->reg_range_count; i++) {
		const struct arch_reg_range *r = &a->reg_ranges[i];

		if (dwarf >= r->first && dwarf - r->first < r->count) {
			snprintf(name, ARCH_REG_NAME, "%s%u", r->prefix,
				 r->number + dwarf - r->first);
			return true;
		}
	}
	return false;
}

bool arch_has_probe_reg(const struct arch *a, const char *name)
{
	if (!a->probe_regs)
		return true;
	for (unsigned i = 0; i < a->probe_reg_count; i++)
		if (a->probe_regs[i] && !strcmp(a->probe_regs[i], name))
			return true;
	for (const char *const *more = a->probe_more_regs; more && *more; more++)
		if (!strcmp(*more, name))
			return true;
	return false;
}

const char *arch_syscall_name(const struct arch *a, u32 nr)
{
	size_t at = lower_bound(i, 0, a->syscall_count, a->syscalls[i].nr < nr);

	return at < a->syscall_count && a->syscalls[at].nr == nr ? a->syscalls[at].name : NULL;
}

int arch_syscall_number(const struct arch *a, const char *name)
{
	for (u32 i = 0; i < a->syscall_count; i++)
		if (!strcmp(a->syscalls[i].name, name))
			return (int)a->syscalls[i].nr;
	return -1;
}
