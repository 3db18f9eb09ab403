// SPDX-License-Identifier: GPL-2.0-or-later
/* contention --use-bpf: waits are counted in the kernel, and read once at the end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/kernel_function.h"
#include "base/clock.h"
#include "bpf/bpf.h"
#include "bpf/lock.h"
#include "builtin/lock/internal.h"
#include "event/parse.h"
#include "record/record.h"
#include "synth/synth.h"
#include "sys/cgroup.h"
#include "watch/watch.h"

#define LOOK_AGAIN 200000000 /* ns between two looks at what ends the count */

/* Several threads may name the same lock etc. in the end; see lock/internal.h for the rows. */
struct counting {
	struct lock_result *res;
	struct bpf_run *run;
	struct lock_counts *counts;
	struct target target;
	struct workload workload;
	struct event_set set; /* what names users' addresses: mappings as they come */
	struct live *live;
	struct watch *watch;
	int wake_fd;
};

static const struct session_ops quiet = { .order = SESSION_ORDERED,
					  .no_locations = true,
					  .no_chains = true };

/* ---- what counts ---- */

static enum lock_count_by count_by(const struct lock *l)
{
	switch (l->by) {
	case LOCK_BY_ADDRESS:
		return LOCK_COUNT_ADDRESS;
	case LOCK_BY_TASK:
		return LOCK_COUNT_TASK;
	case LOCK_BY_CGROUP:
		return LOCK_COUNT_CGROUP;
	case LOCK_BY_OWNER:
		return LOCK_COUNT_OWNER;
	case LOCK_BY_OWNER_STACK:
		return LOCK_COUNT_OWNER_STACK;
	default:
		return LOCK_COUNT_STACK;
	}
}

/* Returns the sets of flags that match one of the names, as a bit mask; all if types is NULL. */
static u64 kinds_of(const char *types)
{
	u64 kinds = 0;

	if (!types)
		return ~0ULL;
	for (u32 flags = 0; flags < 64; flags++)
		if (lock_types_have(types, flags))
			kinds |= BIT64(flags);
	return kinds;
}

static int settle_target(struct counting *c, bool has_workload, struct reason *r)
{
	const struct lock *l = c->res->l;
	struct target *t = &c->target;
	int err = 0;

	if (l->cpus)
		err = target_choose_cpus(t, l->cpus, r);
	if (!err && l->pids)
		err = target_add_pids(t, l->pids, r);
	if (!err && l->tids)
		err = target_add_tids(t, l->tids, r);
	t->inherit = true;
	/*
	 * without other targets the command is traced; with -a, -C or -p it only determines how
	 * long
	 */
	t->system_wide = l->all_cpus || (!l->pids && !l->tids && (l->cpus || !has_workload));
	return err;
}

static void settle_program(struct counting *c)
{
	const struct lock *l = c->res->l;
	struct lock_settings *s = bpf_run_variable(c->run, "settings", sizeof(*s));
	bool by_chain = l->by == LOCK_BY_CALLER || l->by == LOCK_BY_OWNER_STACK;
	/* lock code and the program's own frames */
	unsigned spare = l->user || (l->by == LOCK_BY_TASK && !l->callers) ? 0 : 16;

	s->by = count_by(l);
	/* kinds of user locks are known by the names in their stacks */
	s->by_stack_too = !by_chain && (l->callers || (l->user && l->types));
	s->depth = MIN(l->max_stack + l->stack_skip + spare, (unsigned)LOCK_STACK_DEPTH);
	s->kinds = l->user ? ~0ULL : kinds_of(l->types);
	s->self = (u32)getpid();
	s->some_tasks = l->tids != NULL;
	s->some_processes = l->pids || (c->workload.pid > 0 && !c->target.system_wide && !l->tids);
	s->some_cpus = l->cpus != NULL;
	s->some_locks = c->res->filters.locks.count > 0;
	s->some_cgroups = l->cgroups != NULL;
	s->user = l->user;
	s->delays = lock_delay_kind(l);
	s->owner_stacks = l->by == LOCK_BY_OWNER_STACK;
	bpf_run_enable(c->run, "contention_begin", !l->user);
	bpf_run_enable(c->run, "contention_end", !l->user);
	bpf_run_enable(c->run, "enter_futex", l->user);
	bpf_run_enable(c->run, "exit_futex", l->user);
	bpf_run_enable(c->run, "process_fork", s->some_processes);
	bpf_run_enable(c->run, "task_exec", s->some_tasks);
	bpf_run_map_entries(c->run, "open_waits", (u32)l->map_entries);
	bpf_run_map_entries(c->run, "rows", (u32)l->map_entries);
	bpf_run_map_entries(c->run, "stacks",
			    by_chain || s->by_stack_too || s->by == LOCK_COUNT_ADDRESS
				    ? (u32)l->map_entries
				    : 1);
}

