#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine of 400 CPUs, and a process of 4,000 threads: rings, descriptors, tables.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/threads.c" <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	static void *rest(void *arg) { for (;;) pause(); return arg; }
	int main(int argc, char **argv)
	{
		pthread_attr_t attr;
		pthread_t thread;
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 32768);
		for (int n = atoi(argv[argc - 1]); n > 0; n--)
			if (pthread_create(&thread, &attr, rest, NULL))
				return 1;
		puts("started");
		fflush(stdout);
		pause();
	}
	END
	gcc -O2 -pthread -o "$FILES/threads" "$FILES/threads.c"
}

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true || skip "no mount namespace can be made here"
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	end_jobs
}

on_400() {
	"$BATS_TEST_DIRNAME/with-cpus" "$FILES" 400 "$@"
}

@test "each of 400 CPUs has its ring and its place, and no sample is lost or told twice" {
	cat >touch.c <<-'END'
	#include <sys/mman.h>
	int main(void)
	{
		char *pages = mmap((void *)0x700000000000, 300 * 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		madvise(pages, 300 * 4096, MADV_NOHUGEPAGE);
		for (int i = 0; i < 300; i++)
			pages[i * 4096] = 1;
		return 0;
	}
	END
	gcc -O0 -o touch touch.c
	on_400 "$PERF" record -q -d -e page-faults -c 1 -o data -- ./touch
	"$PERF" report --header-only -I -i data >header
	grep -q '^# nrcpus online : 400$' header
	grep -q '^# sibling sockets : 0-99$' header
	[ "$(grep -c '^# sibling threads : ' header)" -eq 200 ]
	ids=$(sed -n 's/.*name = page-faults.* id = {\([^}]*\)}.*/\1/p' header)
	[ "$(tr ',' '\n' <<<"$ids" | sort -u | grep -c '[0-9]')" -eq 400 ]
	# each page is touched once, on a CPU that so many numbers stand for
	"$PERF" script -i data -F comm,addr | sed -n 's/^ *touch *\(70000[0-9a-f]*\)$/\1/p' | sort | uniq -c >each
	[ "$(wc -l <each)" -eq 300 ]
	awk -v share=$((400 / $(nproc))) '$1 < share || $1 > share + 1 { exit 1 }' each
	"$PERF" script -i data --ns -F time | tr -d ' :' | sort -c -n
}

@test "stat counts on 400 CPUs, each in a row of its own, and by core and socket" {
	on_400 "$PERF" stat -a -A -x, -o rows -e cpu-clock -- sleep 0.1
	[ "$(grep -c '^CPU[0-9]*,[1-9]' rows)" -eq 400 ]
	on_400 "$PERF" stat -a --per-core -x, -o rows -e cpu-clock -- sleep 0.1
	[ "$(grep -c '^S[0-3]-D0-C[0-9]*,2,[1-9]' rows)" -eq 200 ]
	on_400 "$PERF" stat -a --per-socket -x, -o rows -e cpu-clock -- sleep 0.1
	[ "$(cut -d, -f1,2 rows | grep '^S' | xargs)" = "S0,100 S1,100 S2,100 S3,100" ]
	on_400 "$PERF" stat -C 7,399 -A -x, -o rows -e cpu-clock -- sleep 0.1
	[ "$(grep -o '^CPU[0-9]*' rows | xargs)" = "CPU7 CPU399" ]
}

@test "top watches 400 CPUs" {
	on_400 "$PERF" top --stdio -d 0.5 --iterations 2 -e cpu-clock -F 20 >tables 2>errors
	[ "$(grep -c '(all, 400 CPUs)' tables)" -eq 2 ]
	[ "$(grep -cE '^ +[0-9]+\.[0-9]+%' tables)" -ge 2 ]
}

@test "a process of 4,000 threads: each has its counter, and its ring" {
	"$FILES/threads" 3999 >said 3>&- &
	until_true grep -q started said
	"$PERF" stat -p $! --per-thread -x, -o rows -e task-clock -- sleep 0.1
	[ "$(grep -c '^threads-[0-9]*,' rows)" -eq 4000 ]
	"$PERF" record -q -p $! -e cpu-clock -F 20 -o data -- sleep 0.1
	[ "$("$PERF" script -i data --show-task-events -F comm,tid | grep -c 'PERF_RECORD_COMM.*threads')" -eq 4000 ]
	"$PERF" record -q -a -e dummy -o all -- true
	[ "$("$PERF" script -i all --show-task-events -F comm,tid | grep -c 'PERF_RECORD_COMM: threads')" -eq 4000 ]
}
