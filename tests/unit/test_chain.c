// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames and chains: each once, context markers, naming, merging, folding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/perf_abi.h"
#include "chains.h"
#include "shell.h"

static chain_id add(struct world *w, struct chains *c, const u64 *ips, u64 count, u32 max, u64 time)
{
	struct order_key key = when(time);

	return chain_add(
		c, w->task, PERF_RECORD_MISC_KERNEL,
		&(struct recorded_chain){ .ips = (const u8 *)ips, .count = count, .max = max },
		&key);
}

/* Returns the number of frames of a recorded chain. */
static size_t depth_of(const struct chains *c, chain_id id)
{
	size_t count;

	chain_recorded(c, id, &count);
	return count;
}

/* Returns the frame that is so many callers above the leaf. */
static const struct frame *frame_at(const struct chains *c, chain_id id, size_t above)
{
	size_t count;
	const frame_id *frames = chain_recorded(c, id, &count);

	assert_true(above < count);
	return chain_frame(c, frames[above]);
}

/* Copies a collector's chains to a new one without changing their frames. */
static struct chains *merged(struct world *w, struct chains *c)
{
	struct chains *out = chains_new(w->h);
	struct chains *of = c;
	frame_id *frames;
	u32 part;

	frames_merge(out, &w->ctx, &of, 1, &frames);
	part = lists_take(out, c);
	assert_int_equal(lists_first(out, part), 0);
	lists_fold(out, part, frames, NULL, 0, lists_frames(out, part));
	free(frames);
	return out;
}

static const u64 mixed[] = {
	PERF_CONTEXT_KERNEL, TEXT + 0x2010, TEXT + 0x1010, PERF_CONTEXT_USER, 0x400100, 0x400200,
};

static void test_repeats_are_one(void **state)
{
	struct world w;
	struct chains *c, *all;
	const struct chain_tree *tree;
	chain_id first, deeper;
	u64 longer[ARRAY_SIZE(mixed)];

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	first = add(&w, c, mixed, ARRAY_SIZE(mixed), 0, 50);
	assert_int_equal(depth_of(c, first), 4);
	assert_int_equal(add(&w, c, mixed, ARRAY_SIZE(mixed), 0, 60), first);
	/* another leaf shares the three callers */
	memcpy(longer, mixed, sizeof(mixed));
	longer[1] = in(C);
	deeper = add(&w, c, longer, ARRAY_SIZE(mixed), 0, 50);
	assert_int_not_equal(deeper, first);
	assert_int_equal(add(&w, c, mixed, 0, 0, 50), 0);
	all = merged(&w, c);
	tree = chains_tree(all, &w.ctx);
	first = tree->leaf_of[first];
	deeper = tree->leaf_of[deeper];
	assert_int_equal(tree->nodes[first].depth, 4);
	assert_int_not_equal(deeper, first);
	assert_int_equal(tree->nodes[deeper].parent, tree->nodes[first].parent);
	assert_int_equal(tree->leaf_of[0], 0);
	assert_int_equal(tree->count, 5);
	assert_ptr_equal(chains_tree(all, &w.ctx), tree);
	chains_free(all);
	chains_free(c);
	world_release(&w);
}

/* Checks that what a chain called is cut off in a new chain, while the whole one stays. */
static void test_cut(void **state)
{
	struct world w;
	struct chains *c, *all;
	struct chain_list whole, part;
	chain_id id;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	id = add(&w, c, mixed, ARRAY_SIZE(mixed), 0, 50);
	all = merged(&w, c);
	for (int i = 0; i < 100; i++) { /* they grow over several sizes */
		chain_id cut = chain_cut(all, id, 1);

		part = chain_lists(all)[cut];
		assert_int_equal(part.count, 3);
	}
	whole = chain_lists(all)[id];
	assert_int_equal(whole.count, 4);
	for (u32 i = 0; i < part.count; i++)
		assert_int_equal(part.frames[i], whole.frames[i + 1]);
	assert_true(chain_frame(all, part.frames[0])->addr == TEXT + 0x1010);
	chains_free(all);
	chains_free(c);
	world_release(&w);
}

