#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The terminal browser of perf kvm stat report: the rows of plain text, sorted by each key.
bats_require_minimum_version 1.5.0

load screen

setup() {
	screen_setup
	"$BATS_TEST_DIRNAME/../cli/make-kvm" data
}

teardown() {
	screen_teardown
}

# The rows on the screen are those of plain text sorted by KEY; ties may come in another order.
rows_by() { # KEY COLUMN
	"$PERF" kvm -i data stat report --stdio -k "$1" | grep 'us *(' | sed 's/^ *//; s/ *$//' >plain
	wait_for sorted_alike "$2"
}

sorted_alike() {
	grep 'us *(' screen | sed 's/^ *//; s/ *$//' >rows
	diff <(sort plain) <(sort rows) >&2 || return 1
	diff <(awk -v c="$1" '{ print $c }' plain) <(awk -v c="$1" '{ print $c }' rows) >&2
}

@test "the rows are those of plain text, by each order" {
	start 160x60 "$PERF kvm -i data stat report"
	see "Analyze events for all VMs, all VCPUs" "sorted by samples" "VM-EXIT"
	rows_by sample 2
	key t
	see "sorted by total time"
	rows_by total_t 4
	key a
	see "sorted by average time"
	rows_by time 7
	key m
	see "sorted by least time"
	rows_by min_t 5
	key x
	see "sorted by greatest time"
	rows_by max_t 6
	key '?'
	see "by the greatest time" "UP DOWN wheel" "HOME END" "? h F1" "q ESC Ctrl-C"
	key q
	see "sorted by greatest time"
	key q
	see "left=0"
}

@test "/ searches the rows, n goes to the next one" {
	start 160x60 "$PERF kvm -i data stat report"
	see "sorted by samples" "/ search"
	first=$(cursor)
	rows=$(grep -c 'us *(' screen)
	[ "$rows" -ge 3 ]
	name=$(grep 'us *(' screen | awk 'END { print $1 }')
	[ "$(grep -cF -- "$name" screen)" -eq 1 ]
	key /
	see "Part of a line" "ENTER: search, ESC"
	key -l "${name,,}"
	key Enter
	wait_for cursor_is $((first + rows - 1))
	# all rows have this; after the last one comes the first
	key /
	see "the same again"
	key -l "us ("
	key Enter
	wait_for cursor_is "$first"
	key n
	wait_for cursor_is $((first + 1))
	key /
	see "the same again"
	key Enter
	wait_for cursor_is $((first + 2))
	key /
	see "the same again"
	key -l "no such row"
	key Enter
	see "no line has 'no such row'"
	key '?'
	see "the next row that has it"
	key q
	see "sorted by samples"
	key q
	see "left=0"
}

@test "--stdio prints, --tui without a terminal is refused" {
	start 160x60 "$PERF kvm -i data stat report --stdio | cat"
	see "Total Samples:" "left=0"
	run "$PERF" kvm -i data stat report --tui </dev/null
	[ "$status" -ne 0 ]
	[[ "$output" == "error: "*terminal* ]]
}
