#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# record --off-cpu: how long tasks wait, and where.
bats_require_minimum_version 1.5.0

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/naps.py" <<-'END'
	import time
	for i in range(20):
	    time.sleep(0.01)
	END
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

record() { # record by BPF where this build and kernel can; the other way needs neither
	"$PERF" record -q -e cpu-clock "$@" 2>said || {
		! grep -q 'BPF' said || skip "$(head -1 said)"
		cat said
		return 1
	}
}

# "PERIOD-IN-MS FIRST-FRAME" of each wait of a command
waits() {
	"$PERF" script -i "$1" -F comm,event,period,ip,sym 2>/dev/null | awk -v comm="$2" '
		/offcpu-time/ { if ($1 == comm) { ms = $2 / 1e6; on = 1 } next }
		on && NF >= 2 { print ms, $2; on = 0 }'
}

@test "a long wait has a sample of its own, with where it began" {
	record --off-cpu -o d -- sleep 0.6
	waits d sleep >long
	awk '$2 ~ /nanosleep/ && $1 >= 590 && $1 < 5000 { n++ } END { exit n != 1 }' long
	"$PERF" evlist -i d | grep -qx offcpu-time
}

@test "short waits are summed up by place; --off-cpu-thresh says what is short" {
	record --off-cpu -o sums -- python3 "$FILES/naps.py"
	waits sums python3 >all
	awk '$2 ~ /nanosleep/ { n++; ms += $1 } END { exit !(n >= 1 && n <= 3 && ms >= 190 && ms < 5000) }' all
	record --off-cpu --off-cpu-thresh 5 -o each -- python3 "$FILES/naps.py"
	waits each python3 >all
	# Linux 6.18 does not report every switch of an idle CPU
	seen=$(awk '$2 ~ /nanosleep/ && $1 >= 9.5' all | wc -l)
	[ "$seen" -ge 5 ] && [ "$seen" -le 20 ]
}

@test "without BPF: the same by switches" {
	record --off-cpu=switches -o d -- sleep 0.6
	waits d sleep >long
	awk '$2 ~ /nanosleep/ && $1 >= 590 && $1 < 5000 { n++ } END { exit n != 1 }' long
	record --off-cpu=switches -a -o sums -- python3 "$FILES/naps.py"
	waits sums python3 >all
	awk '$2 ~ /nanosleep/ { ms += $1 } END { exit !(ms >= 190 && ms < 5000) }' all
	record --off-cpu=switches --off-cpu-thresh 5 -o each -- python3 "$FILES/naps.py"
	waits each python3 >all
	# Linux 6.18 does not report every switch of an idle CPU
	seen=$(awk '$2 ~ /nanosleep/ && $1 >= 9.5' all | wc -l)
	[ "$seen" -ge 5 ] && [ "$seen" -le 20 ]
	# what had to leave the CPU did not wait
	record --off-cpu=switches -a -o busy -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	! waits busy sh | grep -E 'irqentry_exit|exit_to_user_mode' || return 1
	run -129 "$PERF" record --off-cpu=magic true
}

@test "the time of a long wait is its end, on the clock of the other events" {
	record --off-cpu -o d -- sh -c 'sleep 0.55; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	"$PERF" script -i d -F comm,time,event 2>/dev/null | tr -d : >lines
	end=$(awk '$1 == "sleep" && /offcpu-time/ { print $2; exit }' lines)
	first=$(awk '/cpu-clock/ { print $2; exit }' lines)
	last=$(awk '/cpu-clock/ { t = $2 } END { print t }' lines)
	awk -v a="$first" -v e="$end" -v z="$last" 'BEGIN { exit !(e - a > 0.5 && e < z) }'
}

@test "children are followed, others are not; -p and -a" {
	record --off-cpu -o d -- sh -c 'sleep 0.05; true'
	waits d sleep | awk '$2 ~ /nanosleep/ && $1 >= 48 { n = 1 } END { exit !n }'
	"$PERF" script -i d -F comm,event 2>/dev/null | awk '/offcpu-time/ { print $1 }' | sort -u >comms
	! grep -vE '^(sh|sleep|perf.*)$' comms || return 1
	python3 -c 'import time
open("ready", "w").close()
for i in range(3000): time.sleep(0.01)' 3>&- &
	pid=$!
	until [ -e ready ]; do sleep 0.05; done
	record --off-cpu -o d -p "$pid" -- sleep 0.3
	kill "$pid"
	waits d python3 | awk '$2 ~ /nanosleep/ { ms += $1 } END { exit !(ms > 100) }'
	[ -z "$(waits d sleep)" ]
	record --off-cpu -a -o d -- sleep 0.1
	waits d sleep | awk '$2 ~ /nanosleep/ && $1 >= 95 { n = 1 } END { exit !n }'
}

