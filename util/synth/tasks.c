// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes FORK, NAMESPACES, COMM and MMAP2 records for what is already running. A task that exits
 * while it is read is left out, since its own EXIT is in the rings.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "synth/internal.h"

#define COMM_BYTES        16
#define USUAL_MAP_TIMEOUT 500000000ULL /* ns */

struct task_synth {
	struct strbuf *out;
	size_t id_size;
	bool namespaces, comm_only;
	struct map_synth maps;
};

struct task_facts {
	pid_t pid, tid, ppid;
	char comm[COMM_BYTES];
	size_t comm_len;
	bool kernel_thread;
	u64 begun; /* clock ticks since boot */
};

/*
 * Parses the fields of /proc/PID/stat after "(comm)": state ppid ... The flags are the 7th of them,
 * the start time the 20th.
 */
static void parse_stat_tail(const char *p, struct task_facts *t)
{
	unsigned long flags = 0;
	unsigned long long begun = 0;
	int ppid = 0;

	if (sscanf(p,
		   " %*c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
		   "%llu",
		   &ppid, &flags, &begun) >= 2) {
		t->ppid = ppid;
		t->kernel_thread = flags & 0x00200000; /* PF_KTHREAD */
		t->begun = begun;
	}
}

static int read_task_stat(int proc_fd, const char *path, struct task_facts *t)
{
	char text[1024], *open_paren, *close_paren;
	int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -ESRCH;
	text[n] = 0;
	open_paren = strchr(text, '(');
	close_paren = strrchr(text, ')');
	if (!open_paren || !close_paren || close_paren < open_paren)
		return -EINVAL;
	t->comm_len = MIN((size_t)(close_paren - open_paren - 1), (size_t)COMM_BYTES - 1);
	memcpy(t->comm, open_paren + 1, t->comm_len);
	t->comm[t->comm_len] = 0;
	parse_stat_tail(close_paren + 1, t);
	return 0;
}

static void add_fork(struct task_synth *s, const struct task_facts *t)
{
	size_t at = record_begin(s->out, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC);
	bool leader = t->tid == t->pid;
	u32 parent = (u32)(leader ? t->ppid : t->pid);

	record_u32(s->out, (u32)t->pid);
	record_u32(s->out, parent);
	record_u32(s->out, (u32)t->tid);
	record_u32(s->out, parent);
	record_u64(s->out, 0);
	record_end(s->out, at, s->id_size);
}

static void add_comm(struct task_synth *s, const struct task_facts *t)
{
	size_t at = record_begin(s->out, PERF_RECORD_COMM, 0);

	record_u32(s->out, (u32)t->pid);
	record_u32(s->out, (u32)t->tid);
	record_string(s->out, t->comm, t->comm_len);
	record_end(s->out, at, s->id_size);
}

static void add_namespaces(struct task_synth *s, const struct task_facts *t)
{
	/* in the order of the kernel's NAMESPACES record */
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	size_t at;

	if (!s->namespaces)
		return;
	at = record_begin(s->out, PERF_RECORD_NAMESPACES, 0);
	record_u32(s->out, (u32)t->pid);
	record_u32(s->out, (u32)t->tid);
	record_u64(s->out, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", t->tid, names[i]);
		if (stat(path, &st))
			memset(&st, 0, sizeof(st));
		record_u64(s->out, st.st_dev);
		record_u64(s->out, st.st_ino);
	}
	record_end(s->out, at, s->id_size);
}

static bool next_number(DIR *d, pid_t *number)
{
	struct dirent *e;

	while ((e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0])) {
			*number = (pid_t)strtol(e->d_name, NULL, 10);
			return true;
		}
	return false;
}

/* Adds the threads of a process other than its leader. */
static void add_other_threads(struct task_synth *s, pid_t pid, bool forks)
{
	char path[64];
	struct task_facts t = { .pid = pid };
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && next_number(d, &t.tid)) {
		if (t.tid == pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, t.tid);
		if (read_task_stat(AT_FDCWD, path, &t))
			continue;
		if (forks)
			add_fork(s, &t);
		add_namespaces(s, &t);
		add_comm(s, &t);
	}
	if (d)
		closedir(d);
}

static void add_process(struct task_synth *s, int proc_fd, pid_t pid, bool forks)
{
	struct task_facts t = { .pid = pid, .tid = pid };
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "%d/stat", pid);
	if (read_task_stat(proc_fd, path, &t))
		return;
	if (forks)
		add_fork(s, &t);
	add_namespaces(s, &t);
	add_comm(s, &t);
	if (t.kernel_thread || s->comm_only) /* no address space, no other threads */
		return;
	synth_maps(&s->maps, pid);
	/* a task directory has one link for each thread, besides "." and ".." */
	snprintf(path, sizeof(path), "%d/task", pid);
	if (!fstatat(proc_fd, path, &st, 0) && st.st_nlink > 3)
		add_other_threads(s, pid, forks);
}

/* The share of the processes that one thread handles: every step-th. */
struct share {
	struct task_synth synth;
	struct context *ctx;
	const pid_t *pids;
	size_t first, step, count;
	int proc_fd;
	struct strbuf out;
	pthread_t thread;
	bool started;
};

static void *add_share(void *arg)
{
	struct share *h = arg;

	for (size_t i = h->first; i < h->count && !context_cancelled(h->ctx); i += h->step)
		add_process(&h->synth, h->proc_fd, h->pids[i], true);
	return NULL;
}

