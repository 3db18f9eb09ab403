// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/locate.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/trace.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/debug_servers.h"
#include "object/elf.h"
#include "object/internal.h"
#include "object/vdso.h"

void object_close(struct object_file *f)
{
	elf_close(f->elf);
	free(f->path);
	*f = (struct object_file){ NULL, NULL, 0 };
}

/* A file found by a name of any kind is the right one only with the recorded build-id. */
static int check_build_id(const struct elf *e, const char *path, const struct build_id *want,
			  struct reason *r)
{
	struct build_id id = { .size = 0 };

	if (!want->size)
		return 0;
	elf_build_id(e, &id);
	if (build_id_equal(&id, want))
		return 0;
	reason_set(r, ESTALE, "'%s' is not the file that was recorded (build-ids differ)", path);
	return -ESTALE;
}

/* Without a build-id: does anything speak against the file? */
static int check_identity(const char *path, const struct image *img, bool same_machine,
			  struct reason *r)
{
	struct stat st;

	if (img->build_id.size || stat(path, &st))
		return 0;
	if (img->extent > (u64)st.st_size)
		return reason_set(r, ESTALE, "'%s' is not the file that was recorded (it is shorter than what was mapped)",
				  path);
	if (same_machine && img->ino && img->ino != (u64)st.st_ino &&
	    makedev(img->maj, img->min) == st.st_dev)
		return reason_set(r, ESTALE, "'%s' is not the file that was recorded (inode %" PRIu64 ", not %" PRIu64 ")",
				  path, (u64)st.st_ino, img->ino);
	return 0;
}

/* Takes path over (frees it on failure; NULL: fails quietly). */
static int try_path(char *path, char origin, const struct build_id *want, struct object_file *out,
		    struct reason *r)
{
	struct reason why = REASON_INIT;
	int err;

	if (!path)
		return -ENOENT;
	err = elf_open(path, &out->elf, &why);
	if (!err) {
		err = check_build_id(out->elf, path, want, &why);
		if (err)
			elf_close(out->elf);
	}
	if (err) {
		TRACE(object, "refused: %s", why.text);
		out->elf = NULL;
		free(path);
		if (r)
			reason_move(r, &why);
		reason_release(&why);
		return err;
	}
	TRACE(object, "took '%s'", path);
	out->path = path;
	out->origin = origin;
	return 0;
}

static int open_vdso(const struct object_search *s, const struct image *img,
		     struct object_file *out, struct reason *r)
{
	int err;

	if (img->build_id.size &&
	    !try_path(cache_find(s->buildid_dir, &img->build_id, "vdso"), 'B', &img->build_id, out,
		      NULL))
		return 0;
	err = vdso_open(&out->elf, r);
	if (err)
		return err;
	err = check_build_id(out->elf, "[vdso]", &img->build_id, r);
	if (err) {
		elf_close(out->elf);
		out->elf = NULL;
		return err;
	}
	out->path = xstrdup("[vdso]");
	out->origin = 'd';
	return 0;
}

static int try_servers(const struct object_search *s, const struct image *img,
		       enum debug_server_file what, const struct build_id *id,
		       struct object_file *out)
{
	char *path;

	if (!s->servers || !id->size ||
	    debug_servers_fetch(s->servers, what, id, img->path, &path, NULL))
		return -ENOENT;
	return try_path(path, 'i', id, out, NULL);
}

static int open_kept(const struct object_search *s, const struct image *img,
		     struct object_file *out)
{
	size_t size;
	const u8 *bytes = s->kept ? s->kept(s->kept_arg, img, &size) : NULL;
	int err = bytes ? elf_open_bytes(bytes, size, true, &out->elf, NULL) : -ENOENT;

	if (!err) {
		err = check_build_id(out->elf, img->path, &img->build_id, NULL);
		if (err)
			elf_close(out->elf);
	}
	if (err) {
		out->elf = NULL;
		return err;
	}
	out->path = xstrdup(img->path);
	out->origin = 'd';
	return 0;
}

/* A file that nobody can name any more: "/proc/PID/map_files/START-END". */
static char *mapped_path(const struct image *img, s32 pid)
{
	char *maps = xasprintf("/proc/%d/maps", pid), *found = NULL;
	FILE *f = fopen(maps, "re");
	char line[PATH_MAX + 100];

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *name = strchr(line, '/');
		unsigned long long ino;

		line[strcspn(line, "\n")] = '\0';
		if (!name || sscanf(line, "%*s %*s %*s %*s %llu", &ino) != 1)
			continue;
		if (!strcmp(name, img->path) || (str_starts(name, img->path) && ino == img->ino &&
						 !strcmp(name + strlen(img->path), " (deleted)")))
			found = xasprintf("/proc/%d/map_files/%.*s", pid, (int)strcspn(line, " "), line);
	}
	if (f)
		fclose(f);
	free(maps);
	return found;
}

