// SPDX-License-Identifier: GPL-2.0-or-later
/* One session: its process, from the start to the end. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/out.h"
#include "base/text.h"
#include "base/words.h"
#include "builtin/daemon/internal.h"

#define SECOND 1000000000ULL
enum { STOP_SECONDS = 10, ANSWER_MS = 2000, MOST_PAUSE = 60 };

/* The child can report it only on its own output. */
static void fail(const char *what)
{
	server_say("%s: %s", what, strerror(errno));
	_exit(126);
}

static void make_pipe(const char *name)
{
	int fd = -EEXIST;

	if (!mkfifo(name, 0600))
		return;
	if (errno == EEXIST)
		fd = daemon_own_pipe(name, O_RDWR);
	errno = fd == -EEXIST ? errno : -fd;
	if (fd < 0)
		fail(name);
	close(fd);
}

/*
 * Takes the session's lock, or waits for it. The lock belongs to the process that records, not to
 * its children. A session of a killed server therefore has it until it has written its file.
 */
static void wait_for_predecessor(void)
{
	int fd = daemon_own_file("lock", 0600);

	if (fd == -EPERM) {
		errno = -fd;
		fail("lock");
	}
	/* it stays open in perf record */
	if (fd >= 0)
		fcntl(fd, F_SETFD, 0);
	for (int i = 0; fd >= 0 && i < STOP_SECONDS * 20; i++) {
		if (!lockf(fd, F_TLOCK, 0) || (errno != EAGAIN && errno != EACCES))
			return;
		usleep(50000);
	}
	if (fd >= 0)
		server_say("another process still records in this directory");
	if (fd >= 0)
		_exit(126);
}

static void redirect(bool again)
{
	int in = open("/dev/null", O_RDONLY), out;

	out = daemon_own_file("output", 0644);
	if (out == -EPERM) {
		errno = -out;
		fail("output");
	}
	if (out >= 0 && (fcntl(out, F_SETFL, O_APPEND) || (!again && ftruncate(out, 0))))
		_exit(126);
	/* a full disk must not keep it from recording elsewhere */
	if (out < 0)
		out = open("/dev/null", O_WRONLY);
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(126);
	close(in);
	close(out);
}

/*
 * Runs in the child. dir is a descriptor of its directory, to which a name need not lead any more.
 */
static void run_child(const struct server *sv, const struct session *s, int dir)
{
	struct strlist words = { VEC_INIT };
	sigset_t none;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* the server's descriptors are not meant for the recorded program */
	close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	if (fchdir(dir))
		fail(s->dir);
	redirect(s->kills > 0);
	wait_for_predecessor();
	make_pipe("control");
	make_pipe("ack");
	strlist_add(&words, "perf");
	strlist_add(&words, "record");
	strlist_add(&words, "--control=fifo:control,ack");
	shell_words(&words, s->run);
	vec_push(&words.list, NULL);
	execv(sv->perf, words.list.items);
	fail(sv->perf);
}

static void start(struct server *sv, struct session *s)
{
	int dir = daemon_own_directory(s->dir);

	s->restart_at = 0;
	if (dir < 0) {
		server_say("session '%s': cannot use '%s': %s", s->name, s->dir,
			   dir == -EPERM ? "it is not a directory of this user alone"
					 : strerror(-dir));
		s->forgotten = true;
		return;
	}
	s->start = time(NULL);
	s->pid = fork_bound(SIGTERM);
	if (!s->pid)
		run_child(sv, s, dir);
	close(dir);
	if (s->pid < 0) {
		server_say("session '%s': cannot start a process: %s", s->name, strerror(errno));
		s->restart_at = clock_now() + SECOND;
		s->pid = -1;
		return;
	}
	server_say("session '%s' started (pid %d): perf record %s", s->name, (int)s->pid, s->run);
}

/* Returns a descriptor of a named pipe in the session's directory, or -1. */
static int open_pipe(const struct session *s, const char *name, int flags)
{
	char *path = xasprintf("%s/%s", s->dir, name);
	int fd = daemon_own_pipe(path, flags);

	free(path);
	return fd;
}

static bool tell(const struct session *s, const char *line)
{
	int fd = open_pipe(s, "control", O_WRONLY);
	bool done = fd >= 0 && !write_all(fd, line, strlen(line));

	if (fd >= 0)
		close(fd);
	return done;
}

bool session_answers(const struct session *s)
{
	int fd = s->pid > 0 ? open_pipe(s, "ack", O_RDWR) : -1;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[64];
	bool good = false;

	if (fd < 0)
		return false;
	/* an answer that nobody fetched */
	while (read(fd, text, sizeof(text)) > 0)
		;
	if (tell(s, "ping\n") && poll(&p, 1, ANSWER_MS) > 0) {
		ssize_t n = read(fd, text, sizeof(text));

		good = n >= 3 && !strncmp(text, "ack", 3);
	}
	close(fd);
	return good;
}

static void stop_harder(struct session *s)
{
	switch (++s->stage) {
	case 1:
		/* before it reads its control pipe there is no other way */
		if (!tell(s, "stop\n"))
			kill(s->pid, SIGTERM);
		break;
	case 2:
		kill(s->pid, SIGTERM);
		break;
	default:
		server_say("session '%s' does not end: it is killed", s->name);
		kill(s->pid, SIGKILL);
	}
	s->deadline = clock_now() + STOP_SECONDS * SECOND;
}

static void due_at(u64 *next, u64 when)
{
	*next = MIN(*next, when);
}

void session_step(struct server *sv, struct session *s, u64 *next)
{
	bool leave = !s->wanted || sv->ending;

	if (s->pid > 0) {
		if (leave || s->next_run)
			if (!s->stage || clock_now() >= s->deadline)
				stop_harder(s);
		if (s->stage)
			due_at(next, s->deadline);
		return;
	}
	if (leave) {
		s->forgotten = true;
		return;
	}
	if (s->next_run) {
		free(s->run);
		s->run = s->next_run;
		s->next_run = NULL;
		s->kills = 0;
		start(sv, s);
	} else if (s->restart_at && clock_now() >= s->restart_at) {
		start(sv, s);
	}
	if (s->restart_at)
		due_at(next, s->restart_at);
}

static void restart_later(struct session *s)
{
	unsigned pause = s->kills < 6 ? 1u << s->kills : MOST_PAUSE;

	s->kills++;
	s->restart_at = clock_now() + pause * SECOND;
	server_say("session '%s' starts again in %u s", s->name, pause);
}

void session_ended(struct server *sv, struct session *s, int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	bool asked = s->stage > 0;

	s->pid = -1;
	s->stage = 0;
	if (sig)
		server_say("session '%s' killed (signal %d)", s->name, sig);
	else
		server_say("session '%s' exited, status=%d", s->name, WEXITSTATUS(status));
	/* it was asked to end, and is now wanted again unchanged */
	if (asked && s->wanted && !s->next_run)
		s->restart_at = clock_now();
	if (asked || sv->ending || s->next_run)
		return;
	/* an hour without trouble makes up for earlier kills */
	if (time(NULL) - s->start > 3600)
		s->kills = 0;
	if (sig && sig != SIGTERM && sig != SIGINT && sig != SIGHUP)
		restart_later(s);
	else
		s->forgotten = true;
}

void session_release(struct session *s)
{
	free(s->name);
	free(s->run);
	free(s->dir);
	free(s->next_run);
}
