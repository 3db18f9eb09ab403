// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record --call-graph dwarf,live for a long time: short processes that come and go, simulated, go
 * through what sits between rings and file.  Resident memory must not grow.
 *
 * SOAK="SECONDS PROCESSES" in the environment (a second): `make soak` has 20,000 a minute, 30
 * minutes long.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting.h"
#include "record/internal.h"
#include "synth.h"
#include "unwind/unwind.h"

#if defined(__SANITIZE_ADDRESS__)
enum { MEMORY_TELLS = 0, SHORT_SECONDS = 30 }; /* what was freed is kept for a while */
#else
enum { MEMORY_TELLS = 1, SHORT_SECONDS = 1800 };
#endif

#define SECOND 1000000000ULL
enum {
	PROGRAM = 0x400000,
	LIBRARY = 0x10000000,
	FILES = 8,
	STACK_BYTES = 1024,
	TURNS = 10 /* a second */,
	PARTS = 5
};
/* x86-64's numbers, 20 of them; other machines find an address that is not mapped. */
enum { REGISTERS = 20, AT_SP = 7, AT_IP = 8 };
#define REGISTER_MASK 0xff0fffULL

static char dir[32]; /* has names that lead to this program */

struct soak {
	u64 seconds, processes; /* processes: a second */
	struct context ctx;
	struct record_settings settings;
	struct recorder rec;
	struct record_stacks *stacks;
	struct synth synth;
	struct event_set set;
	u64 size, random, process, made;
	int output; /* standard output, which is the recording meanwhile */
};

static u64 any(struct soak *k, u64 below)
{
	k->random = k->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (k->random >> 33) % below;
}

static void map(struct soak *k, u32 pid, u64 start, u64 len, u64 time, const char *file)
{
	synth_map(&k->synth, .pid = pid, .tid = pid, .start = start, .len = len, .file = file,
		  .time = time);
}

static void sample(struct soak *k, u32 pid, u64 ip, u64 time)
{
	static const char stack[STACK_BYTES];
	struct synth *s = &k->synth;

	synth_begin(s, PERF_RECORD_SAMPLE, SYNTH_USER);
	synth_u64(s, synth_id(0, 0));
	synth_u64(s, ip);
	synth_u32(s, pid);
	synth_u32(s, pid);
	synth_u64(s, time);
	synth_u64(s, 0); /* CPU */
	synth_u64(s, 1); /* period */
	synth_u64(s, PERF_SAMPLE_REGS_ABI_64);
	for (u32 i = 0; i < REGISTERS; i++)
		synth_u64(s, i == AT_IP ? ip : i == AT_SP ? 0x7fff0000 : 0x7fff0100);
	synth_u64(s, STACK_BYTES);
	strbuf_add(&s->data, stack, STACK_BYTES);
	synth_u64(s, STACK_BYTES);
	synth_end(s);
	k->made++;
}

/*
 * Makes a process like /bin/true: the loader, a library with call frame information, and the end.
 */
static void make_process(struct soak *k, u64 time, u64 lasts)
{
	u64 n = k->process++;
	u32 pid = 1000 + (u32)(n % 30000);
	char name[16], path[64];

	snprintf(name, sizeof(name), "true%u", (unsigned)(n % 20));
	snprintf(path, sizeof(path), "/no/tmp/build.%llu/%s", (unsigned long long)(n / 5), name);
	synth_fork(&k->synth, pid, 1, time);
	synth_exec(&k->synth, pid, pid, name, time + 1000);
	map(k, pid, PROGRAM, 0x1000, time + 2000, path);
	snprintf(path, sizeof(path), "%s/%llu", dir, (unsigned long long)any(k, FILES));
	map(k, pid, LIBRARY, k->size, time + 3000, path);
	sample(k, pid, LIBRARY + any(k, 500) * (k->size / 500), time + lasts / 2);
	sample(k, pid, PROGRAM + 16, time + lasts / 2 + 100);
	synth_exit(&k->synth, pid, pid, time + lasts - 1000);
}

static void take(struct soak *k)
{
	const struct ring_data d = { .first = (const u8 *)k->synth.data.s,
				     .first_size = k->synth.data.len };

	assert_int_equal(k->rec.sink->take(k->rec.sink->arg, 0, &d, NULL), 0);
	assert_int_equal(k->rec.sink->turn(k->rec.sink->arg, false, NULL), 0);
	strbuf_clear(&k->synth.data);
	vec_clear(&k->synth.at);
}

