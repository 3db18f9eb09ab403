/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For BPF programs that keep call chains in a hash map, by a number made of all their addresses: no
 * two chains share a slot by chance, as they do in a stack map.
 */
#ifndef BPF_STACK_HASH_H
#define BPF_STACK_HASH_H

#include "bpf/program.h"

static u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

/* Hashes the first `bytes` of the addresses; clears what an earlier chain left after them. */
static __always_inline u64 stack_hash(u64 *ips, int most, long bytes)
{
	u64 hash = 1;

	for (int i = 0; i < most && i * (long)sizeof(u64) < bytes; i++)
		hash = mix(hash, ips[i]);
	for (int i = most - 1; i >= 0 && i * (long)sizeof(u64) >= bytes; i--)
		ips[i] = 0;
	return hash;
}

#endif
