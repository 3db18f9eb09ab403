// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints arguments, one after another. */
#include <stdio.h>
#include <string.h>

#include "syscalls/internal.h"

static void print_futex_op(u64 op, bool prefix, struct strbuf *out)
{
	enum { PRIVATE_FLAG = 128, CLOCK_REALTIME_FLAG = 256 };
	u64 flags = op & (PRIVATE_FLAG | CLOCK_REALTIME_FLAG);

	values_print(values_find("futex_op"), op & ~flags, prefix, out);
	if (flags) {
		strbuf_char(out, '|');
		values_print(values_find("futex_flags"), flags, prefix, out);
	}
}

/* The arguments of an operation after val: a time or a number, a second address, a third value. */
enum { FUTEX_TIME = 1, FUTEX_NUMBER = 2, FUTEX_ADDRESS = 4, FUTEX_VALUE = 8 };

static u32 futex_args(u32 op)
{
	static const u8 args[] = {
		FUTEX_TIME, /* WAIT */
		0,
		0,                            /* WAKE, FD */
		FUTEX_NUMBER | FUTEX_ADDRESS, /* REQUEUE */
		FUTEX_NUMBER | FUTEX_ADDRESS | FUTEX_VALUE,
		FUTEX_NUMBER | FUTEX_ADDRESS | FUTEX_VALUE, /* WAKE_OP */
		FUTEX_TIME,                                 /* LOCK_PI */
		0,
		0,                        /* UNLOCK_PI, TRYLOCK_PI */
		FUTEX_TIME | FUTEX_VALUE, /* WAIT_BITSET */
		FUTEX_VALUE,
		FUTEX_TIME | FUTEX_ADDRESS, /* WAIT_REQUEUE_PI */
		FUTEX_NUMBER | FUTEX_ADDRESS | FUTEX_VALUE,
		FUTEX_TIME, /* LOCK_PI2 */
	};
	enum { COMMAND_BITS = 0x7f };

	/* any argument of an unknown operation may be used */
	return (op & COMMAND_BITS) < ARRAY_SIZE(args) ? args[op & COMMAND_BITS]
						      : FUTEX_TIME | FUTEX_ADDRESS | FUTEX_VALUE;
}

/* Reports whether the operation uses argument 3, 4 or 5. */
static bool futex_uses(u32 op, u32 i)
{
	static const u8 which[] = { FUTEX_TIME | FUTEX_NUMBER, FUTEX_ADDRESS, FUTEX_VALUE };

	return futex_args(op) & which[i - 3];
}

static void print_clone_flags(u64 flags, bool prefix, struct strbuf *out)
{
	enum { SIGNAL_BITS = 0xff };

	if (flags & ~(u64)SIGNAL_BITS)
		values_print(values_find("clone_flags"), flags & ~(u64)SIGNAL_BITS, prefix, out);
	if (flags & SIGNAL_BITS) {
		strbuf_str(out, flags & ~(u64)SIGNAL_BITS ? "|SIG" : "SIG");
		print_signal(flags & SIGNAL_BITS, false, out);
	}
}

static void print_socket_type(u64 type, bool prefix, struct strbuf *out)
{
	enum { TYPE_BITS = 0xf };

	values_print(values_find("sock_type"), type & TYPE_BITS, prefix, out);
	if (type & ~(u64)TYPE_BITS) {
		strbuf_char(out, '|');
		values_print(values_find("sock_flags"), type & ~(u64)TYPE_BITS, prefix, out);
	}
}

static void print_protocol(const struct syscall_call *c, u64 protocol, bool prefix,
			   struct strbuf *out)
{
	enum { FAMILY_INET = 2, FAMILY_INET6 = 10, FAMILY_NETLINK = 16 };
	u64 family = c->args[0];

	if (family == FAMILY_INET || family == FAMILY_INET6)
		values_print(values_find("ip_proto"), protocol, prefix, out);
	else if (family == FAMILY_NETLINK)
		values_print(values_find("netlink_proto"), protocol, prefix, out);
	else
		strbuf_dec(out, protocol);
}

/* Prints an option; the level, one argument before, determines which set it is from. */
static void print_socket_option(const struct syscall_values *options, u64 level, u64 value,
				bool prefix, struct strbuf *out)
{
	enum { LEVEL_SOCKET = 1, LEVEL_TCP = 6 };

	if (level == LEVEL_SOCKET || level == LEVEL_TCP)
		values_print(level == LEVEL_TCP ? values_find("tcp_option") : options, value,
			     prefix, out);
	else
		strbuf_dec(out, value);
}

