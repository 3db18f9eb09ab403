// SPDX-License-Identifier: GPL-2.0-or-later
/* A process of 30,000 mappings of its program; it makes the file "ready" when it has them all. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	/* neighbours of different rights are not joined */
	for (int i = 0; i < 30000; i++)
		mmap(0, 4096, PROT_READ | PROT_EXEC | (i & 1) * PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	pause();
}