static void test_contexts(void **state)
{
	static const u64 unknown[] = { (u64)-4000, 0x400100 };
	static const struct {
		u8 mode;
		bool is_return;
	} want[] = {
		{ PERF_RECORD_MISC_KERNEL, false },
		{ PERF_RECORD_MISC_KERNEL, true },
		{ PERF_RECORD_MISC_USER, false },
		{ PERF_RECORD_MISC_USER, true },
	};
	struct world w;
	struct chains *c;
	chain_id id;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	id = add(&w, c, mixed, ARRAY_SIZE(mixed), 0, 50);
	assert_int_equal(depth_of(c, id), ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(frame_at(c, id, i)->cpumode, want[i].mode);
		assert_int_equal(frame_at(c, id, i)->is_return, want[i].is_return);
	}
	/* two frames, counted from the leaf and without the markers */
	id = add(&w, c, mixed, ARRAY_SIZE(mixed), 3, 50);
	assert_int_equal(depth_of(c, id), 3);
	assert_true(frame_at(c, id, 0)->addr == TEXT + 0x2010);
	/* a marker that nobody knows: each sample counts, not only the first with this chain */
	assert_int_equal(add(&w, c, unknown, 2, 0, 50), 0);
	assert_int_equal(chains_damaged(c), 1);
	assert_int_equal(add(&w, c, unknown, 2, 0, 50), 0);
	assert_int_equal(chains_damaged(c), 2);
	chains_free(c);
	world_release(&w);
}

/* Checks that the same addresses have another meaning after another file was mapped there. */
static void test_spaces(void **state)
{
	static const u64 user[] = { PERF_CONTEXT_USER, 0x400100 };
	struct world w;
	struct chains *c;
	chain_id before, after;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	before = add(&w, c, user, 2, 0, 50);
	after = add(&w, c, user, 2, 0, 150);
	assert_int_not_equal(before, after);
	assert_string_equal(image_get(w.images, frame_at(c, before, 0)->image)->path, "/bin/prog");
	assert_string_equal(image_get(w.images, frame_at(c, after, 0)->image)->path, "/bin/other");
	assert_true(frame_at(c, before, 0)->offset == 0x100);
	chains_free(c);
	world_release(&w);
}

/* Checks that processes with the same mappings share chains, but only as long as they have them. */
static void test_alike(void **state)
{
	static const u64 user[] = { PERF_CONTEXT_USER, 0x400100, 0x400200 };
	const struct recorded_chain r = { .ips = (const u8 *)user, .count = 3 };
	struct world w;
	struct chains *c;
	chain_id first, id;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	first = add(&w, c, user, 3, 0, 50);
	for (u32 pid = 11; pid <= 12; pid++)
		for (u64 time = 50; time <= 150; time += 100) {
			struct order_key key = when(time);

			id = chain_add(c, history_task(w.h, 0, pid, pid, &key),
				       PERF_RECORD_MISC_USER, &r, &key);
			assert_true(frame_at(c, id, 0)->offset == (pid == 12 ? 0x1100 : 0x100));
			assert_string_equal(image_get(w.images, frame_at(c, id, 1)->image)->path,
					    "/bin/prog");
		}
	assert_int_equal(frames_count(c), 4);
	id = add(&w, c, user, 3, 0, 150);
	assert_int_not_equal(id, first);
	assert_string_equal(image_get(w.images, frame_at(c, id, 0)->image)->path, "/bin/other");
	/* the same question, said before */
	chain_announce(c, w.task, PERF_RECORD_MISC_KERNEL, &r,
		       &(struct order_key){ 50, 0, UINT64_MAX });
	assert_int_equal(add(&w, c, user, 3, 0, 50), first);
	chains_free(c);
	world_release(&w);
}

/* Guests of which no record tells the kernel have the same addresses, and each its own kernel. */
static void test_guests(void **state)
{
	static const u64 kernel[] = { PERF_CONTEXT_GUEST_KERNEL, TEXT + 0x10, TEXT + 0x20 };
	const struct recorded_chain r = { .ips = (const u8 *)kernel, .count = 3 };
	struct order_key key = when(50);
	char want[64];
	struct world w;
	struct chains *c;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	for (u32 i = 0; i < 4; i++) {
		u32 machine = 100 + i % 2;
		chain_id id = chain_add(c, history_task(w.h, machine, machine, machine, &key),
					PERF_RECORD_MISC_GUEST_KERNEL, &r, &key);

		snprintf(want, sizeof(want), "[guest.kernel.kallsyms.%u]", machine);
		for (size_t above = 0; above < 2; above++)
			assert_string_equal(
				image_get(w.images, frame_at(c, id, above)->image)->name, want);
	}
	assert_int_equal(frames_count(c), 4);
	chains_free(c);
	world_release(&w);
}

