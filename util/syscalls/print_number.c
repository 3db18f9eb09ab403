// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints numbers, and names of numbers: pointers, descriptors, modes, sets of signals. */
#include "syscalls/internal.h"

void print_pointer(u64 value, struct strbuf *out)
{
	if (value)
		strbuf_str(out, "0x");
	strbuf_hex(out, value);
}

void print_s64(s64 value, struct strbuf *out)
{
	if (value < 0)
		strbuf_char(out, '-');
	strbuf_dec(out, value < 0 ? 0 - (u64)value : (u64)value);
}

u64 bytes_number(const struct syscall_book *b, const u8 *data, u32 size)
{
	bool big = syscall_book_arch(b)->big_endian;
	u64 v = 0;

	for (u32 i = 0; i < size && i < 8; i++)
		v |= (u64)data[big ? size - 1 - i : i] << (8 * i);
	return v;
}

void print_fd(s32 fd, const struct syscall_says *says, struct strbuf *out)
{
	print_s64(fd, out);
	if (fd >= 0 && says && says->fd)
		says->fd(says->arg, fd, out);
}

void print_device(u64 dev, struct strbuf *out)
{
	/* as the kernel packs 12 and 20 bits: minor in bits 0-7 and 20-31, major in 8-19 */
	strbuf_dec(out, dev >> 8 & 0xfff);
	strbuf_char(out, ':');
	strbuf_dec(out, (dev & 0xff) | (dev >> 12 & 0xfff00));
}

/* Prints an octal number as strace does: 0640, 022, 000. */
static void print_octal(u64 v, struct strbuf *out)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = (char)('0' + (v & 7));
		v >>= 3;
	} while (v || n < 2);
	strbuf_char(out, '0');
	while (n--)
		strbuf_char(out, digits[n]);
}

void print_mode(u64 mode, bool type, struct strbuf *out)
{
	enum { TYPE_BITS = 0170000 };
	const struct syscall_values *types = values_find("file_type");
	const char *name = type ? values_name(types, mode & TYPE_BITS) : NULL;

	if (name) {
		strbuf_str(out, types->prefix);
		strbuf_str(out, name);
		strbuf_char(out, '|');
		mode &= ~(u64)TYPE_BITS;
	}
	print_octal(mode, out);
}

void print_signal(u64 number, bool prefix, struct strbuf *out)
{
	enum { FIRST_REAL_TIME = 32, LAST_REAL_TIME = 64 };

	if (number == FIRST_REAL_TIME) {
		strbuf_str(out, prefix ? "SIGRTMIN" : "RTMIN");
	} else if (number > FIRST_REAL_TIME && number <= LAST_REAL_TIME) {
		strbuf_str(out, prefix ? "SIGRT_" : "RT_");
		strbuf_dec(out, number - FIRST_REAL_TIME);
	} else {
		values_print(values_find("signals"), number, prefix, out);
	}
}

const char *syscall_netlink_name(u32 protocol)
{
	return values_name(values_find("netlink_proto"), protocol);
}

void syscall_print_signal(u32 number, struct strbuf *out)
{
	print_signal(number, true, out);
}

/*
 * Returns the bits of a set of signals: longs of the machine that made the call. Only the first 64
 * signals.
 */
static u64 bits_of_set(const struct syscall_book *b, const u8 *data, u32 size)
{
	u32 word = book_word(b);
	u64 bits = 0;

	for (u32 at = 0; at < MIN(size, 8U); at += word)
		bits |= bytes_number(b, data + at, MIN(word, size - at)) << (8 * at);
	return bits;
}

void print_sigset(const struct syscall_book *b, const u8 *data, u32 size, struct strbuf *out)
{
	bool any = false;
	u32 most = MIN(size, 8U) * 8;
	u64 bits = bits_of_set(b, data, size);
	/* list the missing ones if that is shorter */
	bool inverted = (u32)__builtin_popcountll(bits) > most / 2;

	strbuf_str(out, inverted ? "~[" : "[");
	for (u32 i = 0; i < most; i++) {
		if ((bits >> i & 1) == inverted)
			continue;
		if (any)
			strbuf_char(out, ' ');
		print_signal(i + 1, false, out);
		any = true;
	}
	strbuf_char(out, ']');
}

void print_open_flags(const struct syscall_book *b, u64 flags, bool prefix, struct strbuf *out)
{
	enum { ACCESS = 3 };
	const struct syscall_values *v = values_of(syscall_book_arch(b), "open_flags");

	if (!(flags & ACCESS)) {
		if (prefix)
			strbuf_str(out, "O_");
		strbuf_str(out, "RDONLY");
		if (!flags)
			return;
		strbuf_char(out, '|');
	}
	values_print(v, flags, prefix, out);
}
