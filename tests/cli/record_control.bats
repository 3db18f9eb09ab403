#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record steered from outside: --control, -D; and -G.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
}

teardown() {
	end_jobs
	touch stop
	rmdir ${group-} ${groups-} 2>/dev/null || :
}

# sends $1 and waits for its answer, which ends in a NUL
ask() {
	printf '%s\n' "$1" >&8
	timeout 60 head -c 5 <&9 | tr -d '\0' | grep -qx ack
}

start_steered() { # options
	mkfifo ctl ack
	exec 8<>ctl 9<>ack
	"$PERF" record "$@" --control fifo:ctl,ack -o d -- \
		sh -c 'while [ ! -e stop ]; do :; done' 2>err 8>&- 9>&- 3>&- &
	pid=$!
	ask ping
}

samples() {
	"$PERF" script -i "$1" -F comm,event 2>/dev/null | grep -c "${2-:}" || :
}

has_samples() { # FILE EVENT N: more than N
	[ "$(samples "$1" "$2")" -gt "$3" ]
}

@test "--control: nothing counts before enable; stop ends; every command is answered" {
	start_steered -D -1 -e cpu-clock,task-clock -c 1000000
	ask disable
	ask 'enable cpu-clock'
	ask evlist
	ask 'evlist -v'
	ask 'enable nothing'
	ask nonsense
	until_true has_samples d cpu-clock: 5
	ask stop
	touch stop
	wait $pid || :
	grep -q '^Events disabled$' err
	grep -q '^Event cpu-clock enabled$' err
	grep -qx 'task-clock' err
	grep -q '^cpu-clock: type: 1' err
	grep -q "no event 'nothing'" err
	grep -q 'unknown command' err
	[ "$(samples d cpu-clock:)" -gt 5 ]
	[ "$(samples d task-clock:)" -eq 0 ]
	[ ! -x "$ORACLE" ] || [ "$("$ORACLE" script -i d -F event 2>/dev/null | grep -c cpu-clock)" -gt 5 ]
}

@test "--control fd: after disable nothing comes any more, after enable it goes on" {
	mkfifo ctl ack
	exec 8<>ctl 9<>ack
	"$PERF" record -e cpu-clock -c 1000000 --control fd:8,9 -o d -- \
		sh -c 'while [ ! -e stop ]; do :; done' 2>err 3>&- &
	pid=$!
	ask ping
	ask disable
	ask enable
	touch stop
	wait $pid
	[ "$(grep -c '^Events' err)" -eq 2 ]
	grep -q 'Captured and wrote' err
}

@test "--control: a client that never pauses and reads no answers keeps neither record nor stat from ending" {
	mkfifo ctl ack
	exec 8<>ctl 9<>ack
	yes ping >&8 2>/dev/null 3>&- &
	yes=$!
	for command in record stat; do
		# more commands arrive than there is room for answers
		run -0 timeout -k 5 60 "$PERF" $command -e cpu-clock -o d --control fifo:ctl,ack -- \
			sh -c 'sleep 1; grep VmHWM "/proc/$PPID/status" >memory' 8>&- 9>&-
		[ "$(tr -dc 0-9 <memory)" -lt 200000 ] || { cat memory; false; }
		for signal in INT TERM; do
			run timeout -k 40 -s $signal 1 "$PERF" $command -e cpu-clock -o d --control fifo:ctl,ack -- sleep 77.7 8>&- 9>&-
			[ "$status" -ne 137 ] || { echo "$command did not end by $signal"; false; }
		done
	done
	kill $yes
	wait $yes || :
	# the answers that had room are there
	timeout 10 head -c 5 <&9 | tr -d '\0' | grep -qx ack
}

@test "--control snapshot begins a new file; a wrong channel is refused" {
	start_steered --switch-output -e cpu-clock
	ask snapshot
	until_true grep -q Dump err
	ask stop
	touch stop
	wait $pid || :
	[ "$(ls d.* | wc -l)" -eq 2 ]
	run "$PERF" record --control nonsense true
	[ "$status" -ne 0 ]
	[[ "$output" == *"fifo:CTL"* ]]
	run "$PERF" record -D -1 true
	[ "$status" -eq 129 ]
	[[ "$output" == *"--control"* ]]
}