@test "report shows both kinds, and so does Debian's perf" {
	record --off-cpu -o d -- sleep 0.6
	"$PERF" report -i d --stdio -g none --no-children 2>/dev/null >report
	grep -q "of event 'offcpu-time'" report
	ours=$(sed -n "/offcpu-time/,\$s/# Event count (approx.): //p" report | head -1)
	[ "$ours" -ge 590000000 ]
	awk '/offcpu-time/ { on = 1 } on && /%/ { print; exit }' report | grep -q nanosleep
	command -v "$RIVAL" >/dev/null || skip "no /usr/bin/perf (Debian package linux-perf)"
	"$RIVAL" report -i d --stdio -g none --no-children 2>/dev/null >report
	[ "$(sed -n "/offcpu-time/,\$s/# Event count (approx.): //p" report | head -1)" = "$ours" ]
}

@test "in folded stacks waits and running times are nanoseconds" {
	record --off-cpu -F 1000 -g -o d -- sh -c 'sleep 0.6; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	"$PERF" script -i d -F comm,event,period -G 2>/dev/null | awk '
		{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) sum[/offcpu-time/ ? "offcpu-time" : "cpu-clock"] += $i }
		END { for (e in sum) printf "%s %.0f\n", e, sum[e] }' | sort >want
	"$PERF" report -i d --folded | awk '{ split($0, a, ";"); sum[a[1]] += $NF }
		END { for (e in sum) printf "%s %.0f\n", e, sum[e] }' | sort >got
	[ "$(wc -l <got)" -eq 2 ]
	diff want got
	awk '$1 == "offcpu-time" { exit !($2 >= 590000000) }' got
}

