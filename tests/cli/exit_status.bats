#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# The exit status of a command that perf runs is perf's as well, whatever measures it.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	printf 'text\n' >no-program
}

# Skips where this machine cannot do it at all.
works() {
	"$PERF" "$@" -- true >/dev/null 2>why || skip "$(head -1 why)"
}

hands_on() { # COMMAND OPTIONS
	run -0 "$PERF" "$@" -- true
	run -7 "$PERF" "$@" -- sh -c 'exit 7'
	# shellcheck disable=SC2016
	run -143 "$PERF" "$@" -- sh -c 'kill -TERM $$; sleep 60'
	run -127 "$PERF" "$@" -- ./nowhere
	run -126 "$PERF" "$@" -- ./no-program
}

@test "trace" {
	works trace -o /dev/null
	hands_on trace -o out
	hands_on trace -s -o out
	hands_on trace -a -o out
	# what perf ends itself has no status
	run -0 "$PERF" trace --max-events 1 -o out -- sh -c 'sleep 60; exit 7'
	# a failure of ours wins
	[ ! -w /dev/full ] || run -1 "$PERF" trace -o /dev/full -- sh -c 'exit 7'
}

@test "lock contention -b" {
	works lock contention -b
	hands_on lock contention -b
}

@test "kmem stat --bpf" {
	works kmem stat --bpf
	hands_on kmem stat --bpf
}

@test "sched latency --bpf" {
	works sched latency --bpf
	hands_on sched latency --bpf
}

@test "ftrace" {
	works ftrace trace -t nop
	hands_on ftrace trace -t nop
	if "$PERF" ftrace latency -b -e sched:sched_waking,sched:sched_switch -- true >/dev/null 2>&1; then
		hands_on ftrace latency -b -e sched:sched_waking,sched:sched_switch
	fi
}

@test "record and stat" {
	hands_on stat -e task-clock -o out
	hands_on record -q -e dummy -o data
}
