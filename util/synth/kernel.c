// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes MMAP records for the kernel and its modules. The kernel's own is named
 * "[kernel.kallsyms]_text". Its start is the address of that symbol, and pgoff repeats it, so that
 * a reader can relocate another kallsyms by the difference.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"
#include "object/modules_list.h"
#include "synth/internal.h"
#include "sys/explain.h"

static int read_file(const char *path, struct strbuf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, strbuf_grow(b, 65536), 65536)) > 0)
		b->len += (size_t)n;
	n = n < 0 ? -errno : 0;
	close(fd);
	strbuf_cstr(b);
	return (int)n;
}

/* Writes an MMAP record, or an MMAP2 record with the build-id if id is not NULL. */
static void add_mmap(struct strbuf *out, size_t id_size, u64 start, u64 len, u64 pgoff,
		     const char *name, const struct build_id *id)
{
	u16 misc = PERF_RECORD_MISC_KERNEL | (id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
	size_t at = record_begin(out, id ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, misc);

	record_u32(out, UINT32_MAX); /* pid of the kernel */
	record_u32(out, 0);
	record_u64(out, start);
	record_u64(out, len);
	record_u64(out, pgoff);
	if (id) {
		record_u32(out, id->size);
		strbuf_add(out, id->id, sizeof(id->id));
		record_u32(out, PROT_EXEC);
		record_u32(out, 0);
	}
	record_string(out, name, strlen(name));
	record_end(out, at, id_size);
}

struct kernel_range {
	u64 text, stext, etext;
};

/*
 * Returns the size of the kernel's code in bytes, from _text to _etext; 0 if it is not known.
 * Source: "Kernel code" in /proc/iomem, whose bounds are these two on x86 (arch/x86/kernel/setup.c)
 * but not elsewhere. Users for whom kallsyms shows zeros also see zeros there.
 */
static u64 kernel_code_bytes(void)
{
	u64 bytes = 0;
#if defined(__x86_64__)
	char line[256];
	FILE *f = fopen("/proc/iomem", "re");
	u64 from, to;

	while (f && !bytes && fgets(line, sizeof(line), f))
		if (sscanf(line, " %" SCNx64 "-%" SCNx64, &from, &to) == 2 && from && from < to &&
		    str_ends(line, " : Kernel code\n"))
			bytes = to + 1 - from;
	if (f)
		fclose(f);
#endif
	return bytes;
}

/*
 * Finds the address range of the kernel in /proc/kallsyms, whose lines are sorted by address. The
 * kernel writes them one page per read, and reading those of all its code takes longer than the
 * rest of a recorder's start. So only the first lines are read where kernel_code_bytes() gives the
 * size.
 */
static int find_kernel_range(struct kernel_range *k)
{
	char line[512];
	u64 bytes = kernel_code_bytes();
	FILE *f = fopen("/proc/kallsyms", "re");
	bool hidden = false;

	if (!f)
		return -errno;
	setvbuf(f, NULL, _IOFBF, 65536);
	memset(k, 0, sizeof(*k));
	while (!k->etext && !hidden && fgets(line, sizeof(line), f)) {
		u64 addr;
		char name[32];

		if (sscanf(line, "%" SCNx64 " %*c %31s", &addr, name) != 2)
			continue;
		if (!strcmp(name, "_text"))
			k->text = addr;
		else if (!strcmp(name, "_stext"))
			k->stext = addr;
		else if (!strcmp(name, "_etext"))
			k->etext = addr;
		else
			continue;
		hidden = !addr;
		if (bytes && k->text && k->stext)
			k->etext = k->text + bytes;
	}
	fclose(f);
	return k->text || k->stext ? 0 : -ENOENT;
}

/*
 * Finds the path of a module, such as "/lib/modules/6.1/kernel/fs/ext4/ext4.ko", in modules.dep,
 * which lists all modules by path.
 */
static char *module_path(const struct strbuf *dep, const char *dir, const char *module)
{
	const char *line = strbuf_cstr(dep);
	size_t len = strlen(module);

	while (line && *line) {
		const char *end = strchr(line, '\n');
		const char *colon = strchr(line, ':');
		const char *base;
		size_t i;

		if (!colon)
			break;
		base = colon;
		while (base > line && base[-1] != '/')
			base--;
		/* module names use _ where file names may use - */
		for (i = 0; i < len; i++)
			if (base[i] != module[i] && !(base[i] == '-' && module[i] == '_'))
				break;
		if (i == len && !strncmp(base + len, ".ko", 3))
			return xasprintf("%s/%.*s", dir, (int)(colon - line), line);
		line = end ? end + 1 : NULL;
	}
	return xasprintf("[%s]", module);
}

/* Writes the record for the module in one line of /proc/modules. */
static void add_module(struct strbuf *out, const struct event *ev, char *line,
		       const struct strbuf *dep, const char *dir)
{
	struct build_id id;
	bool has_id = false;
	struct loaded_module m;
	char *path;

	if (!modules_list_line(line, &m))
		return;
	path = module_path(dep, dir, m.name);
	if (ev->attr.flags & ATTR_BUILD_ID)
		has_id = !build_id_of_module(NULL, m.name, &id, NULL);
	add_mmap(out, ev->sample_id_size, m.addr, m.size, 0, path, has_id ? &id : NULL);
	free(path);
}

static void add_modules(struct strbuf *out, const struct event *ev)
{
	struct strbuf text = STRBUF_INIT, dep = STRBUF_INIT;
	struct utsname u;
	char *dir, *dep_path, *save, *line;

	if (read_file("/proc/modules", &text) || !text.len) {
		strbuf_release(&text);
		return; /* this kernel has no modules */
	}
	uname(&u);
	dir = xasprintf("/lib/modules/%s", u.release);
	dep_path = xasprintf("%s/modules.dep", dir);
	read_file(dep_path, &dep);
	for (line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_module(out, ev, line, &dep, dir);
	free(dir);
	free(dep_path);
	strbuf_release(&text);
	strbuf_release(&dep);
}

int synth_kernel(struct strbuf *out, const struct event *ev, struct reason *r)
{
	struct kernel_range k;
	struct build_id id;
	const char *hint;
	bool has_id = false;
	int err = find_kernel_range(&k);
	u64 start;

	if (err) {
		reason_set(r, -err,
			   "the addresses of the kernel cannot be read from /proc/kallsyms");
		explain_kallsyms(NULL, &hint);
		if (hint)
			reason_hint(r, "%s", hint);
		return err;
	}
	if (ev->attr.flags & ATTR_BUILD_ID)
		has_id = !build_id_of_kernel(NULL, &id, NULL);
	start = k.stext ? k.stext : k.text;
	add_mmap(out, ev->sample_id_size, start, k.etext > start ? k.etext - start : ~start,
		 k.text ? k.text : k.stext,
		 k.text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext",
		 has_id ? &id : NULL);
	add_modules(out, ev);
	return 0;
}
