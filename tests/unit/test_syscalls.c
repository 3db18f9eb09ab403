// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls: descriptions of every architecture, text of arguments and results, hostile bytes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/reason.h"
#include "syscalls/syscalls.h"

static struct syscall_call call_of(const struct syscall_book *b, const char *name)
{
	struct syscall_call c = { .book = b, .call = syscall_by_name(b, name), .ended = true };

	assert_non_null(c.call);
	return c;
}

static void expect(const struct syscall_call *c, const char *args, const char *result)
{
	const struct syscall_style style = { .text_limit = 32 };
	struct strbuf b = STRBUF_INIT;

	syscall_print_args(c, &style, NULL, &b);
	assert_string_equal(strbuf_cstr(&b), args);
	strbuf_clear(&b);
	syscall_print_result(c, &style, NULL, &b);
	assert_string_equal(strbuf_cstr(&b), result);
	strbuf_release(&b);
}

static void every_table_is_described(void **state)
{
	size_t count;
	const struct arch *const *all = arch_all(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct syscall_book *b = syscall_book_new(all[i]);
		u32 described = 0, calls = 0;

		for (u32 nr = 0; nr <= syscall_most(b) && all[i]->syscall_count; nr++) {
			const struct syscall *c = syscall_find(b, nr);

			calls += c != NULL;
			described += c && c->known;
			for (u32 a = 0; c && a < c->arg_count; a++)
				assert_true(c->args[a].name[0] && c->args[a].length_arg < 9);
		}
		if (all[i]->syscall_count) {
			assert_int_equal(calls, all[i]->syscall_count);
			assert_true(described * 10 > calls * 7);
			assert_true(syscall_by_name(b, "openat")->known);
			assert_true(syscall_by_name(b, "write")->known);
		}
		syscall_book_free(b);
	}
}

static void arguments_and_results(void **state)
{
	struct syscall_book *b = syscall_book_new(arch_by_name("x86_64"));
	struct syscall_call c = call_of(b, "openat");
	static const u8 stat[56] = { [24] = 0xa4, [25] = 0x81, [48] = 0x10, [49] = 0x27 };

	(void)state;
	c.args[0] = (u64)-100;
	c.args[1] = 0x1000;
	c.args[2] = 02 | 0100 | 02000000;
	c.args[3] = 0640;
	c.in[1] = (struct syscall_item){ .data = (const u8 *)"/a\"\033[b\n", .size = 9 };
	c.result = -ENOENT;
	expect(&c, "dfd: CWD, filename: \"/a\\\"\\33[b\\n\", flags: RDWR|CREAT|CLOEXEC, mode: 0640",
	       "-1 ENOENT (No such file or directory)");
	/* not copied: a pointer; without O_CREAT no mode */
	c.in[1].data = NULL;
	c.args[2] = 0;
	c.result = 3;
	expect(&c, "dfd: CWD, filename: 0x1000, flags: RDONLY", "3");

	c = call_of(b, "fstat");
	c.args[0] = 3;
	c.args[1] = 0x2000;
	c.out[1] = (struct syscall_item){ .data = stat, .size = sizeof(stat) };
	expect(&c, "fd: 3, statbuf: { .st_mode: S_IFREG|0644, .st_size: 10000 }", "0");
	/* a call that failed filled nothing */
	c.result = -EBADF;
	expect(&c, "fd: 3, statbuf: 0x2000", "-1 EBADF (Bad file descriptor)");

	c = call_of(b, "mmap");
	c.args[1] = 4096;
	c.args[2] = 3;
	c.args[3] = 0x22;
	c.args[4] = (u64)-1;
	c.result = 0x7f0000000000;
	expect(&c, "len: 4096, prot: READ|WRITE, flags: PRIVATE|ANONYMOUS", "0x7f0000000000");

	c = call_of(b, "poll");
	c.result = 0;
	c.args[2] = 10;
	expect(&c, "timeout_msecs: 10", "0 (Timeout)");

	c = call_of(b, "read");
	c.result = -512;
	expect(&c, "fd: 0", "-1 ERESTARTSYS (To be restarted if SA_RESTART is set)");
	syscall_book_free(b);
}

