// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jumps, branches, calls and returns, as they are read from the text of instructions: of every
 * architecture there is, as it stands here and as its own assembler and objdump spell it.
 */
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "annotated.h"
#include "arch/arch.h"
#include "arch/machine.h"
#include "shell.h"

enum { CLASSES = FLOW_RETURN + 1 };

static const char *const class_names[] = { "nothing", "jumps", "branches", "calls", "returns" };

static struct decoder *capstone; /* or NULL */

static char dir[] = "/tmp/test-flow.XXXXXX";

#define NOWHERE UINT64_MAX

static const struct known {
	u16 machine;
	const char *text;
	u8 flow;
	u64 target; /* or NOWHERE */
} known[] = {
	{ ELF_MACHINE_X86_64, "jle    1280 <inner+0x60>", FLOW_BRANCH, 0x1280 },
	{ ELF_MACHINE_X86_64, "bnd jmp *%rax", FLOW_JUMP, NOWHERE },
	{ ELF_MACHINE_X86_64, "call   1030 <operator new(unsigned long)@plt>", FLOW_CALL, 0x1030 },
	{ ELF_MACHINE_X86_64, "repz ret", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_X86_64, "mov    %rax,%rbx", FLOW_NONE, NOWHERE },
	{ ELF_MACHINE_X86_64, "call   *0x2fe2(%rip)        # 3ff0 <free@GLIBC_2.2.5>", FLOW_CALL,
	  NOWHERE },
	{ ELF_MACHINE_X86_64, "call   QWORD PTR [rip+0x2fe2]        # 3ff0 <free@GLIBC_2.2.5>",
	  FLOW_CALL, NOWHERE },
	{ ELF_MACHINE_X86_64, "notrack jmp rax", FLOW_JUMP, NOWHERE },
	{ ELF_MACHINE_X86_64, "uiret", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_X86_64, "erets", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_X86_64, "eretu", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_386, "jmp    1280 <inner+0x60>", FLOW_JUMP, 0x1280 },
	{ ELF_MACHINE_386, "jcxz   1280 <inner+0x60>", FLOW_BRANCH, 0x1280 },
	{ ELF_MACHINE_386, "lcall  *0x10(%eax)", FLOW_CALL, NOWHERE },
	{ ELF_MACHINE_386, "ret    $0x4", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_386, "bound  %eax,(%ebx)", FLOW_NONE, NOWHERE },
	{ ELF_MACHINE_AARCH64, "cbz w0, 4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_AARCH64, "b.ne 4f0 <f+0x10>  // b.any", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_AARCH64, "tbz w0, #3, 4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_AARCH64, "bl 4f0 <f>", FLOW_CALL, 0x4f0 },
	{ ELF_MACHINE_AARCH64, "bic w0, w1, w2", FLOW_NONE, NOWHERE },
	{ ELF_MACHINE_AARCH64, "retaa", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_AARCH64, "braa x0, x1", FLOW_JUMP, NOWHERE },
	{ ELF_MACHINE_AARCH64, "blraaz x8", FLOW_CALL, NOWHERE },
	{ ELF_MACHINE_ARM, "b 4f0 <f+0x10>", FLOW_JUMP, 0x4f0 },
	{ ELF_MACHINE_ARM, "ble 4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_ARM, "bleq 4f0 <f>", FLOW_CALL, 0x4f0 },
	{ ELF_MACHINE_ARM, "bls.n 4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_ARM, "bx lr", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_ARM, "bic r0, r1, r2", FLOW_NONE, NOWHERE },
	/* returns on a condition go on behind, as branches do */
	{ ELF_MACHINE_ARM, "bxeq lr", FLOW_BRANCH, NOWHERE },
	{ ELF_MACHINE_PPC64, "beqlr", FLOW_BRANCH, NOWHERE },
	{ ELF_MACHINE_PPC64, "bnelr cr7", FLOW_BRANCH, NOWHERE },
	{ ELF_MACHINE_PPC64, "bne cr7,4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_PPC64, "blr", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_PPC64, "bctr", FLOW_JUMP, NOWHERE },
	{ ELF_MACHINE_PPC64, "bctrl", FLOW_CALL, NOWHERE },
	{ ELF_MACHINE_PPC64, "bdnz 4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_PPC64, "brd r3,r4", FLOW_NONE, NOWHERE },
	{ ELF_MACHINE_PPC, "b 4f0 <f+0x10>", FLOW_JUMP, 0x4f0 },
	{ ELF_MACHINE_PPC, "bdz 4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_PPC, "bl 4f0 <f>", FLOW_CALL, 0x4f0 },
	{ ELF_MACHINE_PPC, "rfi", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_PPC, "stw r0,4(r1)", FLOW_NONE, NOWHERE },
	{ ELF_MACHINE_RISCV, "beqz a5,4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_RISCV, "bltu a4,a5,4f0 <f+0x10>", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_RISCV, "j 4f0 <f+0x10>", FLOW_JUMP, 0x4f0 },
	{ ELF_MACHINE_RISCV, "jr a5", FLOW_JUMP, NOWHERE },
	{ ELF_MACHINE_RISCV, "jal 4f0 <f>", FLOW_CALL, 0x4f0 },
	{ ELF_MACHINE_RISCV, "jal ra,4f0 <f>", FLOW_CALL, 0x4f0 },
	{ ELF_MACHINE_RISCV, "jal zero,4f0 <f+0x10>", FLOW_JUMP, 0x4f0 },
	{ ELF_MACHINE_RISCV, "jalr -2(t1)", FLOW_CALL, NOWHERE },
	{ ELF_MACHINE_RISCV, "ret", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_RISCV, "mnret", FLOW_RETURN, NOWHERE },
	{ ELF_MACHINE_RISCV, "bset a0,a1,a2", FLOW_NONE, NOWHERE },
	/* as capstone has the short forms */
	{ ELF_MACHINE_RISCV, "c.beqz a5, 0x4f0", FLOW_BRANCH, 0x4f0 },
	{ ELF_MACHINE_RISCV, "c.j 0x4f0", FLOW_JUMP, 0x4f0 },
	{ ELF_MACHINE_RISCV, "c.jr a5", FLOW_JUMP, NOWHERE },
	{ ELF_MACHINE_RISCV, "c.jalr a5", FLOW_CALL, NOWHERE },
};

static void test_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct insn insn = { .text = NULL };

		flow_from_text(known[i].machine, known[i].text, &insn);
		if (insn.flow != known[i].flow || insn.has_target != (known[i].target != NOWHERE) ||
		    (insn.has_target && insn.target != known[i].target))
			fail_msg("'%s' of machine %u: flow %u, target %d %llx", known[i].text,
				 known[i].machine, insn.flow, insn.has_target,
				 (unsigned long long)insn.target);
	}
}

/* Instructions by what they do, for the assembler.  "here" is in front of all of them. */
/* clang-format off */
#define POWERPC64 \
	[FLOW_NONE] = "nop; mr 3,4; sc; scv 0; tdi 4,3,5; mflr 0; mtctr 3; bpermd 3,4,5; brh 3,4; brw 3,4; brd 3,4; isel 3,4,5,2;" \
		"bcdadd. 3,4,5,0; bcdsub. 3,4,5,0; addpcis 3,0; brinc 3,4,5; evmra 3,4; bcds. 3,4,5,0; paddi 3,4,5", \
	[FLOW_JUMP] = "b here; ba 0x100; bctr; bctar 20,0", \
	[FLOW_BRANCH] = "beq here; bne 7,here; blt here; bgt here; ble here; bge here; bso here; bns here; bdnz here; bdz here;" \
		"bdnzt 4,here; bdzf 5,here; beq+ here; bne- here; beqa 0x100; beqlr; bnelr 7; bltlr; bdnzlr; beqlr+;" \
		"beqctr; bnectr 7; beqtar; bltctr-", \
	[FLOW_CALL] = "bl here; bla 0x100; bctrl; blrl; bctarl 20,0; beql here; bnel 7,here; beql- here; bdnzl here; bcl 20,31,here; beqla 0x100;" \
		"beqlrl; bnectrl; bnectrl+", \
	[FLOW_RETURN] = "blr; rfid; hrfid; rfscv; rfebb 1; rfi"
/* clang-format on */

static const struct code_of {
	const char *arch;               /* struct arch's name */
	const char *tools;              /* what their names begin with */
	const char *assembler, *linker; /* options */
	const char *by_class[CLASSES];
} sources[] = {
	{ "x86_64",
	  "x86_64-linux-gnu-",
	  "--64",
	  "-m elf_x86_64",
	  { [FLOW_NONE] =
		    "nop; mov %rax,%rbx; syscall; int3; ud2; hlt; bsf %eax,%ebx; bt %eax,%ebx; "
		    "cmovne %eax,%ebx;"
		    "sete %al; leave; repz movsb; lea here(%rip),%rax; bndmk (%rax),%bnd0",
	    [FLOW_JUMP] = "jmp here; jmp *%rax; notrack jmp *%rax; bnd jmp here; jmp *8(%rbx); jmp "
			  "*here(%rip); ljmp *(%rax)",
	    [FLOW_BRANCH] =
		    "jo here; jno here; jb here; jae here; je here; jne here; jbe here; ja here; "
		    "js here; jns here;"
		    "jp here; jnp here; jl here; jge here; jle here; jg here; jne,pt here; bnd je "
		    "here;"
		    "1: jrcxz 1b; jecxz 1b; loop 1b; loope 1b; loopne 1b",
	    [FLOW_CALL] =
		    "call here; call *%rax; call *8(%rbx); call *here(%rip); notrack call *%rax; "
		    "bnd call here; lcall *(%rax)",
	    [FLOW_RETURN] =
		    "ret; ret $8; repz ret; bnd ret; retw; lret; lretq; lretw; lret $8; iret; "
		    "iretq; iretw;"
		    "sysretl; sysretq; sysexit" } },
	{ "i386",
	  "x86_64-linux-gnu-",
	  "--32",
	  "-m elf_i386",
	  { [FLOW_NONE] =
		    "nop; mov %eax,%ebx; int $0x80; bound %eax,(%ebx); bswap %eax; daa; leave",
	    [FLOW_JUMP] =
		    "jmp here; jmp *%eax; jmp *8(%ebx); ljmp *(%eax); ljmp $0x10,$0x1000; jmp "
		    "*%ds:(%eax)",
	    [FLOW_BRANCH] =
		    "je here; jne here; jle here; 1: jcxz 1b; jecxz 1b; loop 1b; loopw 1b; loopne "
		    "1b",
	    [FLOW_CALL] =
		    "call here; call *%eax; call *8(%ebx); lcall *(%eax); lcall $0x10,$0x1000",
	    [FLOW_RETURN] = "ret; retw; ret $4; lret; lretw; iret; iretw; sysexit; sysret" } },
	{ "aarch64",
	  "aarch64-linux-gnu-",
	  "-march=armv8.8-a+sha3+bf16",
	  "",
	  { [FLOW_NONE] =
		    "nop; bti c; bic w0, w1, w2; bics w0, w1, w2; bfi w0, w1, #2, #3; bfxil w0, "
		    "w1, #2, #3; bfc w0, #2, #3;"
		    "brk #1; svc #0; hvc #0; csel x0, x1, x2, eq; adr x0, here; ldr x0, here; "
		    "bcax v0.16b, v1.16b, v2.16b, v3.16b;"
		    "bsl v0.8b, v1.8b, v2.8b; bit v0.8b, v1.8b, v2.8b; bif v0.8b, v1.8b, v2.8b; "
		    "bfcvt h0, s1; rev x0, x1",
	    [FLOW_JUMP] = "b here; br x3; braa x0, x1; brab x0, x1; braaz x0; brabz x0",
	    [FLOW_BRANCH] =
		    "b.eq here; b.ne here; b.cs here; b.cc here; b.mi here; b.pl here; b.vs here; "
		    "b.vc here; b.hi here;"
		    "b.ls here; b.ge here; b.lt here; b.gt here; b.le here; bc.eq here; bc.le here;"
		    "cbz x0, here; cbnz w0, here; tbz x0, #40, here; tbnz w0, #3, here",
	    [FLOW_CALL] = "bl here; blr x3; blraa x0, x1; blrab x0, x1; blraaz x0; blrabz x0",
	    [FLOW_RETURN] = "ret; ret x3; retaa; retab; eret; eretaa; eretab; drps" } },
	{ "arm",
	  "arm-linux-gnueabihf-",
	  "-march=armv7ve+sec",
	  "",
	  { [FLOW_NONE] =
		    "bic r0, r1, r2; bics r0, r1, r2; biceq r0, r1, r2; bfc r0, #2, #3; bfi r0, "
		    "r1, #2, #3; bkpt;"
		    "svc 0; mov r0, pc; str pc, [r0]; push {r4, lr}; pop {r4, r5}; ldm r0, {r1, "
		    "r2}; cmp r0, r1; add r0, pc, #8",
	    [FLOW_JUMP] =
		    "b here; bx r3; bxj r3; mov pc, r3; ldr pc, [pc, r3, lsl #2]; ldr pc, [r3]; "
		    "add pc, pc, r3, lsl #2",
	    [FLOW_BRANCH] =
		    "beq here; bne here; bcs here; bcc here; bmi here; bpl here; bvs here; bvc "
		    "here; bhi here; bls here;"
		    "bge here; blt here; bgt here; ble here; bxeq r3; bxne lr; popne {r4, pc}; "
		    "ldmlefd sp!, {r4, r5, pc};"
		    "ldrls pc, [pc, r3, lsl #2]; addls pc, pc, r3, lsl #2; movne pc, lr",
	    [FLOW_CALL] = "bl here; bleq here; bllt here; blle here; blls here; blx r3; blxeq r3",
	    [FLOW_RETURN] =
		    "bx lr; pop {r4, pc}; pop {pc}; ldmfd sp!, {r4, r5, pc}; ldm sp, {r4, fp, sp, "
		    "pc}; mov pc, lr; movs pc, lr;"
		    "subs pc, lr, #4; ldr pc, [sp], #4; ldr pc, [sp], #8; eret; rfeia sp!; ldm "
		    "sp!, {r0, pc}^" } },
	{ "arm",
	  "arm-linux-gnueabihf-",
	  "-mthumb -march=armv7ve",
	  "",
	  { [FLOW_NONE] =
		    "bics r0, r1; bkpt 1; mov r0, pc; pop {r4}; cmp r0, r1; bfc r0, #2, #3; ldmia "
		    "r0!, {r1, r2}",
	    [FLOW_JUMP] =
		    "1: b.n 1b; b.w here; bx r3; mov pc, r3; tbb [pc, r0]; tbh [pc, r0, lsl #1]; "
		    "ldr.w pc, [r3]",
	    [FLOW_BRANCH] =
		    "1: beq.n 1b; bls.w here; ble.n 1b; blt.n 1b; bne.w here; cbz r0, 2f; cbnz "
		    "r0, 2f; nop; 2: it eq; bxeq lr;"
		    "it ne; popne {r4, pc}",
	    [FLOW_CALL] = "bl here; blx r3",
	    [FLOW_RETURN] =
		    "bx lr; pop {r4, pc}; pop {pc}; mov pc, lr; ldmia.w sp!, {r4, r8, pc}; ldr.w "
		    "pc, [sp], #8" } },
	{ "ppc64",
	  "powerpc64-linux-gnu-",
	  "-a64 -mbig -mpower10 -many",
	  "-m elf64ppc",
	  { POWERPC64 } },
	{ "ppc",
	  "powerpc64-linux-gnu-",
	  "-a32 -mbig -many",
	  "-m elf32ppc",
	  { [FLOW_NONE] = "nop; mr 3,4; sc; twi 4,3,5; mflr 0; mtctr 3; isync; stw 0,4(1)",
	    [FLOW_JUMP] = "b here; ba 0x100; bctr",
	    [FLOW_BRANCH] = "beq here; bne+ here; bdnz here; beqlr; bgtctr",
	    [FLOW_CALL] = "bl here; bla 0x100; bctrl; blrl; bcl 20,31,here; beql here; beql+ here",
	    [FLOW_RETURN] = "blr; rfi; rfci; rfdi; rfmci" } },
	{ "ppc64le",
	  "powerpc64le-linux-gnu-",
	  "-a64 -mlittle -mpower10 -many",
	  "-m elf64lppc",
	  { POWERPC64 } },
	{ "riscv64",
	  "riscv64-linux-gnu-",
	  "-march=rv64gc_zbs_zbb",
	  "-m elf64lriscv",
	  { [FLOW_NONE] =
		    "nop; mv a0,a1; ecall; ebreak; auipc a0,1; lla a0,here; bset a0,a1,a2; bclr "
		    "a0,a1,a2; binv a0,a1,a2; bext a0,a1,a2;"
		    "bseti a0,a1,2; wfi; fence",
	    [FLOW_JUMP] = "j here; jr a5; jr 16(a5); tail here; c.j here; c.jr a5; jal zero,here",
	    [FLOW_BRANCH] =
		    "beq a0,a1,here; bne a0,a1,here; blt a0,a1,here; bge a0,a1,here; bltu "
		    "a0,a1,here; bgeu a0,a1,here; beqz a0,here;"
		    "bnez a0,here; blez t1,here; bgez t1,here; bltz t1,here; bgtz t1,here; bgt "
		    "a0,a1,here; bleu a0,a1,here; c.beqz a0,here",
	    [FLOW_CALL] = "jal here; jal t0,here; jalr a5; jalr 16(a5); call here; c.jalr a5",
	    [FLOW_RETURN] = "ret; c.jr ra; mret; sret; dret" } },
};

/* Checks that every architecture has rows here, and known instructions of each class. */
static void test_complete(void **state)
{
	size_t count;
	const struct arch *const *all = arch_all(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		u32 texts = 0, rows = 0;

		for (size_t k = 0; k < ARRAY_SIZE(known); k++)
			if (known[k].machine == all[i]->e_machine)
				texts |= 1u << known[k].flow;
		for (size_t k = 0; k < ARRAY_SIZE(sources); k++)
			rows += !strcmp(sources[k].arch, all[i]->name);
		if (texts != (1u << CLASSES) - 1)
			fail_msg("%s: there are not texts of every class, but of the bits %#x",
				 all[i]->name, texts);
		if (!rows)
			fail_msg("%s: no instructions for its assembler", all[i]->name);
	}
}

static void write_source(const struct code_of *s)
{
	const char *type = !strcmp(s->arch, "arm") ? "%function" : "@function";
	char *path = xasprintf("%s/a.s", dir);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	if (!strcmp(s->arch, "arm"))
		fputs("\t.syntax unified\n", f);
	/* assemblers since binutils 2.44 have to be asked for bnd */
	if (!strcmp(s->arch, "x86_64"))
		fputs("\t.arch .mpx\n", f);
	fprintf(f, "\t.text\n\t.type here, %s\nhere: nop\n\t.size here, .-here\n", type);
	for (u8 flow = 0; flow < CLASSES; flow++) {
		fprintf(f, "\t.type %s, %s\n%s:\n", class_names[flow], type, class_names[flow]);
		for (const char *at = s->by_class[flow]; *at; at++)
			fputc(*at == ';' ? '\n' : *at, f);
		fprintf(f, "\n\t.size %s, .-%s\n", class_names[flow], class_names[flow]);
	}
	fclose(f);
	free(path);
}

/*
 * Reports whether the line stands between those to compare: an instruction that makes the next one
 * conditional, or what a jump skips.
 */
static bool stands_between(const char *text)
{
	return str_starts(text, "nop") || str_starts(text, "it ") || text[0] == '.';
}

/* Says what is wrong, if anything is. */
static bool is_right(const struct code_of *s, const struct annotate_line *l, u8 flow, u64 here)
{
	const char *comment = comment_of(l->text), *name = strstr(l->text, "<here>");
	bool has_target = flow != FLOW_NONE && name && name < comment;

	if (l->flow != flow && !stands_between(l->text)) {
		print_error("%s: '%s' is of %s, not of %s\n", s->arch, l->text,
			    class_names[l->flow], class_names[flow]);
		return false;
	}
	if (has_target && (!l->has_target || l->target != here)) {
		print_error("%s: '%s' goes to %llx\n", s->arch, l->text, (unsigned long long)here);
		return false;
	}
	return true;
}

/* Counts lines that Capstone puts in another class, where no other disassembler is used. */
static unsigned wrong_by_capstone(const struct code_of *s, const struct annotate_line *l, u8 flow)
{
	const struct arch *arch = arch_by_name(s->arch);
	struct code code = { .thumb = strstr(s->assembler, "-mthumb") };
	struct target_namer nobody = { .code = &code };
	struct strbuf text = STRBUF_INIT;
	struct insn insn = { .text = &text };
	unsigned wrong = 0;

	/* what stands between makes the next one conditional */
	if (capstone && decode(capstone, arch, arch->e_machine, l->bytes, l->size, l->address,
			       &nobody, &insn)) {
		wrong = insn.flow != flow && !stands_between(l->text);
		if (wrong)
			print_error("%s: capstone's '%s' is of %s, not of %s\n", s->arch,
				    strbuf_cstr(&text), class_names[insn.flow], class_names[flow]);
	}
	strbuf_release(&text);
	return wrong;
}

static unsigned wrong_in(const struct code_of *s, struct opened *o, u8 flow)
{
	struct annotation *n = function(o, class_names[flow]), *here = function(o, "here");
	unsigned least = 1, wrong = 0;

	for (const char *at = s->by_class[flow]; *at; at++)
		least += *at == ';';
	/* or the assembler's source is not what was disassembled */
	assert_true(n->code_count >= least);
	assert_string_not_equal(n->decoder, "capstone"); /* objdump is there */
	for (u32 i = 0; i < n->count; i++) {
		if (n->lines[i].kind != ANNOTATE_CODE)
			continue;
		wrong += !is_right(s, &n->lines[i], flow, here->address);
		wrong += wrong_by_capstone(s, &n->lines[i], flow);
	}
	annotation_free(n);
	annotation_free(here);
	return wrong;
}

/* Counts wrong lines of a program by objdump, and by libopcodes if it is there. */
static unsigned wrong_of_program(const struct code_of *s, const char *objdump)
{
	struct opened o;
	unsigned wrong = 0;

	open_program(dir, &o, "a", objdump);
	for (u8 flow = 0; flow < CLASSES; flow++)
		wrong += wrong_in(s, &o, flow);
	close_program(&o);
	return wrong;
}

/*
 * Emulators start a child with memory of its own, so that a program that is missing is known only
 * when it ends.
 */
static bool missing_programs_are_known(void)
{
	char *const none[] = { NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/no/such/program", NULL, NULL, none, none))
		return true;
	waitpid(pid, NULL, 0);
	return false;
}

/*
 * Reports whether perf finds the objdump of these tools by itself, also for the program that they
 * made.
 */
static bool finds_tools(const struct code_of *s)
{
	const struct arch_machine *m = arch_machine(arch_by_name(s->arch)->e_machine);

	return (!strcmp(m->tools[0], s->tools) || missing_programs_are_known()) &&
	       has_disassembler(dir, m->e_machine, "a");
}

static void test_tools(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct code_of *s = &sources[i];
		char *objdump = xasprintf("%sobjdump", s->tools);

		print_message("%s\n", s->arch);
		write_source(s);
		if (!shell(dir, "command -v %sas && command -v %s", s->tools, objdump)) {
			print_message("no %sas: not compared\n", s->tools);
		} else {
			assert_true(shell(dir, "%sas %s -o a.o a.s && %sld %s -e 0 -o a a.o",
					  s->tools, s->assembler, s->tools, s->linker));
			wrong += wrong_of_program(s, objdump);
			wrong += finds_tools(s) ? wrong_of_program(s, NULL) : 0;
		}
		free(objdump);
	}
	assert_int_equal(wrong, 0);
}

static int make_dir(void **state)
{
	(void)state;
	capstone = decoder_new(NULL);
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	(void)state;
	decoder_free(capstone);
	return shell("/", "rm -rf %s", dir) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_tools),
	};

	return cmocka_run_group_tests_name("jumps, calls and returns", tests, make_dir, drop_dir);
}
