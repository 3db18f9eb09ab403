// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies the running kernel's code, beside a recording or into the build-id cache:
 *
 *	RECORDING/kcore_dir/{kcore,kallsyms,modules}
 *	DIR/[kernel.kcore]/HEX/YYYYMMDDhhmmsscc/{kcore,kallsyms,modules}
 *
 * The copy of kcore holds the kernel's text and the modules, not all of memory. Layout and choice
 * are shared with other perfs.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/out.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/internal.h"

enum { PAGE = 4096, MOST_SEGMENTS = 4096 };

struct range {
	u64 start, end;
};

struct kcore {
	char *from; /* directory of kcore, kallsyms, modules */
	struct build_id id;
	struct range text, modules; /* end is 0 if there are none */
};

/*
 * Finds the kernel's id: for "/mnt/proc/kcore" from the notes in /mnt/sys, for a copy from the
 * directory named by its id.
 */
static int find_id(struct kcore *k, struct reason *r)
{
	char *root = xstrdup(k->from), *end = strrchr(root, '/'), *notes;
	int above = end ? (int)(end - root) : (int)strlen(root), err;

	notes = xasprintf("%.*s/sys/kernel/notes", above, k->from);
	err = build_id_of_notes(notes, &k->id, NULL);
	free(notes);
	while (err && (end = strrchr(root, '/'))) {
		if (strlen(end + 1) == 40)
			err = build_id_parse(end + 1, &k->id);
		*end = '\0';
	}
	free(root);
	if (!err)
		return 0;
	reason_set(r, ENOENT, "the build-id of the kernel in '%s' cannot be found", k->from);
	return -ENOENT;
}

static FILE *open_beside(const struct kcore *k, const char *name, struct reason *r)
{
	char *path = xasprintf("%s/%s", k->from, name);
	FILE *f = file_stream(path, r);

	/* a kernel without support for modules has no list */
	if (!f && errno == ENOENT && !strcmp(name, "modules"))
		f = file_stream("/dev/null", r);
	free(path);
	return f;
}

static int read_text_range(struct kcore *k, struct reason *r)
{
	FILE *f = open_beside(k, "kallsyms", r);
	char *line = NULL, type, name[64];
	unsigned long long addr;
	size_t space = 0;
	const char *hint;
	char *path;

	if (!f)
		return -r->err;
	while (getline(&line, &space, f) > 0) {
		if (sscanf(line, "%llx %c %63s", &addr, &type, name) != 3 || strchr(line, '['))
			continue;
		if (!strcmp(name, "_stext") || (!strcmp(name, "_text") && !k->text.start))
			k->text.start = addr & ~(u64)(PAGE - 1);
		else if (!strcmp(name, "_etext"))
			k->text.end = ALIGN_UP((u64)addr, PAGE);
	}
	free(line);
	fclose(f);
	if (k->text.start && k->text.end > k->text.start)
		return 0;
	reason_set(r, EPERM, "'%s/kallsyms' shows no addresses of the kernel", k->from);
	path = xasprintf("%s/kallsyms", k->from);
	kallsyms_hidden(path, &hint);
	reason_hint(r, "%s", hint);
	free(path);
	return -EPERM;
}

/* Reads the range of all modules from lines "name size users deps state 0xaddr". */
static int read_module_range(struct kcore *k, struct reason *r)
{
	FILE *f = open_beside(k, "modules", r);
	char *line = NULL;
	size_t space = 0;

	if (!f)
		return -r->err;
	while (getline(&line, &space, f) > 0) {
		const char *at = strstr(line, " 0x");
		unsigned long long addr, size;

		if (!at || sscanf(at, " %llx", &addr) != 1 ||
		    sscanf(line, "%*s %llu", &size) != 1 || !addr)
			continue;
		if (!k->modules.end || addr < k->modules.start)
			k->modules.start = addr & ~(u64)(PAGE - 1);
		k->modules.end = MAX(k->modules.end, ALIGN_UP((u64)addr + size, PAGE));
	}
	free(line);
	fclose(f);
	return 0;
}

/* The part of a range that is in a segment, to be copied. */
struct piece {
	Elf64_Phdr out;
	u64 from; /* offset in the source */
};

struct pieces {
	struct piece items[16];
	unsigned count;
};

