#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it records what it starts itself.
# How true a profile is: the line, the JSON object, and conditions on them.
bats_require_minimum_version 1.5.0

load rival

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	# Most of it runs in its own functions; the comparison is called by the C library's qsort.
	cat >busy.c <<-'EOC'
	#include <stdlib.h>
	static volatile unsigned long sum;
	__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 20000; i++) sum += i; }
	__attribute__((noinline)) void middle(void) { for (int i = 0; i < 20; i++) leaf(); sum++; }
	static int cmp(const void *a, const void *b) { sum++; return *(const int *)a - *(const int *)b; }
	int main(int argc, char **argv)
	{
		static int v[4000];
		char room[4096];
		int sorts = argc > 1;
		for (unsigned n = 0; n < 400 || argc > 2; n++) { // without end: busy sorts forever
			if (sorts) {
				for (int i = 0; i < 4000; i++)
					v[i] = i * 7919 % 4001;
				qsort(v, 4000, sizeof(*v), cmp);
			}
			room[n % 4096] = sum;
			middle();
		}
		return room[3] & 0;
	}
	EOC
	gcc -O1 -g -fno-omit-frame-pointer -static -o static busy.c
	gcc -O1 -g -fno-omit-frame-pointer -o busy busy.c
	record static.data --call-graph dwarf,8192 ./static
	record short.data --call-graph dwarf,512 ./busy sorts
	record pointers.data -g ./busy sorts
	record plain.data ./busy
	gcc -shared -fPIC -O1 -o times.so "$BATS_TEST_DIRNAME/times-shim.c" -ldl
}

