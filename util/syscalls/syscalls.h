/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls: their names, their arguments, and text for them.
 *
 * A description for each call (syscall_find()), made from the table of table.c, and printers that
 * turn numbers and bytes into text. Nothing is read here: the caller provides the bytes that a
 * call's pointers point to (struct syscall_item), and the names of descriptors and processes
 * (struct syscall_says).
 * ABI: word size and byte order are those of the traced task, not of this program.
 * Threads: syscall_book_new() makes the descriptions once; they are read-only after it.
 * Bounds: bytes may come from a hostile program; nothing outside an item is read, and control
 * characters are escaped.
 * Sources: the kernel's SYSCALL_DEFINE lines (names of arguments), include/uapi, and man pages.
 */
#ifndef SYSCALLS_SYSCALLS_H
#define SYSCALLS_SYSCALLS_H

#include "arch/arch.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum { SYSCALL_ARGS = 6 };

enum syscall_kind {
	KIND_INT,    /* s32 */
	KIND_UINT,   /* u32 */
	KIND_LONG,   /* the task's word */
	KIND_ULONG,  /* the same, unsigned: size_t */
	KIND_HEX,    /* numbers whose bits matter, and unknown pointers */
	KIND_HEX32,  /* the same, of 32 bits */
	KIND_OFFSET, /* s64; hexadecimal */
	KIND_FD,
	KIND_DIR, /* a descriptor, or AT_FDCWD */
	KIND_PATH,
	KIND_TEXT,  /* ends with NUL */
	KIND_BYTES, /* as many as another argument has */
	KIND_CPUS,  /* the same, a bit for each CPU */
	KIND_BITS,  /* the same in bits: descriptors or memory nodes */
	KIND_STRUCT,
	KIND_FUTEX_TIME, /* a struct, or a number: by the operation */
	KIND_STRUCTS,    /* as many as another argument has */
	KIND_SOCKADDR,
	KIND_IOVEC,
	KIND_MSGHDR,
	KIND_MESSAGES, /* structs mmsghdr, as many as another argument says */
	KIND_TEXTS,    /* argv */
	KIND_COUNT,    /* envp: how many */
	KIND_ENUM,
	KIND_FLAGS,
	KIND_MODE, /* the mode of a file, octal */
	KIND_SIGNAL,
	KIND_SIGSET,
	KIND_PID,
	KIND_NUMBER_AT, /* a number behind a pointer */
	KIND_FDS_AT,    /* two descriptors behind a pointer */
	KIND_OPEN_FLAGS,
	KIND_FUTEX_OP,
	KIND_IOCTL,
	KIND_FCNTL_ARG,
	KIND_BPF_ARG,
	KIND_PRCTL_ARG,
	KIND_SO_VALUE, /* the value of a socket's option: bytes, by arguments 1 and 2 */
	KIND_CLONE_FLAGS,
	KIND_SOCKET_PROTOCOL,
	KIND_SOCKET_TYPE,
	KIND_DEVICE,
	KIND_WAIT_STATUS,
	KIND_SECRET,     /* not shown: padding arguments */
	KIND_SOCKETCALL, /* as many words as socketcall's first argument has */
};

struct syscall_values; /* names of numbers, values.c */
struct syscall_layout; /* fields of a struct, layout.c */

struct syscall_arg {
	char name[24];
	char label[28]; /* "name: ", and its length */
	u8 label_length;
	u8 unused_if; /* enum syscall_unused */
	u8 kind;
	bool out;         /* filled by the call: its bytes are copied at the exit */
	bool both;        /* read and filled */
	u8 halves;        /* enum syscall_halves: with the register after it */
	bool wide;        /* for KIND_FLAGS: the flags have the task's word, not 32 bits */
	bool interrupted; /* filled only if a signal interrupts the call */
	s8 length_arg;    /* the argument with the length, or -1 */
	bool length_at;   /* the length argument is a pointer to the length */
	u8 sized;         /* enum syscall_sized: of a struct, what length_arg is */
	const struct syscall_values *values;
	const struct syscall_layout *layout;
};

/* Numbers of 64 bits in two registers of 32. */
enum syscall_halves { NOT_HALVED, LOWER_FIRST, UPPER_FIRST };

