// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/lost_pages.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 4200 }; /* of /proc/self/maps: a path and what stands before it */

static struct {
	uintptr_t page; /* bytes */
	atomic_bool bears;
	atomic_flag named; /* somebody writes file, or has written it */
	atomic_bool any;   /* file is there */
	char file[LINE];
} lost;

/*
 * The path of the mapping that addr lies in, from the lines of /proc/self/maps ("START-END
 * ... PATH"); without memory or locks, for a signal handler.  "": it is not of a file.
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

	if (!lost.bears || info->si_code != BUS_ADRERR)
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

static void lose(int sig, siginfo_t *info, void *context)
{
	static const char before[] =
		"error: a file was truncated while it was read, or its disk failed: ";
	char line[LINE];
	const char *path;

	(void)context;
	if (lost_pages_replace(info))
		return;
	if (info->si_code == BUS_ADRERR) {
		path = mapped_path((unsigned long)info->si_addr, line);
		if (write(STDERR_FILENO, before, sizeof(before) - 1) < 0 ||
		    write(STDERR_FILENO, path, strlen(path)) < 0 ||
		    write(STDERR_FILENO, "\n", 1) < 0)
			_exit(2);
		_exit(1);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

void lost_pages_catch(void)
{
	struct sigaction sa = { .sa_sigaction = lose, .sa_flags = SA_SIGINFO };

	lost.page = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &sa, NULL);
}

void lost_pages_bear(void)
{
	lost.bears = true;
}
