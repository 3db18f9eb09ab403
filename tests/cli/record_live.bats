#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record --call-graph dwarf,live: stacks unwound while recording.  That the chains
# are those of inject --convert-callchain is in tests/unit/test_stacks.c.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
	cat >deep.c <<-'END'
	#include <stdlib.h>
	volatile unsigned long n;
	/* one product after the other, which takes about as long on each CPU */
	__attribute__((noinline)) int leaf(int k) { unsigned long m = n; for (int i = 0; i < 20000; i++) m = m * 6364136223846793005 + k; return n = m; }
	__attribute__((noinline)) int deep(int d) { return (d ? deep(d - 1) : leaf(3)) + 1; }
	int main(int c, char **v) { for (long j = atol(v[1]); j; j--) n += deep(20); return 0; }
	END
	gcc -O2 -fno-optimize-sibling-calls -o deep deep.c
}

teardown() {
	end_jobs
}

live=(record -q -e cpu-clock:u --call-graph dwarf,live)

# Samples whose chain is leaf, 21 times deep, main, and the C library's start.
whole_chains() {
	"$1" script -F ip,sym -i "$2" 2>/dev/null | awk '
		!NF { if (chain ~ /^leaf( deep)+ main __libc_start_call_main __libc_start_main/) n++; chain = ""; next }
		{ chain = chain (chain == "" ? "" : " ") $2 }
		END { print n + 0 }'
}

@test "6.1 names the chains of a program, which are ordinary ones, and few bytes" {
	"$PERF" "${live[@]}" -F 20000 -o live ./deep 5000
	samples=$("$ORACLE" script -F time -i live 2>/dev/null | grep -c :)
	[ "$samples" -gt 100 ]
	[ "$(whole_chains "$ORACLE" live)" -gt $((samples * 9 / 10)) ]
	[ "$(whole_chains "$PERF" live)" = "$(whole_chains "$ORACLE" live)" ]
	"$ORACLE" evlist -v -i live >attrs
	grep -q CALLCHAIN attrs
	run ! grep -q 'REGS_USER\|STACK_USER\|sample_regs_user\|sample_stack_user' attrs
	# 30 times less than the dump that each sample would have (the header aside)
	[ $((($(stat -c %s live) - 16384) * 30)) -lt $((samples * 8424)) ]
	"$PERF" report --header-only -i live | grep -q '^# user stacks unwound while recording : [0-9]* the outermost frame was reached'
	# 6.1 takes no offence at the section
	"$ORACLE" report --header-only -i live 2>&1 | grep -q '^# cmdline'
}

@test "a program that is deleted while it runs" {
	cp deep gone
	"$PERF" "${live[@]}" -F 2000 -B -o live -- ./gone 100000000 3>&- &
	recorder=$!
	until_true pgrep -P $recorder -x gone
	rm gone
	until_true holds live 200
	kill -INT $recorder
	wait $recorder || true
	[ ! -e gone ]
	[ "$("$ORACLE" script -F time -i live 2>/dev/null | grep -c :)" -gt 100 ]
	"$ORACLE" script -F ip,sym -i live 2>/dev/null | awk '
		NF { n++ }
		!NF && n { whole += n > 20; all++; n = 0 }
		END { exit !(whole > all * 0.8) }'
}

@test "a pipe, and files that are switched" {
	"$PERF" "${live[@]}" -F 3000 -o - ./deep 3000 | cat >stream
	"$ORACLE" script -F ip,sym -i - <stream 2>/dev/null | grep -c ' deep$' | grep -q '[0-9][0-9][0-9]'
	"$PERF" "${live[@]}" -F 20000 --switch-output=200K -o part ./deep 40000
	filled=0
	for f in part.2*; do # some may be nearly empty, as the last one: the head counts
		[ "$(whole_chains "$ORACLE" "$f")" -eq 0 ] || filled=$((filled + 1))
	done
	[ "$filled" -ge 2 ]
}

# Bytes of the data of a recording.
data_bytes() {
	od -An -t u8 -j 48 -N 8 "$1" | tr -d ' '
}

