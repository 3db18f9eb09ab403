// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that makes code at run time and describes it as JIT compilers do:
 * /tmp/perf-PID.map, and jit-PID.dump in the current directory with its marker
 * mapping.  Source: tools/perf/Documentation/jitdump-specification.txt, as facts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "builtin/test/workload.h"

/* A function (count) that counts its argument down and returns. */
struct jit_code {
	u16 e_machine;
	u8 size;
	u8 bytes[24];
};

static const struct jit_code codes[] = {
	/* 1: dec %rdi; jne 1b; ret */
	{ 62, 6, { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 } },
	/* 1: subs x0, x0, #1; b.ne 1b; ret */
	{ 183, 12, { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 } },
	/* 1: addic. r3, r3, -1; bne 1b; blr */
	{ 21, 12, { 0xff, 0xff, 0x63, 0x34, 0xfc, 0xff, 0x82, 0x40, 0x20, 0x00, 0x80, 0x4e } },
};

enum { JIT_MAGIC = 0x4A695444, JIT_VERSION = 1, JIT_HEADER_SIZE = 40, JIT_CODE_LOAD = 0 };

#define JIT_NAME "jit_countdown"

static void put32(struct strbuf *b, u32 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void dump_header(struct strbuf *b, u16 machine)
{
	put32(b, JIT_MAGIC);
	put32(b, JIT_VERSION);
	put32(b, JIT_HEADER_SIZE);
	put32(b, machine);
	put32(b, 0);
	put32(b, (u32)getpid());
	put64(b, clock_now());
	put64(b, 0);
}

static void dump_code(struct strbuf *b, const struct jit_code *code, u64 address)
{
	put32(b, JIT_CODE_LOAD);
	put32(b, (u32)(56 + sizeof(JIT_NAME) + code->size));
	put64(b, clock_now());
	put32(b, (u32)getpid());
	put32(b, (u32)syscall(SYS_gettid));
	put64(b, address);
	put64(b, address);
	put64(b, code->size);
	put64(b, 1);
	strbuf_add(b, JIT_NAME, sizeof(JIT_NAME));
	strbuf_add(b, code->bytes, code->size);
}

static int write_file(const char *path, const struct strbuf *b, bool marker, struct reason *r)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int err;

	if (fd < 0)
		return reason_errno(r, errno, "cannot create '%s'", path);
	err = write_all(fd, b->s, b->len);
	/* An executable mapping of the file is how a recorder learns of it. */
	if (!err && marker &&
	    mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
		    MAP_FAILED)
		err = -errno;
	close(fd);
	return err ? reason_errno(r, -err, "cannot write '%s'", path) : 0;
}

static int describe(const struct jit_code *code, u64 address, struct reason *r)
{
	struct strbuf dump = STRBUF_INIT, map = STRBUF_INIT;
	char *dump_path = xasprintf("jit-%d.dump", (int)getpid());
	char *map_path = xasprintf("/tmp/perf-%d.map", (int)getpid());
	int err;

	dump_header(&dump, code->e_machine);
	dump_code(&dump, code, address);
	strbuf_f(&map, "%" PRIx64 " %x " JIT_NAME "\n", address, code->size);
	err = write_file(dump_path, &dump, true, r);
	if (!err)
		err = write_file(map_path, &map, false, r);
	free(dump_path);
	free(map_path);
	strbuf_release(&dump);
	strbuf_release(&map);
	return err;
}

static const struct jit_code *code_for(const struct arch *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].e_machine == a->e_machine && !a->big_endian)
			return &codes[i];
	return NULL;
}

int workload_jitdump(int argc, const char **argv, struct reason *r)
{
	const struct jit_code *code = code_for(arch_host());
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	u64 seconds;
	void (*run)(u64 count);
	void *p;
	int err = workload_number(argc, argv, 0, 86400, 1, &seconds, r);

	if (err)
		return err;
	if (!code)
		return reason_set(r, ENOTSUP, "no code to make for a %s machine",
				  arch_host()->name);
	p = mmap(NULL, page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0);
	if (p == MAP_FAILED)
		return reason_errno(r, errno, "cannot map memory for code");
	memcpy(p, code->bytes, code->size);
	__builtin___clear_cache(p, (char *)p + code->size);
	err = describe(code, (u64)(uintptr_t)p, r);
	if (err)
		return err;
	memcpy(&run, &p, sizeof(run));
	workload_timer((unsigned)seconds);
	while (!workload_done)
		run(1000000);
	return 0;
}
