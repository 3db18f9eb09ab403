#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Terms and modifiers of events: what they change in a recording or a count, and who refuses them.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	oracle=${RIVAL_PERF:-/usr/bin/perf}
}

@test "record: the attributes that terms and modifiers make are those of Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	for event in 'cpu-clock/max-stack=2/' 'cpu-clock/call-graph=fp/' 'cpu-clock/time=0/' 'cpu-clock/no-inherit/' \
		'cpu-clock/inherit=0/' 'cpu-clock/call-graph=dwarf,stack-size=1024/' 'cpu-clock/freq=100,max-stack=3/' \
		'cpu-clock/period=100000/,cs' '{cpu-clock,cs/call-graph=no/}' 'cpu-clock/name=mine/u' 'cpu-clock:ukhIGH' \
		'dummy:G' 'cpu-clock:De' '{cpu-clock,faults}:S' 'cpu-clock/config1=0/k' 'mem:0x1000:w' 'dummy:uk'; do
		for g in "" -g; do
			# the kernel may lower the frequency that it allows, at any time
			for _ in 1 2 3 4 5; do
				allowed=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
				$oracle record -o want.data $g -e "$event" true >/dev/null 2>&1
				"$PERF" record -o got.data $g -e "$event" true >/dev/null 2>&1
				[ "$allowed" != "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" ] || break
			done
			$oracle evlist -v -i want.data >want
			$oracle evlist -v -i got.data >got
			[ -s want ]
			# ours inherits the counters of such a group where the kernel can (difference readings-by-task)
			[[ $event != *:S ]] || sed -i 's/ inherit: 1,//' got
			diff want got || { echo "$event $g"; return 1; }
		done
	done
}

@test "record: terms of tracepoints make the attributes that Debian's perf makes" {
	[ -x $oracle ] || skip "no perf to compare with"
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	for event in 'sched:sched_switch/max-stack=3/' 'sched:sched_switch/call-graph=dwarf/' \
		'sched:sched_switch/call-graph=fp,max-stack=4/u' 'sched:sched_switch/no-inherit/' \
		'{cpu-clock,sched:sched_switch/call-graph=no/}' 'sched:sched_switch/stack-size=1024,call-graph=dwarf/' \
		'sched:sched_wait_tas*/max-stack=2/'; do
		for g in "" -g; do
			$oracle record -o want.data $g -e "$event" true >/dev/null 2>&1
			"$PERF" record -o got.data $g -e "$event" true >/dev/null 2>&1
			$oracle evlist -v -i want.data >want
			$oracle evlist -v -i got.data >got
			grep -q sched: want
			diff want got || { echo "$event $g"; return 1; }
		done
	done
	run "$PERF" record -e sched:sched_switch/config=1/ true
	[ "$status" -eq 129 ]
	[[ "$output" == *"'config' has no use with a tracepoint"*"^^^^^^"* ]]
	run "$PERF" record -e sched:sched_switch/max-stack=3 true
	[ "$status" -eq 129 ]
	run "$PERF" record -e sched:sched_switch/nosuch/ true
	[[ "$output" == *"unknown term 'nosuch'"* ]]
	"$PERF" record -q -o data -e sched:sched_switch/period=1,name=mine/ true
	"$PERF" evlist -i data | grep -q '^mine$'
}

@test "record: chains of one event alone, as long as its max-stack" {
	"$PERF" record -q -o data -e 'cpu-clock/max-stack=2,freq=997/' -e task-clock/freq=997/ \
		"$PERF" test -w noploop 1
	"$PERF" script -i data -F event,ip >text
	# a chain is lines that begin with a blank and an address
	awk '/^ +[0-9a-f]+$/ { n++; next } /cpu-clock/ { kind = "c"; n = 0; seen++ } /task-clock/ { kind = "t" }
		{ if (n > 2) bad = 1 } END { exit bad || !seen }' text
	"$PERF" script -i data -F event,ip -D 2>/dev/null | grep -c 'chain: nr:[123]$' >chains || :
	[ "$(cat chains)" -gt 0 ]
}

@test "record: overwrite keeps side-band, and samples in their order" {
	"$PERF" record -q -o data -e cpu-clock/overwrite,freq=2000/ -e cs "$PERF" test -w noploop 1
	"$PERF" script -i data -F comm,time,event,sym >text
	# however small a share of the processor it had, nearly all is its loop
	[ "$(grep -c 'cpu-clock' text)" -gt 10 ]
	[ "$(grep cpu-clock text | grep -c noploop)" -gt "$(grep cpu-clock text | grep -vc noploop)" ]
	grep -o '[0-9]*\.[0-9]*:' text >times
	sort -s -n times | diff times -
}

