// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids of what runs here, the build-id cache, and which kernel's names are used. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/elf.h"
#include "object/internal.h"
#include "object/locate.h"
#include "object/vdso.h"
#include "symbol/symbol.h"

static char dir[] = "/tmp/test-object.XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char *command = xasprintf("rm -rf %s", dir);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

/* Returns the first line of a command's output without its newline; the caller frees it. */
static char *output(const char *command)
{
	FILE *f = popen(command, "r");
	char line[4096] = "";

	assert_non_null(f);
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	pclose(f);
	line[strcspn(line, "\n")] = '\0';
	return xstrdup(line);
}

static void test_file_id(void **state)
{
	char *want = output("readelf -nW /bin/sh | sed -n 's/.*Build ID: //p'");
	struct reason r = REASON_INIT;
	struct build_id id;
	char hex[41];

	(void)state;
	assert_int_equal(build_id_of_file("/bin/sh", &id, NULL), 0);
	assert_string_equal(build_id_text(&id, hex), want);
	assert_int_equal(build_id_of_file("/etc/passwd", &id, &r), -ENOEXEC);
	assert_non_null(strstr(r.text, "/etc/passwd"));
	assert_int_equal(build_id_of_file("/no/such", &id, &r), -ENOENT);
	assert_int_equal(build_id_of_file("/", &id, &r), -ENOEXEC);
	reason_release(&r);
	free(want);
}

/* Notes as the kernel has them: others before, padding, a name that is not GNU's. */
static void test_notes(void **state)
{
	static const u8 notes[] = {
		6, 0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 0, 'L', 'i', 'n', 'u', 'x', 0,   0,    0,    9,
		9, 9, 9, 4, 0, 0, 0, 1, 0, 0, 0, 3, 0,   0,   0,   'X', 'N', 'U', 0,    7,    0,
		0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0,   0,   'G', 'N', 'U', 0,   0xab, 0xcd, 0xef,
	};
	bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; /* the notes are little-endian */
	struct build_id id;
	char hex[41];

	(void)state;
	assert_true(notes_build_id(notes, sizeof(notes), 4, swap, &id));
	assert_string_equal(build_id_text(&id, hex), "abcdef");
	for (size_t cut = 0; cut < sizeof(notes); cut++)
		assert_false(notes_build_id(notes, cut, 4, swap, &id));
	assert_false(notes_build_id(notes, sizeof(notes), 4, !swap, &id));
}

static void test_kernel_and_vdso(void **state)
{
	struct build_id kernel, vdso, copy;
	struct elf *e;
	u8 *data;
	size_t size;

	(void)state;
	if (access("/sys/kernel/notes", R_OK) || !getauxval(AT_SYSINFO_EHDR))
		skip();
	assert_int_equal(build_id_of_kernel(NULL, &kernel, NULL), 0);
	assert_int_equal(kernel.size, 20);
	assert_int_equal(build_id_of_vdso(&vdso, NULL), 0);
	assert_false(build_id_equal(&kernel, &vdso));
	assert_int_equal(vdso_copy(&data, &size, NULL), 0);
	assert_int_equal(elf_open_bytes(data, size, false, &e, NULL), 0);
	assert_true(elf_build_id(e, &copy) && build_id_equal(&copy, &vdso));
	elf_close(e);
	assert_int_equal(build_id_of_module(NULL, "[no_such_module]", &copy, NULL), -ENOENT);
}

static void test_crc(void **state)
{
	(void)state;
	assert_int_equal(object_crc32((const u8 *)"123456789", 9), 0xcbf43926);
}

struct seen {
	int count;
	char hex[41];
};

static int see(void *arg, const struct build_id *id, const char *path)
{
	struct seen *s = arg;

	(void)path;
	s->count++;
	build_id_text(id, s->hex);
	return 0;
}

