#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf top: what records beside the samples say, rings that are overwritten, symbol tables at the end.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	gcc -O0 -o "$FILES/spin" "$BATS_TEST_DIRNAME/spin.c" -lpthread
}

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	end_jobs
}

spin() {
	"$FILES/spin" "$@" 3>&- &
	pid=$!
	until_true comm_is $pid spin
}

@test "--overwrite: rings keep the newest, and samples come out of them" {
	spin
	"$PERF" top --overwrite --stdio -e cpu-clock:u -p "$pid" -d 0.5 -s sym >tables 3>&- &
	top=$!
	until_true grep -qE '^ +[0-9.]+% +\[\.\] spinning_function' tables
	# perf does not take anything out of such a ring, so it is mapped to be read only
	grep perf_event /proc/$top/maps | grep -q ' r--s '
	kill $top
	wait $top || [ $? -eq 143 ]
	# what was taken once does not come again: there are no more samples than the program ran for
	ran() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
	before=$(ran)
	"$PERF" top --overwrite --json -e cpu-clock:u -p "$pid" -d 0.5 --iterations 4 >json
	python3 - $(($(ran) - before)) "$(getconf CLK_TCK)" <<-'END'
	import re, sys
	samples = int(re.findall(r'"all":\s*{\s*"samples":\s*(\d+)', open("json").read())[-1])
	seconds = int(sys.argv[1]) / int(sys.argv[2])
	print(samples, "samples in", seconds, "s")
	assert 0 < samples < 4000 * (seconds * 1.2 + 0.2)
	END
	"$PERF" top --stdio -e cpu-clock:u -p "$pid" -d 0.5 >other 3>&- &
	top=$!
	until_true grep -q spinning_function other
	run ! eval "grep perf_event /proc/$top/maps | grep -q ' r--s '"
}

@test "cgroup_id tells threads apart by their namespaces, which --namespaces records" {
	unshare -C true 2>/dev/null || skip "no namespaces of cgroups here"
	spin
	unshare -C "$FILES/spin" 3>&- &
	other=$!
	until_true comm_is $other spin
	id_of() { printf '%d/0x%x' $(stat -Lc '%d %i' "/proc/$1/ns/cgroup"); }
	[ "$(id_of $pid)" != "$(id_of $other)" ]
	for options in "--namespaces" ""; do
		# shellcheck disable=SC2086 # none or one
		"$PERF" top $options --stdio -e cpu-clock:u -p $pid,$other -d 0.5 -s cgroup_id >out 3>&- &
		top=$!
		# on a busy machine each of them may have to wait for its turn
		both() { tail -n 8 out | grep -qE "% +$(id_of $pid) *\$" && tail -n 8 out | grep -qE "% +$(id_of $other) *\$"; }
		until_true both
		kill $top
		wait $top || [ $? -eq 143 ]
		sed -n 'H; /PerfTop/h; ${ x; p; }' out >newest
		mv newest out
		cat out
		[ "$(grep -c '0x' out)" -eq 2 ]
	done
}

@test "latency and parallelism: of one thread all is latency" {
	spin
	"$PERF" top --latency --stdio -e cpu-clock:u -p $pid -d 0.5 --iterations 1 -s parallelism,sym >out
	cat out
	# shares of elapsed time, of CPU time, threads: one thread runs, so the elapsed time is its own
	awk '$NF == "spinning_function" { found = $1 == $2 && $1 + 0 > 90 && $3 == 1 } END { exit !found }' out
	"$PERF" top --stdio -e cpu-clock:u -p $pid -d 0.5 --iterations 1 -s sym --parallelism 2-64 >out
	run ! grep -q spinning_function out
	"$PERF" top --stdio -e cpu-clock:u -p $pid -d 0.5 --iterations 1 -s sym --parallelism 1 >out
	grep -q spinning_function out
}

@test "parallelism: two threads run at once sooner or later, and then latency is half of the time" {
	[ "$(nproc)" -gt 1 ] || skip "needs two CPUs"
	spin 2
	"$PERF" top --stdio -e cpu-clock:u -p $pid -d 0.5 -s parallelism --latency -x, >rows 3>&- &
	top=$!
	# a row of such samples, with more time of CPUs than that elapsed
	until_true awk -F, '$NF == 2 && $3 < $4 { found = 1 } END { exit !found }' rows
	kill $top
	wait $top || [ $? -eq 143 ]
}

@test "-D writes the symbol tables that were used at the end" {
	spin
	"$PERF" top -D --stdio -e cpu-clock:u -p $pid -d 0.5 --iterations 1 >out 2>symbols
	grep -qE '^dso: spin \(.*/spin, loaded, ' symbols
	address=$(nm "$FILES/spin" | awk '$3 == "spinning_function" { sub(/^0*/, "", $1); print $1 }')
	grep -qE "^ $address-[0-9a-f]+ g spinning_function\$" symbols
	grep -qE '^dso: .*, NOT loaded, ' symbols
	"$PERF" top --stdio -e cpu-clock:u -p $pid -d 0.5 --iterations 1 >out 2>symbols
	run ! grep -q dso: symbols
}
