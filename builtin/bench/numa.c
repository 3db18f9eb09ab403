// SPDX-License-Identifier: GPL-2.0-or-later
/* numa mem: the options, the run, the figures. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "builtin/bench/numa.h"
#include "cli/say.h"
#include "sys/topology.h"

/* clang-format off */
static const struct numa_params usual = {
	.processes = 1, .threads = 1, .mb_global = "1", .loops = UINT32_MAX, .seconds = 5, .serialize = true,
	.reads = true, .writes = true, .backwards = true, .random_walk = true, .init_random = true,
};
/* clang-format on */

static int parse(struct bench *b, struct numa_params *p, int argc, const char **argv)
{
	const struct option_row rows[] = {
		{ OPTION_INT, 'p', "nr_proc", &p->processes,
		  .help = "number of processes (default: 1)" },
		{ OPTION_INT, 't', "nr_threads", &p->threads,
		  .help = "threads of each process (default: 1)" },
		{ OPTION_STRING, 'G', "mb_global", &p->mb_global, .arg = "MB",
		  .help = "memory of all processes" },
		{ OPTION_STRING, 'P', "mb_proc", &p->mb_process, .arg = "MB",
		  .help = "memory of a process" },
		{ OPTION_STRING, 'L', "mb_proc_locked", &p->mb_locked, .arg = "MB",
		  .help = "the part of it that is used under a lock" },
		{ OPTION_STRING, 'T', "mb_thread", &p->mb_thread, .arg = "MB",
		  .help = "memory of a thread" },
		{ OPTION_UINT, 'l', "nr_loops", &p->loops,
		  .help = "maximum number of loops (default: no limit)" },
		{ OPTION_UINT, 's', "nr_secs", &p->seconds, .arg = "SECONDS",
		  .help = "how long it runs (default: 5)" },
		{ OPTION_UINT, 'u', "usleep", &p->sleep_us, .arg = "USECS",
		  .help = "sleep in each loop" },
		{ OPTION_FLAG, 'R', "data_reads", &p->reads, .help = "read (default)" },
		{ OPTION_FLAG, 'W', "data_writes", &p->writes, .help = "write (default)" },
		{ OPTION_FLAG, 'B', "data_backwards", &p->backwards,
		  .help = "backwards, too (default)" },
		{ OPTION_FLAG, 'Z', "data_zero_memset", &p->zero, .help = "only fill with zeros" },
		{ OPTION_FLAG, 'r', "data_rand_walk", &p->random_walk,
		  .help = "in random order (default)" },
		{ OPTION_FLAG, 'z', "init_zero", &p->init_zero, .help = "begin with zeros" },
		{ OPTION_FLAG, 'I', "init_random", &p->init_random,
		  .help = "begin with other contents (default)" },
		{ OPTION_FLAG, '0', "init_cpu0", &p->init_cpu0,
		  .help = "touch the memory first on CPU 0" },
		{ OPTION_INT, 'x', "perturb_secs", &p->perturb_seconds, .arg = "SECONDS",
		  .help = "move the first thread away every so often" },
		{ OPTION_COUNT, 'd', "show_details", &p->details, .help = "report more" },
		{ OPTION_COUNT, 'a', "all", &p->run_all, .help = "run the suite" },
		{ OPTION_INT, 'H', "thp", &p->huge_pages,
		  .help = "huge pages: 1 on, -1 off, 0 unchanged" },
		{ OPTION_FLAG, 'c', "show_convergence", &p->show_convergence,
		  .help = "show whether each process is on one node" },
		{ OPTION_FLAG, 'm', "measure_convergence", &p->measure_convergence,
		  .help = "the same, and end when each one is" },
		{ OPTION_FLAG, 'q', "quiet", &p->quiet, .help = "print only the figures" },
		{ OPTION_FLAG, 'S', "serialize-startup", &p->serialize,
		  .help = "start all tasks together (default)" },
		{ OPTION_STRING, 'C', "cpus", &p->cpus, .arg = "CPU[,CPU]...",
		  .help = "bind the first tasks to these CPUs" },
		{ OPTION_STRING, 'M', "memnodes", &p->nodes, .arg = "NODE[,NODE]...",
		  .help = "bind the first tasks' memory to these nodes" },
		OPT_END_ROW,
	};

	return bench_options(b, rows, &argc, argv);
}

