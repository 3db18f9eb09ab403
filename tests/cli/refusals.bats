#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# What cannot be done is refused with one error that names it, a hint and an exit code,
# at once, and nothing is left behind.
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	end_jobs
}

# Each line of the standard input is the arguments of a call that must be refused.
all_refused() {
	while read -r line; do
		eval "set -- $line"
		timeout 100 "$PERF" "$@" >out 2>err </dev/null && code=0 || code=$?
		case $code in 1 | 126 | 127 | 129) ;; *) echo "$line: exit $code" ;; esac
		[[ "$(head -1 err)" == "error: "* ]] || { echo "$line: something comes before the error:"; cat err; }
		[ "$(grep -c '^error: ' err)" -eq 1 ] || { echo "$line: not one error:"; cat err; }
		grep -q '^hint: ' err || { echo "$line: no hint:"; cat err; }
	done >bad
	cat bad
	[ ! -s bad ]
}

@test "record: wrong words" {
	all_refused <<-'EOF'
	record nosuchprogram
	record /etc/passwd
	record -o d -e nosuch true
	record -o d -e cycles:z true
	record -o d -e mem:0x true
	record -o d -F 0 true
	record -o d -F abc true
	record -o d -c 0 true
	record -o d -F 100 -c 100 true
	record -o d -p 99999999
	record -o d -p abc
	record -o d -t abc
	record -o d -u nosuchuser
	record -o d -C 99999 true
	record -o d -C a true
	record -o d -m abc true
	record -o d --call-graph foo true
	record -o d --call-graph dwarf,9999999 true
	record -o d --call-graph fp,x true
	record -o d -a --per-thread true
	record -o d -j foo true
	record -o d -k foo true
	record -o d -I zz true
	record -o d --filter x true
	record -o d -e cpu-clock --filter x==1 true
	record -o d --nosuch true
	record -o d -e cpu-clock -r 200 true
	record -o d -e cpu-clock --switch-max-files 3 true
	record -o d -e cpu-clock -D -1 true
	record -o d -e cpu-clock --off-cpu -D 10 true
	record -o d -e cpu-clock --threads --aio true
	record -o d -e cpu-clock --threads --call-graph dwarf,live true
	record -o - -e cpu-clock --kcore true
	record -o /nosuch/d -e cpu-clock true
	EOF
	[ ! -e d ] && [ ! -e d.old ]
}

@test "a value that nothing could accept ends with 129, one that names nothing here with 1" {
	while read -r expected line; do
		timeout 100 "$PERF" $line >out 2>err </dev/null && code=0 || code=$?
		[ "$code" -eq "$expected" ] || { echo "$line: $code, not $expected:"; cat err; }
		[[ "$(head -1 err)" == "error: "* ]] || { echo "$line:"; cat err; }
	done >bad <<-'EOF'
		129 stat -p x
		129 stat -C x true
		129 stat --control fd:x true
		129 record -o d -p x
		129 record -o d -C x true
		129 record -o d --control fd:x true
		129 top -p x
		129 top -C x
		129 top -s nosuch --stdio
		129 script -C x
		129 annotate -C x
		129 report --percentage x
		1 stat -p 9999999
		1 stat -C 4000 true
		1 stat -u nosuchuser
		1 record -o d -p 9999999
		1 record -o d -C 4000 true
		1 record -o d -u nosuchuser
		1 record -o /nosuch/d true
		1 top -p 9999999
		1 top -u nosuchuser
		1 report -i nosuch
		1 archive --unpack /etc/passwd
	EOF
	cat bad
	[ ! -s bad ]
}

@test "readers: files that are none, files that the user names" {
	"$PERF" record -q -e page-faults -c 1 -o d true
	echo hello >foreign
	: >empty
	head -c 150 d >short
	for command in report script evlist buildid-list; do
		for file in nosuch foreign empty short .; do
			echo "$command -i $file"
		done
	done | all_refused
	all_refused <<-'EOF'
	report -i d --kallsyms nosuch
	report -i d --vmlinux nosuch
	report -i d --symfs nosuch
	script -i d --kallsyms nosuch
	script -i d --symfs nosuch
	report -i d --sort nosuch
	report -i d -F nosuch
	report -i d -g foo
	report -i d --time abc
	script -i d -F nosuch
	script -i d --time 1,2,3
	list nosuchevent
	help nosuch
	test nosuch
	test -w nosuch
	check feature nosuch
	config nosuch
	EOF
}

