// SPDX-License-Identifier: GPL-2.0-or-later
#include "archive/care.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "data/reader.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/locate.h"
#include "object/rights.h"
#include "probe/probe.h"

struct entries {
	char *dir; /* real path of the cache */
	VEC(struct cached {
		struct build_id id;
		char *name;
		bool there; /* false if the link leads nowhere, or to a directory without a copy */
	})
	list;
};

static bool has_copy(const char *path)
{
	static const char *const names[] = { "/elf", "/kallsyms", "/vdso", "/kcore", "" };
	struct stat st;
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !found; i++) {
		char *file = xasprintf("%s%s", path, names[i]);

		found = !stat(file, &st) && S_ISREG(st.st_mode);
		free(file);
	}
	return found;
}

/* Keeps an entry: DIR/usr/bin/ls/HEX -> /usr/bin/ls; names in brackets have no slash. */
static int keep_entry(void *arg, const struct build_id *id, const char *path)
{
	struct entries *e = arg;
	const char *name = str_starts(path, e->dir) ? path + strlen(e->dir) : path;
	const char *slash = strrchr(name, '/');

	name += name[0] == '/' && name[1] == '[';
	vec_push(&e->list, (struct cached){ *id,
					    slash > name ? xstrndup(name, (size_t)(slash - name))
							 : xstrdup(name),
					    has_copy(path) });
	return 0;
}

static int read_cache(struct context *ctx, struct entries *e, struct reason *r)
{
	*e = (struct entries){ NULL, VEC_INIT };
	e->dir = realpath(ctx->buildid_dir, NULL);
	if (!e->dir) /* the cache is still empty */
		return 0;
	return cache_each(e->dir, keep_entry, e, r) == -ENOENT ? 0 : -r->err;
}

static void release_entries(struct entries *e)
{
	vec_for_each(&e->list, it)
		free(it->name);
	vec_release(&e->list);
	free(e->dir);
}

static void put_line(struct strbuf *b, const struct build_id *id, int width, const char *name)
{
	char hex[41];

	strbuf_f(b, "%-*s ", width, build_id_text(id, hex));
	strbuf_printable(b, name);
	strbuf_char(b, '\n');
}

int cache_care_list(const struct cache_care *c, struct strbuf *b, struct reason *r)
{
	struct entries e;
	int err = read_cache(c->ctx, &e, r);

	vec_for_each(&e.list, it)
		if (it->there)
			put_line(b, &it->id, 0, it->name);
	release_entries(&e);
	return err;
}

/*
 * Returns a name in the target. Names in another namespace begin at its root, since our directory
 * does not exist there.
 */
static char *name_in_target(const char *path)
{
	return xasprintf("%s%s", path[0] == '/' ? "" : "/", path);
}

/*
 * Follows a link of another namespace, whose absolute name would lead to a file of ours. Returns
 * the path; *fd is a descriptor that it may need, or -1.
 */
static char *behind_links(s32 pid, const char *name, char *path, int *fd)
{
	int root = process_root_open(pid);
	struct stat ours, theirs;

	*fd = root < 0 ? -1 : open_below(root, name, O_PATH);
	if (root >= 0)
		close(root);
	if (*fd < 0 || fstat(*fd, &theirs) ||
	    (!stat(path, &ours) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino))
		return path;
	free(path);
	return xasprintf("/proc/self/fd/%d", *fd);
}

/*
 * Returns the path of a file to copy. *fd is a descriptor that it may need, which the caller
 * closes, or -1.
 */
static char *source_of(const struct cache_care *c, const char *path, int *fd)
{
	char *name, *source;

	*fd = -1;
	if (!c->target)
		return xstrdup(path);
	name = name_in_target(path);
	source = behind_links((s32)c->target, name, xasprintf("/proc/%u/root%s", c->target, name),
			      fd);
	free(name);
	return source;
}

static void release_source(char *source, int fd)
{
	if (fd >= 0)
		close(fd);
	free(source);
}

int cache_care_check(const struct cache_care *c, struct reason *r)
{
	char *path = xasprintf("/proc/%u/root/.", c->target);
	int err = c->target && file_access(path, F_OK) ? errno : 0;

	free(path);
	if (!err)
		return 0;
	reason_errno(r, err, "cannot see the files of process %u", c->target);
	reason_hint(r, err == ENOENT ? "it may have ended; 'ps -e' lists what runs"
				     : "run perf as root, or as the owner of that process");
	return -err;
}

