#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record --threads: a directory with a file for each CPU, read by every command and by perf 6.1.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export HOME=$PWD # a build-id cache of its own
}

teardown() {
	end_jobs
}

need_oracle() {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

told() {
	sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$1"
}

# SAMPLE records that $1 counts in $2
samples() {
	"$1" report -i "$2" --stats 2>/dev/null |
		awk '$1 == "SAMPLE" && $2 == "events:" { n = $3 } END { print n + 0 }'
}

# what both tell alike of any program
told=comm,tid,pid,cpu,time,event,ip
busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
cpus=$(getconf _NPROCESSORS_ONLN)

@test "a directory with a file for each CPU, the same for 6.1 and for us" {
	need_oracle
	"$PERF" record --threads -g -e cpu-clock -o d -- sh -c "$busy" 2>err
	[ "$(stat -c %a d)" = 700 ]
	[ "$(ls d/data.* | wc -l)" -eq "$cpus" ]
	[ "$(cd d && echo data*)" = "$(echo data $(seq -f data.%.0f 0 $((cpus - 1))))" ]
	for p in "$ORACLE" "$PERF"; do
		[ "$(samples "$p" d)" -eq "$(told err)" ]
		"$p" report --header-only -i d | grep -q '^# directory data version : 1$'
		"$p" buildid-list -i d | grep -q dash
		[ "$("$p" evlist -i d | head -1)" = cpu-clock ]
	done
	diff <("$ORACLE" script -i d -F $told 2>/dev/null) <("$PERF" script -i d -F $told 2>/dev/null)
	# nobody needs a round in files that are in order
	run ! grep -q FINISHED_ROUND <("$PERF" report -i d --stats)
	# an older directory is kept whole
	"$PERF" record --threads -a -e cpu-clock -o d -- sh -c "$busy" 2>second
	[ "$(samples "$PERF" d.old)" -eq "$(told err)" ]
	"$PERF" record -q --threads -a -e cpu-clock -o d -- true
	[ "$(samples "$PERF" d.old)" -eq "$(told second)" ]
}

@test "every command that reads takes the directory" {
	need_oracle
	"$PERF" record --threads -g -e cpu-clock -o d -- sh -c "$busy" 2>err
	n=$(told err)
	[ "$("$PERF" script -i d -F comm,ip -G 2>/dev/null | grep -c .)" -ge "$n" ]
	"$PERF" report -i d --stdio 2>/dev/null | grep -q 'dash'
	"$PERF" inject -b -i d -o one 2>/dev/null
	[ "$(samples "$ORACLE" one)" -eq "$n" ]
	diff <("$PERF" script -i d -F comm,pid,cpu,time,ip 2>/dev/null | sort) \
		<("$PERF" script -i one -F comm,pid,cpu,time,ip 2>/dev/null | sort)
	"$PERF" archive d >/dev/null
	ls d.tar.*
}

@test "6.1's own directories, compressed ones too" {
	need_oracle
	for z in '' -z; do
		"$ORACLE" record --threads $z -e cpu-clock -o d -- sh -c "$busy" >/dev/null 2>&1
		[ "$(samples "$PERF" d)" -gt 10 ]
		diff <("$ORACLE" script -i d -F $told 2>/dev/null) <("$PERF" script -i d -F $told 2>/dev/null)
	done
}

@test "a program with other rights keeps its name" {
	need_oracle
	# its execve takes the caller's events away, which looks like its end
	cp /bin/dash other
	chgrp 1 other
	chmod 2755 other
	"$PERF" record --threads -a -e cpu-clock -o d -- sh -c "./other -c '$busy' & echo \$! >pid; wait" 2>err
	pid=$(cat pid)
	"$PERF" script -i d --show-task-events -F comm,pid,event 2>/dev/null | grep "^ *other *$pid " >ours
	[ "$(grep -c 'cpu-clock' ours)" -gt 10 ]
	run ! grep -qx " *:$pid *" <("$PERF" script -i d -F comm 2>/dev/null)
	diff <("$ORACLE" script -i d -F $told 2>/dev/null | grep "[ /]$pid ") \
		<("$PERF" script -i d -F $told 2>/dev/null | grep "[ /]$pid ")
}

@test "-z in a directory: each file stands alone" {
	need_oracle
	"$PERF" check -q feature zstd || skip "built without zstd"
	"$PERF" record --threads -z -g -c 100000 -e cpu-clock -o d -- sh -c "$busy" 2>err
	for p in "$ORACLE" "$PERF"; do
		[ "$(samples "$p" d)" -eq "$(told err)" ]
	done
	"$ORACLE" report --header-only -i d | grep -q '^# compressed : Zstd, level = 1'
	diff <("$ORACLE" script -i d -F $told 2>/dev/null) <("$PERF" script -i d -F $told 2>/dev/null)
}

@test "threads by core, package, node, and by hand; what no thread has is not lost" {
	for spec in cpu core package numa 0 0/0; do
		# a task on each CPU: one that only idles may have no sample
		"$PERF" record --threads=$spec -a -e cpu-clock -o d -- sh -c "
			for c in $(seq -s ' ' 0 $((cpus - 1))); do taskset -c \$c sh -c '$busy' & done
			wait" 2>err ||
			{ [ $spec = numa ] && grep -q 'by numa' err && continue; }
		[ "$(ls d/data.* | wc -l)" -eq "$cpus" ]
		[ "$(samples "$PERF" d)" -eq "$(told err)" ]
		[ "$("$PERF" script -i d -F cpu 2>/dev/null | sort -u | wc -l)" -eq "$cpus" ]
	done
}

@test "a reader runs where it was told to" {
	"$PERF" record --threads=0/0 -a -e cpu-clock -o d 2>err 3>&- &
	pid=$!
	# beside the reader there may be the thread that holds programs
	until_true sh -c 'for t in /proc/'$pid'/task/*; do
		[ "${t##*/}" = '$pid' ] || ! grep -q "^Cpus_allowed_list:[[:space:]]*0$" "$t/status" || exit 0
	done; exit 1'
	until_true holds d 5
	kill -INT $pid
	wait $pid || :
	[ "$(samples "$PERF" d)" -eq "$(told err)" ]
}

@test "--switch-output begins a new directory; the oldest are removed" {
	need_oracle
	"$PERF" record --threads -e cpu-clock -c 50000 -a -o d --switch-output=100K --switch-max-files 2 \
		-- sh -c 'while [ ! -e stop ]; do :; done' 2>err 3>&- &
	pid=$!
	until_true sh -c '[ "$(grep -c "Dump d\." err)" -ge 3 ]'
	touch stop
	wait $pid
	[ "$(ls -d d.* | wc -l)" -eq 2 ]
	for f in d.*; do
		[ -d "$f" ]
		[ "$(samples "$ORACLE" "$f")" -eq "$(samples "$PERF" "$f")" ]
	done
	# the last one may have just been begun
	[ "$(samples "$PERF" "$(ls -d d.* | head -n 1)")" -gt 10 ]
}

@test "a recorder that is killed leaves what its threads had written" {
	"$PERF" record --threads -q -e cpu-clock -c 100000 -m 4 -a -o d 3>&- &
	pid=$!
	until_true sh -c '[ "$(cat d/data.* 2>/dev/null | wc -c)" -gt 100000 ]'
	kill -9 $pid
	wait $pid || :
	run --separate-stderr "$PERF" script -i d -F comm,cpu
	[ "$status" -eq 0 ]
	[ "$(grep -c . <<<"$output")" -gt 100 ]
	[[ "$stderr" == *"its recorder was stopped early, or is still writing it"* ]]
}

@test "a file that is still being written is said to be, and by whom" {
	for option in --threads ''; do
		rm -rf d
		# shellcheck disable=SC2086 # none or one
		"$PERF" record $option -q -e cpu-clock -a -o d 3>&- &
		pid=$!
		until_true holds d 10
		run "$PERF" evlist -i d
		kill -INT $pid
		wait $pid || :
		[ "$status" -eq 0 ]
		[[ "$output" == *"the file has no features: process $pid is still writing it"* ]] || { echo "$output"; return 1; }
		run "$PERF" evlist -i d
		[[ "$output" != *"no features"* ]]
	done
	# Debian's perf has written no size, either
	[ -n "${ORACLE-}" ] && [ -x "$ORACLE" ] || return 0
	rm -rf d
	"$ORACLE" record -q -e cpu-clock -a -o d 3>&- &
	pid=$!
	until_true sh -c '[ "$(wc -c <d)" -gt 20000 ]'
	run "$PERF" evlist -i d
	kill -INT $pid
	wait $pid || :
	[[ "$output" == *"records are read to its end: process $pid is still writing it"* ]] || { echo "$output"; return 1; }
}

@test "a recorder that is killed at once leaves the samples of its first moments" {
	for option in --threads ''; do
		rm -rf d
		# shellcheck disable=SC2086 # none or one
		run -137 "$PERF" record $option -q -e cpu-clock -o d -- sh -c "$busy; kill -9 \$PPID"
		[ "$("$PERF" script -i d -F comm 2>/dev/null | grep -c sh)" -gt 50 ]
		"$PERF" report -i d --stdio 2>err | grep -q 'libc\|sh '
		grep -q 'its recorder was stopped early' err
	done
}

@test "a command that cannot be started leaves the old directory in its place" {
	"$PERF" record -q --threads -a -e cpu-clock -o d -- true
	printf '#!/no/such/interpreter\n' >bad
	chmod +x bad
	run "$PERF" record --threads -e cpu-clock -o d ./bad
	[ "$status" -ne 0 ]
	[ "$("$PERF" evlist -i d | head -1)" = cpu-clock ]
	[ ! -e d.old ]
}

@test "what --threads cannot do is said" {
	for bad in 0:0/0 9999 nosuch 0/x; do
		run "$PERF" record --threads=$bad true
		[ "$status" -eq 129 ]
		[[ "$output" == *threads* ]]
	done
	run "$PERF" record --threads=0/0:4095/0 true
	[[ "$output" == *"'--threads': CPU 4095 is not online"* ]]
	run "$PERF" record --threads=0/0:0/0 true
	[[ "$output" == *"CPU 0 belongs to two threads"*"hint: before the '/' name each CPU once"* ]]
	run "$PERF" record --threads --per-thread true
	[ "$status" -eq 129 ]
	[[ "$output" == *--per-thread* ]]
	run "$PERF" record --threads -o - true
	[ "$status" -eq 129 ]
	[[ "$output" == *stream* ]]
}

@test "a directory is no stream, also where standard output is a pipe; sides that exclude each other" {
	"$PERF" record --threads -a -e cpu-clock true 2>err | cat >out || true
	[ ! -s out ]
	grep -q -- 'error: --threads writes a directory' err
	grep -q 'hint: name the directory with -o' err
	for both in '--all-user --all-kernel' '--user-callchains --kernel-callchains'; do
		run "$PERF" record $both -e cpu-clock -o d true
		[ "$status" -eq 129 ]
		[[ "$output" == "error: ${both% *} and ${both#* } exclude each other"*"hint: leave one of them out"* ]]
	done
}
