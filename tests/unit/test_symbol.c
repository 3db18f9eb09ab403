// SPDX-License-Identifier: GPL-2.0-or-later
/* From an offset in an image to a name: tables, kallsyms, perf maps, this very program. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "object/elf.h"
#include "symbol/dwarf.h"
#include "symbol/internal.h"

static const char *name_at(const struct symbol_table *t, u64 offset)
{
	u32 n = symbol_find(t, offset);

	return n == NO_SYMBOL ? "-" : symbol_get(t, n)->name;
}

static void seal(struct symbol_table *t, struct symbol_list *l)
{
	symbol_list_sort(l);
	symbol_list_extend_ends(l);
	symbol_list_drop_duplicates(l, false);
	symbol_table_seal(t, l);
}

static void add(struct symbol_list *l, u64 start, u64 size, u8 binding, const char *name)
{
	symbol_list_add(l, start, size, binding, name, NAME_MANGLED);
}

/* Of several names at one address the best is kept, whatever the order. */
static void test_choice(void **state)
{
	struct symbol_list l = { VEC_INIT };
	struct symbol_table *t = symbol_table_new();

	(void)state;
	add(&l, 0x400, 16, STB_LOCAL, "much_longer_but_local");
	add(&l, 0x400, 16, STB_GLOBAL, "read");
	add(&l, 0x100, 16, STB_WEAK, "write");
	add(&l, 0x100, 16, STB_LOCAL, "write_l");
	add(&l, 0x200, 16, STB_GLOBAL, "__open");
	add(&l, 0x200, 16, STB_GLOBAL, "_open");
	add(&l, 0x300, 0, STB_GLOBAL, "no_size");
	add(&l, 0x300, 16, STB_LOCAL, "size");
	add(&l, 0x500, 16, STB_GLOBAL, "short");
	add(&l, 0x500, 16, STB_GLOBAL, "longer");
	seal(t, &l);
	assert_int_equal(symbol_count(t), 5);
	assert_string_equal(name_at(t, 0x40f), "read");
	assert_string_equal(name_at(t, 0x100), "write_l");
	assert_string_equal(name_at(t, 0x205), "_open");
	assert_string_equal(name_at(t, 0x305), "size");
	assert_string_equal(name_at(t, 0x505), "longer");
	assert_string_equal(name_at(t, 0x410), "-");
	assert_string_equal(name_at(t, 0xff), "-");
	symbol_table_free(t);
}

/* The innermost symbol that covers an offset, also behind shorter ones inside it. */
static void test_nested(void **state)
{
	struct symbol_list l = { VEC_INIT };
	struct symbol_table *t = symbol_table_new();

	(void)state;
	add(&l, 0x100, 0x100, STB_GLOBAL, "outer");
	add(&l, 0x120, 0x40, STB_GLOBAL, "middle");
	add(&l, 0x130, 0x10, STB_GLOBAL, "inner");
	add(&l, 0x138, 0x4, STB_GLOBAL, "tiny");
	add(&l, 0x300, 0x10, STB_GLOBAL, "apart");
	seal(t, &l);
	assert_string_equal(name_at(t, 0x118), "outer");
	assert_string_equal(name_at(t, 0x139), "tiny");
	assert_string_equal(name_at(t, 0x13d), "inner");
	assert_string_equal(name_at(t, 0x150), "middle");
	assert_string_equal(name_at(t, 0x1ff), "outer");
	assert_string_equal(name_at(t, 0x200), "-");
	assert_int_equal(symbol_by_name(t, "inner"), 2);
	assert_true(symbol_by_name(t, "inne") == NO_SYMBOL);
	symbol_table_free(t);
}

/*
 * Some thousand symbols, several of them inside another one with gaps between them: as a look at
 * each one tells.
 */
static void test_nested_in_many(void **state)
{
	enum { COUNT = 4000, APART = 16 };
	struct symbol_list l = { VEC_INIT };
	struct symbol_table *t = symbol_table_new();

	(void)state;
	for (u64 i = 0; i < COUNT; i++)
		add(&l, i * APART,
		    i % 100 == 7    ? 50 * APART
		    : i % 100 == 20 ? 9 * APART + 3
				    : 8,
		    STB_GLOBAL, "f");
	seal(t, &l);
	for (u64 offset = 0; offset < COUNT * APART; offset++) {
		u32 want = NO_SYMBOL;

		for (u64 i = MIN(offset / APART, (u64)COUNT - 1), k = 0;
		     want == NO_SYMBOL && k < 60; k++, i--) {
			if (offset < symbol_end(&t->symbols[i]))
				want = (u32)i;
			if (!i)
				break;
		}
		assert_int_equal(symbol_find(t, offset), want);
	}
	assert_true(t->outer.count < COUNT / 10);
	symbol_table_free(t);
}

