#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What counts by BPF when a map of its programs is full: how much was not counted is said.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export SHIM=$BATS_FILE_TMPDIR/small-maps.so
	gcc -O1 -shared -fPIC -o "$SHIM" "$BATS_TEST_DIRNAME/small-maps.c" -ldl
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	"$PERF" lock contention -b -- true >/dev/null 2>why || skip "no BPF: $(cat why)"
}

teardown() {
	end_jobs
}

# small MAPS COMMAND...: perf, with one element in each of these maps
small() {
	local maps=$1
	shift
	SMALL_MAPS=$maps LD_PRELOAD=$SHIM timeout -k 5 60 "$PERF" "$@"
}

# Tasks that wait at several places for a short while.
work() {
	cat >work.py <<-'END'
	import os, select, threading, time
	for _ in range(5):
	    if not os.fork():
	        time.sleep(0.02)
	        select.select([], [], [], 0.02)
	        os._exit(0)
	    t = threading.Thread(target=time.sleep, args=(0.01,))
	    t.start()
	    t.join()
	for _ in range(5):
	    os.wait()
	END
}

@test "sched latency --bpf: rows for which there was no room" {
	work
	run -0 --separate-stderr small rows sched latency --bpf --hist-mode task -- python3 work.py
	echo "$output" "$stderr"
	[[ "$stderr" =~ 'warning: delays are not counted: there was no room for their rows in the kernel ('[1-9][0-9]*' times)' ]]
	# what has a row is counted all the same
	[[ "$output" =~ 'count '[1-9] ]]
	run -0 --separate-stderr small other sched latency --bpf --hist-mode task -- python3 work.py
	[[ "$stderr" != *"no room"* ]]
}

@test "record --off-cpu: sums and tasks for which there was no room" {
	work
	run -0 small sums record -o sums.data --off-cpu=bpf --off-cpu-thresh 10000 -e dummy -- python3 work.py
	echo "$output"
	[[ "$output" =~ 'warning: waits of '[0-9.]+' ms are not recorded, since there was no room left for the places where they began ('[1-9] ]]
	[ "$("$PERF" script -i sums.data -F event | grep -c offcpu-time)" -eq 1 ]
	run -0 small tracked record -o tasks.data --off-cpu=bpf -e dummy -- python3 work.py
	echo "$output"
	[[ "$output" =~ 'warning: tasks were started while too many were followed: their waits are not recorded ('[1-9] ]]
	[ "$("$PERF" script -i tasks.data -F tid | sort -u | wc -l)" -eq 1 ]
	run -0 small other record -o all.data --off-cpu=bpf --off-cpu-thresh 10000 -e dummy -- python3 work.py
	[[ "$output" != *"not recorded"* ]]
	[ "$("$PERF" script -i all.data -F event | grep -c offcpu-time)" -gt 1 ]
}

# counting MAP WORDS...: what kwork counts while there is work, with one element in that map
counting() {
	local map=$1
	shift
	SMALL_MAPS=$map LD_PRELOAD=$SHIM "$PERF" kwork "$@" -b 3>&- >counted 2>said &
	local pid=$!
	until_true grep -q "Starting trace" counted
	for _ in 1 2 3; do
		python3 work.py
		sync
	done
	kill -INT $pid
	wait $pid || [ $? -eq 130 ]
	cat counted said
}

@test "kwork -b: rows and tasks for which there was no room" {
	work
	for how in "rows -k softirq,workqueue report" "rows -k softirq,workqueue latency" "tasks top"; do
		# shellcheck disable=SC2086 # words
		counting $how
		[[ "$(<said)" =~ 'warning: work was not counted: there was no room for it in the kernel ('[1-9] ]]
	done
	counting other -k softirq,workqueue report
	[[ "$(<said)" != *"no room"* ]]
	[ "$(grep -cE '^ *\([sw]\)' counted)" -gt 1 ]
}
