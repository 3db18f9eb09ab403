#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf sched on recordings with holes, made event by event: a CPU's ring that is missing, lost records,
# and the other byte order.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# A recording of these lines; times are written in microseconds.
made() { # ORDER FILE
	{
		cat <<-END
		event sched:sched_switch prev_comm:text prev_pid:s32 prev_prio:s32 prev_state:s64 next_comm:text next_pid:s32 next_prio:s32
		event sched:sched_waking comm:text pid:s32 prio:s32 target_cpu:s32
		event sched:sched_migrate_task comm:text pid:s32 prio:s32 orig_cpu:s32 dest_cpu:s32
		END
		sed -E 's/^(at|lost) ([0-9]+)/\1 \2000/'
	} | "$BATS_TEST_DIRNAME/make-tracepoints" $1 "$2"
}

# "NAME:TID runtime switches avg max" of latency -p
rows() {
	sed -n 's/^  \([a-z]*:[0-9]*\) *| *\([0-9.]*\) ms | *\([0-9]*\) | avg: *\([0-9.]*\) ms | max: *\([0-9.]*\) ms.*/\1 \2 \3 \4 \5/p' | sort
}

# Of -v: "NAME:TID run ready preempted sleep blocked unknown = total", in microseconds
times() {
	awk '/= total/ { on = 1; next } on && NF == 8 { printf "%s", $1; for (i = 2; i <= 8; i++) printf " %d", $i * 1000 + .5; print "" } on && !NF { exit }' | sort
}

one_cpu_of_two() {
	cat <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1100 0 10 sched:sched_waking second 20 120 1
	at 1500 0 10 sched:sched_waking second 20 120 1
	at 1500 0 10 sched:sched_migrate_task second 20 120 1 0
	at 1600 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 1650 0 20 sched:sched_waking first 10 120 0
	at 1700 0 20 sched:sched_switch second 20 120 256 first 10 120
	at 1800 0 10 sched:sched_migrate_task second 20 120 0 1
	at 2000 0 10 sched:sched_switch first 10 120 1 swapper/0 0 120
	at 2400 0 0 sched:sched_waking second 20 120 1
	at 2400 0 0 sched:sched_migrate_task second 20 120 1 0
	at 2410 0 0 sched:sched_switch swapper/0 0 120 0 second 20 120
	at 2500 0 20 sched:sched_switch second 20 120 1 swapper/0 0 120
	at 2600 0 0 sched:sched_waking third 30 120 1
	at 3000 0 0 sched:sched_waking first 10 120 0
	at 3010 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 3100 0 10 sched:sched_switch first 10 120 1 swapper/0 0 120
	END
}

@test "a CPU's ring is missing: what may have run there is unknown, not a long wait" {
	one_cpu_of_two | made "" d
	"$PERF" sched latency -p -v -i d >out
	# the second waited 100 us from 1500 on and 10 us from 2400 on, not since 1100 or 1700
	rows <out >got
	diff got - <<-END
	first:10 0.990 2 0.030 0.050
	second:20 0.190 2 0.055 0.100
	END
	grep -qx '  INFO: no event of CPU 1 was recorded, to which tasks were sent 5 times: what ran there is not known' out
	times <out >got
	# preempted from 1700 until it was moved at 1800; the third went to CPU 1 and was not seen again
	diff got - <<-END
	first:10 990 60 0 1050 0 0 2100
	second:20 190 110 100 600 0 1100 2100
	third:30 0 0 0 0 0 2100 2100
	END
	"$PERF" sched timehist -i d >lines
	awk '$3 ~ /^second/ { print $(NF - 2), $(NF - 1), $NF }' lines >got
	# that it slept is known, but not since when
	diff got - <<-END
	- 0.100 0.100
	- 0.010 0.090
	END
}

@test "a task that is woken while it waits has run unseen, whatever CPUs are there" {
	made "" d <<-END
	at 1000 0 20 sched:sched_switch second 20 120 1 first 10 120
	at 1000 1 0 sched:sched_switch swapper/1 0 120 0 other 11 120
	at 1100 0 10 sched:sched_waking second 20 120 0
	at 1900 0 10 sched:sched_waking second 20 120 0
	at 2000 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 2100 0 20 sched:sched_switch second 20 120 1 swapper/0 0 120
	END
	"$PERF" sched latency -p -v -i d >out
	rows <out >got
	grep -qx 'second:20 0.100 1 0.100 0.100' got
	times <out | grep -qx 'second:20 100 100 0 100 0 800 1100'
	run ! grep INFO out
	grep -qx '  states that became unknown, by what was not recorded: 1' out
}

@test "records lost in the middle: nothing is reckoned through the gap" {
	made "" d <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1100 0 10 sched:sched_waking second 20 120 0
	lost 1500 0 9
	at 1600 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 1700 0 20 sched:sched_waking first 10 120 0
	at 1900 0 20 sched:sched_switch second 20 120 1 first 10 120
	at 2000 0 10 sched:sched_switch first 10 120 1 swapper/0 0 120
	END
	"$PERF" sched latency -p -v -i d >out
	rows <out >got
	# the first ran from 1000 to 1100 and from 1500 to 1600; it waited from 1700 to 1900
	diff got - <<-END
	first:10 0.300 1 0.200 0.200
	second:20 0.300 0 0.000 0.000
	END
	grep -qE '^  INFO: 60\.000% lost events \(9 out of 15, in 1 chunks\)$' out
	grep -qE '^  CPU 0 +0\.600000 +0\.000000 +0\.400000 +1\.000000$' out
}

@test "a task that is met for the first time after a loss was unknown before" {
	# that they exist, and their names, was recorded at the beginning
	made "" d <<-END
	comm 30 third
	comm 40 fourth
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	lost 1500 0 9
	at 1600 0 10 sched:sched_switch first 10 120 1 third 30 120
	at 1700 0 30 sched:sched_waking fourth 40 120 0
	at 1900 0 30 sched:sched_switch third 30 120 1 fourth 40 120
	at 2000 0 40 sched:sched_switch fourth 40 120 1 swapper/0 0 120
	END
	run -0 --separate-stderr "$PERF" sched latency -p -v -i d
	[[ "$stderr" != *"do not add up"* ]]
	times <<<"$output" >got
	diff got - <<-END
	first:10 100 0 0 400 0 500 1000
	fourth:40 100 200 0 0 0 700 1000
	third:30 300 0 0 100 0 600 1000
	END
}

@test "a recording of the other byte order tells the same" {
	one_cpu_of_two | made "" little
	one_cpu_of_two | made --big-endian big
	for view in "latency -p -v -H" "timehist -MVw --next --state -S" "map --axis 100us --latency" "map --compact"; do
		"$PERF" sched $view -i little >want 2>&1
		[ "$(wc -l <want)" -ge 5 ]
		"$PERF" sched $view -i big >got 2>&1
		diff want got
	done
	"$PERF" sched script -i little >want
	"$PERF" sched script -i big | cmp - want
}