static void test_cache(void **state)
{
	char *cache = xasprintf("%s/cache", dir), *found, *target, *link;
	struct cache_entry e = { .kind = CACHE_ELF, .name = "/bin/sh" };
	struct seen seen = { 0 };
	char hex[41], text[4096];
	ssize_t n;

	(void)state;
	assert_int_equal(build_id_of_file("/bin/sh", &e.id, NULL), 0);
	build_id_text(&e.id, hex);
	assert_null(cache_find(cache, &e.id, "elf"));
	assert_int_equal(cache_add(cache, &e, NULL), 0);
	assert_int_equal(cache_add(cache, &e, NULL), 0);
	found = cache_find(cache, &e.id, "elf");
	assert_non_null(found);
	assert_null(cache_find(cache, &e.id, "debug"));
	link = xasprintf("%s/.build-id/%.2s/%s", cache, hex, hex + 2);
	n = readlink(link, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	target = xasprintf("../../bin/sh/%s", hex);
	assert_string_equal(text, target);
	assert_int_equal(cache_each(cache, see, &seen, NULL), 0);
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.hex, hex);
	assert_int_equal(cache_remove(cache, &e.id, NULL), 0);
	assert_int_equal(cache_remove(cache, &e.id, NULL), -ENOENT);
	assert_null(cache_find(cache, &e.id, "elf"));
	free(found);
	free(link);
	free(target);
	free(cache);
}

/* Checks the older layout, in which the object itself is where the link is now. */
static void test_cache_old_layout(void **state)
{
	struct build_id id;
	char *cache = xasprintf("%s/old", dir), *command, *found;
	char hex[41];

	(void)state;
	assert_int_equal(build_id_of_file("/bin/sh", &id, NULL), 0);
	build_id_text(&id, hex);
	command = xasprintf("mkdir -p %s/.build-id/%.2s && cp /bin/sh %s/.build-id/%.2s/%s", cache,
			    hex, cache, hex, hex + 2);
	assert_int_equal(system(command), 0);
	found = cache_find(cache, &id, "elf");
	assert_non_null(found);
	free(found);
	free(command);
	free(cache);
}

static void test_cache_refuses_hidden(void **state)
{
	char *list = xasprintf("%s/hidden", dir);
	struct cache_entry e = { .kind = CACHE_KALLSYMS,
				 .name = "[kernel.kallsyms]",
				 .source = list,
				 .id = { .size = 20, .id = { 1 } } };
	FILE *f = fopen(list, "w");
	struct reason r = REASON_INIT;

	(void)state;
	fputs("0000000000000000 T _text\n0000000000000000 T start\n", f);
	fclose(f);
	assert_int_equal(cache_add(dir, &e, &r), -EPERM);
	assert_non_null(strstr(r.hint, "cp /proc/kallsyms"));
	reason_release(&r);
	assert_null(cache_find(dir, &e.id, "kallsyms"));
	f = fopen(list, "a");
	fputs("ffffffff81000000 T stext\n", f);
	fclose(f);
	assert_int_equal(cache_add(dir, &e, NULL), 0);
	free(list);
}

/* Kernels */

struct kernel_case {
	struct context ctx;
	struct image_table *images;
	struct symbol_store *store;
	const struct symbol_table *table;
};

static void load_kernel(struct kernel_case *k, const struct symbol_options *o,
			const struct image *want)
{
	memset(k, 0, sizeof(*k));
	k->images = image_table_new();
	k->store = symbol_store_new(&k->ctx, k->images, o);
	k->table = symbols_of(k->store, image_intern(k->images, want));
}

static void drop_kernel(struct kernel_case *k)
{
	symbol_store_free(k->store);
	image_table_free(k->images);
	condition_list_release(&k->ctx.conditions);
}

static const char *name_at(const struct symbol_table *t, u64 offset)
{
	u32 n = symbol_find(t, offset);

	return n == NO_SYMBOL ? "-" : symbol_get(t, n)->name;
}

