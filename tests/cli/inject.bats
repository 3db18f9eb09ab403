#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf inject: files and streams in all combinations, read by perf 6.1.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

teardown() {
	end_jobs
}

busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
text() { # reader, file or -; each names by its own rules
	"$1" script -i "$2" -F comm,pid,time,event,ip,sym 2>/dev/null
}

places() { # the same, as it lies in the file
	"$1" script -i "$2" -F comm,pid,time,event,ip 2>/dev/null
}

dash_id() {
	readelf -n /bin/dash | sed -n 's/.*Build ID: //p'
}

@test "file and stream, to file and stream: the same samples" {
	"$PERF" record -q -e cpu-clock,task-clock -o file -- sh -c "$busy"
	text "$ORACLE" file >want
	text "$PERF" file >ours
	[ "$(wc -l <want)" -gt 20 ]
	places "$PERF" file | diff - <(places "$ORACLE" file)
	"$PERF" inject -i file -o f2
	"$PERF" inject -i file >s2
	"$PERF" inject <s2 -o f3
	cat s2 | "$PERF" inject | gzip -c | gzip -dc >s3
	for f in f2 f3; do text "$ORACLE" $f | cmp - want; text "$PERF" $f | cmp - ours; done
	for s in s2 s3; do text "$ORACLE" - <$s | cmp - want; text "$PERF" - <$s | cmp - ours; done
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
		run ! grep -q '^# compressed' <("$ORACLE" report --header-only -i plain)
		run ! grep -q COMPRESSED <("$ORACLE" report -i plain --stats 2>/dev/null)
	done
}

