#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: what it writes, read back with Debian's perf.
bats_require_minimum_version 1.5.0
load pmu
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
}

teardown() {
	end_jobs
	[ -z "${paranoid-}" ] || echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
}

need_oracle() {
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
}

need_tracefs() {
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
}

# samples that the closing line of $1 tells
told() {
	sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$1"
}

# samples that the oracle counts in file $1
oracle_samples() {
	"$ORACLE" report -i "$1" --stats 2>/dev/null |
		awk '$1 == "SAMPLE" && $2 == "events:" { n = $3 } END { print n + 0 }'
}

busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'

@test "closing many tracepoints shows progress on a terminal" {
	[ -e /sys/kernel/tracing/events/syscalls ] || skip "no system calls in tracefs"
	timeout -k 5 120 python3 -c 'import os, pty, sys
status = pty.spawn(sys.argv[1:], stdin_read=lambda fd: b"")
sys.exit(os.waitstatus_to_exitcode(status))' strace -q -o closed -T -e trace=close,exit_group \
		"$PERF" record -e 'syscalls:sys_enter_[a-l]*' -o many.data true >typed 2>&1 || skip "no strace"
	# a kernel that closes them within a second gives no reason to say anything
	slow=$(awk -F'[<>]' '/^close/ { s += $(NF - 1) } END { print s > 2 }' closed)
	[ "$slow" -eq 0 ] || grep -qE 'closing events: [0-9]+ of [0-9]+' typed
}

@test "closing lines have perf's form and the exact sample count" {
	need_oracle
	"$PERF" record -e cpu-clock -o d -- sh -c "$busy" 2>err
	grep -qE '^\[ perf record: Woken up [1-9][0-9]* times to write data \]$' err
	grep -qE '^\[ perf record: Captured and wrote [0-9]+\.[0-9]{3} MB d \([0-9]+ samples\) \]$' err
	[ "$(told err)" -gt 10 ]
	[ "$(told err)" -eq "$(oracle_samples d)" ]
}

@test "a page fault per page: counts are the kernel's own" {
	need_oracle
	cat >touch.c <<-'X'
	#include <sys/mman.h>
	int main(void) {
		volatile char *p = mmap(0, 1000 * 4096, 3, 0x22, -1, 0);
		madvise((void *)p, 1000 * 4096, 15);
		for (int i = 0; i < 1000; i++) p[i * 4096] = 1;
	}
	X
	gcc -O1 -o touch touch.c
	"$PERF" record -e page-faults -c 1 -o d ./touch 2>err
	n=$("$ORACLE" script -i d -F comm,ip,sym 2>/dev/null | grep -c '^ *touch .* main *$')
	[ "$n" -ge 1000 ]
	[ "$n" -le 1010 ]
	[ "$(told err)" -eq "$(oracle_samples d)" ]
}

@test "all of the system: other processes are seen and named, by CPU" {
	need_oracle
	cp /bin/dash ./watched
	./watched -c 'while :; do :; done' 3>&- &
	pid=$!
	until_true comm_is $pid watched
	ls /proc | grep '^[0-9]' | sort >before
	"$PERF" record -q -e cpu-clock -a -o d -- sh -c 'while [ ! -e seen ]; do sleep 0.05; done' 3>&- &
	recorder=$!
	until_true holds_pid d $pid
	: >seen
	wait $recorder
	ls /proc | grep '^[0-9]' | sort >after
	kill $pid
	"$ORACLE" script -i d -F comm,pid,cpu 2>/dev/null >out
	grep -qE "^ *watched +$pid \[[0-9]+\]" out
	# nothing that was there all the time is without a name
	sed -nE 's/^ *:[0-9]+ +([0-9]+) .*/\1/p' out | sort -u >nameless
	[ -z "$(comm -12 before after | comm -12 - nameless)" ]
	"$PERF" record -q -e cpu-clock -C 0 -o d -- taskset -c 0 sh -c "$busy"
	[ "$("$ORACLE" script -i d -F cpu 2>/dev/null | sort -u | tr -d ' \n')" = "[000]" ]
}

