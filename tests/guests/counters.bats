#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# Counters of a real PMU: an arm64 guest whose instructions and cycles follow from each other, with a
# perf that was built for it.  One guest runs all checks, each is a test here.

load common

setup_file() { counters_guest arm64 --icount; }

@test "instructions: exactly those of the loop" { passed instructions; }
@test "insn per cycle is the quotient of the two counts" { passed ipc; }
@test ":u and :k count their own side" { passed modes; }
@test "a group counts all of the time" { passed group; }
@test "more events than counters: shares are shown, counts extrapolated" { passed multiplexed; }
@test "record -c: a sample for each 100000 cycles, in the loop" { passed record; }
@test "record -F: the periods add up to the count" { passed frequency; }
@test "record cycles:k: the kernel's loop that dd spends its time in" { passed kernel; }
@test "named events of the PMU" { passed named; }
@test "named events of the architecture, which the driver does not list" { passed architecture; }
@test "-M ipc by the machine's catalogue" { passed metric; }
@test "-r: a loop repeats" { passed repeated; }
@test "stalled cycles are a share of the cycles" { passed stalls; }
@test "--topdown without a known model refuses in one line" { passed topdown; }
@test "--topdown where the PMU says how many slots a cycle has" { passed topdown_said; }

@test "stat report here, by the catalogue of the machine that recorded" {
	passed elsewhere
	"$PERF" stat report -i "$BATS_FILE_TMPDIR/out/stat.data" -x, -M ipc 2>"$BATS_TEST_TMPDIR/got"
	cat "$BATS_TEST_TMPDIR/got"
	grep -qE ',[0-9.]+,ipc$' "$BATS_TEST_TMPDIR/got"
}

@test "rows of a PMU have the lines, columns and widths of perf 6.1" {
	passed forms
	python3 "$BATS_TEST_DIRNAME/../data/stat-shape.py" text <"$BATS_FILE_TMPDIR/out/forms" >"$BATS_TEST_TMPDIR/got"
	diff <(sed 1d "$BATS_TEST_DIRNAME/../data/stat-golden-counters.txt") "$BATS_TEST_TMPDIR/got"
}
