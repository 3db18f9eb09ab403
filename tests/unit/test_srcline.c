// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines and inlined calls, of what gcc and clang make, at every address of
 * their code.  Judges: addr2line and llvm-symbolizer.  They differ from each other
 * (binutils 2.40 takes the wrong file for DWARF 5 declarations and reads no split
 * units, llvm 14 names aliases otherwise), so each answer must be one of theirs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "symbol/dwarf.h"
#include "symbol/internal.h"
#include "symbol/srcline.h"
#include "shell.h"

static char dir[] = "/tmp/test-srcline.XXXXXX";

static const char header[] =
	"static inline int twice(int x) { int r = 0; for (int i = 0; i < x; i++) r += i ^ x; "
	"return r; }\n"
	"static inline __attribute__((always_inline)) int nested(int x)\n"
	"{\n"
	"	return twice(x) +\n"
	"	       twice(x + 1);\n"
	"}\n";

static const char source[] =
	"#include \"h.h\"\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"	if (x > 3)\n"
	"		return nested(x) * 3;\n"
	"	return nested(x * 2);\n"
	"}\n"
	"__attribute__((noinline, cold)) int rare(int x) { return twice(x) / 3; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	return outer(argc) + twice(argc) + (argc > 90 ? rare(argc) : 0);\n"
	"}\n";

#define sh(...) shell(dir, __VA_ARGS__)

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	write_file("h.h", header);
	write_file("t.c", source);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || !sh("rm -rf %s", dir);
}

struct fixture {
	struct context ctx;
	struct image_table *images;
	struct symbol_store *symbols;
	struct line_store *lines;
	struct elf *elf;
	u32 image;
};

static void open_lines(struct fixture *f, const char *file)
{
	struct symbol_options o = { .symfs = "", .buildid_dir = "" };
	char *path = xasprintf("%s/%s", dir, file);
	struct image want = { .path = path, .pid = -1 };

	memset(f, 0, sizeof(*f));
	f->images = image_table_new();
	f->symbols = symbol_store_new(&f->ctx, f->images, &o);
	f->lines = line_store_new(f->symbols, NULL);
	f->image = image_intern(f->images, &want);
	assert_int_equal(elf_open(path, &f->elf, NULL), 0);
	free(path);
}

static void close_lines(struct fixture *f)
{
	line_store_free(f->lines);
	symbol_store_free(f->symbols);
	image_table_free(f->images);
	condition_list_release(&f->ctx.conditions);
	elf_close(f->elf);
}

/* "func file:line|func file:line", innermost first. */
static char *our_answer(const struct fixture *f, u64 addr)
{
	struct source_frame frames[16];
	struct strbuf b = STRBUF_INIT;
	u64 offset;
	u32 n;

	assert_true(elf_addr_to_offset(f->elf, addr, &offset));
	n = lines_at(f->lines, f->image, offset, frames, 16);
	for (u32 i = 0; i < n; i++) {
		const char *file = frames[i].file ? strrchr(frames[i].file, '/') : NULL;

		assert_int_equal(frames[i].is_inlined, i + 1 < n);
		strbuf_f(&b, "%s%s %s:%u", i ? "|" : "", frames[i].function, file ? file + 1 : "??",
			 frames[i].line);
	}
	return n ? strbuf_detach(&b) : xstrdup("");
}

/* The answers of a program that prints "0xADDR", then pairs of lines, in the same form. */
static char **judge(const char *command, u64 low, u64 high)
{
	char **answers = xcalloc(high - low, sizeof(*answers));
	struct strbuf b = STRBUF_INIT;
	FILE *p = popen(command, "r");
	char line[1024], function[1024] = "";
	u64 addr = 0;

	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		char *slash, *note = strstr(line, " (disc");

		line[strcspn(line, "\n")] = '\0';
		if (note)
			*note = '\0';
		if (!strncmp(line, "0x", 2)) {
			addr = strtoull(line, NULL, 16);
			function[0] = '\0';
			strbuf_clear(&b);
		} else if (line[0] && !function[0]) {
			snprintf(function, sizeof(function), "%s", line);
		} else if (line[0]) {
			slash = strrchr(line, '/');
			if (slash) /* none: no debug information, only the symbol table */
				strbuf_f(&b, "%s%s %s", b.len ? "|" : "", function, slash + 1);
			function[0] = '\0';
			if (addr >= low && addr < high) {
				free(answers[addr - low]);
				answers[addr - low] = xstrdup(strbuf_cstr(&b));
			}
		}
	}
	pclose(p);
	strbuf_release(&b);
	return answers;
}

