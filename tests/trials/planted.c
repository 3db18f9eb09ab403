// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs of which it is known where their time goes, for perf report --brief: planted NAME runs
 * one for about half a second.  planted with no name lists all, each with what a digest has to
 * name.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A call is never a jump, so that each function has a frame. */
#define PLANTED __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))
#define BUSY_NS 500000000L

static volatile unsigned long sum;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Calls work() again and again for so long. */
static void repeat(void (*work)(void), long ns)
{
	long end = now() + ns;

	while (now() < end)
		work();
}

PLANTED static void spin(long loops)
{
	for (long i = 0; i < loops; i++)
		sum += (unsigned long)i;
	sum++;
}

/* ---- hot functions ---- */

PLANTED static void checksum_block(void)
{
	for (long i = 0; i < 200000; i++)
		sum += (unsigned long)i * 7;
}

PLANTED static void level_three(void)
{
	checksum_block();
	sum++;
}
PLANTED static void level_two(void)
{
	level_three();
	sum++;
}
PLANTED static void level_one(void)
{
	level_two();
	sum++;
}

static void deep(void)
{
	repeat(level_one, BUSY_NS);
}

PLANTED static void tokenize_input(void)
{
	for (long i = 0; i < 200000; i++)
		sum ^= (unsigned long)i;
}

PLANTED static void compress_output(void)
{
	for (long i = 0; i < 160000; i++)
		sum -= (unsigned long)i * 3;
}

PLANTED static void two_sides(void)
{
	tokenize_input();
	compress_output();
}

static void two(void)
{
	repeat(two_sides, BUSY_NS);
}

PLANTED static int walk_tree(int depth)
{
	spin(50);
	return depth ? walk_tree(depth - 1) + walk_tree(depth - 1) : 1;
}

PLANTED static void walk(void)
{
	sum += (unsigned long)walk_tree(12);
}

static void recursion(void)
{
	repeat(walk, BUSY_NS);
}

static inline __attribute__((always_inline)) void mix_colours(void)
{
	for (long i = 0; i < 200000; i++)
		sum += (unsigned long)i ^ sum;
}

PLANTED static void draw_picture(void)
{
	mix_colours();
	sum++;
}

static void inlined(void)
{
	repeat(draw_picture, BUSY_NS);
}

enum { PAGES = 8 << 20 };
static char from[PAGES], to[PAGES];

PLANTED static void copy_frames(void)
{
	memcpy(to, from, PAGES);
	sum += (unsigned long)to[sum % PAGES];
}