/* Checks that a frame that was first seen by its place is the frame in a chain. */
static void test_met(void **state)
{
	static const u64 user[] = { PERF_CONTEXT_USER, 0x400100 };
	struct frame f = { .addr = 0x400100,
			   .offset = 0x100,
			   .cpumode = PERF_RECORD_MISC_USER,
			   .symbol = NO_SYMBOL };
	struct world w;
	struct chains *c;
	size_t count;
	chain_id id;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	id = add(&w, c, user, 2, 0, 50);
	f.image = frame_at(c, id, 0)->image;
	assert_int_equal(frame_met(c, &f), chain_recorded(c, id, &count)[0]);
	f.offset = f.addr = 0x5000;
	f.image = 0;
	f.cpumode = PERF_RECORD_MISC_KERNEL;
	assert_int_equal(frame_met(c, &f), 1);
	assert_int_equal(frame_met(c, &f), 1);
	assert_int_equal(frame_add(c, &f), 1);
	chains_free(c);
	world_release(&w);
}

static void test_swapped(void **state)
{
	struct world w;
	struct chains *c;
	u64 ips[ARRAY_SIZE(mixed)];
	struct order_key key = when(50);
	chain_id swapped, plain;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	for (size_t i = 0; i < ARRAY_SIZE(mixed); i++)
		ips[i] = __builtin_bswap64(mixed[i]);
	swapped =
		chain_add(c, w.task, PERF_RECORD_MISC_KERNEL,
			  &(struct recorded_chain){
				  .ips = (const u8 *)ips, .count = ARRAY_SIZE(ips), .swap = true },
			  &key);
	plain = add(&w, c, mixed, ARRAY_SIZE(mixed), 0, 50);
	assert_int_equal(depth_of(c, swapped), depth_of(c, plain));
	for (size_t i = 0; i < depth_of(c, plain); i++)
		assert_ptr_equal(frame_at(c, swapped, i), frame_at(c, plain, i));
	assert_int_equal(frames_count(c), 4);
	chains_free(c);
	world_release(&w);
}

static const char *name_of(struct world *w, const struct frame *f)
{
	if (f->symbol == NO_SYMBOL)
		return "";
	return symbol_get(symbols_of(w->symbols, f->image), f->symbol)->name;
}

/* Checks that A is the caller when a call at the very end of A returns to the first byte of B. */
static void test_names(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_KERNEL, TEXT + 0x3000, TEXT + 0x2000 };
	struct world w;
	struct chains *c;
	chain_id id;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	id = add(&w, c, ips, 3, 0, 50);
	chains_name(c, &w.ctx, w.symbols, true, NULL);
	assert_string_equal(name_of(&w, frame_at(c, id, 0)), "C");
	assert_string_equal(name_of(&w, frame_at(c, id, 1)), "A");
	chains_name(c, &w.ctx, w.symbols, false, NULL); /* what has a name keeps it */
	assert_string_equal(name_of(&w, frame_at(c, id, 1)), "A");
	chains_free(c);
	c = chains_new(w.h);
	id = add(&w, c, ips, 3, 0, 50);
	chains_name(c, &w.ctx, w.symbols, false, NULL);
	assert_string_equal(name_of(&w, frame_at(c, id, 1)), "B");
	chains_free(c);
	world_release(&w);
}

/*
 * Checks that addresses that the unwinder found are used as they are: they already lie inside the
 * call, or are exact where a signal interrupted.
 */
static void test_unwound(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_KERNEL, TEXT + 0x3000, TEXT + 0x2000,
				   TEXT + 0x1000 };
	const struct recorded_chain r = { .ips = (const u8 *)ips, .count = 4, .unwound = 2 };
	struct order_key key = when(50);
	struct world w;
	struct chains *c;
	chain_id id, recorded;

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	recorded = add(&w, c, ips, 4, 0, 50);
	id = chain_add(c, w.task, PERF_RECORD_MISC_KERNEL, &r, &key);
	assert_int_not_equal(id, recorded);
	chains_name(c, &w.ctx, w.symbols, true, NULL);
	assert_string_equal(name_of(&w, frame_at(c, id, 0)), "C");
	assert_string_equal(name_of(&w, frame_at(c, id, 1)), "B");
	assert_string_equal(name_of(&w, frame_at(c, id, 2)), "A");
	assert_string_equal(name_of(&w, frame_at(c, recorded, 1)), "A");
	chains_free(c);
	world_release(&w);
}