@test "a running process: its maps and threads are known, the command only waits" {
	need_oracle
	sh -c 'while :; do :; done' 3>&- &
	pid=$!
	until_true comm_is $pid sh
	"$PERF" record -q -e cpu-clock -o d -p $pid -- sh -c 'while [ ! -e seen ]; do sleep 0.05; done' 3>&- &
	recorder=$!
	until_true holds d 100
	: >seen
	wait $recorder
	kill $pid
	"$ORACLE" script -i d -F comm,pid,ip,dso 2>/dev/null >out
	grep -q "sh *$pid .*dash" out
	! grep -v " $pid " out | grep -q . || return 1
}

@test "a process that ends ends the recording" {
	sleep 100 3>&- &
	task=$!
	"$PERF" record -q -e cpu-clock -o d -p $task 3>&- &
	until_true has_rings $!
	kill $task
	wait $!
}

@test "children and threads are followed; -i leaves them out" {
	need_oracle
	"$PERF" record -q -e cpu-clock -o d -- sh -c "sh -c '$busy' & $busy; wait"
	all=$("$ORACLE" script -i d -F pid 2>/dev/null | sort -u | wc -l)
	"$PERF" record -q -i -e cpu-clock -o d -- sh -c "sh -c '$busy' & $busy; wait"
	own=$("$ORACLE" script -i d -F pid 2>/dev/null | sort -u | wc -l)
	[ "$all" -eq 2 ]
	[ "$own" -eq 1 ]
}

@test "tracepoints by glob, with their fields; a filter; --exclude-perf" {
	need_oracle
	need_tracefs
	# a name that nobody else has
	name=true-$$
	cp /bin/true $name
	"$PERF" record -q -e 'sched:sched_process_*' -a -o d -- sh -c "./$name; ./$name"
	"$ORACLE" script -i d 2>/dev/null >out
	[ "$(grep -c "sched_process_exec: filename=./$name " out)" -eq 2 ]
	grep -q 'sched:sched_process_exit:' out
	"$PERF" record -q -e sched:sched_process_exec --filter "filename ~ \"*$name\"" -a -o d -- \
		sh -c "./$name; /bin/echo >/dev/null"
	[ "$("$ORACLE" script -i d 2>/dev/null | grep -c sched_process_exec)" -eq 1 ]
	"$PERF" record -q -e raw_syscalls:sys_enter --exclude-perf -a -o d -- sleep 0.1 3>&- &
	pid=$!
	wait $pid
	"$ORACLE" script -i d -F pid 2>/dev/null | tr -d ' ' >pids
	[ -s pids ]
	run ! grep -qx $pid pids
	run "$PERF" record -e sched:sched_process_exec --filter 'nofield == 1' -o d true
	[ "$status" -eq 129 ]
	[[ "$output" == *"nofield == 1"* ]]
}

@test "call chains: frame pointers, and stack dumps that the oracle unwinds" {
	need_oracle
	record_some 300 d -g -e cpu-clock -- "$PERF" test -w leafloop 1000
	"$ORACLE" script -i d -F ip,sym 2>/dev/null | tr '\n' ' ' | grep -qE 'leaf[[:space:]]+[0-9a-f]+ parent'
	record_some 40 d --call-graph dwarf,2048 -e cpu-clock -F 200 -- "$PERF" test -w leafloop 1000
	"$ORACLE" evlist -v -i d | grep -q 'sample_stack_user: 2048'
	[ "$("$ORACLE" report -i d -D 2>/dev/null | grep -c 'ustack: size 2048')" -gt 3 ]
}

@test "build-ids: of the objects with samples, those of the files; -B has none" {
	need_oracle
	"$PERF" record -q -e cpu-clock:u -o d -- sh -c "$busy"
	"$ORACLE" buildid-list -i d >list
	grep -q "$(readelf -n /bin/dash | sed -n 's/.*Build ID: //p') .*dash" list
	run ! grep -q 'libm' list
	# callers count: start_thread of libc calls the thread's work
	record_some 300 d -g -e cpu-clock:u -- "$PERF" test -w thloop 1000
	"$ORACLE" buildid-list -i d | grep -q '/libc.so'
	"$PERF" record -q -B -e cpu-clock -o d -- sh -c "$busy"
	! "$ORACLE" report --header-only -i d | grep -q 'BUILD_ID' ||
		"$ORACLE" report --header-only -i d | grep 'missing features' | grep -q BUILD_ID
	"$PERF" record -q --buildid-mmap -e cpu-clock -o d -- sh -c "$busy"
	"$ORACLE" script --show-mmap-events -i d 2>/dev/null |
		grep -q "$(readelf -n /bin/dash | sed -n 's/.*Build ID: //p')"
}

