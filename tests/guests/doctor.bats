#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf doctor where settings of the kernel are in the way: each is made in a guest, the cause is named, and the cure, as
# it is printed, makes the measurement work. One guest runs all checks but those of a kernel that is locked down.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME bpf=/usr/lib/x86_64-linux-gnu/libbpf.so.1 more=() log=$BATS_FILE_TMPDIR/log
	local setpriv
	setpriv=$(command -v setpriv) || { printf '%s\n' "guest: setpriv is missing (Debian package util-linux)" "guest ended with 77" >"$log"; return 0; }
	[ ! -e $bpf ] || more=(--file "$(realpath $bpf):/lib/x86_64-linux-gnu/libbpf.so.1")
	"$here/guest" --timeout 600 "${more[@]}" --program "$setpriv" --perf "$PERF" amd64 "$here/doctor-guest.sh" \
		>"$log" 2>&1 || echo "guest ended with $?" >>"$log"
	! grep -q '^guest ended with 77' "$log" || return 0
	"$here/guest" --timeout 600 "${more[@]}" --program "$setpriv" --append "lockdown=confidentiality" --perf "$PERF" amd64 \
		"$here/doctor-guest.sh" >>"$log" 2>&1 || echo "guest ended with $?" >>"$log"
}

@test "Debian's perf_event_paranoid 3 forbids everything" { passed paranoid-3; }
@test "perf_event_paranoid 2 forbids the kernel, 1 the whole system" { passed paranoid; }
@test "kptr_restrict 1 hides names from users" { passed kptr-users; }
@test "kptr_restrict 2 hides names from root" { passed kptr-root; }
@test "Yama closes the memory of other processes" { passed yama; }
@test "perf_event_max_sample_rate is below what record asks for" { passed sample-rate; }
@test "perf_event_max_stack cuts chains" { passed max-stack; }
@test "a clock source that is not the CPU's counter" { passed clock; }
@test "perf_event_mlock_kb is too small" { passed locked-memory; }
@test "probes in the kernel" { passed kernel-probes; }
@test "a kernel that is locked down: what still works" { passed lockdown; }
