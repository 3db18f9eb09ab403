#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf stat: tasks on CPUs, where results go, exit codes, and what is said beside the rows.

bats_require_minimum_version 1.5.0
load wait

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup() {
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	end_jobs
}

# A task that runs 20 ms on CPU 0, 20 ms on CPU 1, and so on.
hop() {
	[ "$(getconf _NPROCESSORS_ONLN)" -ge 2 ] || skip "one CPU"
	taskset -c 0,1 true || skip "CPUs 0 and 1 are not ours"
	cat >hop.py <<-'END'
		import os, time
		cpu, parent = 0, os.getppid()
		while os.getppid() == parent:
		    os.sched_setaffinity(0, {cpu})
		    cpu ^= 1
		    end = time.time() + 0.02
		    while time.time() < end:
		        pass
	END
	python3 hop.py 3>&- &
	hopping=$!
	until_true eval '[ "$(awk "{ print \$14 }" /proc/$hopping/stat)" -gt 0 ]'
}

@test "-p PID -C CPU: the time on other CPUs is not taken for multiplexing" {
	hop
	"$PERF" stat -x, -o both -p $hopping -e task-clock --timeout 1000 3>&- &
	"$PERF" stat -x, -o one -p $hopping -C 0 -e task-clock,cs --timeout 1000
	wait $!
	cat both one
	# field 5 is the share of its time that an event had a counter
	awk -F, '$3 == "task-clock" || $3 == "cs" { n++; if ($5 != "100.00") bad = 1 } END { exit bad || n != 2 }' one
	# about half: what was extrapolated to all of the time would be nearly as much as on both
	awk -F, '$3 != "task-clock" { next } FNR == NR { all = $1; next } { here = $1 }
		 END { exit !(here > 0 && here < 0.85 * all) }' both one
}

@test "-A and --per-core with -p PID -C CPUS: a row for each of them" {
	hop
	"$PERF" stat -x, -o rows -A -p $hopping -C 0,1 -e task-clock --timeout 300
	grep -q '^CPU0,' rows
	grep -q '^CPU1,' rows
	"$PERF" stat -x, -o rows --per-core -p $hopping -C 0 -e task-clock --timeout 100
	[ "$(grep -c task-clock rows)" -eq 1 ]
	# no CPUs are named
	run "$PERF" stat -A -p $hopping -e task-clock
	[ "$status" -eq 129 ]
}

@test "-o - is standard output" {
	"$PERF" stat -o - -x, -e cs true >out 2>err
	grep -q ',cs,' out
	[ ! -s err ]
	[ ! -e ./- ]
	run ! sh -c '"$PERF" stat -o - -e cs true >/dev/full'
}

@test "a program that cannot be run: 127, 126; a wrong value: 129; nothing is printed before" {
	run -127 "$PERF" stat nosuchprogram
	[ "$status" -eq 127 ]
	[[ "$output" == "error: cannot run 'nosuchprogram': "* ]]
	echo text >plain
	run "$PERF" stat ./plain
	[ "$status" -eq 126 ]
	[[ "$output" == "error: cannot run './plain': "* ]]
	for program in 127:nosuchprogram 126:./plain; do
		run -${program%%:*} "$PERF" stat -o rows -e cs "${program#*:}"
		[ ! -e rows ]
		echo kept >kept
		run -${program%%:*} "$PERF" stat -o kept -e cs "${program#*:}"
		[ "$(cat kept)" = kept ]
	done
	"$PERF" stat -x, -o rows -e cs --pre "ln -s $(type -P true) made" ./made
	grep -q ,cs, rows
	for wrong in '-C x' '--control x' '--control fd:x' '-C 1-0' '-a --per-cache=x' '-I x' '--delay x'; do
		run "$PERF" stat $wrong true
		[ "$status" -eq 129 ]
		[[ "${lines[0]}" == "error: "* ]]
	done
}

