#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf probe: what a function returns, text behind registers, structures, the end of a function.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	cat >values.c <<'EOS'
#include <stdio.h>
struct big { long a, b, c; };
struct six { short a, b, c; };
struct floats { float x, y; };
struct pair { int a; unsigned b; };
__attribute__((noinline)) double half(double d) { return d / 2; }
__attribute__((noinline)) void nothing(int n) { printf("%d\n", n); }
__attribute__((noinline)) struct big wide(long a) { struct big b = { a, a + 1, a + 2 }; return b; }
__attribute__((noinline)) struct pair pair(int a) { struct pair p = { a, a + 6 }; return p; }
__attribute__((noinline)) struct floats floats(int a) { struct floats p = { a, a + 1 }; return p; }
__attribute__((noinline)) const char *name(const char *of) { return of[0] == 'x' ? "an x" : "none"; }
__attribute__((noinline)) int take(struct big b, struct six s, unsigned char c)
{
	int local[3] = { 11, 12, 13 };
	char text[8] = "abc";

	return (int)b.a + s.a + c + local[b.a & 1] + text[0];
}

__attribute__((noinline)) int after(int z)
{
	z++;
	z *= 2;
	return z;
}
int main(int argc, char **argv)
{
	struct six s = { 1, 2, 3 };

	(void)argv;
	nothing(take(wide(argc), s, name("xyz")[0]) + after(3) + (int)half(3) + pair(2).a + (int)floats(3).x);
	return 0;
}
EOS
	gcc -O0 -g -o values0 values.c && gcc -O2 -g -o values2 values.c || return 1
	writable=
	if [ -w /sys/kernel/tracing/uprobe_events ]; then writable=1; fi
	export writable
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
	group=v$$
}

teardown() {
	[ -z "$writable" ] || "$PERF" probe -q -d "$group:*" 2>/dev/null || true
}

# The arguments of an event
arguments() { # program, definition
	"$PERF" probe -q -x "./$1" -D "$2" | sed 's/^[^ ]* [^ ]* *//'
}

refused() { # definition, text
	for p in values0 values2; do
		run "$PERF" probe -x "./$p" -D "$1"
		[ "$status" -ne 0 ] || { echo "$p $1 was taken"; return 1; }
		[[ $output == *"$2"* ]] || { echo "$output"; return 1; }
	done
}

# What the probes of one definition record, as script prints the fields
recorded() { # program, definition
	"$PERF" probe -q -x "./$1" -a "$group:e=$2" >/dev/null 2>&1 || return 1
	"$PERF" record -q -e "$group:*" -o data -- "./$1" >/dev/null || return 1
	"$PERF" script -i data -F trace | sed 's/^ *([0-9a-f <-]*) //; s/ *$//'
	"$PERF" probe -q -d "$group:*" >/dev/null
}

@test "what a function does not return in an integer register is not read from there" {
	refused 'half%return $retval' "'half' returns a floating point number"
	refused 'nothing%return $retval' "'nothing' returns no value"
	refused 'floats%return $retval' 'in several registers, or in some that a probe cannot read'
	[ "$(arguments values0 'half%return $retval:x64')" = '$retval:x64' ]
	[ "$(arguments values0 'after%return $retval')" = '$retval:s32' ]
}

@test "structures that a function returns" {
	[ "$(uname -m)" = x86_64 ] || skip "where structures are returned differs by machine"
	[ "$(arguments values0 'wide%return $retval.c')" = 'c=+16($retval):s64' ]
	[ "$(arguments values0 'pair%return $retval.b')" = 'b=$retval:b32@32/64' ]
	run "$PERF" probe -x ./values0 -D 'wide%return $retval'
	[[ $output == *"'\$retval' has 24 bytes, of which the probe records the first 8"* ]]
	[ -n "$writable" ] || return 0
	[ "$(recorded values2 'wide%return $retval.a $retval.c')" = 'a=1 c=3' ]
	[ "$(recorded values2 'pair%return $retval.b')" = 'b=0x8' ] || [ "$(recorded values2 'pair%return $retval.b')" = 'b=8' ]
}

@test "text behind registers, arguments and what is returned" {
	[ "$(arguments values0 'name%return $retval:string')" = '+0($retval):string' ]
	[ "$(arguments values0 'name $arg1:string')" = "$(arguments values0 'name +0($arg1):string')" ]
	[ "$(arguments values0 'name $stack1:string')" = '+0($stack1):string' ]
	[ "$(arguments values0 't=$comm:string' | wc -l)" -le 1 ]
	[ -n "$writable" ] || skip "uprobe_events of tracefs cannot be written here"
	[ "$(recorded values2 'name%return s=$retval:string')" = 's="an x"' ]
	[ "$(recorded values2 'name s=$arg1:string')" = 's="xyz"' ]
}

@test "a structure of which only a part is read is said" {
	run --separate-stderr "$PERF" probe -x ./values0 -D 'take b s c' || true
	[ "$status" = 0 ]
	[[ $stderr == *"'b' has 24 bytes, of which the probe records the first 8"* ]]
	[[ $stderr == *"'s' has 6 bytes, of which the probe records the first 4"* ]]
	[[ $stderr != *"'c'"* ]]
	run --separate-stderr "$PERF" probe -x ./values0 -D 'take b.b s.c b:u64'
	[ "$status" = 0 ]
	[ -z "$stderr" ]
}

@test "\$vars has the types that each name has" {
	arguments values0 'take:5 $vars' | tr ' ' '\n' | sort >all
	for n in b s c local text; do arguments values0 "take:5 $n"; done | sort | diff - all
	grep -q ':s32\[3\]$' all
}