static void words_of_the_task(void **state)
{
	struct syscall_book *b = syscall_book_new(arch_by_name("i386"));
	struct syscall_call c = call_of(b, "nanosleep");
	static const u8 ts[8] = { 1, 0, 0, 0, 2, 0, 0, 0 };

	(void)state;
	c.args[0] = 0xffff0000;
	c.in[0] = (struct syscall_item){ .data = ts, .size = sizeof(ts) };
	expect(&c, "rqtp: { .tv_sec: 1, .tv_nsec: 2 }", "0");
	c = call_of(b, "brk");
	c.result = (s64)0xffffffffb7f00000ULL;
	expect(&c, "", "0xb7f00000");
	syscall_book_free(b);
}

static void expect_args(const char *arch, const char *name, const u64 args[SYSCALL_ARGS],
			const char *text)
{
	struct syscall_book *b = syscall_book_new(arch_by_name(arch));
	struct syscall_call c = call_of(b, name);

	memcpy(c.args, args, sizeof(c.args));
	expect(&c, text, "0");
	syscall_book_free(b);
}

/* Numbers of 64 bits in two registers; what is left over in the others is not shown. */
static const struct {
	const char *arch, *name;
	u64 args[SYSCALL_ARGS];
	const char *text;
} two_registers[] = {
	{ "i386",
	  "pwrite64",
	  { 3, 0x1000, 5, 7, 1, 99 },
	  "fd: 3, buf: 0x1000, count: 5, pos: 4294967303" },
	{ "i386", "ftruncate64", { 3, 0x10, 2, 99 }, "fd: 3, length: 0x200000010" },
	{ "i386", "truncate64", { 0x1000, 7, 0xffffffff }, "path: 0x1000, length: -4294967289" },
	{ "i386",
	  "fallocate",
	  { 3, 0, 16, 1, 32, 2 },
	  "fd: 3, offset: 0x100000010, len: 0x200000020" },
	{ "i386",
	  "sync_file_range",
	  { 3, 16, 1, 32, 2, 4 },
	  "fd: 3, offset: 0x100000010, nbytes: 0x200000020, flags: WAIT_AFTER" },
	{ "i386", "readahead", { 3, 16, 1, 32, 2, 4 }, "fd: 3, offset: 0x100000010, count: 32" },
	{ "i386",
	  "preadv",
	  { 3, 0x1000, 1, 5, 1, 9 },
	  "fd: 3, vec: 0x1000, vlen: 1, pos: 4294967301" },
	{ "i386",
	  "preadv2",
	  { 3, 0x1000, 1, 5, 1, 2 },
	  "fd: 3, vec: 0x1000, vlen: 1, pos: 4294967301, flags: DSYNC" },
	{ "i386",
	  "fadvise64",
	  { 3, 16, 1, 32, 4, 9 },
	  "fd: 3, offset: 0x100000010, len: 32, advice: DONTNEED" },
	{ "i386",
	  "fadvise64_64",
	  { 3, 16, 1, 32, 2, 4 },
	  "fd: 3, offset: 0x100000010, len: 0x200000020, advice: DONTNEED" },
	{ "i386",
	  "clone",
	  { 17, 0x1000, 0x2000, 0x3000, 0x4000 },
	  "clone_flags: SIGCHLD, newsp: 0x1000, parent_tidptr: 0x2000, tls: 0x3000, "
	  "child_tidptr: 0x4000" },
	{ "x86_64",
	  "clone",
	  { 17, 0x1000, 0x2000, 0x3000, 0x4000 },
	  "clone_flags: SIGCHLD, newsp: 0x1000, parent_tidptr: 0x2000, child_tidptr: "
	  "0x3000, tls: 0x4000" },
	{ "aarch64",
	  "clone",
	  { 17, 0, 0, 0x3000, 0x4000 },
	  "clone_flags: SIGCHLD, tls: 0x3000, child_tidptr: 0x4000" },
	{ "i386", "mmap", { 0x1000, 2, 3, 4, 5, 6 }, "arg: 0x1000" },
	{ "i386", "nice", { 5, 2, 3, 4, 5, 6 }, "increment: 5" },
	{ "i386", "getuid32", { 5, 2, 3, 4, 5, 6 }, "" },
	{ "i386", "lchown32", { 0x1000, 2, 3, 4, 5, 6 }, "filename: 0x1000, user: 2, group: 3" },
	{ "i386",
	  "ipc",
	  { 23, 1, 4096, 0x3b6, 0, 0 },
	  "call: SHMGET, first: 1, second: 4096, third: 950" },
	/* at an even register */
	{ "arm",
	  "pread64",
	  { 3, 0x1000, 5, 99, 7, 1 },
	  "fd: 3, buf: 0x1000, count: 5, pos: 4294967303" },
	{ "arm", "ftruncate64", { 3, 99, 0x10, 2 }, "fd: 3, length: 0x200000010" },
	{ "arm", "readahead", { 3, 99, 16, 1, 32 }, "fd: 3, offset: 0x100000010, count: 32" },
	{ "arm",
	  "fallocate",
	  { 3, 0, 16, 1, 32, 2 },
	  "fd: 3, offset: 0x100000010, len: 0x200000020" },
	{ "arm",
	  "arm_sync_file_range",
	  { 3, 4, 16, 1, 32, 2 },
	  "fd: 3, flags: WAIT_AFTER, offset: 0x100000010, nbytes: 0x200000020" },
	{ "arm",
	  "arm_fadvise64_64",
	  { 3, 4, 16, 1, 32, 2 },
	  "fd: 3, advice: DONTNEED, offset: 0x100000010, len: 0x200000020" },
	{ "arm",
	  "preadv",
	  { 3, 0x1000, 1, 5, 1, 9 },
	  "fd: 3, vec: 0x1000, vlen: 1, pos: 4294967301" },
	/* the upper half first, but not of preadv */
	{ "ppc", "ftruncate64", { 3, 99, 2, 0x10 }, "fd: 3, length: 0x200000010" },
	{ "ppc",
	  "preadv",
	  { 3, 0x1000, 1, 5, 1, 9 },
	  "fd: 3, vec: 0x1000, vlen: 1, pos: 4294967301" },
};

