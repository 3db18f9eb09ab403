#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: how it writes, where it runs, what it tells of what ran before, old words.
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
}

need_oracle() {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

told() {
	sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$1"
}

samples() {
	"$1" report -i "$2" --stats 2>/dev/null |
		awk '$1 == "SAMPLE" && $2 == "events:" { n = $3 } END { print n + 0 }'
}

attr() { # FILE: what evlist -v says of its first event
	"$PERF" evlist -v -i "$1" | head -1
}

busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'

@test "--aio: a thread writes; the file is whole, also compressed, in a pipe, and after kill -9" {
	need_oracle
	for how in --aio '--aio=4 -z'; do
		"$PERF" record $how -g -c 50000 -e cpu-clock -o d -- sh -c "$busy" 2>err
		for p in "$ORACLE" "$PERF"; do [ "$(samples "$p" d)" -eq "$(told err)" ]; done
		"$ORACLE" buildid-list -i d | grep -q dash
	done
	"$PERF" record --aio -e cpu-clock -o - -- sh -c "$busy" 2>err >s
	[ "$("$ORACLE" script -i - -F comm <s 2>/dev/null | grep -c .)" -eq "$(told err)" ]
	# -N: nor is there a thread that holds programs
	"$PERF" record --aio -q -N -e cpu-clock -c 50000 -m 4 -o k -- sh -c 'while [ ! -e stop ]; do :; done' 3>&- &
	pid=$!
	until_true grep -q aio "/proc/$pid/cmdline"
	until_true holds k 300
	[ "$(ls "/proc/$pid/task" | wc -l)" -eq 2 ]
	kill -9 $pid
	wait $pid || :
	touch stop
	run --separate-stderr "$PERF" script -i k -F comm
	[ "$status" -eq 0 ]
	[ "$(grep -cx ' *sh *' <<<"$output")" -gt 200 ]
	run "$PERF" record --aio=5 true
	[ "$status" -eq 129 ]
}

@test "--aio on a full disk: what was written is read, the reason is said" {
	mkdir small
	mount -t tmpfs -o size=300k none small
	run "$PERF" record --aio -e cpu-clock -c 20000 -m 4 -o small/d -- sh -c 'while :; do :; done'
	n=$(samples "$PERF" small/d)
	umount small
	[ "$status" -eq 1 ]
	[[ "$output" == *"No space left"* ]]
	[ "$n" -gt 1000 ]
}

@test "--affinity: the recorder moves to the CPU, or node, of a ring" {
	last=$(($(getconf _NPROCESSORS_ONLN) - 1))
	for how in cpu node; do
		rm -f d
		# it begins where it would not stay
		taskset -c 0 "$PERF" record --affinity=$how -e cpu-clock -m 1 -c 100000 -C $last -o d 2>err 3>&- &
		pid=$!
		want=$last
		[ $how = cpu ] || want=$(cat /sys/devices/system/cpu/cpu$last/node*/cpulist 2>/dev/null) || want=0
		until_true holds d 0
		until_true grep -q "^Cpus_allowed_list:[[:space:]]*$want\$" "/proc/$pid/status"
		kill -INT $pid
		wait $pid || :
		[ "$(samples "$PERF" d)" -eq "$(told err | grep . || echo 0)" ]
	done
	run "$PERF" record --affinity=disk true
	[ "$status" -eq 129 ]
	run "$PERF" record --affinity=cpu --threads true
	[ "$status" -eq 129 ]
}

@test "-r: the recorder has that real-time priority" {
	"$PERF" record -q -r 5 -e cpu-clock -C 0 -o d 3>&- &
	pid=$!
	# of /proc/PID/stat: priority, and 1 for SCHED_FIFO
	first() { [ "$(cut -d ' ' -f 40,41 "/proc/$pid/stat")" = '5 1' ]; }
	until_true first
	until_true has_rings $pid
	kill -INT $pid
	wait $pid || :
	[ "$("$PERF" evlist -i d | head -n 1)" = cpu-clock ]
}

@test "--num-thread-synthesize: so many threads tell the same" {
	command -v strace >/dev/null || skip "strace is missing (package strace)"
	# all its maps are there
	mkfifo never
	sh -c ': >ready; read -r _ <never' 3>&- & pid=$!
	until_true test -e ready
	"$PERF" record -q -a -e cpu-clock -o one -- true
	"$PERF" record -q -a -e cpu-clock --num-thread-synthesize 3 -o three -- true
	kill $pid
	# and by so many threads
	for n in 1 3; do
		ASAN_OPTIONS=detect_leaks=0 strace -f -o calls -e trace=clone,clone3 \
			"$PERF" record -q -B -a -e cpu-clock --num-thread-synthesize $n -o d -- true
		grep -c CLONE_THREAD calls >$n.threads || :
	done
	[ "$(cat 3.threads)" -eq $(($(cat 1.threads) + 3)) ]
	for f in one three; do
		"$PERF" script -i $f --show-mmap-events -F pid,event 2>/dev/null | grep -c " $pid/$pid:" >$f.n || :
		"$PERF" script -i $f --show-task-events -F pid,event 2>/dev/null | grep -q "COMM: sh:$pid/$pid"
	done
	cmp one.n three.n
	[ "$(cat one.n)" -gt 3 ]
}

@test "--proc-map-timeout: a process with too many maps is cut, and said" {
	gcc -o many "$BATS_TEST_DIRNAME/many-maps.c"
	./many 3>&- & pid=$!
	until_true test -e ready
	run "$PERF" record -e cpu-clock -p $pid --proc-map-timeout 100000 --timeout 50 -o all
	[[ "$output" != *--proc-map-timeout* ]]
	run "$PERF" record -e cpu-clock -p $pid --proc-map-timeout 1 --timeout 50 -o cut
	kill $pid
	[[ "$output" == *"in 1 ms"* ]]
	[[ "$output" == *--proc-map-timeout* ]]
	maps() { "$PERF" report -i "$1" --stats | awk '$1 == "MMAP2" { print $3 }'; }
	[ "$(maps all)" -gt 30000 ]
	[ "$(maps cut)" -lt 30000 ]
}

@test "--switch-output-event begins a new file when it hits, and is not in it" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	"$PERF" record -e cpu-clock -a -o d --switch-output-event sched:sched_process_exec \
		-- sh -c '/bin/true; while [ "$(ls d.* 2>/dev/null | wc -l)" -lt 2 ]; do :; done' 2>err
	[ "$(ls d.* | wc -l)" -ge 3 ]
	for f in d.*; do run ! grep -q sched <("$PERF" evlist -i "$f"); done
	run "$PERF" record --switch-output-event nosuch true
	[ "$status" -eq 129 ]
}

