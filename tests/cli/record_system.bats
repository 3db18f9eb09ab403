#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a recording of the whole system leaves out (the recorder) and tells (BPF programs).
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export HOME=$PWD
}

# Somebody else is awake: an idle machine makes neither switches nor system calls.
stir() {
	while :; do sleep 0.02; done 3>&- &
	stirrer=$!
}

teardown() {
	end_jobs
	[ -z "${groups-}" ] || rmdir $groups 2>/dev/null || :
}

# record_self OPTIONS: how many samples of FILE d are of the recorder's process
record_self() {
	local pid

	"$PERF" record -v -B -N -o d "$@" 2>err 3>&- &
	pid=$!
	wait $pid
	"$PERF" script -i d -F pid,event >samples
	grep -c "^ *$pid " samples || true
}

@test "perf itself is not recorded, unless asked" {
	stir
	# each time that it waits is a switch
	for how in '-a' '-a -z' '-a --threads' '-a --aio' '-C 0-1' '-u root'; do
		rm -rf d
		[ "$(record_self $how -e context-switches -c 1 --timeout 300)" -eq 0 ]
		[ -s samples ]
		grep -qE '\([0-9]+ samples\), [1-9][0-9]* samples of perf itself left out' err
		[ "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' err)" -eq "$(wc -l <samples)" ]
	done
	[ "$(record_self -a --no-exclude-perf -e context-switches -c 1 --timeout 300)" -gt 0 ]
	run ! grep -q 'left out' err
	[ ! -x "$ORACLE" ] || [ -n "$("$ORACLE" script -i d 2>/dev/null)" ]
}

@test "what tracepoints tell of others stays; --exclude-perf leaves perf out of all" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	stir
	both='-a -e sched:sched_switch -e context-switches -c 1 --timeout 300'
	record_self $both >count
	[ "$(cat count)" -gt 0 ]
	grep -q context-switches samples
	grep -q sched_switch samples
	[ "$(record_self $both --exclude-perf)" -eq 0 ]
	grep -q context-switches samples
	grep -q sched_switch samples
	# a system call tells of who makes it; each write of what was recorded would be one more
	[ "$(record_self -a -e raw_syscalls:sys_enter --timeout 300)" -eq 0 ]
	grep -q sys_enter samples
	[ "$(record_self -a --no-exclude-perf -e raw_syscalls:sys_enter --timeout 300)" -gt 0 ]
}

# load_program NAME FILE [plain]: a program with a BTF of its own (plain: without), in pid; FILE appears
load_program() {
	cat >program.c <<-'END'
	#include <fcntl.h>
	#include <linux/bpf.h>
	#include <linux/btf.h>
	#include <stdint.h>
	#include <string.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	static struct {
		struct btf_header h;
		struct btf_type integer;
		uint32_t bits;
		struct btf_type proto, func;
		char names[16];
	} __attribute__((packed)) types = {
		{ BTF_MAGIC, 1, 0, sizeof(struct btf_header), 0, 40, 40, 16 },
		{ 1, BTF_KIND_INT << 24, { 4 } }, BTF_INT_SIGNED << 24 | 32,
		{ 0, BTF_KIND_FUNC_PROTO << 24, { 1 } }, { 5, BTF_KIND_FUNC << 24, { 2 } }, "\0int\0named_one",
	};
	int main(int argc, char **argv) {
		struct bpf_insn code[] = { { .code = 0xb7 }, { .code = 0x95 } };
		struct bpf_func_info info = { 0, 3 };
		union bpf_attr a;
		memset(&a, 0, sizeof(a));
		a.btf = (uintptr_t)&types;
		a.btf_size = sizeof(types);
		int btf = argc > 3 ? 0 : syscall(SYS_bpf, BPF_BTF_LOAD, &a, sizeof(a));
		if (btf < 0) return 2;
		memset(&a, 0, sizeof(a));
		a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
		a.insn_cnt = 2;
		a.insns = (uintptr_t)code;
		a.license = (uintptr_t)"GPL";
		if (btf) {
			a.prog_btf_fd = btf;
			a.func_info = (uintptr_t)&info;
			a.func_info_cnt = 1;
			a.func_info_rec_size = sizeof(info);
		}
		strcpy(a.prog_name, argv[1]);
		if (syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a)) < 0) return 1;
		close(open(argv[2], O_CREAT | O_WRONLY, 0600));
		pause();
	}
	END
	[ -x program ] || gcc -o program program.c
	./program "$@" & pid=$!
	until_true test -e "$2"
}

