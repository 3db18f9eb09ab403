#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf sched: delays, histories, maps and replays, against arithmetic on the events as text and
# against Debian's perf where it is right.
bats_require_minimum_version 1.5.0

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	[ "$(id -u)" -eq 0 ] || return 0
	cd "$FILES" || return 1
	# two processes that wake each other, one that sleeps, and a name that changes
	cat >work.py <<-'END'
	import os, time
	open("/proc/self/comm", "w").write("pipework")
	a, b = os.pipe(), os.pipe()
	if not os.fork():
	    for i in range(200):
	        os.read(a[0], 1); os.write(b[1], b"x")
	    os._exit(0)
	for i in range(200):
	    os.write(a[1], b"x"); os.read(b[0], 1)
	if not os.fork():
	    open("/proc/self/comm", "w").write("renamed")
	    time.sleep(0.05)
	    os._exit(0)
	os.wait(); os.wait()
	END
	# Linux 6.18 does not report every switch of an idle CPU: a recording in which sleep and end are seen
	for try in 1 2 3 4 5 6; do
		"$PERF" sched record -o sched.data -- python3 work.py >/dev/null 2>said
		"$PERF" script -i sched.data -F event,trace >events 2>/dev/null
		if awk '/sched_switch: .*prev_comm=renamed .* prev_state=S / { asleep = 1 }
			/sched_waking: comm=renamed / { woken = asleep }
			/sched_switch: .* next_comm=renamed / && woken { found = 1 }
			/sched_switch: .*prev_comm=renamed .* prev_state=[XZ]/ && found { ended = 1 }
			END { exit !ended }' events; then
			break
		fi
	done
	"$PERF" sched record -g -o chains.data -- sleep 0.05 >/dev/null 2>&1
}

