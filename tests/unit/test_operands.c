// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate/operands.h: what instructions of arm64 and powerpc do to registers and memory. The words
 * and their texts are those of GNU as and objdump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "annotate/operands.h"
#include "arch/machine.h"

struct expected {
	u32 word;
	const char *text;  /* what objdump says, for the reader of a failure */
	const char *means; /* as describe() has it */
};

static void describe_memory(const struct operands *o, struct strbuf *b)
{
	strbuf_f(b, " %s%u", o->stores ? "store" : "load", o->size);
	if (o->absolute)
		strbuf_f(b, " at %llx", (unsigned long long)o->disp);
	else
		strbuf_f(b, " r%d%+lld", o->base, (long long)o->disp);
	if (o->index != NO_REG)
		strbuf_f(b, "+r%d*%u", o->index, o->scale);
	if (o->saves)
		strbuf_str(b, " saves");
	if (o->is_canary)
		strbuf_str(b, " canary");
	if (o->updates)
		strbuf_f(b, " base%+lld", (long long)o->update);
}

static void describe_kind(const struct operands *o, struct strbuf *b)
{
	switch (o->kind) {
	case OPERANDS_COPY:
		strbuf_f(b, " r%d=r%d", o->dst, o->src);
		break;
	case OPERANDS_LOAD:
		strbuf_f(b, " r%d=*", o->dst);
		if (o->dst2 != NO_REG)
			strbuf_f(b, " r%d=*", o->dst2);
		break;
	case OPERANDS_ADDRESS:
	case OPERANDS_PAGE:
		strbuf_f(b, " r%d=%s", o->dst, o->kind == OPERANDS_PAGE ? "part " : "");
		if (o->absolute)
			strbuf_f(b, "%llx", (unsigned long long)o->disp);
		else
			strbuf_f(b, "r%d%+lld", o->base, (long long)o->disp);
		if (o->index != NO_REG)
			strbuf_f(b, "+r%d*%u", o->index, o->scale);
		break;
	case OPERANDS_CALL:
		strbuf_str(b, " call");
		break;
	default:
		break;
	}
}

static void describe(const struct operands *o, struct strbuf *b)
{
	const char *separator = " writes ";

	if (o->has_memory)
		describe_memory(o, b);
	describe_kind(o, b);
	for (int r = 0; r < DWARF_REGS; r++) {
		if (!(o->written >> r & 1))
			continue;
		strbuf_f(b, "%s%d", separator, r);
		separator = ",";
	}
}

#define ADDRESS 0x10010

static void check(u16 e_machine, bool big_endian, const struct expected *list, size_t count)
{
	const struct operands_machine *m = operands_machine(NULL, e_machine);
	struct strbuf b = STRBUF_INIT;

	assert_non_null(m);
	for (size_t i = 0; i < count; i++) {
		u32 w = list[i].word;
		u8 little[] = { (u8)w, (u8)(w >> 8), (u8)(w >> 16), (u8)(w >> 24) };
		u8 big[] = { little[3], little[2], little[1], little[0] };
		struct operands o;

		strbuf_clear(&b);
		if (operands_decode(NULL, m, big_endian,
				    big_endian && e_machine != ELF_MACHINE_AARCH64 ? big : little,
				    4, ADDRESS, &o))
			describe(&o, &b);
		else
			strbuf_str(&b, " not decoded");
		if (strcmp(strbuf_cstr(&b), list[i].means))
			fail_msg("%s:\n is  \"%s\"\n not \"%s\"", list[i].text, strbuf_cstr(&b),
				 list[i].means);
	}
	strbuf_release(&b);
}

