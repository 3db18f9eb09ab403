#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf stat with counters that BPF programs read: shared, by cgroup, in BPF programs.
bats_require_minimum_version 1.5.0
load wait

E3=cpu-clock,context-switches,page-faults

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" stat -e cs:b -o probe true 2>said || {
		grep -q 'BPF' said && skip "$(head -1 said)"
		cat said
		return 1
	}
}

teardown() {
	end_jobs
	for g in "${groups[@]}"; do rmdir "$root/$g" 2>/dev/null || true; done
}

groups=()
cgroup_root() {
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/mounts)
	[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$root" ] || skip "no cgroup can be made"
	mkdir "$root/perf-bpf-$$" 2>/dev/null || skip "no cgroup can be made"
	groups=("perf-bpf-$$")
}

make_group() { # below the first, so that it goes before it
	mkdir "$root/${groups[-1]%%/*}/$1"
	groups=("perf-bpf-$$/$1" "${groups[@]}")
}

# the count of an event, and of a cgroup, in rows of -x,
count() {
	awk -F, -v e="$2" -v g="${3:-}" '$3 == e && (g == "" || $4 == g) { print $1 }' "$1"
}

near() { # A B PERCENT SLACK
	awk -v a="$1" -v b="$2" -v p="$3" -v s="$4" 'BEGIN {
		d = a > b ? a - b : b - a
		if (d <= (a > b ? a : b) * p / 100 + s) exit 0
		print "not near: " a " and " b; exit 1 }'
}

# Nothing of ours is loaded any more.
gone() {
	command -v bpftool >/dev/null || return 0
	until_true sh -c "! bpftool map 2>/dev/null | grep -qE 'name (perf_(counters|events|users)|counter_[.])'"
}

fork_loop='i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done'

inside() { # CGROUP: a script that runs the loop there
	printf '%s\n' "echo \$\$ >$root/$1/cgroup.procs" "$fork_loop" >"in.$(basename "$1")"
}

@test ":b counts a command from its exec on, with its children, as without b" {
	"$PERF" stat -x, -e page-faults,page-faults:b,cs,cs:b,cpu-clock,cpu-clock:b -o got sh -c "$fork_loop"
	near "$(count got page-faults)" "$(count got page-faults:b)" 3 10
	[ "$(count got page-faults)" -gt 5000 ]
	near "$(count got cs)" "$(count got cs:b)" 3 10
	near "$(count got cpu-clock)" "$(count got cpu-clock:b)" 10 5
	# its share of time, too
	[ "$(awk -F, '$3 == "cs:b" { print $5 }' got)" = 100.00 ]
}

@test "-i: without its children" {
	"$PERF" stat -i -x, -e page-faults,page-faults:b -o got sh -c "$fork_loop"
	near "$(count got page-faults)" "$(count got page-faults:b)" 5 3
	"$PERF" stat -x, -e page-faults:b -o all sh -c "$fork_loop"
	[ "$(count all page-faults:b)" -gt $((4 * $(count got page-faults:b))) ]
}

@test "-a, -A, -C: CPUs, read without a program at each switch" {
	"$PERF" stat -a -x, -e page-faults,page-faults:b,cpu-clock,cpu-clock:b -o got sh -c "$fork_loop"
	near "$(count got page-faults)" "$(count got page-faults:b)" 1 20
	near "$(count got cpu-clock)" "$(count got cpu-clock:b)" 5 5
	"$PERF" stat -a -A -x, -e cpu-clock:b -o cpus sleep 0.1
	[ "$(wc -l <cpus)" -ge "$(nproc)" ]
	awk -F, '/^CPU/ { n++; if ($2 < 90) bad = 1 } END { exit !n || bad }' cpus
	"$PERF" stat -C 0 -x, -e cpu-clock:b -o one sleep 0.1
	near "$(count one cpu-clock:b)" 100 60 20
}

@test "-p, -t, --per-thread: tasks that run already, and what they start" {
	mkfifo begin
	sh -c "read -r go <begin; $fork_loop" 3>&- &
	pid=$!
	"$PERF" stat -p $pid -x, -e page-faults,page-faults:b -o got 3>&- &
	stat=$!
	sleep 0.5
	echo go >begin
	wait $pid
	wait $stat
	[ "$(count got page-faults)" -gt 5000 ]
	near "$(count got page-faults)" "$(count got page-faults:b)" 3 10
	"$PERF" test -w noploop 100 3>&- &
	load=$!
	until_true comm_is $load perf-noploop
	"$PERF" stat -t $load --per-thread -x, -e task-clock,cpu-clock:b -o each --timeout 400
	kill $load
	grep -q '^perf-noploop' each
	awk -F, '/task-clock/ { own = $2 } /cpu-clock:b/ { bpf = $2 }
		END { d = own - bpf; if (d < 0) d = -d; exit !(own > 5 && d < own * 0.2 + 10) }' each || { cat each; return 1; }
}

