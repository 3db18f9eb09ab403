// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of what real compilers and linkers make, judged by readelf: word sizes,
 * byte orders, stripped files with their symbols elsewhere.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "config.h"
#include "object/buildid.h"
#include "object/elf.h"
#include "object/inflate.h"
#include "symbol/internal.h"
#include "shell.h"

static char dir[] = "/tmp/test-symbol-elf.XXXXXX";
static char *machines; /* tests/data/machines */

static const char source[] =
	"#include <stdlib.h>\n"
	"extern int puts(const char *);\n"
	"int counter = 3;\n"
	"int alpha(int x) { return x + 1; }\n"
	"static __attribute__((noinline, used)) int beta(int x) { return alpha(x) * counter; }\n"
	"__attribute__((noinline)) int gamma_(int x) { puts(\"gamma\"); return beta(x) - 1; }\n"
	"#ifdef MAIN\n"
	"int main(void) { return gamma_(2) + abs(alpha(1)); }\n"
	"#endif\n";

#define sh(...) (!shell(dir, __VA_ARGS__))

static void build(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void build(const char *fmt, ...)
{
	char *command = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&command, fmt, ap) > 0);
	va_end(ap);
	if (sh("%s", command))
		fail_msg("'%s' failed", command);
	free(command);
}

static bool have(const char *tool)
{
	return !sh("command -v %s", tool);
}

/* What perf must have been built with to read what a program packed. */
static bool unpacks(const char *packer)
{
#ifndef HAVE_ZLIB
	if (!strcmp(packer, "gzip"))
		return false;
#endif
#ifndef HAVE_LZMA
	if (!strcmp(packer, "xz"))
		return false;
#endif
#ifndef HAVE_ZSTD
	if (!strcmp(packer, "zstd"))
		return false;
#endif
	return strcmp(packer, "") != 0;
}

static int setup(void **state)
{
	FILE *f;

	(void)state;
	machines = realpath("tests/data/machines", NULL);
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	f = fopen("t.c", "w");
	if (!f)
		return -1;
	fputs(source, f);
	return fclose(f);
}

static int teardown(void **state)
{
	(void)state;
	free(machines);
	return chdir("/") || sh("rm -rf %s", dir);
}

/* A store of which every path is below the directory. */
struct fixture {
	struct context ctx;
	struct image_table *images;
	struct symbol_store *store;
	char *cache;
	const struct symbol_table *table;
};

/* code: how it was mapped, or NULL. */
static void open_mapped(struct fixture *f, const char *path, const struct build_id *id,
			const struct image_code *code)
{
	struct symbol_options o = { .symfs = dir };
	struct image want = { .path = path, .pid = -1 };

	memset(f, 0, sizeof(*f));
	f->cache = xasprintf("%s/cache", dir);
	o.buildid_dir = f->cache;
	if (id)
		want.build_id = *id;
	if (code)
		want.code[0] = *code;
	f->images = image_table_new();
	f->store = symbol_store_new(&f->ctx, f->images, &o);
	f->table = symbols_of(f->store, image_intern(f->images, &want));
}

static void open_store(struct fixture *f, const char *path, const struct build_id *id)
{
	open_mapped(f, path, id, NULL);
}

static void close_store(struct fixture *f)
{
	symbol_store_free(f->store);
	image_table_free(f->images);
	condition_list_release(&f->ctx.conditions);
	free(f->cache);
}

static const char *name_at(const struct symbol_table *t, u64 offset)
{
	u32 n = symbol_find(t, offset);

	return n == NO_SYMBOL ? "-" : symbol_get(t, n)->name;
}

/* The judge: what readelf says about a file's symbols and segments. */
struct judged {
	u64 addr;
	char name[64];
};
struct judgement {
	struct {
		u64 offset, addr, size;
	} loads[16];
	size_t load_count, symbol_count;
	struct judged symbols[4096];
};

static void judge(struct judgement *j, const char *path)
{
	char *command = xasprintf("readelf -lsW %s", path);
	FILE *f = popen(command, "r");
	char line[4096];

	memset(j, 0, sizeof(*j));
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long a, b, c, d;
		struct judged *s = &j->symbols[j->symbol_count];
		char type[16], section[16], *note = strstr(line, "[<localentry>");

		if (note) /* powerpc: a word more */
			memset(note, ' ', strcspn(note, "]") + 1);

		if (sscanf(line, " LOAD %lx %lx %*x %lx", &a, &b, &c) == 3 && j->load_count < 16) {
			j->loads[j->load_count].offset = a;
			j->loads[j->load_count].addr = b;
			j->loads[j->load_count++].size = c;
		} else if (sscanf(line, " %*u: %lx %lu %15s %*s %*s %15s %63s", &c, &d, type,
				  section, s->name) == 5 &&
			   d && (!strcmp(type, "FUNC") || !strcmp(type, "IFUNC")) &&
			   strcmp(section, "UND") && j->symbol_count + 1 < ARRAY_SIZE(j->symbols)) {
			s->addr = c;
			s->name[strcspn(s->name, "@")] = '\0';
			j->symbol_count++;
		}
	}
	pclose(f);
	free(command);
}

static u64 judged_offset(const struct judgement *j, u64 addr)
{
	for (size_t i = 0; i < j->load_count; i++)
		if (addr >= j->loads[i].addr && addr - j->loads[i].addr < j->loads[i].size)
			return addr - j->loads[i].addr + j->loads[i].offset;
	return addr;
}

static bool is_name_of(const struct judgement *j, u64 addr, const char *name)
{
	static const char label[] = "__plt_"; /* before the name, for stubs in code */
	size_t n = strcspn(name, "@"), skipped = !strcmp(name + n, "@plt") ? strlen(label) : 0;

	for (size_t i = 0; i < j->symbol_count; i++) {
		const char *judged = j->symbols[i].name;

		if (skipped && strncmp(judged, label, skipped))
			continue;
		if (j->symbols[i].addr == addr && strlen(judged + skipped) == n &&
		    !memcmp(judged + skipped, name, n))
			return true;
	}
	return false;
}