@test "time=0: no time in the samples" {
	"$PERF" record -q -o data -e cpu-clock/time=0/ "$PERF" test -w noploop 1
	"$PERF" evlist -v -i data | grep -q 'sample_type: IP|TID|PERIOD'
	[ "$("$PERF" script -i data -F ip | wc -l)" -gt 10 ]
}

@test "inherit and no-inherit: with and without the children" {
	"$PERF" record -q -o own -e cpu-clock/no-inherit,freq=2000/ sh -c '"$PERF" test -w noploop 1; :'
	"$PERF" record -q -o all -e cpu-clock/inherit,freq=2000/ sh -c '"$PERF" test -w noploop 1; :'
	[ "$("$PERF" script -i all -F ip,sym | grep -c noploop)" -gt 5 ]
	! "$PERF" script -i own -F ip,sym | grep -q noploop || return 1
}

@test "cpu=: counted and sampled there only" {
	[ "$(getconf _NPROCESSORS_ONLN)" -ge 2 ] || skip "one CPU"
	"$PERF" stat -x, -a -A -e cpu-clock/cpu=1/ sleep 0.05 2>got
	[ "$(grep -c '^CPU1,[0-9.]*,msec' got)" -eq 1 ]
	run ! grep '^CPU0,[0-9]' got
	"$PERF" record -q -o data -a -e cpu-clock/cpu=1/ taskset -c 1 "$PERF" test -w noploop 1
	"$PERF" script -i data -F cpu >cpus
	grep -q '001' cpus
	run ! grep -v '001' cpus
}

@test "cpu=: not of tasks, and only of CPUs that are online" {
	run "$PERF" stat -e cs/cpu=0/ true
	[ "$status" -ne 0 ]
	[[ "$output" == *"is bound to CPUs and cannot follow a task"*"hint: give -a or -C"* ]]
	run "$PERF" record --per-thread -o data -e cs/cpu=0/ true
	[[ "$output" == *"is bound to CPUs"* ]]
	for command in "stat -a" "record -o data"; do
		run "$PERF" $command -e cs/cpu=4095/ true
		[ "$status" -ne 0 ]
		[[ "$output" == *"CPU 4095 is not online"*"hint: online are 0"* ]]
	done
}

@test "freq and period of one event exclude each other" {
	run "$PERF" record -o data -e cpu-clock/period=1000,freq=10/ true
	[ "$status" -ne 0 ]
	[[ "$output" == *"period and freq exclude each other"*"                      ^^^^"* ]]
	run "$PERF" record -o data -e cpu-clock/freq=10,period=1000/ true
	[[ "$output" == *"period and freq exclude each other"* ]]
}

@test "the function tracer's event has no user call chains; files of BPF programs that are not there" {
	"$PERF" record -vv -g -o data -e ftrace:function true >out 2>&1 || :
	grep -q tracefs /proc/mounts || skip "tracefs is not mounted"
	grep -A40 'type.*2\b' out | grep -q 'exclude_callchain_user.*1'
	for event in ./prog.c prog.o ./prog.c/map:channel.event=evt/; do
		run "$PERF" record -o data -e "$event" true
		[ "$status" -ne 0 ]
		[[ "$output" == *"cannot read the BPF program"* || "$output" == *"FILE.o or FILE.c"*"  $event"*"  ^"* ||
			"$output" == *"needs BPF"* ]] || { echo "$output"; return 1; }
	done
}

@test "terms that a command has no use for are refused with a caret" {
	for event in cs/freq=1/ cs/time=1/ cs/call-graph=fp/ cs/stack-size=8/ cs/max-stack=1/ cs/nr=1/ cs/inherit/ \
		cs/overwrite/ cs/branch_type=any/ cs/aux-output/ cs/aux-sample-size=8/ cs/aux-action=pause/; do
		run "$PERF" stat -e "$event" true
		[ "$status" -eq 129 ]
		[[ "$output" == *"has no use in 'perf stat'"*$'\n'"  $event"$'\n'"     ^^"* ]] || { echo "$output"; return 1; }
	done
	for event in cs/percore/ cs/metric-id=x/ cs/nr=1/; do
		run "$PERF" record -e "$event" true
		[ "$status" -eq 129 ]
		[[ "$output" == *"has no use in 'perf record'"* ]]
	done
	for term in aux-output aux-sample-size=64 aux-action=pause; do
		run "$PERF" record -o data -e "{cs,cpu-clock/$term/}" true
		[ "$status" -ne 0 ]
		[[ "$output" == *"${term%=*} needs a group that a tracing PMU leads"* ]]
		[ ! -e data ]
	done
	run "$PERF" record -e cs/@sink/ true
	[[ "$output" == *"is for the driver of a PMU"*"^^^^^"* ]]
}