static int put_key(struct counting *c, const char *map, const void *key, struct reason *r)
{
	u8 one = 1;
	int err = bpf_map_write(bpf_run_map(c->run, map), key, &one);

	return err ? reason_errno(r, -err, "cannot fill the map of %s", map) : 0;
}

static int put_numbers(struct counting *c, const char *map, const u32 *numbers, size_t count,
		       struct reason *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = put_key(c, map, &numbers[i], r);
	return err;
}

static int put_cgroups(struct counting *c, struct reason *r)
{
	struct strlist names = { 0 };
	struct stat st;
	int err = cgroup_expand(NULL, c->res->l->cgroups, &names, r);

	for (size_t i = 0; !err && i < names.list.count; i++) {
		int fd = cgroup_open(NULL, names.list.items[i], r);
		u64 id = fd >= 0 && !fstat(fd, &st) ? st.st_ino : 0;

		err = fd < 0 ? fd : put_key(c, "cgroups", &id, r);
		if (fd >= 0)
			close(fd);
	}
	strlist_release(&names);
	return err;
}

static int fill_filters(struct counting *c, struct reason *r)
{
	const struct lock *l = c->res->l;
	u32 pid = (u32)c->workload.pid;
	int err = put_numbers(c, "cpus", c->target.cpus, c->target.cpu_count, r);

	if (!err && l->pids)
		err = put_numbers(c, "processes", c->res->pids, c->res->pid_count, r);
	if (!err && l->tids)
		err = put_numbers(c, "tasks", c->res->tids, c->res->tid_count, r);
	if (!err && l->tids) {
		c->target.goes_on = bpf_tasks_go_on;
		c->target.goes_on_map = bpf_run_map(c->run, "tasks");
	}
	if (!err && c->workload.pid > 0 && !l->pids)
		err = put_key(c, "processes", &pid, r);
	vec_for_each(&c->res->filters.locks, lock)
		if (!err)
			err = put_key(c, "locks", lock, r);
	if (!err)
		err = lock_put_delays(c->res, bpf_run_map(c->run, "delays"), r);
	return err || !l->cgroups ? err : put_cgroups(c, r);
}

/* ---- who names addresses ---- */

static void add_side_band(struct counting *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.flags = ATTR_DISABLED | ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM |
			 ATTR_COMM_EXEC | ATTR_TASK | ATTR_BUILD_ID | ATTR_USE_CLOCKID |
			 ATTR_EXCLUDE_KERNEL,
		.clockid = CLOCK_MONOTONIC,
	};

	if (c->target.inherit && !c->target.system_wide && !c->target.cpus)
		attr.flags |= ATTR_INHERIT;
	event_set_add(&c->set, &attr, "dummy");
}

/* Gives the session the kernel's names; it needs no rings. */
static int know_kernel(struct counting *c, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	struct data_chunk chunk;
	int err = synth_kernel(&b, c->set.list.items[0], NULL);

	(void)err; /* hidden from ordinary users, who have no BPF either */
	synth_bpf(&b, c->set.list.items[0]);
	chunk = (struct data_chunk){ .data = (const u8 *)b.s, .size = b.len };
	err = b.len ? session_push(c->res->session, &quiet, c, &chunk, r) : 0;
	if (!err)
		err = session_flush(c->res->session, &quiet, c, r);
	strbuf_release(&b);
	return err;
}

static int know_users(struct counting *c, struct reason *r)
{
	const struct feed_settings feed = { .ops = &quiet, .arg = c, .overload = FEED_SPILL };
	int err;

	c->watch = watch_new(c->live, c->res->session, &feed);
	err = live_enable(c->live);
	if (err)
		return reason_errno(r, -err, "cannot watch what programs map");
	err = watch_begin(c->watch, c->set.list.items[0], &c->target, NULL, r);
	return err ? err : watch_start(c->watch, r);
}

static int open_session(struct counting *c, struct reason *r)
{
	struct lock_result *res = c->res;
	const struct live_options o = { .ring_pages = 64 };
	int err = 0;

	event_set_init(&c->set);
	add_side_band(c);
	if (res->l->user)
		err = live_open(res->l->a.ctx, &c->set, &c->target, &o, &c->live, r);
	if (!err)
		err = event_set_finish(&c->set, r);
	if (err)
		return err;
	res->session = res->callers.session = res->l->a.session =
		session_new_live(res->l->a.ctx, &c->set, &res->l->a.open.symbols);
	return res->l->user ? know_users(c, r) : know_kernel(c, r);
}

