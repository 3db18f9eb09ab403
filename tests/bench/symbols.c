// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Speed of the symbol room, without a perf.data around it.
 *
 * usage: symbols names            1 million distinct addresses of 1 million functions
 *        symbols kallsyms         a kernel and 500 modules
 *        symbols index PROGRAM    all units of a program, read by two threads
 *
 * One line: the figure, its unit, and what it is of.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbol/srcline.h"
#include "symbol/symbol.h"

#define TEXT    ((u64)0xffffffff81000000)
#define MODULES ((u64)0xffffffffc0000000)
enum { FUNCTIONS = 1000000, KERNEL_FUNCTIONS = 150000, MODULE_COUNT = 500, MODULE_FUNCTIONS = 200 };

struct bench {
	struct context ctx;
	struct image_table *images;
	struct symbol_store *symbols;
	struct line_store *lines;
	u32 image;
	unsigned part; /* this thread's part of index */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void begin(struct bench *b, const char *kallsyms)
{
	memset(b, 0, sizeof(*b));
	b->images = image_table_new();
	b->symbols = symbol_store_new(&b->ctx, b->images,
				      &(struct symbol_options){ .kallsyms = kallsyms,
								.ignore_vmlinux = true,
								.symfs = "",
								.buildid_dir = "" });
}

static void end(struct bench *b)
{
	line_store_free(b->lines);
	symbol_store_free(b->symbols);
	image_table_free(b->images);
	condition_list_release(&b->ctx.conditions);
}

static FILE *write_kallsyms(char *path)
{
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

static u32 kernel_image(struct bench *b, u64 size)
{
	struct image want = { .kind = IMAGE_KERNEL,
			      .kernel = true,
			      .path = "[kernel.kallsyms]",
			      .pid = -1,
			      .addr = TEXT,
			      .size = size };

	return image_intern(b->images, &want);
}

static int names(void)
{
	char path[] = "/tmp/bench-kallsyms.XXXXXX";
	FILE *f = write_kallsyms(path);
	const struct symbol_table *t;
	struct bench b;
	u64 sum = 0, state = 1;
	double start, took;

	for (u64 i = 0; i < FUNCTIONS; i++)
		fprintf(f, "%" PRIx64 " T function_%" PRIu64 "\n", TEXT + i * 64, i);
	fclose(f);
	begin(&b, path);
	b.image = kernel_image(&b, FUNCTIONS * 64ULL);
	t = symbols_of(b.symbols, b.image);
	start = now();
	/* each once, in an order that no cache likes: the step shares no factor with the count */
	for (u64 i = 0; i < FUNCTIONS; i++) {
		u32 n;

		state = (state + 7368787) % FUNCTIONS;
		n = symbol_find(t, TEXT + state * 64 + state % 64);
		if (n == NO_SYMBOL)
			return 1;
		sum += (u8)symbol_get(t, n)->name[9];
	}
	took = now() - start;
	unlink(path);
	printf("%.0f names/s of %u functions on one core (%" PRIu64 ")\n", FUNCTIONS / took,
	       FUNCTIONS, sum);
	end(&b);
	return 0;
}

static int kallsyms(void)
{
	char path[] = "/tmp/bench-kallsyms.XXXXXX";
	FILE *f = write_kallsyms(path);
	struct bench b;
	double start, took;
	u32 last = 0, module = 0;

	for (u64 i = 0; i < KERNEL_FUNCTIONS; i++)
		fprintf(f, "%" PRIx64 " t kernel_function_%" PRIu64 "\n", TEXT + i * 128, i);
	for (u64 m = 0; m < MODULE_COUNT; m++)
		for (u64 i = 0; i < MODULE_FUNCTIONS; i++)
			fprintf(f,
				"%" PRIx64 " t module_%" PRIu64 "_function_%" PRIu64
				"\t[mod%" PRIu64 "]\n",
				MODULES + m * 0x8000 + i * 128, m, i, m);
	fclose(f);
	begin(&b, path);
	b.image = kernel_image(&b, KERNEL_FUNCTIONS * 128ULL);
	start = now();
	last = symbol_count(symbols_of(b.symbols, b.image));
	for (u64 m = 0; m < MODULE_COUNT; m++) {
		char name[32];
		struct image want = { .kind = IMAGE_MODULE,
				      .kernel = true,
				      .path = name,
				      .pid = -1,
				      .addr = MODULES + m * 0x8000,
				      .size = 0x8000 };

		snprintf(name, sizeof(name), "[mod%u]", (unsigned)m);
		module += symbol_count(symbols_of(b.symbols, image_intern(b.images, &want)));
	}
	took = now() - start;
	unlink(path);
	printf("%.1f ms for kallsyms of %u + %u symbols\n", took * 1e3, last, module);
	end(&b);
	return last < KERNEL_FUNCTIONS || module < MODULE_COUNT * MODULE_FUNCTIONS;
}

/* Every 16th function from this thread's half: some in each unit. */
static void *ask(void *arg)
{
	struct bench *b = arg;
	const struct symbol_table *t = symbols_of(b->symbols, b->image);
	u32 count = symbol_count(t), from = count / 2 * b->part;
	u32 to = b->part ? count : count / 2;
	struct source_frame frames[64];

	for (u32 i = from; i < to; i += 16)
		lines_at(b->lines, b->image, symbol_get(t, i)->start, frames, 64);
	return NULL;
}

static int index_program(const char *path)
{
	struct bench b, other;
	struct rusage usage;
	struct stat st;
	pthread_t thread;
	double start, took;

	if (stat(path, &st)) {
		perror(path);
		return 1;
	}
	begin(&b, NULL);
	b.image = image_intern(b.images, &(struct image){ .path = path, .pid = -1 });
	b.lines = line_store_new(b.symbols, NULL);
	symbols_of(b.symbols, b.image);
	start = now();
	other = b;
	other.part = 1;
	if (pthread_create(&thread, NULL, ask, &other))
		return 1;
	ask(&b);
	pthread_join(thread, NULL);
	took = now() - start;
	getrusage(RUSAGE_SELF, &usage);
	printf("%.2f s and %.2f times its size in memory to read the debug information of %.0f "
	       "MB\n",
	       took, (double)usage.ru_maxrss * 1024 / (double)st.st_size, (double)st.st_size / 1e6);
	end(&b);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "names"))
		return names();
	if (argc == 2 && !strcmp(argv[1], "kallsyms"))
		return kallsyms();
	if (argc == 3 && !strcmp(argv[1], "index"))
		return index_program(argv[2]);
	fprintf(stderr, "usage: symbols names | kallsyms | index PROGRAM\n");
	return 129;
}