# The times of samples have one gap of more than 0.6 s, and one before the end; all slow times as long.
in_ranges() {
	awk -v end="$end" -v gap="$((6 * slow))" '
		NR > 1 && $1 - t > gap / 10 { n++ }
		{ t = $1 }
		END { print NR " samples, " n + 0 " gaps, the last at " t ", end " end
			exit !(NR > 10 && n == 1 && end - t > gap / 10) }' times
}

@test "-D ranges: samples lie in them and nowhere else" {
	# the ranges are 1.2 s apart, as is the end; a busy machine may shift each by half of that,
	# a slower one has more time
	for slow in 1 2 4 8; do
		rm -f stop
		"$PERF" record -k mono -e cpu-clock -c 1000000 -o d --timeout $((2900 * slow)) \
			-D $((100 * slow))-$((300 * slow)),$((1500 * slow))-$((1700 * slow)) -- \
			sh -c 'while [ ! -e stop ]; do :; done' 2>err || :
		end=$(python3 -c 'import time; print(time.monotonic())')
		: >stop
		"$PERF" script -i d -F time 2>/dev/null | tr -d ': ' >times
		in_ranges && break
	done
	in_ranges
	for bad in 5-3 10-20,15-30 x-y 5-; do
		run "$PERF" record -D $bad true
		[ "$status" -eq 129 ]
	done
}

@test "-G: samples of one cgroup only; it needs CPUs" {
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "no cgroup2 file system"
	grep -q 'perf_event' "$mount/cgroup.controllers" 2>/dev/null || [ -d "$mount" ]
	group=$mount/perf-test-$$
	mkdir "$group" 2>/dev/null || skip "cannot make a cgroup"
	sh -c 'echo $$ >'"$group"'/cgroup.procs; while [ ! -e stop ]; do :; done' 3>&- &
	inside=$!
	until_true grep -qx $inside "$group/cgroup.procs"
	record_some 5 d -e cpu-clock -a -G "perf-test-$$"
	touch stop
	wait $inside
	"$PERF" script -i d -F pid 2>/dev/null | tr -d ' ' | sort -u >pids
	[ "$(grep -vx 0 pids)" = "$inside" ]
	run "$PERF" record -e cpu-clock -G "perf-test-$$" -- true
	[ "$status" -eq 129 ]
	[[ "$output" == *"-a or -C"* ]]
}

@test "--for-each-cgroup takes every event in every cgroup that fits" {
	unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$unified" ] || skip "no cgroup file system"
	groups="$unified/perf-each-$$-a $unified/perf-each-$$-b"
	mkdir $groups 2>/dev/null || skip "cannot make a cgroup"
	inside=
	for g in $groups; do
		sh -c 'echo $$ >'"$g"'/cgroup.procs; while [ ! -e stop ]; do :; done' 3>&- &
		inside="$inside $!"
		until_true grep -qx $! "$g/cgroup.procs"
	done
	"$PERF" record -q -e cpu-clock,task-clock -a --for-each-cgroup "perf-each-$$-.*" -o d 3>&- &
	recorder=$!
	seen=0
	for i in $inside; do until_true holds_pid d $i && seen=$((seen + 1)); done
	kill -INT $recorder
	wait $recorder || :
	touch stop
	wait $inside || :
	for g in $groups; do until_true rmdir $g; done
	[ "$seen" -eq 2 ]
	"$PERF" script -i d -F pid 2>/dev/null | tr -d ' ' | grep -vx 0 | sort -un | xargs >pids
	[ "$(cat pids)" = "$(printf '%s\n' $inside | sort -n | xargs)" ]
	[ "$("$PERF" evlist -i d | grep -c 'cpu-clock')" -eq 2 ]
	[ "$("$PERF" evlist -i d | grep -c 'task-clock')" -eq 2 ]
}