static void test_arm64(void **state)
{
	static const struct expected list[] = {
		{ 0xf9401801, "ldr x1, [x0, #48]", " load8 r0+48 r1=* writes 1" },
		{ 0xb9802401, "ldrsw x1, [x0, #36]", " load4 r0+36 writes 1" },
		{ 0xb9000fe2, "str w2, [sp, #12]", " store4 r31+12" },
		{ 0xa9410801, "ldp x1, x2, [x0, #16]", " load16 r0+16 r1=* r2=* writes 1,2" },
		{ 0xa9bd7bfd, "stp x29, x30, [sp, #-48]!",
		  " store16 r31-48 saves base-48 writes 31" },
		{ 0xa8c253f3, "ldp x19, x20, [sp], #32",
		  " load16 r31+0 saves base+32 r19=* r20=* writes 19,20,31" },
		{ 0xf8438483, "ldr x3, [x4], #56", " load8 r4+0 base+56 r3=* writes 3,4" },
		{ 0xf81f8c83, "str x3, [x4, #-8]!", " store8 r4-8 base-8 writes 4" },
		{ 0xf86778c5, "ldr x5, [x6, x7, lsl #3]", " load8 r6+0+r7*8 r5=* writes 5" },
		{ 0x386748c5, "ldrb w5, [x6, w7, uxtw]", " load1 r6+0 writes 5" },
		{ 0x58000081, "ldr x1, 10020", " load8 at 10020 r1=* writes 1" },
		{ 0x3dc00820, "ldr q0, [x1, #32]", " load16 r1+32" },
		{ 0xf81f0149, "stur x9, [x10, #-16]", " store8 r10-16" },
		{ 0xf9802000, "prfm pldl1keep, [x0, #64]", "" },
		{ 0xc85ffc41, "ldaxr x1, [x2]", " load8 r2+0 r1=* writes 1" },
		{ 0xc803fc41, "stlxr w3, x1, [x2]", " store8 r2+0 writes 3" },
		{ 0x88dffc41, "ldar w1, [x2]", " load4 r2+0 writes 1" },
		{ 0xf8210062, "ldadd x1, x2, [x3]", " store8 r3+0 r2=* writes 2" },
		{ 0xc8e1fc62, "casal x1, x2, [x3]", " store8 r3+0 writes 1" },
		{ 0x4cdfa040, "ld1 {v0.16b, v1.16b}, [x2], #32", " load32 r2+0 base+32 writes 2" },
		{ 0xf8202441, "ldraa x1, [x2, #16]", " load8 r2+16 r1=* writes 1" },
		{ 0xd9600000, "ldg x0, [x0]", " not decoded" },
		{ 0xaa0203e1, "mov x1, x2", " r1=r2 writes 1" },
		{ 0x910003fd, "mov x29, sp", " r29=r31+0 writes 29" },
		{ 0x91048c41, "add x1, x2, #0x123", " r1=r2+291 writes 1" },
		{ 0xd1400441, "sub x1, x2, #0x1, lsl #12", " r1=r2-4096 writes 1" },
		{ 0x8b030041, "add x1, x2, x3", " r1=r2+0+r3*1 writes 1" },
		{ 0x8b030c41, "add x1, x2, x3, lsl #3", " r1=r2+0+r3*8 writes 1" },
		{ 0x0b030041, "add w1, w2, w3", " writes 1" },
		{ 0x10000080, "adr x0, 10020", " r0=10020 writes 0" },
		{ 0xb0000000, "adrp x0, 11000", " r0=part 11000 writes 0" },
		{ 0xeb02003f, "cmp x1, x2", "" },
		{ 0xf100043f, "cmp x1, #1", "" },
		{ 0xb4000000, "cbz x0", "" },
		{ 0x94000000, "bl", " call" },
		{ 0xd63f0060, "blr x3", " call" },
		{ 0xd65f03c0, "ret", "" },
		{ 0xd5384100, "mrs x0, sp_el0", " writes 0" },
		{ 0x9e660004, "fmov x4, d0", " writes 4" },
		{ 0x9e620080, "scvtf d0, x4", "" },
		{ 0xa400a020, "ld1b {z0.b}, p0/z, [x1]", " not decoded" },
	};

	(void)state;
	check(ELF_MACHINE_AARCH64, false, list, ARRAY_SIZE(list));
	/* a program whose data is big-endian has little-endian code */
	check(ELF_MACHINE_AARCH64, true, list, ARRAY_SIZE(list));
}

