// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf top for a long time: a busy machine's records, made here, go the way that a ring's go, as
 * fast as that can be.  Resident memory and the cost of a table must not grow.
 *
 * `make soak` runs a week of 2 CPUs at 4,000 Hz with 200 processes a second; the tests run less of
 * each. SOAK="SECONDS HZ PROCESSES" in the environment asks for something else, and SOAK_TEST=NAME
 * for one test.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "annotate/annotate.h"
#include "base/text.h"
#include "builtin/top/internal.h"
#include "counting.h"
#include "feed/feed.h"
#include "synth.h"

#if defined(__SANITIZE_ADDRESS__)
enum { MEMORY_TELLS = 0, SHORT_SECONDS = 600 }; /* what was freed is kept for a while */
#else
enum { MEMORY_TELLS = 1, SHORT_SECONDS = 3600 };
#endif

#define SECOND 1000000000ULL
enum {
	REFRESH = 2,
	/* seconds */ DAEMONS = 20,
	FIRST_DAEMON = 40000,
	NAMED_FILES = 24,
	OWN_PLACES = 100
};
#define TABLES (256ULL << 10) /* bytes that symbols may take: less than all files need */
enum { PROGRAM = 0x400000, LIBC = 0x500000, CODE = 0x600000, OWN = 0x10000000 };
enum { JIT = FIRST_DAEMON, LOADER, CHANGER, NAMED }; /* the first daemons */

static char dir[32]; /* has names that lead to this program, which has symbols */

struct soak {
	u64 seconds, hz, processes; /* hz: of each of two CPUs */
	struct context ctx;
	struct synth synth;
	struct event_set set;
	struct top t;
	struct feed *feed;
	u64 size; /* the size of this program, bytes */
	u64 random, made, process;
	/* seen */
	size_t held;    /* things of the pool, after the last table */
	u32 named_most; /* of the NAMED_FILES, whose symbols were there at a time */
};

static u64 any(struct soak *k, u64 below)
{
	k->random = k->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (k->random >> 33) % below;
}

/* Records */

static void map(struct soak *k, u32 pid, u64 start, u64 len, u64 time, const char *file)
{
	synth_map(&k->synth, .pid = pid, .tid = pid, .start = start, .len = len, .file = file,
		  .time = time);
}

static void sample(struct soak *k, u32 pid, u64 ip, u64 time)
{
	const u64 chain[] = { PERF_CONTEXT_USER, ip, LIBC + any(k, 8) * 16,
			      PROGRAM + any(k, 8) * 16, PROGRAM + 0x100 };

	synth_sample(&k->synth, .pid = pid, .tid = pid, .cpu = pid & 1, .time = time, .ip = ip,
		     .period = 250000, .chain = chain, .chain_count = ARRAY_SIZE(chain));
	k->made++;
}

/* A program starts: one in ten is a file of its own, one in five makes code. */
static u32 start_process(struct soak *k, u64 time)
{
	u64 n = k->process++;
	u32 pid = 1000 + (u32)(n % 30000);
	char name[16], path[48];

	snprintf(name, sizeof(name), "job%u", (unsigned)(n % 50));
	snprintf(path, sizeof(path), n % 10 ? "/no/bin/%s" : "/no/tmp/%s.%llu", name,
		 (unsigned long long)n);
	synth_fork(&k->synth, pid, FIRST_DAEMON, time);
	synth_exec(&k->synth, pid, pid, name, time + 1000);
	map(k, pid, PROGRAM, 0x1000, time + 2000, path);
	map(k, pid, LIBC, 0x1000, time + 3000, "/no/lib/libc.so");
	if (n % 5 == 0)
		map(k, pid, CODE, 0x1000, time + 4000, "//anon");
	return pid;
}

/* Processes that live on make code, load and unload, and change their program. */
static void daemons_change(struct soak *k, u64 second, u64 time)
{
	char path[80];

	map(k, JIT, CODE + second % 1024 * 0x1000, 0x1000, time, "//anon");
	snprintf(path, sizeof(path), "/no/plugin/%llu.so", (unsigned long long)second);
	map(k, LOADER, CODE + second % 256 * 0x1000, 0x1000, time, path);
	if (second % 60 == 0) {
		snprintf(path, sizeof(path), "/no/version/%llu", (unsigned long long)second);
		synth_exec(&k->synth, CHANGER, CHANGER, "changer", time);
		map(k, CHANGER, PROGRAM, 0x1000, time + 1000, path);
	}
}

static u64 own_file(const struct soak *k, u64 n)
{
	return OWN + n * (k->size + 0x1000);
}