static int parse_mb(const char *name, const char *text, u64 *bytes)
{
	double mb = 0;
	size_t n = text ? parse_decimal(text, &mb) : 0;

	if (text && (!n || text[n] || mb > 1e9)) {
		say_error("--%s: '%s' is not a number of megabytes", name, text);
		return EXIT_USAGE;
	}
	*bytes = (u64)(mb * 1048576);
	return 0;
}

static int settle(struct numa_params *p)
{
	int code = parse_mb("mb_global", p->mb_global, &p->global_bytes);

	code = code ? code : parse_mb("mb_proc", p->mb_process, &p->process_bytes);
	code = code ? code : parse_mb("mb_proc_locked", p->mb_locked, &p->locked_bytes);
	code = code ? code : parse_mb("mb_thread", p->mb_thread, &p->thread_bytes);
	if (code)
		return code;
	if (p->processes < 1 || p->processes > 10000 || p->threads < 1 || p->threads > 10000) {
		say_error("there are from 1 to 10000 processes and threads");
		return EXIT_USAGE;
	}
	if (p->locked_bytes > p->process_bytes) {
		say_error("--mb_proc_locked: a process has only %s MB",
			  p->mb_process ? p->mb_process : "0");
		return EXIT_USAGE;
	}
	if (!p->loops || !(p->global_bytes + p->process_bytes + p->thread_bytes)) {
		say_error("no %s measure nothing", p->loops ? "memory" : "loops");
		return EXIT_USAGE;
	}
	if (p->quiet && !p->details)
		p->details = -1;
	p->tasks = p->processes * p->threads;
	return 0;
}

static void read_nodes(struct numa_shared *g)
{
	struct cpu_topology t = { .cpus = VEC_INIT };

	cpu_topology_read(NULL, &t, NULL);
	for (size_t i = 0; i < t.cpus.count; i++) {
		const struct cpu_place *c = &t.cpus.items[i];
		int node = c->node < 0 || c->node >= NUMA_NODES_MAX ? 0 : c->node;

		if (c->cpu >= NUMA_CPUS_MAX)
			continue;
		g->node_of_cpu[c->cpu] = node;
		g->node_present[node] = true;
		g->cpu_count = MAX(g->cpu_count, (int)c->cpu + 1);
		g->node_count = MAX(g->node_count, node + 1);
	}
	cpu_topology_release(&t);
}

static struct numa_shared *make_shared(struct bench *b, const struct numa_params *p, size_t *size)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	struct numa_shared *g;

	*size = sizeof(*g) + (size_t)p->tasks * sizeof(g->tasks[0]);
	g = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g == MAP_FAILED)
		return NULL;
	g->b = b;
	g->p = *p;
	read_nodes(g);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&g->lock, &mutex);
	pthread_cond_init(&g->arrived, &cond);
	pthread_cond_init(&g->go, &cond);
	for (int i = 0; i < p->tasks; i++) {
		g->tasks[i].g = g;
		g->tasks[i].node = NO_NODE;
		g->tasks[i].cpu = -1;
		sched_getaffinity(0, sizeof(cpu_set_t), &g->tasks[i].cpus);
	}
	return g;
}

static void describe(const struct numa_shared *g)
{
	const struct numa_params *p = &g->p;
	int nodes = 0;

	for (int i = 0; i < NUMA_NODES_MAX; i++)
		nodes += g->node_present[i];
	numa_say(g, "\n ###\n # %d %s will execute (on %d nodes, %d CPUs):\n", p->tasks,
		 p->tasks == 1 ? "task" : "tasks", nodes, g->cpu_count);
	numa_say(g, " #      %5dx %5" PRIu64 "MB global  shared mem operations\n", (int)p->loops,
		 p->global_bytes >> 20);
	numa_say(g, " #      %5dx %5" PRIu64 "MB process shared mem operations\n", (int)p->loops,
		 p->process_bytes >> 20);
	numa_say(g, " #      %5dx %5" PRIu64 "MB thread  local  mem operations\n", (int)p->loops,
		 p->thread_bytes >> 20);
	numa_say(g, " ###\n\n ###\n");
}

/*
 * Waits until all tasks are ready. Returns false if a process failed, for which the others would
 * wait forever.
 */
