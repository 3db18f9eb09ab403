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
#include "base/file.h"
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

/*
 * A file found by a name of any kind is the right one only with the recorded build-id. The cache
 * also has files without one: a digest of their bytes stands for it.
 */
static int check_build_id(const struct elf *e, const char *path, char origin,
			  const struct build_id *want, struct reason *r)
{
	struct build_id id = { .size = 0 };

	if (!want->size)
		return 0;
	if (!elf_build_id(e, &id) && origin == 'B')
		build_id_of_content(path, &id, NULL);
	if (build_id_equal(&id, want))
		return 0;
	reason_set(r, ESTALE, "'%s' is not the file that was recorded (build-ids differ)", path);
	return -ESTALE;
}

/*
 * Checks a file without a recorded build-id: returns -ESTALE if its size or inode contradicts the
 * recording.
 */
static int check_identity(const char *path, const struct image *img, bool same_machine,
			  struct reason *r)
{
	struct stat st;

	if (img->build_id.size || stat(path, &st))
		return 0;
	if (img->extent > (u64)st.st_size)
		return reason_set(
			r, ESTALE,
			"'%s' is not the file that was recorded (it is shorter than what was "
			"mapped)",
			path);
	if (same_machine && img->ino && img->ino != (u64)st.st_ino &&
	    makedev(img->maj, img->min) == st.st_dev)
		return reason_set(r, ESTALE,
				  "'%s' is not the file that was recorded (inode %" PRIu64
				  ", not %" PRIu64 ")",
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
		err = check_build_id(out->elf, path, origin, want, &why);
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

	if (img->build_id.size && !try_path(cache_find(s->buildid_dir, &img->build_id, "vdso"), 'B',
					    &img->build_id, out, NULL))
		return 0;
	if (!img->build_id.size && (s->foreign_kernel || img->guest))
		return reason_set(r, ENOENT, "the vdso is that of another kernel");
	err = vdso_open(&out->elf, r);
	if (err)
		return err;
	err = check_build_id(out->elf, "[vdso]", 'd', &img->build_id, r);
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
		err = check_build_id(out->elf, img->path, 'd', &img->build_id, NULL);
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

static bool is_mapped_as(const struct image *img, const char *name)
{
	size_t n = strlen(img->path);

	return str_starts(name, img->path) && (!name[n] || !strcmp(name + n, " (deleted)"));
}

/*
 * Finds a file that no name leads to: "/proc/PID/map_files/START-END". Several deleted files may
 * have had one name; the inode distinguishes them. For a file of an overlay, some kernels report
 * the overlay's inode and others the layer's, and records and maps need not agree. So if no line
 * has the inode, the first one of that name counts, and the caller must still check it.
 */
char *mapped_path(const struct image *img, s32 pid)
{
	char *maps = xasprintf("/proc/%d/maps", pid), *found = NULL;
	FILE *f = fopen(maps, "re");
	char line[PATH_MAX + 100];
	bool sure = false;

	while (f && !sure && fgets(line, sizeof(line), f)) {
		char *name = strchr(line, '/');
		unsigned long long ino;

		line[strcspn(line, "\n")] = '\0';
		if (!name || sscanf(line, "%*s %*s %*s %*s %llu", &ino) != 1 ||
		    !is_mapped_as(img, name))
			continue;
		sure = !img->ino || ino == img->ino;
		if (found && !sure)
			continue;
		free(found);
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

/* Tries the file as a process that mapped it sees it: in its mount namespace, or deleted. */
static int try_process(const struct image *img, s32 pid, struct object_file *out)
{
	char *path;

	if (pid <= 0)
		return -ENOENT;
	path = path_in_process(pid, img->path);
	if (!file_access(path, R_OK) && !check_identity(path, img, true, NULL))
		return try_path(path, 'd', &img->build_id, out, NULL);
	free(path);
	path = mapped_path(img, pid);
	if (path && (img->build_id.size || !check_identity(path, img, true, NULL)))
		return try_path(path, 'd', &img->build_id, out, NULL);
	free(path);
	return -ENOENT;
}

char *object_named_path(const struct object_search *s, const struct image *img)
{
	if (img->guest && s->guest_mount)
		return path_in_guest(s->guest_mount, img->guest, img->path);
	return path_under(s->symfs, s->symfs_flat ? path_base(img->path) : img->path);
}

/* Tries the file under its name: below symfs, or on this machine. */
static int try_named(const struct object_search *s, const struct image *img,
		     struct object_file *out, struct reason *r)
{
	bool mounted = img->guest && s->guest_mount;
	char *path = object_named_path(s, img);
	int err = check_identity(path, img, !s->symfs[0] && !img->guest, r);

	if (!err && img->guest && !mounted && !s->symfs[0] && !img->build_id.size) {
		err = reason_set(r, ENOENT, "'%s' lies in guest %u", img->path, img->guest);
		reason_hint(r, "--guestmount DIR, where DIR/%u is the root of that guest",
			    img->guest);
	}
	if (!err)
		return try_path(path, 'd', &img->build_id, out, r);
	TRACE(object, "refused '%s': it is not the file that was recorded", path);
	free(path);
	return err;
}

/*
 * Reports whether reading the file of that name can verify it. If not, its process is tried first.
 */
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
	reason_hint(r, comma ? "DIR, DIR,hierarchy or DIR,flat"
			     : "name the directory that holds the root of the recorded machine");
	free(*dir);
	*dir = NULL;
	return -ENOTDIR;
}

static bool has_symbols(const struct object_file *f)
{
	return elf_section(f->elf, ".symtab") || elf_section(f->elf, ".debug_info") ||
	       elf_section(f->elf, ".zdebug_info");
}

/* Reports whether f has anything that strip removes and `than` lacks. */
static bool is_richer(const struct object_file *f, const struct object_file *than)
{
	static const char *const stripped[] = { ".symtab", ".debug_info", ".zdebug_info",
						".debug_frame" };

	for (size_t i = 0; i < ARRAY_SIZE(stripped); i++)
		if (elf_section(f->elf, stripped[i]) && !elf_section(than->elf, stripped[i]))
			return true;
	return false;
}

/*
 * Replaces a cached file by the one of the recorded path, if that has the same build-id and was
 * stripped less. A program and its stripped copy have one build-id, and the cache keeps the one
 * that was recorded first.
 */
static void prefer_unstripped(const struct object_search *s, const struct image *img, s32 pid,
			      struct object_file *f)
{
	struct object_file named = { NULL, NULL, 0 };

	if (try_named(s, img, &named, NULL) &&
	    (s->symfs[0] || img->guest || try_process(img, pid, &named)))
		return;
	if (is_richer(&named, f) && !is_richer(f, &named)) {
		TRACE(object, "'%s' was stripped less than '%s'", named.path, f->path);
		object_close(f);
		*f = named;
		return;
	}
	object_close(&named);
}

static int open_object(const struct object_search *s, const struct image *img, s32 pid,
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
	if (img->build_id.size && !try_path(cache_find(s->buildid_dir, &img->build_id, "elf"), 'B',
					    &img->build_id, out, NULL)) {
		prefer_unstripped(s, img, pid > 0 ? pid : img->owner, out);
		return 0;
	}
	if (is_surely(s, img) && !try_named(s, img, out, NULL))
		return 0;
	if (!s->symfs[0] && !img->guest && !try_process(img, pid > 0 ? pid : img->owner, out))
		return 0;
	err = try_named(s, img, out, r);
	return err && !try_servers(s, img, SERVER_EXECUTABLE, &img->build_id, out) ? 0 : err;
}

int object_open(const struct object_search *s, const struct image *img, s32 pid,
		struct object_file *out, struct reason *r)
{
	int err = open_object(s, img, pid, out, r);

	/* a debug file may be in the object's place */
	if (!err && img->kind == IMAGE_ELF)
		debug_file_place(out->elf, img);
	return err;
}

static int try_debug(char *path, char origin, const struct build_id *want, struct object_file *out)
{
	int err = try_path(path, origin, want, out, NULL);

	if (!err && !has_symbols(out)) {
		TRACE(object, "refused '%s': it has neither symbols nor DWARF", out->path);
		object_close(out);
		err = -ENOENT;
	}
	return err;
}

/* Tries the file of a debug link. Without a build-id, the checksum in the link decides. */
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

/* Returns path_under(root, path) and frees path. */
static char *below(const char *root, char *path)
{
	char *whole = path_under(root, path);

	free(path);
	return whole;
}

/*
 * Returns the length of its path without ".xz" and the like: modules are packed, their debug files
 * are not.
 */
static int unpacked_length(const struct image *img)
{
	static const char *const packed[] = { ".ko.gz", ".ko.xz", ".ko.zst" };
	size_t n = strlen(img->path);

	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		if (img->kind == IMAGE_MODULE && str_ends(img->path, packed[i]))
			n -= strlen(packed[i]) - strlen(".ko");
	return (int)n;
}

/* A possible place of a debug file: a place of its link, the build-id cache, /usr/lib/debug. */
struct debug_place {
	char *path; /* malloc'ed; NULL if the object has none of this kind */
	char origin;
	bool linked; /* without a build-id, the link's checksum decides */
};

struct debug_hunt {
	const struct object_search *s;
	const struct image *img;
	const char *link; /* NULL if the object has none, or is unknown */
	u32 crc;
	struct build_id want;
};

static struct debug_hunt debug_hunt_of(const struct object_search *s, const struct image *img,
				       const struct elf *object)
{
	struct debug_hunt h = { .s = s, .img = img, .want = img->build_id };

	if (object && !h.want.size)
		elf_build_id(object, &h.want);
	if (object)
		h.link = elf_debuglink(object, &h.crc);
	return h;
}

/* Returns a place where a debugger looks for NAME of a file in DIR. The caller frees it. */
static char *linked_path(const struct debug_hunt *h, unsigned place)
{
	static const struct {
		const char *before, *between;
	} places[] = {
		{ .before = "", .between = "" },
		{ .before = "", .between = "/.debug" },
		{ .before = "/usr/lib/debug", .between = "" },
	};
	const char *path = h->img->path, *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;

	if (!h->link)
		return NULL;
	if (h->s->symfs_flat)
		return place ? NULL : path_under(h->s->symfs, path_base(h->link));
	return below(h->s->symfs, xasprintf("%s%.*s%s/%s", places[place].before, dir, path,
					    places[place].between, h->link));
}

/* Returns the places in order; the caller frees each path. */
static struct debug_place debug_place(const struct debug_hunt *h, unsigned place)
{
	const struct object_search *s = h->s;
	int n = unpacked_length(h->img);

	switch (place) {
	case 0:
	case 1:
	case 2:
		return (struct debug_place){ linked_path(h, place), 'l', true };
	case 3:
		return (struct debug_place){ cache_find(s->buildid_dir, &h->want, "debug"), 'D',
					     false };
	case 4:
		return (struct debug_place){ debug_dir_find(s->symfs, &h->want), 'b', false };
	}
	if (h->img->path[0] != '/')
		return (struct debug_place){ NULL, 0, false };
	return (struct debug_place){ below(s->symfs,
					   xasprintf("/usr/lib/debug%.*s%s", n, h->img->path,
						     place == 5 ? ".debug" : "")),
				     place == 5 ? 'f' : 'u', false };
}

static int open_debug(const struct object_search *s, const struct image *img,
		      const struct object_file *object, struct object_file *out, struct reason *r)
{
	struct debug_hunt h = debug_hunt_of(s, img, object ? object->elf : NULL);

	*out = (struct object_file){ NULL, NULL, 0 };
	TRACE(object, "looking for the debug file of '%s'", img->path);
	for (unsigned i = 0; i < OBJECT_DEBUG_PLACES; i++) {
		struct debug_place p = debug_place(&h, i);

		if (!(p.linked ? try_linked(p.path, h.crc, &h.want, out)
			       : try_debug(p.path, p.origin, &h.want, out)))
			return 0;
	}
	if (h.want.size && !try_servers(s, img, SERVER_DEBUGINFO, &h.want, out))
		return 0;
	return reason_set(r, ENOENT, "no debug file for '%s'", img->path);
}

int object_open_debug(const struct object_search *s, const struct image *img,
		      const struct object_file *object, struct object_file *out, struct reason *r)
{
	int err = open_debug(s, img, object, out, r);

	if (!err && !object && img->kind == IMAGE_ELF)
		debug_file_place(out->elf, img);
	return err;
}

void object_debug_wanted(const struct image *img, const struct elf *object,
			 struct object_debug_wanted *out)
{
	struct debug_hunt h = debug_hunt_of(NULL, img, object);

	*out = (struct object_debug_wanted){ .id = h.want,
					     .link = h.link ? xstrdup(h.link) : NULL };
}

void object_debug_seen(const struct object_search *s, const struct image *img,
		       const struct object_debug_wanted *wanted, struct object_debug_seen *out)
{
	struct debug_hunt h = { .s = s, .img = img, .want = wanted->id, .link = wanted->link };

	for (unsigned i = 0; i < OBJECT_DEBUG_PLACES; i++) {
		struct debug_place p = debug_place(&h, i);

		if (!p.path || file_stamp(p.path, &out->places[i]))
			out->places[i] = (struct file_stamp){ .inode = 0 };
		free(p.path);
	}
}

bool object_debug_is_new(const struct object_debug_seen *before,
			 const struct object_debug_seen *now)
{
	for (unsigned i = 0; i < OBJECT_DEBUG_PLACES; i++)
		if (now->places[i].inode && !file_stamp_equal(&before->places[i], &now->places[i]))
			return true;
	return false;
}

static int cache_file(const struct object_search *s, const struct image *img, enum cache_kind kind,
		      const char *source, struct reason *r)
{
	const struct cache_entry e = {
		.kind = kind, .name = img->path, .source = source, .id = img->build_id
	};

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
