// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiles descriptions of the calls from the lines of table_list.h, for one architecture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "syscalls/internal.h"
#include "syscalls/commands_list.h"
#include "syscalls/table_list.h"
#include "syscalls/small_list.h"

enum { MOST_NUMBERS = SYSCALL_NUMBERS };

struct syscall_book {
	const struct arch *arch;
	VEC(struct syscall *) calls; /* by number, or NULL */
	struct strmap by_name;
	VEC(struct syscall_layout *) layouts;
	struct command_list commands;
	struct strlist names;    /* the names from syscall_describe() */
	struct syscall nameless; /* the last result of syscall_find_any() */
	char nameless_name[24];
};

/* clang-format off */
static const struct {
	const char *name;
	u8 kind;
} plain_kinds[] = {
	{ "int", KIND_INT }, { "uint", KIND_UINT }, { "long", KIND_LONG },
	{ "ulong", KIND_ULONG }, { "hex", KIND_HEX }, { "hex32", KIND_HEX32 }, { "cpus", KIND_CPUS }, { "bits", KIND_BITS },
	{ "off", KIND_OFFSET }, { "fd", KIND_FD }, { "dir", KIND_DIR }, { "path", KIND_PATH },
	{ "text", KIND_TEXT }, { "mode", KIND_MODE }, { "sig", KIND_SIGNAL }, { "pid", KIND_PID },
	{ "dev", KIND_DEVICE }, { "sigset", KIND_SIGSET }, { "argv", KIND_TEXTS }, { "envp", KIND_COUNT },
	{ "none", KIND_SECRET }, { "buf", KIND_BYTES }, { "sockaddr", KIND_SOCKADDR },
	{ "iovec", KIND_IOVEC }, { "msghdr", KIND_MSGHDR }, { "fcntl_arg", KIND_FCNTL_ARG },
	{ "ioctl_arg", KIND_IOCTL }, { "clone_flags", KIND_CLONE_FLAGS }, { "open_flags", KIND_OPEN_FLAGS },
	{ "futex_op", KIND_FUTEX_OP }, { "sock_type", KIND_SOCKET_TYPE },
	{ "sock_protocol", KIND_SOCKET_PROTOCOL }, { "wait_status", KIND_WAIT_STATUS },
	{ "mmsghdr", KIND_MESSAGES }, { "bpf_arg", KIND_BPF_ARG }, { "prctl_arg", KIND_PRCTL_ARG },
	{ "so_value", KIND_SO_VALUE }, { "socketcall_args", KIND_SOCKETCALL },
};
/* clang-format on */

static const struct syscall_layout *book_layout(struct syscall_book *b, const char *name)
{
	struct syscall_layout *l;

	vec_for_each(&b->layouts, it)
		if (!strcmp((*it)->name, name))
			return *it;
	l = layout_make(name, b->arch);
	if (l)
		vec_push(&b->layouts, l);
	return l;
}

const struct syscall_layout *book_layout_made(const struct syscall_book *b, const char *name)
{
	vec_for_each(&b->layouts, it)
		if (!strcmp((*it)->name, name))
			return *it;
	return NULL;
}

struct command_list *book_commands(struct syscall_book *b)
{
	return &b->commands;
}

u32 book_word(const struct syscall_book *b)
{
	return b->arch->bits / 8;
}

