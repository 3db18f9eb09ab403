// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rings: one per CPU (or per thread when events follow their task), shared by
 * all events opened there.
 *
 * The kernel writes at data_head and never past data_tail + size; we read
 * between them and then move data_tail.  Source: the comment on
 * struct perf_event_mmap_page in include/uapi/linux/perf_event.h.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/internal.h"
#include "sys/explain.h"

#define IOC_SET_OUTPUT _IO('$', 5)
/* Without -m: this much for each CPU, and this much for all of them. */
#define DEFAULT_RING_BYTES  (2U << 20)
#define DEFAULT_TOTAL_BYTES (256U << 20)
#define LEAST_RING_BYTES    (64U << 10)

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static bool per_cpu(const struct live *l)
{
	return l->cpus[0] != -1;
}

/* Cells of one ring are numbered event by event; NULL past the last one. */
static struct cell *ring_cell(const struct live *l, const struct ring *g, size_t n)
{
	size_t across = per_cpu(l) ? l->thread_count : 1;
	size_t ev = n / across, i = n % across;

	if (ev >= l->set->list.count)
		return NULL;
	if (per_cpu(l))
		return &l->cells[cell_index(l, ev, g->place, i)];
	return &l->cells[cell_index(l, ev, 0, g->place)];
}

/* Does the event of cell n write into this ring? */
static bool feeds(const struct live *l, const struct ring *g, size_t n)
{
	size_t across = per_cpu(l) ? l->thread_count : 1;
	const struct event *ev = l->set->list.items[n / across];

	return g->backward == !!(ev->attr.flags & ATTR_WRITE_BACKWARD);
}

static void unmap(const struct live *l, void *p, size_t size)
{
	if (p && l->backend->unmap)
		l->backend->unmap(l->backend->arg, p, size);
	else if (p)
		munmap(p, size);
}

/*
 * The ring is the first event's, or that of the one with an AUX area, which only its own event has.
 */
static struct cell *owner_of(struct live *l, const struct ring *g, bool *has_aux)
{
	size_t across = per_cpu(l) ? l->thread_count : 1;
	struct cell *cell, *first = NULL;

	*has_aux = false;
	for (size_t n = 0; (cell = ring_cell(l, g, n)); n++) {
		if (cell->fd < 0 || !feeds(l, g, n))
			continue;
		if (!first)
			first = cell;
		if (l->options.aux_pages && live_aux_type(l->set->list.items[n / across])) {
			*has_aux = true;
			return cell;
		}
	}
	return first;
}

int live_map_ring(struct live *l, struct ring *g)
{
	bool has_aux;
	/* where an AUX area is, is written into the control page */
	struct cell *owner = owner_of(l, g, &has_aux), *cell;
	int how = g->backward ? PROT_READ : PROT_READ | PROT_WRITE, err;

	g->base = NULL;
	g->fd = -1;
	g->keeps = false;
	if (!owner)
		return 0;
	g->base = live_map(l, owner->fd, l->ring_bytes + page_bytes(), how, 0);
	if (g->base == MAP_FAILED) {
		g->base = NULL;
		return -errno;
	}
	if (has_aux && (err = live_map_aux(l, g, owner->fd)))
		return err;
	for (size_t n = 0; (cell = ring_cell(l, g, n)); n++) {
		if (cell->fd < 0 || !feeds(l, g, n))
			continue;
		if (g->fd < 0) {
			g->fd = cell->fd;
			g->cursor = n;
		}
		if (cell == owner)
			continue;
		err = live_control(l, cell->fd, IOC_SET_OUTPUT, (void *)(intptr_t)owner->fd);
		if (err)
			return err;
	}
	return 0;
}

void live_unmap_ring(struct live *l, struct ring *g)
{
	unmap(l, g->aux, g->aux_bytes);
	unmap(l, g->base, l->ring_bytes + page_bytes());
	live_forget_ids(g);
	g->base = g->aux = NULL;
	g->fd = -1;
}

static void unmap_rings_only(struct live *l)
{
	for (size_t i = 0; i < l->ring_count; i++)
		live_unmap_ring(l, &l->rings[i]);
}

static int map_all(struct live *l)
{
	for (size_t i = 0; i < l->ring_count; i++) {
		int err = live_map_ring(l, &l->rings[i]);

		if (err) {
			unmap_rings_only(l);
			return err;
		}
	}
	return 0;
}

static size_t default_ring_bytes(const struct live *l)
{
	size_t bytes = l->options.ring_bytes ? l->options.ring_bytes : DEFAULT_RING_BYTES;

	while (bytes > LEAST_RING_BYTES && bytes * l->ring_count > DEFAULT_TOTAL_BYTES)
		bytes /= 2;
	return bytes;
}

