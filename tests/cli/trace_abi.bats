#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace: calls of 32-bit tasks, by int $0x80 and with x32's bit; what was not in memory at the entry; the other byte order.
bats_require_minimum_version 1.5.0

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	# no C library for 32 bits is needed
	cat >"$FILES/small.c" <<-'END'
	static long call(long n, long a, long b, long c)
	{
		long r;

		__asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory");
		return r;
	}
	void _start(void)
	{
		char one[] = "one", two[] = "two";
		struct { const void *p; unsigned long n; } v[2] = { { one, 3 }, { two, 3 } };
		char buf[16], name[] = "/dev/zero";
		int fd = call(5, (long)name, 2, 0);

		call(3, fd, (long)buf, 8);
		call(146, fd, (long)v, 2);
		call(6, fd, 0, 0);
		call(54, -1, 0x80046601, (long)buf); /* as 32-bit programs declare FS_IOC_GETFLAGS ... */
		call(54, -1, 0x40047602, (long)one);
		call(54, -1, 0x80041272, (long)buf);
		call(54, -1, 0x80086601, (long)buf); /* and as 64-bit ones do */
		{
			unsigned long words[3] = { 1, 2, 0 }; /* UNIX, DGRAM */
			long r;

			call(102, 1, (long)words, 0);
			/* ftruncate64 of no file, to 4 GB and 16 */
			call(194, -1, 16, 1);
			/* fallocate, with all six registers */
			__asm__ volatile("push %%ebp; mov $2, %%ebp; int $0x80; pop %%ebp" : "=a"(r)
					 : "a"(324), "b"(-1), "c"(0), "d"(16), "S"(1), "D"(32) : "memory");
			call(199, 0, 0, 0);
		}
		call(1, 7, 0, 0);
	}
	END
	gcc -m32 -O1 -w -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie -o "$FILES/small" "$FILES/small.c" || :
	cat >"$FILES/mixed.c" <<-'END'
	#define _GNU_SOURCE
	#include <string.h>
	#include <sys/mman.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	int main(void)
	{
		char *low = mmap((void *)0x10000000, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		long fd;

		strcpy(low, "/dev/null");
		__asm__ volatile("int $0x80" : "=a"(fd) : "a"(5), "b"(low), "c"(0x441), "d"(0600) : "memory", "r8", "r9", "r10", "r11");
		close(fd);
		syscall(0x40000000 | 21, low, 4);
		syscall(0x40000000 | 516, 1, low, 4);
		return 0;
	}
	END
	case $(uname -m) in
	x86_64) gcc -O1 -w -o "$FILES/mixed" "$FILES/mixed.c" ;;
	esac
	cat >"$FILES/late.c" <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <sys/mman.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		int fd = open("names", O_RDONLY);
		char *names = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0); /* no page of it is there yet */
		char *words[] = { names + 4096, "second", NULL };

		madvise(names, 8192, MADV_RANDOM);
		if (argc > 1)
			syscall(SYS_execveat, AT_FDCWD, names, words, environ, 0);
		syscall(SYS_execve, names, words, environ);
		return 1;
	}
	END
	gcc -O1 -w -o "$FILES/late" "$FILES/late.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	# the runner's own descriptors would take the first numbers
	printf '#!/bin/sh\nexec timeout -k 5 60 %s "$@" 3>&- 4>&-\n' "$PERF" >perf-in-time
	chmod +x perf-in-time
	PERF=$PWD/perf-in-time
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "this kernel has no raw_syscalls tracepoints"
}

need_bpf() {
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
}

need_small() {
	[ "$(uname -m)" = x86_64 ] || skip "the programs are those of x86"
	[ -x "$FILES/small" ] || skip "this compiler makes no code of 32 bits"
	run "$FILES/small"
	[ "$status" -eq 7 ] || skip "this kernel does not run 32-bit programs"
}

teardown() {
	# what a failed test saw
	if [ -z "${BATS_TEST_COMPLETED:-}" ] && [ -e out ]; then
		head -n 40 out
	fi
}

# A line of `out` without time and duration, and without what is between its end and its result.
lines() {
	sed -E 's/^ *([0-9.]+|\?) \([^)]*\): //; s/^[^ ]+\/[0-9]+ //; s/^\[(i386|x32)\] //; s/\) +(= |\.\.\.)/) \1/; s, /\* read at the exit \*/,,' out
}

has() { # line, as fixed text
	lines | grep -qxF -- "$1" || { echo "missing: $1"; lines; return 1; }
}