static bool wait_until_ready(struct numa_shared *g, u64 start)
{
	bool alive = true;

	numa_say(g, " #\n # Startup synchronization: ...");
	pthread_mutex_lock(&g->lock);
	while (g->waiting < g->p.tasks && alive) {
		struct timespec soon;
		siginfo_t info = { .si_pid = 0 };

		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_sec++;
		pthread_cond_timedwait(&g->arrived, &g->lock, &soon);
		alive = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid;
	}
	g->open = true;
	pthread_cond_broadcast(&g->go);
	pthread_mutex_unlock(&g->lock);
	numa_say(g, " threads initialized in %.6f seconds.\n #\n",
		 (double)(clock_now() - start) / 1e9);
	return alive;
}

static void put(const struct numa_shared *g, const char *name, double value, const char *unit,
		const char *shorter, const char *longer)
{
	bench_metric(g->b, shorter, value, unit);
	if (g->p.quiet)
		bench_text(g->b, " %14.3f %s\n", value, longer);
	else
		bench_text(g->b, " %-30s %15.3f, %-15s %s\n", name ? name : "main,", value, unit,
			   shorter);
}

static void put_tasks(const struct numa_shared *g)
{
	for (int i = 0; i < g->p.tasks && g->p.details >= 2; i++) {
		const struct numa_task *t = &g->tasks[i];
		char name[48];

		snprintf(name, sizeof(name), "process%d:thread%d", t->process, t->thread);
		put(g, name, (double)t->bytes / (double)MAX(t->ran_ns, 1ULL), "GB/sec",
		    "thread-speed", "GB/sec/thread speed");
		put(g, name, (double)t->system_ns / 1e9, "secs", "thread-system-time",
		    "system CPU time/thread");
		put(g, name, (double)t->user_ns / 1e9, "secs", "thread-user-time",
		    "user CPU time/thread");
	}
}

static void report(const struct numa_shared *g, const char *name, u64 ns)
{
	double most = (double)ns / 1e9, least = most, sum = 0, bytes = 0;
	double tasks = g->p.tasks;

	for (int i = 0; i < g->p.tasks; i++) {
		double ran = (double)g->tasks[i].ran_ns / 1e9;

		least = MIN(least, ran);
		sum += ran;
		bytes += (double)g->tasks[i].bytes;
	}
	numa_say(g, "\n ###\n\n");
	if (g->p.measure_convergence)
		put(g, name, most, "secs,", "NUMA-convergence-latency",
		    "secs latency to NUMA-converge");
	put(g, name, most, "secs,", "runtime-max/thread", "secs slowest (max) thread-runtime");
	put(g, name, least, "secs,", "runtime-min/thread", "secs fastest (min) thread-runtime");
	put(g, name, sum / tasks, "secs,", "runtime-avg/thread", "secs average thread-runtime");
	put(g, name, (most - least) / 2 / most * 100, "%,", "spread-runtime/thread",
	    "% difference between max/avg runtime");
	put(g, name, bytes / tasks / 1e9, "GB,", "data/thread", "GB data processed, per thread");
	put(g, name, bytes / 1e9, "GB,", "data-total", "GB data processed, total");
	put(g, name, most * 1e9 / (bytes / tasks), "nsecs,", "runtime/byte/thread",
	    "nsecs/byte/thread runtime");
	put(g, name, bytes / tasks / 1e9 / most, "GB/sec,", "thread-speed", "GB/sec/thread speed");
	put(g, name, bytes / 1e9 / most, "GB/sec,", "total-speed", "GB/sec total speed");
	put_tasks(g);
}

static int run_processes(struct numa_shared *g, const char *name)
{
	pid_t *pids = xcalloc((size_t)g->p.processes, sizeof(*pids));
	int started = 0, failed = 0;
	u64 start = clock_now();

	for (; started < g->p.processes && !failed; started++) {
		pids[started] = bench_fork();
		if (!pids[started])
			_exit(numa_process(g, started));
		if (pids[started] < 0)
			failed = bench_failed(errno, "cannot start process %d of %d", started + 1,
					      g->p.processes);
	}
	if (!failed && g->p.serialize) {
		failed = !wait_until_ready(g, start);
		start = clock_now();
	}
	for (int i = 0; i < started; i++) {
		int status;

		if (pids[i] <= 0)
			continue;
		if (failed)
			kill(pids[i], SIGKILL);
		if (waitpid(pids[i], &status, 0) != pids[i] || status)
			failed = 1;
	}
	start = clock_now() - start;
	free(pids);
	if (!failed)
		report(g, name, start);
	return failed;
}