@test "build-ids: copies of the objects go into the cache; with -N none" {
	export HOME=$PWD
	cp /bin/dash own
	record_some 20 d -e cpu-clock:u -N -- ./own -c 'while :; do :; done'
	"$PERF" buildid-list -i d | grep -q '/own$'
	[ ! -e .debug ]
	record_some 20 d -e cpu-clock:u -- ./own -c 'while :; do :; done'
	id=$(readelf -n own | sed -n 's/.*Build ID: //p')
	cmp own ".debug/.build-id/${id:0:2}/${id:2}/elf"
}

@test "build-ids: a program in another mount namespace is found there" {
	[ "$(id -u)" -eq 0 ] || skip "mount namespaces need root"
	mkdir inside
	unshare -m true || skip "cannot make a mount namespace"
	unshare -m sh -c 'mount -t tmpfs none inside && cp "$0" inside/prog &&
		exec inside/prog test -w noploop 1000' "$PERF" 3>&- &
	pid=$!
	until_true comm_is $pid perf-noploop
	[ ! -e inside/prog ]
	record_some 5 d -e cpu-clock -p $pid
	kill $pid
	id=$(readelf -n "$PERF" | sed -n 's/.*Build ID: //p')
	"$PERF" buildid-list -i d | grep -x "$id $PWD/inside/prog"
	cmp "$PERF" "$HOME/.debug/.build-id/${id:0:2}/${id:2}/elf"
}

@test "the header has perf's facts" {
	need_oracle
	"$PERF" record -q -e cpu-clock -o d true
	"$ORACLE" report --header-only -I -i d >ours
	"$ORACLE" record -q -e cpu-clock -o t true
	"$ORACLE" report --header-only -I -i t >theirs
	for what in hostname 'os release' arch 'nrcpus online' 'nrcpus avail' cpudesc cpuid \
		'total memory' 'sibling sockets' 'memory nodes' 'CPU cache info'; do
		diff <(grep "$what" theirs) <(grep "$what" ours)
	done
	grep -q "cmdline : .*/perf record -q -e cpu-clock -o d true" ours
	grep -q 'time of first sample' ours
	grep -q 'event : name = cpu-clock' ours
}

@test "an old file is kept as .old, the new one is private" {
	"$PERF" record -q -e cpu-clock -o d true
	cp d first
	umask 022
	"$PERF" record -q -e cpu-clock -o d true
	cmp first d.old
	[ "$(stat -c %a d)" = 600 ]
}

@test "what cannot be opened leaves the old file alone" {
	echo old >d
	run -127 "$PERF" record -o d -e cpu-clock -- no-such-program-here
	[[ "$output" == *"error: cannot run 'no-such-program-here': No such file or directory"* ]]
	[[ "$output" == *"hint:"* ]]
	run "$PERF" record -o d -e no-such-event true
	[ "$status" -eq 129 ]
	[[ "$output" == *"no-such-event"* ]]
	run "$PERF" record -o d -e cpu-clock -p 999999999
	[ "$status" -eq 1 ]
	[[ "$output" == *"no process 999999999"* ]]
	run "$PERF" record -o d -e cpu-clock -b true
	[ "$status" -eq 1 ]
	[[ "$output" == *"branch"*"hint:"* ]]
	run "$PERF" record -o d -e cpu-clock -C 4000 true
	[ "$status" -eq 1 ]
	echo x >notexec
	run "$PERF" record -o d -e cpu-clock ./notexec
	[ "$status" -eq 126 ]
	[ "$(cat d)" = old ]
	[ ! -e d.old ]
}

@test "frequency: max, too high, strict" {
	limit=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	"$PERF" record -F max -e cpu-clock -o d true 2>err
	grep -q "$limit Hz" err
	"$PERF" record -F $((limit * 2)) -e cpu-clock -o d true 2>err
	grep -q "warning: $((limit * 2)) Hz .* $limit Hz" err
	run "$PERF" record --strict-freq -F $((limit * 2)) -e cpu-clock -o d true
	[ "$status" -eq 1 ]
	[[ "$output" == *"$limit Hz"* ]]
	run "$PERF" record -F 0 -o d true
	[ "$status" -eq 129 ]
	run "$PERF" record -F 99 -c 100 -o d true
	[ "$status" -eq 129 ]
}