static char *write_list(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

/* Checks a file of an earlier boot: the list moves by as much as _text did. */
static void test_relocated_kernel(void **state)
{
	char *list = write_list("kallsyms", "ffffffff81000000 T _text\n"
					    "ffffffff81001000 T sys_read\n"
					    "ffffffff81002000 T sys_write\n");
	struct symbol_options o = { .kallsyms = list, .symfs = "", .buildid_dir = "" };
	struct image want = { .path = "[kernel.kallsyms]_text",
			      .kernel = true,
			      .pid = -1,
			      .reference_name = "_text",
			      .reference_addr = 0xffffffff9a000000 };
	struct kernel_case k;

	(void)state;
	load_kernel(&k, &o, &want);
	assert_string_equal(name_at(k.table, 0xffffffff9a001010), "sys_read");
	assert_string_equal(name_at(k.table, 0xffffffff81001010), "-");
	assert_int_equal(symbol_table_origin(k.table), 'k');
	drop_kernel(&k);
	free(list);
}

/* Checks that this kernel's list does not name anything of another kernel. */
static void test_other_kernel(void **state)
{
	struct symbol_options o = { .symfs = "", .buildid_dir = dir };
	struct image want = { .path = "[kernel.kallsyms]",
			      .kernel = true,
			      .pid = -1,
			      .build_id = { .size = 20, .id = { 0xde, 0xad } } };
	char *list;
	struct cache_entry e = { .kind = CACHE_KALLSYMS,
				 .name = "[kernel.kallsyms]",
				 .id = want.build_id };
	struct kernel_case k;

	(void)state;
	load_kernel(&k, &o, &want);
	assert_int_equal(symbol_count(k.table), 0);
	assert_int_equal(k.ctx.conditions.list.count, 1);
	assert_non_null(strstr(k.ctx.conditions.list.items[0].text, "dead00"));
	drop_kernel(&k);
	/* until its own list is in the cache, and it is known where the kernel was */
	list = write_list("other", "ffffffff81000000 T _text\nffffffff81001000 T other_fn\n");
	e.source = list;
	assert_int_equal(cache_add(dir, &e, NULL), 0);
	load_kernel(&k, &o, &want);
	assert_int_equal(symbol_count(k.table), 0);
	assert_non_null(strstr(k.ctx.conditions.list.items[0].text, "may be of another boot"));
	drop_kernel(&k);
	want.reference_name = "_text";
	want.reference_addr = 0xffffffff91000000;
	load_kernel(&k, &o, &want);
	assert_string_equal(name_at(k.table, 0xffffffff91001000), "other_fn");
	drop_kernel(&k);
	free(list);
}

static void test_hidden_addresses(void **state)
{
	char *list = write_list("zeros", "0000000000000000 T _text\n0000000000000000 T f\n");
	struct symbol_options o = { .kallsyms = list, .symfs = "", .buildid_dir = "" };
	struct image want = { .path = "[kernel.kallsyms]", .kernel = true, .pid = -1 };
	struct kernel_case k;

	(void)state;
	load_kernel(&k, &o, &want);
	assert_int_equal(symbol_count(k.table), 0);
	assert_string_equal(k.ctx.conditions.list.items[0].code, "kernel-addresses-hidden");
	assert_non_null(strstr(k.ctx.conditions.list.items[0].hint, "cp /proc/kallsyms"));
	drop_kernel(&k);
	free(list);
}

/* Modules have their own part of the list, unless it is of another boot. */
static void test_modules(void **state)
{
	char *list = write_list("modules", "ffffffff81000000 T _text\n"
					   "ffffffffc0001000 t ext4_fn\t[ext4]\n"
					   "ffffffffc0005000 t xfs_fn\t[xfs]\n");
	struct symbol_options o = { .kallsyms = list, .symfs = "", .buildid_dir = "" };
	struct image want = { .path = "[ext4]",
			      .kernel = true,
			      .pid = -1,
			      .addr = 0xffffffffc0001000,
			      .size = 0x1000 };
	struct kernel_case k;

	(void)state;
	load_kernel(&k, &o, &want);
	assert_string_equal(name_at(k.table, 0xffffffffc0001080), "ext4_fn");
	assert_int_equal(symbol_count(k.table), 1);
	drop_kernel(&k);
	want.addr = 0xffffffffc0100000;
	load_kernel(&k, &o, &want);
	assert_int_equal(symbol_count(k.table), 0);
	drop_kernel(&k);
	free(list);
}

static void test_vmlinux(void **state)
{
	char *path = xasprintf("%s/vmlinux", dir), *command;
	struct symbol_options o = { .vmlinux = path, .symfs = "", .buildid_dir = "" };
	struct image want = { .path = "[kernel.kallsyms]",
			      .kernel = true,
			      .pid = -1,
			      .reference_name = "_text",
			      .reference_addr = 0x500000 };
	struct kernel_case k;

	(void)state;
	command = xasprintf("cd %s && echo '.text\n.globl _text, f\n.type f,@function\n_text: nop\n"
			    "f: ret\n.size f,1' | gcc -x assembler - -nostdlib -static -Wl,-e,f "
			    "-Wl,-Ttext=0x400000 -Wl,--build-id=0x1234 -o vmlinux 2>/dev/null",
			    dir);
	assert_int_equal(system(command), 0);
	load_kernel(&k, &o, &want);
	assert_string_equal(name_at(k.table, 0x500001), "f");
	assert_int_equal(symbol_table_origin(k.table), 'v');
	drop_kernel(&k);
	/* asked for by name, but it is of another kernel */
	want.build_id = (struct build_id){ .size = 2, .id = { 0x43, 0x21 } };
	load_kernel(&k, &o, &want);
	assert_string_equal(name_at(k.table, 0x500001), "-");
	assert_string_equal(k.ctx.conditions.list.items[0].code, "vmlinux-not-used");
	drop_kernel(&k);
	free(command);
	free(path);
}

/* Checks /proc/kallsyms as it is: every text symbol in it gets a name of its address. */
static void test_running_kernel(void **state)
{
	struct symbol_options o = { .symfs = "", .buildid_dir = "", .ignore_vmlinux = true };
	struct image want = { .path = "[kernel.kallsyms]", .kernel = true, .pid = -1 };
	struct kernel_case k;
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024];
	int wrong = 0, checked = 0;
	char last[512] = "";
	u64 last_addr = 0;

	(void)state;
	if (!f)
		skip();
	load_kernel(&k, &o, &want);
	if (!symbol_count(k.table)) {
		drop_kernel(&k);
		fclose(f);
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;
		char type, name[512];

		if (strchr(line, '[') || sscanf(line, "%llx %c %511s", &addr, &type, name) != 3 ||
		    !strchr("tTwW", type))
			continue;
		/* where nothing shares the address, the name is this one */
		if (addr != last_addr && last_addr) {
			checked++;
			wrong += last[0] && strcmp(name_at(k.table, last_addr), last);
		}
		if (addr == last_addr)
			last[0] = '\0';
		else
			snprintf(last, sizeof(last), "%s", name);
		last_addr = addr;
	}
	fclose(f);
	assert_true(checked > 1000);
	assert_int_equal(wrong, 0);
	drop_kernel(&k);
}

