#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf sched on recordings that are made event by event: spans of time, names of the map, and options that
# ask for what is not there.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

events() {
	cat <<-END
	event sched:sched_switch prev_comm:text prev_pid:s32 prev_prio:s32 prev_state:s64 next_comm:text next_pid:s32 next_prio:s32
	event sched:sched_waking comm:text pid:s32 prio:s32 target_cpu:s32
	END
}

# A recording of these lines; times are written in microseconds.
made() { # FILE
	{
		events
		sed -E 's/^(at|lost) ([0-9]+)/\1 \2000/'
	} | "$BATS_TEST_DIRNAME/make-tracepoints" "$1"
}

# first runs 1000-1400, 1700-2000; second 1400-1700; CPU 1: other runs 1200-1900, idle until 2000
two_cpus() {
	cat <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1200 1 0 sched:sched_switch swapper/1 0 120 0 other 30 120
	at 1300 0 10 sched:sched_waking second 20 120 0
	at 1400 0 10 sched:sched_switch first 10 120 0 second 20 120
	at 1700 0 20 sched:sched_switch second 20 120 1 first 10 120
	at 1900 1 30 sched:sched_switch other 30 120 1 swapper/1 0 120
	at 2000 0 10 sched:sched_switch first 10 120 1 swapper/0 0 120
	at 2000 1 0 sched:sched_switch swapper/1 0 120 0 other 30 120
	END
}

# "NAME count run least average most" of timehist -s, times in microseconds
stays() {
	sed -n 's/^ *\([a-z]*\)\[.*\] *-*[0-9]* *\([0-9]*\) *\([0-9.]*\) *\([0-9.]*\) *\([0-9.]*\) *\([0-9.]*\) .*/\1 \2 \3 \4 \5 \6/p' |
		awk '{ printf "%s %d", $1, $2; for (i = 3; i <= 6; i++) printf " %d", $i * 1000 + .5; print "" }'
}

@test "timehist -s --time: stays count up to the ends of the span" {
	two_cpus | made d
	"$PERF" sched timehist -s -i d 2>/dev/null >whole
	stays <whole >got
	diff got - <<-END
	first 2 700 300 350 400
	second 1 300 300 300 300
	other 1 700 700 700 700
	END
	"$PERF" sched timehist -s -v --time 0.0015,0.00195 -i d 2>/dev/null >part
	stays <part >got
	diff got - <<-END
	first 1 250 250 250 250
	second 1 200 200 200 200
	other 1 400 400 400 400
	END
	grep -q 'Total run time (msec):  0.850' part
	# as -v has it
	awk '/= elapsed/ { on = 1; next } on { busy += $3 } END { exit sprintf("%.6f", busy) != "0.850000" }' part
	# idle times, too: CPU 1 was idle for 100 us, of which 50 are in the span
	"$PERF" sched timehist -I -s --time 0.0015,0.00195 -i d 2>/dev/null | stays >got
	diff got - <<-END
	other 1 50 50 50 50
	END
}

@test "timehist -s: a stay of unknown length counts, but not as one of 0 ms" {
	{
		two_cpus
		# what went to CPU 1 was other; third leaves it
		echo "at 2500 1 40 sched:sched_switch third 40 120 1 other 30 120"
		echo "at 2600 1 30 sched:sched_switch other 30 120 1 third 40 120"
		echo "at 2800 1 40 sched:sched_switch third 40 120 1 swapper/1 0 120"
	} | made d
	"$PERF" sched timehist -s -i d 2>/dev/null >table
	stays <table | grep '^third' >got
	diff got - <<-END
	third 2 200 200 200 200
	END
}

@test "timehist -s: of a stay that began in a loss what was seen of it counts, and no least or greatest is made up" {
	made d <<-END
	at 1000 0 10 sched:sched_switch first 10 120 1 second 20 120
	lost 1500 0 3
	at 11000 0 20 sched:sched_switch second 20 120 1 first 10 120
	at 12000 0 10 sched:sched_switch first 10 120 1 second 20 120
	END
	"$PERF" sched timehist -s -i d 2>/dev/null >table
	awk '/second\[20\]/ { print $3, $4, $5, $6, $7, $8 }' table | diff - <(echo "1 9.500 - - - -")
	awk '/first\[10\]/ { print $4, $5, $7 }' table | diff - <(echo "1.000 1.000 1.000")
	grep -q 'Total run time (msec): 10.500' table
}

