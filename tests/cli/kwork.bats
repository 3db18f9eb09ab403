#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf kwork: arithmetic by hand on made-up recordings, and the system's perf on a real one.
bats_require_minimum_version 1.5.0
load wait

other=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	[ "$(id -u)" -eq 0 ] || return 0
	cat >packets.py <<-'END'
	import socket
	a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	a.bind(("127.0.0.1", 0))
	b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	b.connect(a.getsockname())
	for i in range(2000):
	    b.send(b"x")
	    a.recv(10)
	END
	"$PERF" kwork -k irq,softirq,workqueue,sched record -q -g -o real -- python3 packets.py >/dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	make=$BATS_TEST_DIRNAME/make-tracepoints
	softirqs='print "vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" }, { 3, "NET_RX" }, { 9, "RCU" })'
}

teardown() {
	end_jobs
}

# The events of all kinds, as a kernel describes them.
events() {
	cat <<-END
	event irq:irq_handler_entry irq:s32 name:text
	event irq:irq_handler_exit irq:s32 ret:s32
	event irq:softirq_raise vec:u32
	$softirqs
	event irq:softirq_entry vec:u32
	$softirqs
	event irq:softirq_exit vec:u32
	$softirqs
	event workqueue:workqueue_activate_work work:ptr function:ptr
	event workqueue:workqueue_execute_start work:ptr function:ptr
	event workqueue:workqueue_execute_end work:ptr function:ptr
	event sched:sched_switch prev_comm:text prev_pid:s32 prev_prio:s32 prev_state:s64 next_comm:text next_pid:s32 next_prio:s32
	END
}

# A recording of these lines; times are written in microseconds: "at 5 0 7 irq:softirq_entry 1".
made() {
	{
		events
		sed -E 's/^(at|lost) ([0-9]+)/\1 \2000/'
	} | "$make" $order made
}

# The rows of a table without its frame: "NAME CPU TOTAL COUNT MAX FROM UNTIL".
rows() {
	"$PERF" kwork "$@" -i made >table
	sed -n '/---/,/---/{/---/!p}' table | tr -d '|' | sed 's/ ms / /g; s/ s / /g' | tr -s ' ' | sed 's/^ //; s/ $//'
}

@test "runtimes: handlers, softirqs and items, by CPU" {
	for order in "" --big-endian; do
		made <<-END
		at 100 0 7 irq:irq_handler_entry 24 eth0
		at 110 0 7 irq:irq_handler_exit 24 1
		at 111 0 7 irq:softirq_entry 3
		at 115 1 8 irq:softirq_entry 3
		at 131 0 7 irq:softirq_exit 3
		at 116 1 8 irq:softirq_exit 3
		at 200 0 7 irq:irq_handler_entry 24 eth0
		at 230 0 7 irq:irq_handler_exit 24 1
		at 300 1 50 workqueue:workqueue_execute_start 0x1000 0x0
		at 350 1 50 workqueue:workqueue_execute_end 0x1000 0x0
		END
		rows report >got
		diff got - <<-END
		(w)0x1000 0001 0.050 1 0.050 0.000300 0.000350
		eth0:24 0000 0.040 2 0.030 0.000200 0.000230
		(s)NET_RX:3 0000 0.020 1 0.020 0.000111 0.000131
		(s)NET_RX:3 0001 0.001 1 0.001 0.000115 0.000116
		END
		run ! grep INFO table
	done
}

