#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Not in a guest: it starts many commands at a time, for a minute.
# What perf starts ends with it, whatever ends perf, and nothing else is left of it.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "not root"
}

teardown() {
	end_jobs
}

@test "live commands that end at any moment by any signal leave nothing behind" {
	command -v bpftool >/dev/null || skip "no bpftool"
	"$BATS_TEST_DIRNAME/end-anytime" "$PERF" 45
}

@test "a workload ends with a perf that is killed" {
	for command in "record -q -e cpu-clock -o d" "stat -o d -e cpu-clock"; do
		rm -f child
		# shellcheck disable=SC2086 # words
		"$PERF" $command -- sh -c 'echo $$ >child.new; mv child.new child; exec sleep 77.7' 3>&- &
		pid=$!
		until_true test -e child
		kill -9 $pid
		wait $pid || :
		until_true test ! -e "/proc/$(cat child)/exe"
	done
}

# ends_with COMMAND...: perf COMMAND starts a process, which ends when perf is killed
ends_with() {
	local pid child

	"$PERF" "$@" >out 2>&1 3>&- &
	pid=$!
	until_true pgrep -P $pid
	child=$(pgrep -P $pid | head -1)
	kill -9 $pid
	wait $pid || :
	until_true test ! -e "/proc/$child/exe" || { echo "$*: $(ps -o args= -p "$child")"; kill -9 "$child"; return 1; }
}

@test "checks, workloads, tar and clang end with a perf that is killed" {
	ends_with test -w sqrtloop 77.7
	ends_with test -w context_switch_loop 100000000000
	"$PERF" record -q -e cpu-clock --buildid-all -o d true
	mkdir bin
	for program in tar clang; do
		printf '#!/bin/sh\nexec sleep 77.7\n' >bin/$program
		chmod +x bin/$program
	done
	export PATH=$PWD/bin:$PATH
	ends_with archive d
	echo 'int x;' >x.c
	"$PERF" check -q feature libbpf || return 0
	ends_with record -q -e ./x.c -o e true
}

@test "kwork -b: a signal that comes before the programs are loaded ends it in order" {
	"$PERF" lock contention -b -- true >/dev/null 2>why || skip "no BPF: $(cat why)"
	for signal in INT TERM HUP QUIT; do
		for i in 1 2 3; do
			run -0 timeout -k 5 60 python3 -c '
import os, random, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[2])
def default():
    signal.signal(number, signal.SIG_DFL)
p = subprocess.Popen([sys.argv[1], "kwork", "latency", "-b"], stdout=subprocess.DEVNULL, preexec_fn=default)
time.sleep(random.random() / 4)
p.send_signal(number)
assert p.wait(50) == -number, p.returncode' "$PERF" $signal
		done
	done
}