# "TIME NAME wait delay run" of timehist
waits() {
	"$PERF" sched timehist -i "$1" 2>/dev/null | sed '1,3d' |
		awk '{ sub(/\[.*/, "", $3); print $1 * 1000000, $3, $(NF - 2), $(NF - 1), $NF }'
}

# second sleeps from 1300 on and is woken at 1600; its switch in is not recorded, its switch out at 2000 is
unseen_switch() {
	cat <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1100 0 10 sched:sched_waking second 20 120 0
	at 1200 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 1300 0 20 sched:sched_switch second 20 120 1 third 30 120
	at 1600 0 30 sched:sched_waking second 20 120 0
	END
}

@test "timehist: a stay whose begin was not recorded does not repeat the wait of the one before" {
	{
		unseen_switch
		echo "at 2000 0 20 sched:sched_switch second 20 120 1 first 10 120"
	} | made d
	waits d >got
	diff got - <<-END
	1000 <idle> 0.000 0.000 0.000
	1200 first 0.000 0.000 0.200
	1300 second 0.000 0.100 0.100
	2000 second - - -
	END
	# what it was woken for is not known where the sleep began unseen, either
	{
		unseen_switch
		echo "at 2000 0 20 sched:sched_switch second 20 120 1 first 10 120"
		echo "at 2100 0 10 sched:sched_switch first 10 120 1 third 30 120"
		echo "at 2300 0 30 sched:sched_switch third 30 120 1 swapper/0 0 120"
	} | made d
	waits d >got
	sed 1,4d got | diff - <(printf '%s\n' '2100 first 0.800 0.000 0.100' '2300 third - - 0.200')
}

@test "timehist: sched_stat_runtime shows when a stay began whose begin was not recorded" {
	{
		echo "event sched:sched_stat_runtime comm:text pid:s32 runtime:u64"
		unseen_switch
		# another CPU accounts 50 us of it, its own one 100 us and 150 us: it came at 1700
		echo "at 1800 1 40 sched:sched_stat_runtime second 20 50000"
		echo "at 1850 0 20 sched:sched_stat_runtime second 20 100000"
		echo "at 2000 0 20 sched:sched_stat_runtime second 20 150000"
		echo "at 2000 0 20 sched:sched_switch second 20 120 1 first 10 120"
	} | made d
	waits d >got
	tail -1 got | diff - <(echo '2000 second 0.400 0.100 0.300')
	"$PERF" sched latency -p -v -i d >out
	grep -q 'switches that were not recorded, and follow from run times: 1$' out
	grep 'second:20' out | tr -s ' ' | grep -q ' second:20 | 0.400 ms | 2 | avg: 0.100 ms | max: 0.100 ms '
}

@test "timehist: a preempted task waits for a CPU from the start" {
	{
		two_cpus | head -4
		echo "at 1700 0 20 sched:sched_switch second 20 120 1 first 10 120"
		echo "at 2000 0 10 sched:sched_switch first 10 120 1 swapper/0 0 120"
	} | made d
	waits d | grep '^2000' | diff - <(echo '2000 first 0.300 0.300 0.300')
}

@test "timehist -s: the total number of context switches is that of the recorded ones" {
	two_cpus | made d
	"$PERF" sched timehist -s -i d 2>/dev/null | grep -qx 'Total number of context switches: 7'
	"$PERF" sched timehist -s --time 0.0015,0.00195 -i d 2>/dev/null | grep -qx 'Total number of context switches: 2'
	"$PERF" sched timehist -s -C 1 -i d 2>/dev/null | grep -qx 'Total number of context switches: 3'
	# the ends of idle times
	"$PERF" sched timehist -I -s -i d 2>/dev/null | grep -qx 'Total number of context switches: 3'
}

