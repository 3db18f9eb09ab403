#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every form of a recording that both can write: what one writes the other reads alike, also
# after the other's inject.  Branch stacks and AUX areas are in other suites, on files that
# the tests make: tests/cli/make-branches, record_aux.bats.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
	cat >load.sh <<-'END'
	i=0
	while [ $i -lt 20000 ]; do i=$((i+1)); done
	ls / >/dev/null
	END
	export HOME=$PWD
}

fields=comm,pid,tid,time,event,ip
text() { # reader, file: what lies in each sample
	"$1" script -F $fields -i "$2" 2>err
}

kinds() { # reader, file: how many records of each type, of those that hold something
	"$1" report --stats -i "$2" 2>/dev/null | awk '
		/ stats:$/ { all = /^Aggregated/ }
		all && / events:/ && !/TOTAL|FINISHED|COMPRESSED/ { print $1, $3 }' | sort
}

alike() { # file: both readers see the same, and there is something to see
	text "$PERF" "$1" >ours
	text "$ORACLE" "$1" >theirs
	[ -s ours ]
	diff ours theirs
	diff <(kinds "$PERF" "$1") <(kinds "$ORACLE" "$1")
}

# Recorded by both; each file read by both, as it is and injected by both.
both_ways() { # options
	local writer other

	for writer in "$PERF" "$ORACLE"; do
		rm -rf d f g
		"$writer" record -q -e cpu-clock -F 5000 -o d "$@" -- sh load.sh
		alike d
		text "$PERF" d >want
		for other in "$PERF" "$ORACLE"; do
			[ -d d ] && [ "$other" = "$ORACLE" ] && continue
			"$other" inject -b -i d -o f 2>/dev/null
			alike f
			sort want | diff <(text "$PERF" f | sort) -
		done
	done
}

@test "a plain file; call chains; addresses, periods, CPUs, identifiers" {
	both_ways
	both_ways -g
	both_ways -d -P -T --sample-cpu --sample-identifier
}

@test "stacks of 65528 bytes; registers" {
	fields=comm,pid,tid,time,event # how stacks are unwound is not asked here
	both_ways --call-graph dwarf,65528
	both_ways --user-regs=ip,sp,bp
	[ "$("$PERF" script -F uregs -i f)" = "$("$ORACLE" script -F uregs -i f 2>/dev/null)" ]
	both_ways --intr-regs=ip,sp
	[ "$("$PERF" script -F iregs -i f)" = "$("$ORACLE" script -F iregs -i f 2>/dev/null)" ]
}

@test "namespaces, cgroups, data mappings, switches, build-ids in mappings" {
	both_ways --namespaces --switch-events
	both_ways --all-cgroups
	both_ways -d --data-page-size --code-page-size
	both_ways --buildid-mmap
	both_ways -s
}

@test "compressed" {
	"$PERF" check -q feature zstd || skip "built without zstd"
	both_ways -z
	both_ways --compression-level=10 -g
}

@test "a group, several events, tracepoints with their fields" {
	# an inherited one is beyond 6.1 (difference readings-by-task)
	both_ways -i -e '{cpu-clock,page-faults}:S'
	both_ways -e task-clock -e page-faults
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	both_ways -e 'sched:sched_process_*'
	fields() { "$1" script -F event,trace -i f 2>/dev/null; }
	[ -n "$(fields "$PERF" | grep sched_process_exec)" ]
	diff <(fields "$PERF") <(fields "$ORACLE")
}

@test "directories" {
	both_ways -a --threads
	# counts are never in one
	run "$PERF" stat report -i d
	[ "$status" -eq 1 ]
	[[ "$output" == *"'d' holds no counts"* ]]
}

@test "streams, through both injects" {
	for writer in "$PERF" "$ORACLE"; do
		"$writer" record -q -e cpu-clock -F 5000 -o - sh load.sh 2>/dev/null >s
		text "$PERF" - <s >ours
		[ -s ours ]
		text "$ORACLE" - <s | diff ours -
		for other in "$PERF" "$ORACLE"; do
			"$other" inject -b <s 2>/dev/null >t
			text "$PERF" - <t | diff ours -
			text "$ORACLE" - <t | diff ours -
		done
	done
}

@test "files that are switched" {
	for writer in "$PERF" "$ORACLE"; do
		rm -f d.*
		"$writer" record -q -e cpu-clock -c 50000 -o d --switch-output=20K -m 8 -- sh load.sh 2>/dev/null
		n=0
		for f in d.2*; do
			text "$PERF" "$f" >ours
			text "$ORACLE" "$f" | diff ours -
			n=$((n + $(wc -l <ours)))
		done
		[ "$n" -gt 20 ]
	done
}