/*
 * Tables keep 48 bits of a size; what is larger has no end, as has what would reach beyond all
 * offsets.
 */
static void test_sizes(void **state)
{
	struct symbol_list l = { VEC_INIT };
	const struct symbol *s;

	(void)state;
	assert_true(sizeof(struct symbol) == 24 || sizeof(void *) < 8);
	add(&l, 0x1000, SYMBOL_MOST_SIZE, STB_GLOBAL, "large");
	add(&l, 0x1000, SYMBOL_MOST_SIZE + 1, STB_GLOBAL, "larger");
	add(&l, 0x1000, 1ULL << 63, STB_GLOBAL, "largest");
	add(&l, UINT64_MAX - 10, 11, 15, "beyond");
	add(&l, UINT64_MAX - 10, 10, STB_GLOBAL, "last");
	s = l.list.items;
	assert_true(symbol_end(&s[0]) == 0x1000 + SYMBOL_MOST_SIZE);
	assert_true(symbol_end(&s[1]) == UINT64_MAX);
	assert_true(symbol_end(&s[2]) == UINT64_MAX);
	assert_true(symbol_end(&s[3]) == UINT64_MAX);
	assert_int_equal(s[3].binding, 15);
	assert_true(symbol_end(&s[4]) == UINT64_MAX);
	vec_clear(&l.list);
	/*
	 * names of data at the beginning, and then the kernel: the gap is not the last one's
	 * without an end
	 */
	add(&l, 0x100, 0, STB_GLOBAL, "early");
	add(&l, 0xffffffff81000000ULL, 0, STB_GLOBAL, "text");
	symbol_list_extend_ends(&l);
	assert_true(symbol_end(&l.list.items[0]) == 0x100 + SYMBOL_MOST_SIZE);
	assert_true(symbol_end(&l.list.items[1]) == 0xffffffff81001000ULL);
	vec_release(&l.list);
}

static void test_demangle(void **state)
{
	static const struct {
		const char *raw, *shown;
	} names[] = {
		{ "_ZNK2ns1AIdE4workERKSt6vectorIdSaIdEEi", "ns::A<double>::work" },
		{ "_ZSt4cout@GLIBCXX_3.4", "std::cout@GLIBCXX_3.4" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_D3std5stdio4File5closeMFZv", "std.stdio.File.close()" },
		{ "camlStdlib__List__map_12", "Stdlib.List.map_12" },
		{ "Ljava/lang/StringLatin1;equals([B[B)Z",
		  "java.lang.StringLatin1.equals(byte[], byte[])" },
	};

	(void)state;
#ifndef HAVE_LIBIBERTY
	skip();
#endif
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *s = symbol_demangle(names[i].raw, false);

		assert_non_null(s);
		assert_string_equal(s, names[i].shown);
		free(s);
	}
	assert_null(symbol_demangle("main", false));
	assert_null(symbol_demangle("_Z!no", false));
	assert_null(symbol_demangle("camlp4", false));
	assert_null(symbol_demangle("Lost(and found", false));
}

static void test_kallsyms(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 t helper\n"
				   "ffffffff81000180 r constant\n"
				   "ffffffff81000200 W weak_one\n"
				   "ffffffffc0001000 t ext_fn\t[ext4]\n"
				   "ffffffffc0009000 t bpf_prog_1\t[bpf]\n"
				   "ffffffffc0002000 t $x\t[ext4]\n"
				   "ffffffffc0002000 t ext_b\t[ext4]\n"
				   "garbage\n"
				   "ffffffff82000000 T last";
	struct kallsyms k;
	struct symbol_table *t = symbol_table_new(), *m = symbol_table_new();

	(void)state;
	kallsyms_from_text(&k, text);
	assert_false(k.all_zero);
	assert_null(kallsyms_part(&k, "ext"));
	seal(t, &kallsyms_part(&k, NULL)->symbols);
	seal(m, &kallsyms_part(&k, "ext4")->symbols);
	assert_string_equal(name_at(t, 0xffffffff81000010), "_stext");
	assert_string_equal(name_at(t, 0xffffffff810001ff), "helper");
	assert_string_equal(name_at(t, 0xffffffff82000fff), "last");
	assert_string_equal(name_at(m, 0xffffffffc0001fff), "ext_fn");
	assert_string_equal(name_at(m, 0xffffffffc0002fff), "ext_b");
	assert_string_equal(name_at(m, 0xffffffffc0009000), "-");
	symbol_table_free(t);
	symbol_table_free(m);
	kallsyms_release(&k);
}

