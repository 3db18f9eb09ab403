/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spin N: N turns of a loop of 2 instructions, in a program of nothing else. */
	.global _start, turn
#if defined(__aarch64__)
_start:	ldr x0, [sp, 16]	/* argv[1] */
	mov x1, 0
	mov x3, 10
digit:	ldrb w2, [x0], 1
	cbz w2, turn
	sub w2, w2, '0'
	madd x1, x1, x3, x2
	b digit
	.type turn, %function
turn:	subs x1, x1, 1
	b.ne turn
	.size turn, . - turn
	mov x0, 0
	mov x8, 93		/* exit */
	svc 0
#elif defined(__riscv)
_start:	ld a0, 16(sp)		/* argv[1] */
	li a1, 0
	li a3, 10
digit:	lbu a2, 0(a0)
	beqz a2, turn
	addi a0, a0, 1
	addi a2, a2, -48
	mul a1, a1, a3
	add a1, a1, a2
	j digit
	.type turn, %function
turn:	addi a1, a1, -1
	bnez a1, turn
	.size turn, . - turn
	li a0, 0
	li a7, 93		/* exit */
	ecall
#elif defined(__powerpc64__)
	.abiversion 2		/* the entry is code, no descriptor */
_start:	ld 3, 16(1)		/* argv[1] */
	li 4, 0
digit:	lbz 5, 0(3)
	cmpdi 5, 0
	beq turn
	addi 3, 3, 1
	addi 5, 5, -48
	mulli 4, 4, 10
	add 4, 4, 5
	b digit
	.type turn, %function
turn:	addic. 4, 4, -1
	bne turn
	.size turn, . - turn
	li 3, 0
	li 0, 1			/* exit */
	sc
#endif