/*
 * Divides the processes among threads. A share whose thread cannot be started is handled by the
 * caller's thread.
 */
static void add_in_threads(struct task_synth *s, struct context *ctx, int proc_fd,
			   const pid_t *pids, size_t count, unsigned threads)
{
	struct share *shares = xcalloc(threads, sizeof(*shares));

	for (unsigned i = 0; i < threads; i++) {
		struct share *h = &shares[i];

		*h = (struct share){ .synth = *s,
				     .ctx = ctx,
				     .pids = pids,
				     .first = i,
				     .step = threads,
				     .count = count,
				     .proc_fd = proc_fd };
		h->synth.out = h->synth.maps.out = &h->out;
		h->started = !pthread_create(&h->thread, NULL, add_share, h);
	}
	for (unsigned i = 0; i < threads; i++) {
		struct share *h = &shares[i];

		if (h->started)
			pthread_join(h->thread, NULL);
		else
			add_share(h);
		strbuf_add(s->out, h->out.s, h->out.len);
		s->maps.cut_off += h->synth.maps.cut_off;
		map_synth_release(&h->synth.maps);
		strbuf_release(&h->out);
	}
	free(shares);
}

static int add_everything(struct task_synth *s, struct context *ctx, unsigned threads,
			  struct reason *r)
{
	DIR *d = opendir("/proc");
	VEC(pid_t) pids = VEC_INIT;
	pid_t pid;

	if (!d)
		return reason_errno(r, errno, "cannot read /proc");
	while (next_number(d, &pid))
		vec_push(&pids, pid);
	if (threads > 1)
		add_in_threads(s, ctx, dirfd(d), pids.items, pids.count, threads);
	else
		vec_for_each(&pids, p)
			if (!context_cancelled(ctx))
				add_process(s, dirfd(d), *p, true);
	vec_release(&pids);
	closedir(d);
	return 0;
}

/* Returns the process that a thread belongs to, or 0. */
static pid_t process_of(pid_t tid)
{
	char path[64], line[128];
	pid_t pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && !pid && fgets(line, sizeof(line), f))
		if (str_starts(line, "Tgid:"))
			pid = (pid_t)strtol(line + 5, NULL, 10);
	if (f)
		fclose(f);
	return pid;
}

/* Adds processes that are not known yet and did not begin before that time. */
static void add_begun(struct task_synth *s, struct context *ctx, int proc_fd, u64 since,
		      struct map64 *seen)
{
	u64 ticks = since / (1000000000 / (u64)sysconf(_SC_CLK_TCK));
	DIR *d = opendir("/proc");
	pid_t pid;

	while (d && next_number(d, &pid) && !context_cancelled(ctx)) {
		struct task_facts t = { .pid = pid, .tid = pid };
		bool added = false;
		char path[64];

		snprintf(path, sizeof(path), "%d/stat", pid);
		if (map64_get(seen, (u64)pid) || read_task_stat(proc_fd, path, &t) ||
		    t.begun < ticks || t.kernel_thread)
			continue;
		map64_put(seen, (u64)pid, &added);
		add_process(s, proc_fd, pid, true);
	}
	if (d)
		closedir(d);
}

static int add_processes_of(struct task_synth *s, struct context *ctx, const struct target *t,
			    u64 begun_since, struct reason *r)
{
	struct map64 seen = { 0 };
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (proc_fd < 0)
		return reason_errno(r, errno, "cannot read /proc");
	for (size_t i = 0; i < t->tid_count && !context_cancelled(ctx); i++) {
		pid_t pid = process_of(t->tids[i]);
		bool added = false;

		if (pid)
			map64_put(&seen, (u64)pid, &added);
		if (added)
			add_process(s, proc_fd, pid, false);
	}
	if (begun_since)
		add_begun(s, ctx, proc_fd, begun_since, &seen);
	map64_release(&seen);
	close(proc_fd);
	return 0;
}

int synth_tasks(struct context *ctx, struct strbuf *out, const struct event *ev,
		const struct target *t, const struct synth_how *how, struct reason *r)
{
	struct task_synth s = {
		.out = out, .id_size = ev->sample_id_size, .comm_only = t->held,
		.namespaces = ev->attr.flags & ATTR_NAMESPACES,
		.maps = {
			.out = out, .id_size = ev->sample_id_size,
			.data = ev->attr.flags & ATTR_MMAP_DATA,
			.build_ids = ev->attr.flags & ATTR_BUILD_ID,
			.timeout = how && how->map_timeout ? how->map_timeout : USUAL_MAP_TIMEOUT,
		},
	};
	int err;

	if (t->system_wide || !t->tid_count)
		err = add_everything(&s, ctx, how ? how->threads : 1, r);
	else
		err = add_processes_of(&s, ctx, t, how ? how->begun_since : 0, r);
	if (s.maps.cut_off)
		condition_add(&ctx->conditions, CONDITION_WARNING, "maps-cut", NULL, NULL,
			      s.maps.cut_off,
			      "--proc-map-timeout allows more time for each process",
			      "the maps of some processes were too long to read in %" PRIu64
			      " ms: what they "
			      "had mapped is not all known",
			      s.maps.timeout / 1000000);
	map_synth_release(&s.maps);
	return err;
}
