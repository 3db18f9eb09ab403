// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call frame information compiled to rows, judged by readelf on real programs of
 * several architectures; expressions; damaged sections.
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

#include "base/alloc.h"
#include "config.h"
#include "unwind/internal.h"
#include "shell.h"

static char dir[] = "/tmp/test-unwind.XXXXXX";

static const char source[] =
	"extern int out(int *, int);\n"
	"int leaf(int x) { return x * 3; }\n"
	"int plain(int x) { int v[40]; return out(v, x) + v[x & 31]; }\n"
	"int many(int a, int b, int c, int d) { int v[9]; int r = out(v, a);\n"
	"  for (int i = 0; i < d; i++) r += out(v, b + i) * out(v, c - i); return r + a + b + c; "
	"}\n"
	"int dynamic(int n) { int *p = __builtin_alloca(n * 4); return out(p, n) + p[n / 2]; }\n";

#define sh(...) shell(dir, __VA_ARGS__)

static int setup(void **state)
{
	FILE *f;

	(void)state;
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
	return chdir("/") || !sh("rm -rf %s", dir);
}

static struct cfi *cfi_read_any(const struct elf *e)
{
	struct cfi *c = cfi_read(e, CFI_EH_FRAME);

	return c ? c : cfi_read(e, CFI_DEBUG_FRAME);
}

/*
 * Compares a row with readelf's words: cfa as "rsp+16" or "exp", the return address as "c-8" or
 * "u".
 */
static void compare_row(const char *file, struct cfi *c, u64 pc, const char *cfa, const char *ra)
{
	struct cfi_function *f = cfi_find(c, pc);
	const struct cfi_rows *rows = f ? cfi_rows(c, f) : NULL;
	const struct cfi_row *row = rows ? cfi_row_at(rows, pc) : NULL;
	const char *sign = strpbrk(cfa, "+-");
	int how = CFI_SAME, offset = 0;

	if (!row || rows->bad || row->pc > pc)
		fail_msg("%s: no row at %#llx", file, (unsigned long long)pc);
	if (!strcmp(cfa, "exp")) {
		assert_int_equal(row->cfa.how, CFI_IS_EXPR);
	} else {
		assert_non_null(sign);
		assert_int_equal(row->cfa.how, CFI_REGISTER);
		if (row->cfa.offset != atoi(sign))
			fail_msg("%s at %#llx: CFA %d, readelf %s", file, (unsigned long long)pc,
				 row->cfa.offset, cfa);
	}
	for (u32 i = 0; i < row->count; i++) {
		const struct cfi_reg_rule *r = &rows->rules[row->first + i];

		if (r->reg == rows->ra) {
			how = r->rule.how;
			offset = r->rule.offset;
		}
	}
	if (ra[0] == 'c' && (how != CFI_AT_CFA || offset != atoi(ra + 1)))
		fail_msg("%s at %#llx: return address how %d, %d; readelf %s", file,
			 (unsigned long long)pc, how, offset, ra);
}

/* Returns the index of the word "ra" in the line; 0 if there is none. */
static unsigned return_column(const char *line)
{
	unsigned n = 0;

	for (const char *p = line + strspn(line, " "); *p && *p != '\n'; n++) {
		size_t word = strcspn(p, " \n");

		if (word == 2 && !strncmp(p, "ra", 2))
			return n;
		p += word;
		p += strspn(p, " ");
	}
	return 0;
}

/* Returns word n, not counting the "(r9)" after a register. */
static const char *word_at(char *line, unsigned n)
{
	char *save = NULL, *word = strtok_r(line, " \n", &save);

	while (word && (word[0] == '(' || n--))
		word = strtok_r(NULL, " \n", &save);
	return word ? word : "u";
}

