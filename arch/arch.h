/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts of the architectures we know, as constant tables that are always all built.  Which one
 * applies is decided by the file, the object (e_machine, class) or the sample's register ABI, never
 * by the build host.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "base/types.h"

/* One register of a sample's register dump. */
struct arch_reg {
	const char *name; /* as perf prints it: "AX", "x0", "r0" */
	s16 dwarf;        /* DWARF register number, -1: none */
};

struct arch_syscall {
	u32 nr;
	const char *name;
};

/*
 * What the kernel's call chains reveal about the register that holds a leaf function's return
 * address.
 */
enum arch_chain_link {
	CHAIN_NO_LINK,      /* the machine has no such register */
	CHAIN_WITHOUT_LINK, /* nothing: the caller of a function without a frame is missing */
	CHAIN_WITH_LINK,    /* always its value, after the program counter, even if it is stale */
};

/* What an unwinder must know besides DWARF.  Registers are given by their DWARF numbers. */
struct arch_unwind {
	u8 sp, fp;
	/*
	 * Functions that keep a frame pointer save the caller's pointer_at bytes from where it
	 * points. The return address is return_at bytes from there or, with return_in_caller, from
	 * where the caller's points to. The caller's stack begins above the higher of both.
	 */
	s8 pointer_at, return_at;
	bool return_in_caller;
	u8 link;       /* register with the return address of a leaf; 0: none */
	u8 chain_link; /* enum arch_chain_link, of user space */
	u64 mode_bits; /* bits of a return address that say how code is encoded (Thumb) */
	u64 code_mask; /* bits of a code address; others may be a signature; 0: all */
};

/*
 * Registers beyond those of samples: the DWARF numbers from first on are named prefix and number,
 * number + 1 ...
 */
struct arch_reg_range {
	u16 first, count;
	const char *prefix;
	u8 number;
};

struct arch {
	const char *name;           /* as in FEATURE_ARCH: "x86_64", "aarch64", "ppc64le" */
	const char *const *aliases; /* other names, NULL-terminated */
	u16 e_machine;              /* ELF EM_* */
	u8 bits;                    /* 32 or 64 */
	bool big_endian;
	const struct arch_reg *regs; /* index = bit in sample_regs_user */
	u8 reg_count;
	u8 reg_ip, reg_sp;                       /* indices into regs */
	const struct arch_reg_range *reg_ranges; /* floating point, vectors, masks */
	u8 reg_range_count;
	const struct arch_unwind *unwind; /* NULL: stacks are not unwound */
	/* the architecture of 32-bit tasks, as the kernel reports them; or NULL */
	const struct arch *compat;
	const char *const *probe_regs; /* "%di": in probe arguments, by DWARF number; or NULL */
	u8 probe_reg_count;
	const char *const *probe_more_regs; /* the others that the kernel takes; NULL at the end */
	/* DWARF numbers of a function's integer arguments, in order; NULL: on the stack */
	const u8 *argument_regs;
	u8 argument_reg_count;
	const struct arch_syscall *syscalls; /* sorted by nr */
	u32 syscall_count;
	const char *default_event; /* what record records: "cycles" */
	u8 default_precise;        /* precise levels to try, 0: none */
	u64 kernel_start;          /* first kernel address, when no kallsyms say */
	u8 min_insn_size;          /* bytes: 1 on x86, 4 on arm64, powerpc */
};

/*
 * Returns the architecture, or NULL when it is unknown. machine is uname's, or the file's arch
 * string.
 */
const struct arch *arch_by_name(const char *machine);
const struct arch *arch_by_elf(u16 e_machine, bool is64, bool big_endian);
/* Returns the machine this program runs on (from uname at run time); never NULL. */
const struct arch *arch_host(void);
const struct arch *const *arch_all(size_t *count);

/* Returns the register's name, or NULL when it is unknown; arch_reg_by_dwarf() returns -1. */
const char *arch_reg_name(const struct arch *a, unsigned reg);
int arch_reg_by_dwarf(const struct arch *a, unsigned dwarf);
/*
 * Writes the name of any register by its DWARF number, whether samples can contain it or not: "x0",
 * "v7", "st1". Returns false if it is unknown.
 */
enum { ARCH_REG_NAME = 24 };
bool arch_dwarf_name(const struct arch *a, unsigned dwarf, char name[ARCH_REG_NAME]);
/*
 * Reports whether a probe argument may name this register ("%di"). Always true for a machine whose
 * register names are not known.
 */
bool arch_has_probe_reg(const struct arch *a, const char *name);
const char *arch_syscall_name(const struct arch *a, u32 nr);
int arch_syscall_number(const struct arch *a, const char *name);

#endif