@test "-I, -D, -r: intervals sum up, what is before the delay is not counted" {
	"$PERF" stat -I 50 -x, -e page-faults:b,page-faults -o got sh -c "$fork_loop"
	[ "$(grep -c 'page-faults:b' got)" -ge 2 ]
	sum=$(awk -F, '$4 == "page-faults:b" { s += $2 } END { print s }' got)
	near "$sum" "$(awk -F, '$4 == "page-faults" { s += $2 } END { print s }' got)" 1 3
	"$PERF" stat -r 3 -x, -e page-faults:b,page-faults -o runs true
	near "$(count runs page-faults)" "$(count runs page-faults:b)" 2 3
	"$PERF" stat -D 100000 -x, -e page-faults:b -o late true
	grep -qE '^(0|<not counted>),' late
}

@test "--bpf-counters: each event that is in no package; groups and others are refused" {
	"$PERF" stat --bpf-counters -x, -e "$E3" -o got true
	[ "$(grep -c ",100.00," got)" -eq 3 ]
	run "$PERF" stat --bpf-counters -e '{cs,faults}' true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: BPF cannot count 'cs': it is in a group"* ]]
	run "$PERF" stat record --bpf-counters -e cs true
	[[ "$output" == "error: perf stat record cannot be combined with --bpf-counters"* ]]
	run "$PERF" record -e cs:b true
	[ "$status" -eq 129 ]
	[[ "$output" == *"'b' counts with BPF: it has no use in 'perf record'"* ]]
	gone
}

@test "two perfs share one counter; the last one removes the map" {
	unshare -m mount -t bpf bpf /sys/fs/bpf 2>/dev/null || skip "no BPF file system can be mounted"
	command -v bpftool >/dev/null || skip "needs bpftool"
	mkfifo begin
	export begin=$PWD/begin
	run -0 unshare -m sh -ec '
		mkdir map && mount -t bpf bpf map
		"$PERF" stat --bpf-attr-map map/shared -x, -e page-faults,cs -o first sh -c "echo up >begin; read -r x <begin" &
		read -r up <begin
		bpftool map dump pinned map/shared >rows
		"$PERF" stat --bpf-attr-map map/shared -x, -e page-faults:u,page-faults -o second true
		"$PERF" stat --bpf-attr-map map/shared -x, -e page-faults -o third sh -c "bpftool map dump pinned map/shared >rows3"
		echo end >begin
		wait
		ls map >left'
	# two rows of the first; the third found the row of its event
	[ "$(grep -c '^key' rows)" -eq 2 ]
	[ "$(grep -c '^key' rows3)" -eq 2 ]
	! grep -q shared left || false
	[ "$(count second page-faults)" -ge "$(count second page-faults:u)" ]
	[ "$(count third page-faults)" -gt 100 ]
	gone
}

@test "a row that a killed perf left, another program's map, no BPF file system" {
	unshare -m mount -t bpf bpf /sys/fs/bpf 2>/dev/null || skip "no BPF file system can be mounted"
	command -v bpftool >/dev/null || skip "needs bpftool"
	run -0 unshare -m sh -ec '
		mkdir map && mount -t bpf bpf map
		"$PERF" stat --bpf-attr-map map/shared -a -e cs -o none sleep 100 >/dev/null 2>&1 3>&- & pid=$!
		until [ -e map/shared ] && bpftool map dump pinned map/shared | grep -q ^key; do sleep 0.05; done
		kill -9 $pid
		sleep 0.2
		[ -e map/shared ]
		"$PERF" stat --bpf-attr-map map/shared -x, -a -e cs -o again sleep 0.1
		ls map >left
		bpftool map create map/other type array key 4 value 8 entries 1 name other
		! "$PERF" stat --bpf-attr-map map/other -e cs true 2>said || false
		[ -e map/other ]'
	[ "$(count again cs)" -gt 0 ]
	! grep -q shared left || false
	[[ "$(cat said)" == "error: 'map/other' is not a map of counters that this perf shares"* ]]
	run "$PERF" stat --bpf-attr-map nowhere/map -e cs true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: cannot pin the map of shared counters at 'nowhere/map'"*"mount -t bpf"* ]]
	run "$PERF" stat --bpf-attr-map "$PWD/map2" -e cs true
	[[ "$output" == "error: cannot pin the map"*"mount -t bpf"* ]]
}

