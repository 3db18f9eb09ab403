// SPDX-License-Identifier: GPL-2.0-or-later
/* mem memcpy, memset, mmap: bytes for each second, or cycles for each byte. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "builtin/bench/internal.h"
#include "builtin/bench/mem_functions.h"
#include "cli/say.h"
#include "sys/explain.h"

enum mem_kind { MEM_COPY, MEM_FILL, MEM_MAP };

struct mem_run {
	struct bench *b;
	enum mem_kind kind;
	const struct mem_function *functions;
	const char *size_text, *page_text, *chunk_text, *function;
	u64 size, chunk; /* bytes */
	unsigned page_shift;
	int loops;
	u64 seed; /* for mem mmap: pages in another order; 0: ascending */
	bool cycles;
	int cycles_fd;
};

/* Parses what parse_size() takes, in any case: "1MB", "4KB", "1gb", "100". */
static int parse_bytes(const char *text, u64 *out)
{
	char *upper = strdup(text);
	int err;

	for (char *p = upper; upper && *p; p++)
		*p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
	err = upper ? parse_size(upper, out) : -ENOMEM;
	free(upper);
	return err;
}

static int open_cycles(struct mem_run *m)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES };
	const struct open_attempt attempt = {
		.attr = &attr, .event = "cycles", .pid = 0, .cpu = -1
	};
	struct reason r = REASON_INIT;

	m->cycles_fd = sys_perf_event_open(&attr, 0, -1, -1, 0);
	if (m->cycles_fd >= 0)
		return 0;
	explain_open(NULL, &attempt, -m->cycles_fd, &r);
	return say_reason(&r);
}

/* Returns the time in ns, or in cycles with --cycles. */
static u64 mark(const struct mem_run *m)
{
	u64 value = 0;

	if (!m->cycles)
		return clock_now();
	return read(m->cycles_fd, &value, sizeof(value)) == (ssize_t)sizeof(value) ? value : 0;
}

