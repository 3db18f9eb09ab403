#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# The print formats of other kernels than this machine's, with all modules that have some: tests/unit/test_formats.c
# compares what perf prints by them with what their C and what libtraceevent says.

load common

# formats_of ARCH [SUITE]: 98 of 100 formats of that kernel are compiled, and none is printed wrongly.
formats_of() {
	local log=$BATS_TEST_TMPDIR/log out=$BATS_TEST_TMPDIR/out status=0

	[ -n "${PERF_ALL_GUESTS-}" ] || skip "only when asked: make check-guests TESTS=formats"
	[ -x "$UNIT/test_formats" ] || skip "test_formats is not built: make unit-bins"
	if [ $# -gt 1 ]; then local -x PERF_GUEST_KERNEL=$2; fi
	"$BATS_TEST_DIRNAME/guest" --memory 2048 --timeout 900 --traced-modules --out "$out" "$1" \
		"$BATS_TEST_DIRNAME/formats-guest.sh" >"$log" 2>&1 || status=$?
	skip_what_is_missing $status "$log"
	[ $status -eq 0 ] || { cat "$log"; return 1; }
	cd "$BATS_TEST_DIRNAME/../.." && "$UNIT/test_formats" "$out" >"$log.compared" 2>&1 || { cat "$log.compared"; return 1; }
	! grep -q SKIPPED "$log.compared" || skip "built without libtraceevent"
	counts=$(grep ' on plans, ' "$log.compared")
	echo "# Linux $(tail -n 1 "$log") $1, $(wc -l <"$out/modules") modules: $counts" >&3
	sed -n 's/^not on a plan: /# &/p' "$log.compared" >&3
}

# The rest calls functions of drivers' own, which are only in the kernel.
most() { # of a hundred
	sed -E 's/^([0-9]+) formats, ([0-9]+) on plans.*/\1 \2/' <<<"$counts" | { read -r all compiled && [ $((compiled * 100)) -ge $((all * $1)) ]; }
}

@test "print formats of an amd64 kernel" { formats_of amd64 && most 98; }
@test "print formats of an amd64 kernel of the newest packages" { formats_of amd64 "${PERF_GUEST_KERNEL:-trixie-backports}" && most 98; }
@test "print formats of an arm64 kernel" { formats_of arm64 && most 98; }
@test "print formats of a ppc64el kernel" { formats_of ppc64el && most 96; }