static void free_answers(char **a, u64 n)
{
	for (u64 i = 0; i < n; i++)
		free(a[i]);
	free(a);
}

static void write_addresses(u64 low, u64 high)
{
	FILE *f = fopen("addresses", "w");

	for (u64 a = low; a < high; a++)
		fprintf(f, "0x%llx\n", (unsigned long long)a);
	fclose(f);
}

static bool same(const char *ours, const char *theirs)
{
	return theirs && !strcmp(ours, theirs);
}

/* Every address of .text; at least least of them inside an inlined call. */
static void agree(const char *file, unsigned least)
{
	const struct elf_section *text;
	struct fixture f;
	char **gnu, **llvm, *command;
	unsigned inlined = 0;
	u64 low, high;

	open_lines(&f, file);
	text = elf_section(f.elf, ".text");
	low = text->addr;
	high = low + text->size;
	write_addresses(low, high);
	command = xasprintf("addr2line -a -f -i -e %s <addresses", file);
	gnu = judge(command, low, high);
	free(command);
	command = xasprintf("llvm-symbolizer -a --no-demangle --output-style=GNU -i -f -e %s "
			    "<addresses 2>/dev/null",
			    file);
	llvm = judge(command, low, high);
	free(command);
	for (u64 a = low; a < high; a++) {
		char *ours = our_answer(&f, a);

		if (!same(ours, gnu[a - low]) && !same(ours, llvm[a - low]))
			fail_msg("%s at %#llx: '%s', addr2line '%s', llvm-symbolizer '%s'", file,
				 (unsigned long long)a, ours, gnu[a - low], llvm[a - low]);
		inlined += strchr(ours, '|') != NULL;
		free(ours);
	}
	free_answers(gnu, high - low);
	free_answers(llvm, high - low);
	close_lines(&f);
	if (inlined < least)
		fail_msg("%s: only %u addresses in inlined calls", file, inlined);
}

static void check_build(const char *compiler, const char *flags, unsigned least)
{
	static unsigned number;
	char *file = xasprintf("t%u", number++);

	if (!sh("command -v %s", compiler)) {
		free(file);
		return;
	}
	/* objects first: split units keep the name of their own file */
	if (!sh("%s %s -c t.c -o %s.o && %s %s %s.o -o %s", compiler, flags, file, compiler, flags,
		file, file))
		fail_msg("'%s %s' failed", compiler, flags);
	agree(file, least);
	free(file);
}

static void test_gcc(void **state)
{
	(void)state;
	check_build("gcc", "-g -O0", 0);
	check_build("gcc", "-g -O2", 60);
	check_build("gcc", "-gdwarf-4 -O2", 60);
	check_build("gcc", "-gdwarf-3 -O3", 60);
	check_build("gcc", "-g -O2 -gz", 60);
	check_build("gcc", "-g -O2 -no-pie -ffunction-sections", 60);
	check_build("gcc", "-g -O2 -flto", 40);
}

static void test_clang(void **state)
{
	(void)state;
	check_build("clang", "-g -O1", 40);
	check_build("clang", "-g -O2", 40);
	check_build("clang", "-gdwarf-4 -O2", 40);
}

/* addr2line reads the .dwo of gcc 12 not at all: llvm-symbolizer must agree. */
static void test_split(void **state)
{
	(void)state;
	check_build("gcc", "-g -gsplit-dwarf -O2", 60);
	check_build("gcc", "-gdwarf-4 -gsplit-dwarf -O2", 60);
	check_build("clang", "-g -gsplit-dwarf -fno-split-dwarf-inlining -O2", 40);
	check_build("clang", "-gdwarf-4 -gsplit-dwarf -fno-split-dwarf-inlining -O2", 40);
}