@test "on a terminal no row ends in spaces; elsewhere rows are as wide as 6.1's" {
	cat >terminal.py <<-'END'
		import os, pty, sys
		pid, fd = pty.fork()
		if not pid:
		    os.execvp(sys.argv[1], sys.argv[1:])
		text = b''
		while True:
		    try:
		        piece = os.read(fd, 4096)
		    except OSError:
		        break
		    if not piece:
		        break
		    text += piece
		sys.stdout.buffer.write(text.replace(b'\r', b''))
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	python3 terminal.py "$PERF" stat -e task-clock,cs,r1 true >shown
	grep -q ' cs' shown
	run ! grep ' $' shown
	"$PERF" stat -e task-clock,cs,r1 true 2>plain
	grep -q ' $' plain
}

@test "--metric-only without a metric, and rows that no hardware counts, are explained in a line each" {
	run "$PERF" stat --metric-only -e cs true
	[[ "$output" == *"warning: --metric-only: the events counted have no metric"* ]]
	[[ "$output" == *"hint: add -M METRIC"* ]]
	run "$PERF" stat --metric-only -x, -e cs true
	[[ "$output" != *"warning: "* ]]
	run "$PERF" stat -e cs true
	[[ "$output" != *"warning: "* ]]
	run "$PERF" stat -e cycles,instructions,cs true
	if [[ "$output" == *"<not supported>      cycles"* ]] &&
	   [[ "$output" == *"<not supported>      instructions"* ]]; then
		[ "$(grep -c 'warning: <not supported>: ' <<<"$output")" -eq 1 ]
	else
		[[ "$output" != *"warning: <not supported>"* ]]
	fi
}

@test "--per-thread --metric-only" {
	sleep 60 3>&- &
	until_true comm_is $! sleep # it is a copy of the shell at first
	run "$PERF" stat --per-thread --metric-only -e cs -p $! --timeout 50
	[ "$status" -eq 0 ]
	[[ "$output" == *"sleep-$!"* ]]
}

@test "--table: a mark for each 5 % that a run is off the mean, as in 6.1" {
	"$PERF" stat -r 4 --table -e cs sh -c 'echo x >>n; [ $(wc -l <n) -ne 4 ] || sleep 0.3' 2>out
	sed -n '/Table of/,/Final/p' out
	awk '/Table of/ { on = 1; next } /Final/ { exit } !on || NF < 2 { next }
	     { run = $1; off = $2; gsub(/[()+]/, "", off); off += 0; if (off < 0) off = -off
	       n = 1 + int(100 * off / run / 5); if (n > 40) n = 40; marks = NF > 2 ? length($3) : 0
	       rows++; if (marks < n - 1 || marks > n + 1) bad = 1 }
	     END { exit bad || rows != 4 }' out
}

@test "list --raw-dump metric: only what can be measured here" {
	"$PERF" list metric >all
	awk '/^  [^ ]/ { name = $1; named[name] = 1 } /not available/ { lacking[name] = 1 }
	     END { for (n in named) if (!(n in lacking)) print n }' all | sort -u >want
	"$PERF" list --raw-dump metric | tr ' ' '\n' | sed '/^$/d' | sort -u >got
	diff want got
}

@test "a PMU of the whole package: alone it implies -a, for a task it is refused" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir -p devices/power/format devices/power/events
	for d in /sys/bus/event_source/devices/*; do
		[ "${d##*/}" = power ] || ln -s "$(readlink -f "$d")" devices/
	done
	# what it counts is cpu-clock, which every kernel has
	echo 1 >devices/power/type
	cut -d- -f1 /sys/devices/system/cpu/online | cut -d, -f1 >devices/power/cpumask
	echo config:0-7 >devices/power/format/event
	echo event=0x00 >devices/power/events/energy-psys
	echo Joules >devices/power/events/energy-psys.unit
	echo 1e-9 >devices/power/events/energy-psys.scale
	on_package() {
		unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices && exec "$@"' sh \
			"$PERF" stat "$@"
	}

	for options in "" "-a" "-r 2"; do
		on_package $options -e power/energy-psys/ true 2>out
		cat out
		grep -q "stats for 'system wide'" out
		grep -q '^ *[0-9.,]* Joules power/energy-psys/' out
	done
	# beside an event of a task, of several tasks, or of one that runs already
	for options in "-e power/energy-psys/,cpu-clock true" "-e {power/energy-psys/,cpu-clock} true" \
		"-e power/energy-psys/ -p $$"; do
		run on_package $options
		[ "$status" -eq 1 ]
		[[ "$output" == *"'power/energy-psys/' counts what runs on a whole package, not a task"* ]]
		[[ "$output" == *"hint: with -a "* ]]
	done
}

