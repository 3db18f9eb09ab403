#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# The PMU that firmware offers on RISC-V (SBI): it counts, but neither samples nor tells user from kernel
# there.  One guest runs all checks, each is a test here.

load common

setup_file() { ! only_when_asked counters_riscv64 || counters_guest riscv64 --icount --memory 1024; }

@test "instructions: those of the loop" { passed instructions; }
@test "insn per cycle is the quotient of the two counts" { passed ipc; }
@test "a group, and an event of the PMU's by its number" { passed group; }
@test "what the PMU cannot tell apart is not supported, with a reason when it is recorded" { passed modes; }
@test "an event that cannot be sampled: said, with what can" { passed sampled; }
@test "cpu-clock with stacks: shares of functions, registers of the machine" { passed recorded; }
@test "the processor is named by its three numbers" { passed cpuid; }

@test "the recording is read here" { read_here riscv64 'ABI:2 .*pc:0x[0-9a-f]+ .*ra:0x'; }
