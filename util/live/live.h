/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live events: opening them on a target, reading counters and rings.
 *
 * What it is: a target (command, pids, tids, cpus, user, system), the open
 * descriptors of every (event, cpu, thread), and for sampling the rings they
 * write into; plus records synthesised from /proc for what already runs.
 * Threads: one thread opens and closes; each ring may be read by its own thread.
 * Errors: a refusal by the kernel is explained (sys/explain.h) with its hint.
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include <sys/types.h>

#include "base/context.h"
#include "base/strbuf.h"
#include "event/event.h"

struct target {
	bool system_wide;	/* -a */
	/* -C, sorted; events with all_cpus are on the others, too; NULL: all online when system wide, else any (-1) */
	u32 *cpus;
	size_t cpu_count;
	pid_t *tids;		/* threads of -p, -t, -u, or the workload; NULL: all */
	size_t tid_count;
	bool per_thread;	/* --per-thread: no CPU dimension */
	bool inherit;
	bool by_user; /* of -u: the caller's own threads may be among tids */
	bool held; /* the only thread is a workload before its exec: its maps are about to go */
};
void target_release(struct target *t);
/* Threads of the processes in "PID[,PID]"; vanished ones: an error with the pid. */
int target_add_pids(struct target *t, const char *list, struct reason *r);
int target_add_tids(struct target *t, const char *list, struct reason *r);
/* Every thread that there is: for counting by thread, system wide. */
int target_add_all(struct target *t, struct reason *r);
int target_add_user(struct target *t, const char *user, struct reason *r);

/* A workload, forked and held before its exec. */
struct workload {
	pid_t pid;
	int go_fd;     /* a byte: exec; end of file: exit without a trace */
	int error_fd;  /* errno of a failed exec arrives here */
	int status;    /* wait status, once reaped */
	bool started, reaped;
	const char *program; /* argv[0] */
	bool stdout_to_stderr; /* set before workload_prepare(): standard output is ours */
};
/*
 * A program that cannot be found is an error before anything is opened or
 * renamed: -ENOENT, or -EACCES when it may not be executed.
 */
int workload_check(const char *const *argv, struct reason *r);
int workload_prepare(struct workload *w, const char *const *argv, struct reason *r);
/* Lets it exec: 0, or -errno with "PROGRAM: No such file" when exec failed. */
int workload_start(struct workload *w, struct reason *r);
/* true when it has ended; wait == false polls. */
bool workload_wait(struct workload *w, bool wait);
void workload_kill(struct workload *w, int sig);
/* Exit status to hand on: its own, or 128 + N. */
int workload_exit_code(const struct workload *w);
/* The signal that ended it, or 0. */
int workload_end_signal(const struct workload *w);

struct live; /* open descriptors of an event set on a target */

/*
 * counting: live_open() completes the attrs itself (times in read_format, disabled,
 * inherit from the target unless no_inherit, enable_on_exec); an event that the
 * kernel does not have is no error, live_read() says supported == false.
 * Sampling: the attrs are opened as they are but for what the kernel refuses and
 * a useful substitute exists for: precise_ip is lowered, cycles becomes
 * cpu-clock, an ordinary user gets the user side only.  Each substitution is in
 * the attr and name of the event afterwards and a condition in ctx.
 * The kernel's ids are added to the events: by CPU, then thread.
 */
/*
 * What the calls that open, read and steer an event go to.  Tests give one that
 * plays a machine they do not have.  Results as the system calls', but -errno
 * for an error.
 */
struct live_backend {
	int (*open)(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu, int group_fd,
		    unsigned long flags);
	ssize_t (*read)(void *arg, int fd, void *data, size_t size);
	int (*control)(void *arg, int fd, unsigned long request, void *value); /* ioctl(2) */
	void (*close)(void *arg, int fd);
	/* as mmap(2) and munmap(2), shared; NULL: these */
	void *(*map)(void *arg, int fd, size_t size, int how, u64 offset);
	void (*unmap)(void *arg, void *p, size_t size);
	void *arg;
};