static void copy(void)
{
	memset(from, 1, PAGES);
	repeat(copy_frames, BUSY_NS);
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

PLANTED static void sort_orders(void)
{
	static int v[20000];

	for (int i = 0; i < 20000; i++)
		v[i] = i * 7919 % 20011;
	qsort(v, 20000, sizeof(*v), by_value);
	sum += (unsigned long)v[3];
}

static void library(void)
{
	repeat(sort_orders, BUSY_NS);
}

/* Many functions, none of them large, and one that is. */
/* clang-format off */
#define SMALL(n) PLANTED static void small_##n(void) { spin(1000 + n); }
SMALL(1) SMALL(2) SMALL(3) SMALL(4) SMALL(5) SMALL(6) SMALL(7) SMALL(8) SMALL(9)
	/* clang-format on */
	PLANTED static void look_up_price(void)
{
	for (long i = 0; i < 30000; i++)
		sum += (unsigned long)i * 5;
}

PLANTED static void many_steps(void)
{
	small_1();
	small_2();
	small_3();
	small_4();
	small_5();
	small_6();
	small_7();
	small_8();
	small_9();
	look_up_price();
}

static void many(void)
{
	repeat(many_steps, BUSY_NS);
}

static void through_pointer(void)
{
	static void (*volatile handler)(void) = checksum_block;

	repeat(handler, BUSY_NS);
}

/* ---- the kernel's work ---- */

PLANTED static void ask_parent(void)
{
	for (int i = 0; i < 1000; i++)
		sum += (unsigned long)syscall(SYS_getppid);
}

static void syscalls(void)
{
	repeat(ask_parent, BUSY_NS);
}

PLANTED static void touch_pages(void)
{
	char *p = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	for (long i = 0; i < PAGES; i += 4096)
		p[i] = 1;
	munmap(p, PAGES);
}

static void faults(void)
{
	repeat(touch_pages, BUSY_NS);
}

PLANTED static void read_zeros(void)
{
	static char buffer[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	if (fd < 0 || read(fd, buffer, sizeof(buffer)) < 0)
		exit(1);
	close(fd);
}

static void reads(void)
{
	repeat(read_zeros, BUSY_NS);
}

/* ---- signals, threads and processes ---- */

PLANTED static void count_ticks(int number)
{
	(void)number;
	checksum_block();
	sum++;
}

static void handler(void)
{
	struct sigaction action = { .sa_handler = count_ticks };
	long end = now() + BUSY_NS;

	sigaction(SIGUSR1, &action, NULL);
	while (now() < end)
		raise(SIGUSR1);
}

static void *encode_part(void *arg)
{
	(void)arg;
	repeat(compress_output, BUSY_NS);
	return NULL;
}

static void start(int threads, void *(*run)(void *))
{
	pthread_t t[8];

	for (int i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, NULL))
			exit(1);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
}

static void threads(void)
{
	start(4, encode_part);
}

static void processes(void)
{
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			repeat(tokenize_input, BUSY_NS);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

/* ---- waits ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

PLANTED static void update_account(void)
{
	pthread_mutex_lock(&lock);
	usleep(2000);
	pthread_mutex_unlock(&lock);
	sum++;
}

static void *bank(void *arg)
{
	(void)arg;
	for (int i = 0; i < 60; i++)
		update_account();
	return NULL;
}

static void contention(void)
{
	start(4, bank);
}

PLANTED static void back_off(void)
{
	usleep(20000);
	sum++;
}

static void sleeps(void)
{
	repeat(back_off, BUSY_NS);
}

/* Data that must reach the disk, or a pipe that nobody fills in time. */
static int ends[2];

PLANTED static void receive_reply(void)
{
	char c;

	if (read(ends[0], &c, 1) != 1)
		exit(1);
	sum++;
}

static void io(void)
{
	if (pipe(ends))
		exit(1);
	if (!fork()) {
		for (int i = 0; i < 50; i++) {
			usleep(10000);
			if (write(ends[1], "x", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < 50; i++)
		receive_reply();
	wait(NULL);
}

PLANTED static void await_event(void)
{
	poll(NULL, 0, 25);
	sum++;
}

static void polls(void)
{
	repeat(await_event, BUSY_NS);
}

static sem_t work_done;

PLANTED static void collect_result(void)
{
	sem_wait(&work_done);
	sum++;
}

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 0; i < 40; i++) {
		repeat(checksum_block, 12000000);
		sem_post(&work_done);
	}
	return NULL;
}

/* One thread computes, the other one waits for it. */
static void semaphore(void)
{
	pthread_t t;

	sem_init(&work_done, 0, 0);
	if (pthread_create(&t, NULL, produce, NULL))
		exit(1);
	for (int i = 0; i < 40; i++)
		collect_result();
	pthread_join(t, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
	const char *kind;    /* how it is recorded: "hot", or "wait" */
	const char *planted; /* names of functions; all must be there */
} programs[] = {
	{ "deep", deep, "hot", "checksum_block" },
	{ "two", two, "hot", "tokenize_input compress_output" },
	{ "recursion", recursion, "hot", "walk_tree" },
	{ "inlined", inlined, "hot", "mix_colours" },
	{ "copy", copy, "hot", "copy_frames" },
	{ "library", library, "hot", "sort_orders" },
	{ "many", many, "hot", "look_up_price" },
	{ "pointer", through_pointer, "hot", "checksum_block" },
	{ "syscalls", syscalls, "hot", "ask_parent" },
	{ "faults", faults, "hot", "touch_pages" },
	{ "reads", reads, "hot", "read_zeros" },
	{ "handler", handler, "hot", "count_ticks" },
	{ "threads", threads, "hot", "compress_output" },
	{ "processes", processes, "hot", "tokenize_input" },
	{ "contention", contention, "wait", "update_account" },
	{ "sleeps", sleeps, "wait", "back_off" },
	{ "io", io, "wait", "receive_reply" },
	{ "polls", polls, "wait", "await_event" },
	{ "semaphore", semaphore, "wait", "collect_result" },
	/* it computes in one thread, and the other one waits: both are said */
	{ "both", semaphore, "wait", "checksum_block" },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (argc < 2)
			printf("%s %s %s\n", programs[i].name, programs[i].kind,
			       programs[i].planted);
		else if (!strcmp(argv[1], programs[i].name)) {
			programs[i].run();
			return 0;
		}
	return argc > 1;
}
