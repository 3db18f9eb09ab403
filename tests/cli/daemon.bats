#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# The daemon: its sessions, its files, what changes them, and what it survives.

bats_require_minimum_version 1.5.0

load wait
load rival

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir base
	base=$(realpath base)
	[ "$(id -u)" -eq 0 ] || "$PERF" record -q -e cpu-clock:u -o x true || skip "cannot record here"
}

teardown() {
	"$PERF" daemon stop --config conf >/dev/null 2>&1 || true
	# sleep of a session that was killed
	[ ! -s pids ] || xargs -r kill -9 <pids 2>/dev/null || true
}

# configuration: two sessions, or those given as NAME OPTIONS
configure() {
	printf '[daemon]\nbase = %s\n' "$base" >new
	while [ $# -gt 0 ]; do
		printf '[session-%s]\nrun = %s\n' "$1" "$2" >>new
		shift 2
	done
	mv new conf
}

d() {
	timeout 60 "$PERF" daemon "$@" --config conf
}

start() {
	d start
	wait_until d ping >/dev/null
}

wait_until() {
	for ((n = 0; n < 300; n++)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	echo "never: $*"
	d -v || true
	cat base/output
	return 1
}

pid_of() {
	d -x, | awk -F, -v name="$1" '$2 == name { print $1 }'
}

# so many sessions are listed
listed() {
	[ "$(d -x, | wc -l)" -eq $(($1 + 1)) ]
}

@test "start, list in three forms, ping, stop; nothing is left" {
	configure one "-e cpu-clock:u -m 1 sleep 1000" two "-e task-clock:u -m 1 sleep 1000"
	start
	run d
	[ "$status" -eq 0 ]
	pid=$(cat base/lock)
	[ "${lines[0]}" = "[$pid:daemon] base: $base" ]
	[[ "${lines[1]}" == "["*":one] perf record -e cpu-clock:u -m 1 sleep 1000" ]]
	[[ "${lines[2]}" == "["*":two] perf record -e task-clock:u -m 1 sleep 1000" ]]
	run d -v
	[ "${lines[1]}" = "  output:  $base/output" ]
	[ "${lines[2]}" = "  lock:    $base/lock" ]
	[ "${lines[3]}" = "  up:      0 minutes" ]
	[[ "$output" == *"  control: $base/session-two/control"$'\n'"  ack:     $base/session-two/ack"* ]]
	one=$(pid_of one)
	two=$(pid_of two)
	run d -x:
	[ "${lines[0]}" = "$pid:daemon:$base:$base/output:$base/lock:0" ]
	s=$base/session-one
	# a colon of the options is one more
	[ "${lines[1]}" = "$one:one:-e cpu-clock:u -m 1 sleep 1000:$s:$s/output:$s/control:$s/ack:0" ]
	tr '\0' ' ' </proc/$one/cmdline | grep -q "perf record --control=fifo:control,ack -e cpu-clock:u -m 1 sleep 1000"
	[ "$(readlink /proc/$one/cwd)" = "$s" ]
	run d ping
	[ "$output" = "OK   one"$'\n'"OK   two" ]
	run d ping --session three
	[ "$status" -eq 1 ]
	[ "$output" = "FAIL three (not found)" ]
	run d stop
	[ "$status" -eq 0 ]
	# stop waits
	[ ! -e /proc/$pid ] && [ ! -e /proc/$one ] && [ ! -e /proc/$two ]
	"$PERF" evlist -i base/session-two/perf.data | grep -q task-clock:u
	run d
	[ "$status" -eq 1 ]
	[[ "$output" == "error: no daemon runs on '$base'"*"hint: 'perf daemon start'"* ]]
}

@test "stop takes -x as the other subcommands do, and prints nothing" {
	for separator in -x -x, "--field-separator=;"; do
		configure one "-e cpu-clock:u -m 1 sleep 1000"
		start
		run d stop "$separator"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		run d
		[[ "$output" == "error: no daemon runs on '$base'"* ]]
	done
}

@test "the client of 6.1 speaks with it" {
	[ -x "$RIVAL" ] || skip "no other perf at $RIVAL"
	configure one "-e cpu-clock:u -m 1 sleep 1000"
	start
	"$RIVAL" daemon --config conf >theirs
	d >ours
	diff theirs ours
	[ "$("$RIVAL" daemon ping --config conf)" = "OK   one" ]
	[ "$(d ping -x:)" = "OK:one" ]
	[ "$("$PERF" daemon -x ping --config conf)" = "OK,one" ]
	[ "$("$PERF" daemon -x --config conf)" = "$("$PERF" daemon -x, --config conf)" ]
	# its lock keeps the other out
	run "$RIVAL" daemon start --config conf -f
	[ "$status" -ne 0 ]
	"$RIVAL" daemon stop --config conf
	wait_until bash -c "! '$PERF' daemon --config conf"
}

@test "it speaks with the server of 6.1" {
	[ -x "$RIVAL" ] || skip "no other perf at $RIVAL"
	# that server runs its sessions by /proc/self/exe, which is a loader where tests/rival unpacked it
	head -c 4 "$RIVAL" | grep -q ELF || skip "$RIVAL cannot run itself again"
	configure one "-e cpu-clock:u -m 1 sleep 1000"
	"$RIVAL" daemon start --config conf
	wait_until d
	wait_until listed 1
	run d start
	[ "$status" -eq 1 ]
	[[ "$output" == "error: another daemon (pid "*") runs on '$base'"* ]]
	d stop
	wait_until bash -c "! '$PERF' daemon --config conf"
}

@test "signal makes the sessions write files, all or one" {
	configure one "-e cpu-clock:u -m 1 --switch-output --overwrite sleep 1000" two "-e cpu-clock:u -m 1 --switch-output sleep 1000"
	start
	run d signal
	[ "$output" = "signal 12 sent to session 'one [$(pid_of one)]'"$'\n'"signal 12 sent to session 'two [$(pid_of two)]'" ]
	wait_until bash -c "ls base/session-one/perf.data.2* && ls base/session-two/perf.data.2*"
	run d signal --session two
	[ "$output" = "signal 12 sent to session 'two [$(pid_of two)]'" ]
	wait_until bash -c '[ "$(ls base/session-two/perf.data.2* | wc -l)" -eq 2 ]'
	[ "$(ls base/session-one/perf.data.2* | wc -l)" -eq 1 ]
	run d signal --session three
	[ "$status" -eq 1 ]
	[[ "$output" == "error: no session 'three' runs"* ]]
}

@test "a changed configuration: sessions come, go and change, the others go on" {
	configure a "-e cpu-clock:u -m 1 sleep 1000" b "-e cpu-clock:u -m 1 sleep 1001"
	start
	a=$(pid_of a)
	b=$(pid_of b)
	configure a "-e cpu-clock:u -m 1 sleep 1000" b "-e task-clock:u -m 1 sleep 1001" c "-e cpu-clock:u -m 1 sleep 1003"
	wait_until listed 3
	wait_until d ping
	[ "$(pid_of a)" = "$a" ]
	[ "$(pid_of b)" != "$b" ]
	d | grep -q ":b\] perf record -e task-clock:u"
	# written in place, as an editor may
	printf '[daemon]\nbase = %s\n[session-c]\nrun = -e cpu-clock:u -m 1 sleep 1003\n' "$base" >conf
	wait_until listed 1
	[ ! -e /proc/$a ]
	# what cannot be understood changes nothing
	echo "[session-" >>conf
	wait_until grep -q "the configuration is left as it was: " base/output
	[ "$("$PERF" daemon --config /dev/null --base base | wc -l)" -eq 2 ]
	# nor does another base
	printf '[daemon]\nbase = /\n[session-c]\nrun = -e cpu-clock:u -m 1 sleep 1003\n' >conf
	wait_until grep -q "the base stays '$base'" base/output
	printf '[daemon]\nbase = %s\n' "$base" >conf
	wait_until listed 0
}

# one/conf and two/conf, with one and two sessions
one_and_two() {
	mkdir one two
	configure a "-e cpu-clock:u -m 1 sleep 1000"
	mv conf one
	configure a "-e cpu-clock:u -m 1 sleep 1000" b "-e cpu-clock:u -m 1 sleep 1000"
	mv conf two
}

@test "a link to the configuration that is made to name another file is a change" {
	one_and_two
	ln -s one/conf conf
	start
	ln -sfn two/conf conf
	wait_until listed 2
	rm conf
	ln -s one/conf conf
	wait_until listed 1
}

@test "SIGHUP reads the configuration; SIGTERM stops in order" {
	# nothing changes in a directory that is watched
	one_and_two
	ln -s one here
	ln -s here/conf conf
	start
	pid=$(cat base/lock)
	ln -sfn two here
	sleep 0.2
	listed 1
	kill -HUP "$pid"
	wait_until listed 2
	[ "$(pid_of daemon)" = "$pid" ]
	# from now on that file is watched
	sed -i '/session-b/,$d' two/conf
	wait_until listed 1
	a=$(pid_of a)
	kill -TERM "$pid"
	wait_until bash -c "! [ -e /proc/$pid ]"
	[ ! -e /proc/"$a" ]
	"$PERF" evlist -i base/session-a/perf.data
	grep -q "daemon exited" base/output
}

@test "a session that is killed starts again, one that ends is forgotten" {
	configure a "-e cpu-clock:u -m 1 sleep 1000" b "-e cpu-clock:u -m 1 true"
	d start
	wait_until listed 1
	wait_until d ping
	grep -q "session 'b' exited, status=0" base/output
	a=$(pid_of a)
	pgrep -P "$a" >pids
	kill -9 "$a"
	wait_until bash -c "p=\$('$PERF' daemon --config conf -x, | awk -F, '\$2 == \"a\" { print \$1 }'); [ \"\$p\" -gt 0 ] && [ \"\$p\" != $a ]"
	wait_until d ping
	grep -q "session 'a' killed (signal 9)" base/output
}

@test "the daemon is killed: its sessions end in order, and a new one takes over" {
	configure a "-e cpu-clock:u -m 1 sleep 1000"
	start
	a=$(pid_of a)
	kill -9 "$(cat base/lock)"
	wait_until bash -c "! [ -e /proc/$a ]"
	"$PERF" evlist -i base/session-a/perf.data
	start
	[ "$(pid_of a)" != "$a" ]
}

@test "a full disk: what can run runs, and what cannot is said" {
	[ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=64k none full || skip "cannot mount"
	mkdir full/base
	base=$(realpath full/base)
	rm -r base
	ln -s "$base" base
	dd if=/dev/zero of=full/fill bs=1k 2>/dev/null || true
	configure a "-e cpu-clock:u -m 1 -o $BATS_TEST_TMPDIR/a.data sleep 1000"
	run d start
	first=$status
	wait_until d ping
	run d
	d stop
	umount full
	[ "$first" -eq 0 ]
	[[ "$output" == *":a] perf record"* ]]
	"$PERF" evlist -i a.data
}

@test "a session's directory and files must be the daemon's own" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give files away"
	mkdir elsewhere base/session-open base/session-given base/session-file
	ln -s "$PWD/elsewhere" base/session-link
	chmod 777 base/session-open
	chown nobody base/session-given
	echo mine >elsewhere/kept
	ln -s "$PWD/elsewhere/kept" base/session-file/output
	mkdir base/session-pipe
	mkfifo base/session-pipe/control
	chown nobody base/session-pipe/control
	configure link "-e cpu-clock:u -m 1 sleep 1000" open "-e cpu-clock:u -m 1 sleep 1000" given "-e cpu-clock:u -m 1 sleep 1000" \
		file "-e cpu-clock:u -m 1 sleep 1000" pipe "-e cpu-clock:u -m 1 sleep 1000" good "-e cpu-clock:u -m 1 sleep 1000"
	start
	wait_until grep -q "session 'file' exited" base/output
	wait_until grep -q "session 'pipe' exited" base/output
	d >listed
	grep -q good listed
	for name in link open given; do
		grep -q "session '$name': cannot use '$base/session-$name': it is not a directory of this user alone" base/output
	done
	grep -q ' output: Operation not permitted' base/output
	grep -q 'control: Operation not permitted' base/session-pipe/output
	run ! grep -qE ':(link|open|given|file|pipe)\]' listed
	[ "$(ls elsewhere)" = kept ]
	[ "$(cat elsewhere/kept)" = mine ]
	[ -z "$(ls base/session-open base/session-given | grep -v :)" ]
	d stop
}

@test "a lock or an output that is a link, or of another user, is refused" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to give files away"
	configure a "-e cpu-clock:u -m 1 sleep 1000"
	for name in lock output; do
		: >kept
		ln -s "$PWD/kept" base/$name
		run ! d start
		[[ "$output" == *"error: "*"$base/$name'"* ]]
		rm base/$name
		touch base/$name
		chown nobody base/$name
		run ! d start
		[[ "$output" == *"error: cannot use '$base/$name': it is not a file of this user alone"* ]]
		rm base/$name
	done
	[ ! -s kept ]
}

@test "in the foreground, by --base, and with names and options that need quotes" {
	# a semicolon begins a comment, but for double quotes
	configure odd "\"-e cpu-clock:u -m 1 sh -c 'exec sleep 1000; echo two words'\""
	"$PERF" daemon start -f --config conf --base base 2>said &
	pid=$!
	wait_until d ping
	tr '\0' '\n' </proc/"$(pid_of odd)"/cmdline | grep -qx 'exec sleep 1000; echo two words'
	[ "$(cat base/lock)" -eq "$pid" ]
	pgrep -P "$(pid_of odd)" >pids
	kill -INT $pid
	wait $pid
	grep -q "session 'odd' started (pid [0-9]*): perf record -e cpu-clock:u -m 1 sh -c 'exec sleep 1000; echo two words'" said
	long=$(printf 'd%.0s' {1..120})
	mkdir $long
	"$PERF" daemon start --config conf --base $long
	wait_until "$PERF" daemon ping --config conf --base $long
	"$PERF" daemon stop --config conf --base $long
}

@test "requests that make no sense do no harm" {
	configure a "-e cpu-clock:u -m 1 sleep 1000"
	start
	python3 - "$base/control" <<-'END'
		import os, socket, struct, sys
		for data in (b"", b"x" * 10, struct.pack("i", 99) + b"\xff" * 68, b"\xff" * 72,
		             struct.pack("ii", 1, 9) + b"all" + b"\0" * 61, struct.pack("i", 3) + b"n" * 68):
		    s = socket.socket(socket.AF_UNIX)
		    s.connect(sys.argv[1])
		    s.sendall(data)
		    s.shutdown(socket.SHUT_WR)
		    s.settimeout(10)
		    while s.recv(4096):
		        pass
	END
	d ping
	[ "$(stat -c %a base/control)" = 700 ]
}

@test "wrong use" {
	run "$PERF" daemon start --config /no/such/file
	[ "$status" -eq 1 ]
	[[ "$output" == "error: cannot read the configuration '/no/such/file': No such file or directory" ]]
	: >conf
	run d start
	[ "$status" -eq 1 ]
	[[ "$output" == "error: the daemon has no base directory"*"hint: name one with --base"* ]]
	run d start --base /no/such/dir
	[ "$status" -eq 1 ]
	[[ "$output" == "error: cannot use the base '/no/such/dir': No such file or directory"* ]]
	run d start --base conf
	[[ "$output" == "error: the base 'conf' is not a directory" ]]
	for args in "begin" "start more" "ping --nonsense" "stop -f" "--session a"; do
		run "$PERF" daemon $args
		[ "$status" -eq 129 ] || { echo "$args: $status $output"; return 1; }
	done
	configure all "-e cpu-clock true"
	run d start
	[ "$status" -eq 1 ]
	[[ "$output" == *"'all' cannot be the name of a session"* ]]
	configure a "-e 'open quote"
	run d start
	[ "$status" -eq 1 ]
	[[ "$output" == "error: session 'a': a quote is not closed: -e 'open quote" ]]
	[ ! -e base/output ]
}

@test "a name in the configuration that means nothing is reported at start, with what is meant" {
	printf '[daemon]\nbaes = /\nbase = %s\n[session-a]\nrum = -e cpu-clock\n' "$base" >conf
	run d start
	[ "$status" -eq 0 ]
	[ "$output" = "warning: the configuration sets 'daemon.baes', which is not the name of a setting
hint: did you mean 'daemon.base'?
warning: the configuration sets 'session-a.rum', which is not the name of a setting
hint: did you mean 'session-NAME.run'?" ]
	run d
	[ "$status" -eq 0 ]
	[[ "$output" != *warning* ]]
}

@test "a configuration that cannot be understood does not keep the daemon from being listed and stopped" {
	configure a "-e cpu-clock:u -m 1 sleep 1000"
	start
	printf '[daemon]\nbase = %s\n[session-a]\nrun = -e "%s"\n' "$base" "'open" >conf
	wait_until grep -q "the configuration is left as it was: session 'a': a quote is not closed" base/output
	[ "$(d | wc -l)" -eq 2 ]
	printf '[session-/]\nrun = -a\n[daemon]\nbase = %s\n[session-' "$base" >conf
	[ "$(d | wc -l)" -eq 2 ]
	d ping
	d stop
	wait_until bash -c '! [ -e base/control ] || ! "$PERF" daemon --config /dev/null --base base'
}

@test "a configuration that is a FIFO is refused, and nobody waits for its writer" {
	mkfifo pipe
	run timeout 10 "$PERF" daemon start --config pipe --base "$base"
	[ "$status" -eq 1 ]
	[[ "$output" == *"/pipe' is not a regular file"* ]]
}