/* ---- the run ---- */

static int load(struct counting *c, struct reason *r)
{
	int err;

	c->run = bpf_run_open("lock", r);
	if (!c->run)
		return -ENOTSUP;
	settle_program(c);
	err = bpf_run_load(c->res->l->a.ctx, c->run, r);
	if (!err)
		err = bpf_run_attach(c->run, r);
	if (!err)
		err = fill_filters(c, r);
	if (!err)
		c->counts = bpf_run_variable(c->run, "counts", sizeof(*c->counts));
	return err || c->counts ? err
				: reason_set(r, EIO, "a BPF program's state cannot be reached");
}

/*
 * Checks that the kernel has bpf_task_from_pid(), by which programs reach a task that is not the
 * current one.
 */
static int check_kernel(const struct counting *c, struct reason *r)
{
	int err = c->res->l->user
			  ? 0
			  : bpf_kernel_needs(
				    BPF_LOCK_EVENTS, "perf lock contention for locks of the kernel",
				    "'perf trace -s -e futex' and 'perf record --off-cpu' show "
				    "where programs wait",
				    r);

	if (err || c->res->l->by != LOCK_BY_OWNER_STACK)
		return err;
	return bpf_kernel_needs(BPF_TASK_BY_NUMBER, "--lock-owner with --verbose",
				"without --verbose the owners are listed", r);
}

static int open_all(struct counting *c, int argc, const char **argv, struct reason *r)
{
	int err = bpf_usable("--use-bpf", r);

	if (!err)
		err = check_kernel(c, r);
	if (!err)
		err = settle_target(c, argc > 0, r);
	if (!err && !c->target.system_wide)
		err = bpf_sees_tasks("--use-bpf", r);
	if (!err && argc)
		err = workload_prepare(&c->workload, argv, r);
	if (!err && argc && !c->target.system_wide && !c->target.tid_count) {
		c->target.tids = xcalloc(1, sizeof(pid_t));
		c->target.tids[0] = c->workload.pid;
		c->target.tid_count = 1;
		c->target.held = true;
	}
	if (!err)
		err = open_session(c, r);
	if (!err)
		err = lock_filters_open(c->res, r);
	return err ? err : load(c, r);
}

static int wait_for_end(struct counting *c, struct reason *r)
{
	struct workload *w = c->workload.pid > 0 ? &c->workload : NULL;
	int err = w ? workload_start(w, r) : 0;

	while (!err && !loop_wait_target(&c->target, w, c->wake_fd,
					 c->watch ? clock_now() + LOOK_AGAIN : UINT64_MAX))
		err = watch_step(c->watch, 0, r) < 0 ? -EINTR : 0;
	__atomic_store_n(&c->counts->enabled, 0, __ATOMIC_SEQ_CST);
	if (!c->watch)
		return err;
	watch_stop(c->watch);
	while (!err && watch_step(c->watch, clock_now() + LOOK_AGAIN, r) > 0)
		;
	return err;
}

/* ---- the rows ---- */

