#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf list: what it lists exists, can be counted, and reads as Debian's perf prints it.
bats_require_minimum_version 1.5.0

load pmu

setup() {
	cd "$BATS_TEST_TMPDIR"
	oracle=${RIVAL_PERF:-/usr/bin/perf}
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
		# somebody may add a probe between the two
		for _ in 1 2 3 4 5; do
			$oracle list $kind 2>/dev/null | sort >want
			"$PERF" list $kind | sort >got
			! cmp -s want got || break
		done
		diff want got
	done
}

@test "every tracepoint listed has an id in tracefs, and none is missing" {
	need_tracefs
	for _ in 1 2 3 4 5; do
		(cd /sys/kernel/tracing/events && ls -d */*/id) | sed 's,/id$,,; s,/,:,' | sort >want
		"$PERF" list tracepoint | awk '{ print $1 }' | sort >got
		! cmp -s want got || break
	done
	diff want got
}

@test "sections come in order, in two columns" {
	"$PERF" list >all
	# metrics, at the end, have their text in separate lines
	grep -v '^ *\[' all | sed -n 's/.*\[\(.*\)\]$/\1/p' | uniq >sections
	grep -vxF -e 'Hardware event' -e 'Hardware cache event' -e 'Kernel PMU event' -e 'SDT event' sections >always
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
	! grep -q '\[' names || return 1
	# forms that are no names would be typed as they are
	"$PERF" list --raw-dump >all
	grep -q '\<page-faults ' all
	run ! grep -qE '[<[]|\<rNNN\>' all
}

@test "-j: every event that the text has, as an array of objects" {
	cat >rows.py <<-'END'
		import json
		# a marker of several objects: NAME@OBJECT(BUILD-ID), which are fields of their own in JSON
		text = [l.split()[0].split('@')[0] for l in open('text')]
		rows = json.load(open('json'))
		assert [r['EventName'] for r in rows] == text and len(text) > 10
		by = {r['EventName']: r for r in rows}
		assert by['page-faults'] == {'EventName': 'page-faults', 'EventAlias': 'faults',
					     'EventType': 'Software event'}, by['page-faults']
	END
	# others may add or remove a tracepoint between the two
	for _ in $(seq 40); do
		"$PERF" list sw tracepoint sdt >text
		"$PERF" list -j sw tracepoint sdt >json
		! python3 rows.py 2>why || break
		sleep 0.1
	done
	python3 rows.py
	"$PERF" list -j metric pfm metricgroup >json
	python3 - <<-'END'
		import json
		m = [r for r in json.load(open("json")) if r.get("MetricName") == "CPI"][0]
		assert m["MetricExpr"] == "cycles / instructions", m
		assert "Summary" in m["MetricGroup"].split(";"), m
	END
	"$PERF" list -j -v sched:sched_switch alignment-faults >json
	python3 - <<-'END'
		import json
		row, other = json.load(open("json"))
		fields = {f["Name"]: f for f in row["Fields"]}
		assert fields["prev_comm"]["Type"] == "char[16]" and fields["prev_comm"]["Size"] == 16, fields
		assert fields["next_pid"]["Type"] == "pid_t" and fields["next_pid"]["Signed"] is True, fields
		assert fields["prev_comm"]["Offset"] == 8 and "common_pid" not in fields, fields
		assert "prev_comm=%s" in row["PrintFormat"] and "\n" not in row["PrintFormat"] and "Fields" not in other, row
	END
	"$PERF" list -j sched:sched_switch >json
	run ! grep -q Fields json
	run "$PERF" list -j nosuchthing
	[ "$status" -eq 1 ]
	[[ "$output" == *"no event matches"* ]]
	run "$PERF" list -j --raw-dump
	[ "$status" -eq 129 ]
}

@test "--unit, --cputype, --debug" {
	"$PERF" list --debug hw 2>notes
	if ! has_pmu_of_cpus; then
		grep -q "note: 'cpu-cycles' is not listed: perf_event_open: No such file" notes
	fi
	run "$PERF" list --unit nosuch
	[ "$status" -eq 1 ]
	[[ "$output" == *"no PMU 'nosuch'"* ]]
	if [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
		"$PERF" list --unit msr >got
		[ "$(grep -vc '^  msr/' got)" -eq 0 ]
		grep -q '^  msr/tsc/ ' got
	fi
	run "$PERF" list --cputype nosuch
	[ "$status" -eq 1 ]
	[[ "$output" == *"no CPUs of type 'nosuch'"* ]]
}

@test "sdt: the markers in the build-id cache, and a glob of them" {
	cat >marked.c <<-'END'
		#include <sys/sdt.h>
		int main(void) { DTRACE_PROBE(listed, first); DTRACE_PROBE(listed, second); return 0; }
	END
	gcc -o marked marked.c
	"$PERF" --buildid-dir cache buildid-cache --add marked
	"$PERF" --buildid-dir cache list sdt >got
	diff got - <<-'END'
		  sdt_listed:first                                   [SDT event]
		  sdt_listed:second                                  [SDT event]
	END
	"$PERF" --buildid-dir cache list 'sdt_l*:sec*' >got
	[ "$(wc -l <got)" -eq 1 ]
	"$PERF" --buildid-dir cache list | grep -q '^  sdt_listed:first '
}

@test "sdt: a marker of several objects has a row for each, as Debian's perf prints it" {
	mkdir a b
	printf '#include <sys/sdt.h>\nint main(void) { DTRACE_PROBE(listed, first); return 0; }\n' >a/m.c
	printf '#include <sys/sdt.h>\nint main(void) { DTRACE_PROBE(listed, first); DTRACE_PROBE(listed, second);
		DTRACE_PROBE(listed, second); return 0; }\n' >b/m.c
	for d in a b; do
		gcc -o $d/marked $d/m.c
		"$PERF" --buildid-dir cache buildid-cache --add $d/marked
	done
	"$PERF" --buildid-dir cache list sdt >got
	id() { readelf -n "$1" | sed -n 's/.*Build ID: \(.\{12\}\).*/\1/p'; }
	{
		for d in a b; do echo "  sdt_listed:first@$(realpath $d/marked)($(id $d/marked)) [SDT event]"; done
		echo "  sdt_listed:second                                  [SDT event]"
	} >want
	diff want got
	if [ -x $oracle ]; then
		$oracle --buildid-dir "$PWD/cache" list sdt >theirs
		diff <(sort theirs) <(sort got) # its rows of one name are in no order
	fi
	[ "$("$PERF" --buildid-dir cache list --raw-dump sdt)" = "sdt_listed:first sdt_listed:second " ]
	"$PERF" --buildid-dir cache list -j sdt >json
	python3 - <<-'END'
		import json
		rows = json.load(open("json"))
		assert [r["EventName"] for r in rows] == ["sdt_listed:first"] * 2 + ["sdt_listed:second"], rows
		assert [r["Object"].split("/")[-2] for r in rows] == ["a", "b", "b"], rows
		assert len(set(r["BuildID"] for r in rows)) == 2 and len(rows[0]["BuildID"]) == 40, rows
	END
}

# Rows but for tracepoints that fit glob $1 by the names of their systems alone.
without_systems() {
	while IFS= read -r row; do
		name=${row#  }
		name=${name%% *}
		[[ "$1" == *:* || "$row" != *"[Tracepoint event]" || "${name#*:}" == *$1* ]] && echo "$row"
	done
}

@test "a word or glob without a colon fits any part of a name, as in Debian's perf" {
	need_tracefs
	[ -x $oracle ] || skip "no perf to compare with"
	for pattern in 'sched*' 'page*' 'mem*' 'cpu*' '*fault*' 'sched_swi' 'ext4' 'power:cpu*' 'syscalls:sys_enter_open*' \
		'sched:*' 'sys_enter_rea?' 'user_t*' 'context-switches' 'msr/*' 'sw*ch' '[fg]aults'; do
		# somebody may add a probe between the two
		for _ in 1 2 3 4 5; do
			$oracle list "$pattern" 2>/dev/null | grep ' event\]$' | sort >want
			# without the tool events that it does not know
			"$PERF" list "$pattern" | grep ' event\]$' | grep -vE '^  (num_|smt_on|system_tsc)' |
				without_systems "$pattern" | sort >got
			! cmp -s want got || break
		done
		[ -s want ]
		diff want got || { echo "pattern: $pattern"; return 1; }
	done
	# the ledger's list-system-names: the system is a part of the name
	"$PERF" list raw_sys >got
	grep -q '^  raw_syscalls:sys_enter ' got
	[ -z "$($oracle list raw_sys 2>/dev/null)" ]
}

@test "metrics: by name, by group, by GROUP:NAME" {
	"$PERF" list 'Soft*:*fault*' >got
	grep -q '^  page_faults_per_second$' got
	run ! grep -q '^  cs_per_second$' got
	"$PERF" list 'Softwar?' | grep -q '^Software:$'
	"$PERF" list cs_per_sec | grep -q '^  cs_per_second$'
	"$PERF" list | grep -q '^  cs_per_second$'
	! "$PERF" list --raw-dump | grep -q cs_per_second || return 1
}

@test "metrics that cannot be counted here appear with -v, by name, and in JSON" {
	"$PERF" list -j metric >json
	python3 - json <<-'CODE' || skip "all metrics can be counted here"
		import json, sys
		metrics = json.load(open(sys.argv[1]))
		for word, wanted in (("can", False), ("cannot", True)):
		    with open(word, "w") as f:
		        f.writelines(m["MetricName"] + "\n" for m in metrics if ("Unavailable" in m) == wanted)
		sys.exit(not open("cannot").read())
	CODE
	n=$(wc -l <cannot)
	"$PERF" list metric >got
	sed -nE 's/^  ([^ ]+).*/\1/p' got | sort -u | diff - <(sort -u can)
	grep -qxE "\[$n metrics? cannot be counted here: perf list -v metric\]" got
	run ! grep -q 'not available' got
	"$PERF" list -v metric | grep -c 'not available: ' | grep -qx "$n"
	"$PERF" list "$(head -1 cannot)" | grep -q 'not available: '
	"$PERF" list metricgroup >groups
	run ! grep -qxFf <(sed 's/^/  /' cannot) groups
	run ! grep -q -A1 ':$' <(awk '/:$/ { if (last ~ /:$/) print last } { last = $0 }' groups)
}

@test "--raw-dump metricgroups: each can be measured here" {
	groups=$("$PERF" list --raw-dump metricgroups)
	[ -n "$groups" ]
	for group in $groups; do
		"$PERF" stat -M "$group" -a true 2>out || { echo "$group"; cat out; false; }
	done
}

@test "-v: a raw code by its names in libpfm4, a name by its codes" {
	"$PERF" check feature libpfm4 >/dev/null || skip "built without libpfm4"
	[ "$(uname -m)" = x86_64 ] || skip "codes of x86 models"
	"$PERF" list -v r1cd >got
	grep -A2 '^  MEM_TRANS_RETIRED:LOAD_LATENCY ' got | grep -q '^       r1cd: .*Intel Skylake'
	"$PERF" list -v MEM_TRANS_RETIRED:LOAD_LATENCY | grep -q '^       r1cd: '
	run "$PERF" list -v r7777777
	[ "$status" -eq 1 ]
}

@test "no more CPU time than Debian's perf" {
	[ -x $oracle ] || skip "no perf to compare with"
	! nm -D "$PERF" | grep -q __asan_init || skip "a sanitized program is slower"
	best() { # of five, in milliseconds of user and system time
		TIMEFORMAT='%3U %3S'
		for i in 1 2 3 4 5; do
			{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print ($1 + $2) * 1000 }'
		done | sort -n | head -n 1
	}
	for _ in 1 2 3 4 5; do # others on the machine cost time, too
		theirs=$(best $oracle list)
		ours=$(best "$PERF" list)
		echo "ours $ours ms, theirs $theirs ms"
		[ "$ours" -gt $((theirs * 3 / 2 + 10)) ] || return 0
	done
	return 1
}