char *path_in_process(s32 pid, const char *path)
{
	char root[32];

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	return path_under(root, path);
}

char *path_in_guest(const char *mount, u32 guest, const char *path)
{
	char *root = xasprintf("%s/%u", mount, guest), *whole = path_under(root, path);

	free(root);
	return whole;
}

/* As a process sees it that has it mapped: in its mount namespace, or deleted. */
static int try_process(const struct image *img, s32 pid, struct object_file *out)
{
	char *path;

	if (pid <= 0)
		return -ENOENT;
	path = path_in_process(pid, img->path);
	if (!access(path, R_OK) && !check_identity(path, img, true, NULL))
		return try_path(path, 'd', &img->build_id, out, NULL);
	free(path);
	path = mapped_path(img, pid);
	if (path && (img->build_id.size || !check_identity(path, img, true, NULL)))
		return try_path(path, 'd', &img->build_id, out, NULL);
	free(path);
	return -ENOENT;
}

/* Under its name: below symfs, or here. */
static int try_named(const struct object_search *s, const struct image *img,
		     struct object_file *out, struct reason *r)
{
	bool mounted = img->guest && s->guest_mount;
	char *path = mounted ? path_in_guest(s->guest_mount, img->guest, img->path) :
		     s->symfs_flat ? path_under(s->symfs, path_base(img->path)) :
				     path_under(s->symfs, img->path);
	int err = check_identity(path, img, !s->symfs[0] && !img->guest, r);

	if (!err && img->guest && !mounted && !s->symfs[0] && !img->build_id.size) {
		err = reason_set(r, ENOENT, "'%s' lies in guest %u", img->path, img->guest);
		reason_hint(r, "--guestmount DIR, where DIR/%u is the root of that guest", img->guest);
	}
	if (!err)
		return try_path(path, 'd', &img->build_id, out, r);
	TRACE(object, "refused '%s': it is not the file that was recorded", path);
	free(path);
	return err;
}

/* Can the file of that name be checked by reading it?  If not, its process is asked first. */
static bool is_surely(const struct object_search *s, const struct image *img)
{
	struct stat st;

	return img->build_id.size || s->symfs[0] ||
	       (img->ino && !stat(img->path, &st) && (u64)st.st_ino == img->ino);
}

int object_symfs_parse(const char *text, char **dir, bool *flat, struct reason *r)
{
	const char *comma = strrchr(text, ',');
	struct stat st;

	*flat = false;
	*dir = xstrdup(text);
	if (comma && (!strcmp(comma, ",flat") || !strcmp(comma, ",hierarchy"))) {
		*flat = !strcmp(comma, ",flat");
		(*dir)[comma - text] = '\0';
	}
	if ((!**dir && !comma) || (!stat(*dir, &st) && S_ISDIR(st.st_mode)))
		return 0;
	reason_set(r, ENOTDIR, "--symfs: '%s' is not a directory", *dir);
	reason_hint(r, comma ? "DIR, DIR,hierarchy or DIR,flat" :
			       "name the directory that holds the root of the recorded machine");
	free(*dir);
	*dir = NULL;
	return -ENOTDIR;
}

int object_open(const struct object_search *s, const struct image *img, s32 pid,
		struct object_file *out, struct reason *r)
{
	int err;

	*out = (struct object_file){ NULL, NULL, 0 };
	if (img->kind == IMAGE_VDSO)
		return open_vdso(s, img, out, r);
	if (img->path[0] != '/')
		return reason_set(r, ENOENT, "'%s' is not a file", img->path);
	TRACE(object, "looking for '%s'", img->path);
	if (!open_kept(s, img, out))
		return 0;
	if (img->build_id.size &&
	    !try_path(cache_find(s->buildid_dir, &img->build_id, "elf"), 'B', &img->build_id, out,
		      NULL))
		return 0;
	if (is_surely(s, img) && !try_named(s, img, out, NULL))
		return 0;
	if (!s->symfs[0] && !img->guest && !try_process(img, pid > 0 ? pid : img->owner, out))
		return 0;
	err = try_named(s, img, out, r);
	return err && !try_servers(s, img, SERVER_EXECUTABLE, &img->build_id, out) ? 0 : err;
}

static bool has_symbols(const struct object_file *f)
{
	return elf_section(f->elf, ".symtab") || elf_section(f->elf, ".debug_info") ||
	       elf_section(f->elf, ".zdebug_info");
}

static int try_debug(char *path, char origin, const struct build_id *want,
		     struct object_file *out)
{
	int err = try_path(path, origin, want, out, NULL);

