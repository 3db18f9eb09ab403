// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Disassembly: libopcodes' and capstone's instructions against objdump's, for whole programs
 * of this machine and of others; counts, loops, jumps; /proc/kcore, made here.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <config.h>

#include "annotate/internal.h"
#include "arch/arch.h"
#include "arch/machine.h"
#include "base/alloc.h"
#include "base/text.h"
#include "annotated.h"
#include "shell.h"

/* that of another machine does not know the programs that are compiled here */
#if defined(HAVE_LIBOPCODES) && (defined(__x86_64__) || defined(__i386__))
#define OWN "libopcodes"
#else
#define OWN "objdump"
#endif

static char dir[] = "/tmp/test-annotate.XXXXXX";

static const char source[] =
	"#include <string.h>\n"
	"volatile double d; volatile float f; volatile long double ld; volatile long l; volatile "
	"char c;\n"
	"struct s { char a; short b; int c; long d; } g[10];\n"
	"__attribute__((noinline)) long work(struct s *p, int n, const char *t)\n"
	"{\n"
	"	long sum = 0;\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		for (int k = 0; k < 5; k++) {\n"
	"			sum += p[i].a * p[k].b + p[i].c;\n"
	"			l ^= sum >> k;\n"
	"		}\n"
	"		d = d * 1.5 + f; ld = ld * d / 3; f = l; c |= 1;\n"
	"	}\n"
	"	__sync_fetch_and_add(&l, 3); __sync_bool_compare_and_swap(&l, 1, -2);\n"
	"	switch (n) { case 1: return 3; case 2: return strlen(t); case 3: return -sum;\n"
	"	case 4: return sum / 10; case 5: return sum % (n + 1); case 6: return "
	"0x123456789abcdef; }\n"
	"	memset(g, 0, sizeof(g)); memcpy(p, g, n);\n"
	"	return sum ? work(p + 1, n - 1, t + 1) : __builtin_popcountl(sum) << n;\n"
	"}\n"
	"int main(int argc, char **argv) { return work(g, argc, argv[0]); }\n";

#define sh(...) shell(dir, __VA_ARGS__)

static int make_files(void **state)
{
	char *path;
	FILE *f;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	path = xasprintf("%s/a.c", dir);
	f = fopen(path, "w");
	free(path);
	if (!f)
		return -1;
	fputs(source, f);
	return fclose(f);
}