# FILE FEATURE: its section in hexadecimal
section() {
	python3 - "$@" <<-'END'
	import struct, sys
	f, bit = open(sys.argv[1], "rb").read(), int(sys.argv[2])
	begin, size = struct.unpack_from("<QQ", f, 40)
	bits, = struct.unpack_from("<Q", f, 72)
	if bits >> bit & 1:
	    at, n = struct.unpack_from("<QQ", f, begin + size + 16 * bin(bits & ((1 << bit) - 1)).count("1"))
	    print(f[at:at + n].hex())
	END
}

@test "BPF programs that were loaded before are told, as 6.1 tells them" {
	load_program quiet ready plain
	"$PERF" record -q -a -e cpu-clock -o d true
	"$PERF" record -q -a --no-bpf-event -e cpu-clock -o no true
	[ ! -x "$ORACLE" ] || "$ORACLE" record -a -e cpu-clock -o o true 2>/dev/null >&2
	kill $pid
	told() { "$PERF" script -i "$1" --show-bpf-events 2>/dev/null | grep -E 'KSYMBOL|BPF_EVENT' | sed 's/.*PERF_RECORD/PERF_RECORD/'; }
	told d | grep -q 'KSYMBOL addr .* name bpf_prog_[0-9a-f]*_quiet$'
	told d | grep -q 'BPF_EVENT type 1, flags 0, id [0-9]*$'
	[ -z "$(told no)" ]
	# programs of others come and go between two recordings
	[ ! -x "$ORACLE" ] || diff <(told d | grep -A 1 '_quiet$') <(told o | grep -A 1 '_quiet$')
}

@test "functions of BPF programs have the names of their types, in records and in the header" {
	load_program quiet ready
	"$PERF" record -q -a -e cpu-clock -o d true
	kill $pid
	"$PERF" script -i d --show-bpf-events | grep -q 'KSYMBOL addr .* name bpf_prog_[0-9a-f]*_named_one$'
	line='^# bpf_prog_info [0-9]*: bpf_prog_[0-9a-f]{16}_named_one addr 0x[0-9a-f]* size [1-9][0-9]*$'
	"$PERF" report --header-only -I -i d | grep -qE "$line"
	"$PERF" report --header-only -I -i d | grep -q '^# btf info of id [1-9]'
	# of one's own program: others may have any form
	[ ! -x "$ORACLE" ] || diff <("$PERF" report --header-only -I -i d | grep '^#.*_named_one') \
		<("$ORACLE" report --header-only -I -i d | grep '^#.*_named_one')
}

hex() {
	printf %s "$1" | od -An -tx1 | tr -d ' \n'
}

@test "code and types of BPF programs are in the file, those loaded meanwhile too" {
	load_program early ready
	first=$pid
	"$PERF" record -q -a -e cpu-clock -o d -- sh -c "./program late later & p=\$!
		while [ ! -e later ]; do sleep 0.05; done; echo \$p >second; exec >/dev/null"
	"$PERF" record -q -a -e cpu-clock -o - true | "$PERF" inject -i - -o s
	"$PERF" record -q -a --no-bpf-event -e cpu-clock -o no true
	[ ! -x "$ORACLE" ] || "$ORACLE" record -a -e cpu-clock -o o true 2>/dev/null >&2
	kill $first "$(cat second)"
	for name in early late; do
		section d 25 | grep -q "$(hex $name)"
	done
	[ -z "$(section no 25)$(section no 26)" ]
	section d 26 | grep -q "$(hex named_one)"
	section s 25 | grep -q "$(hex early)"
	if [ -x "$ORACLE" ]; then
		# the same types, and the programs of this test with their places
		section o 26 | grep -q "$(hex named_one)"
		seen() { "$ORACLE" report --header-only -I -i "$1" 2>/dev/null | grep -E 'bpf_prog_info.*_(named_one|early|late) '; }
		diff <(seen d) <(seen o)
		seen d | grep -q '_named_one addr 0x[0-9a-f]* size [1-9]\|_late addr 0x[0-9a-f]* size [1-9]'
	fi
}

