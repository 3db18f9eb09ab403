// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that are mapped executable, held from the moment they are mapped. So a program that is
 * deleted, replaced or ends in a container is still there when its stacks are unwound.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/lost_pages.h"
#include "base/out.h"
#include "event/sample.h"
#include "object/buildid.h"
#include "object/image.h"
#include "record/internal.h"

struct kept {
	const u8 *bytes; /* NULL: could not be opened */
	size_t size;
	mode_t mode; /* which users may read the file */
	uid_t uid;
	gid_t gid;
	struct build_id id; /* what it was then: a file can be overwritten; size 0: none */
	u64 piece;          /* the piece that mapped it last */
};

struct kept_objects {
	pthread_mutex_t lock;
	struct strmap by_identity; /* -> struct kept * */
};

struct kept_objects *kept_new(void)
{
	struct kept_objects *k = xcalloc(1, sizeof(*k));

	pthread_mutex_init(&k->lock, NULL);
	return k;
}

static void free_kept(struct kept *kept)
{
	if (kept->bytes)
		lost_pages_unmap(kept->bytes, kept->size);
	free(kept);
}

void kept_free(struct kept_objects *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->by_identity.space; i++)
		if (k->by_identity.slots[i].key)
			free_kept((void *)(uintptr_t)k->by_identity.slots[i].value);
	strmap_release(&k->by_identity);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

enum { IDENTITY = 96 };

static bool identity(char text[IDENTITY], const struct build_id *id, u32 maj, u32 min, u64 ino,
		     u64 generation)
{
	if (id->size)
		build_id_text(id, text);
	else
		snprintf(text, IDENTITY, "%u:%u:%" PRIu64 ":%" PRIu64, maj, min, ino, generation);
	return id->size || ino;
}

/*
 * Reports whether this is the mapped file. For a file of an overlay or btrfs, stat() by name
 * reports another device, with major 0.
 */
static bool is_file(const struct stat *st, const struct record_mmap *m)
{
	if (!S_ISREG(st->st_mode))
		return false;
	if (m->build_id_size) /* compared when it is used */
		return true;
	return st->st_ino == m->ino &&
	       (!major(st->st_dev) || (major(st->st_dev) == m->maj && minor(st->st_dev) == m->min));
}

/*
 * Opens the link of the mapping itself. It leads to the file even if the file's name is gone or now
 * belongs to another file.
 */
static int open_link(const struct record_mmap *m)
{
	char link[80], name[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, m->pid, m->start,
		 m->start + m->len);
	n = readlink(link, name, sizeof(name) - 1);
	if (n <= 0 || (size_t)n < strlen(m->filename) ||
	    memcmp(name, m->filename, strlen(m->filename)))
		return -1;
	return open(link, O_RDONLY | O_CLOEXEC);
}

static int open_below_root(const struct record_mmap *m)
{
	char *path = xasprintf("/proc/%u/root%s", m->pid, m->filename);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	free(path);
	return fd;
}

static int open_name(const struct record_mmap *m)
{
	return open(m->filename, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Opens what an ordinary user may open of a program whose name was removed. */
static int open_program(const struct record_mmap *m)
{
	char link[40];

	snprintf(link, sizeof(link), "/proc/%u/exe", m->pid);
	return open(link, O_RDONLY | O_CLOEXEC);
}

int kept_open_mapped(const struct record_mmap *m)
{
	static int (*const ways[])(const struct record_mmap *) = {
		open_link,
		open_below_root,
		open_name,
		open_program,
	};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		int fd = ways[i](m);
		struct stat st;

		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && st.st_size > 0 &&
		    (is_file(&st, m) || (!i && S_ISREG(st.st_mode))))
			return fd;
		close(fd);
	}
	return -1;
}

static struct build_id id_of(int fd)
{
	struct build_id id = { .size = 0 };
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (build_id_of_file(path, &id, NULL))
		id.size = 0;
	return id;
}

static struct kept map_mapped(const struct record_mmap *m)
{
	int fd = kept_open_mapped(m);
	const u8 *bytes = NULL;
	struct build_id id;
	struct stat st;

