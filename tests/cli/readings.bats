#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Groups that only their leader samples ('{a,b}:S'): each counter of each task is shown with what it counted.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	"$BATS_TEST_DIRNAME/make-samples" lives lives
	"$BATS_TEST_DIRNAME/make-samples" --big-endian lives swapped
	cat >work.c <<-'EOT'
	#include <pthread.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <sys/prctl.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static void touch(const char *name, long pages)
	{
		char *p = mmap(0, pages * 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		prctl(PR_SET_NAME, name);
		madvise(p, pages * 4096, MADV_NOHUGEPAGE);
		for (long i = 0; i < pages; i++)
			p[i * 4096] = 1;
	}
	static void *thread(void *arg) { touch("thread", 3000); return arg; }
	int main(void)
	{
		pthread_t t;

		touch("main", 1000);
		pthread_create(&t, 0, thread, 0);
		pthread_join(t, 0);
		if (!fork()) {
			touch("child", 5000);
			_exit(0);
		}
		wait(0);
		return 0;
	}
	EOT
	gcc -O1 -pthread -o work work.c
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

# sums by event and comm of lines "comm period event:"
sums() {
	awk '{ sub(":.*", ":", $3); s[$3 " " $1] += $2 } END { for (k in s) print k, s[k] }' | LC_ALL=C sort
}

LIVES="cycles: again 500
cycles: beside 45
cycles: first 300
instructions: again 40
instructions: beside 4
instructions: first 20"

@test "script: an inherited counter is that of one task in one life" {
	for f in lives swapped; do
		[ "$("$PERF" script -i $f -F comm,period,event | sums)" = "$LIVES" ]
		[ "$("$PERF" script -i - -F comm,period,event <$f | sums)" = "$LIVES" ]
	done
	[ "$("$PERF" script -i lives -F event,ip --json | grep -c '"event"')" -eq 10 ]
}

@test "report: the same, and --stats counts each member" {
	"$PERF" report -q --stdio -i lives -s comm --show-total-period -n 2>/dev/null |
		awk 'NF { print $7, $3, $4, $5, $6 }' >got
	diff - got <<-'EOT'
	again 1 1 500 40
	first 2 2 300 20
	beside 2 2 45 4
	EOT
	"$PERF" report --stats -i lives --skip-empty | grep -A1 'stats:' | grep SAMPLE | awk '{ print $3 }' | tail -2 >got
	printf '5\n5\n' | diff - got
}

@test "samples that a filter leaves out are no part of the next one" {
	# the second half of the time: the readings before it are not lost
	run "$PERF" script -i lives --time 1.003,9 -F comm,period,event
	[ "$(sums <<<"$output")" = "cycles: again 500
cycles: beside 40
cycles: first 200
instructions: again 40
instructions: beside 3
instructions: first 5" ]
	"$PERF" report -q --stdio -i lives --time 1.003,9 -s comm --show-total-period 2>/dev/null |
		awk 'NF { print $NF, $3, $4 }' >got
	diff - got <<-'EOT'
	again 500 40
	first 200 5
	beside 40 3
	EOT
}

@test "diff and data convert have a row for each counter" {
	"$PERF" diff --compute delta -s comm lives lives >got
	[ "$(grep -cE "Event '(cycles|instructions)" got)" -eq 2 ]
	# 300 of 845, 20 of 64
	[ "$(awk '$NF == "first" { print $1 }' got | paste -sd' ')" = "35.50% 31.25%" ]
	rm -f out.json
	"$PERF" data convert --to-json out.json -i lives 2>/dev/null
	[ "$(python3 -c 'import json; print(len(json.load(open("out.json"))["samples"]))')" = 10 ]
}

@test "record: threads and children count in a group, each from 0" {
	"$PERF" record -q -e '{page-faults,cpu-clock}:S' -c 1 -o group ./work
	"$PERF" script -i group -F comm,period,event | grep page-faults: | sums >got
	inherits=$("$PERF" evlist -v -i group | grep -c 'inherit: 1') || true
	if [ "$inherits" -eq 0 ]; then # before Linux 6.12
		run ! grep -E 'thread|child' got
		"$PERF" record -e '{page-faults,cpu-clock}:S' -c 1 -o group ./work 2>&1 |
			grep -q "^note: .*cannot read the counters of 'page-faults' in threads and child processes"
		return
	fi
	[ "$inherits" -eq 2 ]
	while read -r _ comm n; do
		case $comm in
		main) [[ $n -ge 1000 && $n -lt 1400 ]] ;;
		thread) [[ $n -ge 3000 && $n -lt 3100 ]] ;;
		child) [[ $n -ge 5000 && $n -lt 5100 ]] ;;
		esac
	done <got
	[ "$(grep -cE 'main|thread|child' got)" -eq 3 ]
	# for perfs that do not know such files
	"$PERF" record -q --no-inherit -e '{page-faults,cpu-clock}:S' -c 1 -o alone ./work
	run ! grep -E 'thread|child' <("$PERF" script -i alone -F comm,event)
	run "$PERF" evlist -v -i alone
	[[ "$output" != *"inherit: 1"* ]]
}