	if (!err && !has_symbols(out)) {
		TRACE(object, "refused '%s': it has neither symbols nor DWARF", out->path);
		object_close(out);
		err = -ENOENT;
	}
	return err;
}

/* Without a build-id the checksum in the link decides. */
static int try_linked(char *path, u32 crc, const struct build_id *want, struct object_file *out)
{
	int err = try_debug(path, 'l', want, out);
	const u8 *data;
	size_t size;

	if (err || want->size)
		return err;
	data = elf_data(out->elf, &size);
	if (object_crc32(data, size) == crc)
		return 0;
	TRACE(object, "refused '%s': its checksum is not the one of the link", out->path);
	object_close(out);
	return -ESTALE;
}

/* path_under(); path is freed. */
static char *below(const char *root, char *path)
{
	char *whole = path_under(root, path);

	free(path);
	return whole;
}

/* The places where a debugger looks for NAME of a file in DIR. */
static int try_debuglink(const struct object_search *s, const struct image *img,
			 const struct object_file *object, const struct build_id *want,
			 struct object_file *out)
{
	u32 crc = 0;
	const char *name = elf_debuglink(object->elf, &crc);
	const char *slash = strrchr(img->path, '/');
	int dir = slash ? (int)(slash - img->path) : 0;
	const struct {
		const char *before, *between;
	} places[] = {
		{ .before = "", .between = "" },
		{ .before = "", .between = "/.debug" },
		{ .before = "/usr/lib/debug", .between = "" },
	};
	int err = -ENOENT;

	if (name && s->symfs_flat)
		return try_linked(path_under(s->symfs, path_base(name)), crc, want, out);
	for (size_t i = 0; name && err && i < ARRAY_SIZE(places); i++)
		err = try_linked(below(s->symfs, xasprintf("%s%.*s%s/%s", places[i].before, dir, img->path,
							   places[i].between, name)),
				 crc, want, out);
	return err;
}

/* Of its path without ".xz" and the like: modules are packed, their debug files are not. */
static int unpacked_length(const struct image *img)
{
	static const char *const packed[] = { ".ko.gz", ".ko.xz", ".ko.zst" };
	size_t n = strlen(img->path);

	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		if (img->kind == IMAGE_MODULE && str_ends(img->path, packed[i]))
			n -= strlen(packed[i]) - strlen(".ko");
	return (int)n;
}

int object_open_debug(const struct object_search *s, const struct image *img,
		      const struct object_file *object, struct object_file *out, struct reason *r)
{
	struct build_id want = img->build_id;

	*out = (struct object_file){ NULL, NULL, 0 };
	TRACE(object, "looking for the debug file of '%s'", img->path);
	if (!want.size && object)
		elf_build_id(object->elf, &want);
	if (object && !try_debuglink(s, img, object, &want, out))
		return 0;
	if (want.size) {
		if (!try_debug(cache_find(s->buildid_dir, &want, "debug"), 'D', &want, out))
			return 0;
		if (!try_debug(debug_dir_find(s->symfs, &want), 'b', &want, out))
			return 0;
	}
	if (img->path[0] == '/') {
		int n = unpacked_length(img);

		if (!try_debug(below(s->symfs, xasprintf("/usr/lib/debug%.*s.debug", n, img->path)), 'f',
			       &want, out) ||
		    !try_debug(below(s->symfs, xasprintf("/usr/lib/debug%.*s", n, img->path)), 'u',
			       &want, out))
			return 0;
	}
	if (want.size && !try_servers(s, img, SERVER_DEBUGINFO, &want, out))
		return 0;
	return reason_set(r, ENOENT, "no debug file for '%s'", img->path);
}

static int cache_file(const struct object_search *s, const struct image *img, enum cache_kind kind,
		      const char *source, struct reason *r)
{
	const struct cache_entry e = { .kind = kind, .name = img->path, .source = source,
				       .id = img->build_id };

	return cache_add(s->buildid_dir, &e, r);
}

int object_cache_from_servers(const struct object_search *s, const struct image *img,
			      struct reason *r)
{
	struct object_file object = { NULL, NULL, 0 }, debug;
	int err;

	if (!s->servers || img->kind != IMAGE_ELF || !img->build_id.size)
		return 0;
	err = object_open(s, img, img->pid, &object, r);
	if (!err && object.origin == 'i')
		err = cache_file(s, img, CACHE_ELF, object.path, r);
	if ((!object.elf || !has_symbols(&object)) &&
	    !object_open_debug(s, img, object.elf ? &object : NULL, &debug, NULL)) {
		if (debug.origin == 'i' && !err)
			err = cache_file(s, img, CACHE_DEBUG, debug.path, r);
		object_close(&debug);
	}
	object_close(&object);
	return err;
}
