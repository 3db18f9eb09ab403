#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf stat: counts against an independent truth, the forms of its output, its exit codes.

bats_require_minimum_version 1.5.0
load wait

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >exact.c <<-'END'
		/* exact KIND N: N page faults, or N calls of sched_get_priority_max */
		#define _GNU_SOURCE
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			long n = atol(argv[argc - 1]);
			char *p;

			if (argv[1][0] == 's') {
				while (n-- > 0)
					syscall(SYS_sched_get_priority_max, 0);
				return 0;
			}
			p = mmap(0, n * 4096 + 4096, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(p, n * 4096 + 4096, MADV_NOHUGEPAGE);
			for (long i = 0; i < n; i++)
				p[i * 4096] = 1;
			return 0;
		}
	END
	gcc -O1 -o exact exact.c
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	exact=$BATS_FILE_TMPDIR/exact
	oracle=${RIVAL_PERF:-/usr/bin/perf}
}

teardown() {
	end_jobs
}

need_tracefs() {
	[ -e /sys/kernel/tracing/events/syscalls ] || skip "no system-call tracepoints"
}

# First field of the CSV row of event $1 in $2.
csv_count() {
	awk -F, -v e="$1" '$3 == e { print $1 }' "$2"
}

@test "page faults: each touched page is one" {
	for n in 100 5100; do
		"$PERF" stat -x, -o $n.csv -e faults:u "$exact" faults $n
	done
	# the loader's own vary by a few with the addresses that it is given
	more=$(($(csv_count faults:u 5100.csv) - $(csv_count faults:u 100.csv)))
	[ $more -ge 4990 ]
	[ $more -le 5010 ]
}

@test "system calls: exactly those that were made, also in a child" {
	need_tracefs
	"$PERF" stat -x, -o out -e syscalls:sys_enter_sched_get_priority_max "$exact" syscalls 1234
	[ "$(csv_count syscalls:sys_enter_sched_get_priority_max out)" -eq 1234 ]
	"$PERF" stat -x, -o out -e syscalls:sys_enter_sched_get_priority_max sh -c "$exact s 100; $exact s 23"
	[ "$(csv_count syscalls:sys_enter_sched_get_priority_max out)" -eq 123 ]
	"$PERF" stat -i -x, -o out -e syscalls:sys_enter_sched_get_priority_max sh -c "$exact s 100; $exact s 23"
	[ "$(csv_count syscalls:sys_enter_sched_get_priority_max out)" -eq 0 ]
}

@test "a group and single events count the same" {
	need_tracefs
	"$PERF" stat -x, -o out -e '{syscalls:sys_enter_sched_get_priority_max,cs},syscalls:sys_exit_sched_get_priority_max' "$exact" s 777
	[ "$(csv_count syscalls:sys_enter_sched_get_priority_max out)" -eq 777 ]
	[ "$(csv_count syscalls:sys_exit_sched_get_priority_max out)" -eq 777 ]
}

@test "task-clock is the processor time that the kernel says" {
	"$PERF" stat -x, -o out -e task-clock,user_time,system_time,duration_time \
		sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
	clock=$(csv_count task-clock out)
	# time that a hypervisor gave to others is in the clock alone
	awk -F, -v c="$clock" '$3 ~ /^(user|system)_time/ { t += $1 / 1e6 } $3 == "duration_time" { d = $1 / 1e6 } END {
		print c, t, d; exit !(t > 10 && t < c * 1.15 + 5 && c < d + 1) }' out
}

@test "a filter counts only what fits" {
	need_tracefs
	"$PERF" stat -x, -o out -e syscalls:sys_enter_write --filter 'count == 7' \
		sh -c 'printf 1234567; printf 12; printf 7654321' >/dev/null
	[ "$(csv_count syscalls:sys_enter_write out)" -eq 2 ]
}

# The rows of $1 count more than $2 in sum.
rows_sum_above() {
	awk -F, -v least="$2" '{ n += $2 } END { exit !(n > least) }' "$1"
}

@test "-p and -t count what runs already" {
	need_tracefs
	(while :; do "$exact" s 10; sleep 0.01; done) 3>&- &
	loop=$!
	for how in -p -t; do
		rm -f out # its rows tell that this one counts, and hears the signal
		"$PERF" stat -x, -o out -I 50 -e syscalls:sys_enter_sched_get_priority_max $how $loop 3>&- &
		counting=$!
		# the children of the shell, too, each of which makes ten
		until_true rows_sum_above out 19
		kill -INT $counting
		wait $counting || :
	done
	kill $loop
}

# Names, units and comments of two outputs, without the numbers.
shape() {
	sed -E 's/[0-9]+(,[0-9]+)*\.[0-9]+|[0-9]+/N/g; s/ [KMG]\/sec/ \/sec /; s/ +/ /g' "$1"
}