record() { # FILE OPTIONS PROGRAM
	"$PERF" record -q -F 1000 -e cpu-clock:u -o "$@" >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

# A machine that counts r32 in 50 percent, r19 in 25 percent and r64 in all of its time
busy_machine() {
	ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/times.so "$PERF" record -q "$@"
}

times() { # FILE: each event that counts, with its share in percent, rounded
	"$PERF" report --json -i "$1" | jq -r '.truth.events[] | select(.name | startswith("dummy") | not) |
		"\(.name) \(.multiplexed | if .state == "known" then .percent + 0.5 | floor else .state end)"'
}

# The file as another perf would have written it: the records of times, at its end, become ones of another type.
without_times() { # FILE
	python3 - "$1" <<-'END'
	import re, struct, sys
	with open(sys.argv[1], "r+b") as f:
	    text, found = f.read(), 0
	    for m in re.finditer(re.escape(struct.pack("<IHHQ", 78, 0, 48, 254)), text):
	        f.seek(m.start() + 8)
	        f.write(struct.pack("<Q", 253))
	        found += 1
	sys.exit(not found)
	END
}

truth() { # FILE JQ: of the only event
	"$PERF" report --json -i "$1" | jq -r ".truth.events[0]$2"
}

@test "stacks are whole, or cut, as --stats counts them one by one" {
	for f in static short pointers; do
		"$PERF" report --stats --json -i $f.data >stats.json
		"$PERF" report --json -i $f.data >report.json
		[ "$(jq .stats.stacks.total stats.json)" -ge 100 ]
		# chains of the kernel alone are not among the stacks of --stats
		jq -e --slurpfile s stats.json '.truth.events[0].whole | (.of - .samples) ==
			($s[0].stats.stacks | .total - .whole)' report.json
		diff <(jq -r '.stats.stacks.cut_off[] | "\(.count) \(.dso) \(.why)"' stats.json | sort) \
			<(jq -r '.truth.events[0].whole.causes[] | "\(.samples) \(.dso) \(.why)"' report.json | sort)
	done
	jq -e '.truth.events[0].whole.percent < 50' report.json
	[ "$(truth static.data .whole.percent)" = 100 ]
}

@test "the line under the title, once, with the largest cause; none with -q" {
	"$PERF" report --stdio -i static.data >out
	[ "$(grep -c '^# Truth: 100.0 percent of stacks whole, [0-9.]* percent of samples named.*, 0 lost' out)" -eq 1 ]
	"$PERF" report --stdio -i short.data >out
	grep -qE '^# Truth: [0-9.]+ percent of stacks whole \([^)]+: the recorded piece of stack is too small\), ' out
	"$PERF" report --stdio -i plain.data >out
	grep -qE '^# Truth: [0-9.]+ percent of samples named.*, 0 lost' out
	[ "$(grep -c '^# Truth' out)" -eq 1 ]
	"$PERF" report -q --stdio -i static.data >out
	run ! grep Truth out
	# as many threads as there are say the same
	PERF_WORKERS=1 "$PERF" report --json -i pointers.data >one
	PERF_WORKERS=4 "$PERF" report --json -i pointers.data >four
	diff one four
}

@test "--require: 3, a line for each broken condition, and the usual output" {
	run -0 --separate-stderr "$PERF" report --stdio --require 'whole>=99%,named>=90%,lost<1%,samples>=10' -i static.data
	[ -z "$stderr" ]
	diff <("$PERF" report --stdio -i static.data) <(printf '%s\n' "$output") || [ "${#lines[@]}" -gt 10 ]
	run -3 --separate-stderr "$PERF" report --stdio --require 'whole>=99%,samples<1' -i short.data
	[[ "$output" == *"# Truth: "* ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ "${stderr_lines[0]}" == "error: 'whole>=99%' does not hold: "*"% of "*" stacks of 'cpu-clock:u' are whole; "*"the recorded piece of stack is too small: record with more stack: --call-graph dwarf,16384"* ]]
	[[ "${stderr_lines[1]}" == "error: 'samples<1' does not hold: there are "* ]]
	# with -q only the lines
	run -3 --separate-stderr "$PERF" report -q --require 'whole>=99%' --require 'lost<1%' -i short.data
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	run -0 --separate-stderr "$PERF" report -q --require 'whole>=0%,lost<1%' -i short.data
	[ -z "$output$stderr" ]
}

@test "--require sees what a table does not show" {
	# tables without places and without chains are asked for them
	run -3 "$PERF" report -q -s comm -g none --no-children --require 'whole>=99%' -i short.data
	[[ "$output" == *"too small"* ]]
	run -3 "$PERF" report -q -s comm --no-call-graph --no-children --require 'whole>=99%' -i short.data
	[[ "$output" == *"too small"* ]]
	run -0 "$PERF" report -q -s comm --no-children --require 'named>=50%' -i plain.data
	[ -z "$output" ]
	# a filter leaves out samples, of which nothing is said then
	run -0 "$PERF" report -q --require 'samples<1' --comms nobody -i plain.data
	run -3 "$PERF" report -q --require 'named>=0%' --comms nobody -i plain.data
	[[ "$output" == *"unknown: there are no samples"* ]]
}

@test "--require: without chains whole does not apply, and unknown shares do not hold" {
	run -0 --separate-stderr "$PERF" report --stdio --require 'whole>=99%' -i plain.data
	[ "$stderr" = "note: 'whole>=99%' does not apply: no call chains were recorded" ]
	cp plain.data other.data
	without_times other.data
	run -3 "$PERF" report -q --require 'multiplexed<50%' -i other.data
	[ "$output" = "error: 'multiplexed<50%' does not hold: unknown: the file does not say how long its events ran" ]
}

@test "multiplexed: the recorder notes how long each event was enabled and counted" {
	# events of software always count; what they counted is the program's time
	"$PERF" report --json -i plain.data >out
	jq -e '.truth.multiplexed | .state == "known" and .percent == 0 and .enabled_ns == .running_ns and .enabled_ns > 1e8' out
	busy_machine -e r32,r19,cpu-clock -o d ./busy
	[ "$(times d)" = $'r32 50\nr19 75\ncpu-clock 0' ]
	"$PERF" report --json -i d | jq -e '.truth.multiplexed.percent > 74 and .truth.multiplexed.percent < 76'
	"$PERF" report --stdio -i d >out
	[ "$(grep -c '^# Truth: .*, r32 not counted in 50.0 percent of its time$' out)" -eq 1 ]
	[ "$(grep -c '^# Truth: .*, r19 not counted in 75.0 percent of its time$' out)" -eq 1 ]
	[ "$(grep -c '^# Truth: .*, 0 lost$' out)" -eq 1 ]
	"$PERF" script --header -i d | grep -q '^# truth: .* multiplexed: 75.0% of the time of r19: record fewer events at a time$'
	# nothing of it in the header
	"$PERF" report --header-only -I -i d | grep -v '^# captured on' >with
	without_times d
	"$PERF" report --header-only -I -i d | grep -v '^# captured on' | diff with -
}

@test "multiplexed: of events that fork, of one thread, of CPUs, with --threads, --overwrite and -i" {
	busy_machine -e r32,r64 -o d sh -c 'for i in 1 2 3 4 5 6 7 8 9; do true | /bin/true; done; ./busy & ./busy; wait'
	[ "$(times d)" = $'r32 50\nr64 0' ]
	busy_machine -i -e r32,r64 -o d ./busy
	[ "$(times d)" = $'r32 50\nr64 0' ]
	busy_machine --overwrite -e r32,r64 -o d ./busy
	[ "$(times d)" = $'r32 50\nr64 0' ]
	busy_machine --per-thread -e r32,r64 -o d ./busy
	[ "$(times d)" = $'r32 50\nr64 0' ]
	rm -rf parts
	busy_machine --threads -e r32,r64 -o parts ./busy
	[ "$(times parts)" = $'r32 50\nr64 0' ]
	# a process that runs already: its clock is switched a moment before or after the events
	./busy again 3>&- & local pid=$!
	busy_machine -p $pid -e r32,r64 -o d sleep 0.1
	kill $pid 2>/dev/null || true
	"$PERF" report --json -i d | jq -e '[.truth.events[].multiplexed | select(.percent)] |
		(.[0].percent | . > 49 and . < 51) and (.[1].percent | . < 1)'
	"$PERF" record -q -a -e cpu-clock -o d true 2>/dev/null || skip "this user cannot record whole CPUs"
	busy_machine -a -e r32,r64 -o d ./busy
	[ "$(times d)" = $'r32 50\nr64 0' ]
}

@test "multiplexed: each file of --switch-output has the times of its own" {
	rm -f files.*
	busy_machine --switch-output -e r32 -o files sh -c \
		'./busy; ./busy; ./busy; kill -USR2 $PPID; until ls files.2* >/dev/null 2>&1; do sleep 0.01; done; ./busy'
	for f in files.2*; do
		[ "$(times "$f")" = "r32 50" ]
		"$PERF" report --json -i "$f" | jq .truth.multiplexed.enabled_ns
	done >ns
	[ "$(wc -l <ns)" -eq 2 ]
	# a third of the work: the times of the file before are not in it
	awk 'NR == 1 { first = $1 } NR == 2 { exit !($1 > 0.1 * first && $1 < 0.8 * first) }' ns
}

@test "multiplexed: streams, inject and a group with :S" {
	busy_machine -e r32,r64 -o - ./busy >stream
	[ "$(times stream)" = $'r32 50\nr64 0' ]
	"$PERF" report --json -i - <stream | jq -e '.truth.multiplexed.percent > 49'
	busy_machine -z -e r32 -o - ./busy | "$PERF" report -q --require 'multiplexed<51%' -i -
	# from a stream and from a file, into a file and into a stream
	"$PERF" inject -i stream -o d
	[ "$(times d)" = $'r32 50\nr64 0' ]
	"$PERF" inject -b -i d -o e
	[ "$(times e)" = $'r32 50\nr64 0' ]
	"$PERF" inject -i d -o - >f
	[ "$(times f)" = $'r32 50\nr64 0' ]
	"$PERF" inject -i stream -o - >f
	[ "$(times f)" = $'r32 50\nr64 0' ]
	# what samples with counts hold is said by their format alone
	busy_machine -e '{r32,r64}:S' -o d ./busy
	run -3 "$PERF" report -q --require 'multiplexed<60%' -i d
	[ "$output" = "error: 'multiplexed<60%' does not hold: unknown: its samples hold counts without times: record with --running-time" ]
	busy_machine --running-time -e '{r32,r64}:S' -o d ./busy
	run -0 "$PERF" report -q --require 'multiplexed<51%' -i d
}

@test "multiplexed: events that --control switches alone have no times of a task" {
	mkfifo -m 600 ctl
	./busy again 3>&- & local pid=$!
	busy_machine -p $pid --control fifo:ctl -e r32,r64 -o d 3>&- & local recorder=$!
	printf 'disable r64\nenable r64\nstop\n' >ctl
	wait $recorder
	kill $pid 2>/dev/null || true
	rm ctl
	[ "$(times d)" = $'r32 unknown\nr64 unknown' ]
	run -3 "$PERF" report -q --require 'multiplexed<60%' -i d
	[[ "$output" == *"unknown: the recorder could not ask the kernel for its times" ]]
}

@test "multiplexed: events that --control switches together have the times of a task" {
	mkfifo -m 600 ctl
	./busy sorts forever 3>&- & local pid=$!
	busy_machine -p $pid --control fifo:ctl -e r32,r64 -o d 3>&- & local recorder=$!
	exec 9>ctl
	printf 'disable\nenable\n' >&9
	sleep 0.3
	# what passes while all are off is nobody's time
	printf 'disable\n' >&9
	sleep 0.7
	printf 'stop\n' >&9
	exec 9>&-
	wait $recorder
	kill $pid 2>/dev/null || true
	rm ctl
	"$PERF" report --json -i d | jq -e '[.truth.events[].multiplexed | select(.percent)] |
		(.[0].percent | . > 45 and . < 55) and (.[1].percent | . < 5)'
}

@test "other perfs pass over the times" {
	busy_machine -e r32,r64 -g -o d ./busy
	cp d other
	without_times other
	rival report --header --stdio -i d >ours 2>errors
	rival report --header --stdio -i other >theirs 2>>errors
	[ ! -s errors ]
	diff <(grep -v -e '^# captured on' -e '^# (Tip' ours) <(grep -v -e '^# captured on' -e '^# (Tip' theirs)
	rival inject -i d -o injected 2>errors
	[ ! -s errors ]
	busy_machine -e r32,r64 -o - ./busy >stream
	rival script -i - <stream >ours 2>errors
	[ ! -s errors ]
	[ "$(wc -l <ours)" -eq "$("$PERF" script -i stream | wc -l)" ]
}

@test "--require refuses what it does not understand, and forms without samples" {
	run -129 "$PERF" report --require 'whoel>=90%' -i plain.data
	[[ "$output" == *"unknown name 'whoel'"*"hint: did you mean 'whole'?"* ]]
	for bad in whole 'whole>=90' 'samples>=5%' 'lost<' 'named>=101%' ''; do
		run -129 "$PERF" report --require "$bad" -i plain.data
	done
	for form in --stats --tasks --mmaps --header-only -D --total-cycles; do
		run -129 "$PERF" report $form --require 'lost<1%' -i plain.data
		[[ "$output" == *"--require and $form exclude each other"* ]]
	done
	# an option that came later does not take the short form of an earlier one
	"$PERF" report --r -i plain.data >/dev/null
	run -129 "$PERF" report --req 'whoel>=90%' -i plain.data
}

@test "--require: a file without samples holds no share" {
	"$PERF" record -q -e cpu-clock:u -F 1 -o empty.data -- true >/dev/null 2>&1
	[ "$("$PERF" script -i empty.data 2>/dev/null | wc -l)" -eq 0 ] || skip "there is a sample"
	run -3 "$PERF" report -q --require 'named>=1%' -i empty.data
	[[ "$output" == *"unknown: there are no samples"* ]]
	run -3 "$PERF" report -q --require 'samples>=1' -i empty.data
	run -0 "$PERF" report -q --require 'lost<1%' -i empty.data
}

@test "record --require reads the finished file" {
	run -3 --separate-stderr "$PERF" record -q -F 1000 -e cpu-clock:u --call-graph dwarf,512 --require 'whole>=99%,lost<1%' \
		-o kept.data ./busy sorts
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ "$stderr" == "error: 'whole>=99%' does not hold: "*"record with more stack: --call-graph dwarf,16384"* ]]
	# the advice, typed as it stands
	run -0 --separate-stderr "$PERF" record -q -F 1000 -e cpu-clock:u --call-graph dwarf,16384 \
		--require 'whole>=99%,named>=90%,lost<1%,samples>=10' -o kept.data ./busy sorts
	[ -z "$stderr" ]
	"$PERF" report -q -i kept.data >out
	[ -s out ]
}