setup() {
	cd "$FILES"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# What the events as text say of delays: "COUNT AVERAGE-ms NAME:TID" by wake-ups and switches.
delays() {
	"$PERF" script -i "$1" --ns -F cpu,time,event,trace 2>/dev/null | python3 -c '
import re, sys
woken, on, unsure, out = {}, {}, set(), {}
for line in sys.stdin:
    m = re.match(r"\s*\[(\d+)\]\s+(\d+)\.(\d+):\s+(\S+?): (.*)", line)
    if not m: continue
    t = int(m[2]) * 10**9 + int(m[3])
    if m[4] == "sched:sched_switch":
        s = re.match(r"prev_comm=(.*) prev_pid=(\d+) prev_prio=\S+ prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+)", m[5])
        prev, state, name, next = int(s[2]), s[3], s[4], int(s[5])
        # what ran is not what the last switch of this CPU began: one was not reported
        if on.setdefault(m[1], prev) != prev: unsure |= {prev, on[m[1]]}
        on[m[1]] = next
        if state[0] == "R": woken[prev] = t
        else: woken.pop(prev, None)
        if next in woken:
            d = out.setdefault((name, next), [0, 0])
            d[0] += 1; d[1] += t - woken.pop(next)
    elif m[4] in ("sched:sched_waking", "sched:sched_wakeup_new"):
        pid = int(re.search(r" pid=(\d+)", m[5])[1])
        woken.setdefault(pid, t)
for (name, pid), (n, total) in sorted(out.items()):
    if pid and pid not in unsure: print(f"{n} {total // n / 1e6:.3f} {name}:{pid}")
'
}

@test "record takes the scheduler's events, and names those that the kernel lacks" {
	"$PERF" evlist -i sched.data >events
	for e in switch waking wakeup_new process_fork migrate_task stat_runtime; do
		grep -qx "sched:sched_$e" events
	done
	if [ -d /sys/kernel/tracing/events/sched/sched_stat_wait ]; then
		grep -qx 'sched:sched_stat_wait' events
	else
		grep -q '^note: this kernel has no .*sched:sched_stat_wait.*: left out' said
	fi
	"$PERF" evlist -v -i sched.data | grep sched_switch: | grep -q 'sample_period }: 1\|sample_freq }: 1'
}

@test "record passes options on" {
	"$PERF" sched record -g -o x.data -m 64 -- true >/dev/null 2>&1
	"$PERF" evlist -v -i x.data | grep sched_switch | grep -q CALLCHAIN
	run -0 "$PERF" sched rec -h
	[[ "$output" == *"Usage: perf record"* ]]
	# what the kernel lacks is not said before an error
	run "$PERF" sched record -o x.data -- nosuchprogram-at-all
	[ "$status" -eq 127 ]
	[[ "${lines[0]}" == "error: cannot run 'nosuchprogram-at-all'"* ]]
}

@test "latency: counts and averages are those of the events" {
	delays sched.data >wanted
	"$PERF" sched latency -p -i sched.data >table
	# of tasks all of whose switches were reported, which Linux 6.18 does not always do for an idle CPU
	[ "$(wc -l <wanted)" -ge 2 ]
	while read -r count average task; do
		grep -F "  $task " table | grep -qE "\| +$count \| avg: +$average ms" || echo "$task $count $average"
	done <wanted >missing
	# a task whose wake-up came before its own switch is the one thing that the short script does not know
	cat missing
	[ "$(wc -l <missing)" -le $(($(wc -l <wanted) / 10 + 1)) ]
}

@test "latency: one row for a name, and another for the name that a task takes" {
	"$PERF" sched latency -i sched.data >table
	grep -qE '^  pipework:\([23]\) ' table
	grep -qE '^  renamed:[0-9]+ ' table
	[ "$(awk -F'|' '/^  renamed/ { print $3 + 0 }' table)" -ge 1 ]
	grep -qE '^  TOTAL: +\| +[0-9.]+ ms \| +[0-9]+ \|$' table
}

@test "latency -s, and keys that do not exist" {
	"$PERF" sched latency -s runtime -i sched.data | awk -F'|' '/ ms \|.*avg/ { print $2 + 0 }' >runs
	sort -gr runs | cmp - runs
	run -129 "$PERF" sched latency -s size -i sched.data
	[[ "$output" == *"no key 'size'"*"hint: the keys are"* ]]
}

@test "latency -H: the slots hold every delay" {
	"$PERF" sched latency -H -i sched.data >table
	total=$(awk -F'|' '/TOTAL/ { print $3 + 0 }' table)
	[ "$(awk '/ - .*\|/ && NF > 3 { n += $4 } END { print n }' table)" -eq "$total" ]
	grep -qE "^  count $total, avg [0-9.]+ ms, min" table
	"$PERF" sched latency --hist-mode cpu -i sched.data | grep -q '^  Delays on CPU 0$'
	"$PERF" sched latency --hist-mode task -i sched.data | grep -q '^  Delays of pipework:('
	run -129 "$PERF" sched latency --hist-mode size -i sched.data
	# slots of equal width hold as many, and the default can be named
	"$PERF" sched latency --hist-mode linear -i sched.data >linear
	[ "$(awk '/ - .*\|/ && NF > 3 { n += $4 } END { print n }' linear)" -eq "$total" ]
	awk '/ - .*\|/ && NF > 3 && $3 != "..." && $3 - $1 != 100 { exit 1 }' linear
	"$PERF" sched latency --hist-mode log -i sched.data | cmp table -
	"$PERF" sched latency --hist-mode linear,cpu -i sched.data | grep -q '^  Delays on CPU 0$'
}

@test "-v: the parts make the whole, for each task and each CPU" {
	"$PERF" sched latency -v -i sched.data >table
	awk '/Sums in ms/ { on = 1; next } on && /busy +idle/ { on = 2; next }
	     on == 1 && NF > 7 { s = 0; for (i = NF - 6; i < NF; i++) s += $i
	     	if (s - $NF > 0.00001 || $NF - s > 0.00001) { print; bad++ } tasks++ }
	     on == 2 && /CPU/ { if ($3 + $4 + $5 - $6 > 0.00001) { print; bad++ } cpus++; elapsed[$6] }
	     END { n = 0; for (e in elapsed) n++; print tasks, cpus, n; exit bad || tasks < 3 || cpus < 1 || n != 1 }' table
}

@test "timehist: columns and lines are those of 6.1 where it knows the times" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	# on one CPU, which is not idle in between: Linux 6.18 does not report every switch of an idle one
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	"$PERF" sched record -o pinned.data -- taskset -c "$cpu" python3 work.py >/dev/null 2>&1
	"$PERF" sched timehist -i pinned.data >ours 2>/dev/null
	"$RIVAL" sched timehist -i pinned.data >theirs 2>/dev/null
	head -3 ours | cmp - <(head -3 theirs)
	[ "$(wc -l <ours)" -eq "$(wc -l <theirs)" ]
	# of pipework, which began after the recording did, all lines but those that a lost switch spoils
	# (the delay of a preempted task is its wait, which 6.1 has as 0)
	grep -F 'pipework[' ours | awk '$(NF - 1) == $(NF - 2) { $(NF - 1) = "0.000" } { $1 = $1 } 1' >a
	grep -F 'pipework[' theirs | awk '$(NF - 1) == $(NF - 2) { $(NF - 1) = "0.000" } { $1 = $1 } 1' >b
	[ "$(wc -l <a)" -ge 300 ]
	[ "$(comm -3 <(sort a) <(sort b) | wc -l)" -le $(($(wc -l <a) / 4)) ]
}

