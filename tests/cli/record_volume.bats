#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: compression, several files, rings that are overwritten; read back with perf 6.1.
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
}

teardown() {
	touch stop # for a child's child
	end_jobs
}

need_oracle() {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

need_zstd() {
	"$PERF" check -q feature zstd || skip "built without zstd"
}

told() {
	sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$1"
}

busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'

larger() { # FILE SIZE
	[ "$(stat -c %s "$1")" -gt "$2" ]
}

dumped() { # N: so many files are told in err
	[ "$(grep -c '^\[ perf record: Dump d\.[0-9]\{16\} \]$' err)" -ge "$1" ]
}

@test "-z: smaller, equal for 6.1 and for us, with its feature" {
	need_oracle
	need_zstd
	"$PERF" record -z -g -c 20000 -e cpu-clock -o d -- sh -c "$busy" 2>err
	n=$(told err)
	[ "$n" -gt 100 ]
	grep -qE 'compressed \(original [0-9.]+ MB, ratio is [0-9.]+\) \]$' err
	awk '{ gsub(/\)/, ""); exit !($(NF - 1) > 2) }' <(grep compressed err)
	for reader in "$ORACLE" "$PERF"; do
		[ "$("$reader" report -i d --stats 2>/dev/null |
			awk '$1 == "SAMPLE" && $2 == "events:" { n = $3 } END { print n }')" -eq "$n" ]
		"$reader" report --header-only -i d | grep -q '^# compressed : Zstd, level = 1, ratio = [0-9]*$'
	done
	diff <("$ORACLE" script -i d -F comm,pid,time,ip 2>/dev/null) \
		<("$PERF" script -i d -F comm,pid,time,ip 2>/dev/null)
	# build-ids were found in it
	"$ORACLE" buildid-list -i d | grep -q dash
}

@test "-z LEVEL, and in a stream; without -z there is no feature" {
	need_oracle
	need_zstd
	"$PERF" record -z19 -e cpu-clock -o d -- sh -c "$busy" 2>err
	"$ORACLE" report --header-only -i d | grep -q 'Zstd, level = 19'
	[ "$("$ORACLE" script -i d -F comm 2>/dev/null | grep -c .)" -eq "$(told err)" ]
	"$PERF" record -z -e cpu-clock -o - -- sh -c "$busy" 2>err >stream
	for reader in "$ORACLE" "$PERF"; do
		[ "$("$reader" script -i - -F comm <stream 2>/dev/null | grep -c .)" -eq "$(told err)" ]
	done
	"$PERF" record -q -e cpu-clock -o d true
	run ! grep -q '^# compressed :' <("$ORACLE" report --header-only -i d)
	run "$PERF" record -z=99 true
	[ "$status" -eq 129 ]
}

@test "a recorder with -z that is killed leaves what it had written" {
	need_zstd
	"$PERF" record -z -q -e cpu-clock -c 100000 -m 4 -o d -- sh -c 'while [ ! -e stop ]; do :; done' 3>&- &
	pid=$!
	until_true larger d 20000
	kill -9 $pid
	wait $pid || :
	touch stop
	[ "$("$PERF" script -i d -F comm 2>/dev/null | grep -c sh)" -gt 20 ]
}

@test "--switch-output=SIZE: whole files by time, the last ones kept" {
	need_oracle
	"$PERF" record -e cpu-clock -c 50000 -m 8 -o d --switch-output=100K --switch-max-files 2 \
		-- sh -c 'sh -c "while [ ! -e stop ]; do :; done"' 2>err 3>&- &
	pid=$!
	until_true dumped 3
	kill -INT $pid # while the child runs: each file can tell of it
	wait $pid || :
	touch stop
	[ "$(ls d.* | wc -l)" -eq 2 ]
	[ ! -e d ]
	grep -qE 'Captured and wrote .* d\.[0-9]{16} ' err
	for f in d.*; do
		# the child was there before the file was: its name and maps are known
		"$ORACLE" script -i "$f" -F comm,ip,dso 2>/dev/null >out
		# the last one may have just been begun
		[ "$f" != "$(ls d.* | head -n 1)" ] || grep -q 'sh .*dash' out
		run ! grep -q '^ *:[0-9]' out
		run ! grep -q '\[unknown\]' out
	done
}

@test "a new file of a command tells of its children, and of nobody else" {
	sleep 1000 3>&- & other=$!
	sleep 0.1 # the kernel tells when a process began in ticks of 10 ms
	cat >tree.sh <<-'END'
	sh -c 'echo $$ >child; while :; do :; done' &
	trap 'kill $!; exit' TERM
	while [ ! -e end ]; do :; done
	kill $!
	END
	"$PERF" record -q -e cpu-clock:u --switch-output -o d sh tree.sh 3>&- & rec=$!
	until_true test -s child
	until_true holds d 20
	kill -USR2 $rec
	until_true eval '[ "$(ls d.* 2>/dev/null | wc -l)" -ge 1 ]'
	until_true holds_pid d "$(cat child)"
	: >end
	wait $rec
	kill $other
	[ "$(ls d.* | wc -l)" -eq 2 ]
	"$PERF" script --show-mmap-events --show-task-events -i "$(ls d.* | tail -n 1)" >told
	grep -q "MMAP2 $(cat child)/$(cat child): .*dash" told
	! grep -q "MMAP2 $other/" told || false
	# the child's samples lie in what it has mapped
	"$PERF" report --stdio -s pid,dso -i "$(ls d.* | tail -n 1)" | grep -qE " $(cat child):sh +dash"
}

@test "--switch-output: SIGUSR2 begins a new file; --timestamp-filename alone names one" {
	"$PERF" record -e cpu-clock -o d -a --switch-output 2>err 3>&- &
	pid=$!
	until_true "$PERF" evlist -i d
	kill -USR2 $pid
	until_true grep -q Dump err
	until_true test -s d
	kill -INT $pid
	wait $pid || :
	[ "$(ls d.* | wc -l)" -eq 2 ]
	for f in d.*; do "$PERF" evlist -i "$f" | grep -q cpu-clock; done
	"$PERF" record -q -e cpu-clock -o e --timestamp-filename true
	ls e.????????????????
	[ ! -e e ]
	run "$PERF" record --switch-output=7x true
	[ "$status" -eq 129 ]
	run "$PERF" record --switch-max-files 3 true
	[ "$status" -eq 129 ]
}

@test "--overwrite keeps the newest samples, as many as the ring holds" {
	need_oracle
	"$PERF" record -k mono -e cpu-clock -c 100000 -m 4 --overwrite -o d -- \
		sh -c "$busy; $busy; $busy; $busy
			python3 -c 'import time; print(time.monotonic())' >mark; $busy" 2>err
	n=$(told err)
	# a sample has 40 bytes, a ring 16384
	[ "$n" -gt 100 ]
	[ "$n" -le $((410 * $(getconf _NPROCESSORS_ONLN))) ]
	[ "$("$ORACLE" script -i d -F time 2>/dev/null | grep -c .)" -eq "$n" ]
	"$ORACLE" evlist -v -i d | grep -q 'write_backward: 1'
	# newest: those of the last loop are there
	"$PERF" script -i d -F time 2>/dev/null | tr -d ': ' | awk -v mark="$(cat mark)" '
		$1 > mark { n++ } END { print n, mark; exit !(n > 50) }'
}

@test "--mmap-flush lets rings fill; everything is there at the end" {
	need_oracle
	# few enough, however slow it runs
	"$PERF" record -e cpu-clock -c 1000000 -m 64 --mmap-flush 64K -o d -- sh -c "$busy" 2>err
	[ "$(told err)" -gt 10 ]
	[ "$("$ORACLE" script -i d -F comm 2>/dev/null | grep -c .)" -eq "$(told err)" ]
	! "$PERF" report -i d --stats 2>/dev/null | grep -q FINISHED_ROUND
}

@test "--mmap-flush leaves alone a ring that holds less" {
	[ -e /sys/kernel/tracing/events/syscalls ] || skip "tracefs is not mounted"
	mkfifo go ctl ack
	perl -e 'while (sysread(STDIN, $c, 1)) { getppid() for 1 .. 100; open F, ">done" }' <go 3>&- & pid=$!
	exec 7>go 8<>ctl 9<>ack
	# it answers between two looks at its rings
	answers() { printf 'ping\n' >&8; timeout 60 head -c 5 <&9 >/dev/null; }
	calls() { "$PERF" script -i d -F comm 2>/dev/null | grep -c perl || :; }
	# of 100 samples each has from 40 to 100 bytes
	for bytes in 1M 1; do
		rm -f d
		"$PERF" record -q -e syscalls:sys_enter_getppid -p $pid -m 1M --mmap-flush $bytes -o d \
			--control fifo:ctl,ack 3>&- 7>&- 8>&- 9>&- & recorder=$!
		answers
		printf x >&7
		until_true test -e done
		rm done
		answers
		answers
		n=$(calls)
		kill -INT $recorder
		wait $recorder || :
		[ "$n" -eq "$([ $bytes = 1M ] && echo 0 || echo 100)" ]
		[ "$(calls)" -eq 100 ]
	done
	kill $pid
	exec 7>&- 8>&- 9>&-
}

@test "--synth and --tail-synthesize choose what is told, and when" {
	need_oracle
	# of what was there before (time 0), not of what starts meanwhile
	types() {
		"$ORACLE" report -D -i "$1" 2>/dev/null | grep -E '^[0-9-]+ 0 0x' |
			grep -oE 'PERF_RECORD_[A-Z0-9_]+' | sort | uniq -c
	}
	"$PERF" record -q -a -e cpu-clock -o all -- true
	"$PERF" record -q -a -e cpu-clock --synth=no -o none -- true
	"$PERF" record -q -a -e cpu-clock --synth=task -o task -- true
	comms() { types "$1" | awk '/COMM/ { n = $1 } END { print n + 0 }'; }
	maps() { types "$1" | awk '/MMAP2/ { n = $1 } END { print n + 0 }'; }
	[ "$(comms all)" -gt "$(comms none)" ]
	[ "$(comms task)" -gt "$(comms none)" ]
	[ "$(maps all)" -gt 10 ] && [ "$(maps task)" -eq 0 ]
	# what was there before is told at the end
	sh -c 'while :; do :; done' 3>&- &
	pid=$!
	until_true comm_is $pid sh
	"$PERF" record -q -a -e cpu-clock --tail-synthesize -o tail -- \
		sh -c "$busy; while [ ! -e seen ]; do sleep 0.05; done" 3>&- &
	recorder=$!
	until_true holds_pid tail $pid
	: >seen
	wait $recorder
	kill $pid
	"$PERF" script -i tail -F comm,pid,dso,ip 2>/dev/null | grep " $pid " >samples
	grep -q '^ *sh .*dash' samples
	run ! grep -qv '^ *sh ' samples
	"$ORACLE" script -i tail -F comm,dso,ip 2>/dev/null | grep -q 'sh .*dash'
	# behind what was recorded
	at() { "$PERF" script -D -i tail 2>/dev/null | sed -n "s/.* \(0x[0-9a-f]*\) \[0x[0-9a-f]*\]: PERF_RECORD_$1.*/\1/p" | head -n 1; }
	[ "$(($(at "COMM: sh:$pid\/")))" -gt "$(($(at SAMPLE)))" ]
	run "$PERF" record --synth=nothing true
	[ "$status" -eq 129 ]
}

@test "--timestamp-boundary also without build-ids" {
	need_oracle
	"$PERF" record -q -B -e cpu-clock -o d -- sh -c "$busy"
	run ! grep -q 'time of first sample : [0-9.]*[1-9]' <("$ORACLE" report --header-only -i d)
	"$PERF" record -q -B --timestamp-boundary -e cpu-clock -o d -- sh -c "$busy"
	"$ORACLE" report --header-only -i d | grep -q 'time of first sample : [0-9.]*[1-9]'
}

@test "--switch-output=SIZE is kept when samples come faster than files are begun, and names with it" {
	# 8 KB with each sample: the ring holds more than a file, and fills up while the next one begins.
	# The program is the first there is to record: later, the ring may have no room for its name.
	for how in '' --threads --aio; do
		rm -rf d d.*
		named=0
		"$PERF" record -q -e cpu-clock:u -c 50000 -m 16M --call-graph dwarf,8192 $how -o d --switch-output=1M \
			--switch-max-files 4 -- sh -c "\"$PERF\" test -w noploop 0.5; exit 0" 2>/dev/null
		for f in d.*; do
			bytes=$(du -sb "$f" | cut -f 1)
			# an eighth above, and what says of which programs the samples are
			[ "$bytes" -lt 1800000 ] || { echo "$how: $f has $bytes bytes"; return 1; }
			# also in files that begin when the program has ended
			"$PERF" script -i "$f" -F comm,ip,sym -G >rows 2>/dev/null
			all=$(grep -cE '^ *perf(-noploop)? ' rows) || continue
			named=$((named + $(grep -c ' noploop$' rows || :)))
			unknown=$(grep -c '\[unknown\]' rows) || :
			# the last file may have nothing but the two or three samples of the program's end
			[ "$all" -lt 20 ] || [ $((unknown * 2)) -lt "$all" ] || { echo "$how: of $all samples of $f $unknown have no name"; return 1; }
		done
		[ "$named" -gt 100 ] || { echo "$how: $named samples have the name of their function"; return 1; }
	done
}
