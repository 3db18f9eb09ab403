// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the recordings beside this file ran, on each machine: without a C library, so that the
 * program is small enough to lie here too.  leaf() has three parts of four of the work of a turn.
 */
struct account {
	unsigned long count, sum;
} account;

__attribute__((noinline)) void leaf(struct account *a, unsigned long n)
{
	for (; n; n--)
		a->sum += n ^ a->count;
}

__attribute__((noinline)) void middle(struct account *a, unsigned long n)
{
	leaf(a, 3 * n);
	a->count++;
}

__attribute__((noinline)) void other(struct account *a, unsigned long n)
{
	for (; n; n--)
		a->sum += n ^ a->count;
}

__attribute__((noinline)) void outer(struct account *a, unsigned long n)
{
	middle(a, n);
	other(a, n);
	a->count++;
}

void _start(void)
{
	for (int i = 0; i < TURNS; i++)
		outer(&account, 10000);
#if defined(__aarch64__)
	__asm__ volatile("mov x8, 93; mov x0, 0; svc 0");
#elif defined(__arm__)
	__asm__ volatile("mov r7, 1; mov r0, 0; svc 0");
#elif defined(__powerpc__)
	__asm__ volatile("li 0, 1; li 3, 0; sc");
#elif defined(__riscv)
	__asm__ volatile("li a7, 93; li a0, 0; ecall");
#elif defined(__i386__)
	__asm__ volatile("movl $1, %eax; xorl %ebx, %ebx; int $0x80");
#endif
	for (;;)
		;
}