/* Every function that readelf lists in judged has a name of its address in the table. */
static void agree(const struct symbol_table *t, const char *judged, const char *runtime)
{
	struct judgement *j = xmalloc(sizeof(*j)), *segments = xmalloc(sizeof(*j));
	bool arm = false;
	struct elf *e;

	judge(j, judged);
	judge(segments, runtime);
	assert_true(j->symbol_count >= 3);
	assert_int_equal(elf_open(runtime, &e, NULL), 0);
	arm = elf_machine(e) == EM_ARM;
	elf_close(e);
	for (size_t i = 0; i < j->symbol_count; i++) {
		u64 addr = j->symbols[i].addr;
		u64 offset = judged_offset(segments, arm ? addr & ~1ULL : addr);

		if (!is_name_of(j, addr, name_at(t, offset)))
			fail_msg("%s: %s at %#lx is called '%s'", runtime, j->symbols[i].name,
				 (unsigned long)offset, name_at(t, offset));
	}
	free(j);
	free(segments);
}

static void check_build(const char *command, const char *file)
{
	char *path = xasprintf("/%s", file);
	struct fixture f;

	build("%s", command);
	open_store(&f, path, NULL);
	agree(f.table, file, file);
	close_store(&f);
	free(path);
}

static void test_native(void **state)
{
	(void)state;
	check_build("gcc -DMAIN -O0 t.c -o o0", "o0");
	check_build("gcc -DMAIN -O2 -g t.c -o o2", "o2");
	check_build("gcc -DMAIN -O1 -no-pie t.c -o nopie", "nopie");
	check_build("gcc -DMAIN -O1 -static t.c -o static", "static");
	check_build("gcc -O1 -fPIC -shared t.c -o lib.so", "lib.so");
	check_build("gcc -DMAIN -O1 -Wl,-z,noseparate-code t.c -o joined", "joined");
	if (have("clang"))
		check_build("clang -DMAIN -O1 -g t.c -o clang", "clang");
}