@test "delays: a softirq waits since it was raised first, an item wherever it runs" {
	made <<-END
	at 100 0 7 irq:softirq_raise 9
	at 140 0 7 irq:softirq_raise 9
	at 150 0 7 irq:softirq_entry 9
	at 155 0 7 irq:softirq_raise 9
	at 160 0 7 irq:softirq_exit 9
	at 161 0 7 irq:softirq_entry 9
	at 162 0 7 irq:softirq_exit 9
	at 200 0 7 workqueue:workqueue_activate_work 0x1000 0x0
	at 203 1 50 workqueue:workqueue_execute_start 0x1000 0x0
	at 210 0 7 workqueue:workqueue_activate_work 0x1000 0x0
	at 220 1 50 workqueue:workqueue_execute_end 0x1000 0x0
	END
	rows latency >got
	diff got - <<-END
	(s)RCU:9 0000 0.028 2 0.050 0.000100 0.000150
	(w)0x1000 0001 0.003 1 0.003 0.000200 0.000203
	END
	# the item that was activated last did not begin
	grep -q 'skipped events (1 including 1 raise, 0 entry, 0 exit)' table
	"$PERF" kwork timehist -i made | tail -n +4 | tr -s ' ' >got
	diff got - <<-END
	 0.000150 0.000160 [0000] (s)RCU:9 0.010 0.050 
	 0.000161 0.000162 [0000] (s)RCU:9 0.001 0.006 
	 0.000203 0.000220 [0001] (w)0x1000 0.017 0.003 
	END
}

@test "two handlers of one interrupt, and one item after the other in two workers" {
	made <<-END
	at 100 0 7 irq:irq_handler_entry 9 acpi
	at 110 0 7 irq:irq_handler_exit 9 0
	at 110 0 7 irq:irq_handler_entry 9 i801
	at 115 0 7 irq:irq_handler_exit 9 1
	at 200 0 50 workqueue:workqueue_execute_start 0x1000 0x0
	at 210 0 51 workqueue:workqueue_execute_start 0x2000 0x0
	at 220 0 50 workqueue:workqueue_execute_end 0x1000 0x0
	at 250 0 51 workqueue:workqueue_execute_end 0x2000 0x0
	END
	rows report >got
	diff got - <<-END
	(w)0x2000 0000 0.040 1 0.040 0.000210 0.000250
	(w)0x1000 0000 0.020 1 0.020 0.000200 0.000220
	acpi:9 0000 0.010 1 0.010 0.000100 0.000110
	i801:9 0000 0.005 1 0.005 0.000110 0.000115
	END
	[ "$(rows report -n i801 | wc -l)" -eq 1 ]
	run ! grep INFO table
}

@test "functions of items have their names" {
	printf '%s\n' "ffffffff81000000 T _text" "ffffffff81000100 t vmstat_update" "ffffffff81000200 t other" >syms
	{
		events
		cat <<-END
		kernel ffffffff81000000 1000
		at 100000 0 7 workqueue:workqueue_execute_start 0x1000 0xffffffff81000100
		at 110000 0 7 workqueue:workqueue_execute_end 0x1000 0xffffffff81000100
		END
	} | "$make" made
	"$PERF" kwork timehist --kallsyms syms -i made >got
	grep -q '(w)vmstat_update  *0.010' got
	[ "$("$PERF" kwork timehist --kallsyms syms -n vmstat_update -i made | wc -l)" -eq 4 ]
	[ "$("$PERF" kwork timehist --kallsyms syms -n other -i made | wc -l)" -eq 3 ]
}

@test "after lost events nothing that was open is believed" {
	made <<-END
	at 100 0 7 irq:softirq_entry 1
	at 100 1 8 irq:softirq_entry 1
	lost 150 0 40
	at 5000 0 7 irq:softirq_exit 1
	at 130 1 8 irq:softirq_exit 1
	at 6000 0 7 irq:softirq_entry 1
	at 6010 0 7 irq:softirq_exit 1
	END
	rows report -S >got
	diff <(head -2 got) - <<-END
	(s)TIMER:1 0001 0.030 1 0.030 0.000100 0.000130
	(s)TIMER:1 0000 0.010 1 0.010 0.006000 0.006010
	END
	grep -qE 'lost events \(40 out of [0-9]+, in 1 chunks\)' table
	grep -q 'skipped events (2 including 0 raise, 1 entry, 1 exit)' table
	grep -qx '  Total count            :         2' table
	# 40 us of 5910
	grep -qx '  Total runtime   (msec) :     0.040 (0.677% load average)' table
	grep -qx '  Total time span (msec) :     5.910' table
}

