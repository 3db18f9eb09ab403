// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a function that never returns (machine code of x86-64), writes its address, and runs it: a
 * perf map can name it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	static const unsigned char forever[] = { 0xeb, 0xfe };
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, forever, sizeof(forever));
	printf("%lx\n", (unsigned long)code);
	fflush(stdout);
	((void (*)(void))code)();
}
