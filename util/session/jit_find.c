// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the jitdump file of a process: the copy that the recorder kept, the original path, or the
 * path in the root of the process.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "object/cache.h"
#include "object/locate.h"
#include "session/internal.h"

struct kept_dump {
	char *path;
	u64 made;
};

static int by_making(const void *pa, const void *pb)
{
	const struct kept_dump *a = pa, *b = pb;

	return (a->made > b->made) - (a->made < b->made);
}

bool jit_is_file(const struct jit_process *p, const struct record_mmap *m)
{
	return p->ino == m->ino && p->generation == m->ino_generation && p->maj == m->maj &&
	       p->min == m->min && !strcmp(p->path, m->filename);
}

static bool same_file_as(const struct jit_process *a, const struct jit_process *b)
{
	return a->ino == b->ino && a->generation == b->generation && a->maj == b->maj &&
	       a->min == b->min && !strcmp(a->path, b->path);
}

/* Returns how many other files of this name were mapped before; mappings come in order of time. */
static size_t files_before(const struct session_jit *j, const struct record_mmap *m)
{
	size_t n = 0;

	for (size_t i = 0; i < j->processes.count; i++) {
		const struct jit_process *p = j->processes.items[i];
		bool counted = strcmp(p->path, m->filename) || jit_is_file(p, m);

		for (size_t k = 0; k < i && !counted; k++)
			counted = same_file_as(j->processes.items[k], p);
		n += !counted;
	}
	return n;
}

/*
 * Finds the cached copy of a dump. Containers that ran one after the other can all have had a file
 * of this name. The list of build-ids does not say which is whose, but each file says when it was
 * begun.
 */
static char *kept_copy(const struct session *s, const struct record_mmap *m)
{
	size_t count = 0, n;
	const struct data_build_id *ids = s->data ? data_build_ids(s->data, &count) : NULL;
	VEC(struct kept_dump) kept = VEC_INIT;
	struct jitdump *d;
	char *path = NULL;

	for (size_t i = 0; i < count; i++) {
		struct build_id id = { .size = MIN(ids[i].size, 20) };

		if (strcmp(ids[i].name, m->filename))
			continue;
		memcpy(id.id, ids[i].id, id.size);
		path = cache_find(symbol_store_search(s->symbols)->buildid_dir, &id, "elf");
		if (!path || file_access(path, R_OK)) {
			free(path);
			continue;
		}
		vec_push(&kept, (struct kept_dump){ .path = path });
		if (!jitdump_open(path, &d, NULL)) {
			vec_last(&kept)->made = jitdump_time(d);
			jitdump_close(d);
		}
	}
	vec_sort(&kept, by_making);
	n = kept.count > 1 ? files_before(&s->jit, m) : 0;
	path = kept.count ? xstrdup(kept.items[MIN(n, kept.count - 1)].path) : NULL;
	vec_for_each(&kept, it)
		free(it->path);
	vec_release(&kept);
	return path;
}

static bool is_inode(const char *path, const struct record_mmap *m)
{
	struct stat st;

	return !stat(path, &st) && (!m->ino || st.st_ino == m->ino);
}

/* Reports whether another file of this machine has the path now. */
static bool is_another(const char *path, const struct record_mmap *m)
{
	struct stat st;

	return !stat(path, &st) && m->ino && st.st_ino != m->ino &&
	       st.st_dev == makedev(m->maj, m->min);
}

char *jit_find_dump(const struct session *s, const struct record_mmap *m, bool *kept,
		    struct reason *r)
{
	const struct object_search *search = symbol_store_search(s->symbols);
	char *path = kept_copy(s, m);

	*kept = path;
	if (path)
		return path;
	if (search->symfs[0])
		return path_under(search->symfs,
				  search->symfs_flat ? path_base(m->filename) : m->filename);
	if (is_inode(m->filename, m))
		return xstrdup(m->filename);
	path = path_in_process((s32)m->pid, m->filename);
	if (is_inode(path, m))
		return path;
	free(path);
	path = xasprintf("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, m->pid, m->start,
			 m->start + m->len);
	if (m->ino && is_inode(path, m))
		return path;
	free(path);
	if (!is_another(m->filename, m))
		return xstrdup(m->filename);
	reason_set(r, ESTALE, "'%s' is not the file that was mapped", m->filename);
	return NULL;
}
