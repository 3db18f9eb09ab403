/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat on a machine that is not here: a tree of files as /proc and /sys show them,
 * and counters that hold what a script says.
 */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tree.h"

#include "base/strbuf.h"
#include "builtin/stat/counting.h"
#include "cli/say.h"
#include "live/live.h"
#include "stat/catalogue.h"
#include "sys/facts.h"

#define UNUSED __attribute__((unused))

/* ---- a machine ---- */

UNUSED static void make_cpu(u32 cpu, u32 socket, u32 die, s32 cluster, u32 core)
{
	const struct {
		const char *name;
		s32 id;
	} ids[] = { { "physical_package_id", (s32)socket },
		    { "die_id", (s32)die },
		    { "cluster_id", cluster },
		    { "core_id", (s32)core } };

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		char path[128], text[16];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu,
			 ids[i].name);
		snprintf(text, sizeof(text), "%d", ids[i].id);
		tree_put(path, text);
	}
}

/* Which CPUs are in the same package, and in the same core. */
UNUSED static void make_siblings(u32 cpu, const char *package, const char *core)
{
	const char *const files[][2] = { { "package_cpus_list", package },
					 { "die_cpus_list", package },
					 { "core_siblings_list", package },
					 { "core_cpus_list", core },
					 { "thread_siblings_list", core } };
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu,
			 files[i][0]);
		tree_put(path, files[i][1]);
	}
}

UNUSED static void make_machine(const char *cpuinfo, const char *cpus)
{
	tree_clear();
	tree_put("/proc/cpuinfo", cpuinfo);
	tree_put("/proc/meminfo", "MemTotal: 1000 kB");
	tree_put("/sys/devices/system/cpu/online", cpus);
	tree_put("/sys/devices/system/cpu/present", cpus);
	tree_put("/sys/devices/system/cpu/possible", cpus);
}

UNUSED static void make_pmu(const char *name, u32 type, const char *cpus_file, const char *cpus)
{
	const char *const fields[][2] = { { "type", NULL },
					  { "format/event", "config:0-7,32-35" },
					  { "format/umask", "config:8-15" },
					  { "format/any", "config:21" },
					  { "format/edge", "config:18" },
					  { "format/cmask", "config:24-31" } };
	char path[160], number[16];

	snprintf(number, sizeof(number), "%u", type);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", name,
			 fields[i][0]);
		tree_put(path, fields[i][1] ? fields[i][1] : number);
	}
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", name, cpus_file);
	if (cpus)
		tree_put(path, cpus);
}

/* ---- counters ---- */

struct script {
	u32 type;
	u64 config;
	u64 value; /* on CPU 0; one more of it on each further CPU when per_cpu */
	u64 per_cpu;
	u64 idle;     /* thousandths of the time that it did not run */
	u64 excludes; /* flags of the attr that must be set: ATTR_EXCLUDE_USER ...; 0: any */
};

enum { MOST_FDS = 1000, FIRST_FD = 100000 };
static struct counter {
	struct perf_event_attr attr;
	s32 cpu;
	int group;
} counters[MOST_FDS];
static int counter_count;
static const struct script *script;
static int group_room = MOST_FDS; /* a group of more is refused, as the kernel does with EINVAL */

static bool plays(const struct script *s, const struct perf_event_attr *attr)
{
	return s->type == attr->type && s->config == attr->config &&
	       (attr->flags & s->excludes) == s->excludes;
}

static u64 scripted(const struct counter *c)
{
	for (const struct script *s = script; s->type != UINT32_MAX; s++)
		if (plays(s, &c->attr))
			return s->value + s->per_cpu * (c->cpu > 0 ? (u64)c->cpu : 0);
	return 0;
}

static u64 running(const struct counter *c)
{
	for (const struct script *s = script; s->type != UINT32_MAX; s++)
		if (plays(s, &c->attr))
			return 1000 - s->idle;
	return 0;
}

static int play_open(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu,
		     int group_fd, unsigned long flags)
{
	(void)arg;
	(void)pid;
	(void)flags;
	for (const struct script *s = script; s->type != UINT32_MAX; s++) {
		if (!plays(s, attr))
			continue;
		if (counter_count == MOST_FDS)
			return -EMFILE;
		if (group_fd >= 0) {
			int members = 1;

			for (int i = 0; i < counter_count; i++)
				members += counters[i].group == group_fd;
			if (members >= group_room)
				return -EINVAL;
		}
		counters[counter_count] = (struct counter){ *attr, cpu, group_fd };
		return FIRST_FD + counter_count++;
	}
	return -ENOENT;
}