@test "a 32-bit program's calls have its numbers and structs" {
	need_small
	need_bpf
	"$PERF" trace -o out "$FILES/small" || [ $? -eq 7 ]
	has 'open(filename: "/dev/zero", flags: RDWR) = 3'
	has 'read(fd: 3</dev/zero>, buf: "\0\0\0\0\0\0\0\0", count: 8) = 8'
	has 'writev(fd: 3</dev/zero>, vec: [{ .base: "one", .len: 3 }, { .base: "two", .len: 3 }], vlen: 2) = 6'
	has 'close(fd: 3</dev/zero>) = 0'
	# requests whose sizes follow the width of a long
	lines | sed -n 's/^ioctl(fd: -1, cmd: \([^ ]*\), arg: \([^ ]*\)) .*/\1 \2/p' >requests
	cat requests
	grep -qx 'FS_IOC_GETFLAGS 0x[0-9a-f]*' requests
	grep -qx 'BLKGETSIZE64 0x[0-9a-f]*' requests
	lines | grep -q '^ioctl(fd: -1, cmd: FS_IOC_SETVERSION, arg: \[[0-9]*\]) = -1 EBADF'
	grep -qx '0x80086601 0x[0-9a-f]*' requests
	has 'socketcall(call: SOCKET, args: [1, 2, 0]) = 3'
	lines | grep -q '^ftruncate64(fd: -1, length: 0x100000010) = -1 EBADF'
	lines | grep -q '^fallocate(fd: -1, offset: 0x100000010, len: 0x200000020) = -1 EBADF'
	lines | grep -qE '^getuid32\(\) = [0-9]+$'
	has 'exit(error_code: 7) = ?'
	"$PERF" trace -s -o out "$FILES/small" || [ $? -eq 7 ]
	grep -qE '^ +\[i386\] writev +1 ' out
	run ! grep -qE 'getpriority|lstat' out
}

@test "a 32-bit program's calls by tracepoints, recorded by us and without registers" {
	need_small
	"$PERF" trace --no-bpf -o out "$FILES/small" || [ $? -eq 7 ]
	has 'exit(error_code: 7) = ?'
	lines | grep -qE '^open\(filename: 0x[0-9a-f]+, flags: RDWR\) = 3$'
	lines | grep -qE '^writev\(fd: 3, vec: 0x[0-9a-f]+, vlen: 2\) = 6$'
	# numbers of -e are those of each ABI: 146 and 5 are others in 64-bit programs
	"$PERF" trace --no-bpf -e writev -o out "$FILES/small" || [ $? -eq 7 ]
	[ "$(lines | cut -d'(' -f1)" = writev ]
	"$PERF" trace --no-bpf -e '!open,close,execve' -o out "$FILES/small" || [ $? -eq 7 ]
	[ "$(lines | cut -d'(' -f1 | paste -sd' ')" = "read writev ioctl ioctl ioctl ioctl socketcall ftruncate64 fallocate getuid32 exit" ]
	"$PERF" trace record -q -o rec.data "$FILES/small" || [ $? -eq 7 ]
	"$PERF" record -q -m 4M -c 1 -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -o plain.data "$FILES/small" || [ $? -eq 7 ]
	for file in rec.data plain.data; do
		"$PERF" trace -i $file -o out
		[ "$(lines | grep -v execve | cut -d'(' -f1 | paste -sd' ')" = "open read writev close ioctl ioctl ioctl ioctl socketcall ftruncate64 fallocate getuid32 exit" ]
	done
}

