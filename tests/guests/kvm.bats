#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf kvm on guests that run: in a virtual machine whose processor, played by qemu, has virtual machines itself.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME rival=() log=$BATS_FILE_TMPDIR/log

	if ! gcc -O2 -Wall -o "$BATS_FILE_TMPDIR/kvm-vm" "$here/kvm-vm.c" >"$log" 2>&1; then
		printf '%s\n' "guest: no compiler with <linux/kvm.h> for a guest's guest" "guest ended with 77" >"$log"
		return
	fi
	[ ! -x /usr/bin/perf ] || rival=(--program /usr/bin/perf)
	"$here/guest" --timeout 600 --module kvm_amd --program "$BATS_FILE_TMPDIR/kvm-vm" "${rival[@]}" --perf "$PERF" \
		amd64 "$here/kvm-guest.sh" >"$log" 2>&1 || echo "guest ended with $?" >>"$log"
}

@test "kvm stat: each exit as often as the guest makes it" { passed exits; }
@test "kvm stat --event: memory, ports, registers" { passed accesses; }
@test "kvm stat: the tables of Debian's perf, on its file and on ours" { passed rival; }
@test "kvm stat live: what happens while it is watched" { passed live; }
@test "kvm stat live -p, --vcpu, --duration" { passed live-pid; }
@test "kvm record, report: host and guest side by side, functions by --guestkallsyms" { passed samples; }
