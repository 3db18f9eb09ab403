// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/image.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/segments.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vec.h"
#include "jit/code.h"

struct image_table {
	pthread_mutex_t lock;     /* guards everything but the reading of images */
	struct segments images;   /* elements are struct image */
	struct segments links;    /* struct links by image */
	struct map64 by_identity; /* hash -> newest image */
	struct strmap by_path;    /* path (a module's name) -> newest image */
	VEC(u32) unused;          /* ids of dropped images */
};

/* Lists of images; 0 ends them. */
struct links {
	u64 hash;                 /* the hash of its identity when it was added */
	u32 same_hash, same_path; /* the next one */
	bool dropped;
};

static struct image *image_at(const struct image_table *t, u32 id)
{
	return segments_at(&t->images, sizeof(struct image), id);
}

static bool is_anonymous(const char *path)
{
	return !strcmp(path, "//anon") || str_starts(path, "/dev/zero") ||
	       str_starts(path, "/anon_hugepage");
}

/* Reports whether the name is of memory without a file that may hold generated code. */
static bool is_plain_memory(const char *path)
{
	return is_anonymous(path) || str_starts(path, "[stack") || str_starts(path, "[anon") ||
	       str_starts(path, "/SYSV") || !strcmp(path, "[heap]");
}

static bool is_kernel_name(const char *path)
{
	return str_starts(path, "[kernel.kallsyms]") || str_starts(path, "[guest.kernel.kallsyms");
}

static enum image_kind classify_kernel(const char *path)
{
	if (is_kernel_name(path))
		return IMAGE_KERNEL;
	if (str_starts(path, "bpf_"))
		return IMAGE_BPF;
	if (path[0] == '/' || path[0] == '[')
		return IMAGE_MODULE;
	return IMAGE_KERNEL; /* "__entry_SYSCALL_64_trampoline" and the like */
}

enum image_kind image_classify(const char *path, bool kernel, bool exec)
{
	if (kernel || is_kernel_name(path))
		return classify_kernel(path);
	if (!strcmp(path, "[vdso]") || !strcmp(path, "[vdso32]") || !strcmp(path, "[vdsox32]"))
		return IMAGE_VDSO;
	if (!strcmp(path, "[vsyscall]"))
		return IMAGE_VSYSCALL;
	if (is_plain_memory(path))
		return exec ? IMAGE_JIT : IMAGE_OTHER;
	if (path[0] == '[')
		return IMAGE_OTHER;
	return IMAGE_ELF;
}

bool image_may_be_generated(const char *path)
{
	return str_starts(path, "/memfd:") || str_starts(path, "/dev/shm/") ||
	       str_ends(path, " (deleted)");
}

bool image_is_jit_path(const char *path)
{
	int pid, end = 0;

	return sscanf(path, "/tmp/perf-%d.map%n", &pid, &end) == 1 && end && !path[end];
}

/*
 * Reports whether a file of that name holds no program. It may be unlinked as soon as it is mapped,
 * so `gone` decides for a missing file. Programs are ELF, or Windows programs, which Wine maps.
 */
static bool is_not_program(const char *path, bool gone)
{
	char magic[4] = "";
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st))
		return gone;
	fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return false;
	n = read(fd, magic, sizeof(magic));
	close(fd);
	return n >= 0 && memcmp(magic, "\177ELF", 4) && memcmp(magic, "MZ", 2);
}

enum image_kind image_classify_mapping(const char *path, bool exec, u32 prot, u32 flags)
{
	enum image_kind kind = image_classify(path, false, exec);

	if (kind != IMAGE_ELF || !exec || !(flags & MAP_SHARED || prot & PROT_WRITE))
		return kind;
	if (image_may_be_generated(path) ||
	    (!jitdump_names(path) && is_not_program(path, flags & MAP_SHARED)))
		return IMAGE_JIT;
	return kind;
}

/*
 * Returns "[guest.kernel.kallsyms.12]_text" without the part after the bracket. The caller frees
 * it.
 */
static char *kernel_path(const char *path)
{
	const char *end = strchr(path, ']');

	if (!is_kernel_name(path) || !end)
		return xstrdup(path);
	return xstrndup(path, (size_t)(end - path) + 1);
}

/*
 * Returns the name of a module: "/lib/modules/6.1/kernel/fs/crypto-x.ko.xz" -> "[crypto_x]". The
 * caller frees it.
 */
