#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf stat -e user_time,system_time: of whom they are. They are compared with what the same run says otherwise.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat >burn.py <<-'END'
	import os, sys, threading, time
	open("up", "w").close() # what an interpreter starts in front of the program is not the process's own
	want = float(sys.argv[1]) + time.process_time()
	def burn():
	    while time.process_time() < want: pass
	if "child" in sys.argv:
	    if os.fork():
	        os.wait()
	        sys.exit(0)
	if "thread" in sys.argv:
	    t = threading.Thread(target=burn)
	    t.start()
	    t.join()
	else:
	    burn()
	END
}

teardown() {
	end_jobs
}

# ms of the user and the system, and of task-clock, in CSV
used() { awk -F, '$3 ~ /^(user|system)_time/ { t += $1 / 1e6 } END { printf "%d\n", t }' "$1"; }
clock() { awk -F, '$3 ~ /^task-clock/ { t += $1 } END { printf "%d\n", t }' "$1"; }

# Time that a hypervisor gave to others is in the clock alone; steps of 10 ms may lack 20 in all.
agree() {
	local t=$(used "$1") c=$(clock "$1")

	echo "$t of $c ms"
	[ "$t" -le $((c * 115 / 100 + 20)) ] && [ "$t" -ge $((c / 2 - 20)) ] && [ "$c" -ge 100 ]
}

# A process that runs its program by now: its number in pid.
start() {
	rm -f up
	python3 burn.py "$@" & pid=$!
	until [ -e up ]; do sleep 0.05; done
}

@test "-p: the times of the process, until it ends" {
	start 0.8
	"$PERF" stat -x, -o out -e user_time,system_time,task-clock -p $pid
	agree out
	# while a command runs that uses none
	start 60 thread
	"$PERF" stat -x, -o out -e user_time,system_time,task-clock -p $pid -- sleep 2
	agree out
	"$PERF" stat -x, --per-thread -o threads -e user_time,system_time,task-clock -p $pid -- sleep 2
	sed 's/^[^,]*,//' threads >out
	agree out
	[ "$(grep -c user_time out)" -eq 2 ]
	# its first thread waits for the other one
	"$PERF" stat -x, -o out -e user_time,system_time,task-clock -t $pid -- sleep 0.5
	[ "$(used out)" -le 20 ]
}

@test "-I: each interval has its own times, of children as well" {
	"$PERF" stat -x, -o out -I 200 -e user_time,system_time,task-clock python3 burn.py 0.8 child
	awk -F, '{ sub(/^ */, "", $1); print $2 "," $3 "," $4 }' OFS=, out >rows
	agree rows
	[ "$(awk -F, '$3 == "user_time" && $1 > 0' rows | wc -l)" -ge 3 ]
}

@test "-a and -A: the times of the CPUs" {
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	of_cpu() { awk -v c="cpu$cpu" '$1 == c { print ($2 + $3) * 10 }' /proc/stat; }
	[ "$(getconf CLK_TCK)" -eq 100 ]
	before=$(of_cpu)
	taskset -c "$cpu" "$PERF" stat -x, -o out -a -A -e user_time,system_time python3 burn.py 0.5
	after=$(of_cpu)
	got=$(awk -F, -v c="CPU$cpu" '$1 == c && $4 == "user_time" { print $2 / 1e6 }' out)
	echo "$got of $((after - before)) ms"
	[ "$got" -ge 250 ] && [ "$got" -le $((after - before)) ]
	[ "$(grep -c ',user_time,' out)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
	"$PERF" stat -x, -o sum -a -e user_time,system_time python3 burn.py 0.5
	[ "$(used sum)" -ge 250 ]
	"$PERF" stat record -a -A -e user_time -o data -- python3 burn.py 0.5 2>/dev/null
	"$PERF" stat report -x, -i data 2>report >&2
	[ "$(awk -F, '$4 == "user_time" { t += $2 / 1e6 } END { print int(t) }' report)" -ge 250 ]
}

@test "a command that ends before -D begins used no time that was counted" {
	"$PERF" stat -x, -o out -D 60000 -e user_time,system_time true
	[ "$(awk -F, '/_time/ { print $1 }' out | xargs)" = "0 0" ]
	# from then on
	"$PERF" stat -x, -o out -D 300 -e user_time,system_time,task-clock python3 burn.py 0.8
	agree out
}

@test "what the kernel does not count is not supported, and steps are said once" {
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	"$PERF" stat -x, -o out -e user_time -p $$ -C "$cpu" -- true
	grep -q '^<not supported>,ns,user_time,' out
	run "$PERF" stat -e user_time,system_time -p $$ -C "$cpu" -- true
	[ "$(grep -c "^warning: <not supported>: the kernel does not split a task's user_time and system_time by CPU$" <<<"$output")" -eq 1 ]
	[[ "$output" == *"hint: leave out -C"* && "$output" != *"steps of"* ]]
	if [ -e /sys/fs/cgroup/cgroup.procs ] || [ -d /sys/fs/cgroup/perf_event ]; then
		run "$PERF" stat -a -e user_time,task-clock -G / -- true
		[ "$(grep -c '^warning: <not supported>: user_time and system_time are not counted by cgroup$' <<<"$output")" -eq 1 ]
		[[ "$output" != *"steps of"* ]]
	fi
	run "$PERF" stat -a -I 50 -e user_time,system_time -- sleep 0.2
	[ "$(grep -c '^note: user_time and system_time have steps of 10 ms here$' <<<"$output")" -eq 1 ]
	run "$PERF" stat -e user_time,system_time true
	[[ "$output" != *"steps of"* ]]
}
