// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes CGROUP records. The id in a sample is the inode number (the file handle) of a directory in
 * the cgroup2 hierarchy.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "synth/internal.h"

#define MOST_DEPTH 64

struct cgroup_walk {
	struct strbuf *out, path;
	size_t root_len, id_size;
};

/*
 * Gets the 64-bit id that the kernel uses for a cgroup, which is its file handle. Returns false on
 * failure.
 */
static bool cgroup_id(int dir_fd, u64 *id)
{
	struct {
		struct file_handle h;
		u64 id;
	} handle = { .h.handle_bytes = sizeof(u64) };
	int mount;

	if (name_to_handle_at(dir_fd, "", &handle.h, &mount, AT_EMPTY_PATH))
		return false;
	memcpy(id, handle.h.f_handle, sizeof(*id));
	return true;
}

static void add_cgroup(struct cgroup_walk *w, u64 id)
{
	const char *path = strbuf_cstr(&w->path) + w->root_len;
	size_t at = record_begin(w->out, PERF_RECORD_CGROUP, 0);

	record_u64(w->out, id);
	record_string(w->out, *path ? path : "/", strlen(*path ? path : "/"));
	record_end(w->out, at, w->id_size);
}

static void walk_cgroups(struct cgroup_walk *w, int depth)
{
	DIR *d = opendir(strbuf_cstr(&w->path));
	size_t len = w->path.len;
	struct dirent *e;
	u64 id;

	if (!d)
		return;
	if (cgroup_id(dirfd(d), &id))
		add_cgroup(w, id);
	while (depth < MOST_DEPTH && (e = readdir(d))) {
		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		strbuf_f(&w->path, "/%s", e->d_name);
		walk_cgroups(w, depth + 1);
		strbuf_truncate(&w->path, len);
	}
	closedir(d);
}

/* Appends the mount point of cgroup2 to path; -ENOENT if it is not mounted. */
static int find_cgroup2(struct strbuf *path)
{
	char line[4096], where[2048], type[64];
	FILE *f = fopen("/proc/mounts", "re");

	if (!f)
		return -errno;
	while (!path->len && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %2047s %63s", where, type) == 2 && !strcmp(type, "cgroup2"))
			strbuf_str(path, where);
	fclose(f);
	return path->len ? 0 : -ENOENT;
}

int synth_cgroups(struct strbuf *out, const struct event *ev, struct reason *r)
{
	struct cgroup_walk w = { .out = out, .path = STRBUF_INIT, .id_size = ev->sample_id_size };
	int err;

	if (!(ev->attr.flags & ATTR_CGROUP))
		return 0;
	err = find_cgroup2(&w.path);
	if (err)
		return reason_errno(r, -err, "no cgroup2 file system is mounted");
	w.root_len = w.path.len;
	walk_cgroups(&w, 0);
	strbuf_release(&w.path);
	return 0;
}
