# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What live commands count on this guest's kernel (busybox sh), by BPF and without: one "ok NAME", "refused NAME",
# "skipped NAME" or "not ok NAME" a check.  Refused: the command named the version of Linux that can do it, and another way.
# shellcheck disable=SC2086,SC2034 # words; loops that only repeat
mount -t debugfs none /sys/kernel/debug 2>/dev/null
tracing=/sys/kernel/tracing
cd /tmp || exit 1

check() { # name, function: 0 right, 3 refused, 77 what it needs is missing
	"$2" >log 2>&1
	case $? in
	0) echo "ok $1" ;;
	77) echo "skipped $1: the machine that built perf has no clang from version 19 on" ;;
	3) echo "refused $1: $(grep -m 1 'needs Linux\|Linux [0-9.]* and later' log)" ;;
	*)
		echo "not ok $1"
		sed 's/^/# /' log
		;;
	esac
}
# Was the command whose messages are in this file refused as it should be, for this older kernel?
refused() {
	cat "$1"
	grep -q 'needs Linux [0-9]\|on Linux [0-9.]* and later' "$1" && grep -q '^hint: ' "$1" && return 3
	return 1
}
make_writes="dd if=/dev/zero of=/dev/null bs=1 count=1000"

# /test/test_bpf_programs lies here where the host built it.
programs() {
	[ -x /test/test_bpf_programs ] || return 1
	/test/test_bpf_programs "" 3
}
# The same, made by another compiler: variants for old kernels are what perf takes before bpf_loop() of Linux 5.17.
programs_new_clang() {
	[ -d /test/new ] || return 77
	case $(uname -r) in
	[1-4].* | 5.[0-9].* | 5.1[0-6].*) /test/test_bpf_programs /test/old 3 ;;
	*) /test/test_bpf_programs /test/new 3 ;;
	esac
}
trace_lines() {
	perf trace -o out -e write -- $make_writes || return 1
	tail -3 out
	# one by one, and dd's own report
	n=$(grep -c ' write(fd: 1<[^>]*null>, buf: "' out)
	echo "$n"
	[ "$n" = 1000 ]
}
trace_paths() {
	long=$(printf '%0200d/' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
	perf trace -o out -e '*rename*' -- mv "/tmp/a$long" "/tmp/b$long"
	n=$(tr -cd 0 <out | wc -c)
	cut -c 1-200 out
	echo "$n"
	grep -q '"/tmp/a0' out && grep -q '"/tmp/b0' out && [ "$n" -ge 7400 ]
}
# Calls that wait, with what was copied before they did: by several tasks on one CPU.  Linux 7.3 switches tasks
# inside of programs, and leaves out those of the next task: perf warns of that, and the test tries again.
trace_sleeps() {
	for try in 1 2 3 4 5; do
		perf trace -o out -e '*nanosleep*' -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done; wait' 2>err || return 1
		grep -q '^warning: the kernel left out runs of the BPF programs' err || break
	done
	cat err out
	# a line that others interrupt is one that ends "..." and one that begins so
	n=$(grep -c 'nanosleep(.*tv_nsec: 100000000' out)
	[ "$n" = 8 ]
}
trace_exec() {
	for i in 1 2 3 4 5 6 7 8; do
		perf trace -o one -e execve -- sh -c true || return 1
		cat one
	done >out
	cat out
	[ "$(grep -c 'execve(filename: "/bin/sh".*argv: \["sh", "-c", "true"\]' out)" = 8 ]
}
trace_summary() {
	perf trace -s -o out -- $make_writes || return 1
	cat out
	[ "$(awk '$1 == "read" { print $2 }' out)" -ge 1000 ] && [ "$(awk '$1 == "read" { print $2 }' out)" -le 1010 ]
}
trace_bpf_summary() {
	perf trace -s --bpf-summary --summary-mode=total -o out -- $make_writes || return 1
	cat out
	[ "$(awk '$1 == "write" { print $2 }' out)" -ge 1000 ]
}
trace_tracepoints() {
	perf trace --no-bpf -o out -e write -- $make_writes || return 1
	tail -3 out
	n=$(grep -c ' write(fd: 1<' out)
	[ "$n" -ge 1000 ] && [ "$n" -le 1003 ]
}
trace_nothing() {
	perf trace -e accept -- true 2>err || return 1
	cat err
	grep -q 'the command made none of the calls' err
}
stat_bpf() {
	perf stat -x, -o out -e page-faults,page-faults:b,cs:b -- sh -c 'for i in 1 2 3; do ls /proc >/dev/null; done' ||
		return 1
	cat out
	awk -F, '$3 == "page-faults" { a = $1 } $3 == "page-faults:b" { b = $1 } $3 == "cs:b" { c = $1 }
		END { d = a > b ? a - b : b - a; exit !(a > 100 && d <= 20 && c > 0) }' out
}
stat_cgroups() {
	mkdir -p cg && mount -t cgroup2 none cg && mkdir cg/one || return 1
	perf stat --bpf-counters -a -x, -e page-faults --for-each-cgroup one,/ -o out -- \
		sh -c 'echo $$ >cg/one/cgroup.procs; for i in 1 2 3; do ls /proc >/dev/null; done' 2>err || { refused err; return; }
	cat out
	awk -F, '/,one,/ { exit !($1 > 100) }' out
}
# Ten waits of 60 ms: the sums of short waits are written at the end.
off_cpu() {
	perf record -q --off-cpu -o data -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.06; done; sleep 0.7' || return 1
	perf script -i data -F comm,event,period >out || return 1
	cat out
	awk '/offcpu-time/ { for (i = 1; i < NF; i++) if ($(i + 1) == "offcpu-time:") n[$1] += $i }
		END { exit !(n["sleep"] + n["sh"] > 1200000000) }' out
}
sched_bpf() {
	perf sched latency --bpf -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; done' >out || return 1
	cat out
	awk '/ count [0-9]/ { n = $2 + 0 } END { exit !(n >= 20 && n < 2000) }' out
}
lock_bpf() {
	perf lock contention -a -b -- ls /proc >out 2>err || { refused err; return; }
	cat out err
	grep -q 'contended' out
}
ftrace_bpf() {
	perf ftrace latency -b -T vfs_write -- $make_writes >out || return 1
	n=$(awk '/count:/ { print $2 }' out)
	tail -3 out
	[ "$n" -ge 1000 ] && [ "$n" -le 1010 ]
}
ftrace_latency() {
	perf ftrace latency -T vfs_write -- $make_writes >out || return 1
	n=$(awk '/count:/ { print $2 }' out)
	tail -3 out
	[ "$n" -ge 1000 ] && [ "$n" -le 1010 ]
}
ftrace_profile() {
	perf ftrace profile -T vfs_write -- $make_writes >out || return 1
	n=$(awk '$5 == "vfs_write" { print $4 }' out)
	cat out
	[ "$n" -ge 1000 ] && [ "$n" -le 1010 ]
}
# With rings that are too small, what is missing is counted.
ftrace_overruns() {
	perf ftrace profile -m 16k -T vfs_write -T vfs_read -- dd if=/dev/zero of=/dev/null bs=1 count=10000 >out 2>err ||
		return 1
	cat out err
	n=$(awk '$5 == "vfs_write" { print $4 }' out)
	[ "${n:-0}" -ge 10000 ] || grep -q 'events were lost' err
}
# A ring that was used once stays as large as the kernel then makes it: not smaller, nor larger.
state() {
	case $(cat $tracing/buffer_size_kb) in
	'7 (expanded: 1408)' | 1408 | 1410) ;;
	*) cat $tracing/buffer_size_kb ;;
	esac
	for f in current_tracer tracing_on set_ftrace_pid set_ftrace_filter set_ftrace_notrace set_graph_function \
		set_graph_notrace max_graph_depth tracing_thresh tracing_cpumask trace_options trace_clock; do
		echo "$f: $(cat $tracing/$f)"
	done
	cat $tracing/kprobe_events $tracing/uprobe_events 2>/dev/null
	ls $tracing/instances
}
# Waits until tracefs is as it was before: what perf leaves to restore the settings runs beside the test.
restored() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		state | cmp -s before - && return
		sleep 0.5
	done
	state | diff before -
}
# killed MODE...: perf ftrace ends by SIGKILL, first alone, then while somebody else reads its trace, which keeps the
# kernel from changing the tracer.
killed() {
	for other in false true; do
		perf ftrace "$@" -- sleep 6 >/dev/null 2>err &
		pid=$!
		until grep -q . $tracing/instances/perf-*/set_ftrace_pid 2>/dev/null || ! grep -q nop $tracing/current_tracer; do
			kill -0 $pid || { cat err; return 1; }
			usleep 50000
		done
		sleep 1
		for pipe in $tracing/trace_pipe $tracing/instances/perf-*/trace_pipe; do
			! $other || [ ! -e "$pipe" ] || timeout 1 cat "$pipe" >/dev/null &
		done
		usleep 300000
		kill -9 $pid || return 1
		wait $pid
		restored || return 1
	done
}
tracefs_after() {
	state >before
	for mode in "trace -T vfs_write" "trace -G vfs_write" "profile -T vfs_write" "latency -T vfs_write"; do
		perf ftrace $mode -- true >/dev/null 2>&1
		state | diff before - || return 1
		killed $mode || return 1
		perf ftrace $mode -- true >/dev/null 2>err || { cat err; return 1; }
		state | diff before - || return 1
	done
}
kmem_bpf() {
	perf kmem stat --bpf -- ls /proc >out 2>err || { refused err; return; }
	cat out
	awk '/^Total bytes requested/ { n = $4 } END { exit !(n > 10000) }' out
}
kmem_record() {
	perf kmem record -o data -- ls /proc >/dev/null 2>&1 || return 1
	perf kmem stat -i data >out || return 1
	cat out
	awk '/^Total bytes requested/ { n = $4; gsub(",", "", n) } END { exit !(n > 10000) }' out
}
# Interrupts perf as soon as it holds SIGINT back, long before its programs are loaded.
interrupt_early() {
	until pid=$(pidof perf) && grep -q '^SigBlk:.*[2367abef]$' "/proc/$pid/status"; do usleep 1000; done
	kill -INT "$pid"
}
kwork_early() {
	for view in report top; do
		interrupt_early &
		perf kwork $view -b >out 2>&1
		cat out
		grep -q 'Runtime\|RUNTIME' out || return 1
	done
}
weight() {
	perf record -q -W -e cpu-clock -o data -- $make_writes || return 1
	perf script -i data -F comm,weight >out || return 1
	head -3 out
	[ -s out ]
}
page_sizes() {
	perf record -q --data-page-size --code-page-size -e cpu-clock -o data -- $make_writes 2>err || { refused err; return; }
	perf script -i data -F comm,code_page_size | head -2
}
build_ids() {
	perf record -q --buildid-mmap -e cpu-clock -o data -- $make_writes 2>err || { refused err; return; }
	perf script -i data --show-mmap-events | grep busybox >out
	head -2 out
	grep -q 'PERF_RECORD_MMAP2.*<[0-9a-f]\{32,40\}>' out
}
# Of a loop that never waits, nearly all time is its own.
top_task() {
	sh -c 'while :; do :; done' &
	pid=$!
	perf top --stdio --iterations 2 -d 1 -e cpu-clock -p $pid --sort comm >out 2>err
	code=$?
	kill $pid
	cat out err
	[ $code = 0 ] || return 1
	awk '$2 == "sh" && $1 ~ /%$/ { share = $1 + 0 } END { exit !(share > 90) }' out
}
# A session of the daemon records, and is gone when the daemon has been stopped.
daemon_session() {
	mkdir -p base || return 1
	printf '[daemon]\nbase = /tmp/base\n[session-one]\nrun = -e cpu-clock -a --switch-output -o data sleep 1000\n' >conf
	perf daemon start --config conf || return 1
	for i in 1 2 3 4 5 6 7 8 9 10; do
		perf daemon ping --config conf >out 2>&1 && break
		sleep 1
	done
	perf daemon --config conf >>out 2>&1 || { cat out; return 1; }
	sleep 2
	perf daemon signal --config conf >>out 2>&1
	sleep 2
	perf daemon stop --config conf || return 1
	cat out
	ls base/session-one
	file=$(ls base/session-one/data.* | head -1)
	perf report -i "$file" --stdio --header-only | grep -q '^# event : name = cpu-clock' || return 1
	! pidof perf
}
filter() {
	perf record -q -e cpu-clock --filter 'period > 1' -o data -- true 2>err || { refused err; return; }
}

for name in programs programs_new_clang trace_lines trace_paths trace_sleeps trace_exec trace_summary trace_bpf_summary trace_tracepoints \
	trace_nothing stat_bpf stat_cgroups off_cpu sched_bpf lock_bpf ftrace_bpf ftrace_latency ftrace_profile \
	ftrace_overruns tracefs_after kmem_bpf kmem_record kwork_early weight page_sizes build_ids filter top_task daemon_session; do
	[ -z "$CHECKS" ] || case " $CHECKS " in *" $name "*) ;; *) continue ;; esac
	check $name $name
done