@test "--switch-output-event with -p: of that process, not of others" {
	[ -e /sys/kernel/tracing/events/syscalls ] || skip "tracefs is not mounted"
	mkfifo go
	perl -e 'getppid() while sysread(STDIN, $c, 1)' <go 3>&- & pid=$!
	exec 7>go
	mkfifo ctl ack
	exec 8<>ctl 9<>ack
	# it answers between two looks at its events
	answers() { printf 'ping\n' >&8; timeout 60 head -c 5 <&9 >/dev/null; }
	"$PERF" record -q -e cpu-clock -p $pid -o d --control fifo:ctl,ack \
		--switch-output-event syscalls:sys_enter_getppid 8>&- 9>&- 3>&- & rec=$!
	files() { [ "$(ls d.* 2>/dev/null | wc -l)" -eq "$1" ]; }
	answers
	printf x >&7
	until_true files 1
	perl -e 'getppid() for 1 .. 100'
	answers
	answers
	files 1
	printf x >&7
	until_true files 2
	kill -INT $rec
	wait $rec || true
	kill $pid
	exec 7>&- 8>&- 9>&-
	files 3
}

@test "-p: threads and processes that come later are followed; with -i they are not" {
	cat >later.c <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	static volatile long n;
	static void *spin(void *a) { for (;;) n++; return a; }
	int main(void) {
		char c;
		pthread_t t;
		if (read(0, &c, 1) != 1) return 1;
		pthread_create(&t, NULL, spin, NULL);
		if (!fork()) spin(NULL);
		pause();
	}
	END
	gcc -O1 -o later later.c -lpthread
	for how in '' -i; do
		rm -f go
		mkfifo go
		./later <go 3>&- & pid=$!
		exec 7>go
		"$PERF" record -q -e cpu-clock:u -p $pid $how -o d 3>&- & rec=$!
		until_true has_rings $rec
		printf x >&7
		until_true pgrep -P $pid
		child=$(pgrep -P $pid)
		# another thread of the process, and the child
		followed() {
			"$PERF" script -i d -F pid,tid 2>/dev/null | tr / ' ' | awk '{ print $1, $1 == $2 }' |
				sort -u | grep -cE "^($pid 0|$child 1)$"
		}
		both() { [ "$(followed)" -eq 2 ]; }
		ran() { [ "$(cut -d ' ' -f 14 "/proc/$child/stat")" -ge 10 ]; }
		if [ -z "$how" ]; then until_true both; else until_true ran; fi
		kill -INT $rec
		wait $rec || true
		n=$(followed) || true
		kill $child $pid
		exec 7>&-
		[ "$n" -eq "$([ -z "$how" ] && echo 2 || echo 0)" ]
	done
}

