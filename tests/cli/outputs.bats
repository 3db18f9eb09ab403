#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Named outputs: devices, FIFOs, links and full disks; what failures and signals leave.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	"$PERF" record -q -e cpu-clock:u -g -o data "$PERF" test -w noploop 1 || true
	"$PERF" record -q -e sched:sched_switch -o switches sleep .1 || true
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	data=$BATS_FILE_TMPDIR/data
	# the names may not be those of other tests' files
	export PERF_BUILDID_DIR=$PWD/cache
}

teardown() {
	cd /
	! mountpoint -q "$BATS_TEST_TMPDIR/full" || umount "$BATS_TEST_TMPDIR/full"
}

# The commands that write FILE at the end as a whole; recordings are read from $data.
whole() { # FILE
	case $2 in
	flames) "$PERF" report -i "$data" --flamegraph "$1" ;;
	timechart) "$PERF" timechart -i "${data%data}switches" -o "$1" ;;
	json) "$PERF" data convert --force -i "$data" --to-json "$1" ;;
	list) "$PERF" list -o "$1" sw ;;
	profile) "$PERF" --self-profile "$1" evlist -i "$data" ;;
	junit) "$PERF" test -j "$1" "$junit" ;;
	esac
}

commands=(flames timechart json list profile junit)

# The name of one quick check.
pick_check() {
	junit=$("$PERF" test list 2>/dev/null | sed -n 's/^ *[0-9]*: //p' | head -1)
}

@test "a device that -o names is neither renamed nor removed" {
	mknod null c 1 3
	mkfifo fifo
	for option in --threads --switch-output=1s --timestamp-filename; do
		for name in null fifo; do
			run "$PERF" record -q -e cpu-clock $option -o $name true
			[ "$status" -ne 0 ] || { echo "record $option -o $name"; return 1; }
			[[ "$output" == *"$name' is not a file"*"hint: name a file with -o"* ]] || { echo "$output"; return 1; }
		done
	done
	"$PERF" record -q -e cpu-clock -o null true
	"$PERF" trace -o null true
	"$PERF" stat -o null true
	pick_check
	for c in "${commands[@]}"; do
		whole null $c >said 2>&1 || { echo "$c"; cat said; return 1; }
	done
	[ -c null ] && [ -p fifo ]
	[ "$(find . -maxdepth 1 -name 'null*' -o -maxdepth 1 -name 'fifo*' | sort | tr '\n' ' ')" = "./fifo ./null " ]
}

@test "record follows a symbolic link, and never renames or replaces one" {
	"$PERF" record -q -e cpu-clock -o first true
	ln -s first link
	cp first copy
	"$PERF" record -q -e cpu-clock -o link true
	[ -L link ] && [ -f first ]
	cmp first.old copy
	"$PERF" record -q --threads -e cpu-clock -o link true
	[ -L link ] && [ -d first ] && [ -f first.old ]
	"$PERF" record -q --timestamp-filename -e cpu-clock -o link true
	[ -L link ] && [ -d first.old ]
	[ "$(find . -maxdepth 1 -type f -name 'first.2*' | wc -l)" -eq 1 ]
	# a dangling one is written through
	ln -s new dangling
	"$PERF" record -q -e cpu-clock -o dangling true
	[ -L dangling ] && [ -f new ]
	# with --threads it is refused
	ln -s other none
	run "$PERF" record -q --threads -e cpu-clock -o none true
	[ "$status" -ne 0 ] && [ -L none ] && [ ! -e other ]
}

@test "FILE.old that is a link or a device stays, and the recording is refused" {
	echo precious >mine
	"$PERF" record -q -e cpu-clock -o d true
	cp d copy
	ln -s mine d.old
	for option in '' --threads; do
		run "$PERF" record -q $option -e cpu-clock -o d true
		[ "$status" -eq 1 ]
		[[ "$output" == *"'d.old' is a symbolic link, which perf does not replace"* ]]
	done
	run "$PERF" inject -i copy -o d
	[ "$status" -eq 1 ]
	run "$PERF" trace -o d true
	[ "$status" -ne 0 ]
	cmp d copy
	[ -L d.old ] && [ "$(cat mine)" = precious ]
	rm d.old && mknod d.old c 1 3
	run "$PERF" record -q -e cpu-clock -o d true
	[ "$status" -eq 1 ] && [ -c d.old ]
	cmp d copy
}