/* Names that lie in a mapped file: cut where they end, and compared so. */
static void test_kallsyms_mapped(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 t helper\n"
				   "ffffffff81000140 t helper_two\n"
				   "ffffffff81000180 T _Z5startPKc\n"
				   "ffffffffc0001000 t ext_fn\t[ext4]\n"
				   "ffffffffc0002000 t ext_b\t[ext4]\n"
				   "ffffffff82000000 T last";
	char path[] = "/tmp/test_symbol.XXXXXX";
	struct symbol_table *t = symbol_table_new(), *m = symbol_table_new(),
			    *d = symbol_table_new();
	struct symbol_list copy = { VEC_INIT };
	struct kallsyms k;
	int fd = mkstemp(path);
	u32 n;

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(kallsyms_map(path, &k, NULL), 0);
	unlink(path);
	assert_non_null(k.file);
	assert_true(k.text == 0xffffffff81000000 && k.stext == k.text && !k.etext);
	vec_for_each(&kallsyms_part(&k, NULL)->symbols.list, s) {
		vec_push(&copy.list, *s);
		vec_last(&copy.list)->name_state = NAME_MANGLED_LINE;
	}
	seal(d, &copy);
	seal(t, &kallsyms_part(&k, NULL)->symbols);
	seal(m, &kallsyms_part(&k, "ext4")->symbols);
	n = symbol_by_name(t, "helper");
	assert_true(n != NO_SYMBOL && symbol_find(t, 0xffffffff81000120) == n);
	assert_int_equal(symbol_by_name(t, "help"), NO_SYMBOL);
	assert_int_equal(symbol_by_name(t, "_Z5"), NO_SYMBOL);
	assert_int_equal(t->symbols[symbol_find(t, 0xffffffff81000180)].name_state, NAME_LINE);
	/* only what was asked for is a copy */
	assert_int_equal(t->symbols[symbol_by_name(t, "helper_two") - 1].name_state,
			 NAME_DEMANGLED);
	assert_int_equal(t->symbols[symbol_find(t, 0xffffffff82000000)].name_state, NAME_LINE);
	assert_string_equal(name_at(t, 0xffffffff81000010), "_stext");
	assert_string_equal(name_at(t, 0xffffffff81000150), "helper_two");
	assert_string_equal(name_at(t, 0xffffffff81000180), "_Z5startPKc");
#ifdef HAVE_LIBIBERTY
	assert_string_equal(name_at(d, 0xffffffff81000180), "start");
#endif
	assert_string_equal(name_at(d, 0xffffffff81000140), "helper_two");
	assert_string_equal(name_at(t, 0xffffffff82000fff), "last");
	assert_string_equal(name_at(m, 0xffffffffc0001fff), "ext_fn");
	/* by all names in order, from the ninth on */
	for (int i = 0; i < 10; i++)
		assert_int_not_equal(symbol_by_name(m, "ext_b"), NO_SYMBOL);
	symbol_table_free(d);
	symbol_table_free(t);
	symbol_table_free(m);
	kallsyms_release(&k);
}

static void test_kallsyms_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _text\n0000000000000000 T start\n";
	struct kallsyms k;

	(void)state;
	kallsyms_from_text(&k, text);
	assert_true(k.all_zero);
	kallsyms_release(&k);
}

/* A perf map has no times: where lines overlap the later one is right. */
static void test_perf_map(void **state)
{
	static const char text[] = "1000 100 first\n"
				   "1400 100 alone function(int)\r\n"
				   "1040 20 second\n"
				   "zzz\n"
				   "-1 10 negative\n"
				   "1050 200 third";
	char *copy = xstrdup(text);
	struct symbol_list l = { VEC_INIT };
	struct symbol_table *t = symbol_table_new();

	(void)state;
	assert_int_equal(perf_map_parse(copy, strlen(text), &l), 2);
	symbol_table_seal(t, &l);
	assert_string_equal(name_at(t, 0x103f), "first");
	assert_string_equal(name_at(t, 0x104f), "second");
	assert_string_equal(name_at(t, 0x1050), "third");
	assert_string_equal(name_at(t, 0x124f), "third");
	assert_string_equal(name_at(t, 0x1250), "-");
	assert_string_equal(name_at(t, 0x14ff), "alone function(int)");
	symbol_table_free(t);
	free(copy);
}

/* Where a function begins, for which the first ABI of 64-bit PowerPC has a descriptor. */
static u64 start_of(const void *function)
{
#if defined(__powerpc64__) && (!defined(_CALL_ELF) || _CALL_ELF < 2)
	return *(const u64 *)function;
#else
	return (u64)(uintptr_t)function;
#endif
}

