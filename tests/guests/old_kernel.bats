#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# The oldest kernel that perf is for, Linux 5.10 of Debian 11: the BPF programs load there, and perf trace counts
# right.  make check-kernels runs all checks there.

load common

setup_file() {
	export PERF_GUEST_KERNEL=bullseye
	live_guest programs programs_new_clang trace_lines
}

@test "Linux 5.10: every BPF program loads, or its feature is refused with a version" { passed programs; }
@test "Linux 5.10: every BPF program made by a newer clang loads" { passed programs_new_clang; }
@test "Linux 5.10: perf trace, 1,000 calls" { passed trace_lines; }