@test "commands in front of record take all CPUs unless tasks are named" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	all() { # has the file events of all CPUs?
		"$PERF" report --header-only -i d | grep -q '^# cmdline : .* record -a '
	}
	stir
	for how in "sched record" "kmem record" "kwork record" "timechart record"; do
		for who in "-p $$" -t=$$ "-u root --per-thread" --per-thread; do
			"$PERF" $how -o d ${who/=/ } -- sleep 0.1 2>err
			run ! grep -e ' -a ' err
			run ! all
		done
		"$PERF" $how -o d -- sleep 0.1 2>err
		all
		"$PERF" $how -a -o d -p $$ -- sleep 0.1 2>err
		grep -qx 'warning: -a is ignored with -p, -t or -u' err
	done
	"$PERF" script record sched-migration --pid=$stirrer -o d 2>err 3>&- &
	pid=$!
	until_true has_rings $pid
	kill -INT $pid
	wait $pid || :
	run ! grep -e '-a ' err
}

@test "-u: tasks of that user alone" {
	setpriv --reuid=65534 --clear-groups sh -c 'while :; do :; done' 3>&- & one=$!
	sh -c 'while :; do :; done' 3>&- & other=$!
	until_true comm_is $one sh
	"$PERF" record -q -B -e cpu-clock -u 65534 -o d 3>&- & rec=$!
	until_true holds_pid d $one
	until_true holds d 100
	kill -INT $rec
	wait $rec || true
	kill $one $other
	"$PERF" script -i d -F pid | tr -d ' ' | sort -u >pids
	grep -qx $one pids
	run ! grep -qx "$other" pids
	run "$PERF" record -u nobody-of-that-name -e cpu-clock -o d
	[ "$status" -ne 0 ]
	[[ "$output" == *nobody-of-that-name* ]]
}

# A program with a name of its own that burns the CPU for a moment.
later() {
	cp "$(type -P bash)" "$BATS_TEST_TMPDIR/$1"
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/$1"
}

@test "-u records what the user starts later, and the command if it runs as the user" {
	setpriv --reuid=65534 --clear-groups true 2>/dev/null || skip "no setpriv"
	run "$PERF" record -v -B -u 65534 -e cpu-clock -o d true
	[[ "$output" != *"none that start later"* ]] || skip "BPF cannot filter samples here"
	later of_nobody
	later of_root
	burn='for ((i = 0; i < 100000; i++)); do :; done'
	cat >both <<-X
		(cd /; setpriv --reuid=65534 --clear-groups $PWD/of_nobody -c '$burn'; $PWD/of_root -c '$burn')
	X
	[ "$(setpriv --reuid=65534 --clear-groups "$PWD/of_nobody" -c 'echo yes')" = yes ] || skip "the directory is private"
	run "$PERF" record -B -u 65534 -e cpu-clock -F 1000 -o d sh both
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: the command runs as another user than '65534', so no samples are taken of it"* ]]
	"$PERF" script -i d -F comm >comms
	grep -q of_nobody comms
	run ! grep -q of_root comms
	run "$PERF" record -B -u "$(id -un)" -e cpu-clock -F 1000 -o d sh both
	[[ "$output" != *"another user"* ]]
	"$PERF" script -i d -F comm >comms
	grep -q of_root comms
	run ! grep -q of_nobody comms
}

@test "-u without a filter: today's processes with a note, and the command if it runs as the user" {
	[ -e /sys/kernel/tracing/events/sched/sched_process_exec ] || skip "tracefs is not mounted"
	later of_root
	run "$PERF" record -v -B -u "$(id -un)" -e sched:sched_process_exec -o d ./of_root -c :
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: -u records the processes that '$(id -un)' has now, and none that start later"* ]]
	"$PERF" script -i d -F comm >comms
	grep -q of_root comms
}

@test "-u without a filter: the reason names the option, also if the user has no process" {
	uid=$((60000 + $$ % 5000))
	[ -z "$(ps -o pid= -U $uid)" ] || skip "user $uid has processes"
	for what in "--off-cpu=switches: --off-cpu does not filter waits by user" "--per-thread: --per-thread follows named tasks" \
		"--latency: --latency follows tasks"; do
		run -0 "$PERF" record -v -e cpu-clock -u root "${what%%: *}" -o d true
		[[ "$output" == *"none that start later: ${what#*: }"* ]] || { echo "$what: $output"; return 1; }
		run -1 "$PERF" record -e cpu-clock -u "$uid" "${what%%: *}" -o none true
		[[ "$output" == "error: user '$uid' has no process now, and -u leaves out those that start later: ${what#*: }"* ]] ||
			{ echo "$what: $output"; return 1; }
	done
	[ ! -e none ]
}