/* Word sizes and byte orders that this machine does not have. */
static void test_foreign(void **state)
{
	static const char *const targets[] = {
		"aarch64-linux-gnu", "armv7-linux-gnueabi",   "thumbv7-linux-gnueabi",
		"mips-linux-gnu",    "powerpc64le-linux-gnu", "riscv64-linux-gnu",
	};

	(void)state;
	if (!have("clang") || !have("ld.lld"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		char *command =
			xasprintf("sed 's/.*include.*//' t.c >f.c && "
				  "clang --target=%s -fPIC -O1 -c f.c -o f.o && "
				  "ld.lld -shared --unresolved-symbols=ignore-all f.o -o f%zu.so",
				  targets[i], i);
		char *file = xasprintf("f%zu.so", i);

		check_build(command, file);
		free(command);
		free(file);
	}
}

/* 64-bit powerpc, old ABI: a symbol's value is where a descriptor of the function lies. */
static void test_descriptors(void **state)
{
	const struct elf_section *text;
	struct elf *e;
	struct fixture f;
	u32 n;

	(void)state;
	if (!have("clang") || !have("ld.lld"))
		skip();
	build("sed 's/.*include.*//' t.c >d.c && clang --target=powerpc64-linux-gnu -O1 -c d.c -o "
	      "d.o && "
	      "ld.lld -e alpha --unresolved-symbols=ignore-all d.o -o opd");
	assert_int_equal(elf_open("opd", &e, NULL), 0);
	assert_true(elf_is_swapped(e) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
	assert_non_null(elf_section(e, ".opd"));
	text = elf_section(e, ".text");
	open_store(&f, "/opd", NULL);
	n = symbol_by_name(f.table, "alpha");
	assert_true(n != NO_SYMBOL);
	assert_true(symbol_get(f.table, n)->start - text->offset < text->size);
	/* addi 3,3,1, the whole of the function but its return */
	assert_memory_equal(elf_section_raw(e, text).data + symbol_get(f.table, n)->start -
				    text->offset,
			    "\x38\x63\x00\x01", 4);
	elf_close(e);
	close_store(&f);
}

static void test_plt(void **state)
{
	struct fixture f;
	u32 n;

	(void)state;
	build("gcc -DMAIN -O1 -Wl,-z,lazy t.c -o plt");
	open_store(&f, "/plt", NULL);
	n = symbol_by_name(f.table, "puts@plt");
	assert_true(n != NO_SYMBOL);
	assert_true(symbol_get(f.table, n)->is_plt);
	/* objdump writes the addresses; the first segments of such a file lie where they load */
	build("objdump -d plt | grep -q '^%016lx <puts@plt>:'",
	      (unsigned long)symbol_get(f.table, n)->start);
	close_store(&f);
}

/* binutils 2.41 and later write the stub's address where an addend would be (ld -z mark-plt). */
static void test_plt_marked(void **state)
{
	const struct elf_section *relocs;
	const u64 stub = 0x1030;
	struct fixture f;
	struct elf *e;
	char *path;
	FILE *file;

	(void)state;
	build("gcc -DMAIN -O1 -Wl,-z,lazy t.c -o marked");
	path = xasprintf("%s/marked", dir);
	assert_int_equal(elf_open(path, &e, NULL), 0);
	if (elf_machine(e) != EM_X86_64)
		skip();
	relocs = elf_section(e, ".rela.plt");
	assert_non_null(relocs);
	file = fopen(path, "r+");
	for (u64 at = 0; at < relocs->size; at += sizeof(Elf64_Rela)) {
		assert_int_equal(fseek(file,
				       (long)(relocs->offset + at + offsetof(Elf64_Rela, r_addend)),
				       SEEK_SET),
				 0);
		assert_int_equal(fwrite(&stub, sizeof(stub), 1, file), 1);
	}
	fclose(file);
	elf_close(e);
	open_store(&f, "/marked", NULL);
	assert_true(symbol_by_name(f.table, "puts@plt") != NO_SYMBOL);
	close_store(&f);
	free(path);
}

/* A function that is called and whose address is taken has its stub elsewhere. */
static void test_plt_got(void **state)
{
	static const char *const flags[] = { "", "-fcf-protection=full -Wl,-z,ibt" };
	struct fixture f;
	u32 n;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		build("echo 'int puts(const char *); int (*volatile p)(const char *); "
		      "int main(void) { p = puts; puts(\"a\"); return p(\"b\"); }' >got.c && "
		      "gcc -O1 %s got.c -o got%zu",
		      flags[i], i);
		open_store(&f, i ? "/got1" : "/got0", NULL);
		n = symbol_by_name(f.table, "puts@plt");
		assert_true(n != NO_SYMBOL);
		build("objdump -d got%zu | grep -q '^%016lx <puts@plt>:'", i,
		      (unsigned long)symbol_get(f.table, n)->start);
		close_store(&f);
	}
}

/* Is name that of a symbol of e that begins at this address?  none: no symbol does. */
static bool begins_there(const struct elf *e, u64 addr, const char *name, bool *none)
{
	size_t length = strcspn(name, "@");
	bool found = false;
	struct elf_symbol s;

	*none = true;
	for (u32 i = 0; i < elf_section_count(e); i++) {
		const struct elf_section *table = elf_section_at(e, i);

		if (!table || (table->type != SHT_SYMTAB && table->type != SHT_DYNSYM))
			continue;
		for (u32 k = 0; k < elf_symbol_count(e, table); k++) {
			if (!elf_symbol_at(e, table, k, &s) || s.value != addr ||
			    s.type != STT_GNU_IFUNC)
				continue;
			*none = false;
			found |= strcspn(s.name, "@") == length && !memcmp(s.name, name, length);
		}
	}
	return found;
}

/*
 * Every stub that objdump names in a file has this name here, or that of the function at the
 * address that objdump says; returns how many it named, and how many stubs are in our table.
 * objdump counts other places of the tables from the nearest symbol (name-0x10).
 */
static u32 compare_stubs(const char *file, u32 *stubs)
{
	char *path = xasprintf("%s/%s", dir, file), *command = NULL;
	struct fixture f;
	struct elf *e = NULL;
	char line[512];
	u32 named = 0;
	FILE *objdump;

	assert_int_equal(elf_open(path, &e, NULL), 0);
	open_store(&f, path + strlen(dir), NULL);
	assert_true(asprintf(&command,
			     "%sobjdump -dw -j .plt -j .plt.sec -j .plt.got %s 2>/dev/null",
			     elf_machine(e) == EM_AARCH64 ? "aarch64-linux-gnu-" : "", path) > 0);
	objdump = popen(command, "r");
	assert_non_null(objdump);
	while (fgets(line, sizeof(line), objdump)) {
		char *name = strchr(line, '<'), *end = name ? strstr(name, "@plt>:") : NULL;
		u64 offset;
		bool none;
		u32 n;

		if (!end || line[0] != '0')
			continue;
		end[4] = '\0';
		assert_true(elf_addr_to_offset(e, strtoull(line, NULL, 16), &offset));
		n = symbol_find(f.table, offset);
		if (n == NO_SYMBOL)
			fail_msg("%s: nothing at %s", file, line);
		if (!strcmp(name + 1, "*ABS*@plt")) /* no addend: see test_plt_chosen() */
			assert_non_null(strstr(symbol_get(f.table, n)->name, "@plt"));
		else if (strncmp(name + 1, "*ABS*+0x", 8) ||
			 (!begins_there(e, strtoull(name + 7, NULL, 16),
					symbol_get(f.table, n)->name, &none) &&
			  none))
			assert_string_equal(symbol_get(f.table, n)->name, name + 1);
		else
			assert_true(begins_there(e, strtoull(name + 7, NULL, 16),
						 symbol_get(f.table, n)->name, &none));
		assert_int_equal(symbol_get(f.table, n)->start, offset);
		assert_true(symbol_get(f.table, n)->is_plt);
		named++;
	}
	pclose(objdump);
	*stubs = 0;
	for (u32 i = 0; i < symbol_count(f.table); i++)
		*stubs += symbol_get(f.table, i)->is_plt;
	elf_close(e);
	close_store(&f);
	free(command);
	free(path);
	return named;
}

/* Functions chosen at the start stand among the others, in another order than their relocations. */
static void test_plt_irelative(void **state)
{
	static const struct {
		const char *compile;
		u32 at_least; /* names of objdump's */
	} kinds[] = {
		{ "cp $(ldconfig -p | awk '/libc.so.6.*x86-64/ { print $NF; exit }') stubs", 10 },
		{ "gcc -O1 -Wl,-z,lazy stubs.c -o stubs", 3 },
		{ "gcc -O1 -Wl,-z,now stubs.c -o stubs", 3 },
		{ "gcc -O1 -fcf-protection=full -Wl,-z,ibt,-z,ibtplt -Wl,-z,lazy stubs.c -o stubs",
		  3 },
		{ "gcc -O1 -no-pie -Wl,-z,lazy stubs.c -o stubs", 3 },
		{ "gcc -O1 -shared -fPIC -DLIBRARY stubs.c -o stubs", 5 },
		{ "gcc -O1 -static stubs.c -o stubs", 0 }, /* objdump says .plt+N */
		{ "gcc -O1 -fuse-ld=lld stubs.c -o stubs", 3 },
		{ "as --32 -o stubs.o stubs32.s && ld -m elf_i386 -shared -o stubs stubs.o", 3 },
		{ "aarch64-linux-gnu-gcc -O1 -shared -fPIC -nostdlib -DLIBRARY stubs.c -o stubs",
		  5 },
		{ "aarch64-linux-gnu-gcc -O1 -shared -fPIC -nostdlib -mbranch-protection=standard "
		  "-DLIBRARY stubs.c -o stubs",
		  5 },
	};

	(void)state;
	build("printf '%%s\n' '#include <stdlib.h>' 'int puts(const char *); extern int a1(void), "
	      "a2(void), a3(void);' "
	      "'static int one(void) { return 1; }' 'static void *choose(void) { return (void "
	      "*)one; }' "
	      "'int i1(void) __attribute__((ifunc(\"choose\"))); int i2(void) "
	      "__attribute__((ifunc(\"choose\")));' "
	      "'static int i3(void) __attribute__((ifunc(\"choose\")));' "
	      "'int (*volatile p)(const char *) = puts;' '#ifdef LIBRARY' "
	      "'int f(void) { return a1() + i1() + a2() + i2() + i3() + a3() + puts(\"x\"); }' "
	      "'#else' "
	      "'int main(void) { p = puts; return abs(i3()) + puts(\"x\") + atoi(\"1\") + rand() "
	      "+ (malloc(1) != 0); }' "
	      "'#endif' >stubs.c");
	build("printf '%%s\n' '.globl f' 'f:' 'call a1@PLT' 'call i1@PLT' 'call a2@PLT' 'call "
	      "i2@PLT' 'call a3@PLT' 'ret' "
	      "'.globl i1' '.type i1, @gnu_indirect_function' 'i1:' 'ret' "
	      "'.local i2' '.type i2, @gnu_indirect_function' 'i2:' 'ret' >stubs32.s");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		u32 named, stubs;

		build("rm -f stubs && %s", kinds[i].compile);
		named = compare_stubs("stubs", &stubs);
		if (named < kinds[i].at_least || stubs < 3)
			fail_msg("%s: %u names, %u stubs", kinds[i].compile, named, stubs);
	}
}