/* The same after the .dwo files were gathered in a package and are gone. */
static void test_package(void **state)
{
	static const struct {
		const char *flags, *packer;
	} cases[] = {
		{ "-g", "llvm-dwp -e" },
		{ "-gdwarf-4", "llvm-dwp -e" },
		{ "-gdwarf-4", "dwp -e" },
	};
	bool any = false;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *file = xasprintf("dwp%zu", i);
		struct fixture f;
		u32 inlined = 0;

		/* two units, so that offsets in the package matter */
		if (sh("sed 's/main/other/; s/outer/outer2/; s/rare/rare2/' t.c >t2.c && "
		       "gcc %s -gsplit-dwarf -O2 -c t2.c -o %s_2.o && "
		       "gcc %s -gsplit-dwarf -O2 -c t.c -o %s.o && gcc %s_2.o %s.o -o %s && "
		       "%s %s -o %s.dwp && rm %s.dwo %s_2.dwo",
		       cases[i].flags, file, cases[i].flags, file, file, file, file,
		       cases[i].packer, file, file, file, file)) {
			const struct elf_section *text;

			any = true;
			open_lines(&f, file);
			text = elf_section(f.elf, ".text");
			for (u64 a = text->addr; a < text->addr + text->size; a++) {
				char *ours = our_answer(&f, a);

				inlined += strstr(ours, "nested") && strstr(ours, "|outer");
				free(ours);
			}
			close_lines(&f);
			assert_true(inlined > 60);
		}
		free(file);
	}
	if (!any)
		skip();
}

/* All answers of a file, one a line; the caller frees it. */
static char *all_answers(const char *file)
{
	const struct elf_section *text;
	struct strbuf b = STRBUF_INIT;
	struct fixture f;

	open_lines(&f, file);
	text = elf_section(f.elf, ".text");
	for (u64 a = text->addr; a < text->addr + text->size; a++) {
		char *ours = our_answer(&f, a);

		strbuf_f(&b, "%s\n", ours);
		free(ours);
	}
	close_lines(&f);
	return strbuf_detach(&b);
}

