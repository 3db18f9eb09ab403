#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# Counters of a real PMU: an arm64 guest whose instructions and cycles follow from each other, with a
# perf that was built for it.  One guest runs all checks, each is a test here.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME log=$BATS_FILE_TMPDIR/log cc libs foreign
	foreign_build "$log" || return 0
	cat >"$BATS_FILE_TMPDIR/spin.S" <<-'END'
		.global _start, turn, turn_end
		_start:	ldr x0, [sp, 16]	/* argv[1] */
			mov x1, 0
			mov x3, 10
		digit:	ldrb w2, [x0], 1
			cbz w2, turn
			sub w2, w2, '0'
			madd x1, x1, x3, x2
			b digit
		.type turn, %function
		turn:	subs x1, x1, 1
			b.ne turn
		.size turn, . - turn
			mov x0, 0
			mov x8, 93		/* exit */
			svc 0
	END
	$cc -nostdlib -static -o "$BATS_FILE_TMPDIR/spin" "$BATS_FILE_TMPDIR/spin.S" >>"$log" 2>&1 || return 0
	"$here/guest" --perf "$foreign" --libs "$libs" --file "$BATS_FILE_TMPDIR/spin" --icount \
		--out "$BATS_FILE_TMPDIR/out" arm64 "$here/counters-guest.sh" >>"$log" 2>&1 ||
		echo "guest ended with $?" >>"$log"
}

@test "instructions: exactly those of the loop" { passed instructions; }
@test "insn per cycle is the quotient of the two counts" { passed ipc; }
@test ":u and :k count their own side" { passed modes; }
@test "a group counts all of the time" { passed group; }
@test "more events than counters: shares are shown, counts extrapolated" { passed multiplexed; }
@test "record -c: a sample for each 100000 cycles, in the loop" { passed record; }
@test "record -F: the periods add up to the count" { passed frequency; }
@test "record cycles:k: the kernel's loop that dd spends its time in" { passed kernel; }
@test "named events of the PMU" { passed named; }
@test "-M ipc by the machine's catalogue" { passed metric; }
@test "-r: a loop repeats" { passed repeated; }
@test "--topdown without a known model refuses in one line" { passed topdown; }

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