/* Flags that the kernel takes as unsigned long; of others it does not see the upper half. */
static bool is_wide(const char *name)
{
	static const char *const names[] = { "map_flags", "mount_flags", "mremap_flags",
					     "perf_flags", "prot" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/*
 * Reads ">buf@2", "<>pollfd@1", "*int", "clone_args#1": direction, kind, and the argument with the
 * length.
 */
static void set_kind(struct syscall_book *b, struct syscall_arg *a, const char *text)
{
	const char *at = strpbrk(text, "@#"), *kind = text + strspn(text, "!<>*");
	bool behind = text[strspn(text, "!<>")] == '*';
	char *name = xstrndup(kind, at ? (size_t)(at - kind) : strlen(kind));

	a->both = text[0] == '<';
	a->interrupted = text[0] == '!';
	a->out = text[0] == '>' || a->both || a->interrupted;
	a->length_at = at && at[1] == '@';
	a->length_arg = (s8)(at ? atoi(at + 1 + a->length_at) : -1);
	a->sized = !at || *at == '@' ? SIZE_FIXED : at[1] == '+' ? SIZE_INSIDE : SIZE_IN_ARG;
	a->values = values_of(b->arch, name);
	a->kind = a->values ? (a->values->flags ? KIND_FLAGS : KIND_ENUM) : KIND_HEX;
	a->wide = is_wide(name);
	for (size_t i = 0; i < ARRAY_SIZE(plain_kinds); i++)
		if (!strcmp(name, plain_kinds[i].name))
			a->kind = plain_kinds[i].kind;
	if (!strcmp(name, "ioctl"))
		a->kind = KIND_ENUM;
	if (!strcmp(name, "futex_time")) {
		a->kind = KIND_FUTEX_TIME;
		a->layout = book_layout(b, "timespec");
	} else if (behind) {
		a->kind = !strcmp(name, "fds") ? KIND_FDS_AT : KIND_NUMBER_AT;
		/* bytes of the number */
		a->length_arg = (s8)(!strcmp(name, "s64")    ? 8
				     : !strcmp(name, "long") ? book_word(b)
							     : 4);
	} else if (!a->values && a->kind == KIND_HEX && strcmp(name, "hex") != 0) {
		a->layout = book_layout(b, name);
		if (a->layout)
			a->kind = at && *at == '@' ? KIND_STRUCTS : KIND_STRUCT;
	}
	if (a->kind == KIND_BPF_ARG)
		a->layout = book_layout(b, "bpf_attr");
	free(name);
}

static u8 result_of(const char *text)
{
	static const char *const words[] = { "",     "x",       "fd",      "pid",
					     "none", "command", "timeout", "mode" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(text, words[i]))
			return (u8)i;
	return RESULT_NUMBER;
}

/*
 * Returns when an argument is unused: mmap's descriptor and offset, open's mode, and those that
 * only some operations of futex, prctl and membarrier have.
 */
static u8 unused_if(const struct syscall *c, u32 i)
{
	const char *name = c->args[i].name;

	if (i >= 4 && c->result == RESULT_HEX && c->args[3].values &&
	    (!strcmp(name, "fd") || !strcmp(name, "off")))
		return UNUSED_IF_ANONYMOUS;
	if (i && c->args[i - 1].kind == KIND_OPEN_FLAGS && c->args[i].kind == KIND_MODE)
		return UNUSED_IF_NOT_CREATED;
	if (i >= 3 && c->args[1].kind == KIND_FUTEX_OP)
		return UNUSED_BY_FUTEX_OP;
	if (i && !strcmp(c->name, "prctl"))
		return UNUSED_BY_PRCTL;
	if (i == 2 && !strcmp(c->name, "membarrier"))
		return UNUSED_WITHOUT_CPU;
	return ALWAYS_USED;
}

/* Prepares what is the same in each line. */
static void prepare(struct syscall *c)
{
	for (u32 i = 0; i < c->arg_count; i++) {
		struct syscall_arg *a = &c->args[i];

		size_t length = MIN(strlen(a->name), sizeof(a->label) - 2);

		memcpy(a->label, a->name, length);
		memcpy(a->label + length, ": ", 2);
		a->label_length = (u8)(length + 2);
		a->unused_if = unused_if(c, i);
	}
}

/* Adds a register without a value, or with the second half of the one before it. */
static void add_hidden(struct syscall *c, const char *name)
{
	struct syscall_arg *a = &c->args[c->arg_count];

	if (c->arg_count == SYSCALL_ARGS)
		return;
	*a = (struct syscall_arg){ .kind = KIND_SECRET, .length_arg = -1 };
	snprintf(a->name, sizeof(a->name), "%s", name);
	c->arg_count++;
}

/* Reads "+kind", "=kind": a number in two registers, see small_list.h. Returns the kind. */
static const char *begin_pair(const struct syscall_book *b, struct syscall *c, const char *kind,
			      u8 *halves)
{
	bool aligned = b->arch->e_machine == FOR_ARM || b->arch->e_machine == FOR_PPC;

	*halves = NOT_HALVED;
	if (*kind != '+' && *kind != '=')
		return kind;
	*halves = *kind == '+' && b->arch->big_endian ? UPPER_FIRST : LOWER_FIRST;
	if (*kind == '+' && aligned && c->arg_count % 2)
		add_hidden(c, "pad");
	return kind + 1;
}

static void describe(struct syscall_book *b, struct syscall *c, const struct call_row *row)
{
	struct strlist args = { 0 };
	u8 halves;

	strlist_split(&args, row->args, " ");
	vec_for_each(&args.list, text) {
		const char *colon = strchr(*text, ':'),
			   *kind = begin_pair(b, c, colon + 1, &halves);
		struct syscall_arg *a = &c->args[c->arg_count];

		if (c->arg_count == SYSCALL_ARGS)
			break;
		snprintf(a->name, sizeof(a->name), "%.*s", (int)(colon - *text), *text);
		set_kind(b, a, kind);
		a->halves = halves;
		c->arg_count++;
		if (halves)
			add_hidden(c, "half");
	}
	strlist_release(&args);
	c->result = result_of(row->result);
	c->known = true;
	prepare(c);
}

static int compare_row(const void *name, const void *row)
{
	return strcmp(name, ((const struct call_row *)row)->name);
}

/* Reports whether x32 tasks call it by a separate number, because its structs are 32-bit. */
static bool is_x32(const struct syscall_book *b, u32 nr)
{
	enum { FIRST = 512, EM_X86_64 = 62 };

	return nr >= FIRST && b->arch->e_machine == EM_X86_64 && b->arch->bits == 64;
}

/* Turns structs into plain pointers, because the layouts of the book would show wrong fields. */
static void forget_structs(struct syscall *c)
{
	for (u32 i = 0; i < c->arg_count; i++)
		if (c->args[i].kind == KIND_STRUCT || c->args[i].kind == KIND_STRUCTS ||
		    c->args[i].kind == KIND_IOCTL)
			c->args[i].kind = KIND_HEX;
}

static const struct call_row *row_of(const char *name)
{
	return bsearch(name, call_rows, ARRAY_SIZE(call_rows), sizeof(call_rows[0]), compare_row);
}

/*
 * Finds the row of "chown32", "clock_gettime64", "ppoll_time64", which equal a call of 64-bit
 * tasks.
 */
static const struct call_row *row_of_base(const char *name)
{
	static const char *const ends[] = { "_time64", "64", "32" };
	const struct call_row *row = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(ends) && !row; i++) {
		char *base = str_ends(name, ends[i])
				     ? xstrndup(name, strlen(name) - strlen(ends[i]))
				     : NULL;

		row = base ? row_of(base) : NULL;
		free(base);
	}
	return row;
}

/* Except on x86-64, the kernel takes the last two arguments of clone in this order. */
static const struct call_row clone_backwards = {
	"clone", "clone_flags:clone_flags newsp:hex parent_tidptr:hex tls:hex child_tidptr:hex",
	"pid"
};

static const struct call_row *find_row(const struct syscall_book *b, const char *name)
{
	enum { EM_X86_64 = 62 };
	const struct call_row *row = row_of(name);

	if (!strcmp(name, "clone") && b->arch->e_machine != EM_X86_64)
		return &clone_backwards;
	if (b->arch->bits != 32)
		return row;
	for (size_t i = 0; i < ARRAY_SIZE(small_rows); i++)
		if (!strcmp(name, small_rows[i].row.name) &&
		    (!small_rows[i].machine || small_rows[i].machine == b->arch->e_machine))
			return &small_rows[i].row;
	return row ? row : row_of_base(name);
}

/* Seconds of 64 bits, which 32-bit tasks have in newer calls. */
static void use_long_times(struct syscall_book *b, struct syscall *c)
{
	static const char *const layouts[] = { "timespec", "timespec2", "itimerspec" };

	for (u32 i = 0; i < c->arg_count; i++)
		for (size_t n = 0; n < ARRAY_SIZE(layouts) && c->args[i].layout; n++)
			if (c->args[i].layout == book_layout_made(b, layouts[n])) {
				char *name = xasprintf("%s.64", layouts[n]);

				c->args[i].layout = book_layout(b, name);
				free(name);
				break;
			}
}

static struct syscall *add_call(struct syscall_book *b, u32 nr, const char *name)
{
	const struct call_row *row = find_row(b, name);
	struct syscall *c = xcalloc(1, sizeof(*c));

	while (b->calls.count <= nr)
		vec_push(&b->calls, NULL);
	c->nr = nr;
	c->name = name;
	if (row)
		describe(b, c, row);
	if (b->arch->bits == 32 && str_ends(name, "64"))
		use_long_times(b, c);
	b->calls.items[nr] = c;
	if (is_x32(b, nr))
		forget_structs(c);
	else
		*strmap_put(&b->by_name, name, NULL) = nr;
	return c;
}

/* The commands of ioctl, fcntl and bpf. */
static const struct {
	const char *name;
	u8 size; /* bytes; 0 means a word */
	bool is_signed;
} command_numbers[] = {
	{ "s32", 4, true }, { "u32", 4, false }, { "u64", 8, false }, { "long", 0, true }
};

static void commands_make(struct syscall_book *b, struct command_list *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(command_rows); i++) {
		const struct command_row *row = &command_rows[i];
		struct syscall_command c = { .which = row->which,
					     .command = row->command,
					     .entry = strchr(row->way, 'i'),
					     .exit = strchr(row->way, 'o') };

		if (row->which == COMMANDS_IOCTL)
			c.command = ioctl_number(b->arch, row->command);
		for (size_t n = 0; n < ARRAY_SIZE(command_numbers); n++)
			if (!strcmp(command_numbers[n].name, row->what)) {
				c.size = command_numbers[n].size ? command_numbers[n].size
								 : (u16)book_word(b);
				c.is_signed = command_numbers[n].is_signed;
			}
		c.is_text = !strcmp(row->what, "comm");
		if (c.is_text) {
			c.size = 16;
		} else if (!c.size) {
			c.layout = book_layout(b, row->what);
			c.size = c.layout->size;
		}
		vec_push(&to->list, c);
	}
}

