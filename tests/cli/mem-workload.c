// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads and the accesses to memory that they make, written to the file that is the first
 * argument as mem-shim.c reads them; the configs of the events for loads and for stores follow. The
 * thread "reader" loads hot.first; the main thread stores to hot.second, in the same cache line,
 * and loads cold.depth.
 * Without arguments it waits for a signal.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct counters {
	long first, second;
} __attribute__((aligned(128)));

struct settings {
	int width, depth;
	long limit;
} __attribute__((aligned(128)));

struct counters hot;
struct settings cold;

/* The access is the first instruction of each. */
#define ACCESS __attribute__((noinline, noclone, noipa))
/* Each has one line, for tests of lines. */
/* clang-format off */
ACCESS long load_first(void) { return hot.first; }
ACCESS void store_second(long v) { hot.second = v; }
ACCESS int load_depth(void) { return cold.depth; }
/* clang-format on */

#define LOAD              PERF_MEM_S(OP, LOAD)
#define STORE             PERF_MEM_S(OP, STORE)
#define LEVEL(how, which) (PERF_MEM_S(LVL, how) | PERF_MEM_S(LVL, which))
#define SNOOP(how)        PERF_MEM_S(SNOOP, how)
#define TLB_HIT_L1        (PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1))

static FILE *out;
static unsigned long load, store;

static void say(unsigned long config, void *ip, void *addr, const char *weight,
		unsigned long data_src)
{
	struct timespec now;
	unsigned cpu = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	getcpu(&cpu, NULL);
	fprintf(out, "%lx %lx %x %lx %x %lx %lx %s %lx %lx 1000\n", config,
		(unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec, getpid(),
		syscall(SYS_gettid), cpu, (unsigned long)ip, (unsigned long)addr, weight, data_src,
		0x40000000 + (unsigned long)addr % 4096);
}

static void *reader(void *arg)
{
	prctl(PR_SET_NAME, "reader");
	for (int i = 0; i < 6; i++) {
		load_first();
		/* 6 * 100 */
		say(load, load_first, &hot.first, "64,7,3",
		    LOAD | LEVEL(HIT, L3) | SNOOP(HITM) | TLB_HIT_L1);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc == 1)
		return pause();
	out = argc > 3 ? fopen(argv[1], "w") : NULL;
	if (!out)
		return 1;
	load = strtoul(argv[2], NULL, 16);
	store = strtoul(argv[3], NULL, 16);
	pthread_create(&other, NULL, reader, NULL);
	pthread_join(other, NULL);
	for (int i = 0; i < 4; i++) {
		store_second(i);
		say(store, store_second, &hot.second, "0",
		    STORE | (i ? LEVEL(HIT, L1) : LEVEL(MISS, L1)) | TLB_HIT_L1);
	}
	for (int i = 0; i < 2; i++) {
		load_depth();
		say(load, load_depth, &cold.depth, i ? "1c2,20,0" : "15e,8,1", /* 450 and 350 */
		    LOAD | (i ? LEVEL(HIT, LOC_RAM) : LEVEL(HIT, L1)) | SNOOP(NONE) | TLB_HIT_L1);
	}
	return fclose(out) != 0;
}