static ssize_t play_read(void *arg, int fd, void *data, size_t size)
{
	const struct counter *c = &counters[fd - FIRST_FD];
	u64 *out = data, n = 0, members = 0;

	(void)arg;
	assert_true(fd >= FIRST_FD);
	if (!(c->attr.read_format & PERF_FORMAT_GROUP)) {
		const u64 single[] = { scripted(c), 1000, running(c), (u64)(fd - FIRST_FD) + 1 };
		size_t used = (c->attr.read_format & PERF_FORMAT_ID ? 4 : 3) * sizeof(u64);

		memcpy(data, single, used);
		return (ssize_t)used;
	}
	for (int i = 0; i < counter_count; i++)
		members += FIRST_FD + i == fd || counters[i].group == fd;
	assert_true(size >= 8 * (3 + 2 * members));
	out[n++] = members;
	out[n++] = 1000;
	out[n++] = running(c);
	for (int i = 0; i < counter_count; i++)
		if (FIRST_FD + i == fd || counters[i].group == fd) {
			out[n++] = scripted(&counters[i]);
			out[n++] = (u64)i + 1;
		}
	return (ssize_t)(8 * n);
}

static int play_control(void *arg, int fd, unsigned long request, void *value)
{
	(void)arg;
	if ((request & 0xff) == 7) /* PERF_EVENT_IOC_ID */
		*(u64 *)value = (u64)(fd - FIRST_FD) + 1;
	return 0;
}

static void play_close(void *arg, int fd)
{
	(void)arg;
	(void)fd;
}

static const struct live_backend backend = { play_open, play_read, play_control, play_close, NULL };

static int run_stat(struct context *ctx, const struct sys *sys, int argc, const char **argv)
{
	const struct stat_host host = { .sys = sys, .backend = &backend };
	struct reason r = REASON_INIT;
	bool warn = false;
	int code;

	if (argc > 1 && !strcmp(argv[1], "report")) {
		code = stat_report(ctx, argc - 1, argv + 1, &r);
		return r.text ? say_reason(&r) : code ? code : say_conditions(ctx);
	}
	code = stat_count(ctx, &host, argc, argv, &warn, &r);
	if (r.text) {
		say_reason(&r);
		return code;
	}
	if (warn)
		say_conditions(ctx);
	return code;
}

/* "perf stat ARGS [true]" on the machine: its exit code. */
UNUSED static int run_code(const struct script *s, const char *args, bool command)
{
	char *debug = xasprintf("%s/debug", tree_root);
	struct context ctx = { .buildid_dir = debug };
	struct sys sys = { .root = tree_root };
	struct strlist words = { VEC_INIT };
	const char *argv[64] = { "stat" };
	int argc = 1, code;

	script = s;
	counter_count = 0;
	strlist_split(&words, args, " ");
	vec_for_each(&words.list, it)
		argv[argc++] = *it;
	if (command)
		argv[argc++] = "true";
	argv[argc] = NULL;
	code = run_stat(&ctx, &sys, argc, argv);
	condition_list_release(&ctx.conditions);
	strlist_release(&words);
	free(debug);
	return code;
}

/* "perf stat ARGS -o FILE true": what it printed; the caller frees it. */
UNUSED static char *run(const struct script *s, const char *args)
{
	char *all = xasprintf("%s -o %s/out", args, tree_root);

	if (run_code(s, all, true))
		fail_msg("stat %s failed", args);
	free(all);
	return tree_get("/out");
}

/* "perf stat ARGS", without a command: what it printed on standard error. */
UNUSED static char *run_stderr(const struct script *s, const char *args, int *code)
{
	int saved = dup(STDERR_FILENO), fd;
	char *path = xasprintf("%s/err", tree_root);

	tree_put("/err", "");
	fd = open(path, O_WRONLY | O_TRUNC);
	free(path);
	dup2(fd, STDERR_FILENO);
	*code = run_code(s, args, false);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fd);
	return tree_get("/err");
}

/*
 * Two sockets of two cores with two threads: CPUs 0 1 4 5 are socket 0; n and n + 4 share a core.
 */