/*
 * Checks that a stub whose relocation holds only a resolver's address is named by the indirect
 * function.
 */
static void test_plt_chosen(void **state)
{
	static const struct {
		const char *compile, *name;
	} kinds[] = {
		{ "gcc -O1 -static chosen.c -o chosen", "chosen@plt" },
		{ "gcc -O1 -static-pie chosen.c -o chosen", "chosen@plt" },
		{ "gcc -O1 -Wl,-z,now chosen.c -o chosen", "chosen@plt" },
		{ "gcc -O1 -fuse-ld=lld chosen.c -o chosen", "chosen@plt" },
		{ "gcc -O1 -static -fuse-ld=lld chosen.c -o chosen", "chosen@plt" },
		{ "as --32 -o chosen.o chosen32.s && ld -m elf_i386 -shared -o chosen chosen.o",
		  "chosen@plt" },
		{ "as --32 -o chosen.o chosen32.s && ld -m elf_i386 -shared -s -o chosen chosen.o",
		  "*ABS*@plt" },
	};
	struct fixture f;

	(void)state;
	build("printf '%%s\n' 'static int one(void) { return 1; }' 'static void *choose(void) { "
	      "return (void *)one; }' "
	      "'static int chosen(void) __attribute__((ifunc(\"choose\")));' "
	      "'int main(void) { return chosen(); }' >chosen.c");
	build("printf '%%s\n' '.globl f' 'f:' 'call chosen@PLT' 'ret' "
	      "'.local chosen' '.type chosen, @gnu_indirect_function' 'chosen:' 'ret' >chosen32.s");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strstr(kinds[i].compile, "lld") && system("command -v ld.lld >/dev/null"))
			continue;
		build("%s", kinds[i].compile);
		open_store(&f, "/chosen", NULL);
		if (symbol_by_name(f.table, kinds[i].name) == NO_SYMBOL)
			fail_msg("%s: no %s", kinds[i].compile, kinds[i].name);
		for (u32 n = 0; n < symbol_count(f.table) && i + 1 < ARRAY_SIZE(kinds); n++)
			assert_null(strstr(symbol_get(f.table, n)->name, "*ABS*"));
		close_store(&f);
	}
}

/* A copy of a file in which this symbol has no name; its path is "/nameless". */
static void without_name(const struct elf *e, const char *path, const char *name)
{
	const struct elf_section *dynsym = elf_section(e, ".dynsym");
	char *copy = xasprintf("%s/nameless", dir);
	struct elf_symbol s;
	FILE *f;
	u32 i = 1;

	assert_non_null(dynsym);
	while (elf_symbol_at(e, dynsym, i, &s) && strcmp(s.name, name))
		i++;
	assert_true(elf_symbol_at(e, dynsym, i, &s));
	build("cp %s nameless", path);
	f = fopen(copy, "r+");
	assert_non_null(f);
	/* where its name is comes first in either class */
	assert_int_equal(fseek(f, (long)(dynsym->offset + i * dynsym->entsize), SEEK_SET), 0);
	assert_int_equal(fwrite("\0\0\0", 1, 4, f), 4);
	fclose(f);
	free(copy);
}

/* A stub that has no name leaves the places and the ends of its neighbours as they are. */
static void check_nameless_stub(const struct elf *e, const char *path, const char *const names[3],
				u32 nameless)
{
	u64 first = elf_section(e, ".plt")->offset + 32;
	char *name = xstrndup(names[nameless], strcspn(names[nameless], "@"));
	struct fixture f, whole;
	u32 own;

	without_name(e, path, name);
	open_store(&whole, "/far", NULL);
	open_store(&f, "/nameless", NULL);
	own = symbol_by_name(whole.table, "f");
	assert_true(own != NO_SYMBOL);
	assert_int_equal(symbol_end(symbol_get(f.table, symbol_by_name(f.table, "f"))),
			 symbol_end(symbol_get(whole.table, own)));
	for (u32 k = 0; k < 3; k++) {
		u32 n = symbol_by_name(f.table, names[k]);

		if (k == nameless) {
			assert_true(n == NO_SYMBOL);
			assert_true(symbol_find(f.table, first + 16 * k) == NO_SYMBOL);
			continue;
		}
		assert_true(n != NO_SYMBOL);
		assert_int_equal(symbol_get(f.table, n)->start, first + 16 * k);
		assert_int_equal(symbol_end(symbol_get(f.table, n)), first + 16 * k + 16);
	}
	close_store(&f);
	close_store(&whole);
	free(name);
}

/*
 * Tables that no objdump here names: entries in lld's order and size, 16 bytes behind a header of
 * 32.
 */
static void test_plt_foreign(void **state)
{
	static const char *const targets[] = { "arm-linux-gnueabi -march=armv7-a",
					       "riscv64-linux-gnu -march=rv64imac -mno-relax",
					       "riscv32-linux-gnu -march=rv32imac -mno-relax" };
	static const char *const names[] = { "first@plt", "second@plt", "third@plt" };
	struct fixture f;

	(void)state;
	if (!have("clang") || !have("ld.lld"))
		skip();
	build("echo 'int first(int), second(int), third(int); int f(int x) { return first(x) + "
	      "second(x) * third(x); }' >far.c");
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		const struct elf_section *plt;
		struct elf *e;
		char *path;

		build("clang --target=%s -O1 -fPIC -shared -nostdlib -fuse-ld=lld far.c -o far",
		      targets[i]);
		path = xasprintf("%s/far", dir);
		assert_int_equal(elf_open(path, &e, NULL), 0);
		plt = elf_section(e, ".plt");
		assert_non_null(plt);
		open_store(&f, "/far", NULL);
		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			u32 n = symbol_by_name(f.table, names[k]);

			assert_true(n != NO_SYMBOL);
			assert_int_equal(symbol_get(f.table, n)->start, plt->offset + 32 + 16 * k);
			assert_int_equal(symbol_end(symbol_get(f.table, n)),
					 plt->offset + 48 + 16 * k);
		}
		close_store(&f);
		for (u32 k = 0; k < ARRAY_SIZE(names); k++)
			check_nameless_stub(e, path, names, k);
		elf_close(e);
		free(path);
	}
}

