#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace: BPF programs of the user, and events of the configuration.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/says.bpf.c" <<-'END'
	#include <linux/bpf.h>
	#include <bpf/bpf_helpers.h>
	struct {
		__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
		__type(key, int);
		__type(value, int);
	} said SEC(".maps");
	SEC("raw_tracepoint/sys_enter")
	int on_enter(struct bpf_raw_tracepoint_args *ctx)
	{
		char text[] = "a \"text\"\n", bytes[] = { 1, 2, 0x1b };

		/* two calls that nobody makes by chance */
		if (ctx->args[1] == 1001)
			bpf_perf_event_output(ctx, &said, BPF_F_CURRENT_CPU, text, sizeof(text));
		if (ctx->args[1] == 1002)
			bpf_perf_event_output(ctx, &said, BPF_F_CURRENT_CPU, bytes, sizeof(bytes));
		return 0;
	}
	char licence[] SEC("license") = "GPL";
	END
	cat >"$FILES/mute.bpf.c" <<-'END'
	#include <linux/bpf.h>
	#include <bpf/bpf_helpers.h>
	SEC("raw_tracepoint/sys_enter")
	int on_enter(void *ctx) { return 0; }
	char licence[] SEC("license") = "GPL";
	END
	for name in says mute; do
		clang -target bpf -O2 -g -I"/usr/include/$(gcc -print-multiarch)" -c -o "$FILES/$name.bpf.o" "$FILES/$name.bpf.c" 2>"$FILES/clang" || :
	done
	cat >"$FILES/calls.c" <<-'END'
	#define _GNU_SOURCE
	#include <sys/syscall.h>
	#include <unistd.h>
	int main(void)
	{
		syscall(1001);
		syscall(SYS_getppid);
		syscall(1002);
		return 0;
	}
	END
	gcc -O1 -w -o "$FILES/calls" "$FILES/calls.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf '#!/bin/sh\nexec timeout -k 5 60 %s "$@"\n' "$PERF" >perf-in-time
	chmod +x perf-in-time
	PERF=$PWD/perf-in-time
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
}

teardown() {
	if [ -z "${BATS_TEST_COMPLETED:-}" ] && [ -e out ]; then
		tail -n 20 out
	fi
}

@test "programs of an object file, and what they say" {
	[ -s "$FILES/says.bpf.o" ] || skip "no clang that makes BPF programs"
	cp "$FILES/says.bpf.o" .
	for file in ./says.bpf.o says.bpf.o "$PWD/says.bpf.o"; do
		"$PERF" trace -o out -e "$file" "$FILES/calls"
		[ "$(grep -c said out)" -eq 2 ]
		head -n 1 out | grep -qE '^ +[0-9.]+ calls/[0-9]+ said\("a \\"text\\"\\n"\)$'
		tail -n 1 out | grep -qE '^ +[0-9.]+ calls/[0-9]+ said\(01 02 1b( 00)*\)$'
	done
	# between calls, in order of time
	"$PERF" trace -o out -e getppid,"$PWD/says.bpf.o" "$FILES/calls"
	[ "$(sed -E 's/.*(said|getppid)\(.*/\1/' out | paste -sd' ')" = "said getppid said" ]
	"$PERF" trace --json -o out -e says.bpf.o "$FILES/calls"
	python3 -c 'import json,sys; o = [json.loads(l) for l in open("out")]; assert [x["event"] for x in o] == ["said"] * 2 and o[0]["args"] == "\"a \\\"text\\\"\\n\"", o'
	# other tasks' lines with -a alone
	"$PERF" trace -a -o out -e says.bpf.o sh -c "$FILES/calls; $FILES/calls"
	[ "$(grep -c 'said(' out)" -eq 4 ]
	# nothing of it stays; the kernel takes a while
	command -v bpftool >/dev/null || return 0
	gone() { ! bpftool prog show name on_enter 2>/dev/null | grep -q on_enter; }
	until_true gone
}

@test "an object file that cannot serve is refused with a reason" {
	run "$PERF" trace -e nothing.bpf.o true
	[ "$status" -eq 1 ]
	[[ "$output" == *"'nothing.bpf.o': No such file or directory"* ]]
	echo text >text.o
	run "$PERF" trace -e text.o true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: "*"'text.o'"* ]]
	run "$PERF" trace -e '!text.o' true
	[ "$status" -eq 129 ]
	[ -s "$FILES/mute.bpf.o" ] || skip "no clang that makes BPF programs"
	run "$PERF" trace -e "$FILES/mute.bpf.o" true
	[ "$status" -eq 1 ]
	[[ "$output" == *"mute.bpf.o' has no map of type BPF_MAP_TYPE_PERF_EVENT_ARRAY"* ]]
	run "$PERF" trace -i recording -e "$FILES/mute.bpf.o"
	[[ "$output" == *"-i reads a recording: BPF programs"* ]]
}

@test "trace.add_events adds to -e, and stands for it" {
	export PERF_CONFIG=$PWD/settings
	printf '[trace]\nadd_events = sched:sched_process_exec\n' >settings
	[ -e /sys/kernel/tracing/events/sched/sched_process_exec ] || skip "no sched:sched_process_exec here"
	"$PERF" trace -o out "$FILES/calls"
	[ "$(grep -c . out)" -eq 1 ]
	grep -qE 'sched:sched_process_exec\(filename: ".*/calls"' out
	"$PERF" trace -e getppid -o out "$FILES/calls"
	[ "$(sed -E 's/.* ([a-z_:]+)\(.*/\1/' out | paste -sd' ')" = "sched:sched_process_exec getppid" ]
	printf '[trace]\nadd_events = no_such_call\n' >settings
	run "$PERF" trace -o out "$FILES/calls"
	[ "$status" -ne 0 ]
	[[ "$output" == *"the setting trace.add_events"*"no_such_call"* ]]
}