@test "cycles where there is no such counter: cpu-clock, and it is said" {
	! has_pmu_of_cpus || skip "this machine has a hardware PMU"
	"$PERF" record -o d -- sh -c "$busy" 2>err
	grep -q "warning: 'cycles:P' is not supported on this machine, recording cpu-clock instead" err
	[ "$(told err)" -gt 10 ]
	run "$PERF" record -o d -e instructions true
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: 'instructions'"*"hint:"* ]]
}

@test "losses: counted, said with a remedy, and in the file" {
	need_oracle
	need_tracefs
	cat >calls.c <<-'X'
	#include <signal.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	/* meanwhile the recorder stands still; or with an argument, few calls and it does not */
	int main(int argc, char **argv) {
		if (argc == 1) kill(getppid(), SIGSTOP);
		for (int i = argc > 1 ? 20000 : 300000; i > 0; i--) syscall(SYS_getppid);
		if (argc == 1) kill(getppid(), SIGCONT);
	}
	X
	gcc -O1 -o calls calls.c
	"$PERF" record -m 1 -e raw_syscalls:sys_enter -o d ./calls 2>err
	lost=$(sed -n 's/^warning: \([0-9]*\) samples .*lost.*/\1/p' err)
	[ "$lost" -gt 0 ]
	grep -q '^hint: .*-m' err
	# samples and losses together are all calls
	all=$(($(told err) + lost))
	[ "$all" -ge 300000 ]
	[ "$all" -le 300200 ]
	[ "$("$ORACLE" report -i d --stats 2>/dev/null |
		awk '/LOST/ { n++ } END { print n + 0 }')" -ge 1 ]
	"$PERF" record -m 16M -e raw_syscalls:sys_enter -o d ./calls few 2>err
	! grep -q lost err || return 1
}

# the bytes of records in file $1
record_bytes() {
	od -An -t u8 -j 48 -N 8 "$1" | tr -d ' '
}

@test "--max-size and the size of --switch-output are kept at high rates, with -a, threads and copies of stacks" {
	for how in '--call-graph dwarf,8192' '-a -g' '-a -z' '-a --aio'; do
		"$PERF" record -q -e cpu-clock -c 20000 $how --max-size=1M -o d -- "$PERF" test -w thloop 20
		# a record has 64 KB at most; what is not a sample is written whatever the limit
		[ "$(record_bytes d)" -le 1200000 ] || { echo "$how: $(record_bytes d)"; return 1; }
		[ "$(record_bytes d)" -ge 900000 ] || { echo "$how: $(record_bytes d)"; return 1; }
	done
	# rings are emptied more often than when they are half full, in proportion to the size
	for size in 200K:25600 100M:65536 8K:4096; do
		rm -f d d.*
		"$PERF" record -q -B -e cpu-clock -m 4M --switch-output=${size%:*} -o d -- true 2>/dev/null
		f=$(ls d.* | head -n 1)
		"$PERF" evlist -v -i "$f" | grep -q "watermark: 1.*wakeup.*: ${size#*:}" || { "$PERF" evlist -v -i "$f"; return 1; }
	done
	# nothing is lost or there twice: the files together have what one has
	rm -f d d.*
	"$PERF" record -q -e faults -c 1 -m 16 --switch-output=100K -o d -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done' 2>/dev/null
	for f in d.*; do "$PERF" script -i $f -F time,ip 2>/dev/null; done | sort >all
	[ "$(ls d.* | wc -l)" -ge 3 ]
	[ -z "$(uniq -d all)" ]
}

@test "without times all records stay where they stand in the file" {
	"$PERF" record -q -e cpu-clock -c 1000000 --no-timestamp -o d -- sh -c '(true); (true) & (true); wait'
	"$PERF" report -D -i d | sed -n 's/^\(0x[0-9a-f]*\) .*PERF_RECORD_.*/\1/p' >at
	[ "$(wc -l <at)" -gt 20 ]
	"$PERF" report -D -i d | grep -q PERF_RECORD_EXIT
	while read -r at; do echo $((at)); done <at >numbers
	sort -n numbers | diff - numbers
}

@test "a tool event in front of others: what tasks and maps there are is recorded all the same" {
	for events in '{duration_time,cpu-clock}' duration_time,cpu-clock; do
		"$PERF" record -q -e "$events" -o d -- "$PERF" test -w noploop 1
		"$PERF" report --stdio -i d -s comm,dso,sym | grep -q ' perf-noploop  *perf  *\[\.\]'
	done
	"$PERF" record -q -e 'named{duration_time,cpu-clock,page-faults}' -o d true
	"$PERF" evlist -g -i d | grep -q '^named{cpu-clock.*,page-faults.*}$'
}