@test "--for-each-cgroup: one counter for each CPU, the same numbers, cgroups inside of cgroups" {
	cgroup_root
	make_group a
	make_group a/in
	make_group b
	g=perf-bpf-$$
	inside "$g/a/in"
	inside "$g/b"
	for way in "" --bpf-counters; do
		"$PERF" stat $way -a -x, -e "$E3" --for-each-cgroup "$g,$g/a,$g/a/in,$g/b" -o "got$way" sh -c '
			sh in.in
			sh in.b'
	done
	for name in "$g" "$g/a" "$g/a/in" "$g/b"; do
		near "$(count got page-faults "$name")" "$(count got--bpf-counters page-faults "$name")" 5 300
		[ "$(count got--bpf-counters page-faults "$name")" -gt 5000 ]
		near "$(count got context-switches "$name")" "$(count got--bpf-counters context-switches "$name")" 70 100
	done
	# sums are those of what is inside
	near "$(count got--bpf-counters page-faults "$g")" "$(($(count got--bpf-counters page-faults "$g/a") + $(count got--bpf-counters page-faults "$g/b")))" 0 0
	near "$(count got--bpf-counters page-faults "$g/a")" "$(count got--bpf-counters page-faults "$g/a/in")" 0 0
	# the call takes the cgroup's descriptor as its pid, and says so
	run "$PERF" --debug perf-event-open stat -a -e cs --for-each-cgroup "$g" true
	grep -qE '^sys_perf_event_open: pid [0-9]+  cpu 0  group_fd -1  flags 0xc = ' <<<"$output"
	# a cgroup in which nothing runs
	"$PERF" stat --bpf-counters -a -x, -e cpu-clock,cs --for-each-cgroup "$g/b" -o idle sleep 0.1
	[ "$(awk -F, '$3 == "cs" { print $1 + 0 }' idle)" -eq 0 ]
	run "$PERF" stat -a -e cs:b --for-each-cgroup "$g/b" true
	[[ "$output" == "error: --for-each-cgroup counts either all events with BPF or none"* ]]
	run "$PERF" stat -a --bpf-counters -e cs -G "$g/b" true
	[[ "$output" == "error: BPF cannot count 'cs': -G has bound it to a cgroup"* ]]
	gone
}

@test "-u: what the user runs, also processes that start later, and nobody else's" {
	# a user whom no other test and no service has
	uid=$((60000 + $$ % 5000))
	as_user="setpriv --reuid $uid --regid $uid --clear-groups"
	$as_user true 2>/dev/null || skip "no setpriv, or no such user here"
	[ -z "$(ps -o pid= -U $uid)" ] || skip "user $uid has processes"
	chmod -R a+rX "$BATS_RUN_TMPDIR"
	run "$PERF" stat -u $uid -e cs true
	[ "$status" -eq 0 ]
	[[ "$output" != *"start later"* && "$output" == *"another user than '$uid'"* ]]
	# it is counted in both ways, and begins after -u has; root's own loop has as many faults again
	printf '%s\n' "$fork_loop" >loop
	"$PERF" stat -u $uid -x, -e page-faults,cs,task-clock -o all sh -ec "
		sh loop
		'$PERF' stat -x, -e page-faults,cs,task-clock -o own $as_user sh $PWD/loop
		$as_user sh $PWD/loop"
	cat all own
	[ "$(count own page-faults)" -gt 5000 ]
	near "$(count all page-faults)" $((2 * $(count own page-faults))) 5 0
	awk -F, '$3 == "task-clock" { if (FILENAME == "own") own = $1; else all = $1 }
		END { exit !(all > own && all < own * 3) }' own all
	# a task is not counted for the switch that ends it, but its user is; what else runs adds switches
	near "$(count all cs)" $((2 * $(count own cs) + 600)) 50 200
	gone
}

@test "-u root: an idle CPU runs nothing of root's" {
	printf '%s\n' "awk '\$1 == \"cpu\" { print \$5 }' /proc/stat" >idle
	# both are read while root is counted: no time is idle that is not within duration_time
	"$PERF" stat -u root -x, -e task-clock,duration_time -o got sh -c 'sh idle; sleep 1; sh idle' >ticks
	awk -F, -v hz="$(getconf CLK_TCK)" -v cpus="$(getconf _NPROCESSORS_ONLN)" '
		FILENAME == "ticks" { idle = $1 - first; first = $1; next }
		$3 == "task-clock" { ran = $1 / 1000 } $3 == "duration_time" { took = $1 / 1e9 }
		END { print ran, idle / hz, took, cpus; exit !(ran > 0 && ran + idle / hz < took * cpus * 1.03 + 0.1) }' ticks got
}

