// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which ABI a call of raw_syscalls belongs to: the tracepoint gives only the number, which means
 * different calls to tasks of 64 and of 32 bits.
 *
 * A sample with a user register says which mode its task runs in; without one, the addresses of the
 * task's mappings do.  A task of 64 bits that calls by int $0x80 gets the 32-bit ABI for that call:
 * the instruction before its address says so.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin/trace/internal.h"

enum { X32_BIT = 0x40000000, EM_X86_64 = 62 };

struct highest {
	u64 end;
};

static void see_mapping(void *arg, const struct mapping *m)
{
	struct highest *h = arg;

	h->end = MAX(h->end, m->end);
}

/*
 * Reports whether a task is a 32-bit one: all its mappings are below 4 GB, and a 64-bit task's vdso
 * is far above.
 */
static bool is_small(struct trace *t, const struct session_sample *s)
{
	struct history *history = session_history(t->session);
	space_version space = history_space(history, s->task, &s->key);
	struct highest h = { 0 };
	bool added;
	u64 *known;

	if (!space)
		return false;
	known = map64_put(&t->small_spaces, space, &added);
	if (added) {
		history_each_mapping(history, space, see_mapping, &h);
		*known = h.end && h.end <= UINT32_MAX + 1ULL;
	}
	return *known;
}

/* Reads two bytes of a file; false if reading it could block (a device, a FIFO) or fails. */
static bool read_code(const char *path, u64 offset, u8 code[2])
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		  pread(fd, code, 2, (off_t)offset) == 2;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool by_interrupt(struct trace *t, const struct session_sample *s)
{
	static const u8 int_80[2] = { 0xcd, 0x80 };
	const struct sample *sample = s->sample;
	struct history *history = session_history(t->session);
	const struct mapping *m;
	u8 code[2];
	bool added;
	u64 ip, *known;

	if (!sample_reg(session_events(t->session), sample->event->attr.sample_regs_user,
			sample->user_regs, syscall_book_arch(t->native)->reg_ip, &ip) ||
	    ip < sizeof(code))
		return false;
	m = history_find(history, history_space(history, s->task, &s->key), ip - sizeof(code));
	if (!m || !m->image)
		return false;
	ip = ip - sizeof(code) - m->start + m->pgoff;
	known = map64_put(&t->call_places, hash_combine(m->image, ip), &added);
	if (added)
		*known = read_code(image_get(session_images(t->session), m->image)->path, ip,
				   code) &&
			 !memcmp(code, int_80, sizeof(code));
	return *known;
}

bool trace_abi(struct trace *t, const struct session_sample *s, u64 *nr, u8 *flags)
{
	bool x86 = syscall_book_arch(t->native)->e_machine == EM_X86_64;

	if (t->compat) {
		if (s->sample->user_abi == PERF_SAMPLE_REGS_ABI_32 ||
		    (!s->sample->user_abi && is_small(t, s)) || (x86 && by_interrupt(t, s)))
			*flags |= TRACE_COMPAT;
		else if (x86 && (s32)*nr > 0 && *nr & X32_BIT)
			*flags |= TRACE_X32;
		if (*flags & TRACE_X32)
			*nr &= ~(u64)X32_BIT;
	}
	return trace_wants(t, (u32)*nr, *flags & TRACE_COMPAT);
}