struct live_options {
	bool counting;		/* no rings */
	u64 ring_pages;		/* data pages per ring, a power of two; 0: default */
	u64 ring_bytes;		/* without ring_pages: as much if it can be had; 0: default */
	u64 aux_pages;		/* of each AUX area, a power of two; 0: none is mapped */
	bool aux_overwrite;	/* it keeps the newest, for live_aux_snapshot() */
	bool no_inherit;	/* counting */
	bool enable_on_exec;	/* counting: a workload starts the counters */
	bool want_ids;		/* counting: for a file; sample_type is IDENTIFIER then */
	const struct live_backend *backend; /* NULL: the kernel */
	const struct sys *sys;		    /* NULL: this host */
};
int live_open(struct context *ctx, struct event_set *set, const struct target *t,
	      const struct live_options *o, struct live **out, struct reason *r) MUST_CHECK;
void live_close(struct live *l);
/*
 * The same at the end of a program: where closing takes long (many tracepoints),
 * a detached child does it and ends by itself.  Disable the events before.
 */
void live_close_in_background(struct live *l);
/* All events; 0 or -errno of the first that failed. */
int live_enable(struct live *l);
int live_disable(struct live *l);
/* One event; the dummy that carries side-band stays on this way. */
int live_enable_event(struct live *l, const struct event *ev);
int live_disable_event(struct live *l, const struct event *ev);

/* For what attaches to it; -1: not open there. */
int live_event_fd(const struct live *l, const struct event *ev, size_t cpu, size_t thread);

/* One counter value. */
struct live_count {
	u64 value, enabled, running; /* enabled, running: ns */
	u64 lost;
	bool supported; /* false: could not be opened here */
};
size_t live_cpu_count(const struct live *l);	/* 1 when not per CPU */
size_t live_thread_count(const struct live *l); /* 1 when not per thread */
s32 live_cpu(const struct live *l, size_t i);	/* CPU number, -1 = any */
pid_t live_thread(const struct live *l, size_t i);
/* The kernel's id of an event there; 0: not open. */
u64 live_id(const struct live *l, const struct event *ev, size_t cpu, size_t thread);
/*
 * 0; 1 when the event was not opened there (a thread that had gone, a CPU that
 * the event does not belong to): c is zero and says whether it is supported
 * elsewhere; -errno.  Members of a group that are read right after their leader
 * come from the same instant.
 */
int live_read(struct live *l, const struct event *ev, size_t cpu, size_t thread,
	      struct live_count *c);

/* Rings */
size_t live_ring_count(const struct live *l);
u64 live_ring_size(const struct live *l); /* data bytes of one ring */
int live_ring_fd(const struct live *l, size_t ring); /* for poll; -1 when its tasks ended */
s32 live_ring_cpu(const struct live *l, size_t ring); /* that feeds it; -1: any */
/* Its CPU is not one of the target's: only events with all_cpus feed it. */
bool live_ring_is_added(const struct live *l, size_t ring);
/* After POLLHUP on its fd: look for another event that still feeds it; false: none. */
bool live_ring_next_fd(struct live *l, size_t ring);
/*
 * What a ring holds, in at most two pieces; live_ring_done() gives it back to
 * the kernel.  Whole records.
 */
struct ring_data {
	const u8 *first, *second; /* second NULL unless the data wraps */
	size_t first_size, second_size;
};
bool live_ring_get(struct live *l, size_t ring, struct ring_data *d);
void live_ring_done(struct live *l, size_t ring, const struct ring_data *d);
/*
 * Events with write_backward have rings of their own that are never full: each
 * holds the newest records, newest first.  Reading stops it for a moment, from
 * get to done; nothing is taken out.
 */
bool live_ring_is_backward(const struct live *l, size_t ring);
bool live_snapshot_get(struct live *l, size_t ring, struct ring_data *d);
void live_snapshot_done(struct live *l, size_t ring);

/*
 * AUX areas (aux.c), beside the ring of each place where an event that traces is
 * open.  Only a thread that reads a ring reads its area.
 */