static void numbers_in_two_registers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(two_registers); i++)
		expect_args(two_registers[i].arch, two_registers[i].name, two_registers[i].args,
			    two_registers[i].text);
}

/*
 * Each call of these tables has a row: six registers with whatever is left in them are no
 * arguments.
 */
static void calls_of_small_tasks(void **state)
{
	static const char *const arches[] = { "i386", "arm", "ppc" };
	static const u8 words[24] = { 2, 0, 0, 0, 0, 0x10, 0, 0x80, 16, 0, 0, 0, 9 };
	static const u8 times[16] = { 1, 0, 0, 0, 0, 0, 0, 0, 2 };
	struct syscall_book *b;
	struct syscall_call c;
	u32 unknown = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++) {
		b = syscall_book_new(arch_by_name(arches[i]));
		for (u32 nr = 0; nr <= syscall_most(b); nr++)
			unknown += syscall_find(b, nr) && !syscall_find(b, nr)->known && i < 2;
		syscall_book_free(b);
	}
	assert_in_range(unknown, 0, 2); /* fchroot */
	b = syscall_book_new(arch_by_name("i386"));
	c = call_of(b, "socketcall");
	c.args[0] = 2;
	c.args[1] = 0x1000;
	c.in[1] = (struct syscall_item){ .data = words, .size = sizeof(words) };
	expect(&c, "call: BIND, args: [2, 0x80001000, 16]", "0");
	c = call_of(b, "clock_nanosleep_time64");
	c.args[2] = 0x1000;
	c.in[2] = (struct syscall_item){ .data = times, .size = sizeof(times) };
	expect(&c, "which_clock: REALTIME, rqtp: { .tv_sec: 1, .tv_nsec: 2 }", "0");
	syscall_book_free(b);
}

static bool selects(const struct syscall_book *b, const char *word, const char *name)
{
	struct syscall_set set = { 0 };
	struct reason r = REASON_INIT;
	int err = syscall_select(b, word, &set, &r);

	reason_release(&r);
	return !err && syscall_set_has(&set, syscall_by_name(b, name)->nr);
}

