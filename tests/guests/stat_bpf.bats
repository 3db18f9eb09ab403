#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf stat by BPF in a kernel of Debian 12, which lets programs be attached to others: one guest runs all checks.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME bpf=/usr/lib/x86_64-linux-gnu/libbpf.so.1
	[ -e $bpf ] || return 0
	"$here/guest" --timeout 600 --file "$(realpath $bpf):/lib/x86_64-linux-gnu/libbpf.so.1" --perf "$PERF" amd64 \
		"$here/stat_bpf-guest.sh" >"$BATS_FILE_TMPDIR/log" 2>&1 || echo "guest ended with $?" >>"$BATS_FILE_TMPDIR/log"
}

setup() {
	[ -e "$BATS_FILE_TMPDIR/log" ] || skip "no libbpf.so.1 to take along"
}

@test ":b by the verifier of an older kernel" { passed faults; }
@test "lock contention -b: without what later kernels have" { passed locks; }
@test "kmem stat --bpf --page there" { passed pages; }
@test "--bpf-counters --for-each-cgroup there" { passed cgroups; }
@test "-b ID: what is counted while the program runs" { passed counted; }
@test "-b ID,ID: several programs" { passed two; }
@test "-b of a program that has gone" { passed gone; }