static void print_values(const struct syscall_call *c, const struct syscall_arg *a, u64 value,
			 const struct syscall_style *style, struct strbuf *out)
{
	if (!strcmp(a->values->name, "ioctl"))
		print_ioctl(syscall_book_arch(c->book), a->values, (u32)value, style->prefix, out);
	else if (!strcmp(a->values->name, "so_option"))
		print_socket_option(a->values, (u32)c->args[1], (u32)value, style->prefix, out);
	else
		values_print(a->values, value, style->prefix, out);
}

static void print_arg(const struct syscall_call *c, u32 i, u64 value,
		      const struct syscall_style *style, const struct syscall_says *says,
		      struct strbuf *out)
{
	enum { CURRENT_DIRECTORY = -100 };
	const struct syscall_arg *a = &c->call->args[i];

	switch (a->kind) {
	case KIND_INT:
		print_s64((s32)value, out);
		break;
	case KIND_UINT:
		strbuf_dec(out, (u32)value);
		break;
	case KIND_ULONG:
		strbuf_dec(out, value);
		break;
	case KIND_LONG:
		print_s64(book_word(c->book) == 4 && !a->halves ? (s32)value : (s64)value, out);
		break;
	case KIND_HEX32:
		print_pointer((u32)value, out);
		break;
	case KIND_FUTEX_TIME:
		if (futex_args((u32)c->args[1]) & FUTEX_NUMBER)
			strbuf_dec(out, (u32)value);
		else
			print_pointed(c, i, value, style, says, out);
		break;
	case KIND_HEX:
	case KIND_OFFSET:
		print_pointer(value, out);
		break;
	case KIND_DIR:
		if ((s32)value == CURRENT_DIRECTORY) {
			strbuf_str(out, style->prefix ? "AT_FDCWD" : "CWD");
			break;
		}
		print_fd((s32)value, says, out);
		break;
	case KIND_FD:
		print_fd((s32)value, says, out);
		break;
	case KIND_ENUM:
	case KIND_FLAGS:
		print_values(c, a, value, style, out);
		break;
	case KIND_MODE:
		print_mode(value & 0xffff, c->args[i] & 0170000, out);
		break;
	case KIND_SIGNAL:
		print_signal((u32)value, style->prefix, out);
		break;
	case KIND_PID:
		print_s64((s32)value, out);
		if (says && says->pid && (s32)value > 0)
			says->pid(says->arg, (s32)value, out);
		break;
	case KIND_OPEN_FLAGS:
		print_open_flags(c->book, (u32)value, style->prefix, out);
		break;
	case KIND_FUTEX_OP:
		print_futex_op((u32)value, style->prefix, out);
		break;
	case KIND_CLONE_FLAGS:
		print_clone_flags(value, style->prefix, out);
		break;
	case KIND_SOCKET_TYPE:
		print_socket_type((u32)value, style->prefix, out);
		break;
	case KIND_SOCKET_PROTOCOL:
		print_protocol(c, (u32)value, style->prefix, out);
		break;
	case KIND_FCNTL_ARG:
		print_fcntl_arg(c, i, style, says, out);
		break;
	case KIND_PRCTL_ARG:
		print_prctl_arg(c, i, style, says, out);
		break;
	case KIND_BPF_ARG:
		print_bpf_arg(c, i, style, says, out);
		break;
	case KIND_DEVICE:
		print_device(value, out);
		break;
	case KIND_IOCTL:
		if (!print_by_command(c, i, COMMANDS_IOCTL, style, says, out))
			print_pointer(value, out);
		break;
	default:
		if (value)
			print_pointed(c, i, value, style, says, out);
		else
			strbuf_str(out, "NULL");
	}
}

/* Returns the value as the kernel takes it: 32 of 64 bits if the task or the type has no more. */
static u64 value_of(const struct syscall_call *c, u32 i)
{
	const struct syscall_arg *a = &c->call->args[i];
	bool small = book_word(c->book) == 4;
	bool halved = c->call->known && a->halves && i + 1 < SYSCALL_ARGS;

	if (halved && a->halves == LOWER_FIRST)
		return c->args[i + 1] << 32 | (u32)c->args[i];
	if (halved)
		return c->args[i] << 32 | (u32)c->args[i + 1];
	switch (c->call->known ? a->kind : KIND_HEX) {
	case KIND_INT:
	case KIND_UINT:
	case KIND_HEX32:
	case KIND_FD:
	case KIND_DIR:
	case KIND_ENUM:
	case KIND_MODE:
	case KIND_SIGNAL:
	case KIND_PID:
	case KIND_OPEN_FLAGS:
	case KIND_FUTEX_OP:
	case KIND_SOCKET_TYPE:
	case KIND_SOCKET_PROTOCOL:
		small = true;
		break;
	case KIND_FLAGS:
		small |= !a->wide;
	}
	return small ? (u32)c->args[i] : c->args[i];
}