static void test_perf_map_file(void **state)
{
	struct symbol_options o = { .symfs = "", .buildid_dir = "" };
	struct image want = { .path = "//anon", .kind = IMAGE_JIT, .pid = getpid() };
	char *path = xasprintf("/tmp/perf-%d.map", getpid());
	struct kernel_case k;
	FILE *f = fopen(path, "w");

	(void)state;
	fputs("7f0000001000 80 js:loop /tmp/a.js:3\n", f);
	fclose(f);
	load_kernel(&k, &o, &want);
	assert_string_equal(name_at(k.table, 0x7f000000107f), "js:loop /tmp/a.js:3");
	drop_kernel(&k);
	if (!geteuid()) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		load_kernel(&k, &o, &want);
		assert_int_equal(symbol_count(k.table), 0);
		assert_non_null(strstr(k.ctx.conditions.list.items[0].text, "not owned"));
		drop_kernel(&k);
	}
	unlink(path);
	free(path);
}

static void test_symfs(void **state)
{
	static const struct {
		const char *text, *left;
		bool flat;
	} cases[] = {
		{ "", "", false },
		{ "%s", "%s", false },
		{ "%s,flat", "%s", true },
		{ "%s,hierarchy", "%s", false },
	};
	struct reason r = REASON_INIT;
	char *got;
	bool flat;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *mark = strstr(cases[i].text, "%s");
		char *text = mark ? xasprintf("%s%s", dir, mark + 2) : xstrdup("");

		assert_int_equal(object_symfs_parse(text, &got, &flat, &r), 0);
		assert_string_equal(got, cases[i].left[0] ? dir : "");
		assert_int_equal(flat, cases[i].flat);
		free(got);
		free(text);
	}
	assert_int_equal(object_symfs_parse("/no/such,flat", &got, &flat, &r), -ENOTDIR);
	assert_null(got);
	assert_non_null(strstr(r.text, "'/no/such' is not a directory"));
	reason_release(&r);
}

