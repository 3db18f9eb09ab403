#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Code made at run time gets its names, lines and bytes from jitdump files, and its names from
# perf maps, without perf inject: also when these files are gone, and without -k mono.
bats_require_minimum_version 1.5.0

load wait

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	gcc -O1 -o jitprog "$BATS_TEST_DIRNAME/jitprog.c"
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	[ "$(uname -m)" = x86_64 ] || skip "the program's code is that of x86-64"
	export HOME=$BATS_TEST_TMPDIR
}

teardown() { end_jobs; }

record() { "$PERF" record -q -F 2000 -e cpu-clock:u "$@"; }
functions() { "$PERF" script -F ip,sym -i "$1" | awk '/_function$/ { print $2 }'; }

# first_function, then second_function, and nothing without a name in generated code
named() {
	[ "$(functions "$1" | uniq | tr '\n' ' ')" = "first_function second_function " ]
	[ "$("$PERF" report --stdio -i "$1" -s sym | grep -c '0x[0-9a-f]\{8,\}$')" -eq 0 ]
}

@test "report and script name functions by time, with and without -k mono" {
	record -k mono -o mono ./jitprog 100000000
	named mono
	record -o plain ./jitprog 100000000
	named plain
	"$PERF" report --stdio -s dso,sym -i plain | grep -Eq '% +jit-[0-9]+\.dump +\[\.\] second_function'
	# the note tells what was done to the times
	run --separate-stderr "$PERF" report -v --stdio -i plain
	[[ "$stderr" == *"times of '"*"jit-"*"another clock"*"-k mono"* ]]
	run --separate-stderr "$PERF" report -v --stdio -i mono
	[[ "$stderr" != *"another clock"* ]]
}

@test "lines, code and callers" {
	record -k mono --call-graph dwarf,4096 -o lines ./jitprog 60000000
	"$PERF" report --stdio --no-children -g none -s sym,srcline -i lines >got
	grep -q 'first_function.*first.js:20' got
	grep -q 'second_function.*second.js:20' got
	"$PERF" annotate --stdio --no-source -s second_function -i lines >got
	[ "$(grep -cE ': +nop' got)" -eq 5 ]
	awk '$2 == ":" && $3 ~ /^[0-9a-f]+:$/ { print $4 }' got | grep -v nop | tr '\n' ' ' | grep -q '^dec jne ret $'
	# its unwind tables lead from made code to main
	"$PERF" script -F ip,sym -i lines | awk -v RS= '/_function/ { n++ } /_function/ && /[0-9a-f] main(\n|$)/ { m++ }
		END { exit !(n > 20 && m == n) }'
}

@test "the dump is kept when the recording ends, and not with -N" {
	record -o kept ./jitprog 100000000
	record -N -o bare ./jitprog 100000000
	"$PERF" buildid-list -i kept | grep -q '^[0-9a-f]\{40\} .*/jit-[0-9]*.dump$'
	run ! grep -q '^[0-9a-f].*dump' <("$PERF" buildid-list -i bare)
	rm jit-*.dump
	named kept
	run --separate-stderr "$PERF" report --stdio -i bare
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"cannot open '"*"jit-"*".dump'"* ]]
	[ -z "$(functions bare)" ]
	# perf archive takes it along
	"$PERF" archive kept >/dev/null
	mkdir -p elsewhere/.debug
	tar xf kept.tar* -C elsewhere/.debug
	rm -rf "$HOME/.debug"
	[ -z "$(functions kept)" ]
	HOME=$PWD/elsewhere named kept
}

@test "another file of the dump's name is not used" {
	record -k mono -N -o other ./jitprog 20000000
	dump=$(ls -t jit-*.dump | head -n 1)
	cp "$dump" copy
	mv "$dump" away
	mv copy "$dump"
	run --separate-stderr "$PERF" script -F ip,sym -i other
	[[ "$stderr" == *"'$PWD/$dump' is not the file that was mapped"* ]]
	[ -z "$(functions other)" ]
	mv away "$dump"
	named other
}

@test "a damaged dump: what precedes the damage is used, and it is said" {
	record -k mono -N -o cut ./jitprog 100000000
	dump=$(ls -t jit-*.dump | head -n 1)
	size=$(stat -c %s "$dump")
	# first_function is whole; all that follows has a length that cannot be
	python3 - "$dump" <<-'END'
		import struct, sys
		d = bytearray(open(sys.argv[1], "rb").read())
		at, loads = 40, 0
		while True:
		    kind, size = struct.unpack_from("<II", d, at)
		    at += size
		    loads += kind == 0
		    if loads == 1:
		        break
		struct.pack_into("<I", d, at + 4, 5)
		open(sys.argv[1], "r+b").write(d)
	END
	run --separate-stderr "$PERF" report --stdio -s sym -i cut
	[[ "$stderr" == *"$dump"*"a record of 5 bytes"* ]]
	[[ "$output" == *first_function* ]]
	[[ "$output" != *second_function* ]]
}

