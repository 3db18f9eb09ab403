// SPDX-License-Identifier: GPL-2.0-or-later
/* Which table an image gets, made once however many ask. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/out.h"
#include "base/self_profile.h"
#include "base/text.h"
#include "base/trace.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/elf.h"
#include "object/locate.h"
#include "symbol/internal.h"

#define BLOCK_SLOTS 1024u
#define MAX_BLOCKS  4096u
/* perf maps of long-lived JITs reach several 100 MB. */
#define PERF_MAP_MAX ((off_t)1 << 32)

struct slot {
	_Atomic(struct symbol_table *) table;
	pthread_mutex_t lock; /* one loader, the others wait for it */
};

struct symbol_store {
	struct context *ctx;
	const struct image_table *images;
	struct symbol_options opts;
	char *symfs;
	struct object_search search;
	struct kernel_symbols *kernel;
	bool expects_changes;
	struct symbol_conditions conditions;
	pthread_mutex_t grow;
	_Atomic(struct slot *) blocks[MAX_BLOCKS];
	struct symbol_table *empty;
};

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static int check_file(const char *option, const char *path, struct reason *r)
{
	int fd = file_open(path, NULL), err = -fd;

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (err == EINVAL)
		reason_set(r, err, "%s: '%s' is not a regular file", option, path);
	else
		reason_errno(r, err, "%s: cannot read '%s'", option, path);
	if (str_starts(option, "--guest"))
		reason_hint(r, "copy the file out of the guest, as root there");
	else
		reason_hint(r, "without %s perf looks for the file itself", option);
	return -err;
}

int symbol_options_check(const struct symbol_options *o, struct reason *r)
{
	char *dir = NULL;
	bool flat;
	int err = o->symfs ? object_symfs_parse(o->symfs, &dir, &flat, r) : 0;

	free(dir);
	if (!err && o->kallsyms)
		err = check_file("--kallsyms", o->kallsyms, r);
	if (!err && o->guest_kallsyms)
		err = check_file("--guestkallsyms", o->guest_kallsyms, r);
	if (!err && o->guest_modules)
		err = check_file("--guestmodules", o->guest_modules, r);
	if (!err && o->guest_vmlinux)
		err = check_file("--guestvmlinux", o->guest_vmlinux, r);
	if (!err && o->guest_mount)
		err = guest_mount_check(o->guest_mount, r);
	return !err && o->vmlinux ? check_file("--vmlinux", o->vmlinux, r) : err;
}

struct symbol_store *symbol_store_new(struct context *ctx, const struct image_table *images,
				      const struct symbol_options *opts)
{
	struct symbol_store *s = xcalloc(1, sizeof(*s));

	s->ctx = s->conditions.ctx = ctx;
	s->images = images;
	s->opts = *opts;
	if (object_symfs_parse(or_empty(opts->symfs ? opts->symfs : ctx->symfs), &s->symfs,
			       &s->search.symfs_flat, NULL))
		s->symfs = xstrdup(""); /* checked before */
	s->opts.symfs = s->symfs;
	s->opts.buildid_dir = or_empty(opts->buildid_dir ? opts->buildid_dir : ctx->buildid_dir);
	s->search.symfs = s->opts.symfs;
	s->search.buildid_dir = s->opts.buildid_dir;
	s->search.servers = s->opts.servers;
	s->search.guest_mount = opts->guest_mount;
	if (opts->guest_mount)
		guest_mount_say_empty(ctx, opts->guest_mount);
	pthread_mutex_init(&s->conditions.lock, NULL);
	pthread_mutex_init(&s->grow, NULL);
	s->kernel = kernel_symbols_new(ctx, images, &s->opts, &s->conditions.lock);
	s->empty = symbol_table_new();
	return s;
}

void symbol_store_set_foreign(struct symbol_store *s)
{
	s->search.foreign_kernel = true;
	kernel_symbols_set_foreign(s->kernel);
}

