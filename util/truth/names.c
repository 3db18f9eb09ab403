// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds why functions of an object have no names: the conditions that symbols and kernel lists
 * gave.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "session/session.h"
#include "truth/internal.h"

/* By the beginning of the program's name. */
static const struct way {
	const char *program, *hint;
} ways[] = {
	{ "qemu-", "this is the guest's code as QEMU translates it: start QEMU (8.0 or later) with "
		   "-perfmap, "
		   "or with -jitdump and record with -k mono" },
	{ "java",
	  "start java with -XX:+DumpPerfMapAtExit, or with -agentpath:libperf-jvmti.so and record "
	  "with -k mono" },
	{ "node",
	  "start node with --perf-basic-prof, or with --perf-prof and record with -k mono" },
	{ "python", "start python (3.12 or later) with -X perf" },
	{ "php", "start php with -d opcache.jit_debug=16" },
	{ "ruby", "start ruby with --yjit-perf" },
	{ "beam", "start erl with +JPperf true" },
	{ "dotnet", "start the program with DOTNET_PerfMapEnabled=1 in its environment" },
};

const char *truth_jit_hint(const char *comm)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (str_starts(comm, ways[i].program))
			return ways[i].hint;
	return NULL;
}

/* Conditions that say why an object, or the kernel, has no names at all. */
static bool explains(const struct condition *c, const struct image *img)
{
	static const char *const of_objects[] = { "object-differs", "object-not-found",
						  "object-without-symbols", "object-of-data" };
	static const char *const of_kernel[] = { "kernel-addresses-hidden", "no-kernel-symbols",
						 "vmlinux-not-used" };

	if (img->guest)
		return !strcmp(c->code, "no-guest-symbols");
	if (img->kind == IMAGE_KERNEL || img->kind == IMAGE_MODULE || img->kind == IMAGE_BPF) {
		for (size_t i = 0; i < ARRAY_SIZE(of_kernel); i++)
			if (!strcmp(c->code, of_kernel[i]))
				return true;
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(of_objects); i++)
		if (!strcmp(c->code, of_objects[i]) && c->object && !strcmp(c->object, img->path))
			return true;
	return false;
}

static const struct condition *find_condition(struct session *s, const struct image *img)
{
	vec_for_each(&session_context(s)->conditions.list, c)
		if (explains(c, img))
			return c;
	return NULL;
}

static struct truth_cause made_code(struct session *s, const struct image *img)
{
	const struct order_key last = { .time = UINT64_MAX };
	struct history *h = session_history(s);
	const struct task *t = history_task(h, 0, (u32)img->pid, (u32)img->pid, &last);
	const char *comm = history_comm_text(h, history_comm(h, t, &last)),
		   *hint = truth_jit_hint(comm);

	return (struct truth_cause){ .object = xstrdup(comm),
				     .why = xstrdup("code made at run time, which nothing names"),
				     .cure = hint ? xstrdup(hint) : NULL };
}

/* Addresses of no mapping: the map's record was lost, or a call through a wild pointer. */
static struct truth_cause nowhere(struct session *s)
{
	bool lost = session_stats(s)->lost_events;

	return (struct truth_cause){
		.object = xstrdup(""),
		.why = xstrdup("addresses outside all known mappings"),
		.cure = lost ? xstrdup("maps were lost: record with larger buffers, -m 16M") : NULL,
	};
}

void truth_add_unnamed(struct session *s, struct truth_share *share, u32 image, u64 samples)
{
	const struct image *img = image_get(session_images(s), image);
	const struct condition *known = find_condition(s, img);
	struct truth_cause c;

	if (!image)
		c = nowhere(s);
	else if (img->kind == IMAGE_JIT && img->pid > 0)
		c = made_code(s, img);
	else if (known)
		c = (struct truth_cause){ .object = xstrdup(img->path),
					  .why = xstrdup(known->text),
					  .cure = known->hint ? xstrdup(known->hint) : NULL };
	else if (symbol_table_is_stripped(symbols_of(session_symbols(s), image)))
		c = (struct truth_cause){
			.object = xstrdup(img->path),
			.why = xstrdup("the object is stripped of its symbols"),
			.cure = xstrdup(
				"install its debug package (NAME-dbgsym), or allow debuginfod "
				"servers: "
				"--debuginfod")
		};
	else
		c = (struct truth_cause){ .object = xstrdup(img->path),
					  .why = xstrdup(
						  "no symbol of the object covers the address") };
	c.samples = samples;
	truth_add_cause(share, c);
}
