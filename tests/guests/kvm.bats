#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf kvm on guests that run: in a virtual machine whose processor, played by qemu, has virtual machines itself.

load common
load ../cli/rival

# Sets brought to the options of guest that bring the other perf as /test/perf. One that tests/rival unpacked comes with
# its own loader and libraries, because the guest has only those that this machine's perf needs.
bring_rival() {
	local root=${RIVAL%/perf}/root lib libraries

	brought=()
	[ -x "$RIVAL" ] || return 0
	if [ ! -e "$root" ]; then
		brought=(--program "$RIVAL")
		return
	fi
	libraries=$root/lib/x86_64-linux-gnu
	printf '#!/bin/sh\nexec /test/rival/%s --library-path /test/rival /test/rival/perf "$@"\n' ld-linux-x86-64.so.2 \
		>"$BATS_FILE_TMPDIR/perf"
	chmod 755 "$BATS_FILE_TMPDIR/perf"
	brought=(--file "$BATS_FILE_TMPDIR/perf" --file "$root/usr/bin/perf:/test/rival/perf")
	while read -r lib; do
		brought+=(--file "$lib:/test/rival/${lib##*/}")
	done < <("$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" --list "$root/usr/bin/perf" | grep -o '/[^ )]*')
}

setup_file() {
	local here=$BATS_TEST_DIRNAME brought log=$BATS_FILE_TMPDIR/log

	if ! gcc -O2 -Wall -o "$BATS_FILE_TMPDIR/kvm-vm" "$here/kvm-vm.c" >"$log" 2>&1; then
		printf '%s\n' "guest: no compiler with <linux/kvm.h> for a guest's guest" "guest ended with 77" >"$log"
		return
	fi
	bring_rival
	"$here/guest" --timeout 600 --module kvm_amd --program "$BATS_FILE_TMPDIR/kvm-vm" "${brought[@]}" --perf "$PERF" \
		amd64 "$here/kvm-guest.sh" >"$log" 2>&1 || echo "guest ended with $?" >>"$log"
}

@test "kvm stat: each exit as often as the guest makes it" { passed exits; }
@test "kvm stat --event: memory, ports, registers" { passed accesses; }
@test "kvm stat: the tables of Debian's perf, on its file and on ours" {
	[ -x "$RIVAL" ] || skip "no other perf at $RIVAL"
	passed rival
}
@test "kvm stat live: what happens while it is watched" { passed live; }
@test "kvm stat live -p, --vcpu, --duration" { passed live-pid; }
@test "kvm record, report: host and guest side by side, functions by --guestkallsyms" { passed samples; }
