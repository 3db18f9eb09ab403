#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf stat record and report: each reads what Debian's perf wrote, and the other way round.

load wait

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup() {
	cd "$BATS_TEST_TMPDIR"
	oracle=${RIVAL_PERF:-/usr/bin/perf}
}

teardown() {
	end_jobs
}

# With -I, 6.1 divides by the mean of all intervals so far: the ledger's stat-report-interval.
@test "our files in Debian's report" {
	[ -x $oracle ] || skip "no perf to compare with"
	for args in "-a -A" "-a --per-core" "-a" "-a -I 10" "-a -A -I 10"; do
		"$PERF" stat record -o data -e cs,cpu-clock,faults $args sleep 0.03 2>live
		$oracle stat report -i data >want 2>&1
		"$PERF" stat report -i data >got 2>&1
		grep -q cpu-clock want
		[[ "$args" != *-I* ]] || sed -i 's/ *#.*//; s/ *$//' want got
		diff want got || { echo "args: $args"; return 1; }
	done
}

@test "Debian's files in our report" {
	[ -x $oracle ] || skip "no perf to compare with"
	for args in "-a -A" "-a --per-socket" "-a -I 10"; do
		$oracle stat record -o data -e cs,cpu-clock $args sleep 0.03 2>live
		for by in "" --per-core --per-socket --per-node --per-die -A; do
			$oracle stat report -i data $by >want 2>&1
			"$PERF" stat report -i data $by >got 2>&1
			[[ "$args" != *-I* ]] || sed -i 's/ *#.*//; s/ *$//' want got
			diff want got || { echo "args: $args $by"; return 1; }
		done
	done
}

@test "report shows the numbers that record showed" {
	"$PERF" stat record -o data -x, -e faults,cs,duration_time "$PERF" test -w noploop 1 2>live
	"$PERF" stat report -i data -x, 2>got
	diff live got
	"$PERF" stat report -i data -j 2>got
	python3 -c 'import json; r = [json.loads(l) for l in open("got")]; assert r[0]["event"] == "faults"'
	"$PERF" stat record -o data -x, -I 20 -e cs,duration_time sleep 0.05 2>live
	"$PERF" stat report -i data -x, 2>got
	diff live got
	# each interval's own time: all of them together are the time of the last
	awk -F, '$4 == "duration_time" { if ($2 < 1) bad = 1; sum += $2; last = $1 * 1e9 }
		END { exit bad || sum < last * 0.999 || sum > last * 1.001 }' live
}

@test "a stream is called 'pipe', as Debian's perf calls it" {
	"$PERF" stat record -o - -e cs true 2>/dev/null | "$PERF" stat report -i - >out 2>&1
	grep -qx " Performance counter stats for 'pipe':" out
	grep -q ' cs ' out
	"$PERF" stat record -o - -e cs true 2>/dev/null >stored
	"$PERF" stat report -i stored 2>&1 | grep -q "for 'pipe':"
	command -v "$RIVAL" >/dev/null || skip "no $RIVAL (Debian package linux-perf)"
	"$RIVAL" stat report -i stored 2>&1 | grep -q "for 'pipe':"
}

@test "metrics of recorded events; what is missing is said" {
	"$PERF" stat record -o data -e page-faults,task-clock "$PERF" test -w noploop 1 2>/dev/null
	"$PERF" stat report -i data -x, -M page_faults_per_second 2>got
	awk -F, '$3 == "page-faults" { n = $1 } $3 == "task-clock" { ms = $1 }
		$NF ~ /page_faults_per_second/ { got = $(NF - 1) }
		END { want = n * 1000 / ms; exit !(got > want * 0.999 - 0.1 && got < want * 1.001 + 0.1) }' got
	run "$PERF" stat report -i data -M IPC
	[ "$status" -ne 0 ]
	[[ "$output" == *"needs 'instructions', which was not recorded"* ]]
}

@test "metrics of events that were recorded by their other names" {
	for names in faults,task-clock faults:u,task-clock page-faults,task-clock; do
		"$PERF" stat record -o data -e $names "$PERF" test -w noploop 0.1 2>/dev/null
		"$PERF" stat report -i data -x, -M page_faults_per_second 2>got
		awk -F, '$NF ~ /page_faults_per_second/ { n++; if (!($(NF - 1) > 0)) bad = 1 } END { exit bad || n != 1 }' got
	done
	"$PERF" stat record -o data -e cs,faults true 2>/dev/null
	run "$PERF" stat report -i data -M page_faults_per_second
	[[ "$output" == *"needs 'task-clock', which was not recorded"* ]]
}

@test "by thread, by pid" {
	sleep 100 3>&- &
	pid=$!
	until_true comm_is $pid sleep
	"$PERF" stat record -o data --per-thread -e cs -p $pid sleep 0.05 2>live
	"$PERF" stat report -i data 2>got
	kill $pid
	grep -q "sleep-$pid" got
}

@test "files that hold no counts, cut files, contradictions" {
	"$PERF" record -o samples -e cpu-clock true 2>/dev/null
	run "$PERF" stat report -i samples
	[ "$status" -ne 0 ]
	[[ "$output" == *"holds no counts"* ]]
	"$PERF" stat record -o data -e cs true 2>/dev/null
	run "$PERF" stat report -i data -A
	[[ "$output" == *"no counts by CPU"* ]]
	size=$(stat -c %s data)
	for n in 16 104 200 300 400 500; do
		head -c $n data >cut
		run timeout 100 "$PERF" stat report -i cut
		[ "$status" -lt 124 ]
	done
	[ "$size" -gt 500 ]
	run "$PERF" stat record -r 2 true
	[ "$status" -eq 129 ]
	run "$PERF" stat report -x, -j
	[ "$status" -eq 129 ]
}

@test "a command line with control characters cannot reach the terminal" {
	"$PERF" stat record -o words -e cs -- sh -c $'echo \e[2J >/dev/null' >/dev/null 2>&1
	"$PERF" stat report -i words >said 2>&1
	grep -qF 'sh -c echo \x1b[2J >/dev/null' said
	run ! grep -q $'\e' said
	"$PERF" stat -e cs -o live -- sh -c $'echo \e[2J >/dev/null'
	grep -qF 'sh -c echo \x1b[2J >/dev/null' live
	run ! grep -q $'\e' live
}
