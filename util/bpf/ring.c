// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a BPF ring buffer.
 *
 * The map's memory: a page that perf writes (the consumer's position), a page that the kernel
 * writes (its position), and the data twice in a row, so a record never wraps. A record is a header
 * of 8 bytes (u32 length with two flags, u32 for the kernel) and its data, padded to 8 bytes.
 * Source: Documentation/bpf/ringbuf.rst, enum in include/uapi/linux/bpf.h (BPF_RINGBUF_*).
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bpf/bpf.h"

/* How far the published position may lag, since the producers read it for each record. */
enum { GIVE_BACK = 1 << 14 };

struct bpf_ring {
	int fd;
	u64 size, page;
	u64 *consumer;       /* perf's position, in bytes since the start */
	const u64 *producer; /* the kernel's position */
	const u8 *data;
};

static int map_size(int fd, u64 *size)
{
	struct bpf_map_info info = { 0 };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (u64)(uintptr_t)&info;
	if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) < 0)
		return -errno;
	*size = info.max_entries;
	return info.type == BPF_MAP_TYPE_RINGBUF ? 0 : -EINVAL;
}

struct bpf_ring *bpf_ring_open(int map, struct reason *r)
{
	struct bpf_ring ring = { .fd = map, .page = (u64)sysconf(_SC_PAGESIZE) };
	void *own, *theirs;
	int err = map_size(map, &ring.size);

	if (err) {
		reason_errno(r, -err, "reading a BPF ring buffer");
		return NULL;
	}
	own = mmap(NULL, ring.page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	theirs = own == MAP_FAILED ? own
				   : mmap(NULL, ring.page + 2 * ring.size, PROT_READ, MAP_SHARED,
					  map, (off_t)ring.page);
	if (theirs == MAP_FAILED) {
		reason_errno(r, errno, "cannot map a BPF ring buffer of %" PRIu64 " bytes",
			     ring.size);
		if (own != MAP_FAILED)
			munmap(own, ring.page);
		return NULL;
	}
	ring.consumer = own;
	ring.producer = theirs;
	ring.data = (const u8 *)theirs + ring.page;
	return xmemdup(&ring, sizeof(ring));
}

void bpf_ring_close(struct bpf_ring *ring)
{
	if (!ring)
		return;
	munmap(ring->consumer, ring->page);
	munmap((void *)ring->producer, ring->page + 2 * ring->size);
	free(ring);
}

int bpf_ring_fd(const struct bpf_ring *ring)
{
	return ring->fd;
}

u64 bpf_ring_used(const struct bpf_ring *ring)
{
	return __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE) - *ring->consumer;
}

u64 bpf_ring_size(const struct bpf_ring *ring)
{
	return ring->size;
}

s64 bpf_ring_drain(struct bpf_ring *ring, bpf_take take, void *arg)
{
	u64 at = *ring->consumer, given = at,
	    end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	s64 taken = 0;
	int err = 0;

	while (at < end && err >= 0) {
		const u8 *record = ring->data + (at & (ring->size - 1));
		u32 head = __atomic_load_n((const u32 *)record, __ATOMIC_ACQUIRE);
		u32 size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break; /* not complete: later records wait, to keep the order */
		if (size > end - at - BPF_RINGBUF_HDR_SZ)
			break; /* not a record of the kernel */
		at += ALIGN_UP((u64)size + BPF_RINGBUF_HDR_SZ, 8);
		if (!(head & BPF_RINGBUF_DISCARD_BIT)) {
			err = take(arg, record + BPF_RINGBUF_HDR_SZ, size);
			taken++;
		}
		if (at - given >= GIVE_BACK) {
			__atomic_store_n(ring->consumer, at, __ATOMIC_RELEASE);
			given = at;
		}
	}
	__atomic_store_n(ring->consumer, at, __ATOMIC_RELEASE);
	return err < 0 ? err : taken;
}
