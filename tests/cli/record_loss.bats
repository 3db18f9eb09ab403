#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record under stress: what is lost is counted, disks that fill, signals at any moment; and
# what is told of growth and of BPF programs.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export HOME=$PWD
}

teardown() {
	end_jobs
	! mountpoint -q "$BATS_TEST_TMPDIR/small" || umount "$BATS_TEST_TMPDIR/small"
}

# SAMPLE records of event $3 that $1 counts in $2
samples() {
	"$1" report -i "$2" --stats 2>/dev/null | awk -v e="$3" '
		/ stats:$/ { event = $1 }
		$1 == "SAMPLE" && $2 == "events:" && event == e { n = $3 }
		END { print n + 0 }'
}

all_samples() {
	"$1" report -i "$2" --stats 2>/dev/null |
		awk '$1 == "SAMPLE" && $2 == "events:" && !seen++ { n = $3 } END { print n + 0 }'
}

busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'

@test "64 threads fork, map and exit: samples and lost are together what happened" {
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "tracefs is not mounted"
	cat >storm.c <<-'X'
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <sys/mman.h>
	#include <sys/syscall.h>
	#include <sys/wait.h>
	#include <unistd.h>
	enum { THREADS = 64, TURNS = 8, CALLS = 400 };
	static void call(int n) { while (n--) syscall(SYS_getppid); }
	static void *storm(void *arg) {
		for (int i = 0; i < TURNS; i++) {
			void *p = mmap(0, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			pid_t pid = fork();
			if (!pid) { call(CALLS); _exit(0); }
			call(CALLS);
			if (pid > 0) waitpid(pid, 0, 0);
			else call(CALLS);
			munmap(p, 65536);
		}
		return arg;
	}
	int main(int argc, char **argv) {
		pthread_t t[THREADS];
		/* with an argument the recorder stands still for the first half, so small rings do lose */
		if (argc > 1) kill(getppid(), SIGSTOP);
		for (int i = 0; i < THREADS; i++) {
			pthread_create(&t[i], 0, storm, 0);
			if (i == THREADS / 2 && argc > 1) {
				for (int k = 0; k < i; k++) pthread_join(t[k], 0);
				kill(getppid(), SIGCONT);
			}
		}
		for (int i = argc > 1 ? THREADS / 2 : 0; i < THREADS; i++) pthread_join(t[i], 0);
		printf("%d\n", THREADS * TURNS * CALLS * 2 + (argc > 1 ? 2 : 0));
	}
	X
	gcc -O1 -pthread -o storm storm.c
	# rings of a page for the most losses, the usual ones for none; getppid is number 110
	for how in '-m 1' '-m 1 --threads' ''; do
		"$PERF" record -v $how -B -e cpu-clock/freq=50000/ -e raw_syscalls:sys_enter --filter 'id == 110' \
			-o d ./storm ${how:+lose} >happened 2>err
		lost=$(awk '$2 == "lost" && $3 == "raw_syscalls:sys_enter" { n += $1 } END { print n + 0 }' err)
		[ "$(($(samples "$PERF" d raw_syscalls:sys_enter) + lost))" -eq "$(cat happened)" ]
		[ -z "$how" ] || [ "$lost" -gt 0 ]
		# the file says the same
		[ "$("$PERF" report -i d --stats 2>/dev/null |
			awk '$1 == "SAMPLE" && !n { n = $3 } END { print n }')" -ge 1 ]
	done
}

@test "the closing line says how many, why, and one thing that helps; -v by event and CPU" {
	run --separate-stderr "$PERF" record -v -m 1 -a -e raw_syscalls:sys_enter -o d -- \
		sh -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=300000; kill -CONT $PPID'
	total=$(sed -n 's/^warning: \([0-9]*\) samples and other records were lost: .*/\1/p' <<<"$stderr")
	[ "$total" -gt 0 ]
	[ "$(grep -c '^hint: ' <<<"$stderr")" -eq 1 ]
	grep -q '^hint: use larger rings: -m 2M$' <<<"$stderr"
	grep -qE '^ +[0-9]+ lost  raw_syscalls:sys_enter  CPU [0-9]+$' <<<"$stderr"
	[ "$(awk '$2 == "lost" { n += $1 } END { print n }' <<<"$stderr")" -eq "$total" ]
	# 6.1 finds the same number in the file
	[ ! -x "$ORACLE" ] || "$ORACLE" report -i d --stats 2>/dev/null | grep -q LOST_SAMPLES
}

@test "copies of stacks: a recorder that stands still for 1,500 of them loses none" {
	[ "$(getconf _NPROCESSORS_ONLN)" -le 16 ] || skip "rings of all CPUs together have 256 MB: smaller ones here"
	cat >faults.c <<-'X'
	#include <signal.h>
	#include <sys/mman.h>
	#include <unistd.h>
	int main(void) {
		volatile char *p = mmap(0, 1500 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise((void *)p, 1500 * 4096, MADV_NOHUGEPAGE);
		kill(getppid(), SIGSTOP);
		for (int i = 0; i < 1500; i++) p[i * 4096] = 1;
		kill(getppid(), SIGCONT);
	}
	X
	gcc -O1 -o faults faults.c
	lost() { "$PERF" record -v -B -e page-faults -c 1 --call-graph dwarf,8192 -o d "$@" ./faults 2>&1 | sed -n 's/^warning: \([0-9]*\) samples .*lost.*/\1/p'; }
	[ -z "$(lost)" ]
	[ "$(all_samples "$PERF" d)" -gt 1500 ]
	# in rings of the size that -m says there is no room
	[ "$(lost -m 4M)" -gt 500 ]
}

@test "a disk that is full: a warning before, then what was written can be read" {
	mkdir small
	mount -t tmpfs -o size=6m none small
	run --separate-stderr "$PERF" record -e raw_syscalls:sys_enter -a -o small/d -- \
		dd if=/dev/zero of=/dev/null bs=1 count=20000000
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"error: cannot write 'small/d': No space left on device"* ]]
	for p in "$PERF" "$ORACLE"; do
		[ ! -x "$p" ] || [ "$(all_samples "$p" small/d)" -gt 10000 ]
	done
	run --separate-stderr "$PERF" script -i small/d -F comm
	[ "$status" -eq 0 ]
	umount small
	# slow enough to warn in time
	mount -t tmpfs -o size=20m none small
	"$PERF" record -e cpu-clock -c 20000 -g -o small/d -- sh -c 'while :; do :; done' 2>err 3>&- &
	pid=$!
	until_true grep -q '^hint: --max-size' err
	kill -INT $pid
	wait $pid || :
	grep -q "^warning: the file system of 'small/d' is full in .* s at this rate" err
}

