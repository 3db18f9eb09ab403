#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf top by ordinary users, at each perf_event_paranoid, and in and of other namespaces.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	gcc -shared -fPIC -o "$FILES/shim.so" "$BATS_TEST_DIRNAME/paranoid-shim.c" -ldl
	cat >"$FILES/spin.c" <<-'END'
	static volatile unsigned long n;
	__attribute__((noinline)) void spinning_function(void) { for (int i = 0; i < 100000; i++) n += i; }
	int main(void) { for (;;) spinning_function(); }
	END
	gcc -O0 -o "$FILES/spin" "$FILES/spin.c"
	cp "$PERF" "$FILES/perf"
	chmod -R a+rX "$BATS_RUN_TMPDIR" "$FILES"
}

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_TEST_TMPDIR"
	chmod 777 .
}

teardown() {
	end_jobs
}

# as_user LEVEL OPTION...: perf top by the user nobody, for whom perf_event_paranoid is LEVEL.
as_user() {
	local level=$1
	shift
	echo "$level" >level
	PARANOID=$level LD_PRELOAD=$FILES/shim.so unshare -m sh -c '
		mount --bind level /proc/sys/kernel/perf_event_paranoid
		exec setpriv --reuid nobody --regid nogroup --clear-groups "$@"' - \
		"$FILES/perf" top --stdio -d 0.5 --iterations 1 "$@"
}

# The function is in the table, and much of what was sampled: the user may have other processes.
spins() {
	awk '$NF == "spinning_function" { share = $1 + 0 } END { exit !(share > 10) }' "$1"
}

