#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf help: pages without man.

@test "a page needs neither man nor any file" {
	PATH=/nonexistent run "$PERF" help perf
	[ "$status" -eq 0 ]
	[[ "$output" == *NAME*"perf - "*EXIT\ STATUS* ]]
}

@test "perf-NAME is NAME" {
	[ "$("$PERF" help perf-config)" = "$("$PERF" help config)" ]
}

@test "a page that is not there: 1, and the nearest one" {
	run "$PERF" help confg
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: there is no page about 'confg'"*"did you mean 'perf help config'?"* ]]
}

@test "-a lists the pages of no command, too" {
	[[ "$("$PERF" help -a)" == *"Other pages"*" perf"* ]]
	[[ "$("$PERF" help)" != *"Other pages"* ]]
}

@test "two pages at a time are refused" {
	run "$PERF" help config version
	[ "$status" -eq 129 ]
}