@test "a name that changes during a stay does not make two of it" {
	{
		echo "at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120"
		echo "at 1500 0 10 sched:sched_switch renamed 10 120 1 swapper/0 0 120"
	} | made d
	"$PERF" sched timehist -s -i d 2>/dev/null | stays >got
	diff got - <<-END
	renamed 1 500 500 500 500
	END
}

# Names are kept in a table of 256 places, by the number of the task.
@test "timehist: of many tasks, each is called by its own name" {
	{
		echo "at 1000 0 0 sched:sched_switch swapper/0 0 120 0 t1 1001 120"
		for i in $(seq 2 600); do
			echo "at $((1000 + i * 10)) 0 $((999 + i)) sched:sched_switch t$((i - 1)) $((999 + i)) 120 1 t$i $((1000 + i)) 120"
		done
		echo "at 8000 0 1600 sched:sched_waking t344 1344 120 0"
		echo "at 8010 0 1600 sched:sched_switch t600 1600 120 1 t344 1344 120"
		echo "at 8020 0 1344 sched:sched_switch t344 1344 120 1 t88 1088 120"
		# another name, in the place that the old one had
		echo "at 8030 0 1088 sched:sched_switch renamed 1088 120 1 t600 1600 120"
	} | made d
	"$PERF" sched timehist -w -n -i d 2>/dev/null >out
	sed -n 's/^ *0.00\(80[0-9]*\) .0000. *\([^ ]*\) .*\(awakened\|next\): \([^ ]*\).*/\1 \2 \4/p' out >got
	diff got - <<-END
	8000 t600[1600] t344[1344]
	8010 t600[1600] t344[1344]
	8020 t344[1344] t88[1088]
	8030 renamed[1088] t600[1600]
	END
	# all the lines: each task in its turn
	sed -n 's/.*  \(t[0-9]*\)\[\([0-9]*\)\].* next: \(t[0-9]*\)\[.*/\1 \2 \3/p' out | head -599 >got
	for i in $(seq 1 599); do
		echo "t$i $((1000 + i)) t$((i + 1))"
	done | diff got -
}

# 3000 tasks, of which what is known of the first ones is forgotten before the last ones come: names a, b and c in turn, each
# waits 10 us and runs 50; the 8th, the 1000th and the last a wait 30.
@test "latency and map: of tasks that ended long ago the sums and the names stay" {
	{
		echo "at 1000 0 0 sched:sched_switch swapper/0 0 120 0 old 7 120"
		# one process: a step of a loop in a test takes long where the machine is an emulated one
		awk 'BEGIN {
			for (i = 0; i < 3000; i++) {
				name = substr("abc", i % 3 + 1, 1)
				wait = i == 21 || i == 2997 || i == 2721 ? 30 : 10
				t = 2000 + i * 100; tid = 10000 + i
				print "at", t, "0 7 sched:sched_waking", name, tid, "120 0"
				print "at", t + wait, "0 7 sched:sched_switch old 7 120 1", name, tid, "120"
				print "at", t + wait + 50, "0", tid, "sched:sched_switch", name, tid, "120 32 old 7 120"
			}
		}'
	} | made d
	"$PERF" sched latency -i d >out
	sed -n 's/ *\([abc]\):(\([0-9]*\)) *| *\([0-9.]*\) ms | *\([0-9]*\) | avg: *\([0-9.]*\) ms | max: *\([0-9.]*\) ms | max start: *\([0-9.]*\) s.*/\1 \2 \3 \4 \5 \6 \7/p' out | sort >got
	diff got - <<-END
	a 1000 50.000 1000 0.010 0.030 0.004100
	b 1000 50.000 1000 0.010 0.010 0.002100
	c 1000 50.000 1000 0.010 0.010 0.002200
	END
	# a line for each task is all of them
	[ "$("$PERF" sched latency -p -i d | grep -c '[abc]:[0-9]')" -eq 3000 ]
	# each is explained once, and has a name of two letters that no other one has meanwhile
	[ "$("$PERF" sched map -i d 2>/dev/null | grep -c '=> [abc]:1')" -eq 3000 ]
	"$PERF" sched map -i d 2>/dev/null | sed -n 's/.* \([A-Z][0-9]\) => \([abc]\):\([0-9]*\)$/\1 \3/p' >names
	[ "$(head -259 names | cut -d ' ' -f 1 | sort -u | wc -l)" -eq 259 ]
	[ "$(cut -d ' ' -f 2 names | tr '\n' ' ')" = "$(seq 10000 12999 | tr '\n' ' ')" ]
}

