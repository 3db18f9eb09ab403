#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf test: its options, and the workloads against independent counts.
bats_require_minimum_version 1.5.0

load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "every check passes or says what is missing" {
	run "$PERF" test
	[ "$status" -eq 0 ]
	[[ "$output" != *FAILED* ]]
	run ! grep -E ': Skip$' <<<"$output"
}

@test "list shows numbers and names; a fragment selects whatever the case" {
	run "$PERF" test list
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^\ +1:\ .+ ]]
	run "$PERF" test list PARSE
	[ "${#lines[@]}" -ge 1 ]
	grep -qi parse <<<"${lines[0]}"
}

@test "a number runs one check; --skip marks it" {
	run "$PERF" test 1
	[ "${#lines[@]}" -eq 1 ]
	[[ "${lines[0]}" == *": Ok" ]]
	run "$PERF" test -s 1 1
	[[ "${lines[0]}" == *": Skip (user override)" ]]
}

@test "side by side, one by one and unforked give the same lines" {
	"$PERF" test >a
	"$PERF" test -S >b
	"$PERF" test -F -r 2 >c
	# others can have the processor's few breakpoints meanwhile
	sed -i '/breakpoint/s/: Skip (all .* in use)$/: Ok/' a b c
	diff a b
	diff a c
}

@test "--dso: Symbols reads the file that is named" {
	printf 'int only_here(int a) { return a; }\nint main(void) { return 0; }\n' >dso.c
	gcc -o dso dso.c
	"$PERF" test -vv --dso ./dso 13 >said
	grep -q ': Ok$' said
	grep -qE ' g only_here$' said
	echo text >text
	run -1 "$PERF" test --dso ./text 13
	[[ "$output" == *"'./text' has no symbols"* ]]
	run -1 "$PERF" test --dso ./missing 13
	[[ "$output" == *"'./missing' cannot be read"* ]]
}

@test "--objdump: Code is read as that program prints it" {
	command -v objdump >/dev/null || skip "no objdump (Debian package binutils)"
	"$PERF" test -vv "Code as" >said
	grep -q 'Code as objdump prints it.*: Ok$' said
	[ "$(sed -nE "s/^([0-9]+) bytes from [0-9a-f]+ of .*/\1/p" said)" -ge 1000 ]
	# any program's: one that changes a byte is found out, and so is one that leaves some out
	printf '#!/bin/sh\nobjdump "$@" | sed "30s/ [0-9a-f]\\{8\\} / 00112233 /"\n' >other
	printf '#!/bin/sh\nobjdump "$@" | sed 30d\n' >fewer
	printf '#!/bin/sh\nexit 1\n' >nothing
	chmod +x other fewer nothing
	run -1 "$PERF" test --objdump ./other "Code as"
	[[ "$output" == *"FAILED! (at "*" ./other prints other bytes)" ]]
	run -1 "$PERF" test --objdump ./fewer "Code as"
	[[ "$output" == *"FAILED! (./fewer prints "*" bytes)" ]]
	"$PERF" test --objdump ./nothing "Code as" | grep -q "Skip ('./nothing' prints no code"
	"$PERF" test --objdump ./missing "Code as" | grep -q "Skip ('./missing' cannot be run: No such file"
	run -129 "$PERF" test "Code as" --objdump ./other
	[[ "$output" == *"error: '--objdump' must come before the checks"* ]]
	cp "$(type -P true)" ./-text
	"$PERF" test --dso -text "Code as" | grep -q 'Ok$'
	echo text >text
	run -1 "$PERF" test --dso ./text "Code as"
	[[ "$output" == *"'./text' cannot be read as an ELF file"* ]]
}

@test "JUnit XML counts what was run" {
	"$PERF" test -j out.xml parse >lines
	n=$(wc -l <lines)
	grep -q "tests=\"$n\" failures=\"0\"" out.xml
	[ "$(grep -c '<testcase' out.xml)" -eq "$n" ]
	python3 -c 'import sys, xml.dom.minidom as m; m.parse("out.xml")'
}

