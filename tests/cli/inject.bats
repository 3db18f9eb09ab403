#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf inject: files and streams in all combinations, read by perf 6.1.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=/usr/bin/perf
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
fields=comm,pid,time,event,ip,sym

text() { # reader, file or -
	"$1" script -i "$2" -F $fields 2>/dev/null
}

dash_id() {
	readelf -n /bin/dash | sed -n 's/.*Build ID: //p'
}

@test "file and stream, to file and stream: the same samples" {
	"$PERF" record -q -e cpu-clock,task-clock -o file -- sh -c "$busy"
	text "$ORACLE" file >want
	[ "$(wc -l <want)" -gt 20 ]
	"$PERF" inject -i file -o f2
	"$PERF" inject -i file >s2
	"$PERF" inject <s2 -o f3
	cat s2 | "$PERF" inject | gzip -c | gzip -dc >s3
	for f in f2 f3; do text "$ORACLE" $f | cmp - want; text "$PERF" $f | cmp - want; done
	for s in s2 s3; do text "$ORACLE" - <$s | cmp - want; text "$PERF" - <$s | cmp - want; done
	"$ORACLE" report --header-only -i f2 | grep -q 'cmdline : .*record -q -e cpu-clock,task-clock'
	"$ORACLE" report --header-only -i f3 | grep -q 'hostname :'
	diff <("$ORACLE" buildid-list -i file) <("$ORACLE" buildid-list -i f2)
}

@test "compressed recordings, 6.1's and ours, come out plain" {
	"$PERF" check -q feature zstd || skip "built without zstd"
	for recorder in "$PERF" "$ORACLE"; do
		"$recorder" record -q -z -e cpu-clock -o z -- sh -c "$busy"
		text "$ORACLE" z >want
		"$PERF" inject -i z -o plain
		text "$ORACLE" plain | cmp - want
		! "$ORACLE" report --header-only -i plain | grep -q '^# compressed'
		! "$ORACLE" report -i plain --stats 2>/dev/null | grep -q COMPRESSED
	done
}

@test "-b adds the build-ids of what was sampled, --buildid-all all, to file and stream" {
	"$PERF" record -q -B -e cpu-clock:u -o file -- sh -c "$busy"
	! "$PERF" report --header-only -i file | grep -q "$(dash_id)"
	"$PERF" inject -b -i file -o f2
	"$ORACLE" buildid-list -i f2 >list
	grep -q "^$(dash_id) .*dash$" list
	"$PERF" inject --buildid-all -i file -o f4
	[ "$("$ORACLE" buildid-list -i f4 | wc -l)" -ge "$(wc -l <list)" ]
	"$PERF" record -q -e cpu-clock:u -o - -- sh -c "$busy" | "$PERF" inject -b >s2
	# a file that is made of it has them, too
	"$PERF" inject -o f3 <s2
	"$ORACLE" buildid-list -i f3 | grep -q "^$(dash_id) .*dash$"
	"$PERF" buildid-list -i - <s2 | grep -q "^$(dash_id) .*dash$"
	"$ORACLE" buildid-list -i - <s2 | grep -q "^$(dash_id) .*dash$"
}

@test "--known-build-ids are taken as they are" {
	"$PERF" record -q -B -e cpu-clock:u -o file -- sh -c "$busy"
	fake=0123456789abcdef0123456789abcdef01234567
	echo "$fake /some/program" >known
	"$PERF" inject -b --known-build-ids known -i file -o f2
	"$ORACLE" buildid-list -i f2 | grep -qx "$fake /some/program"
	echo "nonsense" >known
	run "$PERF" inject --known-build-ids known -i file -o f3
	[ "$status" -eq 1 ]
	[[ "$output" == *"known:1"* ]]
	[ ! -e f3 ]
}

@test "-B puts build-ids into the mappings" {
	"$PERF" record -q -B -e cpu-clock:u -o file -- sh -c "$busy"
	"$PERF" inject -B -i file -o f2
	"$ORACLE" script --show-mmap-events -i f2 2>/dev/null >maps
	grep -q "<$(dash_id)>.*dash" maps
	! "$ORACLE" script --show-mmap-events -i file 2>/dev/null | grep -q "<$(dash_id)>"
	diff <(text "$ORACLE" file) <(text "$ORACLE" f2)
}

@test "tracepoints keep their formats through a stream" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	"$PERF" record -q -e sched:sched_process_exec -a -o file -- sh -c /bin/true
	"$PERF" inject -i file | "$ORACLE" script -i - 2>/dev/null | grep -q 'filename=/bin/true'
	"$PERF" inject -i file | "$PERF" inject -o f2
	"$ORACLE" script -i f2 2>/dev/null | grep -q 'filename=/bin/true'
}

@test "what cannot be done is refused" {
	"$PERF" record -q -e cpu-clock -o file true
	run "$PERF" inject -i file -o file
	[ "$status" -eq 1 ]
	"$PERF" evlist -i file | grep -q cpu-clock
	run "$PERF" inject -i nothing -o f2
	[ "$status" -eq 1 ]
	head -c 1000 file >cut
	run "$PERF" inject -i cut -o f2
	[ "$status" -eq 1 ]
}
