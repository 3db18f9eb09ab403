#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf check: features by name and macro.

setup() {
	"$PERF" version --build-options >"$BATS_TEST_TMPDIR/all"
	cd "$BATS_TEST_TMPDIR"
	on=$(sed -n 's/^ *\([^:]*\): \[ on .*/\1/p' all | head -n 1)
	off=$(sed -n 's/^ *\([^:]*\): \[ OFF .*/\1/p' all | head -n 1)
}

@test "every feature answers as version --build-options says, by name and by macro" {
	# macros may stand for several names: the first counts
	while read -r name bracket state rest; do
		name=${name%:}
		want=$([ "$state" = on ] && echo 0 || echo 1)
		run "$PERF" check -q feature "$name"
		[ "$status" -eq "$want" ] || { echo "$name: $status"; return 1; }
		[ -z "$output" ]
		run "$PERF" check feature "${name^^}"
		[ "$status" -eq "$want" ]
		[[ "$output" == *"$name: [ "* ]]
	done < <(tail -n +2 all | sed '$d')
	macro=$(sed -n "s/^ *$on: .*# //p" all)
	run "$PERF" check feature "$macro,${macro,,}"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "0 only if all are built in" {
	[ -n "$off" ] || skip "everything is built in"
	run "$PERF" check feature "$on,$off"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "an unknown name is 129" {
	run "$PERF" check -q feature nonsense
	[ "$status" -eq 129 ]
	[[ "$output" == *"error: unknown feature 'nonsense'"* ]]
	run "$PERF" check
	[ "$status" -eq 129 ]
	run "$PERF" check features libelf
	[ "$status" -eq 129 ]
}