@test "--switch-output=SIZE and --max-size are kept, and no sample is lost between files" {
	# more than is unwound meanwhile: most of it comes when the program has ended
	"$PERF" "${live[@]}" -c 50000 --switch-output=256K -B -o part ./deep 20000
	names=$("$PERF" script -F comm -i "$(ls part.2* | head -n 1)" | sort -u)
	[[ "$names" == *deep* ]]
	files=0
	chains=0
	for f in part.2*; do
		# what a file begins with, an eighth or 64 KB above, and one record
		bytes=$(data_bytes "$f")
		[ "$bytes" -lt $((256 * 1024 + 64 * 1024 + 8192)) ] || { echo "$f has $bytes bytes"; return 1; }
		files=$((files + 1))
		chains=$((chains + $(whole_chains "$PERF" "$f")))
	done
	[ "$files" -ge 2 ]
	# nearly all of them are whole, also in files that begin when the program has ended
	all=$(for f in part.2*; do "$PERF" script -F time -i "$f"; done 2>/dev/null | grep -c :)
	[ "$chains" -gt $((all * 9 / 10)) ] || { echo "of $all samples $chains are whole"; return 1; }
	"$PERF" "${live[@]}" -c 50000 --max-size=128K -B -o most ./deep 100000000 2>err
	bytes=$(data_bytes most)
	[ "$bytes" -gt 100000 ]
	[ "$bytes" -lt $((128 * 1024 + 8192)) ]
	[ "$(whole_chains "$PERF" most)" -gt 100 ]
}

@test "kill -9 leaves what was written" {
	"$PERF" "${live[@]}" -F 2000 -o live ./deep 100000000 3>&- &
	recorder=$!
	grown() { [ "$(stat -c %s live)" -gt 40000 ]; }
	until_true grown
	child=$(pgrep -P $recorder -x deep)
	kill -9 $recorder "$child"
	wait $recorder || true
	[ "$(whole_chains "$ORACLE" live)" -gt 10 ]
	[ "$(whole_chains "$PERF" live)" -gt 10 ]
}

@test "what was recorded of running processes" {
	./deep 100000000 3>&- &
	target=$!
	until_true comm_is $target deep
	record_some 60 live -e cpu-clock:u --call-graph dwarf,live -F 1000 -p $target
	kill $target
	[ "$(whole_chains "$ORACLE" live)" -gt 10 ]
}

# Less than may stay in a ring, so that none of it moves, however busy the machine is.
@test "stacks are read in their ring, and -v says how much" {
	"$PERF" record -v -B -e cpu-clock:u --call-graph dwarf,live,8192 -F 1000 -m 16M -o live ./deep 3000 2>err
	samples=$("$ORACLE" script -F time -i live 2>/dev/null | grep -c :)
	[ "$samples" -gt 20 ]
	[ "$samples" -lt 650 ]
	grep 'perf record: Unwound [0-9]* user stacks.*, [0-9.]* MB read in the rings, priority raised [0-9]* times\? \]' err
	tenths=$(sed -n 's/.*, \([0-9]*\)\.\([0-9]\) MB read in the rings.*/\1\2/p' err)
	# 8 KB for each, but for a record or two that lie across the end of a ring
	[ "$tenths" -ge $(((samples - 10) * 8192 * 10 / 1048576)) ]
	[ "$(whole_chains "$ORACLE" live)" -gt $((samples * 9 / 10)) ]
}

# Stacks cut off of a recording, as the recorder counted them.
cut_off() { # lines of record -v
	awk '/ stacks cut off  in .*\/large: the recorded piece of stack is too small$/ { n += $1 } END { print n + 0 }'
}

# Its stacks have more than 1 KB, and no frame pointers.
large_program() { # calls
	cat >large.c <<-'END'
	volatile unsigned long n;
	__attribute__((noinline)) int leaf(int k) { unsigned long m = n; for (int i = 0; i < 20000; i++) m = m * 6364136223846793005 + k; return n = m; }
	__attribute__((noinline)) int deep(int d) { volatile char room[100]; room[d] = d; return (d ? deep(d - 1) : leaf(3)) + room[d]; }
	int main(void) { for (int j = 0; j < CALLS; j++) n += deep(20); return 0; }
	END
	gcc -O2 -DCALLS="$1" -fomit-frame-pointer -fno-optimize-sibling-calls -o large large.c
}