@test "-a beside -p: what is named is watched, and it is said" {
	sleep 100 3>&- &
	pid=$!
	run "$PERF" record -e page-faults -o d -a -p $pid --timeout 50
	[ "$status" -eq 0 ]
	grep -q '^warning: -a is ignored with -p' <<<"$output"
	# one event of one process, not the dummy of a whole system
	[ "$("$PERF" evlist -i d | wc -l)" -eq 1 ]
	run "$PERF" stat -a -p $pid sleep 0.05
	kill $pid
	grep -q '^warning: -a is ignored with -p' <<<"$output"
	grep -q ' task-clock ' <<<"$output"
}

@test "a recording that this user may not read says whose it is" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to be somebody else"
	dir=$(mktemp -d)
	chmod 755 "$dir"
	"$PERF" record -q -e page-faults -o "$dir/d" true
	install -m 755 "$PERF" "$dir/perf"
	for command in report script evlist buildid-list; do
		run setpriv --reuid=65534 --regid=65534 --clear-groups \
			env HOME=/nonexistent "$dir/perf" $command -i "$dir/d"
		[ "$status" -eq 1 ] || break
		grep -q "^error: cannot open '$dir/d': Permission denied" <<<"$output" || break
		grep -q "^hint: recordings are private" <<<"$output" || break
		command=
	done
	rm -rf "$dir"
	[ -z "$command" ]
}

@test "without tracepoints one error says so, not an option that the user did not type, and it is no wrong use" {
	for words in 'sched record' 'kwork record' 'timechart record' 'trace record' 'record -e sched:sched_switch' \
		'stat -e sched:sched_switch'; do
		run "$PERF" --debugfs-dir="$BATS_TEST_TMPDIR" $words true
		[ "$status" -eq 1 ] || { echo "$words: $status $output"; return 1; }
		[ "$(grep '^error: ' <<<"$output")" = "error: no tracepoints below '$BATS_TEST_TMPDIR'" ] || { echo "$words: $output"; return 1; }
	done
}

@test "an error names an option as long as the user typed it" {
	run "$PERF" record -e nosuch true
	[ "$status" -eq 129 ]
	[[ "$output" == "error: option '--event': unknown event 'nosuch'"* ]]
	run "$PERF" record --eve=nosuch true
	[[ "$output" == "error: option '--event': unknown event 'nosuch'"* ]]
	run "$PERF" mem record -t nosuch -e nosuch true
	[[ "$output" == "error: "* ]]
	run "$PERF" record -qF nosuch true
	[[ "$output" == "error: option '--freq': "* ]]
}

@test "record and stat say that the kernel ends the events of a program with other rights" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to be somebody else"
	[ "$(cat /proc/sys/fs/suid_dumpable)" != 1 ] || skip "every task stays dumpable here"
	dir=$(mktemp -d)
	! findmnt -no OPTIONS -T "$dir" | grep -qw nosuid || skip "$dir is on a file system without set-user-ID"
	mkdir -m 777 "$dir/d"
	chmod 755 "$dir"
	install -m 755 "$PERF" "$dir/perf"
	for name in plain uid gid unreadable capable; do install -m 755 "$(type -P true)" "$dir/$name"; done
	chmod 4755 "$dir/uid"
	chmod 2755 "$dir/gid"
	chmod 711 "$dir/unreadable"
	printf '#!/bin/sh\n:\n' >"$dir/script"
	chmod 6755 "$dir/script"
	python3 -c 'import os, struct, sys