@test "timehist: what a sleep of 50 ms looks like" {
	"$PERF" sched timehist --state -i sched.data 2>/dev/null | grep -F 'renamed[' >lines
	awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^renamed/) w = $(i + 1); if (w > most) most = w }
	     END { exit !(most >= 50 && most < 5000) }' lines
	tail -1 lines | grep -qE ' [XZ] *$'
}

@test "timehist -MVwn adds what it says" {
	"$PERF" sched timehist -w -V -i sched.data 2>/dev/null >lines
	grep -q 'awakened: pipework\[' lines
	"$PERF" sched timehist -n -i sched.data 2>/dev/null | grep -q 'next: pipework\['
	"$PERF" sched timehist -P --show-prio -i sched.data 2>/dev/null | head -1 | grep -q 'prio  wait time .*pre-mig time'
	run -129 "$PERF" sched timehist -s -n -i sched.data
	[[ "$output" == *"error: -s prints no lines, and -n adds to lines"* ]]
}

@test "timehist -p, -t, -C and --prio choose lines" {
	pid=$("$PERF" sched timehist -i sched.data 2>/dev/null | sed -n 's/.*renamed\[\([0-9]*\)\].*/\1/p' | head -1)
	"$PERF" sched timehist -t "$pid" -i sched.data 2>/dev/null | sed 1,3d >lines
	[ -s lines ]
	! grep -vF "[$pid" lines || false
	"$PERF" sched timehist -C 0 -i sched.data 2>/dev/null | sed 1,3d | grep -v ' lost ' >lines
	! grep -vF '[0000]' lines || false
	"$PERF" sched timehist --prio 0-99 -i sched.data 2>/dev/null | sed '1,3d; / lost /d' >lines
	! grep -F 'pipework[' lines || false
	run -129 "$PERF" sched timehist --prio 1000 -i sched.data
}

@test "timehist -s: run times are those of latency" {
	"$PERF" sched timehist -s -i sched.data 2>/dev/null >summary
	"$PERF" sched latency -p -i sched.data >table
	tid=$(sed -n 's/.*renamed\[\([0-9]*\)\].*/\1/p' summary | head -1)
	a=$(awk -v t="[$tid]" 'index($0, t) { print $4 }' summary)
	b=$(awk -F'|' -v t=":$tid " 'index($0, t) { n += $2 } END { printf "%.3f", n }' table)
	python3 -c "import sys; sys.exit(abs($a - $b) > 0.003)"
	grep -qE '^Total number of context switches: [0-9]+$' summary
	"$PERF" sched timehist -s --state -i sched.data 2>/dev/null | grep -q 'sleep     blocked      iowait     preempt'
}

