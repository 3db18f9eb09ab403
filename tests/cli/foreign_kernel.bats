#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# A recording of another machine is never named with the kernel symbols of this one.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root: kernel addresses"
	grep -q '[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms || skip "this kernel hides its addresses"
	"$PERF" record -q -B -e cpu-clock:k -c 100000 -o own dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null
	make_foreign own
}

# Writes the files arch and release: FILE, where the architecture, or the release, in the header became another's of
# the same length.
make_foreign() { # FILE
	python3 - "$1" <<-'END'
	import os, sys
	d = open(sys.argv[1], "rb").read()
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

@test "without a build-id, the vdso of this machine's kernel is not that of another one" {
	"$PERF" record -q -B -e cpu-clock:u -c 100000 -o user python3 -c 'import time
for i in range(1000000): time.time()'
	"$PERF" report -i user --stdio -s dso,sym 2>err | grep -q '\[vdso\] .*\[\.\] __vdso_' || skip "no sample in the vdso"
	make_foreign user
	for f in arch release; do
		[ -e $f ] || continue
		"$PERF" report -i $f --stdio -s dso,sym 2>err | grep '^[^#].*\[vdso\]' >rows
		run ! grep -v '\[\.\] 0x' rows
	done
}

@test "through a pipe, too" {
	"$PERF" inject -i release -o - 2>/dev/null | "$PERF" report -i - --stdio -s dso,sym >out 2>err
	grep -q '\[k\]' out
	# BPF programs that somebody else runs have names of their own in the recording
	run ! grep '\[k\] [^0]' <(grep -v '\[k\] bpf_' out)
}

@test "a list of the cache is not used where nothing says how far it is to be moved" {
	[ "$(uname -m)" = x86_64 ] || skip "the kernel's addresses are those of x86-64"
	id=$("$PERF" buildid-list --kernel)
	list=cache/.build-id/${id:0:2}/${id:2}/kallsyms
	mkdir -p "${list%/*}"
	sed -E '/\[/!s/^([0-9a-f]+ [a-zA-Z] )([^_])/\1copied_\2/' /proc/kallsyms >"$list"
	"$PERF" --buildid-dir "$PWD/cache" record -q -e cpu-clock:k -c 100000 -o moved dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null
	# where the kernel was: nobody knows; and the same of a kernel that does not run here
	python3 - "$id" <<-'END'
	import sys
	d = bytearray(open("moved", "rb").read())
	at = d.index(b"[kernel.kallsyms]_") - 8
	d[at:at + 8] = bytes(8)
	open("unknown", "wb").write(d)
	id = bytes.fromhex(sys.argv[1])
	open("elsewhere", "wb").write(d.replace(id, bytes([id[0] ^ 1]) + id[1:]))
	END
	other=$(printf '%02x' $((0x${id:0:2} ^ 1)))
	mkdir -p "cache/.build-id/$other/${id:2}"
	cp "$list" "cache/.build-id/$other/${id:2}/kallsyms"
	show() { # file options
		"$PERF" --buildid-dir "$PWD/cache" report --stdio -s sym -i "$@" 2>err | grep '\[k\]'
	}
	show moved | grep -q '\[k\] copied_'
	for f in unknown elsewhere; do
		! show $f | grep 'copied_' || { echo $f; return 1; }
	done
	show unknown | grep -q '\[k\] [a-z]*_*read'
	! show elsewhere | grep '\[k\] [^0]' | grep -v '\[k\] bpf_' || return 1
	grep -q 'does not say where the kernel was' err
	grep -q 'give it with --kallsyms' err
	show elsewhere --kallsyms "cache/.build-id/$other/${id:2}/kallsyms" | grep -q '\[k\] copied_'
	# where the own list is hidden, no names are better than wrong ones
	setpriv --bounding-set -syslog --inh-caps -syslog "$PERF" --buildid-dir "$PWD/cache" report --stdio -s sym -i unknown >out 2>err
	grep -q '\[k\] 0x' out
	run ! grep copied_ out
	grep -q 'shows no addresses' err
}