@test "record --require: the recorder's own counts, without a look at the file" {
	busy_machine --require 'multiplexed<51%,samples>=50,lost<1%,throttled<1%' -e r32,r64 -o d ./busy
	run -3 --separate-stderr busy_machine --require 'multiplexed<40%,samples<1' -e r64,r32 -F 2000 -o d ./busy
	[ "${stderr_lines[0]}" = "error: 'multiplexed<40%' does not hold: 'r32' was not counted in 50.00% of the time in which it was enabled: record fewer events at a time" ]
	[ "${stderr_lines[1]}" = "error: 'samples<1' does not hold: there are $("$PERF" report --json -i d | jq .truth.events[0].samples) samples of 'r64'" ]
	# the first event has more samples than the second one
	for events in cpu-clock:u,faults:u faults:u,cpu-clock:u; do
		run -3 --separate-stderr "$PERF" record -q -F 2000 --require 'samples<1' -e $events -o d ./busy sorts
		[ "$stderr" = "error: 'samples<1' does not hold: there are $("$PERF" report --json -i d | jq .truth.events[0].samples) samples of '${events%,*}'" ]
	done
	run -3 --separate-stderr "$PERF" record -q -F 2000 --require 'samples<1' --call-graph dwarf,live -e cpu-clock:u,faults:u -o d ./busy sorts
	[ "$stderr" = "error: 'samples<1' does not hold: there are $("$PERF" report --json -i d | jq .truth.events[0].samples) samples of 'cpu-clock:u'" ]
	# only shares need the file
	reads() {
		"$PERF" --self-profile trace.json record -q --require "$1" -e cpu-clock:u -o d true >out 2>&1 || true
		grep -c '"count names and ends"' trace.json
	}
	[ "$(reads 'lost<1%,throttled<1%,multiplexed<1%,samples>=0')" -eq 0 ]
	[ "$(reads 'lost<1%,named>=0%')" -eq 1 ]
}

