#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf ftrace in a kernel that has the function tracers: one guest runs all checks, each is a test here.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME bpf=/usr/lib/x86_64-linux-gnu/libbpf.so.1 more=()
	[ ! -e $bpf ] || more=(--file "$(realpath $bpf):/lib/x86_64-linux-gnu/libbpf.so.1")
	"$here/guest" --timeout 600 "${more[@]}" --perf "$PERF" amd64 "$here/ftrace-guest.sh" \
		>"$BATS_FILE_TMPDIR/log" 2>&1 || echo "guest ended with $?" >>"$BATS_FILE_TMPDIR/log"
}

@test "the ring of other users keeps its usual size after a run in an instance" { passed instance-first; }
@test "a small ring is enlarged for the run, and every call is counted" { passed small-ring; }
@test "calls that found no room are said" { passed overrun; }
@test "-T: these functions alone" { passed functions; }
@test "-G: a function and what it calls" { passed graph; }
@test "--graph-opts depth" { passed depth; }
@test "--func-opts call-graph" { passed call-graph; }
@test "profile: N calls of a function" { passed profile; }
@test "latency: N calls, each in a row" { passed latency; }
@test "latency -b of a function of the kernel" {
	[ -e /usr/lib/x86_64-linux-gnu/libbpf.so.1 ] || skip "no libbpf"
	passed latency-bpf
}
@test "-F: what can be traced" { passed list; }
@test "a function that is not there" { passed no-function; }
@test "--inherit: children, and without it none" { passed children; }
@test "-a: the whole system" { passed system; }
@test "kill -9: everything is as it was" { passed killed; }
@test "another user's tracer is left alone" { passed busy; }
@test "nothing is left behind" { passed untouched; }