/* The store, on this program itself: names of addresses that we know. */
static void test_self(void **state)
{
	struct context ctx = { 0 };
	struct image_table *images = image_table_new();
	struct symbol_options o = { .symfs = "", .buildid_dir = "" };
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	struct image want = { .path = exe, .pid = -1 };
	struct symbol_store *s = symbol_store_new(&ctx, images, &o);
	const struct symbol_table *t;
	u32 mine, theirs;

	(void)state;
	assert_true(n > 0);
	exe[n] = '\0';
	t = symbols_of(s, image_intern(images, &want));
	assert_string_equal(symbol_table_source(t), exe);
	mine = symbol_by_name(t, "test_self");
	theirs = symbol_by_name(t, "symbol_find");
	assert_true(mine != NO_SYMBOL && theirs != NO_SYMBOL);
	/* file and memory keep distances within the text segment */
	assert_int_equal(start_of((const void *)(uintptr_t)&test_self) -
				 start_of((const void *)(uintptr_t)&symbol_find),
			 symbol_get(t, mine)->start - symbol_get(t, theirs)->start);
	assert_int_equal(symbol_find(t, symbol_get(t, mine)->start + 4), mine);
	assert_true(symbol_by_name(t, "malloc@plt") != NO_SYMBOL);
	assert_int_equal(symbols_of(s, 12345)->count, 0);
	symbol_store_free(s);
	image_table_free(images);
	condition_list_release(&ctx.conditions);
}

/* KB of a mapping that are in memory. */
static long resident(const void *from)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	unsigned long start;
	char line[512];
	bool here = false;
	long kb = -1;

	assert_non_null(f);
	while (kb < 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%*x ", &start) == 1)
			here = start == (unsigned long)(uintptr_t)from;
		else if (here)
			(void)sscanf(line, "Rss: %ld kB", &kb);
	}
	fclose(f);
	return kb;
}

/* An emulator may show other addresses there than the process has. */
static bool smaps_tells(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	bool tells = resident(page) >= 0;

	assert_true(page != MAP_FAILED);
	munmap(page, 4096);
	close(fd);
	return tells;
}

static void assert_nothing_resident(const void *from)
{
	if (smaps_tells())
		assert_int_equal(resident(from), 0);
}

/*
 * A live session keeps the names that were asked for, but not the pages of the file that they were
 * read from.
 */
static void test_pages_go(void **state)
{
	struct context ctx = { 0 };
	struct image_table *images = image_table_new();
	struct symbol_options o = { .symfs = "", .buildid_dir = "" };
	struct image want = { .path = "/proc/self/exe", .pid = -1 };
	struct symbol_store *s = symbol_store_new(&ctx, images, &o);
	const struct symbol_table *t;
	const char *name;
	const u8 *data;
	size_t size;
	u32 mine;

	(void)state;
	symbol_store_expect_changes(s);
	t = symbols_of(s, image_intern(images, &want));
	data = elf_data(t->elf, &size);
	assert_true(symbol_count(t) > 200);
	assert_nothing_resident(data);
	assert_non_null(elf_section(t->elf, ".symtab")); /* its name is a copy */
	assert_nothing_resident(data);
	for (u32 i = 0; i < symbol_count(t); i++) {
		name = symbol_get(t, i)->name;
		assert_false((const u8 *)name >= data && (const u8 *)name < data + size);
		assert_true(t->names_read <= 64);
	}
	mine = symbol_by_name(t, "test_pages_go");
	assert_int_not_equal(mine, NO_SYMBOL);
	assert_true(*(volatile const u8 *)data == 0x7f && (resident(data) > 0 || !smaps_tells()));
	((struct symbol_table *)(uintptr_t)t)->names_read = 1;
	symbol_store_let_pages_go(s);
	assert_nothing_resident(data);
	assert_string_equal(symbol_get(t, mine)->name, "test_pages_go");
	symbol_store_free(s);
	image_table_free(images);
	condition_list_release(&ctx.conditions);
}

/* A file like this program, below a directory of its own, and what a live session reads of it. */
struct copy {
	char dir[32], path[64];
	struct context ctx;
	struct image_table *images;
	struct symbol_store *s;
	u32 image;
};

static void copy_init(struct copy *c)
{
	struct symbol_options o = { .symfs = "", .buildid_dir = "" };
	struct image img = { .kind = IMAGE_ELF, .pid = -1, .path = c->path };
	char exe[4096] = "", command[sizeof(exe) + 128];

	*c = (struct copy){ .dir = "/tmp/test_symbol.XXXXXX", .images = image_table_new() };
	assert_non_null(mkdtemp(c->dir));
	snprintf(c->path, sizeof(c->path), "%s/copy", c->dir);
	/* Asked by this process itself: what others see there may be an emulator that runs it. */
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(command, sizeof(command), "cp '%s' %s", exe, c->path);
	assert_int_equal(system(command), 0);
	c->s = symbol_store_new(&c->ctx, c->images, &o);
	symbol_store_expect_changes(c->s);
	c->image = image_intern(c->images, &img);
}

static void copy_release(struct copy *c)
{
	char command[64];

	symbol_store_free(c->s);
	image_table_free(c->images);
	condition_list_release(&c->ctx.conditions);
	snprintf(command, sizeof(command), "rm -r %s", c->dir);
	assert_int_equal(system(command), 0);
}