@test "int 0x80 and x32's bit in a 64-bit program" {
	[ -x "$FILES/mixed" ] || skip "the program is one of x86-64"
	need_small
	for how in "" --no-bpf; do
		[ -n "$how" ] || need_bpf
		# shellcheck disable=SC2086 # nothing or one option
		"$PERF" trace $how -e open,access,writev,creat,close -o out "$FILES/mixed"
		lines | grep -v ld.so >tail
		grep -qE '^open\(filename: ("/dev/null"|0x10000000), flags: WRONLY\|CREAT\|APPEND, mode: 0600\) = 3$' tail
		# whether this kernel has x32 or not, it is a call of that name
		grep -qE '^access\(filename: ("/dev/null"|0x10000000), mode: R\) = ' tail
		grep -qE '^writev\(fd: 1.*, vec: (\[.*\]|0x10000000), vlen: 4\) = ' tail
		# each line says which ABI its call belongs to, unless that is the machine's own
		grep -qE ': mixed/[0-9]+ \[i386\] open\(filename: ("/dev/null"|0x10000000), flags: WRONLY' out
		grep -qE ': mixed/[0-9]+ \[x32\] writev\(' out
		grep -qE ': mixed/[0-9]+ close\(' out
		# shellcheck disable=SC2086 # nothing or one option
		"$PERF" trace $how --json -e open,writev,close -o json "$FILES/mixed"
		python3 -c 'import json; print([(x["syscall"], x.get("abi")) for x in map(json.loads, open("json"))][-3:])' >abis
		grep -F "[('open', 'i386'), ('close', None), ('writev', 'x32')]" abis
		# shellcheck disable=SC2086 # nothing or one option
		"$PERF" trace $how -s -e open,access,close -o out "$FILES/mixed"
		grep -qE '^   \[i386\] open +1 ' out
		grep -qE '^   close +[1-9]' out
		# shellcheck disable=SC2086 # nothing or one option
		"$PERF" trace $how -s --json -e open,close -o json "$FILES/mixed"
		python3 -c 'import json; print(sorted((x["syscall"], str(x.get("abi"))) for x in map(json.loads, open("json"))))' >abis
		grep -F "[('close', 'None'), ('open', 'i386')]" abis
	done
}

@test "path and arguments that were not in memory when execve and execveat began" {
	need_bpf
	{ printf '%s\0' "$(type -P true)"; head -c 8192 /dev/zero; } | head -c 4096 >names
	{ printf 'first\0'; head -c 8192 /dev/zero; } | head -c 4096 >>names
	true=$(type -P true)
	"$PERF" trace -e execve,execveat -o out "$FILES/late"
	grep -qE "execve\\(filename: \"$true\" /\\* read at the exit \\*/, argv: \\[\"first\", \"second\"\\] /\\* read at the exit \\*/, .*= 0\$" out
	"$PERF" trace -e execve,execveat -o out "$FILES/late" x
	grep -qE "execveat\\(fd: CWD, filename: \"$true\" /\\* read at the exit \\*/, argv: \\[\"first\", \"second\"\\] /\\* read at the exit \\*/, .*= 0\$" out
	# one that fails leaves the old memory
	{ printf '/nonexistent/program\0'; head -c 8192 /dev/zero; } | head -c 8192 >names
	"$PERF" trace -e execve,execveat -o out "$FILES/late" || [ $? -eq 1 ]
	grep -qE 'execve\(filename: "/nonexistent/program" /\* read at the exit \*/, .* = -1 ENOENT' out
}

@test "tasks that ended are forgotten" {
	need_bpf
	cat >many.c <<-'END'
	#include <sys/wait.h>
	#include <unistd.h>
	int main(void)
	{
		for (int i = 0; i < 3000; i++)
			if (fork() == 0)
				_exit(0);
			else
				wait(0);
		return 0;
	}
	END
	gcc -O1 -w -o many many.c
	for how in "" --no-bpf; do
		# shellcheck disable=SC2086 # nothing or one option
		"$PERF" trace $how -m 64M --tool_stats -e exit_group -o out ./many
		[ "$(grep -c exit_group out)" -eq 3001 ] || { tail -5 out; false; }
		awk '/tasks  /{ seen = $3 } /remembered/{ kept = $3 } END { print seen, kept; exit !(seen == 3001 && kept < 1200) }' out
	done
}

@test "losses and ends of tasks in a recording of either byte order" {
	{
		echo 'event raw_syscalls:sys_enter id:s64 args:words'
		echo 'event raw_syscalls:sys_exit id:s64 ret:s64'
		echo 'at 1000 0 10 raw_syscalls:sys_enter 3 7'
		echo 'lost 2000 0 5'
		echo 'at 3000 0 10 raw_syscalls:sys_exit 3 0'
		for i in $(seq 2000); do
			echo "at $((i * 1000 + 10000)) 0 $((i + 100)) raw_syscalls:sys_enter 3 8"
			echo "exit $((i * 1000 + 10500)) 0 $((i + 100))"
		done
	} >lines.in
	for order in "" --big-endian; do
		# shellcheck disable=SC2086 # nothing or one option
		"$BATS_TEST_DIRNAME/make-tracepoints" $order rec.data <lines.in
		"$PERF" trace -i rec.data --tool_stats -o out 2>err
		grep -qx 'LOST 5 events!' out
		grep -qx ' lost        : 5' out
		# of tasks that have ended, the last 1024 are remembered
		awk '/^ tasks  /{ seen = $3 } /^ remembered/{ kept = $3 } END { print seen, kept; exit !(seen == 2001 && kept < 1200) }' out
	done
}
