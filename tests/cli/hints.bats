#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# What a refusal says, and what it suggests: each condition in one wording.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	export HOME=$BATS_TEST_TMPDIR
	unset PERF_CONFIG
}

# says STATUS ERROR HINT ARGUMENT...: the first two lines of a call that is refused; HINT is a pattern
says() {
	local status_wanted=$1 error=$2 hint=$3
	shift 3
	run timeout -k 5 60 "$PERF" "$@" </dev/null
	[ "$status" -eq "$status_wanted" ] && [ "${lines[0]}" = "error: $error" ] && [[ "$(grep -m 1 '^hint: ' <<<"$output")" == $hint ]] ||
		{ echo "perf $*: $status: $output"; return 1; }
}

@test "a CPU that does not exist has one error in all commands" {
	for command in record "record --threads=cpu" stat trace "sched record" "lock record" "timechart record" "kmem record" \
		"kwork record" "script flamegraph"; do
		says 1 "CPU 999 is not online" "hint: 'cat /sys/devices/system/cpu/online' shows which are" $command -C 999 true
	done
	says 1 "CPU 99999 is not online" "*online' shows*" trace -C 99999
	says 1 "CPU 70000 is not online" "*online' shows*" stat -C 0,70000-80000 true
	says 1 "CPU 99999999999999999999999 is not online" "*online' shows*" record -C 0-99999999999999999999999,5 true
	says 1 "CPU 999 is not online" "*online' shows*" top --stdio -C 0,999
	run "$PERF" bench internals evlist-open-close -C 999
	[ "$status" -eq 1 ]
	[ "${lines[1]}" = "error: CPU 999 is not online" ]
	says 129 "option '--threads': CPU 999 is not online" "*online' shows*" record --threads=0/999 -C 0 true
	[ "$(id -u)" -eq 0 ] || return 0
	says 1 "CPU 999 is not online" "*online' shows*" ftrace -C 999 true
}

@test "what is not a list of CPUs has one error in all commands that count" {
	for command in record stat trace ftrace; do
		[ $command != ftrace ] || [ "$(id -u)" -eq 0 ] || continue
		says 129 "'1-0' is not a list of CPUs such as 0-2,5" "hint: numbers and ranges with commas*" $command -C 1-0 true
	done
}

@test "a list with a space after its comma is refused, with the list that was meant" {
	says 129 "option '-p': a list has no spaces: '1,2', not '1, 2'" '*' record -p 1, 2
	says 129 "option '--tid': a list has no spaces: '1,2,3', not '1, 2,3'" '*' stat --tid 1, 2,3
	says 129 "option '-C': a list has no spaces: '0,1-2', not '0, 1-2'" '*' report -C 0, 1-2
	says 129 "option '-t': a list has no spaces: '1,2', not '1, 2'" '*' top -t 1, 2
	# a comma that ends another value is part of it, and the number is the command
	printf '#!/bin/sh\n' >7
	chmod +x 7
	PATH=.:$PATH "$PERF" stat -x , -e task-clock -o out 7
	grep -q ',task-clock,' out
	# in quotes it is clear what is meant
	run "$PERF" stat -C '0, 0' -e cs true
	[ "$status" -eq 0 ]
	"$PERF" record -q -C ' 0 , 0 ' -e cpu-clock -o quoted true
	"$PERF" report -i quoted -C '0, 1' --stdio >table
	# a command may follow a list that another program wrote
	sleep 60 3>&- &
	run "$PERF" stat -e cs -p $!, sleep 0.01
	kill $!
	[ "$status" -eq 0 ]
}

@test "check: the features, or the one that was meant" {
	says 129 "unknown subcommand 'foo'" "hint: the features are *libelf*zstd" check foo
	says 129 "unknown subcommand 'libelf,zstd'" "hint: perf check feature libelf,zstd" check libelf,zstd
	says 129 "unknown subcommand 'features'" "hint: did you mean 'feature'?" check features zstd
	says 129 "unknown feature 'libelff'" "hint: did you mean 'libelf'?" check feature libelff,zlib
	says 129 "unknown feature 'qqqqqqqqqqqq'" "hint: the features are *" check feature qqqqqqqqqqqq
}

@test "a recording that is missing: the hint names the command that makes it" {
	local command
	while IFS=: read -r command recorder; do
		# shellcheck disable=SC2086
		run "$PERF" $command -i none
		[ "$status" -ne 0 ]
		[ "$output" = "error: cannot open 'none': No such file or directory"$'\n'"hint: make it with '$recorder', or name another file with -i" ] ||
			{ echo "$command: $output"; return 1; }
	done <<-'END'
		report:perf record
		script:perf record
		c2c report:perf c2c record
		kmem stat:perf kmem record
		kvm report:perf kvm record
		kvm --host report:perf kvm record
		kvm stat report:perf kvm stat record
		kwork report:perf kwork record
		lock report:perf lock record
		lock contention:perf lock record
		mem report:perf mem record
		sched latency:perf sched record
		sched timehist:perf sched record
		sched stats report:perf sched stats record
		stat report:perf stat record
		timechart:perf timechart record
		trace:perf trace record
	END
	run "$PERF" kvm diff
	[ "${lines[1]}" = "hint: name the recordings to compare: perf kvm diff OLD NEW (default: perf.data.host perf.data.guest)" ]
	run "$PERF" diff
	[ "${lines[1]}" = "hint: name the recordings to compare: perf diff OLD NEW (default: perf.data.old perf.data)" ]
}