@test "a stream, while the program runs" {
	record -o - ./jitprog 100000000 | "$PERF" script -F ip,sym -i - >got
	[ "$(awk '/_function$/ { print $2 }' got | sort | uniq -c | awk '$1 > 20' | wc -l)" -eq 2 ]
}

@test "a process that ran before" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	./jitprog 100000000000 3>&- &
	pid=$!
	until_true sh -c "[ -s jit-$pid.dump ]"
	record -o attached -p "$pid" -- sleep 0.5
	kill "$pid"
	wait "$pid" || true
	functions attached | uniq | grep -q '^first_function$'
}

@test "a process whose /tmp is its own" {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	# the dump lies in a mount namespace that is gone when the report is made
	mkdir -p hidden
	unshare -m sh -c "mount -t tmpfs none '$PWD/hidden' && cp jitprog hidden && cd hidden && exec ./jitprog 100000000000" 3>&- &
	pid=$!
	until_true sh -c "ls /proc/$pid/root$PWD/hidden/jit-*.dump"
	record -o hidden.data -p "$pid" -- sleep 0.5
	kill "$pid"
	wait "$pid" || true
	[ -z "$(ls hidden)" ]
	functions hidden.data | uniq | grep -q '^first_function$'
}

# mapmem MEMORY: a function "generated" that a perf map names, in memory of this kind
build_mapmem() {
	cat >mapmem.c <<-'CODE'
		#define _GNU_SOURCE
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <time.h>
		#include <unistd.h>
		#include <sys/mman.h>
		static const unsigned char code[] = { 0x48, 0xc7, 0xc1, 0x80, 0x96, 0x98, 0x00, /* mov $10000000, %rcx */
						      0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
		int main(int argc, char **argv)
		{
			const char *kind = argc > 1 ? argv[1] : "";
			char gone[] = "goneXXXXXX", named[] = "namedXXXXXX", shm[] = "/dev/shm/perf-testXXXXXX", map[64];
			int private = !strcmp(kind, "private") || !strcmp(kind, "copied");
			int later = !strcmp(kind, "later"), is_named = later || !strcmp(kind, "named") || !strcmp(kind, "copied");
			int fd = !strcmp(kind, "deleted") ? mkstemp(gone) : !strcmp(kind, "shm") ? mkstemp(shm) :
				 is_named ? mkstemp(named) :
				 memfd_create("doublemapper", 0);
			unsigned char *x;
			struct timespec t;
			FILE *f;
			if (!strcmp(kind, "deleted"))
				unlink(gone);
			if (ftruncate(fd, 65536) || pwrite(fd, code, sizeof(code), 256) != sizeof(code))
				return 1;
			x = mmap(0, 65536, PROT_READ | PROT_EXEC | (private ? PROT_WRITE : 0),
				 private ? MAP_PRIVATE : MAP_SHARED, fd, 0);
			if (!strcmp(kind, "shm"))
				unlink(shm);
			if (later)
				unlink(named);
			if (x == MAP_FAILED)
				return 2;
			snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
			f = fopen(map, "w");
			fprintf(f, "%lx 20 generated\n", (long)(x + 256));
			fclose(f);
			printf("%d\n", getpid());
			fflush(stdout);
			do {
				((void (*)(void))(x + 256))();
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
			} while (t.tv_sec + t.tv_nsec / 1e9 < 0.2);
			return 0;
		}
	CODE
	gcc -O1 -o mapmem mapmem.c
}

@test "a perf map names code in a memfd, a file, a deleted file and shared memory, also when the map is gone" {
	build_mapmem
	for kind in memfd deleted shm private later named copied; do
		mount_allows=$(df --output=target /dev/shm 2>/dev/null | tail -n 1)
		[ "$kind" != shm ] || ! findmnt -n -o OPTIONS "$mount_allows" | grep -qw noexec || continue
		pid=$(record -o mem ./mapmem "$kind")
		rm -f "/tmp/perf-$pid.map"
		"$PERF" report --stdio -i mem -s dso,sym 2>err >got || { cat err; false; }
		grep -Eq "[0-9]% +\[JIT\] tid $pid +\[\.\] generated" got || { echo "$kind"; cat got; false; }
	done
}

@test "functions of a jitdump file lie in a memfd, or in named memory, that becomes executable later" {
	record -k mono -N -B -o late ./jitprog 100000000 memfd
	named late
	record -k mono -N -B -o plain ./jitprog 100000000 anonymous
	# as /proc/PID/maps has memory that PR_SET_VMA_ANON_NAME named
	python3 -c 'import sys; b = open("plain", "rb").read(); open("name", "wb").write(b.replace(b"//anon\0\0", b"[anon:]\0"))'
	grep -q 'anon:]' name
	named name
	"$PERF" inject -j -i name -o injected
	named injected
}

@test "a perf map is kept when the recording ends" {
	record -o map "$PERF" test -w jitdump 1
	# the workload writes both: here the map has to do alone
	pid=$("$PERF" script -F pid -i map | awk '{ print $1; exit }')
	rm -f "jit-$pid.dump" "/tmp/perf-$pid.map"
	id=$("$PERF" buildid-list -i map | awk -v name="/tmp/perf-$pid.map" '$2 == name { print $1 }')
	[ "${#id}" -eq 40 ]
	"$PERF" buildid-cache -r "jit-$pid.dump" 2>/dev/null || true
	"$PERF" report --stdio -s sym -i map | grep -q jit_countdown
}

# A process with pids and a /tmp of its own: nothing that it writes there is left when it ends.
in_container() {
	record -k mono -o "$1" unshare -m -p -f sh -c 'mount -t tmpfs none hidden && cp jitprog mapprog hidden &&
		mount --bind hidden /tmp && cd /tmp && exec "$@"' sh "${@:2}"
}

@test "a container that ends before the recording: its jitdump file and its perf map are kept" {
	unshare -m -p -f true 2>/dev/null || skip "no namespaces of mounts and pids here"
	mkdir -p hidden
	cat >mapprog.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(int c, char **v)
		{
			static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
			char name[64], *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			FILE *f;
			memcpy(code, loop, sizeof(loop));
			snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
			f = fopen(name, "wx");
			if (f) {
				fprintf(f, "%lx %zx mapped_function\n", (long)code, sizeof(loop));
				fclose(f);
			}
			((void (*)(long))code)(atol(v[1]));
			return 0;
		}
	END
	gcc -O1 -o mapprog mapprog.c
	in_container dumped ./jitprog 200000000
	[ -z "$(ls hidden)" ]
	# mount and cp, which ran first, have functions without names
	[ "$(functions dumped | uniq | tr '\n' ' ')" = "first_function second_function " ]
	[ "$("$PERF" report --stdio -i dumped --comms jitprog -s sym | grep -c '0x[0-9a-f]\{8,\}$')" -eq 0 ]
	in_container mapped ./mapprog 200000000
	[ "$("$PERF" report --stdio -s sym -i mapped | awk '/mapped_function/ { print ($1 + 0 > 50) }')" = 1 ]
	# a link would lead out of the container, to a file of this machine
	echo "0 ffffffffffffffff linked_function" >outside.map
	in_container linked sh -c 'ln -s "$0" perf-1.map && exec ./mapprog 50000000' "$PWD/outside.map"
	[ "$("$PERF" report --stdio -s sym -i linked | grep -c linked_function)" -eq 0 ]
	[ -z "$("$PERF" buildid-list -i linked | grep 'perf-[0-9]*[.]map')" ]
	rm -f outside.map
}

@test "containers one after the other, whose files have the same names: each has its own functions" {
	unshare -m -p -f true 2>/dev/null || skip "no namespaces of mounts and pids here"
	mkdir -p hidden
	sed 's/first_function/third_function/; s/second_function/fourth_function/' "$BATS_TEST_DIRNAME/jitprog.c" >other.c
	gcc -O1 -o otherprog other.c
	# the other one's functions come second, although its program is the first in any list
	cat >containers <<-'END'
		for program in jitprog otherprog; do
			unshare -m -p -f sh -c 'mount -t tmpfs none hidden && cp "$0" hidden && mount --bind hidden /tmp &&
				cd /tmp && exec "./$0" 100000000' $program
		done
	END
	record -k mono -o both sh containers
	[ "$("$PERF" script --show-mmap-events -i both | grep -o '/tmp/jit-[0-9]*.dump' | sort -u | wc -l)" -eq 1 ] ||
		skip "the two files have different names"
	for program in jitprog otherprog; do
		"$PERF" script --comms $program -F ip,sym -i both | awk '/_function$/ { print $2 }' | uniq | tr '\n' ' '
	done >got
	[ "$(cat got)" = "first_function second_function third_function fourth_function " ] || { cat got; return 1; }
	[ "$("$PERF" buildid-list -i both | grep -c 'jit-[0-9]*[.]dump$')" -eq 2 ]
	[ "$("$PERF" report --stdio -i both --comms jitprog,otherprog -s sym | grep -c '0x[0-9a-f]\{8,\}$')" -eq 0 ]
}

@test "perf top names made code, and code that follows in the same memory" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	./jitprog 4000000000 >/dev/null 3>&- &
	pid=$!
	until_true sh -c "[ -s jit-$pid.dump ]"
	timeout 60 "$PERF" top --stdio -d 1 -e cpu-clock:u -p "$pid" >screen 2>&1 3>&- &
	top=$!
	until_true sh -c "grep -q first_function screen"
	until_true sh -c "grep -q second_function screen"
	kill "$pid" "$top"
	wait || true
}