@test "--cpu, --time, --name and --sort" {
	made <<-END
	at 100 0 7 irq:softirq_entry 1
	at 130 0 7 irq:softirq_exit 1
	at 200 1 7 irq:softirq_entry 9
	at 210 1 7 irq:softirq_exit 9
	at 220 1 7 irq:softirq_entry 9
	at 230 1 7 irq:softirq_exit 9
	END
	[ "$(rows report -C 0 | cut -d' ' -f1)" = "(s)TIMER:1" ]
	[ "$(rows report -n RCU | cut -d' ' -f1)" = "(s)RCU:9" ]
	[ "$(rows report --time 0.000205, | cut -d' ' -f1-4)" = "(s)RCU:9 0001 0.010 1" ]
	[ "$(rows report | cut -d' ' -f1 | xargs)" = "(s)TIMER:1 (s)RCU:9" ]
	[ "$(rows report -s count | cut -d' ' -f1 | xargs)" = "(s)RCU:9 (s)TIMER:1" ]
	[ "$(rows report -s max | cut -d' ' -f1 | xargs)" = "(s)TIMER:1 (s)RCU:9" ]
	[ "$(rows report -s id | cut -d' ' -f1 | xargs)" = "(s)RCU:9 (s)TIMER:1" ]
	[ -z "$("$PERF" kwork -k irq report -i made | grep TIMER)" ]
	run -0 --separate-stderr "$PERF" kwork report -n RC -i made
	[ "$stderr" = "warning: none of the work examined has the name 'RC'" ]
	run -0 --separate-stderr "$PERF" kwork report -n RCU -i made
	[ -z "$stderr" ]
}

@test "a table without rows says why" {
	made <<-END
	at 100 0 7 irq:softirq_raise 9
	END
	"$PERF" kwork report -i made >table 2>err
	grep -qx 'note: the table is empty: no work was seen from its start to its end' err
	"$PERF" kwork -k softirq latency -i made >table 2>err
	grep -qx 'note: the table is empty: no work was seen both raised and started, of what the options choose' err
	"$PERF" kwork timehist -i made >table 2>err
	grep -qx 'note: the table is empty: no work was seen from its start to its end' err
	made <<-END
	at 100 0 7 irq:softirq_entry 9
	at 110 0 7 irq:softirq_exit 9
	END
	for view in report timehist; do
		"$PERF" kwork $view -i made >table 2>err
		run ! grep 'the table is empty' err
	done
	made <<-END
	at 100 0 7 sched:sched_switch first 7 120 2 second 20 120
	at 110 0 20 sched:sched_switch second 20 120 2 first 7 120
	END
	"$PERF" kwork top -i made >table 2>err
	run ! grep 'the table is empty' err
	made <<-END
	at 100 0 0 irq:softirq_entry 9
	at 110 0 0 irq:softirq_exit 9
	END
	"$PERF" kwork top -i made >table 2>err
	cat table err
	grep -qx 'note: the table is empty: no task was seen to run' err
}

@test "what makes a view empty is said" {
	made <<-END
	at 100 0 7 irq:softirq_entry 1
	at 150 0 7 irq:softirq_exit 1
	at 160 0 7 sched:sched_switch first 7 120 1 second 8 120
	at 260 0 8 sched:sched_switch second 8 120 1 first 7 120
	END
	for view in report timehist top; do
		run -0 --separate-stderr "$PERF" kwork $view --time 5,6 -i made
		[ "$stderr" = "warning: no event of 'made' is from the requested CPUs and times" ]
	done
	run -0 --separate-stderr "$PERF" kwork top -n seco -i made
	[ "$stderr" = "warning: no task that ran has the name 'seco'" ]
	run -0 --separate-stderr "$PERF" kwork top -n second -i made
	[ -z "$stderr" ]
}