@test "a check that hangs has failed when its time is up; the others go on" {
	! nm -D "$PERF" | grep -q __asan_init || skip "a sanitized program takes no preloaded library"
	# perf_event_open, which the C library has no function for, never returns
	printf '#include <unistd.h>\nlong syscall(long n, ...) { for (;;) pause(); }\n' >hang.c
	gcc -shared -fPIC -o hang.so hang.c
	LD_PRELOAD=$PWD/hang.so run timeout 100 "$PERF" test --timeout 5 "event strings" "page faults"
	[ "$status" -eq 1 ]
	[ "$(grep -c ': Ok$' <<<"$output")" -eq 2 ]
	grep -qE 'page faults.*: FAILED! \(no answer in time' <<<"$output"
	run "$PERF" test --timeout 0
	[ "$status" -eq 129 ]
}

@test "a name that no check has is an error with a hint" {
	run "$PERF" test nosuchcheck
	[ "$status" -eq 1 ]
	[[ "$output" == *"no test is named 'nosuchcheck'"* ]]
	[[ "$output" == *"hint:"* ]]
	run "$PERF" test -r 0
	[ "$status" -eq 129 ]
}

@test "a workload that is not there names the nearest one" {
	run "$PERF" test -w noplop
	[ "$status" -eq 129 ]
	[[ "$output" == *"did you mean 'noploop'?"* ]]
}

@test "wrong arguments of a workload are errors of use, and so are too many" {
	"$PERF" test --list-workloads | grep -o '^[a-z_]* *\[*' >all
	[ "$(wc -l <all)" -ge 10 ]
	while read -r name bracket; do
		run "$PERF" test -w "$name" x
		[ "$status" -eq 129 ] || { echo "$name: $status $output"; return 1; }
		if [ "$bracket" ]; then
			[[ "$output" == *"'x' is not a number"* ]]
		else
			[[ "$output" == *"takes no argument"* ]]
		fi
	done <all
	run "$PERF" test -w thloop 1 x
	[ "$status" -eq 129 ]
	run "$PERF" test -w thloop 1 0
	[ "$status" -eq 129 ]
	run "$PERF" test -w noploop 86401
	[ "$status" -eq 129 ]
	run "$PERF" test -w noploop 0 7
	[ "$status" -eq 129 ]
	[[ "$output" == *"'7' is one argument too many: noploop [SECONDS]"* ]]
}

@test "--record-ctl: the workload alone is counted and recorded" {
	mkfifo ctl ack
	"$PERF" stat -D -1 --control fifo:ctl,ack -x, -e page-faults:u -o steered -- \
		"$PERF" test --record-ctl fifo:ctl,ack -w traploop 3000
	"$PERF" stat -x, -e page-faults:u -o all -- "$PERF" test -w traploop 3000
	steered=$(awk -F, '/page-faults/ { print $1 }' steered)
	all=$(awk -F, '/page-faults/ { print $1 }' all)
	echo "$steered of $all"
	# perf itself has more than 200 when it starts and ends
	[ "$steered" -ge 3000 ] && [ "$steered" -le 3100 ] && [ "$all" -gt $((steered + 100)) ]
	# by descriptors, which may block
	exec 5<>ctl 6<>ack
	timeout 20 "$PERF" stat -D -1 --control fd:5,6 -x, -e page-faults:u -o numbered -- \
		"$PERF" test --record-ctl fd:5,6 -w traploop 3000
	exec 5>&- 6>&-
	steered=$(awk -F, '/page-faults/ { print $1 }' numbered)
	[ "$steered" -ge 3000 ] && [ "$steered" -le 3100 ]
	# a file is not written to
	echo mine >plain
	run "$PERF" test --record-ctl fifo:plain,plain -w traploop 10
	[ "$status" -eq 1 ]
	[[ "$output" == "error: 'plain' is not a fifo"* ]]
	run "$PERF" record --control fifo:ctl,plain -o d true
	[[ "$output" == *"'plain' is not a fifo"* ]]
	[ "$(cat plain)" = mine ]
	run -129 "$PERF" test --record-ctl fifo:ctl
	[[ "$output" == *"--record-ctl needs -w"* ]]
	run "$PERF" test --record-ctl fifo:none -w traploop
	[ "$status" -eq 1 ]
	[[ "$output" == "error: cannot open the fifo 'none': "* ]]
	run -129 "$PERF" test --record-ctl none -w traploop
	[[ "$output" == *"'none' is not a control channel"* ]]
}