static int run_one(struct bench *b, const struct numa_params *p, const char *name)
{
	size_t size;
	struct numa_shared *g = make_shared(b, p, &size);
	int code;

	if (!g)
		return bench_failed(errno, "cannot map memory for %d tasks", p->tasks);
	g->data = numa_memory(g, p->global_bytes, true);
	if (!g->data && p->global_bytes) {
		code = bench_failed(ENOMEM, "cannot map %s MB of shared memory", p->mb_global);
	} else {
		numa_say(g, "#\n");
		code = numa_bind_tasks(g);
		if (!code) {
			numa_say(g, "#\n");
			describe(g);
			code = run_processes(g, name);
		}
	}
	numa_give_back(g->data, p->global_bytes);
	munmap(g, size);
	return code;
}

/* Layouts of tasks and memory that are compared with each other; 6.1 has the same rows. */
static const struct suite_row {
	const char *name, *layout;
	enum { SUITE_RAM, SUITE_CONVERGE, SUITE_SPEED } kind;
	bool small_pages;
} suite[] = {
	{ "RAM-bw-local,", "-p 1 -t 1 -P 1024 -C 0 -M 0", SUITE_RAM, false },
	{ "RAM-bw-local-NOTHP,", "-p 1 -t 1 -P 1024 -C 0 -M 0", SUITE_RAM, true },
	{ "RAM-bw-remote,", "-p 1 -t 1 -P 1024 -C 0 -M 1", SUITE_RAM, false },
	{ "RAM-bw-local-2x,", "-p 2 -t 1 -P 1024 -C 0,2 -M 0x2", SUITE_RAM, false },
	{ "RAM-bw-remote-2x,", "-p 2 -t 1 -P 1024 -C 0,2 -M 1x2", SUITE_RAM, false },
	{ "RAM-bw-cross,", "-p 2 -t 1 -P 1024 -C 0,8 -M 1,0", SUITE_RAM, false },
	{ " 1x3-convergence,", "-p 1 -t 3 -P 512", SUITE_CONVERGE, false },
	{ " 1x4-convergence,", "-p 1 -t 4 -P 512", SUITE_CONVERGE, false },
	{ " 1x6-convergence,", "-p 1 -t 6 -P 1020", SUITE_CONVERGE, false },
	{ " 2x3-convergence,", "-p 2 -t 3 -P 1020", SUITE_CONVERGE, false },
	{ " 3x3-convergence,", "-p 3 -t 3 -P 1020", SUITE_CONVERGE, false },
	{ " 4x4-convergence,", "-p 4 -t 4 -P 512", SUITE_CONVERGE, false },
	{ " 4x4-convergence-NOTHP,", "-p 4 -t 4 -P 512", SUITE_CONVERGE, true },
	{ " 4x6-convergence,", "-p 4 -t 6 -P 1020", SUITE_CONVERGE, false },
	{ " 4x8-convergence,", "-p 4 -t 8 -P 512", SUITE_CONVERGE, false },
	{ " 8x4-convergence,", "-p 8 -t 4 -P 512", SUITE_CONVERGE, false },
	{ " 8x4-convergence-NOTHP,", "-p 8 -t 4 -P 512", SUITE_CONVERGE, true },
	{ " 3x1-convergence,", "-p 3 -t 1 -P 512", SUITE_CONVERGE, false },
	{ " 4x1-convergence,", "-p 4 -t 1 -P 512", SUITE_CONVERGE, false },
	{ " 8x1-convergence,", "-p 8 -t 1 -P 512", SUITE_CONVERGE, false },
	{ "16x1-convergence,", "-p 16 -t 1 -P 256", SUITE_CONVERGE, false },
	{ "32x1-convergence,", "-p 32 -t 1 -P 128", SUITE_CONVERGE, false },
	{ " 2x1-bw-process,", "-p 2 -t 1 -P 1024", SUITE_SPEED, false },
	{ " 3x1-bw-process,", "-p 3 -t 1 -P 1024", SUITE_SPEED, false },
	{ " 4x1-bw-process,", "-p 4 -t 1 -P 1024", SUITE_SPEED, false },
	{ " 8x1-bw-process,", "-p 8 -t 1 -P 512", SUITE_SPEED, false },
	{ " 8x1-bw-process-NOTHP,", "-p 8 -t 1 -P 512", SUITE_SPEED, true },
	{ "16x1-bw-process,", "-p 16 -t 1 -P 256", SUITE_SPEED, false },
	{ " 1x4-bw-thread,", "-p 1 -t 4 -T 256", SUITE_SPEED, false },
	{ " 1x8-bw-thread,", "-p 1 -t 8 -T 256", SUITE_SPEED, false },
	{ "1x16-bw-thread,", "-p 1 -t 16 -T 128", SUITE_SPEED, false },
	{ "1x32-bw-thread,", "-p 1 -t 32 -T 64", SUITE_SPEED, false },
	{ " 2x3-bw-process,", "-p 2 -t 3 -P 512", SUITE_SPEED, false },
	{ " 4x4-bw-process,", "-p 4 -t 4 -P 512", SUITE_SPEED, false },
	{ " 4x6-bw-process,", "-p 4 -t 6 -P 512", SUITE_SPEED, false },
	{ " 4x8-bw-process,", "-p 4 -t 8 -P 512", SUITE_SPEED, false },
	{ " 4x8-bw-process-NOTHP,", "-p 4 -t 8 -P 512", SUITE_SPEED, true },
	{ " 3x3-bw-process,", "-p 3 -t 3 -P 512", SUITE_SPEED, false },
	{ " 5x5-bw-process,", "-p 5 -t 5 -P 512", SUITE_SPEED, false },
	{ "2x16-bw-process,", "-p 2 -t 16 -P 512", SUITE_SPEED, false },
	{ "1x32-bw-process,", "-p 1 -t 32 -P 2048", SUITE_SPEED, false },
	{ "numa02-bw,", "-p 1 -t 32 -T 32", SUITE_SPEED, false },
	{ "numa02-bw-NOTHP,", "-p 1 -t 32 -T 32", SUITE_SPEED, true },
	{ "numa01-bw-thread,", "-p 2 -t 16 -T 192", SUITE_SPEED, false },
	{ "numa01-bw-thread-NOTHP,", "-p 2 -t 16 -T 192", SUITE_SPEED, true },
};