@test "a file without its features: what it lacks are descriptions, not events" {
	made <<-END
	at 100 0 7 irq:softirq_entry 1
	at 150 0 7 irq:softirq_exit 1
	END
	# the sections at the end, of which the recorder of a file like this did not write any
	head -c $(($(od -An -t u8 -j 40 -N 8 made) + $(od -An -t u8 -j 48 -N 8 made))) made >cut
	run -1 "$PERF" kwork report -i cut
	[[ "$output" == *"error: 'cut' does not describe the fields of its tracepoints"* ]]
	run -1 "$PERF" timechart -o none.svg -i cut
	[[ "$output" == *"error: 'cut' does not describe the fields of its tracepoints"* ]]
}

@test "top: the time of a CPU is its tasks', its interrupts' and its softirqs', once" {
	for order in "" --big-endian; do
		made <<-END
		at 1000 0 10 irq:softirq_entry 1
		at 1100 0 10 irq:irq_handler_entry 24 eth0
		at 1150 0 10 irq:irq_handler_exit 24 1
		at 1200 0 10 irq:softirq_exit 1
		at 1300 0 10 sched:sched_switch first 10 120 1 second 20 120
		at 1700 0 20 sched:sched_switch second 20 120 0 swapper/0 0 120
		at 2000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
		at 1000 1 0 sched:sched_switch swapper/1 0 120 0 second 20 120
		at 1500 1 20 sched:sched_switch second 20 120 1 swapper/1 0 120
		END
		"$PERF" kwork top -i made | sed 's/ *$//' >got
		diff got - <<-END

		Total  :      1.500 ms, 2 cpus
		%Cpu(s):  20.00% id,   3.33% hi,  10.00% si
		%Cpu0   [|||||||||||||||                 50.00%]
		%Cpu1   [|||||||||||||||||||||||||||||| 100.00%]

		      PID    %CPU           RUNTIME  COMMAND
		  ----------------------------------------------------
		       20  140.00          0.900 ms  second
		        0   30.00          0.300 ms  swapper/0
		       10   10.00          0.100 ms  first

		END
		[ "$("$PERF" kwork top -s tid -i made | awk '/ ms / && !/Total/ { print $1 }' | xargs)" = "0 10 20" ]
		# the bars are of all tasks
		"$PERF" kwork top -n first -i made >got
		grep -q 'Cpu0 .* 50.00%' got
		[ "$(grep -c ' ms  ' got)" -eq 1 ]
	done
}

@test "top: an entry whose exit is missing takes no time from what it interrupted" {
	made <<-END
	at 1000 0 10 irq:softirq_entry 1
	at 1100 0 10 irq:softirq_entry 3
	at 1300 0 10 irq:softirq_exit 3
	at 1400 0 10 irq:softirq_entry 9
	at 1500 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 1700 0 20 sched:sched_switch second 20 120 1 first 10 120
	at 3000 0 10 irq:irq_handler_entry 24 eth0
	at 3100 0 10 irq:irq_handler_entry 25 eth1
	at 3150 0 10 irq:irq_handler_exit 25 1
	at 3300 0 10 irq:softirq_exit 1
	at 3400 0 10 irq:irq_handler_entry 24 eth0
	at 3500 0 10 irq:softirq_entry 1
	at 3600 0 10 irq:softirq_exit 1
	at 4000 0 10 irq:softirq_entry 3
	at 6000 0 10 sched:sched_switch first 10 120 1 second 20 120
	END
	"$PERF" kwork top -i made | sed 's/ *$//' >got
	# softirqs 1100-1300 and 3500-3600, a handler 3100-3150; second 1500-1700; all else is the first's
	diff got - <<-END

	Total  :      5.000 ms, 1 cpus
	%Cpu(s):   0.00% id,   1.00% hi,   6.00% si
	%Cpu0   [|||||||||||||||||||||||||||     93.00%]

	      PID    %CPU           RUNTIME  COMMAND
	  ----------------------------------------------------
	       10   89.00          4.450 ms  first
	       20    4.00          0.200 ms  second

	END
}