/* Arguments that the kernel ignores because of the flags. */
static bool is_unused(const struct syscall_call *c, u32 i)
{
	enum { ANONYMOUS = 0x20, CREATE = 0x40, TEMPORARY = 0x400000, FLAG_CPU = 1 };

	switch (c->call->args[i].unused_if) {
	case UNUSED_IF_ANONYMOUS:
		return c->args[3] & ANONYMOUS;
	case UNUSED_IF_NOT_CREATED:
		return !(c->args[i - 1] & CREATE) && !(c->args[i - 1] & TEMPORARY);
	case UNUSED_BY_FUTEX_OP:
		return !futex_uses((u32)c->args[1], i);
	case UNUSED_BY_PRCTL:
		return i > prctl_arg_count((u32)c->args[0]);
	case UNUSED_WITHOUT_CPU:
		return !(c->args[1] & FLAG_CPU);
	default:
		return false;
	}
}

/*
 * Reports whether an argument is not shown. A 0 is shown only if it has a name, or is a mode
 * (umask) or a signal (kill).
 */
static bool is_silent(const struct syscall_call *c, u32 i, const struct syscall_style *style)
{
	const struct syscall_arg *a = &c->call->args[i];

	if (a->kind == KIND_SECRET || is_unused(c, i) ||
	    (a->kind == KIND_FCNTL_ARG && !fcntl_has_arg((u32)c->args[1])))
		return true;
	if (style->zeros || value_of(c, i))
		return false;
	switch (a->kind) {
	case KIND_ENUM:
	case KIND_FLAGS:
		return !values_name(a->values, 0);
	case KIND_MODE:
	case KIND_SIGNAL:
	case KIND_FUTEX_OP:
	case KIND_OPEN_FLAGS:
	case KIND_FD:
	case KIND_DIR:
		return false;
	default:
		return true;
	}
}

/* Prints the next argument of a list. Returns where its value begins. */
static size_t put_arg(const struct syscall_call *c, u32 i, const struct syscall_style *style,
		      const struct syscall_says *says, bool any, struct strbuf *out)
{
	size_t at;

	if (any)
		strbuf_add(out, ", ", 2);
	if (!style->no_names)
		strbuf_add(out, c->call->args[i].label, c->call->args[i].label_length);
	at = out->len;
	print_arg(c, i, value_of(c, i), style, says, out);
	return at;
}

/* Prints a register of an undescribed call, which has six. */
static size_t put_register(const struct syscall_call *c, u32 i, const struct syscall_style *style,
			   struct strbuf *out)
{
	size_t at;

	strbuf_str(out, i ? ", " : "");
	if (!c->call->nameless && !style->no_names)
		strbuf_f(out, "arg%u: ", i);
	at = out->len;
	print_pointer(value_of(c, i), out);
	return at;
}

void syscall_print_args(const struct syscall_call *c, const struct syscall_style *style,
			const struct syscall_says *says, struct strbuf *out)
{
	bool any = false;

	for (u32 i = 0; !c->call->known && i < SYSCALL_ARGS; i++)
		put_register(c, i, style, out);
	for (u32 i = 0; c->call->known && i < c->call->arg_count; i++)
		if (!is_silent(c, i, style)) {
			put_arg(c, i, style, says, any, out);
			any = true;
		}
}

u32 syscall_print_parts(const struct syscall_call *c, const struct syscall_style *style,
			const struct syscall_says *says, struct strbuf *out,
			struct syscall_part parts[SYSCALL_ARGS])
{
	u32 count = 0;

	for (u32 i = 0; i < (c->call->known ? c->call->arg_count : SYSCALL_ARGS); i++) {
		struct syscall_part *p = &parts[count];

		if (c->call->known && is_silent(c, i, style))
			continue;
		if (c->call->known) {
			memcpy(p->name, c->call->args[i].name, sizeof(p->name));
			p->at = put_arg(c, i, style, says, count > 0, out);
		} else {
			snprintf(p->name, sizeof(p->name), "arg%u", i);
			p->at = put_register(c, i, style, out);
		}
		p->length = out->len - p->at;
		count++;
	}
	return count;
}

void syscall_print_filled(const struct syscall_call *c, const struct syscall_style *style,
			  const struct syscall_says *says, struct strbuf *out)
{
	bool any = false;

	for (u32 i = 0; i < c->call->arg_count; i++) {
		bool filled = c->out[i].data && call_fills(&c->call->args[i], c->result);

		if ((filled || c->in[i].late) && !is_silent(c, i, style)) {
			put_arg(c, i, style, says, any, out);
			any = true;
		}
	}
}
