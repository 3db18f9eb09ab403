#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf ftrace: latencies by BPF, instances and what is taken back; the tracers themselves are in tests/guests.
bats_require_minimum_version 1.5.0

tracing=/sys/kernel/tracing

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >work.c <<-'END'
		#include <stdlib.h>
		#include <time.h>
		__attribute__((noinline)) void sleeper(void)
		{
			struct timespec t = { 0, 1000000 };
			nanosleep(&t, 0);
			__asm__ volatile("");
		}
		__attribute__((noinline)) int nested(int n)
		{
			if (n)
				nested(n - 1);
			__asm__ volatile("");
			return n;
		}
		int main(int argc, char **argv)
		{
			int n = argc > 1 ? atoi(argv[1]) : 1;
			for (int i = 0; i < n; i++) {
				sleeper();
				nested(4);
			}
			return argc > 2 ? atoi(argv[2]) : 0;
		}
	END
	cc -O1 -g -fno-optimize-sibling-calls -o work work.c
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

has_bpf() {
	"$PERF" ftrace latency -T ./work:sleeper -- ./work 1 >/dev/null 2>why || skip "no BPF: $(cat why)"
}

count() { awk '/count:/ { print $2 }' <<<"$output"; }

@test "latency of a program's function: N calls, each in a row, none shorter than it sleeps" {
	has_bpf
	run -0 "$PERF" ftrace latency -b -T ./work:sleeper -- ./work 30
	[ "$(count)" -eq 30 ]
	[ "$(awk -F'|' '/ - / { s += $2 } END { print s }' <<<"$output")" -eq 30 ]
	[ "$(grep -c ' - ' <<<"$output")" -eq 22 ]
	# nothing below 512 us
	[ "$(grep -E ' (us) \|' <<<"$output" | head -10 | awk -F'|' '{ s += $2 } END { print s }')" -eq 0 ]
	awk '/min time:/ { min = $3 } /avg time:/ { avg = $3 } /max time:/ { max = $3 } /total/ { total = $3 }
		END { exit !(min >= 1000 && min <= avg && avg <= max && total >= 30000) }' <<<"$output"
}

@test "latency --tid: a thread that executes a program is measured on" {
	has_bpf
	cat >execs.c <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	volatile int x;
	__attribute__((noinline)) void step(void) { x++; }
	static void *thread(void *name)
	{
		printf("%ld\n", syscall(SYS_gettid));
		fflush(stdout);
		getchar();
		step();
		return (void *)(long)execl(name, name, "again", (char *)0);
	}
	int main(int argc, char **argv)
	{
		pthread_t t;

		if (argc > 1) {
			usleep(300000); /* perf looks whether the thread still runs */
			for (int i = 0; i < 500; i++)
				step();
			return 0;
		}
		pthread_create(&t, 0, thread, argv[0]);
		pthread_join(t, 0);
		return 1;
	}
	END
	cc -O1 -pthread -o execs execs.c
	mkfifo go said
	./execs <go >said 3>&- & pid=$!
	exec 8>go 7<said
	read -r tid <&7
	(sleep 2; echo >&8) 3>&- &
	timeout -k 5 -s INT 30 "$PERF" ftrace latency -b -T ./execs:step --tid "$tid" >out 2>&1 3>&- & perf=$!
	for _ in $(seq 200); do kill -0 $pid 2>/dev/null || break; sleep .1; done
	sleep .3
	kill -INT $perf || true
	wait $perf || true
	exec 8>&- 7<&-
	wait $pid || true
	[ "$(awk '/count:/ { print $2 }' out)" = 501 ] || { cat out; return 1; }
}

@test "calls of a function inside of itself are measured each" {
	has_bpf
	run -0 "$PERF" ftrace latency -x ./work -T nested -n --hide-empty -- ./work 10
	[ "$(count)" -eq 50 ]
	! grep -qE '\| +0 \|' <<<"$output" || false
	grep -q '(in nsec)' <<<"$output"
}