/* What dwz moved to a common file (both judges lose names then): as it was before. */
static void test_dwz(void **state)
{
	char *before, *after;

	(void)state;
	if (!sh("command -v dwz"))
		skip();
	assert_true(sh("gcc -g -O2 t.c -o z1 && gcc -g -O2 t.c -DZ -o z2"));
	before = all_answers("z1");
	assert_true(sh("dwz -m common z1 z2 && readelf -S z1 | grep -q gnu_debugaltlink"));
	after = all_answers("z1");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* Without .symtab the function has the name that DWARF gives, not that of its unwind tables. */
static void test_without_symbols(void **state)
{
	struct fixture f, with;
	const struct symbol *outer;
	char *ours;
	u32 n;

	(void)state;
	assert_true(
		sh("gcc -g -O2 t.c -o with && objcopy --strip-all --keep-section='.debug_*' with "
		   "without"));
	open_lines(&with, "with");
	n = symbol_by_name(symbols_of(with.symbols, with.image), "outer");
	assert_true(n != NO_SYMBOL);
	outer = symbol_get(symbols_of(with.symbols, with.image), n);
	open_lines(&f, "without");
	n = symbol_find(symbols_of(f.symbols, f.image), outer->start);
	assert_true(n != NO_SYMBOL && !symbol_is_named(n));
	ours = our_answer(&f, outer->start);
	assert_int_equal(strncmp(ours, "outer t.c:", 10), 0);
	free(ours);
	close_lines(&f);
	close_lines(&with);
}

/* DWARF 2 cannot say in the unit that its code is in several places. */
static void test_old(void **state)
{
	struct fixture f;
	char *ours;
	u32 n;

	(void)state;
	assert_true(sh("gcc -gdwarf-2 -gstrict-dwarf -O2 -ffunction-sections t.c -o old"));
	open_lines(&f, "old");
	n = symbol_by_name(symbols_of(f.symbols, f.image), "outer");
	assert_true(n != NO_SYMBOL);
	ours = our_answer(&f, symbol_get(symbols_of(f.symbols, f.image), n)->start);
	assert_int_equal(strncmp(ours, "outer t.c:", 10), 0);
	free(ours);
	close_lines(&f);
}

/* A unit that says nothing of its code: its functions do. */
static void test_unit_without_ranges(void **state)
{
	struct fixture f;
	char *ours;
	u32 n;

	(void)state;
	assert_true(sh(
		"gcc -gdwarf-4 -O0 -dA -S t.c -o silent.s && "
		"sed -i '/DW_TAG_compile_unit/,/DW_AT_stmt_list/ { "
		"s/0x11\\(.*DW_AT_low_pc\\)/0x3f01\\1/; "
		"s/0x12\\(.*DW_AT_high_pc\\)/0x3f02\\1/ }' silent.s && gcc silent.s -o silent && "
		"! readelf --debug-dump=info silent | sed '/DW_TAG_subprogram/q' | grep -q "
		"DW_AT_low_pc"));
	open_lines(&f, "silent");
	n = symbol_by_name(symbols_of(f.symbols, f.image), "outer");
	assert_true(n != NO_SYMBOL);
	ours = our_answer(&f, symbol_get(symbols_of(f.symbols, f.image), n)->start);
	assert_string_equal(ours, "outer t.c:3");
	free(ours);
	close_lines(&f);
}

/* A stripped program and its debug file; the addresses are the program's. */
static void test_debug_file(void **state)
{
	struct fixture f;
	const struct symbol_table *t;
	char *before, *after;
	u64 start;
	u32 n;

	(void)state;
	assert_true(sh("gcc -g -O2 t.c -o whole"));
	open_lines(&f, "whole");
	t = symbols_of(f.symbols, f.image);
	n = symbol_by_name(t, "outer");
	start = symbol_get(t, n)->start + 8;
	before = our_answer(&f, start);
	close_lines(&f);
	assert_true(sh("objcopy --only-keep-debug whole whole.debug && strip whole && "
		       "objcopy --add-gnu-debuglink=whole.debug whole"));
	open_lines(&f, "whole");
	after = our_answer(&f, start);
	close_lines(&f);
	assert_true(strlen(before) > 8);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

#define MODULE_BASE 0xffffffffc0400000ULL

static struct elf *open_module(struct fixture *f, const char *name)
{
	struct symbol_options o = { .symfs = "", .buildid_dir = "" };
	char *path = xasprintf("%s/%s", dir, name);
	struct image want = { .kind = IMAGE_MODULE,
			      .kernel = true,
			      .path = path,
			      .pid = -1,
			      .addr = MODULE_BASE,
			      .size = 0x10000 };
	struct elf *e;

	memset(f, 0, sizeof(*f));
	f->images = image_table_new();
	f->symbols = symbol_store_new(&f->ctx, f->images, &o);
	f->lines = line_store_new(f->symbols, NULL);
	f->image = image_intern(f->images, &want);
	assert_int_equal(elf_open(path, &e, NULL), 0);
	free(path);
	return e;
}

static char *module_answer(const struct fixture *f, u64 offset)
{
	struct source_frame frames[16];
	struct strbuf b = STRBUF_INIT;
	u32 n = lines_at(f->lines, f->image, MODULE_BASE + offset, frames, 16);

	for (u32 i = 0; i < n; i++) {
		const char *file = frames[i].file ? strrchr(frames[i].file, '/') : NULL;
		const char *name = frames[i].function;
		/* the symbol's name; addr2line has DWARF's for a part that was split off */
		const char *cold = strstr(name, ".cold");

		strbuf_f(&b, "%s%.*s %s:%u", i ? "|" : "",
			 (int)(cold ? (size_t)(cold - name) : strlen(name)), name,
			 file ? file + 1 : "??", frames[i].line);
	}
	return n ? strbuf_detach(&b) : xstrdup("");
}

/*
 * One section of a module, which lies at base; returns how many addresses are inside inlined calls.
 */
static unsigned agree_section(const struct fixture *f, const char *tools, const char *file,
			      const struct elf_section *s, u64 base)
{
	char *command =
		xasprintf("%saddr2line -a -f -i -j %s -e %s <addresses", tools, s->name, file);
	char **theirs;
	unsigned inlined = 0;

	write_addresses(0, s->size);
	theirs = judge(command, 0, s->size);
	for (u64 a = 0; a < s->size; a++) {
		char *ours = module_answer(f, base + a);

		if (!same(ours, theirs[a]) && theirs[a])
			fail_msg("%s: %s+%#llx: '%s', addr2line '%s'", file, s->name,
				 (unsigned long long)a, ours, theirs[a]);
		inlined += strchr(ours, '|') != NULL;
		free(ours);
	}
	free_answers(theirs, s->size);
	free(command);
	return inlined;
}

/* Code of a module follows in the order of its sections, without what only starts it. */
static void agree_module(const char *tools, const char *file, const char *debug)
{
	struct fixture f;
	struct elf *e = open_module(&f, file);
	unsigned inlined = 0, sections = 0;
	u64 at = 0;

	for (u32 i = 1; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if ((s->flags & 6) != 6 || !strncmp(s->name, ".init", 5))
			continue;
		at = (at + s->align - 1) / s->align * s->align;
		inlined += s->size ? agree_section(&f, tools, debug, s, at) : 0;
		sections += s->size != 0;
		at += s->size;
	}
	elf_close(e);
	close_lines(&f);
	if (sections < 4 || inlined < 60)
		fail_msg("%s: %u sections, %u addresses in inlined calls", file, sections, inlined);
}

/* Kernel modules are relocatable: their debug information is without addresses. */
static void test_module(void **state)
{
	static const char *const compilers[] = { "", "aarch64-linux-gnu-",
						 "powerpc64le-linux-gnu-" };
	static const char *const flags[] = { "", "-gdwarf-4", "-gz" };

	(void)state;
	write_file(
		"init.c",
		"#include \"h.h\"\n"
		"__attribute__((section(\".init.text\"))) int start(int x) { return nested(x); }\n"
		"__attribute__((noinline)) int stop(int x) { return nested(x) + 3; }\n");
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++) {
			if (!sh("command -v %sgcc", compilers[i]))
				continue;
			if (!sh("%1$sgcc -g %2$s -O2 -ffunction-sections -c init.c && "
				"%1$sgcc -g %2$s -O2 -ffunction-sections -c t.c && "
				"%1$sld -r init.o t.o -o mod.ko",
				compilers[i], flags[k]))
				fail_msg("cannot make a module with %sgcc %s", compilers[i],
					 flags[k]);
			agree_module(compilers[i], "mod.ko", "mod.ko");
		}
	}
	/* its debug information in a file of its own, the module packed */
	assert_true(
		sh("gcc -g -O2 -ffunction-sections -c init.c t.c && ld -r init.o t.o -o mod.ko && "
		   "cp mod.ko whole.ko && objcopy --only-keep-debug mod.ko mod.ko.debug && "
		   "objcopy --strip-debug --add-gnu-debuglink=mod.ko.debug mod.ko"));
	agree_module("", "mod.ko", "whole.ko");
}

