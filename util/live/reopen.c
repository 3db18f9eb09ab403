// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of a CPU that was offline.  The kernel has taken them off the CPU for good; what they
 * counted can still be read.
 */
#include <errno.h>
#include <unistd.h>

#include "base/trace.h"
#include "live/internal.h"
#include "sys/cgroup.h"

bool live_can_reopen(const struct live *l)
{
	vec_for_each(&l->set->list, it) {
		const struct event *ev = *it;

		if (ev->attr.flags & ATTR_WRITE_BACKWARD ||
		    (l->options.aux_pages && live_aux_type(ev)))
			return false;
	}
	return l->thread_count == 1 && l->threads[0] == -1;
}

static bool is_open_here(const struct live *l, const struct event *ev, size_t c)
{
	return !ev->tool && !ev->by_bpf && !l->unsupported[ev->index] &&
	       live_belongs_to_cpu(l, ev, c);
}

/* What the old events have counted is part of what is read from the new ones. */
static void keep_counts(struct live *l, size_t c)
{
	vec_for_each(&l->set->list, it) {
		struct cell *cell = live_cell(l, *it, c, 0);
		struct live_count count;

		if (cell->fd >= 0 && !live_read(l, *it, c, 0, &count))
			cell->before = count;
	}
}

static void close_cpu(struct live *l, size_t c)
{
	vec_for_each(&l->set->list, it) {
		struct cell *cell = live_cell(l, *it, c, 0);

		if (cell->fd >= 0)
			l->backend->close(l->backend->arg, cell->fd);
		cell->fd = -1;
		cell->group_fresh = false;
	}
	if (c < l->ring_count)
		live_unmap_ring(l, &l->rings[c]);
}

static int open_here(struct live *l, struct event *ev, size_t c, struct reason *r)
{
	struct cell *cell = live_cell(l, ev, c, 0);
	int err;

	if (ev->cgroup) {
		l->cgroup_fd = cgroup_open(l->options.sys, ev->cgroup, r);
		if (l->cgroup_fd < 0)
			return l->cgroup_fd;
	}
	err = live_open_cell(l, ev, c, 0, cell);
	if (ev->cgroup)
		close(l->cgroup_fd);
	l->cgroup_fd = -1;
	if (err)
		return reason_errno(r, -err, "cannot open '%s' on CPU %d", ev->name, l->cpus[c]);
	if (live_control(l, cell->fd, IOC_ID, &cell->kernel_id))
		cell->kernel_id = cell->id;
	return live_set_filter(l, ev, cell->fd, r);
}

static int open_events(struct live *l, size_t c, struct reason *r)
{
	int err = 0;

	for (size_t i = 0; i < l->set->list.count && !err; i++)
		if (is_open_here(l, l->set->list.items[i], c))
			err = open_here(l, l->set->list.items[i], c, r);
	return err;
}

static int map_here(struct live *l, size_t c, struct reason *r)
{
	struct ring *g = &l->rings[c];
	int err = live_map_ring(l, g);

	if (err)
		return reason_errno(r, -err, "cannot map the ring of CPU %d", l->cpus[c]);
	vec_for_each(&l->set->list, it) {
		const struct cell *cell = live_cell(l, *it, c, 0);

		if (cell->fd >= 0 && cell->kernel_id != cell->id)
			*map64_put(&g->kernel_ids, cell->kernel_id, NULL) = (*it)->index;
	}
	return 0;
}

/* As it is on the other CPUs: running, or not now. */
static int steer(struct live *l, size_t c)
{
	int err = 0;

	vec_for_each(&l->set->list, it) {
		const struct event *ev = *it;
		int fd = live_cell(l, ev, c, 0)->fd;
		bool on = l->enabled[ev->index];

		if (fd >= 0 && ev->leader == ev && !err && on == !!(ev->attr.flags & ATTR_DISABLED))
			err = live_control(l, fd, on ? IOC_ENABLE : IOC_DISABLE, NULL);
	}
	return err;
}

int live_reopen(struct live *l, size_t c, struct reason *r)
{
	int err;

	pthread_mutex_lock(&l->lock);
	keep_counts(l, c);
	close_cpu(l, c);
	err = open_events(l, c, r);
	if (!err && l->ring_count)
		err = map_here(l, c, r);
	if (!err) {
		err = steer(l, c);
		if (err)
			reason_errno(r, -err, "cannot enable the events of CPU %d", l->cpus[c]);
	}
	TRACE(live, "CPU %d is online again: its events %s", l->cpus[c],
	      err ? "cannot be opened" : "were opened again");
	if (err)
		close_cpu(l, c);
	pthread_mutex_unlock(&l->lock);
	return err;
}