static char *module_name(const char *path)
{
	const char *base = path_base(path);
	const char *end = strstr(base, ".ko");
	char *name;

	if (path[0] == '[')
		return xstrdup(path);
	if (!end || (end[3] && end[3] != '.'))
		return xstrdup(base);
	name = xasprintf("[%.*s]", (int)(end - base), base);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static char *shown_name(const struct image *im)
{
	switch (im->kind) {
	case IMAGE_UNKNOWN:
		return xstrdup("[unknown]");
	case IMAGE_MODULE:
		return module_name(im->path);
	case IMAGE_JIT:
		return xasprintf("[JIT] tid %d", im->pid);
	case IMAGE_ELF:
	case IMAGE_OTHER:
	case IMAGE_DUMP:
		return xstrdup(path_base(im->path));
	default:
		return xstrdup(im->path);
	}
}

/*
 * Brings what the caller wants to its common form, without copying its strings. Returns the path,
 * which the caller frees.
 */
static char *settle(struct image *im, const struct image *want)
{
	*im = *want;
	if (im->kind == IMAGE_UNKNOWN)
		im->kind = image_classify(want->path, want->kernel, true);
	im->kernel = im->kind == IMAGE_KERNEL || im->kind == IMAGE_MODULE || im->kind == IMAGE_BPF;
	if (im->kind != IMAGE_JIT && im->kind != IMAGE_DUMP)
		im->pid = -1;
	if (im->kind != IMAGE_DUMP)
		im->part = 0;
	if (im->kind == IMAGE_ELF || im->kind == IMAGE_DUMP || im->kind == IMAGE_VDSO ||
	    im->kind == IMAGE_OTHER)
		im->addr = im->size = 0; /* they are the mapping's, not the object's */
	if (im->kind == IMAGE_JIT) {     /* one for each process, for all of its memory */
		im->maj = im->min = 0;
		im->ino = im->ino_generation = 0;
		im->build_id.size = 0;
		return xasprintf("/tmp/perf-%d.map", im->pid);
	}
	return im->kind == IMAGE_KERNEL ? kernel_path(want->path) : xstrdup(want->path);
}

/*
 * Returns the generation of a jitdump file's inode, or 0 for other files. Inode numbers are reused,
 * soon on file systems in memory: a container's jitdump file can have that of the container before
 * it, on a device with the same number. Other files do without, because /proc/PID/maps does not
 * have the generation.
 */
static u64 generation(const struct image *im, const char *path)
{
	return im->kind == IMAGE_ELF && jitdump_names(path) ? im->ino_generation : 0;
}

static u64 identity(const struct image *im, const char *path)
{
	u64 h = hash_combine(hash_str(path), im->kind);

	h = hash_combine(h, (u64)im->guest << 32 | (u32)im->pid);
	h = hash_combine(h, im->kind == IMAGE_KERNEL ? 0 : im->addr);
	h = hash_combine(h, im->ino);
	h = hash_combine(h, (u64)im->maj << 32 | im->min);
	h = hash_combine(h, generation(im, path));
	h = hash_combine(h, im->part);
	return hash_combine(h,
			    im->build_id.size ? hash_bytes(im->build_id.id, im->build_id.size) : 0);
}

static bool same_build_id(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->id, b->id, a->size);
}

static bool same_image(const struct image *a, const struct image *b, const char *path)
{
	return a->kind == b->kind && a->guest == b->guest && a->pid == b->pid &&
	       a->part == b->part && (a->kind == IMAGE_KERNEL || a->addr == b->addr) &&
	       a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       generation(a, path) == generation(b, path) &&
	       same_build_id(&a->build_id, &b->build_id) && !strcmp(a->path, path);
}

static struct links *links_at(const struct image_table *t, u32 id)
{
	return segments_at(&t->links, sizeof(struct links), id);
}

/*
 * Links an image into the lists by path and by hash. A module is known by file name or as "[ext4]";
 * the latter joins both.
 */
static void link_image(struct image_table *t, const struct image *im)
{
	struct links *l = links_at(t, im->id);
	u64 *head = strmap_put(&t->by_path, image_script_name(im), NULL);

	l->same_path = (u32)*head;
	*head = im->id;
	head = map64_put(&t->by_identity, l->hash, NULL);
	l->same_hash = (u32)*head;
	*head = im->id;
}

static u32 next_id(struct image_table *t)
{
	u32 id, unused;

	if (t->unused.count)
		return t->unused.items[--t->unused.count];
	segments_next(&t->links, sizeof(struct links), &unused);
	segments_publish(&t->links);
	segments_next(&t->images, sizeof(struct image), &id);
	return id;
}

static u32 add_image(struct image_table *t, const struct image *im, const char *path, u64 hash)
{
	u32 id = next_id(t);
	struct image *new = image_at(t, id);

	*new = *im;
	new->id = id;
	new->path = xstrdup(path);
	new->name = shown_name(new);
	if (new->reference_name)
		new->reference_name = xstrdup(new->reference_name);
	*links_at(t, id) = (struct links){ .hash = hash };
	if (id == segments_count(&t->images))
		segments_publish(&t->images);
	link_image(t, new);
	return id;
}

static void release_image(struct image *im)
{
	free((char *)(uintptr_t)im->path);
	free((char *)(uintptr_t)im->name);
	free((char *)(uintptr_t)im->reference_name);
}

static void note_code(struct image *have, const struct image_code *new)
{
	for (size_t i = 0; new->size &&i < IMAGE_CODES; i++) {
		struct image_code *c = &have->code[i];

		if (!c->size)
			*c = *new;
		if (c->pgoff == new->pgoff && c->size == new->size)
			return;
	}
}