/* Checks that B can stand for a run of two frames: B, and D inlined in it. */
static void test_runs(void **state)
{
	static const u64 ips[] = { PERF_CONTEXT_KERNEL, TEXT + 0x3010, TEXT + 0x2010,
				   TEXT + 0x1010 };
	static const u64 want[] = { TEXT + 0x3010, TEXT + 0x4010, TEXT + 0x2010, TEXT + 0x1010 };
	struct chains *of;
	struct world w;
	struct chains *c, *out;
	struct chain_list list;
	frame_id *map, extra;
	chain_id id;
	u32 part;
	const u32 *runs[4] = { NULL };
	u32 run[3] = { 2 };

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	out = chains_new(w.h);
	id = add(&w, c, ips, 4, 0, 50);
	of = c;
	frames_merge(out, &w.ctx, &of, 1, &map);
	extra = frame_add(out, &(struct frame){ .addr = TEXT + 0x4010, .symbol = NO_SYMBOL });
	for (u32 f = 0; f < 3; f++)
		if (chain_frame(out, map[f])->addr == TEXT + 0x2010) {
			run[1] = map[f];
			run[2] = extra;
			runs[f] = run;
		}
	part = lists_take(out, c);
	lists_fold(out, part, map, runs, 0, lists_frames(out, part));
	list = chain_lists(out)[lists_first(out, part) + id];
	assert_int_equal(list.count, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_true(chain_frame(out, list.frames[i])->addr == want[i]);
	free(map);
	chains_free(c);
	chains_free(out);
	world_release(&w);
}

/* ---- many frames, of several workers ---- */

enum { WORKERS = 3, OF_EACH = 30000, STEP = 10000, ALIKE = 100 };

static u64 addr_of(u32 worker, u64 frame)
{
	return worker * STEP + (worker % 2 ? OF_EACH - 1 - frame : frame);
}

/* Adds addresses i * STEP .. i * STEP + OF_EACH - 1, so neighbours share two thirds. */
static void meet_many(struct world *w, struct chains **c)
{
	for (u32 i = 0; i < WORKERS; i++) {
		c[i] = chains_new(w->h);
		for (u64 k = 0; k < OF_EACH; k++) {
			u64 addr = addr_of(i, k);

			frame_met(c[i], &(struct frame){ .addr = addr,
							 .offset = addr,
							 .symbol = NO_SYMBOL,
							 .cpumode = PERF_RECORD_MISC_USER });
		}
	}
}

static u64 by_hundreds(void *arg, const struct frame *f)
{
	(void)arg;
	return f->addr / ALIKE;
}

static void merge_many(struct world *w, unsigned workers, bool unplaced)
{
	struct context ctx = { .workers = workers };
	struct chains *c[WORKERS], *all = chains_new(w->h), *folded;
	frame_id *maps[WORKERS], *fold;

	meet_many(w, c);
	/* one that came another way: the first collector's places do not find it */
	if (unplaced)
		frame_add(c[1], &(struct frame){ .addr = STEP, .offset = 1, .symbol = NO_SYMBOL });
	frames_merge(all, &ctx, c, WORKERS, maps);
	assert_int_equal(frames_count(all), OF_EACH + (WORKERS - 1) * STEP + unplaced);
	folded = frames_fold(all, &ctx, w->images, by_hundreds, NULL, &fold);
	assert_int_equal(frames_count(folded), frames_count(all) / ALIKE);
	for (u32 i = 0; i < WORKERS; i++) {
		for (u32 f = 0; f < OF_EACH; f++) {
			u64 addr = addr_of(i, f);

			assert_true(chain_frame(all, maps[i][f])->addr == addr);
			/* the least of them stands for all */
			assert_true(chain_frame(folded, fold[maps[i][f]])->addr ==
				    addr / ALIKE * ALIKE);
		}
		free(maps[i]);
		chains_free(c[i]);
	}
	free(fold);
	chains_free(folded);
	chains_free(all);
}

/*
 * Returns how many bytes the debug information of this file takes after so many of its frames were
 * named.
 */
static u64 opened_by_naming(struct world *w, const char *file, unsigned workers, u32 frames,
			    u8 mode)
{
	struct line_store *lines = line_store_new(w->symbols, NULL);
	const struct image want = { .kind = IMAGE_ELF, .path = file, .pid = -1 };
	struct frame f = { .image = image_intern(w->images, &want),
			   .cpumode = mode,
			   .symbol = NO_SYMBOL };
	struct chains *c = chains_new(w->h);
	u64 bytes;

	for (u32 i = 0; i < frames; i++) {
		f.offset = f.addr = 0x1000 + i;
		frame_add(c, &f);
	}
	w->ctx.workers = workers;
	chains_name(c, &w->ctx, w->symbols, true, lines);
	w->ctx.workers = 0;
	for (u32 i = 0; i < frames; i++)
		assert_true(chain_frame(c, i)->named);
	bytes = line_store_bytes(lines);
	chains_free(c);
	line_store_free(lines);
	return bytes;
}

/*
 * Checks that naming opens debug information with several threads if there are many frames, and
 * only what chains_lines() will ask for.
 */
static void test_naming_opens_debug_information(void **state)
{
	char dir[] = "/tmp/perf-unit-chain-XXXXXX", *debug, *plain;
	struct world w;

	(void)state;
	assert_non_null(mkdtemp(dir));
	debug = xasprintf("%s/debug.so", dir);
	plain = xasprintf("%s/plain.so", dir);
	/* this program itself may have been built without debug information */
	if (!shell(dir, "echo 'int f(int x) { return x + 1; }' >f.c && gcc -g -shared -nostdlib -o "
			"debug.so f.c && "
			"gcc -g0 -shared -nostdlib -o plain.so f.c")) {
		free(debug);
		free(plain);
		assert_true(shell("/", "rm -rf %s", dir));
		skip();
	}
	world_init(&w);
	assert_true(opened_by_naming(&w, debug, 2, 3000, PERF_RECORD_MISC_USER) >
		    opened_by_naming(&w, plain, 2, 3000, PERF_RECORD_MISC_USER));
	assert_int_equal(opened_by_naming(&w, debug, 1, 3000, PERF_RECORD_MISC_USER), 0);
	assert_int_equal(opened_by_naming(&w, debug, 2, 100, PERF_RECORD_MISC_USER), 0);
	assert_int_equal(opened_by_naming(&w, debug, 2, 3000, PERF_RECORD_MISC_KERNEL), 0);
	world_release(&w);
	assert_true(shell("/", "rm -rf %s", dir));
	free(debug);
	free(plain);
}

static void test_many_workers(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	for (unsigned workers = 1; workers <= 7; workers += 3) {
		merge_many(&w, workers, false);
		merge_many(&w, workers, true);
	}
	world_release(&w);
}

static u64 by_symbol(void *arg, const struct frame *f)
{
	(void)arg;
	return (u64)f->image << 32 | f->symbol;
}

/*
 * Merges and folds chains of two workers that saw other addresses of the same functions; A calls
 * itself.
 */
static void test_merge_and_fold(void **state)
{
	static const u64 one[] = { PERF_CONTEXT_KERNEL, TEXT + 0x2010, TEXT + 0x1010,
				   TEXT + 0x1020 };
	static const u64 two[] = { PERF_CONTEXT_KERNEL, TEXT + 0x2ff0, TEXT + 0x1510,
				   TEXT + 0x1510 };
	struct world w;
	struct chains *c[2], *all, *folded;
	const struct chain_tree *tree;
	struct chain_list list;
	chain_id id[2];
	frame_id *frames[2], *fold;
	u32 count[2];

	(void)state;
	world_init(&w);
	all = chains_new(w.h);
	for (int i = 0; i < 2; i++) {
		c[i] = chains_new(w.h);
		id[i] = add(&w, c[i], i ? two : one, 4, 0, 50);
	}
	for (int i = 0; i < 2; i++)
		count[i] = frames_count(c[i]);
	frames_merge(all, &w.ctx, c, 2, frames);
	assert_int_equal(frames_count(all), 5); /* 2ff0, 1510; 2010, 1010, 1020 */
	chains_name(all, &w.ctx, w.symbols, true, NULL);
	folded = frames_fold(all, &w.ctx, w.images, by_symbol, NULL, &fold);
	assert_int_equal(frames_count(folded), 2);
	for (int i = 0; i < 2; i++) {
		u32 part = lists_take(folded, c[i]);

		for (u32 f = 0; f < count[i]; f++)
			frames[i][f] = fold[frames[i][f]];
		lists_fold(folded, part, frames[i], NULL, 0, lists_frames(folded, part));
		id[i] += lists_first(folded, part);
	}
	assert_int_not_equal(id[0], id[1]);
	list = chain_lists(folded)[id[0]];
	assert_int_equal(list.count, 3);
	/* the lowest address stands for its function, whoever came first */
	assert_true(chain_frame(folded, list.frames[0])->addr == TEXT + 0x2010);
	tree = chains_tree(folded, &w.ctx);
	assert_int_equal(tree->leaf_of[id[0]], tree->leaf_of[id[1]]);
	assert_int_equal(tree->count, 3); /* A, A > A, A > A > B */
	for (int i = 0; i < 2; i++) {
		free(frames[i]);
		chains_free(c[i]);
	}
	free(fold);
	chains_free(folded);
	chains_free(all);
	world_release(&w);
}

/* Checks that every chain is still found after tables have grown several times. */
static void test_many(void **state)
{
	struct world w;
	struct chains *c, *all;
	chain_id ids[5000];
	u64 ips[3] = { PERF_CONTEXT_USER };

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	for (int round = 0; round < 2; round++)
		for (u64 i = 0; i < ARRAY_SIZE(ids); i++) {
			chain_id id;

			ips[1] = 0x400000 + i;
			ips[2] = 0x400000 + i % 7;
			id = add(&w, c, ips, 3, 0, 50);
			if (round)
				assert_int_equal(id, ids[i]);
			ids[i] = id;
		}
	all = merged(&w, c);
	assert_int_equal(chains_tree(all, &w.ctx)->count, 5007);
	chains_free(all);
	chains_free(c);
	world_release(&w);
}

static frame_id plain_frame(struct chains *c, u64 offset)
{
	return frame_add(c, &(struct frame){ .offset = offset, .symbol = NO_SYMBOL });
}

/*
 * Checks that what stays keeps its order and is found under its new number, and that what is gone
 * is added again when it comes.
 */
static void test_shrunk(void **state)
{
	struct world w;
	struct chains *c;
	frame_id f[5], path[3];
	chain_id all[3];

	(void)state;
	world_init(&w);
	c = chains_new(w.h);
	for (u64 i = 0; i < 5; i++)
		f[i] = plain_frame(c, 100 + i);
	all[0] = chain_keep(c, (const frame_id[]){ f[0], f[2] }, 2);
	all[1] = chain_keep(c, (const frame_id[]){ f[1], f[0] }, 2);
	all[2] = chain_keep(c, (const frame_id[]){ f[3], f[2], f[4] }, 3);
	{
		u32 frames[] = { 0, 0, 1, 1, 1 }, chains[] = { 0, 0, 0, 1 };

		assert_true(all[0] == 1 && all[1] == 2 && all[2] == 3);
		chains_shrink(c, frames, chains);
		assert_memory_equal(frames, ((const u32[]){ 0, 0, 1, 2, 3 }), sizeof(frames));
		assert_memory_equal(chains, ((const u32[]){ 1, 0, 0, 2 }), sizeof(chains));
	}
	assert_int_equal(frames_count(c), 3);
	assert_int_equal(chains_count(c), 1);
	assert_int_equal(depth_of(c, 1), 3);
	assert_int_equal(frame_at(c, 1, 0)->offset, 103);
	assert_int_equal(frame_at(c, 1, 1)->offset, 102);
	assert_int_equal(frame_at(c, 1, 2)->offset, 104);
	for (u32 i = 0; i < 3; i++)
		path[i] = plain_frame(c, (const u64[]){ 103, 102, 104 }[i]);
	assert_true(path[0] == 1 && path[1] == 0 && path[2] == 2);
	assert_int_equal(chain_keep(c, path, 3), 1);
	assert_int_equal(chain_keep(c, path, 2), 2);
	assert_int_equal(plain_frame(c, 100), 3);
	chains_free(c);
	world_release(&w);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeats_are_one), cmocka_unit_test(test_cut), cmocka_unit_test(test_alike),
		cmocka_unit_test(test_met), cmocka_unit_test(test_contexts), cmocka_unit_test(test_guests),
		cmocka_unit_test(test_spaces),		cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_names),		cmocka_unit_test(test_merge_and_fold),
		cmocka_unit_test(test_many_workers),
		cmocka_unit_test(test_naming_opens_debug_information),
		cmocka_unit_test(test_many),		cmocka_unit_test(test_unwound),
		cmocka_unit_test(test_runs),		cmocka_unit_test(test_shrunk),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