@test "the old -g dwarf, with and without a size, and a command that is called so" {
	"$PERF" record -q -e cpu-clock -g dwarf,1024 -o d sh -c "$busy"
	attr d | grep -q 'sample_stack_user: 1024'
	"$PERF" record -q -g dwarf -e cpu-clock -o d -- sh -c "$busy"
	attr d | grep -q 'sample_stack_user: 8192'
	"$PERF" record -q -e cpu-clock -g -o d sh -c "$busy"
	! attr d | grep -q sample_stack_user || return 1
}

@test "fp,defer where the kernel has it, else said" {
	run "$PERF" record -q --call-graph fp,defer -e cpu-clock -o d true
	if [ "$status" -eq 0 ]; then
		attr d | grep -q 'defer_callchain: 1'
	else
		[[ "$output" == *"fp,defer"* ]]
		[[ "$output" == *"--call-graph fp"* ]]
	fi
	run "$PERF" record --call-graph fp,nosuch true
	[ "$status" -eq 129 ]
}

@test "--latency records context switches; not of a whole system" {
	"$PERF" record -q --latency -e cpu-clock -o d -- sh -c "$busy"
	"$PERF" evlist -v -i d | grep -q 'context_switch: 1'
	"$PERF" report -i d --latency --stdio 2>/dev/null | grep -q dash
	run "$PERF" record --latency -a -- true
	[ "$status" -eq 129 ]
	[[ "$output" == *--latency* ]]
}

@test "--vmlinux is where --probe looks" {
	run "$PERF" record --vmlinux /no/such/file --probe 'do_sys_open path=x' -o d true
	[ "$status" -ne 0 ]
	[[ "$output" == *"/no/such/file"* ]]
}

@test "--buildid-all lists objects without samples" {
	"$PERF" record -q -N -n -e cpu-clock -o few true
	"$PERF" record -q -N -n -e cpu-clock --buildid-all -o all true
	run ! grep -q libc <("$PERF" buildid-list -i few)
	"$PERF" buildid-list -i all | grep -q libc
}

@test "the kernel's map is its code, and few lines of kallsyms were read for it" {
	command -v strace >/dev/null || skip "strace is missing (package strace)"
	ASAN_OPTIONS=detect_leaks=0 strace -f -P /proc/kallsyms -e trace=read -o calls \
		"$PERF" record -q -B -N -e cpu-clock -o d -- true
	from=0x$(awk '$3 == "_stext" { print $1; exit }' /proc/kallsyms)
	to=0x$(awk '$3 == "_etext" { print $1; exit }' /proc/kallsyms)
	want=$(printf '[%#x(%#x)' "$from" $((to - from)))
	"$PERF" script --show-mmap-events -i d 2>/dev/null | grep -F "$want @ " | grep -q 'kernel.kallsyms'
	# all of it are thousands of pages; on x86 /proc/iomem tells where the code ends
	[ "$(uname -m)" != x86_64 ] || [ "$(grep -c 'read(' calls)" -lt 100 ]
}

@test "-m rounds pages up to a power of two, as perf 6.1 does, and says so" {
	page=$(getconf PAGESIZE)
	for pages in 3:4 4:4 5:8 100:128; do
		# -N: without the rings by which programs are held
		"$PERF" record -N -m ${pages%:*} -e cpu-clock -o d -- sh -c 'cat /proc/$PPID/maps' >maps 2>err
		if [ ${pages%:*} -eq ${pages#*:} ]; then
			run ! grep -q 'power of two' err
		else
			grep -q "note: the number of pages in a ring must be a power of two: ${pages%:*} become ${pages#*:}" err
		fi
		# one page more for the ring's head
		want=$(printf %x $(((${pages#*:} + 1) * page)))
		sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) .*perf_event.*/\1 \2/p' maps >rings
		[ -s rings ]
		while read -r from to; do
			[ "$(printf %x $((0x$to - 0x$from)))" = "$want" ]
		done <rings
	done
}

@test "--sample-mem-info: the data source alone" {
	"$PERF" record -q --sample-mem-info -e cpu-clock -o mem.data true
	run -0 "$PERF" evlist -v -i mem.data
	[[ "$output" == *DATA_SRC* && "$output" != *"|ADDR"* && "$output" != *mmap_data* ]]
	"$PERF" record -q -e cpu-clock -o mem.data true
	run -0 "$PERF" evlist -v -i mem.data
	[[ "$output" != *DATA_SRC* ]]
}