@test "calls that are too deep or end without a return do not spoil those after them" {
	has_bpf
	cat >odd.c <<-'END'
		#include <setjmp.h>
		static jmp_buf back;
		__attribute__((noinline)) int deep(int n)
		{
			if (n)
				deep(n - 1);
			__asm__ volatile("");
			return n;
		}
		__attribute__((noinline)) void leave(int n)
		{
			if (n)
				longjmp(back, 1);
			__asm__ volatile("");
		}
		int main(void)
		{
			deep(299);
			for (int i = 0; i < 20; i++)
				deep(0);
			for (volatile int i = 0; i < 200; i++)
				if (!setjmp(back))
					leave(1);
			for (int i = 0; i < 30; i++)
				leave(0);
			return 0;
		}
	END
	cc -O1 -g -fno-optimize-sibling-calls -o odd odd.c
	# of the 300 calls inside of each other the kernel follows 64
	run -0 --separate-stderr "$PERF" ftrace latency -T ./odd:deep -- ./odd
	[ "$(count)" -eq 84 ]
	[[ "$stderr" == *"calls nested deeper than 64 are not measured (236 times)"* ]]
	run -0 --separate-stderr "$PERF" ftrace latency -T ./odd:leave -- ./odd
	[ "$(count)" -eq 30 ]
	[ -z "$stderr" ]
}

