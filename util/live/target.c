// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From what the user names (pids, tids, a user) to thread numbers.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "live/live.h"
#include "sys/obstacles.h"
#include "sys/topology.h"

void target_release(struct target *t)
{
	free(t->cpus);
	free(t->tids);
	memset(t, 0, sizeof(*t));
}

int target_choose_cpus(struct target *t, const char *list, struct reason *r)
{
	return sys_choose_cpus(NULL, list, "online", &t->cpus, &t->cpu_count, r);
}

bool target_is_alive(const struct target *t)
{
	for (size_t i = 0; i < t->tid_count; i++)
		if (!kill(t->tids[i], 0) || errno == EPERM)
			return true;
	return t->tid_count == 0 || (t->goes_on && t->goes_on(t->goes_on_map));
}

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* A process named twice is watched once. */
static void drop_repeats(struct target *t)
{
	size_t kept = 0;

	if (t->tid_count)
		qsort(t->tids, t->tid_count, sizeof(*t->tids), compare_tids);
	for (size_t i = 0; i < t->tid_count; i++)
		if (!kept || t->tids[kept - 1] != t->tids[i])
			t->tids[kept++] = t->tids[i];
	t->tid_count = kept;
}

static void add_tid(struct target *t, pid_t tid)
{
	t->tids = xreallocarray(t->tids, t->tid_count + 1, sizeof(*t->tids));
	t->tids[t->tid_count++] = tid;
}

/* Numeric names of a directory, as they come; false at the end. */
static bool next_number(DIR *d, pid_t *number)
{
	struct dirent *e;

	while ((e = readdir(d))) {
		u64 v;

		if (isdigit((unsigned char)e->d_name[0]) && !parse_u64(e->d_name, &v) &&
		    v <= INT32_MAX) {
			*number = (pid_t)v;
			return true;
		}
	}
	return false;
}

/*
 * Distinguishes a process that /proc hides, one that may be in another namespace, and one that does
 * not exist.
 */
static int no_such_task(const char *what, pid_t pid, int err, const char *list, struct reason *r)
{
	static const struct obstacle_words none = { NULL };
	bool hidden = kill(pid, 0) && errno == EPERM;

	if (err == ENOENT)
		reason_set(r, ESRCH, "no %s %d runs here", what, pid);
	else
		reason_errno(r, err, "no %s %d runs here", what, pid);
	if (hidden)
		return obstacle_refuse(OBSTACLE_HIDEPID, &none, ESRCH, r);
	if (!in_first_pid_namespace(NULL))
		obstacle_hint(OBSTACLE_PID_NAMESPACE, &none, r);
	else
		reason_hint(r, "it may have ended; '%s' lists %s", list,
			    *what == 't' ? "threads" : "what runs");
	return -(err == ENOENT ? ESRCH : err);
}

static int add_process(struct target *t, pid_t pid, struct reason *r)
{
	char path[64];
	pid_t tid;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return no_such_task("process", pid, errno, "ps -e", r);
	while (next_number(d, &tid))
		add_tid(t, tid);
	closedir(d);
	return 0;
}

static int each_number(const char *list, const char *what, struct target *t,
		       int (*add)(struct target *t, pid_t n, struct reason *r), struct reason *r)
{
	struct strlist parts = { VEC_INIT };
	int err = 0;

	strlist_split(&parts, list, ", ");
	if (!parts.list.count)
		err = reason_usage(r, "no %s given in '%s'", what, list);
	else if (list_has_gap(list))
		err = reason_usage(r, "a %s is missing in '%s'", what, list);
	vec_for_each(&parts.list, p) {
		u64 v;

		if (err)
			break;
		if (isdigit((unsigned char)**p) && !parse_count(*p, &v) && v <= INT32_MAX && v) {
			err = add(t, (pid_t)v, r);
		} else {
			err = reason_usage(r, "'%s' is not a %s", *p, what);
			reason_hint(r,
				    "numbers with commas between them; 'ps -eL' lists what runs");
		}
	}
	strlist_release(&parts);
	drop_repeats(t);
	return err;
}

void target_add_command(struct target *t, pid_t pid)
{
	add_tid(t, pid);
}

int target_add_pids(struct target *t, const char *list, struct reason *r)
{
	return each_number(list, "process id", t, add_process, r);
}

static int add_thread(struct target *t, pid_t tid, struct reason *r)
{
	char path[64];
	struct stat st;

	/* /proc/TID exists for every thread, though it is not listed */
	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (stat(path, &st))
		return no_such_task("thread", tid, ENOENT, "ps -eL", r);
	add_tid(t, tid);
	return 0;
}

int target_add_tids(struct target *t, const char *list, struct reason *r)
{
	return each_number(list, "thread id", t, add_thread, r);
}

int target_user(const char *user, uid_t *uid, struct reason *r)
{
	struct passwd *pw = getpwnam(user);
	u64 v;

	if (!pw && (!isdigit((unsigned char)*user) || parse_count(user, &v) || v >= UINT32_MAX)) {
		reason_set(r, ENOENT, "no user '%s' on this system", user);
		reason_hint(r, "give a user name, or a number");
		return -ENOENT;
	}
	*uid = pw ? pw->pw_uid : (uid_t)v;
	return 0;
}

static int no_process_of(const char *user, const char *why_list, struct reason *r)
{
	if (why_list)
		reason_set(
			r, ESRCH,
			"user '%s' has no process now, and -u leaves out those that start later: "
			"%s",
			user, why_list);
	else
		reason_set(r, ESRCH, "user '%s' has no process", user);
	reason_hint(r, "'ps -eo user= | sort -u' shows who has");
	return -ESRCH;
}

int target_add_all(struct target *t, struct reason *r)
{
	DIR *d = opendir("/proc");
	pid_t pid;

	if (!d)
		return reason_errno(r, errno, "cannot read /proc");
	while (next_number(d, &pid))
		add_process(t, pid, NULL); /* gone meanwhile: not there */
	closedir(d);
	drop_repeats(t);
	return 0;
}

int target_add_user(struct target *t, const char *user, struct reason *r)
{
	pid_t pid;
	uid_t uid = 0;
	bool any = false;
	DIR *d;
	int err = target_user(user, &uid, r);

	if (err)
		return err;
	d = opendir("/proc");
	if (!d)
		return reason_errno(r, errno, "cannot read /proc");
	while (next_number(d, &pid)) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d", pid);
		if (!stat(path, &st) && st.st_uid == uid)
			any |= !add_process(t, pid, NULL); /* gone meanwhile: not there */
	}
	closedir(d);
	drop_repeats(t);
	return any ? 0 : no_process_of(user, NULL, r);
}

int target_list_user(struct target *t, const char *user, const char *why_list, const char *hint,
		     struct reason *r)
{
	bool has_tasks = t->tid_count;
	int err = target_add_user(t, user, r);

	if (err != -ESRCH)
		return err;
	if (has_tasks) {
		reason_release(r);
		*r = (struct reason)REASON_INIT;
		return 0;
	}
	no_process_of(user, why_list, r);
	if (hint)
		reason_hint(r, "%s", hint);
	return err;
}
