/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NUMA nodes of the recording machine: the CPUs and the physical memory of each.
 *
 * Where a file does not say, all CPUs are node 0 and no memory is known.
 * Owned by the caller; data_nodes_release().  Read-only use from many threads is fine.
 */
#ifndef DATA_NODES_H
#define DATA_NODES_H

#include "data/reader.h"

struct data_nodes {
	u32 count;     /* nodes are numbered below it */
	u32 cpu_count; /* so are CPUs */
	s32 *node_of;  /* by CPU; -1: not known */
	bool known;    /* the file says which CPU is on which node */
	struct data_memory {
		u64 start, end; /* physical addresses, end exclusive */
		u32 node;
	} * memory; /* ascending */
	size_t memory_count;
	u32 line_size; /* of the first level's data cache, bytes; 0: not known */
};

void data_nodes_read(struct data_nodes *n, struct data_reader *d);
void data_nodes_release(struct data_nodes *n);
/* Returns the node of a physical address, or -1 if it is unknown. */
s32 data_nodes_of_memory(const struct data_nodes *n, u64 physical);

#endif