void symbol_store_free(struct symbol_store *s)
{
	if (!s)
		return;
	for (size_t b = 0; b < MAX_BLOCKS; b++) {
		struct slot *slots = s->blocks[b];

		for (size_t i = 0; slots && i < BLOCK_SLOTS; i++) {
			symbol_table_free(slots[i].table);
			pthread_mutex_destroy(&slots[i].lock);
		}
		free(slots);
	}
	kernel_symbols_free(s->kernel);
	free(s->symfs);
	symbol_table_free(s->empty);
	pthread_mutex_destroy(&s->conditions.lock);
	pthread_mutex_destroy(&s->grow);
	free(s);
}

void symbol_store_sweep(struct symbol_store *s, const bool *named)
{
	u32 count = image_count(s->images);

	for (u32 i = 0; i < count && i / BLOCK_SLOTS < MAX_BLOCKS; i++) {
		struct slot *slots = atomic_load(&s->blocks[i / BLOCK_SLOTS]);

		if (!slots || named[i])
			continue;
		symbol_table_free(slots[i % BLOCK_SLOTS].table);
		atomic_store(&slots[i % BLOCK_SLOTS].table, NULL);
	}
}

void symbol_store_expect_changes(struct symbol_store *s)
{
	s->expects_changes = true;
}

static u64 table_bytes(const struct symbol_table *t)
{
	u64 each = sizeof(*t->symbols) + (t->by_name ? sizeof(*t->by_name) : 0);

	if (t->borrowed)
		each = 0;
	if (t->index) /* a page for each at most: the others were not touched */
		return sizeof(*t) + MIN(t->count * each, t->filled * 4096ULL);
	return sizeof(*t) + (t->ranges ? table_bytes(t->ranges) : 0) + t->count * each +
	       t->outer.space * sizeof(*t->outer.items) + t->bucket_count * sizeof(*t->buckets) +
	       t->text_size;
}

u64 symbol_store_bytes(const struct symbol_store *s)
{
	u32 count = image_count(s->images);
	u64 bytes = 0;

	for (u32 i = 0; i < count && i / BLOCK_SLOTS < MAX_BLOCKS; i++) {
		const struct slot *slots = atomic_load(&s->blocks[i / BLOCK_SLOTS]);
		const struct symbol_table *t =
			slots ? atomic_load(&slots[i % BLOCK_SLOTS].table) : NULL;

		for (; t; t = t->before)
			bytes += table_bytes(t);
	}
	return bytes;
}

void symbol_store_let_pages_go(struct symbol_store *s)
{
	u32 count = image_count(s->images);

	for (u32 i = 0; i < count && i / BLOCK_SLOTS < MAX_BLOCKS; i++) {
		struct slot *slots = atomic_load(&s->blocks[i / BLOCK_SLOTS]);
		struct symbol_table *t = slots ? atomic_load(&slots[i % BLOCK_SLOTS].table) : NULL;

		for (; t; t = t->before)
			symbol_table_let_pages_go(t);
	}
}

const struct symbol_table *symbols_if_loaded(const struct symbol_store *s, u32 image)
{
	const struct slot *slots = image / BLOCK_SLOTS < MAX_BLOCKS
					   ? atomic_load(&s->blocks[image / BLOCK_SLOTS])
					   : NULL;

	return slots ? atomic_load(&slots[image % BLOCK_SLOTS].table) : NULL;
}

struct context *store_context(const struct symbol_store *s)
{
	return s->ctx;
}

const struct image_table *store_images(const struct symbol_store *s)
{
	return s->images;
}

const struct symbol_options *store_options(const struct symbol_store *s)
{
	return &s->opts;
}

void symbol_store_keep(struct symbol_store *s,
		       const u8 *(*kept)(void *arg, const struct image *img, size_t *size),
		       void *arg)
{
	s->search.kept = kept;
	s->search.kept_arg = arg;
}

const struct object_search *symbol_store_search(const struct symbol_store *s)
{
	return &s->search;
}

bool symbol_store_takes_foreign(const struct symbol_store *s)
{
	return s->opts.foreign_maps;
}

/* ELF files */