@test "--control with -x and -j: no notes between the rows" {
	mkfifo ctl ack
	exec 7<>ctl 8<>ack
	for form in -x, -j; do
		"$PERF" stat $form -D -1 -a -e cs --control fifo:ctl,ack sleep 60 2>out 3>&- &
		pid=$!
		for command in enable disable stop; do
			echo $command >&7
			read -r -t 60 -u 8 answer
		done
		wait $pid
		cat out
		run ! grep -E 'note:|enabled|disabled' out
		grep -q 'cs' out
	done
}

@test "-D takes units and ranges; what is outside of them is not counted" {
	"$PERF" test -w noploop 30 3>&- &
	load=$!
	until_true comm_is $load perf-noploop
	"$PERF" stat -x, -o all -p $load -e cpu-clock,task-clock -D 0.2s --timeout 300
	awk -F, '$3 == "task-clock" { got = $1 } END { exit !(got > 0) }' all
	# on for 200 ms of three seconds
	"$PERF" stat -x, -o part -p $load -D 100-200,700-800 -e task-clock sleep 3
	# never on
	"$PERF" stat -x, -o none -p $load -D 100s-200s -e task-clock sleep 0.1
	kill $load
	wait $load || :
	cat part none
	awk -F, '$3 == "task-clock" { n++; ms = $1 } END { exit n != 1 || ms <= 0 || ms > 2000 }' part
	grep -q '<not counted>,msec,task-clock,' none
	for wrong in 5-3 10-20,15-30 x 10-x , 1-2,3; do
		run "$PERF" stat -D $wrong -e cs true
		[ "$status" -eq 129 ]
		[[ "${lines[0]}" == "error: "*"does not say when to count" ]] || { echo "$wrong: $output"; return 1; }
	done
}

@test "-u counts the command if it runs as the user, and warns otherwise" {
	"$PERF" stat -x, -o rows -u "$(id -u)" --per-thread -e page-faults sh -c 'echo $$ >pid; exec ls'
	grep -E "^[^,]*-$(cat pid),[1-9][0-9]*,,page-faults," rows
	run "$PERF" stat -r 2 -u "$(id -u)" -e task-clock true
	[ "$status" -eq 0 ]
	[[ "$output" != *"another user"* ]]
	other=$(ps -eo uid= | sort -u | grep -vx " *$(id -u)" | head -1 | tr -d ' ')
	[ -n "$other" ] || skip "everything runs as one user"
	run "$PERF" stat -u "$other" -e task-clock true
	[[ "$output" == *"the command runs as another user than '$other', so it is not counted"* ]]
}

@test "-u: the processes of a user" {
	"$PERF" test -w noploop 30 3>&- &
	load=$!
	until_true comm_is $load perf-noploop
	for user in "$(id -un)" "$(id -u)"; do
		"$PERF" stat -x, -o rows -u "$user" --per-thread -e task-clock --timeout 200
		grep -qE "^perf-noploop-$load,[0-9.]+,msec,task-clock," rows
	done
	run "$PERF" stat -u "$(id -u)" -e cs --timeout 10
	[[ "$output" == *"stats for user '$(id -u)':"* ]]
	kill $load
	wait $load || :
	run "$PERF" stat -u nosuchuser -e cs true
	[ "$status" -ne 0 ]
	[[ "$output" == "error: "*"nosuchuser"* ]]
	run "$PERF" stat -A -u "$(id -u)" -e cs true
	[ "$status" -eq 129 ]
}

@test "events of the kernel that ':u' leaves out: 0, and why" {
	run -0 "$PERF" stat -e context-switches:u,context-switches true
	[[ "$output" == *"warning: 'context-switches:u' counts nothing: it happens in the kernel, which ':u' leaves out"* ]]
	[ "$(grep -c 'counts nothing' <<<"$output")" -eq 1 ]
}