@test "node --perf-prof" {
	command -v node >/dev/null || skip "needs node"
	cat >fib.js <<-'END'
		function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
		let sum = 0;
		for (let i = 0; i < 20; i++)
			sum += fib(31);
		console.log(sum);
	END
	node --perf-prof -e 0 || skip "this node has no --perf-prof"
	record -o node node --perf-prof fib.js
	"$PERF" report --stdio -s sym -i node | awk '/JS:.fib / { sum += $1 } END { exit !(sum > 20) }'
}

needs_java() {
	command -v java >/dev/null && command -v javac >/dev/null || skip "needs java and javac (openjdk-17-jdk-headless)"
	[ -f Spin.class ] && return
	cat >Spin.java <<-'X'
		public class Spin {
			static long state = 1;
			static long hottest(long n) {
				for (long i = 0; i < n; i++)
					state = state * 6364136223846793005L + 1442695040888963407L ^ state >>> 17;
				return state;
			}
			static long caller(long n) { return hottest(n) + 1; }
			// so much work, or until the file "stop" is there
			public static void main(String[] args) {
				java.io.File stop = new java.io.File("stop");
				long turns = Long.parseLong(args[0]), sum = 0;
				for (long i = 0; i < turns && !stop.exists(); i++)
					sum += caller(1000000);
				System.out.println(sum);
			}
		}
	X
	javac Spin.java
}

