/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the component: sets of names, layouts of structs, and printing of values. */
#ifndef SYSCALLS_INTERNAL_H
#define SYSCALLS_INTERNAL_H

#include "syscalls/syscalls.h"

/* ---- values.c ---- */
struct value_name {
	u64 value;
	const char *name;
};
struct syscall_values {
	const char *name, *prefix;
	const struct value_name *list;
	size_t count;
	bool flags; /* bits that are combined, instead of one value */
};
const struct syscall_values *values_find(const char *name);
/* Does the same for numbers that are specific to this architecture. */
const struct syscall_values *values_of(const struct arch *arch, const char *name);
const char *values_name(const struct syscall_values *v, u64 value); /* NULL: none */
/* Prints "RDONLY|CLOEXEC", "SET"; numbers without a name in hexadecimal (flags) or decimal. */
void values_print(const struct syscall_values *v, u64 value, bool prefix, struct strbuf *out);

/* ---- layout.c ---- */
enum layout_kind {
	LAYOUT_SIGNED,
	LAYOUT_UNSIGNED,
	LAYOUT_HEX,
	LAYOUT_TEXT,
	LAYOUT_VALUES,
	LAYOUT_MODE,
	LAYOUT_DEVICE,
	LAYOUT_DEVICE_IF, /* not when 0 */
	LAYOUT_SIGSET,
	LAYOUT_FD,
	LAYOUT_LIMIT,   /* all bits: infinity */
	LAYOUT_HANDLER, /* the handler of a signal */
	LAYOUT_UTIME,   /* nanoseconds, or UTIME_NOW and UTIME_OMIT */
	LAYOUT_SOCKADDR,
	LAYOUT_MAC, /* bytes, with colons */
};
struct layout_field {
	char name[24];
	u16 offset;
	u16 size; /* bytes */
	u8 kind;
	bool hidden;
	const struct syscall_values *values;
};
struct syscall_layout {
	char name[24];
	u16 size; /* up to the end of the described fields */
	u8 field_count;
	struct layout_field fields[16];
};
/* Makes the layout of a struct, malloc'ed; returns NULL if it does not exist. */
struct syscall_layout *layout_make(const char *name, const struct arch *arch);
void layout_print(const struct syscall_layout *l, const u8 *data, u32 size,
		  const struct syscall_book *b, const struct syscall_style *style,
		  const struct syscall_says *says, struct strbuf *out);

/* ---- table.c ---- */
/* Returns a layout that the book has already made, or NULL. */
const struct syscall_layout *book_layout_made(const struct syscall_book *b, const char *name);
u32 book_word(const struct syscall_book *b); /* bytes of a long */

/* ---- ioctl_numbers.c ---- */
/* Returns the architecture's number of a request of commands_list.h. */
u32 ioctl_number(const struct arch *arch, u32 generic);
/* Reports whether the array that begins at `begin` has as much text as fits in a line. */
bool array_is_full(const struct syscall_style *style, size_t begin, const struct strbuf *out);
void print_ioctl(const struct arch *arch, const struct syscall_values *names, u32 number,
		 bool prefix, struct strbuf *out);

/* ---- commands.c ---- */
struct command_list {
	VEC(struct syscall_command) list;
};
struct command_list *book_commands(struct syscall_book *b);
/* Prints argument i by the command before it. Returns false if it is unknown. */
bool print_by_command(const struct syscall_call *c, u32 i, enum syscall_commands which,
		      const struct syscall_style *style, const struct syscall_says *says,
		      struct strbuf *out);
bool fcntl_has_arg(u32 command);
void print_fcntl_arg(const struct syscall_call *c, u32 i, const struct syscall_style *style,
		     const struct syscall_says *says, struct strbuf *out);
u32 prctl_arg_count(u32 option); /* how many arguments after the option the kernel checks */
void print_prctl_arg(const struct syscall_call *c, u32 i, const struct syscall_style *style,
		     const struct syscall_says *says, struct strbuf *out);
void print_socket_value(const struct syscall_call *c, const struct syscall_item *item,
			const struct syscall_style *style, const struct syscall_says *says,
			struct strbuf *out);
void print_bpf_arg(const struct syscall_call *c, u32 i, const struct syscall_style *style,
		   const struct syscall_says *says, struct strbuf *out);

/* ---- print.c, print_number.c ---- */
void print_open_flags(const struct syscall_book *b, u64 flags, bool prefix, struct strbuf *out);
void print_mode(u64 mode, bool type, struct strbuf *out);
void print_signal(u64 number, bool prefix, struct strbuf *out);
void print_sigset(const struct syscall_book *b, const u8 *data, u32 size, struct strbuf *out);
void print_device(u64 dev, struct strbuf *out);
void print_fd(s32 fd, const struct syscall_says *says, struct strbuf *out);
void print_pointer(u64 value, struct strbuf *out);
void print_s64(s64 value, struct strbuf *out);
u64 bytes_number(const struct syscall_book *b, const u8 *data, u32 size);

/* ---- pointed.c ---- */
/* Reports whether the kernel writes to this argument if the call returns this. */
bool call_fills(const struct syscall_arg *a, s64 result);
/* Prints what the pointer `value`, argument i, points to, or the pointer if that is unknown. */
void print_pointed(const struct syscall_call *c, u32 i, u64 value,
		   const struct syscall_style *style, const struct syscall_says *says,
		   struct strbuf *out);

/* ---- buffers.c ---- */
void print_msghdr(const struct syscall_call *c, const struct syscall_item *item, u64 pointer,
		  const struct syscall_style *style, struct strbuf *out);
void print_messages(const struct syscall_call *c, const struct syscall_item *item,
		    const struct syscall_style *style, struct strbuf *out);
void print_iovec(const struct syscall_call *c, const struct syscall_item *item, u64 count,
		 u64 pointer, const struct syscall_style *style, struct strbuf *out);
void print_texts(const struct syscall_item *item, struct strbuf *out);

#endif