/*
 * PowerPC: stubs of calls lie between functions, in the form that linker and ABI need; objdump says
 * where.
 */
static void test_plt_powerpc(void **state)
{
	static const char *const names[] = { "first@plt", "second@plt", "third@plt" };
	/* stubs of calls, and the branches to the dynamic linker that objdump names */
	static const struct {
		const char *file;
		u64 calls[3], size, resolvers[3], resolver_size;
	} files[] = {
		{ "ppc64el.so", { 0x2a0, 0x2e0, 0x2c0 }, 16, { 0x3c4, 0x3bc, 0x3c0 }, 4 },
		{ "ppc64el-far.so", { 0x2a0, 0x2e0, 0x2c0 }, 20, { 0x3c4, 0x3bc, 0x3c0 }, 4 },
		{ "ppc64el-lld.so", { 0x440, 0x454, 0x468 }, 20, { 0x4b8, 0x4bc, 0x4c0 }, 4 },
		{ "ppc64el-no-toc.so", { 0x2a0, 0x2e0, 0x2c0 }, 28, { 0x3ac, 0x3a4, 0x3a8 }, 4 },
		{ "ppc64el-power10.so", { 0x2a0, 0x2e0, 0x2c0 }, 16, { 0x3ac, 0x3a4, 0x3a8 }, 4 },
		{ "ppc64.so", { 0x2c0, 0x300, 0x2e0 }, 28, { 0x3dc, 0x3cc, 0x3d4 }, 8 },
		{ "ppc64-once.so", { 0x2c0, 0x300, 0x2e0 }, 20, { 0x3dc, 0x3cc, 0x3d4 }, 8 },
	};

	(void)state;
	if (!machines)
		fail_msg("run this at the top of the tree");
	build("mkdir powerpc && tar -xJf %s/plt-ppc64.tar.xz -C powerpc", machines);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = xasprintf("/powerpc/%s", files[i].file);
		struct fixture f;
		u32 stubs = 0;

		open_store(&f, path, NULL);
		for (size_t k = 0; k < 2 * ARRAY_SIZE(names); k++) {
			bool call = k < ARRAY_SIZE(names);
			u64 start = call ? files[i].calls[k] : files[i].resolvers[k % 3];
			u64 size = call ? files[i].size : files[i].resolver_size;
			u32 n = symbol_find(f.table, start);

			if (n == NO_SYMBOL || strcmp(symbol_get(f.table, n)->name, names[k % 3]))
				fail_msg("%s: %s is not at %#lx", files[i].file, names[k % 3],
					 (unsigned long)start);
			assert_int_equal(symbol_get(f.table, n)->start, start);
			assert_int_equal(symbol_end(symbol_get(f.table, n)), start + size);
			assert_true(symbol_get(f.table, n)->is_plt);
		}
		for (u32 k = 0; k < symbol_count(f.table); k++)
			stubs += symbol_get(f.table, k)->is_plt;
		assert_int_equal(stubs, 2 * ARRAY_SIZE(names));
		close_store(&f);
		free(path);
	}
}

static void test_debuglink(void **state)
{
	struct fixture f;

	(void)state;
	build("gcc -DMAIN -O1 -g t.c -o full && mkdir -p usr/lib/debug && "
	      "objcopy --only-keep-debug full usr/lib/debug/linked.debug && "
	      "objcopy --strip-all full linked && "
	      "cd usr/lib/debug && objcopy --add-gnu-debuglink=linked.debug ../../../linked");
	open_store(&f, "/linked", NULL);
	assert_int_equal(symbol_table_origin(f.table), 'l');
	agree(f.table, "full", "linked");
	close_store(&f);
}

static void test_debuglink_without_id(void **state)
{
	struct fixture f;

	(void)state;
	build("mkdir -p .debug && gcc -DMAIN -O1 -g t.c -Wl,--build-id=none -o plain && "
	      "objcopy --only-keep-debug plain .debug/plain.debug && "
	      "objcopy --strip-all plain crc && "
	      "objcopy --add-gnu-debuglink=.debug/plain.debug crc");
	open_store(&f, "/crc", NULL);
	agree(f.table, "plain", "crc");
	close_store(&f);
	/* another file of this name: the checksum tells */
	build("gcc -DMAIN -O2 -g t.c -Wl,--build-id=none -o other && "
	      "objcopy --only-keep-debug other .debug/plain.debug");
	open_store(&f, "/crc", NULL);
	assert_true(symbol_by_name(f.table, "beta") == NO_SYMBOL);
	close_store(&f);
}

static struct build_id id_of(const char *file)
{
	struct build_id id;

	assert_int_equal(build_id_of_file(file, &id, NULL), 0);
	return id;
}

static void test_debug_by_id(void **state)
{
	struct fixture f;
	struct build_id id;
	char hex[41];

	(void)state;
	build("gcc -DMAIN -O1 -g t.c -o whole && objcopy --strip-all whole byid");
	id = id_of("byid");
	build_id_text(&id, hex);
	build("mkdir -p usr/lib/debug/.build-id/%.2s && "
	      "objcopy --only-keep-debug whole usr/lib/debug/.build-id/%.2s/%s.debug",
	      hex, hex, hex + 2);
	open_store(&f, "/byid", &id);
	assert_int_equal(symbol_table_origin(f.table), 'b');
	agree(f.table, "whole", "byid");
	close_store(&f);
	/* the object itself is gone: its debug file still names things */
	build("rm byid");
	open_store(&f, "/byid", &id);
	assert_true(symbol_by_name(f.table, "beta") != NO_SYMBOL);
	close_store(&f);
}

