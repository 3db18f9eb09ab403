/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up world for tests of chains and histograms: a process "prog" (pid 10), one that
 * maps the same at first (11), one that maps another part of it there (12),
 * and a kernel with five functions of 0x1000 bytes each, named by a kallsyms file.
 */
#ifndef TESTS_CHAINS_H
#define TESTS_CHAINS_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "chain/chain.h"
#include "synth.h"

#define TEXT 0xffffffff81000000ULL
enum { A = 1, B, C, D, E, FUNCTIONS };

struct world {
	struct synth s;
	struct context ctx;
	struct image_table *images;
	struct history *h;
	struct event_set set;
	struct symbol_store *symbols;
	const struct task *task;
	char kallsyms[32];
	int kallsyms_fd; /* a file in memory: nothing of it stays when a test fails */
};

/* Returns an address in the middle of a function, as a pc or a return address is. */
static inline u64 in(int function)
{
	return TEXT + (u64)function * 0x1000 + 0x10;
}

static inline struct order_key when(u64 time)
{
	return (struct order_key){ time, 0, UINT64_MAX };
}

static inline void world_kallsyms(struct world *w)
{
	static const char names[] = "?ABCDE";

	w->kallsyms_fd = memfd_create("kallsyms", MFD_CLOEXEC);
	if (w->kallsyms_fd < 0)
		abort();
	snprintf(w->kallsyms, sizeof(w->kallsyms), "/proc/self/fd/%d", w->kallsyms_fd);
	dprintf(w->kallsyms_fd, "%" PRIx64 " T _text\n", (u64)TEXT);
	for (int i = A; i < FUNCTIONS; i++)
		dprintf(w->kallsyms_fd, "%" PRIx64 " T %c\n", (u64)TEXT + (u64)i * 0x1000,
			names[i]);
	dprintf(w->kallsyms_fd, "%" PRIx64 " T _etext\n", (u64)TEXT + 0x6000);
}

static inline void world_init(struct world *w)
{
	struct reason r = REASON_INIT;

	memset(w, 0, sizeof(*w));
	w->ctx.buildid_dir = w->ctx.symfs = "";
	synth_init(&w->s, false);
	synth_event(&w->s, NULL, "cpu-clock");
	synth_map(&w->s, .mode = SYNTH_KERNEL, .pid = UINT32_MAX, .start = TEXT, .len = 0x6000,
		  .pgoff = TEXT, .file = "[kernel.kallsyms]_text", .v1 = true);
	for (u32 pid = 11; pid <= 12; pid++) {
		synth_comm(&w->s, pid, pid, "prog", 1);
		synth_map(&w->s, .pid = pid, .tid = pid, .start = 0x400000, .len = 0x10000,
			  .time = 2, .pgoff = pid == 12 ? 0x1000 : 0, .file = "/bin/prog");
	}
	synth_comm(&w->s, 10, 10, "prog", 1);
	synth_map(&w->s, .pid = 10, .tid = 10, .start = 0x400000, .len = 0x10000, .time = 2,
		  .file = "/bin/prog");
	synth_map(&w->s, .pid = 10, .tid = 10, .start = 0x400000, .len = 0x10000, .time = 100,
		  .file = "/bin/other");
	synth_set(&w->s, &w->set);
	w->images = image_table_new();
	w->h = history_new(&w->ctx, w->images);
	for (size_t i = 0; i < w->s.at.count; i++) {
		struct record rec = synth_record(&w->s, i);
		struct order_key key = { record_time(&w->set, &rec), 0, rec.position };

		if (history_apply(w->h, &w->set, &rec, &key, &r))
			abort();
	}
	world_kallsyms(w);
	w->symbols = symbol_store_new(&w->ctx, w->images,
				      &(struct symbol_options){ .kallsyms = w->kallsyms,
								.ignore_vmlinux = true,
								.symfs = "",
								.buildid_dir = "" });
	w->task = history_task(w->h, 0, 10, 10, &(struct order_key){ 50, 0, 0 });
}

static inline void world_release(struct world *w)
{
	symbol_store_free(w->symbols);
	history_free(w->h);
	image_table_free(w->images);
	event_set_release(&w->set);
	condition_list_release(&w->ctx.conditions);
	synth_release(&w->s);
	close(w->kallsyms_fd);
}

#endif