static void test_powerpc64(void **state)
{
	static const struct expected list[] = {
		{ 0xe9230030, "ld r9,48(r3)", " load8 r3+48 r9=* writes 9" },
		{ 0xe9230026, "lwa r9,36(r3)", " load4 r3+36 writes 9" },
		{ 0x8123fff8, "lwz r9,-8(r3)", " load4 r3-8 writes 9" },
		{ 0x913f0020, "stw r9,32(r31)", " store4 r31+32" },
		{ 0xfbe1fff8, "std r31,-8(r1)", " store8 r1-8 saves" },
		{ 0xf8010010, "std r0,16(r1)", " store8 r1+16 saves" },
		{ 0xf821ffb1, "stdu r1,-80(r1)", " store8 r1-80 saves base-80 writes 1" },
		{ 0xe8410018, "ld r2,24(r1)", " load8 r1+24 saves" },
		{ 0xe8490008, "ld r2,8(r9)", " load8 r9+8 r2=* writes 2" },
		{ 0xe92a0009, "ldu r9,8(r10)", " load8 r10+8 base+8 r9=* writes 9,10" },
		{ 0x7d2a582a, "ldx r9,r10,r11", " load8 r10+0+r11*1 r9=* writes 9" },
		{ 0x7d2a586e, "lwzux r9,r10,r11", " load4 r10+0+r11*1 writes 9,10" },
		{ 0x7d20592a, "stdx r9,0,r11", " store8 r11+0" },
		{ 0x7c095698, "lxvd2x vs0,r9,r10", " load16 r9+0+r10*1" },
		{ 0xf4090015, "stxv vs0,16(r9)", " store16 r9+16" },
		{ 0xbba30000, "lmw r29,0(r3)", " load12 r3+0 writes 29,30,31" },
		{ 0x7d2050a8, "ldarx r9,0,r10", " load8 r10+0 r9=* writes 9" },
		{ 0x7d2051ad, "stdcx. r9,0,r10", " store8 r10+0" },
		{ 0xe92d8ff0, "ld r9,-28688(r13)", " load8 r13-28688 canary r9=* writes 9" },
		{ 0x18a40000, "lxvp vs36,0(r4)", " not decoded" },
		{ 0x7c834378, "or r3,r4,r8", " writes 3" },
		{ 0x7c832378, "mr r3,r4", " r3=r4 writes 3" },
		{ 0x39230010, "addi r9,r3,16", " r9=r3+16 writes 9" },
		{ 0x39200003, "li r9,3", " writes 9" },
		{ 0x3d200003, "lis r9,3", " r9=part 30000 writes 9" },
		{ 0x3d220001, "addis r9,r2,1", " r9=part r2+65536 writes 9" },
		{ 0x3c4c0001, "addis r2,r12,1", "" },
		{ 0x3922fff0, "addi r9,r2,-16", " r9=r2-16 writes 9" },
		{ 0x7d2a5a14, "add r9,r10,r11", " r9=r10+0+r11*1 writes 9" },
		{ 0x7d2a5850, "subf r9,r10,r11", " writes 9" },
		{ 0x7d4907b4, "extsw r9,r10", " writes 9" },
		{ 0x79491f24, "sldi r9,r10,3", " writes 9" },
		{ 0x7c295000, "cmpd r9,r10", "" },
		{ 0x60000000, "nop", "" },
		{ 0x60420000, "ori r2,r2,0", "" },
		{ 0x7c0802a6, "mflr r0", " writes 0" },
		{ 0x7d2903a6, "mtctr r9", "" },
		{ 0x48000001, "bl", " call" },
		{ 0x4e800421, "bctrl", " call" },
		{ 0x4e800020, "blr", "" },
		{ 0xfc201090, "fmr f1,f2", "" },
		{ 0x7d2a581e, "isellt r9,r10,r11", " writes 9" },
	};

	(void)state;
	check(ELF_MACHINE_PPC64, false, list, ARRAY_SIZE(list));
	check(ELF_MACHINE_PPC64, true, list, ARRAY_SIZE(list));
}

/* Pointers have four bytes, so a word may be one, and the thread's data is behind r2. */
static void test_powerpc32(void **state)
{
	static const struct expected list[] = {
		{ 0x8123fff8, "lwz r9,-8(r3)", " load4 r3-8 r9=* writes 9" },
		{ 0x93e1fffc, "stw r31,-4(r1)", " store4 r1-4 saves" },
		{ 0x9421ffe0, "stwu r1,-32(r1)", " store4 r1-32 saves base-32 writes 1" },
		{ 0x81228ff8, "lwz r9,-28680(r2)", " load4 r2-28680 canary r9=* writes 9" },
	};

	(void)state;
	check(ELF_MACHINE_PPC, true, list, ARRAY_SIZE(list));
}

static void test_machines(void **state)
{
	(void)state;
	assert_null(operands_machine(NULL, ELF_MACHINE_RISCV));
	/* x86-64 needs capstone */
	assert_null(operands_machine(NULL, ELF_MACHINE_X86_64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_powerpc64),
		cmocka_unit_test(test_powerpc32),
		cmocka_unit_test(test_machines),
	};

	return cmocka_run_group_tests_name("operands of instructions", tests, NULL, NULL);
}
