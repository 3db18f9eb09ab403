#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# Takes up to 5400 seconds, also where others compute beside it.
# The command-line tests that say "# Runs in a guest", whole, on an arm64 machine with a perf that was built for it.

load common

@test "the command-line suites pass in a guest: arm64" {
	local cc libs foreign log=$BATS_TEST_TMPDIR/log

	[ -n "${PERF_ALL_GUESTS-}" ] || skip "only when asked: make check-guests TESTS=suites"
	if ! foreign_build "$log" arm64 all; then
		skip_what_is_missing "$(sed -n "s,^guest ended with ,,p" "$log" | grep . || echo 1)" "$log"
		cat "$log"
		return 1
	fi
	suites_guest arm64 "$foreign" "$BATS_TEST_DIRNAME/../../build/arm64/plugins" --libs "$libs"
}
