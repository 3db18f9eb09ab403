#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record when it is interrupted, killed, or out of disk.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
}

teardown() {
	[ ! -s child ] || kill -9 "$(cat child)" 2>/dev/null || :
	end_jobs
	[ ! -d disk ] || umount disk 2>/dev/null || :
}

need_oracle() {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

told() {
	sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$1"
}

samples() { # reader, file
	"$1" script -i "$2" -F comm,pid 2>/dev/null | grep -c .
}

@test "Ctrl-C, SIGTERM and SIGHUP end a recording in order, and are handed on" {
	need_oracle
	in_kernel() { "$PERF" script -i d -F comm,ip,dso 2>/dev/null | grep -F '[kernel.kallsyms]'; }
	for signal in INT:130 TERM:143 HUP:129; do
		rm -f d
		"$PERF" record -e cpu-clock -F 5000 -m 4 -a -o d 2>err 3>&- &
		pid=$!
		until_true holds d 10
		until_true in_kernel
		kill -"${signal%:*}" $pid
		wait $pid && code=0 || code=$?
		[ $code -eq "${signal#*:}" ]
		[ "$(told err)" -gt 10 ]
		[ "$(told err)" -eq "$(samples "$ORACLE" d)" ]
		"$ORACLE" buildid-list -i d | grep -q kernel
	done
}

@test "Ctrl-C ends the command, too, even one that does not want to" {
	"$PERF" record -q -e cpu-clock -o d -- sh -c 'trap "" TERM; sleep 1000 & echo $! >child; wait' 2>err 3>&- &
	pid=$!
	until_true test -s child
	kill -INT $pid
	# it waits for the command; the file is whole before that
	whole() { "$PERF" evlist -i d 2>said && [ ! -s said ]; }
	until_true whole
	kill -0 $pid
	kill -INT $pid
	wait $pid && code=0 || code=$?
	kill -9 "$(cat child)" 2>/dev/null || :
	[ $code -eq 130 ]
}

@test "SIGUSR2 is no reason to end" {
	"$PERF" record -e cpu-clock -F 5000 -m 4 -o d -a 2>err 3>&- &
	pid=$!
	until_true holds d 10
	kill -USR2 $pid
	until_true holds d $(($(samples "$PERF" d) + 100))
	kill -INT $pid
	wait $pid && code=0 || code=$?
	[ $code -eq 130 ]
	[ "$(told err)" -gt 100 ]
}

@test "signals that are ignored stay ignored (nohup)" {
	(
		trap '' HUP
		exec "$PERF" record -q -e cpu-clock -F 5000 -m 4 -a -o d
	) 3>&- &
	pid=$!
	until_true holds d 10
	kill -HUP $pid
	until_true holds d $(($(samples "$PERF" d) + 100))
	kill -INT $pid
	wait $pid && code=0 || code=$?
	[ $code -eq 130 ]
}

@test "kill -9 at any moment leaves a file that both read" {
	need_oracle
	for delay in 0.02 0.05 0.11 0.3 0.7 until; do
		rm -f d
		"$PERF" record -q -F 20000 -g -m 16 -e cpu-clock -a -o d 2>err 3>&- &
		pid=$!
		if [ $delay = until ]; then until_true holds d 500; else sleep $delay; fi
		kill -9 $pid
		wait $pid 2>/dev/null || :
		[ -s d ] || continue # not even the header yet
		"$ORACLE" report -i d --stdio >out 2>err && code=0 || code=$?
		# an empty one: killed before the first write
		grep -qE 'no samples|nothing to do|size field is 0' err && continue
		[ $code -eq 0 ] || { cat err; return 1; }
		"$PERF" report -i d --stdio >ours 2>err || { cat err; return 1; }
	done
	[ "$(samples "$ORACLE" d)" -gt 500 ]
	[ "$(samples "$ORACLE" d)" -eq "$(samples "$PERF" d)" ]
}

@test "large rings are emptied ten times a second, whatever little is in them" {
	command -v strace >/dev/null || skip "strace is missing (package strace)"
	[ -e /sys/kernel/tracing/events/syscalls ] || skip "tracefs is not mounted"
	# how long it waits for more at most: ms; at first it is less
	waits() { ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=ppoll -o calls "$PERF" record -q -B -C 0 -e cpu-clock -o d "$@" -- sleep $sleep
		sed -n 's/.*fd=-1}\], [0-9]*, {tv_sec=\([0-9]*\), tv_nsec=\([0-9]*\)}.*/\1 \2/p' calls |
			awk '{ ms = $1 * 1000 + int(($2 + 999999) / 1000000); if (ms > most) most = ms } END { print most }'; }
	sleep=2.5
	[ "$(waits -g)" -eq 1000 ]
	sleep=0.5
	[ "$(waits -m 8M)" -eq 100 ]
	[ "$(waits --call-graph dwarf)" -eq 100 ]
	[ "$(waits --call-graph dwarf --threads)" -eq 100 ]
	# far less than half of a ring is in the file when the recorder is killed
	mkfifo go ctl ack
	perl -e 'while (sysread(STDIN, $c, 1)) { getppid() for 1 .. 200 }' <go 3>&- & pid=$!
	exec 7>go 8<>ctl 9<>ack
	rm -rf d
	"$PERF" record -q -e syscalls:sys_enter_getppid --call-graph dwarf -p $pid -o d \
		--control fifo:ctl,ack 3>&- 7>&- 8>&- 9>&- & recorder=$!
	echo ping >&8
	timeout 60 head -c 5 <&9 >/dev/null
	printf x >&7
	until_true holds d 199
	kill -9 $recorder
	wait $recorder || :
	kill $pid
	exec 7>&- 8>&- 9>&-
	[ "$(samples "$PERF" d)" -eq 200 ]
}

@test "a full disk: one error, exit 1, what was written can be read" {
	need_oracle
	mkdir disk
	mount -t tmpfs -o size=2m none disk || skip "cannot mount a tmpfs"
	run -1 "$PERF" record -F 20000 -g -m 32 -e cpu-clock -a -o disk/d -- sleep 100
	[[ "$output" == *"error: cannot write 'disk/d': No space left on device"* ]]
	[ "$(grep -c '^error:' <<<"$output")" -eq 1 ]
	"$ORACLE" report -i disk/d --stdio >out 2>&1
	grep -q 'Samples:' out
	[ "$(samples "$ORACLE" disk/d)" -gt 100 ]
}

@test "-o of a device or a pipe: it stays what it was" {
	mknod full c 1 7
	mkfifo pipe
	run -1 "$PERF" record -q -e cpu-clock -o full true
	[[ "$output" == *"error: cannot write 'full': No space left on device"* ]]
	[ -c full ]
	run -1 "$PERF" record -q -e cpu-clock -o pipe touch ran
	[[ "$output" == *"error: 'pipe' is a pipe"*$'\n'"hint: -o - >'pipe' writes"* ]]
	[ -p pipe ] && [ ! -e ran ]
	"$PERF" record -q -e cpu-clock -o /dev/null true
	[ -c /dev/null ]
}

@test "a directory that cannot be written: an error before the command runs" {
	run -1 "$PERF" record -e cpu-clock -o /proc/no/d -- touch ran
	[[ "$output" == *"error: cannot create '/proc/no/d'"* ]]
	[ ! -e ran ]
}

@test "threads that come and go while it starts and runs" {
	need_oracle
	cat >storm.c <<-'X'
	#include <pthread.h>
	#include <stdlib.h>
	#include <time.h>
	static void *work(void *arg) { for (volatile int i = 0; i < 20000; i++); return arg; }
	int main(int argc, char **argv) {
		time_t end = time(NULL) + atoi(argv[1]);
		while (time(NULL) < end) {
			pthread_t t[16];
			for (int i = 0; i < 16; i++) pthread_create(&t[i], NULL, work, NULL);
			for (int i = 0; i < 16; i++) pthread_join(t[i], NULL);
		}
		return argc == 0;
	}
	X
	gcc -O1 -pthread -o storm storm.c
	./storm 1000 3>&- &
	storm=$!
	# with rings of the usual size the file grows once a second, with small ones at once
	for size in '' '-m 32' '-m 32' '-m 32'; do
		rm -f d
		"$PERF" record $size -e cpu-clock -p $storm -o d 2>err 3>&- &
		pid=$!
		until_true holds d 500
		kill -INT $pid
		wait $pid && code=0 || code=$?
		[ "$code" -eq 130 ] || { cat err; return 1; }
		[ "$(told err)" -gt 500 ]
		[ "$(told err)" -eq "$(samples "$ORACLE" d)" ]
	done
	kill $storm
}

@test "more events than descriptors: the limit is raised" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	(
		ulimit -Sn 32
		"$PERF" record -q -e 'sched:*' -a -o d -- true
	)
	"$PERF" evlist -i d | grep -q sched_switch
	# an ordinary user may not go over the hard one
	run -1 setpriv --bounding-set -sys_resource --inh-caps -sys_resource \
		bash -c 'ulimit -n 32; exec "$PERF" record -q -e "sched:*" -a -o e -- true'
	[[ "$output" == *"open files"*"hint:"*"ulimit -n"* ]]
}