static void words_select_calls(void **state)
{
	struct syscall_book *b = syscall_book_new(arch_by_name("x86_64"));
	struct syscall_set set = { 0 };
	struct reason r = REASON_INIT;

	(void)state;
	assert_true(selects(b, "openat", "openat") && !selects(b, "openat", "open"));
	assert_true(selects(b, "open*", "open_by_handle_at") && !selects(b, "open*", "close"));
	assert_true(selects(b, "/^p?read/", "pread64") && !selects(b, "/^p?read/", "write"));
	assert_true(selects(b, "%file", "unlink") && !selects(b, "%file", "read"));
	assert_true(selects(b, "file", "openat") && selects(b, "file", "read") &&
		    !selects(b, "file", "unlinkat"));
	assert_true(selects(b, "string", "unlinkat") && !selects(b, "string", "read"));
	assert_true(selects(b, "%desc", "read") && selects(b, "%network", "connect"));
	assert_true(selects(b, "%memory", "brk") && selects(b, "%process", "execve"));
	assert_int_equal(syscall_select(b, "sched:sched_switch", &set, &r), -ENOENT);
	assert_int_equal(syscall_select(b, "%nothing", &set, &r), -EINVAL);
	assert_int_equal(syscall_select(b, "/(/", &set, &r), -EINVAL);
	reason_release(&r);
	syscall_book_free(b);
}

static void opens(const char *arch, u64 flags, const char *args)
{
	struct syscall_book *b = syscall_book_new(arch_by_name(arch));
	struct syscall_call c = call_of(b, "openat");

	c.args[0] = (u64)-100;
	c.args[1] = 0x1000;
	c.args[2] = flags;
	c.result = 3;
	expect(&c, args, "3");
	syscall_book_free(b);
}

/* Checks that the same bits are different flags on other architectures. */
static void constants_of_architectures(void **state)
{
	struct syscall_book *b = syscall_book_new(arch_by_name("ppc64le"));
	struct syscall_call c = call_of(b, "mlockall");

	(void)state;
	opens("x86_64", 0x4000, "dfd: CWD, filename: 0x1000, flags: RDONLY|DIRECT");
	opens("aarch64", 0x4000, "dfd: CWD, filename: 0x1000, flags: RDONLY|DIRECTORY");
	opens("aarch64", 0x10000, "dfd: CWD, filename: 0x1000, flags: RDONLY|DIRECT");
	opens("ppc64le", 0x4000, "dfd: CWD, filename: 0x1000, flags: RDONLY|DIRECTORY");
	opens("ppc64le", 0x20000, "dfd: CWD, filename: 0x1000, flags: RDONLY|DIRECT");
	opens("x86_64", 0x410000, "dfd: CWD, filename: 0x1000, flags: RDONLY|TMPFILE, mode: 000");
	opens("aarch64", 0x404000, "dfd: CWD, filename: 0x1000, flags: RDONLY|TMPFILE, mode: 000");
	c.args[0] = 0x6000;
	c.result = 0;
	expect(&c, "flags: CURRENT|FUTURE", "0");
	syscall_book_free(b);
}

static const struct syscall_command *ioctl_command(const struct syscall_book *b, u32 number)
{
	size_t count;
	const struct syscall_command *list = syscall_commands(b, &count);

	for (size_t i = 0; i < count; i++)
		if (list[i].which == COMMANDS_IOCTL && list[i].command == number)
			return &list[i];
	return NULL;
}

/*
 * powerpc's numbers of ioctl have other bits for the direction, and terminals have numbers of their
 * own.
 */