static void seal_elf(struct symbol_store *s, struct symbol_table *t, const struct elf *object)
{
	struct symbol_list l = { VEC_INIT };
	bool demangle = !s->opts.no_demangle;

	elf_symbols_add(&l, &(struct elf_symbol_source){ .object = t->elf,
							 .debug = t->debug_elf,
							 .demangle = demangle,
							 .thrifty = s->expects_changes });
	symbol_list_sort(&l);
	symbol_list_bound(&l, t->elf, t->debug_elf);
	symbol_list_drop_duplicates(&l, t->demangle_params);
	if (object)
		plt_symbols_add(&l, object, &t->names, demangle, t->demangle_params);
	symbol_list_sort(&l);
	symbol_list_drop_duplicates(&l, t->demangle_params);
	symbol_table_seal(t, &l);
}

/*
 * Adds the debug file of an object without .symtab or, without one, the small table packed inside.
 */
static void add_debug_file(struct symbol_store *s, const struct image *img,
			   const struct object_file *object, struct symbol_table *t)
{
	struct object_file debug;
	struct reason r = REASON_INIT;
	int err;

	if (object->elf && elf_section(object->elf, ".symtab"))
		return;
	if (!object_open_debug(&s->search, img, object->elf ? object : NULL, &debug, NULL)) {
		t->debug_elf = debug.elf;
		t->origin = debug.origin;
		free(t->source);
		t->source = debug.path;
		return;
	}
	if (!object->elf)
		return;
	err = elf_open_debugdata(object->elf, &t->debug_elf, &r);
	if (err && err != -ENOENT)
		symbol_say(&s->conditions, CONDITION_WARNING, "debugdata-unreadable", img->path,
			   r.hint, r.text);
	reason_release(&r);
}

/* Lets the files' pages go: from here on names are read one by one. */
static void let_files_go(const struct symbol_table *t)
{
	elf_let_pages_go(t->elf);
	elf_let_pages_go(t->debug_elf);
}

/*
 * Reports whether another object has that name. Objects with one build ID are one, wherever they
 * are.
 */
static bool shares_name(const struct symbol_store *s, const struct image *img)
{
	u32 count = image_count(s->images);

	for (u32 i = 0; i < count; i++) {
		const struct image *other = image_get(s->images, i);

		if (other == img || other->kind != IMAGE_ELF || !other->name ||
		    strcmp(other->name, img->name))
			continue;
		if (img->build_id.size && other->build_id.size
			    ? !build_id_equal(&img->build_id, &other->build_id)
			    : strcmp(img->path, other->path))
			return true;
	}
	return false;
}

/*
 * Sets the name with which its functions without symbols begin: "[vdso+0xa40]". Where objects share
 * a name, the first digits of the build ID follow it, or it is the whole path: one name would join
 * their functions.
 */
static void name_object(const struct symbol_store *s, struct symbol_table *t,
			const struct image *img)
{
	size_t len = strlen(img->name);
	char id[41], *name;

	if (img->kind == IMAGE_VDSO && len > 2 && img->name[0] == '[') {
		t->object = arena_strndup(&t->names, img->name + 1, len - 2);
	} else if (img->kind == IMAGE_ELF) {
		if (!shares_name(s, img))
			name = xstrdup(img->name);
		else if (img->build_id.size)
			name = xasprintf("%s@%.8s", img->name, build_id_text(&img->build_id, id));
		else
			name = xstrdup(img->path);
		t->object = arena_strndup(&t->names, name, strlen(name));
		free(name);
	}
}

static struct symbol_table *load_elf(struct symbol_store *s, const struct image *img)
{
	struct symbol_table *t = symbol_table_new();
	struct object_file object;
	struct reason r = REASON_INIT;
	int err = object_open(&s->search, img, img->pid, &object, &r);