u32 image_intern(struct image_table *t, const struct image *want)
{
	struct image im;
	char *path = settle(&im, want);
	const u64 *head;
	u64 hash;
	u32 id;

	if (im.build_id.size > sizeof(im.build_id.id))
		im.build_id.size = 0;
	hash = identity(&im, path);
	pthread_mutex_lock(&t->lock);
	head = map64_get(&t->by_identity, hash);
	id = head ? (u32)*head : 0;
	while (id && !same_image(image_at(t, id), &im, path))
		id = links_at(t, id)->same_hash;
	if (!id) {
		id = add_image(t, &im, path, hash);
	} else if (im.owner) {
		struct image *have = image_at(t, id);

		have->owner = im.owner;
		have->extent = MAX(have->extent, im.extent);
		note_code(have, &im.code[0]);
	}
	pthread_mutex_unlock(&t->lock);
	free(path);
	return id;
}

struct image_table *image_table_new(void)
{
	struct image_table *t = xcalloc(1, sizeof(*t));
	const struct image unknown = { .kind = IMAGE_UNKNOWN, .pid = -1 };

	pthread_mutex_init(&t->lock, NULL);
	add_image(t, &unknown, "[unknown]", 0);
	return t;
}

void image_table_free(struct image_table *t)
{
	if (!t)
		return;
	pthread_mutex_destroy(&t->lock);
	for (u32 i = 0; i < segments_count(&t->images); i++)
		if (!links_at(t, i)->dropped)
			release_image(image_at(t, i));
	segments_release(&t->images);
	segments_release(&t->links);
	map64_release(&t->by_identity);
	strmap_release(&t->by_path);
	vec_release(&t->unused);
	free(t);
}

/* Drops an image. Until its id is reused it looks like the unknown image. */
static void drop_image(struct image_table *t, u32 id)
{
	release_image(image_at(t, id));
	*image_at(t, id) = *image_at(t, 0);
	image_at(t, id)->id = id;
	links_at(t, id)->dropped = true;
	vec_push(&t->unused, id);
}

void image_table_sweep(struct image_table *t, const bool *named)
{
	u32 count = segments_count(&t->images);

	map64_release(&t->by_identity);
	strmap_release(&t->by_path);
	for (u32 i = 1; i < count; i++)
		if (!named[i] && !links_at(t, i)->dropped)
			drop_image(t, i);
	for (u32 i = 0; i < count; i++)
		if (!links_at(t, i)->dropped)
			link_image(t, image_at(t, i));
}

const struct image *image_get(const struct image_table *t, u32 id)
{
	return image_at(t, id < segments_count(&t->images) ? id : 0);
}

u32 image_count(const struct image_table *t)
{
	return segments_count(&t->images);
}

static void give_build_id(struct image_table *t, const char *path, bool kernel, u32 guest,
			  const struct build_id *id)
{
	const u64 *head = strmap_get(&t->by_path, path);

	for (u32 i = head ? (u32)*head : 0; i; i = links_at(t, i)->same_path) {
		struct image *im = image_at(t, i);

		/* the object of a jitdump file is not that file */
		if (im->kind != IMAGE_DUMP && !im->build_id.size && im->kernel == kernel &&
		    im->guest == guest)
			im->build_id = *id;
	}
}

/*
 * Reports whether the path names a vmlinux. Debian's perf stores the kernel's build-id under the
 * path of the vmlinux that it found.
 */
static bool names_vmlinux(const char *path)
{
	return path[0] != '[' && !strncmp(path_base(path), "vmlinux", 7) && !strstr(path, ".ko");
}

void image_apply_build_id(struct image_table *t, const char *path, bool kernel, u32 guest,
			  const struct build_id *id)
{
	char *common = kernel ? kernel_path(path) : xstrdup(path);

	pthread_mutex_lock(&t->lock);
	give_build_id(t, common, kernel, guest, id);
	free(common);
	if (kernel && names_vmlinux(path)) {
		give_build_id(t, "[kernel.kallsyms]", kernel, guest, id);
		give_build_id(t, "[guest.kernel.kallsyms]", kernel, guest, id);
	} else if (kernel) {
		common = module_name(path);
		give_build_id(t, common, kernel, guest, id);
		free(common);
	}
	pthread_mutex_unlock(&t->lock);
}

const char *build_id_text(const struct build_id *id, char buf[41])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = MIN(id->size, sizeof(id->id));

	for (size_t i = 0; i < n; i++) {
		buf[2 * i] = digits[id->id[i] >> 4];
		buf[2 * i + 1] = digits[id->id[i] & 15];
	}
	buf[2 * n] = '\0';
	return buf;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int build_id_parse(const char *hex, struct build_id *id)
{
	struct build_id parsed = { 0 };
	size_t n = strlen(hex);

	if (!n || n % 2 || n / 2 > sizeof(parsed.id))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		int v = hex_digit(hex[i]);

		if (v < 0)
			return -EINVAL;
		parsed.id[i / 2] = (u8)(parsed.id[i / 2] << 4 | v);
	}
	parsed.size = (u8)(n / 2);
	*id = parsed;
	return 0;
}