UNUSED static void skylake(void)
{
	make_machine("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\n"
		     "model name : Intel(R) Xeon(R) Gold @ 2.00GHz\nstepping : 4",
		     "0-7");
	for (u32 cpu = 0; cpu < 8; cpu++) {
		char core[8];

		make_cpu(cpu, cpu / 2 % 2, 0, -1, cpu % 2);
		snprintf(core, sizeof(core), "%u,%u", cpu % 4, cpu % 4 + 4);
		make_siblings(cpu, cpu / 2 % 2 ? "2-3,6-7" : "0-1,4-5", core);
	}
	tree_put("/sys/devices/system/cpu/smt/active", "1");
	make_pmu("cpu", 4, "caps/max_precise", "3");
	make_pmu("uncore_imc_0", 20, "cpumask", "0,2");
	make_pmu("uncore_imc_1", 21, "cpumask", "0,2");
	tree_put(DEVICES "uncore_imc_0/events/reads", "event=0x4,umask=0x3");
	tree_put(DEVICES "uncore_imc_1/events/reads", "event=0x4,umask=0x3");
	tree_put(DEVICES "uncore_imc_0/events/reads.scale", "0.5");
	tree_put(DEVICES "uncore_imc_1/events/reads.scale", "0.5");
	tree_put(DEVICES "uncore_imc_0/events/reads.unit", "MiB");
	tree_put(DEVICES "uncore_imc_1/events/reads.unit", "MiB");
}

UNUSED static void make_cache(u32 cpu, u32 index, u32 level, const char *type, const char *cpus)
{
	const char *const files[][2] = {
		{ "type", type },           { "shared_cpu_list", cpus },
		{ "size", "64K" },          { "coherency_line_size", "64" },
		{ "number_of_sets", "64" }, { "ways_of_associativity", "8" }
	};
	char path[128], number[16];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu,
			 index, files[i][0]);
		tree_put(path, files[i][1]);
	}
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cache/index%u/level", cpu,
		 index);
	snprintf(number, sizeof(number), "%u", level);
	tree_put(path, number);
}

/*
 * A line of output that a test worked out, ",VALUE,UNIT  METRIC[ (PMU)]" or a part of a JSON object
 * with both: says in the file that PERF_ANSWERED names which section's metric that was.  The
 * suite cli/stat_metrics looks whether any is without an answer.
 */
UNUSED static void note_answer(const char *line)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	struct sys sys = { .root = tree_root };
	struct machine_facts facts = { 0 };
	const char *path = getenv("PERF_ANSWERED"), *unit = strstr(line, "\"metric-unit\" : \""),
		   *name;
	char *text, *pmu;
	struct metric_catalogue c;
	const struct metric_entry *m;
	FILE *f;

	if (!path || (*line != ',' && !strstr(line, "\"metric-value\" : ")) ||
	    !strpbrk(line, "0123456789"))
		return;
	text = unit ? xstrndup(unit + 17, strcspn(unit + 17, "\""))
		    : xstrndup(line, strcspn(line, "\n"));
	pmu = strstr(text, " (");
	if (pmu) {
		*pmu = '\0';
		pmu += 2;
		pmu[strcspn(pmu, ")")] = '\0';
	}
	name = text + strlen(text);
	while (name > text && strchr(letters, name[-1]))
		name--;
	assert_int_equal(machine_facts_read(&sys, &facts, NULL), 0);
	catalogue_load(&c, metric_catalogue_text, facts.cpuid);
	m = catalogue_find(&c, name, pmu);
	f = m ? fopen(path, "a") : NULL;
	if (f) {
		fprintf(f, "%u %s\n", m->section, m->name);
		fclose(f);
	}
	catalogue_release(&c);
	machine_facts_release(&facts);
	free(text);
}

UNUSED static void expect(const struct script *s, const char *args, const char *const *lines)
{
	char *out = run(s, args);

	for (; *lines; lines++) {
		if (!strstr(out, *lines))
			fail_msg("stat %s: no '%s' in\n%s", args, *lines, out);
		note_answer(*lines);
	}
	free(out);
}

#define SCRIPT_END                                                                                 \
	{                                                                                          \
		.type = UINT32_MAX                                                                 \
	}
#define RAW(event, umask) ((u64)(event) | (u64)(umask) << 8)
#define CMASK(n)          ((u64)(n) << 24)
#define EDGE              (1ULL << 18)
#define ANY_THREAD        (1ULL << 21)
#define CYCLES            PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES
#define INSTRUCTIONS      PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS

#endif
