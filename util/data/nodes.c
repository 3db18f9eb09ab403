// SPDX-License-Identifier: GPL-2.0-or-later
/* NUMA_TOPOLOGY and MEM_TOPOLOGY: which CPUs and which memory a node has. */
#include "base/search.h"
#include "data/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/feature.h"

enum { MOST_CPUS = 1 << 16, MOST_NODES = 1 << 12, MOST_BLOCKS = 1 << 24 };

static void place_cpus(struct data_nodes *n, u32 node, const char *list)
{
	u32 *cpus = NULL;
	size_t count = 0;

	if (parse_cpu_list(list, MOST_CPUS, &cpus, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		if (cpus[i] >= n->cpu_count) {
			n->node_of = xrealloc(n->node_of, (cpus[i] + 1) * sizeof(*n->node_of));
			while (n->cpu_count <= cpus[i])
				n->node_of[n->cpu_count++] = -1;
		}
		n->node_of[cpus[i]] = (s32)node;
	}
	free(cpus);
}

static void read_cpus(struct data_nodes *n, struct data_reader *d)
{
	struct feature_cursor c = feature_open(d, FEATURE_NUMA_TOPOLOGY);
	u32 nodes = c.bad ? 0 : feature_u32(&c);

	while (nodes-- && !c.bad) {
		u32 node = feature_u32(&c);
		const char *list;

		feature_u64(&c); /* total and free memory */
		feature_u64(&c);
		list = feature_text(&c);
		if (c.bad || node >= MOST_NODES)
			break;
		n->count = MAX(n->count, node + 1);
		n->known = true;
		place_cpus(n, node, list);
	}
}

static void add_block(struct data_nodes *n, u64 start, u64 size, u32 node)
{
	struct data_memory *last = n->memory_count ? &n->memory[n->memory_count - 1] : NULL;

	if (last && last->end == start && last->node == node) {
		last->end += size;
		return;
	}
	n->memory = xrealloc(n->memory, (n->memory_count + 1) * sizeof(*n->memory));
	n->memory[n->memory_count++] = (struct data_memory){ start, start + size, node };
}

static void read_blocks(struct data_nodes *n, struct feature_cursor *c, u64 block)
{
	u64 node = feature_u64(c), bits, word = 0;

	feature_u64(c); /* the number of bits, again */
	bits = feature_u64(c);
	if (bits > MOST_BLOCKS || node >= MOST_NODES)
		c->bad = true;
	for (u64 i = 0; i < bits && !c->bad; i++) {
		u64 end;

		if (i % 64 == 0)
			word = feature_u64(c);
		if (word >> i % 64 & 1 && !c->bad && !__builtin_mul_overflow(i + 1, block, &end))
			add_block(n, i * block, block, (u32)node);
	}
	if (!c->bad)
		n->count = MAX(n->count, (u32)node + 1);
}

static int memory_cmp(const void *a, const void *b)
{
	const struct data_memory *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void read_memory(struct data_nodes *n, struct data_reader *d)
{
	struct feature_cursor c = feature_open(d, FEATURE_MEM_TOPOLOGY);
	u64 version, block, nodes;

	if (c.bad)
		return;
	version = feature_u64(&c);
	block = feature_u64(&c);
	nodes = feature_u64(&c);
	if (version != 1 || !block)
		return;
	while (nodes-- && !c.bad)
		read_blocks(n, &c, block);
	if (n->memory_count)
		qsort(n->memory, n->memory_count, sizeof(*n->memory), memory_cmp);
}

static u32 read_line_size(struct data_reader *d)
{
	struct feature_cursor c = feature_open(d, FEATURE_CACHE);
	u32 version = c.bad ? 0 : feature_u32(&c), count = c.bad ? 0 : feature_u32(&c);

	while (version == 1 && count-- && !c.bad) {
		u32 level = feature_u32(&c), line = feature_u32(&c);
		const char *type;

		feature_bytes(&c, 8); /* sets, ways */
		type = feature_text(&c);
		feature_text(&c); /* size */
		feature_text(&c); /* CPUs */
		if (!c.bad && level == 1 && strcmp(type, "Instruction"))
			return line;
	}
	return 0;
}

void data_nodes_read(struct data_nodes *n, struct data_reader *d)
{
	struct feature_cursor cpus = feature_open(d, FEATURE_NRCPUS);
	u32 count = cpus.bad ? 0 : feature_u32(&cpus);

	*n = (struct data_nodes){ .count = 1 };
	if (count && count <= MOST_CPUS) {
		n->node_of = xcalloc(count, sizeof(*n->node_of));
		memset(n->node_of, 0xff, count * sizeof(*n->node_of));
		n->cpu_count = count;
	}
	read_cpus(n, d);
	read_memory(n, d);
	for (u32 i = 0; !n->known && i < n->cpu_count; i++)
		n->node_of[i] = 0;
	n->line_size = read_line_size(d);
}

void data_nodes_release(struct data_nodes *n)
{
	free(n->node_of);
	free(n->memory);
	*n = (struct data_nodes){ 0 };
}

s32 data_nodes_of_memory(const struct data_nodes *n, u64 physical)
{
	size_t at = lower_bound(i, 0, n->memory_count, n->memory[i].end <= physical);

	if (at < n->memory_count && n->memory[at].start <= physical)
		return (s32)n->memory[at].node;
	return -1;
}