/* The length of a struct: fixed; in an argument; or in the struct itself, at a byte. */
enum syscall_sized { SIZE_FIXED, SIZE_IN_ARG, SIZE_INSIDE };

/* When the kernel ignores an argument, by the flags or the operation in another one. */
enum syscall_unused {
	ALWAYS_USED,
	UNUSED_IF_ANONYMOUS,
	UNUSED_IF_NOT_CREATED,
	UNUSED_BY_FUTEX_OP,
	UNUSED_BY_PRCTL,
	UNUSED_WITHOUT_CPU
};

enum syscall_result {
	RESULT_NUMBER,
	RESULT_HEX,
	RESULT_FD,
	RESULT_PID,
	RESULT_NONE,       /* never returns */
	RESULT_BY_COMMAND, /* fcntl */
	RESULT_TIMEOUT,    /* 0: timed out */
	RESULT_MODE,
};

struct syscall {
	u32 nr;
	const char *name;
	bool known;    /* it has a description: args is valid */
	bool nameless; /* no table has this number, which is in the name */
	u8 arg_count;
	u8 result; /* enum syscall_result */
	struct syscall_arg args[SYSCALL_ARGS];
};

/* The calls of one architecture. */
struct syscall_book;
struct syscall_book *syscall_book_new(const struct arch *arch);
void syscall_book_free(struct syscall_book *b);
const struct arch *syscall_book_arch(const struct syscall_book *b);
/* Returns the description of a number, or NULL. */
const struct syscall *syscall_find(const struct syscall_book *b, u32 nr);
/*
 * Does the same, but returns "syscall_NR" with six arguments for unknown numbers, valid until the
 * next call.
 */
const struct syscall *syscall_find_any(struct syscall_book *b, u32 nr);
const struct syscall *syscall_by_name(const struct syscall_book *b, const char *name);
u32 syscall_most(const struct syscall_book *b); /* the highest number */
/* Returns the size of a pointer in this call's structs, in bytes. */
u32 syscall_word(const struct syscall_book *b, u32 nr);
/*
 * Gives a call that the table does not have its arguments from the kernel's own list: names and C
 * types ("const char *", "unsigned int") of a tracepoint's fields.
 */
void syscall_describe(struct syscall_book *b, u32 nr, const char *const *names,
		      const char *const *types, size_t count);

/*
 * Finds the calls that a word names: "openat", "open*", "/regex/", "%file" or another group,
 * "file", "syscall_500". set has a bit for each number. Returns 0; -ENOENT without a reason if it
 * names none, since the word may be an event; or -EINVAL with a reason.
 */
struct reason;
struct syscall_set {
	u64 bits[16];
};
enum { SYSCALL_NUMBERS = 16 * 64 };
int syscall_select(const struct syscall_book *b, const char *word, struct syscall_set *set,
		   struct reason *r);
static inline bool syscall_set_has(const struct syscall_set *s, u32 nr)
{
	return nr < SYSCALL_NUMBERS && s->bits[nr / 64] >> (nr % 64) & 1;
}

/* What the pointer of an argument points to. */
struct syscall_item {
	const u8 *data; /* NULL if it was not copied */
	u32 size;
	u8 err;    /* errno of the copy; 0 */
	bool cut;  /* there is more than size */
	bool late; /* missing at the entry, read at the exit */
};

struct syscall_call {
	const struct syscall *call;
	const struct syscall_book *book;
	u64 args[SYSCALL_ARGS];
	struct syscall_item in[SYSCALL_ARGS], out[SYSCALL_ARGS];
	bool ended; /* result and out are valid */
	s64 result;
};

/* What only the caller knows. Each function may be NULL. */
struct syscall_says {
	void *arg;
	/* Writes "</etc/passwd>" for a descriptor; nothing if it is unknown. */
	void (*fd)(void *arg, s32 fd, struct strbuf *out);
	/* the comm of a process */
	void (*pid)(void *arg, s32 pid, struct strbuf *out);
};

enum { SYSCALL_ARRAY_LIMITS = 10 };