os.setxattr(sys.argv[1], "security.capability", struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))' "$dir/capable" 2>/dev/null ||
		rm "$dir/capable" # no Python, or a file system without attributes
	nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$dir/perf" "$@"; }
	bad=
	nobody stat -e task-clock:u "$dir/plain" 2>err || bad=skip
	[ -n "$bad" ] || for name in plain script uid gid unreadable capable; do
		[ -e "$dir/$name" ] || continue
		case $name in plain | script) want= ;; uid) want=set-user-ID ;; gid) want=set-group-ID ;;
		unreadable) want='may not read' ;; *) want=capabilities ;; esac
		for command in stat "record -o $dir/d/out"; do
			nobody $command -e task-clock:u "$dir/$name" 2>err || { cat err; bad="$command $name"; }
			if [ -n "$want" ]; then
				grep -q "^warning: the kernel ends the events of '$dir/$name' when it starts.*$want" err || bad="$command $name"
			else
				! grep -q "kernel ends" err || bad="$command $name"
			fi
		done
	done
	# a wrapper starts it, and rows for programs come with the warning, too
	install -m 4755 "$(type -P awk)" "$dir/burn"
	loop='BEGIN { for (i = 0; i < 4000000; i++) x += i }'
	[ -n "$bad" ] || for command in "exec $dir/burn '$loop'" "$dir/burn '$loop'; :"; do
		nobody record -o "$dir/d/out" -e task-clock:u sh -c "$command" 2>err
		grep -q "^warning: the kernel ended the events of 'burn' when it started" err || { cat err; bad="record $command"; }
		for form in -x, -j "-o $dir/d/out" -I50; do
			nobody stat $form -e task-clock:u sh -c "$command" >out 2>err
			[ "$(cat out err | grep -c '^warning: the events saw [0-9.]* of the [0-9.]* msec')" -eq 1 ] || { cat err; bad="stat $form $command"; }
		done
	done
	for form in -x, -j; do
		[ -n "$bad" ] || nobody stat $form -e task-clock:u "$dir/uid" 2>err
		[ -n "$bad" ] || [ "$(grep -c 'warning: the kernel ends the events' err)" -eq 1 ] || bad="stat $form"
	done
	# events of CPUs are not ended, and an ordinary command keeps its own
	"$PERF" record -e cpu-clock -a -o "$dir/d/out" -- setpriv --reuid=65534 --clear-groups "$dir/uid" 2>err
	! grep -q "kernel ended" err || bad=all-cpus
	for command in stat "record -o $dir/d/out"; do
		"$PERF" $command -e task-clock sh -c "awk '$loop'; :" 2>err
		! grep -q "rights" err || { cat err; bad="ordinary $command"; }
	done
	# what has no event of the kernel's for the task is not ended
	[ -n "$bad" ] || nobody stat -e duration_time,user_time "$dir/uid" 2>err
	[ -n "$bad" ] || ! grep -q "kernel ends" err || bad=tools
	# a large server that starts a child for each request: the end of a process is seen by no event
	"$PERF" stat -e task-clock:u python3 -c 'import ctypes, os
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) # small pages, which take time to give back
memory = b"x" * (100 << 20)
for i in range(60): os.waitpid(os.fork() or os._exit(0), 0)' 2>err
	! grep -q "events saw" err || { cat err; bad=server; }
	# records were lost: a mapping that is missing says nothing
	"$PERF" record -N -m 1 -g -c 10000 -e cpu-clock -o "$dir/d/out" sh -c 'for i in $(seq 200); do /bin/true; done' >/dev/null 2>err
	! grep -q "were lost" err || ! grep -q "kernel ended" err || { cat err; bad=lost; }
	# root runs the program as itself
	"$PERF" stat -e task-clock "$dir/uid" 2>err
	! grep -q "kernel ends" err || bad=root
	# one warning for all runs
	[ "$bad" = skip ] || nobody stat -r 2 -e task-clock:u "$dir/uid" 2>err
	! grep -q "times)" err || bad=repeat
	rm -rf "$dir"
	[ "$bad" != skip ] || skip "an ordinary user may count nothing here"
	[ -z "$bad" ] || { echo "$bad"; false; }
}
