// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the arguments of ioctl, fcntl and bpf, which depend on the command. */
#include <string.h>

#include "syscalls/internal.h"

const struct syscall_command *syscall_commands(const struct syscall_book *b, size_t *count)
{
	const struct command_list *l = book_commands((struct syscall_book *)b);

	*count = l->list.count;
	return l->list.items;
}

static const struct syscall_command *find(const struct syscall_call *c, enum syscall_commands which)
{
	u32 command = (u32)c->args[which == COMMANDS_BPF || which == COMMANDS_PRCTL ? 0 : 1];
	size_t count;
	const struct syscall_command *list = syscall_commands(c->book, &count);

	for (size_t i = 0; i < count; i++)
		if (list[i].which == which && list[i].command == command)
			return &list[i];
	return NULL;
}

static void print_number(const struct syscall_command *k, u64 v, struct strbuf *out)
{
	strbuf_char(out, '[');
	if (k->is_signed && k->size == 4)
		print_s64((s32)v, out);
	else if (k->is_signed)
		print_s64((s64)v, out);
	else
		strbuf_dec(out, v);
	strbuf_char(out, ']');
}

bool print_by_command(const struct syscall_call *c, u32 i, enum syscall_commands which,
		      const struct syscall_style *style, const struct syscall_says *says,
		      struct strbuf *out)
{
	const struct syscall_command *k = find(c, which);
	bool filled = c->ended && !syscall_failed(c->result);
	const struct syscall_item *item;

	if (!k)
		return false;
	item = k->exit && filled && c->out[i].data ? &c->out[i] : &c->in[i];
	if (!item->data || (item == &c->in[i] && !k->entry)) {
		if (c->args[i])
			print_pointer(c->args[i], out);
		else
			strbuf_str(out, "NULL");
		return true;
	}
	if (k->is_text)
		syscall_print_text(item->data, (u32)strnlen((const char *)item->data, item->size),
				   0, false, out);
	else if (k->layout)
		layout_print(k->layout, item->data, item->size, c->book, style, says, out);
	else
		print_number(k, bytes_number(c->book, item->data, MIN(item->size, (u32)k->size)),
			     out);
	return true;
}

bool fcntl_has_arg(u32 command)
{
	enum {
		GET_FD = 1,
		GET_FLAGS = 3,
		GET_OWN = 9,
		GET_SIG = 11,
		GET_LEASE = 1025,
		GET_PIPE = 1032,
		GET_SEALS = 1034
	};

	return command != GET_FD && command != GET_FLAGS && command != GET_OWN &&
	       command != GET_SIG && command != GET_LEASE && command != GET_PIPE &&
	       command != GET_SEALS;
}

void print_fcntl_arg(const struct syscall_call *c, u32 i, const struct syscall_style *style,
		     const struct syscall_says *says, struct strbuf *out)
{
	enum {
		DUPFD = 0,
		SET_FD = 2,
		SET_FLAGS = 4,
		SET_OWN = 8,
		SET_SIG = 10,
		LEASE = 1024,
		DUPFD_CLOEXEC = 1030,
		SET_PIPE = 1031,
		ADD_SEALS = 1033
	};
	u64 arg = c->args[i];

	switch (c->args[1]) {
	case SET_FD:
		values_print(values_find("fd_flags"), arg, style->prefix, out);
		break;
	case SET_FLAGS:
		print_open_flags(c->book, arg, style->prefix, out);
		break;
	case ADD_SEALS:
		values_print(values_find("seal_flags"), arg, style->prefix, out);
		break;
	case LEASE:
		values_print(values_find("lock_type"), arg, style->prefix, out);
		break;
	case SET_SIG:
		print_signal((u32)arg, style->prefix, out);
		break;
	case SET_OWN:
		print_s64((s32)arg, out);
		break;
	case DUPFD:
	case DUPFD_CLOEXEC:
	case SET_PIPE:
		strbuf_dec(out, arg);
		break;
	default:
		if (!print_by_command(c, i, COMMANDS_FCNTL, style, says, out))
			print_pointer(arg, out);
	}
}