static void *map_memory(const struct mem_run *m, int flags)
{
	flags |= MAP_PRIVATE | MAP_ANONYMOUS;
	if (m->page_shift != 12)
		flags |= MAP_HUGETLB | (int)(m->page_shift << MAP_HUGE_SHIFT);
	return mmap(NULL, m->size, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static void work(const struct mem_run *m, const struct mem_function *f, u8 *from, u8 *to, int value)
{
	for (u64 at = 0; at < m->size; at += m->chunk) {
		size_t size = MIN(m->chunk, m->size - at);

		if (m->kind == MEM_COPY)
			f->copy(to + at, from + at, size);
		else
			f->fill(to + at, value, size);
	}
}

/* Times the work. The memory was touched before, so page faults are not measured. */
static u64 time_work(const struct mem_run *m, const struct mem_function *f, u8 *from, u8 *to)
{
	u64 start;

	if (from)
		memset(from, 0, m->size);
	work(m, f, from, to, -1);
	start = mark(m);
	for (int i = 0; i < m->loops; i++)
		work(m, f, from, to, i);
	return mark(m) - start;
}

/* Writes one byte of each page; with a seed, in the order of a multiplicative step through them. */
static void touch(const struct mem_run *m, volatile u8 *p)
{
	u64 page = 1ULL << m->page_shift, pages = (m->size + page - 1) / page, at = 0;
	u64 step = m->seed ? (m->seed % pages) | 1 : 1;

	/*
	 * an odd step reaches every page of a power of two; of other counts the order only varies
	 */
	while (pages % 2 && step > 1 && pages % step == 0)
		step += 2;
	for (u64 i = 0; i < pages; i++) {
		p[at * page] = 1;
		at = (at + step) % pages;
	}
}

static int time_maps(const struct mem_run *m, const struct mem_function *f, u64 *taken)
{
	*taken = 0;
	for (int i = 0; i < m->loops; i++) {
		u64 start = mark(m);
		u8 *p = map_memory(m, f->map_flags);

		if (p == MAP_FAILED)
			return -errno;
		touch(m, p);
		*taken += mark(m) - start;
		munmap(p, m->size);
	}
	return 0;
}

static void put_speed(struct bench *b, double bytes)
{
	static const char *const units[] = { "bytes", "KB", "MB", "GB" };
	size_t unit = 0;

	bench_metric(b, "speed", bytes, "bytes/sec");
	if (b->format == BENCH_SIMPLE) {
		bench_text(b, "%f\n", bytes);
		return;
	}
	for (; bytes >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		bytes /= 1024;
	bench_text(b, " %14f %s/sec\n", bytes, units[unit]);
}

static void put_result(struct mem_run *m, u64 taken)
{
	double total = (double)m->size * m->loops;

	if (!m->cycles) {
		put_speed(m->b, total / ((double)MAX(taken, 1ULL) / 1e9));
		return;
	}
	bench_metric(m->b, "cycles", (double)taken / total, "cycles/byte");
	bench_text(m->b, m->b->format == BENCH_SIMPLE ? "%f\n" : " %14f cycles/byte\n",
		   (double)taken / total);
}

static int no_memory(const struct mem_run *m, int err)
{
	bench_failed(err, "cannot map %s of memory", m->size_text);
	if (m->page_shift != 12)
		say_hint("reserve pages of %s in /sys/kernel/mm/hugepages", m->page_text);
	return 1;
}

static int run_function(struct mem_run *m, const struct mem_function *f)
{
	static const char *const doing[] = { "Copying", "Copying", "Mapping" };
	u8 *from = NULL, *to = MAP_FAILED;
	u64 taken = 0;
	int err = 0;

	bench_text(m->b, "# function '%s' (%s)\n", f->name, f->what);
	if (m->b->format == BENCH_DEFAULT)
		bench_text(m->b, "# %s %s bytes ...\n\n", doing[m->kind], m->size_text);
	if (m->b->format == BENCH_JSON)
		bench_metric(m->b, f->name, (double)m->size, "bytes");
	if (m->kind == MEM_MAP) {
		err = time_maps(m, f, &taken);
	} else {
		to = map_memory(m, 0);
		from = m->kind == MEM_COPY ? map_memory(m, 0) : NULL;
		if (to == MAP_FAILED || from == MAP_FAILED)
			err = -errno;
		else
			taken = time_work(m, f, from, to);
	}
	if (to != MAP_FAILED)
		munmap(to, m->size);
	if (from && from != MAP_FAILED)
		munmap(from, m->size);
	if (err)
		return no_memory(m, -err);
	put_result(m, taken);
	return 0;
}

static int list_functions(const struct mem_run *m)
{
	printf("Available functions:\n");
	for (const struct mem_function *f = m->functions; f->name; f++)
		printf("\t%s ... %s\n", f->name, f->what);
	return 0;
}

static int run_functions(struct mem_run *m)
{
	bool all = !strcmp(m->function, "all");
	int code = 0, found = 0;

	if (!strcmp(m->function, "help") || !strcmp(m->function, "h"))
		return list_functions(m);
	for (const struct mem_function *f = m->functions; f->name && !code; f++) {
		if (!all && strcmp(f->name, m->function) != 0)
			continue;
		found++;
		code = run_function(m, f);
	}
	if (found)
		return code;
	say_error("--function: there is no '%s'", m->function);
	say_hint("-f help lists the functions");
	return EXIT_USAGE;
}

static int settle(struct mem_run *m)
{
	static const struct {
		u64 size;
		unsigned shift;
	} pages[] = {
		{ 4096, 12 },
		{ 2 << 20, 21 },
		{ 1 << 30, 30 },
	};
	u64 page = 0;

	if (parse_bytes(m->size_text, &m->size) || !m->size || m->size > INT64_MAX) {
		say_error("--size: '%s' is not a size such as 1MB", m->size_text);
		return EXIT_USAGE;
	}
	m->chunk = m->size;
	if (m->chunk_text && (parse_bytes(m->chunk_text, &m->chunk) || m->chunk > m->size)) {
		say_error("--chunk: '%s' is not a size of %s at most", m->chunk_text, m->size_text);
		return EXIT_USAGE;
	}
	if (!m->chunk)
		m->chunk = m->size;
	parse_bytes(m->page_text, &page);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i].size == page)
			m->page_shift = pages[i].shift;
	if (!m->page_shift) {
		say_error("--page: '%s' is neither 4KB, 2MB nor 1GB", m->page_text);
		return EXIT_USAGE;
	}
	/* whole pages, or the memory cannot be given back */
	if (m->page_shift != 12)
		m->size = ALIGN_UP(m->size, 1ULL << m->page_shift);
	if (m->loops <= 0) {
		say_error("--nr_loops: at least one is needed, not %d", m->loops);
		return EXIT_USAGE;
	}
	return m->cycles ? open_cycles(m) : 0;
}

static int run(struct mem_run *m, int argc, const char **argv)
{
	option_rows rows = VEC_INIT;
	const struct option_row common[] = {
		{ OPTION_STRING, 's', "size", &m->size_text, .arg = "SIZE",
		  .help = "bytes of a buffer (default: 1MB); units: B, KB, MB, GB, TB" },
		{ OPTION_STRING, 'p', "page", &m->page_text, .arg = "SIZE",
		  .help = "pages of the buffers: 4KB (default), 2MB, 1GB" },
		{ OPTION_STRING, 'f', "function", &m->function, .arg = "NAME",
		  .help = "which function; all: each of them (default), help: lists them" },
		{ OPTION_INT, 'l', "nr_loops", &m->loops, .help = "number of loops (default: 1)" },
		{ OPTION_FLAG, 'c', "cycles", &m->cycles,
		  .help = "count cycles instead of measuring time" },
	};
	const struct option_row chunk = {
		OPTION_STRING,  'k',           "chunk",
		&m->chunk_text, .arg = "SIZE", .help = "bytes of each call (default: the buffer's)",
	};
	const struct option_row random = {
		OPTION_U64, 'r',           "randomize",
		&m->seed,   .arg = "SEED", .help = "touch the pages in another order",
	};
	int code;

	option_rows_add(&rows, common, ARRAY_SIZE(common));
	option_rows_add(&rows, m->kind == MEM_MAP ? &random : &chunk, 1);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	code = bench_options(m->b, rows.items, &argc, argv);
	vec_release(&rows);
	if (code)
		return bench_parsed(code);
	code = settle(m);
	if (!code)
		code = run_functions(m);
	if (m->cycles_fd >= 0)
		close(m->cycles_fd);
	return code;
}

static int run_kind(struct bench *b, enum mem_kind kind, const struct mem_function *functions,
		    int argc, const char **argv)
{
	struct mem_run m = { .b = b,
			     .kind = kind,
			     .functions = functions,
			     .size_text = "1MB",
			     .page_text = "4KB",
			     .function = "all",
			     .loops = 1,
			     .cycles_fd = -1 };

	return run(&m, argc, argv);
}

static int bench_mem_memcpy(struct bench *b, int argc, const char **argv)
{
	return run_kind(b, MEM_COPY, memcpy_functions, argc, argv);
}

static int bench_mem_memset(struct bench *b, int argc, const char **argv)
{
	return run_kind(b, MEM_FILL, memset_functions, argc, argv);
}

static int bench_mem_mmap(struct bench *b, int argc, const char **argv)
{
	return run_kind(b, MEM_MAP, mmap_functions, argc, argv);
}

const struct benchmark mem_benchmarks[] = {
	{ "memcpy", "Benchmark for memcpy() functions", bench_mem_memcpy },
	{ "memset", "Benchmark for memset() functions", bench_mem_memset },
	{ "find_bit", "Benchmark for find_bit() functions", bench_find_bit },
	{ "mmap", "Benchmark for mmap() mappings", bench_mem_mmap },
	{ NULL },
};
