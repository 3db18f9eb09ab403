#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# A new kernel, that of Debian 13's backports: tasks' storage is limited there, and programs can be interrupted by other
# tasks.  make check-kernels runs all checks there.

load common

setup_file() {
	export PERF_GUEST_KERNEL=trixie-backports
	live_guest trace_lines trace_exec off_cpu
}

@test "Linux 7: perf trace, 1,000 calls" { passed trace_lines; }
@test "Linux 7: perf trace shows what was copied before the call had to wait" { passed trace_exec; }
@test "Linux 7: record --off-cpu" { passed off_cpu; }
