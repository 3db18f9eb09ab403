// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Converts numbers of ioctl, which the lists have in the form of x86 and arm64.
 *
 * On powerpc the direction has three bits, each with another meaning, and those of terminals are
 * completely different. 32-bit programs have other sizes in requests that were declared with a
 * long, a size_t or a pointer. Source: arch/powerpc/include/uapi/asm/ioctl.h and ioctls.h,
 * asm-generic/ioctl.h, linux/fs.h, linux/perf_event.h.
 */
#include <string.h>

#include "syscalls/internal.h"

/* The low 16 bits of each are type << 8 | number; above them is the size of the data. */
enum {
	LOW_BITS = 16,
	SIZE_MASK = 0x1fff,
	TERMIOS = 44,
	TERMIO = 20,
	WINSIZE = 8,
	INT = 4,
	LOFF = 8
};
enum { GENERIC_SHIFT = 30, GENERIC_WRITE = 1, GENERIC_READ = 2 };
enum { POWERPC_SHIFT = 29, POWERPC_NONE = 1, POWERPC_READ = 2, POWERPC_WRITE = 4 };

#define NONE(type, nr) ((u32)POWERPC_NONE << POWERPC_SHIFT | (type) << 8 | (nr))
#define READ(type, nr, size)                                                                       \
	((u32)POWERPC_READ << POWERPC_SHIFT | (size) << LOW_BITS | (type) << 8 | (nr))
#define WRITE(type, nr, size)                                                                      \
	((u32)POWERPC_WRITE << POWERPC_SHIFT | (size) << LOW_BITS | (type) << 8 | (nr))

static const struct {
	u32 generic, powerpc;
} terminals[] = {
	{ 0x5401, READ('t', 19, TERMIOS) }, /* TCGETS */
	{ 0x5402, WRITE('t', 20, TERMIOS) },
	{ 0x5403, WRITE('t', 21, TERMIOS) },
	{ 0x5404, WRITE('t', 22, TERMIOS) },
	{ 0x5405, READ('t', 23, TERMIO) }, /* TCGETA */
	{ 0x5406, WRITE('t', 24, TERMIO) },
	{ 0x5409, NONE('t', 29) }, /* TCSBRK */
	{ 0x540a, NONE('t', 30) },
	{ 0x540b, NONE('t', 31) },
	{ 0x540f, READ('t', 119, INT) }, /* TIOCGPGRP */
	{ 0x5410, WRITE('t', 118, INT) },
	{ 0x5411, READ('t', 115, INT) },     /* TIOCOUTQ */
	{ 0x5413, READ('t', 104, WINSIZE) }, /* TIOCGWINSZ */
	{ 0x5414, WRITE('t', 103, WINSIZE) },
	{ 0x541b, READ('f', 127, INT) },  /* FIONREAD */
	{ 0x5421, WRITE('f', 126, INT) }, /* FIONBIO */
	{ 0x5441, NONE('T', 0x41) },      /* TIOCGPTPEER */
	{ 0x5450, NONE('f', 2) },         /* FIONCLEX */
	{ 0x5451, NONE('f', 1) },
	{ 0x5452, WRITE('f', 125, INT) }, /* FIOASYNC */
	{ 0x5460, READ('f', 128, LOFF) }, /* FIOQSIZE */
};

/* Declared with a type of the machine's word, whatever the kernel reads or writes there. */
static const u32 words[] = {
	0x80086601, 0x40086602,             /* FS_IOC_GETFLAGS */
	0x80087601, 0x40087602,             /* FS_IOC_GETVERSION */
	0x80081270, 0x40081271,             /* BLKBSZGET */
	0x80081272,                         /* BLKGETSIZE64 */
	0x40082406, 0x80082407, 0x4008240b, /* PERF_EVENT_IOC_SET_FILTER, ID, MODIFY_ATTRIBUTES */
};

static u32 with_small_word(u32 generic)
{
	return (generic & ~((u32)SIZE_MASK << LOW_BITS)) | 4U << LOW_BITS;
}

/* Converts a request that has another number in 32-bit programs. */
static u32 to_width(const struct arch *arch, u32 generic)
{
	for (size_t i = 0; arch->bits == 32 && i < ARRAY_SIZE(words); i++)
		if (words[i] == generic)
			return with_small_word(generic);
	return generic;
}

static u32 from_width(const struct arch *arch, u32 number)
{
	for (size_t i = 0; arch->bits == 32 && i < ARRAY_SIZE(words); i++)
		if (with_small_word(words[i]) == number)
			return words[i];
	return number;
}

static bool is_powerpc(const struct arch *arch)
{
	return !strncmp(arch->name, "ppc", 3);
}

/*
 * Reports whether a number is from before there were directions: those of terminals, sockets and
 * disks.
 */
static bool is_plain(u32 generic)
{
	u32 type = generic >> 8;

	return type == 'T' || type == 0x89 || type == 0x03;
}

u32 ioctl_number(const struct arch *arch, u32 generic)
{
	u32 from = generic >> GENERIC_SHIFT, to;

	generic = to_width(arch, generic);
	if (!is_powerpc(arch))
		return generic;
	for (size_t i = 0; i < ARRAY_SIZE(terminals); i++)
		if (terminals[i].generic == generic)
			return terminals[i].powerpc;
	if (is_plain(generic))
		return generic;
	to = (from & GENERIC_READ ? POWERPC_READ : 0) | (from & GENERIC_WRITE ? POWERPC_WRITE : 0);
	return (to ? to : POWERPC_NONE) << POWERPC_SHIFT |
	       (generic & ((u32)SIZE_MASK << LOW_BITS | 0xffff));
}

static u32 generic_number(u32 powerpc)
{
	u32 from = powerpc >> POWERPC_SHIFT;
	u32 to = (from & POWERPC_READ ? GENERIC_READ : 0) |
		 (from & POWERPC_WRITE ? GENERIC_WRITE : 0);

	for (size_t i = 0; i < ARRAY_SIZE(terminals); i++)
		if (terminals[i].powerpc == powerpc)
			return terminals[i].generic;
	return to << GENERIC_SHIFT | (powerpc & ((u32)SIZE_MASK << LOW_BITS | 0xffff));
}

void print_ioctl(const struct arch *arch, const struct syscall_values *names, u32 number,
		 bool prefix, struct strbuf *out)
{
	u32 generic = from_width(arch, is_powerpc(arch) ? generic_number(number) : number);

	/* a number of x86 means another request here, or none */
	if (ioctl_number(arch, generic) == number && values_name(names, generic))
		values_print(names, generic, prefix, out);
	else
		strbuf_f(out, number < 4096 ? "%u" : "0x%x", number);
}