/* Ends a file, once a second: everything so far is written then, so nothing new waits on disk. */
static void end_file(struct soak *k)
{
	assert_int_equal(k->rec.sink->turn(k->rec.sink->arg, true, NULL), 0);
}

static void begin(struct soak *k)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 250000,
		.sample_type = SYNTH_SAMPLE_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = REGISTER_MASK,
		.sample_stack_user = STACK_BYTES,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_TASK,
	};
	const char *given = getenv("SOAK");
	unsigned long long seconds, processes;
	char path[64], exe[512] = "";
	struct stat st;
	int null;

	k->seconds = SHORT_SECONDS;
	k->processes = 333;
	if (given && sscanf(given, "%llu %llu", &seconds, &processes) == 2) {
		k->seconds = seconds;
		k->processes = processes;
	}
	strcpy(dir, "/tmp/perf-soak.XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_int_equal(stat(exe, &st), 0);
	k->size = (u64)st.st_size & ~0xfffULL;
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		assert_int_equal(symlink(exe, path), 0);
	}
	synth_init(&k->synth, false);
	synth_event(&k->synth, &attr, "cpu-clock");
	synth_set(&k->synth, &k->set);
	k->ctx = (struct context){ .buildid_dir = "", .symfs = "" };
	k->settings = (struct record_settings){ .live_stacks = true };
	k->rec = (struct recorder){
		.ctx = &k->ctx, .settings = &k->settings, .set = &k->set, .wake_fd = -1
	};
	assert_int_equal(record_stacks_new(&k->rec, &k->stacks, NULL), 0);
	fflush(stdout);
	k->output = dup(STDOUT_FILENO);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_true(null >= 0 && dup2(null, STDOUT_FILENO) >= 0);
	close(null);
	assert_int_equal(data_create(&k->ctx, "-", false, &k->rec.writer, NULL), 0);
	assert_int_equal(data_write_header(k->rec.writer, record_written_set(&k->rec), NULL), 0);
	assert_int_equal(k->rec.sink->begin(k->rec.sink->arg, "", 0, NULL), 0);
}

static void end(struct soak *k)
{
	end_file(k);
	assert_int_equal(data_finish(k->rec.writer, NULL), 0);
	dup2(k->output, STDOUT_FILENO);
	close(k->output);
}

static void release(struct soak *k)
{
	record_stacks_free(k->stacks);
	event_set_release(&k->set);
	synth_release(&k->synth);
	condition_list_release(&k->ctx.conditions);
}

/* Removes the files. A teardown, because a failure leaves the test immediately. */
static int remove_names(void **state)
{
	char path[64];

	(void)state;
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
	return 0;
}

static u64 resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long all, pages = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu %llu", &all, &pages), 2);
	fclose(f);
	return pages * (u64)sysconf(_SC_PAGESIZE);
}

static void test_short_processes(void **state)
{
	struct soak k = { .random = 1 };
	u64 resident_in[PARTS] = { 0 }, unwound = 0;
	bool tells = MEMORY_TELLS && counts(); /* an emulator's memory is not the program's */

	(void)state;
	begin(&k);
	for (u64 turn = 0; turn < k.seconds * TURNS; turn++) {
		u64 from = (turn + 1) * (SECOND / TURNS), each = SECOND / k.processes;
		u64 *part = &resident_in[turn * PARTS / (k.seconds * TURNS)];

		for (u64 p = 0; p < k.processes / TURNS; p++)
			make_process(&k, from + p * each, each);
		take(&k);
		if (turn % TURNS == TURNS - 1)
			end_file(&k);
		*part += resident() / (k.seconds * TURNS / PARTS);
	}
	end(&k);
	for (u32 i = 0; i < UNWIND_ENDS; i++)
		unwound += record_stacks_ends(k.stacks)[i];
	for (int i = 0; i < PARTS; i++)
		print_message("part %d: %.1f MB resident\n", i + 1, (double)resident_in[i] / 1e6);
	assert_int_equal(unwound, k.made);
	for (int i = 2; i < PARTS; i++)
		if (tells)
			assert_in_range(resident_in[i], 1, resident_in[1] + resident_in[1] / 10);
	release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(test_short_processes,
								      remove_names) };

	return cmocka_run_group_tests_name("stacks_soak", tests, NULL, NULL);
}