@test "the caller of a function without a frame pointer is in the chain, of long and of short waits" {
	[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "chains of $(uname -m) have each caller"
	cat >callers.c <<-'END'
	#include <poll.h>
	#include <time.h>
	__attribute__((noinline)) void naps(long ns)
	{
		struct timespec t = { 0, ns };

		nanosleep(&t, 0);
		__asm__ volatile("");
	}
	__attribute__((noinline)) void polls(void)
	{
		poll(0, 0, 600);
		__asm__ volatile("");
	}
	int main(void)
	{
		for (int i = 0; i < 10; i++)
			naps(10000000);
		naps(600000000);
		polls();
		return 0;
	}
	END
	gcc -O1 -w -fno-omit-frame-pointer -o callers callers.c
	record --off-cpu -g -o d -- ./callers
	"$PERF" script -i d -F comm,event,period,ip,sym | awk '
		/offcpu-time/ { ns = $2; chain = ""; on = 1; next }
		!NF && on { print (ns >= 590000000 ? "long" : "short"), chain; on = 0 }
		on && $1 !~ /^ffff/ { chain = chain " " $2 }' >chains
	cat chains
	grep -qE '^short .*nanosleep naps main ' chains
	grep -qE '^long .*nanosleep naps main ' chains
	grep -qE '^long .*poll polls main ' chains
	# each function once
	run ! grep -E ' (main|naps|polls)( .*)? \1( |$)' chains
}

# Prints "FRAMES;... NS" of the waits in $1, and keeps that in $1.stacks
stacks() {
	"$PERF" report --folded -i "$1" 2>/dev/null | sed -n 's/^offcpu-time;//p' >"$1.stacks"
	cat "$1.stacks"
}

# Is the time of the stacks of $1 that match $2 from $3 up to, but not, $4 ms?
waited() {
	awk -v frames="$2" -v low="$3" -v high="$4" '$0 ~ frames { ms += $NF / 1e6 }
		END { print frames, ms + 0; exit !(ms >= low && ms < high) }' "$1.stacks"
}

@test "waits of different callers are apart, although no function between keeps a frame pointer" {
	[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "chains of $(uname -m) have each caller"
	cat >both.c <<-'END'
	#include <pthread.h>
	#include <semaphore.h>
	#include <unistd.h>
	static sem_t s;
	__attribute__((noinline)) void waits_short(void)
	{
		sem_wait(&s);
		__asm__ volatile("");
	}
	__attribute__((noinline)) void waits_long(void)
	{
		sem_wait(&s);
		__asm__ volatile("");
	}
	static void *posts(void *arg)
	{
		for (int i = 0; i < 10; i++) {
			usleep(10000);
			sem_post(&s);
			usleep(50000);
			sem_post(&s);
		}
		return arg;
	}
	int main(void)
	{
		pthread_t t;

		pthread_create(&t, 0, posts, 0);
		for (int i = 0; i < 10; i++) {
			waits_short();
			waits_long();
		}
		return pthread_join(t, 0);
	}
	END
	for flags in "-O1 -fno-omit-frame-pointer" "-O2"; do
		gcc $flags -w -pthread -o both both.c
		for how in -g "--call-graph dwarf"; do
			record --off-cpu $how -o d -- ./both
			stacks d
			# of 500 and 100 ms; Linux 6.18 does not report every switch of an idle CPU
			waited d ';main;waits_long;' 380 5000
			waited d ';main;waits_short;' 70 350
		done
	done
}

@test "a sum for each place, however many waits, and whatever else is on the stack" {
	[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "chains of $(uname -m) have each caller"
	cat >places.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <time.h>
	__attribute__((noinline)) void naps(int *on_heap)
	{
		struct timespec t = { 0, 1000 };
		int *volatile kept[8] = { on_heap, on_heap + 1, on_heap + 2 };

		nanosleep(&t, 0);
		__asm__ volatile("" : : "m"(kept));
	}
	__attribute__((noinline)) void one(int *p) { naps(p); __asm__ volatile(""); }
	__attribute__((noinline)) void two(int *p) { naps(p); __asm__ volatile(""); }
	__attribute__((noinline)) void three(int *p) { naps(p); __asm__ volatile(""); }
	int main(void)
	{
		static void (*const calls[])(int *) = { one, two, three };
		char text[100];

		for (int i = 0; i < 3000; i++) {
			int *p = malloc(64 + i);

			snprintf(text, sizeof(text), "%d %f", i, i * 1.5);
			calls[i % 3](p);
		}
		return 0;
	}
	END
	gcc -O2 -w -o places places.c
	record --off-cpu -g -o d -- ./places
	stacks d
	for each in one two three; do
		waited d ";main;$each;naps;" 1 60000
	done
	"$PERF" script -i d -F comm,event,ip,sym | awk '/offcpu-time/ { chain = ""; on = 1; next }
		!NF && on { n += chain ~ / naps /; on = 0 } on { chain = chain " " $2 } END { print n, "places"; exit !(n >= 3 && n < 20) }'
}

@test "the callers are found where the frame pointer holds anything else" {
	[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "chains of $(uname -m) have each caller"
	cat >anything.c <<-'END'
	#include <pthread.h>
	#include <time.h>
	#include <unistd.h>
	__attribute__((noinline)) void naps(void)
	{
		struct timespec t = { 0, 20000000 };

		nanosleep(&t, 0);
		__asm__ volatile("");
	}
	__attribute__((noinline)) void *thread_naps(void *arg)
	{
		for (int i = 0; i < 20; i++)
			usleep(10000);
		return arg;
	}
	int main(void)
	{
		pthread_t t;

		for (int i = 0; i < 20; i++)
			naps();
		pthread_create(&t, 0, thread_naps, 0);
		return pthread_join(t, 0);
	}
	END
	for flags in "-O2" "-O2 -static" "-O2 -static-pie"; do
		gcc $flags -w -pthread -o anything anything.c
		for how in -g "--call-graph dwarf"; do
			record --off-cpu $how -o d -- ./anything
			echo "$flags $how"
			stacks d
			waited d '^anything;_start;.*;main;naps;[^ ]*nanosleep' 320 5000
			waited d ';start_thread;thread_naps;usleep;[^ ]*nanosleep' 150 5000
			waited d ';main;[^ ]*join[^ ]*;' 150 5000
			run ! grep 'nanosleep.*\[unknown\]\|\[unknown\].*nanosleep' d.stacks
		done
	done
}

@test "callers are found with as many threads as fit into a limit of descriptors once" {
	cat >many.c <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	static void *waits(void *arg)
	{
		for (;;) {
			usleep(200000);
			__asm__ volatile("");
		}
		return arg;
	}
	int main(void)
	{
		pthread_t t;

		for (int i = 0; i < 100; i++)
			pthread_create(&t, 0, waits, 0);
		waits(0);
	}
	END
	gcc -O1 -w -pthread -fno-omit-frame-pointer -o many many.c
	./many 3>&- & pid=$!
	sleep 0.3
	# two events for each thread and CPU, and some more
	limit=$((101 * $(nproc) * 5 / 2 + 100))
	(ulimit -n $limit && record --off-cpu -g -p $pid -o many.data -- sleep 0.6) || { kill $pid; return 1; }
	kill $pid
	cat said
	run ! grep 'lack the callers' said
	"$PERF" script -i many.data -F comm,event,ip,sym | awk '/offcpu-time/ { n++ } $2 == "waits" { found++ } END { print n, found; exit !(n >= 100 && found >= n * 9 / 10) }'
}

@test "waits before an exec are those of the program that waited, by both ways" {
	for how in --off-cpu=switches --off-cpu; do
		record $how -o exec.data -- bash -c 'for i in 1 2 3; do read -rt 0.1 < <(sleep 0.3); done; exec sleep 0.2'
		"$PERF" script -i exec.data -F comm,period,event 2>/dev/null | awk '/offcpu-time/ { s[$1] += $2 / 1e6 } END { for (c in s) print c, s[c] }' >got
		cat got
		# the shell waited 300 ms, less than what it was kept from a CPU, and the program that took its place 200;
		# the shell's children wait as sleep, too
		awk '$1 == "bash" { exit !($2 >= 200 && $2 < 2000) }' got
		awk '$1 == "sleep" { exit !($2 >= 180) }' got
		[ "$(grep -cE '^(bash|sleep) ' got)" -eq 2 ]
	done
}

@test "a thread that executes a program is followed, by both ways" {
	cat >thread.c <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	static void *other(void *arg)
	{
		usleep(200000);
		execl("./program", "program", (char *)0);
		return arg;
	}
	int main(void)
	{
		pthread_t t;

		return pthread_create(&t, 0, other, 0) || pthread_join(t, 0) || 1;
	}
	END
	cat >program.c <<-'END'
	#include <unistd.h>
	int main(void)
	{
		usleep(300000);
		execlp("sleep", "sleep", "0.1", (char *)0);
		return 1;
	}
	END
	gcc -O1 -w -pthread -o thread thread.c
	gcc -O1 -w -o program program.c
	for how in --off-cpu=switches --off-cpu; do
		record $how -o thread.data -- ./thread
		"$PERF" script -i thread.data -F comm,period,event 2>/dev/null |
			awk '/offcpu-time/ { s[$1] += $2 / 1e6 } END { for (c in s) print c, s[c] }' >got
		cat got
		# the leader waits for the other
		awk '$1 == "thread" { exit !($2 >= 300) }' got
		awk '$1 == "program" { n = $2 >= 295 } END { exit !n }' got
		awk '$1 == "sleep" { n = $2 >= 95 } END { exit !n }' got
	done
}

@test "without BPF: waits of a task that changes CPUs are in order, although each CPU has its ring" {
	[ "$(nproc)" -ge 2 ] || skip "one CPU"
	cat >hop.c <<-'END'
	#define _GNU_SOURCE
	#include <sched.h>
	#include <stdio.h>
	#include <sys/prctl.h>
	#include <time.h>
	#include <unistd.h>
	int main(void)
	{
		struct timespec a, b;
		double slept = 0;
		char name[16];

		for (int i = 0; i < 100; i++) {
			cpu_set_t one;

			snprintf(name, sizeof(name), i % 4 ? "short" : "long");
			prctl(PR_SET_NAME, name);
			clock_gettime(CLOCK_MONOTONIC, &a);
			CPU_ZERO(&one);
			CPU_SET(i % 2, &one);
			sched_setaffinity(0, sizeof(one), &one); /* waits, too */
			usleep(i % 4 ? 1000 : 20000);
			clock_gettime(CLOCK_MONOTONIC, &b);
			if (i % 4)
				slept += (b.tv_sec - a.tv_sec) * 1e3 + (b.tv_nsec - a.tv_nsec) / 1e6;
		}
		printf("%.3f\n", slept);
		return 0;
	}
	END
	gcc -O1 -w -o hop hop.c
	"$PERF" record -q -e cpu-clock -F 100 --off-cpu=switches -o hop.data -- ./hop >slept
	"$PERF" script -i hop.data -F comm,period,event 2>/dev/null |
		awk '/offcpu-time/ { s[$1] += $2 / 1e6 } END { print s["short"], s["long"] }' >got
	cat slept got
	# a long wait that counts as short would show at once
	awk 'NR == FNR { most = $1; next } { exit !($1 >= 74 && $1 <= most + 1 && $2 >= 495) }' slept got
}

@test "refusals" {
	run -129 "$PERF" record --off-cpu-thresh 5 true
	[[ "$output" == *"--off-cpu-thresh needs --off-cpu"* ]]
	run -129 "$PERF" record --off-cpu -k tai true
	run -129 "$PERF" record --off-cpu -D 100 true
	run -129 "$PERF" record --off-cpu --threads true
	[ ! -e perf.data ]
}

@test "beside waits, page faults and tracepoints stay counts and the clock is time, in any order of events" {
	for events in page-faults,cpu-clock sched:sched_switch,task-clock cpu-clock,page-faults; do
		"$PERF" record -q --off-cpu -g -F 499 -e $events -o d -- sh -c "'$PERF' test -w noploop 0.5; sleep 0.3" 2>/dev/null
		"$PERF" report --folded -i d | awk '{ split($1, a, ";"); t[a[1]] += $NF } END { for (k in t) print k, t[k] }' >got
		cat got
		# the clock's samples are ns: how many half a second has depends on what else runs
		awk '/-clock/ { on = $2 } /^page-faults|^sched:/ { other = $2 } END { exit !(on > 2e7 && on < 1e9 && other < 1e5) }' got
	done
}
