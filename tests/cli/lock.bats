#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf lock: waits of known length from files, contention as it happens, futexes of a known program.
bats_require_minimum_version 1.5.0
load wait

other=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	lockdep | "$BATS_TEST_DIRNAME/make-tracepoints" dep.data
	contention | "$BATS_TEST_DIRNAME/make-tracepoints" cont.data
	cat >fut.c <<-'END'
		#include <pthread.h>
		#include <semaphore.h>
		#include <stdlib.h>
		#include <unistd.h>
		/* N rounds: one thread holds the mutex for 2 ms, the other waits for it once in each */
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static sem_t held, tried;
		static int rounds;
		__attribute__((noinline)) void taker(void)
		{
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
			__asm__ volatile("");
		}
		static void *waiter(void *a)
		{
			for (int i = 0; i < rounds; i++) {
				sem_wait(&held);
				taker();
				sem_post(&tried);
			}
			return a;
		}
		__attribute__((noinline)) void holder(void)
		{
			volatile int *word = (int *)&m;
			while (*word != 2) /* until it waits */
				usleep(100);
			usleep(2000);
			pthread_mutex_unlock(&m);
			__asm__ volatile("");
		}
		int main(int argc, char **argv)
		{
			pthread_t t;
			rounds = argc > 1 ? atoi(argv[1]) : 1;
			sem_init(&held, 0, 0);
			sem_init(&tried, 0, 0);
			pthread_create(&t, 0, waiter, 0);
			for (int i = 0; i < rounds; i++) {
				pthread_mutex_lock(&m);
				sem_post(&held);
				holder();
				sem_wait(&tried);
			}
			pthread_join(t, 0);
			return 0;
		}
	END
	cat >maps.c <<-'END'
		#include <pthread.h>
		#include <sys/mman.h>
		static void *map(void *a)
		{
			for (int i = 0; i < 3000; i++) {
				char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				*p = 1;
				munmap(p, 8192);
			}
			return a;
		}
		int main(void)
		{
			pthread_t t[8];
			for (int i = 0; i < 8; i++)
				pthread_create(t + i, 0, map, 0);
			for (int i = 0; i < 8; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	cc -O1 -g -o fut fut.c -lpthread
	cc -O1 -g -o maps maps.c -lpthread
	printf '%s\n' '0000000080000000 T __lock_text_start' '0000000080000000 T _raw_spin_lock' \
		'0000000080000100 T __lock_text_end' '0000000080000100 T __sched_text_start' \
		'0000000080000100 T mutex_lock' '0000000080000200 T __sched_text_end' \
		'0000000080000200 T first_caller' '0000000080000300 T second_caller' '0000000080000400 T sys_thing' \
		'0000000080000500 T end' '0000000080000600 D big_lock' '0000000080000700 D other_lock' \
		'0000000080000800 T last' >ks
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	unset HOME
}

teardown() {
	end_jobs
}

# Class "a" has two instances: 0xa1 is contended twice (100 and 300 ns), 0xa2 never.
lockdep() {
	cat <<-'END'
		comm 7 worker
		event lock:lock_acquire lockdep_addr:ptr flags:u32 name:text
		event lock:lock_acquired name:text lockdep_addr:ptr
		event lock:lock_contended name:text lockdep_addr:ptr
		event lock:lock_release name:text lockdep_addr:ptr
		at 1000 0 7 lock:lock_acquire 0xa1 0 a_class_with_a_rather_long_name
		at 1010 0 7 lock:lock_contended a_class_with_a_rather_long_name 0xa1
		at 1110 0 7 lock:lock_acquired a_class_with_a_rather_long_name 0xa1
		at 1120 0 7 lock:lock_release a_class_with_a_rather_long_name 0xa1
		at 2000 1 8 lock:lock_acquire 0xa1 0 a_class_with_a_rather_long_name
		at 2010 1 8 lock:lock_contended a_class_with_a_rather_long_name 0xa1
		at 2310 1 8 lock:lock_acquired a_class_with_a_rather_long_name 0xa1
		at 2320 1 8 lock:lock_release a_class_with_a_rather_long_name 0xa1
		at 3000 0 7 lock:lock_acquire 0xa2 0 a_class_with_a_rather_long_name
		at 3001 0 7 lock:lock_acquired a_class_with_a_rather_long_name 0xa2
		at 3002 0 7 lock:lock_release a_class_with_a_rather_long_name 0xa2
		at 4000 0 7 lock:lock_acquire 0xb1 2 rcu
		at 4001 0 7 lock:lock_acquire 0xb1 2 rcu
		at 4002 0 7 lock:lock_release rcu 0xb1
		at 4003 0 7 lock:lock_release rcu 0xb1
		at 5000 0 7 lock:lock_acquire 0xc1 0 odd
		at 5001 0 7 lock:lock_acquired odd 0xc1
		at 5002 0 7 lock:lock_acquired odd 0xc1
		at 6000 0 7 lock:lock_acquired before 0xd1
	END
}

# Two waits of 1 ms and 3 ms at first_caller, of them one with two begins; a spin on each idle CPU.
contention() {
	cat <<-'END'
		kernel 80000000 10000
		comm 7 worker
		event lock:contention_begin lock_addr:ptr flags:u32
		event lock:contention_end lock_addr:ptr ret:s32
		chain 80000110 80000210 80000410
		at 1000000 0 7 lock:contention_begin 0x80000600 32
		at 2000000 0 7 lock:contention_end 0x80000600 0
		chain 80000110 80000210 80000410
		at 3000000 0 7 lock:contention_begin 0x80000600 33
		chain 80000110 80000210 80000410
		at 4000000 0 7 lock:contention_begin 0x80000600 32
		at 6000000 1 7 lock:contention_end 0x80000600 0
		chain 80000010 80000310 80000410
		at 7000000 0 0 lock:contention_begin 0xf1 1
		chain 80000010 80000310 80000410
		at 7000100 1 0 lock:contention_begin 0xf1 1
		at 7000300 0 0 lock:contention_end 0xf1 0
		at 7000700 1 0 lock:contention_end 0xf1 0
		chain 80000110 80000310 80000410
		at 9000000 0 8 lock:contention_begin 0xe1 4
	END
}

@test "a number that two tasks had is two threads" {
	for flags in "" --big-endian; do
		# shellcheck disable=SC2086 # nothing or one option
		"$BATS_TEST_DIRNAME/make-tracepoints" $flags twice.data <<-'END'
		kernel 80000000 10000
		comm 7 worker
		event lock:contention_begin lock_addr:ptr flags:u32
		event lock:contention_end lock_addr:ptr ret:s32
		chain 80000110 80000210 80000410
		at 1000000 0 7 lock:contention_begin 0x80000600 32
		at 2000000 0 7 lock:contention_end 0x80000600 0
		exit 2500000 0 7/7
		fork 2550000 0 7/7
		comm 7 another 2600000
		chain 80000110 80000210 80000410
		at 3000000 0 7 lock:contention_begin 0x80000600 32
		at 6000000 1 7 lock:contention_end 0x80000600 0
		END
		run -0 --separate-stderr "$PERF" lock contention -t -i twice.data
		[ "$(grep -E '(worker|another)' <<<"$output" | awk '{ print $1, $2, $8, $9 }')" = "1 3.00 7 another
1 1.00 7 worker" ] || { echo "$output"; return 1; }
	done
}

@test "an average is rounded to the nearest nanosecond" {
	"$BATS_TEST_DIRNAME/make-tracepoints" odd.data <<-'END'
	kernel 80000000 10000
	comm 7 worker
	event lock:contention_begin lock_addr:ptr flags:u32
	event lock:contention_end lock_addr:ptr ret:s32
	chain 80000110 80000210 80000410
	at 1000000 0 7 lock:contention_begin 0x80000600 32
	at 1000100 0 7 lock:contention_end 0x80000600 0
	chain 80000110 80000210 80000410
	at 2000000 0 7 lock:contention_begin 0x80000600 32
	at 2000201 0 7 lock:contention_end 0x80000600 0
	END
	"$PERF" lock contention -j -i odd.data --output out.json
	python3 -c 'import json; r = json.load(open("out.json"))["locks"]
assert [(x["contended"], x["wait_total"], x["avg_wait"]) for x in r] == [(2, 301, 151)], r'
}

has_events() {
	[ -r /sys/kernel/tracing/events/lock/contention_begin/id ] || skip "this kernel has no lock:contention_begin"
}

@test "report: acquisitions, contentions and times of each lock, with whole names" {
	run -0 "$PERF" lock report -i dep.data
	[ "$(awk '$1 ~ /^(a_class|rcu|odd)/ { $1 = $1; print }' <<<"$output")" = \
"a_class_with_a_rather_long_name 2 2 200 ns 400 ns 300 ns 100 ns
rcu 2 0 0 ns 0 ns 0 ns 0 ns
a_class_with_a_rather_long_name 1 0 0 ns 0 ns 0 ns 0 ns
odd 1 0 0 ns 0 ns 0 ns 0 ns" ]
	grep -qx 'bad: 1, total: 5' <<<"$output"
	grep -qx '   acquired: 1' <<<"$output"
}

@test "report: by class, by thread, chosen and sorted columns" {
	run -0 "$PERF" lock report -i dep.data -c -F acquired,wait_total -k wait_max -E 1
	[ "$(sed -n 3p <<<"$output" | xargs)" = "a_class_with_a_rather_long_name 3 400 ns 300 ns" ]
	[ "$(head -1 <<<"$output" | xargs)" = "Name acquired total wait max wait" ]
	run -0 "$PERF" lock report -i dep.data -t -F acquired
	grep -qE '^ +worker +5 $' <<<"$output"
	grep -qE '^ +:8 +1 $' <<<"$output"
}

@test "report and info agree with the system's perf but for cut names" {
	[ -x $other ] || skip "no other perf"
	$other lock report -i dep.data 2>&1 | sed -n 's/^ *a_class[^ ]*\|^ *\(rcu\|odd\)/\1/p' | sort >theirs
	"$PERF" lock report -i dep.data | sed -n 's/^ *a_class[^ ]*\|^ *\(rcu\|odd\)/\1/p' | sort >ours
	[ -s theirs ]
	diff -b theirs ours
	diff <($other lock info -m -i dep.data 2>&1) <("$PERF" lock info -m -i dep.data)
}

@test "info: threads and the map of locks" {
	[ "$("$PERF" lock info -t -i dep.data)" = " Thread ID: comm
         7: worker
         8: :8" ]
	[ "$("$PERF" lock info -m -i dep.data | tail -1)" = " 0xb1: rcu" ]
}

@test "contention: the first of several begins counts, idle tasks are told apart, callers are not lock code" {
	run -0 --separate-stderr "$PERF" lock contention -i cont.data --kallsyms ks
	[ "$(tail -n +3 <<<"$output" | xargs -L1)" = \
"2 4.00 ms 3.00 ms 2.00 ms mutex first_caller+0x10
2 900 ns 600 ns 450 ns spinlock second_caller+0x10
1 0 ns 0 ns 0 ns rwsem:W second_caller+0x10" ]
	[ "$(head -1 <<<"$output")" = " contended   total wait     max wait     avg wait         type   caller" ]
}

@test "contention: callers that look equal are one row, but with -v and in JSON" {
	# the second wait came to first_caller by another way
	contention | awk '/^chain/ && ++n > 1 && n < 4 { sub("80000410", "80000450") } 1' |
		"$BATS_TEST_DIRNAME/make-tracepoints" ways.data
	rows() { "$PERF" lock contention -i ways.data --kallsyms ks "$@" 2>/dev/null; }
	[ "$(rows | tail -n +3)" = "$("$PERF" lock contention -i cont.data --kallsyms ks 2>/dev/null | tail -n +3)" ]
	[ "$(rows -x, -F contended,wait_total | sed 1d)" = "2, 4000000, mutex, first_caller+0x10
2, 900, spinlock, second_caller+0x10
1, 0, rwsem:W, second_caller+0x10" ]
	[ "$(rows -v -F contended | grep -c 'mutex *first_caller')" -eq 2 ]
}

@test "contention: by lock, by thread, -v, --hist, -x and JSON" {
	run -0 --separate-stderr "$PERF" lock contention -l -i cont.data --kallsyms ks -E 1
	[ "$(tail -1 <<<"$output" | xargs)" = "2 4.00 ms 3.00 ms 2.00 ms 0000000080000600 big_lock (mutex) first_caller+0x10" ]
	run -0 --separate-stderr "$PERF" lock contention -t -i cont.data -k contended
	[ "$(sed -n 3p <<<"$output" | xargs)" = "2 4.00 ms 3.00 ms 2.00 ms 7 worker" ]
	run -0 --separate-stderr "$PERF" lock contention -v --hist -i cont.data --kallsyms ks -E 1
	grep -q $'^\t\t\t0x80000410  sys_thing+0x10$' <<<"$output"
	[ "$(grep -c ' 1 |####' <<<"$output")" -eq 2 ]
	run -0 --separate-stderr "$PERF" lock contention -x, -i cont.data --kallsyms ks -F contended,wait_total
	[ "$output" = "# output: contended, total wait, type, caller
2, 4000000, mutex, first_caller+0x10
2, 900, spinlock, second_caller+0x10
1, 0, rwsem:W, second_caller+0x10" ]
	"$PERF" lock contention -j -i cont.data --kallsyms ks --output out.json
	python3 -c 'import json; r = json.load(open("out.json"))["locks"]
assert [x["wait_total"] for x in r] == [4000000, 900, 0]
assert r[0]["type"] == "mutex" and r[0]["stack"][-1]["symbol"] == "sys_thing+0x10"
assert sum(s["count"] for s in r[1]["histogram"]) == 2'
	"$PERF" lock contention -j -l -i cont.data --kallsyms ks --output out.json
	python3 -c 'import json; r = json.load(open("out.json"))["locks"]
assert [x.get("symbol") for x in r] == ["big_lock", None, None], r'
}

@test "contention: only some locks, kinds, callers, tasks, CPUs and times" {
	rows() { "$PERF" lock contention -i cont.data --kallsyms ks -F contended -k contended "$@" | tail -n +3 | xargs -L1; }
	[ "$(rows -Y spinlock)" = "2 spinlock second_caller+0x10" ]
	[ "$(rows -Y rwsem,mutex | wc -l)" -eq 2 ]
	[ "$(rows -L big_lock)" = "2 mutex first_caller+0x10" ]
	[ "$(rows -L 0xf1)" = "2 spinlock second_caller+0x10" ]
	[ "$(rows -S first_c)" = "2 mutex first_caller+0x10" ]
	[ "$(rows --pid 7)" = "2 mutex first_caller+0x10" ]
	[ "$(rows --tid 8)" = "1 rwsem:W second_caller+0x10" ]
	[ "$(rows -C 1)" = "1 spinlock second_caller+0x10" ]
	# a wait counts where it began, wherever it ended
	run -0 --separate-stderr "$PERF" lock contention -i cont.data --kallsyms ks -C 0 -Y mutex -x, -F contended,wait_total
	[ "${lines[1]}" = "2, 4000000, mutex, first_caller+0x10" ]
	[ "$(rows --stack-skip 2 -E 1)" = "2 mutex sys_thing+0x10" ]
	[ "$(rows --max-stack 1 -E 1 | cut -d' ' -f2-)" = "mutex Unknown" ]
	[ "$(rows --time 0.0065,0.008)" = "2 spinlock second_caller+0x10" ]
	run -1 "$PERF" lock contention -i cont.data --kallsyms ks -L small_lock
	[[ "$output" == *"no lock is named 'small_lock'"* ]]
}

@test "waits that were open when records were lost are left out, and said" {
	{ contention; printf '%s\n' 'lost 10000000 0 5' 'at 11000000 0 8 lock:contention_end 0xe1 0'; } |
		"$BATS_TEST_DIRNAME/make-tracepoints" lost.data
	run -0 --separate-stderr "$PERF" lock contention -i lost.data --kallsyms ks
	grep -qE '^ +1 +0 ns +0 ns +0 ns +rwsem:W' <<<"$output"
	[[ "$stderr" == *"waits that were open when records were lost are left out"* ]]
	[[ "$("$PERF" lock contention -j -i lost.data --kallsyms ks 2>/dev/null)" == '{"lost": 1, '* ]]
}

@test "record, and the same sums as the system's perf" {
	has_events
	"$PERF" lock record -q -o rec.data -- ./maps
	"$PERF" lock contention -i rec.data -x, -F contended,wait_total >ours
	grep -q 'rwsem:W, .*vm_mmap_pgoff' ours
	[ -x $other ] || return 0
	# by task no call chain takes part, so both see the same
	$other lock contention -i rec.data -t 2>&1 | awk 'NF > 5 && $1 ~ /^[0-9]+$/ { print $(NF-1), $1 }' | sort >theirs
	"$PERF" lock contention -i rec.data -t | awk 'NF > 5 && $1 ~ /^[0-9]+$/ { print $(NF-1), $1 }' | sort >ours
	[ -s theirs ]
	diff theirs ours
}

@test "futexes: N waits for a mutex, where, for whom, and how long" {
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	"$PERF" lock record --user -q -o fut.data -- ./fut 25
	run -0 "$PERF" lock contention --user -i fut.data -Y user-mutex -v
	row=$(grep 'user-mutex' <<<"$output")
	[ "$(xargs <<<"$row" | cut -d' ' -f1)" -eq 25 ]
	[[ "$row" == *" taker+0x"* ]]
	# each wait is 2 ms at least
	run -0 "$PERF" lock contention --user -i fut.data -Y user-mutex -x, -F wait_min,wait_total -v
	awk -F, '/user-mutex/ { exit !($1 > 1500000 && $2 > 25 * 1500000) }' <<<"$output"
	run -0 "$PERF" lock contention --user -i fut.data -l
	grep -q 'user-mutex) taker' <<<"$output"
	grep -qE 'waited for: fut/[0-9]+ in holder\+0x[0-9a-f]+ \(25\)' <<<"$output"
	# who ended the waits of a thread is known, although that was another thread
	waiter=$("$PERF" lock contention --user -i fut.data -Y user-mutex -t -x, -F contended | awk -F', ' 'NR == 2 { print $3 }')
	"$PERF" lock contention --user -i fut.data --tid "$waiter" -Y user-mutex |
		grep -qE 'waited for: fut/[0-9]+ in holder\+0x[0-9a-f]+ \(25\)'
	# waits for a condition, a semaphore or the end of a thread are of another kind
	grep -q '(user-sem) waiter' <<<"$output"
}

@test "record: --user anywhere among the options, and not among the words of the command" {
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	"$PERF" lock record -q -m 256 -o words.data --user -- true --user
	"$PERF" evlist -i words.data | grep -qx syscalls:sys_enter_futex
	has_events
	"$PERF" lock record -qo words.data true --user
	"$PERF" evlist -i words.data | grep -qx lock:contention_begin
}

@test "futexes: only some kinds, and only some callers" {
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	"$PERF" lock record --user -q -o fut.data -- ./fut 5
	run -0 "$PERF" lock contention --user -i fut.data -Y user-mutex -x, -F contended
	[ "$(tail -n +2 <<<"$output" | wc -l)" -eq 1 ]
	[[ "${lines[1]}" == "5, "*" user-mutex, taker"* ]]
	run -0 "$PERF" lock contention --user -i fut.data -Y join,user-sem -x, -F contended
	[[ "$output" == *user-sem* && "$output" != *user-mutex* ]]
	run -0 "$PERF" lock contention --user -i fut.data -S taker -x, -F contended
	[ "$(tail -n +2 <<<"$output" | grep -c .)" -eq 1 ]
	[[ "${lines[1]}" == "5, "*taker* ]]
	run -0 "$PERF" lock contention --user -i fut.data -Y user-sem -S taker -q
	[ -z "$output" ]
	run -0 "$PERF" lock contention --user -i fut.data -Y user-mutex -t -x, -F contended
	[[ "$(tail -n +2 <<<"$output")" == "5, "*", fut" ]]
}

# two threads that each wait for the other's mutex until the process ends
deadlock() {
	cat >dead.c <<-'END'
		#include <fcntl.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <unistd.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static void *take(void *a)
		{
			pthread_mutex_lock(&m);
			return a;
		}
		int main(void)
		{
			pthread_t t;
			char c;
			if (read(0, &c, 1) != 1)
				return 1;
			pthread_mutex_lock(&m);
			pthread_create(&t, 0, take, 0);
			while (*(volatile int *)&m != 2) /* until it waits */
				usleep(100);
			puts("waits");
			fflush(stdout);
			while (read(0, &c, 1) == 1)
				;
			_exit(0);
		}
	END
	cc -O1 -g -o dead dead.c -lpthread
}

@test "futexes: a wait that does not end is counted, and said" {
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	deadlock
	mkfifo go said
	./dead <go >said 3>&- & pid=$!
	exec 8>go 7<said
	cat >until.sh <<-'END'
		echo >&8
		read -r word <&7
	END
	"$PERF" lock record --user -q -o dead.data -p $pid -- bash until.sh
	exec 8>&- 7<&-
	wait $pid
	run -0 --separate-stderr "$PERF" lock contention --user -i dead.data -x, -F contended,wait_total
	[[ "${lines[1]}" == "1, 0, "*take* ]]
	[[ "$stderr" == "warning: a wait had not ended when the recording did: it is counted, but its time is not known"* ]]
}

has_bpf() {
	has_events
	"$PERF" lock contention -ab -- true >/dev/null 2>why || skip "no BPF: $(cat why)"
}

# until_counted PATTERN FILE OPTION...: ./maps contends where its threads run side by side, which a
# busy machine does not always let them do.
until_counted() {
	local i

	for i in $(seq 10); do
		"$PERF" lock contention -b "${@:3}" -- ./maps >"$2"
		! grep -qE -- "$1" "$2" || return 0
	done
	cat "$2"
	return 1
}

@test "-b: counted in the kernel, by caller, lock, thread, owner and cgroup" {
	has_bpf
	until_counted 'rwsem:W, .*vm_m' by_caller -x, -F contended,wait_total,wait_max,wait_min -v
	# the longest is not longer than the sum, nor shorter than the shortest
	awk -F', ' '!/^#/ { n++; if ($3 > $2 || $4 > $3 || $1 < 1) exit 1 } END { exit !n }' by_caller
	until_counted 'mmap_lock \(rwsem' by_lock -l -Y rwsem
	"$PERF" lock contention -b -t -F contended -k contended -- ./maps >by_thread
	[ "$(grep -cE '^ +[0-9]+ +[0-9]+   maps$' by_thread)" -ge 2 ]
	# on one CPU an owner does not run while another waits, and is not known
	[ "$(nproc)" -lt 2 ] || until_counted '^ +[0-9]+ +[1-9][0-9]*   maps$' by_owner -o -Y rwsem -F contended -k contended
	"$PERF" lock contention -b --lock-cgroup -F contended -k contended -- ./maps >by_cgroup
	grep -qE '^ +[0-9]+   /' by_cgroup
}

@test "-b: only some kinds, callers, CPUs and processes" {
	has_bpf
	until_counted 'rwsem:R' some -Y rwsem:R -x, -F contended
	! grep -qE 'rwsem:W|spinlock' some || return 1
	until_counted munmap some -S munmap -x, -F contended -v
	! grep -q 'lock_mm_and_find_vma' some || return 1
	# another process is not among them
	./maps 3>&- & pid=$!
	"$PERF" lock contention -b -x, -F contended -- sleep 0.2 >some
	wait $pid
	! grep -q 'vm_mmap_pgoff' some || return 1
	# it ends with the process, where there is no command
	sleep 1 3>&- & pid=$!
	run -0 timeout 60 "$PERF" lock contention -b -p $pid
	"$PERF" lock contention -b -p $$ -x, -F contended -- ./maps >some
	! grep -q 'vm_mmap_pgoff' some || return 1
}

@test "-b: -S and -Y choose waits by their stacks, also in rows of threads and locks" {
	has_bpf
	until_counted 'maps$' by_thread -t -S munmap -x, -F contended
	run ! grep -qE '^[0-9]' <("$PERF" lock contention -b -t -S no_such_function -x, -F contended -- ./maps 2>/dev/null)
	until_counted 'mmap_lock' by_lock -l -S munmap -x, -F contended
	run -129 "$PERF" lock contention -b -o -v -S munmap -- true
	[[ "$output" == *"--callstack-filter is about those who wait"* ]]
}

@test "-b --user: a number that two tasks had is two threads, of one kind of lock" {
	has_bpf
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	cat >reuse.c <<-'END'
	#define _GNU_SOURCE
	#include <linux/sched.h>
	#include <pthread.h>
	#include <signal.h>
	#include <stdint.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/prctl.h>
	#include <sys/syscall.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_barrier_t b;
	static int rounds;
	static void *holder(void *a)
	{
		for (int i = 0; i < rounds; i++) {
			pthread_mutex_lock(&m);
			pthread_barrier_wait(&b);
			while (*(volatile int *)&m != 2) /* until the other waits */
				usleep(100);
			usleep(1000);
			pthread_mutex_unlock(&m);
			pthread_barrier_wait(&b);
		}
		return a;
	}
	static void wait_for_mutex(const char *name, int n)
	{
		pthread_t t;

		prctl(PR_SET_NAME, name);
		rounds = n;
		pthread_barrier_init(&b, 0, 2);
		pthread_create(&t, 0, holder, 0);
		for (int i = 0; i < n; i++) {
			pthread_barrier_wait(&b);
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
			pthread_barrier_wait(&b);
		}
		pthread_join(t, 0);
		_exit(0);
	}
	int main(void)
	{
		pid_t number = fork();
		int status = 1;
		uint64_t ids[1];
		struct clone_args a = { .exit_signal = SIGCHLD, .set_tid = (uintptr_t)ids, .set_tid_size = 1 };

		if (!number)
			wait_for_mutex("first", 10);
		waitpid(number, 0, 0);
		ids[0] = number;
		number = syscall(SYS_clone3, &a, sizeof(a));
		if (!number)
			wait_for_mutex("second", 5);
		return number < 0 || waitpid(number, &status, 0) != number || status;
	}
	END
	gcc -O1 -w -pthread -o reuse reuse.c
	./reuse || skip "no right to choose a process's number"
	"$PERF" lock contention -b --user -t -Y user-mutex -x, -F contended -- ./reuse >got
	cat got
	# (who waited longest is first)
	[ "$(awk -F', ' '!/^#/ { print $1, $4 }' got | sort -rn)" = "10 first
5 second" ]
	[ "$(awk -F', ' '!/^#/ { print $3 }' got | sort -u | wc -l)" -eq 1 ]
}

@test "-b --user: N waits for a mutex" {
	has_bpf
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	run -0 "$PERF" lock contention -b --user -l -Y user-mutex -x, -F contended,wait_min -- ./fut 25
	[ "$(tail -n +2 <<<"$output" | wc -l)" -eq 1 ]
	awk -F', ' '/user-mutex/ { exit !($1 == 25 && $2 > 1500000) }' <<<"$output"
}

# two_paths: threads that wait for one word, half of them by way of north(), half by way of south()
two_paths() {
	cat >paths.c <<-'END'
		#include <linux/futex.h>
		#include <pthread.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static int word;
		__attribute__((noinline)) void rest(void)
		{
			struct timespec t = { 0, 1000000 };
			syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, 0, 0);
			__asm__ volatile("");
		}
		__attribute__((noinline)) void wait_once(void) { rest(); __asm__ volatile(""); }
		__attribute__((noinline)) void north(void) { wait_once(); __asm__ volatile(""); }
		__attribute__((noinline)) void south(void) { wait_once(); __asm__ volatile(""); }
		static void *run(void *a)
		{
			for (int i = 0; i < 20; i++)
				a ? north() : south();
			return a;
		}
		int main(void)
		{
			pthread_t t[4];
			for (long i = 0; i < 4; i++)
				pthread_create(t + i, 0, run, (void *)(i / 3));
			for (int i = 0; i < 4; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	END
	cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o paths paths.c -lpthread
}

# in_runtime: a thread that waits in a function of its language's run-time, as Go names them
in_runtime() {
	cat >stalls.c <<-'END'
		#include <linux/futex.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static int word;
		void take(void) __asm__("runtime.lock2");
		__attribute__((noinline)) void take(void)
		{
			struct timespec t = { 0, 1000000 };
			syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, 0, 0);
			__asm__ volatile("");
		}
		__attribute__((noinline)) void buy(void) { take(); __asm__ volatile(""); }
		__attribute__((noinline)) void serve(void) { buy(); __asm__ volatile(""); }
		__attribute__((noinline)) void work(void) { serve(); __asm__ volatile(""); }
		int main(void)
		{
			for (int i = 0; i < 20; i++)
				work();
			return 0;
		}
	END
	cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o stalls stalls.c
}

@test "--user: the place is the first function outside of the run-time, with two callers" {
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	in_runtime
	"$PERF" lock record -q -o stalls.data --user ./stalls
	run -0 "$PERF" lock contention -i stalls.data --user
	[ "$(grep -cE '^ +20 .* futex   buy\+0x[0-9a-f]+ <- serve <- work$' <<<"$output")" -eq 1 ]
	if "$PERF" check -q feature bpf_skeletons && [ -e /sys/kernel/btf/vmlinux ]; then
		run -0 "$PERF" lock contention -b --user -- ./stalls
		[ "$(grep -cE '^ +20 .* futex   buy\+0x[0-9a-f]+ <- serve <- work$' <<<"$output")" -eq 1 ]
	fi
}

@test "-b --user: by call chain, of a program with frame pointers" {
	has_bpf
	[ -r /sys/kernel/tracing/events/syscalls/sys_enter_futex/id ] || skip "no syscall tracepoints"
	two_paths
	run -0 "$PERF" lock contention -b --user -j -- ./paths
	python3 -c 'import json, sys
rows = json.loads(sys.argv[1])["locks"]
def waits(name):
    return sum(r["contended"] for r in rows if any(f["symbol"].startswith(name + "+") for f in r.get("stack", [])))
assert (waits("north"), waits("south"), waits("wait_once")) == (20, 60, 80), rows
assert not any(n in str(r) for r in rows for n in ("north", "south") if all(m in str(r) for m in ("north", "south")))' "$output"
}

@test "-b -J: the next owner of a lock keeps it longer" {
	has_bpf
	for bad in 1ms ms@mmap_lock 1s@mmap_lock 11ms@mmap_lock 0@mmap_lock 10000001@0x10 1ms@ 5ms@a,3; do
		run -129 "$PERF" lock contention -b -J "$bad" -- true
		[ "$status" -eq 129 ] || { echo "$bad: $output"; return 1; }
	done
	run -129 "$PERF" lock contention -J 1ms@mmap_lock
	[[ "$output" == *"--inject-delay need --use-bpf"* ]]
	run -129 "$PERF" lock contention -b --user -J 1ms@mmap_lock -- true
	run -1 "$PERF" lock contention -b -J 1ms@no_such_lock -- true
	[[ "$output" == *"no lock is named 'no_such_lock'"* ]]
	for _ in $(seq 10); do
		run -0 --separate-stderr "$PERF" lock contention -b -J 100us@mmap_lock -Y rwsem:W -j -- ./maps
		[[ "$stderr" != *"delayed by --inject-delay"* ]] || break
	done
	[[ "$stderr" == *"warning: a task that had waited for a lock was delayed by --inject-delay"* ]]
	"$PERF" lock contention -b -J 1ns@0x10 -- ./maps 2>err >/dev/null
	! grep -q delayed err || return 1
}

# sleeping_owner: a thread that sleeps while it has the lock of a file, and one that waits for it
sleeping_owner() {
	cat >owner.c <<-'END'
		#include <fcntl.h>
		#include <linux/userfaultfd.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/ioctl.h>
		#include <sys/mman.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		/* One thread sleeps on a page of its own making while it reads, and holds the file's lock. */
		static int fd;
		static volatile int tids[2];
		static void *reader(void *to)
		{
			char here[64];
			tids[!to] = (int)syscall(SYS_gettid);
			return (void *)(read(fd, to ? to : here, 64) < 0 ? reader : NULL);
		}
		static void until(int which, const char *states)
		{
			char path[64], line[512], *at;
			for (;;) {
				snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tids[which]);
				int f = open(path, O_RDONLY), n = f >= 0 ? (int)read(f, line, sizeof(line) - 1) : 0;
				close(f);
				line[n > 0 ? n : 0] = 0;
				at = strrchr(line, ')');
				if (at && strchr(states, at[2]))
					return;
				usleep(1000);
			}
		}
		int main(void)
		{
			long size = getpagesize();
			char *page = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			int u = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
			struct uffdio_api api = { .api = UFFD_API };
			struct uffdio_register r = { .range = { (unsigned long)page, size }, .mode = UFFDIO_REGISTER_MODE_MISSING };
			struct uffdio_zeropage zero = { .range = { (unsigned long)page, size } };
			struct uffd_msg m;
			pthread_t a, b;
			fd = open("/proc/self/status", O_RDONLY);
			if (u < 0 || fd < 0 || dup(fd) < 0 || ioctl(u, UFFDIO_API, &api) || ioctl(u, UFFDIO_REGISTER, &r))
				return 77;
			pthread_create(&a, 0, reader, page);
			if (read(u, &m, sizeof(m)) != sizeof(m)) /* it waits for its page */
				return 1;
			until(0, "SD");
			pthread_create(&b, 0, reader, 0);
			until(1, "D");
			if (ioctl(u, UFFDIO_ZEROPAGE, &zero))
				return 1;
			pthread_join(a, 0);
			pthread_join(b, 0);
			return 0;
		}
	END
	cc -O1 -o owner owner.c -lpthread
	timeout 60 ./owner || skip "no userfaultfd"
}

@test "-b -o -v: where the owner was" {
	has_bpf
	[ "$(printf '6.2\n%s\n' "$(uname -r)" | sort -V | head -1)" = 6.2 ] || skip "Linux $(uname -r)"
	sleeping_owner
	run -0 timeout 60 "$PERF" lock contention -b -o -v -Y mutex -- ./owner
	[[ "$output" == *"type   where the owner was"* ]]
	grep -qE '^ +1 .* mutex   handle_userfault\+0x' <<<"$output"
	grep -qE '0x[0-9a-f]+  seq_read_iter\+0x' <<<"$output"
	# and where the waiter was, without the programs that counted it
	run -0 timeout 60 "$PERF" lock contention -b -v -Y mutex --max-stack 1 -- ./owner
	grep -qE '^ +1 .* mutex   (fdget_pos|seq_read_iter)\+0x' <<<"$output"
	[ "$(grep -cE '^\s+0x' <<<"$output")" -eq 1 ]
	grep -qE '^\s+0x[0-9a-f]+  (fdget_pos|seq_read_iter)\+0x[0-9a-f]+$' <<<"$output"
	run -0 timeout 60 "$PERF" lock contention -b -o -Y mutex -v -x, -F contended -k contended -- ./owner
	[ "${lines[0]}" = "# output: contended, type, owner_at" ]
	[ "$(grep -cE '^1, mutex, handle_userfault' <<<"$output")" -eq 1 ]
	run -0 timeout 60 "$PERF" lock contention -b -o -Y mutex -F contended -k contended -- ./owner
	grep -qE '^ +[1-9][0-9]* +[1-9][0-9]*   owner$' <<<"$output"
}

@test "-b: maps that are full are said, nothing stays loaded, a signal ends it" {
	has_bpf
	for _ in $(seq 10); do # more than two have to wait
		run -0 --separate-stderr "$PERF" lock contention -b -l -M 2 -- ./maps
		[[ "$stderr" != *"waits for which the maps had no room are left out"* ]] || break
	done
	[[ "$stderr" == *"waits for which the maps had no room are left out"*"--map-nr-entries"* ]]
	for _ in $(seq 10); do # two places have to contend
		run -0 --separate-stderr "$PERF" lock contention -b -M 1 -- ./maps
		[[ "$stderr" != *"has no call chain, because that map was full"* ]] || break
	done
	[[ "$stderr" == *"has no call chain, because that map was full"*"--map-nr-entries"* ]]
	"$PERF" lock contention -ab >out.txt 2>err.txt 3>&- & pid=$!
	for _ in $(seq 100); do
		[ -n "$(ls -l /proc/$pid/fd 2>/dev/null | grep bpf-prog)" ] && break
		sleep 0.05
	done
	kill -INT $pid
	wait $pid || [ $? -eq 130 ]
	grep -q 'total wait' out.txt
	# kill -9: the programs are gone with the process
	"$PERF" lock contention -ab >out.txt 2>err.txt 3>&- & pid=$!
	for _ in $(seq 100); do
		ids=$(grep -hs prog_id /proc/$pid/fdinfo/* | awk '{ print $2 }' | sort -u) && [ -n "$ids" ] && break
		sleep 0.05
	done
	[ -n "$ids" ]
	kill -9 $pid
	wait $pid || true
	command -v bpftool >/dev/null || return 0
	for id in $ids; do
		for _ in $(seq 40); do bpftool prog show id $id >/dev/null 2>&1 || break; sleep 0.05; done
		! bpftool prog show id $id >/dev/null 2>&1 || return 1
	done
}

@test "-b: what needs it, and what it cannot" {
	run -129 "$PERF" lock contention -o
	[[ "$output" == *"need --use-bpf"* ]]
	run -129 "$PERF" lock contention -b -i cont.data
	run -129 "$PERF" lock contention -b --user -o
	run -129 "$PERF" lock contention -b -M 0
	run -127 "$PERF" lock contention -b -- no-such-program
	[[ "$output" == *"no-such-program"* ]]
	has_bpf
	run -1 "$PERF" lock contention -b -G no-such-cgroup -- true
	[[ "$output" == *"no-such-cgroup"* ]]
	run -1 "$PERF" lock contention -b -C 60000 -- true
	[[ "$output" == *"CPU 60000 is not online"* ]]
	run -1 "$PERF" lock contention -b -p 4194304 -- true
	[[ "$output" == *"4194304"* ]]
}

@test "what a recording lacks is said, with what records it" {
	run -1 "$PERF" lock contention -i dep.data
	[[ "${lines[0]}" == "error: 'dep.data' has no event 'lock:contention_begin'"* ]]
	[[ "${lines[1]}" == "hint: record with: perf lock record" ]]
	run -1 "$PERF" lock contention --user -i dep.data
	[[ "$output" == *"perf lock record --user"* ]]
	run -1 "$PERF" lock contention --user -i cont.data
	[[ "${lines[1]}" == "hint: it has locks of the kernel: leave out --user" ]]
	"$BATS_TEST_DIRNAME/make-tracepoints" user.data <<-'END'
		event syscalls:sys_enter_futex uaddr:ptr op:u64
		at 1000 0 7 syscalls:sys_enter_futex 0x10 0
	END
	run -1 "$PERF" lock contention -i user.data
	[[ "${lines[1]}" == "hint: it has locks of user space: perf lock contention --user" ]]
	run -1 "$PERF" lock report -i nothing.data
	[[ "$output" == *"nothing.data"* ]]
}

@test "a table without rows says why" {
	printf '%s\n' 'comm 7 worker' 'event lock:contention_begin lock_addr:ptr flags:u32' \
		'event lock:contention_end lock_addr:ptr ret:s32' >empty
	"$BATS_TEST_DIRNAME/make-tracepoints" empty.data <empty
	run -0 --separate-stderr "$PERF" lock report -i empty.data
	[ "$stderr" = "note: the table is empty: no lock was acquired or waited for" ]
	run -0 --separate-stderr "$PERF" lock contention -i empty.data
	[ "$stderr" = "note: the table is empty: no task waited for a lock" ]
	run -0 --separate-stderr "$PERF" lock contention -p 999999 -i cont.data
	[ "$stderr" = "note: the table is empty: no task waited for a lock, of what the options choose" ]
	run -0 --separate-stderr "$PERF" lock contention -q -i empty.data
	[ -z "$stderr" ]
	run -0 --separate-stderr "$PERF" lock contention -i cont.data
	[[ "$stderr" != *"the table is empty"* ]]
}

@test "wrong uses" {
	run -129 "$PERF" lock
	run -129 "$PERF" lock re
	run -129 "$PERF" lock info -i dep.data
	run -129 "$PERF" lock report -k none -i dep.data
	[[ "$output" == *"'none' is not a key: acquired, contended"* ]]
	run -129 "$PERF" lock contention -F acquired
	run -129 "$PERF" lock contention -Y turnstile
	[[ "$output" == *"'turnstile' is not a kind of lock"* ]]
	run -129 "$PERF" lock contention -l -t
	run -129 "$PERF" lock contention -x, -j
	run -129 "$PERF" lock contention -x, --hist -i cont.data
	[[ "$output" == *"--json has histograms"* ]]
	for list in x 1,y; do
		run -129 "$PERF" lock contention -i cont.data --tid "$list"
		[[ "$output" == *"--tid: "* ]]
	done
	run -129 "$PERF" lock contention --max-stack 0
	run -129 "$PERF" lock report -D
	[[ "$output" == *"perf script -D"* ]]
	run -1 "$PERF" lock contention -i cont.data --output /nowhere/file
	[[ "$output" == *"cannot write '/nowhere/file'"* ]]
}

@test "damaged files" {
	python3 - <<-'END'
		import random, os, subprocess
		random.seed(7)
		for name, kinds in ("dep.data", [["report", "-c"], ["info", "-t", "-m"]]), \
		                   ("cont.data", [["contention", "-v", "--hist"], ["contention", "-l", "-S", "x"]]):
		    data = open(name, "rb").read()
		    for n in range(50):
		        b = bytearray(data)
		        for _ in range(3):
		            b[random.randrange(len(b))] = random.randrange(256)
		        if n % 5 == 0:
		            b = b[:random.randrange(len(b))]
		        open("bad.data", "wb").write(b)
		        for kind in kinds:
		            p = subprocess.run([os.environ["PERF"], "lock", *kind, "-i", "bad.data", "--kallsyms", "ks"],
		                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)
		            assert p.returncode in (0, 1), (kind, p)
	END
}