@test "a line behind the end of a function is not one of the next function" {
	for line in 8 9 10 20; do refused "take:$line" "line $line of 'take' has no code"; done
	run "$PERF" probe -x ./values0 -D take:9
	[[ $output == *"the nearest line with code is 6"* ]]
	[ "$("$PERF" probe -x ./values0 -D take:6 | wc -l)" -ge 1 ]
	[ "$("$PERF" probe -x ./values0 -D main:5 | wc -l)" -ge 1 ]
}

@test "an offset that was written in hex is answered in hex" {
	run "$PERF" probe -x ./values0 -D take+0x2
	[[ "$output" == *"'take+0x2' is inside of an instruction"*"it begins at take+0x"* ]] || { echo "$output"; false; }
	run "$PERF" probe -x ./values0 -D take+2
	[[ "$output" == *"'take+2' is inside of an instruction"* ]]
	refused 'take+0xffff' "'take+0xffff' is past the end of the function"
	[ -n "$writable" ] || skip "uprobe_events of tracefs cannot be written here"
	"$PERF" probe -x ./values0 -a "$group:middle=take+0x4" >got 2>&1
	grep -q "$group:middle  *(on take+0x4 in " got || { cat got; false; }
}

@test "-l shows an offset where no line begins" {
	[ -n "$writable" ] || skip "uprobe_events of tracefs cannot be written here"
	"$PERF" probe -q -x ./values0 -a "$group:middle=take+4" -a "$group:line=take:5"
	"$PERF" probe -l "$group:*" >got
	grep -q "$group:middle  *(on take+4@" got || { cat got; false; }
	grep -q "$group:line  *(on take:5@" got || { cat got; false; }
}

@test "a function with an empty line number is its first line" {
	[ "$("$PERF" probe -x ./values2 -D 'x=take: a=%di')" = "$("$PERF" probe -x ./values2 -D 'x=take:0 a=%di')" ]
}

@test "a file that is not there is what is said" {
	for definition in take 'take b'; do
		run "$PERF" probe -x /nosuch "$definition"
		[ "$status" -ne 0 ]
		[[ $output == *"'/nosuch': No such file or directory"* ]]
		[[ $output != *"debug information"* ]] || { echo "$output"; false; }
	done
}

@test "no debug information is advised for a kernel without kernel probes" {
	[ ! -e /sys/kernel/tracing/kprobe_events ] || skip "this kernel has kernel probes"
	[ -d /sys/kernel/tracing/events ] || skip "no tracefs here"
	run "$PERF" probe -D 'vfs_read count'
	[ "$status" -ne 0 ]
	[[ $output != *"install"* ]]
	[[ $output == *"-k"* ]]
	# the words that other perfs' suites look for when they skip a test
	[[ $output == *"file has no debug information"* ]]
}

@test "powerpc: a function is probed at its local entry" {
	command -v powerpc64le-linux-gnu-gcc >/dev/null || skip "no cross compiler for powerpc"
	cat >local.c <<'EOS'
int g;
int leaf(int a) { return a + g; }
int plain(int a) { return a * 2; }
int main(int c, char **v) { (void)v; return leaf(c) + plain(c); }
EOS
	powerpc64le-linux-gnu-gcc -O1 -g -fno-inline -o local local.c || skip "the cross compiler does not work"
	at() { "$PERF" probe -q -x ./local -D "$1" | sed 's/.*:0x\([0-9a-f]*\).*/\1/'; }
	entry=$((0x$(at leaf+4) - 4))
	[ $((0x$(at leaf))) = $((entry + 8)) ]
	[ $((0x$(at 'leaf a'))) = $((entry + 8)) ]
	[ $((0x$(at 'leaf%return'))) = $((entry + 8)) ]
	[ $((0x$(at plain))) = $((0x$(at plain+4) - 4)) ]
}

@test "arm64: what a function returns is probed at its first instruction, its variables behind the prologue" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no cross compiler for arm64"
	cat >first.c <<'EOS'
int g;
int leaf(int a) { return a + g; }
int work(int a, int b) { int t = leaf(a); return leaf(b) + t; }
int _start(void) { return work(1, 2); }
EOS
	aarch64-linux-gnu-gcc -O0 -g -nostdlib -static -o first first.c
	at() { "$PERF" probe -q "${@:2}" -D "$1" | sed 's/.*[:+]\(0x\)*\([0-9a-f]*\)\( .*\)*$/\2/'; }
	entry=$(at work -x ./first)
	[ "$(at 'work%return' -x ./first)" = "$entry" ]
	[ "$(at 'work%return $retval g' -x ./first)" = "$entry" ]
	[ $((0x$(at 'work b' -x ./first))) -gt $((0x$entry)) ]
}

@test "--source, --symfs and --demangle-kernel in their long forms" {
	mkdir -p moved elsewhere/root
	cp values0 elsewhere/root/values0
	sed 's/struct big wide/struct big WIDE/' values.c >moved/values.c
	"$PERF" probe -x ./values0 --source "$PWD/moved" -L wide | grep -q WIDE
	"$PERF" probe -x ./values0 -L wide | grep -q 'big wide'
	run "$PERF" probe -x /root/values0 -D take
	[ "$status" -ne 0 ]
	"$PERF" probe --symfs "$PWD/elsewhere" -x /root/values0 -D take >got
	grep -q '^p:probe_values0/take /root/values0:0x' got
	cat >mangled.c <<'EOS'
int mangled(void) __asm__("_ZN2ns7mangledEv");
int mangled(void) { return 3; }
int main(void) { return mangled(); }
EOS
	gcc -g -O0 -o mangled mangled.c
	"$PERF" probe -k ./mangled --demangle-kernel -F '*mangled*' >with
	"$PERF" probe -k ./mangled -F '*mangled*' >without
	grep -qx 'ns::mangled' with
	grep -qx '_ZN2ns7mangledEv' without
}
