// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds an image's file and its build-id. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "object/buildid.h"
#include "object/locate.h"
#include "rewrite/internal.h"

/* Adds a line "HEX PATH". Returns 0 or -EINVAL with a reason. */
static int add_known(struct rewrite_known *k, char *text, const char *where, struct reason *r)
{
	size_t hex = strspn(text, "0123456789abcdefABCDEF");
	char *path = text + hex + strspn(text + hex, " \t");
	struct known_id item;

	path[strcspn(path, "\r\n")] = '\0';
	if (path == text + hex || !*path) {
		reason_set(r, EINVAL, "%s: not a build-id and a path", where);
		reason_hint(r, "'perf buildid-list' prints such pairs");
		return -EINVAL;
	}
	text[hex] = '\0';
	if (build_id_parse(text, &item.id))
		return reason_set(r, EINVAL, "%s: '%s' is not a build-id", where, text);
	item.path = xstrdup(path);
	k->items = xreallocarray(k->items, k->count + 1, sizeof(*k->items));
	k->items[k->count++] = item;
	return 0;
}

static int read_known_file(struct rewrite_known *k, const char *name, struct reason *r)
{
	FILE *f = fopen(name, "re");
	char *line = NULL;
	size_t space = 0;
	unsigned number = 0;
	int err = 0;

	if (!f)
		return reason_errno(r, errno, "cannot open '%s'", name);
	while (!err && getline(&line, &space, f) > 0) {
		char *where = xasprintf("%s:%u", name, ++number);

		err = add_known(k, line, where, r);
		free(where);
	}
	free(line);
	fclose(f);
	return err;
}

int known_parse(struct rewrite_known *k, const char *text, struct reason *r)
{
	struct strlist parts = { VEC_INIT };
	int err = 0;

	if (str_starts(text, "file://"))
		return read_known_file(k, text + strlen("file://"), r);
	strlist_split(&parts, text, ",");
	vec_for_each(&parts.list, part)
		if (!err)
			err = add_known(k, *part + strspn(*part, " "), "--known-build-ids", r);
	strlist_release(&parts);
	return err;
}

const struct build_id *known_find(const struct rewrite_known *k, const char *path)
{
	for (size_t i = 0; k && i < k->count; i++)
		if (!strcmp(k->items[i].path, path))
			return &k->items[i].id;
	return NULL;
}

void known_release(struct rewrite_known *k)
{
	for (size_t i = 0; i < k->count; i++)
		free(k->items[i].path);
	free(k->items);
	*k = (struct rewrite_known){ NULL, 0 };
}

/* Finds the id in the path of a cache's copy: ".../HEX/kallsyms", ".../HEX/TIME/kallsyms". */
static int id_of_kallsyms(const char *name, struct build_id *id, struct reason *r)
{
	char *path = realpath(name, NULL), *end;
	int err = -ENOENT;

	if (!path)
		return reason_errno(r, errno, "cannot open '%s'", name);
	if (!strcmp(path, "/proc/kallsyms")) {
		free(path);
		return build_id_of_kernel(NULL, id, r);
	}
	while (err && (end = strrchr(path, '/'))) {
		if (strspn(end + 1, "0123456789abcdef") == 40 && strlen(end + 1) == 40)
			err = build_id_parse(end + 1, id);
		*end = '\0';
	}
	free(path);
	if (!err)
		return 0;
	reason_set(r, EINVAL,
		   "the build-id of the kernel in '%s' is unknown: it is not in a directory named "
		   "after one",
		   name);
	reason_hint(r, "name a copy of 'perf buildid-cache', or the kernel itself with -k");
	return -EINVAL;
}

int kernel_named(const struct rewrite_settings *s, struct build_id *id, struct reason *r)
{
	id->size = 0;
	if (s->vmlinux)
		return build_id_of_file(s->vmlinux, id, r);
	return s->kallsyms ? id_of_kallsyms(s->kallsyms, id, r) : 0;
}

/*
 * Reports whether the file of that name is the one that was mapped. For a file on an overlay or
 * btrfs, stat() returns another device number (of major 0).
 */
bool image_is_file(const struct image *img, const char *path)
{
	struct build_id id;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	if (img->build_id.size)
		return !build_id_of_file(path, &id, NULL) && build_id_equal(&id, &img->build_id);
	if (!img->ino)
		return true;
	if (st.st_ino != img->ino)
		return false;
	return !major(st.st_dev) || !(img->maj | img->min) ||
	       (major(st.st_dev) == img->maj && minor(st.st_dev) == img->min);
}