	if (fd < 0)
		return (struct kept){ 0 };
	if (!fstat(fd, &st))
		bytes = lost_pages_map(fd, (size_t)st.st_size);
	id = id_of(fd);
	close(fd);
	if (!bytes)
		return (struct kept){ 0 };
	return (struct kept){ .bytes = bytes,
			      .size = (size_t)st.st_size,
			      .mode = st.st_mode & 0777,
			      .uid = st.st_uid,
			      .gid = st.st_gid,
			      .id = id };
}

void kept_note(struct kept_objects *k, const struct record_mmap *m, u64 piece)
{
	struct build_id id = { .size = (u8)MIN(m->build_id_size, sizeof(id.id)) };
	struct kept *kept, opened;
	char key[IDENTITY];
	u64 *slot;

	memcpy(id.id, m->build_id, id.size);
	if (m->filename[0] != '/' || m->filename[1] == '/' || (s32)m->pid <= 0 ||
	    !identity(key, &id, m->maj, m->min, m->ino, m->ino_generation))
		return;
	pthread_mutex_lock(&k->lock);
	slot = strmap_put(&k->by_identity, key, NULL);
	kept = *slot ? (struct kept *)(uintptr_t)*slot : xcalloc(1, sizeof(*kept));
	*slot = (u64)(uintptr_t)kept;
	kept->piece = piece; /* from here on the sweep leaves it alone */
	pthread_mutex_unlock(&k->lock);
	if (kept->bytes)
		return;
	opened = map_mapped(m);
	pthread_mutex_lock(&k->lock);
	opened.piece = kept->piece;
	*kept = opened;
	pthread_mutex_unlock(&k->lock);
}

static struct kept find(struct kept_objects *k, const struct image *img)
{
	struct kept kept = { 0 };
	char key[IDENTITY];
	u64 *slot;

	if (!identity(key, &img->build_id, img->maj, img->min, img->ino, img->ino_generation))
		return kept;
	pthread_mutex_lock(&k->lock);
	slot = strmap_get(&k->by_identity, key);
	if (slot)
		kept = *(const struct kept *)(uintptr_t)*slot;
	pthread_mutex_unlock(&k->lock);
	return kept;
}

const u8 *kept_find(void *arg, const struct image *img, size_t *size)
{
	struct kept kept = find(arg, img);

	*size = kept.size;
	return kept.bytes;
}

bool kept_id(struct kept_objects *k, const struct image *img, struct build_id *id)
{
	struct kept kept = find(k, img);

	*id = kept.id;
	return kept.bytes;
}

int kept_copy(struct kept_objects *k, const struct image *img)
{
	struct kept kept = find(k, img);
	int fd = kept.bytes ? memfd_create("perf-held", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return -1;
	if (fchown(fd, kept.uid, kept.gid) && !(kept.mode & S_IROTH))
		kept.mode &= S_IRWXU; /* it stays ours */
	if (fchmod(fd, kept.mode | S_IRUSR) || write_all(fd, kept.bytes, kept.size)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Lists the named images by the keys under which their files are held. */
static void list_named(const struct image_table *images, const bool *named, struct strmap *out)
{
	for (u32 i = 1; i < image_count(images); i++) {
		const struct image *img = image_get(images, i);
		char key[IDENTITY];

		if (named[i] && identity(key, &img->build_id, img->maj, img->min, img->ino,
					 img->ino_generation))
			*strmap_put(out, key, NULL) = 1;
	}
}

void kept_sweep(struct kept_objects *k, const struct image_table *images, const bool *named,
		u64 done)
{
	struct strmap used = { 0 }, left = { 0 };

	list_named(images, named, &used);
	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < k->by_identity.space; i++) {
		const struct strmap_slot *s = &k->by_identity.slots[i];
		struct kept *kept = (struct kept *)(uintptr_t)s->value;

		if (!s->key)
			continue;
		if (kept->piece > done || strmap_get(&used, s->key))
			*strmap_put(&left, s->key, NULL) = s->value;
		else
			free_kept(kept);
	}
	strmap_release(&k->by_identity);
	k->by_identity = left;
	pthread_mutex_unlock(&k->lock);
	strmap_release(&used);
}

size_t kept_count(struct kept_objects *k)
{
	size_t count;

	pthread_mutex_lock(&k->lock);
	count = k->by_identity.count;
	pthread_mutex_unlock(&k->lock);
	return count;
}