@test "timehist shows where a task left the CPU" {
	"$PERF" sched timehist -i chains.data 2>/dev/null | grep -F 'sleep[' >lines
	grep -q 'hrtimer_nanosleep\|do_nanosleep' lines
	! grep -qE '\b__schedule\b' lines || false
	"$PERF" sched timehist --max-stack 1 -i chains.data 2>/dev/null | grep -F 'sleep[' >one
	! grep -q ' <- ' one || false
	"$PERF" sched timehist -I -s -i chains.data >idle 2>/dev/null
	grep -q '^Idle-time summary$' idle
	grep -q '^Idle stats by callchain:$' idle
}

@test "map: cells are those of 6.1" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	# 6.1 begins again at A0 after 260 tasks, whoever still has that name
	names='s/ secs .*//'
	[ "$("$PERF" sched map -i sched.data | grep -c ' => ')" -lt 250 ] || names="$names; s/[A-Z][0-9]/XX/g"
	for how in "" --compact; do
		"$PERF" sched map $how -i sched.data | grep ' secs ' | sed "$names" >ours
		"$RIVAL" sched map $how -i sched.data | grep ' secs ' | sed "$names" >theirs
		cmp ours theirs
	done
}

@test "map --axis, --latency, --cpus, --task-name" {
	"$PERF" sched map --axis 10 -i sched.data >map
	grep ' ----$' map | awk '{ print $(NF - 1) }' >ticks
	[ "$(wc -l <ticks)" -ge 4 ]
	awk 'NR > 1 && ($1 - last < 0.0099 || $1 - last > 0.0101) { exit 1 } { last = $1 }' ticks
	"$PERF" sched map --latency -i sched.data | grep -qE ' delay [0-9]+\.[0-9]{3} ms'
	"$PERF" sched map --task-name renamed -i sched.data | grep ' secs ' >some
	"$PERF" sched map -i sched.data | grep ' secs ' >all
	[ "$(wc -l <some)" -lt "$(wc -l <all)" ]
	"$PERF" sched map --task-name rename --fuzzy-name -i sched.data | grep ' secs ' | cmp - some
	run -129 "$PERF" sched map --cpus x -i sched.data
}

@test "replay does the work again" {
	timeout 60 "$PERF" sched replay -r 2 -i sched.data >said
	grep -qE '^run measurement overhead: [0-9]+ nsecs$' said
	# a millisecond of each: never less, apart from the time that reading the clock takes
	for kind in run sleep; do
		[ "$(sed -nE "s/^the $kind test took ([0-9]+) nsecs$/\1/p" said)" -ge 990000 ]
	done
	grep -qE '^nr_wakeup_events: +[0-9]{3,}$' said
	[ "$(grep -cE '^#[12]  : [0-9.]+, ravg: [0-9.]+, cpu: [0-9.]+ / [0-9.]+$' said)" -eq 2 ]
	# the one that slept 50 ms sleeps again
	awk -F'[ ,]+' '/^#1/ { exit !($3 >= 50) }' said
}

@test "a stream is read like a file" {
	"$PERF" sched record -o - -- true 2>/dev/null >stream
	"$PERF" sched timehist -i - <stream 2>/dev/null | grep -qF 'true['
	"$PERF" sched latency -i - <stream | grep -qE 'TOTAL: .*\| +[1-9]'
}

@test "recordings of 6.1 are read" {
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	"$RIVAL" sched record -o theirs.data -- true >/dev/null 2>&1
	"$PERF" sched latency -i theirs.data | grep -qE 'TOTAL: .*\| +[1-9]'
}