@test "an ordinary user at each perf_event_paranoid: own processes, others', all of them" {
	id nobody >/dev/null 2>&1 || skip "no user nobody"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	setpriv --reuid nobody --regid nogroup --clear-groups "$FILES/spin" 3>&- &
	pid=$!
	until_true comm_is $pid spin
	machine=$(cat /proc/sys/kernel/perf_event_paranoid)
	for level in 0 1 2 3; do
		# what the machine itself forbids cannot be allowed here
		[ "$level" -ge "$machine" ] || continue
		echo "level $level"
		for target in "-p $pid" "-t $pid" "-u nobody"; do
			code=0
			# shellcheck disable=SC2086 # two words
			as_user $level -e cpu-clock $target -s sym >out 2>err || code=$?
			cat err
			if [ $level -gt 2 ]; then
				[ $code -eq 1 ]
				grep -q "perf_event_paranoid is 3" err
				grep -q "hint: " err
				continue
			fi
			[ $code -eq 0 ]
			spins out
			if [ $level -eq 2 ]; then
				grep -q "perf_event_paranoid is 2: only user space is measured" err
				grep -q 'Hz cpu-clock:u\]' out
			else
				run ! grep -q "only user space" err
				grep -q 'Hz cpu-clock\]' out
			fi
		done
		# another user's process, whatever the level is
		code=0
		as_user $level -e cpu-clock:u -p 1 >out 2>err || code=$?
		[ $code -eq 1 ]
		[ -s err ]
		[ ! -s out ]
		# why nothing is watched is the last word, after what would have been measured otherwise
		run as_user $level -p 1
		echo "$output"
		[ "$status" -eq 1 ]
		[ "$(tail -n 2 <<<"$output")" = "error: no permission to measure process 1 of another user
hint: run as root" ]
		code=0
		as_user $level -e cpu-clock:u >out 2>err || code=$?
		cat err
		if [ $level -eq 0 ]; then
			[ $code -eq 0 ]
			grep -q 'PerfTop:' out
		else
			[ $code -eq 1 ]
			grep -q "perf_event_paranoid is $level" err
			grep -q "measuring every process of a CPU needs 0" err
			grep -q "hint: measure processes of your own with -p PID, or as root: sysctl" err
		fi
	done
}

@test "a program whose file was replaced: only root can read the one that it runs, others are told what to do" {
	cp "$FILES/spin" mine
	setpriv --reuid nobody --regid nogroup --clear-groups ./mine 3>&- &
	pid=$!
	until_true comm_is $pid mine
	cp /bin/true other
	mv other mine
	"$PERF" top --stdio -e cpu-clock:u -p $pid -d 0.5 --iterations 1 -s sym >out 2>err
	spins out
	run ! grep -q replaced err
	expect() {
		cat out err
		run ! grep -q spinning_function out
		grep -q "^warning: '$PWD/mine' has been deleted or replaced since the process mapped it, so its functions have no names" err
		grep -q "^hint: start the program again, or run perf as root, which can still read the file" err
		run ! grep -e build-id -e 'perf archive' err
	}
	as_user 2 -e cpu-clock:u -p $pid -s sym >out 2>err
	expect
	# replaced after the mapping was noticed
	kill $pid
	cp "$FILES/spin" mine
	mkfifo go
	setpriv --reuid nobody --regid nogroup --clear-groups sh -c 'read -r _ <go; exec ./mine' 3>&- &
	pid=$!
	as_user 2 -e cpu-clock:u -p $pid -d 2 -s sym >out 2>err 3>&- &
	top=$!
	until_true pgrep -P $top -x perf || until_true comm_is $top perf
	sleep 0.3
	echo >go
	until_true comm_is $pid mine
	cp /bin/true other
	mv other mine
	wait $top
	expect
}

@test "an ordinary user who asks for a real-time priority is told who may have one" {
	run as_user 2 -r 10 -e cpu-clock:u -u nobody
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: cannot run with real-time priority 10: Operation not permitted"*"hint: run perf as root, or have root raise the limit"* ]]
}

# spin_inside: the program as a container has it: on a file system that nobody else sees, as process 1
# or 2 of its own.  Its number out here comes into $pid.
spin_inside() {
	local options=$1 link

	# shellcheck disable=SC2086 # several
	unshare $options --pid --mount --net --fork --kill-child --mount-proc sh -c '
		mount -t tmpfs none /mnt && cp "$1/spin" /mnt/inner && exec /mnt/inner' - "$FILES" 3>&- &
	until_true pgrep -P $! -x inner
	pid=$(pgrep -P $! -x inner)
	link=$(readlink "/proc/$pid/exe")
	[ "$link" = /mnt/inner ] && [ ! -e /mnt/inner ]
}

@test "functions of programs in other mount and process namespaces have their names" {
	unshare --pid --mount --net --fork --mount-proc true 2>/dev/null || skip "no namespaces here"
	spin_inside ""
	"$PERF" top --stdio -e cpu-clock:u -p "$pid" -d 0.5 --iterations 4 -s dso,sym >out
	cat out
	spins out
	grep -q ' inner  *\[\.\] spinning_function' out
	# found among all that run, too
	"$PERF" top --stdio -e cpu-clock:u -d 0.5 --iterations 4 -s comm,dso,sym --comms inner >out
	grep -q ' inner  *\[\.\] spinning_function' out
	kill -9 "$pid"
}

@test "the same with a namespace of users of their own" {
	unshare --map-root-user --pid --mount --net --fork --mount-proc true 2>/dev/null || skip "no namespaces of users here"
	spin_inside --map-root-user
	"$PERF" top --stdio -e cpu-clock:u -p "$pid" -d 0.5 --iterations 4 -s dso,sym >out
	grep -q ' inner  *\[\.\] spinning_function' out
	kill -9 "$pid"
}

@test "inside of a container perf top watches what runs there" {
	unshare --pid --mount --net --fork --mount-proc true 2>/dev/null || skip "no namespaces here"
	unshare --pid --mount --net --fork --mount-proc sh -c '
		mount -t tmpfs none /mnt && cp "$1/spin" /mnt/inner
		/mnt/inner & pid=$!
		"$2" top --stdio -e cpu-clock:u -p $pid -d 0.5 --iterations 1 -s pid,dso,sym
		kill $pid' - "$FILES" "$PERF" >out 2>err
	cat out err
	# by its number in there
	grep -qE '% +[0-9]:inner +inner +\[\.\] spinning_function' out
}
