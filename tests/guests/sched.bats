#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a kernel with CONFIG_SCHEDSTATS counts of its scheduler.  One guest runs all checks, each is a test here.

load common

setup_file() {
	local log=$BATS_FILE_TMPDIR/log

	"$BATS_TEST_DIRNAME/guest" --timeout 600 --perf "$PERF" amd64 "$BATS_TEST_DIRNAME/sched-guest.sh" >"$log" 2>&1 ||
		echo "guest ended with $?" >>"$log"
}

@test "sched stats: what is set to 0 counts nothing, and that is said" { passed off; }
@test "sched stats: the switches of the CPUs between begin and end" { passed counted; }
@test "inject -s: how long a program slept" { passed slept; }