static int drop_files(void **state)
{
	char *command = xasprintf("rm -rf %s", dir);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

static bool is_code(const char *name)
{
	return !strcmp(name, "work") || !strcmp(name, "main") || !strcmp(name, "_start") ||
	       !strcmp(name, "deregister_tm_clones") || !strcmp(name, "__do_global_dtors_aux");
}

/* Checks that every line by libopcodes is the same as by objdump. */
static void compare_program(const char *name)
{
	struct opened own, other;
	const struct symbol_table *t;

	open_program(dir, &own, name, NULL);
	open_program(dir, &other, name, "objdump");
	t = symbols_of(own.symbols, own.image);
	assert_int_not_equal(symbol_count(t), 0);
	for (u32 i = 0; i < symbol_count(t); i++) {
		const struct symbol *s = symbol_get(t, i);
		struct annotation *a, *b;

		if (s->is_plt || !is_code(s->name) ||
		    annotate_symbol(own.annotator, own.image, i, &a, NULL))
			continue;
		assert_int_equal(annotate_symbol(other.annotator, other.image, i, &b, NULL), 0);
		/* under another machine's qemu the objdump of this one has a prefix */
		assert_true(strlen(a->decoder) >= strlen(OWN));
		assert_string_equal(a->decoder + strlen(a->decoder) - strlen(OWN), OWN);
		assert_string_equal(b->decoder, "objdump");
		if (a->count != b->count)
			fail_msg("%s of %s: %u and %u lines", s->name, name, a->count, b->count);
		for (u32 k = 0; k < a->count; k++) {
			const struct annotate_line *x = &a->lines[k], *y = &b->lines[k];

			assert_string_equal(x->text, y->text);
			assert_int_equal(x->kind, y->kind);
			assert_int_equal(x->flow, y->flow);
			assert_int_equal(x->size, y->size);
			assert_int_equal(x->target_line, y->target_line);
			assert_int_equal(x->number, y->number);
		}
		annotation_free(a);
		annotation_free(b);
	}
	close_program(&own);
	close_program(&other);
}

static void test_same_as_objdump(void **state)
{
	static const char *const ways[] = { "-O0",
					    "-O1",
					    "-O2",
					    "-O3 -mavx2",
					    "-Os -fcf-protection=full",
					    "-O2 -m32 -c",
					    "-O2 -static",
					    "-O3 -ffast-math -mno-sse3" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (i == 5) /* there may be no 32-bit headers */
			continue;
		assert_true(sh("gcc -g %s -o p%zu a.c", ways[i], i));
		char name[8];

		snprintf(name, sizeof(name), "p%zu", i);
		compare_program(name);
	}
}

static void test_flow(void **state)
{
	struct opened o;
	struct annotation *n;
	u32 calls = 0, returns = 0, branches = 0, deepest = 0, last_block = 0, jumps = 0,
	    arrivals = 0;

	(void)state;
	assert_true(sh("gcc -g -O1 -o flow a.c"));
	open_program(dir, &o, "flow", NULL);
	n = function(&o, "work");
	for (u32 i = 0; i < n->count; i++) {
		const struct annotate_line *l = &n->lines[i];

		assert_true(l->block >= last_block && l->block <= last_block + 1);
		last_block = l->block;
		deepest = MAX(deepest, l->loop_depth);
		arrivals += l->jumps_here;
		if (l->kind != ANNOTATE_CODE)
			continue;
		calls += l->flow == FLOW_CALL;
		returns += l->flow == FLOW_RETURN;
		branches += l->flow == FLOW_BRANCH;
		jumps += l->target_line != NO_LINE;
		if (l->target_line != NO_LINE)
			assert_true(n->lines[l->target_line].address == l->target);
		if (l->flow == FLOW_CALL && l->target_name)
			assert_true(!strcmp(l->target_name, "strlen@plt") ||
				    !strcmp(l->target_name, "memcpy@plt") ||
				    !strcmp(l->target_name, "work"));
	}
	assert_int_equal(arrivals, jumps);
	assert_int_equal(deepest, 2); /* for in for */
	assert_true(calls >= 2 && returns >= 1 && branches >= 3 && last_block > 6);
	annotation_free(n);
	close_program(&o);
}

static void test_counts(void **state)
{
	struct annotate_counts *c = annotate_counts_new(), *other = annotate_counts_new();
	const struct annotate_row *rows;
	const u32 events[] = { 1, 0 };
	struct opened o;
	struct annotation *n;
	u64 start;
	size_t count;
	u32 first = NO_LINE, second = NO_LINE;

	(void)state;
	assert_true(sh("gcc -g -O1 -o flow a.c"));
	open_program(dir, &o, "flow", NULL);
	n = function(&o, "work");
	start = symbol_get(symbols_of(o.symbols, o.image), n->symbol)->start;
	for (u32 i = 0; i < n->count && second == NO_LINE; i++) {
		if (n->lines[i].kind == ANNOTATE_CODE && n->lines[i].size > 2)
			*(first == NO_LINE ? &first : &second) = i;
	}
	annotate_counts_add(c, 0, o.image, start + n->lines[first].offset, 0, 10);
	/* inside of the instruction: its own */
	annotate_counts_add(other, 0, o.image, start + n->lines[first].offset + 1, 0, 5);
	annotate_counts_add(other, 1, o.image, start + n->lines[second].offset, 0, 60);
	annotate_counts_add(other, 0, o.image, 1, 0, 7); /* in no function */
	annotate_counts_merge(c, other);
	annotation_fill(n, c, events, 2);
	assert_int_equal(n->columns, 2);
	assert_int_equal(n->lines[first].counts[1].samples, 2);
	assert_int_equal(n->lines[first].counts[1].period, 15);
	assert_int_equal(n->lines[first].counts[0].samples, 0);
	assert_int_equal(n->lines[second].counts[0].period, 60);
	assert_int_equal(n->totals[0].period, 60);
	assert_int_equal(n->totals[1].period, 15);
	assert_true(annotation_percent(n, &n->lines[first], 1, PERCENT_LOCAL_PERIOD, NULL) == 100);
	rows = annotate_rows(c, o.images, o.symbols, 2, 0, &count);
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].symbol, n->symbol);
	assert_int_equal(rows[0].counts[0].samples, 2);
	assert_int_equal(rows[0].counts[1].period, 60);
	annotation_free(n);
	close_program(&o);
	annotate_counts_free(c);
	annotate_counts_free(other);
}

static void same_flow(const struct annotate_line *line, u8 flow, bool has_target, u64 target,
		      const char *text)
{
	if (line->flow != flow || line->has_target != has_target ||
	    (has_target && line->target != target))
		fail_msg("'%s' and '%s'", line->text, text);
}

/*
 * Checks that Capstone finds the same jumps, calls and returns, although it writes them
 * differently.
 */
static void same_by_capstone(const struct annotation *n, u16 machine)
{
	struct strbuf text = STRBUF_INIT;
	struct decoder *d = decoder_new(NULL);
	struct target_namer nobody = { .a = NULL };
	const struct arch *arch = arch_by_elf(machine, true, false);

	if (!d) {
		print_message("no capstone: nothing to compare\n");
		return;
	}
	assert_true(decoder_knows(d, arch, machine));
	for (u32 i = 0; i < n->count; i++) {
		const struct annotate_line *l = &n->lines[i];
		struct insn insn = { .text = &text };

		if (l->kind != ANNOTATE_CODE || l->text[0] == '.') /* data */
			continue;
		assert_true(
			decode(d, arch, machine, l->bytes, l->size, l->address, &nobody, &insn));
		assert_int_equal(insn.size, l->size);
		assert_true(text.len > 0);
		same_flow(l, insn.flow, insn.has_target, insn.target, strbuf_cstr(&text));
	}
	decoder_free(d);
	strbuf_release(&text);
}