static int run_text(struct bench *b, const struct suite_row *row)
{
	static const char *const how[] = { "-s 20 -zZq --no-data_rand_walk", "-s 100 -zZ0qcm",
					   "-s 20 -zZ0q" };
	struct strlist words = { VEC_INIT };
	struct strbuf line = STRBUF_INIT;
	struct numa_params p = usual;
	const char **argv;
	int code;

	strbuf_f(&line, "mem %s %s --thp %d", row->layout, how[row->kind],
		 row->small_pages ? -1 : 1);
	bench_text(b, "\n # Running %s \"perf bench numa %s\"\n", row->name, strbuf_cstr(&line));
	strlist_split(&words, strbuf_cstr(&line), " ");
	/* parsing moves the words about */
	argv = xcalloc(words.list.count + 1, sizeof(*argv));
	memcpy(argv, words.list.items, words.list.count * sizeof(*argv));
	code = parse(b, &p, (int)words.list.count, argv);
	if (!code)
		code = settle(&p);
	if (!code)
		code = run_one(b, &p, row->name);
	free(argv);
	strlist_release(&words);
	strbuf_release(&line);
	return code;
}

static int run_suite(struct bench *b)
{
	int code = 0;

	for (size_t i = 0; i < ARRAY_SIZE(suite) && !context_cancelled(b->ctx) && code <= 0; i++)
		code = run_text(b, &suite[i]);
	return code > 0 ? code : 0; /* what this machine is too small for was reported */
}

static int bench_numa_mem(struct bench *b, int argc, const char **argv)
{
	struct numa_params p = usual;
	struct strbuf line = STRBUF_INIT;
	int code;

	p.run_all = argc == 1;
	for (int i = 1; i < argc; i++)
		strbuf_f(&line, " %s", argv[i]);
	code = parse(b, &p, argc, argv);
	if (!code)
		bench_text(b, "\n # Running main, \"perf bench numa numa-mem%s\"\n",
			   strbuf_cstr(&line));
	strbuf_release(&line);
	if (code)
		return bench_parsed(code);
	if (p.run_all)
		return run_suite(b);
	code = settle(&p);
	if (!code)
		code = run_one(b, &p, NULL);
	return code < 0 ? 1 : code;
}

const struct benchmark numa_benchmarks[] = {
	{ "mem", "Benchmark for NUMA workloads", bench_numa_mem },
	{ NULL },
};
