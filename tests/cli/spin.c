// SPDX-License-Identifier: GPL-2.0-or-later
/* spin [THREADS]: all time is that of one function. */
#include <pthread.h>
#include <stdlib.h>

static volatile unsigned long n;

__attribute__((noinline)) void spinning_function(void)
{
	for (int i = 0; i < 100000; i++)
		n += i;
}

static void *spin(void *arg)
{
	for (;;)
		spinning_function();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t other;

	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 1; i--)
		pthread_create(&other, NULL, spin, NULL);
	spin(NULL);
}