static void name_cgroup(struct lock_row *row)
{
	struct {
		struct file_handle h;
		u64 id;
	} at = { .h = { .handle_bytes = sizeof(u64), .handle_type = 0xfe } };
	struct reason none = REASON_INIT;
	char *mount = cgroup_mount(NULL, &none), *link, path[4096];
	int dir = mount ? open(mount, O_RDONLY | O_CLOEXEC) : -1, fd = -1;
	ssize_t n = -1;

	memcpy(at.h.f_handle, &row->key, sizeof(row->key));
	if (dir >= 0)
		fd = open_by_handle_at(dir, &at.h, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		link = xasprintf("/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		free(link);
		close(fd);
	}
	if (n > 0) {
		path[n] = '\0';
		link = path + (mount && !strncmp(path, mount, strlen(mount)) ? strlen(mount) : 0);
		row->name = printable_copy(*link ? link : "/");
	} else {
		row->name = xasprintf("cgroup %" PRIu64, row->key);
	}
	if (dir >= 0)
		close(dir);
	free(mount);
	reason_release(&none);
}

/*
 * Reports whether an address of a chain has no name. The chain begins in the counting program,
 * loaded after the kernel's symbols were read, or in a trampoline; neither has one.
 */
static bool is_nameless(const struct counting *c, u64 ip)
{
	struct kernel_function f;

	return !kernel_function_at(c->res->session, ip - 1, NULL, &f) || !*f.name;
}

/* Reads a chain as lock_chain_read() does for a recording. */
static void read_chain(struct counting *c, u64 id, struct lock_chain *chain)
{
	const struct lock *l = c->res->l;
	u64 ips[LOCK_STACK_DEPTH];
	u32 seen = 0;

	*chain = (struct lock_chain){ .count = 0 };
	if (!id || bpf_map_read(bpf_run_map(c->run, "stacks"), &id, ips))
		return;
	for (int i = 0; i < LOCK_STACK_DEPTH && ips[i] && chain->count < l->max_stack; i++) {
		if (!l->user && (lock_is_lock_code(&c->res->callers, ips[i]) ||
				 (!seen && is_nameless(c, ips[i]))))
			continue;
		if (seen++ < l->stack_skip)
			continue;
		chain->ips[chain->count++] = ips[i];
	}
	chain->kernel = l->user ? 0 : chain->count;
	chain->hash = hash_bytes(chain->ips, chain->count * sizeof(*chain->ips));
}

static u64 row_key(const struct lock_result *res, const struct lock_row_key *k,
		   const struct lock_chain *chain)
{
	if (res->l->by == LOCK_BY_CALLER || res->l->by == LOCK_BY_OWNER_STACK)
		return hash_combine(hash_combine(chain->hash, k->flags), k->tgid);
	return res->l->user ? hash_combine(k->what, k->tgid) : k->what;
}

static void name_row(struct counting *c, struct lock_row *row, const struct lock_row_counts *in,
		     const struct lock_chain *chain, const struct task *task)
{
	static const char *const known[] = { "", "mmap_lock", "siglock" };
	struct lock_result *res = c->res;
	const struct order_key key = { .time = in->time };

	switch (res->l->by) {
	case LOCK_BY_CGROUP:
		name_cgroup(row);
		return;
	case LOCK_BY_TASK:
	case LOCK_BY_OWNER:
		row->name = printable_copy(*in->comm ? in->comm : "Unknown");
		return;
	default:
		lock_row_name(&res->callers, row, chain, task, &key);
		if (res->l->user)
			lock_name_user_row(row, LOCK_USER_CALLERS);
	}
	if (in->known < ARRAY_SIZE(known))
		row->lock_name = known[in->known];
}

static int take_row(void *arg, const void *k, void *value)
{
	struct counting *c = arg;
	struct lock_result *res = c->res;
	const struct lock_row_counts *in = value;
	struct lock_row more = { .contended = in->contended,
				 .acquired = in->waits,
				 .waits = in->waits,
				 .total = in->total,
				 .min = in->waits ? in->min : UINT64_MAX,
				 .max = in->max };
	struct order_key at = { .time = in->time };
	const struct task *task = NULL;
	struct lock_chain chain;
	struct lock_row *row;
	bool added;

	read_chain(c, in->stack, &chain);
	if (res->l->user) /* whose frames have names */
		task = history_task(session_history(res->session), 0, in->tgid, in->tid, &at);
	if (res->l->user ? !lock_user_chain_wanted(res, &chain, in->tgid, task, &at)
			 : !lock_chain_wanted(res, &chain, task, &at))
		return 0;
	row = lock_row_put(&res->rows, row_key(res, k, &chain), &added);
	if (added) {
		row->addr = in->addr;
		row->flags = in->flags;
		row->tid = in->tid;
		name_row(c, row, in, &chain, task);
	}
	for (int i = 0; i < LOCK_SLOTS; i++)
		more.slots[i] = in->slots[i];
	lock_row_merge(row, &more);
	return 0;
}

static void take_rows(struct counting *c)
{
	struct lock_result *res = c->res;

	bpf_map_each(bpf_run_map(c->run, "rows"), sizeof(struct lock_row_key),
		     sizeof(struct lock_row_counts), take_row, c);
	res->no_wait = c->counts->no_wait;
	res->lost = c->counts->no_wait + c->counts->no_row;
	res->no_stack = c->counts->no_stack;
	bpf_run_say_missed(res->l->a.ctx, c->run);
	res->delayed = c->counts->delayed;
}

int lock_run_live(struct lock_result *res, int argc, const char **argv, struct reason *r)
{
	struct counting c = { .res = res };
	int err = loop_signals(res->l->a.ctx, 0, &c.wake_fd, r);

	if (!err)
		err = open_all(&c, argc, argv, r);
	if (!err) {
		__atomic_store_n(&c.counts->enabled, 1, __ATOMIC_SEQ_CST);
		err = wait_for_end(&c, r);
	}
	if (!err)
		take_rows(&c);
	if (c.workload.pid > 0)
		loop_finish_workload(&c.workload);
	res->l->a.ctx->ended_by = loop_ending_signal();
	bpf_run_close(c.run);
	watch_free(c.watch);
	live_close(c.live);
	target_release(&c.target);
	res->live_set = c.set; /* the session needs it until the end */
	return err;
}
