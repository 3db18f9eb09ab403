#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# make STATIC=1 on a bare kernel: a root of one program, with nothing mounted but /proc.  One guest runs all checks, each is a
# test here.

load common

setup_file() {
	local top log=$BATS_FILE_TMPDIR/log program=$BATS_FILE_TMPDIR/perf

	only_when_asked static || return 0
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	(
		flock 9
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j"$(nproc)" -C "$top" STATIC=1 build/static/perf 9>&-
	) 9>"$top/build/static.lock" >"$log" 2>&1 && strip -o "$program" "$top/build/static/perf" || return 0
	stat -c 'size %s' "$program" >>"$log"
	"$BATS_TEST_DIRNAME/guest" --perf "$program" amd64 "$BATS_TEST_DIRNAME/static-guest.sh" >>"$log" 2>&1 ||
		echo "guest ended with $?" >>"$log"
}

@test "a root of one program, and no mounts but /proc" {
	passed alone
	[ "$(sed -n 's/^size //p' "$BATS_FILE_TMPDIR/log")" -lt 8000000 ]
}
@test "stat counts software events and tracepoints" { passed counted; }
@test "record, report and script: the loop has nearly all samples" { passed recorded; }
@test "trace shows calls" { passed traced; }