/* One for each place, and one more there when some events write backward. */
static void make_rings(struct live *l)
{
	size_t places = per_cpu(l) ? l->cpu_count : l->thread_count;
	bool backward = false;

	vec_for_each(&l->set->list, it)
		backward |= !!((*it)->attr.flags & ATTR_WRITE_BACKWARD);
	l->ring_count = backward ? 2 * places : places;
	l->rings = xcalloc(l->ring_count, sizeof(*l->rings));
	for (size_t i = 0; i < l->ring_count; i++)
		l->rings[i] = (struct ring){
			.place = i % places,
			.backward = i >= places,
			.fd = -1,
		};
}

int live_map_rings(struct live *l, struct reason *r)
{
	int err;

	make_rings(l);
	if (l->options.ring_pages) {
		if (l->options.ring_pages & (l->options.ring_pages - 1) ||
		    l->options.ring_pages > (1ULL << 40) / page_bytes())
			return reason_set(r, EINVAL, "a ring needs a power of two of pages");
		l->ring_bytes = l->options.ring_pages * page_bytes();
		err = map_all(l);
		return err ? explain_ring(NULL, l->ring_bytes + page_bytes(), -err, r) : 0;
	}
	for (l->ring_bytes = default_ring_bytes(l);; l->ring_bytes /= 2) {
		err = map_all(l);
		if ((err != -EPERM && err != -ENOMEM) || l->ring_bytes <= page_bytes())
			break;
	}
	return err ? explain_ring(NULL, l->ring_bytes + page_bytes(), -err, r) : 0;
}

void live_unmap_rings(struct live *l)
{
	unmap_rings_only(l);
	free(l->rings);
	l->rings = NULL;
	l->ring_count = 0;
}

size_t live_ring_count(const struct live *l)
{
	return l->ring_count;
}

u64 live_ring_size(const struct live *l)
{
	return l->ring_bytes;
}

int live_ring_fd(const struct live *l, size_t ring)
{
	return l->rings[ring].fd;
}

s32 live_ring_cpu(const struct live *l, size_t ring)
{
	return per_cpu(l) ? l->cpus[l->rings[ring].place] : -1;
}

bool live_ring_is_added(const struct live *l, size_t ring)
{
	return per_cpu(l) && l->added[l->rings[ring].place];
}

pid_t live_ring_thread(const struct live *l, size_t ring)
{
	if (per_cpu(l))
		return l->thread_count == 1 ? l->threads[0] : -1;
	return l->threads[l->rings[ring].place];
}

bool live_ring_next_fd(struct live *l, size_t ring)
{
	struct ring *g = &l->rings[ring];
	struct cell *cell;

	while ((cell = ring_cell(l, g, ++g->cursor)))
		if (cell->fd >= 0 && feeds(l, g, g->cursor)) {
			g->fd = cell->fd;
			return true;
		}
	g->fd = -1;
	return false;
}

bool live_ring_get(struct live *l, size_t ring, struct ring_data *d)
{
	const u8 *base = l->rings[ring].base;
	u64 head, tail, at;

	if (!base)
		return false;
	head = __atomic_load_n((const u64 *)(base + RING_HEAD), __ATOMIC_ACQUIRE);
	tail = l->rings[ring].keeps ? l->rings[ring].read : *(const u64 *)(base + RING_TAIL);
	if (head == tail || head - tail > l->ring_bytes)
		return false;
	if (unlikely(l->rings[ring].kernel_ids.count)) {
		live_copy_ring(l, &l->rings[ring], tail, head, d);
		return true;
	}
	at = tail & (l->ring_bytes - 1);
	d->first = base + page_bytes() + at;
	d->first_size = MIN(head - tail, l->ring_bytes - at);
	d->second_size = (head - tail) - d->first_size;
	d->second = d->second_size ? base + page_bytes() : NULL;
	return true;
}

static void move_tail(u8 *base, u64 bytes)
{
	u64 tail = *(const u64 *)(base + RING_TAIL);

	__atomic_store_n((u64 *)(base + RING_TAIL), tail + bytes, __ATOMIC_RELEASE);
}

void live_ring_done(struct live *l, size_t ring, const struct ring_data *d)
{
	struct ring *g = &l->rings[ring];

	if (g->keeps)
		g->read += d->first_size + d->second_size;
	else
		move_tail(g->base, d->first_size + d->second_size);
}

bool live_ring_keep(struct live *l, size_t ring)
{
	struct ring *g = &l->rings[ring];

	if (!g->base || g->backward || g->kernel_ids.count)
		return false;
	if (!g->keeps)
		g->read = *(const u64 *)((const u8 *)g->base + RING_TAIL);
	g->keeps = true;
	return true;
}

void live_ring_free(struct live *l, size_t ring, u64 bytes)
{
	if (bytes && l->rings[ring].keeps)
		move_tail(l->rings[ring].base, bytes);
}