static void daemons_begin(struct soak *k)
{
	for (u32 i = 0; i < DAEMONS; i++) {
		const u32 pid = FIRST_DAEMON + i;

		synth_fork(&k->synth, pid, 1, 1);
		synth_exec(&k->synth, pid, pid, "daemon", 2);
		map(k, pid, PROGRAM, 0x1000, 3, "/no/bin/daemon");
		map(k, pid, LIBC, 0x1000, 4, "/no/lib/libc.so");
	}
	for (u32 i = 0; i < NAMED_FILES; i++) {
		char path[48];

		snprintf(path, sizeof(path), "%s/%u", dir, i);
		map(k, NAMED, own_file(k, i), k->size, 5, path);
	}
}

static void sample_daemon(struct soak *k, u64 second, u64 time)
{
	u32 i = (u32)any(k, DAEMONS), pid = FIRST_DAEMON + i;

	if (pid == JIT)
		sample(k, pid, CODE + any(k, MIN(second + 1, 1024)) * 0x1000, time);
	else if (pid == LOADER)
		sample(k, pid, CODE + any(k, MIN(second + 1, 256)) * 0x1000, time);
	else if (pid == CHANGER || i % 2)
		sample(k, pid, PROGRAM + any(k, 16) * 16, time);
	else /* one file after the other, for half a minute each */
		sample(k, NAMED,
		       own_file(k, second / 30 % NAMED_FILES) +
			       any(k, OWN_PLACES) * (k->size / OWN_PLACES),
		       time);
}

/* What both rings would hold after a second, in one: samples of what runs, and side-band. */
static void make_second(struct soak *k, u64 second)
{
	u64 begin = (second + 1) * SECOND, each = SECOND / (k->processes + 1);
	u64 samples = 2 * k->hz / (k->processes + 1);

	daemons_change(k, second, begin);
	for (u64 p = 0; p <= k->processes; p++) {
		u64 from = begin + p * each + 10000;
		u32 pid = p < k->processes ? start_process(k, from) : 0;

		for (u64 i = 0; i < samples; i++) {
			u64 time = from + 10000 + i * (each / (samples + 2));

			if (pid && i % 2)
				sample(k, pid, (i % 3 ? PROGRAM : LIBC) + any(k, 4) * 16, time);
			else
				sample_daemon(k, second, time);
		}
		if (pid)
			synth_exit(&k->synth, pid, pid, from + each - 20000);
	}
}

static void feed_second(struct soak *k)
{
	const struct ring_data d = { .first = (const u8 *)k->synth.data.s,
				     .first_size = k->synth.data.len };

	assert_int_equal(feed_take(k->feed, &d, NULL), 0);
	feed_round(k->feed);
	assert_int_equal(feed_work(k->feed, 0, NULL), 1);
	strbuf_clear(&k->synth.data);
	vec_clear(&k->synth.at);
}

/* perf top */

static void begin(struct soak *k, const char *sort, bool chains)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 250000,
		.sample_type = SYNTH_SAMPLE_TYPE | (chains ? PERF_SAMPLE_CALLCHAIN : 0),
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_TASK,
	};
	const struct symbol_options symbols = { .symfs = "", .buildid_dir = "" };
	const char *given = getenv("SOAK");
	struct reason r = REASON_INIT;
	struct top *t = &k->t;
	unsigned long long seconds, hz, processes;
	char path[64];
	struct stat st;

	k->seconds = SHORT_SECONDS;
	k->hz = 40;
	k->processes = 10;
	if (given && sscanf(given, "%llu %llu %llu", &seconds, &hz, &processes) == 3) {
		k->seconds = seconds;
		k->hz = hz;
		k->processes = processes;
	}
	k->ctx = (struct context){ .buildid_dir = "", .symfs = "" };
	strcpy(dir, "/tmp/perf-soak.XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	k->size = (u64)st.st_size & ~0xfffULL;
	for (int i = 0; i < NAMED_FILES; i++) {
		char exe[512] = "";

		snprintf(path, sizeof(path), "%s/%d", dir, i);
		assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
		assert_int_equal(symlink(exe, path), 0);
	}
	synth_init(&k->synth, false);
	synth_event(&k->synth, &attr, "cpu-clock");
	synth_set(&k->synth, &k->set);
	top_init(t, &k->ctx);
	t->o.set.chains = t->o.chains = chains;
	t->o.refresh = REFRESH * SECOND;
	t->session = session_new_live(&k->ctx, &k->set, &symbols);
	session_set_tables(t->session, TABLES);
	t->hist = hist_new(&k->ctx, &k->set, session_history(t->session),
			   session_images(t->session), &t->o.set);
	assert_int_equal(hist_set_keys(t->hist, sort, NULL, false, &r), 0);
	t->collector = hist_collector_new(t->hist);
	t->pool = hist_pool_new(t->hist, session_symbols(t->session));
	t->event = k->set.list.items[0];
	t->ops = (struct session_ops){ .order = SESSION_ORDERED, .sample = top_count_sample };
	top_beside_begin(t, &t->ops);
	top_expand_begin(t);
	top_code_begin(t);
	k->feed = feed_new(t->session, &(struct feed_settings){ .ops = &t->ops,
								.arg = t,
								.overload = FEED_SHED,
								.remembers = true });
	daemons_begin(k);
}