/* Compares all rows that readelf prints. */
static unsigned judge(const char *file)
{
	char *command = xasprintf("readelf --debug-dump=frames-interp -W %s 2>/dev/null", file);
	FILE *p = popen(command, "r");
	char line[1024];
	unsigned rows = 0, ra = 0;
	bool in_function = false;
	struct elf *e;
	struct cfi *c;

	assert_non_null(p);
	assert_int_equal(elf_open(file, &e, NULL), 0);
	c = cfi_read_any(e);
	assert_non_null(c);
	while (fgets(line, sizeof(line), p)) {
		char pc[32], cfa[32];

		if (strstr(line, " CIE ") || strstr(line, " FDE "))
			in_function = strstr(line, " FDE ") != NULL;
		if (strstr(line, "LOC"))
			ra = return_column(line);
		if (!in_function || line[0] == ' ' || strstr(line, "FDE") ||
		    sscanf(line, "%31s %31s", pc, cfa) != 2 ||
		    (!strpbrk(cfa, "+-") && strcmp(cfa, "exp")))
			continue;
		compare_row(file, c, strtoull(pc, NULL, 16), cfa, ra ? word_at(line, ra) : "u");
		rows++;
	}
	pclose(p);
	cfi_free(c);
	elf_close(e);
	free(command);
	return rows;
}

static void test_rows(void **state)
{
	(void)state;
	assert_true(sh("gcc -O2 -fPIC -shared t.c -o a.so"));
	assert_true(judge("a.so") > 20);
	assert_true(sh("gcc -O0 -fPIC -shared t.c -o b.so"));
	assert_true(judge("b.so") > 12);
	assert_true(sh(
		"gcc -O2 -fno-asynchronous-unwind-tables -g -shared -fPIC -nostdlib t.c -o c.so"));
	assert_true(judge("c.so") > 12); /* .debug_frame */
}

/* Compares every row of the C library: hand-written assembly, signal frames, expressions. */
static void test_libc(void **state)
{
	const char *libc = "/usr/lib/x86_64-linux-gnu/libc.so.6";

	(void)state;
	if (access(libc, R_OK))
		skip();
	assert_true(judge(libc) > 10000);
}

