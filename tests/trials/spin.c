// SPDX-License-Identifier: GPL-2.0-or-later
/* spin LOOPS: work whose amount is known exactly. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	volatile unsigned long loops = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	while (loops)
		loops--;
	return 0;
}
