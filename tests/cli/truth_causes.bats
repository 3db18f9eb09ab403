#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it records what it starts itself.
# What makes a profile untrue is planted and named, and the advice, typed as it stands, cures it.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >spin.c <<-'EOC'
	#ifndef TURNS
	#define TURNS 300
	#endif
	static volatile unsigned long sum;
	__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 20000; i++) sum += i; }
	__attribute__((noinline)) void middle(void) { for (int i = 0; i < 20; i++) leaf(); sum++; }
	int main(void) { for (int n = 0; n < TURNS; n++) middle(); return 0; }
	EOC
	cat >sorts.c <<-'EOC'
	#include <stdlib.h>
	static volatile unsigned long sum;
	static int cmp(const void *a, const void *b) { sum++; return *(const int *)a - *(const int *)b; }
	int main(void)
	{
		static int v[4000];
		for (int n = 0; n < 600; n++) {
			for (int i = 0; i < 4000; i++)
				v[i] = i * 7919 % 4001;
			qsort(v, 4000, sizeof(*v), cmp);
		}
		return 0;
	}
	EOC
	gcc -O1 -g -fno-omit-frame-pointer -o sorts sorts.c
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR"/{spin.c,sorts.c,sorts} .
	export HOME=$PWD
}

record() { # FILE OPTIONS PROGRAM: without copies in the cache
	"$PERF" record -N -q -F 1000 -e cpu-clock:u -o "$@" >/dev/null
}

broken() { # CONDITION TEXT OPTIONS: the line has both
	local condition=$1 text=$2
	shift 2
	run -3 --separate-stderr "$PERF" report -q --require "$condition" "$@"
	[ -z "$output" ]
	[[ "$stderr" == "error: '$condition' does not hold: "*"$text"* ]] || { echo "$stderr"; false; }
}

holds() { # CONDITION OPTIONS
	run -0 --separate-stderr "$PERF" report -q --require "$@"
	[ -z "$output$stderr" ]
}

@test "short dumps of stacks: --call-graph dwarf,16384" {
	cat >deep.c <<-'EOC'
	static volatile unsigned long sum;
	__attribute__((noinline)) int deep(int n) { volatile char room[200]; room[0] = n; if (n) deep(n - 1); else for (int i = 0; i < 20000; i++) sum += i; return room[0]; }
	int main(void) { for (int n = 0; n < 4000; n++) deep(20); return 0; }
	EOC
	gcc -O1 -o deep deep.c
	record d --call-graph dwarf,512 ./deep
	broken 'whole>=95%' "deep: the recorded piece of stack is too small: record with more stack: --call-graph dwarf,16384" -i d
	record d --call-graph dwarf,16384 ./deep
	holds 'whole>=95%' -i d
}

@test "no call frame information: -fasynchronous-unwind-tables" {
	gcc -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -o spin spin.c
	record d --call-graph dwarf ./spin
	broken 'whole>=95%' "spin: no call frame information, and no frame pointer: build it with -fasynchronous-unwind-tables" -i d
	gcc -O1 -fomit-frame-pointer -fasynchronous-unwind-tables -o spin spin.c
	record d --call-graph dwarf ./spin
	holds 'whole>=95%' -i d
}

@test "a libc without frame pointers: --call-graph dwarf" {
	record d -g ./sorts
	whole=$("$PERF" report --json -i d | jq '.truth.events[0].whole.percent | floor')
	[ "$whole" -lt 90 ] || skip "this libc keeps frame pointers"
	broken 'whole>=90%' "libc.so.6: functions that keep no frame pointer: build it with -fno-omit-frame-pointer, or record with --call-graph dwarf" -i d
	record d --call-graph dwarf ./sorts
	holds 'whole>=90%' -i d
}

@test "a deleted object: --symfs DIR" {
	gcc -O1 -o spin spin.c
	record d ./spin
	mkdir -p "saved$PWD"
	mv spin "saved$PWD/"
	broken 'named>=95%' "spin: cannot open '$PWD/spin': No such file or directory: " -i d
	[[ "$stderr" == *"use --symfs DIR"* ]]
	holds 'named>=95%' --symfs saved -i d
}

@test "a container that has ended: --symfs DIR" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true || skip "no mount namespaces here"
	mkdir box
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs none box && gcc -O1 -DTURNS=301 -o box/spin spin.c &&
		"$0" record -N -q -F 1000 -e cpu-clock:u -o d box/spin >/dev/null 2>&1 &&
		mkdir -p "saved$PWD/box" && cp box/spin "saved$PWD/box/"' "$PERF"
	broken 'named>=95%' "spin: cannot open '$PWD/box/spin'" -i d
	[[ "$stderr" == *"use --symfs DIR"* ]]
	holds 'named>=95%' --symfs saved -i d
}

@test "another build-id: the build-id cache" {
	build() { gcc -O1 -Wl,--build-id -o spin spin.c "$@"; }
	build
	record d ./spin
	build -DTURNS=299
	broken 'named>=95%' "record with the build-id cache on, or install the version that was recorded" -i d
	# the version that was recorded
	build
	holds 'named>=95%' -i d
	# or the cache
	"$PERF" record -q -F 1000 -e cpu-clock:u -o d ./spin >/dev/null 2>&1
	build -DTURNS=299
	holds 'named>=95%' -i d
}