@test "a file without the events says which, and how to record them" {
	"$PERF" record -q -e cpu-clock -o clock.data true 2>/dev/null
	run -1 "$PERF" sched latency -i clock.data
	[[ "$output" == *"error: 'clock.data' has no event 'sched:sched_switch'"* ]]
	[[ "$output" == *"hint: record with: perf sched record"* ]]
	# not after the header of a table
	run -1 --separate-stderr "$PERF" sched timehist -i clock.data
	[ -z "$output" ]
}

@test "wrong calls" {
	run -129 "$PERF" sched
	[[ "$output" == *"error: need a subcommand: record, "* ]]
	run -129 "$PERF" sched latencies
	[[ "$output" == *"unknown subcommand 'latencies'"* ]]
	run -129 "$PERF" sched latency more
	[[ "$output" == *"'more' is one argument too many"* ]]
	run -129 "$PERF" sched map --fuzzy-name -i sched.data
	run -1 "$PERF" sched latency -i no-such-file
	[[ "$output" == *"no-such-file"* ]]
	run ! "$PERF" sched latency --time x -i sched.data
	[[ "$output" == *"error: "*"'x'"* ]]
}

@test "what was asked for and is not in the recording is said, where a table would be empty without a word" {
	run -0 --separate-stderr "$PERF" sched latency -C 0,65000 -i sched.data
	[[ "$stderr" == "warning: there is no CPU 65000 in 'sched.data': the last one of the recorded machine is "* ]]
	run -0 --separate-stderr "$PERF" sched map --cpus 65000 -i sched.data
	[[ "$stderr" == *"there is no CPU 65000"* ]]
	run -0 --separate-stderr "$PERF" sched map --task-name pipework,pipewor -i sched.data
	[ "$stderr" = "warning: no task of the recording has the name 'pipewor'" ]
	run -0 --separate-stderr "$PERF" sched map --fuzzy-name --task-name pipewor,renamed,swapper -i sched.data
	[ -z "$stderr" ]
	run -0 --separate-stderr "$PERF" sched timehist -t 0,4194305 -i sched.data
	[[ "$stderr" == *"warning: no thread of the recording has the number 4194305" ]]
	run -0 --separate-stderr "$PERF" sched timehist -p 4194305 -i sched.data
	[[ "$stderr" == *"warning: no process of the recording has the number 4194305" ]]
	run -0 --separate-stderr "$PERF" sched timehist -C 0 -i sched.data
	[[ "$stderr" != *warning* ]]
}

@test "a file that was cut is read up to there" {
	size=$(stat -c %s sched.data)
	for part in 3 5 8; do
		head -c $((size * part / 10)) sched.data >cut.data
		for how in latency map timehist; do
			run "$PERF" sched $how -i cut.data
			[ "$status" -le 1 ] || { echo "$how: $status $output"; return 1; }
		done
	done
}

@test "stats: refusals, and the kernel's own counters where it has them" {
	run -129 "$PERF" sched stats
	run -129 "$PERF" sched stats record
	# -C and -v may be in front, too
	run -1 "$PERF" sched stats -v -C 0 report -i sched.data
	[[ "$output" == *"has no statistics of the scheduler"* ]]
	run -129 "$PERF" sched stats -C 3-1 diff
	[[ "$output" == *"-C: '3-1' is not a list of CPUs"* ]]
	run -129 "$PERF" sched stats -C 0 record true
	[[ "$output" == *"-C chooses what report and diff show"* ]]
	run -1 "$PERF" sched stats report -i sched.data
	[[ "$output" == *"has no statistics of the scheduler"*"hint: record with: perf sched stats record"* ]]
	if [ ! -e /proc/schedstat ]; then
		run -1 "$PERF" sched stats record -o s.data true
		[[ "$output" == *"this kernel has no /proc/schedstat"*CONFIG_SCHEDSTATS* ]]
		[ ! -e s.data ]
	elif [ "$(cat /proc/sys/kernel/sched_schedstats)" = 1 ]; then
		"$PERF" sched stats record -o s.data sleep 0.1
		"$PERF" sched stats rep -i s.data | grep -qE '^sched_count +: +[1-9]'
	fi
}