@test "top: a softirq that was preempted goes on with its task" {
	made <<-END
	at 1000 0 10 irq:softirq_entry 3
	at 1100 0 10 sched:sched_switch first 10 120 0 second 20 120
	at 1700 0 20 sched:sched_switch second 20 120 1 first 10 120
	at 1800 0 10 irq:softirq_exit 3
	at 2000 0 10 sched:sched_switch first 10 120 1 second 20 120
	END
	"$PERF" kwork top -i made | tee got | awk '/ ms / && !/Total/ { print $1, $3 }' >tasks
	diff tasks <(printf '%s\n' '20 0.600' '10 0.200')
	grep -q ' 20.00% si' got
}

@test "top: a number that comes again after its task died is another task" {
	made <<-END
	at 1000 0 10 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1300 0 10 sched:sched_switch first 10 120 16 swapper/0 0 120
	at 1400 0 0 sched:sched_switch swapper/0 0 120 0 again 10 120
	at 2000 0 10 sched:sched_switch again 10 120 1 swapper/0 0 120
	END
	"$PERF" kwork top -i made | awk '/ ms / && !/Total/ { print $1, $3, $5 }' >got
	diff got - <<-END
	10 0.600 again
	10 0.300 first
	0 0.100 swapper/0
	END
}

@test "a real recording: the table of the system's perf" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -x $other ] || skip "no other perf"
	cd "$BATS_FILE_TMPDIR"
	grep -q NET_RX <("$PERF" kwork report -i real)
	for args in report "report -C 0" "report -s count,runtime" "report -n NET_RX" latency timehist; do
		# the last one before a raise counts there, and entries of interrupts count as skipped
		$other kwork -k irq,softirq,workqueue $args -i real 2>/dev/null | grep -v INFO >"$BATS_TEST_TMPDIR/theirs"
		"$PERF" kwork -k irq,softirq,workqueue $args -i real | grep -v INFO >"$BATS_TEST_TMPDIR/ours"
		if [ "$args" = latency ] || [ "$args" = timehist ]; then
			# softirqs that were raised twice differ: all but one in twenty lines must agree
			grep -vxF -f "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours" >only || true
			[ "$(grep -c NET_RX only)" -eq 0 ] ||
				awk -v n="$(wc -l <only)" -v all="$(wc -l <"$BATS_TEST_TMPDIR/ours")" 'BEGIN { exit !(n < all / 4) }'
			continue
		fi
		# it prints bytes of its memory at the end of some names of functions
		sed -i -E 's/(\(w\).{12}).{15}/\1/' "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
		diff <(grep -v '(w)' "$BATS_TEST_TMPDIR/theirs") <(grep -v '(w)' "$BATS_TEST_TMPDIR/ours") ||
			{ echo "$args"; return 1; }
		# it has one row for the functions that used the same item
		grep '(w)' "$BATS_TEST_TMPDIR/ours" >items || continue
		grep -vxF -f "$BATS_TEST_TMPDIR/theirs" items >only || true
		awk -v n="$(wc -l <only)" -v all="$(wc -l <items)" 'BEGIN { exit !(n <= 1 + all / 4) }' || { cat only; return 1; }
	done
}

@test "top of a real recording: the sums are the time between its events" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_FILE_TMPDIR"
	"$PERF" kwork top -i real >"$BATS_TEST_TMPDIR/top"
	"$PERF" script -G -F cpu,time,event --ns -i real |
		grep -vE 'workqueue|softirq_raise' >"$BATS_TEST_TMPDIR/events"
	cd "$BATS_TEST_TMPDIR"
	want=$(awk '{ c = $1; t = $2 + 0; if (!(c in a)) a[c] = t; b[c] = t } END { for (c in a) s += b[c] - a[c]; printf "%.3f\n", s * 1000 }' events)
	got=$(awk '/^Total/ { print $3 }' top)
	awk -v a="$want" -v b="$got" 'BEGIN { exit !(a - b < .01 && b - a < .01) }'
	grep -q 'python3' top
}