# The first task is forgotten when 1024 others have ended, and the next one that begins has its place.
@test "map: who comes in the place of a forgotten task is explained, too" {
	{
		echo "at 1000 0 0 sched:sched_switch swapper/0 0 120 0 old 7 120"
		echo "at 1001 1 0 sched:sched_switch swapper/1 0 120 0 old 8 120"
		awk 'BEGIN {
			for (i = 0; i <= 1040; i++) {
				here = i == 0 || i >= 1020 && i < 1040
				stays = here ? 7 : 8
				t = 2000 + i * 100; tid = 10000 + i
				print "at", t, here ? 0 : 1, stays, "sched:sched_switch old", stays, "120 1 a", tid, "120"
				print "at", t + 50, here ? 0 : 1, tid, "sched:sched_switch a", tid, "120 32 old", stays, "120"
			}
		}'
	} | made d
	"$PERF" sched map --cpus 0 -i d 2>/dev/null | sed -n 's/.*=> a:\([0-9]*\)$/\1/p' >got
	{ echo 10000 && seq 11020 11039; } | diff got -
}

@test "map --compact: a CPU whose records were lost has one column" {
	cat <<-END | made d
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1100 1 0 sched:sched_switch swapper/1 0 120 0 other 30 120
	lost 1200 0 5
	at 1300 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 1400 0 20 sched:sched_switch second 20 120 1 swapper/0 0 120
	END
	"$PERF" sched map --compact -i d 2>/dev/null | sed -n 's/  *0\.0013.*//p; s/  *0\.0014.*//p' >got
	diff got - <<-END
	  *C0  B0
	  *.   B0
	END
}

@test "map: every name is explained where it appears first, also what came before --time" {
	two_cpus | made d
	"$PERF" sched map --time 0.00135,1 -i d | sed 's/ *$//' >map
	diff map - <<-END
	  *A0  B0       0.001400 secs A0 => second:20, B0 => other:30
	  *C0  B0       0.001700 secs C0 => first:10
	   C0 *.        0.001900 secs .  => swapper:0
	  *.   .        0.002000 secs
	   .  *B0       0.002000 secs
	END
	"$PERF" sched map --time 0.00135,1 --axis 0.1 -i d | head -1 >map
	diff map - <<-END
	  *A0  B0       0.001400 secs A0 => second:20, B0 => other:30
	END
	# the first line of the axis has no switch
	{ echo "at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120"
	  echo "at 3000 0 10 sched:sched_switch first 10 120 1 swapper/0 0 120"; } | made e
	"$PERF" sched map --axis 1 -i e | sed 's/ *$//' >map
	diff map - <<-END
	  *A0       0.001000 secs A0 => first:10
	   A0       0.002000 ----
	  *.        0.003000 secs .  => swapper:0
	END
}

@test "map: no two living tasks have one name" {
	{
		echo "at 1000 0 0 sched:sched_switch swapper/0 0 120 0 stays 10 120"
		for i in $(seq 1 300); do
			echo "at $((1000 + i * 10)) 1 0 sched:sched_switch swapper/1 0 120 0 ends $((100 + i)) 120"
			echo "at $((1005 + i * 10)) 1 $((100 + i)) sched:sched_switch ends $((100 + i)) 120 16 swapper/1 0 120"
		done
		echo "at 9000 0 10 sched:sched_switch stays 10 120 1 swapper/0 0 120"
	} | made d
	"$PERF" sched map -i d >map
	[ "$(grep -c ' A0 => ' map)" -eq 1 ]
	[ "$(grep -c ' B0 => ' map)" -eq 2 ]
	[ "$(grep -c ' => ends:' map)" -eq 300 ]
}