struct syscall_book *syscall_book_new(const struct arch *arch)
{
	struct syscall_book *b = xcalloc(1, sizeof(*b));

	b->arch = arch;
	for (u32 i = 0; i < arch->syscall_count; i++)
		if (arch->syscalls[i].nr < MOST_NUMBERS)
			add_call(b, arch->syscalls[i].nr, arch->syscalls[i].name);
	commands_make(b, &b->commands);
	book_layout(b, "linger");
	book_layout(b, "timeval");
	return b;
}

void syscall_book_free(struct syscall_book *b)
{
	if (!b)
		return;
	vec_for_each(&b->calls, c)
		free(*c);
	vec_for_each(&b->layouts, l)
		free(*l);
	vec_release(&b->calls);
	vec_release(&b->layouts);
	vec_release(&b->commands.list);
	strmap_release(&b->by_name);
	strlist_release(&b->names);
	free(b);
}

const struct arch *syscall_book_arch(const struct syscall_book *b)
{
	return b->arch;
}

const struct syscall *syscall_find(const struct syscall_book *b, u32 nr)
{
	return nr < b->calls.count ? b->calls.items[nr] : NULL;
}

const struct syscall *syscall_find_any(struct syscall_book *b, u32 nr)
{
	const struct syscall *c = syscall_find(b, nr);

	if (c)
		return c;
	snprintf(b->nameless_name, sizeof(b->nameless_name), "syscall_%d", (s32)nr);
	b->nameless = (struct syscall){ .nr = nr, .name = b->nameless_name, .nameless = true };
	return &b->nameless;
}

