// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"
#include "sys/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *vpath(const struct sys *sys, const char *fmt, va_list ap)
{
	struct strbuf b = STRBUF_INIT;

	if (sys && sys->root)
		strbuf_str(&b, sys->root);
	strbuf_vf(&b, fmt, ap);
	return strbuf_detach(&b);
}

char *sys_path(const struct sys *sys, const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = vpath(sys, fmt, ap);
	va_end(ap);
	return path;
}

/* Files of /proc and /sys say size 0: read until the end. */
static int read_file(struct strbuf *out, const char *path)
{
	int fd = file_open_system(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, strbuf_grow(out, 4096), 4096);
		if (n > 0)
			out->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	n = n < 0 ? -errno : 0;
	close(fd);
	*strbuf_grow(out, 1) = '\0';
	return (int)n;
}

int sys_read(const struct sys *sys, struct strbuf *out, const char *path)
{
	char *full = sys_path(sys, "%s", path);
	int err = read_file(out, full);

	free(full);
	return err;
}

/* Takes path. */
static char *first_line(char *path)
{
	struct strbuf b = STRBUF_INIT;
	int err = read_file(&b, path);

	free(path);
	if (err) {
		strbuf_release(&b);
		return NULL;
	}
	if (b.len)
		b.s[strcspn(b.s, "\n")] = '\0';
	return strbuf_detach(&b);
}

char *sys_read_line(const struct sys *sys, const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = vpath(sys, fmt, ap);
	va_end(ap);
	return first_line(path);
}

/* A line as a number, the one asked for; frees it.  -ENOENT when there is no line. */
static int number_of(char *line, u64 *u, s64 *s)
{
	int err = !line ? -ENOENT : u ? parse_u64(line, u) : parse_s64(line, s);

	free(line);
	return err;
}

int sys_read_u64(const struct sys *sys, u64 *value, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = first_line(vpath(sys, fmt, ap));
	va_end(ap);
	return number_of(line, value, NULL);
}

int sys_read_s64(const struct sys *sys, s64 *value, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = first_line(vpath(sys, fmt, ap));
	va_end(ap);
	return number_of(line, NULL, value);
}

bool sys_exists(const struct sys *sys, const char *fmt, ...)
{
	va_list ap;
	char *path;
	bool there;

	va_start(ap, fmt);
	path = vpath(sys, fmt, ap);
	va_end(ap);
	there = !file_access(path, F_OK);
	free(path);
	return there;
}

static bool is_directory(DIR *dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
		return entry->d_type == DT_DIR;
	return !fstatat(dirfd(dir), entry->d_name, &st, 0) && S_ISDIR(st.st_mode);
}

int sys_list(const struct sys *sys, struct strlist *names, bool dirs_only, const char *path)
{
	char *full = sys_path(sys, "%s", path);
	int fd = file_open_system(full, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int err = dir ? 0 : -errno;

	if (err && fd >= 0)
		close(fd);
	free(full);
	if (err)
		return err;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    (!dirs_only || is_directory(dir, entry)))
			strlist_add(names, entry->d_name);
	closedir(dir);
	strlist_sort(names);
	return 0;
}

int sys_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	enum { FD_CLOEXEC_FLAG = 1 << 3 };
	struct perf_event_attr own = *attr;
	long fd;

	own.flags = attr_flags_of_host(own.flags);
	fd = syscall(SYS_perf_event_open, &own, pid, cpu, group_fd, flags | FD_CLOEXEC_FLAG);

	return fd < 0 ? -errno : (int)fd;
}
