#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The PMU of 64-bit powerpc that qemu plays: it counts, but does not keep user and kernel apart, and in older
# versions of qemu never samples (counters-guest.sh), so that profiles are those of the clock.  One guest runs all
# checks, each is a test here.

load common

setup_file() { ! only_when_asked counters_ppc64el || counters_guest ppc64el --memory 1024; }

@test "instructions: those of the loop" { passed instructions; }
@test "insn per cycle is the quotient of the two counts" { passed ipc; }
@test ":u and :k are taken, and count" { passed modes; }
@test "a group, and an event outside of it, count all of the time" { passed group; }
@test "more events than counters: shares are shown, counts extrapolated" { passed multiplexed; }
@test "named events of the PMU, and raw ones" { passed named; }
@test "cpu-clock with stacks: shares of functions, registers of the machine" { passed recorded; }
@test "cpu-clock: the kernel's samples are dd's, the user's the loop's" { passed sides; }
@test "the processor is named by its version and revision" { passed cpuid; }
@test "the recording is read here" { read_here ppc64le 'ABI:2 .*nip:0x[0-9a-f]+'; }
