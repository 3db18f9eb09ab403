#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf evlist: the same text as the system's perf on the same files.

other=${RIVAL_PERF:-/usr/bin/perf}

# Names of the files that setup_file records.
files="plain group types tracepoint compressed directory stat"

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	[ -x $other ] || return 0
	$other record -N -q -F 500 -e cpu-clock -o plain -- true
	$other record -N -q -e 'top{page-faults,cpu-clock}' -e '{task-clock,minor-faults}:S' -o group -- true
	$other record -N -q -d -W --phys-data --code-page-size -T -P -s --call-graph dwarf,4096 \
		-e cpu-clock:u -e cs -k mono --sample-cpu -o types -- true
	$other record -N -q -a -e sched:sched_switch -e 'sched:sched_process_*' -e page-faults \
		-o tracepoint -- sleep 0.05
	$other record -N -q -z -a -g -e cpu-clock -o compressed -- sleep 0.1
	$other record -N -q --threads -a -e cpu-clock -o directory -- sleep 0.1
	$other stat record -o stat -e cpu-clock,page-faults -- true 2>/dev/null
	$other record -N -q -e cpu-clock -e sched:sched_switch -o - -- true >stream
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

same() {
	for f in $files; do
		$other evlist "$@" -i $f >"$BATS_TEST_TMPDIR/theirs"
		"$PERF" evlist "$@" -i $f >"$BATS_TEST_TMPDIR/ours"
		diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours" || { echo "$f $*"; return 1; }
	done
}

@test "names" {
	[ -x $other ] || skip "no other perf"
	same
}

@test "-v, -F, -g and --trace-fields" {
	[ -x $other ] || skip "no other perf"
	same -v
	same -F
	same -g
	same --trace-fields
	same -v --trace-fields
	same -F --trace-fields
}

@test "a stream names its tracepoints and their fields" {
	[ -x $other ] || skip "no other perf"
	run "$PERF" evlist -i stream
	[ "${lines[1]}" = sched:sched_switch ]
	run "$PERF" evlist --trace-fields -i - <stream
	[ "$status" -eq 0 ]
	grep -q '^sched:sched_switch: trace_fields: prev_comm,prev_pid,' <<<"$output"
	# standard input is taken by itself when it is a pipe
	[ "$(cat stream | "$PERF" evlist)" = "$("$PERF" evlist -i stream)" ]
}

# Take the feature bits out of a file: no EVENT_DESC, no TRACING_DATA.
without_features() {
	cp "$1" bare
	dd if=/dev/zero of=bare bs=1 seek=72 count=32 conv=notrunc status=none
}

@test "an event that the file does not name is named by its numbers" {
	[ -x $other ] || skip "no other perf"
	$other record -N -q -e cpu-clock:u,page-faults,mem:0x1000:w,cs:k,task-clock:G -o whole -- true
	without_features whole
	$other evlist -i bare >theirs
	"$PERF" evlist -i bare >ours
	grep -qx page-faults ours
	diff theirs ours
	# the other perf refuses such a file
	without_features tracepoint
	"$PERF" evlist -i bare 2>&1 >ours | grep -q '^warning: .*no features'
	grep -qx 'unknown tracepoint' ours
}

@test "-g does not go with -v or -F" {
	run "$PERF" evlist -g -F
	[ "$status" -eq 129 ]
	grep -q 'error: --group' <<<"$output"
}

@test "a missing file, and one that is no perf.data" {
	run "$PERF" evlist -i nothing-here
	[ "$status" -eq 1 ]
	grep -q "error: cannot open 'nothing-here': No such file or directory" <<<"$output"
	grep -q "^hint: .*perf record" <<<"$output"
	run "$PERF" evlist -i /etc/passwd
	[ "$status" -eq 1 ]
	grep -q "error: '/etc/passwd' is not a perf.data file" <<<"$output"
}

@test "a file of another user is refused without -f" {
	[ -x $other ] && [ "$(id -u)" -eq 0 ] || skip "needs root to give a file away"
	cp plain theirs
	chown 12345 theirs
	run "$PERF" evlist -i theirs
	[ "$status" -eq 1 ]
	grep -q "is not owned by the current user or root" <<<"$output"
	grep -q "^hint: .*-f" <<<"$output"
	run "$PERF" evlist -f -i theirs
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = cpu-clock ]
}
