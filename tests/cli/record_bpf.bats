#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# record -e prog.o, prog.c: BPF programs decide which samples are written, and write samples themselves.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >prog.c <<-'END'
	__attribute__((noinline)) int work(int i) { __asm__ volatile(""); return i * 2; }
	__attribute__((noinline)) int few(int i) { return work(i) + 1; }
	__attribute__((noinline)) int many(int i) { return work(i) + work(i + 1) + 1; }
	int main(void)
	{
		int s = 0;
		for (int i = 0; i < 100; i++)
			s += i % 10 ? many(i) : few(i);
		return s == 1;
	}
	END
	"${CC:-gcc}" -g -O1 -no-pie -fcf-protection=none -fno-optimize-sibling-calls prog.c -o prog
	cat >write.c <<-'END'
	#include <linux/bpf.h>
	#include <bpf/bpf_helpers.h>

	struct {
		__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
		__uint(key_size, 4);
		__uint(value_size, 4);
	} sizes SEC(".maps");

	struct entry {
		unsigned long long common;
		long id;
		unsigned long args[6];
	};

	SEC("tracepoint/raw_syscalls/sys_enter")
	int big_writes(struct entry *e)
	{
		struct { unsigned long size; char word[8]; } out = { e->args[2], "written" };

		if (e->id != WRITE || e->args[2] != 7777)
			return 0;
		bpf_perf_event_output(e, &sizes, BPF_F_CURRENT_CPU, &out, sizeof(out));
		return 1;
	}
	char licence[] SEC("license") = "GPL";
	END
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	command -v clang >/dev/null || skip "needs clang"
	[ -e /usr/include/bpf/bpf_helpers.h ] || skip "needs libbpf's headers"
	grep -q tracefs /proc/mounts || skip "tracefs is not mounted"
	cp "$BATS_FILE_TMPDIR"/* .
	write=-DWRITE=$(echo SYS_write | gcc -include sys/syscall.h -E -P - | tail -1)
	"$PERF" record -q --clang-opt "$write" -e ./write.c -o probe true 2>said || {
		grep -q 'needs BPF' said && skip "$(head -1 said)"
		cat said
		return 1
	}
}

dd_loop='dd if=/dev/zero of=/dev/null bs=7776 count=7 2>/dev/null; dd if=/dev/zero of=/dev/null bs=7777 count=5 2>/dev/null'

@test "prog.c: its return value chooses samples, also of children; what it outputs are samples" {
	"$PERF" record -q --clang-opt "$write" -e ./write.c -o data -- sh -c "$dd_loop; $dd_loop" 2>said
	[ "$("$PERF" script -i data -F event | grep -c raw_syscalls:sys_enter)" -eq 10 ]
	run -0 "$PERF" evlist -i data
	[[ "$output" == *"raw_syscalls:sys_enter"*"sizes"* ]]
	"$PERF" record -q --clang-opt "$write" -e ./write.c -o own -- dd if=/dev/zero of=/dev/null bs=7777 count=6 2>said
	"$PERF" script -i own -F event,bpf-output >text
	[ "$(grep -c 'sizes:' text)" -eq 6 ]
	# 7777 = 0x1e61
	[ "$(grep -c '61 1e 00 00 00 00 00 00' text)" -eq 6 ]
	[ "$(grep -c 'written' text)" -eq 6 ]
}

@test "prog.o: the same; --clang-path, configuration, objects in another directory" {
	arch=$(uname -m)
	clang -target bpf -O2 -g "$write" -idirafter "/usr/include/$arch-linux-gnu" -c write.c -o write.o
	mkdir sub
	mv write.o sub
	"$PERF" record -q -e sub/../write.c -o none true 2>said && return 1
	"$PERF" record -q -e ./sub/write.o -o data -- dd if=/dev/zero of=/dev/null bs=7777 count=4 2>said
	[ "$("$PERF" script -i data -F event | grep -c sizes)" -eq 4 ]
	printf '#!/bin/sh\necho "$@" >>"%s"\nexec clang "$@"\n' "$PWD/called" >mine
	chmod +x mine
	"$PERF" record -q --clang-path ./mine --clang-opt "$write -DMORE" -e ./write.c -o data true
	grep -q -- '-DMORE' called
	rm called
	printf '[llvm]\n\tclang-path = %s\n\tclang-opt = %s\n' "$PWD/mine" "$write -DLESS" >config
	PERF_CONFIG=$PWD/config "$PERF" record -q -e ./write.c -o data true
	grep -q -- '-DLESS' called
}

@test "the caller's range: a program on a function keeps calls from one caller alone" {
	[ "$(uname -m)" = x86_64 ] || skip "the program reads x86-64's stack"
	cat >from.c <<-END
	#include <linux/ptrace.h>
	#include <linux/bpf.h>
	#include <bpf/bpf_helpers.h>
	#include <bpf/bpf_tracing.h>

	SEC("uprobe/$PWD/prog:work")
	int from_range(struct pt_regs *regs)
	{
		unsigned long caller = 0;

		bpf_probe_read_user(&caller, sizeof(caller), (void *)PT_REGS_SP(regs));
		return caller >= FROM && caller < TO;
	}
	char licence[] SEC("license") = "GPL";
	END
	for want in few:10 many:180; do
		read -r from size < <(nm -S prog | awk -v f="${want%:*}" '$4 == f { print $1, $2 }')
		"$PERF" record -q --clang-opt "-DFROM=0x$from -DTO=(0x$from+0x$size)" -e ./from.c -o data ./prog
		[ "$("$PERF" script -i data -F event | wc -l)" -eq "${want#*:}" ]
	done
	# the way of the kernel's own filter, without a program
	"$PERF" record -q -e kmem:kmalloc --filter 'call_site >= 0xffffffffffffffff' -o data true
	! grep -q prog /sys/kernel/tracing/uprobe_events || return 1
}

@test "what is wrong with a program is said by name, and nothing is left" {
	cat >bad.c <<-'END'
	#include <linux/bpf.h>
	#include <bpf/bpf_helpers.h>
	SEC("raw_syscalls:sys_enter") int bad(long *ctx) { return *(int *)*ctx; }
	char licence[] SEC("license") = "GPL";
	END
	run "$PERF" record -e ./bad.c -o data true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: loading the BPF program './bad.c': "*"verifier said: "* ]] || { echo "$output"; return 1; }
	[[ "$output" != *"the BPF program './bad.c' was refused"* ]]
	# -v: the instruction, and what was wrong with it; -vv: also what libbpf said
	run "$PERF" record -v -e ./bad.c -o data true
	[[ "$output" == *"the BPF program './bad.c' was refused; the log:"*"invalid bpf_context access"*"processed "* ]] ||
		{ echo "$output"; return 1; }
	[[ "$output" != *"libbpf: "* ]]
	run "$PERF" record -vv -e ./bad.c -o data true
	[[ "$output" == *"was refused; the log:"*"libbpf: prog 'bad': -- BEGIN"* ]]
	sed 's/raw_syscalls:sys_enter/what is this/' bad.c >section.c
	run "$PERF" record -e ./section.c -o data true
	[[ "$output" == *"BPF program 'bad': its section 'what is this' names no event"* ]]
	sed 's/raw_syscalls:sys_enter/raw_syscalls:*/' bad.c >many.c
	run "$PERF" record -e ./many.c -o data true
	[[ "$output" == *"BPF program 'bad': its section names 2 events"* ]]
	echo 'int nothing' >syntax.c
	run "$PERF" record -e ./syntax.c -o data true
	[[ "$output" == *"error: "*"'clang' could not compile './syntax.c'"*"its messages are above"* ]]
	run "$PERF" record --clang-path nowhere -e ./bad.c -o data true
	[[ "$output" == *"cannot run 'nowhere' to compile './bad.c': No such file"* ]]
	cp prog prog.o
	run "$PERF" record -e ./prog.o -o data true
	[[ "$output" == *"'./prog.o'"* && "$output" != *"Unknown error"* && "$status" -ne 0 ]]
	head -c 500 /dev/urandom >junk.o
	run "$PERF" record -e ./junk.o -o data true
	[[ "$output" == *"'./junk.o' is not an object file of BPF programs"* ]]
	run "$PERF" record -e ./none.o -o data true
	[[ "$output" == *"cannot read the BPF program './none.o': No such file"* ]]
	run "$PERF" stat -e ./write.c true
	[ "$status" -eq 129 ]
	[[ "$output" == *"which only perf record accepts"* ]]
	[ ! -e data ]
	! ls "${TMPDIR:-/tmp}"/perf-bpf-*.o 2>/dev/null || return 1
	! bpftool prog 2>/dev/null | grep -qE 'name (bad|big_writes|from_range)( |$)' || return 1
}