@test "a file system of its own that fills, on a loop device" {
	truncate -s 8M image
	mkfs.ext4 -q -m 0 image 2>/dev/null || skip "no mkfs.ext4"
	mkdir small
	mount -o loop image small || skip "no loop device"
	run "$PERF" record -e raw_syscalls:sys_enter -a -o small/d -- \
		dd if=/dev/zero of=/dev/null bs=1 count=20000000
	[ "$status" -eq 1 ]
	for p in "$PERF" "$ORACLE"; do
		[ ! -x "$p" ] || [ "$(all_samples "$p" small/d)" -gt 10000 ]
	done
}

@test "-v forecasts how the file grows" {
	"$PERF" record -v -e cpu-clock -c 100000 -o d -- sh -c 'while :; do :; done' 2>err 3>&- &
	pid=$!
	until_true grep -qE '^recording [0-9.]+ MB a minute at this rate, [0-9.]+ MB so far$' err
	kill -INT $pid
	wait $pid || :
	"$PERF" record --timeout 1500 -e cpu-clock -c 100000 -o d -- sh -c 'while :; do :; done' 2>err || :
	! grep -q 'a minute' err || return 1
}

@test "a signal at any moment leaves a file that all can read" {
	i=0
	for pause in 0 0.005 0.01 0.02 0.03 0.05 0.08 0.13 0.2 0.3; do
		rm -rf d d.*
		sig=$([ $((i++ % 3)) = 0 ] && echo INT || { [ $((i % 2)) = 0 ] && echo TERM || echo KILL; })
		"$PERF" record -a -z -e cpu-clock -c 200000 -o d 2>err 3>&- &
		pid=$!
		until_true sh -c "[ -s d ] && grep -q SigCgt:.*[1-9a-f] /proc/$pid/status"
		sleep $pause
		kill -$sig $pid
		wait $pid || :
		"$PERF" evlist -i d >out || [ $sig = KILL ]
		[ $sig = KILL ] || grep -q cpu-clock out
		[ $sig = KILL ] || [ ! -x "$ORACLE" ] || "$ORACLE" report -i d --stats >/dev/null 2>&1
	done
}