@test "record --require: failures, the command's status, then 3; streams and several files are refused" {
	run -7 --separate-stderr "$PERF" record -q -e cpu-clock:u --require 'samples>=100000000' -o kept.data sh -c 'exit 7'
	[[ "$stderr" == "error: 'samples>=100000000' does not hold"* ]]
	run -3 "$PERF" record -q -e cpu-clock:u --require 'samples>=100000000' -o kept.data true
	run -129 "$PERF" record -q -e cpu-clock:u --require 'sample>=1' -o kept.data true
	[[ "$output" == *"did you mean 'samples'?"* ]]
	rm -f none.data
	for into in '-o -' '-o /dev/null' '-o none.data --switch-output' '-o none.data --timestamp-filename'; do
		# shellcheck disable=SC2086 # into: several words
		run -129 --separate-stderr "$PERF" record -q -e cpu-clock:u --require 'lost<1%' $into true
		[ ! -e none.data ]
	done
	[[ "$stderr" == *"hint: perf report --require has the same conditions"* ]]
}

@test "diff: a line and --require for each file" {
	"$PERF" diff static.data plain.data >out
	grep -qE "^# Truth of 'static.data': [0-9.]+ percent of samples named.*, 0 lost$" out
	grep -qE "^# Truth of 'plain.data': [0-9.]+ percent of samples named.*, 0 lost$" out
	run -0 --separate-stderr "$PERF" diff --require 'named>=50%,samples>=10,lost<1%' static.data plain.data
	[ -z "$stderr" ]
	[[ "$output" == *"# Truth of"* ]]
	run -3 --separate-stderr "$PERF" diff -q --require 'whole>=99%' static.data short.data
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ "$stderr" == "error: 'short.data': 'whole>=99%' does not hold: "*"too small"* ]]
	for other in '-c cycles' --stream -D; do
		# shellcheck disable=SC2086 # other: two words
		run -129 "$PERF" diff $other --require 'lost<1%' static.data plain.data
		[[ "$output" == *"exclude each other"* ]]
	done
}