@test "-p with -C: only that process, only there" {
	cpus=$(getconf _NPROCESSORS_ONLN)
	sh -c 'while :; do :; done' 3>&- & one=$!
	sh -c 'while :; do :; done' 3>&- & other=$!
	taskset -p -c 0 $one >/dev/null
	taskset -p -c 0 $other >/dev/null
	"$PERF" record -q -B -e cpu-clock -p $one -C 0 -o d 3>&- & rec=$!
	until_true holds d 5
	kill -INT $rec
	wait $rec || true
	# on another CPU it is not there to be seen
	[ "$cpus" -lt 2 ] || "$PERF" record -q -B -e cpu-clock -p $one -C 1 --timeout 200 -o none
	kill $one $other
	[ "$("$PERF" script -i d -F pid,cpu | sort -u | xargs)" = "$one [000]" ]
	[ "$cpus" -lt 2 ] || [ -z "$("$PERF" script -i none -F pid)" ]
}

@test "-C: samples of that CPU only, with the names of what started on another one" {
	taskset -c 0 true && taskset -c 1 true || skip "needs CPUs 0 and 1"
	cp "$(readlink -f /bin/sh)" wanderer
	"$PERF" record -q -B -N -e cpu-clock -C 0 -o d 3>&- & rec=$!
	until_true has_rings $rec
	until_true holds d 0
	# shellcheck disable=SC2016
	taskset -c 1 ./wanderer -c 'taskset -p -c 0 $$ >/dev/null; while :; do :; done' 3>&- & one=$!
	on_cpu_0() { "$PERF" script -i d -F pid,cpu 2>/dev/null | grep -q "^ *$one "; }
	until_true on_cpu_0
	kill $one
	kill -INT $rec
	wait $rec || true
	[ "$("$PERF" script -i d -F cpu | sort -u | xargs)" = '[000]' ]
	"$PERF" script -i d -F comm,pid,ip,dso | grep " $one " -A 1 >theirs
	grep -q "^ *wanderer  *$one " theirs
	grep -qF "/wanderer)" theirs
	run ! grep -qE '^ *:[0-9]' theirs
	# the target is still that CPU
	"$PERF" report -D -i d | grep -q 'PERF_RECORD_CPU_MAP: 0$'
}

@test "a CPU that goes offline is said, with the time" {
	last=$(($(getconf _NPROCESSORS_ONLN) - 1))
	[ $last -gt 0 ] || skip "needs two CPUs"
	online=/sys/devices/system/cpu/online
	cp $online list
	# what the recorder sees of it; the CPU goes on
	unshare -m mount --bind list $online 2>/dev/null || skip "no mount namespaces here"
	away() { # OPTION...
		rm -f d
		cp $online list
		# shellcheck disable=SC2016
		unshare -m sh -c 'mount --bind list /sys/devices/system/cpu/online; exec "$@"' - \
			"$PERF" record -B -e cpu-clock -o d "$@" 2>err 3>&- & rec=$!
		until_true has_rings $rec
		until_true test -s d
		[ "$1" != -a ] || until_true holds d 0 # it has looked once
		sleep 0.5
		echo 0 >list
		sleep 2.5
		kill -INT $rec
		wait $rec || true
	}
	away -a
	[ "$(grep -c 'went offline' err)" -eq $last ]
	grep -qE "^warning: CPU $last went offline about [1-9][0-9]*\.[0-9] s after the start: nothing is recorded on it" err
	# events of a task go where it goes
	sleep 60 3>&- & one=$!
	away -p $one
	kill $one
	run ! grep -q 'went offline' err
}