/*
 * Compares programs for other machines: by libopcodes where Debian's is installed, and by their own
 * objdump.
 */
static void other_machine(u16 machine, const char *compiler, const char *objdump, const char *name,
			  u32 least)
{
	struct opened own, other;
	struct annotation *a, *b;
	u32 flows = 0;

	if (!sh("command -v %s && command -v %s", compiler, objdump)) {
		print_message("no %s: %s is not compared\n", compiler, objdump);
		return;
	}
	assert_true(sh("%s -g -O1 -o foreign a.c", compiler));
	if (!has_disassembler(dir, machine, "foreign")) {
		print_message("objdump is another machine's: %s is not compared\n", compiler);
		return;
	}
	open_program(dir, &own, "foreign", NULL);
	open_program(dir, &other, "foreign", objdump);
	a = function(&own, name);
	b = function(&other, name);
	assert_string_equal(b->decoder, objdump);
	assert_int_equal(a->code_count, b->code_count);
	for (u32 i = 0; i < a->count && i < b->count; i++) {
		const struct annotate_line *x = &a->lines[i], *y = &b->lines[i];

		assert_int_equal(x->kind, y->kind);
		assert_true(x->address == y->address);
		if (!strcmp(a->decoder, "libopcodes"))
			assert_string_equal(x->text, y->text);
		same_flow(x, y->flow, y->has_target, y->target, y->text);
		flows += x->flow != FLOW_NONE;
	}
	assert_int_equal(a->count, b->count);
	assert_true(flows >= least);
	same_by_capstone(b, machine);
	annotation_free(a);
	annotation_free(b);
	close_program(&own);
	close_program(&other);
}

static void test_other_machines(void **state)
{
	(void)state;
	other_machine(ELF_MACHINE_AARCH64, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump",
		      "work", 8);
	other_machine(ELF_MACHINE_PPC64, "powerpc64le-linux-gnu-gcc",
		      "powerpc64le-linux-gnu-objdump", "main", 2);
	other_machine(ELF_MACHINE_X86_64, "gcc", "objdump", "work", 8);
}

/* Checks that a kcore with one segment is read, and refused for addresses that it does not hold. */
static void test_kcore(void **state)
{
	struct {
		Elf64_Ehdr h;
		Elf64_Phdr p;
		u8 code[64];
	} core = { .h = { .e_ident = ELFMAG,
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 },
		   .p = { .p_type = PT_LOAD,
			  .p_vaddr = 0xffffffff81000000,
			  .p_memsz = 64,
			  .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) } };
	char *path = xasprintf("%s/kcore", dir);
	struct reason r = REASON_INIT;
	FILE *f;
	u8 *got = NULL;

	(void)state;
	core.h.e_ident[EI_CLASS] = ELFCLASS64;
	for (u8 i = 0; i < 64; i++)
		core.code[i] = i;
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(&core, sizeof(core), 1, f), 1);
	fclose(f);
	assert_int_equal(kcore_read(path, 0xffffffff81000010, 8, &got, &r), 0);
	assert_memory_equal(got, core.code + 16, 8);
	free(got);
	assert_int_equal(kcore_read(path, 0xffffffff81000010, 49, &got, &r), -ENODATA);
	assert_null(got);
	assert_int_equal(kcore_read(path, 0xffffffff80ffffff, 4, &got, &r), -ENODATA);
	assert_int_equal(kcore_read("/no/kcore", 0, 4, &got, &r), -ENOENT);
	reason_release(&r);
	free(path);
}

/* Reads names and sources with terminal escapes, and a file with wrong symbols. */
static void test_hostile(void **state)
{
	struct opened o;
	struct annotation *n;
	char *path = xasprintf("%s/esc.s", dir);
	struct reason r = REASON_INIT;
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	fputs(".globl main\n.type main, @function\nmain: call \"ev\x1b[31mil\"\n .byte 0x06\n ret\n"
	      ".size main, .-main\n"
	      ".type \"ev\x1b[31mil\", @function\n\"ev\x1b[31mil\": ret\n.size \"ev\x1b[31mil\", "
	      "1\n"
	      ".globl huge\n.type huge, @function\nhuge: ret\n.size huge, 0x7fffffffff\n"
	      ".globl none\n.type none, @function\nnone:\n.size none, 0\n",
	      f);
	fclose(f);
	free(path);
	assert_true(sh("gcc -o esc esc.s"));
	open_program(dir, &o, "esc", NULL);
	n = function(&o, "main");
	for (u32 i = 0; i < n->count; i++)
		assert_null(strchr(n->lines[i].text, 0x1b));
	annotation_free(n);
	assert_int_equal(annotate_symbol(o.annotator, o.image,
					 symbol_by_name(symbols_of(o.symbols, o.image), "huge"), &n,
					 &r),
			 -ENODATA);
	assert_non_null(strstr(r.text, "an impossible size"));
	reason_release(&r);
	close_program(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_objdump), cmocka_unit_test(test_flow),
		cmocka_unit_test(test_counts),          cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_kcore),           cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, make_files, drop_files);
}
