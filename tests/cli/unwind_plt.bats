#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Callers where call frame information is missing or says too little, by probes at single instructions:
# PLT stubs, and the return of a function that has restored its caller's frame pointer.

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	cat >plt.c <<'EOS'
#include <string.h>
#include <stdio.h>
__attribute__((noinline)) size_t caller(const char *s) { return strlen(s) + 1; }
__attribute__((noinline)) size_t outer(const char *s) { return caller(s) * 2; }
int main(int argc, char **argv) { (void)argc; printf("%zu\n", outer(argv[0])); return 0; }
EOS
	cat >framed.c <<'EOS'
__attribute__((noinline)) int leaf(int x) { __asm__ volatile("" ::: "memory"); return x + 1; }
__attribute__((noinline)) int caller(int x) { int r = leaf(x); __asm__ volatile("" ::: "memory"); return r * 3; }
__attribute__((noinline)) int outer(int x) { int r = caller(x); __asm__ volatile("" ::: "memory"); return r - 1; }
int main(int argc, char **argv) { (void)argv; outer(argc); return 0; }
EOS
	gcc -O2 -fno-omit-frame-pointer -o framed framed.c
	common="-O1 -g -fno-builtin -fno-omit-frame-pointer -fno-optimize-sibling-calls"
	gcc $common -fomit-frame-pointer -static -o static plt.c || true
	clang $common -fomit-frame-pointer -fuse-ld=lld -Wl,-z,lazy -o lld plt.c 2>/dev/null || true
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
	group=p$$
	[ -w /sys/kernel/tracing/uprobe_events ] || skip "uprobe_events of tracefs cannot be written here"
	[ "$(uname -m)" = x86_64 ] || skip "other machines have the caller in a register"
}

teardown() {
	"$PERF" probe -q -d "$group:*" 2>/dev/null || true
}

# Probes at the instructions that a pattern finds in .plt, or in what else objdump is told to show; one stop
# must have all callers.
callers_at() { # program, pattern of objdump's text, objdump's option
	addresses=$(objdump -d "${3:--j.plt}" "$1" | sed -n "s/^ *\([0-9a-f]*\):.*$2.*/\1/p" | head -n 40)
	[ -n "$addresses" ] || { echo "no '$2' in $1"; return 1; }
	n=0
	for a in $addresses; do
		n=$((n + 1))
		"$PERF" probe -q -x "./$1" -a "$group:e$n=0x$a"
	done
	"$PERF" record -q -e "$group:*" --call-graph dwarf -o data -- "./$1" >/dev/null
	"$PERF" probe -q -d "$group:*"
	"$PERF" script -i data -F ip,sym | awk -v RS= '/caller/ && /outer/ && /main/ { good++ } END { print good + 0 }' >good
	[ "$(cat good)" -ge 1 ] || { "$PERF" script -i data -F ip,sym | head -n 20; return 1; }
}

@test "a static program's stubs of indirect functions" {
	[ -x static ] || skip "no static libc here"
	readelf -SW static | grep -q ' \.plt ' || skip "no stubs in this static program"
	callers_at static 'jmp '
}

@test "lld's stubs: the jump, the push of the number, the first stub" {
	[ -x lld ] || skip "no clang with lld here"
	callers_at lld 'jmp  *\*'
	callers_at lld 'push  *\$'
	callers_at lld 'push  *0x'
}

@test "the return of a function whose caller's frame pointer is restored" {
	# gcc does not say that pop has restored the register
	objdump -d --disassemble=caller framed | grep -A1 'pop  *%rbp' | grep -q ret
	callers_at framed 'ret' --disassemble=caller
}