static void test_foreign(void **state)
{
	static const char *const targets[] = {
		"aarch64-linux-gnu", "powerpc64le-linux-gnu", "riscv64-linux-gnu",
		"mips-linux-gnu",    "powerpc64-linux-gnu",   "i386-linux-gnu",
	};

	(void)state;
	if (!sh("command -v clang && command -v ld.lld"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		char *file = xasprintf("f%zu.so", i);

		assert_true(sh("clang --target=%s -fPIC -O1 -funwind-tables -c t.c -o f.o && "
			       "ld.lld -shared --unresolved-symbols=ignore-all f.o -o %s",
			       targets[i], file));
		assert_true(judge(file) >= 5);
		free(file);
	}
}

static u64 evaluate(const u8 *code, size_t size, const struct unwind_regs *r,
		    const struct unwind_memory *m, bool *ok)
{
	struct cfi c = { .data = code, .size = size };
	u64 v = 0, cfa = 0x1000;

	*ok = expression_run(&c, 0, (u32)size, r, m, &cfa, &v);
	return v;
}

static void test_expressions(void **state)
{
	/* the PLT's: rsp + 8 + ((rip & 15) >= 11) << 3 */
	static const u8 plt[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
	static const u8 deref[] = { 0x77, 16, 0x06 };
	static const u8 loop[] = { 0x2f, 0xfd, 0xff };
	static const u8 underflow[] = { 0x22 };
	static const u8 divide[] = { 0x31, 0x30, 0x1b };
	static const u8 cut[] = { 0x0c, 1, 2 };
	static const u8 outside[] = { 0x70, 0, 0x06 };
	static const u8 from_cfa[] = { 0x09, 0xf8, 0x22 };
	u8 stack[32] = { [16] = 0xcd, [17] = 0xab };
	struct unwind_memory m = { .stack = stack,
				   .start = 0x7000,
				   .size = sizeof(stack),
				   .word = 8,
				   .swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	struct unwind_regs r = { .value = { [7] = 0x7000, [16] = 0x40100b },
				 .known = { [0] = true, [7] = true, [16] = true } };
	bool ok;

	(void)state;
	assert_int_equal(evaluate(plt, sizeof(plt), &r, &m, &ok), 0x7010);
	assert_true(ok);
	r.value[16] = 0x401006;
	assert_int_equal(evaluate(plt, sizeof(plt), &r, &m, &ok), 0x7008);
	assert_int_equal(evaluate(deref, sizeof(deref), &r, &m, &ok), 0xabcd);
	assert_true(ok);
	assert_int_equal(evaluate(from_cfa, sizeof(from_cfa), &r, &m, &ok), 0xff8);
	assert_true(ok);
	evaluate(loop, sizeof(loop), &r, &m, &ok);
	assert_false(ok);
	evaluate(underflow, sizeof(underflow), &r, &m, &ok);
	evaluate(divide, sizeof(divide), &r, &m, &ok);
	assert_false(ok);
	evaluate(cut, sizeof(cut), &r, &m, &ok);
	assert_false(ok);
	evaluate(outside, sizeof(outside), &r, &m, &ok);
	assert_false(ok);
}

static const struct cfi_row *searched(struct cfi *c, u64 addr)
{
	struct cfi_function *f = cfi_find(c, addr);

	return f ? cfi_row_at(cfi_rows(c, f), addr) : NULL;
}

/* Checks that a remembered row is the one that a search finds, for any address. */
static void compare_recalled(struct cfi *c, u64 addr)
{
	const struct cfi_row *row = cfi_recall(c, addr);

	if (row && (row != searched(c, addr) || !row->plain))
		fail_msg("%#llx: not what a search finds", (unsigned long long)addr);
}

/*
 * Checks that everything that the rules of a plain row name lies between its bounds, and reaches
 * both.
 */
static void judge_plain(const struct cfi_row *row)
{
	bool saves_return = false, plain = row->cfa.how == CFI_REGISTER && !row->rows->is_signal;
	s32 lowest = INT32_MAX, highest = INT32_MIN;

	for (u32 i = 0; i < row->count; i++) {
		const struct cfi_reg_rule *r = &row->rows->rules[row->first + i];

		plain &= r->rule.how == CFI_AT_CFA;
		saves_return |= r->reg == row->rows->ra;
		lowest = r->rule.offset < lowest ? r->rule.offset : lowest;
		highest = r->rule.offset > highest ? r->rule.offset : highest;
	}
	assert_int_equal(row->plain, plain && saves_return);
	if (row->plain) {
		assert_int_equal(row->lowest, lowest);
		assert_int_equal(row->span, highest + 8 - lowest);
	}
}

/* Checks that rows of one function that are remembered are found again, and nothing beside them. */
static unsigned judge_memory(struct cfi *c, struct cfi_function *f)
{
	const struct cfi_rows *rows = cfi_rows(c, f);
	unsigned plain = 0;

	for (u32 i = 0; !rows->bad && i < rows->row_count; i++) {
		const struct cfi_row *row = &rows->rows[i];

		if (row->end == row->pc)
			continue;
		judge_plain(row);
		cfi_remember(c, row->pc, row);
		cfi_remember(c, row->end - 1, row);
		if (row->plain) {
			assert_ptr_equal(cfi_recall(c, row->end - 1), row);
			plain++;
		}
		for (u64 addr = row->pc - 1; addr <= row->end; addr++)
			compare_recalled(c, addr);
	}
	return plain;
}

static void test_memory(void **state)
{
	const char *libc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	bool has_libc = !access(libc, R_OK);
	unsigned plain = 0;
	struct elf *e;
	struct cfi *c;

	(void)state;
	assert_true(sh("gcc -O2 -fPIC -shared t.c -o m.so"));
	assert_int_equal(elf_open(has_libc ? libc : "m.so", &e, NULL), 0);
	c = cfi_read_any(e);
	for (u32 i = 0; i < c->function_count; i++)
		plain += judge_memory(c, &c->functions[i]);
	assert_true(plain >= (has_libc ? 5000 : 3));
	cfi_free(c);
	elf_close(e);
}

/* Checks that a function that begins inside another one has its addresses for itself. */
static void test_overlap(void **state)
{
	struct cfi_function *f;
	struct elf *e;
	struct cfi *c;

	(void)state;
	assert_true(sh("gcc -O2 -fPIC -shared t.c -o o.so"));
	assert_int_equal(elf_open("o.so", &e, NULL), 0);
	c = cfi_read_any(e);
	assert_true(c->function_count > 2);
	f = &c->functions[c->function_count - 2];
	f->high = f[1].high;
	judge_memory(c, f);
	for (u64 addr = f->low; addr < f->high; addr++)
		compare_recalled(c, addr);
	cfi_free(c);
	elf_close(e);
}

static u64 next_random(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void interrogate(const u8 *data, size_t size)
{
	struct unwind_memory m = { .stack = data, .start = 0x1000, .size = size, .word = 8 };
	struct unwind_regs r = { .known = { [6] = true, [7] = true, [16] = true } };
	struct elf *e;
	struct cfi *c;

	if (elf_open_bytes(data, size, true, &e, NULL))
		return;
	c = cfi_read_any(e);
	for (u32 i = 0; c && i < c->function_count; i++) {
		const struct cfi_rows *rows = cfi_rows(c, &c->functions[i]);

		for (u32 j = 0; j < rows->row_count; j++) {
			const struct cfi_rule *cfa = &rows->rows[j].cfa;
			u64 v;

			cfi_row_at(rows, rows->rows[j].pc);
			assert_true(rows->rows[j].pc <= rows->rows[j].end);
			cfi_remember(c, rows->rows[j].pc, &rows->rows[j]);
			compare_recalled(c, rows->rows[j].pc + 1);
			if (cfa->how == CFI_IS_EXPR)
				expression_run(c, cfa->expr, (u32)cfa->offset, &r, &m, NULL, &v);
		}
	}
	cfi_free(c);
	elf_close(e);
}

static void test_hostile(void **state)
{
	u64 x = 0x853c49e6748fea9bULL;
	const struct elf_section *s;
	struct elf *e;
	size_t size;
	u8 *good = malloc(1 << 20), *bad;
	FILE *f;

	(void)state;
	assert_true(sh("gcc -O2 -fPIC -shared t.c -o h.so"));
	f = fopen("h.so", "r");
	size = fread(good, 1, 1 << 20, f);
	fclose(f);
	assert_int_equal(elf_open_bytes(good, size, true, &e, NULL), 0);
	s = elf_section(e, ".eh_frame");
	bad = malloc(size);
	for (int i = 0; i < 20000; i++) {
		u64 n = 1 + next_random(&x) % 5;

		memcpy(bad, good, size);
		while (n--)
			bad[s->offset + next_random(&x) % s->size] = (u8)next_random(&x);
		interrogate(bad, size);
	}
	free(bad);
	elf_close(e);
	free(good);
}

/* As the kernel lays them out: the stack pointer of the trampoline is their beginning. */
struct x86_64_frame {
	u64 flags, link, stack[3], r8[8], rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
};
struct arm64_frame {
	u8 siginfo[128];
	u64 flags, link, stack[3], mask[16];
	struct {
		u64 fault_address, regs[31], sp, pc;
	} context __attribute__((aligned(16)));
};

/* Steps from code at 0x1000 of a program of that machine, with a frame at 0x7000. */
static enum unwind_end from_trampoline(u16 machine, const char *code, size_t size,
				       const void *frame, size_t frame_size, unsigned sp,
				       struct unwind_regs *regs, u64 *pc)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr load;
		u8 code[16];
	} file = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
										 : ELFDATA2MSB,
				       EV_CURRENT },
			  .e_type = ET_EXEC,
			  .e_machine = machine,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 },
		.load = { .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			  .p_vaddr = 0x1000,
			  .p_filesz = size,
			  .p_memsz = size },
	};
	struct unwind_memory m = { .stack = frame, .start = 0x7000, .size = frame_size, .word = 8 };
	enum unwind_end end;
	struct elf *e;

	memcpy(file.code, code, size);
	*regs = (struct unwind_regs){ .value = { [7] = 0x7000, [31] = 0x7000 },
				      .known = { [7] = true, [31] = true } };
	assert_int_equal(elf_open_bytes((const u8 *)&file, offsetof(typeof(file), code) + size,
					true, &e, NULL),
			 0);
	end = signal_return_step(e, 0x1000, sp, regs, &m, pc);
	elf_close(e);
	return end;
}