@test "a stripped object: its debug package" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	gcc -O1 -g -Wl,--build-id -o spin spin.c
	objcopy --only-keep-debug spin spin.debug
	strip spin
	record d ./spin
	broken 'named>=95%' "spin: the object is stripped of its symbols: install its debug package (NAME-dbgsym)" -i d
	id=$(readelf -n spin | sed -n 's/.*Build ID: //p')
	# what such a package installs
	# shellcheck disable=SC2016
	run -0 unshare -m sh -c 'mkdir -p /usr/lib/debug && mount -t tmpfs none /usr/lib/debug &&
		mkdir -p "/usr/lib/debug/.build-id/$1" && cp spin.debug "/usr/lib/debug/.build-id/$1/$2.debug" &&
		exec "$0" report -q --require "named>=95%" -i d' "$PERF" "${id:0:2}" "${id:2}"
	[ -z "$output" ]
}

@test "code made at run time without a map: the program's own option" {
	# stands for a runtime with a JIT; with the option it names its code as Ruby's does
	cat >jit.c <<-'EOC'
	#include <stdio.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		/* mov $400000000,%ecx; 1: dec %ecx; jnz 1b; ret */
		static const unsigned char code[] = { 0xb9, 0x00, 0x84, 0xd7, 0x17, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
		void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char path[64];
		memcpy(p, code, sizeof(code));
		if (argc > 1 && !strcmp(argv[1], "--yjit-perf")) {
			sprintf(path, "/tmp/perf-%d.map", (int)getpid());
			FILE *f = fopen(path, "w");
			fprintf(f, "%lx 1000 made\n", (unsigned long)p);
			fclose(f);
			puts(path);
		}
		((void (*)(void))p)();
		return 0;
	}
	EOC
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86's"
	gcc -o ruby jit.c
	record d ./ruby
	broken 'named>=90%' "ruby: code made at run time, which nothing names: start ruby with --yjit-perf" -i d
	"$PERF" record -N -q -F 1000 -e cpu-clock:u -o d ./ruby --yjit-perf >map 2>/dev/null
	run -0 "$PERF" report -q --require 'named>=90%' -i d
	rm -f "$(cat map)"
	[ -z "$output" ]
}

@test "hidden addresses of the kernel: cp /proc/kallsyms FILE" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* ' /proc/kallsyms || skip "addresses are hidden here"
	"$PERF" record -N -q -F 1000 -e cpu-clock:k -o d dd if=/dev/zero of=/dev/null bs=1M count=4000 2>/dev/null
	sed -E 's/^[0-9a-f]+/0000000000000000/' /proc/kallsyms >hidden
	broken 'named>=90%' "[kernel.kallsyms]: kernel functions have no names, for 'hidden' shows no addresses" --kallsyms hidden -i d
	[[ "$stderr" == *"as root: cp /proc/kallsyms FILE"* ]]
	cp /proc/kallsyms FILE
	holds 'named>=90%' --kallsyms FILE -i d
}

@test "tiny rings: -m 16M" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "tracefs is not mounted"
	calls() { "$PERF" record -N -q -e raw_syscalls:sys_enter -o d "$@" dd if=/dev/zero of=/dev/null bs=1 count=60000 >/dev/null 2>&1; }
	for _ in 1 2 3 4 5; do
		calls -m 1 --call-graph dwarf,65528
		! "$PERF" report -q --require 'lost<1%' -i d 2>/dev/null || continue
		break
	done
	broken 'lost<1%' "were lost, since buffers were full: record with larger buffers, -m 16M" -i d
	calls -m 16M
	holds 'lost<1%' -i d
}

@test "a cut file: the damage comes first, and conditions are still judged" {
	record d ./sorts
	head -c "$(($(stat -c %s d) * 2 / 3))" d >cut
	run -1 --separate-stderr "$PERF" report --require 'samples>=1000000' -i cut
	[[ "$stderr" == *"error: 'samples>=1000000' does not hold: there are "*" samples of 'cpu-clock:u"* ]]
	[[ "$stderr" == *warning:* ]]
	run -1 "$PERF" report -q --require 'lost<1%' -i cut
}

@test "the kernel alone was asked for: nothing is cut" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" record -N -q -F 1000 -e cpu-clock:k -g -o d dd if=/dev/zero of=/dev/null bs=1M count=4000 2>/dev/null
	[ "$("$PERF" report --json -i d | jq .truth.samples)" -gt 10 ]
	holds 'whole>=100%' -i d
	"$PERF" record -N -q -F 1000 -e cpu-clock --kernel-callchains -o d ./sorts >/dev/null 2>&1
	holds 'whole>=100%' -i d
}

@test "six healthy recordings pass" {
	gcc -O1 -g -fno-omit-frame-pointer -static -o spin spin.c
	local all='whole>=95%,named>=90%,lost<1%,samples>=20'
	record 1 ./spin
	record 2 --call-graph dwarf ./spin
	record 3 --call-graph dwarf ./sorts
	record 4 --call-graph dwarf,live ./sorts
	record 5 -d ./sorts
	"$PERF" record -N -q -F 1000 -e cpu-clock:u,task-clock:u --call-graph dwarf -o 6 ./spin >/dev/null 2>&1
	for f in 1 2 3 4 5 6; do
		run -0 "$PERF" report -q --require "$all" -i $f
		[[ -z "$output" || "$output" == note:* ]] || { echo "$f: $output"; false; }
	done
}