/* Checks what an image without a build-id knows of its file: inode, device, how much was mapped. */
static void test_identity(void **state)
{
	const struct object_search here = { .symfs = "", .buildid_dir = "" };
	struct image img = { .kind = IMAGE_ELF, .path = "/bin/true", .name = "true", .pid = -1 };
	struct object_file f;
	struct reason r = REASON_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(stat("/bin/true", &st), 0);
	assert_int_equal(object_open(&here, &img, -1, &f, &r), 0);
	object_close(&f);
	img.maj = major(st.st_dev);
	img.min = minor(st.st_dev);
	img.ino = st.st_ino;
	img.extent = (u64)st.st_size;
	assert_int_equal(object_open(&here, &img, -1, &f, &r), 0);
	object_close(&f);
	img.ino++;
	assert_int_equal(object_open(&here, &img, -1, &f, &r), -ESTALE);
	assert_non_null(strstr(r.text, "inode"));
	img.min++; /* another device: nothing is known */
	assert_int_equal(object_open(&here, &img, -1, &f, &r), 0);
	object_close(&f);
	img.extent = (u64)st.st_size + 1000000;
	assert_int_equal(object_open(&here, &img, -1, &f, &r), -ESTALE);
	assert_non_null(strstr(r.text, "shorter"));
	reason_release(&r);
}

/* Copies the file to this name, maps the copy and deletes it. Returns its inode. */
static u64 map_deleted(const char *from, const char *path)
{
	char *command = xasprintf("cp %s '%s'", from, path);
	struct stat st;
	int fd;

	assert_int_equal(system(command), 0);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_ptr_not_equal(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0),
			     MAP_FAILED);
	close(fd);
	unlink(path);
	free(command);
	return st.st_ino;
}

/* Reports whether what is found for the image is the same program as this file. */
static bool finds(const struct image *img, const char *program)
{
	const struct object_search here = { .symfs = "", .buildid_dir = "" };
	struct build_id want = { .size = 0 }, got = { .size = 0 };
	struct object_file f;
	bool same;

	if (object_open(&here, img, img->pid, &f, NULL))
		return false;
	assert_int_equal(build_id_of_file(program, &want, NULL), 0);
	elf_build_id(f.elf, &got);
	same = build_id_equal(&want, &got);
	object_close(&f);
	return same;
}

/*
 * Reports whether maps and map_files show this inode. They do not if the kernel reports the layer
 * below an overlay, or if an emulator shows other addresses than the kernel has.
 */
static bool maps_have(u64 inode)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 100];
	unsigned long long start = 0, end = 0, ino = 0;
	char *link;
	bool there;

	while (f && ino != inode && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %*s %*s %*s %llu", &start, &end, &ino) != 3)
			ino = 0;
	if (f)
		fclose(f);
	link = xasprintf("/proc/self/map_files/%llx-%llx", start, end);
	there = ino == inode && !access(link, F_OK);
	free(link);
	return there;
}

static bool are_different(const char *a, const char *b)
{
	struct build_id x = { .size = 0 }, y = { .size = 0 };

	return !build_id_of_file(a, &x, NULL) && !build_id_of_file(b, &y, NULL) &&
	       !build_id_equal(&x, &y);
}