@test "-u: a list of processes where BPF cannot count them by user" {
	"$PERF" test -w noploop 100 3>&- &
	load=$!
	for what in "-e {cs,task-clock}=BPF cannot count 'cs': it is in a group" "-e user_time=times of processes" \
		"-e cs --per-thread=a row for each thread" "-e cs -i=-i leaves out" "-e cs -t $load=-p and -t name tasks"; do
		# shellcheck disable=SC2086 # words
		run "$PERF" stat ${what%%=*} -u root true
		[ "$status" -eq 0 ]
		[[ "$output" == *"that 'root' has now, and none that start later: "*"${what#*=}"* ]] || { echo "$what: $output"; return 1; }
	done
	# times are of tasks, with and without BPF: of this one at least
	run "$PERF" stat --bpf-counters -u root -e user_time,system_time,duration_time sleep 0.3
	[ "$status" -eq 0 ]
	[[ "$output" == *"that 'root' has now, and none that start later: user_time"* ]]
	awk '$2 == "ns" && $3 ~ /^(user|system)_time/ { ran += $1 } END { exit ran < 3e7 }' <<<"$output" || { echo "$output"; return 1; }
	"$PERF" stat -u root -C 0 -x, -e cpu-clock -o one sleep 0.2
	[ "$(wc -l <one)" -eq 3 ] || { cat one; return 1; }
	run "$PERF" stat -u root --bpf-counters -e '{cs,faults}' true
	[[ "$output" == "error: BPF cannot count 'cs': it is in a group"* ]]
}

@test "-u: a user without processes is refused with the reason for a list" {
	uid=$((60000 + $$ % 5000))
	[ -z "$(ps -o pid= -U $uid)" ] || skip "user $uid has processes"
	for what in "-e {cs,faults}=BPF cannot count 'cs': it is in a group" "record -o data=perf stat record does not use BPF"; do
		# shellcheck disable=SC2086 # words
		run -1 "$PERF" stat ${what%%=*} -u $uid true
		[[ "$output" == "error: user '$uid' has no process now, and -u leaves out those that start later: ${what#*=}"* ]] ||
			{ echo "$what: $output"; return 1; }
	done
	setpriv --reuid 65534 --clear-groups "$PERF" version >/dev/null 2>&1 || skip "no setpriv, or no right to run perf"
	run -1 setpriv --reuid 65534 --clear-groups "$PERF" stat -u $uid -e task-clock true
	[[ "$output" == *"start later: counting these needs BPF, which only root"*"hint: run it as root, or give perf both"* ]]
	# the tasks that are named are counted
	run -0 "$PERF" stat -p $$ -u $uid -e task-clock sleep 0.1
	[[ "$output" == *task-clock*"none that start later: -p and -t name tasks"* ]]
}

@test "-b: ids are checked; a kernel that refuses is named" {
	run "$PERF" stat -b 4000000000 -e cs true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: there is no BPF program 4000000000"* ]]
	for ids in 0 1, ,1 1,x 99999999999; do
		run "$PERF" stat -b "$ids" -e cs true
		[ "$status" -eq 129 ]
		[[ "$output" == "error: '$ids' is not a list of BPF programs"* ]]
	done
	run "$PERF" stat -b 1 -p 1 -e cs true
	[ "$status" -eq 129 ]
	[[ "$output" == *"-b counts in BPF programs"* ]]
}

@test "-b: times of the whole machine are not those of a program" {
	# some program that is loaded, of whatever kind can be counted in
	"$PERF" stat -a --bpf-counters -e cs -o busy sleep 60 3>&- & # loads one
	until_true test -s busy
	for id in $(seq 1 500) none; do
		run "$PERF" stat -x, -b "$id" -e user_time,system_time,duration_time sleep 0.01
		[ "$status" -ne 0 ] || break
	done
	[ "$id" != none ] || skip "no BPF program that can be counted in"
	[ "$(grep -c '^<not supported>,ns,\(user\|system\)_time,' <<<"$output")" -eq 2 ] || { echo "$output"; return 1; }
	[[ "$output" == *,ns,duration_time,* ]]
	run "$PERF" stat -b "$id" -e user_time,system_time sleep 0.01
	[ "$(grep -c '^warning: <not supported>: user_time and system_time are not counted in BPF programs$' <<<"$output")" -eq 1 ]
	[[ "$output" != *"steps of"* ]]
}

@test "who may not use BPF is told so" {
	command -v setpriv >/dev/null || skip "needs setpriv"
	cp "$PERF" ./perf && chmod 755 . ./perf
	run setpriv --reuid 65534 --clear-groups ./perf stat -e cs:b true
	[ "$status" -eq 1 ]
	[[ "$output" == "error: modifier 'b' needs BPF, which only root and programs with CAP_BPF"* ]]
}
