#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What counts by BPF and could not: the map is full, the cgroup too deep, the run left out.  How much was not counted is said.
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

@test "kmem stat --bpf: callers and objects for which there was no room" {
	work
	run -0 --separate-stderr small sites kmem stat --bpf --caller -- python3 work.py
	echo "$output" "$stderr"
	[[ "$stderr" =~ 'warning: allocations are not counted because the map of callers was full ('[1-9][0-9]*' times)' ]]
	run -0 --separate-stderr small objects kmem stat --bpf -- python3 work.py
	echo "$stderr"
	[[ "$stderr" =~ 'warning: allocations whose free is not known, because the map of objects was full ('[1-9] ]]
	run -0 --separate-stderr small other kmem stat --bpf -- python3 work.py
	[[ "$stderr" != *"was full"* ]]
}

@test "kmem stat --bpf --page: rows, blocks and call chains for which there was no room" {
	work
	run -0 --separate-stderr small kinds,blocks,stacks kmem stat --bpf --page -- python3 work.py
	echo "$output" "$stderr"
	[[ "$stderr" =~ 'warning: allocations are not counted because the map of callers was full ('[1-9] ]]
	[[ "$stderr" =~ 'warning: blocks of pages whose free is not known, because the map of blocks was full ('[1-9] ]]
	[[ "$stderr" =~ 'warning: the caller of an allocation is not known, because the map of call chains was full ('[1-9] ]]
	run -0 --separate-stderr small other kmem stat --bpf --page -- python3 work.py
	[[ "$stderr" != *"was full"* ]]
}

@test "kmem stat --bpf: runs of its programs that the kernel left out" {
	# an interrupt that frees while its task does
	for _ in 1 2 3; do
		run -0 --separate-stderr "$PERF" kmem stat --bpf -a -- "$PERF" bench sched messaging -g 4 -l 100
		[[ "$stderr" != *"warning: the kernel left out runs of the BPF programs 'kmem'"* ]] || return 0
	done
	skip "the kernel left out nothing"
}

@test "lock contention -b: rows and waits for which there was no room" {
	run -0 --separate-stderr small rows lock contention -b -l -a -- "$PERF" bench sched messaging -g 4 -l 50
	echo "$output" "$stderr"
	[[ "$stderr" =~ 'warning: waits for which the maps had no room are left out ('[1-9] ]]
}

@test "trace: processes that cannot be followed" {
	run -0 --separate-stderr small targets trace -o calls -e wait4 -- sh -c 'sh -c true; true'
	echo "$stderr"
	[[ "$stderr" == *"warning: tasks were started while too many were followed: nothing is known of them"* ]]
	run -0 --separate-stderr small other trace -o calls -e wait4 -- sh -c 'sh -c true; true'
	[[ "$stderr" != *"too many"* ]]
}

@test "stat --bpf-counters --for-each-cgroup: cgroups that are nested too deeply" {
	local dir=/sys/fs/cgroup i
	[ ! -d $dir/unified ] || dir=$dir/unified
	grep -qw perf_event $dir/cgroup.controllers || grep -q cgroup2 <(stat -fc %T $dir) || skip "no cgroup of version 2"
	dir=$dir/perf-deep-$$
	mkdir $dir || skip "cgroups cannot be made"
	for i in $(seq 34); do dir=$dir/d; done
	mkdir -p $dir
	run -0 --separate-stderr "$PERF" stat -x, -o counts --bpf-counters --for-each-cgroup / -a -e context-switches -- \
		sh -c "echo \$\$ >$dir/cgroup.procs; sleep 0.1; sleep 0.1"
	until [ "${dir##*/}" != d ]; do rmdir $dir; dir=${dir%/*}; done
	rmdir $dir
	echo "$output" "$stderr"
	[[ "$stderr" =~ 'warning: counts of tasks in cgroups nested deeper than 32 are missing in the outermost ones ('[1-9] ]]
	[[ "$stderr" == *"hint: without --bpf-counters"* ]]
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

# deaf COMMAND...: perf, whose programs are loaded but never run
deaf() {
	DEAF_PROGRAMS=1 LD_PRELOAD=$SHIM timeout -k 5 60 "$PERF" "$@"
}

@test "a command whose programs saw nothing says so, and nothing else does" {
	local -A nothing=(
		["kmem stat --bpf"]="no allocation of the command was seen"
		["kmem stat --bpf --page"]="no allocation of the command was seen"
		["kmem stat --bpf -a"]="no allocation was seen"
		["sched latency --bpf"]="the table is empty: no task was seen to wait for a CPU"
		["lock contention -b -a"]="the table is empty: no task waited for a lock"
		["stat --bpf-counters -e task-clock"]="the BPF programs did not see the command run"
		["record -o data -e dummy --off-cpu=bpf"]="--off-cpu: the command was not seen to wait"
		["trace -o calls"]="no call of the command was seen"
	)
	local what
	work
	for what in "${!nothing[@]}"; do
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr deaf $what -- python3 work.py
		echo "$what: $stderr"
		[[ "$stderr" == *"note: ${nothing[$what]}"* ]]
		[[ "$what" != lock* ]] || continue # which may be right
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr "$PERF" $what -- python3 work.py
		echo "$what: $stderr"
		[[ "$stderr" != *"${nothing[$what]}"* ]]
	done
	# what was not to be counted is not missed
	run -0 --separate-stderr "$PERF" stat --bpf-counters -D -1 -e task-clock -- true
	[[ "$stderr" != *"did not see"* ]]
}

@test "kwork -b says that no work was seen when its programs saw none" {
	local pid
	DEAF_PROGRAMS=1 LD_PRELOAD=$SHIM "$PERF" kwork report -b 3>&- >counted 2>said &
	pid=$!
	until_true grep -q "Starting trace" counted
	kill -INT $pid
	wait $pid || [ $? -eq 130 ]
	cat counted said
	grep -q "note: the table is empty: no work was seen" said
}