	t->demangle_params = s->ctx->verbose > 0;
	t->elf = object.elf;
	t->source = object.path;
	if (s->expects_changes && object.path)
		t->files.object = xstrdup(object.path);
	if (!err)
		t->origin = object.origin;
	if (!err && img->kind == IMAGE_ELF && !img->build_id.size)
		explain_path(&s->conditions, img, t);
	add_debug_file(s, img, &object, t);
	if (t->elf || t->debug_elf)
		seal_elf(s, t, t->elf);
	t->stripped = t->elf && !t->debug_elf && !elf_section(t->elf, ".symtab");
	if ((t->elf || t->debug_elf) && !t->count)
		explain_nameless(&s->conditions, img, t);
	if (t->elf || t->debug_elf)
		name_object(s, t, img);
	let_files_go(t);
	if (!t->elf && !t->debug_elf)
		explain_missing(&s->conditions, img, s->expects_changes, err, &r);
	reason_release(&r);
	return t;
}

/* perf-PID.map */

/* Refuses a link unless the caller or root made it: others could lead root anywhere. */
static int check_link(const char *path, struct reason *r)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode) || !st.st_uid || st.st_uid == geteuid())
		return 0;
	return reason_set(r, ELOOP, "'%s' is a symbolic link of another user and is not followed",
			  path);
}

/*
 * Opens a perf map that its own process or root wrote. Others could write names that control our
 * terminal.
 */
static int open_perf_map(const char *path, bool foreign, struct stat *st, struct reason *r)
{
	int err = check_link(path, r),
	    fd = err ? err : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (err)
		return err;
	if (fd < 0)
		return reason_errno(r, errno, "cannot open '%s'", path);
	if (fstat(fd, st) || !S_ISREG(st->st_mode) || st->st_size > PERF_MAP_MAX) {
		close(fd);
		return reason_set(r, EINVAL, "'%s' is not a perf map", path);
	}
	err = foreign ? 0 : file_check_owner(fd, path, r);
	if (err)
		close(fd);
	return err ? err : fd;
}

static int read_perf_map(const char *path, bool foreign, char **text, size_t *len,
			 struct file_stamp *stamp, struct reason *r)
{
	struct stat st = { 0 };
	int fd = open_perf_map(path, foreign, &st, r);
	off_t size = st.st_size;
	ssize_t n;

	if (st.st_ino)
		file_stamp_of(&st, stamp); /* also of a refused one */
	if (fd < 0)
		return fd;
	*text = malloc((size_t)size + 1);
	if (!*text) {
		close(fd);
		return reason_errno(r, ENOMEM, "cannot read '%s'", path);
	}
	n = read_all(fd, *text, (size_t)size);
	close(fd);
	if (n < 0) {
		free(*text);
		return reason_errno(r, (int)-n, "cannot read '%s'", path);
	}
	(*text)[n] = '\0';
	*len = (size_t)n;
	return 0;
}

/* Returns the innermost pid, the last one in NSpid, which lists them by namespace. */
s32 perf_map_pid(s32 pid)
{
	char *path = xasprintf("/proc/%d/status", pid);
	FILE *f = fopen(path, "re");
	char line[256];
	s32 inner = pid;

	free(path);
	while (f && fgets(line, sizeof(line), f)) {
		char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last && atoi(last) > 0)
			inner = atoi(last);
	}
	if (f)
		fclose(f);
	return inner;
}

/* Returns the path of the perf map, in the process's own root first: its /tmp need not be ours. */
char *perf_map_path(s32 pid, const char *symfs)
{
	char *path = xasprintf("/proc/%d/root/tmp/perf-%d.map", pid, perf_map_pid(pid));

	if (!file_access(path, F_OK))
		return path;
	free(path);
	return xasprintf("%s/tmp/perf-%d.map", symfs, pid);
}

/*
 * Returns the copy that the recorder kept, if this user may read one, else the process's own. The
 * caller frees it.
 */
static char *find_perf_map(const struct symbol_store *s, const struct image *img, bool *kept)
{
	char *copy =
		img->build_id.size ? cache_find(s->opts.buildid_dir, &img->build_id, "elf") : NULL;

	*kept = copy && !file_access(copy, R_OK);
	if (*kept)
		return copy;
	free(copy);
	return perf_map_path(img->pid, s->opts.symfs);
}

static struct symbol_table *load_perf_map(struct symbol_store *s, const struct image *img)
{
	struct symbol_table *t = symbol_table_new();
	bool kept;
	char *path = find_perf_map(s, img, &kept);
	struct symbol_list l = { VEC_INIT };
	struct reason r = REASON_INIT;
	size_t len = 0;
	u64 overlaps;
	int err = read_perf_map(path, kept || s->opts.foreign_maps, &t->text, &len, &t->files.text,
				&r);