/* As if its table had been made long ago. */
static bool copy_renews(struct copy *c)
{
	struct symbol_table *t = (struct symbol_table *)(uintptr_t)symbols_of(c->s, c->image);
	bool images[8] = { false };

	t->files.made = 0;
	images[c->image] = true;
	return symbol_store_renew(c->s, images);
}

/*
 * The bytes of the file's build-id, one of which becomes another one; all times but that of the
 * inode stay.
 */
static void change_build_id(const char *path)
{
	struct build_id id;
	struct stat st;
	const u8 *data, *at;
	size_t size;
	struct elf *e;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0 && !fstat(fd, &st));
	assert_int_equal(elf_open(path, &e, NULL), 0);
	assert_true(elf_build_id(e, &id));
	data = elf_data(e, &size);
	at = memmem(data, size, id.id, id.size);
	assert_non_null(at);
	assert_int_equal(pwrite(fd, &(u8){ (u8) ~*at }, 1, at - data), 1);
	assert_int_equal(futimens(fd, (const struct timespec[]){ st.st_atim, st.st_mtim }), 0);
	elf_close(e);
	close(fd);
}

/*
 * Who makes a link to a file has not changed it; who writes another program there has, whatever the
 * times say.
 */
static void test_linked(void **state)
{
	struct file_stamp now;
	char other[80];
	struct copy c;

	(void)state;
	copy_init(&c);
	assert_true(symbol_count(symbols_of(c.s, c.image)) > 200);
	assert_false(copy_renews(&c));
	snprintf(other, sizeof(other), "%s/link", c.dir);
	assert_int_equal(link(c.path, other), 0);
	assert_false(copy_renews(&c));
	assert_nothing_resident(elf_data(symbols_of(c.s, c.image)->elf, &(size_t){ 0 }));
	assert_int_equal(file_stamp(c.path, &now), 0); /* the next look has nothing to compare */
	assert_true(file_stamp_equal(&symbols_of(c.s, c.image)->files.seen_elf.stamp, &now));
	assert_int_equal(chmod(c.path, 0700), 0);
	assert_false(copy_renews(&c));
	change_build_id(c.path);
	assert_true(copy_renews(&c));
	assert_false(copy_renews(&c));
	/* its bytes, though it is the same program */
	assert_int_equal(utimensat(AT_FDCWD, c.path, NULL, 0), 0);
	assert_true(copy_renews(&c));
	copy_release(&c);
}

/* Where a debug file may appear, the object itself is not looked at again. */
static void test_debug_file_wanted(void **state)
{
	const struct symbol_table *t;
	char command[160];
	struct copy c;
	const u8 *data;
	size_t size;

	(void)state;
	copy_init(&c);
	snprintf(command, sizeof(command),
		 "$(${HOST_CC:-cc} -print-prog-name=objcopy) --strip-debug %s", c.path);
	assert_int_equal(system(command), 0);
	t = symbols_of(c.s, c.image);
	assert_true(t->files.wants_debug);
	data = elf_data(t->elf, &size);
	assert_nothing_resident(data);
	assert_false(copy_renews(&c));
	assert_nothing_resident(data);
	copy_release(&c);
}

/*
 * A list of which all names are read maps most of its pages again each time that they went: seldom
 * for another session.
 */
static void test_pages_of_a_list(void **state)
{
	enum { NAMES = 20000 };

	(void)state;
	for (int live = 0; live < 2; live++) {
		char path[] = "/tmp/test-kallsyms.XXXXXX";
		FILE *f = fdopen(mkstemp(path), "w");
		struct context ctx = { 0 };
		struct image_table *images = image_table_new();
		struct symbol_options o = {
			.kallsyms = path, .ignore_vmlinux = true, .symfs = "", .buildid_dir = ""
		};
		struct symbol_store *s = symbol_store_new(&ctx, images, &o);
		struct image want = { .kind = IMAGE_KERNEL,
				      .kernel = true,
				      .path = "[kernel.kallsyms]",
				      .pid = -1,
				      .addr = 0xffffffff81000000,
				      .size = NAMES * 64 };
		const struct symbol_table *t;

		for (unsigned i = 0; i < NAMES; i++)
			fprintf(f, "%llx T function_%u\n", 0xffffffff81000000 + i * 64ULL, i);
		fclose(f);
		if (live)
			symbol_store_expect_changes(s);
		t = symbols_of(s, image_intern(images, &want));
		assert_int_equal(symbol_count(t), NAMES);
		for (unsigned i = 0; i < NAMES; i++) {
			char name[32];

			snprintf(name, sizeof(name), "function_%u", i);
			assert_string_equal(
				symbol_get(t, symbol_find(t, 0xffffffff81000000 + i * 64ULL))->name,
				name);
		}
		/* after 64, 128 ... or 64 names each, and one more */
		assert_in_range(t->pages_went, live ? 300 : 7, live ? 313 : 9);
		unlink(path);
		symbol_store_free(s);
		image_table_free(images);
		condition_list_release(&ctx.conditions);
	}
}

