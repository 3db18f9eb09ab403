// SPDX-License-Identifier: GPL-2.0-or-later
/* The server's loop: requests, changes of the configuration, signals, due steps. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "builtin/daemon/internal.h"
#include "cli/config.h"

struct loop {
	struct server *sv;
	int socket, changes, signals;
	/*
	 * the files of the configuration, each by its real path and by the name that was given; or
	 * NULL
	 */
	char *files[4];
};

static struct session *find(struct server *sv, const char *name)
{
	vec_for_each(&sv->sessions, s)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

static void want(struct server *sv, const struct wanted_session *w)
{
	struct session *s = find(sv, w->name), new;

	if (!s) {
		new = (struct session){ .name = xstrdup(w->name),
					.pid = -1,
					.wanted = true,
					.next_run = xstrdup(w->run),
					.start = time(NULL),
					.dir = xasprintf("%s/session-%s", sv->base, w->name) };
		vec_push(&sv->sessions, new);
		return;
	}
	s->wanted = true;
	free(s->next_run);
	s->next_run = s->run && !strcmp(s->run, w->run) ? NULL : xstrdup(w->run);
	if (s->next_run)
		server_say("session '%s' has changed", s->name);
}

void server_configure(struct server *sv, struct wanted *w)
{
	vec_for_each(&sv->sessions, s)
		s->wanted = false;
	vec_for_each(&w->sessions, it)
		want(sv, it);
}

/* Reads the configuration again. One that cannot be understood changes nothing. */
static void reconfigure(struct server *sv)
{
	struct wanted w = { .base = NULL };
	struct reason r = REASON_INIT;
	char *base = NULL;

	if (wanted_read(sv->settings, &w, &r)) {
		server_say("the configuration is left as it was: %s", r.text);
	} else {
		base = daemon_base(sv->settings, &w, NULL);
		if (!base || strcmp(base, sv->base) != 0)
			server_say("the base stays '%s' until the daemon is started again",
				   sv->base);
		server_configure(sv, &w);
	}
	free(base);
	reason_release(&r);
	wanted_release(&w);
}

/* Watches the file at path, which is freed here, for changes in its directory. */
static void watch_file(struct loop *l, size_t i, char *path, u32 changes)
{
	char *slash = path ? strrchr(path, '/') : NULL;

	free(l->files[i]);
	l->files[i] = path;
	if (!slash)
		return;
	*slash = '\0';
	inotify_add_watch(l->changes, slash == path ? "/" : path, changes | IN_MASK_ADD);
	*slash = '/';
}

/*
 * Watches a configuration file, and also the name itself: it may be a link that comes to name
 * another file.
 */
static void watch_name(struct loop *l, size_t i, const char *path)
{
	char *name = path ? strrchr(path, '/') ? xstrdup(path) : xasprintf("./%s", path) : NULL;

	/* editors write a new file and rename it */
	watch_file(l, i, path ? realpath(path, NULL) : NULL, IN_CLOSE_WRITE | IN_MOVED_TO);
	watch_file(l, i + 1, name, IN_CREATE | IN_MOVED_TO);
}

static void watch_config(struct loop *l)
{
	const struct daemon_settings *s = l->sv->settings;
	char *paths[] = { s->config ? NULL : config_path(CONFIG_SYSTEM),
			  s->config ? xstrdup(s->config) : config_path(CONFIG_USER) };

	if (l->changes >= 0)
		close(l->changes);
	l->changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		watch_name(l, 2 * i, paths[i]);
		free(paths[i]);
	}
}

static void take_config(struct loop *l)
{
	watch_config(l); /* links may lead elsewhere now */
	reconfigure(l->sv);
}

static bool is_config(const struct loop *l, const struct inotify_event *e)
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(l->files) && e->len; i++) {
		if (!l->files[i] || strcmp(path_base(l->files[i]), e->name) != 0)
			continue;
		/* a file that was just created has yet to be written */
		if (!(e->mask & IN_CREATE) || (!lstat(l->files[i], &st) && S_ISLNK(st.st_mode)))
			return true;
	}
	return false;
}

static bool config_changed(struct loop *l)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool changed = false;
	ssize_t n;

	while ((n = read(l->changes, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= n;) {
			const struct inotify_event *e = (const void *)(buf + at);

			/* what did not fit in the queue may have been it */
			changed |= is_config(l, e) || (e->mask & IN_Q_OVERFLOW);
			at += (ssize_t)(sizeof(*e) + e->len);
		}
	}
	return changed;
}

static void reap(struct server *sv)
{
	vec_for_each(&sv->sessions, s) {
		int status;

		if (s->pid > 0 && waitpid(s->pid, &status, WNOHANG) == s->pid)
			session_ended(sv, s, status);
	}
}

static void take_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		if (si.ssi_signo == SIGHUP)
			take_config(l);
		else if (si.ssi_signo != SIGCHLD)
			l->sv->ending = true;
	}
	/* several children that end make one signal */
	reap(l->sv);
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* an ignored one, as shells leave it to background jobs, would not arrive */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/*
 * Runs the steps of all sessions and drops those that have ended. Returns when the next step is
 * due, in ns.
 */
static u64 step(struct server *sv)
{
	u64 next = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < sv->sessions.count; i++) {
		struct session *s = &sv->sessions.items[i];

		session_step(sv, s, &next);
		if (s->forgotten)
			session_release(s);
		else
			sv->sessions.items[kept++] = *s;
	}
	sv->sessions.count = kept;
	return next;
}

static int timeout_ms(u64 next)
{
	u64 now = clock_now();

	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)MIN((next - now) / 1000000 + 1, 60000ULL);
}

static void serve(struct loop *l)
{
	struct server *sv = l->sv;

	for (;;) {
		struct pollfd p[] = { { .fd = l->signals, .events = POLLIN },
				      { .fd = l->changes, .events = POLLIN },
				      { .fd = l->socket, .events = POLLIN } };
		u64 next = step(sv);

		if (sv->ending && !sv->sessions.count)
			return;
		if (poll(p, ARRAY_SIZE(p), timeout_ms(next)) < 0)
			continue;
		if (p[0].revents)
			take_signals(l);
		if ((p[1].revents & POLLIN) && config_changed(l))
			take_config(l);
		if (p[2].revents & POLLIN) {
			int client = accept4(l->socket, NULL, NULL, SOCK_CLOEXEC);

			if (client >= 0 && server_answer(sv, client))
				sv->ending = true;
		}
	}
}

int server_run(struct server *sv, int socket)
{
	struct loop l = { .sv = sv, .socket = socket, .changes = -1 };

	l.signals = open_signals();
	watch_config(&l);
	serve(&l);
	close(l.signals);
	if (l.changes >= 0)
		close(l.changes);
	for (size_t i = 0; i < ARRAY_SIZE(l.files); i++)
		free(l.files[i]);
	vec_release(&sv->sessions);
	return 0;
}