@test "-v and the file say in which object stacks ended, and why" {
	large_program 3000
	"$PERF" record -v -B -e cpu-clock:u -F 1000 --call-graph dwarf,live,1024 -o cut ./large 2>err
	cut=$(cut_off <err)
	[ "$cut" -gt 20 ]
	# the file has the same number, the reason, and the option with which it was recorded
	"$PERF" report --stats -i cut >stats
	grep -Eq "cut off stacks: +$cut .* in $PWD/large: the recorded piece of stack is too small$" stats
	grep -q 'hint: record with more stack: --call-graph dwarf,live,16384$' stats
	run ! grep -q 'frame pointer' stats
	"$PERF" report --json --stats -i cut | grep -q '"why":"the recorded piece of stack is too small"'
	"$PERF" report --stdio -i cut | grep -qE "^# [0-9]+ call chains end early in 'large': report --stats shows why$"
	# the recorder counted all samples, which says nothing of a part of them
	for filter in '--time 1,' '--comms large' '--dsos large' '--symbols leaf' '--symbol-filter leaf'; do
		"$PERF" report -v --stdio -i cut $filter >part 2>&1
		run ! grep -q 'end early' part
	done
	run --separate-stderr "$PERF" report --flamegraph cut.svg -i cut
	[[ "$stderr" == "warning: the flame graph has stacks that end early in 'large' ("*"hint: report --stats shows why" ]]
	# nothing is said of whole stacks
	"$PERF" record -v -B -e cpu-clock:u -F 1000 --call-graph dwarf,live -o whole ./large 2>err
	[ "$(cut_off <err)" -eq 0 ]
	"$PERF" report --stats -i whole | grep -Eq 'whole stacks: .*\((9[5-9]|100)\.'
	run --separate-stderr "$PERF" report --flamegraph whole.svg -i whole
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "a page of the stack that was never touched ends its copy, which no size changes" {
	cat >hole.c <<-'END'
	volatile unsigned long n;
	__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 400000000; i++) n += i; }
	__attribute__((noinline)) void hole(void)
	{
		char untouched[48000];

		__asm__ volatile("" : : "r"(untouched) : "memory");
		leaf();
		__asm__ volatile("" : : "r"(untouched) : "memory");
	}
	int main(void) { hole(); return n == 1; }
	END
	gcc -O2 -fno-stack-clash-protection -o hole hole.c
	for how in dwarf,live,65528 dwarf,65528; do
		"$PERF" record -q -B -e cpu-clock:u -F 300 --call-graph $how -o hole.data ./hole
		"$PERF" report --stats -i hole.data >ends
		grep -q 'in .*/hole: the copy of the stack ends at a page not in memory$' ends
		grep -q 'hint: no size helps: record with -g' ends
		run ! grep -q 'too small' ends
	done
	# a piece that ends before the hole is too small
	"$PERF" record -q -B -e cpu-clock:u -F 300 --call-graph dwarf,live,256 -o hole.data ./hole
	"$PERF" report --stats -i hole.data | grep -q 'in .*/hole: the recorded piece of stack is too small$'
}

@test "code of a JIT without frame pointers ends a stack by itself, and the hint is for JITs" {
	[ "$(uname -m)" = x86_64 ] || skip "the program is machine code of x86-64"
	cat >jit.c <<-'END'
	#include <string.h>
	#include <sys/mman.h>
	/* push %rbp; sub $24,%rsp; lea (%rsp),%rbp; movq $1,(%rbp); mov %rbp,8(%rbp): no record of a frame;
	   1: dec %rdi; jne 1b; add $24,%rsp; pop %rbp; ret */
	static const unsigned char code[] = "\x55\x48\x83\xec\x18\x48\x8d\x2c\x24\x48\xc7\x45\x00\x01\x00\x00\x00"
		"\x48\x89\x6d\x08\x48\xff\xcf\x75\xfb\x48\x83\xc4\x18\x5d\xc3";
	int main(void)
	{
		void *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memcpy(p, code, sizeof(code));
		for (int i = 0; i < 100; i++)
			((void (*)(long))p)(4000000);
		return 0;
	}
	END
	gcc -O2 -o jit jit.c
	for how in dwarf,live dwarf fp; do
		"$PERF" record -q -B -e cpu-clock:u -F 1000 --call-graph $how -o data.$how ./jit
		"$PERF" report --stats -i data.$how | grep -A1 'in /tmp/perf-[0-9]*\.map: ' >ends
		grep -q 'hint: let the JIT keep frame pointers' ends
		run ! grep -q 'NAME-dbgsym\|-fno-omit' ends
	done
	for how in dwarf,live dwarf; do
		"$PERF" report --stats -i data.$how >ends
		grep -q 'in /tmp/perf-[0-9]*\.map: no call frame information, and no frame pointer$' ends
		run ! grep -q 'next address' ends
		# the word in the place of the return address is not shown as a frame
		run ! grep -q 'unknown.*\[unknown\]' <("$PERF" script -F ip,sym,dso -i data.$how)
	done
}