@test "record: a thread that executes a program counts on, and not again" {
	cat >execs.c <<-'EOT'
	#include <pthread.h>
	#include <sys/mman.h>
	#include <sys/prctl.h>
	#include <unistd.h>
	static void touch(const char *name, long pages)
	{
		char *p = mmap(0, pages * 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		prctl(PR_SET_NAME, name);
		madvise(p, pages * 4096, MADV_NOHUGEPAGE);
		for (long i = 0; i < pages; i++)
			p[i * 4096] = 1;
	}
	static void *thread(void *name)
	{
		touch("thread", 3000);
		return (void *)(long)execl(name, name, "again", (char *)0);
	}
	int main(int argc, char **argv)
	{
		pthread_t t;

		if (argc > 1) {
			touch("after", 500);
			return 0;
		}
		touch("main", 1000);
		pthread_create(&t, 0, thread, argv[0]);
		pthread_join(t, 0);
		return 1;
	}
	EOT
	gcc -O1 -pthread -o execs execs.c
	"$PERF" record -q -e '{page-faults,cpu-clock}:S' -c 1 -o execs.data ./execs
	"$PERF" evlist -v -i execs.data | grep -q 'inherit: 1' || skip "the kernel cannot inherit such groups"
	for from in execs.data -; do
		"$PERF" script -i $from -F comm,period,event <execs.data | grep page-faults: | sums >got
		while read -r _ comm n; do
			case $comm in
			main) [[ $n -ge 1000 && $n -lt 1400 ]] ;;
			thread) [[ $n -ge 3000 && $n -lt 3200 ]] ;;
			after) [[ $n -ge 500 && $n -lt 600 ]] ;;
			execs) [[ $n -lt 500 ]] ;;
			esac || { cat got; return 1; }
		done <got
		[ "$(grep -cE 'main|thread|after' got)" -eq 3 ]
	done
}

# within FILE NS: what cpu-clock counted on each CPU is something, and not more than the time that went by
within() {
	"$PERF" script -i "$1" -F cpu,event,period | awk -v most="$2" '
		/cpu-clock/ { sum[$1] += $(NF - 1) }
		END { for (cpu in sum) { n++; print cpu, sum[cpu], most; if (sum[cpu] > most) bad = 1 }; exit bad || !n }'
}

@test "a counter of a whole CPU goes on from task to task, whatever the attribute says of inheriting" {
	for target in -a '-C 0'; do
		began=$(date +%s%N)
		# shellcheck disable=SC2086
		"$PERF" record -q $target -o cpus -F 300 -e '{cpu-clock,task-clock}:S' -- \
			sh -c 'for i in 1 2 3 4 5 6 7 8; do taskset -c 0 sh -c "i=0; while [ \$i -lt 5000 ]; do i=\$((i+1)); done"; done'
		within cpus $(($(date +%s%N) - began))
		[[ "$("$PERF" evlist -v -i cpus | grep '^cpu-clock')" != *"inherit: 1"* ]]
	done
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf"
	began=$(date +%s%N)
	"${RIVAL_PERF:-/usr/bin/perf}" record -q -a -o theirs -F 300 -e cpu-clock:S -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do taskset -c 0 sh -c "i=0; while [ \$i -lt 5000 ]; do i=\$((i+1)); done"; done'
	within theirs $(($(date +%s%N) - began))
}

@test "top: each member has its own shares" {
	cat >top.c <<-'EOT'
	#include <sys/mman.h>
	#include <unistd.h>
	static char *p;
	__attribute__((noinline)) void touch_many(void)
	{
		for (long i = 0; i < 6000; i++)
			p[i * 4096] = 1;
	}
	__attribute__((noinline)) void wait_often(void)
	{
		for (long i = 6000; i < 6300; i++) {
			usleep(100);
			p[i * 4096] = 1;
		}
	}
	int main(void)
	{
		p = mmap(0, 6300 * 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(p, 6300 * 4096, MADV_NOHUGEPAGE);
		read(0, p, 1);
		touch_many();
		wait_often();
		return (int)read(0, p, 1);
	}
	EOT
	gcc -O1 -w -o top top.c
	mkfifo go
	./top <go 3>&- & pid=$!
	exec 8>go
	"$PERF" top --stdio -d 0.3 -e '{page-faults,context-switches}:S' -c 1 -p $pid >table 3>&- 8>&- & perf=$!
	until grep -q PerfTop table; do kill -0 $perf; sleep 0.1; done
	echo >&8
	until grep -q wait_often table; do kill -0 $perf; sleep 0.1; done
	sleep 0.7
	kill -INT $perf
	exec 8>&-
	wait $perf $pid || true
	cat table
	# one row for each: 6,000 and 300 of the faults; the switches are those of the waits, but for what a busy machine adds
	awk '$NF == "touch_many" { many = $1; few = $2 } $NF == "wait_often" { rest = $1; most = $2 }
		END { exit !(many >= 94.5 && many <= 96.5 && rest >= 3.5 && rest <= 5.5 && few < 30 && most > 70) }' \
		<(tr -d % <table)
}