@test "-D, --timeout and --max-size" {
	need_oracle
	start=$(date +%s%N)
	"$PERF" record -q -e cpu-clock -a -o d --timeout 300
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$took" -ge 300 ]
	[ "$took" -lt 60000 ]
	"$PERF" record -e cpu-clock -D 1000s -o d -- sh -c "$busy" 2>err
	[ -z "$(told err)" ]
	[ "$(oracle_samples d)" -eq 0 ]
	"$PERF" record -e cpu-clock -F max -m 4 --max-size 64K -o d -- sh -c 'while :; do :; done' 2>err || :
	grep -q 'perf size limit reached (64 KB), stopping session' err
	[ "$(stat -c %s d)" -lt 300000 ]
	# each file of --switch-output begins with more than that already
	status=0
	timeout -k 5 60 "$PERF" record -q -B -a -e cpu-clock -c 20000 --switch-output=1M --switch-max-files=3 --max-size=4K \
		-o part -- true || status=$?
	[ "$status" -ne 124 ] && [ "$status" -ne 137 ] && [ -n "$(ls part*)" ] || { echo "status $status"; return 1; }
}

@test "a stream: the data on standard output, the command's text beside it" {
	need_oracle
	"$PERF" record -q -e cpu-clock -o - -- sh -c "echo hello; $busy" 2>err |
		"$ORACLE" script -i - -F comm 2>/dev/null >out
	grep -qx hello err
	grep -q sh out
	# also without -o
	"$PERF" record -q -e cpu-clock -- sh -c "$busy" 2>/dev/null | head -c 8 >magic
	[ "$(cat magic)" = PERFILE2 ]
}

@test "per-thread counts (-s), context switches, -n, --namespaces, --all-cgroups leave their records" {
	need_oracle
	"$PERF" record -q -s --switch-events --namespaces --all-cgroups -e cpu-clock -o d -- sleep 0.01
	"$ORACLE" report -D -i d 2>/dev/null | grep -oE 'PERF_RECORD_[A-Z_]+' | sort -u >types
	for t in SWITCH NAMESPACES CGROUP EXIT; do
		grep -qx "PERF_RECORD_$t" types || { cat types; return 1; }
	done
	# a count for each child that ended, with -s alone
	"$PERF" record -q -s -e cpu-clock -o d -- sh -c '/bin/true; /bin/true; /bin/true; :'
	"$ORACLE" report -D -i d 2>/dev/null >dump
	[ "$(grep -c 'PERF_RECORD_READ' dump)" -ge 3 ]
	"$PERF" record -q -e cpu-clock -o d -- sh -c '/bin/true; /bin/true; /bin/true; :'
	"$ORACLE" report -D -i d 2>/dev/null >dump
	run ! grep -q 'PERF_RECORD_READ' dump
	"$PERF" record -n -e cpu-clock -o d -- sh -c "$busy" 2>err
	[ -z "$(told err)" ]
	"$ORACLE" report -D -i d 2>/dev/null | grep -q PERF_RECORD_COMM
}

@test "registers that the CPU or its kernel refuses are left out, and refused by name" {
	[ "$(uname -m)" = x86_64 ] || skip "its numbers of registers are x86's"
	# SS (11) and R15 (23) are to be missing; the kernel refuses the whole mask
	cat >no-regs.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <linux/perf_event.h>
	#include <stdarg.h>
	#include <sys/syscall.h>
	long syscall(long nr, ...)
	{
		long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), a[6];
		va_list l;
		va_start(l, nr);
		for (int i = 0; i < 6; i++)
			a[i] = va_arg(l, long);
		va_end(l);
		struct perf_event_attr *attr = (struct perf_event_attr *)a[0];
		if (nr == SYS_perf_event_open && (attr->sample_regs_user | attr->sample_regs_intr) & (1 << 11 | 1 << 23)) {
			errno = EINVAL;
			return -1;
		}
		return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	END
	gcc -w -shared -fPIC -o no-regs.so no-regs.c -ldl
	LD_PRELOAD=$PWD/no-regs.so "$PERF" record --user-regs=? 2>list
	grep -q ' R14' list
	run ! grep -qwE 'SS|R15' list
	LD_PRELOAD=$PWD/no-regs.so "$PERF" record --intr-regs=? 2>list
	grep -q ' R14' list
	run ! grep -qwE 'SS|R15' list
	LD_PRELOAD=$PWD/no-regs.so "$PERF" record -q -e cpu-clock --intr-regs -o d -- "$PERF" test -w noploop 0.1
	"$PERF" script -i d -F iregs >list
	grep -q 'R14:0x' list
	run ! grep -q 'R15:0x' list
	LD_PRELOAD=$PWD/no-regs.so "$PERF" record -q -e cpu-clock --call-graph dwarf -o d -- "$PERF" test -w noploop 0.1
	"$PERF" script -i d -F ip,sym | grep -q noploop
	LD_PRELOAD=$PWD/no-regs.so run "$PERF" record -e cpu-clock --user-regs=ax,r15 -o d true
	[ "$status" -eq 129 ]
	[[ "$output" == *"cannot put the register 'r15' into samples"* ]]
}