@test "map: of more living tasks than names, each is explained when it comes" {
	for i in $(seq 1 300); do
		echo "at $((1000 + i * 10)) 0 0 sched:sched_switch swapper/0 0 120 0 lives $((100 + i)) 120"
		echo "at $((1005 + i * 10)) 0 $((100 + i)) sched:sched_switch lives $((100 + i)) 120 1 swapper/0 0 120"
	done >lines
	{ cat lines; echo "at 9000 0 0 sched:sched_switch swapper/0 0 120 0 lives 101 120"; } | made d
	"$PERF" sched map -i d | grep secs | tail -1 >last
	diff last - <<-END
	  *O1       0.009000 secs O1 => lives:101
	END
}

@test "a span without events is said, with that of the recording" {
	two_cpus | made d
	for how in latency map "timehist -s"; do
		run -0 --separate-stderr "$PERF" sched $how --time 5,6 -i d
		[[ "$stderr" == *"warning: nothing was recorded in --time '5,6': the recording reaches from 0.001000 s to 0.002000 s"* ]] ||
			{ echo "$how: $stderr"; return 1; }
		run -0 --separate-stderr "$PERF" sched $how --time 0,0.0015 -i d
		[[ "$stderr" != *warning* ]] || { echo "$how: $stderr"; return 1; }
	done
}

@test "lists without a name, and numbers that mean nothing, are refused" {
	two_cpus | made d
	run -129 "$PERF" sched map --axis 0 -i d
	[[ "$output" == "error: --axis must be more than 0"* ]]
	run -129 "$PERF" sched map --task-name , -i d
	[[ "$output" == "error: --task-name: no name is given"* ]]
	run -129 "$PERF" sched waits --comms "" -i d
	[[ "$output" == "error: --comms: no name is given"* ]]
	run -129 "$PERF" sched replay --repeat -2 -i d
	[[ "$output" == "error: --repeat: -2 is not a number of rounds, and only -1 repeats forever"* ]]
}

# Where tasks leave the CPU: with the functions that an unwinder may show between scheduler and probe.
with_chains() {
	cat >syms <<-END
	ffffffff81000000 T _stext
	ffffffff81000100 T __traceiter_sched_switch
	ffffffff81000200 T __schedule
	ffffffff81000300 T schedule
	ffffffff81000400 T anon_pipe_read
	ffffffff81000500 T vfs_read
	ffffffff81000600 T after
	END
	cat <<-END
	kernel ffffffff81000000 1000
	comm 10 first
	comm 20 second
	chain ffffffff81000110 ffffffff81000210 ffffffff81000310 ffffffff81000410 ffffffff81000510
	at 1000 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 1700 0 20 sched:sched_waking first 10 120 0
	chain ffffffff81000110 ffffffff81000210 ffffffff81000310 ffffffff81000410 ffffffff81000510
	at 1800 0 20 sched:sched_switch second 20 120 1 first 10 120
	at 2000 0 10 sched:sched_waking second 20 120 0
	END
}