@test "two recorders never share a directory" {
	"$PERF" record -q --threads -e cpu-clock -o d sleep 1000 3>&- &
	recorder=$!
	for _ in $(seq 400); do [ -s d/data.0 ] && break; sleep .05; done
	for option in '' --threads; do
		run "$PERF" record -q $option -e cpu-clock -o d true
		[ "$status" -eq 1 ]
		[[ "$output" == *"another process records into 'd'"*"another name with -o"* ]]
	done
	kill -TERM $recorder
	wait $recorder || true
	[ ! -e d.old ]
	"$PERF" report -i d --stats | grep -q 'TOTAL events'
	"$PERF" record -q --threads -e cpu-clock -o d true
	[ -d d.old ]
	# whichever comes first, the one that is refused has changed nothing
	for i in 1 2 3; do
		"$PERF" record -q --threads -e cpu-clock -o both$i sleep .3 2>said1 3>&- & one=$!
		"$PERF" record -q --threads -e cpu-clock -o both$i sleep .3 2>said2 3>&- & two=$!
		a=0 b=0
		wait $one || a=$?
		wait $two || b=$?
		[ $((a && b)) -eq 0 ]
		"$PERF" report -i both$i --stats | grep -q 'TOTAL events'
		[ ! -s said1 ] || grep -q 'another process records' said1
		[ ! -s said2 ] || grep -q 'another process records' said2
	done
}

@test "what cannot start leaves the file of -o alone" {
	echo precious >f
	echo older >f.old
	printf '#!/no/such/interpreter\n' >bad && chmod +x bad
	for c in "trace -o f nosuchprogram" "trace -o f ./bad" "trace -o f -e nosuchcall true" "stat -o f nosuchprogram" \
		"stat -o f ./bad" "stat -o f -e nosuchevent true" "list -o f nosuchevent" "lock report -o f -i nosuchfile" \
		"timechart -o f -i nosuchfile" "report --flamegraph f -i nosuchfile" "--debug-file f nosuchcommand" \
		"record -o f nosuchprogram" "data convert --force --to-json f -i nosuchfile" "script -i nosuchfile --per-event-dump"; do
		"$PERF" $c >said 2>&1 && { echo "$c"; return 1; }
		[ "$(cat f)" = precious ] && [ "$(cat f.old)" = older ] || { echo "$c"; cat said; return 1; }
	done
	[ "$(ls | tr '\n' ' ')" = "bad f f.old said " ]
}

@test "a recording that fails while it begins leaves FILE and FILE.old" {
	echo precious >f && echo older >f.old
	printf '#!/no/such/interpreter\n' >bad && chmod +x bad
	mkdir full && mount -t tmpfs -o size=64k none full || skip "cannot mount"
	cp f f.old full/
	head -c 64k /dev/zero >full/filler 2>/dev/null || true
	for c in "record" "record --threads" "record -z" "record --aio" "stat record"; do
		for what in "./bad" "nosuchprogram" "-e nosuchevent true" "-p 99999999" "-e cpu-clock/period=x/ true"; do
			"$PERF" $c -o f $what >said 2>&1 && { echo "$c $what"; return 1; }
			[ "$(cat f)" = precious ] && [ "$(cat f.old)" = older ] || { echo "$c $what"; cat said; return 1; }
		done
		run "$PERF" $c -e cpu-clock -o full/f true
		[ "$status" -ne 0 ] && [[ "$output" == *"No space left on device"* ]] || { echo "$c: $output"; return 1; }
		[ "$(cat full/f)" = precious ] && [ "$(cat full/f.old)" = older ] || { echo "$c: $output"; return 1; }
	done
	[ "$(ls -A full | tr '\n' ' ')" = "f f.old filler " ]
	umount full && rmdir full
	[ -z "$(ls -A | grep perf-new)" ]
	# and so do directories
	rm f f.old
	"$PERF" record -q --threads -e cpu-clock -o f true
	"$PERF" record -q --threads -e cpu-clock -o f true
	cp -a f first && cp -a f.old second
	for c in "record" "record --threads" "stat record"; do
		for what in "./bad" "-p 99999999"; do
			"$PERF" $c -o f $what >said 2>&1 && { echo "$c $what"; return 1; }
			diff -r f first && diff -r f.old second
		done
	done
	[ -z "$(ls -A | grep perf-new)" ]
}