/* The pages of the file's code, as a kernel maps them. */
static struct image_code mapping_of(const char *file)
{
	struct image_code code = { .size = 0 };
	struct elf *e;

	assert_int_equal(elf_open(file, &e, NULL), 0);
	for (u32 i = 0; i < elf_segment_count(e); i++) {
		const struct elf_segment *s = elf_segment_at(e, i);
		u64 before = s->offset & 4095;

		if (s->type == PT_LOAD && s->flags & PF_X)
			code = (struct image_code){ s->offset - before,
						    ALIGN_UP(s->file_size + before, (u64)4096) };
	}
	elf_close(e);
	assert_true(code.size);
	return code;
}

/* The object is gone.  Its debug file has other offsets in its headers, also for variables. */
static void check_debug_alone(const char *flags, bool in_place)
{
	struct image_code code;
	struct fixture f;
	struct build_id id;
	char hex[41];

	build("gcc -DMAIN -O1 -g %s t.c -o alone && cp alone gone", flags);
	id = id_of("alone");
	code = mapping_of("alone");
	build_id_text(&id, hex);
	if (in_place)
		build("objcopy --only-keep-debug gone alone");
	else
		build("rm alone && mkdir -p usr/lib/debug/.build-id/%.2s && objcopy "
		      "--only-keep-debug gone "
		      "usr/lib/debug/.build-id/%.2s/%s.debug",
		      hex, hex, hex + 2);
	open_mapped(&f, "/alone", &id, &code);
	agree(f.table, "gone", "gone");
	assert_true(symbol_by_name(f.table, "counter") == NO_SYMBOL);
	close_store(&f);
}

static void test_debug_alone(void **state)
{
	static const char *const flags[] = { "",
					     "-no-pie",
					     "-static",
					     "-Wl,-z,noseparate-code",
					     "-fPIC -shared",
					     "-fuse-ld=lld",
					     "-fuse-ld=lld -no-pie",
					     "-fuse-ld=gold",
					     "-Wl,-z,max-page-size=0x200000" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (strstr(flags[i], "lld") && !have("ld.lld"))
			continue;
		if (strstr(flags[i], "gold") && !have("ld.gold"))
			continue;
		check_debug_alone(flags[i], false);
		check_debug_alone(flags[i], true);
	}
}

/* Code of several kinds; each label without a size is followed by what it does not name. */
static const char labels_source[] =
	".text\n"
	".globl at_function, sized, inside, before_frames, own_frames, in_frames, alone, "
	"before_sized\n"
	"at_function:\n"
	".type sized, %function\n"
	"sized: .skip 64\n"
	"inside: .skip 64\n"
	".size sized, 128\n"
	"before_frames: .skip 32\n"
	".cfi_startproc\n.skip 512\n.cfi_endproc\n"
	"own_frames: .cfi_startproc\n.skip 6000\n.cfi_endproc\n"
	".skip 64\n"
	".cfi_startproc\n.skip 1\n"
	"in_frames: .skip 100\n.cfi_endproc\n"
	".skip 64\n"
	".cfi_startproc\n.skip 16\n.cfi_endproc\n"
	"alone: .skip 9000\n"
	"before_sized: .skip 48\n"
	".type last, %function\n.globl last\n"
	"last: .skip 16\n"
	".size last, 16\n"
	".section .note.GNU-stack,\"\",%progbits\n";

static void check_labels(const char *build_it)
{
	/* offsets from the label sized; range: where a function without a symbol begins */
	/* clang-format off */
	static const struct { u64 at; const char *name; u64 range; } want[] = {
		{ 0, "sized" }, { 63, "sized" }, { 64, "sized" }, { 127, "sized" },
		{ 128, "before_frames" }, { 159, "before_frames" }, { 160, NULL, 160 }, { 671, NULL, 160 },
		{ 672, "own_frames" }, { 672 + 5999, "own_frames" },
		/* one byte more, which the IP is at after a system call at the end */
		{ 6672, "own_frames" }, { 6673, "-" }, { 6735, "-" },
		{ 6736, NULL, 6736 }, { 6737, "in_frames" }, { 6837, "in_frames" }, { 6838, "-" },
		{ 6901, NULL, 6901 }, { 6916, NULL, 6901 },
		{ 6917, "alone" }, { 6917 + 4095, "alone" }, { 6917 + 4096, "-" }, { 15916, "-" },
		{ 15917, "before_sized" }, { 15964, "before_sized" }, { 15965, "last" }, { 15980, "last" },
		{ 15981, "-" },
	};
	/* clang-format on */
	struct fixture f;
	u64 start = 0, address;

	build("%s", build_it);
	open_store(&f, "/labels.so", NULL);
	assert_true(symbol_start(f.table, symbol_by_name(f.table, "sized"), &start));
	assert_true(elf_offset_to_addr(f.table->elf, start, &address));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const char *name = name_at(f.table, start + want[i].at), *right = want[i].name;
		char range[64];

		snprintf(range, sizeof(range), "[labels.so+0x%lx]",
			 (unsigned long)(address + want[i].range));
		right = right ? right : range;
		if (strcmp(name, right))
			fail_msg("%s: %s at %lu, not %s", build_it, name, (unsigned long)want[i].at,
				 right);
	}
	assert_true(symbol_by_name(f.table, "at_function") == NO_SYMBOL);
	assert_true(symbol_by_name(f.table, "inside") == NO_SYMBOL);
	close_store(&f);
}

static void test_labels(void **state)
{
	FILE *f = fopen("labels.s", "w");

	(void)state;
	assert_non_null(f);
	fputs(labels_source, f);
	assert_int_equal(fclose(f), 0);
	check_labels("gcc -shared -nostdlib labels.s -o labels.so");
	check_labels("gcc -shared -nostdlib -s labels.s -o labels.so");
	check_labels("gcc -shared -nostdlib -Wl,--no-eh-frame-hdr labels.s -o labels.so");
	check_labels(
		"sed 1i.cfi_sections\\ .debug_frame labels.s >d.s && gcc -shared -nostdlib d.s -o "
		"labels.so");
	check_labels("objcopy --only-keep-debug labels.so labels.dbg && strip labels.so && "
		     "objcopy --add-gnu-debuglink=labels.dbg labels.so");
	if (have("ld.lld"))
		check_labels("gcc -shared -nostdlib -fuse-ld=lld labels.s -o labels.so");
}

