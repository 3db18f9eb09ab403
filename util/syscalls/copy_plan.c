// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists what the programs in the kernel have to copy of a call's arguments. */
#include <string.h>

#include "syscalls/internal.h"

enum { MOST_OF_BPF = 128, MOST_OF_BITS = 128 };

static void plan_one(const struct syscall_book *b, const struct syscall_arg *a,
		     struct syscall_copy *p)
{
	p->length = (u8)(a->length_arg < 0 ? 0 : a->length_arg);
	p->size = 1;
	p->entry = !a->out || a->both;
	p->exit = a->out;
	switch (a->kind) {
	case KIND_PATH:
	case KIND_TEXT:
		p->how = COPY_TEXT;
		break;
	case KIND_BYTES:
	case KIND_CPUS:
	case KIND_SO_VALUE:
		p->how = a->length_at ? COPY_LENGTH_AT : a->out ? COPY_RESULT : COPY_LENGTH;
		break;
	case KIND_SOCKADDR:
		p->how = a->length_at ? COPY_LENGTH_AT : COPY_LENGTH;
		break;
	case KIND_STRUCT:
	case KIND_FUTEX_TIME:
		p->how = a->sized == SIZE_IN_ARG   ? COPY_SIZED
			 : a->sized == SIZE_INSIDE ? COPY_SIZE_INSIDE
						   : COPY_FIXED;
		p->size = a->layout->size;
		break;
	case KIND_BPF_ARG:
		p->how = COPY_SIZED;
		p->size = MOST_OF_BPF;
		break;
	case KIND_STRUCTS:
		p->how = a->out && !a->both ? COPY_RESULT : COPY_LENGTH;
		p->size = a->layout->size;
		break;
	case KIND_SOCKETCALL:
		p->how = COPY_FIXED;
		p->size = (u16)(SYSCALL_ARGS * book_word(b));
		break;
	case KIND_SIGSET:
	case KIND_FDS_AT:
		p->how = COPY_FIXED;
		p->size = 8;
		break;
	case KIND_BITS:
		p->how = COPY_FIXED;
		p->size = MOST_OF_BITS;
		break;
	case KIND_NUMBER_AT:
		p->how = COPY_FIXED;
		p->size = (u16)a->length_arg;
		break;
	case KIND_WAIT_STATUS:
		p->how = COPY_FIXED;
		p->size = 4;
		break;
	case KIND_TEXTS:
		p->how = COPY_TEXTS;
		break;
	case KIND_COUNT:
		p->how = COPY_COUNT;
		break;
	case KIND_IOVEC:
		p->how = COPY_IOVEC;
		p->size = (u16)(2 * book_word(b));
		break;
	case KIND_MSGHDR:
		p->how = COPY_MSGHDR;
		break;
	case KIND_MESSAGES:
		p->how = COPY_MESSAGES;
		break;
	case KIND_PRCTL_ARG:
		p->how = COPY_COMMAND;
		p->size = COMMANDS_PRCTL;
		p->entry = p->exit = true;
		break;
	case KIND_FCNTL_ARG:
	case KIND_IOCTL:
		p->how = COPY_COMMAND;
		p->size = a->kind == KIND_IOCTL ? COMMANDS_IOCTL : COMMANDS_FCNTL;
		p->entry = p->exit = true;
		break;
	default:
		p->entry = p->exit = false;
	}
}

void syscall_copy_plan(const struct syscall_book *b, const struct syscall *call,
		       struct syscall_copy plan[SYSCALL_ARGS])
{
	memset(plan, 0, SYSCALL_ARGS * sizeof(plan[0]));
	for (u32 i = 0; i < call->arg_count; i++)
		plan_one(b, &call->args[i], &plan[i]);
}