@test "a recording that goes to a device is not read again for build-ids" {
	mkfifo pipe
	cat pipe >got 3>&- &
	reader=$!
	exec 4>pipe
	for to in /dev/null /dev/fd/4 pipe; do
		"$PERF" record -o $to -e cpu-clock:u -- true >said 2>&1 || true
		run ! grep 'build-ids' said
	done
	exec 4>&-
	wait $reader
}

@test "a recording that cannot be renamed is an error before the command runs" {
	echo precious >f
	mount --bind f f || skip "cannot mount"
	"$PERF" record -q --threads -e cpu-clock -o d true
	"$PERF" record -q --threads -e cpu-clock -o d true
	cp -a d.old second
	mount --bind d d
	done=
	for older in "" older; do
		for c in "record" "record --threads" "record -z" "stat record"; do
			for to in f d; do
				[ -z "$older" ] || echo older >f.old
				# shellcheck disable=SC2086
				"$PERF" $c -e cpu-clock -o $to touch ran >said 2>&1 && { echo "$c $to"; break 3; }
				grep -q "cannot rename '$to' to '$to.old': Device or resource busy" said || { cat said; break 3; }
				[ ! -e ran ] && [ "$(cat f)" = precious ] || { echo "$c $to"; break 3; }
				if [ -n "$older" ]; then
					[ "$(cat f.old)" = older ] && diff -r d.old second || break 3
				fi
			done
		done
		[ -z "$older" ] || done=1
	done
	umount f d
	[ -n "$done" ]
	[ -z "$(ls -A | grep perf-new)" ]
}

@test "KILL while a recording begins leaves FILE and FILE.old, or has replaced both" {
	for option in '' --threads; do
		rm -rf f f.old
		"$PERF" record -q -e cpu-clock $option -o f true
		cp -a f second
		"$PERF" record -q -e cpu-clock $option -o f true
		cp -a f first
		for i in $(seq 15); do
			"$PERF" record -q -e cpu-clock $option -o f sleep 5 3>&- &
			pid=$!
			sleep .0$((10 + i * 4))
			child=$(pgrep -P $pid || true)
			kill -KILL $pid
			[ -z "$child" ] || kill -KILL $child || true
			wait $pid || true
			if diff -r f first; then
				diff -r f.old second
			else
				diff -r f.old first
				rm -rf f f.old
				cp -a first f
				cp -a second f.old
			fi >diffs
		done
		"$PERF" record -q -e cpu-clock $option -o f true
		diff -r f.old first
		[ -z "$(ls -A | grep perf-new)" ]
		rm -rf first second
	done
}

@test "trace and stat write a file while the command runs" {
	"$PERF" stat -o s sleep 1000 3>&- &
	pid=$!
	for _ in $(seq 400); do grep -q 'started on' s 2>/dev/null && break; sleep .05; done
	grep -q 'started on' s
	kill -TERM $pid
	wait $pid || true
	grep -q 'Performance counter stats' s
	echo before >t
	"$PERF" trace -o t true
	[ "$(cat t.old)" = before ] && grep -q exit_group t
	"$PERF" stat -o t --append true
	grep -q exit_group t && grep -q 'started on' t
	# the descriptor of a log is written on, and the link in /dev stays
	echo before >log
	"$PERF" trace -o /dev/stdout true >>log
	[ "$(head -1 log)" = before ] && grep -q exit_group log
	[ -L /dev/stdout ] && [ ! -e /dev/stdout.old ] && [ ! -e log.old ]
}

