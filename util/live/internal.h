/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of live: the table of descriptors and the rings.
 */
#ifndef LIVE_INTERNAL_H
#define LIVE_INTERNAL_H

#include <pthread.h>
#include <sys/ioctl.h>

#include "base/hash.h"
#include "live/live.h"
#include "object/buildid.h"

/* One (event, CPU, thread). */
struct cell {
	int fd;        /* -1: not open */
	u64 id;        /* given by the kernel when the event was first opened; the event keeps it */
	u64 kernel_id; /* the kernel's now: another one after live_reopen() */
	struct live_count before; /* counted by events that were closed for live_reopen() */
	struct live_count group;  /* a member's value from its leader's last read */
	bool group_fresh;
	bool alone; /* a member that this task's group did not take: see open_alone() */
};

struct ring {
	void *base;              /* NULL: no event opened there */
	bool backward;           /* its events have write_backward: the newest record comes first */
	size_t place;            /* index of its CPU, or of its thread when not per CPU */
	size_t cursor;           /* cell of this ring whose fd is polled */
	int fd;                  /* the descriptor of that cell; -1: all ended */
	u8 *aux;                 /* the AUX area; NULL: none */
	u64 aux_bytes, aux_seen; /* aux_seen: bytes that were read */
	/* for events that were opened again: kernel id -> index; else empty */
	struct map64 kernel_ids;
	/*
	 * a copy of the records of such events, with the ids that they had first (ids.c); NULL:
	 * none yet
	 */
	u8 *copy;
	u64 copy_from, copy_to; /* positions of the ring */
	bool keeps; /* live_ring_keep(): what was read, up to `read`, still has its room */
	u64 read;   /* a position */
	u64 seen;   /* backward: the position of the newest record that live_newest_get() gave */
};

/* Where the control page of a ring keeps its two positions, in bytes. */
enum { RING_HEAD = 1024, RING_TAIL = 1032 };

struct live {
	struct context *ctx;
	struct event_set *set;
	struct live_options options;
	const struct live_backend *backend; /* never NULL */
	s32 *cpus;                          /* -1: any */
	bool *added; /* by CPU: the target leaves it out; only for events with all_cpus */
	size_t cpu_count;
	pid_t *threads; /* -1: all */
	bool *gone;     /* the thread vanished before it could be opened */
	size_t thread_count;
	struct cell *cells;   /* [event][cpu][thread] */
	bool *unsupported;    /* by event */
	bool *enabled;        /* by event: as it was asked for last */
	pthread_mutex_t lock; /* one thread may switch events while another one opens some again */
	struct ring *rings;
	size_t ring_count, ring_bytes; /* data bytes, a power of two */
	bool cpus_given;               /* by -C: a CPU that is not there is an error */
	bool system_wide;
	/* by thread, times.c: clocks for events of one task and one CPU; NULL: none are needed */
	int *clocks;
	bool clock_inherits, clock_runs;
	int cgroup_fd; /* for the event that is being opened; -1: none */
	/* of the event that is being opened, before anything was left out */
	struct perf_event_attr asked;
};

static inline size_t cell_index(const struct live *l, size_t ev, size_t cpu, size_t thread)
{
	return (ev * l->cpu_count + cpu) * l->thread_count + thread;
}

static inline struct cell *live_cell(const struct live *l, const struct event *ev, size_t cpu,
				     size_t thread)
{
	return &l->cells[cell_index(l, ev->index, cpu, thread)];
}

/* What an event is opened with: samples with counts have a format that cannot be added to. */
static inline u64 live_read_format(const struct live *l, const struct event *ev)
{
	u64 format = ev->attr.read_format;

	if (!l->options.times || ev->attr.sample_type & PERF_SAMPLE_READ)
		return format;
	return format | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* backend.c */
extern const struct live_backend live_kernel;
static inline int live_control(const struct live *l, int fd, unsigned long request, void *value)
{
	return l->backend->control(l->backend->arg, fd, request, value);
}

#define IOC_ENABLE     _IO('$', 0)
#define IOC_DISABLE    _IO('$', 1)
#define IOC_SET_FILTER _IOW('$', 6, char *)
#define IOC_ID         _IOR('$', 7, u64 *)

/* open.c: close the descriptors of one event. */
void live_close_event(struct live *l, const struct event *ev);
/* Is an event to be open on a CPU?  By its place in the table. */
bool live_belongs_to_cpu(const struct live *l, const struct event *ev, size_t c);
/* One call of the kernel: 0 or -errno, which nothing explains. */
int live_open_cell(struct live *l, struct event *ev, size_t c, size_t t, struct cell *cell);
int live_set_filter(struct live *l, struct event *ev, int fd, struct reason *r);

/* times.c */
void live_open_clocks(struct live *l);
void live_close_clocks(struct live *l);
void live_switch_clocks(struct live *l, bool on);
/* Is an event enabled that needs a clock? */
bool live_wants_clocks(const struct live *l);

/*
 * fallback.c: ev could not be opened with err (positive).  1: it was changed,
 * open it again; 0: there is nothing left to try.
 */
int live_fallback(struct live *l, struct event *ev, int err);
/*
 * Was ev refused (err) because this user may not watch the kernel, and counts nothing else? Says so
 * once.
 */
bool live_is_hidden(struct live *l, const struct event *ev, int err);
/* Where guests alone were asked for: refuses events that would show the host as well. */
int live_check_guests(const struct context *ctx, const struct event_set *set, struct reason *r);
/*
 * ev is open now. With -v: a condition that names the features that had to be left out of l->asked.
 */
void live_say_dropped(struct live *l, const struct event *ev);
/*
 * Does ev ask for something that some kernel or PMU lacks, and that other does not ask for (any
 * more)?
 */
bool live_asks_for_more(const struct event *ev, const struct event *other);
/* Says why the kernel refused; returns -err. */
int live_explain(const struct live *l, const struct event *ev, pid_t tid, s32 cpu, int err,
		 struct reason *r);

/*
 * privileged.c: adds a condition if the kernel ends a task's events when the task executes this
 * program.
 */
bool live_warn_privileged(struct context *ctx, const char *path);

/* limit.c: room for that many descriptors, as far as the limits allow. */
void live_raise_fd_limit(size_t need);
u64 live_wanted_fds(const struct live *l);

/* aux.c: the area of a ring, on the descriptor that has its control page. */
int live_map_aux(struct live *l, struct ring *g, int fd);

/* ring.c */
/* MAP_FAILED with errno. */
void *live_map(const struct live *l, int fd, size_t size, int how, u64 offset);
int live_map_rings(struct live *l, struct reason *r);
void live_unmap_rings(struct live *l);
/* One ring, of the size of the others, for what is open at its place: 0 or -errno. */
int live_map_ring(struct live *l, struct ring *g);
void live_unmap_ring(struct live *l, struct ring *g);

/*
 * ids.c: the records from tail on, as a copy with the ids that their events had first. It stays
 * until all of it was given back to the kernel; up to then nothing is added.
 */
void live_copy_ring(const struct live *l, struct ring *g, u64 tail, u64 head, struct ring_data *d);
void live_forget_ids(struct ring *g);

#endif