	if (err) {
		t->text = NULL;
		t->files.unread = true;
		if (!t->files.text.inode && file_stamp(path, &t->files.text))
			t->files.text.inode = 0; /* no such file */
		symbol_say(&s->conditions, err == -ENOENT ? CONDITION_NOTE : CONDITION_WARNING,
			   "no-perf-map", path, r.hint, r.text);
		reason_release(&r);
		free(path);
		return t;
	}
	t->text_size = len;
	overlaps = perf_map_parse(t->text, len, &l);
	if (overlaps) {
		char *text = xasprintf(
			"'%s' gives one address to several functions; the later line is used",
			path);

		symbol_say_often(&s->conditions, CONDITION_NOTE, "perf-map-overlaps", path,
				 overlaps, NULL, text);
		free(text);
	}
	t->source = path;
	t->origin = 'j';
	symbol_table_seal(t, &l);
	return t;
}

/* Makes a table of one symbol for BPF programs and trampolines: the image is the symbol. */
static struct symbol_table *load_one_symbol(const struct image *img)
{
	struct symbol_table *t = symbol_table_new();
	struct symbol_list l = { VEC_INIT };

	symbol_list_add(&l, img->addr, img->size, STB_GLOBAL,
			arena_strndup(&t->names, img->path, strlen(img->path)), NAME_FINAL);
	symbol_table_seal(t, &l);
	return t;
}

/*
 * Makes the symbols of the vsyscall page, which has no file. Its entries are where the ABI of
 * x86-64 puts them.
 */
static struct symbol_table *load_vsyscall(void)
{
	static const struct {
		u64 offset;
		const char *name;
	} entries[] = {
		{ 0x000, "vgettimeofday" },
		{ 0x400, "vtime" },
		{ 0x800, "vgetcpu" },
	};
	struct symbol_table *t = symbol_table_new();
	struct symbol_list l = { VEC_INIT };

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		symbol_list_add(&l, entries[i].offset, 0x400, STB_GLOBAL, entries[i].name,
				NAME_FINAL);
	symbol_table_seal(t, &l);
	return t;
}

static struct symbol_table *load_any(struct symbol_store *s, const struct image *img)
{
	switch (img->kind) {
	case IMAGE_ELF:
	case IMAGE_VDSO:
	case IMAGE_DUMP:
		return load_elf(s, img);
	case IMAGE_KERNEL:
		return kernel_symbols_load(s->kernel, img);
	case IMAGE_MODULE:
		return kernel_symbols_load_module(s->kernel, &s->search, img);
	case IMAGE_BPF:
		return load_one_symbol(img);
	case IMAGE_VSYSCALL:
		return load_vsyscall();
	case IMAGE_JIT:
		return img->pid >= 0 ? load_perf_map(s, img) : symbol_table_new();
	default:
		return symbol_table_new();
	}
}

/* Notes the files of an object, which reads what it says about its debug file. */
static void note_files(struct symbol_store *s, struct symbol_table *t, const struct image *img,
		       u64 from)
{
	source_files_note(t, &s->search, img, from);
	let_files_go(t);
}

static struct symbol_table *load(struct symbol_store *s, const struct image *img)
{
	u64 from = s->expects_changes ? source_files_cpu_now() : 0;
	struct symbol_table *t;

	phase_begin("load a table of symbols");
	t = load_any(s, img);
	t->copies_names = s->expects_changes;
	if (s->expects_changes)
		note_files(s, t, img, from);
	phase_end();
	TRACE(symbol, "'%s': %zu symbols, from %s%s%s", img->path, (size_t)t->count,
	      t->source ? "'" : "no file", t->source ? t->source : "", t->source ? "'" : "");
	return t;
}

static struct slot *slot_of(struct symbol_store *s, u32 image)
{
	_Atomic(struct slot *) *block = &s->blocks[image / BLOCK_SLOTS];
	struct slot *slots = atomic_load(block);