@test "a whole output keeps mode, links and the file itself until it is complete" {
	pick_check
	mkdir dir
	for c in "${commands[@]}"; do
		rm -rf f g l dir/f
		(umask 027 && whole f $c >said 2>&1) || { echo "$c"; cat said; return 1; }
		[ -s f ] && [ "$(stat -c %a f)" = 640 ] || { echo "$c: $(stat -c %a f)"; return 1; }
		echo old >dir/f && chmod 604 dir/f && chown 4:5 dir/f && ln -s dir/f l && ln dir/f g
		whole l $c >said 2>&1
		[ -L l ] && [ "$(stat -c '%a %u %g' dir/f)" = "604 4 5" ] || { echo "$c"; return 1; }
		! cmp -s dir/f g && [ "$(cat g)" = old ] || { echo "$c"; return 1; }
		[ "$(ls -A dir)" = f ]
	done
}

@test "a file that is mounted is overwritten where it is" {
	unshare -m true 2>/dev/null || skip "cannot make a mount namespace"
	echo 'much longer than what is written' >real
	echo under >name
	unshare -m sh -c 'mount --bind real name && "$1" list -o name sw' sh "$PERF"
	[ "$(cat name)" = under ]
	"$PERF" list sw >expected
	cmp real expected
	[ "$(ls -A | grep -c perf-new)" -eq 0 ]
}

@test "a full disk is reported, and neither cuts nor destroys a file" {
	mkdir full && mount -t tmpfs -o size=64k none full || skip "cannot mount"
	pick_check
	echo precious >full/f
	dd if=/dev/zero of=full/filler bs=1k count=60 status=none
	dd if=/dev/zero of=full/filler2 bs=1k count=60 status=none 2>/dev/null || true
	for c in flames timechart json list profile; do
		run whole full/f $c
		[ "$status" -ne 0 ] || { echo "$c: status $status"; return 1; }
		[[ "$output" == *"cannot write 'full/f': No space left on device"* ]] || { echo "$c: $output"; return 1; }
		[ "$(cat full/f)" = precious ] || { echo "$c"; return 1; }
		run whole full/new $c
		[ "$status" -ne 0 ] && [[ "$output" == *"cannot write 'full/new'"* ]] && [ ! -e full/new ] || { echo "$c: $output"; return 1; }
	done
	[ "$(ls -A full | tr '\n' ' ')" = "f filler filler2 " ]
	cp "$data" d
	(cd full && ln -s ../d d && run "$PERF" script -i d --per-event-dump && [ "$status" -ne 0 ] &&
		[[ "$output" == *"No space left on device"* ]] && [ -z "$(ls d.*.dump 2>/dev/null)" ])
}

@test "archive leaves nothing of an archive that it could not finish" {
	"$PERF" record -q -e cpu-clock --buildid-all -o d true
	# the recording fits, and the archive does not
	mkdir full && mount -t tmpfs -o size=$(($(stat -c %s d) / 1024 + 32))k none full || skip "cannot mount"
	cp d full/d
	(cd full && echo precious >d.tar.bz2 && run "$PERF" archive d && [ "$status" -ne 0 ] && [ "$(cat d.tar.bz2)" = precious ] &&
		[ "$(ls -A | tr '\n' ' ')" = "d d.tar.bz2 " ])
	before=$(ls -d /tmp/perf-archive-* 2>/dev/null || true)
	(cd full && run "$PERF" archive --all d && [ "$status" -ne 0 ] && [ "$(ls -A | tr '\n' ' ')" = "d d.tar.bz2 " ])
	[ "$(ls -d /tmp/perf-archive-* 2>/dev/null || true)" = "$before" ]
}

