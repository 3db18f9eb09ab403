#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# The PMU that firmware offers on RISC-V (SBI): it counts, but neither samples nor tells user from kernel
# there.  One guest runs all checks, each is a test here.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME log=$BATS_FILE_TMPDIR/log cc libs foreign
	# one more build and a slow guest: too much for make check
	if [ -z "${PERF_ALL_GUESTS-}" ]; then
		printf '%s\n' "guest: only when asked: make check-guests TESTS=counters_riscv64" "guest ended with 77" >"$log"
		return 0
	fi
	foreign_build "$log" riscv64 || return 0
	cat >"$BATS_FILE_TMPDIR/spin.S" <<-'END'
		.global _start, turn
		_start:	ld a0, 16(sp)		/* argv[1] */
			li a1, 0
			li a3, 10
		digit:	lbu a2, 0(a0)
			beqz a2, turn
			addi a0, a0, 1
			addi a2, a2, -48
			mul a1, a1, a3
			add a1, a1, a2
			j digit
		.type turn, %function
		turn:	addi a1, a1, -1
			bnez a1, turn
		.size turn, . - turn
			li a0, 0
			li a7, 93		/* exit */
			ecall
	END
	$cc -nostdlib -static -o "$BATS_FILE_TMPDIR/spin" "$BATS_FILE_TMPDIR/spin.S" >>"$log" 2>&1 || return 0
	"$here/guest" --perf "$foreign" --libs "$libs" --file "$BATS_FILE_TMPDIR/spin" --icount --memory 1024 \
		--out "$BATS_FILE_TMPDIR/out" riscv64 "$here/counters-riscv64-guest.sh" >>"$log" 2>&1 ||
		echo "guest ended with $?" >>"$log"
}

@test "instructions: those of the loop" { passed instructions; }
@test "insn per cycle is the quotient of the two counts" { passed ipc; }
@test "a group, and an event of the PMU's by its number" { passed group; }
@test "what the PMU cannot tell apart is not supported, with a reason when it is recorded" { passed modes; }
@test "an event that cannot be sampled: said, with what can" { passed sampled; }
@test "cpu-clock with stacks: shares of functions, registers of the machine" { passed recorded; }
@test "the processor is named by its three numbers" { passed cpuid; }

@test "the recording is read here" {
	passed recorded
	"$PERF" report -i "$BATS_FILE_TMPDIR/out/perf.data" --stdio --header-only | grep -q '^# arch : riscv64$'
	"$PERF" script -i "$BATS_FILE_TMPDIR/out/perf.data" -F ip,uregs | grep -qE 'ABI:2 .*pc:0x[0-9a-f]+ .*ra:0x'
}
