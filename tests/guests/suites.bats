#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# Takes up to 5400 seconds, also where others compute beside it.
# The command-line tests that say "# Runs in a guest", whole, on a kernel that has what this machine's may lack.

load common

@test "the command-line suites pass in a guest" {
	[ -n "${PERF_ALL_GUESTS-}" ] || skip "only when asked: make check-guests TESTS=suites"
	suites_guest amd64 "$PERF" "$(dirname "$PERF")/build/plugins"
}