@test "timehist -g: the functions that led to the work, at most so many" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_FILE_TMPDIR"
	"$PERF" kwork timehist -g -i real | grep NET_RX >"$BATS_TEST_TMPDIR/got"
	[ "$(grep -c ' <- ' "$BATS_TEST_TMPDIR/got")" -gt 100 ]
	run ! grep -E 'NET_RX.*( <- .*){5}' "$BATS_TEST_TMPDIR/got"
	"$PERF" kwork timehist -g --max-stack 2 -i real | tail -n +4 >"$BATS_TEST_TMPDIR/got"
	run ! grep -E ' <- .* <- ' "$BATS_TEST_TMPDIR/got"
	grep -qE '[0-9]   [a-z_]+ <- [a-z_]+$' "$BATS_TEST_TMPDIR/got"
}

# Count in the kernel while a command runs; what is printed goes to the file "counted".
counting() {
	local view=$1
	shift
	"$PERF" kwork $kinds "$view" -b 3>&- >counted 2>said &
	local pid=$!
	until_true grep -q "Starting trace" counted
	"$@" >ran
	kill -INT $pid
	wait $pid || [ $? -eq 130 ]
}

bpf_or_skip() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" check -q feature bpf 2>/dev/null || "$PERF" version --build-options | grep -qi 'bpf.*on' || skip "built without BPF"
}

@test "-b: each packet is a softirq that was raised and run" {
	bpf_or_skip
	for view in report latency; do
		kinds="-k softirq" counting $view python3 "$BATS_FILE_TMPDIR/packets.py"
		awk -F'|' '/NET_RX/ { n += $4 } END { exit !(n >= 2000 && n < 4000) }' counted || { cat counted; return 1; }
		run ! grep '(w)' counted
	done
	# the greatest is not less than the mean, and its ends make it
	awk -F'|' '/\(s\)/ { if ($5 + 0 < $3 - .001) exit 1; d = ($7 - $6) * 1000 - $5; if (d > .002 || d < -.002) exit 1 }' counted
	counting report sh -c 'sync; sleep 0.1'
	grep -qE '\(w\)[a-z_]+ ' counted
}

@test "-b: a second signal right after the first one, as timeout(1) sends it, leaves the table" {
	bpf_or_skip
	for pause in 0 0.001 0.002 0.004 0.008; do
		"$PERF" kwork report -b 3>&- >counted 2>said &
		local pid=$!
		until_true grep -q "Starting trace" counted
		kill -TERM $pid
		sleep $pause
		kill -TERM $pid 2>/dev/null || :
		wait $pid || [ $? -eq 143 ]
		cat counted said
		grep -q "Kwork Name" counted
	done
}

@test "-b: top has the run time of a task as the task itself knows it" {
	bpf_or_skip
	ln -s "$(python3 -c 'import sys; print(sys.executable)')" kwork_spinner
	counting top ./kwork_spinner -c 'import time
while time.process_time() < .4: pass
print(time.process_time())'
	want=$(cat ran)
	got=$(awk '$NF == "kwork_spinner" && / ms / { s += $4 } END { print s }' counted)
	echo "$got ms of $want s"
	awk -v a="$got" -v b="$want" 'BEGIN { exit !(a > b * 1000 * .9 && a < b * 1000 * 1.15 + 20) }'
	grep -q 'PID     SPID' counted
}

