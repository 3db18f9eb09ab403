// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/lost_pages.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"

enum { LINE = 4200 }; /* of /proc/self/maps: a path and what precedes it */

static struct {
	uintptr_t page; /* bytes */
	atomic_bool bears;
	bool ends_perf; /* the program is perf: any file may be read as zeros, or ends it */
	struct sigaction before;
	atomic_flag named; /* somebody writes file, or has written it */
	atomic_bool any;   /* file is there */
	char file[LINE];
} lost;

struct range {
	uintptr_t start, end;
};

/* No reader of a mapping has the lock, so a handler can wait for it. */
static struct {
	atomic_flag held;
	VEC(struct range) list; /* in no order */
} maps = { .held = ATOMIC_FLAG_INIT };

static void maps_hold(void)
{
	while (atomic_flag_test_and_set_explicit(&maps.held, memory_order_acquire))
		sched_yield();
}

static void maps_release(void)
{
	atomic_flag_clear_explicit(&maps.held, memory_order_release);
}

/*
 * Takes the lock over a fork: nobody would release it in a child that is forked while another
 * thread holds it.
 */
static void outlive_fork(void)
{
	pthread_atfork(maps_hold, maps_release, maps_release);
}

/* Returns the size of the file's pages, without the page of zeros after them. */
static size_t file_part(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return size > SIZE_MAX - 2 * page ? 0 : (size + page - 1) / page * page;
}

static size_t whole(size_t size)
{
	return file_part(size) + (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Maps the file over the first pages of an area with one more page, so nothing else can be mapped
 * after it.
 */
static u8 *map_before_zeros(int fd, size_t size)
{
	u8 *p;
	int err;

	if (!file_part(size)) {
		errno = size ? ENOMEM : EINVAL;
		return NULL;
	}
	p = mmap(NULL, whole(size), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (mmap(p, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED)
		return p;
	err = errno;
	munmap(p, whole(size));
	errno = err;
	return NULL;
}

const u8 *lost_pages_map(int fd, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	u8 *p = map_before_zeros(fd, size);

	if (!p)
		return NULL;
	pthread_once(&once, outlive_fork);
	maps_hold();
	vec_push(&maps.list, ((struct range){ (uintptr_t)p, (uintptr_t)p + file_part(size) }));
	maps_release();
	return p;
}

void lost_pages_unmap(const u8 *bytes, size_t size)
{
	maps_hold();
	vec_for_each(&maps.list, it)
		if (it->start == (uintptr_t)bytes) {
			*it = maps.list.items[--maps.list.count];
			break;
		}
	maps_release();
	munmap((void *)(uintptr_t)bytes, whole(size));
}

static bool is_mapped_here(uintptr_t addr)
{
	bool found = false;

	maps_hold();
	vec_for_each(&maps.list, it)
		found |= addr >= it->start && addr < it->end;
	maps_release();
	return found;
}

/*
 * Returns the path of the mapping that contains addr, from the lines of /proc/self/maps ("START-END
 * ... PATH"), or "" if it is not of a file. Uses no memory or locks, for a signal handler.
 */
static const char *mapped_path(unsigned long addr, char line[LINE])
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *path = "";
	size_t len = 0;
	char c;

	while (fd >= 0 && read(fd, &c, 1) == 1) {
		unsigned long start, end;
		char *p;

		if (c != '\n') {
			len += len < LINE - 1 ? (line[len] = c, 1) : 0;
			continue;
		}
		line[len] = '\0';
		len = 0;
		start = strtoul(line, &p, 16);
		end = *p == '-' ? strtoul(p + 1, NULL, 16) : 0;
		if (addr >= start && addr < end) {
			p = strchr(line, '/');
			path = p ? p : "";
			break;
		}
	}
	if (fd >= 0)
		close(fd);
	return path;
}

bool lost_pages_replace(const siginfo_t *info)
{
	uintptr_t at = (uintptr_t)info->si_addr & ~(lost.page - 1);
	char line[LINE];
	const char *path;

	if (!lost.bears || info->si_code != BUS_ADRERR ||
	    (!lost.ends_perf && !is_mapped_here((uintptr_t)info->si_addr)))
		return false;
	path = mapped_path(at, line);
	if (!*path || mmap((void *)at, lost.page, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	if (!atomic_flag_test_and_set(&lost.named)) {
		memcpy(lost.file, path, strlen(path) + 1);
		lost.any = true;
	}
	return true;
}

const char *lost_pages_file(void)
{
	return lost.any ? lost.file : NULL;
}

static _Noreturn void end_perf(const siginfo_t *info)
{
	static const char before[] =
		"error: a file was truncated while it was read, or its disk failed: ";
	char line[LINE];
	const char *path = mapped_path((unsigned long)info->si_addr, line);

	/* a signal handler cannot make room for escapes */
	for (char *p = line; *path && *p; p++)
		if (text_control(p, strlen(p)))
			*p = '?';
	if (write(STDERR_FILENO, before, sizeof(before) - 1) < 0 ||
	    write(STDERR_FILENO, path, strlen(path)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		_exit(2);
	_exit(1);
}

static void lose(int sig, siginfo_t *info, void *context)
{
	if (lost_pages_replace(info))
		return;
	if (lost.ends_perf && info->si_code == BUS_ADRERR)
		end_perf(info);
	if (lost.before.sa_flags & SA_SIGINFO) {
		lost.before.sa_sigaction(sig, info, context);
	} else if (lost.before.sa_handler != SIG_DFL && lost.before.sa_handler != SIG_IGN) {
		lost.before.sa_handler(sig);
	} else if (lost.before.sa_handler == SIG_DFL || info->si_code > 0) {
		/* a fault recurs; a signal that was sent does not */
		signal(sig, SIG_DFL);
		if (info->si_code <= 0)
			raise(sig);
	}
}

static void install(void)
{
	struct sigaction sa = { .sa_sigaction = lose, .sa_flags = SA_SIGINFO };

	lost.page = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &sa, &lost.before);
}

void lost_pages_catch(void)
{
	lost.ends_perf = true;
	install();
}

void lost_pages_bear(void)
{
	if (!lost.page)
		install();
	lost.bears = true;
}