const struct syscall *syscall_by_name(const struct syscall_book *b, const char *name)
{
	u64 *nr = strmap_get(&b->by_name, name);

	return nr ? syscall_find(b, (u32)*nr) : NULL;
}

u32 syscall_most(const struct syscall_book *b)
{
	return b->calls.count ? (u32)b->calls.count - 1 : 0;
}

u32 syscall_word(const struct syscall_book *b, u32 nr)
{
	return is_x32(b, nr) ? 4 : book_word(b);
}

/*
 * Returns the kind of a number's C type, by the first word that it contains: "unsigned int",
 * "size_t", "const u32", "loff_t".
 */
static u8 kind_of_number(const char *type)
{
	/* clang-format off */
	static const struct {
		const char *word;
		u8 kind;
	} words[] = {
		{ "ssize_t", KIND_LONG }, { "size_t", KIND_ULONG }, { "unsigned long", KIND_ULONG },
		{ "unsigned", KIND_UINT }, { "uint64", KIND_ULONG }, { "u64", KIND_ULONG }, { "uint", KIND_UINT },
		{ "u32", KIND_UINT }, { "u16", KIND_UINT }, { "u8", KIND_UINT }, { "aio_context_t", KIND_ULONG },
		{ "long", KIND_LONG }, { "off_t", KIND_LONG }, { "s64", KIND_LONG },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(type, words[i].word))
			return words[i].kind;
	return KIND_INT;
}

