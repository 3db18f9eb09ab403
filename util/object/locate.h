/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files that hold an image's bytes and its symbols.
 *
 * If a build-id is recorded, only a file with this build-id is used; for others the reason says so
 * (-ESTALE). If none is recorded, the file is used unless it certainly differs: it is on the same
 * device with another inode, or shorter than the offset of a mapping. A guest's path is not valid
 * on this machine: its files are taken from its mounted root, or from here only with the recorded
 * build-id. Deleted files are reached through the maps of a process that still has them: by inode,
 * or by name if no map has that inode.
 *
 * Order for the object itself: build-id cache, the path through the process's root (if given and
 * alive), the path below symfs. A stripped file in the cache gives way to the file of the path that
 * has its build-id and its symbols. For its debug file: .gnu_debuglink, the cache's "debug",
 * /usr/lib/debug by path and by build-id. Last, if the user enabled them, debuginfod servers.
 *
 * Threads: any. The caller closes the result with object_close.
 */
#ifndef OBJECT_LOCATE_H
#define OBJECT_LOCATE_H

#include "base/file.h"
#include "base/reason.h"
#include "object/image.h"

struct elf;

struct object_search {
	const char *symfs;       /* "" = none; otherwise the cache is not searched by path */
	bool symfs_flat;         /* all files are in symfs itself, by their base names */
	const char *buildid_dir; /* "" = none */
	/* DIR/PID is the root of that guest; NULL: use only files with the recorded build-id */
	const char *guest_mount;
	struct debug_servers *servers; /* NULL: use no servers */
	/* another kernel was recorded: without a build-id, its vdso is not this machine's */
	bool foreign_kernel;
	/*
	 * Returns the bytes of a file that was kept since it was mapped, or NULL. It is called
	 * first. The bytes must outlive what is opened. May be NULL.
	 */
	const u8 *(*kept)(void *arg, const struct image *img, size_t *size);
	void *kept_arg;
};

struct object_file {
	struct elf *elf;
	char *path; /* the path of the file that was opened */
	/* perf's letter: 'B' cache, 'd' path, 'l' debuglink, 'b' build-id, 'i' debuginfod ... */
	char origin;
};

/* Parses "DIR", "DIR,hierarchy" or "DIR,flat". *dir is malloc'ed; the caller frees it. */
int object_symfs_parse(const char *text, char **dir, bool *flat, struct reason *r);

/*
 * Returns "/proc/PID/map_files/START-END" of what the process has mapped under that name, which may
 * be deleted; NULL if nothing. The caller frees it.
 */
char *mapped_path(const struct image *img, s32 pid);
/*
 * Returns a path as process pid sees it, or a guest whose root is mounted at MOUNT/GUEST. The
 * caller frees it.
 */
char *path_in_process(s32 pid, const char *path);
char *path_in_guest(const char *mount, u32 guest, const char *path);

/*
 * Returns the path of an object by its recorded path: below symfs or a guest's root. The caller
 * frees it.
 */
char *object_named_path(const struct object_search *s, const struct image *img);
/* Opens an object's file. If pid > 0, also tries /proc/PID/root/PATH. */
int object_open(const struct object_search *s, const struct image *img, s32 pid,
		struct object_file *out, struct reason *r) MUST_CHECK;
/* Opens the separate debug file of an object; object may be NULL if only the id is known. */
int object_open_debug(const struct object_search *s, const struct image *img,
		      const struct object_file *object, struct object_file *out,
		      struct reason *r) MUST_CHECK;
void object_close(struct object_file *f);
/*
 * The files at the places of an object's debug file, found without opening any; object may be NULL.
 * A caller looks again later: object_debug_is_new() reports whether there is a new or another file
 * now. Files that are gone do not count.
 */
enum { OBJECT_DEBUG_PLACES = 7 };
struct object_debug_seen {
	struct file_stamp places[OBJECT_DEBUG_PLACES]; /* inode 0 if the file does not exist */
};
/*
 * What the object says about its debug file, kept so that repeated checks need not read the object.
 */
struct object_debug_wanted {
	struct build_id id;
	char *link; /* the caller frees it; or NULL */
};
void object_debug_wanted(const struct image *img, const struct elf *object,
			 struct object_debug_wanted *out);
void object_debug_seen(const struct object_search *s, const struct image *img,
		       const struct object_debug_wanted *wanted, struct object_debug_seen *out);
bool object_debug_is_new(const struct object_debug_seen *before,
			 const struct object_debug_seen *now);
/*
 * Puts into the build-id cache what only a server has: the object if no file of it exists, and its
 * debug file if it has no symbols. Returns 0, also if there is nothing to do, or -errno of what
 * failed; the rest is still done.
 */
int object_cache_from_servers(const struct object_search *s, const struct image *img,
			      struct reason *r);

#endif