struct owner_search {
	s32 *owners;
	u32 images;
	s32 pid;
};

static void own_mapping(void *arg, const struct mapping *m)
{
	struct owner_search *o = arg;

	if (m->image < o->images)
		o->owners[m->image] = o->pid;
}

static void find_owners(struct image_files *f)
{
	static const struct order_key the_end = { UINT64_MAX, UINT32_MAX, UINT64_MAX };
	u32 images = image_count(f->images);
	struct owner_search o = { NULL, images, 0 };

	if (f->owners && images <= f->owner_count)
		return;
	free(f->owners);
	o.owners = xcalloc(images + 1, sizeof(*o.owners));
	for (u32 i = 0; i < history_task_count(f->history); i++) {
		const struct task *t = history_task_by_id(f->history, i);
		char path[32];

		snprintf(path, sizeof(path), "/proc/%d/root", (s32)t->pid);
		if (t->pid != t->tid || t->machine || file_access(path, F_OK))
			continue;
		o.pid = (s32)t->pid;
		history_each_mapping(f->history, history_space(f->history, t, &the_end),
				     own_mapping, &o);
	}
	f->owners = o.owners;
	f->owner_count = images;
}

static char *file_in_namespace(struct image_files *f, const struct image *img)
{
	char *path;

	find_owners(f);
	if (img->id >= f->owner_count || !f->owners[img->id])
		return NULL;
	path = path_in_process(f->owners[img->id], img->path);
	if (image_is_file(img, path))
		return path;
	free(path);
	path = mapped_path(img, f->owners[img->id]);
	if (path && image_is_file(img, path))
		return path;
	free(path);
	return NULL;
}

char *image_file(struct image_files *f, const struct image *img)
{
	char *path;

	if (img->kind != IMAGE_ELF)
		return NULL;
	/* this machine's file of that name is not the guest's */
	if (img->guest) {
		path = f->guestmount ? path_in_guest(f->guestmount, img->guest, img->path) : NULL;
		if (path && file_access(path, R_OK)) {
			free(path);
			path = NULL;
		}
		return path;
	}
	if (image_is_file(img, img->path))
		return xstrdup(img->path);
	path = file_in_namespace(f, img);
	return path || !f->held ? path : f->held(f->held_arg, img);
}

static int guest_kernel_id(const struct image_files *f, const struct image *img,
			   struct build_id *id)
{
	char *notes;
	int err;

	if (!f->guestmount)
		return -ENOENT;
	notes = xasprintf("%s/%u/sys/kernel/notes", f->guestmount, img->guest);
	err = build_id_of_notes(notes, id, NULL);
	free(notes);
	return err;
}

void image_add_build_id(struct strbuf *b, const struct image *img, const struct build_id *id)
{
	u16 misc = img->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	if (img->guest)
		misc = img->kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER;
	data_build_id_add(b, misc, img->guest ? (s32)img->guest : -1, id->id, id->size, img->path);
}

int image_find_build_id(const struct image_files *f, const struct image *img, const char *file,
			struct build_id *id)
{
	const struct build_id *known = known_find(f->known, img->path);

	if (known || img->build_id.size) {
		*id = known ? *known : img->build_id;
		return 0;
	}
	if (img->guest && img->kind != IMAGE_ELF)
		return img->kind == IMAGE_KERNEL ? guest_kernel_id(f, img, id) : -ENOENT;
	switch (img->kind) {
	case IMAGE_KERNEL:
		if (!f->kernel)
			return build_id_of_kernel(NULL, id, NULL);
		*id = *f->kernel;
		return 0;
	case IMAGE_MODULE:
		return build_id_of_module(NULL, img->name, id, NULL);
	case IMAGE_VDSO:
		return build_id_of_vdso(id, NULL);
	case IMAGE_ELF:
		if (f->held_id && f->held_id(f->held_arg, img, id))
			return id->size ? 0 : -ENOENT;
		return file ? build_id_of_file(file, id, NULL) : -ENOENT;
	default:
		return -ENOENT;
	}
}

void image_files_release(struct image_files *f)
{
	free(f->owners);
	f->owners = NULL;
}