@test "a flame graph says below its title how true it is" {
	"$PERF" report -q --require 'whole>=99%' --flamegraph flames.svg -i static.data
	grep -qE 'static.data, 100.0 percent of stacks whole, [0-9.]+ percent of samples named' flames.svg
}

@test "script --header ends with what report says; --header-only and rows do not" {
	for f in short pointers plain; do
		"$PERF" script --header -i $f.data | grep '^# truth: ' >lines
		[ "$(tail -1 lines)" = "# truth: 0 lost, throttled 0 times, multiplexed: 0.0%" ]
		# counts, in the order of their size
		"$PERF" report --json -i $f.data | jq -r '.truth.events[0] | .whole, .named | .causes // [] | .[].samples' >counts
		diff <(sed -nE 's/^# truth: +([0-9]+) +[0-9.]+%  .*/\1/p' lines) counts
	done
	grep -q "^# truth: cpu-clock:u: whole does not apply: no call chains were recorded" lines
	PERF_WORKERS=1 "$PERF" script --header -i short.data | grep '^# truth: ' >one
	PERF_WORKERS=4 "$PERF" script --header -i short.data | grep '^# truth: ' >four
	diff one four
	grep -q "^# truth:  *record with more stack: --call-graph dwarf,16384" one
	# a stream describes its events on the way
	"$PERF" record -q -F 500 -e cpu-clock:u -o - ./busy 2>/dev/null | "$PERF" script --header -i - >streamed
	[ "$(tail -1 streamed)" = "# truth: 0 lost, throttled 0 times, multiplexed: 0.0%" ]
	cp plain.data other.data
	without_times other.data
	[ "$("$PERF" script --header -i other.data | tail -1)" = "# truth: 0 lost, throttled 0 times, multiplexed: unknown" ]
	run ! grep '^# truth' <("$PERF" script --header-only -i short.data; "$PERF" script -i plain.data)
}