@test "a period for perf record is no burden for perf stat" {
	"$PERF" stat -x, -e 'faults/period=1/,faults' "$PERF" test -w noploop 1 2>got
	[ "$(cut -d, -f1 got | uniq | wc -l)" -eq 1 ]
	"$PERF" --debug perf-event-open stat -e faults/period=7/ true 2>&1 | grep -c 'sample_period' | grep -qx 0
}

@test "metric-id: an event stands for a name in formulas" {
	"$PERF" stat -x, -e 'page-faults/metric-id=context-switches/' -M cs_per_second "$PERF" test -w noploop 1 2>got
	awk -F, '$3 ~ /metric-id/ { n = $1; got = $(NF - 1); unit = $NF } $3 == "task-clock" { ms = $1 }
		$NF ~ /cs_per_second/ { got = $(NF - 1) }
		END { want = n * 1000 / ms; print got, want; exit !(n > 10 && got > want * 0.99 - 1 && got < want * 1.01 + 1) }' got
	run ! grep -q ',context-switches,' got
	# a file keeps the term in the event's name
	"$PERF" stat record -o data -e 'page-faults/metric-id=context-switches/,task-clock' true 2>/dev/null
	"$PERF" stat report -i data -x, -M cs_per_second >got 2>&1
	grep -qE '^,,,,,[0-9.]+,cs/sec  cs_per_second$' got
}

@test "cpu=: CPUs that -C leaves out are an error, not a row without a count" {
	[ "$(getconf _NPROCESSORS_ONLN)" -ge 2 ] || skip "one CPU"
	run "$PERF" stat -C 1 -e cs/cpu=0/ true
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "error: 'cs/cpu=0/' is bound to CPUs that are not measured" ]]
	[[ "${lines[1]}" == "hint: "*-C* ]]
	"$PERF" stat -x, -C 0,1 -e cs/cpu=0/ true
}

@test "names of libpfm4 in a recording" {
	"$PERF" check feature libpfm4 >/dev/null || skip "built without libpfm4"
	"$PERF" record -q -o data -c 1 --pfm-events perf::PERF_COUNT_SW_PAGE_FAULTS:u -e perf::PERF_COUNT_SW_CPU_CLOCK true
	"$PERF" evlist -v -i data >got
	grep -q '^perf::PERF_COUNT_SW_PAGE_FAULTS:u: type: 1, size: 128, config: 0x2, .*exclude_kernel: 1' got
	grep -q '^perf::PERF_COUNT_SW_CPU_CLOCK: type: 1, size: 128, ' got
	[ "$("$PERF" script -i data -F event | grep -c FAULTS)" -gt 5 ]
	run "$PERF" record --pfm-events nothing true
	[ "$status" -eq 129 ]
	[[ "$output" == *"unknown event 'nothing'"* ]]
}

@test "system_tsc_freq is how fast the time-stamp counter runs" {
	[ -e /sys/bus/event_source/devices/msr/events/tsc ] || skip "no msr PMU"
	"$PERF" stat -x, -C 0 -e system_tsc_freq,msr/tsc/,cpu-clock sleep 0.3 2>got
	awk -F, '$3 == "system_tsc_freq" { f = $1 } $3 == "msr/tsc/" { n = $1; ns = $4 }
		END { print f, n, ns; r = n / ns * 1e9; exit !(f > r * 0.97 && f < r * 1.03) }' got
}

@test "mem:SYMBOL is a breakpoint at that symbol of the kernel" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	address=$(awk '$3 == "vfs_read" { print $1; exit }' /proc/kallsyms)
	[ -n "$address" ] && [ -n "${address//0/}" ] || skip "no address of vfs_read in /proc/kallsyms"
	"$PERF" record -q -B -e mem:vfs_read:rw -o data -- cat /proc/self/stat >/dev/null 2>err || { cat err; skip "no breakpoint"; }
	"$PERF" evlist -v -i data | grep -q "^mem:vfs_read:rw: .*config1: 0x$address" ||
		"$PERF" evlist -v -i data | grep -q "^mem:vfs_read:rw: .*0x$address"
	"$PERF" record -q -B -e mem:vfs_read+0x10:rw -o data true
	"$PERF" evlist -v -i data | grep -q "$(printf 0x%x $((0x$address + 16)))"
	for wrong in mem:nosuch_symbol_here:x mem:vfs_read+x:x mem:+3; do
		run "$PERF" record -e "$wrong" true
		[ "$status" -eq 129 ]
		[[ "$output" == *"no symbol"* || "$output" == *"expected an address or a symbol"* ]] || { echo "$output"; return 1; }
	done
}