@test "chains begin with the function that called the scheduler" {
	with_chains | made d
	"$PERF" sched timehist --max-stack 2 --kallsyms syms -i d | sed -n '4s/.*  //p' >chain
	diff chain - <<-END
	anon_pipe_read <- vfs_read
	END
	# a task that was woken waits for a CPU in the place where it slept
	"$PERF" sched waits --places --kallsyms syms -i d | awk '/pipe/ { print $1, $2, $3, $NF }' >got
	diff got - <<-END
	pipe 0.900 90.00% anon_pipe_read
	run queue (CPUs anon_pipe_read
	END
}

# first leaves CPU 0 in task_work_run(), second runs until 1200, and NAME TID until 1700
gives_way() { # ADDRESS-OF-ITS-CALLER NAME TID
	cat >syms <<-END
	ffffffff81000000 T _stext
	ffffffff81000100 T __traceiter_sched_switch
	ffffffff81000200 T __schedule
	ffffffff81000300 T __cond_resched
	ffffffff81000400 T task_work_run
	ffffffff81000500 T irqentry_exit_to_user_mode
	ffffffff81000600 T exit_to_user_mode_loop
	ffffffff81000700 T after
	END
	made d <<-END
	kernel ffffffff81000000 1000
	comm 10 first
	comm 20 second
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	chain ffffffff81000110 ffffffff81000210 ffffffff81000310 ffffffff81000410 $1
	at 1100 0 10 sched:sched_switch first 10 120 256 second 20 120
	chain ffffffff81000110 ffffffff81000210
	at 1200 0 20 sched:sched_switch second 20 120 1 $2 $3 120
	chain ffffffff81000110 ffffffff81000210
	at 1700 0 $3 sched:sched_switch $2 $3 120 0 first 10 120
	END
	"$PERF" sched waits -c first --kallsyms syms -i d | sed -n 2p | tr -s ' '
}

@test "waits: giving way in task_work_run is a CPU quota after an interrupt, or where the CPU becomes idle" {
	[[ "$(gives_way ffffffff81000610 third 30)" == " run queue (CPUs busy) 0.600 "* ]]
	[[ "$(gives_way ffffffff81000610 swapper/0 0)" == " CPU quota (cgroup) 0.600 "* ]]
	[[ "$(gives_way ffffffff81000510 third 30)" == " CPU quota (cgroup) 0.600 "* ]]
}

@test "waits: tasks and spans that are not in the recording are said" {
	with_chains | made d
	run -0 --separate-stderr "$PERF" sched waits -c first,third -i d --kallsyms syms
	[ "$stderr" = "warning: no task of the recording has the name 'third'" ]
	run -0 --separate-stderr "$PERF" sched waits -p 10,4194305 -i d --kallsyms syms
	[ "$stderr" = "warning: no process of the recording has the number 4194305" ]
	run -0 --separate-stderr "$PERF" sched waits --time 5,6 -i d --kallsyms syms
	[[ "$stderr" == "warning: nothing was recorded in --time '5,6': the recording reaches from "* ]]
}

@test "a tracepoint that two events recorded counts once" {
	two_cpus | made d
	"$PERF" sched latency -v -i d >once
	{
		events
		echo "again sched:sched_switch"
		echo "again sched:sched_waking"
		# 300 ns later, as the kernel does it; the last ones reached one event alone
		two_cpus | awk '{ last = $2 == 2000; $2 = $2 "000"; print; $2 += 300; $5 = $5 "#2" } !last'
	} | "$BATS_TEST_DIRNAME/make-tracepoints" twice
	"$PERF" sched latency -v -i twice >out 2>said
	diff once out
	[ "$(cat said)" = "warning: counted samples once whose tracepoint was recorded by more than one event (6 times)" ]
}

@test "a recording of some tasks alone says that it tells little" {
	# the switches of first, as perf sched record -t records them: to it they are not seen
	made d <<-END
	at 1000 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 1500 0 10 sched:sched_switch first 10 120 1 third 30 120
	at 2000 0 10 sched:sched_switch first 10 120 1 second 20 120
	END
	"$PERF" sched latency -i d >out
	grep -q '^  INFO: most switches do not follow from those before' out
	grep -qx '  INFO: 66.667% context switch bugs (2 out of 3)' out
	for how in -s "-I -s"; do
		"$PERF" sched timehist $how -i d >out
		grep -A1 '^Idle stats:' out | grep -q '^    not known, since most switches do not follow from those before: '
		run ! grep 'idle for' out
	done
	two_cpus | made d
	"$PERF" sched latency -i d >out
	run ! grep -q 'most switches' out
	"$PERF" sched timehist -s -i d >out
	grep -q '^    CPU  0 idle for' out
}

@test "a recording without any sample says so" {
	made d <<<"comm 10 first"
	run -0 --separate-stderr "$PERF" sched latency -i d
	[ "$stderr" = "warning: the recording has no samples" ]
}

@test "--bpf with a CPU that does not run is refused" {
	for how in "sched latency --bpf" "kwork report -b" "kwork top -b"; do
		run -129 "$PERF" $how -C 0,65000
		[[ "$output" == "error: CPU 65000 is not online"* ]]
	done
}
