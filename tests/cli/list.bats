#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf list: what it lists exists, can be counted, and reads as Debian's perf prints it.

setup() {
	cd "$BATS_TEST_TMPDIR"
	oracle=/usr/bin/perf
}

need_tracefs() {
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
}

@test "software events, byte for byte as Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	$oracle list sw 2>/dev/null | grep 'Software event' >want
	"$PERF" list sw | grep 'Software event' >got
	diff want got
}

@test "the same hardware, cache, PMU and tracepoint events as Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	for kind in hw cache pmu tracepoint; do
		$oracle list $kind 2>/dev/null | sort >want
		"$PERF" list $kind | sort >got
		diff want got
	done
}

@test "every tracepoint listed has an id in tracefs, and none is missing" {
	need_tracefs
	(cd /sys/kernel/tracing/events && ls -d */*/id) | sed 's,/id$,,; s,/,:,' | sort >want
	"$PERF" list tracepoint | awk '{ print $1 }' | sort >got
	diff want got
}

@test "sections come in order, in two columns" {
	"$PERF" list >all
	sed 's/.*\[\(.*\)\]$/\1/' all | uniq >sections
	grep -vxF -e 'Hardware event' -e 'Hardware cache event' -e 'Kernel PMU event' sections >always
	cat >want <<-END
		Software event
		Tool event
		Raw hardware event descriptor
		Hardware breakpoint
		Tracepoint event
	END
	diff want always
	grep -qx '  context-switches OR cs                             \[Software event\]' all
	grep -qx '  rNNN                                               \[Raw hardware event descriptor\]' all
}

@test "globs on both sides of the colon, words, several arguments" {
	need_tracefs
	run "$PERF" list 's*d:sched_swi*'
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "${lines[0]}" == "  sched:sched_switch "*"[Tracepoint event]" ]]
	run "$PERF" list MAJOR-fau sched:sched_switch
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == "  major-faults "* ]]
	[[ "${lines[1]}" == "  sched:sched_switch "* ]]
}

@test "what fits nothing is an error" {
	run "$PERF" list nosuchthing
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "error: no event matches 'nosuchthing'" ]
	[[ "${lines[1]}" == hint:* ]]
}

@test "-v shows a tracepoint's fields with type, size and sign" {
	need_tracefs
	run "$PERF" list -v sched:sched_switch
	[ "$status" -eq 0 ]
	[[ "$output" == *"pid_t prev_pid  (4 bytes, signed)"* ]]
	[[ "$output" == *"char[16] next_comm  (16 bytes, "* || "$output" == *"char next_comm[16]  (16 bytes, "* ]]
	[[ "$output" == *"print: "*"prev_comm"* ]]
	[[ "$output" != *common_type* ]]
}

@test "--raw-dump is one line of names" {
	"$PERF" list --raw-dump sw >names
	[ "$(wc -l <names)" -eq 1 ]
	grep -q '\<page-faults ' names
	! grep -q '\[' names
}

@test "not slower than Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	best() { # of five, in microseconds
		for i in 1 2 3 4 5; do
			a=${EPOCHREALTIME/./}
			"$@" >/dev/null 2>&1
			echo $((${EPOCHREALTIME/./} - a))
		done | sort -n | head -n 1
	}
	theirs=$(best $oracle list)
	ours=$(best "$PERF" list)
	echo "ours $ours us, theirs $theirs us"
	[ "$ours" -le $((theirs + 3000)) ]
}