static void test_signal_return(void **state)
{
	static const char *const intel[] = { "\x48\xc7\xc0\x0f\0\0\0\x0f\x05",
					     "\xb8\x0f\0\0\0\x0f\x05" };
	static const char arm[] = "\x68\x11\x80\xd2\x01\0\0\xd4";
	struct x86_64_frame x = { .r8 = { 8, 9, 10, 11, 12, 13, 14, 15 },
				  .rdi = 5,
				  .rsi = 4,
				  .rbp = 6,
				  .rbx = 3,
				  .rdx = 1,
				  .rax = 100,
				  .rcx = 2,
				  .rsp = 7,
				  .rip = 0x1234 };
	struct arm64_frame a = { .context = { .sp = 31, .pc = 0x5678 } };
	struct unwind_regs regs;
	u64 pc;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(intel); i++) {
		size_t size = i ? 7 : 9;

		assert_int_equal(from_trampoline(EM_X86_64, intel[i], size, &x, sizeof(x), 7, &regs,
						 &pc),
				 UNWIND_LIMIT);
		assert_int_equal(pc, 0x1234);
		for (unsigned r = 0; r < 16; r++)
			assert_true(regs.known[r] && regs.value[r] == (r ? r : 100));
		assert_int_equal(from_trampoline(EM_X86_64, intel[i], size, &x, sizeof(x) - 1, 7,
						 &regs, &pc),
				 UNWIND_DUMP_ENDS);
		assert_int_equal(regs.value[7], 0x7000);
		assert_int_equal(from_trampoline(EM_X86_64, intel[i], size - 1, &x, sizeof(x), 7,
						 &regs, &pc),
				 UNWIND_NO_CFI);
		assert_int_equal(from_trampoline(EM_AARCH64, intel[i], size, &x, sizeof(x), 7,
						 &regs, &pc),
				 UNWIND_NO_CFI);
	}
	for (unsigned r = 0; r < 31; r++)
		a.context.regs[r] = r;
	assert_int_equal(from_trampoline(EM_AARCH64, arm, 8, &a, sizeof(a), 31, &regs, &pc),
			 UNWIND_LIMIT);
	assert_int_equal(pc, 0x5678);
	for (unsigned r = 0; r < 32; r++)
		assert_true(regs.known[r] && regs.value[r] == r);
}

static void test_styles(void **state)
{
	struct unwind_styles s = { 0 };
	struct reason r = REASON_INIT;

	(void)state;
#ifdef HAVE_LIBDW
	assert_int_equal(unwind_styles_parse(&s, "libdw, native,libdw", &r), 0);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.style[0], UNWIND_LIBDW);
	assert_int_equal(s.style[1], UNWIND_NATIVE);
#endif
	assert_int_equal(unwind_styles_parse(&s, "native,", &r), -EINVAL);
	reason_release(&r);
	assert_int_equal(unwind_styles_parse(&s, "nativ", &r), -EINVAL);
	assert_non_null(strstr(r.hint, "native, libdw and libunwind"));
	reason_release(&r);
	assert_int_equal(unwind_styles_parse(&s, ",", &r), -EINVAL);
	reason_release(&r);
	for (int e = 0; e < UNWIND_ENDS; e++) {
		assert_true(*unwind_end_text((enum unwind_end)e));
		assert_true(*unwind_end_code((enum unwind_end)e));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_libc),
		cmocka_unit_test(test_foreign), cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_memory),  cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_signal_return),
		cmocka_unit_test(test_styles),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
