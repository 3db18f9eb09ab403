#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf version: lines that scripts parse.

@test "one line: perf version A.B.C" {
	run "$PERF" version
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" =~ ^perf\ version\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "--build-options: each feature's line has the form of Debian's, the last line names the licence" {
	run "$PERF" version --build-options
	[ "$status" -eq 0 ]
	licence=GPL-2.0-or-later
	! "$PERF" check -q feature libopcodes || licence="GPL-3.0-or-later (with libopcodes)"
	[ "${lines[-1]}" = "               licence: $licence" ]
	for line in "${lines[@]:1:${#lines[@]}-2}"; do
		[[ "$line" =~ ^\ *[A-Za-z0-9_-]+:\ \[\ (on\ |OFF)\ \]\ \ \#\ HAVE_[A-Z0-9_]+$ ]] ||
			{ echo "$line"; return 1; }
	done
	[ "${#lines[@]}" -gt 20 ]
}

@test "the names of Debian's perf are there, in the same columns" {
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf here"
	"${RIVAL_PERF:-/usr/bin/perf}" version --build-options >theirs
	"$PERF" version --build-options >ours
	for f in libelf zlib zstd lzma libslang libunwind libpython libperl aio; do
		a=$(grep -E "^ *$f: " theirs | sed 's/\[.*//')
		b=$(grep -E "^ *$f: " ours | sed 's/\[.*//')
		[ "$a" = "$b" ] || { echo "'$a' '$b'"; return 1; }
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "an argument too many is refused" {
	run "$PERF" version now
	[ "$status" -eq 129 ]
}