@test "a signal or KILL in the middle leaves the old file and no other" {
	echo precious >f
	mkfifo slow
	for sig in HUP TERM KILL; do
		for c in "inject -i - -o f" "inject --jit --aslr -i - -o f" "data convert --force -i - --to-json f"; do
			"$PERF" $c <slow >/dev/null 2>&1 3>&- &
			pid=$!
			exec 4>slow
			head -c 2000 "$data" >&4
			sleep .2
			kill -$sig $pid
			wait $pid || true
			exec 4>&-
			[ "$(cat f)" = precious ] || { echo "$c $sig"; return 1; }
			[ "$(ls -A | tr '\n' ' ')" = "f slow " ] || { echo "$c $sig: $(ls -A)"; return 1; }
		done
	done
}

@test "script -g takes a file whose name says the language" {
	mkdir sub
	run "$PERF" script -i "$data" -g sub/mine.py
	[ "$status" -eq 0 ]
	[[ "$output" == *"generated Python script: sub/mine.py"* ]]
	[ ! -e perf-script.py ]
	"$PERF" script -i "$data" -s sub/mine.py >/dev/null
	"$PERF" script -i "$data" -g mine.pl
	grep -q '^sub ' mine.pl
	run -129 "$PERF" script -i "$data" -g mine.rb
	[[ "$output" == *"'mine.rb' is not a language"* ]]
}

@test "script -g leaves a script alone that may have been edited" {
	: >perf-script.py # as mktemp leaves it
	"$PERF" script -i "$data" -g python
	cp perf-script.py first
	[ -s first ]
	"$PERF" script -i "$data" -g python
	cmp perf-script.py first
	echo '# mine' >>perf-script.py
	cp perf-script.py edited
	run "$PERF" script -i "$data" -g python
	[ "$status" -ne 0 ]
	[[ "$output" == *"'perf-script.py' exists and may have been edited"*"hint: rename or remove it"* ]]
	cmp perf-script.py edited
	rm perf-script.py && ln -s nowhere perf-script.py
	run "$PERF" script -i "$data" -g python
	[ "$status" -ne 0 ] && [ -L perf-script.py ] && [ ! -e nowhere ]
}

@test "daemon start refuses a base with a user's control, output or lock" {
	printf '[daemon]\nbase = %s\n' "$PWD/base" >conf
	start() { run "$PERF" daemon --config conf start; }
	for name in control output lock; do
		rm -rf base && mkdir base && echo precious >base/$name
		start
		[ "$status" -ne 0 ]
		[[ "$output" == *"base/$name' is not a daemon's"*"hint: give the daemon a directory of its own"* ]] || { echo "$output"; return 1; }
		[ "$(ls base)" = $name ] && [ "$(cat base/$name)" = precious ]
		rm -rf base && mkdir base && echo precious >mine && ln -s ../mine base/$name
		start
		[ "$status" -ne 0 ] && [ "$(cat mine)" = precious ] && [ -L base/$name ]
	done
	rm -rf base && mkdir base
	for _ in 1 2; do
		start
		[ "$status" -eq 0 ]
		"$PERF" daemon --config conf stop
		for _ in $(seq 200); do [ -S base/control ] || break; sleep .05; done
	done
}

@test "a signal ends the wait for the reader of a FIFO" {
	mkfifo f
	for command in 'trace -o f true' 'stat -o f -e cpu-clock true' 'list -o f' 'stat -o f --append -e cpu-clock true'; do
		# shellcheck disable=SC2086
		run timeout -k 20 2 "$PERF" $command
		echo "$command: $status"
		[ "$status" -eq 124 ] # 137 when only KILL ended it
	done
	# and what comes while a reader is there arrives
	cat f >got &
	"$PERF" stat -o f -e cpu-clock true
	wait $!
	grep -q cpu-clock got
	[ -p f ]
}