	if (unlikely(!slots)) {
		pthread_mutex_lock(&s->grow);
		slots = atomic_load(block);
		if (!slots) {
			slots = xcalloc(BLOCK_SLOTS, sizeof(*slots));
			for (size_t i = 0; i < BLOCK_SLOTS; i++)
				pthread_mutex_init(&slots[i].lock, NULL);
			atomic_store(block, slots);
		}
		pthread_mutex_unlock(&s->grow);
	}
	return &slots[image % BLOCK_SLOTS];
}

const struct symbol_table *symbols_of(struct symbol_store *s, u32 image)
{
	struct symbol_table *t;
	struct slot *slot;

	if (unlikely(image / BLOCK_SLOTS >= MAX_BLOCKS || image >= image_count(s->images)))
		return s->empty;
	slot = slot_of(s, image);
	t = atomic_load_explicit(&slot->table, memory_order_acquire);
	if (likely(t))
		return t;
	pthread_mutex_lock(&slot->lock);
	t = atomic_load(&slot->table);
	if (!t) {
		t = load(s, image_get(s->images, image));
		atomic_store_explicit(&slot->table, t, memory_order_release);
	}
	pthread_mutex_unlock(&slot->lock);
	return t;
}

/* Renewal */

static bool table_differs(struct symbol_store *s, struct symbol_table *t, const struct image *img)
{
	bool kept;
	char *perf_map =
		img->kind == IMAGE_JIT && img->pid >= 0 ? find_perf_map(s, img, &kept) : NULL;
	bool differs = (img->kind == IMAGE_ELF || perf_map) &&
		       source_files_differ(t, &s->search, img, perf_map);

	free(perf_map);
	return differs;
}

/*
 * Reports whether a perf map is worse than the one before: it cannot be read, or another process
 * has left it.
 */
static bool is_worse(const struct symbol_table *t, const struct symbol_table *before,
		     const struct image *img)
{
	if (img->kind != IMAGE_JIT)
		return false;
	return t->files.unread || t->files.process != before->files.process;
}

/* Returns false where the table stays. */
static bool renew_table(struct symbol_store *s, struct slot *slot, const struct image *img)
{
	struct symbol_table *before = slot->table, *t;

	TRACE(symbol, "'%s' or its debug file has changed", img->path);
	t = load(s, img);

	if (is_worse(t, before, img)) {
		/* it is tried again when the file has changed */
		before->files.text = t->files.text;
		before->files.made = t->files.made;
		before->files.took = t->files.took;
		symbol_table_free(t);
		return false;
	}
	symbol_table_free(before->before);
	before->before = NULL;
	t->before = before;
	t->first = before->first ^ SECOND_NUMBERS;
	atomic_store(&slot->table, t);
	return true;
}

bool symbol_store_renew(struct symbol_store *s, bool *images)
{
	u32 count = image_count(s->images);
	bool any = false;

	s->conditions.renews = true;
	for (u32 i = 0; i < count && i / BLOCK_SLOTS < MAX_BLOCKS; i++) {
		struct slot *slots = atomic_load(&s->blocks[i / BLOCK_SLOTS]);
		struct symbol_table *t = slots ? atomic_load(&slots[i % BLOCK_SLOTS].table) : NULL;
		const struct image *img = image_get(s->images, i);

		images[i] = images[i] && t && table_differs(s, t, img) &&
			    renew_table(s, &slots[i % BLOCK_SLOTS], img);
		any |= images[i];
	}
	s->conditions.renews = false;
	return any;
}

void symbol_store_drop_replaced(struct symbol_store *s)
{
	u32 count = image_count(s->images);

	for (u32 i = 0; i < count && i / BLOCK_SLOTS < MAX_BLOCKS; i++) {
		struct slot *slots = atomic_load(&s->blocks[i / BLOCK_SLOTS]);
		struct symbol_table *t = slots ? atomic_load(&slots[i % BLOCK_SLOTS].table) : NULL;

		if (!t)
			continue;
		symbol_table_free(t->before);
		t->before = NULL;
	}
}