/* Checks deleted files that a process has mapped, two of which had the same name. */
static void test_deleted(void **state)
{
	char *path = xasprintf("%s/gone", dir), *longer = xasprintf("%s/gone too", dir);
	struct image img = { .kind = IMAGE_ELF, .path = path, .name = "gone", .pid = getpid() };
	u64 first, second;
	struct stat st;

	(void)state;
	if (geteuid())
		skip(); /* only root may open what has no name */
	first = map_deleted("/bin/true", path);
	second = map_deleted("/bin/false", path);
	map_deleted("/bin/ls", longer); /* at the lowest address */
	if (!maps_have(first) || !are_different("/bin/true", "/bin/false") ||
	    !are_different("/bin/true", "/bin/ls")) {
		free(longer);
		free(path);
		skip(); /* an overlay, or one program with several names */
	}
	assert_int_equal(stat(dir, &st), 0);
	img.maj = major(st.st_dev);
	img.min = minor(st.st_dev);
	img.ino = first;
	assert_true(finds(&img, "/bin/true"));
	img.ino = second;
	assert_true(finds(&img, "/bin/false"));
	/* an inode of this very file system is the file's, and none of the two is the right one */
	img.ino = first + second;
	assert_false(finds(&img, "/bin/true"));
	assert_false(finds(&img, "/bin/false"));
	/* that of another one, as of a layer of an overlay, says nothing */
	img.min++;
	assert_true(finds(&img, "/bin/true") || finds(&img, "/bin/false"));
	img.ino = first;
	assert_true(finds(&img, "/bin/true"));
	img.ino = second;
	assert_true(finds(&img, "/bin/false"));
	img.ino = 0;
	assert_true(finds(&img, "/bin/true") || finds(&img, "/bin/false"));
	/* but a build-id does */
	img.ino = first + second;
	assert_int_equal(build_id_of_file("/bin/ls", &img.build_id, NULL), 0);
	assert_false(finds(&img, "/bin/true") || finds(&img, "/bin/false"));
	img.path = longer;
	assert_true(finds(&img, "/bin/ls"));
	assert_int_equal(build_id_of_file("/bin/true", &img.build_id, NULL), 0);
	assert_false(finds(&img, "/bin/ls"));
	img.build_id.size = 0;
	assert_true(finds(&img, "/bin/ls"));
	free(longer);
	free(path);
}

static void test_servers(void **state)
{
	struct build_id id = { .size = 20, .id = { 1, 2, 3 } }, none = { .size = 0 };
	const struct debug_servers_options o = { .urls = "http://127.0.0.1:1", .seconds = 5 };
	struct condition_list l = { VEC_INIT };
	struct debug_servers *s;
	char *path, *home = xasprintf("%s/client", dir);

	(void)state;
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:2", 1);
	setenv("DEBUGINFOD_CACHE_PATH", home, 1);
	debug_servers_hide();
	assert_null(getenv("DEBUGINFOD_URLS"));
	assert_string_equal(debug_servers_default(), "http://127.0.0.1:2");
	assert_int_equal(debug_servers_fetch(NULL, SERVER_DEBUGINFO, &id, "x", &path, NULL),
			 -ENOENT);
	s = debug_servers_new(&o);
	assert_int_equal(debug_servers_fetch(s, SERVER_DEBUGINFO, &none, "x", &path, NULL),
			 -ENOENT);
	debug_servers_conditions(s, &l);
	assert_int_equal(l.list.count, 0); /* nobody was asked */
	assert_int_not_equal(debug_servers_fetch(s, SERVER_DEBUGINFO, &id, "x", &path, NULL), 0);
	assert_null(path);
	debug_servers_conditions(s, &l);
	assert_int_equal(l.list.count, 1);
	assert_int_equal(l.list.items[0].weight, CONDITION_WARNING);
	condition_list_release(&l);
	debug_servers_free(s);
	free(home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_id),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_kernel_and_vdso),
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_cache_old_layout),
		cmocka_unit_test(test_cache_refuses_hidden),
		cmocka_unit_test(test_relocated_kernel),
		cmocka_unit_test(test_other_kernel),
		cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_vmlinux),
		cmocka_unit_test(test_running_kernel),
		cmocka_unit_test(test_perf_map_file),
		cmocka_unit_test(test_symfs),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_deleted),
		cmocka_unit_test(test_servers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
