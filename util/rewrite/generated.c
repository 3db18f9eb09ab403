// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps the descriptions of code made at run time, jitdump files and perf maps, in the build-id
 * cache when a recording ends: the compiler's next run overwrites them, and they disappear with a
 * container. Such files have no build-ids, so a digest of their bytes replaces it.
 *
 * These files are read with the rights of the process's user: names that a user chose must not lead
 * root to a file that the user may not read (rights.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/code.h"
#include "object/cache.h"
#include "object/rights.h"
#include "rewrite/internal.h"
#include "symbol/symbol.h"

/* Larger files are not copied. */
#define LONGEST_COPY (1LL << 30)

/*
 * Finds whose rights to read a jitdump file with if its process has ended. The user of the process
 * is then unknown, but the inode identifies the file, so its owner's rights are used.
 */
static bool rights_of_owner(int root, const char *path, struct user_rights *out)
{
	int fd = open_below(root, path, O_PATH | O_NOFOLLOW);
	struct stat st;
	bool known = fd >= 0 && !fstat(fd, &st);

	if (known)
		*out = (struct user_rights){ st.st_uid, st.st_gid };
	if (fd >= 0)
		close(fd);
	return known;
}

static int open_dump(const struct image *img)
{
	struct user_rights user;
	bool runs = img->owner > 0 && !user_rights_of(img->owner, &user);
	int root = runs ? process_root_open(img->owner)
			: open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
	    fd = -1;

	if (root >= 0 && (runs || rights_of_owner(root, img->path, &user)))
		fd = open_as(&user, root, img->path);
	if (root >= 0)
		close(root);
	return fd;
}

/*
 * Closes a file with several names. Returns fd, or -EPERM: a user may have linked to a file that
 * only root may read.
 */
static int without_other_names(int fd)
{
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_nlink == 1))
		return fd;
	close(fd);
	return -EPERM;
}

static int open_map_here(s32 pid, const struct user_rights *user)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	char name[48];

	if (root < 0)
		return -errno;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	fd = open_as(user, root, name);
	close(root);
	return fd;
}

/*
 * Opens a perf map as its process sees it, or else here. If the process has ended, the file must
 * belong to the caller or to root.
 */
static int open_map(s32 pid)
{
	struct user_rights user = user_rights_own();
	int root, fd;
	char name[48];

	if (user_rights_of(pid, &user))
		return without_other_names(open_map_here(pid, &user));
	root = process_root_open(pid);
	if (root < 0)
		return root;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", perf_map_pid(pid));
	fd = open_as(&user, root, name);
	close(root);
	return fd == -ENOENT ? open_map_here(pid, &user) : fd;
}

/*
 * Reports whether the file is the one that was mapped, and a jitdump file. A program can give other
 * users' files such a name.
 */
static bool is_dump(const struct image *img, const char *path)
{
	struct jitdump *d;

	if (!image_is_file(img, path) || jitdump_open(path, &d, NULL))
		return false;
	jitdump_close(d);
	return true;
}

/*
 * Returns the path of a description, or NULL. *fd is a descriptor that the path needs, which the
 * caller closes, or -1.
 */
static char *file_of(struct image_files *f, const struct image *img, bool hit, int *fd)
{
	bool dump = img->kind == IMAGE_ELF && jitdump_names(img->path);
	struct stat st;
	char *path;

	*fd = -1;
	if (!dump && !(img->kind == IMAGE_JIT && hit && img->pid > 0))
		return NULL;
	path = f->held ? f->held(f->held_arg, img) : NULL;
	if (!path)
		*fd = dump ? open_dump(img) : open_map(img->pid);
	if (*fd >= 0)
		path = xasprintf("/proc/self/fd/%d", *fd);
	if (path && (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > LONGEST_COPY ||
		     (dump && !is_dump(img, path)))) {
		free(path);
		path = NULL;
	}
	return path;
}

bool generated_keep(struct context *ctx, struct image_files *f, const struct image *img, bool hit,
		    struct build_id *id)
{
	int fd = -1;
	char *path = img->guest ? NULL : file_of(f, img, hit, &fd);
	struct cache_entry e = { .kind = CACHE_ELF, .name = img->path, .source = path };
	bool kept = path && !cache_add_content(ctx->buildid_dir, &e, NULL);

	*id = e.id;
	free(path);
	if (fd >= 0)
		close(fd);
	return kept;
}
