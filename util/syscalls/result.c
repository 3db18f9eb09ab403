// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints what a call returned. */
#include <string.h>

#include "syscalls/internal.h"

enum { MOST_ERRNO = 4095 };

bool syscall_failed(s64 result)
{
	return result < 0 && result >= -MOST_ERRNO;
}

/* Codes that only tracers see: the call is repeated, or a signal ends it. */
static const struct {
	int err;
	const char *name, *text;
} restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

void syscall_print_errno(int err, struct strbuf *out)
{
	const char *name = strerrorname_np(err);

	for (size_t i = 0; !name && i < ARRAY_SIZE(restarts); i++)
		if (restarts[i].err == err)
			name = restarts[i].name;
	if (name)
		strbuf_str(out, name);
	else
		strbuf_dec(out, (u64)err);
}

static void print_error(int err, struct strbuf *out)
{
	const char *text = strerrordesc_np(err);

	for (size_t i = 0; !text && i < ARRAY_SIZE(restarts); i++)
		if (restarts[i].err == err)
			text = restarts[i].text;
	strbuf_str(out, "-1 ");
	syscall_print_errno(err, out);
	strbuf_str(out, " (");
	strbuf_str(out, text ? text : "Unknown error");
	strbuf_char(out, ')');
}

/* Prints the result of fcntl by its command. */
static void print_command(const struct syscall_call *c, const struct syscall_style *style,
			  const struct syscall_says *says, struct strbuf *out)
{
	enum { DUPFD = 0, GETFD = 1, GETFL = 3, DUPFD_CLOEXEC = 1030, GET_SEALS = 1034 };
	const struct syscall_values *v = NULL;

	switch (c->args[1]) {
	case DUPFD:
	case DUPFD_CLOEXEC:
		print_fd((s32)c->result, says, out);
		return;
	case GETFD:
		v = values_find("fd_flags");
		break;
	case GETFL:
		print_open_flags(c->book, (u64)c->result, style->prefix, out);
		return;
	case GET_SEALS:
		v = values_find("seal_flags");
		break;
	default:
		break;
	}
	if (v && c->result)
		values_print(v, (u64)c->result, style->prefix, out);
	else
		print_s64(c->result, out);
}

void syscall_print_result(const struct syscall_call *c, const struct syscall_style *style,
			  const struct syscall_says *says, struct strbuf *out)
{
	s64 v = book_word(c->book) == 4 ? (s32)c->result : c->result;

	if (!c->ended) {
		strbuf_char(out, '?');
		return;
	}
	if (syscall_failed(v)) {
		print_error((int)-v, out);
		return;
	}
	switch (c->call->result) {
	case RESULT_HEX:
		print_pointer(book_word(c->book) == 4 ? (u32)v : (u64)v, out);
		break;
	case RESULT_FD:
		print_s64(v, out);
		break;
	case RESULT_PID:
		print_s64(v, out);
		if (v > 0 && says && says->pid)
			says->pid(says->arg, (s32)v, out);
		break;
	case RESULT_TIMEOUT:
		if (v)
			print_s64(v, out);
		else
			strbuf_str(out, "0 (Timeout)");
		break;
	case RESULT_MODE:
		print_mode((u64)v, false, out);
		break;
	case RESULT_BY_COMMAND:
		print_command(c, style, says, out);
		break;
	default:
		print_s64(v, out);
	}
}
