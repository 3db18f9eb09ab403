// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that writes a jitdump file, marks it by a mapping, and runs what it made:
 * first_function, second_function in the same memory, second_function moved elsewhere.
 * Each runs as many rounds as the argument says; unused_function never runs.  With a second
 * argument "fork" a child runs first_function before the others.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static FILE *dump;
static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}
static void put(const void *p, size_t n)
{
	fwrite(p, n, 1, dump);
}
static void put32(uint32_t v)
{
	put(&v, 4);
}
static void put64(uint64_t v)
{
	put(&v, 8);
}
static void prefix(int id, uint32_t size)
{
	put32(id);
	put32(size);
	put64(now());
}

/* counts rdi down: dec %rdi; jne; ret, after so many nops */
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

/* .eh_frame behind the code: the caller's frame is at rsp + 8, its address there */
static void unwinding(size_t size)
{
	struct {
		unsigned char cie[24], fde[8];
		int32_t begin;
		uint32_t range;
		unsigned char rest[8], end[4];
	} t = {
		/* clang-format off */
		{ 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1 },
		/* clang-format on */
		{ 20, 0, 0, 0, 28 },
		-(int32_t)((size + 7) / 8 * 8 + 32),
		size,
	};

	prefix(4, 16 + 24 + sizeof(t));
	put64(sizeof(t));
	put64(0);
	put64(0);
	put(&t, sizeof(t));
}

static void load(char *at, const char *name, const char *file, int nops, uint64_t index)
{
	size_t size = nops + sizeof(loop);

	memset(at, 0x90, nops);
	memcpy(at + nops, loop, sizeof(loop));
	/* two lines: the nops, and the loop, the second with the name "the same" */
	prefix(2, 16 + 16 + 2 * 16 + strlen(file) + 1 + 2);
	put64((uint64_t)at);
	put64(2);
	put64((uint64_t)at);
	put32(10);
	put32(0);
	put(file, strlen(file) + 1);
	put64((uint64_t)at + nops);
	put32(20);
	put32(0);
	put("\xff", 2);
	unwinding(size);
	prefix(0, 16 + 40 + strlen(name) + 1 + size);
	put32(getpid());
	put32(getpid());
	put64((uint64_t)at);
	put64((uint64_t)at);
	put64(size);
	put64(index);
	put(name, strlen(name) + 1);
	put(at, size);
	fflush(dump);
}

int main(int c, char **v)
{
	long rounds = atol(v[1]);
	char path[64], *code;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	put32(0x4A695444);
	put32(1);
	put32(40);
	put32(62);
	put32(0);
	put32(getpid());
	put64(now());
	put64(0);
	fflush(dump);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
	if (c > 2) { /* in a memfd, or not, that becomes executable when it has been described */
		int fd = !strcmp(v[2], "memfd") ? memfd_create("doublemapper", 0) : -1;

		if (fd >= 0 && ftruncate(fd, 8192))
			return 1;
		code = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	} else {
		code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	load(code, "first_function", "first.js", 3, 0);
	load(code + 2048, "unused_function", "unused.js", 3, 7);
	mprotect(code, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (c > 2 && !strcmp(v[2], "fork")) {
		if (!fork()) {
			((void (*)(long))code)(rounds);
			_exit(0);
		}
		wait(NULL);
	}
	((void (*)(long))code)(rounds);
	/* the same memory, another function */
	load(code, "second_function", "second.js", 5, 1);
	((void (*)(long))code)(rounds);
	/* and elsewhere */
	memcpy(code + 4096, code, 5 + sizeof(loop));
	prefix(1, 16 + 48);
	put32(getpid());
	put32(getpid());
	put64((uint64_t)code + 4096);
	put64((uint64_t)code);
	put64((uint64_t)code + 4096);
	put64(5 + sizeof(loop));
	put64(1);
	fflush(dump);
	((void (*)(long))(code + 4096))(rounds);
	prefix(3, 16);
	fclose(dump);
	return 0;
}