/* Returns how many addresses have inlined functions. */
static size_t compare_calls(const struct fixture *f, const struct fixture *alone)
{
	const struct elf_section *text = elf_section(f->elf, ".text");
	size_t inlined = 0;

	for (u64 addr = text->addr; addr < text->addr + text->size; addr++) {
		struct source_frame all[16], calls[16];
		u64 offset;
		u32 n, m;

		assert_true(elf_addr_to_offset(f->elf, addr, &offset));
		n = lines_at(f->lines, f->image, offset, all, 16);
		m = lines_ask(alone->lines, alone->image, offset, calls, 16, LINES_CALLS_ALONE);
		assert_true(m == n || (m == 0 && n == 1)); /* a line alone is no frame */
		for (u32 i = 0; i < m; i++) {
			assert_string_equal(calls[i].function, all[i].function);
			assert_int_equal(calls[i].is_inlined, all[i].is_inlined);
			assert_null(calls[i].file);
			assert_int_equal(calls[i].line, 0);
		}
		inlined += m > 1;
	}
	return inlined;
}

/* The same functions as with lines, of which nothing is read. */
static void test_calls_alone(void **state)
{
	struct fixture f, alone;

	(void)state;
	assert_true(sh("gcc -g -O2 t.c -o calls"));
	open_lines(&f, "calls");
	open_lines(&alone, "calls");
	assert_true(compare_calls(&f, &alone) > 0);
	assert_true(line_store_bytes(alone.lines) < line_store_bytes(f.lines));
	close_lines(&f);
	close_lines(&alone);
}