static void ioctl_of_powerpc(void **state)
{
	static const u8 termios[36] = {
		[1] = 0x05, [4] = 0x03, [8] = 0x0f, [9] = 0x4b, [12] = 0xcb, [13] = 0x05, [35] = 7
	};
	static const u8 size[8] = { 24, 0, 80 };
	struct syscall_book *b = syscall_book_new(arch_by_name("ppc64le"));
	struct syscall_call c = call_of(b, "ioctl");

	(void)state;
	c.args[1] = 0x402c7413; /* _IOR('t', 19, struct termios) */
	c.args[2] = 0x1000;
	c.out[2] = (struct syscall_item){ .data = termios, .size = sizeof(termios) };
	expect(&c,
	       "fd: 0, cmd: TCGETS, arg: { .c_iflag: ICRNL|IXOFF, .c_oflag: OPOST|ONLCR, "
	       ".c_cflag: B38400|CS8|CREAD|HUPCL, .c_lflag: "
	       "ISIG|ICANON|ECHO|ECHOE|ECHOCTL|ECHOKE|IEXTEN }",
	       "0");
	c.args[1] = 0x40087468; /* _IOR('t', 104, struct winsize) */
	c.out[2] = (struct syscall_item){ .data = size, .size = sizeof(size) };
	expect(&c,
	       "fd: 0, cmd: TIOCGWINSZ, arg: { .ws_row: 24, .ws_col: 80, .ws_xpixel: 0, "
	       ".ws_ypixel: 0 }",
	       "0");
	c.args[2] = 0;
	c.out[2].data = NULL;
	c.args[1] = 0x20002400; /* _IO('$', 0) */
	expect(&c, "fd: 0, cmd: PERF_EVENT_IOC_ENABLE", "0");
	c.args[1] = 0x8913; /* the same everywhere */
	expect(&c, "fd: 0, cmd: SIOCGIFFLAGS", "0");
	/* those of x86 mean nothing */
	c.args[1] = 0x5401;
	expect(&c, "fd: 0, cmd: 0x5401", "0");
	c.args[1] = 0x80086601;
	expect(&c, "fd: 0, cmd: 0x80086601", "0");
	assert_true(ioctl_command(b, 0x40086601) && !ioctl_command(b, 0x80086601) &&
		    !ioctl_command(b, 0x5413));
	assert_true(ioctl_command(b, 0x80086602)); /* _IOW('f', 2, long) */
	assert_true(ioctl_command(b, 0xc020660b)); /* _IOWR: both bits */
	syscall_book_free(b);
	b = syscall_book_new(arch_by_name("aarch64"));
	assert_true(ioctl_command(b, 0x80086601) && ioctl_command(b, 0x5413));
	syscall_book_free(b);
}

/* Checks that a size is never negative, however large, and that 32-bit types show 32 bits. */
static void numbers_by_type(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	static const char *const types[] = { "size_t",  "unsigned int", "int",
					     "ssize_t", "const u32",    "u64" };
	struct syscall_book *b = syscall_book_new(arch_by_name("x86_64"));
	struct syscall_call c = call_of(b, "write");
	struct syscall unknown = { .nr = 0 };

	(void)state;
	c.args[2] = UINT64_MAX;
	c.result = -EFAULT;
	expect(&c, "fd: 0, count: 18446744073709551615", "-1 EFAULT (Bad address)");
	c = call_of(b, "close_range");
	c.args[0] = 3;
	c.args[1] = UINT64_MAX;
	expect(&c, "fd: 3, max_fd: 4294967295", "0");
	c = call_of(b, "lseek");
	c.args[1] = (u64)-5;
	expect(&c, "fd: 0, offset: -5, whence: SET", "0");
	c = call_of(b, "mmap");
	c.args[1] = 1ULL << 63;
	c.args[3] = 0x22;
	expect(&c, "len: 9223372036854775808, prot: NONE, flags: PRIVATE|ANONYMOUS", "0");
	/* as the kernel's own list says it, for a call that the table does not describe */
	for (u32 nr = 0; nr <= syscall_most(b) && !unknown.nr; nr++)
		if (syscall_find(b, nr) && !syscall_find(b, nr)->known)
			unknown = *syscall_find(b, nr);
	assert_true(unknown.nr);
	syscall_describe(b, unknown.nr, names, types, ARRAY_SIZE(names));
	c = (struct syscall_call){ .book = b, .call = syscall_find(b, unknown.nr), .ended = true };
	for (u32 i = 0; i < SYSCALL_ARGS; i++)
		c.args[i] = UINT64_MAX;
	expect(&c,
	       "a: 18446744073709551615, b: 4294967295, c: -1, d: -1, e: 4294967295, f: "
	       "18446744073709551615",
	       "0");
	syscall_book_free(b);
	b = syscall_book_new(arch_by_name("i386"));
	c = call_of(b, "write");
	c.args[2] = 0xffffffff;
	expect(&c, "fd: 0, count: 4294967295", "0");
	syscall_book_free(b);
}

