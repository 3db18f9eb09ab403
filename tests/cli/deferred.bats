#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# User call chains that were recorded later than their samples: joined, shown apart, passed on.

setup() {
	cd "$BATS_TEST_TMPDIR"
	"$BATS_TEST_DIRNAME/make-samples" deferred data
	"$BATS_TEST_DIRNAME/make-samples" --big-endian deferred data.big
}

# The number of frames of each sample.
frames() {
	awk '/cpu-clock/ { if (n++) printf "%d ", f; f = 0; next } /PERF_RECORD/ { exit } NF { f++ } END { print f }'
}

@test "script joins them, and says how many samples lack theirs" {
	for file in data data.big; do
		"$PERF" script -i $file 2>said >got
		[ "$(frames <got)" = "3 3 1" ]
		[ "$(grep -c '2010' got)" -eq 2 ]
		grep -q 'samples lack their user call chains' said
	done
	"$PERF" script --merge-callchains -i data 2>/dev/null | diff - <("$PERF" script -i data 2>/dev/null)
}

@test "--no-merge-callchains shows them apart" {
	for file in data data.big; do
		"$PERF" script --no-merge-callchains -i $file >got 2>said
		[ "$(frames <got)" = "1 1 1" ]
		! grep -q 'lack' said || false
		grep -A2 'PERF_RECORD_CALLCHAIN_DEFERRED \[cookie: 0x107\]' got >apart
		[ "$(awk 'NR > 1 { print $1 }' apart | tr '\n' ' ')" = "555555556010 555555556100 " ]
	done
	run "$PERF" script --no-merge-callchains --tsv -i data
	[ "$status" -eq 129 ]
}

@test "report shows them as callers; a pipe and inject pass them" {
	"$PERF" report --stdio --children -q -i data -s sym,dso --percentage absolute 2>/dev/null >got
	[ "$(awk '/true/ { print $1; exit }' got)" = 66.67% ]
	"$PERF" report --folded -i data 2>/dev/null >folded
	[ "$(awk '$NF == 2' folded | wc -l)" -eq 1 ]
	"$PERF" inject -i data -o passed 2>/dev/null
	"$PERF" script -i passed 2>/dev/null | diff - <("$PERF" script -i data 2>/dev/null)
	"$PERF" inject -i data -o - 2>/dev/null | "$PERF" script -i - 2>/dev/null | diff - <("$PERF" script -i data 2>/dev/null)
}

@test "damaged ones are no worse than missing ones" {
	for at in $(seq 104 4 "$(stat -c %s data)"); do
		cp data bad
		printf '\377\377\377\177' | dd of=bad bs=1 seek="$at" conv=notrunc 2>/dev/null
		"$PERF" script -i bad >/dev/null 2>&1 || [ $? -lt 128 ] || { echo "at $at"; return 1; }
	done
}