/* Guesses the kind of an argument from its C type and name, for calls that are not in the table. */
static void guess_kind(struct syscall_book *b, struct syscall_arg *a, const char *type)
{
	bool pointer = strchr(type, '*');

	a->length_arg = -1;
	if (pointer && strstr(type, "char") && (strstr(a->name, "name") || strstr(a->name, "path")))
		a->kind = KIND_PATH;
	else if (pointer && strstr(type, "timespec"))
		set_kind(b, a, "timespec");
	else if (pointer)
		a->kind = KIND_HEX;
	else if (!strcmp(a->name, "fd") || str_ends(a->name, "_fd"))
		a->kind = KIND_FD;
	else if (!strcmp(a->name, "dfd") || str_ends(a->name, "dfd"))
		a->kind = KIND_DIR;
	else if (strstr(type, "pid_t"))
		a->kind = KIND_PID;
	else if (strstr(type, "umode_t"))
		a->kind = KIND_MODE;
	else if (!strcmp(a->name, "at_flags"))
		set_kind(b, a, "at_flags");
	else if (strstr(a->name, "flags") || strstr(a->name, "mask"))
		a->kind = KIND_HEX;
	else
		a->kind = kind_of_number(type);
}

void syscall_describe(struct syscall_book *b, u32 nr, const char *const *names,
		      const char *const *types, size_t count)
{
	struct syscall *c = (struct syscall *)syscall_find(b, nr);

	if (!c || c->known)
		return;
	for (size_t i = 0; i < count && i < SYSCALL_ARGS; i++) {
		struct syscall_arg *a = &c->args[i];

		snprintf(a->name, sizeof(a->name), "%s", names[i]);
		guess_kind(b, a, types[i]);
	}
	c->arg_count = (u8)MIN(count, (size_t)SYSCALL_ARGS);
	c->known = true;
	prepare(c);
}