/*
 * Returns how many arguments after the option matter. Where the kernel refuses anything but 0 in an
 * argument, it checks it: a program's value there may be the reason for EINVAL.
 */
u32 prctl_arg_count(u32 option)
{
	enum { ALL = 4, SET_PTRACER = 0x59616d61 };
	static const u8 counts[] = {
		ALL, 1,   1,   0,   1, 1, 1, /* SET_PDEATHSIG ... SET_UNALIGN */
		0,   1,   1,   1,   1, 1,    /* GET_KEEPCAPS ... SET_FPEXC */
		0,   1,   1,   1,            /* GET_TIMING, SET_TIMING, SET_NAME, GET_NAME */
		ALL, ALL, 1,   1,            /* 17 and 18 have no names; GET_ENDIAN, SET_ENDIAN */
		0,   2,   1,   1,   1, 1,    /* GET_SECCOMP ... SET_TSC */
		0,   1,   1,   0,   0, 0,    /* GET_SECUREBITS ... TASK_PERF_EVENTS_ENABLE */
		ALL, ALL, ALL,               /* MCE_KILL, MCE_KILL_GET, SET_MM */
		1,   1,   ALL, ALL, 1,       /* SET_CHILD_SUBREAPER ... GET_TID_ADDRESS */
	};

	if (option == SET_PTRACER)
		return 1;
	return option < ARRAY_SIZE(counts) ? counts[option] : ALL;
}

void print_prctl_arg(const struct syscall_call *c, u32 i, const struct syscall_style *style,
		     const struct syscall_says *says, struct strbuf *out)
{
	enum { SET_PDEATHSIG = 1, CAPBSET_READ = 23, CAPBSET_DROP = 24 };

	if (c->args[0] == SET_PDEATHSIG)
		print_signal((u32)c->args[i], style->prefix, out);
	else if (c->args[0] == CAPBSET_READ || c->args[0] == CAPBSET_DROP)
		values_print(values_find("capability"), c->args[i], style->prefix, out);
	else if (!print_by_command(c, i, COMMANDS_PRCTL, style, says, out))
		print_pointer(c->args[i], out);
}

/* Prints the value of an option. Most are an int; a few of SOL_SOCKET are not. */
void print_socket_value(const struct syscall_call *c, const struct syscall_item *item,
			const struct syscall_style *style, const struct syscall_says *says,
			struct strbuf *out)
{
	const char *option =
		(u32)c->args[1] == 1 ? values_name(c->call->args[2].values, (u32)c->args[2]) : NULL;
	const struct syscall_layout *l = NULL;
	bool text = option && (!strcmp(option, "BINDTODEVICE") || !strcmp(option, "PEERSEC"));

	if (option && !strcmp(option, "LINGER"))
		l = book_layout_made(c->book, "linger");
	else if (option && (!strcmp(option, "RCVTIMEO") || !strcmp(option, "SNDTIMEO")))
		l = book_layout_made(c->book, "timeval");
	if (l && item->size >= l->size) {
		layout_print(l, item->data, item->size, c->book, style, says, out);
	} else if (item->size == sizeof(s32) && !text) {
		strbuf_char(out, '[');
		print_s64((s32)bytes_number(c->book, item->data, sizeof(s32)), out);
		strbuf_char(out, ']');
	} else {
		syscall_print_text(item->data, item->size, style->text_limit, item->cut, out);
	}
}

void print_bpf_arg(const struct syscall_call *c, u32 i, const struct syscall_style *style,
		   const struct syscall_says *says, struct strbuf *out)
{
	const struct syscall_item *item = &c->in[i];

	if (print_by_command(c, i, COMMANDS_BPF, style, says, out))
		return;
	if (item->data)
		layout_print(c->call->args[i].layout, item->data, item->size, c->book, style, says,
			     out);
	else
		print_pointer(c->args[i], out);
}
