#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# A recording of another machine is never named with the kernel symbols of this one.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root: kernel addresses"
	! grep -qm1 '^0* ' /proc/kallsyms || skip "this kernel hides its addresses"
	"$PERF" record -q -B -e cpu-clock:k -c 100000 -o own dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null
	# the architecture, or the release, of the header become another's of the same length
	python3 - <<-'END'
	import os
	d = open("own", "rb").read()
	u = os.uname()
	at = d.rindex(u.machine.encode() + b"\0")
	other = b"s390x" if len(u.machine) < 7 else b"riscv64" if u.machine != "riscv64" else b"aarch64"
	n = len(u.machine)
	if len(other) <= n + 1:
	    open("arch", "wb").write(d[:at] + other.ljust(n + 1, b"\0") + d[at + n + 1:])
	r = u.release.encode()
	at = d.rindex(r + b"\0")
	open("release", "wb").write(d[:at] + bytes([r[0] ^ 1]) + d[at + 1:])
	END
}

names() { # file: rows of the kernel with a name
	"$PERF" report -i "$1" --stdio -s dso,sym 2>err | grep '\[k\]' | grep -vc '\[k\] 0x' || :
}

@test "without a build-id the header's architecture and release decide" {
	[ "$(names own)" -gt 0 ]
	for f in arch release; do
		[ -e $f ] || continue
		[ "$(names $f)" -eq 0 ] || { echo "$f"; return 1; }
		grep -q 'which is not the one of this' err
	done
	# the copy that the user names is believed
	[ "$("$PERF" report -i release --kallsyms /proc/kallsyms --stdio -s dso,sym 2>err | grep '\[k\]' | grep -vc '\[k\] 0x')" -gt 0 ]
}

@test "through a pipe, too" {
	"$PERF" inject -i release -o - 2>/dev/null | "$PERF" report -i - --stdio -s dso,sym >out 2>err
	grep -q '\[k\]' out
	# BPF programs that somebody else runs have names of their own in the recording
	run ! grep '\[k\] [^0]' <(grep -v '\[k\] bpf_' out)
}