@test "iostat: an error names no option of another command" {
	[ ! -d /sys/bus/event_source/devices/uncore_iio_0 ] || skip "this machine has I/O stacks"
	run "$PERF" iostat list
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: counting I/O by root port needs the I/O stacks' PMUs (uncore_iio_N) of an Intel server" ]
}

@test "the old form of a BPF map is refused with what replaced it" {
	says 129 "option '--event': expected a BPF program, FILE.o or FILE.c" \
		"hint: give -e './x.c' alone: each of its maps of type PERF_EVENT_ARRAY is an event of the map's name" \
		record -e './x.c/map:channel.event=evt/' true
}

@test "a home directory that does not exist is not made" {
	export PERF_CONFIG=/dev/null # buildid.dir of the machine's own file would be used
	for command in "record -q -e cpu-clock -o d true" "report -i d --stdio" "stat -e cs true"; do
		HOME=$PWD/none "$PERF" $command >/dev/null 2>&1 </dev/null
		[ ! -e none ] || { echo "$command"; find none; return 1; }
	done
	HOME=$PWD/none says 129 "there is no cache: HOME names no directory, and --buildid-dir is not given" '*' buildid-cache -a d
	[ ! -e none ]
}

@test "a full disk: what has no name yet is not said to be readable" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount"
	mkdir full && mount -t tmpfs -o size=64k none full || skip "cannot mount"
	"$PERF" record -q -e cpu-clock -F 20000 -o d -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
	[ "$(stat -c %s d)" -gt 100000 ]
	run "$PERF" inject -i d -o full/x
	[ -z "$(ls full)" ]
	run_status=$status
	# the same for a file that stays
	run "$PERF" record -q -e cpu-clock -F 20000 -o full/x -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
	kept=$output
	"$PERF" script -i full/x 2>/dev/null | head -1 | grep -q cpu-clock
	run "$PERF" inject -i d -o full/y
	umount full
	# the mappings of all processes do not fit: the recording has not begun, and no file stays
	mount -t tmpfs -o size=8k none full
	gone=$("$PERF" record -a -e cpu-clock -o full/x -- true 2>&1) || :
	left=$(ls full)
	umount full
	[ -z "$left" ]
	[[ "$gone" == *"hint: make room, or write"* && "$gone" != *"can be read"* ]]
	[ "$run_status" -eq 1 ]
	[ "$output" = "error: cannot write 'full/y': No space left on device"$'\n'"hint: make room, or write to another file system with -o" ]
	[[ "$kept" == *"hint: what was written so far can be read; make room, "* ]]
}

@test "a live script says what its recording did without" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	run --separate-stderr "$PERF" record -e cycles:k -o d true
	[[ "$stderr" == "warning: 'cycles:k' is not supported on this machine, recording cpu-clock instead"$'\n'* ]] || skip "there are cycles here"
	# long enough for samples: without any, that is said as well
	printf '#!/bin/sh\ni=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null\n' >busy
	chmod +x busy
	run --separate-stderr timeout -k 5 60 "$PERF" script stackcollapse -e cycles:k ./busy
	[ "$status" -eq 0 ]
	[ "$stderr" = "warning: 'cycles:k' is not supported on this machine, recording cpu-clock instead" ]
	# unless the user knows it
	"$PERF" config record.fallback-warning=false
	run --separate-stderr timeout -k 5 60 "$PERF" script stackcollapse -e cycles:k ./busy
	[ -z "$stderr" ]
	run --separate-stderr "$PERF" record -e cycles:k -o d true
	[[ "$stderr" == "[ perf record: Woken up "* ]]
	run --separate-stderr "$PERF" record -v -e cycles:k -o d true
	[[ "$stderr" == *"note: 'cycles:k' is not supported on this machine, recording cpu-clock instead"* ]]
}

@test "record --no-summary leaves out the closing lines, and no warning or note" {
	run "$PERF" record --no-summary -e cpu-clock -o d true
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ -s d ]
	run "$PERF" record --no-summary -e cpu-clock -p $$ -a -o d sleep 0.01
	[[ "$output" == "warning: "* && "$output" != *"[ perf record"* ]]
	run "$PERF" record --no-summary -m 3 -e cpu-clock -o d true
	[ "$output" = "note: the number of pages in a ring must be a power of two: 3 become 4" ]
	run "$PERF" record -q -m 3 -e cpu-clock -o d true
	[ -z "$output" ]
}