@test "record takes options of perf record, and the kinds that were asked for" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" kwork -k workqueue record -q --no-buildid -o out -- true
	[ "$("$PERF" evlist -i out | grep -vE 'Tip|dummy' | sort | xargs)" = "workqueue:workqueue_activate_work workqueue:workqueue_execute_end workqueue:workqueue_execute_start" ]
	run -0 --separate-stderr "$PERF" kwork -k workqueue timehist -g -i out
	# no work may have been done meanwhile, which is another note
	[ "${stderr_lines[0]}" = "note: samples do not have callchains: 'perf kwork record -g' records them" ]
	"$PERF" kwork -k softirq,sched rec -q -o out -- true
	[ "$("$PERF" evlist -i out | grep -c irq:softirq)" -eq 3 ]
	"$PERF" evlist -i out | grep -q sched:sched_switch
}

@test "a recording without these events: which are missing, and how to record them" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" record -q -e cpu-clock -o out -- true
	run "$PERF" kwork report -i out
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: 'out' has none of the events that this analysis reads: irq:irq_handler_entry, irq:irq_handler_exit, "*", ..."* ]] ||
		[[ "$output" == *"reads: irq:irq_handler_entry, "*", workqueue:workqueue_execute_end"* ]]
	[[ "$output" == *"hint: record with: perf kwork record"* ]]
	# no head of a table precedes the reason
	run --separate-stderr -1 "$PERF" kwork timehist -i out
	[ -z "$output" ]
	"$PERF" kwork -k irq record -q -o out -- true
	run "$PERF" kwork -k softirq report -i out
	[ "$status" -eq 1 ]
	[[ "$output" == *"has no event 'irq:softirq_entry', 'irq:softirq_exit'"* ]]
	[[ "$output" == *"hint: record with: perf kwork -k softirq record"* ]]
	run "$PERF" kwork top -i out
	[ "$status" -eq 1 ]
	[[ "$output" == *"has no event 'sched:sched_switch'"*"perf kwork -k sched,irq,softirq record"* ]]
}

@test "damaged recordings end with a message, whatever is cut or changed" {
	made <<-END
	$(for i in $(seq 100 130); do
		echo "at ${i}0 0 7 irq:softirq_raise 9"
		echo "at ${i}1 0 7 irq:softirq_entry 9"
		echo "at ${i}2 0 7 irq:softirq_exit 9"
		echo "at ${i}3 4000000000 7 irq:irq_handler_entry 24 eth0"
		echo "at ${i}4 0 10 sched:sched_switch first 10 120 16 second 20 120"
	done)
	END
	"$BATS_TEST_DIRNAME/make-damage" made 60 7
	for f in bad*; do
		for view in report latency timehist top; do
			code=0
			timeout 10 "$PERF" kwork $view -i "$f" >/dev/null 2>said || code=$?
			[ "$code" -le 1 ] || { echo "$f $view: $code"; cat said; return 1; }
		done
	done
}

@test "wrong use is refused with 129 and says what there is" {
	refused() {
		local want=$1
		shift
		run "$PERF" kwork "$@"
		[ "$status" -eq 129 ] || { echo "$*: $status"; return 1; }
		[[ "$output" == *"$want"* ]] || { echo "$*: $output"; return 1; }
	}
	refused "need a subcommand: record, report, latency, timehist or top"
	refused "unknown subcommand 'foo'" foo
	refused "unknown subcommand 're'" re
	refused "there is no kind 'softirqs': it is one of irq, softirq, workqueue, sched" -k softirqs report
	refused "--kwork names no kind" -k , report
	refused "'perf kwork report' does not show sched" -k irq,sched report
	refused "interrupts have no latency" -k irq latency
	refused "'perf kwork top' needs sched" -k irq top
	refused "there is no key 'avg': it is one of rate, runtime, tid" top -s avg
	refused "there is no key 'foo': it is one of runtime, max, count, avg, id" report -s foo
	refused "--cpu: 'x' is not a list of CPUs" report -C x
	refused "'more' is one argument too many" report more
	refused "unknown option '--nonsense'" report --nonsense
	refused "--use-bpf reads no recording" report -b -i x
	refused "unknown option '-b'" timehist -b
	refused "there is no kind 'foo'" -k foo record true
}