struct syscall_style {
	bool prefix;   /* O_RDONLY for RDONLY */
	bool no_names; /* only values */
	bool zeros;    /* also arguments that are 0 */
	bool bits;     /* all fields of structs */
	/*
	 * The limit of characters of buffers; 0 means all. An array ends after the entry with which
	 * it has SYSCALL_ARRAY_LIMITS times as many.
	 */
	u32 text_limit;
};

/* Prints "dfd: CWD, filename: "/etc/passwd", flags: RDONLY", without brackets. */
void syscall_print_args(const struct syscall_call *c, const struct syscall_style *style,
			const struct syscall_says *says, struct strbuf *out);
/*
 * Prints the same text, and finds where in `out` the value of each argument is; returns how many
 * there are.
 */
struct syscall_part {
	char name[24];
	size_t at, length;
};
u32 syscall_print_parts(const struct syscall_call *c, const struct syscall_style *style,
			const struct syscall_says *says, struct strbuf *out,
			struct syscall_part parts[SYSCALL_ARGS]);
/*
 * Prints only the arguments that the call has filled, or that could not be read at its entry: what
 * is new if the beginning of the call was shown before.
 */
void syscall_print_filled(const struct syscall_call *c, const struct syscall_style *style,
			  const struct syscall_says *says, struct strbuf *out);
/* Prints "3", "0x7f12", "-1 ENOENT (No such file or directory)", "?". */
void syscall_print_result(const struct syscall_call *c, const struct syscall_style *style,
			  const struct syscall_says *says, struct strbuf *out);
bool syscall_failed(s64 result);
/* Prints a signal: "SIGCHLD". */
void syscall_print_signal(u32 number, struct strbuf *out);
/* Returns a name such as "ROUTE", or NULL. */
const char *syscall_netlink_name(u32 protocol);
/* Prints an error: "ENOENT", or a number if it has no name. */
void syscall_print_errno(int err, struct strbuf *out);
/*
 * Prints the family, address and port of a sockaddr: "{ .family: INET, .port: 80, .addr: 127.0.0.1
 * }".
 */
void syscall_print_sockaddr(const struct syscall_book *b, const u8 *data, u32 size,
			    struct strbuf *out);
/* Prints "text", with escapes; at most `limit` bytes of it (0: all), then "..". */
void syscall_print_text(const u8 *data, u32 size, u32 limit, bool cut, struct strbuf *out);

/* What the program in the kernel has to copy of an argument to print it; COPY_NONE if nothing. */
enum syscall_copy_how {
	COPY_NONE,
	COPY_TEXT,        /* to the NUL */
	COPY_FIXED,       /* size bytes */
	COPY_LENGTH,      /* size bytes times argument `length` */
	COPY_LENGTH_AT,   /* as many bytes as the int after argument `length` */
	COPY_RESULT,      /* as many bytes as the result, at most argument `length` times size */
	COPY_TEXTS,       /* an array of texts, ended by NULL */
	COPY_COUNT,       /* an array of pointers, ended by NULL: how many */
	COPY_IOVEC,       /* `length` elements, and what they point to */
	COPY_MSGHDR,      /* the struct, then address and first vector */
	COPY_MESSAGES,    /* `length` structs mmsghdr (at the exit: the result), each as a msghdr */
	COPY_SIZED,       /* a struct of argument `length` bytes, at most size */
	COPY_SIZE_INSIDE, /* likewise; the u32 at `length` of it has the size */
	/* by syscall_commands() of the command, the argument before; size: of which call */
	COPY_COMMAND,
};
struct syscall_copy {
	u8 how;
	bool entry, exit;
	u8 length; /* argument */
	u16 size;  /* bytes */
};
/* What the argument of a call with commands points to. */
enum syscall_commands { COMMANDS_IOCTL, COMMANDS_FCNTL, COMMANDS_BPF, COMMANDS_PRCTL };
struct syscall_command {
	u8 which; /* enum syscall_commands */
	bool entry, exit;
	bool is_signed; /* a number, if layout is NULL */
	bool is_text;   /* ends with NUL */
	u32 command;
	u16 size;
	const struct syscall_layout *layout;
};
const struct syscall_command *syscall_commands(const struct syscall_book *b, size_t *count);

void syscall_copy_plan(const struct syscall_book *b, const struct syscall *call,
		       struct syscall_copy plan[SYSCALL_ARGS]);

#endif
