// SPDX-License-Identifier: GPL-2.0-or-later
/* The tracepoints that are drawn. */
#include "builtin/timechart/internal.h"

static u64 time_of(const struct tracer_hit *hit)
{
	return tracer_time(hit);
}

/* ---- sched ---- */

enum { WAKEE, WAKER, FLAGS };
enum { IN_HARDIRQ = 8, IN_SOFTIRQ = 16 }; /* common_flags */

static int on_wakeup(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct scene *s = arg;
	u32 wakee = (u32)tracer_u64(hit, WAKEE);
	bool interrupt = tracer_u64(hit, FLAGS) & (IN_HARDIRQ | IN_SOFTIRQ);

	(void)r;
	if (wakee && s->tasks)
		scene_wakeup(s, time_of(hit), (u32)tracer_u64(hit, WAKER), interrupt, wakee);
	return 0;
}

static int on_waking(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	return ((struct scene *)arg)->wakeups ? 0 : on_wakeup(arg, hit, r);
}

/* ---- power ---- */

enum { STATE, POWER_CPU };

static int on_idle(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	u32 state = (u32)tracer_u64(hit, STATE);

	(void)r;
	scene_idle(arg, (u32)tracer_u64(hit, POWER_CPU), time_of(hit), state, state != UINT32_MAX);
	return 0;
}

static int on_frequency(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	(void)r;
	scene_frequency(arg, (u32)tracer_u64(hit, POWER_CPU), time_of(hit), tracer_u64(hit, STATE));
	return 0;
}

/* Begins an idle state, for kernels before 2.6.38. */
static int on_power_start(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	(void)r;
	scene_idle(arg, (u32)tracer_u64(hit, POWER_CPU), time_of(hit), (u32)tracer_u64(hit, STATE),
		   true);
	return 0;
}

static int on_power_end(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	(void)r;
	scene_idle(arg, tracer_cpu(hit), time_of(hit), 0, false);
	return 0;
}

/* ---- system calls ---- */

enum { FD };
enum { RET };

static void enter(struct scene *s, const struct tracer_hit *hit, enum io_kind kind)
{
	const struct session_sample *ss = tracer_hit_sample(hit);
	u32 tid = ss->sample->id.tid;
	const char *comm = history_comm_text(session_history(s->session), ss->comm);

	scene_name_caller(s, tid, comm);
	scene_call(s, tid, ss->key.time, kind,
		   tracer_has(hit, FD) ? (u32)tracer_u64(hit, FD) : NOBODY);
}

static void leave(struct scene *s, const struct tracer_hit *hit, enum io_kind kind)
{
	scene_return(s, tracer_tid(hit), tracer_time(hit), kind, tracer_s64(hit, RET));
}

#define HANDLERS(kind, KIND)                                                                       \
	static int on_enter_##kind(void *arg, const struct tracer_hit *hit, struct reason *r)      \
	{                                                                                          \
		(void)r;                                                                           \
		enter(arg, hit, KIND);                                                             \
		return 0;                                                                          \
	}                                                                                          \
	static int on_exit_##kind(void *arg, const struct tracer_hit *hit, struct reason *r)       \
	{                                                                                          \
		(void)r;                                                                           \
		leave(arg, hit, KIND);                                                             \
		return 0;                                                                          \
	}

HANDLERS(read, IO_READ)
HANDLERS(write, IO_WRITE)
HANDLERS(sync, IO_SYNC)
HANDLERS(send, IO_SEND)
HANDLERS(receive, IO_RECEIVE)
HANDLERS(poll, IO_POLL)

#define CALL(name, kind)                                                                           \
	{ "syscalls:sys_enter_" name, .fn = on_enter_##kind, .optional = true,                     \
	  .fields = { [FD] = { "fd", .optional = true } } },                                       \
	{                                                                                          \
		"syscalls:sys_exit_" name, .fn = on_exit_##kind, .optional = true, .fields = {     \
			[RET] = { "ret" }                                                          \
		}                                                                                  \
	}

#define WAKE_FIELDS                                                                                \
	.optional = true, .fields = {                                                              \
		[WAKEE] = { "pid" }, [WAKER] = { "common_pid" }, [FLAGS] = { "common_flags" }      \
	}
#define POWER_FIELDS(name)                                                                         \
	.optional = true, .fields = { [STATE] = { name }, [POWER_CPU] = { "cpu_id" } }

/* The last ones come in pairs: record also goes through them. */
/* clang-format off */
const struct tracer_row timechart_events[] = {
	{ "sched:sched_wakeup", .fn = on_wakeup, WAKE_FIELDS },
	{ "sched:sched_wakeup_new", .fn = on_wakeup, WAKE_FIELDS },
	{ "sched:sched_waking", .fn = on_waking, WAKE_FIELDS },
	{ "power:cpu_idle", .fn = on_idle, POWER_FIELDS("state") },
	{ "power:cpu_frequency", .fn = on_frequency, POWER_FIELDS("state") },
	{ "power:power_start", .fn = on_power_start, POWER_FIELDS("value") },
	{ "power:power_end", .fn = on_power_end, .optional = true },
	{ "power:power_frequency", .fn = on_frequency, POWER_FIELDS("value") },
	CALL("read", read), CALL("pread64", read), CALL("readv", read), CALL("preadv", read),
	CALL("preadv2", read),
	CALL("write", write), CALL("pwrite64", write), CALL("writev", write), CALL("pwritev", write),
	CALL("pwritev2", write),
	CALL("sync", sync), CALL("sync_file_range", sync), CALL("fsync", sync), CALL("fdatasync", sync),
	CALL("msync", sync),
	CALL("recvfrom", receive), CALL("recvmmsg", receive), CALL("recvmsg", receive),
	CALL("sendto", send), CALL("sendmsg", send), CALL("sendmmsg", send),
	CALL("epoll_pwait", poll), CALL("epoll_pwait2", poll), CALL("epoll_wait", poll), CALL("poll", poll), CALL("ppoll", poll),
	CALL("pselect6", poll), CALL("select", poll),
};
/* clang-format on */
const size_t timechart_event_count = ARRAY_SIZE(timechart_events);