#define THREADS 6

struct asker {
	pthread_t thread;
	struct symbol_store *store;
	const struct symbol_table *table;
	u64 sum; /* the sum over all names */
};

static void *ask(void *arg)
{
	struct asker *a = arg;

	a->table = symbols_of(a->store, 1);
	for (u32 i = 0; i < symbol_count(a->table); i++) {
		const char *name = symbol_get(a->table, i)->name;

		for (size_t j = 0; name[j]; j++)
			a->sum += (u64)(u8)name[j] * (j + 1) + i;
	}
	return NULL;
}

/* Many ask at once for the first time: one table, the same names for all. */
static void test_threads(void **state)
{
	struct context ctx = { 0 };
	struct image_table *images = image_table_new();
	struct symbol_options o = { .symfs = "", .buildid_dir = "" };
	struct image want = { .path = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", .pid = -1 };
	struct symbol_store *s = symbol_store_new(&ctx, images, &o);
	struct asker askers[THREADS] = { 0 };

	(void)state;
	if (access(want.path, R_OK))
		want.path = "/proc/self/exe";
	assert_int_equal(image_intern(images, &want), 1);
	for (int i = 0; i < THREADS; i++) {
		askers[i].store = s;
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(askers[i].thread, NULL);
	assert_true(symbol_count(askers[0].table) > 10);
	for (int i = 1; i < THREADS; i++) {
		assert_ptr_equal(askers[i].table, askers[0].table);
		assert_true(askers[i].sum == askers[0].sum);
	}
	symbol_store_free(s);
	image_table_free(images);
	condition_list_release(&ctx.conditions);
}

/* The last symbol that starts at or before the offset and reaches it, or one around it. */
static u32 slow_find(const struct symbol_table *t, u64 offset)
{
	for (u32 i = t->count; i-- > 0;)
		if (t->symbols[i].start <= offset && symbol_end(&t->symbols[i]) > offset)
			return i;
	return NO_SYMBOL;
}

static void write_map(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* It is refused while reading has just taken a part of the time that matters. */
static bool renews(struct symbol_store *s, u32 count, u32 image)
{
	time_t end = time(NULL) + 60;
	bool images[8];

	assert_true(count <= ARRAY_SIZE(images));
	do {
		if (time(NULL) >= end)
			return false;
		memset(images, true, sizeof(images));
	} while (!symbol_store_renew(s, images));
	for (u32 k = 0; k < count; k++)
		assert_int_equal(images[k], k == image);
	return true;
}

/* A process that compiles itself, and its perf map below a directory of its own. */
struct jit {
	char dir[32], tmp[64], path[100];
	struct context ctx;
	struct image_table *images;
	struct symbol_store *s;
	u32 image;
};

static void jit_init(struct jit *j, s32 pid)
{
	struct image img = { .kind = IMAGE_JIT, .pid = pid, .path = "//anon" };
	struct symbol_options o = { .symfs = j->dir };

	*j = (struct jit){ .dir = "/tmp/test_symbol.XXXXXX", .images = image_table_new() };
	assert_non_null(mkdtemp(j->dir));
	snprintf(j->tmp, sizeof(j->tmp), "%s/tmp", j->dir);
	assert_int_equal(mkdir(j->tmp, 0700), 0);
	snprintf(j->path, sizeof(j->path), "%s/perf-%d.map", j->tmp, pid);
	j->image = image_intern(j->images, &img);
	j->s = symbol_store_new(&j->ctx, j->images, &o);
	symbol_store_expect_changes(j->s);
}

static void jit_release(struct jit *j)
{
	symbol_store_free(j->s);
	image_table_free(j->images);
	condition_list_release(&j->ctx.conditions);
	unlink(j->path);
	rmdir(j->tmp);
	rmdir(j->dir);
}

/* However long reading took. */
static bool renews_now(struct jit *j)
{
	bool images[8] = { true, true, true };

	((struct symbol_table *)(uintptr_t)symbols_of(j->s, j->image))->files.took = 0;
	return symbol_store_renew(j->s, images);
}

/* Of all conditions with this code. */
static u64 said(const struct jit *j, const char *code)
{
	u64 count = 0;

	vec_for_each(&j->ctx.conditions.list, c)
		count += strcmp(c->code, code) ? 0 : c->count;
	return count;
}

/* A table that is replaced counts until it is dropped. */
static void test_replaced(void **state)
{
	const struct symbol_table *t;
	struct jit j;
	u64 bytes;
	u32 first;

	(void)state;
	jit_init(&j, getpid());
	write_map(j.path, "1000 10 one\n2000 10 two\n");
	first = symbol_find(symbols_of(j.s, j.image), 0x1000);
	bytes = symbol_store_bytes(j.s);
	write_map(j.path, "3000 10 three\n");
	assert_true(renews_now(&j));
	t = symbols_of(j.s, j.image);
	assert_string_equal(symbol_get(t, first)->name, "one");
	assert_true(symbol_store_bytes(j.s) > bytes);
	bytes = symbol_store_bytes(j.s);
	symbol_store_drop_replaced(j.s);
	assert_true(symbol_store_bytes(j.s) < bytes);
	assert_null(symbol_get(t, first));
	assert_string_equal(name_at(t, 0x3000), "three");
	jit_release(&j);
}

/* What cannot be read leaves the names that were read; what is wrong is said once. */
static void test_refused(void **state)
{
	const struct symbol_table *t;
	struct jit j;

	(void)state;
	jit_init(&j, getpid());
	write_map(j.path, "1000 10 one\n1000 10 two\n");
	t = symbols_of(j.s, j.image);
	assert_int_equal(said(&j, "perf-map-overlaps"), 1);
	write_map(j.path, "1000 10 one\n1000 10 two\n2000 10 three\n");
	assert_true(renews_now(&j));
	assert_int_equal(said(&j, "perf-map-overlaps"), 1);
	t = symbols_of(j.s, j.image);
	assert_string_equal(name_at(t, 0x2000), "three");

	for (int i = 0; i < 3; i++) {
		unlink(j.path);
		assert_int_equal(symlink(i & 1 ? "/dev/null" : "/dev/zero", j.path), 0);
		assert_false(renews_now(&j));
		assert_ptr_equal(symbols_of(j.s, j.image), t);
		assert_int_equal(said(&j, "no-perf-map"), 1);
		/* it is known now, and not opened again */
		assert_int_not_equal(t->files.took, 0);
		assert_false(renews_now(&j));
		assert_int_equal(t->files.took, 0);
	}
	unlink(j.path);
	write_map(j.path, "1000 10 again\n");
	assert_true(renews_now(&j));
	assert_string_equal(name_at(symbols_of(j.s, j.image), 0x1000), "again");
	jit_release(&j);
}

/*
 * Instead of libc's: where time flies, each look at the clock takes a day, in which nobody
 * computes.
 */
static bool time_flies;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static time_t days;
	int err = (int)syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_MONOTONIC && time_flies)
		t->tv_sec += ++days * 86400;
	return err;
}

/*
 * A table is read again when 50 times the CPU time has passed that reading it took, and not the
 * time.
 */
static void test_cost_of_renewal(void **state)
{
	const u64 day = (u64)86400 * 1000000000;
	struct symbol_table *t;
	bool images[8];
	struct jit j;

	(void)state;
	time_flies = true;
	jit_init(&j, getpid());
	write_map(j.path, "1000 10 one\n");
	t = (struct symbol_table *)(uintptr_t)symbols_of(j.s, j.image);
	assert_in_range(t->files.took, 1, day / 100);
	write_map(j.path, "1000 10 one\n2000 10 two\n");
	t->files.took = day / 40;
	memset(images, true, sizeof(images));
	assert_false(symbol_store_renew(j.s, images));
	t->files.took = day / 60; /* it takes a day to look whether that is over */
	memset(images, true, sizeof(images));
	assert_true(symbol_store_renew(j.s, images));
	assert_string_equal(name_at(symbols_of(j.s, j.image), 0x2000), "two");
	time_flies = false;
	jit_release(&j);
}

/* Its pid may be another process's by now. */
static void test_ended(void **state)
{
	pid_t pid = fork();
	struct symbol_table *t;
	struct jit j;
	u64 begun;

	(void)state;
	assert_int_not_equal(pid, -1);
	if (!pid) {
		alarm(60); /* also where the test fails */
		for (;;)
			pause();
	}
	jit_init(&j, pid);
	write_map(j.path, "1000 10 one\n");
	t = (struct symbol_table *)(uintptr_t)symbols_of(j.s, j.image);
	write_map(j.path, "1000 10 one\n2000 10 two\n");
	begun = t->files.process;
	assert_int_not_equal(begun, 0);
	t->files.process = begun + 1; /* as of one that had the pid before it */
	assert_false(renews_now(&j));
	t->files.process = begun;
	assert_true(renews_now(&j));
	write_map(j.path, "1000 10 one\n2000 10 two\n3000 10 three\n");
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(renews_now(&j));
	assert_string_equal(name_at(symbols_of(j.s, j.image), 0x2000), "two");
	assert_int_equal(process_begun(pid), 0);
	jit_release(&j);
}

/* Numbers and names of the table before stay valid until there is a third one. */
static void test_renewal(void **state)
{
	const struct symbol_table *t;
	struct image_table *images;
	struct symbol_store *s;
	u32 image, first, second;
	const char *name, *path;
	struct jit j;

	(void)state;
	jit_init(&j, getpid());
	path = j.path;
	images = j.images;
	image = j.image;
	s = j.s;
	assert_int_equal(symbol_count(symbols_of(s, image)), 0);
	assert_false(symbol_store_renew(s, (bool[8]){ true, true, true }));

	write_map(path, "1000 10 one\n2000 10 two\n");
	assert_true(renews(s, image_count(images), image));
	t = symbols_of(s, image);
	first = symbol_find(t, 0x2000);
	name = symbol_get(t, first)->name;
	assert_string_equal(name, "two");

	write_map(path, "2000 10 another\n");
	assert_true(renews(s, image_count(images), image));
	t = symbols_of(s, image);
	second = symbol_find(t, 0x2008);
	assert_string_equal(symbol_get(t, second)->name, "another");
	assert_int_equal(second, symbol_first(t));
	assert_int_equal(symbol_by_name(t, "another"), second);
	assert_int_not_equal(first, second);
	assert_ptr_equal(symbol_get(t, first)->name, name);
	assert_null(symbol_get(t, NO_SYMBOL));
	assert_int_equal(symbol_find(t, 0x1000), NO_SYMBOL);

	unlink(path); /* what is gone is not missed */
	assert_false(symbol_store_renew(s, (bool[8]){ true, true, true }));
	write_map(path, "3000 10 third\n");
	assert_true(renews(s, image_count(images), image));
	t = symbols_of(s, image);
	assert_string_equal(symbol_get(t, second)->name, "another");
	assert_string_equal(symbol_get(t, symbol_find(t, 0x3000))->name, "third");

	jit_release(&j);
}

/* Large tables have a shorter way to the place; dense, with gaps, and with outliers. */
static void test_large(void **state)
{
	static const struct {
		u64 step, low, high;
	} shapes[] = {
		{ 16, 0, 0 },
		{ 4096, 0, 0 },
		{ 16, 1, UINT64_MAX - 15 },
		{ 1, 0, 1ULL << 40 },
	};

	(void)state;
	srand(1);
	for (size_t k = 0; k < ARRAY_SIZE(shapes); k++) {
		struct symbol_list l = { VEC_INIT };
		struct symbol_table *t = symbol_table_new();
		u64 at = 0x401000, first;

		if (shapes[k].low)
			add(&l, shapes[k].low, 8, STB_GLOBAL, "low");
		for (int i = 0; i < 3000; i++) {
			at += (u64)rand() % shapes[k].step + 1;
			add(&l, at, (u64)rand() % (2 * shapes[k].step) + 1, STB_GLOBAL, "f");
			if (i % 500 == 0)
				at += (u64)rand() << 8;
		}
		if (shapes[k].high)
			add(&l, shapes[k].high, 8, STB_GLOBAL, "high");
		seal(t, &l);
		assert_true(t->buckets);
		first = t->symbols[0].start;
		for (u32 i = 0; i < t->count; i++)
			for (int d = -2; d < 20; d++) {
				u64 offset = t->symbols[i].start + (u64)d;

				assert_int_equal(symbol_find(t, offset), slow_find(t, offset));
			}
		assert_int_equal(symbol_find(t, first - 1), NO_SYMBOL);
		assert_int_equal(symbol_find(t, UINT64_MAX), slow_find(t, UINT64_MAX));
		symbol_table_free(t);
	}
}

struct keyed {
	u64 key;
	u32 number;
};

static u64 key_of(const void *item)
{
	return ((const struct keyed *)item)->key;
}

/*
 * By key, equal ones as they were: all kinds of beginnings that are in order already, and of ends
 * that are not.
 */
static void test_sort_by_key(void **state)
{
	static const size_t counts[] = { 1, 2, 3, 17, 300, 4000 };
	static struct keyed items[4000];
	u64 n = 1;

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(counts) * 12; c++) {
		size_t count = counts[c / 12],
		       ordered = count - count * (c % 12) / 12 / (1 + c % 3);

		for (size_t i = 0; i < count; i++) {
			n = n * 6364136223846793005ULL + 1442695040888963407ULL;
			items[i] =
				(struct keyed){ i < ordered ? i / 3 : (n >> 40) % count, (u32)i };
		}
		sort_by_key(items, sizeof(*items), count, key_of);
		for (size_t i = 1; i < count; i++)
			assert_true(items[i - 1].key < items[i].key ||
				    (items[i - 1].key == items[i].key &&
				     items[i - 1].number < items[i].number));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort_by_key),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_nested_in_many),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_linked),
		cmocka_unit_test(test_debug_file_wanted),
		cmocka_unit_test(test_renewal),
		cmocka_unit_test(test_cost_of_renewal),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_mapped),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_perf_map),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_pages_go),
		cmocka_unit_test(test_pages_of_a_list),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