/* Code in the file after .bss, whose memory would lie there. */
static void test_after_bss(void **state)
{
	static const char script[] =
		"ENTRY(gamma_)\n"
		"PHDRS { hdr PT_LOAD FILEHDR PHDRS FLAGS(4); data PT_LOAD FLAGS(6); text PT_LOAD "
		"FLAGS(5); }\n"
		"SECTIONS {\n"
		" . = 0x400000 + SIZEOF_HEADERS; .note : { *(.note*) } :hdr\n"
		" . = ALIGN(0x10000) + 0x10000; .data : { *(.data*) } :data\n"
		" .bss : { first = .; *(.bss*) *(COMMON) } :data\n"
		" . = ALIGN(0x10000) + 0x100000; .text : { *(.text*) } :text\n"
		" /DISCARD/ : { *(.eh_frame*) }\n"
		"}\n";
	FILE *f = fopen("after.ld", "w");

	(void)state;
	assert_non_null(f);
	fputs(script, f);
	assert_int_equal(fclose(f), 0);
	build("echo 'char large[300000], more[64]; int start[700] = { 5 }; int puts(const char "
	      "*s) { return *s; }' >bss.c");
	check_build(
		"gcc -O1 -nostdlib -static -Wl,-T,after.ld -Wl,-z,max-page-size=0x1000 t.c bss.c "
		"-o after",
		"after");
}

static void test_minidebuginfo(void **state)
{
	struct fixture f;

	(void)state;
	if (!have("xz") || !unpacks("xz"))
		skip();
	build("gcc -DMAIN -O1 t.c -o mfull && objcopy --only-keep-debug mfull mini && "
	      "xz -f mini && objcopy --strip-all mfull packed && "
	      "objcopy --add-section .gnu_debugdata=mini.xz packed");
	open_store(&f, "/packed", NULL);
	agree(f.table, "mfull", "packed");
	assert_true(symbol_by_name(f.table, "beta") != NO_SYMBOL);
	close_store(&f);
}

/* A file with another build-id is not used, and that is said. */
static void test_wrong_build_id(void **state)
{
	struct fixture f;
	struct build_id id = { .size = 20, .id = { 1, 2, 3 } };

	(void)state;
	build("gcc -DMAIN -O1 t.c -o replaced");
	open_store(&f, "/replaced", &id);
	assert_int_equal(symbol_count(f.table), 0);
	assert_int_equal(f.ctx.conditions.list.count, 1);
	assert_string_equal(f.ctx.conditions.list.items[0].code, "object-differs");
	assert_string_equal(f.ctx.conditions.list.items[0].object, "/replaced");
	close_store(&f);
}

static void test_compressed_sections(void **state)
{
	struct elf *packed, *plain;
	struct elf_bytes a, b;

	(void)state;
	if (!unpacks("gzip"))
		skip();
	build("gcc -DMAIN -g3 -gz=zlib t.c -o gz && "
	      "objcopy --decompress-debug-sections gz plain_gz && "
	      "objcopy --compress-debug-sections=zlib-gnu plain_gz zdebug");
	assert_int_equal(elf_open("gz", &packed, NULL), 0);
	assert_int_equal(elf_open("plain_gz", &plain, NULL), 0);
	assert_true(elf_section(packed, ".debug_info")->flags & SHF_COMPRESSED);
	assert_int_equal(elf_section_data(packed, elf_section(packed, ".debug_info"), &a, NULL), 0);
	assert_int_equal(elf_section_data(plain, elf_section(plain, ".debug_info"), &b, NULL), 0);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	elf_bytes_release(&a);
	elf_close(packed);
	assert_int_equal(elf_open("zdebug", &packed, NULL), 0);
	assert_non_null(elf_section(packed, ".zdebug_info"));
	assert_int_equal(elf_section_data(packed, elf_section(packed, ".zdebug_info"), &a, NULL),
			 0);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	elf_bytes_release(&a);
	elf_close(packed);
	elf_close(plain);
}

/* A size that the file promises is taken at its word only when it is right. */
static void test_promised_sizes(void **state)
{
	struct elf *packed;
	struct elf_bytes raw, want;
	u8 *stream, *out, *exact;
	size_t n, size;

	(void)state;
	if (!unpacks("gzip"))
		skip();
	build("gcc -DMAIN -g3 -gz=zlib t.c -o gz");
	assert_int_equal(elf_open("gz", &packed, NULL), 0);
	raw = elf_section_raw(packed, elf_section(packed, ".debug_info"));
	assert_int_equal(elf_section_data(packed, elf_section(packed, ".debug_info"), &want, NULL),
			 0);
	n = raw.size - sizeof(Elf64_Chdr);
	stream = xmemdup(raw.data + sizeof(Elf64_Chdr), n);
	exact = xmalloc(want.size + 1);
#ifdef HAVE_LIBDEFLATE
	assert_true(inflate_exactly(stream, n, exact, want.size));
	assert_memory_equal(exact, want.data, want.size);
#endif
	for (size_t hint = 0; hint <= want.size + 1; hint = hint ? hint + 1 : want.size - 1) {
		if (hint != want.size)
			assert_false(inflate_exactly(stream, n, exact, hint));
		assert_int_equal(inflate_zlib(stream, n, hint, INFLATE_LIMIT, &out, &size, NULL),
				 0);
		assert_int_equal(size, want.size);
		assert_memory_equal(out, want.data, size);
		free(out);
	}
	stream[n - 1] ^= 1; /* of the checksum */
	assert_false(inflate_exactly(stream, n, exact, want.size));
	assert_int_equal(inflate_zlib(stream, n, want.size, INFLATE_LIMIT, &out, &size, NULL),
			 -EINVAL);
	free(exact);
	free(stream);
	elf_bytes_release(&want);
	elf_close(packed);
}

/* Modules come packed whole. */
static void test_packed_files(void **state)
{
	static const char *const packers[] = { "gzip", "xz", "zstd" };
	struct build_id want, got;

	(void)state;
	build("gcc -DMAIN -O1 t.c -o module");
	want = id_of("module");
	for (size_t i = 0; i < ARRAY_SIZE(packers); i++) {
		char *file;

		if (!have(packers[i]) || !unpacks(packers[i]))
			continue;
		build("%s -c <module >module.%zu", packers[i], i);
		file = xasprintf("module.%zu", i);
		got = id_of(file);
		assert_true(build_id_equal(&want, &got));
		free(file);
	}
}

