#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf stat and perf list used wrongly: one line says what and why, a hint what to do.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# A value that no machine could take is wrong usage, 129; one that names nothing here is 1.
# STATUS | ARGUMENTS | what the error says | what the hint says
refusals() {
	while IFS='|' read -r expected args error hint; do
		[ -n "$args" ] || continue
		run "$PERF" $1 $args </dev/null
		echo "perf $1 $args: $status, not $expected"
		echo "$output"
		[ "$status" -eq "$expected" ]
		[[ "${lines[0]}" == "error: "*"$error"* ]]
		grep -F "hint: " <<<"$output" | grep -qF -- "$hint"
		# never a result beside it
		[[ "$output" != *"Performance counter stats"* ]]
	done
}

@test "perf stat: each refusal has its reason and a way out" {
	refusals stat <<-'END'
		1|-o /nonexistent/x true|cannot write '/nonexistent/x': No such file|existing directory
		1|--log-fd 99 true|cannot write to descriptor 99|99>FILE
		129|--control fifo: true|'fifo:' is not a control channel|fifo:CTL[,ACK]
		1|--control fifo:/nonexistent true|cannot open the fifo '/nonexistent'|mkfifo '/nonexistent'
		1|--control fd:77 true|descriptor 77 is not open|77<>FIFO
		129|--control fd:x true|'x' is not a control channel|fd:CTL[,ACK]
		129|-a -e cs -G nosuchgroup true|there is no cgroup 'nosuchgroup'|-type d
		129|-a -G nosuchgroup true|has no event before it|give -e EVENT first
		1|-a --for-each-cgroup nosuchgroup true|there is no cgroup 'nosuchgroup'|-type d
		1|-a --for-each-cgroup ^nosuchgroup[xy]$ true|there is no cgroup|-type d
		129|-a --for-each-cgroup nosuch(x true|is not a regular expression|backslash
		1|-C 4000 true|CPU 4000 is not online|cpu/online
		129|-C x true|'x' is not a list of CPUs such as 0-2,5|lscpu -e
		129|-C 1-0 true|'1-0' is not a list of CPUs such as 0-2,5|lscpu -e
		129|-r x true|'x' is not a number|run the command N times
		129|-r -3 true|'-3' is not a number|run the command N times
		129|-I x true|'x' is not a time|at this interval
		129|-D x true|'x' does not say when to count|a delay in ms
		129|--td-level 1 true|--td-level needs --topdown|perf stat -h
		129|-p x|'x' is not a process id|ps -eL
		1|-p 9999999|no process 9999999 runs here|ps -e
		1|-t 9999999|no thread 9999999 runs here|ps -eL
		1|-M nosuchmetric true|no metric or metric group 'nosuchmetric'|perf list metric
		129|--filter x==1 true|has no event before it|give -e EVENT first
		129|-e cs --filter x==1 true|'cs' is not a tracepoint|applies to the -e before it
		129|--cputype nosuch true|no CPUs of type 'nosuch'|core and atom
		1|-a --per-cache=9 true|reports no level 9 cache|index*/level
		129|-a --per-cache=x true|'x' is not a cache level|L3
		129|-a --per-cache=L2dx true|'L2dx' is not a cache level|L3
		129|-x, -j true|-j and -x are two forms|perf stat -h
		129|--nosuch true|unknown option '--nosuch'|perf stat -h
		1|report -i /nonexistent|cannot open '/nonexistent'|perf stat record
		129|report nosuch|'nosuch' is not expected here|perf stat report -h
	END
}

@test "perf list: each refusal has its reason and a way out" {
	refusals list <<-'END'
		1|nosuchevent|no event matches 'nosuchevent'|'perf list' shows them all
		1|nosuch:*|no event matches 'nosuch:*'|SYSTEM:EVENT may be globs
		1|-o /nonexistent/x|cannot write '/nonexistent/x'|existing directory
		1|--unit nosuch|no PMU 'nosuch'|/sys/bus/event_source/devices
		1|--cputype nosuch|no CPUs of type 'nosuch'|core and atom
		129|--nosuch|unknown option '--nosuch'|perf list -h
	END
}

@test "an option that changes nothing is said, but never between rows for programs" {
	run --separate-stderr "$PERF" stat --append -o /dev/null -e cs true
	[ -z "$stderr" ]
	run "$PERF" stat --append -e cs true
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: --append is ignored without -o"* ]]
	run "$PERF" stat --summary -e cs true
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: --summary is ignored without -I"* ]]
	# as Debian's perf does, which prints no warning
	run "$PERF" stat --summary --append -x, -e cs true
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "         summary,"*,,cs,* ]]
	run "$PERF" stat --summary --no-csv-summary -x, -e cs true
	[[ "$output" != *summary* ]]
}

@test "guests alone: an event that cannot tell them is not supported, never counted on the host" {
	[ -e /sys/bus/event_source/devices/msr/events/tsc ] || skip "no PMU msr, which cannot tell guests"
	"$PERF" stat -x, -e msr/tsc/,msr/tsc/H,msr/tsc/G true 2>rows
	grep -qE '^[0-9]+,,msr/tsc/,' rows
	grep -qE '^[0-9]+,,msr/tsc/H,' rows
	grep -q '^<not supported>,,msr/tsc/G,' rows
	run "$PERF" record -o d -e msr/tsc/G true
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: the kernel cannot measure 'msr/tsc/G' in guests alone" ]
	[ ! -e d ]
}

@test "what the kernel hides from a user is not counted as 0" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to become a user"
	type setpriv >/dev/null || skip "no setpriv (Debian package util-linux)"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] || skip "kernel.perf_event_paranoid lets every user measure the kernel"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" .
	cp "$PERF" p
	chmod 755 p
	user() { setpriv --reuid 65534 --regid 65534 --clear-groups ./p "$@"; }
	user stat -x, -e context-switches,cpu-migrations,page-faults,task-clock sleep 0.01 2>rows
	[ "$(grep -cE '^<not supported>,,(context-switches|cpu-migrations),' rows)" -eq 2 ]
	grep -qE '^[1-9][0-9]*,,page-faults:u,' rows
	grep -qE '^[0-9.]+,msec,task-clock:u,' rows
	run user stat -e cs sleep 0.01
	[[ "$output" == *"context switches and migrations happen in the kernel"* ]]
	# and such a recording would be empty
	run user record -e cs -o /dev/null sleep 0.01
	[ "$status" -eq 1 ]
	[[ "$output" == *"measuring the kernel needs 1 or CAP_PERFMON"* ]]
	[[ "$output" != *":u"* ]]
}
