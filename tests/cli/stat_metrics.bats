#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Not in a guest: it runs unit tests, which are built for this machine.
# The metrics of arch/ARCH/metrics: each has an answer that a unit test works out.

setup() {
	cd "$BATS_TEST_TMPDIR"
	top=$BATS_TEST_DIRNAME/../..
}

# "SECTION METRIC" of files, whose sections are counted on from one to the next.
metrics_of() {
	cat "$@" | awk '/^model / { n++ } /^metric / { print n, $2 }' | sort -u
}

# "SECTION METRIC" of those that the unit tests computed.
answered() {
	local test

	for test in test_stat_answers test_stat_metrics; do
		PERF_ANSWERED=$PWD/noted "${UNIT:?tests/run sets it}/$test" >log 2>&1 || { cat log; return 1; }
	done
	sort -u noted
}

@test "every metric of every processor model has a worked answer" {
	files=("$top/arch/generic/metrics" $(ls "$top"/arch/*/metrics | grep -v /generic/))
	metrics_of "${files[@]}" >known
	[ "$(wc -l <known)" -ge 150 ]
	answered >have
	comm -23 known have >without
	cat without
	[ ! -s without ]
	# one more metric would be missed, and so would one of a model of its own
	printf 'metric tma_new | | | cycles | | new\nmodel new,.*\nmetric IPC | | | instructions / cycles | | new\n' >new
	metrics_of "${files[@]}" new >more
	[ "$(comm -23 more have | wc -l)" -eq 2 ]
}