/* A module that no kallsyms knows: its file's symbols lie where it was loaded. */
static void check_module(const char *path)
{
	const u64 at = 0xffffffffc1000000;
	struct symbol_options o = { .symfs = dir };
	struct image want = { .path = path,
			      .pid = -1,
			      .kind = IMAGE_MODULE,
			      .kernel = true,
			      .addr = at,
			      .size = 0x1000 };
	struct context ctx = { 0 };
	struct image_table *images = image_table_new();
	struct symbol_store *store = symbol_store_new(&ctx, images, &o);
	const struct symbol_table *t = symbols_of(store, image_intern(images, &want));

	assert_int_equal(symbol_table_origin(t), 'K');
	assert_string_equal(name_at(t, at), "alpha");
	assert_true(symbol_by_name(t, "gamma_") != NO_SYMBOL);
	symbol_store_free(store);
	image_table_free(images);
	condition_list_release(&ctx.conditions);
}

static void test_packed_modules(void **state)
{
	static const struct {
		const char *packer, *path;
	} packed[] = {
		{ "cat", "/not_in_kallsyms.ko" },
		{ "gzip", "/not_in_kallsyms.ko.gz" },
		{ "xz", "/not_in_kallsyms.ko.xz" },
		{ "zstd", "/not_in_kallsyms.ko.zst" },
	};

	(void)state;
	build("gcc -c -O1 t.c -o module.o");
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++) {
		if (!unpacks(packed[i].packer))
			continue;
		build("%s <module.o >.%s", packed[i].packer, packed[i].path);
		check_module(packed[i].path);
	}
}

/* Every question that can be put to an ELF file, put to a damaged one. */
static void interrogate(const u8 *data, size_t size)
{
	struct symbol_list l = { VEC_INIT };
	struct symbol_table *t = symbol_table_new();
	struct elf *e, *inner;
	struct build_id id;
	u64 v;
	u32 crc;

	if (elf_open_bytes(data, size, true, &e, NULL)) {
		symbol_table_free(t);
		return;
	}
	elf_build_id(e, &id);
	elf_debuglink(e, &crc);
	elf_offset_to_addr(e, 0x1000, &v);
	for (u32 i = 0; i < elf_section_count(e); i++) {
		struct elf_bytes b;

		if (!elf_section_data(e, elf_section_at(e, i), &b, NULL))
			elf_bytes_release(&b);
	}
	if (!elf_open_debugdata(e, &inner, NULL))
		elf_close(inner);
	elf_symbols_add(&l, &(struct elf_symbol_source){ .object = e, .demangle = true });
	symbol_list_sort(&l);
	symbol_list_extend_ends(&l);
	symbol_list_drop_duplicates(&l, false);
	plt_symbols_add(&l, e, &t->names, true, true);
	symbol_list_sort(&l);
	symbol_table_seal(t, &l);
	for (u64 at = 0; at < size; at += 64)
		symbol_find(t, at);
	for (u32 i = 0; i < symbol_count(t); i++)
		symbol_get(t, i);
	symbol_table_free(t);
	elf_close(e);
}

static u64 next_random(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static u8 *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	u8 *p = malloc(1 << 20);

	assert_non_null(f);
	*size = fread(p, 1, 1 << 20, f);
	fclose(f);
	return p;
}

/* One to four fields are overwritten with nasty values, at places that hold structure. */
static void damage(u8 *p, size_t size, u64 *x)
{
	static const u64 nasty[] = { 0, 1, 0x7fffffff, 0xffffffff, UINT64_MAX, 0xfff0, 0x1000 };
	/* section headers of a little-endian file */
	u64 tables = load_u64(p + 40, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	u64 n = 1 + next_random(x) % 4;

	while (n--) {
		u64 at = next_random(x), v = nasty[next_random(x) % ARRAY_SIZE(nasty)];
		size_t width = (size_t)1 << next_random(x) % 4;

		switch (next_random(x) % 4) {
		case 0:
			at %= 64 + 56 * 13;
			break;
		case 1:
			at = tables + at % (size - tables);
			break;
		default:
			at %= size;
		}
		if (next_random(x) % 2)
			v = next_random(x);
		memcpy(p + at, &v, MIN(width, size - at));
	}
}

static void test_hostile(void **state)
{
	size_t size;
	u64 x = 0x9e3779b97f4a7c15ULL;
	u8 *good, *bad;

	(void)state;
	build("gcc -DMAIN -O1 -g -gz=zlib t.c -o hostile && objcopy --only-keep-debug hostile "
	      "h.dbg && "
	      "xz -fk h.dbg; [ ! -f h.dbg.xz ] || objcopy --add-section .gnu_debugdata=h.dbg.xz "
	      "hostile; "
	      "objcopy --add-gnu-debuglink=h.dbg hostile");
	good = slurp("hostile", &size);
	interrogate(good, size);
	bad = malloc(size);
	for (int i = 0; i < 4000; i++) {
		memcpy(bad, good, size);
		damage(bad, size, &x);
		interrogate(bad, size);
	}
	free(bad);
	for (size_t cut = 0; cut < size; cut += cut < 1024 ? 7 : 301) {
		bad = malloc(cut ? cut : 1); /* exact, so that a sanitizer sees a step beyond */
		memcpy(bad, good, cut);
		interrogate(bad, cut);
		free(bad);
	}
	free(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_native),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_plt_marked),
		cmocka_unit_test(test_plt_got),
		cmocka_unit_test(test_plt_irelative),
		cmocka_unit_test(test_plt_chosen),
		cmocka_unit_test(test_plt_foreign),
		cmocka_unit_test(test_plt_powerpc),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_debuglink_without_id),
		cmocka_unit_test(test_debug_by_id),
		cmocka_unit_test(test_debug_alone),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_after_bss),
		cmocka_unit_test(test_minidebuginfo),
		cmocka_unit_test(test_wrong_build_id),
		cmocka_unit_test(test_compressed_sections),
		cmocka_unit_test(test_promised_sizes),
		cmocka_unit_test(test_packed_files),
		cmocka_unit_test(test_packed_modules),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