static void end(struct soak *k)
{
	struct session *s = k->t.session;

	feed_free(k->feed);
	top_release(&k->t);
	session_free(s);
	event_set_release(&k->set);
	synth_release(&k->synth);
	condition_list_release(&k->ctx.conditions);
}

/* After a failure, too, which leaves the test where it is. */
static int remove_names(void **state)
{
	char path[64];

	(void)state;
	for (int i = 0; i < NAMED_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
	return 0;
}

static struct hist *refresh(struct soak *k, struct out *out)
{
	struct reason r = REASON_INIT;
	struct hist_pool_size size;
	struct hist *h;

	top_absorb(&k->t, REFRESH * SECOND);
	h = top_snapshot(&k->t, 0, &r);
	assert_non_null(h);
	top_keep_table(&k->t);
	top_print_rows(&k->t, hist_view(h, 0), 0, out);
	out_flush(out);
	hist_pool_size(k->t.pool, &size);
	k->held = size.rows + size.frames + size.chains + size.keys + size.texts;
	return h;
}

static u64 cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (u64)ts.tv_sec * SECOND + (u64)ts.tv_nsec;
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

/*
 * The first part fills tables, all others are alike: an hour and four equal parts, or fifths of
 * less than five hours.
 */
enum { PARTS = 5, HOUR = 3600 };
struct part {
	u64 tables;   /* how many were made */
	u64 resident; /* bytes, summed over tables */
	u64 most;     /* resident bytes at most */
	/* ns of CPU time of the quickest table: the machine may be busy with others */
	u64 refresh;
	size_t held; /* rows, frames, chains, keys and texts of the pool, at most */
};

static int part_at(const struct soak *k, u64 second)
{
	if (k->seconds < PARTS * HOUR)
		return (int)(second * PARTS / k->seconds);
	return second < HOUR ? 0 : (int)(1 + (second - HOUR) * (PARTS - 1) / (k->seconds - HOUR));
}

static void say_part(const struct part *parts, int i)
{
	const struct part *p = &parts[i];

	print_message(
		"part %d: %.1f MB resident (%.1f at most), %.2f ms for a table, %zu things held\n",
		i + 1, (double)p->resident / 1e6 / (double)p->tables, (double)p->most / 1e6,
		(double)p->refresh / 1e6, p->held);
	fflush(stdout); /* a week takes an hour and more */
}

/* A table was made in this second. */
static struct part *note_memory(const struct soak *k, struct part *parts, u64 second)
{
	int at = part_at(k, second);
	struct part *p = &parts[at];
	u64 now = resident();

	if (!p->tables++ && at)
		say_part(parts, at - 1);
	p->resident += now;
	p->most = MAX(p->most, now);
	return p;
}

static void judge(const struct part *p)
{
	bool tells = MEMORY_TELLS && counts(); /* an emulator's memory is not the program's */

	say_part(p, PARTS - 1);
	for (int i = 2; i < PARTS; i++) {
		if (tells) {
			assert_in_range(p[i].resident / p[i].tables, 1,
					p[1].resident / p[1].tables * 11 / 10);
			assert_in_range(p[i].most, 1, p[1].most * 11 / 10);
		}
		assert_in_range(p[i].refresh, 0, 2 * p[1].refresh);
		assert_in_range(p[i].held, 0, p[1].held + p[1].held / 10);
	}
}

static u32 named_files(const struct soak *k)
{
	const struct image_table *images = session_images(k->t.session);
	u32 count = 0;

	for (u32 i = 0; i < image_count(images); i++)
		count += str_starts(image_get(images, i)->path, dir) &&
			 symbols_if_loaded(session_symbols(k->t.session), i);
	return count;
}

/*
 * What counts samples knows frames by numbers of images and symbols, which may be another's once
 * any have gone.
 */
static void check_that_nothing_is_met_again(struct soak *k)
{
	const struct session_keep nothing = { 0 };
	struct session *s = k->t.session;
	u64 second = k->seconds;

	session_set_tables(s, UINT64_MAX);
	session_trim(s, &nothing); /* no limit is raised any more */
	/* a collector empties itself once in a while, but not twice running */
	do {
		make_second(k, second++);
		feed_second(k);
		top_absorb(&k->t, REFRESH * SECOND);
	} while (!hist_collector_rows(k->t.collector) && second < k->seconds + 2);
	assert_true(hist_collector_rows(k->t.collector) > 0);
	session_set_tables(s, 1);
	top_forget(&k->t);
	assert_int_equal(hist_collector_rows(k->t.collector), 0);
	session_set_tables(s, TABLES);
}

static void soak(struct soak *k)
{
	struct part parts[PARTS] = { 0 };
	struct out out;

	out_init(&out, open("/dev/null", O_WRONLY | O_CLOEXEC));
	for (u64 second = 0; second < k->seconds; second++) {
		struct part *p;
		u64 before, took;

		make_second(k, second);
		feed_second(k);
		if (second % REFRESH)
			continue;
		before = cpu_now();
		hist_free(refresh(k, &out));
		top_forget(&k->t);
		k->named_most = MAX(k->named_most, named_files(k));
		took = cpu_now() - before;
		p = note_memory(k, parts, second);
		p->refresh = p->refresh ? MIN(p->refresh, took) : took;
		p->held = MAX(p->held, k->held);
	}
	close(out.fd);
	out_release(&out);
	judge(parts);
	check_that_nothing_is_met_again(k);
	assert_int_equal(k->t.all.dropped + k->t.all.late, 0);
	/* but for what waits in the window */
	assert_in_range(k->t.all.samples + 6 * k->hz, k->made, k->made + 6 * k->hz);
	assert_true(parts[1].held > 1000);
	/*
	 * Those in rows stay, whatever the limit is, but they fade after some minutes; the others
	 * went.
	 */
	assert_in_range(k->named_most, 1, NAMED_FILES * 2 / 3);
}

static void test_functions(void **state)
{
	struct soak k = { .random = 1 };

	(void)state;
	begin(&k, "dso,symbol", false);
	soak(&k);
	end(&k);
}

static void test_commands_and_chains(void **state)
{
	struct soak k = { .random = 2 };

	(void)state;
	begin(&k, "comm,dso,symbol", true);
	soak(&k);
	end(&k);
}

/* Of the program that has another one a minute later. */
static u32 image_of_version(const struct soak *k, const struct hist *h)
{
	const struct hist_view *v = hist_view(h, 0);
	const struct image_table *images = session_images(k->t.session);

	for (size_t i = 0; i < v->entry_count; i++) {
		u32 image = hist_frame(h, v->entries[i]->frame)->image;

		if (str_starts(image_get(images, image)->path, "/no/version/"))
			return image;
	}
	fail_msg("no row is of the program that changes");
	return 0;
}

/*
 * A table stays on the screen, and a function of it open, while the machine goes on: what they name
 * stays as it is, and the rest goes.
 */
static void test_an_open_function(void **state)
{
	struct soak k = { .random = 3 };
	struct part parts[PARTS] = { 0 };
	struct strbuf path = STRBUF_INIT;
	struct hist *h = NULL;
	struct out out;
	u32 image = 0;

	(void)state;
	begin(&k, "dso,symbol", false);
	out_init(&out, open("/dev/null", O_WRONLY | O_CLOEXEC));
	for (u64 second = 0; second < k.seconds; second++) {
		make_second(&k, second);
		feed_second(&k);
		if (second % REFRESH)
			continue;
		if (second < k.seconds / PARTS) { /* as usual */
			hist_free(refresh(&k, &out));
		} else if (!h) {
			h = refresh(&k, &out);
			image = image_of_version(&k, h);
			strbuf_str(&path, image_get(session_images(k.t.session), image)->path);
		} else {
			top_absorb(&k.t, REFRESH * SECOND);
		}
		top_forget(&k.t);
		note_memory(&k, parts, second);
	}
	judge(parts);
	/* its row faded long ago, and it is not mapped: only the screen has it */
	assert_string_equal(image_get(session_images(k.t.session), image)->path,
			    strbuf_cstr(&path));
	top_print_rows(&k.t, hist_view(h, 0), 0, &out);
	hist_free(h);
	close(out.fd);
	out_release(&out);
	strbuf_release(&path);
	end(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_functions, remove_names),
		cmocka_unit_test_teardown(test_commands_and_chains, remove_names),
		cmocka_unit_test_teardown(test_an_open_function, remove_names),
	};

	cmocka_set_test_filter(getenv("SOAK_TEST"));
	return cmocka_run_group_tests_name("top_soak", tests, NULL, NULL);
}
