// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/perf_abi.h"
#include "event/parse.h"

#define HW(number, n, a)                                                                           \
	{                                                                                          \
		.type = PERF_TYPE_HARDWARE, .config = (number), .name = (n), .alias = (a)          \
	}
#define SW(number, n, a)                                                                           \
	{                                                                                          \
		.type = PERF_TYPE_SOFTWARE, .config = (number), .name = (n), .alias = (a)          \
	}
#define TOOL(number, n)                                                                            \
	{                                                                                          \
		.tool = (number), .name = (n)                                                      \
	}

static const struct event_symbol symbols[] = {
	HW(PERF_COUNT_HW_CPU_CYCLES, "cpu-cycles", "cycles"),
	HW(PERF_COUNT_HW_INSTRUCTIONS, "instructions", NULL),
	HW(PERF_COUNT_HW_CACHE_REFERENCES, "cache-references", NULL),
	HW(PERF_COUNT_HW_CACHE_MISSES, "cache-misses", NULL),
	HW(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branch-instructions", "branches"),
	HW(PERF_COUNT_HW_BRANCH_MISSES, "branch-misses", NULL),
	HW(PERF_COUNT_HW_BUS_CYCLES, "bus-cycles", NULL),
	HW(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend",
	   "idle-cycles-frontend"),
	HW(PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend"),
	HW(PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", NULL),
	SW(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock", NULL),
	SW(PERF_COUNT_SW_TASK_CLOCK, "task-clock", NULL),
	SW(PERF_COUNT_SW_PAGE_FAULTS, "page-faults", "faults"),
	SW(PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches", "cs"),
	SW(PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations", "migrations"),
	SW(PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults", NULL),
	SW(PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults", NULL),
	SW(PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults", NULL),
	SW(PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults", NULL),
	SW(PERF_COUNT_SW_DUMMY, "dummy", NULL),
	SW(PERF_COUNT_SW_BPF_OUTPUT, "bpf-output", NULL),
	SW(PERF_COUNT_SW_CGROUP_SWITCHES, "cgroup-switches", NULL),
	TOOL(TOOL_DURATION_TIME, "duration_time"),
	TOOL(TOOL_USER_TIME, "user_time"),
	TOOL(TOOL_SYSTEM_TIME, "system_time"),
	TOOL(TOOL_NUMBER, "num_cpus"),
	TOOL(TOOL_NUMBER, "num_cpus_online"),
	TOOL(TOOL_NUMBER, "num_cores"),
	TOOL(TOOL_NUMBER, "num_dies"),
	TOOL(TOOL_NUMBER, "num_packages"),
	TOOL(TOOL_NUMBER, "smt_on"),
	TOOL(TOOL_NUMBER, "system_tsc_freq"),
};

const struct event_symbol *event_symbols(size_t *count)
{
	*count = ARRAY_SIZE(symbols);
	return symbols;
}

static bool same(const char *a, const char *b, size_t len)
{
	return a && !strncmp(a, b, len) && !a[len];
}

const struct event_symbol *event_symbol_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		if (same(symbols[i].name, name, len) || same(symbols[i].alias, name, len))
			return &symbols[i];
	return NULL;
}

/* First name: as printed. The rest: accepted, ignoring case. */
static const char *const caches[CACHE_COUNT][5] = {
	{ "L1-dcache", "l1-d", "l1d", "L1-data" },
	{ "L1-icache", "l1-i", "l1i", "L1-instruction" },
	{ "LLC", "L2" },
	{ "dTLB", "d-tlb", "Data-TLB" },
	{ "iTLB", "i-tlb", "Instruction-TLB" },
	{ "branch", "branches", "bpu", "btb", "bpc" },
	{ "node" },
};

static const char *const operations[CACHE_OPERATIONS][4] = {
	{ "load", "loads", "read" },
	{ "store", "stores", "write" },
	{ "prefetch", "prefetches", "speculative-read", "speculative-load" },
};

static const char *const results[CACHE_RESULTS][4] = {
	{ "refs", "Reference", "ops", "access" },
	{ "misses", "miss" },
};

/*
 * Reports whether any machine has this operation on this cache; for example, there are no stores to
 * an icache.
 */
static bool cache_event_valid(unsigned cache, unsigned operation)
{
	/* bit = operation: read, write, prefetch */
	static const u8 allowed[CACHE_COUNT] = { 7, 5, 7, 7, 1, 1, 7 };

	return cache < CACHE_COUNT && operation < CACHE_OPERATIONS &&
	       allowed[cache] & (1U << operation);
}

/*
 * Finds the longest name that text starts with, if '-' or the end follows. Returns its row, or -1.
 * Moves *text after it.
 */
static int match_part(const char *const *names, size_t rows, size_t columns, const char **text,
		      const char *end)
{
	size_t best = 0;
	int row = -1;

	for (size_t i = 0; i < rows * columns; i++) {
		size_t n = names[i] ? strlen(names[i]) : 0;

		if (n <= best || n > (size_t)(end - *text) || strncasecmp(names[i], *text, n) ||
		    (*text + n < end && (*text)[n] != '-'))
			continue;
		best = n;
		row = (int)(i / columns);
	}
	*text += best;
	return row;
}

bool cache_event_parse(const char *name, size_t len, u64 *config)
{
	const char *end = name + len, *at = name;
	int cache = match_part(&caches[0][0], CACHE_COUNT, 5, &at, end);
	int operation = -1, result = -1;

	if (cache < 0 || at == end)
		return false;
	while (at < end) {
		int found;

		at++; /* the '-' that match_part() found */
		found = match_part(&operations[0][0], CACHE_OPERATIONS, 4, &at, end);
		if (found >= 0 && operation < 0) {
			operation = found;
			continue;
		}
		if (found < 0)
			found = match_part(&results[0][0], CACHE_RESULTS, 4, &at, end);
		else
			return false;
		if (found < 0 || result >= 0)
			return false;
		result = found;
	}
	operation = MAX(operation, 0);
	result = MAX(result, 0);
	if (!cache_event_valid((unsigned)cache, (unsigned)operation))
		return false;
	*config = (u64)cache | (u64)operation << 8 | (u64)result << 16;
	return true;
}

const char *cache_event_name(u64 config, char *buf, size_t size)
{
	unsigned cache = config & 0xff, operation = config >> 8 & 0xff,
		 result = config >> 16 & 0xff;

	if (config >> 24 || !cache_event_valid(cache, operation) || result >= CACHE_RESULTS)
		return NULL;
	if (result)
		snprintf(buf, size, "%s-%s-%s", caches[cache][0], operations[operation][0],
			 results[result][0]);
	else
		snprintf(buf, size, "%s-%s", caches[cache][0], operations[operation][1]);
	return buf;
}

/* Returns the name that perf prints: the short one, such as cycles, branches. */
static const char *printed_name(const struct event_symbol *s)
{
	return s->type == PERF_TYPE_HARDWARE && s->alias && strlen(s->alias) < strlen(s->name) &&
			       s->config < PERF_COUNT_HW_STALLED_CYCLES_FRONTEND
		       ? s->alias
		       : s->name;
}

const char *event_static_name(u32 type, u64 config, char *buf, size_t size)
{
	if (type == PERF_TYPE_HW_CACHE)
		return cache_event_name(config, buf, size);
	if (type == PERF_TYPE_RAW) {
		snprintf(buf, size, "raw 0x%" PRIx64, config);
		return buf;
	}
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		if (!symbols[i].tool && symbols[i].type == type && symbols[i].config == config) {
			snprintf(buf, size, "%s", printed_name(&symbols[i]));
			return buf;
		}
	return NULL;
}
