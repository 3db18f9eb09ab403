/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of every BPF program: types, helpers, its licence. Compiled by clang -target bpf, which
 * cannot use the C library's headers.
 */
#ifndef BPF_PROGRAM_H
#define BPF_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define BIT64(n) (1ULL << (n))

/* Adds atomically, without losing additions of other CPUs. */
#define count_add(counter, n) __sync_fetch_and_add(&(counter), n)

/*
 * Raises or lowers a value that other CPUs may change as well. Kernels before Linux 5.12 have no
 * compare and swap: two CPUs that write at the same moment may then keep the lesser of two
 * extremes.
 */
static __always_inline void keep_most(u64 *most, u64 value)
{
	for (int i = 0; i < 8; i++) {
		u64 old = *(volatile u64 *)most;

		if (old >= value)
			break;
#ifdef FOR_OLD_KERNELS
		*(volatile u64 *)most = value;
#else
		__sync_val_compare_and_swap(most, old, value);
#endif
	}
}

static __always_inline void keep_least(u64 *least, u64 value)
{
	for (int i = 0; i < 8; i++) {
		u64 old = *(volatile u64 *)least;

		if (old <= value)
			break;
#ifdef FOR_OLD_KERNELS
		*(volatile u64 *)least = value;
#else
		__sync_val_compare_and_swap(least, old, value);
#endif
	}
}

/* A hash map whose entries are preallocated. */
#define HASH(map, of_key, of_value, entries)                                                       \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_HASH);                                                   \
		__uint(max_entries, entries);                                                      \
		__type(key, of_key);                                                               \
		__type(value, of_value);                                                           \
	} map SEC(".maps")

/* Helpers such as bpf_probe_read_user and stack ids require a compatible licence. */
char program_licence[] SEC("license") = "GPL";

#endif
