#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Counters of a real PMU: an arm64 guest whose instructions and cycles follow from each other, with a
# perf that was built for it.  One guest runs all checks, each is a test here.

setup_file() {
	local here=$BATS_TEST_DIRNAME top libs log=$BATS_FILE_TMPDIR/log cc=aarch64-linux-gnu-gcc
	top=$(cd "$here/../.." && pwd)
	if ! command -v $cc >/dev/null; then
		echo "guest: $cc is missing (Debian package gcc-aarch64-linux-gnu)" >"$log"
		echo "guest ended with 77" >>"$log"
		return
	fi
	if ! libs=$("$top/scripts/sysroot" arm64 2>"$log.sysroot"); then
		{ sed 's/^sysroot:/guest:/' "$log.sysroot"; echo "guest ended with 77"; } >"$log"
		return
	fi
	if ! make -s -C "$top" CROSS=arm64 build/arm64/perf >"$log" 2>&1; then return; fi
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
	$cc -nostdlib -static -o "$BATS_FILE_TMPDIR/spin" "$BATS_FILE_TMPDIR/spin.S" >>"$log" 2>&1 || return
	"$here/guest" --perf "$top/build/arm64/perf" --libs "$libs" --file "$BATS_FILE_TMPDIR/spin" --icount \
		--out "$BATS_FILE_TMPDIR/out" arm64 "$here/counters-guest.sh" >>"$log" 2>&1 ||
		echo "guest ended with $?" >>"$log"
}

passed() { # check
	local log=$BATS_FILE_TMPDIR/log
	if grep -q '^guest ended with 77' "$log"; then skip "$(sed -n 's/^guest: //p' "$log" | head -1)"; fi
	grep -q "^ok $1\$" "$log" && return
	# what it printed, or all when it did not run
	grep -q "^not ok $1\$" "$log" || { cat "$log"; return 1; }
	sed -n "/^not ok $1\$/,/^\(not \)*ok /p" "$log"
	return 1
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
