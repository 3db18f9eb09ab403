#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# Takes up to 3600 seconds, also where others compute beside it.
# The print formats of other kernels than this machine's, with all modules that have some: tests/unit/test_formats.c
# compares what perf prints by them with what their C and what libtraceevent says.

load common

# formats_of ARCH [SUITE]: no format of that kernel is printed wrongly.  What was compared, and why the rest are not
# compiled, is kept in build/formats.ARCH or build/formats.ARCH-SUITE.  Sets counts, the line of the numbers.
formats_of() {
	local log=$BATS_TEST_TMPDIR/log out=$BATS_TEST_TMPDIR/out status=0 top kept

	[ -n "${PERF_ALL_GUESTS-}" ] || skip "only when asked: make check-guests TESTS=formats"
	[ -x "$UNIT/test_formats" ] || skip "test_formats is not built: make unit-bins"
	if [ $# -gt 1 ]; then local -x PERF_GUEST_KERNEL=$2; fi
	"$BATS_TEST_DIRNAME/guest" --memory 2048 --timeout 900 --traced-modules --out "$out" "$1" \
		"$BATS_TEST_DIRNAME/formats-guest.sh" >"$log" 2>&1 || status=$?
	skip_what_is_missing $status "$log"
	[ $status -eq 0 ] || { cat "$log"; return 1; }
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	kept=$top/build/formats.$1${2:+-$2}
	echo "Linux $(tail -n 1 "$log") $1, $(wc -l <"$out/modules") modules" >"$kept"
	(cd "$top" && "$UNIT/test_formats" "$out") >>"$kept" 2>&1 || { cat "$kept"; return 1; }
	grep -q ' on plans, ' "$kept" || skip "built without libtraceevent"
	counts=$(grep ' on plans, ' "$kept")
}

# The rest calls functions of drivers' own, which are only in the kernel.
most() { # of a hundred
	sed -E 's/^([0-9]+) formats, ([0-9]+) on plans.*/\1 \2/' <<<"$counts" | { read -r all compiled && [ $((compiled * 100)) -ge $((all * $1)) ]; }
}

@test "print formats of an amd64 kernel" { formats_of amd64 && most 98; }
@test "print formats of an amd64 kernel of the newest packages" { formats_of amd64 "${PERF_GUEST_KERNEL:-trixie-backports}" && most 98; }
@test "print formats of an arm64 kernel" { formats_of arm64 && most 98; }
@test "print formats of a ppc64el kernel" { formats_of ppc64el && most 96; }