@test "every listed workload runs" {
	"$PERF" test --list-workloads | while read -r name _; do
		case $name in
		noploop | thloop | leafloop | sqrtloop | datasym | inlineloop) arg=0 ;;
		callchain) arg='5 0' ;;
		jitdump) arg=0 ;;
		landlock) arg= ;;
		*) arg=3 ;;
		esac
		"$PERF" test -w "$name" $arg || exit 1
	done
	rm -f /tmp/perf-"$(sed -n 's/^.*jit-\([0-9]*\)\.dump.*$/\1/p' <<<"$(echo jit-*.dump)")".map
}

@test "noploop is named perf-noploop while it runs" {
	"$PERF" test -w noploop 1000 3>&- &
	until_true comm_is $! perf-noploop || { kill $!; return 1; }
	kill $!
}

@test "named_threads makes threads of these names" {
	"$PERF" test -w named_threads 3 20000000000 3>&- &
	named() { [[ "$(cat /proc/$1/task/*/comm | sort | tr '\n' ' ')" == *"thread0 thread1 thread2 "* ]]; }
	until_true named $! || { kill $!; return 1; }
	kill $!
}

@test "deterministic makes exactly the system calls that it says" {
	command -v strace >/dev/null || skip "strace is missing (package strace)"
	# a leak checker cannot run under ptrace
	ASAN_OPTIONS=detect_leaks=0 strace -f -c -e trace=getppid "$PERF" test -w deterministic 250 2>calls
	grep -E ' 250 +getppid' calls
}

@test "jitdump leaves a dump whose magic and code name are right" {
	"$PERF" test -w jitdump 0
	dump=$(echo jit-*.dump)
	[ "$(od -An -tx4 -N4 "$dump" | tr -d ' ')" = 4a695444 ]
	grep -q jit_countdown "$dump"
	map=/tmp/perf-${dump#jit-}
	map=${map%.dump}.map
	grep -q ' jit_countdown$' "$map"
	rm -f "$map"
}

@test "workloads take fractions of a second, and thloop so many threads" {
	for w in noploop thloop leafloop sqrtloop datasym inlineloop; do
		begin=$(date +%s%N)
		"$PERF" test -w $w 0.5
		took=$((($(date +%s%N) - begin) / 1000000))
		[ $took -ge 450 ] || { echo "$w: $took ms"; return 1; }
	done
	run "$PERF" test -w noploop 0,3
	[ "$status" -ne 0 ]
	[[ "$output" == *"'0,3' is not a number of seconds"* ]]
	run "$PERF" test -w thloop 1 0
	[[ "$output" == *"at least one thread"* ]]
	for n in 1 2 5; do
		"$PERF" test -w thloop 2 $n &
		pid=$!
		threads() { [ "$(ls /proc/$pid/task | wc -l)" -eq $n ]; }
		until_true threads
		wait $pid
	done
}

@test "workloads have the names that perf 7's tests look for" {
	readelf -sW "$PERF" >symbols 2>/dev/null || skip "no readelf"
	grep -q ' FUNC ' symbols || skip "the program is stripped"
	for name in noploop test_loop thfunc leaf parent brstack brstack_bench brstack_foo brstack_bar; do
		grep -qE " FUNC .* $name(\.|$)" symbols || { echo "$name"; return 1; }
	done
	grep -qE ' OBJECT .* workload_datasym_buf1$' symbols
	"$PERF" test -w datasym 0.1
	# what is inlined stands in lines 20 to 29 of inlineloop.c, the function around it in 30 to 39
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" record -q --call-graph dwarf -e cpu-clock:u -o d -- "$PERF" test -w inlineloop 0.5
	"$PERF" script -i d -F ip,sym,srcline >text 2>/dev/null
	grep -q 'inlineloop.c:2[0-9] (inlined)' text
	grep -q 'inlineloop.c:3[0-9]$' text
}
