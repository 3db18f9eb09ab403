#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf stat, where it differs from Debian's perf on purpose: rows stat-* of tests/differences that no other
# suite has.

bats_require_minimum_version 1.5.0

load pmu

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "stat-table-bars: bars of --table are at most 40 wide" {
	# one run far longer than the others, on a busy machine too
	"$PERF" stat --table -n -r 4 sh -c 'if [ -e ran ]; then sleep 0.001; else : >ran; sleep 1.5; fi' 2>out
	[ "$(grep -cE '^ +[0-9.]+ \([+-][0-9.]+\) #' out)" -eq 4 ]
	run ! grep -E '#{41}' out
	grep -qE '#{20}' out
}

@test "stat-zero-times: a time of 0 is 0" {
	# of the two one may be 0 by chance, which neither may show as not counted
	for _ in 1 2 3 4 5; do
		"$PERF" stat -x, -e user_time,system_time true 2>out
		[ "$(grep -cE '^[0-9]+,ns,(user|system)_time,' out)" -eq 2 ]
	done
}

@test "stat-tools-alone: tool events alone count for the command" {
	run "$PERF" stat -e duration_time,num_cpus_online true
	[ "$status" -eq 0 ]
	[[ "$output" == *"Performance counter stats for 'true':"* ]]
	[[ "$output" == *" seconds user"* ]]
}

@test "stat-numbered-lines: behind a domain stands on how many CPUs an event was counted" {
	"$PERF" stat -x, -a --per-core -e duration_time,cs true 2>out
	first=$(head -n 1 out | cut -d, -f1)
	grep -qE "^$first,1,[0-9]+,ns,duration_time," out
	[ "$(grep -c ',duration_time,' out)" -eq "$(grep -c ',cs,' out)" ]
	# all CPUs together
	[ "$(awk -F, '$5 == "cs" { n += $2 } END { print n }' out)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
}

@test "stat-cpu-title: the title of -a -C names the CPUs" {
	run "$PERF" stat -a -C 0 -e cs true
	[[ "$output" == *"Performance counter stats for 'CPU(s) 0':"* ]]
}

@test "stat-group-part: -g leaves out what this machine lacks" {
	! has_pmu_of_cpus || skip "this machine has a PMU of its CPUs"
	for how in "-g -e faults,r1,cs" "-e {faults,r1,cs}" "-e {faults,r1,cs}:W"; do
		"$PERF" stat -x, $how true 2>out
		grep -qE '^[1-9][0-9]*,,faults,' out
		grep -qE '^<not supported>,,r1,' out
		grep -qE '^[0-9]+,,cs,' out
	done
}

@test "stat-group-leader: a group without its leader is led by the next event" {
	! has_pmu_of_cpus || skip "this machine has a PMU of its CPUs"
	for how in "-e {r1,faults,cs},faults" "-e {r1,r2,faults,duration_time,cs}" "-g -e r1,faults,cs" \
		"-e {r1,faults,cs}:W" "-e {r1,faults}" "-r 2 -e {r1,faults,cs}" "-a -e {r1,faults,cs}" \
		"-D 1 -e {r1,faults,cs}"; do
		"$PERF" stat -x, $how sh -c 'sleep 0.02; true; (true)' 2>out
		cat out
		grep -q '^<not supported>,,r1,' out
		[ "$(grep -cE '^[1-9][0-9]*,,faults,' out)" -eq "$(grep -c faults out)" ]
		[ "$(grep -cE '^[0-9]+,,cs,' out)" -eq "$(grep -c ',cs,' out)" ]
	done
	"$PERF" stat record -x, -o data -e '{r1,faults,cs}' true 2>live
	"$PERF" stat report -i data -x, 2>got
	grep -qE '^[1-9][0-9]*,,faults,' got
	diff live got
}

@test "stat-tool-rates: tool events have no rate" {
	"$PERF" stat -x, -e task-clock:u,duration_time,user_time,num_cpus true 2>out
	[ "$(grep -cE '^[0-9]+,(ns)?,(duration_time|user_time|num_cpus),[0-9]+,100.00,,$' out)" -eq 3 ]
}

@test "stat-metric-only-runs, stat-timeout-intervals: options that go together" {
	"$PERF" stat -x, --metric-only -r 3 -M page_faults_per_second true 2>out
	[[ "$(tail -n 1 out)" =~ ^[0-9.]+,$ ]]
	"$PERF" stat -x, -a -I 10 --timeout 50 -e cpu-clock 2>out
	[ "$(grep -c ',cpu-clock,' out)" -ge 1 ]
}

@test "event-glob-order: events of a glob come in the order of their names" {
	[ -e /sys/kernel/tracing/events/syscalls ] || skip "no system-call tracepoints"
	"$PERF" stat -x, -e 'syscalls:sys_enter_rea*' true 2>out
	[ "$(wc -l <out)" -ge 3 ]
	cut -d, -f3 out | LC_ALL=C sort -c
}

@test "stat-delay-silent: -D says nothing" {
	"$PERF" stat -x, -D 10 -e cs -o out sleep 0.05 2>err
	[ ! -s err ]
	grep -q ',,cs,' out
	# the time before is not measured
	a=${EPOCHREALTIME/./}
	"$PERF" stat -x, -D 300 -e duration_time -o out sleep 0.5
	b=${EPOCHREALTIME/./}
	measured=$(awk -F, '$3 == "duration_time" { print int($1 / 1000) }' out)
	[ "$measured" -gt 0 ]
	[ "$measured" -le $((b - a - 300000)) ]
}

@test "stat-timeout-short: --timeout takes any time" {
	run "$PERF" stat -e cs --timeout 1 sleep 100
	[ "$status" -eq 0 ]
	[[ "$output" == *" cs "* && "$output" != *warning* ]]
}

@test "stat-node-head: heads and fields are of one number" {
	for by in --per-node --per-die --per-socket --per-core; do
		"$PERF" stat -x, -a --metric-only $by -e cs,cpu-clock true 2>out
		[ "$(wc -l <out)" -ge 2 ]
		[ "$(awk -F, '{ print NF }' out | sort -u | wc -l)" -eq 1 ] || { cat out; return 1; }
		head -n 1 out | grep -qE '^[a-z]+,cpus,'
	done
}

@test "stat-verbose: -v shows raw counts and no notes on itself" {
	run "$PERF" stat -v -e cs,faults true
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^cs:\ [0-9]+\ [0-9]+\ [0-9]+$ ]]
	[[ "${lines[1]}" =~ ^faults:\ [0-9]+\ [0-9]+\ [0-9]+$ ]]
	[[ "$output" != *CPUID* && "$output" != *"Control descriptor"* ]]
}

@test "stat-by-cpu-of-task: -A and --per-core refuse tasks, with the way out" {
	for args in "-A -t $$" "-A -p $$" "--per-core -p $$" "-A true" "--per-socket true"; do
		run "$PERF" stat -e cs $args
		[ "$status" -eq 129 ]
		[ "${lines[0]}" = "error: -A and --per-* count by CPU: give -a or -C" ]
	done
}

@test "stat-interval-runs: -I and -r exclude each other" {
	run "$PERF" stat -r 2 -I 10 true
	[ "$status" -eq 129 ]
	[ "${lines[0]}" = "error: -I and -r cannot be combined" ]
}