@test "registers are listed and wrong words named" {
	run "$PERF" record --user-regs=?
	[ "$status" -eq 0 ]
	[[ "$output" == *"available registers:"* ]]
	run "$PERF" record --intr-regs=nosuchreg true
	[ "$status" -eq 129 ]
	[[ "$output" == *"nosuchreg"* ]]
	run "$PERF" record -j nosuchfilter true
	[ "$status" -eq 129 ]
	[[ "$output" == *"any_call"* ]]
	run "$PERF" record -k nosuchclock true
	[ "$status" -eq 129 ]
	for size in 0 -1 x 99999999999999999999 1000000000000; do
		run "$PERF" record -m $size true
		[ "$status" -eq 129 ]
		[[ "$output" == *"'$size' is not a size of a ring"* ]]
	done
	run "$PERF" record --call-graph nosuch true
	[ "$status" -eq 129 ]
}

@test "--dry-run records nothing; -q says nothing; -vv shows the attrs" {
	"$PERF" record --dry-run -e cpu-clock -o d true
	[ ! -e d ]
	"$PERF" record -q -o d true 2>err
	[ ! -s err ]
	"$PERF" record -vv -e cpu-clock -o d true 2>err
	grep -q 'sample_type .*IP|TID|TIME|PERIOD' err
}

@test "the status of the command is handed on" {
	run "$PERF" record -q -e cpu-clock -o d -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	run "$PERF" record -q -e cpu-clock -o d -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
}

# An ordinary user, at each value that this kernel knows; the setting is put back.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"
}

@test "an ordinary user: own programs, and a clear refusal of the rest" {
	need_oracle
	# where it was built may be closed to others
	install -m 755 "$PERF" perf
	PERF=./perf # the directories above may be closed, too
	chmod 777 .
	for level in 2 1 0 -1; do
		echo $level >/proc/sys/kernel/perf_event_paranoid
		rm -f d d.old
		as_nobody "$PERF" record -o d -- sh -c "$busy" 2>err ||
			{ echo "failed at $level: $(cat err)" >>bad; continue; }
		[ -n "$(told err)" ] || echo "no samples at $level" >>bad
		# what is left out is said, with the remedy
		told=none
		grep -q 'only user space is measured' err && told=2
		[ $told = none ] && [ $level -lt 2 ] && told=$level
		[ "$told" = "$level" ] || echo "level $level: user space" >>bad
		name=$("$ORACLE" evlist -f -i d 2>/dev/null)
		case $level$name in
		2*u*) ;;
		2*) echo "level 2: $name" >>bad ;;
		*:u*) echo "level $level: $name" >>bad ;;
		esac
		as_nobody "$PERF" record -e cpu-clock -a -o e -- true 2>err && code=0 || code=$?
		if [ $level -ge 1 ]; then
			[ $code -eq 1 ] && grep -q "perf_event_paranoid is $level" err &&
				grep -q '^hint:' err || echo "-a at $level: $code" >>bad
		else
			[ $code -eq 0 ] || echo "-a at $level: $code" >>bad
		fi
		as_nobody "$PERF" record -e cpu-clock -p 1 -o e -- true 2>err && echo "pid 1 at $level" >>bad
		grep -q '^error: no permission' err || echo "pid 1 at $level: $(cat err)" >>bad
	done
	[ ! -e bad ] || { cat bad; return 1; }
}
