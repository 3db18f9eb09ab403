#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# perf probe in a kernel that has kprobes: one guest runs all checks, each is a test here.

load common

setup_file() {
	local here=$BATS_TEST_DIRNAME
	"$here/guest" --perf "$PERF" --module dummy --module virtio_blk amd64 "$here/probe-guest.sh" \
		>"$BATS_FILE_TMPDIR/log" 2>&1 || echo "guest ended with $?" >>"$BATS_FILE_TMPDIR/log"
}

@test "entry: registers, \$argN, \$comm as they were" { passed entry; }
@test "--filter: the kernel keeps only what fits" { passed filter; }
@test "perf list and perf probe -l show it" { passed listed; }
@test "perf stat counts it" { passed counted; }
@test "return: what the function returned" { passed return; }
@test "--maxactive" { passed maxactive; }
@test "text out of the task's memory" { passed string; }
@test "globs: each function has its event" { passed glob; }
@test "modules: with -m, and found without" { passed module; }
@test "--cache and %NAME of the kernel" { passed cached; }
@test "record --probe by the kprobe PMU: nothing in tracefs" { passed pmu; }
@test "--del of all leaves nothing" { passed removed; }
@test "-n and -D change nothing" { passed dry-run; }
@test "-D and --bootconfig" { passed definition && passed bootconfig; }
@test "a function that another module has: said which" { passed other-module; }
@test "a module that is not loaded: said" { passed no-module; }
@test "a line without debug information: the package is named" { passed no-debuginfo; }
@test "a function that is not there" { passed no-function; }
@test "an offset inside an instruction: the kernel's own words" { passed boundary; }
@test "a function that the kernel forbids to probe" { passed blacklist; }
@test "refusals leave nothing behind" { passed clean; }