enum { AUX_INTEL_PT = 1, AUX_INTEL_BTS, AUX_CS_ETM, AUX_ARM_SPE, AUX_S390_CPUMSF, AUX_HISI_PTT };
/* What an event's trace is, as AUXTRACE_INFO says it; 0: it does not trace. */
u32 live_aux_type(const struct event *ev);
u32 live_aux_pmu_type(const char *pmu); /* the same of all events of a PMU */
struct aux_data {
	const u8 *first, *second; /* second NULL unless the data wraps */
	u64 first_size, second_size;
	u64 offset; /* bytes of this area before it */
};
/* What came since the last live_aux_done(). */
bool live_aux_get(struct live *l, size_t ring, struct aux_data *d);
void live_aux_done(struct live *l, size_t ring, const struct aux_data *d);
/* Of an area that is overwritten the newest bytes, most of them (0: all); stop the event before. */
bool live_aux_snapshot(struct live *l, size_t ring, u64 most, struct aux_data *d);
pid_t live_ring_thread(const struct live *l, size_t ring); /* that feeds it; -1: any */

/* How the CPU's counter of cycles becomes ns of events' times. */
struct live_clock {
	bool known;  /* zero holds */
	bool narrow; /* the counter has fewer than 64 bits: cycles and mask hold */
	u16 shift;
	u32 mult;
	u64 zero, cycles, mask;
};
/* False when this machine has no such relation. */
bool live_clock(const struct live *l, struct live_clock *c);

/*
 * Records for what already runs, appended to out, with an empty sample_id of
 * ev's size (time 0: before everything): COMM, FORK, MMAP2 for the target's
 * processes; kernel and module MMAPs.  What ev's attr asks for decides what is
 * told: mmap_data, namespaces, cgroup.
 */
int synth_kernel(struct strbuf *out, const struct event *ev, struct reason *r);
struct synth_how {
	unsigned threads; /* that read /proc side by side, where all processes are told; 0: one */
	u64 map_timeout;  /* ns for the maps of one process, then the rest is left out; 0: 500 ms */
	/*
	 * Beside the target's processes those that began at this time or later (ns of
	 * CLOCK_BOOTTIME, to 10 ms): whatever they started meanwhile is among them.  0: none.
	 */
	u64 begun_since;
};
/* how NULL: as usual */
int synth_tasks(struct context *ctx, struct strbuf *out, const struct event *ev,
		const struct target *t, const struct synth_how *how, struct reason *r);
/* CGROUP records of every cgroup there is; nothing unless attr.cgroup. */
int synth_cgroups(struct strbuf *out, const struct event *ev, struct reason *r);
/* KSYMBOL and BPF_EVENT of loaded BPF programs; nothing unless attr.bpf_event, or for who may not see them. */
void synth_bpf(struct strbuf *out, const struct event *ev);
/*
 * Loaded BPF programs as the features BPF_PROG_INFO (infos) and BPF_BTF (btfs: the types
 * of those programs) hold them, in host order.  Each update adds those that are new; one
 * that ended meanwhile stays.  Nobody's to see: count stays 0.  At most 64 MB of each.
 */
struct bpf_programs {
	struct strbuf infos, btfs;
	u32 count; /* in infos */
	VEC(u32) ids, btf_ids;
};
void bpf_programs_update(struct bpf_programs *p);
void bpf_programs_release(struct bpf_programs *p);
/* User records: which id counts where, the target, units and scales. */
void synth_id_index(struct strbuf *out, const struct live *l);
void synth_thread_map(struct strbuf *out, const struct live *l);
void synth_cpu_map(struct strbuf *out, const struct live *l);
/* perf stat record; aggregation: number of the file format. */
void synth_stat_config(struct strbuf *out, u64 aggregation, u64 interval_ms, bool scale);
/* thread: index in the THREAD_MAP. */
void synth_stat(struct strbuf *out, u64 id, s32 cpu, u32 thread, const struct live_count *c);
/* time: ns since the start. */
void synth_stat_round(struct strbuf *out, bool final, u64 time);
void synth_event_updates(struct strbuf *out, const struct event_set *set);

#endif