@test "-b adds the build-ids of what was sampled, --buildid-all all, to file and stream" {
	"$PERF" record -q -B -e cpu-clock:u -o file -- sh -c "$busy"
	run ! grep -q "$(dash_id)" <("$PERF" report --header-only -i file)
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

@test "--known-build-ids go before what the files say" {
	"$PERF" record -q -B -e cpu-clock:u -o file -- sh -c "$busy"
	fake=0123456789abcdef0123456789abcdef01234567
	dash=$(readlink -f /bin/sh)
	echo "$fake $dash" >known
	for list in "file://known" "$fake $dash,$fake /nowhere"; do
		for injector in "$PERF" "$ORACLE"; do
			"$injector" inject -b --known-build-ids "$list" -i file -o f2
			"$ORACLE" buildid-list -i f2 >list
			grep -qx "$fake $dash" list
			run ! grep -q nowhere list
		done
	done
	echo "nonsense" >known
	run "$PERF" inject -b --known-build-ids file://known -i file -o f3
	[ "$status" -eq 1 ]
	[[ "$output" == *"known:1"* ]]
	[ ! -e f3 ]
	run "$PERF" inject --known-build-ids file://known -i file -o f3
	[ "$status" -eq 129 ]
}

@test "-B leaves the mappings that samples hit, --mmap2-buildid-all all, with build-ids" {
	"$PERF" record -q -B -e cpu-clock:u -o file -- sh -c "$busy"
	"$PERF" inject --mmap2-buildid-all -i file -o f2
	"$ORACLE" script --show-mmap-events -i f2 2>/dev/null >maps
	grep -q "<$(dash_id)>.*dash" maps
	run ! grep -q "<$(dash_id)>" <("$ORACLE" script --show-mmap-events -i file 2>/dev/null)
	diff <(text "$ORACLE" file) <(text "$ORACLE" f2)
	"$PERF" inject -B -i file -o f3
	"$PERF" inject -i file | "$PERF" inject -B -o f4
	for f in f3 f4; do
		"$ORACLE" script --show-mmap-events -i $f 2>/dev/null >hit
		grep -q "<$(dash_id)>.*dash" hit
		[ "$(grep -c MMAP hit)" -lt "$(grep -c MMAP maps)" ]
		diff <(text "$ORACLE" file) <(text "$ORACLE" $f)
		diff <(places "$ORACLE" file) <(places "$PERF" $f)
	done
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
	[[ "$output" == *"'file' cannot be read and written at once"*"hint: write another file: file.new" ]]
	"$PERF" evlist -i file | grep -q cpu-clock
	run "$PERF" inject -i nothing -o f2
	[ "$status" -eq 1 ]
	# another user's
	cp file theirs
	chown 65534 theirs
	run "$PERF" inject -i theirs -o f2
	[ "$status" -eq 1 ]
	[[ "$output" == *"theirs"*"hint: "*-f* ]]
	[ ! -e f2 ]
	"$PERF" inject -f -i theirs -o f2
	"$PERF" evlist -i f2 | grep -q cpu-clock
	rm f2
	head -c 1000 file >cut
	run "$PERF" inject -i cut -o f2
	[ "$status" -eq 1 ]
}

deep_program() {
	cat >deep.c <<-'END'
	#include <signal.h>
	#include <stdlib.h>
	volatile unsigned long n;
	__attribute__((noinline)) int leaf(int k) { for (int i = 0; i < 20000; i++) n += i * k; return n; }
	__attribute__((noinline)) int deep(int d) { return (d ? deep(d - 1) : leaf(3)) + 1; }
	static void on(int s) { n += deep(s % 3); }
	int main(void)
	{
		signal(SIGUSR1, on);
		for (int j = 0; j < 2000; j++) { n += deep(20); raise(SIGUSR1); }
		return 0;
	}
	END
	gcc -O2 -fno-optimize-sibling-calls -o deep deep.c
}

# Stacks of the program's own functions: of the dynamic linker's 6.1 loses some.
# Without what a signal handler returns to: 6.1 takes its address for a return address at times.
of_deep() {
	awk 'BEGIN { RS = ""; ORS = "\n\n" } / deep\n/' | awk '!handler; { handler = / on$/ }'
}

@test "--convert-callchain writes the chains that 6.1 finds in the stacks" {
	deep_program
	"$PERF" record -q -F 2000 --call-graph dwarf -e cpu-clock -o dump ./deep
	"$PERF" inject --convert-callchain -i dump -o chains
	"$PERF" inject -i dump | "$PERF" inject --convert-callchain >stream
	"$ORACLE" script --no-inline -F time,ip,sym -i dump 2>/dev/null | of_deep >want
	grep -q ' deep$' want
	"$ORACLE" script -F time,ip,sym -i chains 2>/dev/null >got
	grep -A1 ' on$' got | grep -q __restore_rt
	of_deep <got | diff - want
	"$ORACLE" script -F time,ip,sym -i - <stream 2>/dev/null | diff - got
	# 6.1 knows no stubs there, and names them by the function before
	stubs() { sed -E 's/ ([^ ]*@plt|\[unknown\]|_init)$/ stub/'; }
	diff <("$PERF" script -F time,ip,sym -i chains | stubs) <(stubs <got)
	# neither registers nor stacks are left, and what is left is small
	"$ORACLE" evlist -v -i chains >attrs
	grep -q CALLCHAIN attrs
	run ! grep -q 'REGS_USER\|STACK_USER\|sample_regs_user\|sample_stack_user' attrs
	# the kernel made no user part: nobody may judge it as a chain of frame pointers
	grep -q 'exclude_callchain_user: 1' attrs
	# of each stack 8 KB go, at most 1 KB comes; what else is in a file is the same in both
	stacks=$(awk 'BEGIN { RS = "" } / deep(\n|$)/ { n++ } END { print n + 0 }' want)
	[ "$stacks" -gt 0 ]
	[ $(($(stat -c %s dump) - $(stat -c %s chains))) -gt $((stacks * 6000)) ]
	# the input is what it was
	"$ORACLE" evlist -v -i dump | grep -q STACK_USER
	run "$PERF" inject --convert-callchain -i chains -o none
	[ "$status" -eq 1 ]
	[[ "$output" == *"no copies of user stacks"*"hint: "*"--call-graph dwarf"* ]]
	[ ! -e none ]
}

@test "a stream is passed on while its writer still runs" {
	"$PERF" record -q -B -e cpu-clock:u -o file -- sh -c "$busy"
	"$PERF" inject -i file >stream
	mkfifo in
	"$PERF" inject <in >out 3>&- &
	injector=$!
	exec 7>in
	cat stream >&7
	half() { [ "$(stat -c %s out)" -ge "$(($(stat -c %s stream) / 2))" ]; }
	until_true half
	kill -0 $injector
	exec 7>&-
	wait $injector
	diff <(text "$PERF" - <out) <(text "$PERF" file)
}

@test "a stored file comes through a pipe as well" {
	"$PERF" record -q -e cpu-clock:u -o file -- sh -c "$busy"
	"$PERF" inject -b -i file -o want
	cat file | "$PERF" inject -b -i - -o got
	diff <(text "$PERF" want) <(text "$PERF" got)
	"$PERF" buildid-list -i want | diff - <("$PERF" buildid-list -i got)
	cat file | "$PERF" inject | "$PERF" script -i - | diff - <("$PERF" script -i file)
	cat file | "$PERF" script | diff - <("$PERF" script -i file)
	head -c 60 file | {
		run "$PERF" script -i -
		[ "$status" -eq 1 ]
		[[ "$output" == *"error: "* ]]
	}
	[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -newer want -name '*perf.data*')" ]
}

@test "what cannot be done in one run, or not at all, is said" {
	"$PERF" record -q -e cpu-clock -o file true
	run "$PERF" inject --jit --convert-callchain -i file -o out
	[ "$status" -eq 1 ]
	[[ "$output" == *"'file' holds no copies of user stacks"* ]]
	[ -z "$(ls -A | grep inject)" ]
}

@test "a file is replaced only by a whole one, and becomes .old" {
	"$PERF" record -q -e cpu-clock -o file true
	echo precious >out
	run "$PERF" inject --convert-callchain -i file -o out
	[ "$status" -eq 1 ]
	[ "$(cat out)" = precious ]
	"$PERF" inject -i file -o out
	[ "$(cat out.old)" = precious ]
	"$PERF" evlist -i out | grep -q cpu-clock
	[ "$(ls out*)" = "out
out.old" ]
	"$PERF" inject -i file -o /dev/null
	[ -c /dev/null ]
}