writes_maps() {
	java -XX:+UnlockDiagnosticVMOptions -XX:+PrintFlagsFinal -version 2>/dev/null | grep -q DumpPerfMapAtExit ||
		skip "this JDK writes no perf maps (17 and later do)"
}

# Most of what file $1 has of the program, of two in three samples at least, ran in its method
names_hottest() {
	"$PERF" report --stdio -s sym -i "$1" >text
	awk '/Spin[.:]+hottest/ { sum += $1 } END { exit !(sum > 60) }' text || { head -20 text; return 1; }
}

@test "OpenJDK: a perf map that is written at the end" {
	needs_java
	writes_maps
	record -o java.data java -Xshare:auto -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp . Spin 600 >/dev/null
	pid=$("$PERF" script -F pid,comm -i java.data | awk '$1 == "java" { print $2; exit }')
	[ -f "/tmp/perf-$pid.map" ]
	rm -f "/tmp/perf-$pid.map"
	# the copy that the recorder kept
	names_hottest java.data
}

@test "OpenJDK: a perf map by jcmd, while it runs" {
	needs_java
	command -v jcmd >/dev/null || skip "needs jcmd (openjdk-17-jdk-headless)"
	rm -f stop
	java -cp . Spin 100000000 >/dev/null 3>&- &
	pid=$!
	until_true sh -c "jcmd $pid VM.uptime"
	record -o jcmd.data -p $pid -- sleep 1
	# nothing had named the code when this was recorded
	"$PERF" report --stdio -s sym -i jcmd.data >text
	run grep hottest text
	[ "$status" -eq 1 ]
	jcmd $pid Compiler.perfmap >said || { touch stop; skip "this JDK has no Compiler.perfmap (17 and later do)"; }
	names_hottest jcmd.data
	record -o jcmd2.data -p $pid -- sleep 1
	touch stop
	wait $pid
	rm -f "/tmp/perf-$pid.map"
	names_hottest jcmd2.data
}

@test "OpenJDK in a container that is gone afterwards" {
	needs_java
	unshare -m -p -f --mount-proc true 2>/dev/null || skip "no namespaces of mounts and pids here"
	writes_maps
	mkdir -p hidden
	# ends before the recording does, and takes its /tmp along
	record -o box.data sh -c 'unshare -m -p -f --mount-proc sh -c "mount -t tmpfs none hidden && cp Spin.class hidden &&
		mount --bind hidden /tmp && cd /tmp && java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp . Spin 600; ls /tmp/perf-*" >made
		sleep 0.3'
	# its own number, which no process here has given to this file
	run grep -E '^/tmp/perf-[0-9]+[.]map$' made
	[ "$status" -eq 0 ]
	[ -z "$(ls hidden)" ]
	names_hottest box.data
}