static void note_done(const struct cache_care *c, const char *what, const struct build_id *id,
		      const char *name)
{
	char hex[41], *object = xasprintf("%s %s", build_id_text(id, hex), name);

	condition_add(&c->ctx->conditions, CONDITION_NOTE, what, object, NULL, 1, NULL, "%s %s",
		      what, object);
	free(object);
}

/* Adds the debug file of a stripped object, if a server has it. */
static int add_debug_file(const struct cache_care *c, const char *name, const struct build_id *id,
			  struct reason *r)
{
	const struct object_search search = { .symfs = "",
					      .buildid_dir = c->ctx->buildid_dir,
					      .servers = c->servers };
	const struct image img = {
		.kind = IMAGE_ELF, .path = name, .name = path_base(name), .build_id = *id
	};

	return object_cache_from_servers(&search, &img, r);
}

static int add_one(const struct cache_care *c, const char *path, bool replace, struct reason *r)
{
	int fd;
	char *given = source_of(c, path, &fd),
	     *real = c->target ? name_in_target(path) : realpath(given, NULL);
	struct cache_entry e = { .kind = CACHE_ELF, .name = real ? real : path, .source = given };
	int err = build_id_of_file(given, &e.id, r);

	if (!err && replace)
		cache_remove(c->ctx->buildid_dir, &e.id, NULL);
	if (!err)
		err = cache_add(c->ctx->buildid_dir, &e, r);
	/*
	 * Its SDT markers become events by name; a path in another namespace cannot be probed from
	 * here.
	 */
	if (!err && !c->target)
		err = MIN(probe_cache_index(c->ctx->buildid_dir, e.name, r), 0);
	if (!err)
		err = add_debug_file(c, e.name, &e.id, r);
	if (!err)
		note_done(c, replace ? "updated" : "added", &e.id, e.name);
	free(real);
	release_source(given, fd);
	return err;
}

int cache_care_add(const struct cache_care *c, const char *path, struct reason *r)
{
	return add_one(c, path, false, r);
}

int cache_care_update(const struct cache_care *c, const char *path, struct reason *r)
{
	return add_one(c, path, true, r);
}

int cache_care_remove(const struct cache_care *c, const char *path, struct reason *r)
{
	int fd;
	char *given = source_of(c, path, &fd);
	struct build_id id;
	int err = build_id_of_file(given, &id, r);

	if (!err)
		err = cache_remove(c->ctx->buildid_dir, &id, r);
	if (!err)
		note_done(c, "removed", &id, path);
	release_source(given, fd);
	return err;
}

int cache_care_purge(const struct cache_care *c, const char *path, struct reason *r)
{
	char *real = path ? realpath(path, NULL) : NULL;
	struct entries e;
	int err = read_cache(c->ctx, &e, r);
	size_t gone = 0;

	vec_for_each(&e.list, it) {
		if (err || (path && strcmp(it->name, path) && (!real || strcmp(it->name, real))))
			continue;
		err = cache_remove(e.dir, &it->id, r);
		if (!err)
			note_done(c, "removed", &it->id, it->name);
		gone++;
	}
	if (!err && path && !gone)
		err = reason_set(r, ENOENT, "nothing of '%s' is in the cache", path);
	release_entries(&e);
	free(real);
	return err;
}

int cache_care_kcore(const struct cache_care *c, const char *kcore, bool force, char **said,
		     struct reason *r)
{
	char *home;
	bool added;
	int err = cache_add_kcore(c->ctx->buildid_dir, kcore, force, &home, &added, r);

	*said = NULL;
	if (!err && (added || c->ctx->verbose))
		*said = xasprintf(
			added ? "kcore added to build-id cache directory %s"
			      : "the same kernel and modules are in the cache already: %s",
			home);
	free(home);
	return err;
}

int cache_care_missing(const struct cache_care *c, const char *recording, bool force,
		       struct strbuf *b, struct reason *r)
{
	static const char *const kinds[] = { "elf", "kallsyms", "vdso" };
	struct data_reader *d;
	const struct data_build_id *ids;
	size_t n;
	int err = data_open(c->ctx, recording, force, &d, r);

	if (err)
		return err;
	ids = data_build_ids(d, &n);
	for (size_t i = 0; i < n; i++) {
		struct build_id id = { .size = ids[i].size };
		char *found = NULL;

		memcpy(id.id, ids[i].id, sizeof(id.id));
		for (size_t k = 0; k < ARRAY_SIZE(kinds) && !found; k++)
			found = cache_find(c->ctx->buildid_dir, &id, kinds[k]);
		if (!found)
			put_line(b, &id, 40, ids[i].name);
		free(found);
	}
	data_close(d);
	return 0;
}
