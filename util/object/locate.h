/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an image to the files that hold its bytes and its symbols.
 *
 * Where a build-id is recorded only a file with this build-id is used; a file that
 * differs is left alone and the reason says so (-ESTALE).  Where none is recorded, the
 * file is used unless it is another one for certain: of the same device with another
 * inode, or shorter than where a mapping of it began.
 * A guest's path is no path of this machine: its files are taken from its mounted root,
 * here only with the recorded build-id.
 * What was deleted is reached through the maps of a process that still has it: by its inode, or,
 * where none of them has that inode, by its name.
 * Order for the object itself: build-id cache, the path through the process's
 * root (when given and alive), the path below symfs.  A stripped file in the cache gives
 * way to the file of the path that has its build-id and its symbols.  For its debug file:
 * .gnu_debuglink, the cache's "debug", /usr/lib/debug by path and by build-id.
 * Last of all, where the user said so, debuginfod servers.
 * Threads: any.  The caller closes what it got with object_close.
 */
#ifndef OBJECT_LOCATE_H
#define OBJECT_LOCATE_H

#include "base/file.h"
#include "base/reason.h"
#include "object/image.h"

struct elf;

struct object_search {
	const char *symfs;       /* "" = none; then the cache is not asked by path */
	bool symfs_flat;         /* all files lie in symfs itself, by their last names */
	const char *buildid_dir; /* "" = none */
	/* DIR/PID is the root of that guest; NULL: only files with the recorded build-id */
	const char *guest_mount;
	struct debug_servers *servers; /* NULL: nobody is asked */
	/* another one was recorded: without a build-id, its vdso is not this machine's */
	bool foreign_kernel;
	/*
	 * Bytes of files that were kept from the moment they were mapped, asked first: NULL
	 * when there are none.  They must outlive what is opened.  NULL: nothing is kept.
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

/* "DIR", "DIR,hierarchy" or "DIR,flat": *dir is malloc'ed, the caller frees it. */
int object_symfs_parse(const char *text, char **dir, bool *flat, struct reason *r);

/*
 * "/proc/PID/map_files/START-END" of what the process has mapped under that name, which may be
 * gone; NULL: nothing.
 */
char *mapped_path(const struct image *img, s32 pid);
/*
 * A path as process pid, or a guest whose root is mounted at MOUNT/GUEST, sees it; the caller frees
 * it.
 */
char *path_in_process(s32 pid, const char *path);
char *path_in_guest(const char *mount, u32 guest, const char *path);

/* Where an object is by its recorded path: below symfs or a guest's root; the caller frees it. */
char *object_named_path(const struct object_search *s, const struct image *img);
/* pid > 0: also try /proc/PID/root/PATH. */
int object_open(const struct object_search *s, const struct image *img, s32 pid,
		struct object_file *out, struct reason *r) MUST_CHECK;
/* The separate debug file of an object: object may be NULL when only the id is known. */
int object_open_debug(const struct object_search *s, const struct image *img,
		      const struct object_file *object, struct object_file *out,
		      struct reason *r) MUST_CHECK;
void object_close(struct object_file *f);
/*
 * Which files lie where the debug file of an object would be found, without opening any; object may
 * be NULL. For whoever looks again later: object_debug_is_new() says whether there is a file now
 * that was not there before, or is another one. Files that are gone do not count.
 */
enum { OBJECT_DEBUG_PLACES = 7 };
struct object_debug_seen {
	struct file_stamp places[OBJECT_DEBUG_PLACES]; /* inode 0: there is no file */
};
/*
 * What the object says of its debug file: whoever looks often does not read the object each time.
 */
struct object_debug_wanted {
	struct build_id id;
	char *link; /* to be freed; NULL: none */
};
void object_debug_wanted(const struct image *img, const struct elf *object,
			 struct object_debug_wanted *out);
void object_debug_seen(const struct object_search *s, const struct image *img,
		       const struct object_debug_wanted *wanted, struct object_debug_seen *out);
bool object_debug_is_new(const struct object_debug_seen *before,
			 const struct object_debug_seen *now);
/*
 * Put into the build-id cache what only a server has: the object itself when there is
 * no file of it, and its debug file when it has no symbols of its own.  0 also when
 * there is nothing to do; -errno: of what failed, the rest is done.
 */
int object_cache_from_servers(const struct object_search *s, const struct image *img,
			      struct reason *r);

#endif