@test "the text has the form of Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	for args in "" "-d" "-e cs,faults" "-a" "-a --per-socket" "-a --per-core" "-a -A" "-a --per-die" \
		"-a --per-node" "-C 0" "-n" "-e cycles,r1,task-clock:u" "-r 2" "-e cpu-clock:u,faults"; do
		$oracle stat $args sleep 0.02 2>want
		"$PERF" stat $args sleep 0.02 2>got
		# which of ours says why there are no hardware counters
		sed -i '/^warning: <not supported>: /d' got
		# what is counted or not, and the noise, differ from run to run
		shape want | sed 's/ ( +-.*% )//; s/ *$//' >want.shape
		shape got | sed 's/ ( +-.*% )//; s/ *$//' >got.shape
		diff want.shape got.shape || { echo "args: $args"; return 1; }
	done
}

@test "columns are as wide as those of Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	$oracle stat -e cs,cpu-clock,r1 sleep 0.02 2>want
	"$PERF" stat -e cs,cpu-clock,r1 sleep 0.02 2>got
	sed -i 's,[KMG]/sec,/sec,' want got
	# where the columns begin: how long a line is depends on its count
	sed -n '4,6s/[0-9]/9/gp' want | awk '{ print index($0, "cs"), index($0, "#") }' >a
	sed -n '4,6s/[0-9]/9/gp' got | awk '{ print index($0, "cs"), index($0, "#") }' >b
	grep -q '[1-9]' a
	diff a b
}

@test "CSV has the columns of Debian's perf, and nothing but rows" {
	[ -x $oracle ] || skip "no perf to compare with"
	for args in "" "-a -A" "-a --per-socket" "-r 2" "-I 15" "-a -A -I 15"; do
		$oracle stat -x, -e cs,cpu-clock,r1 $args sleep 0.02 2>want
		"$PERF" stat -x, -e cs,cpu-clock,r1 $args sleep 0.02 2>got
		# number of fields, place of the event's name
		for f in want got; do
			awk -F, '{ for (i = 1; i <= NF; i++) if ($i ~ /^(cs|cpu-clock|r1)$/) at = i
				print NF, at, $at }' $f | sort -u >$f.shape
		done
		diff want.shape got.shape || { echo "args: $args"; return 1; }
	done
}

@test "rows that cannot be counted stay" {
	run "$PERF" stat -x, -e branch-misses,cs true
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == *,,branch-misses,* ]]
}

@test "the status of the command is handed on; 128 + N after a signal" {
	run "$PERF" stat -o out sh -c 'exit 7'
	[ "$status" -eq 7 ]
	run "$PERF" stat -o out sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	run "$PERF" stat -o out true
	[ "$status" -eq 0 ]
}

@test "a command that does not exist is one clear error, and counts nothing" {
	run "$PERF" stat nosuchprogram
	[ "$status" -ne 0 ]
	[ "${lines[0]}" = "error: cannot run 'nosuchprogram': No such file or directory" ]
	[[ "$output" != *"Performance counter stats"* ]]
}

@test "an unknown event is shown with a caret, and the nearest one" {
	run "$PERF" stat -e cs,page-fualts true
	[ "$status" -eq 129 ]
	[[ "$output" == *"unknown event 'page-fualts'"* ]]
	[[ "$output" == *$'\n'"  cs,page-fualts"$'\n'"     ^^^^^^^^^^^"* ]]
	[[ "$output" == *"page-faults"* ]]
}

@test "a process that has gone is an error" {
	sleep 0 3>&- &
	gone=$!
	wait $gone
	run "$PERF" stat -p $gone
	[ "$status" -ne 0 ]
	[[ "$output" == *"$gone"* ]]
}

@test "--timeout ends a measurement of what runs" {
	a=${EPOCHREALTIME/./}
	run "$PERF" stat -a -e cs --timeout 200
	b=${EPOCHREALTIME/./}
	[ "$status" -eq 0 ]
	[[ "$output" == *" cs "* ]]
	[ $((b - a)) -ge 200000 ]
	[ $((b - a)) -lt 60000000 ]
}

@test "--timeout ends the command, and that is no failure" {
	run "$PERF" stat -e cs --timeout 100 sh -c 'echo $$ >child; exec sleep 100'
	[ "$status" -eq 0 ]
	[[ "$output" == *" cs "* ]]
	[ ! -s child ] || run ! kill -0 "$(cat child)"
}

@test "intervals are due at multiples of their length and add up" {
	need_tracefs
	# the command waits until two intervals are told, however late they are
	"$PERF" stat -x, -o out -I 50 -e syscalls:sys_enter_sched_get_priority_max \
		sh -c "until [ \$(grep -c sched_get out) -ge 2 ]; do sleep 0.02; done; $exact s 500"
	awk -F, '/sched_get_priority_max/ { n += $2 } END { exit n != 500 }' out
	# never early; on a loaded machine they may be late
	awk -F, '!/^#/ && NF > 3 && k++ < 2 && $1 < k * 0.05 - 0.001 { bad = 1 } END { exit bad || k < 3 }' out
	"$PERF" stat -x, -o out -I 20 --interval-count 3 -a -e cs sleep 500
	[ "$(grep -c ',cs,' out)" -eq 3 ]
}