/* Checks that arguments are decoded if the kernel uses them, and not shown otherwise. */
static void arguments_that_count(void **state)
{
	static const u8 limits[16] = {
		[0] = 5, [8] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	static const u8 cpus[16] = { 0x8d, [7] = 0x80, [8] = 1 }, time[16] = { 1 }, room[4] = { 2 };
	static const u8 address[12] = { 1, 0, 'x' };
	struct syscall_book *b = syscall_book_new(arch_by_name("x86_64"));
	struct syscall_call c = call_of(b, "setrlimit");

	(void)state;
	c.args[0] = 7;
	c.args[1] = 0x1000;
	c.in[1] = (struct syscall_item){ .data = limits, .size = sizeof(limits) };
	expect(&c, "resource: NOFILE, rlim: { .rlim_cur: 5, .rlim_max: INFINITY }", "0");
	c = call_of(b, "futex");
	c.args[0] = 0x1000;
	c.args[2] = 3;
	c.args[3] = 0x2000;
	c.args[4] = 0x3000;
	c.args[5] = 0x7700000004;
	c.in[3] = (struct syscall_item){ .data = time, .size = sizeof(time) };
	expect(&c, "uaddr: 0x1000, op: WAIT, val: 3, utime: { .tv_sec: 1, .tv_nsec: 0 }", "0");
	c.args[1] = 1 | 128;
	expect(&c, "uaddr: 0x1000, op: WAKE|PRIVATE_FLAG, val: 3", "0");
	c.args[1] = 4;
	expect(&c, "uaddr: 0x1000, op: CMP_REQUEUE, val: 3, utime: 8192, uaddr2: 0x3000, val3: 0x4",
	       "0");
	c.args[1] = 99;
	expect(&c,
	       "uaddr: 0x1000, op: 99, val: 3, utime: { .tv_sec: 1, .tv_nsec: 0 }, uaddr2: "
	       "0x3000, val3: 0x4",
	       "0");
	c = call_of(b, "fcntl");
	c.args[1] = 3;
	c.args[2] = 0x1234;
	c.result = 1;
	expect(&c, "fd: 0, cmd: GETFL", "WRONLY");
	c = call_of(b, "sched_setaffinity");
	c.args[1] = 16;
	c.args[2] = 0x1000;
	c.in[2] = (struct syscall_item){ .data = cpus, .size = sizeof(cpus) };
	expect(&c, "len: 16, user_mask_ptr: [0 2-3 7 63-64]", "0");
	c = call_of(b, "prctl");
	c.args[0] = 15;
	c.args[1] = 0x1000;
	c.in[1] = (struct syscall_item){ .data = (const u8 *)"a\nb\0cdefghijklmn", .size = 16 };
	expect(&c, "option: SET_NAME, arg2: \"a\\nb\"", "0");
	c.args[0] = 16;
	c.out[1] = (struct syscall_item){ .data = (const u8 *)"0123456789abcdef", .size = 16 };
	expect(&c, "option: GET_NAME, arg2: \"0123456789abcdef\"", "0");
	c.args[0] = 1;
	c.args[1] = 9;
	expect(&c, "option: SET_PDEATHSIG, arg2: KILL", "0");
	/* registers that the kernel does not look at are no arguments; one that it refuses is */
	c.args[2] = c.args[3] = c.args[4] = 0x7f00;
	expect(&c, "option: SET_PDEATHSIG, arg2: KILL", "0");
	c.args[0] = 3;
	expect(&c, "option: GET_DUMPABLE", "0");
	c.args[0] = 38;
	expect(&c, "option: SET_NO_NEW_PRIVS, arg2: 0x9, arg3: 0x7f00, arg4: 0x7f00, arg5: 0x7f00",
	       "0");
	c = call_of(b, "membarrier");
	c.args[0] = 0x80;
	c.args[2] = 5;
	expect(&c, "cmd: PRIVATE_EXPEDITED_RSEQ", "0");
	c.args[1] = 1;
	expect(&c, "cmd: PRIVATE_EXPEDITED_RSEQ, flags: 0x1, cpu_id: 5", "0");
	/* int: the upper half of the register is not the kernel's */
	c = call_of(b, "unlinkat");
	c.args[0] = 0xffffffff00000003;
	c.args[1] = 0x1000;
	c.args[2] = 0xffffffff00000000;
	expect(&c, "dfd: 3, pathname: 0x1000", "0");
	c = call_of(b, "mmap");
	c.args[2] = 0x100000001;
	c.args[3] = 0x22;
	expect(&c, "prot: READ|0x100000000, flags: PRIVATE|ANONYMOUS", "0");
	/* an address that was longer than the room for it */
	c = call_of(b, "getpeername");
	c.args[1] = c.args[2] = 0x1000;
	c.in[2] = (struct syscall_item){ .data = room, .size = sizeof(room) };
	c.out[1] = (struct syscall_item){ .data = address, .size = sizeof(address) };
	expect(&c, "fd: 0, usockaddr: { .family: LOCAL }, usockaddr_len: [2]", "0");
	syscall_book_free(b);
}

/* Checks that data that a call points to is read in the byte order of the recorded machine. */
static void bytes_of_big_endian(void **state)
{
	static const u8 inet[16] = { 0, 2, 0, 80, 127, 0, 0, 1 };
	static const u8 netlink[12] = { 0, 16, 0, 0, 0, 0, 1, 2, 0, 0, 0, 5 };
	static const u8 vsock[16] = { 0, 40, 0, 0, 0, 0, 0, 5, 0, 0, 0, 2 };
	static const u8 signals[8] = { [6] = 0x40, [7] = 2 };
	static const u8 vectors[24] = { [7] = 3, [11] = 2, [15] = 1, [16] = 'h', 'i' };
	static const u8 message[48] = { [3] = 12, [7] = 1,  [9] = 16, [14] = 1, 2,
					[19] = 5, [31] = 1, [35] = 1, [39] = 1, 'x' };
	struct syscall_book *b = syscall_book_new(arch_by_name("ppc64"));
	struct syscall_call c = call_of(b, "connect");

	(void)state;
	c.args[1] = 0x1000;
	c.args[2] = 16;
	c.in[1] = (struct syscall_item){ .data = inet, .size = sizeof(inet) };
	expect(&c, "fd: 0, uservaddr: { .family: INET, .port: 80, .addr: 127.0.0.1 }, addrlen: 16",
	       "0");
	c.args[2] = 12;
	c.in[1] = (struct syscall_item){ .data = netlink, .size = sizeof(netlink) };
	expect(&c, "fd: 0, uservaddr: { .family: NETLINK, .pid: 258, .groups: 0x5 }, addrlen: 12",
	       "0");
	c.args[2] = 16;
	c.in[1] = (struct syscall_item){ .data = vsock, .size = sizeof(vsock) };
	expect(&c, "fd: 0, uservaddr: { .family: VSOCK, .port: 5, .cid: 2 }, addrlen: 16", "0");
	c = call_of(b, "rt_sigprocmask");
	c.args[1] = 0x1000;
	c.args[3] = 8;
	c.in[1] = (struct syscall_item){ .data = signals, .size = sizeof(signals) };
	expect(&c, "how: BLOCK, nset: [INT TERM], sigsetsize: 8", "0");
	c = call_of(b, "writev");
	c.args[1] = 0x1000;
	c.args[2] = 1;
	c.in[1] = (struct syscall_item){ .data = vectors, .size = sizeof(vectors) };
	expect(&c, "fd: 0, vec: [{ .base: \"hi\".., .len: 3 }], vlen: 1", "0");
	c = call_of(b, "sendmsg");
	c.args[1] = 0x1000;
	c.in[1] = (struct syscall_item){ .data = message, .size = sizeof(message) };
	expect(&c,
	       "fd: 0, msg: { .name: { .family: NETLINK, .pid: 258, .groups: 0x5 }, "
	       ".iov: [{ .base: \"x\", .len: 1 }] }",
	       "0");
	syscall_book_free(b);
}

static void numbers_without_names(void **state)
{
	struct syscall_book *b = syscall_book_new(arch_by_name("x86_64"));
	struct syscall_call c = { .book = b,
				  .call = syscall_find_any(b, 999),
				  .args = { 1, 0, UINT64_MAX },
				  .ended = true,
				  .result = -ENOSYS };
	struct syscall_set set = { 0 };
	struct reason r = REASON_INIT;

	(void)state;
	assert_null(syscall_find(b, 999));
	assert_string_equal(c.call->name, "syscall_999");
	expect(&c, "0x1, 0, 0xffffffffffffffff, 0, 0, 0", "-1 ENOSYS (Function not implemented)");
	assert_string_equal(syscall_find_any(b, UINT32_MAX)->name, "syscall_-1");
	assert_string_equal(syscall_find_any(b, 1)->name, "write");
	assert_int_equal(syscall_select(b, "syscall_999", &set, &r), 0);
	assert_true(syscall_set_has(&set, 999) && !syscall_set_has(&set, 998));
	assert_int_equal(syscall_select(b, "syscall_", &set, &r), -ENOENT);
	assert_int_equal(syscall_select(b, "syscall_1024", &set, &r), -ENOENT);
	reason_release(&r);
	syscall_book_free(b);
}

/* Checks that numbers for x32 tasks only have names, and that names still mean the usual numbers.
 */
static void numbers_of_x32(void **state)
{
	struct syscall_book *b = syscall_book_new(arch_by_name("x86_64"));
	struct syscall_set set = { 0 };
	struct reason r = REASON_INIT;

	(void)state;
	assert_string_equal(syscall_find(b, 516)->name, "writev");
	assert_int_equal(syscall_by_name(b, "writev")->nr, 20);
	assert_int_equal(syscall_word(b, 516), 4);
	assert_int_equal(syscall_word(b, 20), 8);
	assert_int_equal(syscall_find(b, 512)->args[1].kind, KIND_HEX);
	assert_int_equal(syscall_select(b, "writev", &set, &r), 0);
	assert_true(syscall_set_has(&set, 20) && syscall_set_has(&set, 516) &&
		    !syscall_set_has(&set, 1));
	reason_release(&r);
	syscall_book_free(b);
}

/* Whatever the bytes, text comes out and nothing outside of them is read (sanitizers watch). */
static void hostile_bytes(void **state)
{
	struct syscall_book *b = syscall_book_new(arch_by_name("x86_64"));
	const struct syscall_style style = { .text_limit = 32, .bits = true, .zeros = true };
	struct strbuf out = STRBUF_INIT;
	u64 seed = 1;
	size_t count;
	const struct syscall_command *commands = syscall_commands(b, &count);

	(void)state;
	for (u32 nr = 0; nr <= syscall_most(b); nr++)
		for (u32 round = 0; round < 20; round++) {
			struct syscall_call c = { .book = b,
						  .call = syscall_find(b, nr),
						  .ended = round & 1 };
			u8 *bytes[SYSCALL_ARGS];

			if (!c.call)
				continue;
			for (u32 i = 0; i < SYSCALL_ARGS; i++) {
				u32 size = (u32)((seed = seed * 6364136223846793005ULL +
							 1442695040888963407ULL) >>
						 58);

				bytes[i] = malloc(size ? size : 1);
				for (u32 k = 0; k < size; k++)
					bytes[i][k] =
						(u8)((seed = seed * 6364136223846793005ULL + 1) >>
						     56);
				c.args[i] = seed >> (round * 3);
				if (i < 2 && round > 9 && count) /* a command that has a struct */
					c.args[i] = commands[seed % count].command;
				c.in[i] = c.out[i] = (struct syscall_item){ .data = bytes[i],
									    .size = size,
									    .cut = round & 2 };
			}
			c.result = (s64)(seed >> round);
			strbuf_clear(&out);
			syscall_print_args(&c, &style, NULL, &out);
			syscall_print_result(&c, &style, NULL, &out);
			for (size_t k = 0; k < out.len; k++)
				assert_in_range((u8)out.s[k], ' ', '~');
			for (u32 i = 0; i < SYSCALL_ARGS; i++)
				free(bytes[i]);
		}
	strbuf_release(&out);
	syscall_book_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_is_described),
		cmocka_unit_test(arguments_and_results),
		cmocka_unit_test(words_of_the_task),
		cmocka_unit_test(numbers_in_two_registers),
		cmocka_unit_test(calls_of_small_tasks),
		cmocka_unit_test(words_select_calls),
		cmocka_unit_test(constants_of_architectures),
		cmocka_unit_test(numbers_of_x32),
		cmocka_unit_test(ioctl_of_powerpc),
		cmocka_unit_test(numbers_by_type),
		cmocka_unit_test(arguments_that_count),
		cmocka_unit_test(bytes_of_big_endian),
		cmocka_unit_test(numbers_without_names),
		cmocka_unit_test(hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