@test "rows of equal width, from a least to a greatest latency" {
	has_bpf
	run -0 "$PERF" ftrace latency -T ./work:sleeper --bucket-range 500 --min-latency 1000 --max-latency 2000 -- ./work 10
	[ "$(grep ' - ' <<<"$output" | cut -d'|' -f1 | sed 's/ *$//; s/^ *//; s/  */ /g')" = \
"0 - 1000 us
1000 - 1500 us
1500 - 2000 us
2000 - ... us" ]
	[ "$(awk -F'|' '/^ +0 - 1000/ { print $2 + 0 }' <<<"$output")" -eq 0 ]
}

@test "from one event to another, of this command alone" {
	has_bpf
	[ -r $tracing/events/syscalls/sys_enter_clock_nanosleep/id ] || skip "no syscall tracepoints"
	run -0 "$PERF" ftrace latency -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -- ./work 20
	[ "$(count)" -eq 20 ]
	./work 2000 & pid=$!
	run "$PERF" ftrace latency -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -- ./work 7
	kill $pid
	[ "$(count)" -eq 7 ]
}

@test "a running process, and children of a command" {
	has_bpf
	./work 3000 & pid=$!
	run -0 "$PERF" ftrace latency -T ./work:sleeper -p $pid -- sleep 0.3
	kill $pid
	[ "$(count)" -gt 20 ]
	# without a command until the process ends
	./work 3000 & pid=$!
	run -0 timeout 60 "$PERF" ftrace latency -T ./work:sleeper -p $pid
	[ "$(count)" -gt 0 ]
	run -0 "$PERF" ftrace latency -T ./work:sleeper -- sh -c './work 5; ./work 6'
	[ "$(count)" -eq 11 ]
}

@test "nothing happened: said" {
	has_bpf
	run -0 "$PERF" ftrace latency -T ./work:sleeper -- true
	[ "$output" = "No data found" ]
}

@test "a tracer runs in an instance, which is gone afterwards, also after kill -9" {
	[ -w $tracing/instances ] || skip "no instances of tracefs"
	before=$(ls $tracing/instances)
	run -0 "$PERF" ftrace trace -t nop -- true
	[[ "$output" == *"# tracer: nop"* ]]
	[ "$(ls $tracing/instances)" = "$before" ]
	"$PERF" ftrace trace -a -t nop >out 2>err & pid=$!
	for _ in $(seq 100); do [ -d $tracing/instances/perf-$pid ] && break; sleep 0.05; done
	[ -d $tracing/instances/perf-$pid ]
	kill -9 $pid
	wait $pid || true
	for _ in $(seq 100); do [ -d $tracing/instances/perf-$pid ] || break; sleep 0.05; done
	[ ! -d $tracing/instances/perf-$pid ]
	sleep 1 & pid=$!
	run -0 timeout 60 "$PERF" ftrace trace -t nop -p $pid
	"$PERF" ftrace trace -a -t nop >out 2>err & pid=$!
	for _ in $(seq 100); do [ -d $tracing/instances/perf-$pid ] && break; sleep 0.05; done
	kill -INT $pid
	wait $pid || true
	[ ! -d $tracing/instances/perf-$pid ]
	[ "$(ls $tracing/instances)" = "$before" ]
}

# A tracefs of plain files, whose main ring was not used so far; its instances are the kernel's.
make_tracefs() {
	rm -rf fake && mkdir -p fake/events fake/per_cpu/cpu0 fake/per_cpu/cpu1
	echo "function_graph nop" >fake/available_tracers
	echo nop >fake/current_tracer
	echo 1 >fake/tracing_on
	echo "7 (expanded: 1408)" | tee fake/buffer_size_kb fake/per_cpu/cpu0/buffer_size_kb >fake/per_cpu/cpu1/buffer_size_kb
	touch fake/set_event fake/set_ftrace_pid fake/trace fake/trace_pipe
}

@test "the main ring gets its usual size, or that of -m, and what it had afterwards" {
	make_tracefs
	mkdir fake/instances
	run -0 "$PERF" --debugfs-dir fake ftrace trace -- sh -c 'cat fake/buffer_size_kb >during'
	[ "$(cat during)" = 1408 ] # not the 7 that are allocated
	[ "$(cat fake/buffer_size_kb)" = 1408 ]
	make_tracefs
	mkdir fake/instances
	run -0 "$PERF" --debugfs-dir fake ftrace trace -m 64K -- sh -c 'cat fake/buffer_size_kb >during'
	[ "$(cat during)" = 64 ]
	[ "$(cat fake/buffer_size_kb)" = 1408 ]
	# one that is larger by someone's choice keeps its size
	echo 9000 >fake/buffer_size_kb
	run -0 "$PERF" --debugfs-dir fake ftrace trace -- sh -c 'cat fake/buffer_size_kb >during'
	[ "$(cat during) $(cat fake/buffer_size_kb)" = "9000 9000" ]
	# CPUs that have different ones get them back
	echo X >fake/buffer_size_kb
	echo 100 >fake/per_cpu/cpu0/buffer_size_kb
	echo 200 >fake/per_cpu/cpu1/buffer_size_kb
	run -0 "$PERF" --debugfs-dir fake ftrace trace -m 64K -- sh -c \
		'cat fake/buffer_size_kb >during; echo 64 | tee fake/per_cpu/cpu0/buffer_size_kb >fake/per_cpu/cpu1/buffer_size_kb'
	[ "$(cat during)" = 64 ]
	[ "$(cat fake/per_cpu/cpu0/buffer_size_kb) $(cat fake/per_cpu/cpu1/buffer_size_kb)" = "100 200" ]
}

@test "a main ring that the kernel forgot to enlarge because of our instance is enlarged, also after kill -9" {
	[ -w $tracing/instances ] || skip "no instances of tracefs"
	make_tracefs
	ln -s $tracing/instances fake/instances
	run -0 "$PERF" --debugfs-dir fake ftrace trace -t nop -- true
	[ "$(cat fake/buffer_size_kb)" = "7 (expanded: 1408)" ]
	# what kernels before 6.7 say once an instance has a tracer
	run -0 "$PERF" --debugfs-dir fake ftrace trace -t nop -- sh -c 'echo 7 >fake/buffer_size_kb'
	[ "$(cat fake/buffer_size_kb)" = 1408 ]
	echo "7 (expanded: 1408)" >fake/buffer_size_kb
	run -0 "$PERF" --debugfs-dir fake ftrace trace -t nop -- sh -c 'echo 300 >fake/buffer_size_kb'
	[ "$(cat fake/buffer_size_kb)" = 300 ] # another user's choice
	echo "7 (expanded: 1408)" >fake/buffer_size_kb
	"$PERF" --debugfs-dir fake ftrace trace -a -t nop >out 2>err & pid=$!
	for _ in $(seq 100); do [ -d $tracing/instances/perf-$pid ] && break; sleep 0.05; done
	[ -d $tracing/instances/perf-$pid ]
	echo 7 >fake/buffer_size_kb
	kill -9 $pid
	wait $pid || true
	for _ in $(seq 200); do [ "$(cat fake/buffer_size_kb)" = 1408 ] && break; sleep 0.05; done
	[ "$(cat fake/buffer_size_kb)" = 1408 ]
	[ ! -d $tracing/instances/perf-$pid ]
}

@test "an instance has rings of the usual size or of -m, and what found no room is counted" {
	[ -w $tracing/instances ] || skip "no instances of tracefs"
	mkdir $tracing/instances/usual-$$
	usual=$(cat $tracing/instances/usual-$$/buffer_size_kb)
	rmdir $tracing/instances/usual-$$
	"$PERF" ftrace trace -a -t nop >out 2>err & pid=$!
	for _ in $(seq 100); do grep -q . out && break; sleep 0.05; done
	size=$(cat $tracing/instances/perf-$pid/buffer_size_kb)
	kill -INT $pid
	wait $pid || true
	[ "$size" -ge "${usual%% *}" ]
	! grep lost err || false
	"$PERF" ftrace trace -a -t nop -m 16K >out 2>err & pid=$!
	for _ in $(seq 100); do grep -q . out && break; sleep 0.05; done
	size=$(cat $tracing/instances/perf-$pid/buffer_size_kb)
	kill -STOP $pid
	# a line is one write
	awk 'BEGIN { for (i = 0; i < 20000; i++) { print "mark " i; fflush() } }' >$tracing/instances/perf-$pid/trace_marker
	kill -CONT $pid
	kill -INT $pid
	wait $pid || true
	[ "$size" -ge 16 ] && [ "$size" -lt 64 ]
	lost=$(sed -n 's/^warning: \([0-9]*\) events were lost because .*/\1/p' err)
	[ "$lost" -gt 10000 ]
	[ $((lost + $(grep -c 'tracing_mark_write: mark ' out))) -eq 20000 ]
	grep -q '^hint: .*-m' err
}

@test "what this kernel lacks is said" {
	[ -r $tracing/available_tracers ] || skip "no tracefs"
	run -1 "$PERF" ftrace trace -t no_tracer -- true
	[[ "$output" == *"no tracer 'no_tracer', only: "* ]]
	run -1 "$PERF" ftrace latency -e no:event,sched:sched_switch -- true
	[[ "$output" == *"no event 'no:event'"* || "$output" == *"needs BPF"* ]]
	run -1 "$PERF" ftrace latency -e probe:not_made,sched:sched_switch -- true
	[[ "$output" == *"no event 'probe:not_made'"*"hint: make it first: perf probe -a not_made" || "$output" == *"needs BPF"* ]]
	run -1 "$PERF" ftrace latency -T ./work:no_function -- ./work
	[[ "$output" == *"no_function"* || "$output" == *"needs BPF"* ]]
	run -127 "$PERF" ftrace trace -t nop -- ./no-such-program
	[[ "$output" == *"no-such-program"* ]]
	[ -z "$(ls $tracing/instances | grep '^perf-')" ]
}

@test "CPUs that are not there are refused" {
	run -1 "$PERF" ftrace trace -t nop -C 60000 -- true
	[[ "$output" == *"CPU 60000 is not online"* ]]
	run -129 "$PERF" ftrace trace -t nop -C one -- true
	has_bpf
	run -1 "$PERF" ftrace latency -T ./work:sleeper -C 0,60000 -- ./work
	[[ "$output" == *"CPU 60000 is not online"* ]]
}

@test "an ordinary user is told that it needs root" {
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip "not root, or no setpriv"
	[ -d $tracing/events ] || skip "no tracefs"
	! setpriv --reuid=65534 --regid=65534 --clear-groups ls $tracing >/dev/null 2>&1 || skip "all may read tracefs here"
	install -m 755 "$PERF" user-perf
	chmod o+x .
	setpriv --reuid=65534 --regid=65534 --clear-groups ./user-perf version >/dev/null 2>&1 || skip "users cannot reach this directory"
	run -1 setpriv --reuid=65534 --regid=65534 --clear-groups ./user-perf ftrace -- true
	[[ "${lines[0]}" == "error: only root may use the kernel's tracers" ]]
	[[ "${lines[1]}" == "hint: it needs root"* ]]
}

@test "a tracer without a name is refused, and --tracer takes whole names" {
	[ -e $tracing/available_tracers ] || skip "no tracers"
	for name in '' ' ' no o "$(tr ' ' _ <$tracing/available_tracers)x"; do
		run -1 timeout -k 5 20 "$PERF" ftrace trace --tracer="$name" -- true
		[[ "$output" == *"this kernel has no tracer '$name'"* ]] || { echo "$output"; false; }
	done
}

@test "wrong uses" {
	run -129 "$PERF" ftrace latency
	[[ "$output" == *"a function (-T) or two events (-e)"* ]]
	run -129 "$PERF" ftrace latency -e sched:sched_switch
	run -129 "$PERF" ftrace latency -T a -e b:c,d:e
	run -129 "$PERF" ftrace latency -T a --min-latency 5
	[[ "$output" == *"need --bucket-range"* ]]
	run -129 "$PERF" ftrace latency -T a --bucket-range 10 --max-latency 5
	run -129 "$PERF" ftrace latency -T a --bucket-range 1 --max-latency 1000000
	run -129 "$PERF" ftrace latency -b -T a -T b
	run -129 "$PERF" ftrace profile -s size -- true
	run -129 "$PERF" ftrace trace --graph-opts depth=0 -- true
	run -129 "$PERF" ftrace trace --graph-opts wide -- true
	[[ "$output" == *"'wide' is not one of nosleep-time, "*"depth=N"* ]]
	run -129 "$PERF" ftrace trace --func-opts verbose -- true
	run -129 "$PERF" ftrace trace -p 1 --tid 1
	run -129 "$PERF" ftrace trace -m 100 -- true
	run -129 "$PERF" ftrace trace -D 10
}