@test "-A: each CPU's ratio is the quotient of its own counts" {
	"$PERF" stat -x, -o out -a -A -e cpu-clock,cs sleep 0.2
	awk -F, '$4 == "cpu-clock" { ms[$1] = $2 }
		$4 == "cs" { n[$1] = $2; r[$1] = $7 * ($8 == "K/sec" ? 1000 : 1) }
		END { for (c in n) { want = n[c] / ms[c] * 1000; off = r[c] - want
			if (off < 0) off = -off
			if (off > want * 0.001 + 0.01) { print c, n[c], ms[c], r[c]; bad = 1 } }
			exit bad }' out
	[ "$(grep -c ,cs, out)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
}

@test "-r: means, and the runs one by one with --table" {
	need_tracefs
	"$PERF" stat -r 4 --table -e syscalls:sys_enter_sched_get_priority_max "$exact" s 50 2>out
	grep -q '(4 runs):' out
	grep -Eq '^ +50 +syscalls:sys_enter_sched_get_priority_max' out
	[ "$(grep -cE '^ +[0-9.]+ \([+-][0-9.]+\)' out)" -eq 4 ]
	grep -q 'seconds time elapsed  ( +-' out
}

@test "-o, --append and --log-fd" {
	"$PERF" stat -o out -e cs true
	"$PERF" stat -o out --append -e cs true
	[ "$(grep -c '^# started on' out)" -eq 2 ]
	[ "$(grep -c 'Performance counter stats' out)" -eq 2 ]
	"$PERF" stat --log-fd 5 -x, -e cs true 5>log 2>err
	# rows alone: only a file says when they were begun
	run ! grep -v ',,cs,' log
	[ -s log ]
	[ ! -s err ]
	run "$PERF" stat --log-fd 77 true
	[ "$status" -ne 0 ]
}

@test "-n counts nothing, whatever -e says" {
	run "$PERF" stat -n -e faults true
	[ "$status" -eq 0 ]
	[[ "$output" != *faults* ]]
	[[ "$output" == *"seconds time elapsed"* ]]
}

@test "-v shows the raw counts" {
	"$PERF" stat -v -e faults:u,cs true 2>out
	cat out
	# the count, and the ns for which it was enabled and running: both are the same
	awk '$1 == "faults:u:" && NF == 4 { raw = $2; if ($3 < 1 || $3 != $4) bad = 1; n++ }
		$2 == "faults:u" { n++; if ($1 != raw) bad = 1 } END { exit bad || n != 2 || raw < 10 }' out
	"$PERF" stat -e faults:u true 2>out
	run ! grep -q '^faults:u: ' out
}

@test "--pre and --post run outside the count" {
	need_tracefs
	"$PERF" stat -x, -o out --pre "$exact s 5; echo pre >>order" --post 'echo post >>order' \
		-r 2 -e syscalls:sys_enter_sched_get_priority_max "$exact" s 3
	[ "$(csv_count syscalls:sys_enter_sched_get_priority_max out)" -eq 3 ]
	[ "$(tr '\n' ' ' <order)" = "pre post pre post " ]
}

@test "hundreds of tracepoints: perf leaves closing to a child, which ends by itself" {
	need_tracefs
	# strace ends when the last of them has
	ASAN_OPTIONS=detect_leaks=0 strace -f -o calls -e trace=perf_event_open,close,exit_group \
		"$PERF" stat -x, -o out -e 'syscalls:sys_enter_*' true
	[ "$(grep -c sys_enter out)" -gt 300 ]
	main=$(awk '/perf_event_open/ { print $1; exit }' calls)
	# beside the command a child ends that still holds them: closing them costs perf itself nothing
	awk -v main="$main" '$1 != main { ended += /exit_group\(/; closed += / close\(/; next }
		/perf_event_open/ { opened += $NF > 0 }
		END { print opened, closed, ended; exit !(opened > 300 && closed < 100 && ended == 2) }' calls
}

@test "the limit of open files is raised as far as the events need" {
	events=$(printf 'cs,%.0s' $(seq 149))cs
	(ulimit -Sn 64; "$PERF" stat -x, -a -A -e "$events" -o out true)
	[ "$(grep -cE '^CPU[0-9]+,[0-9]+,,cs,' out)" -eq $((150 * $(getconf _NPROCESSORS_ONLN))) ]
}

@test "-I: the head comes again after 25 intervals" {
	"$PERF" stat -a -I 10 --interval-count 26 -e cs 2>out
	[ "$(grep -n '^#  *time' out | cut -d: -f1 | tr '\n' ' ')" = "1 27 " ]
}

@test "--summary: the whole, as one run" {
	"$PERF" stat -I 15 --summary -e cs sleep 0.05 2>out
	grep -q "^ Performance counter stats for 'sleep 0.05':$" out
	[ "$(grep -c 'seconds time elapsed' out)" -eq 1 ]
	awk '/seconds time elapsed/ { exit !($1 >= 0.05 && $2 == "seconds") }' out
}

@test "contradictions are usage errors" {
	for args in "-A true" "--per-thread true" "-I 10 -r 2 true" "--table true" "-r 3 -p 1"; do
		run "$PERF" stat $args
		[ "$status" -eq 129 ] || { echo "$args: $status"; return 1; }
	done
}