@test "chains unwound while recording are not judged in a stream or after kill -9" {
	large_program 3000
	says_nothing() { # of a file, or of a stream with -
		"$PERF" report --stats -i "$1" >stats
		grep -q 'SAMPLE events' stats
		run ! grep -q 'stacks:' stats
	}
	"$PERF" record -q -B -e cpu-clock:u -F 1000 --call-graph dwarf,live,1024 -o - ./large >stream
	says_nothing - <stream
	"$ORACLE" script -F ip,sym -i - <stream 2>err | grep -q ' deep$'
	run ! grep -qiE 'warning|error' err
	# the mode need not be in the command line
	printf '[call-graph]\n\trecord-mode = dwarf,live,1024\n' >config
	PERF_CONFIG=$PWD/config "$PERF" record -q -g -B -e cpu-clock:u -F 1000 -o - ./large >stream
	says_nothing - <stream
	"$PERF" record -q -B -e cpu-clock:u -F 1000 --call-graph dwarf,1024 -o dump ./large
	"$PERF" inject --convert-callchain <dump >stream
	says_nothing - <stream
	# nor do words in the command line make it so
	"$PERF" record -q -g -B -e cpu-clock:u -F 1000 -o - sh -c './large; : dwarf,live' >stream
	"$PERF" report --stats -i - <stream | grep -q 'large: functions that keep no frame pointer'
	large_program 100000000
	"$PERF" record -q -B -e cpu-clock:u -F 1000 --call-graph dwarf,live,1024 -o killed ./large 3>&- &
	recorder=$!
	grown() { [ "$(stat -c %s killed)" -gt 30000 ]; }
	until_true grown
	child=$(pgrep -P $recorder -x large)
	kill -9 $recorder "$child"
	wait $recorder || true
	says_nothing killed
	run ! grep -q 'first frame' < <("$PERF" report -v --stdio -i killed 2>&1 >/dev/null)
	"$ORACLE" script -F ip,sym -i killed 2>/dev/null | grep -q ' deep$'
}

@test "a stack of 24 KB is whole without a size being given" {
	cat >large.c <<-'END'
	volatile unsigned long n;
	__attribute__((noinline)) int leaf(int k) { unsigned long m = n; for (int i = 0; i < 20000; i++) m = m * 6364136223846793005 + k; return n = m; }
	__attribute__((noinline)) int deep(int d) { volatile char room[1000]; room[d] = d; return (d ? deep(d - 1) : leaf(3)) + room[d]; }
	int main(void) { for (int j = 0; j < 3000; j++) n += deep(20); return 0; }
	END
	gcc -O2 -fno-optimize-sibling-calls -o large large.c
	"$PERF" "${live[@]}" -F 1000 -o live ./large
	samples=$("$PERF" script -F time -i live 2>/dev/null | grep -c :)
	[ "$samples" -gt 20 ]
	[ "$(whole_chains "$PERF" live)" -gt $((samples * 9 / 10)) ]
	"$PERF" record -q -e cpu-clock:u --call-graph dwarf,live,8192 -F 1000 -o cut ./large
	[ "$(whole_chains "$PERF" cut)" -lt $((samples / 10)) ]
}

@test "what does not go together is refused" {
	run "$PERF" record -o no --call-graph fp,live true
	[ "$status" -ne 0 ]
	[[ "$output" == *"dwarf,live"* ]]
	run "$PERF" record -o no --threads --call-graph dwarf,live true
	[ "$status" -eq 1 ]
	[[ "$output" == *"--threads"* ]]
	[ ! -e no ]
}