#define THREADS 4

struct asker {
	pthread_t thread;
	const struct fixture *f;
	u64 low, high;
	bool patient; /* asks again where another thread reads */
	u64 frames;
};

static u32 ask_again(const struct fixture *f, u64 offset, struct source_frame *frames, u32 max)
{
	u32 n;

	while ((n = lines_ask(f->lines, f->image, offset, frames, max, LINES_NO_WAIT)) ==
	       LINES_BUSY)
		;
	return n;
}

static void *ask(void *arg)
{
	struct asker *a = arg;

	for (u64 addr = a->low; addr < a->high; addr++) {
		struct source_frame frames[16];
		u64 offset;

		if (elf_addr_to_offset(a->f->elf, addr, &offset))
			a->frames +=
				a->patient ? ask_again(a->f, offset, frames, 16)
					   : lines_at(a->f->lines, a->f->image, offset, frames, 16);
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct asker askers[THREADS] = { 0 };
	const struct elf_section *text;
	struct fixture f;

	(void)state;
	assert_true(sh("gcc -g -O2 t.c -o threads"));
	open_lines(&f, "threads");
	text = elf_section(f.elf, ".text");
	for (int i = 0; i < THREADS; i++) {
		askers[i] = (struct asker){ .f = &f,
					    .low = text->addr,
					    .high = text->addr + text->size,
					    .patient = i % 2 };
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(askers[i].thread, NULL);
	assert_true(askers[0].frames > 100);
	for (int i = 1; i < THREADS; i++)
		assert_int_equal(askers[i].frames, askers[0].frames);
	close_lines(&f);
}

/*
 * While another thread reads the lines of a unit, its calls can be read, and the other way round.
 */
static void test_busy(void **state)
{
	struct dwarf_unit *u;
	struct dwarf *d;
	struct elf *elf;

	(void)state;
	assert_true(sh("gcc -g -O2 t.c -o busy"));
	assert_int_equal(elf_open("busy", &elf, NULL), 0);
	d = dwarf_open(elf, "busy");
	assert_non_null(d);
	assert_true(d->unit_count > 0);
	u = &d->units[0];
	pthread_mutex_lock(&u->lines_lock);
	assert_false(unit_lines_try(u));
	assert_true(unit_calls_try(u));
	pthread_mutex_unlock(&u->lines_lock);
	assert_true(u->calls && !u->lines);
	pthread_mutex_lock(&u->calls_lock);
	assert_true(unit_calls_try(u)); /* they are there, and nobody needs to wait */
	pthread_mutex_unlock(&u->calls_lock);
	assert_true(unit_lines_try(u));
	assert_true(u->lines->row_count > 0);
	assert_ptr_equal(unit_lines(u), u->lines);
	assert_ptr_equal(unit_calls(u), u->calls);
	dwarf_close(d);
}

/* One abbreviation of a table is what it is in the whole table. */
static void test_one_abbreviation(void **state)
{
	static const u8 table[] = {
		1,
		0x11,
		1,
		0x03,
		0x08,
		0x10,
		0x17,
		0,
		0, /* a unit: name, lines */
		/* 130: a line that is always -1 */
		0x82,
		0x01,
		0x2e,
		0,
		0x3b,
		0x21,
		0x7f,
		0x03,
		0x08,
		0,
		0,
		5,
		0x34,
		0,
		0x03,
		0x0e,
		0,
		0,
		0,
	};
	static const u64 codes[] = { 1, 130, 5 };
	struct abbrevs *all =
		abbrevs_read((struct cursor){ .p = table, .end = table + sizeof(table) }, 8);
	u64 bytes;

	(void)state;
	assert_int_equal(all->count, 3);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		struct cursor c = { .p = table, .end = table + sizeof(table) };
		struct abbrevs *one = abbrevs_read_one(c, 8, codes[i], &bytes);
		const struct abbrev *a = abbrev_find(all, codes[i]), *b;

		assert_non_null(one);
		assert_true(bytes < sizeof(table));
		b = abbrev_find(one, codes[i]);
		assert_non_null(b);
		assert_null(abbrev_find(one, codes[i] + 1));
		assert_int_equal(a->tag, b->tag);
		assert_int_equal(a->has_children, b->has_children);
		assert_int_equal(a->count, b->count);
		assert_memory_equal(&all->attrs[a->first], &one->attrs[b->first],
				    a->count * sizeof(*one->attrs));
		abbrevs_free(one);
	}
	assert_null(abbrevs_read_one((struct cursor){ .p = table, .end = table + sizeof(table) }, 8,
				     7, &bytes));
	assert_int_equal(bytes, sizeof(table));
	/* cut off anywhere: found only where all of it is there */
	for (size_t n = 0; n < sizeof(table); n++) {
		u8 *cut = xmemdup(table, n + 1);
		struct abbrevs *one = abbrevs_read_one((struct cursor){ .p = cut, .end = cut + n },
						       8, 130, &bytes);

		assert_int_equal(one != NULL, n >= 20);
		abbrevs_free(one);
		free(cut);
	}
	abbrevs_free(all);
}

/* Damaged DWARF: any answer will do, as long as there is one. */

static u64 next_random(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void interrogate(const u8 *data, size_t size)
{
	struct elf *e;
	struct dwarf *d;

	if (elf_open_bytes(data, size, true, &e, NULL))
		return;
	d = dwarf_open(e, "hostile");
	if (!d) {
		return;
	}
	for (u32 i = 0; i < d->unit_count; i++) {
		struct dwarf_unit *u = &d->units[i];
		const struct unit_lines *l = unit_lines(u);
		const struct unit_calls *c = unit_calls(u);

		for (u32 n = 0; n < c->node_count; n++)
			call_name(c, &c->nodes[n], true, true);
		for (u32 n = 0; n < l->file_count && n < 100; n++)
			line_file_path(u, l, n);
		for (u64 a = 0x1000; a < 0x2000; a += 16) {
			lines_find(l, a);
			calls_find(c, a);
			dwarf_find_unit(d, a);
		}
	}
	dwarf_close(d);
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

/* Overwrite something in one of the debug sections. */
static void damage(u8 *p, const struct elf *good, u64 *x)
{
	static const u8 nasty[] = { 0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x1f, 0x23 };
	static const char *const names[] = {
		".debug_info",      ".debug_abbrev",    ".debug_line",     ".debug_rnglists",
		".debug_ranges",    ".debug_aranges",   ".debug_line_str", ".debug_str",
		".rela.debug_info", ".rela.debug_line", /* sections of modules */
	};
	const struct elf_section *s = NULL;
	u64 n = 1 + next_random(x) % 6;

	while (!s || !s->size)
		s = elf_section(good, names[next_random(x) % ARRAY_SIZE(names)]);
	while (n--) {
		u64 at = s->offset + next_random(x) % s->size;

		p[at] = next_random(x) % 2 ? nasty[next_random(x) % ARRAY_SIZE(nasty)]
					   : (u8)next_random(x);
	}
}

static void fuzz(const char *flags, int rounds)
{
	u64 x = 0x2545f4914f6cdd1dULL;
	struct elf *e;
	size_t size;
	u8 *good, *bad;

	assert_true(sh("gcc %s -O2 t.c -o hostile", flags));
	good = slurp("hostile", &size);
	assert_int_equal(elf_open_bytes(good, size, true, &e, NULL), 0);
	interrogate(good, size);
	bad = malloc(size);
	for (int i = 0; i < rounds; i++) {
		memcpy(bad, good, size);
		damage(bad, e, &x);
		interrogate(bad, size);
	}
	free(bad);
	elf_close(e);
	free(good);
}

static void test_hostile(void **state)
{
	(void)state;
	fuzz("-g", 3000);
	fuzz("-gdwarf-4", 2000);
	fuzz("-g -c", 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_package),
		cmocka_unit_test(test_dwz),
		cmocka_unit_test(test_old),
		cmocka_unit_test(test_without_symbols),
		cmocka_unit_test(test_unit_without_ranges),
		cmocka_unit_test(test_debug_file),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_calls_alone),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_one_abbreviation),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