@test "a CPU that goes offline and returns is recorded again, with the ids of its events" {
	last=$(($(getconf _NPROCESSORS_ONLN) - 1))
	[ $last -gt 0 ] || skip "needs two CPUs"
	online=/sys/devices/system/cpu/online
	cp $online list
	cp $online all
	unshare -m mount --bind list $online 2>/dev/null || skip "no mount namespaces here"
	opened() { # so many of the events of the last CPU
		[ "$(grep -c "on CPU $last: opened" err)" -eq "$1" ]
	}
	taskset -c $last true 2>/dev/null || skip "CPU $last is not for this process"
	for how in "" --threads=cpu --switch-output=1h; do
		rm -rf d d.*
		cp all list
		# shellcheck disable=SC2016,SC2086
		unshare -m sh -c 'mount --bind list /sys/devices/system/cpu/online; exec "$@"' - \
			"$PERF" --trace=live record -a -B $how -e cpu-clock,page-faults -c 10000000 -o d 2>err 3>&- & rec=$!
		until_true grep -q "noticed when one goes offline" err
		before=$(grep -c "on CPU $last: opened" err)
		echo 0 >list
		until_true grep -q "CPU $last went offline" err
		cp all list
		# the events are opened once more each
		until_true opened $((2 * before))
		until_true grep -q "CPU $last is online again" err
		# work there after that, known by its name
		taskset -c $last bash -c 'printf again >/proc/self/comm; for ((i = 0; i < 300000; i++)); do :; done'
		kill -INT $rec
		wait $rec || true
		grep -qE "^warning: CPU $last went offline about [0-9]+\.[0-9] s after the start and is recorded again from [0-9]+\.[0-9] s on: what ran on it in between is missing" err
		[ "$(grep -c '^warning: .*went offline' err)" -eq $last ]
		file=$(ls -d d d.* 2>/dev/null | head -n 1)
		"$PERF" script -i "$file" -F comm,cpu,event >text 2>said
		awk -v cpu="[$(printf '%03d' $last)]" '$1 == "again" && $2 == cpu && $3 ~ /cpu-clock/' text | grep -q .
		"$PERF" report -i "$file" --stats >stats 2>&1
		run ! grep -qiE 'unknown id|no event' said stats
	done
}

@test "a process in namespaces of its own: its number out here, its programs by their files" {
	mkdir -p root/bin
	# in a chroot no mount can be made private
	unshare -m -p -f sh -c 'mount --bind root/bin /mnt' 2>/dev/null || skip "no mount namespaces here"
	cat >inside.c <<-'END'
	#include <unistd.h>
	__attribute__((noinline)) int only_inside(int n) { volatile int s = 0; while (n--) s += n; return s; }
	int main(void) { for (;;) only_inside(1000); }
	END
	gcc -g -O1 -static -o root/bin/inside inside.c
	unshare -m -p -f --kill-child sh -c 'mount --bind root/bin /mnt && exec /mnt/inside' 3>&- & outer=$!
	until_true pgrep -P $outer -x inside
	pid=$(pgrep -P $outer -x inside)
	[ ! -e /mnt/inside ]
	"$PERF" record -q -e cpu-clock:u -p "$pid" --namespaces -o d 3>&- & rec=$!
	until_true holds d 5
	kill -INT $rec
	wait $rec || true
	[ "$("$PERF" script -i d -F pid | tr -d ' ' | sort -u)" = "$pid" ]
	"$PERF" report --stdio -i d -s dso,sym >report
	kill -9 "$pid" # the first process of a namespace obeys no other signal
	wait $outer || true
	grep -q 'inside .*only_inside' report
	# a stream's build-ids find the copy in the cache, now that the file's path is gone
	"$PERF" inject -i d | "$PERF" script -i - -F ip,sym | grep -q only_inside
	"$PERF" buildid-list -i d | grep -q '/mnt/inside$'
}

@test "--for-each-cgroup: each event in each cgroup, and nothing else" {
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || mount=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] && mkdir "$mount/perf_each_a.$$" "$mount/perf_each_b.$$" || skip "no cgroup can be made here"
	groups="$mount/perf_each_a.$$ $mount/perf_each_b.$$"
	pids=
	for g in a b; do
		sh -c 'while :; do :; done' 3>&- & pids="$pids $!"
		echo $! >"$mount/perf_each_$g.$$/cgroup.procs"
	done
	"$PERF" record -q -B -a -e cpu-clock --for-each-cgroup "perf_each_a.$$,perf_each_b.$$" -o d 3>&- & rec=$!
	for pid in $pids; do until_true holds_pid d $pid; done
	kill -INT $rec
	wait $rec || true
	kill $pids
	wait $pids || true
	for g in a b; do until_true rmdir "$mount/perf_each_$g.$$"; done
	[ "$("$PERF" evlist -i d | grep -c cpu-clock)" -eq 2 ]
	[ "$("$PERF" script -i d -F pid | tr -d ' ' | sort -u | xargs)" = "$(echo $pids | tr ' ' '\n' | sort | xargs)" ]
}