static void take_range(struct pieces *p, const Elf64_Phdr *s, const struct range *range)
{
	u64 start = MAX(s->p_vaddr, range->start), end = MIN(s->p_vaddr + s->p_filesz, range->end);

	if (s->p_type != PT_LOAD || start >= end || p->count == ARRAY_SIZE(p->items))
		return;
	p->items[p->count].out = *s;
	p->items[p->count].out.p_vaddr = p->items[p->count].out.p_paddr = start;
	p->items[p->count].out.p_filesz = p->items[p->count].out.p_memsz = end - start;
	p->items[p->count].out.p_align = PAGE;
	p->items[p->count++].from = s->p_offset + (start - s->p_vaddr);
}

static int copy_range(int from, u64 at, int to, u64 size, struct reason *r)
{
	u8 *buffer = xmalloc(1 << 16);
	int err = 0;

	while (size && !err) {
		ssize_t n = pread(from, buffer, MIN(size, 1ULL << 16), (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			err = reason_errno(r, n ? errno : EIO,
					   "cannot read kcore at offset %#" PRIx64, at);
		else if ((err = write_all(to, buffer, (size_t)n)))
			reason_errno(r, -err, "cannot write the copy of kcore");
		at += n > 0 ? (u64)n : 0;
		size -= n > 0 ? (u64)n : 0;
	}
	free(buffer);
	return err;
}

static int choose(const struct kcore *k, int fd, Elf64_Ehdr *h, struct pieces *p, struct reason *r)
{
	if (pread(fd, h, sizeof(*h), 0) != sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_phentsize != sizeof(Elf64_Phdr) ||
	    h->e_phnum > MOST_SEGMENTS)
		return reason_set(r, ENOEXEC,
				  "'%s/kcore' is not a kernel core of this machine's architecture",
				  k->from);
	for (unsigned i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr s;

		if (pread(fd, &s, sizeof(s), (off_t)(h->e_phoff + i * sizeof(s))) != sizeof(s))
			break;
		take_range(p, &s, &k->text);
		if (k->modules.end)
			take_range(p, &s, &k->modules);
	}
	return p->count ? 0
			: reason_set(r, ENODATA, "'%s/kcore' does not hold the kernel's text",
				     k->from);
}

static void hint_unreadable(int err, struct reason *r)
{
	if (err == -ENOENT)
		reason_hint(r, "the kernel has it with CONFIG_PROC_KCORE");
	else if (err == -EACCES || err == -EPERM)
		reason_hint(r, "as root, where the kernel is not locked down");
}

static int copy_core(const struct kcore *k, const char *to_path, struct reason *r)
{
	char *path = xasprintf("%s/kcore", k->from);
	struct pieces p = { .count = 0 };
	int fd = file_open(path, r), to = -1, err;
	Elf64_Ehdr h;
	u64 at;

	if (fd < 0) {
		err = fd;
		hint_unreadable(err, r);
		goto out;
	}
	err = choose(k, fd, &h, &p, r);
	if (err)
		goto out;
	to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
	if (to < 0) {
		err = reason_errno(r, errno, "cannot write '%s'", to_path);
		goto out;
	}
	h.e_phoff = sizeof(h);
	h.e_phnum = (Elf64_Half)p.count;
	h.e_shoff = 0;
	h.e_shnum = h.e_shstrndx = 0;
	err = write_all(to, &h, sizeof(h));
	at = ALIGN_UP(sizeof(h) + p.count * sizeof(Elf64_Phdr), PAGE);
	for (unsigned i = 0; i < p.count && !err; i++) {
		p.items[i].out.p_offset = at;
		at += p.items[i].out.p_filesz;
		err = write_all(to, &p.items[i].out, sizeof(Elf64_Phdr));
	}
	if (err)
		reason_errno(r, -err, "cannot write '%s'", to_path);
	for (unsigned i = 0; i < p.count && !err; i++) {
		lseek(to, (off_t)p.items[i].out.p_offset, SEEK_SET);
		err = copy_range(fd, p.items[i].from, to, p.items[i].out.p_filesz, r);
	}
out:
	if (to >= 0 && close(to) && !err)
		err = reason_errno(r, errno, "cannot write '%s'", to_path);
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

static int copy_text(const struct kcore *k, const char *home, const char *name, struct reason *r)
{
	char *to = xasprintf("%s/%s", home, name), buffer[1 << 16];
	FILE *in = open_beside(k, name, r);
	int fd = in ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400) : -1;
	int err = in ? 0 : -r->err;
	size_t n;

	if (in && fd < 0)
		err = reason_errno(r, errno, "cannot write '%s'", to);
	while (!err && (n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		if ((err = write_all(fd, buffer, n)))
			reason_errno(r, -err, "cannot write '%s'", to);
	if (in)
		fclose(in);
	if (fd >= 0 && close(fd) && !err)
		err = reason_errno(r, errno, "cannot write '%s'", to);
	free(to);
	return err;
}

static bool same_text(const char *a, const char *b)
{
	FILE *x = file_stream(a, NULL), *y = file_stream(b, NULL);
	bool same = x && y;
	int c;

	while (same && (c = getc(x)) == getc(y) && c != EOF)
		;
	same = same && feof(x) && feof(y);
	if (x)
		fclose(x);
	if (y)
		fclose(y);
	return same;
}

/* Returns the directory of the same kernel with the same modules at the same places, or NULL. */
static char *find_same(const struct kcore *k, const char *versions)
{
	char *modules = xasprintf("%s/modules", k->from), *found = NULL;
	DIR *d = opendir(versions);
	struct dirent *e;

	while (d && !found && (e = readdir(d))) {
		char *theirs = xasprintf("%s/%s/modules", versions, e->d_name);

		if (e->d_name[0] != '.' && same_text(modules, theirs))
			found = xasprintf("%s/%s", versions, e->d_name);
		free(theirs);
	}
	if (d)
		closedir(d);
	free(modules);
	return found;
}

/*
 * Returns a new directory's name: the time to a hundredth of a second, or the next free one. The
 * caller frees it.
 */
static char *new_version(const char *versions)
{
	struct timespec now;
	char *home = NULL;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_nsec -= now.tv_nsec % 10000000;
	do {
		struct tm tm;
		char text[32];

		free(home);
		localtime_r(&now.tv_sec, &tm);
		strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
		home = xasprintf("%s/%s%02ld", versions, text, now.tv_nsec / 10000000);
		now.tv_nsec += 10000000;
		if (now.tv_nsec == 1000000000) {
			now.tv_sec++;
			now.tv_nsec = 0;
		}
	} while (!file_access(home, F_OK));
	return home;
}

static void remove_version(const char *home)
{
	static const char *const names[] = { "kcore", "kallsyms", "modules" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("%s/%s", home, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(home);
}

static int add_version(const struct kcore *k, const char *home, struct reason *r)
{
	char *core = xasprintf("%s/kcore", home);
	int err = cache_make_dirs(home);

	if (err)
		reason_errno(r, -err, "cannot make '%s'", home);
	if (!err)
		err = copy_text(k, home, "kallsyms", r);
	if (!err)
		err = copy_text(k, home, "modules", r);
	if (!err)
		err = copy_core(k, core, r);
	if (err)
		remove_version(home);
	free(core);
	return err;
}

static int read_ranges(struct kcore *k, struct reason *r)
{
	int err = read_text_range(k, r);

	return err ? err : read_module_range(k, r);
}

int kcore_check(const char *from, struct reason *r)
{
	struct kcore k = { .from = xstrdup(from) };
	char *path = xasprintf("%s/kcore", from);
	int fd = file_open(path, r), err;

	if (fd < 0) {
		err = fd;
		hint_unreadable(err, r);
	} else {
		close(fd);
		err = read_ranges(&k, r);
	}
	free(path);
	free(k.from);
	return err;
}

int kcore_copy(const char *from, const char *home, struct reason *r)
{
	struct kcore k = { .from = xstrdup(from) };
	int err = read_ranges(&k, r);

	if (!err)
		err = add_version(&k, home, r);
	free(k.from);
	return err;
}

int cache_add_kcore(const char *dir, const char *path, bool force, char **home, bool *added,
		    struct reason *r)
{
	struct kcore k = { .from = xstrdup(path) };
	char hex[41], *versions = NULL, *slash = strrchr(k.from, '/');
	int err = 0;

	*home = NULL;
	*added = false;
	if (!slash || strcmp(slash, "/kcore")) {
		err = reason_set(r, EINVAL,
				 "'%s' is not a file named kcore in a directory with kallsyms and "
				 "modules",
				 path);
		reason_hint(r, "perf buildid-cache -k /proc/kcore");
	} else {
		*slash = '\0';
		err = find_id(&k, r);
	}
	if (!err)
		err = read_ranges(&k, r);
	if (!err) {
		versions = xasprintf("%s/[kernel.kcore]/%s", dir, build_id_text(&k.id, hex));
		*home = force ? NULL : find_same(&k, versions);
	}
	if (!err && !*home) {
		*home = new_version(versions);
		err = add_version(&k, *home, r);
		*added = !err;
	}
	free(versions);
	free(k.from);
	if (err) {
		free(*home);
		*home = NULL;
	}
	return err;
}
